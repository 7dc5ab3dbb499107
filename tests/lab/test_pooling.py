"""Effects over games, by hand."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coppice.lab.pooling import pool
from coppice.lab.stats import Pairs, Score


def variance(score: Score) -> float:
    return (score.interval().width / (2 * 1.959964)) ** 2


def test_fixed_effects_are_the_mean_by_inverse_variances() -> None:
    scores = [Score(60, 0, 40), Score(110, 0, 90)]
    weights = [1 / variance(score) for score in scores]
    mean = (0.6 * weights[0] + 0.55 * weights[1]) / sum(weights)
    found = pool(scores, "fixed")
    assert found.estimate == pytest.approx(mean)
    assert found.weights == pytest.approx([weight / sum(weights) for weight in weights])
    assert found.interval.width / 2 == pytest.approx(1.959964 / math.sqrt(sum(weights)), rel=1e-6)
    assert found.tau == 0


def test_random_effects_of_scattered_games_are_wider_and_nearly_equally_weighed() -> None:
    scores = [Score(90, 0, 10), Score(500, 0, 500), Score(60, 0, 40)]
    fixed, random = pool(scores, "fixed"), pool(scores, "random")
    assert 0.15 < random.tau < 0.3
    assert random.interval.width > 2 * fixed.interval.width
    assert max(random.weights) - min(random.weights) < 0.05
    assert random.p > 0.05 > fixed.p


def test_games_that_agree_have_no_variance_between_them() -> None:
    scores = [Score(60, 0, 40), Score(61, 0, 39), Score(59, 0, 41)]
    found = pool(scores, "random")
    assert found.tau == 0
    # Student's law of two degrees of freedom, and the error of fixed effects at least.
    fixed = pool(scores, "fixed")
    assert found.interval.width / fixed.interval.width == pytest.approx(4.302653 / 1.959964, rel=1e-5)


@given(st.lists(st.tuples(*[st.integers(0, 9)] * 6).filter(any), min_size=2, max_size=5))
def test_the_other_player_sees_the_mirror_image(ends: list[tuple[int, ...]]) -> None:
    scores = [Score.of_pairs(Pairs(*one)) for one in ends]
    for method in ("fixed", "random"):
        one = pool(scores, method)
        two = pool([~score for score in scores], method)
        assert one.estimate + two.estimate == pytest.approx(1)
        assert one.p == pytest.approx(two.p)
        assert 0 <= one.interval.low <= one.estimate <= one.interval.high <= 1
        assert sum(one.weights) == pytest.approx(1)


@pytest.mark.parametrize(
    ("scores", "method", "message"),
    [
        ([Score(1, 0, 1)], "fixed", "cannot pool 1 scores: at least 2 are needed"),
        ([Score(1, 0, 1), Score()], "fixed", "a score without games cannot be pooled"),
        ([Score(1, 0, 1)] * 2, "all", "unknown pooling 'all': allowed are random, fixed"),
    ],
)
def test_what_cannot_be_pooled_is_refused(scores: list[Score], method: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        pool(scores, method)
