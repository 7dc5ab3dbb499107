"""The core replayed by its plain Python twin, move by move and table by table."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import coppice
from coppice.reference.champion import Bridge, Threats, duties, forced_win
from coppice.reference.fossel import (
    CornerBias,
    ExtendedRave,
    Mate,
    ProgressiveHistory,
    Proximity,
    RavePlayout,
)
from coppice.reference.havannah import Havannah
from coppice.reference.modern import KlUcb, Ppa
from coppice.reference.outlook import Contextual, NearLastMove
from coppice.reference.patterns import SHIPPED, Patterns
from coppice.reference.ppr import LastGoodReply, Mast, Nast, PoolRave, Ppr, Rave
from coppice.reference.rings import Rings
from coppice.reference.tree_search import Disagreement, Playout, Settings, TreeSearch, Uct

SIMULATIONS = 2000
FOSSEL = Settings(k=0.9, expansion="all", expand_at=0, t=50, fpu=1.0, budget=SIMULATIONS)
PLAIN = Settings(k=0.25, budget=SIMULATIONS)
BOARD = Havannah(3)
CELLS = tuple(cell.name for cell in coppice.game("havannah(size=3)").board().cells)

UCT = {
    "one": ("mcts(selection=uct(k=0.4))", Settings(k=0.4)),
    "first": ("mcts(selection=uct(k=0.4), expansion=one(order=first))", Settings(k=0.4, order="first")),
    "last": ("mcts(selection=uct(k=0.4), expansion=one(order=last))", Settings(k=0.4, order="last")),
    "late": ("mcts(selection=uct(k=0.4), expansion=one(at=3))", Settings(k=0.4, expand_at=3)),
    "all": (
        "mcts(selection=uct(k=0.4), expansion=all)",
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


def fossel_rave() -> Rave:
    return Rave(r=50, schedule="linear", amaf="raw", k=0.2)


SELECTION: dict[str, tuple[Settings, Callable[[], Uct]]] = {
    "rave": (PLAIN, Rave),
    "fossel_rave": (FOSSEL, fossel_rave),
    "fossel_ph": (FOSSEL, lambda: ProgressiveHistory(c=0.3, w=10)),
    "fossel_er": (FOSSEL, lambda: ExtendedRave(c=0.4, w=10, r=50)),
    "mcts(selection=rave(amaf=raw, k=0.1), expansion=all(at=5), fpu=0.7, fpu_mode=virtual_win)": (
        Settings(expansion="all", expand_at=5, fpu=0.7, fpu_mode="virtual_win"),
        lambda: Rave(amaf="raw", k=0.1),
    ),
    "rave(expansion=progressive(at=8, by=1.5), fpu=0.5, ties=first)": (
        Settings(fpu=0.5, expansion="all", widen=3, widen_at=8, widen_by=1.5),
        Rave,
    ),
    "mcts(selection=progressive_history(c=0.2, w=3))": (
        PLAIN,
        lambda: ProgressiveHistory(c=0.2, w=3),
    ),
    "mcts(selection=extended_rave(k=0.35, w=3, r=20), expansion=one(at=3))": (
        Settings(expand_at=3),
        lambda: ExtendedRave(c=0.7, w=3, r=20),
    ),
    "rave(selection=rave(k=0.1, learn=tree))": (Settings(learn="tree"), lambda: Rave(k=0.1)),
    "mcts(selection=rave(amaf=raw, learn=tree), expansion=all(at=3), fpu=0.6)": (
        Settings(expansion="all", expand_at=3, fpu=0.6, learn="tree"),
        lambda: Rave(amaf="raw"),
    ),
    "mcts(selection=extended_rave(c=0.4, w=3, r=20, learn=tree))": (
        Settings(learn="tree"),
        lambda: ExtendedRave(c=0.4, w=3, r=20),
    ),
    "mcts(selection=proximity(of=rave(r=130), weight=0.3, range=1))": (
        PLAIN,
        lambda: NearLastMove(Rave(), BOARD, weight=0.3, range=1),
    ),
    "mcts(selection=proximity(of=uct(k=0.4), weight=0.5, range=2))": (
        Settings(k=0.4),
        lambda: NearLastMove(Uct(), BOARD, weight=0.5, range=2),
    ),
    "mcts(selection=kl_ucb)": (PLAIN, KlUcb),
    "mcts(selection=kl_ucb(k=0.3, c=0.5), expansion=all(at=3), fpu=0.6)": (
        Settings(expansion="all", expand_at=3, fpu=0.6),
        lambda: KlUcb(k=0.3, c=0.5),
    ),
    "mcts(selection=kl_ucb(k=0.25), expansion=all, fpu=1.0, fpu_mode=virtual_win)": (
        Settings(expansion="all", fpu=1.0, fpu_mode="virtual_win"),
        lambda: KlUcb(k=0.25),
    ),
    "mcts(selection=proximity(of=kl_ucb(k=0.4), weight=0.5, range=2))": (
        PLAIN,
        lambda: NearLastMove(KlUcb(k=0.4), BOARD, weight=0.5, range=2),
    ),
    "mcts(selection=rave(r=300, ref=25))": (PLAIN, lambda: Rave(r=300, ref=25)),
    "mcts(selection=rave(amaf=raw, ref=60, k=0.1), expansion=all(at=5), fpu=0.7)": (
        Settings(expansion="all", expand_at=5, fpu=0.7),
        lambda: Rave(amaf="raw", ref=60, k=0.1),
    ),
}

# By the spec of the playout, on top of the PPR paper's RAVE.
PPR: dict[str, Callable[[], list[Playout]]] = {
    "ppr": lambda: [Ppr()],
    "ppr(tn=0, tw=0.5, p=0.5, default_pruning=last_part_literal)": lambda: [
        Ppr(tn=0, tw=0.5, p=0.5, default_pruning="last_part_literal")
    ],
    "ppr(tn=0.1, tw=0.4, default_pruning=none, tn_mode=done)": lambda: [
        Ppr(tn=0.1, tw=0.4, default_pruning="none", tn_mode="done")
    ],
    "ppr(list=false)": lambda: [Ppr(has_list=False)],
    "ppr(numbering=shuffled)": lambda: [Ppr(numbering=numbering())],
    "ppr(list=false, p=0.6, numbering=shuffled)": lambda: [Ppr(has_list=False, p=0.6, numbering=numbering())],
    "pool_rave(n=5, p=0.6, visits=20, seen=20)": lambda: [PoolRave(n=5, p=0.6, visits=20, seen=20)],
    "last_good_reply": lambda: [LastGoodReply()],
    "last_good_reply(forget=false)": lambda: [LastGoodReply(forget=False)],
    "last_good_reply(learn=playout)": lambda: [LastGoodReply(learn_from="playout")],
    "last_good_reply(scope=per_node)": lambda: [LastGoodReply(scope="per_node")],
    "last_good_reply(published=true)": lambda: [LastGoodReply(published=True, slots=CELLS)],
    "mast": lambda: [Mast()],
    "mast(select=gibbs, tau=0.2)": lambda: [Mast(select="gibbs", tau=0.2)],
    "mast(select=gibbs, published=true)": lambda: [Mast(select="gibbs", published=True)],
    "mast(select=eps_greedy, eps=0.3)": lambda: [Mast(select="eps_greedy", eps=0.3)],
    "ppa": lambda: [Ppa()],
    "ppa(alpha=1)": lambda: [Ppa(alpha=1)],
    "nast": lambda: [Nast()],
    "nast(select=gibbs)": lambda: [Nast(select="gibbs")],
    "nast(n=3, seen=2, select=gibbs, tau=0.3)": lambda: [Nast(n=3, seen=2, select="gibbs", tau=0.3)],
    "nast(n=3, select=eps_greedy)": lambda: [Nast(n=3, select="eps_greedy")],
    "nast(eps=0.5)": lambda: [Nast(eps=0.5)],
    "nast(select=gibbs, published=true)": lambda: [Nast(select="gibbs", published=True)],
    "contextual": lambda: [Contextual()],
    "contextual(p=0.7, seen=4, bound=0.4)": lambda: [Contextual(p=0.7, seen=4, bound=0.4)],
    "last_good_reply+pool_rave(n=5, p=0.5)+mast(select=gibbs, tau=0.5)": lambda: [
        LastGoodReply(),
        PoolRave(n=5, p=0.5),
        Mast(select="gibbs", tau=0.5),
    ],
    "mate+ppr": lambda: [Mate(BOARD), Ppr()],
    "threats": lambda: [Threats(BOARD)],
    "threats(moves=5)": lambda: [Threats(BOARD, moves=5)],
    "bridge": lambda: [Bridge(BOARD)],
    "bridge(p=0.6)": lambda: [Bridge(BOARD, p=0.6)],
    "threats+bridge": lambda: [Threats(BOARD), Bridge(BOARD)],
    "rings": lambda: [Rings(BOARD)],
    "rings(stones=1)": lambda: [Rings(BOARD, 1)],
    "rings+last_good_reply": lambda: [Rings(BOARD), LastGoodReply()],
    "last_good_reply+rings(2)+bridge": lambda: [LastGoodReply(), Rings(BOARD, 2), Bridge(BOARD)],
    "patterns": lambda: [Patterns(BOARD)],
    "patterns(near=false, clip=20)": lambda: [Patterns(BOARD, near=False, clip=20)],
    "last_good_reply+patterns(clip=2)": lambda: [LastGoodReply(), Patterns(BOARD, clip=2)],
}

# By the spec of the playout, on top of Fossel's RAVE.
FOSSEL_PLAYOUTS: dict[str, Callable[[], list[Playout]]] = {
    "mate(c=1, min=1)": lambda: [Mate(BOARD, c=1, min=1)],
    "mate(c=1.5, turns=playout, min=1)": lambda: [Mate(BOARD, c=1.5, turns="playout", min=1)],
    "mate(c=1)": lambda: [Mate(BOARD, c=1)],
    "mate(c=1.5, turns=playout, block=true, shortcut=false, min=1)": lambda: [
        Mate(BOARD, c=1.5, turns="playout", block=True, shortcut=False, min=1)
    ],
    "mate(c=1, block=true, min=1)": lambda: [Mate(BOARD, c=1, block=True, min=1)],
    "mate(c=1, played=false, min=1)": lambda: [Mate(BOARD, c=1, played=False, min=1)],
    "rave_playout(p=0.75)": lambda: [RavePlayout(p=0.75)],
    "rave_playout(p=0.75, by=sum)": lambda: [RavePlayout(p=0.75, by="sum")],
    "corner_bias(w=5)": lambda: [CornerBias(BOARD, w=5)],
    "proximity(w=3)": lambda: [Proximity(BOARD, w=3)],
    "proximity(w=6)": lambda: [Proximity(BOARD, w=6)],
    "proximity(mode=alternative, p=0.5, h=2, range=2)": lambda: [
        Proximity(BOARD, mode="alternative", p=0.5, h=2, range=2)
    ],
}
# The same, with a file of weights.
WEIGHTED: dict[str, Callable[[Path], list[Playout]]] = {
    'patterns(weights="{}")': lambda file: [Patterns(BOARD, weights=file)],
}
# By the spec of the playout: what it learns is kept or forgotten when the tree is kept.
KEPT: dict[str, Callable[[], list[Playout]]] = {
    "last_good_reply": lambda: [LastGoodReply()],
    "last_good_reply(keep=true)": lambda: [LastGoodReply(keep=True)],
    "last_good_reply(scope=per_node)": lambda: [LastGoodReply(scope="per_node")],
    "mast": lambda: [Mast()],
    "mast(select=gibbs, tau=0.2, keep=true)": lambda: [Mast(select="gibbs", tau=0.2, keep=True)],
    "nast": lambda: [Nast()],
    "nast(n=3, keep=true)": lambda: [Nast(n=3, keep=True)],
    "ppa": lambda: [Ppa()],
    "ppa(keep=true)": lambda: [Ppa(keep=True)],
    "contextual": lambda: [Contextual()],
}
KEPT_SELECTION: dict[str, Callable[[], Uct]] = {
    "progressive_history": lambda: ProgressiveHistory(),
    "progressive_history(k=0.3, keep=true)": lambda: ProgressiveHistory(c=0.6, keep=True),
}
OF_PPR = "mcts(selection=rave(r=130, k=0), playout={})"
OF_FOSSEL = (
    "mcts(selection=rave(schedule=linear, r=50, amaf=raw, c=0.4), playout={}, "
    "expansion=all(at=0), playout_until=50, fpu=1.0, final=score)"
)


MASK = 2**64 - 1


def mixed(x: int) -> int:
    """One round of splitmix64."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


