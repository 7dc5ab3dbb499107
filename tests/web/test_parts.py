"""The parts of the app below its pages: rooms, saved games, fair turns, records, the door."""

from __future__ import annotations

import asyncio
import gc
import re
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import FakeClock, until, wait_for

from coppice import CellTable, CoreError, Limit, Player, Score, State, web
from coppice.board.scales import Scale
from coppice.lab.store import StoreError
from coppice.papers.evidence import Evidence
from coppice.papers.experiment import Experiment, MatchRow, percent
from coppice.papers.results import judge
from coppice.web import levels, rules
from coppice.web.allowed import game_of
from coppice.web.boards import _sent_move, extra_moves, plain_name, position_message
from coppice.web.door import Door
from coppice.web.experiments import Results, table_html
from coppice.web.game_room import SIDES, Clock, GameRoom, Seat
from coppice.web.graph import blunders, moves_html, winrate_svg
from coppice.web.limits import Limits
from coppice.web.lobby import Lobby
from coppice.web.new_game import new_room
from coppice.web.open_position import Draft, position_room
from coppice.web.records import formats, parse_record, written
from coppice.web.runs import Runs
from coppice.web.saved_games import SavedGames
from coppice.web.search_frame import explain, heat_map, layers_of
from coppice.web.searches import Busy, Searches, capped, decide
from coppice.web.server import free_port
from coppice.web.settings import Settings
from coppice.web.start_page import goes_on

HAVANNAH = "havannah(size=4)"


def seats(computer: str = "random") -> dict[Any, Seat]:
    return {"first": Seat("person", "You", token="secret"), "second": Seat("computer", "Seed", computer)}


# Rooms


def test_undo_keeps_the_line_as_a_variation_and_redo_brings_it_back() -> None:
    room = GameRoom(HAVANNAH, seats())
    for move in ("d4", "a1", "e5"):
        room.play(move)
    goal = room.before_last_decision("first")
    assert goal is not None
    room.back_to(goal)
    assert room.tree.moves(room.live) == ["d4", "a1"]
    room.play("b2")
    assert room.tree.moves(room.live) == ["d4", "a1", "b2"]
    assert len(room.tree[goal].children) == 2
    room.back_to(0)
    again = room.after_next_decision("first")
    assert again is not None
    assert room.tree.moves(again) == ["d4", "a1"]


def test_an_illegal_move_changes_nothing() -> None:
    room = GameRoom(HAVANNAH, seats())
    room.play("d4")
    with pytest.raises(ValueError, match="illegal move 'd4'"):
        room.play("d4")
    assert room.tree.moves(room.live) == ["d4"]
    with pytest.raises(ValueError, match="no position 99"):
        room.back_to(99)


def test_resigning_and_time_end_a_game() -> None:
    room = GameRoom(HAVANNAH, seats())
    room.resign("first")
    assert room.result_text() == "Black wins: White resigned."
    with pytest.raises(ValueError, match="over"):
        room.play("d4")
    now = FakeClock()
    timed = GameRoom(HAVANNAH, seats(), clock=Clock(0.05, 0.0, {"first": 0.05, "second": 0.05}), now=now)
    timed.play("d4")
    now.goes_on(0.06)
    timed.check_time()
    assert timed.result_text() == "White wins: Black ran out of time."


def test_a_clock_counts_down_only_for_the_side_to_move_and_adds_the_increment() -> None:
    now = FakeClock()
    room = GameRoom(HAVANNAH, seats(), clock=Clock(60, 5, {"first": 60.0, "second": 60.0}), now=now)
    assert room.time_left("first") == 60
    room.play("d4")
    now.goes_on(10)
    room.play("a1")
    now.goes_on(20)
    assert (room.time_left("first"), room.time_left("second")) == (40, 55)


def test_the_clocks_stay_what_they_were_when_somebody_resigns() -> None:
    now = FakeClock()
    for side in ("first", "second"):
        room = GameRoom(HAVANNAH, seats(), clock=Clock(60, 5, {"first": 60.0, "second": 60.0}), now=now)
        room.play("d4")
        now.goes_on(20)
        room.resign(side)
        now.goes_on(20)
        assert [room.time_left(each) for each in SIDES] == [60, 40]
    timed = GameRoom(HAVANNAH, seats(), clock=Clock(60, 5, {"first": 60.0, "second": 60.0}), now=now)
    timed.play("d4")
    now.goes_on(61)
    timed.check_time()
    assert timed.time_left("second") == 0


