"""Clocks: how much of a game's time one move may take."""

from __future__ import annotations

import math
from dataclasses import dataclass

from coppice.session import State

__all__ = ["GameClock", "expected_moves", "move_seconds"]

LEAST = 0.010
"""No move is given less, as long as the clock can afford that for all the moves to come."""
MORE = 5
"""Moves beyond those expected for which time is kept: the flag must not fall in a long game."""
_LAG = 0.050
"""Seconds that no plan touches: what passes between the end of a search and the press of the clock."""
_SAMPLE = 16
"""Random games from which the length of the rest of a game is estimated."""


def expected_moves(state: State, *, seed: int = 0) -> int:
    """How many moves the side to move will still make, this one included: half of what random games take."""
    if state.outcome is not None:
        return 0
    rest = state.random_games(_SAMPLE, seed=seed)["length_sum"] / _SAMPLE
    return max(1, math.ceil(rest / 2))


def move_seconds(remaining: float, moves_left: int) -> float:
    """Seconds for one move: remaining / (expected moves left + 5), at least 10 ms, never the whole rest."""
    usable = max(0.0, remaining - min(_LAG, remaining / 2))
    least = min(LEAST, usable / (moves_left + 1))
    return max(least, usable / (moves_left + MORE))


@dataclass
class GameClock:
    """The clock of one side: main time, then periods of `period` seconds for `stones` moves each."""

    main: float
    period: float = 0.0
    stones: int = 0
    """Moves per period; 0: there is none, and the game is lost with the main time."""

    def __post_init__(self) -> None:
        self.remaining = self.main
        """Seconds left of the main time or of the period."""
        self.due = 0
        """Moves to make in the rest of the period; 0 during the main time."""
        if self.main <= 0:
            self._next_period()

    def _next_period(self) -> None:
        if self.stones:
            self.remaining = min(0.0, self.remaining) + self.period
            self.due = self.stones

    def told(self, remaining: float, due: int) -> None:
        """What the other end's clock shows, which is the one that counts."""
        self.remaining, self.due = remaining, due

    def budget(self, moves_left: int) -> float:
        """Seconds for the next move."""
        if self.due:
            remaining = max(0.0, self.remaining)
            return (remaining - min(_LAG, remaining / 2)) / self.due
        plan = move_seconds(max(0.0, self.remaining), moves_left)
        if not self.stones:
            return plan
        # The main time may be used up: what follows is a period, a share of which each move has anyway.
        return max(plan, 0.9 * self.period / self.stones)

    def spend(self, seconds: float) -> None:
        """A move was made in so many seconds."""
        self.remaining -= seconds
        if not self.due and self.remaining < 0:
            self._next_period()
        if self.due:
            self.due -= 1
            if self.due == 0 and self.remaining >= 0:
                self.remaining = 0.0
                self._next_period()

    @property
    def fallen(self) -> bool:
        """Whether the time is over."""
        return self.remaining < 0
