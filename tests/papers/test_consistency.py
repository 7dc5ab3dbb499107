"""The test behind *consistent?*: by hand, at the ends, how often it is wrong, and what it finds."""

from __future__ import annotations

import math
import random

import pytest
from consistency_simulation import KINDS, LEVEL, ROWS, margin, near, page, power, wrong_families
from hypothesis import given, settings
from hypothesis import strategies as st

from coppice.lab.stats import Pairs, Score
from coppice.papers.consistency import (
    DOUBT,
    _from_the_middle,
    _lower_limit,
    games_needed,
    mean_p_value,
    rate_p_value,
    runs_needed,
)


def binomial_tails(wins: int, games: int, rate: float) -> float:
    """The probability to be at least as far from the expectation."""
    far = abs(wins - games * rate) - 1e-9
    return sum(
        math.comb(games, at) * rate**at * (1 - rate) ** (games - at)
        for at in range(games + 1)
        if abs(at - games * rate) >= far
    )


# By hand


@pytest.mark.parametrize(
    ("wins", "games", "rate"), [(60, 100, 0.5), (9, 10, 0.6), (1, 20, 0.25), (0, 7, 0.3)]
)
def test_single_games_against_an_exact_rate_are_a_binomial_test(wins: int, games: int, rate: float) -> None:
    found = rate_p_value(Score(wins, 0, games - wins), rate)
    assert found == pytest.approx(binomial_tails(wins, games, rate), rel=1e-9)


def test_two_lost_pairs_may_be_two_lost_games() -> None:
    # Nothing says that the games of a pair are not one and the same: then this has the probability 0.15^2.
    assert rate_p_value(Score.of_pairs(Pairs(ll=2)), 0.85) == pytest.approx(0.15**2 + DOUBT)
    # As single games they would be improbable.
    assert rate_p_value(Score(0, 0, 4), 0.85) == pytest.approx(0.15**4)


def test_single_games_against_few_games_of_a_paper() -> None:
    # 3 of 3 against 0 of 3 and its mirror image: 2 (r (1 - r))^3, at most 2/64.
    assert rate_p_value(Score(3, 0, 0), 0.0, games=3) == pytest.approx(2 / 64 + 2 * DOUBT, rel=0.01)
    # 60 of 100 against 50 of 100 is 0.168 by Boschloo's exact test.
    assert rate_p_value(Score(60, 0, 40), 0.5, games=100) == pytest.approx(0.168, abs=2e-3)


def test_split_pairs_say_that_a_rate_is_known_better() -> None:
    split, alike = (
        Score.of_pairs(pairs) for pairs in (Pairs(ll=2, wl=76, ww=22), Pairs(ll=30, wl=20, ww=50))
    )
    single = Score(120, 0, 80)
    assert split.rate == alike.rate == single.rate == 0.6
    found = [rate_p_value(score, 0.5) for score in (split, single, alike)]
    assert found == sorted(found)
    assert found[0] < 0.004 < found[1] < 0.01 < 0.04 < found[2]


def test_draws_say_that_a_rate_is_known_better() -> None:
    drawn = Score.of_pairs(Pairs(ld=10, dd=40, wd=50))
    assert rate_p_value(drawn, 0.5) < rate_p_value(Score.of_pairs(Pairs(ll=30, wl=20, ww=50)), 0.5)


def test_what_a_paper_rounds_away_is_no_difference() -> None:
    assert rate_p_value(Score(99, 0, 1), 1.0) < 1e-9
    assert rate_p_value(Score(99, 0, 1), 1.0, rounding=0.005) > 0.05
    assert rate_p_value(Score(596, 0, 404), 0.6, games=10**4, rounding=0.005) == 1
    one, two = (rate_p_value(Score(50, 0, 50), 0.6, games=100, rounding=at) for at in (0.0, 0.005))
    assert one < two


def test_the_ends() -> None:
    assert rate_p_value(Score(100, 0, 0), 1.0, games=50) == 1
    assert rate_p_value(Score(0, 0, 100), 1.0, games=100) < 1e-4
    assert rate_p_value(Score(), 0.3) == 1


