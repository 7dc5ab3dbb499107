"""A game in play: whose seat it is, what its clocks show, what the computer answers, who may see a search."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User
from patience import FakeClock, until

from coppice import Player, Report, State
from coppice.board.cells import Side
from coppice.core.report import MoveStat, Proof
from coppice.web.findings import Finding
from coppice.web.game_room import SIDES, Clock, GameRoom, Seat
from coppice.web.lobby import Lobby
from coppice.web.new_game import new_room
from coppice.web.open_position import position_room
from coppice.web.play import GamePage
from coppice.web.settings import Settings

App = tuple[User, Lobby]
HAVANNAH = "havannah(size=4)"


def two_seats(computer: str = "random") -> dict[Any, Seat]:
    return {"first": Seat("person", "You", token="secret"), "second": Seat("computer", "Seed", computer)}


def timed(now: FakeClock, seconds: float = 60.0, increment: float = 5.0) -> GameRoom:
    clock = Clock(seconds, increment, dict.fromkeys(SIDES, seconds))
    return GameRoom(HAVANNAH, two_seats(), seed=1, clock=clock, now=now)


def shown(room: GameRoom) -> list[float | None]:
    return [room.time_left(side) for side in SIDES]


def report(
    side: Side, value: float | None, best: str = "a1", simulations: int = 100, proof: Proof | None = None
) -> Report:
    """What a search says that has found one move."""
    made = Player("random").search(GameRoom(HAVANNAH).state(0))
    moves = (MoveStat(best, simulations, value, proof),)
    return replace(made, side=side, moves=moves, best=best, simulations=simulations)


# Clocks, under a clock of our own


def test_a_turn_costs_its_side_exactly_its_time_and_earns_the_increment() -> None:
    now = FakeClock()
    room = timed(now)
    now.goes_on(100)
    assert shown(room) == [60, 60], "the clocks stand until the first move"
    room.play("d4")
    assert shown(room) == [60, 60], "the first move is free, and earns nothing"
    now.goes_on(7)
    assert shown(room) == [60, 53]
    room.play("a1")
    assert shown(room) == [60, 58]
    now.goes_on(10)
    assert shown(room) == [50, 58]
    room.play("e5")
    now.goes_on(0.25)
    assert shown(room) == [55, 57.75]


@pytest.mark.parametrize("late", [0.0, 3.0])
def test_who_has_no_time_left_loses(late: float) -> None:
    now = FakeClock()
    room = timed(now)
    room.play("d4")
    room.play("a1")
    now.goes_on(59.875)
    room.check_time()
    assert not room.over
    assert shown(room) == [0.125, 65]
    now.goes_on(0.125 + late)
    with pytest.raises(ValueError, match=r"^the game is over$"):
        room.play("e5")
    assert room.tree.moves(room.live) == ["d4", "a1"]
    assert room.ended == ("second", "time")
    assert room.result_text() == "Black wins: White ran out of time."
    now.goes_on(50)
    assert shown(room) == [0, 65]


def test_time_ends_a_game_that_nobody_touches_once() -> None:
    now = FakeClock()
    room = timed(now)
    room.play("d4")
    told: list[str] = []
    room.listeners.add(lambda: told.append(room.result_text()))
    for _ in range(3):
        now.goes_on(30)
        room.check_time()
    assert told == ["White wins: Black ran out of time."]
    assert room.winner == "first"


def test_the_clocks_stand_when_the_game_is_over() -> None:
    now = FakeClock()
    resigned = timed(now)
    resigned.play("d4")
    now.goes_on(20)
    resigned.resign("first")
    won = GameRoom("tic_tac_toe", two_seats(), clock=Clock(60, 5, dict.fromkeys(SIDES, 60.0)), now=now)
    for move in ("a1", "a2", "b1", "b2", "c1"):
        won.play(move)
        now.goes_on(1)
    assert won.over
    for room, left in ((resigned, [60, 40]), (won, [68, 68])):
        assert room.clock is not None
        assert room.clock.since is None
        now.goes_on(1000)
        room.check_time()
        assert shown(room) == left
    assert won.winner == "first", "nobody loses on time after the game"


def test_moves_taken_back_begin_a_turn_of_their_own() -> None:
    now = FakeClock()
    room = timed(now)
    room.play("d4")
    room.play("a1")
    now.goes_on(30)
    room.back_to(1)
    assert shown(room) == [60, 65]
    now.goes_on(10)
    assert shown(room) == [60, 55]
    room.back_to(0)
    now.goes_on(10)
    assert shown(room) == [60, 65], "at the start the clocks stand"


def test_a_clock_goes_on_while_no_server_runs() -> None:
    now = FakeClock()
    room = timed(now)
    room.play("d4")
    entry = room.to_json()
    now.goes_on(25)
    again = GameRoom.of_json(entry, now=now)
    assert shown(again) == [60, 35]
    now.goes_on(35)
    again.check_time()
    assert again.ended == ("first", "time")


def test_a_rematch_has_the_whole_time_and_waits_for_its_first_move() -> None:
    now = FakeClock()
    room = timed(now)
    room.play("d4")
    now.goes_on(20)
    room.play("a1")
    again = room.rematch()
    now.goes_on(20)
    assert shown(again) == [60, 60]
    again.play("d4")
    now.goes_on(20)
    assert shown(again) == [60, 40]
    assert shown(room) == [20, 45]
    assert room.for_analysis(1).clock is None


def test_the_computer_plans_with_what_its_clock_shows_and_half_the_increment() -> None:
    now = FakeClock()
    slow, quick = timed(now, 600.0, 8.0), timed(now, 600.0, 0.0)
    for room in (slow, quick):
        # How long the game still takes is told by random games of this seed.
        room.search_seed = 1
        room.play("d4")
    at_first, plain = Lobby._seconds(slow), Lobby._seconds(quick)
    assert at_first is not None
    assert plain is not None
    assert at_first == pytest.approx(plain + 4.0)
    now.goes_on(500)
    later = Lobby._seconds(quick)
    assert later is not None
    assert later == pytest.approx(plain / 6, rel=0.01)
    now.goes_on(98)
    last = Lobby._seconds(slow)
    assert last is not None
    assert last < 2, "it never plans with more than there is"


# Seats


def test_an_open_seat_is_nobodys() -> None:
    room, token = new_room(HAVANNAH, "link", "first", None)
    assert room.seats is not None
    seat = room.seats["second"]
    assert (seat.kind, seat.token) == ("person", "")
    assert room.side_of("") == set(), "who brings no secret has no seat"
    assert room.side_of(seat.invitation) == set(), "an invitation is no seat yet"
    assert room.side_of(token) == {"first"}


def test_the_computers_seat_is_nobodys() -> None:
    room = GameRoom(HAVANNAH, two_seats())
    assert room.side_of("") == room.side_of("Seed") == set()
    assert room.side_of("secret") == {"first"}
    assert position_room(HAVANNAH).side_of("secret") == set()


def test_an_empty_code_takes_no_seat() -> None:
    room = GameRoom(HAVANNAH, {"first": Seat("person", "A", token="a"), "second": Seat("person", "B")})
    with pytest.raises(ValueError, match="this invitation has been used already, or was never given"):
        room.join("")
    assert room.seats is not None
    assert room.seats["second"].token == ""


async def test_a_visitor_without_a_secret_cannot_play_for_the_open_seat(app: App) -> None:
    user, lobby = app
    room, token = new_room(HAVANNAH, "link", "second", None)
    lobby.open(room)
    for address in (f"/game/{room.identity}", f"/game/{room.identity}?seat="):
        await user.open(address)
        await user.should_see("You are watching")
        page = pages(room)[-1]
        assert page.sides == set()
        page.move("d4", 0)
        assert room.live == 0
        for marker in ("resign", "undo", "redo"):
            (button,) = user.find(marker=marker).elements
            assert isinstance(button, ui.button)
            assert not button.enabled, marker
        await page.resign()
        assert not room.over
    await user.open(f"/game/{room.identity}?seat={token}")
    await user.should_see(marker="invitation")
    await user.should_not_see("You are watching")


# The computer's answer


class Searching:
    """Stands for the searches of a lobby: it answers when it is let, each time with another move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[list[str]] = []
        self.given: list[str] = []
        self.go = asyncio.Semaphore(0)
        monkeypatch.setitem(Lobby.wake.__globals__, "decide", self.decide)

    async def decide(self, searches: Any, owner: str, state: State, *_: Any, **__: Any) -> Report:
        self.asked.append(state.moves)
        move = state.legal_moves[-1 - len(self.asked)]
        await self.go.acquire()
        self.given.append(move)
        return replace(Player("random").search(state, seed=1), best=move)


