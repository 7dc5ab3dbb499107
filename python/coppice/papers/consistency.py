"""The test behind *consistent?*: may a published number and ours be the same, and are our games enough?

Rates
-----
`rate_p_value` is an exact unconditional test. Under the hypothesis both numbers estimate one rate r. The
paper's games are taken as independent; ours come in pairs whose two games may depend on each other in any
way. Given r, all that a pair leaves open is how often it is *split* (its two games share the points): a split
share of 2r(1 - r) is independence, a larger one an opening that favours a side, 0 is two games that always
end alike. The outcomes that differ at least as much as those seen, by the score statistic of two proportions,
have a probability that is computed exactly for given r and split share; the p-value is the largest of these
probabilities over all r that the paper's games leave possible and all split shares that ours leave possible.
Each of these limits is exact and fails with probability `DOUBT`, which is added to the p-value (Berger and
Boos, "P values maximized over a confidence set for the nuisance parameter", 1994). With draws the test is an
approximation: a pair counts as split as far as its variance says, and single games count as if they had no
draws, which makes the p-value larger. `docs/measured/consistency.md` shows how often the test is wrong,
and what it finds.

Too few games
-------------
`games_needed` is how many independent games find a difference of 10 points with a power of 0.8 at the level
0.05, when the published rate is taken as fixed and nothing is adjusted (Cohen, "Statistical power analysis",
1988, 6.3). It depends on the published number alone, so that rows with fewer games can be left out of a
family of tests.

Other numbers
-------------
`mean_p_value` is Welch's test of two means, and `runs_needed` the same question for a difference of 10 % of
the published number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from coppice.lab.stats import Score, special

__all__ = ["DIFFERENCE", "DOUBT", "POWER", "games_needed", "mean_p_value", "rate_p_value", "runs_needed"]

DIFFERENCE = 0.1
"""The difference that must be likely to be found: 10 points of a rate, 10 % of another number."""
POWER = 0.8
"""How likely."""
DOUBT = 1e-5
"""The probability with which each limit of a nuisance parameter may fail."""

_RATES = 33
_SPLITS = 9
"""The numbers of rates and of split shares among which the largest probability is looked for."""

Array = npt.NDArray[np.float64]


def rate_p_value(
    score: Score, published: float, *, games: int | None = None, rounding: float = 0.0, stop: float = 1.0
) -> float:
    """The p-value of "the published rate and ours estimate the same rate" (see the top of this file).

    `games` is the number of games behind the published rate (None: it is taken as exact); `rounding` is half
    a unit of its last printed digit: the printed rate may stand for the rate within it that is nearest to
    ours. Whoever only asks whether the p-value is below `stop` is told sooner: from `stop` on the number
    returned is a lower bound. Correct several rows with `stats.holm`.
    """
    if not 0 <= published <= 1:
        raise ValueError(f"the published rate is {published}: it must lie between 0 and 1")
    if games is not None and games < 1:
        raise ValueError(f"the published rate rests on {games} games: at least 1 is needed")
    if rounding < 0:
        raise ValueError(f"rounding is {rounding}: it cannot be negative")
    return _rate_p_value(score, published, games, rounding, stop)


@lru_cache(maxsize=4096)
def _rate_p_value(score: Score, published: float, games: int | None, rounding: float, stop: float) -> float:
    low, high = max(0.0, published - rounding), min(1.0, published + rounding)
    if not score.games or low <= score.rate <= high:
        return 1.0
    nearest = low if score.rate < low else high
    pairs = score.pairs
    _, quarter, half, three, _ = pairs.pentanomial
    # With the rate, the mean of 4 x (1 - x) over the mean points x of a pair gives their variance.
    split = math.floor(half + 0.75 * (quarter + three))
    least = _lower_limit(split, pairs.count)
    doubt = DOUBT * ((pairs.count > 0) + 2 * (games is not None))
    ours = _Ours(score.games, pairs.count, least)
    largest = 0.0
    if games is None:
        far = np.abs(np.arange(score.games + 1) / score.games - nearest)
        rejected = (far >= abs(score.rate - nearest) - 1e-9).astype(np.float64)
        largest = ours.largest(nearest, rejected, stop)
    else:
        theirs = _Theirs(score.games, games, _squared_score(score.rate, score.games, nearest, games))
        ends = (
            _lower_limit(math.floor(games * low + 1e-9), games),
            1 - _lower_limit(games - math.ceil(games * high - 1e-9), games),
        )
        for rate in _from_the_middle(*ends, start=nearest):
            largest = max(largest, ours.largest(rate, theirs.rejected(rate), stop))
            if largest >= stop:
                break
    return min(1.0, largest + doubt)


class _Ours:
    """Our games under the hypothesis: so many in all, so many pairs, at least `least` of these split."""

    def __init__(self, games: int, pairs: int, least: float) -> None:
        self._games, self._pairs, self._least = games, pairs, least
        self._length = 1 << games.bit_length()

    def largest(self, rate: float, rejected: Array, stop: float) -> float:
        """The largest probability of rejection over the possible split shares, 0 if there is none.

        `rejected` is the probability of rejection given how many games we win.
        """
        most = 2 * min(rate, 1 - rate)
        if self._least > most:
            return 0.0
        # The smallest share has the largest variance, and is nearly always the answer.
        found = self._chance(rate, np.array([self._least]), rejected)
        if found >= stop or not self._pairs:
            return found
        return max(found, self._chance(rate, np.linspace(self._least, most, _SPLITS)[1:], rejected))

    def _chance(self, rate: float, shares: Array, rejected: Array) -> float:
        """The largest probability of rejection over these split shares.

        The number of games won is a sum over independent pairs and games: its distribution is read from the
        product of their generating functions.
        """
        unit = _unit_circle(self._length)
        column = shares[:, None]
        won, lost = np.maximum(0, rate - column / 2), np.maximum(0, 1 - rate - column / 2)
        whole = _power(lost + column * unit + won * unit * unit, self._pairs)
        single = self._games - 2 * self._pairs
        if single:
            whole = whole * _power(1 - rate + rate * unit, single)
        chances = np.fft.irfft(whole, self._length)[:, : self._games + 1]
        return float(np.max(np.maximum(chances, 0) @ rejected))


class _Theirs:
    """The paper's games under the hypothesis: for each number of wins of ours, which are too far off."""

    def __init__(self, ours: int, games: int, squared: float) -> None:
        # (x - y)^2 = v m (1 - m), with m the pooled rate, is a quadratic equation in y for each x.
        x = np.arange(ours + 1) / ours
        weight, other = ours / (ours + games), games / (ours + games)
        v = squared * (1 / ours + 1 / games) * (1 - 1e-9)
        a = 1 + v * other * other
        b = -2 * x - v * other + 2 * v * weight * other * x
        c = x * x - v * weight * x + v * weight * weight * x * x
        root = np.sqrt(np.maximum(0, b * b - 4 * a * c))
        below, above = (-b - root) / (2 * a), (-b + root) / (2 * a)
        near = 1e-9 * games
        # Equal rates never differ, whatever rounding says of the roots.
        last = np.minimum(np.floor(games * below + near), np.ceil(games * x - near) - 1)
        first = np.maximum(np.ceil(games * above - near), np.floor(games * x + near) + 1)
        self._last = np.clip(last, -1, games).astype(np.intp)
        self._first = np.clip(first, 0, games + 1).astype(np.intp)
        self._games = games

    def rejected(self, rate: float) -> Array:
        """The probability, given how many games we win, that the paper's number is too far off."""
        chances = _binomial(self._games, rate)
        upto = np.concatenate(([0.0], np.cumsum(chances)))
        upfrom = np.concatenate((np.cumsum(chances[::-1])[::-1], [0.0]))
        found: Array = upto[self._last + 1] + upfrom[self._first]
        return found


