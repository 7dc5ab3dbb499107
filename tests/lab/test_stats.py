"""Tests of the statistics: hand-checked and published figures, laws, and coverage on simulated matches."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coppice.lab.stats import (
    ChiSquared,
    Elo,
    Interval,
    Pairs,
    Score,
    Sprt,
    bradley_terry,
    chi_squared,
    elo_of_rate,
    holm,
    rate_of_elo,
)

counts = st.integers(0, 5000)
pair_counts = st.builds(Pairs, *[st.integers(0, 500)] * 6)
scores = st.one_of(
    st.builds(Score, counts, counts, counts),
    st.builds(Score.of_pairs, pair_counts),
    st.builds(
        lambda wins, draws, losses, p: Score(wins, draws, losses) + Score.of_pairs(p),
        counts,
        counts,
        counts,
        pair_counts,
    ),
)


# Scores


def test_score_counts_games_and_pairs() -> None:
    score = Score.of([(0, 1.0), (1, 0.5), (5, 0.0), (4, 1.0), (2, 1.0), (7, 0.5), (6, 0.5)])
    assert score == Score(3, 3, 1, Pairs(wd=1, wl=1, dd=1))
    assert (score.games, score.points, score.rate) == (7, 4.5, 4.5 / 7)


@given(st.lists(st.tuples(st.integers(0, 60), st.sampled_from([0.0, 0.5, 1.0])), unique_by=lambda g: g[0]))
def test_score_does_not_depend_on_the_order_of_games(games: list[tuple[int, float]]) -> None:
    assert Score.of(games) == Score.of(sorted(games)) == Score.of(reversed(games))


def test_a_score_is_split_by_the_side_of_a() -> None:
    score = Score.of([(0, 1.0), (1, 0.5), (2, 1.0), (3, 0.0), (4, 0.0), (6, 1.0)])
    assert (score.first, score.second) == (Score(3, 0, 1), Score(0, 1, 1))
    other = ~score
    assert (other.first, other.second) == (Score(1, 1, 0), Score(1, 0, 3))
    counted = score.of_first_side()
    assert counted == Score(4, 1, 1)
    assert counted is not None
    assert (counted.first, counted.second) == (Score(3, 0, 1), Score(1, 1, 0))
    # Nobody knows the sides of a score made by hand, and what is added to it cannot be split any more.
    assert (Score(2, 0, 1).first, Score(2, 0, 1).second, Score(2, 0, 1).of_first_side()) == (None, None, None)
    assert (score + Score(1)).first is None
    assert (Score() + score).first == (score + Score()).first == Score(3, 0, 1)
    with pytest.raises(ValueError, match="the games of both sides are not those of the score"):
        Score(1, 0, 0, by_side=((1, 0, 0), (1, 0, 0)))
    with pytest.raises(ValueError, match="the games of both sides are not those of the score"):
        Score(1, 0, 0, by_side=((2, 0, 0), (-1, 0, 0)))


@given(st.lists(st.tuples(st.integers(0, 60), st.sampled_from([0.0, 0.5, 1.0])), unique_by=lambda g: g[0]))
def test_the_sides_of_a_score_are_its_games(games: list[tuple[int, float]]) -> None:
    score = Score.of(games)
    assert score.first is not None
    assert score.second is not None
    assert (score.first.games, score.second.games) == tuple(
        sum(index % 2 == side for index, _ in games) for side in (0, 1)
    )
    assert score.first.points == sum(points for index, points in games if index % 2 == 0)
    assert score.second.points == sum(points for index, points in games if index % 2)
    even, odd = ([game for game in games if game[0] % 2 == side] for side in (0, 1))
    assert (Score.of(even) + Score.of(odd)).by_side == score.by_side


@given(scores, scores)
def test_scores_add_and_change_sides(a: Score, b: Score) -> None:
    assert a + b == b + a
    assert ~(a + b) == ~a + ~b
    assert ~~a == a
    assert a + Score() == a


def test_bad_scores_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        Score(-1, 0, 0)
    with pytest.raises(ValueError, match="number of pairs cannot be negative"):
        Pairs(ww=-1)
    with pytest.raises(ValueError, match="more games than the score"):
        Score(1, 0, 0, Pairs(ww=1))
    with pytest.raises(ValueError, match=r"game 3 has 0.7 points: a game gives 0, 0.5 or 1"):
        Score.of([(3, 0.7)])
    with pytest.raises(ValueError, match="confidence level is 1"):
        Score(1, 0, 0).interval(1)


# Intervals


@pytest.mark.parametrize(
    ("wins", "losses", "low", "high"),
    [
        # Newcombe (Statistics in Medicine 17, 1998), table I, method 3.
        (81, 182, 0.2553, 0.3662),
        (15, 133, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 28, 0.0061, 0.1718),
    ],
)
def test_wilson_equals_newcombes_table(wins: int, losses: int, low: float, high: float) -> None:
    interval = Score(wins, 0, losses).interval()
    assert interval.low == pytest.approx(low, abs=6e-5)
    assert interval.high == pytest.approx(high, abs=6e-5)


def test_draws_shorten_the_interval() -> None:
    assert Score(50, 100, 50).interval().width < 0.75 * Score(100, 0, 100).interval().width


def test_opposite_pairs_shorten_the_interval_and_equal_pairs_widen_it() -> None:
    single = Score(100, 0, 100).interval().width
    assert Score.of_pairs(Pairs(ll=10, wl=80, ww=10)).interval().width < 0.7 * single
    assert Score.of_pairs(Pairs(ll=50, ww=50)).interval().width == pytest.approx(
        math.sqrt(2) * single, rel=0.03
    )


@given(scores)
def test_interval_holds_the_rate_and_has_width(score: Score) -> None:
    interval = score.interval()
    assert 0 <= interval.low <= score.rate <= interval.high <= 1
    assert interval.width > 0
    other = (~score).interval()
    assert (1 - other.high, 1 - other.low) == pytest.approx((interval.low, interval.high), abs=1e-9)
    wider = score.interval(0.99)
    assert wider.low <= interval.low + 1e-12
    assert wider.high >= interval.high - 1e-12


def test_interval_contains_the_truth_at_0_and_1() -> None:
    for games in (1, 2, 200, 10**6):
        assert 0.0 in Score(0, 0, games).interval()
        assert 1.0 in Score(games, 0, 0).interval()
        assert 0.5 in Score(0, games, 0).interval()
    assert Score().interval() == Interval(0.0, 1.0)


Draw = Callable[[random.Random, int], Score]


def singles(win: float, draw: float) -> Draw:
    """A simulated match of independent games."""

    def play(rng: random.Random, games: int) -> Score:
        seen = rng.choices(range(3), (win, draw, max(0.0, 1 - win - draw)), k=games)
        return Score(seen.count(0), seen.count(1), seen.count(2))

    return play


def pairs(win: float, draw: float, swing: float) -> Draw:
    """A simulated match of pairs whose games favour opposite players by `swing` of the room there is."""
    loss = max(0.0, 1 - win - draw)
    shift = swing * min(win, loss)
    one, two = (win + shift, draw, loss - shift), (win - shift, draw, loss + shift)
    weights = [
        one[2] * two[2],
        one[2] * two[1] + one[1] * two[2],
        one[0] * two[2] + one[2] * two[0],
        one[1] * two[1],
        one[0] * two[1] + one[1] * two[0],
        one[0] * two[0],
    ]

    def play(rng: random.Random, games: int) -> Score:
        seen = rng.choices(range(6), weights, k=games // 2)
        return Score.of_pairs(Pairs(*(seen.count(way) for way in range(6))))

    return play


def coverage(play: Draw, truth: float, games: int, matches: int, seed: int) -> float:
    rng = random.Random(seed)
    return sum(truth in play(rng, games).interval() for _ in range(matches)) / matches


KINDS: list[tuple[str, Callable[[float], Draw], float]] = [
    ("plain", lambda win: singles(win, 0), 0),
    ("draws", lambda win: singles(win, 0.1), 0.05),
    ("pairs", lambda win: pairs(win, 0, 0.8), 0),
    ("pairs and draws", lambda win: pairs(win, 0.1, 0.8), 0.05),
]


@pytest.mark.parametrize(("kind", "make", "bonus"), KINDS, ids=[kind for kind, _, _ in KINDS])
@pytest.mark.parametrize("win", [0.02, 0.5, 0.9])
def test_coverage_of_200_games(kind: str, make: Callable[[float], Draw], bonus: float, win: float) -> None:
    # 1,500 matches: four standard errors are 0.0225, so that only a wrong interval fails.
    assert 0.9075 <= coverage(make(win), win + bonus, 200, 1500, 1) <= 0.9975


@pytest.mark.parametrize("games", [200, 600, 2000])
@pytest.mark.parametrize("rate", [0.02, 0.5, 0.9])
def test_exact_coverage_without_draws(games: int, rate: float) -> None:
    def chance(wins: int) -> float:
        ways = math.lgamma(games + 1) - math.lgamma(wins + 1) - math.lgamma(games - wins + 1)
        return math.exp(ways + wins * math.log(rate) + (games - wins) * math.log(1 - rate))

    covered = math.fsum(
        chance(wins) for wins in range(games + 1) if rate in Score(wins, 0, games - wins).interval()
    )
    assert 0.93 <= covered <= 0.975


@pytest.mark.evidence
@pytest.mark.parametrize(("kind", "make", "bonus"), KINDS, ids=[kind for kind, _, _ in KINDS])
@pytest.mark.parametrize("games", [200, 600, 2000])
@pytest.mark.parametrize("win", [0.02, 0.5, 0.9])
def test_coverage_of_10000_matches(
    kind: str, make: Callable[[float], Draw], bonus: float, win: float, games: int
) -> None:
    assert 0.93 <= coverage(make(win), win + bonus, games, 10_000, games) <= 0.975


# Elo


# From the test suite of fastchess (app/tests/elo_test.cpp), with its own tolerance of one per cent.
PUBLISHED = [
    (Score(76, 123, 89), None, (-20.76, 40.13), 0.1553),
    (Score(136, 111, 96), (40.70, 30.43), (49.77, 36.77), 0.9960),
    (Score(34, 0, 356), None, (-508.44, 34.48), None),
    (Score.of_pairs(Pairs(34, 54, 31, 32, 64, 75)), (55.58, 27.65), (57.94, 28.28), 1.0),
    (Score.of_pairs(Pairs(332, 433, 457, 41, 333, 334)), (-8.64, 10.33), (-9.17, 10.96), 0.0505),
    (Score.of_pairs(Pairs(7895, 8757, 5485, 200, 568, 9999)), (-21.04, 2.95), (-19.01, 2.65), None),
]


@pytest.mark.parametrize(("score", "elo", "normalised", "superiority"), PUBLISHED)
def test_elo_equals_published_figures(
    score: Score, elo: tuple[float, float] | None, normalised: tuple[float, float], superiority: float | None
) -> None:
    if elo is not None:
        assert score.elo().value == pytest.approx(elo[0], abs=0.006)
        assert score.elo().error == pytest.approx(elo[1], rel=0.01)
    assert score.normalised_elo().value == pytest.approx(normalised[0], abs=0.006)
    assert score.normalised_elo().error == pytest.approx(normalised[1], abs=0.006)
    if superiority is not None:
        assert score.superiority() == pytest.approx(superiority, abs=5.1e-5)


def test_elo_by_hand() -> None:
    # 76 wins, 89 losses, 123 draws: 137.5 points of 288; 400 log10(137.5 / 150.5) = -15.69.
    assert Score(76, 123, 89).elo().value == pytest.approx(-15.69, abs=0.005)
    assert rate_of_elo(400) == pytest.approx(10 / 11)
    assert elo_of_rate(0.75) == pytest.approx(190.85, abs=0.005)
    with pytest.raises(ValueError, match="no finite Elo"):
        elo_of_rate(1)


@given(st.floats(-2000, 2000))
def test_elo_and_rate_are_inverse(elo: float) -> None:
    assert elo_of_rate(rate_of_elo(elo)) == pytest.approx(elo, abs=1e-6)


@given(scores.filter(lambda score: score.games > 0))
def test_elo_is_finite_ordered_and_antisymmetric(score: Score) -> None:
    for elo, other in ((score.elo(), (~score).elo()), (score.normalised_elo(), (~score).normalised_elo())):
        assert -math.inf < elo.low <= elo.value <= elo.high < math.inf
        assert elo.low < elo.high
        assert (-other.value, -other.high, -other.low) == pytest.approx(
            (elo.value, elo.low, elo.high), abs=1e-6
        )
    assert 0 <= score.superiority() <= 1
    assert score.superiority() + (~score).superiority() == pytest.approx(1)


def test_elo_of_a_clean_sweep_says_that_it_is_clipped() -> None:
    elo = Score(200, 0, 0).elo()
    assert elo.clipped
    assert elo.value == pytest.approx(elo_of_rate(200.5 / 201))
    assert not Score(199, 0, 1).elo().clipped
    assert Score(200, 0, 0).superiority() > 0.999
    assert Score().elo() == Elo(0.0, -math.inf, math.inf)
    assert Score().superiority() == 0.5


# Sequential tests


# From the test suite of fastchess (app/tests/sprt_test.cpp).
LLRS = [
    (Score(36433, 68692, 36027), 0, 2, "normalised", 0.92),
    (Score(10871, 20431, 10650), -1.75, 0.25, "normalised", 2.30),
    (Score(4250, 0, 0), 0, 10, "normalised", 120.56),
    (Score(21404, 40708, 21184), 0.5, 2.5, "logistic", -1.57),
    (Score(57433, 106593, 57030), 0, 2, "logistic", -2.59),
    (Score.of_pairs(Pairs(365, 16618, 36029, 200, 16974, 390)), 0, 2, "normalised", 2.25),
    (Score.of_pairs(Pairs(127, 4883, 10311, 401, 5150, 104)), -1.75, 0.25, "normalised", 3.01),
    (Score.of_pairs(Pairs(ww=5550)), 0, 5, "normalised", 111.82),
    (Score.of_pairs(Pairs(223, 9863, 20279, 1000, 10037, 246)), 0.5, 2.5, "logistic", -3.07),
    (Score.of_pairs(Pairs(871, 26175, 55003, 980, 26678, 821)), 0, 2, "logistic", -4.98),
]


@pytest.mark.parametrize(("score", "elo0", "elo1", "model", "llr"), LLRS)
def test_llr_equals_published_figures(score: Score, elo0: float, elo1: float, model: str, llr: float) -> None:
    test = Sprt(elo0, elo1, model="logistic" if model == "logistic" else "normalised")
    assert test.llr(score) == pytest.approx(llr, rel=0.003, abs=0.006)


def test_llr_by_hand() -> None:
    # Wins and losses only: n (p ln(p1/p0) + q ln(q1/q0)), up to the draws counted as 0.001.
    p1 = rate_of_elo(50)
    expected = 60 * math.log(p1 / 0.5) + 40 * math.log((1 - p1) / 0.5)
    assert Sprt(0, 50).llr(Score(60, 0, 40)) == pytest.approx(expected, abs=1e-3)


@given(scores, st.sampled_from(["logistic", "normalised"]))
def test_llr_is_finite_and_antisymmetric(score: Score, name: str) -> None:
    test = Sprt(-10, 10, model="logistic" if name == "logistic" else "normalised")
    assert math.isfinite(test.llr(score))
    assert test.llr(~score) == pytest.approx(-test.llr(score), rel=1e-5, abs=1e-5)


def test_verdicts_and_bounds() -> None:
    test = Sprt(0, 50, alpha=0.05, beta=0.1)
    assert test.bounds == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))
    assert test.llr(Score()) == 0
    assert test.verdict(Score()) == "continue"
    assert test.verdict(Score(150, 0, 50)) == "H1"
    assert test.verdict(Score(50, 0, 150)) == "H0"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"elo0": 5.0, "elo1": 5.0}, "elo0 must be smaller than elo1, not 5.0 and 5.0"),
        ({"alpha": 0.0}, "alpha is 0.0: it must lie between 0 and 1"),
        ({"beta": 1.0}, "beta is 1.0: it must lie between 0 and 1"),
        ({"alpha": 0.5, "beta": 0.5}, "alpha and beta must add up to less than 1, not 1"),
        ({"model": "bayesian"}, "unknown model 'bayesian': allowed are logistic, normalised"),
    ],
)
def test_bad_tests_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sprt(**options)  # type: ignore[arg-type]


def sprt_errors(test: Sprt, weights: Sequence[float], wrong: str, trials: int, paired: bool) -> float:
    """The share of simulated matches that end with the wrong verdict."""
    rng = random.Random(7)
    errors = 0
    for _ in range(trials):
        seen = [0] * len(weights)
        while True:
            # Asked every ten units: looking less often than allowed can only lower the error rates.
            for way in rng.choices(range(len(weights)), weights, k=10):
                seen[way] += 1
            score = Score.of_pairs(Pairs(*seen)) if paired else Score(seen[0], seen[1], seen[2])
            verdict = test.verdict(score)
            if verdict != "continue":
                errors += verdict == wrong
                break
    return errors / trials


@pytest.mark.evidence
@pytest.mark.parametrize("paired", [False, True], ids=["games", "pairs"])
@pytest.mark.parametrize(("elo", "wrong"), [(0, "H1"), (50, "H0")])
def test_sprt_error_rates(elo: float, wrong: str, paired: bool) -> None:
    rate = rate_of_elo(elo)
    win, draw, loss = rate - 0.05, 0.1, 1 - rate - 0.05
    weights: list[float] = [win, draw, loss]
    if paired:
        weights = [loss**2, 2 * loss * draw, 2 * win * loss, draw**2, 2 * win * draw, win**2]
    # The bound of 5 % with three standard errors of 2,000 trials.
    assert sprt_errors(Sprt(0, 50), weights, wrong, 2000, paired) <= 0.05 + 0.0146


# Ratings


def test_two_players_are_rated_as_their_score_says() -> None:
    first, second = bradley_terry({("strong", "weak"): Score(75, 0, 25)}, prior=1e-9)
    assert (first.player, second.player) == ("strong", "weak")
    assert first.elo - second.elo == pytest.approx(elo_of_rate(0.75), abs=1e-4)
    assert (first.games, first.points, second.points) == (100, 75, 25)
    # The curvature at the top is n p q = 18.75 for the difference; each player's rating is half of it.
    reach = 1.959964 * 400 / math.log(10) / math.sqrt(18.75) / 2
    assert first.high - first.elo == pytest.approx(reach, rel=1e-4)


def test_ratings_are_those_of_an_elimination_by_hand() -> None:
    table = bradley_terry(
        {
            ("a", "b"): Score(12, 3, 5),
            ("a", "c"): Score(7, 0, 13),
            ("b", "c"): Score(10, 2, 8),
            ("c", "d"): Score(19, 0, 1),
        }
    )
    assert [rating.player for rating in table] == ["c", "a", "b", "d"]
    known = (
        (132.5520591837553, 41.49902046741781, 223.60509790009277),
        (111.02666693385989, 2.2566310795072724, 219.79670278821249),
        (76.60454700031346, -32.505465164624354, 185.71455916525127),
        (-320.1832731179286, -543.6064786364894, -96.76006759936772),
    )
    for rating, numbers in zip(table, known, strict=True):
        assert (rating.elo, rating.low, rating.high) == pytest.approx(numbers, abs=1e-8)


def test_ratings_find_the_strengths_that_made_the_games() -> None:
    truth = {"a": 200.0, "b": 50.0, "c": -50.0, "d": -200.0}
    rng = random.Random(3)
    results = {}
    for x in truth:
        for y in truth:
            if x < y:
                wins = sum(rng.random() < rate_of_elo(truth[x] - truth[y]) for _ in range(2000))
                results[x, y] = Score(wins, 0, 2000 - wins)
    table = bradley_terry(results)
    assert [rating.player for rating in table] == ["a", "b", "c", "d"]
    assert sum(rating.elo for rating in table) == pytest.approx(0, abs=1e-6)
    for rating in table:
        assert rating.low - 10 <= truth[rating.player] <= rating.high + 10


def test_ratings_stay_finite_when_somebody_wins_everything() -> None:
    table = bradley_terry(
        {("x", "y"): Score(10, 0, 0), ("y", "z"): Score(10, 0, 0), ("u", "v"): Score(0, 4, 0)}
    )
    assert table[0].player == "x"
    assert all(math.isfinite(rating.low) and rating.low < rating.elo < rating.high for rating in table)
    assert bradley_terry({}) == []


def test_bad_tournaments_are_refused() -> None:
    with pytest.raises(ValueError, match="player 'x' cannot be rated by games against itself"):
        bradley_terry({("x", "x"): Score(1, 0, 0)})
    with pytest.raises(ValueError, match="prior is 0"):
        bradley_terry({}, prior=0)


# Many tests


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
    with pytest.raises(ValueError, match=r"1\.2 is not a p-value"):
        holm([1.2])


@given(st.lists(st.floats(0, 1)))
def test_holm_keeps_the_order_and_never_lowers(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= a <= 1 for p, a in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    assert [adjusted[at] for at in order] == sorted(adjusted)


def test_chi_squared_by_hand() -> None:
    # A die thrown 60 times: (5-10)^2/10 + ... = 13.4 with 5 degrees of freedom, p = 0.0199.
    result = chi_squared([5, 8, 9, 8, 10, 20], [1] * 6)
    assert result.statistic == pytest.approx(13.4)
    assert result.freedom == 5
    assert result.p_value == pytest.approx(0.01991, abs=1e-5)
    # With one degree of freedom p = erfc(sqrt(x / 2)); here x = 4.
    assert chi_squared([60, 40], [1, 1]).p_value == pytest.approx(math.erfc(math.sqrt(2)), rel=1e-12)
    assert chi_squared([0, 0], [1, 1]) == ChiSquared(0.0, 1, 1.0)


@pytest.mark.parametrize("scale", [0.01, 1, 7, 40])
def test_chi_squared_with_an_even_number_of_degrees_has_a_short_formula(scale: float) -> None:
    for cells, tail in ((3, lambda x: 1.0), (5, lambda x: 1 + x), (7, lambda x: 1 + x + x * x / 2)):
        result = chi_squared([scale, *[2 * scale] * (cells - 1)], [1] * cells)
        half = result.statistic / 2
        assert result.freedom == cells - 1
        assert result.p_value == pytest.approx(math.exp(-half) * tail(half), rel=1e-9)


def test_bad_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="two equal rows of at least 2 counts, not 2 and 3"):
        chi_squared([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="expectations above 0"):
        chi_squared([1, 2], [0, 1])


def test_a_score_is_shown_richly_in_a_notebook() -> None:
    html = Score(wins=6, draws=1, losses=3)._repr_html_()
    for text in ("<td>10</td><td>6</td><td>1</td><td>3</td>", "<td>65.0 %</td>", "margin-left:"):
        assert text in html
    assert Score()._repr_html_() == "<p>no games yet</p>"