@pytest.mark.parametrize(
    ("published", "options", "message"),
    [
        (1.5, {}, "published rate is 1.5: it must lie between 0 and 1"),
        (0.5, {"games": 0}, "rests on 0 games: at least 1 is needed"),
        (0.5, {"rounding": -1.0}, "rounding is -1.0: it cannot be negative"),
    ],
)
def test_bad_published_values_are_refused(published: float, options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rate_p_value(Score(1, 0, 1), published, **options)


@settings(max_examples=50, deadline=None)
@given(
    st.tuples(*[st.integers(0, 8)] * 6),
    st.floats(0, 1),
    st.sampled_from([None, 10, 100]),
    st.floats(0, 0.01),
)
def test_the_other_player_sees_the_same_p_value(
    ends: tuple[int, ...], published: float, games: int | None, rounding: float
) -> None:
    score = Score.of_pairs(Pairs(*ends))
    one = rate_p_value(score, published, games=games, rounding=rounding)
    two = rate_p_value(~score, 1 - published, games=games, rounding=rounding)
    assert 0 <= one <= 1
    assert one == pytest.approx(two, abs=1e-6)


def test_who_asks_for_a_bound_only_learns_on_which_side_the_p_value_lies() -> None:
    for wins in range(40, 100, 5):
        score = Score.of_pairs(Pairs(ll=(100 - wins) // 2, ww=wins // 2, wl=wins % 2))
        whole = rate_p_value(score, 0.5, games=200)
        assert (rate_p_value(score, 0.5, games=200, stop=0.01) < 0.01) == (whole < 0.01)


def test_rates_near_ours_are_looked_at_first() -> None:
    rates = list(_from_the_middle(0.2, 0.9, start=0.7))
    far = [abs(rate - 0.7) for rate in rates]
    assert rates[0] == 0.7
    assert far == sorted(far)
    assert min(rates) == pytest.approx(0.2)
    assert max(rates) == pytest.approx(0.9)
    # They lie closer where rates vary less.
    order = sorted(rates)
    assert order[1] - order[0] > order[-1] - order[-2]


# Enough games


def test_about_200_games_are_needed_at_a_rate_of_one_half() -> None:
    assert games_needed(0.5) == 194
    assert [games_needed(rate) for rate in (0.75, 0.95, 1.0)] == [164, 67, 19]
    assert games_needed(0.05) == games_needed(0.95)


def test_games_that_are_enough_find_ten_points() -> None:
    for rate in (0.5, 0.75, 0.9):
        games = games_needed(rate)
        other = rate - 0.1
        found = sum(
            math.comb(games, wins) * other**wins * (1 - other) ** (games - wins)
            for wins in range(games + 1)
            if binomial_tails(wins, games, rate) < 0.05
        )
        assert 0.76 < found < 0.86


def test_runs_needed_for_a_tenth_of_a_number() -> None:
    # (1.960 + 0.842)^2 = 7.85 for a deviation as large as the difference.
    assert runs_needed(100, 10) == 8
    assert runs_needed(100, 50) == 197
    assert runs_needed(100, 0) == runs_needed(0, 5) == 2


# Means


def test_means_of_few_runs_are_compared_by_students_law() -> None:
    # Two runs: one degree of freedom, where t = 1 leaves half of all cases outside.
    assert mean_p_value(1.0, 1.0, 2) == pytest.approx(0.5)
    # The 95 % points of 2, 9 and 30 degrees are 4.303, 2.262 and 2.042.
    for t, runs in ((4.303, 3), (2.262, 10), (2.042, 31)):
        assert mean_p_value(t, 1.0, runs) == pytest.approx(0.05, abs=1e-4)
    # A known error of the same size makes four times the degrees: t = 2.306 has 8.
    assert mean_p_value(2.306 * math.sqrt(2), 1.0, 3, 1.0) == pytest.approx(0.05, abs=1e-4)
    # All runs alike: only the other error is left, by the normal law.
    assert mean_p_value(1.96, 0.0, 5, 1.0) == pytest.approx(0.05, abs=1e-4)
    assert mean_p_value(1.96, 1.0, 10**6) == pytest.approx(0.05, abs=1e-4)
    assert (mean_p_value(0.0, 0.0, 5), mean_p_value(0.1, 0.0, 5)) == (1, 0)
    with pytest.raises(ValueError, match="a mean of 1 runs cannot be compared: at least 2 are needed"):
        mean_p_value(1.0, 1.0, 1)


@pytest.mark.parametrize("t", [0.0, 0.3, 1.0, 4.303, 50.0])
def test_students_law_of_few_degrees_has_a_short_formula(t: float) -> None:
    for runs, tails in (
        (2, 1 - 2 / math.pi * math.atan(t)),
        (3, 1 - t / math.sqrt(2 + t * t)),
        (5, 1 - t / math.sqrt(4 + t * t) * (1 + 2 / (4 + t * t))),
    ):
        assert mean_p_value(t, 1.0, runs) == pytest.approx(tails, rel=1e-9)


def test_the_limit_of_a_rate_is_that_of_clopper_and_pearson() -> None:
    for games in (1, 7, 500):
        assert _lower_limit(0, games) == 0
        assert _lower_limit(1, games) == pytest.approx(-math.expm1(math.log1p(-DOUBT) / games), rel=1e-9)
        assert _lower_limit(games, games) == pytest.approx(DOUBT ** (1 / games), rel=1e-9)
    # Between them the probability of so many wins is what is allowed.
    for wins, games in ((3, 7), (250, 500), (499, 500)):
        rate = _lower_limit(wins, games)
        chances = (
            math.comb(games, at) * rate**at * (1 - rate) ** (games - at) for at in range(wins, games + 1)
        )
        assert sum(chances) == pytest.approx(DOUBT, rel=1e-9)


# How often it is wrong


@pytest.mark.parametrize("kind", KINDS)
def test_equal_players_are_called_inconsistent_in_few_families(kind: str) -> None:
    families = 150
    for rate, games, paper in (
        (0.85, 6, 500),
        (0.85, 10, None),
        (0.2, 20, 500),
        (0.95, 60, 100),
        (0.5, 200, 500),
    ):
        share = wrong_families(kind, rate, games, paper, families)
        assert share <= LEVEL + margin(families), (rate, games, paper)


def test_the_simulation_leaves_out_nothing_that_could_be_wrong() -> None:
    chance = random.Random(3)
    left_out = []
    for _ in range(300):
        score = Score.of_pairs(Pairs(*(chance.choice((0, 0, 1, 5, 40)) for _ in range(6))))
        published, paper = chance.choice((0.05, 0.3, 0.5, 0.9)), chance.choice((None, 100, 500))
        if score.games and near(score, published, paper):
            left_out.append(rate_p_value(score, published, games=paper))
    assert len(left_out) > 30
    assert min(left_out) > LEVEL


def test_what_is_inconsistent_is_found() -> None:
    for kind, least in (("opposed", 0.9), ("independent", 0.55), ("half copied", 0.45)):
        assert power(kind, 0.4, 200, None, 0.1, 150, LEVEL) > least
        assert power(kind, 0.7, 200, 500, 0.2, 40, LEVEL / ROWS) > 0.9


@pytest.mark.evidence
def test_equal_players_are_called_inconsistent_in_few_families_of_the_whole_grid() -> None:
    families = 400
    text, largest = page(families)
    print(text)
    assert largest <= LEVEL + margin(families)