async def test_only_what_is_not_over_is_offered_to_go_on_with(tmp_path: Path) -> None:
    lobby = Lobby(Settings(store=tmp_path / "coppice.db"))
    playing, resigned, analysis = (
        lobby.open(GameRoom(HAVANNAH, given)) for given in (seats(), seats(), None)
    )
    resigned.resign("first")
    assert await goes_on(lobby, f"/game/{playing.identity}?seat=secret")
    assert await goes_on(lobby, f"/game/{analysis.identity}")
    assert not await goes_on(lobby, f"/game/{resigned.identity}?seat=secret")
    assert not await goes_on(lobby, "/game/nowhere")
    assert not await goes_on(lobby, "/laboratory")
    assert not await goes_on(lobby, "")
    lobby.close()


@given(st.lists(st.integers(0, 1000), max_size=40))
def test_a_room_survives_being_saved(choices: list[int]) -> None:
    room = GameRoom(HAVANNAH, seats())
    for choice in choices:
        if choice % 7 == 0 and room.live:
            room.back_to(room.tree.path(room.live)[choice % len(room.tree.path(room.live))])
        elif not room.over:
            moves = room.state(room.live).legal_moves
            room.play(moves[choice % len(moves)])
    copy = GameRoom.of_json(room.to_json())
    assert copy.to_json() == room.to_json()
    assert copy.state(copy.live).text() == room.state(room.live).text()


def test_a_copy_of_a_room_has_a_tree_of_its_own() -> None:
    room = GameRoom(HAVANNAH, seats())
    room.play("d4")
    copy = room.for_analysis(1)
    assert (copy.live, copy.seats, copy.identity != room.identity) == (1, None, True)
    copy.add(0, "a1")
    copy.add(1, "a1")
    assert (len(room.tree), room.tree.root.children, room.tree[1].children) == (2, [1], [])


def test_the_comments_of_a_record_come_back_from_the_app() -> None:
    text = "(;FF[4]XG[havannah(size=4, swap=false)]C[first];W[d4]C[why?](;B[a1];C[a pause];W[b2])(;B[e5]))"
    room = parse_record(text)
    assert [turn.comment for turn in room.tree.turns] == ["first", "why?", "a pause", "", ""]
    again = parse_record(written(GameRoom.of_json(room.to_json()), "sgf"))
    assert again.tree == room.tree


def test_an_invitation_works_once_and_gives_a_secret_that_the_host_does_not_know() -> None:
    room, token = new_room(HAVANNAH, "link", "first", None)
    assert room.seats is not None
    guest = room.seats["second"]
    code = guest.invitation
    assert room.side_of(token) == {"first"}
    with pytest.raises(ValueError, match="used already"):
        room.join("guess")
    secret = room.join(code).token
    assert secret not in (token, code)
    assert room.side_of(secret) == {"second"}
    with pytest.raises(ValueError, match="used already"):
        room.join(code)
    assert room.side_of("") == room.side_of("guess") == set()


def test_a_rematch_changes_the_sides() -> None:
    room = GameRoom(HAVANNAH, seats())
    again = room.rematch()
    assert again.seats is not None
    assert again.seats["second"].token == "secret"
    assert again.side_of("secret") == {"second"}


@pytest.mark.parametrize(("against", "clock"), [("nobody", "none"), ("screen", "1+1")])
def test_a_form_that_was_tampered_with_is_refused(against: str, clock: str) -> None:
    with pytest.raises(ValueError, match="unknown"):
        new_room(HAVANNAH, against, "first", None, clock)


# Saved games and the lobby


def test_a_saved_game_comes_back(tmp_path: Path) -> None:
    saved = SavedGames(tmp_path / "tables.db")
    room = GameRoom(HAVANNAH, seats())
    room.play("d4")
    saved.save(room)
    saved.close()
    again = SavedGames(tmp_path / "tables.db")
    found = again.get(room.identity)
    assert found is not None
    assert found.to_json() == room.to_json()
    assert again.get("nothing") is None
    assert again.count() == 1


