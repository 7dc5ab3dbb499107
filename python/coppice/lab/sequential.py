"""Group-sequential tests: games that are looked at a few times, and end early without more wrong answers.

The looks are declared beforehand. What of the error rate may be spent up to each look is told by a spending
function (Lan and DeMets 1983): `obrien_fleming` spends almost nothing early, `pocock` about the same at each
look. The boundaries that follow are found look by look: between two looks the statistic is a random walk with
normal steps, and the probability to be still inside is integrated over the steps (Armitage, McPherson and
Rowe 1969).

All of it is two-sided: better and worse are looked for alike.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any, Literal, get_args

from coppice.core import distribution
from coppice.lab.stats import Score, special

__all__ = [
    "SPENDINGS",
    "Spending",
    "bounds",
    "distance",
    "drift",
    "effect_of",
    "games_for",
    "sequential_p",
]

Spending = Literal["obrien_fleming", "pocock"]
SPENDINGS: tuple[Spending, ...] = get_args(Spending)

_NORMAL = NormalDist()
_NODES = 96
"""Nodes of the integral between two looks; with twice as many no boundary changes by 1e-7."""
_NEVER = 12.0
"""A boundary that nothing reaches: there is nothing to spend yet. What is not spent is left for later."""
_LEAST = 1e-12
"""No p-value is told smaller than this."""


def _spent(spending: Spending, alpha: float, time: float) -> float:
    """How much of the error rate may be used up at this part of the games."""
    if time >= 1:
        return alpha
    if spending == "pocock":
        return alpha * math.log1p((math.e - 1) * time)
    return 4 * _NORMAL.cdf(_NORMAL.inv_cdf(alpha / 4) / math.sqrt(time))


@functools.lru_cache(maxsize=4096)
def bounds(
    alpha: float, times: tuple[float, ...], spending: Spending = "obrien_fleming"
) -> tuple[float, ...]:
    """How many standard deviations from nothing end the test at each look.

    `times` are the looks as parts of all games, the last of them 1.
    """
    _check(alpha, times, spending)
    if len(times) == 1:
        return (-_NORMAL.inv_cdf(alpha / 2),)
    return _bounds(alpha, times, spending)[0]


def _bounds(
    alpha: float, times: Sequence[float], spending: Spending
) -> tuple[tuple[float, ...], _Walk, float]:
    """The boundaries at these looks, the walk inside them, and what is spent of the error rate."""
    found: list[float] = []
    walk, used = _Walk(), 0.0
    for time in times:
        bound = walk.bound(time, _spent(spending, alpha, time) - used)
        used += walk.outside(time, bound)
        walk.go(time, bound)
        found.append(bound)
    return tuple(found), walk, used


def sequential_p(
    distances: Sequence[float], times: tuple[float, ...], spending: Spending = "obrien_fleming"
) -> float:
    """The smallest error rate with which the test would have ended by the last of these looks.

    It may be read after any look, whatever the reason to stop, and is below a level at most as often as the
    level says (Liu and Anderson 2008). `distances` are those of the looks so far.
    """
    return min(
        (_p_at(at, abs(distance), times, spending) for at, distance in enumerate(distances)), default=1.0
    )


@functools.lru_cache(maxsize=65536)
def _p_at(at: int, distance: float, times: tuple[float, ...], spending: Spending) -> float:
    """The smallest error rate whose boundary at this look lies no farther than `distance`."""
    if len(times) == 1:
        return max(_LEAST, 2 * _NORMAL.cdf(-distance))

    def left(logarithm: float) -> float:
        """What may be spent at this look beyond what lies farther away than the distance."""
        alpha = math.exp(logarithm)
        _, walk, used = _bounds(alpha, times[:at], spending)
        return _spent(spending, alpha, times[at]) - used - walk.outside(times[at], distance)

    low, high = math.log(_LEAST), math.log(1 - 1e-9)
    if left(high) < 0:
        return 1.0
    return _LEAST if left(low) >= 0 else math.exp(_root(left, low, high))


@functools.lru_cache(maxsize=256)
def drift(
    alpha: float, power: float, times: tuple[float, ...], spending: Spending = "obrien_fleming"
) -> float:
    """How far from nothing, in standard deviations of all games, a difference is found with this power."""
    if not 0 < power < 1:
        raise ValueError(f"the power is {power}: it must lie between 0 and 1")
    limits = bounds(alpha, times, spending)
    return _root(lambda drift: _power(drift, limits, times) - power, 0.0, 40.0)


def games_for(drift: float, effect: float) -> float:
    """How many games find an effect that lies `drift` standard deviations of their mean away.

    A game's points have a variance of at most 1/4, and the games of a pair are taken as independent. The
    second term is what an exact test takes more, since signs come in whole numbers (Fleiss 1981).
    """
    return (drift * 0.5 / effect) ** 2 + 2 / effect


def effect_of(drift: float, games: int) -> float:
    """The effect that so many games find: the inverse of `games_for`."""
    square = drift * drift
    return square / (2 * (math.sqrt(4 + square * games) - 2))


def _power(drift: float, limits: tuple[float, ...], times: tuple[float, ...]) -> float:
    """How often a test ends at one of its looks when the truth lies so far away."""
    if len(times) == 1:
        return _NORMAL.cdf(drift - limits[0]) + _NORMAL.cdf(-drift - limits[0])
    walk, found = _Walk(drift), 0.0
    for time, limit in zip(times, limits, strict=True):
        found += walk.outside(time, limit)
        walk.go(time, limit)
    return found


@functools.cache
def _legendre() -> Any:
    """Nodes and weights of the integral from -1 to 1."""
    import numpy as np

    return np.polynomial.legendre.leggauss(_NODES)


class _Walk:
    """The statistic of a test that has not ended yet: where it is with which probability.

    It is kept as distance times the root of the time, which moves in independent normal steps.
    """

    def __init__(self, drift: float = 0.0) -> None:
        # Slow to load, and a match needs neither.
        import numpy as np

        self._np: Any = np
        self._normal: Callable[[Any], Any] = special().ndtr
        self._drift = drift
        self._time = 0.0
        self._places: Any = np.zeros(1)
        self._weights: Any = np.ones(1)

    def outside(self, time: float, bound: float) -> float:
        """How probable it is to be outside the bound at this time, and inside all those before."""
        step, at = math.sqrt(time - self._time), bound * math.sqrt(time)
        middle = self._places + self._drift * (time - self._time)
        tails = self._normal((middle - at) / step) + self._normal((-at - middle) / step)
        return float(self._weights @ tails)

    def bound(self, time: float, allowed: float) -> float:
        """The bound outside of which it is with this probability."""
        if allowed <= 0 or self.outside(time, _NEVER) > allowed:
            return _NEVER
        return _root(lambda bound: math.log(allowed / max(self.outside(time, bound), 1e-300)), 0.0, _NEVER)

    def go(self, time: float, bound: float) -> None:
        """Go on to this time, inside the bound."""
        np = self._np
        step, reach = math.sqrt(time - self._time), bound * math.sqrt(time)
        middle = self._places + self._drift * (time - self._time)
        if self._time == 0.0:
            # From one place only: no farther than its density reaches.
            reach = min(reach, abs(float(middle[0])) + 9 * step)
        nodes, weights = _legendre()
        places = reach * nodes
        density = np.exp(-(((places[:, None] - middle[None, :]) / step) ** 2) / 2) / (
            step * math.sqrt(2 * math.pi)
        )
        self._weights = reach * weights * (density @ self._weights)
        self._places, self._time = places, time


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that is negative at `low` and positive at `high` is 0."""
    optimize = distribution.optional("scipy.optimize", "lab", "a study needs scipy")
    return float(optimize.brentq(function, low, high, xtol=1e-11, rtol=1e-11))


