"""What the plans and the clock give at the edges of a game, as exact figures."""

from __future__ import annotations

import pytest

from coppice import Game
from coppice.play.clocks import GameClock, move_seconds, moves_made

LAG, COST, MORE = 0.05, 0.005, 5


def shape(phase: float) -> float:
    """The weight of a move at a phase of the game, as the page on time says."""
    return 0.5 + 6 * phase * (1 - phase) ** 2


@pytest.mark.parametrize(("left", "made", "expected"), [(1, 3, 1), (8, 2, 2), (40, 0, 10), (40, 12, 10)])
def test_the_middle_plan_by_hand(left: int, made: int, expected: int) -> None:
    whole = made + expected
    shares = [shape((number + 0.5) / whole) for number in range(whole)]
    mean = sum(shares) / whole
    usable = 60 - LAG - COST * left
    wanted = usable * shares[made] / (sum(shares[made:]) + MORE * mean)
    assert move_seconds(60, left, made) == pytest.approx(wanted, rel=1e-12)
    assert wanted != pytest.approx((60 - LAG) / (left + MORE), rel=0.01)


def test_each_side_has_made_half_of_the_moves() -> None:
    state = Game("havannah(size=4)").start()
    seen = [moves_made(state)]
    for move in ("a1", "b1", "c1", "a2", "b2"):
        seen.append(moves_made(state.play(move)))
    assert seen == [0, 0, 1, 1, 2, 2]


def test_where_no_move_is_expected_the_shares_are_even() -> None:
    assert move_seconds(60, 0, 5) == pytest.approx((60 - LAG) / MORE, rel=1e-12)


def test_where_there_is_hardly_time_each_move_has_the_same() -> None:
    # Half of what is left is kept; the least for a move is cut to what all moves and one more can have.
    assert move_seconds(0.02, 1) == pytest.approx(0.01 / 2, rel=1e-12)
    assert move_seconds(0.02, 1, 3) == pytest.approx(0.01 / 2, rel=1e-12)
    # With time for the least of all moves, it is the least: 0.35 in 24 shares are more.
    assert move_seconds(0.4, 19) == pytest.approx(0.35 / 24, rel=1e-12)
    assert move_seconds(0.25, 19) == pytest.approx(0.01, rel=1e-12)


def test_a_period_that_is_used_up_to_the_end_is_followed_by_another() -> None:
    clock = GameClock(0.0, period=10.0, stones=2)
    assert (clock.remaining, clock.due) == (10.0, 2)
    clock.spend(4.0)
    assert (clock.remaining, clock.due) == (6.0, 1)
    clock.spend(6.0)
    assert (clock.remaining, clock.due) == (10.0, 2)
    assert not clock.fallen


def test_a_period_that_is_overdrawn_is_lost() -> None:
    clock = GameClock(0.0, period=10.0, stones=1)
    clock.spend(10.5)
    assert (clock.remaining, clock.due) == (-0.5, 0)
    assert clock.fallen


def test_main_time_that_is_used_up_to_the_end_is_no_period_yet() -> None:
    clock = GameClock(5.0, period=10.0, stones=2)
    clock.spend(5.0)
    assert (clock.remaining, clock.due) == (0.0, 0)
    # What lies beyond the main time is taken from the period.
    clock.spend(3.0)
    assert (clock.remaining, clock.due) == (7.0, 1)


def test_moves_that_only_the_other_end_has_counted_end_with_no_period_of_ours() -> None:
    clock = GameClock(5.0)
    clock.told(3.0, 1)
    clock.spend(1.0)
    assert (clock.remaining, clock.due) == (0.0, 0)
    assert not clock.fallen


def test_the_budget_of_a_period_is_a_share_of_what_is_left_of_it() -> None:
    clock = GameClock(0.0, period=10.0, stones=4)
    assert clock.budget(30) == pytest.approx((10 - LAG) / 4)
    clock.told(0.06, 2)
    assert clock.budget(30) == pytest.approx((0.06 - 0.03) / 2)
    # In the main time a move has at least nine tenths of its share of a period.
    main = GameClock(1.0, period=10.0, stones=4)
    assert main.budget(30) == pytest.approx(0.9 * 10 / 4)
    assert GameClock(1000.0, period=10.0, stones=4).budget(30) == move_seconds(1000.0, 30)
