"""Clocks: how much of a game's time one move may take.

The *even* plan gives every move the same share of what is left, for as many moves as random games still
take. The *middle* plan expects a quarter of them, because players end their games sooner than chance does and
searches that stop early leave time over, and gives the same sum in another shape: half the even share at
both ends of the game and 1.4 of it about a third of the way, where moves decide most (after Huang, Coulom and
Lin, "Time management for Monte-Carlo tree search applied to the game of Go", 2010). What a search leaves over
stays on the clock for later moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from coppice.core.session import Game, Player, State
from coppice.core.spec_like import changed

__all__ = ["PLANS", "GameClock", "Plan", "clocked", "expected_moves", "move_seconds", "moves_made"]

Plan = Literal["even", "middle"]
"""How the time of a game is shared out among its moves."""
PLANS: tuple[Plan, ...] = ("even", "middle")

LEAST = 0.010
"""No move is given less, as long as the clock can afford that for all the moves to come."""
MORE = 5
"""Moves beyond those expected for which time is kept: the flag must not fall in a long game."""
_LAG = 0.050
"""Seconds that no plan touches: what passes between the end of a search and the press of the clock."""
_COST = 0.005
"""Seconds of a move that are not search: the same, once for every move."""
_SHORTER = 0.25
"""How long the rest of a game between players is, measured by random games: docs/measured/time.md."""
_SAMPLE = 16
"""Random games from which the length of the rest of a game is estimated."""


def expected_moves(state: State, *, seed: int = 0) -> int:
    """How many moves the side to move will still make, this one included: half of what random games take."""
    if state.outcome is not None:
        return 0
    rest = state.random_games(_SAMPLE, seed=seed)["length_sum"] / _SAMPLE
    return max(1, math.ceil(rest / 2))


def moves_made(state: State) -> int:
    """How many moves the side to move has made, where sides take turns."""
    return len(state.moves) // 2


def clocked(player: Player, game: Game) -> Player:
    """The player as it plays by a clock: it stops when its move cannot be caught, where it can tell."""
    try:
        early = Player(changed(player.spec, {"stop_early": "true"}))
        early.check(game)
    except ValueError:
        # Players without a tree, and those that look for the best score, have no such moment.
        return player
    return early


def _share(phase: float) -> float:
    """The weight of a move at a phase of the game, 0 to 1, in the middle plan: 1 on average."""
    return 0.5 + 6 * phase * (1 - phase) ** 2


def move_seconds(remaining: float, moves_left: int, made: int | None = None) -> float:
    """Seconds for one move: remaining / (expected moves left + 5), at least 10 ms, never the whole rest.

    With `made`, the moves of this side so far, in the shape of the middle plan; without it in even shares.
    """
    # Who expects fewer moves than there may be keeps what each of those will cost beside its search.
    kept = _LAG if made is None else _LAG + _COST * moves_left
    usable = max(0.0, remaining - min(kept, remaining / 2))
    least = min(LEAST, usable / (moves_left + 1))
    if made is None or moves_left < 1:
        return max(least, usable / (moves_left + MORE))
    expected = math.ceil(moves_left * _SHORTER)
    whole = made + expected
    shares = [_share((move + 0.5) / whole) for move in range(whole)]
    # Exactly 1 on average, so that both plans leave the same for a game that is longer than expected.
    unit = sum(shares) / whole
    return max(least, usable * shares[made] / (sum(shares[made:]) + MORE * unit))


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

    def budget(self, moves_left: int, made: int | None = None) -> float:
        """Seconds for the next move; with `made`, the moves so far, by the middle plan."""
        if self.due:
            remaining = max(0.0, self.remaining)
            return (remaining - min(_LAG, remaining / 2)) / self.due
        plan = move_seconds(max(0.0, self.remaining), moves_left, made)
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