class Stream:
    """The core's stream of random numbers that has these names."""

    def __init__(self, *names: int) -> None:
        self.state = 0x2545F4914F6CDD1D
        for name in names:
            self.state = mixed(self.state ^ mixed(name))

    def draw(self) -> int:
        self.state = (self.state + 0xA0761D6478BD642F) & MASK
        product = self.state * (self.state ^ 0xE7037ED1A0B428DB)
        return (product >> 64) ^ (product & MASK)

    def below(self, n: int) -> int:
        return ((self.draw() >> 32) * n) >> 32


def numbering(seed: int = 5) -> tuple[str, ...]:
    """The cells in the order that `ppr(numbering=shuffled)` draws once for a game with this seed."""
    ranks = list(range(len(CELLS)))
    rng = Stream(mixed(Stream(seed, 0).draw()))
    for i in range(len(ranks) - 1, 0, -1):
        j = rng.below(i + 1)
        ranks[i], ranks[j] = ranks[j], ranks[i]
    return tuple(sorted(CELLS, key=lambda cell: ranks[CELLS.index(cell)]))


def logged(
    game: str, player: str, simulations: int = SIMULATIONS, seed: int = 5, moves: tuple[str, ...] = ()
) -> tuple[coppice.State, coppice.Thinking]:
    state = coppice.game(game).start().play(*moves)
    thinking = coppice.player(player).think(state, seed=seed)
    thinking.keep_log()
    thinking.run(coppice.Limit(simulations=simulations))
    return state, thinking


