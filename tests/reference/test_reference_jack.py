"""The information-set search of the core replayed by its plain Python twin."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from test_reference import CHI_SQUARED_19, Drawn

import coppice
from coppice.reference.jack import (
    Cutoff,
    Decisive,
    Full,
    InformationSetSearch,
    Plausible,
    Position,
    RandomPower,
    Scripted,
    ScriptedPower,
    StagedPlayout,
    Widening,
    key_of,
)
from coppice.reference.tree_search import Disagreement, evenly

# By the spec of the candidates. The other rules are those of `other_rules`.
CANDIDATES: dict[str, Callable[[str], Full]] = {
    "full": lambda _: Full(),
    "random_power": lambda _: RandomPower(),
    "scripted_power": lambda _: ScriptedPower(),
    "scripted_power(rules={rules})": ScriptedPower,
    "widening": lambda _: Widening(),
    "widening(c=0.5, a=0.75)": lambda _: Widening(c=0.5, a=0.75),
    "plausible": lambda _: Plausible(),
    "plausible(n=3)": lambda _: Plausible(n=3),
    "plausible(n=25, rules={rules})": lambda rules: Plausible(n=25, rules=rules),
}
DRAWN_ANEW = "random_power(drawn=played)"
# By the spec of the playout.
PLAYOUTS: dict[str, Callable[[str], list[StagedPlayout]]] = {
    "uniform": lambda _: [],
    "decisive": lambda _: [Decisive()],
    "scripted": lambda _: [Scripted()],
    "scripted(rules={rules})": lambda rules: [Scripted(rules)],
    "cutoff": lambda _: [Cutoff()],
    "cutoff(n=0)": lambda _: [Cutoff(0)],
    "cutoff(n=2)+decisive": lambda _: [Cutoff(2), Decisive()],
    "cutoff(n=3)+scripted": lambda _: [Cutoff(3), Scripted()],
}


@pytest.fixture(scope="session")
def other_rules(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder of rule scripts that take the last option, and find it better the later it is."""
    folder: Path = tmp_path_factory.mktemp("rules")
    for name in ("holmes", "watson", "smith", "lestrade", "stealthy", "goodley", "gull", "bert"):
        text = "return function(turn) return #turn.options, 1 / (1 + turn.me + #turn.options % 5) end"
        (folder / f"{name}.lua").write_text(text)
    return str(folder)


@cache
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


# In the last turn but one, after Goodley's: his card comes once in both of them. Jack holds an alibi card.
LATE = (
    "turn=7 step={} next=holmes,watson,stealthy,smith deals=-/-/- "
    "at=holmes:g5,watson:a3,smith:g8,lestrade:e5,stealthy:i4,goodley:m10,gull:e9,bert:i8 facing=NE "
    "lamps=b2:+,f9:+ covers=h6,l12 cordons=NW,NE innocent=watson,smith witness={} jack=gull "
    "pile=watson:detective,stealthy:jack,goodley,smith,lestrade,bert,holmes accused=- end=-"
)
STEPS = {"first": "3 hand=gull", "second": "1 hand=lestrade,gull,bert"}


def late(side: str, witness: str = "visible") -> coppice.State:
    return coppice.game("mr_jack").state(LATE.format(STEPS[side], witness))


def logged(state: coppice.State, player: str, simulations: int) -> coppice.Thinking:
    thinking = coppice.player(player).think(state, seed=5)
    thinking.keep_log()
    thinking.run(coppice.Limit(simulations=simulations))
    return thinking


def check_tree(thinking: coppice.Thinking, twin: InformationSetSearch, error: float = 1e-9) -> None:
    """The tree of the core is the twin's."""
    report = thinking.report()
    assert {stat.name: stat.visits for stat in report.moves} == {
        move: child.visits for move, child in twin.root.children.items()
    }
    for stat in report.moves:
        child = twin.root.children[stat.name]
        if child.visits:
            assert stat.value == pytest.approx(child.score / child.visits, abs=error)
    assert report.nodes == len(twin.nodes)


@pytest.mark.parametrize("spec", CANDIDATES)
@pytest.mark.parametrize("side", ["first", "second"])
def test_the_search_replays_to_the_same_tree(spec: str, side: str, other_rules: str) -> None:
    state = in_the_middle(side)
    candidates = spec.format(rules=f'"{other_rules}"')
    thinking = logged(state, f"jack(candidates={candidates}, playout=decisive)", 300)
    twin = InformationSetSearch(state, state.game.state, candidates=CANDIDATES[spec](other_rules), k=0.6)
    twin.replay(thinking.log(), thinking.worlds())
    check_tree(thinking, twin)


