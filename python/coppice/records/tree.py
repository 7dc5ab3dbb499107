"""A game with its variations as a tree of turns, for files and the app: it keeps moves and no states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from coppice.records.sgf_syntax import walk

__all__ = ["RESIGN", "ROOT", "Estimate", "GameTree", "Turn"]

RESIGN = "resign"
"""The name of the last turn of a game that was given up: it ends its line and is no move of the game."""
ROOT = 0
"""The number of the turn with which every tree begins."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a search thought of one move."""

    move: str
    visits: int
    value: float
    """The expected score of the side to move, from 0 to 1."""


@dataclass(slots=True)
class Turn:
    """One turn of a game: the root, or what led on from another turn."""

    move: str = ""
    """The name of the move, `RESIGN`, or nothing at the root and at a turn that only comments."""
    comment: str = ""
    analysis: list[Estimate] = field(default_factory=list)
    """What the side to move after this turn considered."""
    properties: dict[str, list[str]] = field(default_factory=dict)
    """Everything else that a file says here, as SGF properties."""
    parent: int | None = field(default=None, compare=False)
    """The number of the turn before; None at the root."""
    children: list[int] = field(default_factory=list, compare=False)
    """The numbers of the turns that may follow: the first is the main line, the others are variations."""


class GameTree:
    """The turns of a game by their numbers, which never change: the root is 0, a new turn gets the next one.

    Two trees are equal if they hold the same turns in the same places, whatever the numbers.
    """

    def __init__(self) -> None:
        self._turns = [Turn()]

    def take(self, turns: Sequence[Turn]) -> None:
        """Holds these turns instead, in the order of their numbers; a ValueError if they are no tree."""
        before, self._turns = self._turns, list(turns)
        if not self._is_linked():
            self._turns = before
            raise ValueError(f"these {len(turns)} turns are no tree: each but the first follows one other")

    def _is_linked(self) -> bool:
        """Whether every turn but the root is the child of one other, and is reached from the root."""
        numbers = range(len(self._turns))
        reached: set[int] = set()
        waiting = [ROOT]
        while waiting:
            number = waiting.pop()
            if number in reached or number not in numbers:
                return False
            reached.add(number)
            children = self._turns[number].children
            if any(child in numbers and self._turns[child].parent != number for child in children):
                return False
            waiting += children
        return len(reached) == len(numbers) and self.root.parent is None

    def __len__(self) -> int:
        return len(self._turns)

    def __getitem__(self, number: int) -> Turn:
        return self._turns[number]

    @property
    def root(self) -> Turn:
        """The turn before the first move."""
        return self._turns[ROOT]

    @property
    def turns(self) -> Sequence[Turn]:
        """All turns in the order of their numbers."""
        return tuple(self._turns)

    # Growing

    def append(self, parent: int, turn: Turn) -> int:
        """A new turn after another one, as its last variation; returns its number."""
        turn.parent = parent
        self._turns.append(turn)
        number = len(self._turns) - 1
        self._turns[parent].children.append(number)
        return number

    def add(self, parent: int, move: str) -> int:
        """The turn after another one with this move: the one that is there, or a new one."""
        for child in self._turns[parent].children:
            if self._turns[child].move == move:
                return child
        return self.append(parent, Turn(move))

    def add_line(self, parent: int, moves: Iterable[str]) -> int:
        """The turn at the end of a line of moves; what is not there is added."""
        for move in moves:
            parent = self.add(parent, move)
        return parent

    def promote(self, number: int) -> None:
        """Makes a turn the main line where it stands."""
        parent = self._turns[number].parent
        if parent is not None:
            siblings = self._turns[parent].children
            siblings.remove(number)
            siblings.insert(0, number)

    # Looking

    def path(self, number: int) -> list[int]:
        """The turns from the root to this one, both included."""
        path = [number]
        while (parent := self._turns[path[-1]].parent) is not None:
            path.append(parent)
        return path[::-1]

    def line_from(self, number: int) -> list[int]:
        """The turns after this one along the first children, to the end."""
        line: list[int] = []
        children = self._turns[number].children
        while children:
            line.append(children[0])
            children = self._turns[children[0]].children
        return line

    def line_through(self, number: int) -> list[int]:
        """The path to a turn and on along the first children to an end."""
        return self.path(number) + self.line_from(number)

    def moves(self, number: int) -> list[str]:
        """The moves that lead to a turn, its own included."""
        return [move for turn in self.path(number) if (move := self._turns[turn].move) not in ("", RESIGN)]

    def walk(self) -> Iterator[tuple[int, int]]:
        """All turns with their depths, each before its children, the main line first."""
        return walk(ROOT, lambda number: self._turns[number].children)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GameTree):
            return NotImplemented
        return len(self) == len(other) and all(
            (depth, self[number]) == (theirs, other[their])
            for (depth, number), (theirs, their) in zip(self.walk(), other.walk(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<GameTree of {len(self)} turns: {' '.join(self.moves(self.line_through(ROOT)[-1]))}>"
