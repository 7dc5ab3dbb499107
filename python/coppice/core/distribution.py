"""The distribution: what a package index calls this package, which is not the name that Python imports."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["NAME", "install", "optional"]

# Not `coppice`: the public index has another project of that name, and pip would put it in our place.
NAME = "coppice-mcts"


def install(extra: str) -> str:
    """The command that adds an extra of this package, e.g. ``install("tune")``."""
    return f"pip install '{NAME}[{extra}]'"


def optional(module: str, extra: str, otherwise: str) -> Any:
    """A module that an extra brings; where it is missing, an error says so `otherwise`, with the command."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ValueError(f"{otherwise}: {install(extra)}") from error
