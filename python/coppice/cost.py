"""What a run will cost on this machine: measured on a few decisions of each player, never guessed.

A game between two players is taken to have as many moves as a random one. Each player decides a few times
along random games with a small part of its budget; its time grows with the budget in proportion. Where the
store has games of the same match already, their own times are used instead.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from coppice.experiment import MatchRow, PlayoutRow, SearchRow, SpeedRow
from coppice.measure import mean_game_length, some_states
from coppice.runner import Job, option
from coppice.session import Game, Limit, Player, State
from coppice.store import Store

__all__ = ["Costs", "JobCost"]

_TRIAL_SIMULATIONS = 100
_TRIAL_STATES = 5000
_TRIAL_SECONDS = 0.005
_SPEED_RUN_SECONDS = 0.5
"""One timing of a speed row: three states of at least 0.05 s for one or two players, and the way there."""


@dataclass(frozen=True, slots=True)
class JobCost:
    """What is left of a job and how long one of its games or runs takes on one processor."""

    missing: int
    seconds_each: float

    @property
    def seconds(self) -> float:
        """Processor seconds of what is left."""
        return self.missing * self.seconds_each


@dataclass
class Costs:
    """Measures costs, each player of each game once."""

    store: Store
    _decisions: dict[tuple[str, str], float] = field(default_factory=dict)
    _states: dict[str, tuple[float, list[State]]] = field(default_factory=dict)

    def of(self, job: Job) -> JobCost:
        """What a job costs."""
        missing = job.wanted - job.done(self.store)
        if missing <= 0:
            return JobCost(0, 0.0)
        return JobCost(missing, self._each(job))

    def total(self, jobs: Sequence[Job]) -> float:
        """Processor seconds of all that is left."""
        return sum(self.of(job).seconds for job in jobs)

    def _each(self, job: Job) -> float:
        facts, row = job.facts, job.row
        if isinstance(row, SpeedRow):
            return _SPEED_RUN_SECONDS
        if isinstance(row, MatchRow):
            known = self.store.mean_seconds(job.identity)
            if known is not None:
                return known
            length, _ = self._along(facts["game"])
            both = self._decision(facts["game"], facts["a"]) + self._decision(facts["game"], facts["b"])
            return both * length / 2
        one = self._decision(facts["game"], facts["player"], facts.get("position", ""))
        if isinstance(row, PlayoutRow) or (isinstance(row, SearchRow) and row.to_end):
            return one * self._along(facts["game"])[0]
        return one

    def _along(self, game: str) -> tuple[float, list[State]]:
        """The length of a random game, and some states on its way."""
        if game not in self._states:
            length = mean_game_length(game)
            self._states[game] = (length, some_states(game, 0, length))
        return self._states[game]

    def _decision(self, game: str, player: str, position: str = "") -> float:
        """The mean seconds of one decision."""
        key = (f"{game} {position}", player)
        if key not in self._decisions:
            states = [Game(game).state(position)] if position else self._along(game)[1]
            self._decisions[key] = sum(_timed(state, player) for state in states) / len(states)
        return self._decisions[key]


def _timed(state: State, player: str) -> float:
    seconds = option(player, "seconds") or option(player, "cpu_seconds")
    if seconds is not None:
        return float(seconds)
    simulations, states = option(player, "simulations"), option(player, "states")
    limit, times = None, 1.0
    if simulations is not None and int(simulations) > _TRIAL_SIMULATIONS:
        limit, times = Limit(simulations=_TRIAL_SIMULATIONS), int(simulations) / _TRIAL_SIMULATIONS
    elif states is not None and int(states) > _TRIAL_STATES:
        limit, times = Limit(states=_TRIAL_STATES), int(states) / _TRIAL_STATES
    decider = Player(player)
    # The first search of a process pays for its memory; short ones are repeated, since clocks are coarse.
    decider.search(state, Limit(simulations=1))
    begun, repeats, spent = time.process_time(), 0, 0.0
    while spent < _TRIAL_SECONDS and repeats < 50:
        decider.search(state, limit)
        repeats += 1
        spent = time.process_time() - begun
    return spent / repeats * times
