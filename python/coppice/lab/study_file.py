"""Studies in files: TOML, or Python that binds `STUDY`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from coppice.lab.declared import run_declaration
from coppice.lab.study import Study

__all__ = ["find_study", "study_of"]


def find_study(name: str) -> Study:
    """The study that a file declares; what is wrong with it is one line."""
    path = Path(name)
    if path.suffix not in (".toml", ".py"):
        raise ValueError(f"'{name}' is no study: a file ending in .toml or .py")
    if not path.is_file():
        raise ValueError(f"there is no study file '{name}'")
    if path.suffix == ".py":
        found = getattr(run_declaration(path, f"_coppice_study_{path.stem}", "study"), "STUDY", None)
        if not isinstance(found, Study):
            raise ValueError(f"'{path}' is no study: it must bind STUDY to a Study")
        return replace(found, name=path.stem)
    try:
        return study_of(tomllib.loads(path.read_text(encoding="utf-8")), path.stem)
    except (ValueError, OSError) as error:
        raise ValueError(f"study '{path}': {error}") from error


_KINDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("question", "baseline", "spending", "pooling"), (str,)),
    **dict.fromkeys(("smallest", "power", "alpha"), (float, int)),
    **dict.fromkeys(("looks", "most", "seed"), (int,)),
    "changes": (dict,),
    "games": (dict, list),
    "budgets": (list,),
    "openings": (str, list),
}
"""What may stand in a file, and as what."""


def study_of(told: Mapping[str, Any], name: str) -> Study:
    """The study that plain values declare, by the names of the fields of `Study`."""
    allowed = [field.name for field in fields(Study) if field.name != "name"]
    for key, value in told.items():
        if key not in allowed:
            raise ValueError(f"unknown entry '{key}': allowed are {', '.join(allowed)}")
        if isinstance(value, bool) or not isinstance(value, _KINDS[key]):
            kinds = " or ".join(_WORDS[kind] for kind in _KINDS[key])
            raise ValueError(f"{key} is {value!r}: it must be {kinds}")
        parts = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
        for part in parts:
            if not isinstance(part, str):
                raise ValueError(f"{key} holds {part!r}: it must be a text")
    for key in ("baseline", "changes", "games"):
        if key not in told:
            raise ValueError(f"a study needs an entry '{key}'")
    return Study(**told, name=name)


_WORDS: Mapping[type, str] = {
    str: "a text",
    float: "a number",
    int: "a whole number",
    dict: "a table of names and specs",
    list: "a list of texts",
}
