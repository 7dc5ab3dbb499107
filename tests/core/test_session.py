"""States, players and searches through the public API."""

from __future__ import annotations

import threading
import time

import pytest
from patience import wait_for

import coppice
from coppice import Limit, Player, State, _core


def start(game: str = "havannah(size=4)") -> coppice.State:
    return coppice.game(game).start()


def test_a_report_adds_up() -> None:
    report = coppice.player("uct(simulations=700)").search(start(), seed=1)
    assert report.simulations == 700 == sum(stat.visits for stat in report.moves)
    assert report.best == report.moves[0].name == report.line[0]
    assert report.value == report.moves[0].value
    assert {stat.name for stat in report.moves} == set(start().legal_moves)
    assert report.states > 700
    assert report.nodes > 1
    assert report.bytes > 0
    assert report.full_at is None
    assert f"best {report.best} for first: 700 simulations" in report.text()
    assert "<table>" in report._repr_html_()


def test_a_search_repeats_with_its_seed_and_changes_with_it() -> None:
    player = coppice.player("uct(simulations=300)")
    visits = [[(s.name, s.visits) for s in player.search(start(), seed=seed).moves] for seed in (1, 1, 2)]
    assert visits[0] == visits[1] != visits[2]


def test_a_line_can_be_played() -> None:
    state = start("domineering")
    report = coppice.player("uct(simulations=2000)").search(state)
    assert len(report.line) > 1
    state.play(*report.line)


@pytest.mark.parametrize(
    "limit", [Limit(simulations=50), Limit(states=3000), Limit(seconds=0.1), Limit(cpu_seconds=0.1)]
)
def test_every_limit_stops_the_search(limit: Limit) -> None:
    # Without a limit it would not end.
    report = coppice.player("uct").search(start("havannah(size=6)"), limit)
    assert report.simulations > 0
    if limit.simulations:
        assert report.simulations == 50
    if limit.states:
        # The last simulation may go over.
        assert 3000 <= report.states < 3000 + 91
    if limit.seconds:
        assert report.seconds >= limit.seconds


def test_the_first_limit_reached_counts() -> None:
    report = coppice.player("uct").search(start(), Limit(simulations=100, seconds=60.0))
    assert report.simulations == 100


def test_a_wrong_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="seconds=-1 is not allowed: a number from 0"):
        coppice.player("uct").search(start(), Limit(seconds=-1.0))


def test_memory_is_capped_and_the_report_says_when() -> None:
    report = coppice.player("uct(memory=128KiB, simulations=20000)").search(start("havannah(size=6)"))
    assert report.bytes <= 128 * 1024
    assert report.full_at is not None
    assert 0 < report.full_at < 20000
    assert report.simulations == 20000
    assert f"memory used up at simulation {report.full_at}" in report.text()


def test_threads_add_their_trees_whatever_the_timing() -> None:
    player = coppice.player("uct(simulations=1001, threads=3)")
    reports = [player.search(start(), seed=4) for _ in range(3)]
    assert reports[0].simulations == 1001 == sum(stat.visits for stat in reports[0].moves)
    assert reports[0].moves == reports[1].moves == reports[2].moves
    alone = coppice.player("uct(simulations=1001)").search(start(), seed=4)
    assert alone.moves != reports[0].moves


def test_thinking_runs_on_is_read_and_stopped() -> None:
    thinking = coppice.player("uct").think(start("havannah(size=6)"))
    assert thinking.run(Limit(simulations=100)).simulations == 100
    assert thinking.run(Limit(simulations=50)).simulations == 150
    thinking.start()
    assert thinking.running
    with pytest.raises(ValueError, match="already running"):
        thinking.run(Limit(simulations=1))
    seen = [thinking.report().simulations]

    def has_grown_twice() -> bool:
        seen.append(thinking.report().simulations)
        return len(set(seen)) >= 3

    wait_for(has_grown_twice)
    assert seen == sorted(seen)
    last = thinking.stop()
    assert not thinking.running
    assert last.simulations >= seen[-1]
    assert thinking.report().simulations == last.simulations


def test_running_on_is_the_same_search() -> None:
    once = coppice.player("uct").think(start(), seed=3).run(Limit(simulations=400))
    twice = coppice.player("uct").think(start(), seed=3)
    twice.run(Limit(simulations=150))
    again = twice.run(Limit(simulations=250))
    assert [(s.name, s.visits, s.value) for s in once.moves] == [
        (s.name, s.visits, s.value) for s in again.moves
    ]


def test_reports_stream_until_the_end() -> None:
    thinking = coppice.player("uct").think(start())
    thinking.start(Limit(simulations=30000))
    reports = list(thinking.reports(every=0.01))
    assert reports[-1].simulations == 30000


