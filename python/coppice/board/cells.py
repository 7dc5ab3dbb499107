"""What a board is: cells with names, places and shapes, and the pieces that stand on them."""

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


@dataclass(frozen=True)
class Rim:
    """A part of the border that belongs to a side: a line along the outer cells, in cell widths."""

    side: Side
    line: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Board:
    """The empty board of a game: what any front draws."""

    shape: str
    """`hex_pointy`, `hex_flat`, `square` or `point`."""
    cells: tuple[Cell, ...]
    rims: tuple[Rim, ...] = ()
    """What of its border belongs to a side."""
    size: int | None = None
    """Cells along a side; None where sides differ."""


@dataclass(frozen=True)
class Piece:
    """Something that stands on a cell."""

    cell: int
    side: Side | None
    kind: str
