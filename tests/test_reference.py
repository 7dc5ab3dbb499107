"""The core replayed by its plain Python twin, move by move and table by table."""

from __future__ import annotations

import random

import pytest

import coppice
from coppice.reference.tree_search import Disagreement, Settings, TreeSearch

UCT = {
    "one": ("mcts(selection=uct(k=0.4))", Settings(k=0.4)),
    "first": ("mcts(selection=uct(k=0.4), order=first)", Settings(k=0.4, order="first")),
    "last": ("mcts(selection=uct(k=0.4), order=last)", Settings(k=0.4, order="last")),
    "late": ("mcts(selection=uct(k=0.4), expand_at=3)", Settings(k=0.4, expand_at=3)),
    "all": (
        "mcts(selection=uct(k=0.4), expansion=all, expand_at=1)",
        Settings(k=0.4, expansion="all", expand_at=1),
    ),
    "fossel": (
        "fossel_uct",
        Settings(k=0.9, expansion="all", expand_at=0, t=50, fpu=1.0),
    ),
    "virtual_win": (
        "mcts(selection=uct(k=0.4), expansion=all, fpu=1.0, fpu_mode=virtual_win)",
        Settings(k=0.4, expansion="all", fpu=1.0, fpu_mode="virtual_win"),
    ),
}


def logged(game: str, player: str, simulations: int, seed: int = 5) -> tuple[coppice.State, coppice.Thinking]:
    state = coppice.game(game).start()
    thinking = coppice.player(player).think(state, seed=seed)
    thinking.keep_log()
    thinking.run(coppice.Limit(simulations=simulations))
    return state, thinking


@pytest.mark.parametrize("name", UCT)
@pytest.mark.parametrize("game", ["havannah(size=3)", "domineering(rows=4, columns=4)"])
def test_uct_replays_to_the_same_tree(name: str, game: str) -> None:
    player, settings = UCT[name]
    state, thinking = logged(game, player, 2000)
    twin = TreeSearch(state, settings)
    twin.replay(thinking.log())
    report = thinking.report()
    assert report.simulations == twin.root.visits == 2000
    for stat in report.moves:
        child = twin.root.children.get(stat.name)
        assert stat.visits == (child.visits if child else 0)
        if child and child.visits:
            assert stat.value == pytest.approx(child.mean, abs=1e-9)


def test_the_twin_notices_another_constant() -> None:
    state, thinking = logged("havannah(size=3)", "mcts(selection=uct(k=0.4))", 500)
    with pytest.raises(Disagreement, match="was chosen in the tree where"):
        TreeSearch(state, Settings(k=1.4)).replay(thinking.log())


def test_the_twin_searches_by_itself() -> None:
    # Domineering 2x2: every move of the first side wins; 3x2 upright has better and worse ones.
    state = coppice.game("domineering(rows=3, columns=3)").start()
    twin = TreeSearch(state, Settings(k=0.4))
    best = twin.search(400, random.Random(1))
    assert best in {"b1b2", "b2b3"}
