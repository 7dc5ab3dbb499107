"""Scores, intervals, Elo, sequential tests, ratings and corrections for many tests: from games to a claim.

Everything here is a pure function of immutable values. What a match needs is in the standard library; ratings
take a matrix from numpy, and tests for which no formula is short take theirs from scipy. A `Score` counts
the games of one match from the point of view of player *a* and adds with `+`; intervals, Elo and tests are
read from it. Points are 1 for a win, 1/2 for a draw and 0 for a loss; a *rate* is points per game.

The interval
------------
`Score.interval()` is Wilson's score interval (Wilson 1927) with the number of games replaced by the
*effective* number of games n / D. D is the design effect (Kish 1965): the variance of the points actually
seen, taken over pairs where games come in pairs, divided by the variance p(1 - p) that wins and losses alone
would have. Without draws and pairs D = 1 and the interval is Wilson's own. Draws make D smaller than 1; an
opening that favours one side makes the games of a pair disagree, D small and the interval short, which is why
pairs are played at all. D is estimated from few games when the rate is near 0 or 1, so z^2 games (pairs) of
ordinary variance are mixed into it, the same number that Wilson's interval mixes into the rate. The interval
therefore keeps a positive width when every game is won, when every game is drawn, and when every pair is
shared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import NormalDist
from typing import Any, Literal

from coppice.core import distribution
from coppice.lab.score_row import ScoreRow, SideRow

__all__ = [
    "ChiSquared",
    "Elo",
    "Interval",
    "Model",
    "Pairs",
    "Rating",
    "Score",
    "Sprt",
    "Tally",
    "Verdict",
    "bradley_terry",
    "chi_squared",
    "elo_of_rate",
    "holm",
    "rate_of_elo",
    "special",
]

_NORMAL = NormalDist()
_NORMALISED_ELO = 800 / math.log(10)
"""Normalised Elo per standard deviation of one game (Van den Bergh, "Normalized Elo", 2020)."""


def _quantile(level: float) -> float:
    """The two-sided normal quantile of a confidence level: 1.96 for 0.95."""
    if not 0 < level < 1:
        raise ValueError(f"the confidence level is {level}: it must lie between 0 and 1")
    return _NORMAL.inv_cdf((1 + level) / 2)


def rate_of_elo(elo: float) -> float:
    """The expected points per game of a player who is `elo` stronger, by the logistic curve."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_rate(rate: float) -> float:
    """The Elo difference of a rate strictly between 0 and 1: the inverse of `rate_of_elo`."""
    if not 0 < rate < 1:
        raise ValueError(f"a rate of {rate} has no finite Elo: it must lie strictly between 0 and 1")
    return 400 * math.log10(rate / (1 - rate))


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval: the ends, both inside."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class Elo:
    """An Elo difference with its 95 % error bar."""

    value: float
    low: float
    high: float
    clipped: bool = False
    """True when a rate at (or past) 0 or 1 was moved half a game inside to keep a number finite."""

    @property
    def error(self) -> float:
        """Half the length of the error bar: the figure behind the plus-minus sign."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class Pairs:
    """How many complete pairs ended in each of the six ways, from the point of view of player *a*."""

    ll: int = 0
    """Both games lost."""
    ld: int = 0
    """One lost, one drawn."""
    wl: int = 0
    """One won, one lost."""
    dd: int = 0
    """Both drawn."""
    wd: int = 0
    """One won, one drawn."""
    ww: int = 0
    """Both won."""

    def __post_init__(self) -> None:
        if min(self.ll, self.ld, self.wl, self.dd, self.wd, self.ww) < 0:
            raise ValueError(f"a number of pairs cannot be negative: {self}")

    def __add__(self, other: Pairs) -> Pairs:
        return Pairs(
            self.ll + other.ll, self.ld + other.ld, self.wl + other.wl,
            self.dd + other.dd, self.wd + other.wd, self.ww + other.ww,
        )  # fmt: skip

    @property
    def count(self) -> int:
        """The number of pairs."""
        return self.ll + self.ld + self.wl + self.dd + self.wd + self.ww

    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Pairs by their points: 0, 1/2, 1, 3/2 and 2."""
        return (self.ll, self.ld, self.wl + self.dd, self.wd, self.ww)

    @property
    def wins(self) -> int:
        """The games won in these pairs."""
        return self.wl + self.wd + 2 * self.ww

    @property
    def draws(self) -> int:
        """The games drawn in these pairs."""
        return self.ld + self.wd + 2 * self.dd

    @property
    def losses(self) -> int:
        """The games lost in these pairs."""
        return self.wl + self.ld + 2 * self.ll


