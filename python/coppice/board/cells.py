"""What a board is, in words of meaning: cells with names and places, and the pieces that stand on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Board", "Cell", "Piece", "Rim", "Side"]

Side = Literal["first", "second"]


@dataclass(frozen=True)
class Cell:
    """One place of a board, at (x, y) in cell widths, y growing downward."""

    name: str
    x: float
    y: float
    kind: str
    """What it is: `plain`, `dark`, `corner`, `street`, ..."""


@dataclass(frozen=True)
class Rim:
    """A part of the border that belongs to a side: a line along the outer cells, in cell widths."""

    side: Side
    line: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Board:
    """The empty board of a game."""

    shape: str
    """`hex_pointy`, `hex_flat`, `square` or `point`."""
    cells: tuple[Cell, ...]
    rims: tuple[Rim, ...] = ()
    """What of its border belongs to a side."""
    size: int | None = None
    """Cells along a side; None where sides differ."""
    black: Side = "second"
    """Whose pieces are black, where those of both sides are alike but for the colour."""


@dataclass(frozen=True)
class Piece:
    """Something that stands on a board: what it is, whose, and where."""

    kind: str
    """`stone`, `man`, `domino`, `token`, `lamp`, ..."""
    side: Side | None
    cells: tuple[int, ...]
    """The cells that it covers."""
    name: str = ""
    """Which one of its kind it is: a character, a direction."""
    number: int | None = None
    """The number that is written on it."""
    states: tuple[str, ...] = ()
    """What has become of it, in words: `cleared`, `lit`."""

    @property
    def cell(self) -> int:
        """The first of its cells."""
        return self.cells[0]