async def test_a_move_that_was_computed_for_another_position_is_not_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searching = Searching(monkeypatch)
    lobby = Lobby(Settings(store=tmp_path / "coppice.db"))
    room = lobby.open(GameRoom(HAVANNAH, two_seats()))
    room.play("d4")
    lobby.wake(room)
    await until(lambda: searching.asked == [["d4"]])
    room.back_to(0)
    room.play("a1")
    lobby.wake(room)
    searching.go.release()
    # What was found for the game with d4 is thrown away, and the game with a1 is looked at instead.
    await until(lambda: searching.asked == [["d4"], ["a1"]])
    assert room.tree.moves(room.live) == ["a1"]
    assert len(searching.given) == 1
    searching.go.release()
    await until(lambda: not lobby.is_thinking(room))
    assert room.tree.moves(room.live) == ["a1", searching.given[1]]
    assert searching.given[0] != searching.given[1]
    assert room.tree[1].children == []
    lobby.close()


@pytest.mark.parametrize("end", ["resign", "pause", "time", "undo"])
async def test_no_answer_comes_to_a_game_that_does_not_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, end: str
) -> None:
    searching, now = Searching(monkeypatch), FakeClock()
    lobby = Lobby(Settings(store=tmp_path / "coppice.db"))
    room = lobby.open(timed(now))
    room.play("d4")
    lobby.wake(room)
    await until(lambda: searching.asked)
    if end == "resign":
        room.resign("first")
    elif end == "pause":
        room.paused = True
    elif end == "time":
        now.goes_on(61)
    else:
        room.back_to(0)
    searching.go.release()
    await until(lambda: not lobby.is_thinking(room))
    assert room.tree.moves(room.live) == ([] if end == "undo" else ["d4"])
    assert searching.asked == [["d4"]]
    assert room.ended == {"resign": ("second", "resignation"), "time": ("first", "time")}.get(end)
    assert caplog.text == ""
    lobby.close()


