"""Stopping early: a search may end as soon as no other move can be visited more often, and not before."""

from __future__ import annotations

from collections import Counter

import pytest

import coppice
from coppice import Limit

EVERY = 64
"""So many simulations pass between two looks."""


def lead_after(count: int, seed: int) -> int:
    """How far ahead of the second the most visited move is after so many simulations."""
    thinking = coppice.player("uct").think(coppice.game("tic_tac_toe").start(), seed=seed)
    thinking.keep_log()
    thinking.run(Limit(simulations=count))
    visits = Counter(moves[0] for moves, *_ in thinking.log())
    first, second = [number for _, number in visits.most_common(2)]
    return first - second


def made(budget: int, seed: int) -> int:
    """The simulations of a search that may stop early."""
    state = coppice.game("tic_tac_toe").start()
    return coppice.player(f"uct(simulations={budget}, stop_early=true)").search(state, seed=seed).simulations


@pytest.mark.parametrize("looks", [1, 3])
def test_a_search_stops_when_it_is_decided_and_goes_on_while_there_could_be_a_tie(looks: int) -> None:
    at, tried = looks * EVERY, 0
    for seed in range(12):
        lead = lead_after(at, seed)
        if lead < 2:
            # Nothing to stop for.
            continue
        tried += 1
        # One less than the lead cannot make up for it.
        assert made(at + lead - 1, seed) == at
        # As many as the lead could make two moves equal, and then the lot would decide.
        assert made(at + lead, seed) > at
    assert tried > 5


def test_a_search_that_may_stop_early_plays_what_the_whole_one_plays() -> None:
    stopped = 0
    for seed in range(40):
        state = coppice.game("tic_tac_toe").start().play("b2", "a1")
        whole = coppice.player("uct(simulations=400)").search(state, seed=seed)
        early = coppice.player("uct(simulations=400, stop_early=true)").search(state, seed=seed)
        most = [stat.visits for stat in whole.moves[:2]]
        if early.simulations < 400:
            stopped += 1
            assert (early.best, most[0] > most[1]) == (whole.best, True)
        else:
            assert early.moves == whole.moves
    assert stopped > 0