def test_other_files_hold_no_saved_games(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database" * 100)
    with pytest.raises(StoreError, match=r"^cannot open '.*text.db': file is not a database$"):
        SavedGames(tmp_path / "text.db")
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE mine (name TEXT)")
    with pytest.raises(StoreError, match=r"^cannot open '.*other.db': it does not keep games in play$"):
        SavedGames(tmp_path / "other.db")


async def test_idle_rooms_leave_the_memory_and_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobby = Lobby(Settings(store=tmp_path / "coppice.db"))
    room = lobby.open(GameRoom(HAVANNAH, seats()))
    room.play("d4")
    # The simulated user reloads modules: what is patched is the module that this test has imported.
    monkeypatch.setitem(Lobby._unload.__globals__, "limits", lambda: Limits(idle_seconds=-1))
    assert await lobby.find("other") is None
    assert lobby.loaded == 0
    again = await lobby.find(room.identity)
    assert again is not None
    assert again is not room
    assert again.tree.moves(again.live) == ["d4"]
    lobby.close()


async def test_the_computer_answers_and_an_undo_while_it_thinks_is_no_trouble(tmp_path: Path) -> None:
    lobby = Lobby(Settings(store=tmp_path / "coppice.db"))
    room = lobby.open(GameRoom(HAVANNAH, {**seats(), "second": Seat("computer", "uct", "uct", 20_000)}))
    room.play("d4")
    lobby.wake(room)
    assert lobby.is_thinking(room)
    room.back_to(0)
    room.play("a1")
    lobby.wake(room)
    await until(lambda: not lobby.is_thinking(room))
    assert room.tree.moves(room.live)[0] == "a1"
    assert len(room.tree.moves(room.live)) == 2
    lobby.close()


# Searches


async def test_turns_are_fair() -> None:
    searches = Searches(1)
    order: list[str] = []
    release = threading.Event()
    first = asyncio.create_task(searches.turn("busy", release.wait))
    tasks = [
        asyncio.create_task(searches.turn(owner, lambda owner=owner: order.append(owner)))  # type: ignore[misc]
        for owner in ("greedy", "greedy", "greedy", "modest")
    ]
    await until(lambda: searches.waiting == 4)
    assert order == []
    release.set()
    await asyncio.gather(first, *tasks)
    assert order == ["greedy", "modest", "greedy", "greedy"]
    searches.close()


async def test_a_full_queue_is_refused_and_a_failing_search_harms_nobody() -> None:
    searches = Searches(1, most_waiting=3, most_per_owner=2)
    release = threading.Event()
    # One has the thread, two wait: more of one owner are not taken, and one more of somebody else.
    tasks = [asyncio.create_task(searches.turn("a", release.wait)) for _ in range(3)]
    await until(lambda: searches.waiting == 2)
    with pytest.raises(Busy, match="too much to think about"):
        await searches.turn("a", release.wait)
    tasks.append(asyncio.create_task(searches.turn("b", release.wait)))
    await until(lambda: searches.waiting == 3)
    with pytest.raises(Busy, match="too much to think about"):
        await searches.turn("c", release.wait)
    release.set()
    await asyncio.gather(*tasks)

    def fail() -> None:
        raise CoreError("inside")

    with pytest.raises(CoreError, match="inside"):
        await searches.turn("a", fail)
    assert await searches.turn("a", lambda: 7) == 7
    searches.close()


async def test_a_decision_uses_its_simulations_and_not_more() -> None:
    searches = Searches(2)
    report = await decide(searches, "a", game_of(HAVANNAH).start(), "uct", 777, seed=1)
    assert report.simulations == 777
    drawn = await decide(searches, "a", game_of(HAVANNAH).start(), "random", None, seed=1)
    assert drawn.best in game_of(HAVANNAH).start().legal_moves
    searches.close()


def test_a_record_of_many_variations_is_held_without_a_state_for_each() -> None:
    line = [
        f"{depth} {move}" for depth, move in enumerate(GameRoom("havannah(size=13)").state(0).legal_moves, 1)
    ]
    # Far from the start, where a state with all those before it is large, each cell twice.
    names = [entry.partition(" ")[2] for entry in line]
    kept = line[:60]
    variations = [
        entry
        for one in names[60:105]
        for entry in (f"61 {one}", *(f"62 {two}" for two in names[60:152] if two != one))
    ]
    head = ["coppice record, version 1", "game: havannah(size=13)", "first:", "second:", "winner: unknown"]
    text = "\n".join([*head, *kept, *variations])
    assert len(text) < 36_000

    def states() -> int:
        # Not isinstance, which asks what a weak proxy stands for.
        gc.collect()
        return sum(type(each) is State for each in gc.get_objects())

    before = states()
    room = parse_record(text)
    for node in range(0, len(room.tree), 100):
        assert room.tree.moves(node) == room.state(node).moves
        room.add(node, room.state(node).legal_moves[0])
    assert len(room.tree) > 4173
    assert states() - before <= 10


def test_a_record_of_too_many_nodes_is_refused_with_the_bound() -> None:
    head = "coppice record, version 1\ngame: tic_tac_toe\nfirst:\nsecond:\nwinner: unknown\n"
    message = "line [0-9,]+: expected a file of at most 20,000 nodes, found more"
    for text in (head + "1 a1\n" * 20_000, "(;XG[tic_tac_toe]" + "(;B[aa])" * 20_000 + ")", "(;)" * 20_001):
        with pytest.raises(ValueError, match=message):
            parse_record(text)
    assert len(parse_record(head + "1 a1\n" * 19_999).tree) == 2


def test_the_memory_of_a_player_is_capped() -> None:
    assert f"memory={Limits().memory}" in capped("uct(memory=8GiB)").replace(" ", "")
    assert "threads=1," in capped("uct(threads=8)").replace(" ", "")
    with pytest.raises(ValueError, match="unknown"):
        capped("nobody")


@pytest.mark.parametrize(
    "spec",
    [
        'gtp("sh -c true")',
        "gtp(command=ls)",
        "evil.py:Nim",
        "../x.py",
        "python(os:system)",
        "jack(candidates=plausible(rules=here))",
        "mcts(playout='x')",
        "a" * 3000,
    ],
)
def test_a_browser_names_no_file_and_no_program(spec: str) -> None:
    from coppice.web.laboratory import sweep

    for attempt in (
        lambda: capped(spec),
        lambda: GameRoom(spec),
        lambda: position_room(spec),
        lambda: sweep(spec, "uct", "uct", "", 0),
        lambda: sweep("tic_tac_toe", spec, "uct", "", 0),
        lambda: sweep("tic_tac_toe", "uct(simulations={x})", "uct", spec, 0),
    ):
        # What is no spec at all is refused by the reader of specs, before anybody asks what it names.
        with pytest.raises(
            ValueError, match=r"cannot be named in a text from elsewhere|too long|^spec, char"
        ):
            attempt()


async def test_a_decision_never_takes_longer_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    # The simulated user reloads modules: what is patched is the module that this test has imported.
    monkeypatch.setitem(decide.__globals__, "limits", lambda: Limits(seconds=1))
    searches = Searches(1)
    report = await decide(searches, "a", game_of(HAVANNAH).start(), "uct(seconds=1000)", None, seed=1)
    # It ends, and not before.
    assert report.seconds >= 1
    searches.close()


def test_a_sweep_is_one_match_per_value() -> None:
    from coppice.lab.stats import Score
    from coppice.web.laboratory import ScoredMatch, csv_of, latex_of, short, sweep

    matches = sweep("tic_tac_toe", "uct(simulations={x})", "random", "10, 20", 3)
    assert [short(match.a) for match in matches] == ["uct, 10 simulations", "uct, 20 simulations"]
    # One without a name is its spec, cut where it is long.
    own = "mcts(selection=uct(k=3.25), simulations=10)"
    assert short(own) == own
    assert short(Player(own).spec) == f"{Player(own).spec[:57]}…"
    for a, values, message in (
        ("uct(simulations={x})", "", "give the values"),
        ("uct", "1", "there are values"),
    ):
        with pytest.raises(ValueError, match=message):
            sweep("tic_tac_toe", a, "random", values, 0)
    standing = ScoredMatch(matches[0].row, Score(3, 1, 0).row())
    assert "3,1,0,0.875" in csv_of([standing])
    assert r"tic\_tac\_toe & uct, 10 simulations & random & 4 & 87.5" in latex_of([standing])


def test_a_run_is_stopped_resumed_and_its_failure_told() -> None:
    seen: list[int] = []
    step, some, began, resumed = (threading.Event() for _ in range(4))

    def work() -> Any:
        began.set()
        for number in range(len(seen), 1000):
            seen.append(number)
            if number == 2:
                some.set()
                assert step.wait(60)
            if number == 10:
                resumed.set()
            yield number

    def fail() -> Any:
        yield 1
        raise ValueError("the disk is full")

    runs = Runs()
    runs.start("a", "a", work)
    assert some.wait(60)
    waiting = runs.start("b", "b", fail)
    assert (waiting.state, waiting.active) == ("waiting", True)
    run = runs.find("a")
    assert run is not None
    assert (run.state, run.progress) == ("running", 1)
    assert runs.start("a", "again", work) is run, "it is under way already"
    runs.stop("a")
    step.set()
    wait_for(lambda: not run.active and not waiting.active)
    assert (run.state, run.progress, seen) == ("stopped", 2, [0, 1, 2])
    assert (waiting.state, waiting.progress, waiting.error) == ("failed", 1, "the disk is full")
    again = runs.start("a", "a", work)
    assert resumed.wait(60)
    wait_for(lambda: not again.active)
    assert again.state == "done"
    assert seen == list(range(1000))
    assert runs.all() == [waiting, again]
    assert runs.find("c") is None
    runs.close()


def test_runs_that_wait_are_stopped_and_no_more_than_some_may_wait() -> None:
    release, began = threading.Event(), threading.Event()

    def work() -> Any:
        began.set()
        assert release.wait(60)
        yield 1

    runs = Runs(most_waiting=2)
    first = runs.start("a", "a", work)
    assert began.wait(60)
    second = runs.start("b", "b", work)
    with pytest.raises(ValueError, match="too much is running already: stop something"):
        runs.start("c", "c", work)
    assert runs.all() == [second, first], "the newest first"
    runs.stop("b")
    runs.stop("nothing")
    wait_for(lambda: not second.active)
    assert (second.state, second.progress) == ("stopped", None)
    assert first.active
    third = runs.start("c", "c", work)
    release.set()
    wait_for(lambda: not first.active and not third.active)
    assert (first.state, third.state) == ("done", "done")
    runs.close()


# What is shown


def test_an_experiment_numbers_its_rows_and_too_few_games_are_not_green() -> None:
    row = MatchRow(name="begun", game="toy", a="strong", b="weak", count=200, published=percent(50, 500))
    one = Experiment(name="toy", question="Is it?", source="our own", rows=(row,))

    def shown(wins: int) -> str:
        found = Evidence(2 * wins, score=Score(wins, 0, wins))
        evidence = {"begun": replace(found, at_length=found)}
        return table_html(Results(one, tuple(judge(one, evidence)), {}))

    assert '<span class="verdict few">too few games (2 of 200)</span>' in shown(1)
    assert '<span class="verdict yes">yes (p = 1.000)</span>' in shown(100)
    assert "<tr><th>#</th><th>row</th>" in shown(1)
    assert "<tr><td>1</td><td>begun</td>" in shown(1)
    style = (Path(web.__file__).parent / "style.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r"\.verdict\.(\w+) \{ color: var\(--(\w+)\); \}", style))
    assert colours == {"yes": "win", "no": "bad", "few": "soft"}


def test_names_for_people() -> None:
    assert [plain_name(name) for name in ("havannah", "mr_jack", "atari_go")] == [
        "Havannah",
        "Mr Jack",
        "AtariGo",
    ]


def test_swap_is_a_button_and_not_a_click() -> None:
    room = GameRoom("havannah(size=4, swap=true)")
    room.live = room.add(0, "d4")
    assert extra_moves(room.positions[room.live]) == ["swap"]
    message = position_message(room, room.live, may_move=True)
    assert "swap" not in [name for name, _ in message.moves]
    assert message.options.last == [room.state(0).move_cells("d4")[0]]
    assert position_message(room, room.live, may_move=False).moves == []


def test_threats_are_marked_for_both_sides() -> None:
    room = position_room(HAVANNAH, "a1 g7 a2 g6 a3 g5")
    marks = position_message(room, room.live, may_move=True, threats=True).options.threats
    cells = room.game.board().cells
    assert [(cells[cell].name, side) for cell, side in marks] == [("a4", "first"), ("g4", "second")]
    assert position_message(room, room.live, may_move=True).options.threats == []


def test_a_heat_map_has_a_number_per_move_and_policies_add_layers() -> None:
    state = game_of(HAVANNAH).start()
    thinking = Player("fossel_ph").think(state, seed=1)

    report = thinking.run(Limit(simulations=2000))
    cells = dict(state.legal_move_cells())
    layers = layers_of(report, cells, thinking.tables(), state.game.sides)
    names = [layer.name for layer in layers]
    assert names[:2] == ["visits", "value"]
    assert any(name.startswith("history") for name in names)
    assert abs(sum(layers[0].numbers.values()) - 100) < 1e-4
    drawn = heat_map(0, layers[0], report, cells, [])
    assert len(drawn["cells"]) == 37
    assert all(0 <= strength <= 100 for _, strength, *_ in drawn["cells"])


def test_moves_of_pieces_are_arrows_two_of_which_may_end_on_one_cell() -> None:
    game = game_of("breakthrough(columns=4,rows=5)")
    state = game.start()
    thinking = Player("uct").think(state, seed=1)
    report = thinking.run(Limit(simulations=2000))
    cells, held = dict(state.legal_move_cells()), {cell for piece in state.pieces() for cell in piece.cells}
    visits, value = layers_of(report, cells, thinking.tables(), game.sides)[:2]
    drawn = heat_map(0, visits, report, cells, [], held=held)
    ways = [[cells[stat.name][0], cells[stat.name][-1]] for stat in report.moves]
    assert sorted(arrow[:2] for arrow in drawn["arrows"]) == sorted(ways)
    assert drawn["arrows"][-1][:2] == list(cells[report.best])
    assert len({to for _, to in ways}) < len(ways) == len(drawn["arrows"]) <= 12
    strengths = [arrow[2] for arrow in drawn["arrows"]]
    assert (strengths, strengths[-1]) == (sorted(strengths), 90)
    # The cells say their numbers, and are not painted.
    assert {strength for _, strength, *_ in drawn["cells"]} == {0}
    assert any(text for _, _, text, *_ in drawn["cells"])
    coloured = heat_map(0, value, report, cells, [], held=held)["arrows"]
    assert all(hue is not None for *_, hue in coloured)
    # Stones are put down: their cells are painted.
    assert heat_map(0, visits, report, cells, [])["arrows"] == []


def test_a_proven_win_is_the_broadest_arrow_however_few_simulations_it_had() -> None:
    game = game_of("breakthrough(columns=4,rows=5)")
    state = game.start()
    report = Player("uct(simulations=200)").search(state, seed=1)
    cells, held = dict(state.legal_move_cells()), {cell for piece in state.pieces() for cell in piece.cells}
    wins, *others = report.moves
    moves = (replace(wins, visits=1, proof="win"), *(replace(stat, visits=50) for stat in others))
    seen = replace(report, moves=moves)
    visits = layers_of(seen, cells, [], game.sides)[0]
    drawn = heat_map(0, visits, seen, cells, [], held=held)["arrows"]
    strengths = {(start, end): strength for start, end, strength, _ in drawn}
    assert strengths[cells[wins.name][0], cells[wins.name][-1]] == 90


@pytest.mark.parametrize(
    "sent",
    [None, [], "a1", 3, {}, {"name": "a1"}, {"node": 0}, {"name": 7, "node": 0}, {"name": "a1", "node": "0"}],
)
def test_what_a_browser_sends_is_a_move_at_a_node_or_nothing(sent: Any) -> None:
    assert _sent_move(sent) is None
    assert _sent_move({"name": "a1", "node": 3, "more": 1}) == ("a1", 3)


def test_a_history_of_nought_is_painted_as_even_and_shown_with_its_sign() -> None:
    table = CellTable("history", "first", "signed", "mean result", (-1.0, 0.0, 0.5, None))
    report = Player("uct(simulations=10)").search(game_of("tic_tac_toe").start())
    (layer,) = layers_of(report, {}, [table], ("White", "Black"))[2:]
    cells = heat_map(0, layer, report, {}, [])["cells"]
    drawn = {cell: (strength, text, hue) for cell, strength, text, hue in cells}
    lost, even, good = drawn[0], drawn[1], drawn[2]
    assert (lost[1], even[1], good[1]) == ("-100", "", "+50")
    # As a rate, nought would be red like a loss.
    assert lost[2] < even[2] < good[2]
    assert even[0] < lost[0]
    assert layer.legend == "mean result, in percent (-100 lost, 0 even, 100 won)"


@pytest.mark.parametrize(
    ("scale", "values", "drawn"),
    [
        ("rate", (0.0, 0.5, 1.0), [(90, "", 8), (14, "50", 79), (90, "100", 150)]),
        ("signed", (-1.0, 0.0, 1.0), [(90, "-100", 8), (14, "", 79), (90, "+100", 150)]),
        ("share", (0.0, 1.0), [(0, "", None), (90, "100", None)]),
        ("count", (0.0, 40.0), [(0, "", None), (90, "40", None)]),
        ("flag", (0.0, 1.0), [(0, "×", None), (36, "", None)]),
        ("cell", (2.0, 0.0), [(0, "→c1", None), (0, "→a1", None)]),
    ],
)
def test_a_layer_is_painted_by_its_scale(scale: Scale, values: tuple[float, ...], drawn: list[Any]) -> None:
    report = Player("uct(simulations=10)").search(game_of("tic_tac_toe").start())
    table = CellTable("mine", None, scale, "what it says", values)
    (layer,) = layers_of(report, {}, [table], ("Crosses", "Noughts"))[2:]
    cells = heat_map(0, layer, report, {}, [], ["a1", "b1", "c1"])["cells"]
    assert [(strength, text, hue) for _, strength, text, hue in cells] == drawn


def test_only_the_win_rate_fades_where_little_was_tried() -> None:
    state = game_of("tic_tac_toe").start()
    report = Player("uct(simulations=300)").search(state)
    rates = CellTable("amaf", "first", "rate", "what it says", tuple(0.9 for _ in range(9)))
    cells = dict(state.legal_move_cells())
    _, value, amaf = layers_of(report, cells, [rates], ("Crosses", "Noughts"))
    assert len({strength for _, strength, *_ in heat_map(0, amaf, report, cells, [])["cells"]}) == 1
    even = replace(value, numbers=dict.fromkeys(value.numbers, 0.9))
    assert len({strength for _, strength, *_ in heat_map(0, even, report, cells, [])["cells"]}) > 1


def test_a_move_is_explained_with_its_threat() -> None:
    room = position_room(HAVANNAH, "a1 g7 a2 g6 a3 e3")
    state = room.state(room.live)
    text = explain(state, Player("uct(simulations=3000)").search(state, seed=1))
    assert text.startswith("White would play a4")
    assert "It wins at once." in text


def test_blunders_are_marked_in_graph_and_moves() -> None:
    room = position_room(HAVANNAH, "d4 a1 e5")
    for node, value in enumerate((0.5, 0.55, 0.9, 0.88)):
        room.findings.note(node, value, "", 100)
    assert list(blunders(room, room.tree.line_through(0))) == [2]
    assert 'class="blunder"' in winrate_svg(room, 0)
    assert 'move blunder" data-node="2"' in moves_html(room, 0).replace(" later", "")


# Records


def test_a_game_is_saved_with_variations_and_analysis_and_comes_back() -> None:
    room = position_room("havannah(size=5)", "e5 a1 f6")
    room.add(1, "b2")
    room.findings.note(1, 0.625, "a1", 1000)
    room.findings.note(2, 0.75, "f6", 500)
    assert formats(room) == ("sgf", "hgf", "text")
    for form in formats(room):
        again = parse_record(written(room, form))
        assert again.tree.moves(again.live) == ["e5", "a1", "f6"], form
        assert again.findings[1].value == 0.625, form
        assert again.findings[2].value == 0.75, form
        assert sorted(again.tree[child].move for child in again.tree[1].children) == ["a1", "b2"], form


@pytest.mark.parametrize(
    "game", ["breakthrough", "domineering", "nogo", "tic_tac_toe", "misere(havannah(size=4))"]
)
def test_every_open_game_is_saved_as_sgf_and_comes_back(game: str) -> None:
    room = GameRoom(game)
    for _ in range(3):
        room.live = room.add(room.live, room.state(room.live).legal_moves[-1])
    assert formats(room) == ("sgf", "text")
    for form in formats(room):
        again = parse_record(written(room, form))
        assert again.game.spec == room.game.spec
        assert again.tree.moves(again.live) == room.tree.moves(room.live)
    assert formats(GameRoom("mr_jack")) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "nothing to read"),
        ("(;FF[4]", r"expected '\)'"),
        ("hello", "expected"),
        ("x" * 1_000_001, "too large"),
    ],
)
def test_what_is_no_record_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_record(text)