@lru_cache(maxsize=16)
def _unit_circle(length: int) -> npt.NDArray[np.complex128]:
    """The points at which a generating function of so many terms is taken: half of them say all."""
    found: npt.NDArray[np.complex128] = np.exp(-2j * np.pi * np.arange(length // 2 + 1) / length)
    return found


def _power(base: npt.NDArray[np.complex128], exponent: int) -> npt.NDArray[np.complex128]:
    """The power by squaring: numpy's own takes a logarithm of every number, which is ten times slower."""
    found = np.ones_like(base)
    while exponent:
        if exponent & 1:
            found = found * base
        base = base * base
        exponent >>= 1
    return found


def _squared_score(one: float, games: int, two: float, others: int) -> float:
    """The square of the score statistic of two proportions that are not equal."""
    pooled = (games * one + others * two) / (games + others)
    return (one - two) ** 2 / (pooled * (1 - pooled) * (1 / games + 1 / others))


def _from_the_middle(low: float, high: float, start: float) -> Iterator[float]:
    """Rates from `low` to `high`, close where rates vary little, those near `start` first."""
    angles = np.linspace(math.asin(math.sqrt(low)), math.asin(math.sqrt(high)), _RATES)
    rates = [start, *(float(rate) for rate in np.sin(angles) ** 2)]
    return iter(sorted(rates, key=lambda rate: abs(rate - start)))


@lru_cache(maxsize=64)
def _log_choices(games: int) -> Array:
    """The logarithms of the binomial coefficients."""
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, games + 1)))))
    found: Array = logs[-1] - logs - logs[::-1]
    return found