_PAIR_NAMES: Mapping[tuple[float, float], str] = {
    (0.0, 0.0): "ll", (0.0, 0.5): "ld", (0.0, 1.0): "wl",
    (0.5, 0.5): "dd", (0.5, 1.0): "wd", (1.0, 1.0): "ww",
}  # fmt: skip


_Counts = tuple[int, int, int]
"""Wins, draws and losses."""


def _sum(one: _Counts, two: _Counts) -> _Counts:
    return one[0] + two[0], one[1] + two[1], one[2] + two[2]


@dataclass(frozen=True, slots=True)
class Score:
    """The games of a match, counted for player *a*; scores of disjoint sets of games add with `+`.

    `wins`, `draws` and `losses` count all games; `pairs` says how the complete pairs among them ended. Games
    outside a pair count as single games. When two scores are added, a pair whose games lie in different
    scores stays two single games: build the score from all records (`Score.of`) where pairs matter.

    `first` and `second` are the scores of the games in which *a* had that side, where that is known.
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: Pairs = field(default_factory=Pairs)
    by_side: tuple[_Counts, _Counts] | None = field(default=None, compare=False)
    """Wins, draws and losses with the first side and with the second; None where it is not known.

    Scores of the same games are equal whether or not somebody knows the sides.
    """

    def __post_init__(self) -> None:
        if self.by_side is not None:
            counts = (self.wins, self.draws, self.losses)
            if _sum(*self.by_side) != counts or min(map(min, self.by_side)) < 0:
                raise ValueError(f"the games of both sides are not those of the score: {self}")
        if min(self.wins, self.draws, self.losses) < 0:
            raise ValueError(f"a number of games cannot be negative: {self}")
        if min(self._single) < 0:
            raise ValueError(f"the pairs hold more games than the score: {self}")

    @classmethod
    def of(cls, games: Iterable[tuple[int, float]]) -> Score:
        """The score of games given as (index, points of *a*); games 2k and 2k + 1 are a pair.

        In game 2k player *a* has the first side, in game 2k + 1 the second.
        """
        tally = Tally()
        for index, points in games:
            tally.add(index, points)
        return tally.score

    @classmethod
    def of_pairs(cls, pairs: Pairs) -> Score:
        """The score of a match that consists of complete pairs only."""
        return cls(pairs.wins, pairs.draws, pairs.losses, pairs)

    @classmethod
    def of_counts(
        cls, games: Mapping[tuple[int, float], int], pairs: Mapping[tuple[float, float], int]
    ) -> Score:
        """The score of games that somebody has counted already.

        `games` says how often games of even (0) and odd (1) index gave so many points, `pairs` how often the
        two games of a complete pair did.
        """
        tally = Tally()
        tally.count(games, pairs)
        return tally.score

    def __add__(self, other: Score) -> Score:
        return Score(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.pairs + other.pairs,
            self._sides_with(other),
        )

    def _sides_with(self, other: Score) -> tuple[_Counts, _Counts] | None:
        """The sides of both scores together; a score without games hides nothing."""
        if not other.games:
            return self.by_side
        if not self.games:
            return other.by_side
        if self.by_side is None or other.by_side is None:
            return None
        return _sum(self.by_side[0], other.by_side[0]), _sum(self.by_side[1], other.by_side[1])

    def __invert__(self) -> Score:
        """The same games from the other player's point of view."""
        p = self.pairs
        pairs = Pairs(p.ww, p.wd, p.wl, p.dd, p.ld, p.ll)
        # Where a has the first side, the other player has the second.
        sides = None if self.by_side is None else (self.by_side[1][::-1], self.by_side[0][::-1])
        return Score(self.losses, self.draws, self.wins, pairs, sides)

    @property
    def first(self) -> Score | None:
        """The games in which *a* had the first side; None where sides are not known."""
        return None if self.by_side is None else Score(*self.by_side[0])

    @property
    def second(self) -> Score | None:
        """The games in which *a* had the second side; None where sides are not known."""
        return None if self.by_side is None else Score(*self.by_side[1])

    def of_first_side(self) -> Score | None:
        """The same games counted for the first side, whoever had it; None where sides are not known.

        Its `first` and `second` are still the games in which *a* had that side.
        """
        if self.by_side is None:
            return None
        mine, theirs = self.by_side[0], self.by_side[1][::-1]
        return Score(*_sum(mine, theirs), by_side=(mine, theirs))

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The points of player *a*."""
        return self.wins + self.draws / 2

    @property
    def rate(self) -> float:
        """Points per game; 1/2 before the first game, when nothing is known."""
        return self.points / self.games if self.games else 0.5

    def row(self) -> ScoreRow:
        """All its numbers in one row, as tables show them."""
        interval, elo, normalised = self.interval(), self.elo(), self.normalised_elo()
        return ScoreRow(
            *(self.games, self.wins, self.draws, self.losses),
            *(self.rate if self.games else None, interval.low, interval.high),
            *(elo.value, elo.low, elo.high, normalised.value, normalised.error, self.superiority()),
            first=None if self.first is None else self.first._side_row(),
            second=None if self.second is None else self.second._side_row(),
            pairs=asdict(self.pairs),
        )

    def _side_row(self) -> SideRow:
        interval = self.interval()
        rate = self.rate if self.games else None
        return SideRow(self.games, self.wins, self.draws, self.losses, rate, interval.low, interval.high)

    def _repr_html_(self) -> str:
        return self.row()._repr_html_()

    @property
    def _single(self) -> tuple[int, int, int]:
        """Wins, draws and losses outside complete pairs."""
        return self.wins - self.pairs.wins, self.draws - self.pairs.draws, self.losses - self.pairs.losses

    @property
    def variance(self) -> float:
        """The variance of one game's points as seen, such that `variance / games` is that of the rate.

        Where there are pairs it is taken over pairs: twice the variance of the mean of a pair.
        """
        if not self.games:
            return 0.0
        wins, draws, losses = self._single
        rate = self.rate
        total = wins * (1 - rate) ** 2 + draws * (0.5 - rate) ** 2 + losses * rate**2
        for number, points in zip(self.pairs.pentanomial, (0, 0.5, 1, 1.5, 2), strict=True):
            total += number * (points - 2 * rate) ** 2
        return total / self.games

    def design_effect(self, level: float = 0.95) -> float:
        """Variance seen over that of wins and losses alone, steadied by z^2 ordinary games or pairs."""
        return self._design_effect(_quantile(level) ** 2)

    def _design_effect(self, weight: float) -> float:
        """The same, steadied by so many ordinary games or pairs."""
        plain = self.rate * (1 - self.rate)
        if not self.games or plain <= 0:
            return 1.0
        units = self.games - self.pairs.count
        return (units * self.variance / plain + weight) / (units + weight)

    def interval(self, level: float = 0.95) -> Interval:
        """Wilson's interval for the rate with the effective number of games (see the top of this file)."""
        return self.interval_of(_quantile(level))

    def interval_of(self, z: float) -> Interval:
        """The same by its quantile: 1.96 for 95 %; a test that looks several times has a larger one."""
        if not self.games:
            return Interval(0.0, 1.0)
        games = self.games / self._design_effect(z * z)
        rate = self.rate
        centre = (rate + z * z / (2 * games)) / (1 + z * z / games)
        reach = z / (1 + z * z / games) * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games))
        # At a rate of 0 and 1 the end is exact; rounding must not push the truth out.
        low = 0.0 if rate == 0 else max(0.0, centre - reach)
        high = 1.0 if rate == 1 else min(1.0, centre + reach)
        return Interval(low, high)

    @property
    def _steady_variance(self) -> float:
        """The variance seen, or a small positive one where none was seen, so that quotients by it are finite.

        None is seen when all games are won or drawn, or all pairs shared: then it is the variance that z^2
        ordinary games at Wilson's centre leave.
        """
        if self.variance > 0 or not self.games:
            return self.variance if self.games else 0.25
        weight = _quantile(0.95) ** 2
        centre = (self.points + weight / 2) / (self.games + weight)
        return self.design_effect() * centre * (1 - centre)

    def elo(self, level: float = 0.95) -> Elo:
        """The Elo difference of *a* over *b*, with the ends of the interval as error bar.

        Every figure is finite: a rate of 0 or 1 is moved half a game inside, to 1/(2n + 2) or its complement,
        and an end at 0 or 1 to the rate at which a single point would still be as unlikely as the level
        allows, (1 - level)/(2n); `clipped` tells.
        """
        if not self.games:
            return Elo(0.0, -math.inf, math.inf)
        interval = self.interval(level)
        inside = 0.5 / (self.games + 1)
        edge = min(inside, (1 - level) / (2 * self.games))
        rate = min(max(self.rate, inside), 1 - inside) if self.rate in (0, 1) else self.rate
        low, high = max(interval.low, edge), min(interval.high, 1 - edge)
        clipped = (rate, low, high) != (self.rate, interval.low, interval.high)
        return Elo(elo_of_rate(rate), elo_of_rate(low), elo_of_rate(high), clipped)

    def normalised_elo(self, level: float = 0.95) -> Elo:
        """The rate's distance from 1/2 in standard deviations of a game, times 800 / ln 10 (Van den Bergh).

        Its error bar does not depend on the result: z (800 / ln 10) / sqrt(games).
        """
        if not self.games:
            return Elo(0.0, -math.inf, math.inf)
        value = (self.rate - 0.5) / math.sqrt(self._steady_variance) * _NORMALISED_ELO
        error = _quantile(level) * _NORMALISED_ELO / math.sqrt(self.games)
        return Elo(value, value - error, value + error, self.variance == 0)

    def superiority(self) -> float:
        """The likelihood of superiority: the probability that *a* is the stronger, by the normal law."""
        if not self.games:
            return 0.5
        return _NORMAL.cdf((self.rate - 0.5) / math.sqrt(self._steady_variance / self.games))