def check_tables(thinking: coppice.Thinking, twin: TreeSearch, names: tuple[str, ...] = CELLS) -> None:
    """Every table of the core is the twin's."""
    theirs = twin.tables()
    tables = thinking.tables()
    assert [table.name for table in tables[:2]] == ["visits", "value"]
    for table in tables:
        known = {
            names[cell]: names[int(value)] if table.scale == "cell" else value
            for cell, value in table.known.items()
        }
        expected = theirs[table.name, table.side]
        same = known == (expected if table.scale == "cell" else pytest.approx(expected, abs=1e-5))
        assert same, (table.name, table.side, known, expected)


@pytest.mark.parametrize("name", UCT)
@pytest.mark.parametrize("game", ["havannah(size=3)", "domineering(rows=4, columns=4)"])
def test_uct_replays_to_the_same_tree(name: str, game: str) -> None:
    player, settings = UCT[name]
    state, thinking = logged(game, player)
    twin = TreeSearch(state, settings)
    twin.replay(thinking.log())
    report = thinking.report()
    assert report.simulations == twin.root.visits == SIMULATIONS
    for stat in report.moves:
        child = twin.root.children.get(stat.name)
        assert stat.visits == (child.visits if child else 0)
        if child and child.visits:
            assert stat.value == pytest.approx(child.mean, abs=1e-9)


