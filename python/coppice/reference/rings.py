"""Rings that must hold stones which stood before the playout (Ewalds 2012), in plain Python."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field

from coppice.reference.havannah import Cell, Havannah
from coppice.reference.tree_search import Here, Move, Playout, Position, other

__all__ = ["Rings", "rings_closed"]


def runs_beside(board: Havannah, own: set[Cell], cell: Cell) -> list[set[Cell]]:
    """The own stones beside a cell: those that lie next to each other around it are one run."""
    left, runs = board.neighbours[cell] & own, []
    while left:
        run = board.group([min(left)], left)
        runs.append(run)
        left = left - run
    return runs


def shortest_chain(
    board: Havannah, start: set[Cell], goal: set[Cell], among: set[Cell], new: set[Cell]
) -> tuple[int, int] | None:
    """The new and the standing stones of the chain from `start` to `goal` with the fewest new stones.

    Of several, one with the fewest stones. None if there is no chain of stones in `among`.
    """
    length = {cell: (1, 0) if cell in new else (0, 1) for cell in among}
    todo = [(length[cell], cell) for cell in start]
    heapq.heapify(todo)
    done: set[Cell] = set()
    while todo:
        so_far, cell = heapq.heappop(todo)
        if cell in goal:
            return so_far
        if cell not in done:
            done.add(cell)
            for step in (board.neighbours[cell] & among) - done:
                more = length[step]
                heapq.heappush(todo, ((so_far[0] + more[0], so_far[1] + more[1]), step))
    return None


def rings_closed(board: Havannah, own: set[Cell], stood: set[Cell], cell: Cell) -> Iterator[int]:
    """How many standing stones the rings hold that a new stone on `cell` closes; `own` includes it.

    A chain of own stones from one run beside the stone to another makes a ring with it. Of all these rings
    the one with the fewest new stones is meant, and of those one with the fewest stones. Besides, each own
    neighbour that has six own neighbours is inside the ring of these six.
    """
    before = own - {cell}
    runs = runs_beside(board, before, cell)
    pairs = [(one, two) for place, one in enumerate(runs) for two in runs[:place]]
    chains = [shortest_chain(board, one, two, before, own - stood) for one, two in pairs]
    found = [chain for chain in chains if chain is not None]
    if found:
        yield min(found)[1]
    for inside in board.neighbours[cell] & own - board.border:
        if board.neighbours[inside] <= own:
            yield len(board.neighbours[inside] & stood)


@dataclass
class Standing:
    """A position of a playout in which a ring must hold `needed` of the stones that stood at its start."""

    board: Havannah
    needed: int
    to_move: str
    stones: dict[str, set[Cell]]
    stood: set[Cell]
    moves: list[Move]
    outcome: str | None = None
    key: int = field(default=0, init=False)

    @property
    def legal_moves(self) -> list[Move]:
        """The free cells, in board order."""
        free = self.board.cells - self.stones["first"] - self.stones["second"]
        return [self.board.name(cell) for cell in sorted(free, key=lambda cell: (cell[1], cell[0]))]

    def play(self, *moves: Move) -> None:
        """Sets stones in turn."""
        for move in moves:
            cell, own = self.board.cell(move), self.stones[self.to_move]
            own.add(cell)
            self.moves.append(move)
            rings = rings_closed(self.board, own, self.stood, cell)
            if self.board.joins_border(self.board.group([cell], own)) or max(rings, default=0) >= self.needed:
                self.outcome = self.to_move
            elif len(self.stones["first"]) + len(self.stones["second"]) == len(self.board.cells):
                self.outcome = "draw"
            self.to_move = other(self.to_move)

    def copy(self) -> Standing:
        """A position of its own."""
        stones = {side: set(cells) for side, cells in self.stones.items()}
        parts = (self.board, self.needed, self.to_move, stones, self.stood, list(self.moves))
        return Standing(*parts, self.outcome)


@dataclass
class Rings(Playout):
    """A ring that holds fewer than `needed` standing stones does not end the playout."""

    board: Havannah
    needed: int = 3

    def enter(self, here: Here) -> None:
        """From here on the position follows the rule."""
        moves = list(here.position.moves)
        cells = [self.board.cell(move) for move in moves]
        stones = {"first": set(cells[0::2]), "second": set(cells[1::2])}
        position: Position = Standing(self.board, self.needed, here.side, stones, set(cells), moves)
        here.position = position