class Tally:
    """A score that grows game by game, in any order of indices; `score` is its value so far."""

    def __init__(self) -> None:
        # By the side of player a: game 2k gives it the first one.
        self._counts = ({0.0: 0, 0.5: 0, 1.0: 0}, {0.0: 0, 0.5: 0, 1.0: 0})
        # By both orders of the two games: sorting them would be half the work for a million games.
        self._pairs = {(one, two): 0 for one in self._counts[0] for two in self._counts[0]}
        self._waiting: dict[int, float] = {}

    def add(self, index: int, points: float) -> None:
        """Count game `index`, which must not have been counted before."""
        try:
            self._counts[index & 1][points] += 1
        except KeyError:
            raise ValueError(f"game {index} has {points} points: a game gives 0, 0.5 or 1") from None
        partner = self._waiting.pop(index ^ 1, None)
        if partner is None:
            self._waiting[index] = points
        else:
            self._pairs[points, partner] += 1

    def count(self, games: Mapping[tuple[int, float], int], pairs: Mapping[tuple[float, float], int]) -> None:
        """Count many games at once; see `Score.of_counts`."""
        for (side, points), number in games.items():
            self._counts[side][points] += number
        for both, number in pairs.items():
            self._pairs[both] += number

    @property
    def score(self) -> Score:
        """The score of the games counted so far."""
        named = dict.fromkeys(_PAIR_NAMES.values(), 0)
        for (one, two), number in self._pairs.items():
            named[_PAIR_NAMES[min(one, two), max(one, two)]] += number
        first, second = ((side[1.0], side[0.5], side[0.0]) for side in self._counts)
        return Score(*_sum(first, second), Pairs(**named), (first, second))


