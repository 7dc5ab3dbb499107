"""Pooling: what a change is worth over several games, from its score in each of them.

`fixed` asks about these very games: the mean of their effects, each weighed by the inverse of its variance.
`random` asks about games of their kind, of which these are a sample: the spread of the effects between games,
tau, is estimated (DerSimonian and Laird 1986), and the interval is that of Hartung and Knapp (2001) with
Student's law, never shorter than without their factor. From two or three games that can hardly say anything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, get_args

from coppice.lab.stats import Interval, Score, special

__all__ = ["POOLINGS", "Pooled", "Pooling", "pool"]

Pooling = Literal["random", "fixed"]
POOLINGS: tuple[Pooling, ...] = get_args(Pooling)
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Pooled:
    """An effect over several games."""

    estimate: float
    interval: Interval
    p: float
    """How likely a difference from 1/2 as large as this is by chance alone."""
    tau: float
    """The standard deviation of the effects between games; 0 for fixed effects."""
    weights: tuple[float, ...]
    """The part of each game in the estimate; they add up to 1."""


def pool(scores: Sequence[Score], method: Pooling, level: float = 0.95) -> Pooled:
    """The effect over games with these scores."""
    if method not in POOLINGS:
        raise ValueError(f"unknown pooling '{method}': allowed are {', '.join(POOLINGS)}")
    if len(scores) < 2:
        raise ValueError(f"cannot pool {len(scores)} scores: at least 2 are needed")
    if any(not score.games for score in scores):
        raise ValueError("a score without games cannot be pooled")
    rates = [score.rate for score in scores]
    variances = [_variance(score) for score in scores]
    tau2 = _between(rates, variances) if method == "random" else 0.0
    raw = [1 / (variance + tau2) for variance in variances]
    whole = math.fsum(raw)
    weights = [weight / whole for weight in raw]
    mean = math.fsum(weight * rate for weight, rate in zip(weights, rates, strict=True))
    error = math.sqrt(1 / whole)
    if method == "fixed":
        quantile = _NORMAL.inv_cdf((1 + level) / 2)
        p = 2 * _NORMAL.cdf(-abs(mean - 0.5) / error)
    else:
        freedom = len(scores) - 1
        spread = math.fsum(w * (rate - mean) ** 2 for w, rate in zip(weights, rates, strict=True)) / freedom
        error = max(error, math.sqrt(spread))
        quantile = float(special().stdtrit(freedom, (1 + level) / 2))
        p = 2 * float(special().stdtr(freedom, -abs(mean - 0.5) / error))
    interval = Interval(max(0.0, mean - quantile * error), min(1.0, mean + quantile * error))
    return Pooled(mean, interval, p, math.sqrt(tau2), tuple(weights))


def _variance(score: Score) -> float:
    """The variance of a rate, from the width of its interval: positive also where every game was won."""
    return (score.interval().width / (2 * _NORMAL.inv_cdf(0.975))) ** 2


def _between(rates: Sequence[float], variances: Sequence[float]) -> float:
    """The variance between games beyond what chance explains, by the method of moments."""
    weights = [1 / variance for variance in variances]
    whole = math.fsum(weights)
    mean = math.fsum(w * rate for w, rate in zip(weights, rates, strict=True)) / whole
    seen = math.fsum(w * (rate - mean) ** 2 for w, rate in zip(weights, rates, strict=True))
    scale = whole - math.fsum(w * w for w in weights) / whole
    return max(0.0, (seen - (len(rates) - 1)) / scale)
