"""The methods that came after the papers, replayed by their plain Python twins."""

from __future__ import annotations

import pytest
from test_reference import CHI_SQUARED_19, Drawn, logged

import coppice
from coppice.reference.modern import Cutoff, Halving, ImplicitMinimax, KlUcb, men_and_front, relative_entropy
from coppice.reference.tree_search import Disagreement, Here, Node, Position, Settings, TreeSearch

SIMULATIONS = 600
ROOTS = ["halving"]
# By the spec of the backup: alpha and fade.
BACKUPS = {"implicit_minimax": (0.4, 0.0), "implicit_minimax(alpha=0.7, fade=20)": (0.7, 20.0)}
PLAYERS = {
    "mcts(selection=uct(k=0.4), {})": Settings(k=0.4),
    "mcts(selection=uct(k=0.2), expansion=all(at=2), {})": Settings(k=0.2, expansion="all", expand_at=2),
}
MEN = ["breakthrough(rows=5, columns=5)", "knightthrough(rows=5, columns=4)"]


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("game", ["havannah(size=3)", "domineering(rows=4, columns=4)", MEN[0]])
@pytest.mark.parametrize("simulations", [10, 100, 601])
def test_halving_replays_to_the_same_tree(player: str, game: str, simulations: int) -> None:
    state, thinking = logged(game, player.format("root=halving"), simulations)
    plan = Halving(simulations)
    twin = TreeSearch(state, PLAYERS[player], root=plan)
    twin.replay(thinking.log())
    report = thinking.report()
    visits = {name: child.visits for name, child in twin.root.children.items() if child.visits}
    assert {stat.name: stat.visits for stat in report.moves if stat.visits} == visits
    if simulations > 100:
        assert report.best in plan.best(twin.root)


def value_of(position: Position) -> float:
    assert isinstance(position, coppice.State)
    return men_and_front(position.text())


@pytest.mark.parametrize("backup", BACKUPS)
@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("game", MEN)
def test_implicit_minimax_replays_to_the_same_tree(backup: str, player: str, game: str) -> None:
    state, thinking = logged(game, player.format(f"backup={backup}"), SIMULATIONS)
    alpha, fade = BACKUPS[backup]
    twin = TreeSearch(state, PLAYERS[player], backup=ImplicitMinimax(value_of, alpha, fade))
    twin.replay(thinking.log())
    visits = {name: child.visits for name, child in twin.root.children.items()}
    assert {stat.name: stat.visits for stat in thinking.report().moves} == visits


@pytest.mark.parametrize(("playout", "n"), [("cutoff", 6), ("cutoff(n=1)", 1), ("cutoff(n=0)", 0)])
@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("game", MEN)
def test_cutoff_replays_to_the_same_tree_with_the_right_frequencies(
    game: str, player: str, playout: str, n: int
) -> None:
    state, thinking = logged(game, player.format(f"playout={playout}"), SIMULATIONS)
    twin = TreeSearch(state, PLAYERS[player], playout=[Cutoff(value_of, n)])
    drawn = Drawn()
    twin.replay(thinking.log(), drawn.watch)
    assert drawn.bins.total() >= SIMULATIONS * n // 2
    assert n == 0 or drawn.chi_squared() < CHI_SQUARED_19, sorted(drawn.bins.items())
    for stat in thinking.report().moves:
        child = twin.root.children[stat.name]
        assert stat.visits == child.visits
        assert not child.visits or stat.value == pytest.approx(child.mean, abs=1e-5)


def test_a_twin_notices_another_weight_and_another_plan() -> None:
    player = next(iter(PLAYERS))
    state, thinking = logged(MEN[0], player.format("backup=implicit_minimax(alpha=0.5)"), SIMULATIONS)
    with pytest.raises(Disagreement, match="was chosen in the tree where"):
        TreeSearch(state, PLAYERS[player], backup=ImplicitMinimax(value_of, 0.4)).replay(thinking.log())
    state, thinking = logged(MEN[0], player.format("root=halving"), SIMULATIONS)
    with pytest.raises(Disagreement, match="was chosen in the tree where"):
        TreeSearch(state, PLAYERS[player], root=Halving(SIMULATIONS // 2)).replay(thinking.log())
    state, thinking = logged(MEN[0], player.format("playout=cutoff(n=2)"), SIMULATIONS)
    for n, message in [(1, "moves, 1 of them in the tree"), (3, "no move was chosen in a playout where")]:
        with pytest.raises(Disagreement, match=message):
            TreeSearch(state, PLAYERS[player], playout=[Cutoff(value_of, n)]).replay(thinking.log())


@pytest.mark.parametrize("backup", BACKUPS)
def test_a_formula_reads_what_a_backup_keeps(backup: str) -> None:
    player = f"mcts(selection=kl_ucb(k=0.3), expansion=all(at=2), backup={backup})"
    state, thinking = logged(MEN[0], player, SIMULATIONS)
    settings = Settings(expansion="all", expand_at=2)
    twin = TreeSearch(state, settings, KlUcb(k=0.3), backup=ImplicitMinimax(value_of, *BACKUPS[backup]))
    twin.replay(thinking.log())
    visits = {name: child.visits for name, child in twin.root.children.items()}
    assert {stat.name: stat.visits for stat in thinking.report().moves} == visits


def test_kl_ucb_by_hand() -> None:
    search = TreeSearch(coppice.game("havannah(size=3)").start(), Settings(), KlUcb())
    here = Here(search, search.start, [Node(visits=10)])
    for mean, visits, value in [(0.75, 8, 0.9626), (0.5, 2, 0.9743), (0.0, 2, 0.6838), (1.0, 5, 1.0)]:
        assert KlUcb().bound(here, mean, visits) == pytest.approx(value, abs=5e-5)
    assert KlUcb(k=0).bound(here, 0.3, 4) == pytest.approx(0.3)
    assert relative_entropy(0.5, 0.75) == pytest.approx(0.1438, abs=5e-5)


def test_the_evaluation_by_hand() -> None:
    # Ten men against nine, the foremost in their second and first row from home: 12.5 points.
    text = "bbbb./bbbbb/w..../wwwww/wwww. first"
    assert men_and_front(text) == pytest.approx(0.6027, abs=5e-5)
    assert men_and_front("b..../...../...../...../....w first") == 0.5