def _check(alpha: float, times: tuple[float, ...], spending: str) -> None:
    if not 0 < alpha < 1:
        raise ValueError(f"the error rate is {alpha}: it must lie between 0 and 1")
    if spending not in SPENDINGS:
        raise ValueError(f"unknown spending '{spending}': allowed are {', '.join(SPENDINGS)}")
    if not times or times[-1] != 1 or times[0] <= 0 or list(times) != sorted(set(times)):
        raise ValueError(f"the looks are {times}: they must rise from above 0 to 1")


def distance(score: Score) -> float:
    """How many standard deviations a score lies from 1/2; negative below it.

    It is the normal quantile of an exact test: how far from 1/2 each pair lies is taken as given, and by
    chance alone each lies above or below it alike (for pairs without draws this is McNemar's exact test). The
    two games of a pair may depend on each other in any way.
    """
    pairs = score.pairs
    won, lost = score.wins - pairs.wins, score.losses - pairs.losses
    lead = 2 * (pairs.ww - pairs.ll) + pairs.wd - pairs.ld + won - lost
    p = _signs(pairs.wd + pairs.ld + won + lost, pairs.ww + pairs.ll, abs(lead))
    return math.copysign(-float(special().ndtri(p / 2)), lead) if lead else 0.0


@functools.lru_cache(maxsize=65536)
def _signs(ones: int, twos: int, lead: int) -> float:
    """How often so many ones and twos with signs by chance add up to at least this lead, or its opposite."""
    import numpy as np

    functions = special()
    heads = np.arange(ones + 1)
    ways = functions.gammaln(ones + 1) - functions.gammaln(heads + 1) - functions.gammaln(ones - heads + 1)
    chances = np.exp(ways - ones * math.log(2))
    # With so many heads among the ones, at least so many are needed among the twos.
    needed = np.ceil((lead - (2 * heads - ones) + 2 * twos) / 4)
    tails = np.where(needed <= 0, 1.0, functions.bdtrc(np.clip(needed - 1, 0, twos), twos, 0.5))
    return float(min(1.0, max(2 * (chances @ np.where(needed > twos, 0.0, tails)), 1e-300)))
