"""The catalogue: every game, player and policy with its options, as the core describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from coppice import _core

__all__ = ["Family", "OptionInfo", "PartInfo", "catalogue"]

Family = Literal[
    "game",
    "player",
    "root",
    "selection",
    "candidates",
    "expansion",
    "prior",
    "tactics",
    "playout",
    "backup",
    "worlds",
    "final",
    "openings",
]


@dataclass(frozen=True)
class OptionInfo:
    """One option of a part."""

    name: str
    kind: str
    """`int`, `real`, `bool`, `choice`, `text`, `spec` or `twice`."""
    default: str
    """As it would be written in a spec."""
    allowed: str
    """The allowed values in words."""
    doc: str
    or_none: bool
    min: float | None
    max: float | None
    choices: tuple[str, ...]
    of: str | None
    """For `spec`: the family of the value. For `twice`: the option it is twice of."""


@dataclass(frozen=True)
class PartInfo:
    """One thing that a spec can name."""

    family: Family
    name: str
    doc: str
    options: tuple[OptionInfo, ...]
    positional: str | None
    """The option that a value without key means."""
    stands_for: str | None
    """For a named combination: the spec it is short for."""
    by_game: Mapping[str, str] = field(default_factory=dict, hash=False)
    """For a name that stands for another spec in each game: that spec by the name of the game."""

    @property
    def spec(self) -> str:
        """The spec with every option left as it is, so that a part may be given where a spec is."""
        return self.name

    @property
    def spec_family(self) -> Family:
        """What its spec names."""
        return self.family

    @property
    def is_named(self) -> bool:
        """Whether it is a name for a combination of other parts."""
        return self.stands_for is not None or bool(self.by_game)


def catalogue(family: Family | None = None) -> list[PartInfo]:
    """Everything that a spec can name, or one family of it, in the order in which it is shown."""
    entries = (entry for entry in _core.catalogue() if family in (None, entry["family"]))
    return [
        PartInfo(
            family=entry["family"],
            name=entry["name"],
            doc=entry["doc"],
            options=tuple(
                OptionInfo(**{**option, "choices": tuple(option["choices"])}) for option in entry["options"]
            ),
            positional=entry["positional"],
            stands_for=entry["stands_for"],
            by_game=entry["by_game"],
        )
        for entry in entries
    ]
