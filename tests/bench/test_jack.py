"""Speed of Mr Jack's players as ratios, both timed in this run."""

from __future__ import annotations

import time

import pytest

import coppice

pytestmark = pytest.mark.bench


def rate(player: str) -> float:
    """Simulations per second of searches along a game: the best of three runs."""
    decider = coppice.player(player)
    best = 0.0
    for run in range(3):
        simulations, started = 0, time.process_time()
        for seed in range(4):
            state = coppice.game("mr_jack").start(seed=seed)
            simulations += decider.search(state, coppice.Limit(simulations=4000), seed=run).simulations
        best = max(best, simulations / (time.process_time() - started))
    return best


def test_rules_cost_less_than_three_more_simulations() -> None:
    ratio = rate("jack_v3") / rate("jack_v2")
    print(f"\njack_v3: {ratio:.2f} of jack_v2's simulations per second")
    assert ratio >= 0.25
