"""Speed of the nested paper's games and searches, beside its rates and beside our own uniform playouts."""

from __future__ import annotations

import time

import pytest

import coppice

pytestmark = pytest.mark.bench

PAPER = {
    "breakthrough": 4.1e6,
    "knightthrough": 2.6e6,
    "domineering": 5.5e6,
    "nogo": 3.6e6,
    "atari_go": 2.8e6,
}
"""States per CPU second on 5x5 boards, normal form (table 3 of the paper)."""
REPEATS = 5
PLAYOUTS = 200_000
CPU_SECONDS = 0.4
MOVES = 200


def uniform(game: str, playouts: int, seed: int) -> float:
    """States per CPU second of uniform playouts."""
    run = coppice.game(game).start().random_games(playouts, seed=seed)
    return run["length_sum"] / run["cpu_seconds"]


def nested(game: str, seed: int) -> float:
    """The same of nested playouts of level 1."""
    player = coppice.Player(f"nested(level=1, cpu_seconds={CPU_SECONDS})")
    return player.search(coppice.game(game).start(), seed=seed).states / CPU_SECONDS


@pytest.mark.parametrize("game", PAPER)
def test_uniform_playouts_visit_ten_times_the_papers_states(game: str) -> None:
    rate = max(uniform(game, PLAYOUTS, seed) for seed in range(REPEATS))
    print(f"{game}: {rate / 1e6:.1f} million states per CPU second, {rate / PAPER[game]:.1f} of the paper's")
    assert rate >= 10 * PAPER[game]


@pytest.mark.parametrize("game", PAPER)
def test_nested_playouts_visit_three_quarters_of_the_states_of_uniform_ones(game: str) -> None:
    """Both take turns and run equally long: the best of short runs is better than that of long ones."""
    first = coppice.game(game).start().random_games(PLAYOUTS, seed=REPEATS)
    playouts = round(PLAYOUTS * CPU_SECONDS / first["cpu_seconds"])
    rates = [(nested(game, seed), uniform(game, playouts, seed)) for seed in range(REPEATS)]
    share = max(rate for rate, _ in rates) / max(rate for _, rate in rates)
    print(f"{game}: nested level 1 visits {share:.2f} of the states per second of uniform playouts")
    assert share >= 0.75


@pytest.mark.parametrize("playout", ["uniform", "nested(level=1)"])
def test_moves_of_ten_milliseconds_take_nine_to_eleven(playout: str) -> None:
    start = coppice.game("breakthrough").start()
    player = coppice.Player(f"mcts(playout={playout}, simulations=none, seconds=0.01)")
    taken = []
    for seed in range(MOVES):
        begun = time.perf_counter()
        player.search(start, seed=seed)
        taken.append(time.perf_counter() - begun)
    share = sum(0.009 <= seconds <= 0.011 for seconds in taken) / MOVES
    print(f"{playout}: {100 * share:.1f} % of the moves took 9 to 11 ms")
    assert share >= 0.95
