"""Nested search and minimax playouts of the core against their plain Python twin and exact probabilities."""

from __future__ import annotations

import math
import random
import statistics
from collections import Counter

import pytest
from test_reference import CHI_SQUARED_19, Drawn, logged

import coppice
from coppice.reference.nmcs import Expected, Minimax, Nested, NestedPlayout
from coppice.reference.tree_search import Disagreement, Playout, Settings, TreeSearch

# Positions with few moves, and moves that differ.
POSITIONS = {
    "tic_tac_toe": ("b2", "a1"),
    "domineering(rows=3, columns=4)": (),
    "misere(domineering(rows=3, columns=3))": (),
    "breakthrough(rows=4, columns=3)": (),
}
# Options of `nested`, whether they discount.
SETTINGS = {
    "level=1": False,
    "level=1, cut_on_win=2": False,
    "level=1, discount=true": True,
    "level=1, discount=true, prune_on_depth=2": True,
    "level=1, discount=true, prune_on_depth=2, pod_mode=paper": True,
    "level=0": False,
    "level=0, discount=true, prune_on_depth=1": True,
}


def start(game: str) -> coppice.State:
    return coppice.game(game).start().play(*POSITIONS[game])


def chi_squared(seen: Counter[str], expected: dict[str, float]) -> tuple[float, int]:
    """The statistic and its degrees of freedom; what is never expected must never be seen."""
    assert seen.keys() <= expected.keys()
    total = seen.total()
    squares = [(seen[move] - total * p) ** 2 / (total * p) for move, p in expected.items()]
    return sum(squares), len(squares) - 1


def bound(freedom: int) -> float:
    """Exceeded once in about 30,000 times (Wilson and Hilferty)."""
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + 4 * math.sqrt(spread)) ** 3


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("game", POSITIONS)
def test_the_player_moves_as_often_as_the_algorithm_would(game: str, settings: str) -> None:
    state = start(game)
    # The player's scan is one level above its playouts.
    level = int(settings[6]) + 1
    expected = Expected(SETTINGS[settings]).moves(level, state)
    assert sum(expected.values()) == pytest.approx(1)
    player = coppice.player(f"nested({settings})")
    seen = Counter(player.search(state, seed=seed).best for seed in range(1500))
    value, freedom = chi_squared(seen, expected)
    if freedom:
        assert value < bound(freedom), (seen, expected)


def test_the_frequencies_tell_discounting_from_none() -> None:
    state = start("breakthrough(rows=4, columns=3)")
    seen = Counter(coppice.player("nested(level=1)").search(state, seed=seed).best for seed in range(1500))
    value, freedom = chi_squared(seen, Expected(True).moves(2, state))
    assert value > 2 * bound(freedom)


@pytest.mark.parametrize(
    ("settings", "twin"),
    [
        ("level=1", Nested()),
        ("level=1, cut_on_win=1", Nested(cut_on_win=1)),
        ("level=1, cut_on_win=2", Nested(cut_on_win=2)),
        ("level=1, discount=true", Nested(discount=True)),
        ("level=1, discount=true, prune_on_depth=1", Nested(discount=True, prune_on_depth=1)),
        ("level=1, discount=true, prune_on_depth=2", Nested(discount=True, prune_on_depth=2)),
        (
            "level=1, discount=true, prune_on_depth=2, pod_mode=paper",
            Nested(discount=True, prune_on_depth=2, pod_mode="paper"),
        ),
    ],
)
def test_as_many_states_are_visited(settings: str, twin: Nested) -> None:
    state = start("breakthrough(rows=4, columns=3)")
    player = coppice.player(f"nested({settings})")
    core = [player.search(state, seed=seed).states for seed in range(400)]
    rng = random.Random(2)
    plain = []
    for _ in range(120):
        twin.states = 0
        twin.choose(2, state, 1, rng)
        plain.append(twin.states)
    error = math.sqrt(statistics.variance(core) / len(core) + statistics.variance(plain) / len(plain))
    assert abs(statistics.mean(core) - statistics.mean(plain)) <= 4.5 * error


