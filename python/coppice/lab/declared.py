"""Declarations in Python files, as those of experiments and studies: run, and told by line when they fail."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

__all__ = ["run_declaration"]


def run_declaration(path: Path, name: str, what: str) -> ModuleType:
    """The module of a file, run under a name; whatever goes wrong inside it is told with its line."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None, "a path to a .py file always has a loader"
    assert spec.loader is not None, "a path to a .py file always has a loader"
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        lines = [frame for frame in _frames(error) if frame[0] == str(path)]
        place = f" line {lines[-1][1]}:" if lines else ""
        raise ValueError(f"{what} '{path}':{place} {error}") from error
    return module


def _frames(error: BaseException) -> Iterable[tuple[str, int]]:
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