def _binomial(games: int, rate: float) -> Array:
    """The probabilities of 0, 1, ... wins in independent games."""
    wins = np.arange(games + 1)
    if rate <= 0 or rate >= 1:
        sure: Array = (wins == (games if rate >= 1 else 0)).astype(np.float64)
        return sure
    found: Array = np.exp(_log_choices(games) + wins * math.log(rate) + wins[::-1] * math.log1p(-rate))
    return found


@lru_cache(maxsize=4096)
def _lower_limit(wins: int, games: int) -> float:
    """The rate below which so many wins have a probability of at most `DOUBT` (Clopper and Pearson 1934)."""
    if wins <= 0:
        return 0.0
    return float(special().betaincinv(wins, games - wins + 1, DOUBT))


def games_needed(published: float) -> int:
    """How many games of ours a comparison with a published rate needs (see the top of this file)."""
    angles = [
        2 * abs(math.asin(math.sqrt(other)) - math.asin(math.sqrt(published)))
        for other in (published - DIFFERENCE, published + DIFFERENCE)
        if 0 <= other <= 1
    ]
    return math.ceil((_reach() / min(angles)) ** 2)


def runs_needed(published: float, deviation: float) -> int:
    """How many runs a comparison with another number needs, by the deviation of one run; at least 2.

    A tenth of nothing is no difference to look for: with a published 0 two runs are enough.
    """
    if published == 0:
        return 2
    return max(2, math.ceil((_reach() * deviation / (DIFFERENCE * abs(published))) ** 2))


def _reach() -> float:
    """The number of standard errors between a hypothesis and what is found with `POWER` at the level 0.05."""
    return NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(POWER)


def mean_p_value(difference: float, error: float, runs: int, other_error: float = 0.0) -> float:
    """The p-value of "two means are equal" by Welch's test; `other_error` is taken as known.

    `error` is the standard error of our mean of so many runs; at least 2 are needed. The degrees of freedom
    are rounded down.
    """
    if runs < 2:
        raise ValueError(f"a mean of {runs} runs cannot be compared: at least 2 are needed")
    whole = math.hypot(error, other_error)
    if whole == 0:
        return 1.0 if difference == 0 else 0.0
    if error == 0:
        return 2 * NormalDist().cdf(-abs(difference) / whole)
    # Beyond so many degrees the law is the normal one to all digits that are shown.
    freedom = math.floor(min((whole / error) ** 4 * (runs - 1), 1e5) + 1e-9)
    return float(2 * special().stdtr(freedom, -abs(difference) / whole))