@pytest.mark.parametrize("player", SELECTION)
@pytest.mark.parametrize("moves", [(), ("c3", "a1", "d3")], ids=["start", "later"])
def test_selection_replays_to_the_same_tables(player: str, moves: tuple[str, ...]) -> None:
    settings, policy = SELECTION[player]
    state, thinking = logged("havannah(size=3)", player, moves=moves)
    twin = TreeSearch(state, settings, policy())
    twin.replay(thinking.log())
    check_tables(thinking, twin)
    amaf = {stat.name: (stat.amaf_visits, stat.amaf_value) for stat in thinking.report().moves}
    for name, (visits, value) in amaf.items():
        tally = twin.root.amaf.get((state.to_move, name))
        if visits is not None:
            assert visits == (tally.visits if tally else 0)
            assert value == (pytest.approx(tally.mean, abs=1e-5) if tally else None)


class Drawn:
    """Whether choices follow their probabilities: each becomes a number that must be uniform in 0..1."""

    BINS = 20

    def __init__(self) -> None:
        self.rng = random.Random(7)
        self.bins: Counter[int] = Counter()

    def watch(self, options: dict[str, float], move: str) -> None:
        # In the order of their probabilities, so that too much weight on likely moves is seen.
        ranked = sorted(options, key=lambda name: (options[name], name))
        sums = list(itertools.accumulate(options[name] for name in ranked))
        end = sums[ranked.index(move)]
        at = (end - options[move] * self.rng.random()) / sums[-1]
        self.bins[min(int(at * self.BINS), self.BINS - 1)] += 1

    def chi_squared(self) -> float:
        expected = self.bins.total() / self.BINS
        return sum((self.bins[i] - expected) ** 2 / expected for i in range(self.BINS))


