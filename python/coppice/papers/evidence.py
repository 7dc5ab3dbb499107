"""Evidence: what was measured for a row, as a score or a mean, and by what."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from coppice.lab.stats import Interval, Score
from coppice.lab.store import Used

__all__ = ["Evidence", "Mean", "mean_of"]


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of numbers with what is needed for its interval."""

    count: int
    mean: float
    deviation: float
    """The standard deviation of one number, as estimated from them; 0 for a single one."""

    def interval(self) -> Interval:
        """The 95 % interval by Student's law; unbounded for a single number."""
        if self.count < 2:
            return Interval(-math.inf, math.inf)
        reach = _student(self.count - 1) * self.deviation / math.sqrt(self.count)
        return Interval(self.mean - reach, self.mean + reach)

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation / math.sqrt(self.count) if self.count > 1 else math.inf


def mean_of(numbers: Iterable[float]) -> Mean | None:
    """The mean of numbers; None of none."""
    listed = list(numbers)
    if not listed:
        return None
    mean = math.fsum(listed) / len(listed)
    if len(listed) == 1:
        return Mean(1, mean, 0.0)
    variance = math.fsum((number - mean) ** 2 for number in listed) / (len(listed) - 1)
    return Mean(len(listed), mean, math.sqrt(variance))


def _student(freedom: int) -> float:
    """The two-sided 95 % quantile of Student's law (exact for 1 and 2, then Abramowitz and Stegun 26.7.5)."""
    if freedom == 1:
        return 12.706204736
    if freedom == 2:
        return 4.302652730
    z = NormalDist().inv_cdf(0.975)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was measured for a row, and by what."""

    count: int
    """How many games or runs it rests on."""
    score: Score | None = None
    """For a row whose number is a rate."""
    mean: Mean | None = None
    """For every other row."""
    curve: tuple[tuple[int, Mean], ...] = ()
    """For a playout row: the mean by ply."""
    cells: tuple[tuple[str, float], ...] = ()
    """For a search row of `kept`: in which share of the runs a cell was kept, by its name."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """The specs, by what differs from the defaults, and the seed."""
    budgets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What times were translated into, by player as declared, and how that was measured."""
    used: tuple[Used, Used] | None = None
    """For a match: what both players used, in the games of which this is kept."""
    command: str = ""
    version: str = ""
    machine: str = ""
    created: str = ""
    at_length: Evidence | None = None
    """The games or runs up to the longest declared length that is complete; a verdict is given of these."""

    @property
    def value(self) -> float | None:
        """Our number."""
        if self.score is not None:
            return self.score.rate if self.score.games else None
        return None if self.mean is None else self.mean.mean

    @property
    def interval(self) -> Interval | None:
        """Its 95 % interval."""
        if self.score is not None:
            return self.score.interval() if self.score.games else None
        return None if self.mean is None else self.mean.interval()