def test_a_position_is_set_up_by_clicking() -> None:
    draft = Draft("havannah(size=4)")
    cells = [cell.name for cell in draft.game.board().cells]
    draft.click(cells.index("d4"))
    draft.click(cells.index("a1"))
    draft.click(cells.index("a1"))
    room = position_room(HAVANNAH, position=draft.text())
    pieces = {cells[piece.cell]: piece.side for piece in room.state(0).pieces()}
    assert pieces == {"d4": "first", "a1": "second"}
    with pytest.raises(ValueError, match="not set up by clicking"):
        Draft("domineering")


# What is offered


def test_every_game_has_a_ladder_boards_and_rules() -> None:
    for part in levels.games():
        board = levels.boards(part.name)[0]
        ladder = levels.levels(board)
        assert 6 <= len(ladder) <= 8, part.name
        assert len({level.name for level in ladder}) == len(ladder)
        assert rules.paragraphs(part.name)
        for level in ladder:
            Player(level.player).check(game_of(board))


def test_the_usual_board_comes_first_and_the_papers_one_is_there() -> None:
    assert levels.boards("havannah")[0] == "havannah(size=8)"
    for name in ("breakthrough", "knightthrough", "domineering", "nogo", "atari_go"):
        assert any("rows=5" in spec for spec in levels.boards(name)), name


