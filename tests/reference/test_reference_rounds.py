"""Nested search that evaluates each successor more than once: what the mean of several playouts must be.

The probability of each value of one playout is exact (`Expected`), and so is that of the mean of a few.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import pytest
from test_reference_nested import bound, chi_squared

import coppice
from coppice.reference.nmcs import Expected, after, sign

# Positions with few moves; in the first two the second side moves, and games of them are often drawn.
POSITIONS = {
    "tic_tac_toe": ("b2", "a1", "c3"),
    "misere(tic_tac_toe)": ("b2", "a1", "c3"),
    "domineering(rows=3, columns=4)": (),
}
ROUNDS = 2000


def start(game: str) -> coppice.State:
    return coppice.game(game).start().play(*POSITIONS[game])


def scores(state: coppice.State, level: int, *, discount: bool) -> dict[str, dict[float, float]]:
    """By successor the probability of each score, 0 to 1 for the side to move, of one playout of `level`."""
    expected, gain = Expected(discount), sign(state.to_move)
    return {
        move: {
            (1 + gain * value) / 2: probability
            for value, probability in expected.values(level, after(state, move), 2).items()
        }
        for move in state.legal_moves
    }


def choices_by_means_of_two(found: Mapping[str, Mapping[float, float]]) -> dict[str, float]:
    """The probability that a successor has the highest mean of two playouts, equals being drawn by lot."""
    sums: dict[str, dict[float, float]] = {}
    for move, once in found.items():
        sums[move] = {}
        for one, p in once.items():
            for two, q in once.items():
                both = round(one + two, 5)
                sums[move][both] = sums[move].get(both, 0.0) + p * q
    # By the moves looked at so far: the best sum, which ones have it, and how probable that is.
    best: dict[tuple[float, tuple[str, ...]], float] = {(-1.0, ()): 1.0}
    for move, values in sums.items():
        more: dict[tuple[float, tuple[str, ...]], float] = {}
        for (high, equals), p in best.items():
            for value, q in values.items():
                now = (
                    (value, (move,)) if value > high else (high, (*equals, move) if value == high else equals)
                )
                more[now] = more.get(now, 0.0) + p * q
        best = more
    chosen = dict.fromkeys(found, 0.0)
    for (_, equals), p in best.items():
        for move in equals:
            chosen[move] += p / len(equals)
    return {move: p for move, p in chosen.items() if p > 1e-12}


@pytest.mark.parametrize(
    ("level", "options"),
    [
        (0, ""),
        (0, "discount=true"),
        (0, "discount=true, prune_on_depth=1"),
        (0, "discount=true, prune_on_depth=1, pod_mode=paper"),
        (1, ""),
        (1, "discount=true, prune_on_depth=2"),
    ],
)
@pytest.mark.parametrize("game", POSITIONS)
def test_the_mean_of_many_rounds_is_that_of_whole_playouts(game: str, level: int, options: str) -> None:
    state = start(game)
    found = scores(state, level, discount="discount" in options)
    # Draws must count: without any, a draw worth a loss would pass.
    assert ("tic" not in game) or any(0.5 in one for one in found.values())
    rounds = ROUNDS if level == 0 else ROUNDS // 4
    report = coppice.player(f"nested(level={level}, {options or 'discount=false'}, rounds={rounds})").search(
        state, seed=1
    )
    assert {stat.name for stat in report.moves} == found.keys()
    for stat in report.moves:
        mean = sum(score * p for score, p in found[stat.name].items())
        variance = sum((score - mean) ** 2 * p for score, p in found[stat.name].items())
        assert stat.visits == rounds
        assert stat.value == pytest.approx(mean, abs=4.5 * math.sqrt(variance / rounds) + 1e-6)
    assert report.simulations == rounds * len(found)
    assert report.best == max(report.moves, key=lambda stat: stat.value or 0.0).name


@pytest.mark.parametrize("options", ["discount=false", "discount=true, prune_on_depth=1"])
@pytest.mark.parametrize("game", POSITIONS)
def test_the_best_mean_of_two_playouts_is_played_as_often_as_it_is_the_best(game: str, options: str) -> None:
    state = start(game)
    expected = choices_by_means_of_two(scores(state, 0, discount="discount=true" in options))
    assert sum(expected.values()) == pytest.approx(1)
    player = coppice.player(f"nested(level=0, {options}, rounds=2)")
    seen = Counter(player.search(state, seed=seed).best for seed in range(1500))
    value, freedom = chi_squared(seen, expected)
    assert freedom > 0
    assert value < bound(freedom), (seen, expected)


def test_rounds_and_a_limit_of_simulations_count_playouts_of_successors() -> None:
    state = start("tic_tac_toe")
    moves = len(state.legal_moves)
    whole = coppice.player("nested(level=0, rounds=3)").search(state, seed=2)
    assert [stat.visits for stat in whole.moves] == [3] * moves
    begun = coppice.player(f"nested(level=0, simulations={2 * moves + 1})").search(state, seed=2)
    # The last round has come to one of the successors.
    assert sorted(stat.visits for stat in begun.moves) == [2] * (moves - 1) + [3]
