"""What Havannah policies know about the board, in plain Python: neighbours, distances, corners, figures."""

from __future__ import annotations

from collections.abc import Collection, Iterable

__all__ = ["Havannah"]

Cell = tuple[int, int]
"""Column and row of the skewed grid, from 0: `a1` is (0, 0)."""

# The six directions.
AROUND = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))


class Havannah:
    """The board of a size, i.e. the number of cells along a side."""

    def __init__(self, size: int) -> None:
        self.size = size
        last = 2 * size - 2
        self.cells = {(x, y) for x in range(last + 1) for y in range(last + 1) if abs(x - y) < size}
        self.neighbours = {cell: self._beside(cell) & self.cells for cell in self.cells}
        """The up to six cells beside each cell."""
        self.corners = {cell for cell, beside in self.neighbours.items() if len(beside) == 3}
        self.border = {cell for cell, beside in self.neighbours.items() if len(beside) < 6}
        self.sides = {cell: self._side_of(cell) for cell in self.border - self.corners}
        """Which of the six sides a cell lies on; corners lie on none."""
        self._known: dict[tuple[frozenset[Cell], Cell], bool] = {}
        """What `completes` has said: policies ask for the same stones at every turn of the other side."""

    @staticmethod
    def cell(name: str) -> Cell:
        """The cell that is called so."""
        return ord(name[0]) - ord("a"), int(name[1:]) - 1

    @staticmethod
    def name(cell: Cell) -> str:
        """What a cell is called."""
        return f"{chr(ord('a') + cell[0])}{cell[1] + 1}"

    @staticmethod
    def _beside(cell: Cell) -> set[Cell]:
        return {(cell[0] + dx, cell[1] + dy) for dx, dy in AROUND}

    @staticmethod
    def distance(a: Cell, b: Cell) -> int:
        """Steps between two cells."""
        dx, dy = a[0] - b[0], a[1] - b[1]
        return max(abs(dx), abs(dy), abs(dx - dy))

    def _side_of(self, cell: Cell) -> int:
        x, y, last = *cell, 2 * self.size - 2
        edges = (x == 0, y == 0, x == last, y == last, x - y == self.size - 1, y - x == self.size - 1)
        return edges.index(True)

    def group(self, start: Iterable[Cell], among: set[Cell]) -> set[Cell]:
        """All cells of `among` that are connected with one of `start`, which belong to it."""
        found = set(start)
        todo = list(found)
        while todo:
            fresh = (self.neighbours[todo.pop()] & among) - found
            found |= fresh
            todo += fresh
        return found

    def joins_border(self, chain: set[Cell]) -> bool:
        """Whether connected stones are a bridge or a fork."""
        sides = {self.sides[stone] for stone in chain & self.sides.keys()}
        return len(chain & self.corners) >= 2 or len(sides) >= 3

    def completes(self, stones: set[Cell], cell: Cell) -> bool:
        """Whether the stone on `cell`, the last of these, completes a ring, a bridge or a fork."""
        place = (frozenset(stones), cell)
        if place not in self._known:
            chain = self.group([cell], stones)
            self._known[place] = self.joins_border(chain) or self.has_ring(chain)
        return self._known[place]

    def has_ring(self, chain: set[Cell]) -> bool:
        """Whether connected stones hold a ring, which has six stones or more."""
        if len(chain) < 6:
            return False
        # A ring: a cell cut off from the border by the chain, or one whose neighbours all belong to it.
        rest = self.cells - chain
        if len(self.group(self.border & rest, rest)) < len(rest):
            return True
        return any(self.neighbours[stone] <= chain for stone in chain - self.border)

    def completing(self, own: set[Cell], taken: Collection[Cell], near: Cell | None) -> set[Cell]:
        """The free cells that complete a figure: next to the group of the stone `near`, or anywhere."""
        group = own if near is None else self.group([near], own)
        beside = {cell for stone in group for cell in self.neighbours[stone]} - set(taken)
        return {cell for cell in beside if self.completes(own | {cell}, cell)}
