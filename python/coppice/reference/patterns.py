"""Playouts by learnt patterns in plain Python: what stands on the six cells around a move, and its weight."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from coppice.reference.havannah import AROUND, Cell, Havannah
from coppice.reference.tree_search import Here, Move, Playout

__all__ = ["SHIPPED", "Patterns", "pattern"]

SHIPPED = Path(__file__).parent.parent / "data" / "patterns" / "havannah.json"
"""The weights that come with the package."""
_ORDER = ".ox#"
"""Empty, own, the other side's, off the board."""


def pattern(board: Havannah, cell: Cell, own: Collection[Cell], others: Collection[Cell]) -> str:
    """What stands around a cell."""

    def letter(beside: Cell) -> str:
        if beside not in board.cells:
            return "#"
        return "o" if beside in own else "x" if beside in others else "."

    return first_reading("".join(letter((cell[0] + dx, cell[1] + dy)) for dx, dy in AROUND))


@cache
def first_reading(around: str) -> str:
    """Of the twelve ways to read around a cell the one that comes first."""
    readings = (
        "".join(around[(start + step * i) % 6] for i in range(6)) for start in range(6) for step in (1, -1)
    )
    return min(readings, key=lambda reading: [_ORDER.index(kind) for kind in reading])


def nearness(board: Havannah, cell: Cell, last: Cell) -> int:
    """1 beside the last move, 2 in a bridge with it: at distance two, but not in a straight line; else 0."""
    dx, dy = cell[0] - last[0], cell[1] - last[1]
    steps = board.distance(cell, last)
    straight = (dx / 2, dy / 2) in AROUND
    return 1 if steps == 1 else 2 if steps == 2 and not straight else 0


@dataclass
class Patterns(Playout):
    """A move is drawn in proportion to the weight of the pattern around it."""

    board: Havannah
    near: bool = True
    clip: float = 5.0
    weights: str | Path = SHIPPED

    def __post_init__(self) -> None:
        self.known = json.loads(Path(self.weights).read_text(encoding="utf-8"))["patterns"]

    def weight(self, own: Collection[Cell], others: Collection[Cell], last: Cell | None, cell: Cell) -> float:
        """The weight of a move, kept within 1/clip and clip."""
        numbers = self.known[pattern(self.board, cell, own, others)]
        place = 0 if last is None else nearness(self.board, cell, last)
        return float(min(max(numbers[1 + place if self.near else 0], 1 / self.clip), self.clip))

    def options(self, here: Here) -> dict[Move, float]:
        """Every legal move. What was played before the search began is not the last move."""
        cells = [self.board.cell(move) for move in here.position.moves]
        own, others = set(cells[len(cells) % 2 :: 2]), set(cells[1 - len(cells) % 2 :: 2])
        last = self.board.cell(here.moves[-1]) if here.moves else None
        weights = {
            move: self.weight(own, others, last, self.board.cell(move)) for move in here.position.legal_moves
        }
        total = sum(weights.values())
        return {move: weight / total for move, weight in weights.items()}
