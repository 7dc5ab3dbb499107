"""Specs as values: a frozen tree of parts and their options, read by the core.

`Spec.of("player", "rave(simulations=200)")` is the canonical spec with every option; `Spec.parsed(text)` is
what a text says before anybody asks what it means: nothing is resolved, so that a text from elsewhere can be
looked at.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from coppice import _core
from coppice.core.catalogue import Family, OptionInfo, catalogue

__all__ = ["CLOCKS", "COUNTS", "LIMITS", "Part", "Spec", "Text", "Value", "value_text"]

COUNTS = ("simulations", "states")
CLOCKS = ("seconds", "cpu_seconds")
LIMITS = (*COUNTS, *CLOCKS)
"""The options of a player that bound its search: by counting, or by time."""
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"})


class Text(str):
    """A quoted text in a spec: files, programs and classes are named by texts alone."""

    __slots__ = ()


Value: TypeAlias = "bool | int | float | str | Spec | None"
"""What an option holds: a number, a flag, a word to choose from, a `Text`, a spec, or nothing."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a spec: a name and its options."""

    family: Family | None
    """What the name is one of; None where that was not asked."""
    name: str
    items: tuple[tuple[str | None, Value], ...]
    """The options in their order, by key; the key is None where none was written."""
    text: str
    """As the core writes it."""

    @property
    def options(self) -> dict[str, Value]:
        """The options that have a key."""
        return {key: value for key, value in self.items if key is not None}

    @property
    def written(self) -> dict[str, str]:
        """The options that have a key, as a spec writes them."""
        return {key: value_text(value) for key, value in self.items if key is not None}

    def __getitem__(self, option: str) -> Value:
        found = self.options
        if option not in found:
            raise KeyError(f"{self.name} has no option '{option}' here: {', '.join(found) or 'none'}")
        return found[option]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Spec:
    """What names a game, a player or a part of one: one part, or a chain of several."""

    family: Family | None
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, family: Family, text: str, game: str | None = None) -> Spec:
        """The canonical spec that a text means; a `ValueError` says what is wrong with it.

        A player's `game` says what some names mean.
        """
        return _resolved(family, _core.canonical(family, text, game))

    @classmethod
    def parsed(cls, text: str) -> Spec:
        """What a text says, nothing resolved: a bare word is a spec of its own."""
        return _tree(None, _core.parse_spec(text))

    @property
    def name(self) -> str:
        """The name of its part; of a chain, the names with `+` between them."""
        return "+".join(part.name for part in self.parts)

    def __str__(self) -> str:
        return "+".join(part.text for part in self.parts)

    @property
    def only(self) -> Part:
        """Its one part; a `ValueError` if it is a chain."""
        if len(self.parts) != 1:
            raise ValueError(f"'{self}' is a chain: ask one of its parts")
        return self.parts[0]

    def __getitem__(self, option: str) -> Value:
        return self.only[option]

    def __contains__(self, option: str) -> bool:
        return len(self.parts) == 1 and option in self.parts[0].options

    def get(self, option: str) -> Value:
        """The value of an option; None where it has no such option."""
        return self.parts[0].options.get(option) if len(self.parts) == 1 else None

    def number(self, option: str) -> float | None:
        """The number that an option holds; None where it holds none."""
        found = self.get(option)
        return found if isinstance(found, int | float) and not isinstance(found, bool) else None

    def walk(self) -> Iterator[Part]:
        """Every part in the tree, each before those inside it."""
        for part in self.parts:
            yield part
            for _, value in part.items:
                if isinstance(value, Spec):
                    yield from value.walk()

    def replace(self, game: str | None = None, /, **options: Value) -> Spec:
        """The canonical spec with other options; a new budget replaces the old one, whatever its unit."""
        part = self.only
        if self.family is None:
            raise ValueError(f"'{self}' was parsed only: options are replaced in a spec that is resolved")
        kept = part.options
        if options.keys() & set(LIMITS):
            kept = {key: value for key, value in kept.items() if key not in LIMITS}
        # Of an option and its other spelling the new one counts.
        for info in _infos(self.family, part.name).values():
            if info.kind == "twice" and info.of in options:
                kept.pop(info.name, None)
            elif info.kind == "twice" and info.name in options:
                kept.pop(info.of or "", None)
        inside = ", ".join(f"{key}={value_text(value)}" for key, value in (kept | options).items())
        return Spec.of(self.family, f"{part.name}({inside})" if inside else part.name, game)

    @property
    def has_clock(self) -> bool:
        """Whether some part of it is bounded by time."""
        return any(part.options.get(name) is not None for part in self.walk() for name in CLOCKS)

    @property
    def is_reproducible(self) -> bool:
        """Whether the same code and seed make the same of it: no clock, no other program, no shared tree."""
        shares = ((str(part.options.get("parallel")), part.options.get("threads")) for part in self.walk())
        shared = any(parallel == "tree" and threads != 1 for parallel, threads in shares)
        return not (self.has_clock or shared or any(part.name == "gtp" for part in self.walk()))

    @property
    def leaves_the_process(self) -> bool:
        """Whether it names a file, a program or a class: what is not in the package itself."""
        return bool(_core.outside(str(self)))


def value_text(value: Value) -> str:
    """A value as the core writes it in a spec."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Text):
        return f'"{value.translate(_ESCAPES)}"'
    if isinstance(value, float):
        mantissa, e, exponent = repr(value).partition("e")
        return f"{mantissa}e{int(exponent)}" if e else mantissa
    return str(value)


@functools.lru_cache(maxsize=4096)
def _resolved(family: Family, canonical: str) -> Spec:
    return _tree(family, _core.parse_spec(canonical))


def _tree(family: Family | None, parts: list[tuple[str, str, list[tuple[str | None, object]]]]) -> Spec:
    made = []
    for text, name, options in parts:
        infos = _infos(family, name) if family else {}
        items = tuple((key, _value(infos.get(key or ""), value, of=family)) for key, value in options)
        made.append(Part(family, name, items, text))
    return Spec(family, tuple(made))


def _value(info: OptionInfo | None, value: object, *, of: Family | None) -> Value:
    """What the core has read as a value of an option, which is known where the spec is resolved."""
    if isinstance(value, str):
        return Text(value)
    if not isinstance(value, list):
        return cast(Value, value)
    is_word = len(value) == 1 and not value[0][2]
    if of is not None and is_word and (info is None or info.kind != "spec"):
        return str(value[0][1])
    return _tree(cast("Family | None", info.of if info else None), value)


@functools.cache
def _infos(family: Family, name: str) -> Mapping[str, OptionInfo]:
    """The options of a part by name; none for the name of a combination."""
    return {info.name: info for part in catalogue(family) if part.name == name for info in part.options}
