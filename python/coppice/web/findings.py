"""What searches have found at the turns of a game, and what follows from what they have proven."""

from __future__ import annotations

from dataclasses import dataclass

from coppice.core.session import Report
from coppice.records.positions import Positions

__all__ = ["Finding", "Findings"]


@dataclass
class Finding:
    """What is known of one position."""

    value: float | None = None
    """The first side's expected result here, 0..1, where somebody has searched."""
    best: str = ""
    """The move that this search would play."""
    simulations: int = 0
    proven: bool = False
    """Whether the value is certain: the game has ended, or a search has seen to its end."""


class Findings:
    """The findings of a game, by the numbers of its turns."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self._found: dict[int, Finding] = {}

    def __getitem__(self, node: int) -> Finding:
        """What is known at a turn; where nobody has searched, that nothing is."""
        return self._found.get(node) or Finding()

    def __setitem__(self, node: int, found: Finding) -> None:
        self._found[node] = found

    def note(self, node: int, value: float, best: str, simulations: int) -> None:
        """Keeps what a search found at a turn, if it was not a smaller one and nothing is proven there."""
        known = self[node]
        if simulations >= known.simulations and not known.proven:
            self._found[node] = Finding(value, best, simulations)

    def note_report(self, node: int, report: Report) -> None:
        """Keeps what a report says of a turn; what it has proven is kept for good."""
        if report.value is None:
            return
        value = report.value if report.side == "first" else 1 - report.value
        if report.proof:
            self._prove(node, value, report.best, report.simulations)
        else:
            self.note(node, value, report.best, report.simulations)

    def note_end(self, node: int) -> None:
        """Keeps the result of a game that has ended at a turn."""
        if outcome := self._positions[node].outcome:
            self._prove(node, {"first": 1.0, "second": 0.0, "draw": 0.5}[outcome], "", 1)

    def _prove(self, node: int, value: float, best: str, simulations: int) -> None:
        """Keeps what is certain, and what follows: who has won after its own move had won before it."""
        self._found[node] = Finding(value, best, simulations, proven=True)
        turn = self._positions.tree[node]
        if turn.parent is None or self[turn.parent].proven:
            return
        if value == (1.0 if self._positions.to_move(turn.parent) == "first" else 0.0):
            self._prove(turn.parent, value, turn.move, simulations)
