"""Group-sequential tests: published boundaries, p-values that hold at every look, an exact test of pairs."""

from __future__ import annotations

import itertools
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coppice.lab.sequential import (
    Spending,
    bounds,
    distance,
    drift,
    effect_of,
    games_for,
    sequential_p,
)
from coppice.lab.stats import Pairs, Score

FIVE = (0.2, 0.4, 0.6, 0.8, 1.0)
NORMAL = NormalDist()


# By the program of Reboussin, DeMets, Kim and Lan (2000) and the package gsDesign, to their last digit.
PUBLISHED: list[tuple[Spending, tuple[float, ...]]] = [
    ("obrien_fleming", (4.8769, 3.3570, 2.6803, 2.2898, 2.0310)),
    ("pocock", (2.4380, 2.4268, 2.4101, 2.3966, 2.3859)),
]


@pytest.mark.parametrize(("spending", "expected"), PUBLISHED)
def test_boundaries_of_five_looks_are_the_published_ones(
    spending: Spending, expected: tuple[float, ...]
) -> None:
    assert bounds(0.05, FIVE, spending) == pytest.approx(expected, abs=2e-4)


def test_a_single_look_is_the_ordinary_test() -> None:
    assert bounds(0.05, (1.0,)) == pytest.approx((1.959964,), abs=1e-6)
    assert sequential_p([1.959964], (1.0,)) == pytest.approx(0.05, abs=1e-6)
    # (1.960 + 0.842) standard deviations have a power of 80 %.
    assert drift(0.05, 0.8, (1.0,)) == pytest.approx(2.8016, abs=1e-3)


def test_looking_costs_a_few_games() -> None:
    # The inflation factors of O'Brien and Fleming's and Pocock's spending at five looks, power 80 %.
    once = drift(0.05, 0.8, (1.0,))
    assert (drift(0.05, 0.8, FIVE) / once) ** 2 == pytest.approx(1.0247, abs=2e-3)
    assert (drift(0.05, 0.8, FIVE, "pocock") / once) ** 2 == pytest.approx(1.2173, abs=1e-2)


def test_games_and_the_effect_that_they_find_are_inverse() -> None:
    # 784.9 games by the normal law, and 40 for signs in whole numbers.
    assert games_for(2.8016, 0.05) == pytest.approx(824.9, abs=0.1)
    for effect in (0.01, 0.05, 0.2):
        assert effect_of(3.1, round(games_for(3.1, effect))) == pytest.approx(effect, rel=2e-2)


@pytest.mark.parametrize("spending", ["obrien_fleming", "pocock"])
@settings(max_examples=20, deadline=None)
@given(alpha=st.sampled_from([0.2, 0.05, 0.01, 0.05 / 36]), looks=st.integers(2, 6), at=st.integers(0, 5))
def test_a_p_value_is_below_a_level_exactly_beyond_its_boundary(
    spending: Spending, alpha: float, looks: int, at: int
) -> None:
    times = tuple(look / looks for look in range(1, looks + 1))
    limit = bounds(alpha, times, spending)[at % looks]
    if limit < 9:
        before = [0.0] * (at % looks)
        assert sequential_p([*before, limit + 1e-3], times, spending) < alpha
        assert sequential_p([*before, -limit + 1e-3], times, spending) > alpha


def test_later_looks_never_make_a_p_value_larger() -> None:
    found = [sequential_p([2.0, 2.9, 0.1, 1.0, 2.4][:looks], FIVE) for looks in range(6)]
    assert found == sorted(found, reverse=True)
    assert found[0] == 1 > found[1]
    # 2.9 is short of the second boundary of 5 %, 2.4 beyond the last one.
    assert found[2] == found[4] > 0.05 > found[5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, FIVE), "the error rate is 0.0: it must lie between 0 and 1"),
        ((0.05, (0.5, 0.4, 1.0)), r"the looks are \(0.5, 0.4, 1.0\): they must rise from above 0 to 1"),
        ((0.05, (0.5,)), "they must rise from above 0 to 1"),
        ((0.05, FIVE, "greedy"), "unknown spending 'greedy': allowed are obrien_fleming, pocock"),
    ],
)
def test_bad_looks_are_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bounds(*arguments)


# The exact test of pairs


def tails(score: Score) -> float:
    return 2 * NORMAL.cdf(-abs(distance(score)))


def test_pairs_without_draws_are_tested_as_by_mcnemar() -> None:
    # 15 of 20 pairs that were not shared: twice the binomial tail.
    assert tails(Score.of_pairs(Pairs(ll=5, wl=30, ww=15))) == pytest.approx(0.0413895, abs=1e-6)
    assert distance(Score.of_pairs(Pairs(ll=5, wl=30, ww=15))) > 0
    assert distance(Score.of_pairs(Pairs(ll=15, wl=9, ww=5))) < 0


@given(st.tuples(*[st.integers(0, 3)] * 4))
def test_with_draws_every_choice_of_signs_is_counted(ends: tuple[int, ...]) -> None:
    ld, wd, ll, ww = ends
    steps = [1] * (ld + wd) + [2] * (ll + ww)
    lead = abs(wd - ld + 2 * (ww - ll))
    sums = [abs(sum(signs)) for signs in itertools.product(*((step, -step) for step in steps))]
    score = Score.of_pairs(Pairs(ld=ld, wd=wd, ll=ll, ww=ww, dd=2, wl=1))
    assert tails(score) == pytest.approx(sum(found >= lead for found in sums) / len(sums))
    assert distance(~score) == pytest.approx(-distance(score))


def test_single_games_and_no_games() -> None:
    assert tails(Score(5, 3, 0)) == pytest.approx(2 / 32)
    assert distance(Score()) == 0
    assert distance(Score(0, 9, 0)) == 0
    # No p-value is so small that it has no quantile.
    assert 30 < distance(Score(100_000, 0, 0)) < 40