# A chi-squared with 19 degrees of freedom exceeds this once in 10,000 times.
CHI_SQUARED_19 = 50.8


# The side to move can complete a bridge, far from its last stone.
LATER = ("a1", "c3", "a3", "d4", "d3", "c4")
MATES = [spec for spec in FOSSEL_PLAYOUTS if spec.startswith("mate")]


@pytest.mark.parametrize(
    ("spec", "moves"),
    [*((spec, ()) for spec in (*PPR, *FOSSEL_PLAYOUTS)), *((spec, LATER) for spec in MATES)],
)
def test_playouts_replay_to_the_same_tables_with_the_right_frequencies(
    spec: str, moves: tuple[str, ...]
) -> None:
    of_ppr = spec in PPR
    policies = PPR[spec]() if of_ppr else FOSSEL_PLAYOUTS[spec]()
    player = (OF_PPR if of_ppr else OF_FOSSEL).format(spec)
    state, thinking = logged("havannah(size=3)", player, moves=moves)
    twin = (
        TreeSearch(state, PLAIN, Rave(), policies)
        if of_ppr
        else TreeSearch(state, FOSSEL, fossel_rave(), policies)
    )
    drawn = Drawn()
    twin.replay(thinking.log(), drawn.watch)
    check_tables(thinking, twin)
    assert moves or drawn.bins.total() > 2 * SIMULATIONS
    assert drawn.chi_squared() < CHI_SQUARED_19, sorted(drawn.bins.items())


@pytest.mark.parametrize("spec", WEIGHTED)
def test_playouts_by_weights_of_a_file_replay_with_the_right_frequencies(spec: str, tmp_path: Path) -> None:
    # The reciprocals of the shipped weights: what was rare is frequent.
    weights = json.loads(SHIPPED.read_text())
    weights["patterns"] = {
        name: [round(1 / number, 6) for number in numbers] for name, numbers in weights["patterns"].items()
    }
    file = tmp_path / "weights.json"
    file.write_text(json.dumps(weights))
    state, thinking = logged("havannah(size=3)", OF_PPR.format(spec.format(file)))
    drawn = Drawn()
    TreeSearch(state, PLAIN, Rave(), WEIGHTED[spec](file)).replay(thinking.log(), drawn.watch)
    assert drawn.chi_squared() < CHI_SQUARED_19, sorted(drawn.bins.items())


@pytest.mark.parametrize("spec", [*KEPT, *KEPT_SELECTION])
def test_a_search_that_goes_on_replays_to_the_same_tables(spec: str) -> None:
    selection: Rave | Uct
    if spec in KEPT:
        player = f"mcts(selection=rave(k=0), playout={spec}, reuse=true)"
        selection, policies = Rave(), KEPT[spec]()
    else:
        player, selection, policies = f"mcts(selection={spec}, reuse=true)", KEPT_SELECTION[spec](), []
    state, thinking = logged("havannah(size=3)", player, 1000)
    twin = TreeSearch(state, PLAIN, selection, policies)
    twin.replay(thinking.log())
    line = thinking.report().line[:2]
    assert thinking.advance(*line)
    twin.advance(*line)
    thinking.run(coppice.Limit(simulations=1000))
    twin.replay(thinking.log())
    check_tables(thinking, twin)


def test_the_twin_notices_what_was_forgotten() -> None:
    state, thinking = logged(
        "havannah(size=3)", "mcts(selection=rave(k=0), playout=last_good_reply, reuse=true)", 1000
    )
    twin = TreeSearch(state, PLAIN, Rave(), [LastGoodReply(keep=True)])
    twin.replay(thinking.log())
    line = thinking.report().line[:2]
    assert thinking.advance(*line)
    twin.advance(*line)
    thinking.run(coppice.Limit(simulations=1000))
    with pytest.raises(Disagreement, match="was chosen in a playout where"):
        twin.replay(thinking.log())


LEARNT_IN_TREE: dict[str, Callable[[], Playout]] = {
    "ppr(tn=0, tw=0.3, learn=tree)": lambda: Ppr(tn=0, tw=0.3),
    "pool_rave(n=5, p=0.6, visits=10, seen=2, learn=tree)": lambda: PoolRave(n=5, p=0.6, visits=10, seen=2),
    "rave_playout(p=0.75, learn=tree)": lambda: RavePlayout(p=0.75),
}