# The door


async def knock(
    settings: Settings, headers: dict[str, str], query: str = "", kind: str = "http"
) -> tuple[int, dict[str, str]]:
    """Who stands before the door: the status, and the headers of the answer."""
    sent: list[dict[str, Any]] = []

    async def inside(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": kind,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "query_string": query.encode(),
        "path": "/",
    }
    await Door(inside, settings)(scope, receive, send)
    first = sent[0]
    if first["type"] == "websocket.close":
        return first["code"], {}
    return first["status"], {name.decode(): value.decode() for name, value in first["headers"]}


async def test_on_this_machine_only_its_own_names_are_answered() -> None:
    here = Settings()
    assert (await knock(here, {"host": "127.0.0.1:8060"}))[0] == 200
    assert (await knock(here, {"host": "localhost:8060"}))[0] == 200
    assert (await knock(here, {"host": "[::1]:8060"}))[0] == 200
    assert (await knock(here, {"host": "evil.example"}))[0] == 403
    assert (await knock(here, {}))[0] == 403


async def test_a_socket_of_another_site_is_refused() -> None:
    headers = {"host": "127.0.0.1:8060", "origin": "http://evil.example"}
    assert (await knock(Settings(), headers, kind="websocket"))[0] == 4403
    headers["origin"] = "http://127.0.0.1:8060"
    assert (await knock(Settings(), headers, kind="websocket"))[0] == 200