@pytest.mark.parametrize("side", ["first", "second"])
def test_a_search_that_draws_powers_anew_replays_to_the_same_tree(side: str) -> None:
    state = in_the_middle(side)
    thinking = logged(state, f"jack(candidates={DRAWN_ANEW}, playout=decisive)", 300)
    twin = InformationSetSearch(state, state.game.state, candidates=RandomPower("played"), k=0.6)
    twin.replay(thinking.log(), thinking.worlds())
    report = thinking.report()
    visits = {" ".join(key_of(stat.name)): stat.visits for stat in report.moves}
    assert visits == {name: child.visits for name, child in twin.root.children.items()}
    assert report.nodes == len(twin.nodes)
    # The same log by the other reading.
    made = InformationSetSearch(state, state.game.state, candidates=RandomPower(), k=0.6)
    with pytest.raises(Disagreement, match="was chosen in the tree where"):
        made.replay(thinking.log(), thinking.worlds())


@pytest.mark.parametrize("spec", PLAYOUTS)
@pytest.mark.parametrize(("side", "witness"), [("first", "visible"), ("second", "invisible")])
def test_playouts_replay_with_the_right_frequencies(
    spec: str, side: str, witness: str, other_rules: str
) -> None:
    state = late(side, witness)
    playout = spec.format(rules=f'"{other_rules}"')
    thinking = logged(state, f"jack(candidates=random_power, playout={playout})", 300)
    policies = PLAYOUTS[spec](other_rules)
    twin = InformationSetSearch(state, state.game.state, candidates=RandomPower(), k=0.6, playout=policies)
    drawn = Drawn()
    twin.replay(thinking.log(), thinking.worlds(), drawn.watch)
    # The core adds estimates, which are no multiples of a half, in single precision.
    check_tree(thinking, twin, 1e-6)
    if spec != "cutoff(n=0)":
        assert drawn.bins.total() > 400
        assert drawn.chi_squared() < CHI_SQUARED_19, sorted(drawn.bins.items())


@pytest.mark.parametrize(
    ("core", "candidates", "playout", "message"),
    [
        ("candidates=full", RandomPower(), None, "may bear a child"),
        ("candidates=random_power", ScriptedPower(), None, "was chosen in the tree where"),
        ("candidates=widening", Widening(c=3.0), None, "may bear a child"),
        ("candidates=widening", Widening(c=1.0), None, "was chosen in the tree where"),
        ("candidates=plausible(n=10)", Plausible(n=4), None, "may bear a child"),
        ("candidates=plausible(n=4)", Plausible(n=10), None, "may bear a child"),
        ("candidates=random_power", RandomPower(), [Scripted()], "was chosen in a playout where"),
        (
            "candidates=random_power, playout=cutoff(n=2)",
            RandomPower(),
            [Cutoff(1)],
            "was played where the playout ends with",
        ),
        (
            "candidates=random_power, playout=cutoff(n=2)",
            RandomPower(),
            [Cutoff(3)],
            "the simulation stops before the end of the game",
        ),
        ("candidates=random_power, k_detective=0.1", RandomPower(), None, "was chosen in the tree where"),
    ],
)
def test_the_twin_notices_another_algorithm(
    core: str, candidates: Full, playout: list[StagedPlayout] | None, message: str
) -> None:
    state = late("first")
    thinking = logged(state, f"jack({core})", 300)
    twin = InformationSetSearch(state, state.game.state, candidates=candidates, k=0.6, playout=playout)
    with pytest.raises(Disagreement, match=message):
        twin.replay(thinking.log(), thinking.worlds())


class Flat(Decisive):
    """The same moves as `decisive`, each equally often."""

    def options(self, position: Position) -> dict[str, float]:
        return evenly(list(super().options(position)))


def test_the_frequencies_notice_a_draw_that_is_not_in_stages() -> None:
    state = late("second")
    thinking = logged(state, "jack(candidates=random_power, playout=decisive)", 300)
    twin = InformationSetSearch(state, state.game.state, candidates=RandomPower(), k=0.6, playout=[Flat()])
    drawn = Drawn()
    twin.replay(thinking.log(), thinking.worlds(), drawn.watch)
    assert drawn.chi_squared() > 2 * CHI_SQUARED_19


def test_a_log_without_worlds_is_no_log_of_mr_jack() -> None:
    state = late("first")
    twin = InformationSetSearch(state, state.game.state, candidates=RandomPower(), k=0.6)
    with pytest.raises(ValueError, match="the log has no worlds: it is not of a game with hidden"):
        twin.replay([(["holmes c5"], 1, 1.0)], [None])


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
