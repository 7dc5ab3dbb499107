"""Rows of scores: all numbers of one score, and what each of them is called and looks like in a table.

The command line's tables and JSON, the app, notebooks and reports show a score by its `ScoreRow`, so that a
number has one name and one text everywhere. `Score.row` makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["ScoreRow", "SideRow", "headers", "percent"]


def percent(rate: float) -> str:
    """A rate in percent with one digit, without the sign."""
    return f"{100 * rate:.1f}"


@dataclass(frozen=True, slots=True)
class SideRow:
    """The numbers of some games, counted for player *a*."""

    games: int
    wins: int
    draws: int
    losses: int
    rate: float | None
    """Points per game; None without a game."""
    low: float
    """Where the 95 % interval of the rate begins,"""
    high: float
    """and where it ends."""

    def texts(self, *columns: str) -> list[str]:
        """What stands in these columns."""
        return [_COLUMNS[name].text(self) for name in columns]


@dataclass(frozen=True, slots=True)
class ScoreRow(SideRow):
    """All numbers of a score."""

    elo: float
    elo_low: float
    elo_high: float
    normalised_elo: float
    normalised_elo_error: float
    superiority: float
    """The probability that *a* is the stronger."""
    first: SideRow | None
    """The games in which *a* had the first side; None where sides are not known."""
    second: SideRow | None
    pairs: Mapping[str, int]
    """How many pairs of games ended in each of the six ways, as `ww` where *a* won both."""

    def plain(self) -> dict[str, Any]:
        """The numbers by their names, as `--json` tells them."""
        return asdict(self)

    @property
    def words(self) -> str:
        """The rate, its interval, and the games."""
        if self.rate is None:
            return "no game yet"
        return f"{percent(self.rate)} % ({percent(self.low)}–{percent(self.high)}) in {self.games:,} games"

    def _repr_html_(self) -> str:
        if self.rate is None:
            return "<p>no games yet</p>"
        names = ("games", "wins", "draws", "losses", "rate", "interval", "elo")
        place = f"margin-left:{200 * self.low:.0f}px;width:{max(200 * (self.high - self.low), 1):.0f}px"
        bar = f'<div style="{place};height:0.6em;background:#c2410c"></div>'
        cells = [*self.texts(*names), f'<div style="width:200px;border:1px solid #a08a5c">{bar}</div>']
        head = "".join(f"<th>{header}</th>" for header in [*headers(names), "0 to 100 %"])
        return f"<table><tr>{head}</tr><tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr></table>"


@dataclass(frozen=True, slots=True)
class _Column:
    header: str
    text: Callable[[Any], str]
    """Of a row; those about one side are of a `SideRow`, too."""


def _rate(row: SideRow | None) -> str:
    return "-" if row is None or row.rate is None else f"{percent(row.rate)} %"


def _interval(row: SideRow) -> str:
    return "-" if row.rate is None else f"[{percent(row.low)}, {percent(row.high)}]"


_COLUMNS: Mapping[str, _Column] = {
    "games": _Column("games", lambda row: str(row.games)),
    "wins": _Column("wins", lambda row: str(row.wins)),
    "draws": _Column("draws", lambda row: str(row.draws)),
    "losses": _Column("losses", lambda row: str(row.losses)),
    "result": _Column("won-drawn-lost", lambda row: f"{row.wins}-{row.draws}-{row.losses}"),
    "rate": _Column("rate", _rate),
    "interval": _Column("95 % interval", _interval),
    "elo": _Column("Elo", lambda row: f"{row.elo:+.0f} [{row.elo_low:+.0f}, {row.elo_high:+.0f}]"),
    "normalised_elo": _Column(
        "normalised Elo", lambda row: f"{row.normalised_elo:+.0f} ± {row.normalised_elo_error:.0f}"
    ),
    "superiority": _Column("LOS", lambda row: f"{percent(row.superiority)} %"),
    "first": _Column("as first", lambda row: _rate(row.first)),
    "second": _Column("as second", lambda row: _rate(row.second)),
}


def headers(columns: Iterable[str]) -> list[str]:
    """What columns of a table of scores are called."""
    return [_COLUMNS[name].header for name in columns]
