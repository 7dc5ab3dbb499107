"""Domineering written twice in Python: plainly, and with compiled functions. Built in, it is `domineering`.

    coppice check examples/domineering.py:Domineering
    coppice match 'python("examples/domineering.py:Domineering", options="6x6")' 'uct(simulations=200)' random

The first side lays dominoes upright, the second side lays them flat; whoever cannot move has lost.
"""

from __future__ import annotations

import functools
from typing import Any, Literal

import numpy as np

from coppice.extend import Compiled, Game, compile_game


class Domineering(Game[tuple[int, int]]):
    """A state is the covered cells, one bit each, and the side to move: 0 or 1."""

    def __init__(self, size: str = "6x6") -> None:
        rows, _, columns = size.partition("x")
        self.rows, self.columns = int(rows), int(columns)
        if not 1 <= self.rows * self.columns <= 62:
            raise ValueError(f"{size}: a board has from 1 to 62 cells, as 6x6")
        # A move is twice the number of its lower left cell, plus 1 if it lies flat.
        self.slots = 2 * self.rows * self.columns

    def initial_state(self, seed: int) -> tuple[int, int]:
        return 0, 0

    def side_to_move(self, state: tuple[int, int]) -> Literal["first", "second"]:
        return "second" if state[1] else "first"

    def legal_moves(self, state: tuple[int, int]) -> list[int]:
        covered, flat = state
        rows, columns = self.rows - (not flat), self.columns - flat
        step = 1 if flat else self.columns
        found = []
        for row in range(rows):
            for column in range(columns):
                cell = row * self.columns + column
                if not (covered >> cell | covered >> cell + step) & 1:
                    found.append(2 * cell + flat)
        return found

    def play(self, state: tuple[int, int], move: int) -> tuple[int, int]:
        covered, flat = state
        cell, step = move // 2, 1 if flat else self.columns
        return covered | 1 << cell | 1 << cell + step, 1 - flat

    def outcome(self, state: tuple[int, int]) -> Literal["first", "second", "draw"] | None:
        if self.legal_moves(state):
            return None
        return "first" if state[1] else "second"

    # What follows is for people: without it moves are numbers and a position is a tuple.

    def move_name(self, state: tuple[int, int], move: int) -> str:
        cell = move // 2
        other = cell + (1 if move % 2 else self.columns)
        return self._cell_name(cell) + self._cell_name(other)

    def _cell_name(self, cell: int) -> str:
        return "abcdefghijklmnopqrstuvwxyz"[cell % self.columns] + str(cell // self.columns + 1)

    def cells(self) -> list[tuple[str, float, float]]:
        return [
            (self._cell_name(cell), cell % self.columns, self.rows - 1 - cell // self.columns)
            for cell in range(self.rows * self.columns)
        ]

    def pieces(self, state: tuple[int, int]) -> list[tuple[int, None]]:
        return [(cell, None) for cell in range(self.rows * self.columns) if state[0] >> cell & 1]

    def move_cells(self, state: tuple[int, int], move: int) -> list[int]:
        return [move // 2, move // 2 + (1 if move % 2 else self.columns)]


class CompiledDomineering(Domineering):
    """The same with its five functions compiled: the words of a state are the same two numbers."""

    def __init__(self, size: str = "6x6") -> None:
        super().__init__(size)
        self.compiled = _compiled(self.rows, self.columns)


# Multiplied with a single bit, the six highest bits of this number tell which one it is.
DE_BRUIJN = 0x03F79D71B4CB0A89
BIT = np.zeros(64, dtype=np.int64)
for _bit in range(64):
    BIT[DE_BRUIJN << _bit >> 58 & 63] = _bit


@functools.cache
def _compiled(rows: int, columns: int) -> Compiled:
    # The lower left cells of all dominoes that the board has room for, upright and flat.
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    upright = sum(1 << row * columns + column for row, column in cells if row < rows - 1)
    flat = sum(1 << row * columns + column for row, column in cells if column < columns - 1)

    def initial_state(state: Any, seed: int) -> None:
        state[0] = 0
        state[1] = 0

    def side_to_move(state: Any) -> int:
        return state[1]  # type: ignore[no-any-return]

    def legal_moves(state: Any, moves: Any) -> int:
        free = ~(state[0] | state[0] >> 1) & flat if state[1] else ~(state[0] | state[0] >> columns) & upright
        count = 0
        while free:
            lowest = free & -free
            moves[count] = 2 * BIT[((lowest * DE_BRUIJN) >> 58) & 63] + state[1]
            count += 1
            free ^= lowest
        return count

    def play(state: Any, move: int) -> None:
        step = 1 if state[1] else columns
        state[0] |= (1 << (move // 2)) | (1 << (move // 2 + step))
        state[1] = 1 - state[1]

    def outcome(state: Any) -> int:
        if state[1]:
            return 0 if ~(state[0] | (state[0] >> 1)) & flat else 1
        return 0 if ~(state[0] | (state[0] >> columns)) & upright else 2

    return compile_game(
        words=2,
        most_moves=rows * columns,
        initial_state=initial_state,
        side_to_move=side_to_move,
        legal_moves=legal_moves,
        play=play,
        outcome=outcome,
    )
