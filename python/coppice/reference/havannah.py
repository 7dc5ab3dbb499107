"""What the Havannah policies know about the board, in plain Python: neighbours, distances, corners, figures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

__all__ = ["Havannah"]

Cell = tuple[int, int]
"""Column and row of the skewed grid, from 0: `a1` is (0, 0)."""

# The six directions in cyclic order.
AROUND = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))


class Havannah:
    """The board of a size, i.e. the number of cells along a side."""

    def __init__(self, size: int) -> None:
        self.size = size
        last = 2 * size - 2
        self.cells = {
            (x, y) for x in range(last + 1) for y in range(last + 1) if abs(x - y) < size
        }
        self.corners = {
            cell for cell in self.cells if sum(1 for _ in self.neighbours(cell)) == 3
        }

    @staticmethod
    def cell(name: str) -> Cell:
        """The cell that is called so."""
        return ord(name[0]) - ord("a"), int(name[1:]) - 1

    @staticmethod
    def name(cell: Cell) -> str:
        """What a cell is called."""
        return f"{chr(ord('a') + cell[0])}{cell[1] + 1}"

    def neighbours(self, cell: Cell) -> Iterator[Cell]:
        """The up to six cells beside a cell."""
        for dx, dy in AROUND:
            if (cell[0] + dx, cell[1] + dy) in self.cells:
                yield cell[0] + dx, cell[1] + dy

    @staticmethod
    def distance(a: Cell, b: Cell) -> int:
        """Steps between two cells."""
        dx, dy = a[0] - b[0], a[1] - b[1]
        return max(abs(dx), abs(dy), abs(dx - dy))

    def side_of(self, cell: Cell) -> int | None:
        """Which of the six sides a cell lies on; corners lie on none."""
        if cell in self.corners:
            return None
        x, y, last = *cell, 2 * self.size - 2
        edges = (x == 0, y == 0, x == last, y == last, x - y == self.size - 1, y - x == self.size - 1)
        return next((number for number, on in enumerate(edges) if on), None)

    def group(self, start: Iterable[Cell], among: Collection[Cell]) -> set[Cell]:
        """All cells of `among` that are connected with one of `start`, which belong to it."""
        found = set(start)
        todo = list(found)
        while todo:
            fresh = [cell for cell in self.neighbours(todo.pop()) if cell in among and cell not in found]
            found.update(fresh)
            todo += fresh
        return found

    def completes(self, stones: set[Cell], cell: Cell) -> bool:
        """Whether one more stone on `cell` completes a ring, a bridge or a fork."""
        chain = self.group([cell], stones)
        if len(chain & self.corners) >= 2:
            return True
        if len({self.side_of(stone) for stone in chain} - {None}) >= 3:
            return True
        # A ring: a cell cut off from the border by the chain, or one whose neighbours all belong to it.
        rest = self.cells - chain
        border = {free for free in rest if sum(1 for _ in self.neighbours(free)) < 6}
        if self.group(border, rest) != rest:
            return True
        return any(len(set(self.neighbours(stone)) & chain) == 6 for stone in chain)

    def completing(self, own: set[Cell], taken: Collection[Cell], near: Cell | None) -> set[Cell]:
        """The free cells that complete a figure: next to the group of the stone `near`, or anywhere."""
        group = own if near is None else self.group([near], own)
        beside = {cell for stone in group for cell in self.neighbours(stone)} - set(taken)
        return {cell for cell in beside if self.completes(own | {cell}, cell)}
