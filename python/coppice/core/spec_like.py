"""What may be given where a spec is wanted, and how values and classes are called there."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Mapping
from numbers import Integral, Real
from types import FunctionType
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from coppice import _core
from coppice.core.spec import LIMITS, Spec, Text, value_text

__all__ = [
    "GUEST_MODULE",
    "HasSpec",
    "SpecLike",
    "changed",
    "class_path",
    "option_text",
    "python_spec",
    "spec_text",
]

GUEST_MODULE = "coppice_guest_"
"""How the names of modules begin that `coppice.extend` has loaded from files: they are named by the file."""


@runtime_checkable
class HasSpec(Protocol):
    """A game or a player: a value with a spec of its own."""

    @property
    def spec(self) -> str:
        """The canonical form."""


SpecLike: TypeAlias = str | type | HasSpec | Spec
"""What names a game, a player or a part of one: a spec, its text, a class for `coppice.extend`, a game or a
player."""

_ALLOWED = {
    "game": "a spec, a class that derives from coppice.extend.Game, or a game",
    "player": "a spec, a class that derives from coppice.extend.Playout or Selection, or a player",
}
_VALUES = (
    "a number, True, False, None, a text, a class of coppice.extend, a game or player, or a list of parts"
)


def spec_text(
    value: SpecLike, options: Mapping[str, object] | None = None, *, what: Literal["game", "player"]
) -> str:
    """The spec of a game or a player, with some options given or changed.

    A policy's class is the player `mcts` with that policy. A new budget replaces the old one, whatever its
    unit. A ValueError says what cannot be named.
    """
    family, text = getattr(value, "spec_family", None), _named(value)
    if what == "player" and isinstance(value, type) and family in ("playout", "selection"):
        text = f"mcts({family}={text})"
    elif text is None or family not in (None, what):
        raise ValueError(f"{_kind(value)} is no {what}: allowed are {_ALLOWED[what]}")
    given = {key: option_text(key, option) for key, option in (options or {}).items()}
    return changed(text, given) if given else text


def python_spec(path: str, options: str | None = None) -> str:
    """The spec of what is written in Python at a path such as `module:Class`."""
    given = "" if options is None else f", options={value_text(Text(options))}"
    return f"python({value_text(Text(path))}{given})"


def _named(value: object) -> str | None:
    """The text of what has a name; None if the value has none."""
    if isinstance(value, str | Spec):
        return str(value)
    if isinstance(value, type):
        return python_spec(class_path(value)) if hasattr(value, "spec_family") else None
    return value.spec if isinstance(value, HasSpec) else None


def option_text(key: str, value: object) -> str:
    """The value of an option as a spec writes it; a list of parts is a chain."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real) and math.isfinite(value):
        return repr(float(value))
    if isinstance(value, str):
        return value_text(Text(value)) if key in _text_options() else value
    if isinstance(value, list | tuple) and value:
        return "+".join(option_text(key, part) for part in value)
    text = _named(value)
    if text is None:
        raise ValueError(f"{key} is {_kind(value)}, which is not allowed: {_VALUES}")
    return text


@functools.cache
def _text_options() -> frozenset[str]:
    """The options whose values are quoted texts; an option of this name is one in every part."""
    parts = _core.catalogue()
    return frozenset(
        option["name"] for part in parts for option in part["options"] if option["kind"] == "text"
    )


def class_path(found: type) -> str:
    """Where a class is found again: `module:Class`, or `file.py:Class` where it was loaded from a file."""
    # What a process calls __mp_main__ is the __main__ of the one that started it.
    name, where = found.__qualname__, found.__module__.replace("__mp_main__", "__main__")
    if "." in name:
        inside = "a function" if "<locals>" in name else "a class"
        raise ValueError(
            f"class {found.__name__} is defined inside {inside}: a class at the top of a module has a name"
        )
    module = sys.modules.get(where)
    if module is None or getattr(module, name, None) is not found:
        raise ValueError(
            f"{where}:{name} is another class by now, or none: only what has a name can be named"
        )
    if where.startswith(GUEST_MODULE):
        return f"{module.__file__}:{name}"
    started = getattr(module, "__spec__", None)
    if where == "__main__" and started is not None:
        # Started by `python -m`: others find it by its import path, and here it is not to be imported twice.
        where = started.name
        sys.modules.setdefault(where, module)
    return f"{where}:{name}"


def _kind(value: object) -> str:
    """A value as errors speak of it."""
    if isinstance(value, type):
        return f"class {value.__name__}"
    if type(value).__module__ != "builtins":
        return f"an object of class {type(value).__name__}"
    return f"a function ({value.__name__})" if isinstance(value, FunctionType) else repr(value)


def changed(spec: str, changes: Mapping[str, str]) -> str:
    """A spec with some options changed; a new budget replaces the old one, whatever its unit."""
    part = Spec.parsed(spec).only
    # What stands there without a key is kept as it is, and so is its place.
    kept = {
        key or f"{at}": value_text(value) if key is None else f"{key}={value_text(value)}"
        for at, (key, value) in enumerate(part.items)
    }
    if changes.keys() & set(LIMITS):
        kept = {key: text for key, text in kept.items() if key not in LIMITS}
    written = kept | {key: f"{key}={value}" for key, value in changes.items()}
    return f"{part.name}({', '.join(written.values())})"