PLAYOUTS: dict[str, Playout] = {
    "nested(level=0)": NestedPlayout(level=0),
    "nested(level=1)": NestedPlayout(level=1),
    "nested(level=1, cut_on_win=1)": NestedPlayout(level=1),
    "nested(level=1, discount=true, prune_on_depth=1)": NestedPlayout(level=1, discount=True),
    "nested(level=1, discount=true, prune_on_depth=1, pod_mode=paper)": NestedPlayout(level=1, discount=True),
    "nested(level=1, order=fixed)": NestedPlayout(level=1, order="fixed"),
    "nested(level=1, order=fixed, discount=true)": NestedPlayout(level=1, order="fixed", discount=True),
    "nested(level=1, order=fixed, cut_on_win=1)": NestedPlayout(level=1, order="fixed"),
    "nested(level=1, base=decisive)": NestedPlayout(level=1, base=Minimax(depth=1, avoid=False)),
    "nested(level=1, discount=true, base=minimax(depth=1))": NestedPlayout(
        level=1, discount=True, base=Minimax(depth=1)
    ),
    "nested(level=2, cut_on_win=2)": NestedPlayout(level=2),
    "minimax(depth=1)": Minimax(depth=1),
    "minimax(depth=2)": Minimax(depth=2),
    "minimax(depth=1, avoid=false)": Minimax(depth=1, avoid=False),
    "minimax(depth=2, avoid=false)": Minimax(depth=2, avoid=False),
    "minimax(depth=2, counted=false)": Minimax(depth=2, counted=False),
    "decisive": Minimax(depth=1, avoid=False),
}


@pytest.mark.parametrize("spec", PLAYOUTS)
@pytest.mark.parametrize("game", ["tic_tac_toe", "breakthrough(rows=4, columns=3)"])
def test_playouts_in_a_tree_replay_with_the_right_frequencies(game: str, spec: str) -> None:
    player = f"mcts(selection=uct(k=0.4), playout={spec})"
    state, thinking = logged(game, player, moves=POSITIONS[game])
    twin = TreeSearch(state, Settings(k=0.4), playout=[PLAYOUTS[spec]])
    drawn = Drawn()
    twin.replay(thinking.log(), drawn.watch)
    assert drawn.bins.total() > 100
    assert drawn.chi_squared() < CHI_SQUARED_19, sorted(drawn.bins.items())
    for stat in thinking.report().moves:
        child = twin.root.children.get(stat.name)
        assert stat.visits == (child.visits if child else 0)


def test_the_twin_notices_a_win_that_is_not_played() -> None:
    state, thinking = logged("tic_tac_toe", "mcts(selection=uct(k=0.4), playout=uniform)", 200)
    with pytest.raises(Disagreement, match="was chosen in a playout where"):
        TreeSearch(state, Settings(k=0.4), playout=[Minimax(depth=1)]).replay(thinking.log())


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("game", ["tic_tac_toe", "breakthrough(rows=4, columns=3)"])
def test_states_that_minimax_looks_at_count_unless_told_otherwise(game: str, depth: int) -> None:
    spec = "mcts(selection=uct(k=0.4), playout=minimax(depth={}, counted={}))"
    state, counting = logged(game, spec.format(depth, "true"), 60, moves=POSITIONS[game])
    _, other = logged(game, spec.format(depth, "false"), 60, moves=POSITIONS[game])
    assert counting.log() == other.log(), "counting changes no move"
    assert other.report().states == sum(len(moves) for moves, *_ in other.log())
    twin, least, most = Minimax(depth=depth), 0, 0
    for moves, tree_moves, _ in counting.log():
        for ply in range(tree_moves, len(moves)):
            low, high = twin.visits(state.copy().play(*moves[:ply]))
            least, most = least + low, most + high
    looked_at = counting.report().states - other.report().states
    assert 0 < least <= looked_at <= most
    assert Minimax(depth=depth, counted=False).visits(state) == (0, 0)
    start = coppice.game("breakthrough").start()
    assert twin.visits(start)[1] == (13 if depth == 1 else 13 + 156)


def test_every_option_of_minimax_is_alive() -> None:
    def searched(options: str) -> tuple[dict[str, int], int]:
        player = coppice.player(f"uct(playout=minimax({options}), simulations=400)")
        report = player.search(coppice.game("breakthrough").start(), seed=1)
        return {stat.name: stat.visits for stat in report.moves}, report.states

    plain, wins_only, uncounted = map(searched, ("depth=2", "depth=2, avoid=false", "depth=2, counted=false"))
    assert plain[0] != wins_only[0]
    assert plain[0] == uncounted[0], "counting changes no move"
    assert plain[1] > 10 * uncounted[1]