Model = Literal["logistic", "normalised"]
Verdict = Literal["H0", "H1", "continue"]


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of "stronger by `elo0`" against "stronger by `elo1`", to be asked after every pair.

    The statistic is the generalised log-likelihood ratio of the trinomial (wins, draws, losses) or, when the
    score has complete pairs, of the pentanomial distribution: both hypotheses are fitted by maximum
    likelihood under their constraint on the mean (`logistic`) or on the mean in standard deviations
    (`normalised`), as fishtest and fastchess do (Van den Bergh, "Comments on normalized Elo", 2020). A
    category never seen counts as 0.001 so that both fits exist. `alpha` bounds the probability of accepting
    H1 under H0, `beta` that of accepting H0 under H1 (Wald 1945).
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "logistic"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise ValueError(f"elo0 must be smaller than elo1, not {self.elo0} and {self.elo1}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 1:
                raise ValueError(f"{name} is {value}: it must lie between 0 and 1")
        if self.alpha + self.beta >= 1:
            raise ValueError(f"alpha and beta must add up to less than 1, not {self.alpha + self.beta:g}")
        if self.model not in ("logistic", "normalised"):
            raise ValueError(f"unknown model '{self.model}': allowed are logistic, normalised")

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """A test from text such as `elo0=0,elo1=20,alpha=0.05,beta=0.05,model=normalised`."""
        values: dict[str, Any] = {}
        for part in text.split(","):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or name not in cls.__slots__:
                allowed = "elo0=0, elo1=20, alpha=0.05, beta=0.05, model=logistic"
                raise ValueError(f"'{part.strip()}' is no part of a sequential test: {allowed}")
            try:
                values[name] = value if name == "model" else float(value)
            except ValueError:
                raise ValueError(f"{name}={value} is not allowed in a sequential test: a number") from None
        return cls(**values)

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, score: Score) -> float:
        """The log-likelihood ratio of H1 over H0; 0 before the first game.

        With complete pairs, single games are left out: their partners are still being played.
        """
        if score.pairs.count:
            return self._llr(score.pairs.pentanomial, (0, 0.25, 0.5, 0.75, 1), math.sqrt(2))
        if score.games:
            return self._llr((score.losses, score.draws, score.wins), (0, 0.5, 1), 1.0)
        return 0.0

    def _llr(self, counts: Sequence[int], values: Sequence[float], units: float) -> float:
        """The ratio for outcomes of these values; a unit's deviation is `1 / units` of a game's."""
        seen = [count or 1e-3 for count in counts]
        total = sum(seen)
        probabilities = [count / total for count in seen]
        if self.model == "logistic":
            fit0 = _fit_mean(values, probabilities, rate_of_elo(self.elo0))
            fit1 = _fit_mean(values, probabilities, rate_of_elo(self.elo1))
        else:
            fit0 = _fit_t(values, probabilities, self.elo0 / _NORMALISED_ELO * units)
            fit1 = _fit_t(values, probabilities, self.elo1 / _NORMALISED_ELO * units)
        return total * sum(p * math.log(p1 / p0) for p, p0, p1 in zip(probabilities, fit0, fit1, strict=True))

    def verdict(self, score: Score) -> Verdict:
        """Which hypothesis is accepted, if any."""
        llr = self.llr(score)
        low, high = self.bounds
        return "H0" if llr <= low else "H1" if llr >= high else "continue"