def test_searching_releases_the_interpreter() -> None:
    counted = 0
    searching = threading.Thread(
        target=lambda: coppice.player("uct").search(start("havannah(size=6)"), Limit(seconds=0.5))
    )
    searching.start()
    while searching.is_alive():
        counted += 1
        time.sleep(0.001)
    # A search that kept the interpreter would let nobody count before it has ended.
    assert counted > 2


def test_only_mcts_thinks_step_by_step() -> None:
    with pytest.raises(ValueError, match="only mcts players do"):
        coppice.player("random").think(start())


def test_there_is_nothing_to_search_when_the_game_is_over() -> None:
    state = coppice.game("domineering(rows=1, columns=2)").start()
    assert state.outcome == "second"
    with pytest.raises(ValueError, match="the game is over"):
        coppice.player("uct").search(state)
    with pytest.raises(ValueError, match="the game is over"):
        coppice.player("uct").think(state)


def test_unknown_notations_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown notation 'klingon' for havannah: standard, little_golem"):
        start().play("a1", notation="klingon")


@pytest.mark.parametrize(
    ("game", "player"),
    [
        ("havannah(size=4)", "rave(final={}, simulations=600)"),
        ("havannah(size=4)", "rave(final={}, simulations=600, threads=3)"),
        ("havannah(size=4)", "rave(final={}, simulations=600, threads=2, parallel=tree)"),
        ("mr_jack", "jack_v2(final={}, simulations=600)"),
        ("mr_jack", "jack_v2(final={}, simulations=600, threads=2)"),
    ],
)
@pytest.mark.parametrize("least", [0, 20, 35, 100_000])
def test_a_final_move_by_score_has_visits_enough(game: str, player: str, least: int) -> None:
    report = coppice.player(player.format(f"score(min_visits={least})")).search(start(game), seed=3)
    enough = [stat for stat in report.moves if stat.visits >= max(least, 1)]
    most = report.moves[0].visits
    compared = enough or [stat for stat in report.moves if stat.visits == most]
    best = max(compared, key=lambda stat: (stat.value, stat.visits))
    chosen = next(stat for stat in report.moves if stat.name == report.best)
    assert (chosen.value, chosen.visits) == (best.value, best.visits)
    assert chosen in compared


def test_a_least_number_of_visits_changes_the_move() -> None:
    moves = [
        coppice.player(f"rave(final={final}, simulations=600)").search(start(), seed=2).best
        for final in ("visits", "score", "score(0)", "score(min_visits=20)")
    ]
    assert moves[1] == moves[2]
    assert len(set(moves)) == 3


@pytest.mark.parametrize(("expansion", "final"), [("one", "visits"), ("all", "score")])
def test_both_conventions_play_well(expansion: str, final: str) -> None:
    player = f"mcts(selection=uct(c=0.8), expansion={expansion}, final={final}, simulations=400)"
    score = coppice.Match("havannah(size=4)", player, "random", seed=1).play(10, store=None).score
    assert score.points >= 9


def test_a_game_and_a_player_are_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game = coppice.game("havannah(size=4)")
    state, player = game.start(), coppice.player("mcts(playout=patterns)")
    before = player.search(state, Limit(simulations=50), seed=3)
    with monkeypatch.context() as patched:
        # Nothing reads a text or builds a game any more.
        for name in ("canonical", "Session", "Player"):
            patched.setattr(_core, name, None)
        assert state.game == game
        assert game.start() == state
        assert game.state(state.text()).key == state.key
        again = player.search(state.copy(), Limit(simulations=50), seed=3)
        player.check(game)
    assert (again.moves, again.best) == (before.moves, before.best)


@pytest.mark.parametrize("spec", ["uct(reuse=true)", "mcts(playout=ppr)", "nested", "random"])
def test_a_player_that_has_searched_searches_like_a_new_one(spec: str) -> None:
    def visits(state: State, player: Player) -> object:
        report = player.search(state, Limit(simulations=40), seed=7)
        return report.best, report.moves

    used, state = coppice.player(spec), coppice.game("havannah(size=4)").start()
    visits(state, used)
    visits(state.copy().play("a1"), used)
    fresh = coppice.game("havannah(size=4)").start()
    assert visits(state, used) == visits(fresh, coppice.player(spec))


def test_scripts_remember_nothing_of_another_search() -> None:
    """What they remember counts as memory of the search, so that a full tree would come sooner."""
    state, player = coppice.game("mr_jack").start(seed=3), coppice.player("jack(playout=scripted)")
    reports = [player.search(state, Limit(simulations=100), seed=5) for _ in range(3)]
    assert len({report.bytes for report in reports}) == 1