async def test_a_public_server_wants_its_token_and_remembers_it_in_a_cookie() -> None:
    public = Settings(host="0.0.0.0", token="open-sesame", names=("Example.org",))
    assert (await knock(public, {"host": "example.org"}))[0] == 403
    assert (await knock(public, {"host": "example.org"}, "token=guess"))[0] == 403
    status, headers = await knock(public, {"host": "example.org"}, "token=open-sesame")
    assert status == 200
    assert "HttpOnly" in headers["set-cookie"]
    cookie = headers["set-cookie"].partition(";")[0]
    assert (await knock(public, {"host": "example.org", "cookie": cookie}))[0] == 200
    own = {"host": "example.org", "origin": "http://example.org"}
    assert (await knock(public, {**own, "cookie": "coppice_token=x"}, kind="websocket"))[0] == 4403
    assert (await knock(public, {**own, "cookie": cookie}, kind="websocket"))[0] == 200


async def test_nothing_behind_the_door_sees_the_token() -> None:
    seen: list[Any] = []

    async def inside(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def ignore(*_: Any) -> dict[str, Any]:
        return {"type": "http.request"}

    headers = {
        "host": "localhost",
        "cookie": "coppice_token=open-sesame; other=1",
        "referer": "http://localhost/?token=open-sesame",
    }
    scope = {
        "type": "http",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "query_string": b"a=1&token=open-sesame&b=%2B",
        "path": "/",
        "client": ("192.168.1.7", 5),
    }
    await Door(inside, Settings(host="0.0.0.0", token="open-sesame"))(scope, ignore, ignore)
    (found,) = seen
    assert "sesame" not in repr(found)
    assert found["query_string"] == b"a=1&b=%2B"
    assert found["coppice.visitor"] == "192.168.1.7"


def test_the_next_free_port_is_taken() -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert free_port("127.0.0.1", port) > port
        with pytest.raises(ValueError, match="no free port"):
            free_port("127.0.0.1", port, tries=1)