def _secular(values: Sequence[float], probabilities: Sequence[float]) -> float:
    """The root x of sum p a / (1 + x a) = 0 with every 1 + x a positive; `values` must have both signs."""
    low, high = -1 / max(values), -1 / min(values)
    # The left-hand side falls from plus to minus infinity between the two poles: bisection cannot miss.
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if sum(p * a / (1 + middle * a) for a, p in zip(values, probabilities, strict=True)) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _fit_mean(values: Sequence[float], probabilities: Sequence[float], mean: float) -> list[float]:
    """The most likely distribution on `values` with this mean, given observed probabilities."""
    shifted = [value - mean for value in values]
    x = _secular(shifted, probabilities)
    return [p / (1 + x * a) for a, p in zip(shifted, probabilities, strict=True)]


def _fit_t(values: Sequence[float], probabilities: Sequence[float], t: float) -> list[float]:
    """The most likely distribution whose mean lies `t` standard deviations above 1/2.

    The constraint is made linear around the last fit and solved again until it stands still.
    """
    fit = [1 / len(values)] * len(values)
    for _ in range(100):
        mean = sum(p * a for a, p in zip(values, fit, strict=True))
        deviation = math.sqrt(sum(p * (a - mean) ** 2 for a, p in zip(values, fit, strict=True)))
        if deviation == 0:
            break
        linear = [a - 0.5 - t * deviation * (1 + ((mean - a) / deviation) ** 2) / 2 for a in values]
        if not min(linear) < 0 < max(linear):
            break
        x = _secular(linear, probabilities)
        last, fit = fit, [p / (1 + x * a) for a, p in zip(linear, probabilities, strict=True)]
        if max(abs(new - old) for new, old in zip(fit, last, strict=True)) < 1e-9:
            break
    return fit


@dataclass(frozen=True, slots=True)
class Rating:
    """One line of a tournament's rating table; Elo 0 is the mean of all players."""

    player: str
    elo: float
    low: float
    high: float
    games: int
    points: float