@pytest.mark.parametrize("spec", LEARNT_IN_TREE)
def test_playouts_read_what_was_learnt_in_the_tree_alone(spec: str) -> None:
    state, thinking = logged("havannah(size=3)", f"mcts(selection=rave(learn=tree), playout={spec})")
    policy = LEARNT_IN_TREE[spec]()
    twin = TreeSearch(state, Settings(learn="tree", budget=SIMULATIONS), Rave(), [policy])
    drawn = Drawn()
    twin.replay(thinking.log(), drawn.watch)
    check_tables(thinking, twin)
    assert drawn.chi_squared() < CHI_SQUARED_19, sorted(drawn.bins.items())


@pytest.mark.parametrize(
    ("spec", "policy"),
    [
        ("mate(c=1, min=1)", lambda: Mate(BOARD, c=1, min=1)),
        ("mate(c=1)", lambda: Mate(BOARD, c=1)),
        ("mate(c=1, block=true, min=1)", lambda: Mate(BOARD, c=1, block=True, min=1)),
        (
            "mate(c=1, block=true, shortcut=false, min=1)",
            lambda: Mate(BOARD, c=1, block=True, shortcut=False, min=1),
        ),
    ],
)
def test_the_first_turn_of_each_side_looks_at_all_its_groups(spec: str, policy: Callable[[], Mate]) -> None:
    # With one child per simulation playouts begin right after the first move, where the figure is still open.
    state, thinking = logged("havannah(size=3)", OF_PPR.format(spec), 300, moves=LATER)
    TreeSearch(state, PLAIN, Rave(), [policy()]).replay(thinking.log())


def random_state(rules: coppice.Game, rng: random.Random, plies: int) -> coppice.State:
    """A state after random moves, fewer than `plies` if the game is over before."""
    state = rules.start()
    for _ in range(plies):
        if state.outcome is None:
            state.play(rng.choice(state.legal_moves))
    return state


def test_the_twin_finds_the_same_wins_by_threats_alone() -> None:
    rng = random.Random(7)
    lengths: list[int] = []
    board, rules = Havannah(4), coppice.game("havannah(size=4)")
    for _ in range(60):
        state = random_state(rules, rng, rng.randrange(8, 22))
        if state.outcome is not None:
            continue
        tries = rng.choice((20, 200))
        line = state.forced_win(tries=tries)
        assert forced_win(board, list(state.moves), tries) == line, state.diagram()
        lengths.append(len(line or ()))
    assert {0, 1, 3} <= set(lengths), lengths


def test_the_twin_has_the_same_duties() -> None:
    rng = random.Random(3)
    player = coppice.Player("mcts(expansion=all, fpu=0.5, tactics=solver+threats(doubles=true))")
    board, rules = Havannah(5), coppice.game("havannah(size=5)")
    seen = []
    for _ in range(150):
        state = random_state(rules, rng, rng.randrange(14, 30))
        if state.outcome is not None:
            continue
        expected = duties(board, list(state.moves))
        report = player.search(state, coppice.Limit(simulations=1))
        if expected is not None:
            assert sorted(stat.name for stat in report.moves) == sorted(expected), state.diagram()
        free = len(expected or ()) == len(state.legal_moves)
        seen.append(
            "lost" if expected is None else "free" if free else "one" if len(expected) == 1 else "some"
        )
    assert all(seen.count(kind) > 3 for kind in ("lost", "free", "one", "some")), seen


def test_wins_by_threats_need_a_try_and_a_game_that_knows_them() -> None:
    assert coppice.game("domineering").start().forced_win() is None
    with pytest.raises(ValueError, match="tries is 0: at least 1 is needed"):
        coppice.game("havannah").start().forced_win(tries=0)


