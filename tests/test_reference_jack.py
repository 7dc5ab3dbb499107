"""The information-set search of the core replayed by its plain Python twin."""

from __future__ import annotations

import pytest

import coppice
from coppice.reference.jack import InformationSetSearch, key_of
from coppice.reference.tree_search import Disagreement

MODELS = {"full": "jack_v1", "random_power": "jack_v2", "scripted_power": "jack_v3"}


def in_the_middle(side: str) -> coppice.State:
    """A position near the end of a turn in which Goodley, who has too many moves for a list, has moved."""
    for seed in range(200):
        state = coppice.game("mr_jack").start(seed=seed)
        player = coppice.player("jack_v2(simulations=5)")
        while state.outcome is None and len(state.moves) < 11:
            state.play(player.search(state, seed=seed).best)
            fits = state.outcome is None and len(state.moves) in (5, 6, 10) and state.to_move == side
            if fits and "goodley" not in state.view("first")["hand"].split(","):
                return state
    raise AssertionError("no such position")


def logged(state: coppice.State, player: str, simulations: int) -> coppice.Thinking:
    thinking = coppice.player(player).think(state, seed=5)
    thinking.keep_log()
    thinking.run(coppice.Limit(simulations=simulations))
    return thinking


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("side", ["first", "second"])
def test_the_search_replays_to_the_same_tree(model: str, side: str) -> None:
    state = in_the_middle(side)
    thinking = logged(state, MODELS[model], 300)
    twin = InformationSetSearch(side, model=model, k=0.6)
    root = twin.replay(thinking.log(), thinking.worlds(), state.game.state, state)
    report = thinking.report()
    assert {stat.name: stat.visits for stat in report.moves} == {
        move: child.visits for move, child in root.children.items()
    }
    for stat in report.moves:
        child = root.children[stat.name]
        if child.visits:
            assert stat.value == pytest.approx(child.score / child.visits, abs=1e-9)
    assert report.nodes == len(twin.nodes)


def test_the_twin_notices_another_constant() -> None:
    state = in_the_middle("first")
    thinking = logged(state, "jack_v2", 300)
    twin = InformationSetSearch("first", model="random_power", k=3.0)
    with pytest.raises(Disagreement, match="was chosen in the tree where"):
        twin.replay(thinking.log(), thinking.worlds(), state.game.state, state)


def test_the_twin_notices_another_model() -> None:
    state = in_the_middle("first")
    thinking = logged(state, "jack_v1", 300)
    twin = InformationSetSearch("first", model="random_power", k=0.6)
    with pytest.raises(Disagreement):
        twin.replay(thinking.log(), thinking.worlds(), state.game.state, state)
    with pytest.raises(ValueError, match="unknown model 'widening': full, random_power, scripted_power"):
        InformationSetSearch("first", model="widening", k=0.6)


@pytest.mark.parametrize(
    ("move", "key"),
    [
        ("holmes c5", ("holmes", "c5")),
        ("watson b4 facing NE", ("watson", "b4")),
        ("bert cover a5>f7 c3", ("bert", "c3")),
        ("goodley b6 whistle smith>c5 watson>d4:NE", ("goodley", "b6")),
        ("gull swap bert", ("gull", "swap")),
        ("gull e6 swap bert", ("gull", "e6")),
        ("smith d4 accuse gull", ("smith", "accuse gull")),
        ("lestrade cordon NE>SW exit NE", ("lestrade", "exit NE")),
    ],
)
def test_the_key_of_a_move(move: str, key: tuple[str, str]) -> None:
    assert key_of(move) == key