def bradley_terry(
    results: Mapping[tuple[str, str], Score], *, prior: float = 1.0, level: float = 0.95
) -> list[Rating]:
    """Ratings by the Bradley-Terry model, strongest first, with intervals around the mean of all players.

    `results` maps (a, b) to the score of a against b; a draw counts as half a win for each. Strengths are
    found by the minorise-maximise iteration of Hunter (Annals of Statistics 32, 2004). `prior` drawn games of
    every player against an imagined player of middle strength keep the ratings finite when somebody wins or
    loses everything, and comparable when the games do not connect all players. Intervals come from the
    curvature of the log-likelihood at its top.
    """
    if not (prior > 0 and math.isfinite(prior)):
        raise ValueError(f"prior is {prior}: it must be a positive number of games")
    players = sorted({name for pair in results for name in pair})
    place = {name: at for at, name in enumerate(players)}
    size = len(players)
    points = [0.0] * size
    games = [[0.0] * size for _ in players]
    for (a, b), score in results.items():
        if a == b:
            raise ValueError(f"player '{a}' cannot be rated by games against itself")
        i, j = place[a], place[b]
        points[i] += score.points
        points[j] += score.games - score.points
        games[i][j] += score.games
        games[j][i] += score.games
    strength = [1.0] * size
    for _ in range(100_000):
        change = 0.0
        for i in range(size):
            own = strength[i]
            rivals = sum(n / (own + strength[j]) for j, n in enumerate(games[i]) if n)
            strength[i] = (points[i] + prior / 2) / (rivals + prior / (own + 1))
            change = max(change, abs(math.log(strength[i] / own)))
        if change < 1e-11:
            break
    curvature = [[0.0] * size for _ in players]
    for i in range(size):
        curvature[i][i] += prior * strength[i] / (strength[i] + 1) ** 2
        for j in range(size):
            if i != j and games[i][j]:
                weight = games[i][j] * strength[i] * strength[j] / (strength[i] + strength[j]) ** 2
                curvature[i][i] += weight
                curvature[i][j] -= weight
    # Slow to load, and nothing else here needs it.
    import numpy as np

    covariance = np.linalg.inv(np.array(curvature).reshape(size, size)).tolist()
    rows = [sum(row) / size for row in covariance]
    whole = sum(rows) / size if size else 0.0
    logs = [math.log(value) for value in strength]
    middle = sum(logs) / size if size else 0.0
    unit = 400 / math.log(10)
    table = []
    for name, i in place.items():
        reach = _quantile(level) * unit * math.sqrt(max(0.0, covariance[i][i] - 2 * rows[i] + whole))
        elo = unit * (logs[i] - middle)
        table.append(Rating(name, elo, elo - reach, elo + reach, round(sum(games[i])), points[i]))
    return sorted(table, key=lambda rating: (-rating.elo, rating.player))


def special() -> Any:
    """The special functions of scipy. Only some tests need them: who plays matches can do without."""
    return distribution.optional("scipy.special", "lab", "this test needs scipy")


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values, in the order given, that hold for all rows together (Holm 1979)."""
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    adjusted = [0.0] * len(p_values)
    least = 0.0
    for rank, at in enumerate(order):
        if not 0 <= p_values[at] <= 1:
            raise ValueError(f"{p_values[at]} is not a p-value: it must lie between 0 and 1")
        least = max(least, min(1.0, (len(order) - rank) * p_values[at]))
        adjusted[at] = least
    return adjusted


@dataclass(frozen=True, slots=True)
class ChiSquared:
    """The result of Pearson's test."""

    statistic: float
    freedom: int
    p_value: float


def chi_squared(observed: Sequence[float], expected: Sequence[float]) -> ChiSquared:
    """Pearson's test of observed counts against expected ones (scaled to the same total)."""
    if len(observed) != len(expected) or len(observed) < 2:
        sizes = f"{len(observed)} and {len(expected)}"
        raise ValueError(f"chi-squared needs two equal rows of at least 2 counts, not {sizes}")
    if min(observed) < 0 or min(expected) <= 0:
        raise ValueError("chi-squared needs counts that are not negative and expectations above 0")
    scale = sum(observed) / sum(expected)
    if scale == 0:
        return ChiSquared(0.0, len(observed) - 1, 1.0)
    cells = zip(observed, (scale * mean for mean in expected), strict=True)
    statistic = sum((seen - mean) ** 2 / mean for seen, mean in cells)
    freedom = len(observed) - 1
    return ChiSquared(statistic, freedom, float(special().gammaincc(freedom / 2, statistic / 2)))
