"""Speed of Mr Jack's players as ratios, both timed in this run."""

from __future__ import annotations

import time

import pytest

import coppice

pytestmark = pytest.mark.bench


def positions(decisions: int) -> list[coppice.State]:
    """Positions of three games after so many decisions."""
    found = []
    for seed in range(3):
        state = coppice.game("mr_jack").start(seed=seed)
        for ply in range(decisions):
            if state.outcome is None:
                state.play(coppice.player("jack_v2(simulations=100)").search(state, seed=ply).best)
        if state.outcome is None:
            found.append(state)
    return found


def rate(player: str, states: list[coppice.State]) -> float:
    """Simulations per CPU second of searches in these positions: the best of three runs."""
    decider = coppice.player(player)
    best = 0.0
    for run in range(3):
        simulations, started = 0, time.process_time()
        for state in states:
            simulations += decider.search(state, coppice.Limit(simulations=4000), seed=run).simulations
        best = max(best, simulations / (time.process_time() - started))
    return best


@pytest.mark.parametrize("decisions", [0, 6, 12])
def test_rules_cost_less_than_three_more_simulations(decisions: int) -> None:
    states = positions(decisions)
    ratio = rate("jack_v3", states) / rate("jack_v2", states)
    print(f"\nafter {decisions} decisions jack_v3 makes {ratio:.2f} of jack_v2's simulations per second")
    assert ratio >= 0.25
