"""What searches and solvers find out about a state, and when they stop, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from coppice.board.cells import Side
from coppice.board.scales import PAINTINGS, Paint, Scale

__all__ = [
    "CellTable",
    "Child",
    "Ending",
    "Limit",
    "MoveStat",
    "PerftCount",
    "Proof",
    "Report",
    "Solution",
    "SolverProgress",
]

Proof = Literal["win", "draw", "loss"]
"""What is certain about a position, for the side to move; about a move, for the side that plays it."""
_CERTAIN: dict[Proof, float] = {"win": 1.0, "draw": 0.5, "loss": 0.0}


@dataclass(frozen=True)
class Limit:
    """When a search stops: at the first bound it reaches."""

    simulations: int | None = None
    """Simulations made."""
    states: int | None = None
    """States visited, in the tree and in playouts."""
    seconds: float | None = None
    """Wall-clock seconds."""
    cpu_seconds: float | None = None
    """CPU seconds of the searching thread."""

    def arguments(self) -> dict[str, Any]:
        """The bounds as the core takes them."""
        return {
            "simulations": self.simulations,
            "states": self.states,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }


class Ending(NamedTuple):
    """What a side did, or what befell it, when the game was won; in misère it has lost by it."""

    side: Side
    did: str
    """`White wins: Black did.`"""
    doing: str
    """`White wins by doing.`"""


@dataclass(frozen=True)
class MoveStat:
    """What a search knows about one move of the root, for the side to move."""

    name: str
    visits: int
    value: float | None
    """Mean result in 0..1; None if the move was never visited."""
    proof: Proof | None = None
    """What is known for certain, for the side to move; None unless the search proves results."""
    amaf_visits: float | None = None
    """How often the move was played anywhere later, where the search counts that."""
    amaf_value: float | None = None
    """The mean result of those simulations."""

    @property
    def expected(self) -> float | None:
        """What the move is worth, in 0..1: what is certain, else the mean result."""
        return _CERTAIN[self.proof] if self.proof else self.value


@dataclass(frozen=True)
class Child:
    """A child of a node of the search tree, for the side that makes the move."""

    name: str
    visits: int
    value: float | None
    """Mean result in 0..1; None if the move was never visited."""
    proof: Proof | None
    """What is known for certain, for the side that makes the move."""
    line: tuple[str, ...]
    """The move and those that the search expects after it."""


@dataclass(frozen=True)
class CellTable:
    """A table of a search or of one of its policies, laid out on the board."""

    name: str
    """`amaf`, `history`, `reply`, ..."""
    side: Side | None
    """Whose moves it is about; None: those of both sides, or of the side to move."""
    scale: Scale
    """What the values are: where they begin, end and have their middle."""
    doc: str
    """What a value says, in words."""
    values: tuple[float | None, ...]
    """By cell; None: nothing is known."""

    @property
    def known(self) -> dict[int, float]:
        """The values by cell, where something is known."""
        return {cell: value for cell, value in enumerate(self.values) if value is not None}

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest value that there may be; of counts, that there is."""
        return PAINTINGS[self.scale].range(self._largest)

    @property
    def legend(self) -> str:
        """What a value says and where it lies, in words."""
        return f"{self.doc} ({PAINTINGS[self.scale].legend(self._largest)})"

    def paint(self, names: Sequence[str]) -> dict[int, Paint]:
        """How the known values are painted on a board of cells with these names."""
        painting, largest = PAINTINGS[self.scale], self._largest
        return {cell: painting.paint(value, largest, names) for cell, value in self.known.items()}

    @property
    def _largest(self) -> float:
        return max(self.known.values(), default=0.0)


@dataclass(frozen=True)
class Report:
    """What a player has found out about a state."""

    best: str
    side: Side
    moves: tuple[MoveStat, ...]
    """Most visited first; empty for players that do not count."""
    line: tuple[str, ...]
    """The best move and the replies that the search expects."""
    simulations: int
    states: int
    seconds: float
    nodes: int
    bytes: int
    full_at: int | None
    """The simulation at which the memory was used up; the tree has not grown since."""
    notes: tuple[str, ...] = ()
    """What a reader of the result should know."""

    @property
    def proof(self) -> Proof | None:
        """What is certain about the state, for the side to move; None unless the search has proven it."""
        proofs = [stat.proof for stat in self.moves]
        if "win" in proofs:
            return "win"
        if not proofs or None in proofs:
            return None
        return "draw" if "draw" in proofs else "loss"

    @property
    def value(self) -> float | None:
        """What the best move is worth to the side to move, in 0..1: what is certain, else its mean result."""
        return next((stat.expected for stat in self.moves if stat.name == self.best), None)

    @classmethod
    def of(cls, entry: dict[str, Any]) -> Report:
        """A report from what the core returns."""
        return cls(
            **{
                **entry,
                "moves": tuple(MoveStat(**move) for move in entry["moves"]),
                "line": tuple(entry["line"]),
                "notes": tuple(entry["notes"]),
            }
        )

    def text(self, most: int = 10) -> str:
        """The report in a few lines: the best moves with visits and value, and the expected line."""
        from coppice.core.search_report import report_text

        return report_text(self, most)

    def _repr_html_(self) -> str:
        from coppice.core.search_report import report_html

        return report_html(self)


class PerftCount(NamedTuple):
    """How many sequences of exactly ``depth`` moves there are, and how those that end the game end it."""

    depth: int
    sequences: int
    terminal: int
    wins_first: int
    wins_second: int
    draws: int


class SolverProgress(NamedTuple):
    """How far the solver has come."""

    nodes: int
    seconds: float
    bytes: int
    known_moves: int
    all_moves: int


@dataclass(frozen=True)
class Solution:
    """What the solver has found out."""

    value: Proof | None
    """The value for the side to move; None if a limit came first."""
    side: Side
    moves: dict[str, Proof | None]
    """The value of every move, in the game's order; a move may stay unknown when the value is settled."""
    nodes: int
    states: int
    seconds: float
    bytes: int

    @property
    def best(self) -> list[str]:
        """The moves that keep the value."""
        return [move for move, value in self.moves.items() if value is not None and value == self.value]