async def test_only_searches_that_say_something_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = [
        report("second", 1.0, "c1", 3, proof="win"),
        report("second", 0.75, "b1", 500),
        report("second", 0.75, "a1", 499),
    ]

    async def decide(*_: Any, **__: Any) -> Report:
        return reports.pop()

    monkeypatch.setitem(Lobby.wake.__globals__, "decide", decide)
    lobby = Lobby(Settings(store=tmp_path / "coppice.db"))
    room = lobby.open(GameRoom(HAVANNAH, two_seats()))
    for move in ("d4", "d5", "d6"):
        room.play(move)
        lobby.wake(room)
        await until(lambda: not lobby.is_thinking(room))
    assert room.tree.moves(room.live) == ["d4", "a1", "d5", "b1", "d6", "c1"]
    assert room.findings[1] == Finding(), "499 simulations say too little"
    assert room.findings[3] == Finding(0.25, "b1", 500)
    assert room.findings[5] == Finding(0.0, "c1", 3, proven=True)
    lobby.close()


# What searches have found


def test_what_is_found_is_kept_as_the_first_sides_result() -> None:
    room = position_room(HAVANNAH, "d4 a1")
    room.findings.note_report(0, report("first", 0.75))
    room.findings.note_report(1, report("second", 0.75))
    assert room.findings[0] == Finding(0.75, "a1", 100)
    assert room.findings[1] == Finding(0.25, "a1", 100)
    room.findings.note_report(2, report("first", None))
    assert room.findings[2] == Finding()
    # A proof of the second side is a loss of the first.
    room.findings.note_report(1, report("second", 1.0, "b1", 7, proof="win"))
    assert room.findings[1] == Finding(0.0, "b1", 7, proven=True)


