"""The numbers that papers print: of one row, and the tables as they were transcribed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

__all__ = ["Published", "PublishedTable", "load_traps", "paper_table", "percent", "rate"]


@dataclass(frozen=True, slots=True)
class Published:
    """What a paper prints for one row."""

    value: float | None = None
    """A rate in 0..1 or another number; None where the paper has none or it is lost."""
    games: int | None = None
    """The number of games or runs behind it; None if unknown, and then the number counts as exact."""
    rounding: float = 0.0
    """Half a unit of the last printed digit."""
    error: float | None = None
    """The printed half-width of a 95 % interval, for numbers that are not rates."""
    text: str = ""
    """What the text claims where no number is printed."""
    first: float | None = None
    """What is printed for the games in which player *a* had the first side; `flags` say what it is."""
    second: float | None = None
    """The same for the second side."""
    flags: tuple[str, ...] = ()
    """Why the number is doubtful."""


def percent(value: float | None, games: int | None = None, *, digits: int = 2, **more: Any) -> Published:
    """A published win rate in percent, printed with so many digits after the point."""
    known = None if value is None else round(value / 100, 6)
    return Published(known, games, 0.5 * 10 ** (-digits - 2), **more)


def rate(value: float | None, games: int | None = None, *, digits: int = 2, **more: Any) -> Published:
    """A published win rate in 0..1, printed with so many digits after the point."""
    return Published(value, games, 0.5 * 10**-digits, **more)


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of a paper as it was transcribed."""

    paper: str
    table: str
    caption: str
    settings: Mapping[str, Any]
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    flags: tuple[str, ...] = ()


def paper_table(paper: str, table: str) -> PublishedTable:
    """The published table: `paper` is the beginning of the paper's name, `table` e.g. `Table 1`."""
    entries: Sequence[Mapping[str, Any]] = _data("paper_tables.json")["tables"]
    for entry in entries:
        if entry["paper"].startswith(paper) and entry["table"] == table:
            return PublishedTable(
                *(entry["paper"], entry["table"], entry["caption"], entry["settings"]),
                columns=tuple(entry["columns"]),
                rows=tuple(entry["rows"]),
                flags=(*entry.get("flags", ()), *([entry["note"]] if "note" in entry else ())),
            )
    known = ", ".join(f"{entry['paper'].split(' (')[0]} {entry['table']}" for entry in entries)
    raise ValueError(f"there is no published '{paper}' '{table}': {known}")


def load_traps() -> list[dict[str, Any]]:
    """Positions with exactly one winning move, found by a solver; they stand in for a lost figure."""
    return list(_data("traps.json")["positions"])


def _data(name: str) -> dict[str, Any]:
    text = (resources.files("coppice") / "data" / name).read_text(encoding="utf-8")
    return dict(json.loads(text))
