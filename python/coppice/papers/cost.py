"""What a run of an experiment will cost on this machine: measured on this machine, never guessed.

Where the store has games of the same match already, their own times are used; elsewhere `lab.cost` plays
some.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from coppice.lab.cost import Decide, GameCost, decide
from coppice.lab.store import Store
from coppice.papers.jobs import Job

__all__ = ["Costs", "Decide", "JobCost", "decide", "play"]


@dataclass(frozen=True, slots=True)
class JobCost:
    """What is left of a job and how long one of its games or runs takes on one processor."""

    missing: int
    seconds_each: float

    @property
    def seconds(self) -> float:
        """Processor seconds of what is left."""
        return self.missing * self.seconds_each


def play(job: Job, count: int) -> None:
    """Plays so many games, or makes so many runs, of a job in this thread, and keeps nothing."""
    job.work.make(count)


@dataclass
class Costs:
    """Measures costs, each pair of players of a game once."""

    store: Store
    rough: bool = False
    """Whether a game with a part of the budgets is enough: so many rows are put in order."""
    clock: Callable[[], float] = time.process_time
    decide: Decide = decide
    play: Callable[[Job, int], None] = play
    _known: dict[tuple[str, ...], float] = field(default_factory=dict)
    """The seconds of a game or run, by what it depends on."""
    decisions: dict[tuple[str, str], float] = field(default_factory=dict)
    """The seconds of a decision of a player without a budget, by game and player."""

    def of(self, job: Job) -> JobCost:
        """What a job costs."""
        missing = job.wanted - job.done(self.store)
        if missing <= 0:
            return JobCost(0, 0.0)
        return JobCost(missing, self._each(job, missing))

    def total(self, jobs: Sequence[Job]) -> float:
        """Processor seconds of all that is left."""
        return sum(self.of(job).seconds for job in jobs)

    def _each(self, job: Job, missing: int) -> float:
        known = job.work.mean_seconds(self.store)
        if known is not None:
            return known
        key = (job.row.kind, *(str(job.facts.get(name, "")) for name in job.row.cost_depends_on))
        if key not in self._known:
            self._known[key] = job.row.seconds_each(job.facts, self._measured(job, missing))
        return self._known[key]

    def _measured(self, job: Job, missing: int) -> GameCost:
        """What a row asks about one of its games or runs; see `Estimate`."""
        return GameCost(
            *(job.facts["game"], missing, functools.partial(self.play, job)),
            rough=self.rough,
            clock=self.clock,
            decide=self.decide,
            decisions=self.decisions,
        )