def test_a_larger_search_replaces_a_smaller_one_and_nothing_replaces_a_proof() -> None:
    findings = position_room(HAVANNAH, "d4").findings
    findings.note(0, 0.5, "a1", 100)
    findings.note(0, 0.6, "b1", 99)
    assert findings[0] == Finding(0.5, "a1", 100)
    findings.note(0, 0.7, "c1", 100)
    assert findings[0] == Finding(0.7, "c1", 100)
    findings.note_report(0, report("first", 1.0, "d1", 5, proof="win"))
    findings.note(0, 0.2, "e1", 10**6)
    assert findings[0] == Finding(1.0, "d1", 5, proven=True)


@pytest.mark.parametrize(
    ("moves", "value"),
    [
        ("a1 a2 b1 b2 c1", 1.0),
        ("a1 a2 b1 b2 c3 c2", 0.0),
        ("a1 b1 c1 b2 a2 c2 b3 a3 c3", 0.5),
    ],
)
def test_an_ended_game_is_certain_and_so_is_its_winners_last_decision(moves: str, value: float) -> None:
    room = position_room("tic_tac_toe", moves)
    line = room.tree.path(room.live)
    room.findings.note_end(line[-1])
    assert room.findings[line[-1]] == Finding(value, "", 1, proven=True)
    last = moves.split()[-1]
    # A draw says nothing about what else there was.
    expected = Finding() if value == 0.5 else Finding(value, last, 1, proven=True)
    assert room.findings[line[-2]] == expected
    assert room.findings[line[-3]] == Finding(), "the loser may have had something better"
    room.findings.note_end(line[0])
    assert room.findings[line[0]] == Finding(), "a game that goes on has no result"


# Two people, and searches


def pages(room: GameRoom) -> list[GamePage]:
    """The pages that show a room, the oldest first."""
    found = [listener.__self__ for listener in room.listeners if hasattr(listener, "__self__")]
    return sorted(
        (page for page in found if isinstance(page, GamePage)), key=lambda page: page.client.created
    )


@pytest.mark.parametrize("seat", ["host", "guest", "nobody"])
async def test_two_people_play_without_help(app: App, monkeypatch: pytest.MonkeyPatch, seat: str) -> None:
    user, lobby = app
    room, host = new_room(HAVANNAH, "link", "first", None)
    lobby.open(room)
    assert room.seats is not None
    guest = room.join(room.seats["second"].invitation).token
    for move in ("a1", "g7", "a2", "g6", "a3", "g5"):
        room.play(move)
    turns: list[str] = []
    turn = lobby.searches.turn

    async def counted(owner: str, work: Any) -> Any:
        turns.append(owner)
        return await turn(owner, work)

    monkeypatch.setattr(lobby.searches, "turn", counted)
    secret = {"host": host, "guest": guest, "nobody": ""}[seat]
    await user.open(f"/game/{room.identity}?seat={secret}")
    (page,) = pages(room)
    assert not page.may_search
    assert not page.search_place.visible
    await user.should_not_see(marker="hint")
    # Everything that a browser could send all the same.
    await page.hint()
    await page.review()
    await page.analyse_here()
    assert page.search_panel is not None
    page.search_panel.set(True)
    page._toggle_threats(type("Event", (), {"value": True}))
    assert page.board._shown.options.threats == []
    assert page.graph.content == ""
    await asyncio.sleep(0)
    assert page.search_panel._task is None
    assert turns == []
    assert lobby.loaded == 1
    assert all(room.findings[node] == Finding() for node in range(7))
    # When the game is over, all of it may be seen.
    room.resign("first")
    assert page.may_search
    assert page.search_place.visible
    page._toggle_threats(type("Event", (), {"value": True}))
    assert len(page.board._shown.options.threats) > 0
    page.search_panel.set(True)
    await until(lambda: room.findings[6].value is not None)
    assert turns
    assert page.graph.visible


async def test_a_game_that_goes_on_after_its_end_stops_the_search(app: App) -> None:
    user, lobby = app
    room, host = new_room(HAVANNAH, "link", "first", None)
    lobby.open(room)
    room.play("a1")
    room.play("b1")
    await user.open(f"/game/{room.identity}?seat={host}")
    (page,) = pages(room)
    room.resign("second")
    assert page.search_panel is not None
    page.search_panel.set(True)
    assert page.search_panel._task is not None
    # The opponent allows a move to be taken back.
    room.asked = "first"
    room.back_to(0)
    assert not page.may_search
    assert page.search_panel._task is None