def test_the_twin_s_figures_are_those_of_the_rules() -> None:
    rng = random.Random(3)
    for size in (2, 3, 4):
        board, rules = Havannah(size), coppice.game(f"havannah(size={size})")
        assert {board.name(cell) for cell in board.cells} == set(rules.start().legal_moves)
        corners = {cell.name for cell in rules.board().cells if cell.kind == "corner"}
        assert {board.name(cell) for cell in board.corners} == corners
        for _ in range(60):
            state = rules.start()
            while state.outcome is None:
                cells = [board.cell(move) for move in state.moves]
                own = set(cells[len(cells) % 2 :: 2])
                move = rng.choice(state.legal_moves)
                completing = {board.name(cell) for cell in board.completing(own, cells, None)}
                side = state.to_move
                state.play(move)
                assert (state.outcome == side) == (move in completing), state.diagram()


@pytest.mark.parametrize(
    ("player", "policy", "message"),
    [
        ("mcts(selection=rave(r=130))", lambda: (Rave(r=20), []), "was chosen in the tree where"),
        ("mcts(selection=rave(learn=tree))", lambda: (Rave(), []), "was chosen in the tree where"),
        ("mcts(selection=kl_ucb(k=0.5))", lambda: (KlUcb(k=0.3), []), "was chosen in the tree where"),
        (
            "mcts(selection=rave(k=0), playout=last_good_reply)",
            lambda: (Rave(), [LastGoodReply(forget=False)]),
            "playout",
        ),
        (
            "mcts(selection=rave(k=0), playout=ppr)",
            lambda: (Rave(), [Ppr(tw=0.6)]),
            "was chosen in a playout where",
        ),
        (
            "mcts(selection=rave(k=0), playout=mate(c=1))",
            lambda: (Rave(), []),
            "no move was chosen in a playout where",
        ),
    ],
    ids=["formula", "learn", "bound", "reply", "list", "end"],
)
def test_the_twin_notices_another_algorithm(
    player: str, policy: Callable[[], tuple[Uct, list[Playout]]], message: str
) -> None:
    state, thinking = logged("havannah(size=3)", player, 500)
    selection, playout = policy()
    with pytest.raises(Disagreement, match=message):
        TreeSearch(state, Settings(budget=500), selection, playout).replay(thinking.log())


def test_the_frequencies_notice_another_temperature() -> None:
    state, thinking = logged("havannah(size=3)", OF_PPR.format("mast(select=gibbs, tau=0.2)"))
    drawn = Drawn()
    TreeSearch(state, PLAIN, Rave(), [Mast(select="gibbs", tau=0.3)]).replay(thinking.log(), drawn.watch)
    assert drawn.chi_squared() > 2 * CHI_SQUARED_19


def test_the_frequencies_notice_other_weights() -> None:
    state, thinking = logged("havannah(size=3)", OF_PPR.format("patterns"))
    drawn = Drawn()
    TreeSearch(state, PLAIN, Rave(), [Patterns(BOARD, clip=2)]).replay(thinking.log(), drawn.watch)
    assert drawn.chi_squared() > 2 * CHI_SQUARED_19


def test_corners_are_drawn_as_often_as_their_weight_says() -> None:
    # Below the threshold the playout policy decides at the root, too: always in the same state.
    _, thinking = logged("havannah(size=3)", "mcts(playout=corner_bias(w=5), playout_until=1000000)", 4000)
    first = Counter(moves[0] for moves, _, _ in thinking.log())
    corners = {BOARD.name(cell) for cell in BOARD.corners}
    weights = {name: 5.0 if name in corners else 1.0 for name in CELLS}
    total = sum(weights.values())
    squares = (
        (first[name] - 4000 * weight / total) ** 2 / (4000 * weight / total)
        for name, weight in weights.items()
    )
    # 18 degrees of freedom: exceeded once in 10,000 times.
    assert sum(squares) < 49.2, first


def test_the_twin_notices_another_constant() -> None:
    state, thinking = logged("havannah(size=3)", "mcts(selection=uct(k=0.4))", 500)
    with pytest.raises(Disagreement, match="was chosen in the tree where"):
        TreeSearch(state, Settings(k=1.4)).replay(thinking.log())


@pytest.mark.parametrize("policies", [list, lambda: [Mate(BOARD), Ppr()]], ids=["uniform", "mate+ppr"])
def test_the_twin_searches_by_itself(policies: Callable[[], list[Playout]]) -> None:
    # Size 3 is won by the corners, and only by them.
    state = coppice.game("havannah(size=3)").start()
    twin = TreeSearch(state, Settings(budget=600), Rave(k=0.1), policies())
    best = twin.search(600, random.Random(1))
    assert BOARD.cell(best) in BOARD.corners
