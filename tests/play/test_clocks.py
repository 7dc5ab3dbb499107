"""How the time of a game is shared out, under a simulated clock: no flag falls, whatever the game does."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coppice import Game, Player, Report
from coppice.play.clocks import (
    LEAST,
    MORE,
    PLANS,
    GameClock,
    clocked,
    expected_moves,
    move_seconds,
    moves_made,
)
from coppice.protocols.gtp import Server

FIRST_LOOK = 64
"""Simulations after which a search looks for the first time whether its move can be caught."""
FEWER = 4
"""The middle plan expects a quarter of the moves that random games would take."""


@given(st.floats(0.0001, 1e6), st.integers(0, 500))
def test_where_nothing_is_known_of_the_phase_the_shares_are_even(remaining: float, left: int) -> None:
    usable = remaining - min(0.05, remaining / 2)
    even = max(usable / (left + MORE), min(LEAST, usable / (left + 1)))
    assert move_seconds(remaining, left) == pytest.approx(even)
    assert GameClock(remaining).budget(left) == move_seconds(remaining, left)


@given(st.floats(0.0001, 1e6), st.integers(0, 500), st.integers(0, 300))
def test_a_share_in_any_phase_is_less_than_the_rest(remaining: float, left: int, made: int) -> None:
    seconds = move_seconds(remaining, left, made)
    assert 0 < seconds < remaining
    if remaining >= 2 * LEAST * (left + 1) + 0.1:
        assert seconds >= LEAST


@given(st.integers(1, 80))
def test_the_shape_leaves_as_much_as_even_shares_do(moves: int) -> None:
    """What is over after a game of just the expected length is kept for five moves more, in either plan."""
    clock = GameClock(1000.0)
    shares = []
    for made in range(moves):
        shares.append(clock.budget(FEWER * (moves - made), made))
        clock.spend(shares[-1])
    assert clock.remaining == pytest.approx(1000 * MORE / (moves + MORE), rel=0.02)


def test_there_is_more_time_in_the_middle_of_the_game() -> None:
    clock = GameClock(600.0)
    shares = []
    for made in range(30):
        shares.append(clock.budget(FEWER * (30 - made), made))
        clock.spend(shares[-1])
    most = shares.index(max(shares))
    assert 6 <= most <= 15
    assert shares[most] > 2 * shares[0]
    assert shares[most] > 2 * shares[-1]
    assert shares[:most] == sorted(shares[:most])


@given(
    st.floats(0.05, 1000),
    st.integers(1, 200),
    st.floats(0.05, 3),
    st.sampled_from(PLANS),
    st.randoms(use_true_random=False),
)
def test_the_flag_never_falls(main: float, moves: int, wrong: float, plan: str, rng: random.Random) -> None:
    """Games of any length, whose expected length is wrong by any factor and changes from move to move."""
    clock = GameClock(main)
    for made in range(moves):
        expected = max(1, round((moves - made) * wrong * rng.uniform(0.5, 2)))
        budget = clock.budget(expected, made if plan == "middle" else None)
        assert budget > 0
        clock.spend(budget * rng.choice([rng.uniform(0.01, 1), 1.0]))
        assert not clock.fallen


@pytest.mark.parametrize("seconds", [0.3, 2, 30])
def test_a_whole_game_by_the_middle_plan(seconds: float) -> None:
    """Each search takes its whole budget and 4 ms more."""
    now = 0.0
    served = Server("havannah(size=5)", "random", clock=lambda: now, plan="middle")
    served.respond(f"time_settings {seconds} 0 0")
    search = served._search

    def slow() -> object:
        nonlocal now
        limit = served.limit()
        assert limit
        assert limit.seconds
        now += limit.seconds + 0.004
        return search()

    served._search = slow  # type: ignore[assignment, method-assign]
    while served.state.outcome is None:
        assert served.respond("genmove").startswith("=")
        assert not any(clock.fallen for clock in served.clocks.values())


def test_the_server_plans_as_it_is_told() -> None:
    limits = {}
    for plan in PLANS:
        served = Server("havannah(size=6)", "random", plan=plan)
        served.respond("time_settings 60 0 0")
        limit = served.limit()
        assert limit
        limits[plan] = limit.seconds
        left = expected_moves(served.state)
        made = moves_made(served.state) if plan == "middle" else None
        assert limit.seconds == move_seconds(60, left, made)
    assert limits["even"] != limits["middle"]
    with pytest.raises(ValueError, match="unknown plan 'odd' for the time of a game: even, middle"):
        Server("havannah(size=6)", "random", plan="odd")  # type: ignore[arg-type]


def test_by_a_clock_a_player_stops_when_its_move_cannot_be_caught() -> None:
    game = Game("havannah(size=4)")
    assert "stop_early=true" in clocked(Player("strong"), game).spec
    for other in ("random", "fossel_rave", "nested1"):
        assert clocked(Player(other), game).spec == Player(other).spec


def test_what_an_early_stop_leaves_stays_on_the_clock() -> None:
    """A position with one move to answer is decided at the first look: nearly all of its share is left."""
    now = 0.0
    served = Server("havannah(size=4)", "strong", seed=1, clock=lambda: now)
    for move in ("a1", "d4", "b1", "d5", "c1"):
        assert served.respond(f"play {'w' if len(served.state.moves) % 2 == 0 else 'b'} {move}").startswith(
            "="
        )
    served.respond("time_settings 20 0 0")
    decide = served._search

    def timed() -> Report:
        nonlocal now
        report = decide()
        now += report.simulations / 1000
        return report

    served._search = timed  # type: ignore[method-assign]
    assert served.respond("genmove b").strip() == "= d1"
    assert served.report
    assert served.report.simulations == FIRST_LOOK
    assert served.clocks["second"].remaining == pytest.approx(20 - FIRST_LOOK / 1000)
