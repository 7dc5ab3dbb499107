"""The positions of a game tree: states are rebuilt from moves, each fact of a position is asked for once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal, TypeVar

from coppice.board.cells import Piece, Side
from coppice.core.endings import ending
from coppice.core.session import State
from coppice.records.tree import RESIGN, ROOT, GameTree

__all__ = ["Position", "Positions"]

_Kept = TypeVar("_Kept")
_KEPT_STATES = 4
"""Of the positions asked for last. A state holds all those before it: the others are played again."""
_KEPT_POSITIONS = 32
"""What is known of a position is small, beside a state."""


@dataclass(frozen=True)
class Position:
    """What there is to know of a position; each fact is asked of its state when it is first wanted."""

    to_move: Side
    outcome: Literal["first", "second", "draw"] | None
    """Who has won, `draw`, or None while the game goes on."""
    _state: Callable[[], State]

    @cached_property
    def cells(self) -> MappingProxyType[str, tuple[int, ...]]:
        """Every legal move with the cells that it touches."""
        moves = self._state().legal_move_cells()
        return MappingProxyType({move: tuple(cells) for move, cells in moves})

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The moves of the side to move; none if the game is over."""
        return tuple(self.cells)

    def move_cells(self, move: str) -> list[int]:
        """The cells that a legal move touches, in whatever way its name is spelt."""
        known = self.cells.get(move)
        return self._state().move_cells(move) if known is None else list(known)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """What stands on the board."""
        return tuple(self._state().pieces())

    @cached_property
    def winning_cells(self) -> tuple[int, ...]:
        """The cells that show why the game was won."""
        return tuple(self._state().winning_cells)

    @cached_property
    def ending(self) -> str:
        """How the game has ended on the board, in words; empty if it has not."""
        return "" if self.outcome is None else ending(self._state())

    @cached_property
    def completing(self) -> MappingProxyType[Side, tuple[str, ...]]:
        """By side: the moves with which it, if it were to move, would win by a figure at once."""
        state = self._state()
        return MappingProxyType(
            {"first": tuple(state.completing("first")), "second": tuple(state.completing("second"))}
        )


class Positions:
    """The positions at the turns of a tree, which may grow; `start` is the one at its root."""

    def __init__(self, tree: GameTree, start: Callable[[], State]) -> None:
        self.tree = tree
        self._start = start
        self._states: dict[int, State] = {}
        self._known: dict[int, Position] = {}
        self._to_move: dict[int, Side] = {}

    def state(self, number: int) -> State:
        """The state at a turn; do not change it."""
        if number in self._states:
            return self._keep(number, self._states.pop(number))
        if number == ROOT:
            return self._keep(number, self._start())
        known = number
        moves: list[str] = []
        while known != ROOT and known not in self._states:
            turn = self.tree[known]
            if turn.move not in ("", RESIGN):
                moves.append(turn.move)
            known = ROOT if turn.parent is None else turn.parent
        return self._keep(number, self.state(known).copy().play(*reversed(moves)))

    def __getitem__(self, number: int) -> Position:
        """What there is to know of the position at a turn."""
        position = self._known.pop(number, None)
        if position is None:
            state = self.state(number)
            position = Position(state.to_move, state.outcome, lambda: self.state(number))
            self._to_move[number] = position.to_move
        return _among_the_last(self._known, _KEPT_POSITIONS, number, position)

    def to_move(self, number: int) -> Side:
        """The side to move at a turn, which is remembered for all."""
        return self._to_move.get(number) or self[number].to_move

    def add(self, number: int, move: str) -> int:
        """The turn after a move: the one that is there, or a new one. An illegal move is a ValueError."""
        state = self.state(number).copy().play(move)
        # By the rules' own name: a move may be spelt in other ways.
        child = self.tree.add(number, state.moves[-1])
        if child not in self._states:
            self._keep(child, state)
        return child

    def _keep(self, number: int, state: State) -> State:
        return _among_the_last(self._states, _KEPT_STATES, number, state)


def _among_the_last(kept: dict[int, _Kept], most: int, number: int, value: _Kept) -> _Kept:
    """Keeps a value as the newest of so many."""
    kept.pop(number, None)
    while len(kept) >= most:
        del kept[next(iter(kept))]
    kept[number] = value
    return value
