"""The computer's time in the app: threads that nobody wants, thinking on a person's time, clocks, books."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from patience import FakeClock, until

from coppice import Limit, Report, Thinking
from coppice.play.book import shipped
from coppice.play.clocks import move_seconds
from coppice.play.opponent import KeptSearch
from coppice.web.allowed import game_of
from coppice.web.game_room import Clock, GameRoom, Seat
from coppice.web.lobby import Lobby
from coppice.web.new_game import new_room
from coppice.web.searches import TURN_SECONDS, Searches, decide
from coppice.web.settings import Settings

HAVANNAH = "havannah(size=4)"


def room_of(lobby: Lobby, *, ponder: bool = True, game: str = HAVANNAH, **more: Any) -> GameRoom:
    computer = Seat("computer", "strong", "strong", 500, ponder=ponder)
    seats: dict[Any, Seat] = {"first": Seat("person", "You", token="secret"), "second": computer}
    room = lobby.open(GameRoom(game, seats, **more))
    # A page looks on.
    room.listeners.add(lambda: None)
    return room


def answered(room: GameRoom, moves: int) -> Callable[[], bool]:
    return lambda: len(room.tree.moves(room.live)) == moves


# Threads that nobody wants


async def test_spare_work_runs_only_on_a_thread_that_is_free_and_not_wanted() -> None:
    searches = Searches(1)
    assert await searches.spare(lambda: 7, lambda: None) == 7
    release = threading.Event()
    busy = asyncio.create_task(searches.turn("a", release.wait))
    await until(lambda: searches._running == 1)
    assert await searches.spare(lambda: 7, lambda: None) is None
    release.set()
    await busy
    assert await searches.spare(lambda: 8, lambda: None) == 8
    searches.close()


async def test_spare_work_is_told_to_stop_when_somebody_waits() -> None:
    searches = Searches(1, most_waiting=1, most_per_owner=1)
    began, stopped = threading.Event(), threading.Event()

    def work() -> bool:
        began.set()
        return stopped.wait(60)

    spare = asyncio.create_task(searches.spare(work, stopped.set))
    await until(began.is_set)
    assert searches.waiting == 0, "it counts against nobody"
    assert not stopped.is_set()
    # The one thread is free for this only because the spare work was told to stop.
    assert await searches.turn("a", lambda: 5) == 5
    assert await spare is True
    # A failure inside harms nobody.
    with pytest.raises(ZeroDivisionError):
        await searches.spare(lambda: 1 // 0, lambda: None)
    assert await searches.turn("a", lambda: 6) == 6
    searches.close()


async def test_a_thread_stays_taken_until_spare_work_that_nobody_waits_for_has_ended() -> None:
    searches = Searches(1)
    release = threading.Event()
    spare = asyncio.create_task(searches.spare(release.wait, lambda: None))
    await until(lambda: searches._running == 1)
    spare.cancel()
    with pytest.raises(asyncio.CancelledError):
        await spare
    assert await searches.spare(lambda: 7, lambda: None) is None
    release.set()
    await until(lambda: searches._running == 0)
    assert await searches.spare(lambda: 7, lambda: None) == 7
    searches.close()


# Thinking on a person's time


async def test_the_computer_thinks_on_a_persons_time_until_the_move(tmp_path: Path) -> None:
    lobby = Lobby(Settings(store=tmp_path / "coppice.db", threads=2))
    room = room_of(lobby)
    room.play("d4")
    lobby.wake(room)
    await until(answered(room, 2))
    await until(lambda: lobby.is_pondering(room))
    pondering = lobby._pondering[room.identity]
    await until(lambda: pondering._thinking is not None and pondering._thinking.report().simulations > 2000)
    assert pondering._thinking
    reply = pondering._thinking.report().best
    room.play(reply)
    lobby.wake(room)
    await until(answered(room, 4))
    # The search of the answer, and the one after it, went on in the tree that was found meanwhile.
    again = lobby._pondering[room.identity]
    await until(lambda: again._thinking is not None)
    assert again is not pondering
    assert again._thinking is pondering._thinking
    assert again.state.moves == room.tree.moves(room.live)
    assert pondering.task
    assert pondering.task.done()
    lobby.close()


async def test_nobody_is_pondered_about_unless_it_was_asked_for(tmp_path: Path) -> None:
    lobby = Lobby(Settings(store=tmp_path / "coppice.db", threads=2))
    room = room_of(lobby, ponder=False)
    room.play("d4")
    lobby.wake(room)
    await until(lambda: not lobby.is_thinking(room))
    assert answered(room, 2)()
    assert not lobby.is_pondering(room)
    assert lobby._pondering == {}
    lobby.close()


@pytest.mark.parametrize("end", ["leave", "resign", "undo", "pause"])
async def test_pondering_ends_and_its_tree_is_dropped_when_the_person_goes(tmp_path: Path, end: str) -> None:
    lobby = Lobby(Settings(store=tmp_path / "coppice.db", threads=2))
    room = room_of(lobby)
    room.play("d4")
    lobby.wake(room)
    await until(lambda: lobby.is_pondering(room))
    pondering = lobby._pondering[room.identity]
    if end == "leave":
        room.listeners.clear()
    elif end == "resign":
        room.resign("first")
    elif end == "undo":
        room.back_to(0)
    else:
        room.paused = True
    await until(lambda: room.identity not in lobby._pondering)
    assert pondering.left
    assert not lobby.is_pondering(room)
    lobby.close()


async def test_no_more_rooms_are_pondered_about_than_there_are_threads(tmp_path: Path) -> None:
    lobby = Lobby(Settings(store=tmp_path / "coppice.db", threads=1))
    rooms = [room_of(lobby) for _ in range(3)]
    for room in rooms:
        room.play("d4")
        lobby.wake(room)
        await until(answered(room, 2))
    assert len(lobby._pondering) == 1
    lobby.close()


async def test_pondering_ends_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Lobby.wake.__globals__, "MOST_PONDER_SECONDS", 0.2)
    lobby = Lobby(Settings(store=tmp_path / "coppice.db", threads=1))
    room = room_of(lobby)
    room.play("d4")
    lobby.wake(room)
    await until(answered(room, 2))
    await until(lambda: not lobby.is_pondering(room))
    # The tree is kept for the answer.
    assert room.identity in lobby._pondering
    lobby.close()


async def test_a_kept_search_is_used_where_it_knows_the_position() -> None:
    searches = Searches(1)
    state = game_of(HAVANNAH).start()
    kept = KeptSearch()
    first = await decide(searches, "a", state, "strong", 3000, seed=1, kept=kept)
    later = state.copy().play(*first.line[:2])
    report = await decide(searches, "a", later, "strong", 500, seed=1, kept=kept)
    assert report.simulations == 500
    assert sum(stat.visits for stat in report.moves) > 500
    elsewhere = state.copy().play("a1", "b1")
    report = await decide(searches, "a", elsewhere, "strong", 500, seed=1, kept=kept)
    assert sum(stat.visits for stat in report.moves) == 500
    searches.close()


# Clocks


@pytest.mark.parametrize("seconds", [0.1, 1.5])
async def test_the_computer_does_not_lose_on_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """It would take half a minute a move; the clock has this for the game, and turns last a little longer."""
    now = FakeClock()
    lobby = Lobby(Settings(store=tmp_path / "coppice.db", threads=1))
    lobby.searches.now = now
    used: list[float] = []

    def turn(thinking: Thinking, simulations: int, left: float) -> Report:
        used.append(max(0.0, min(TURN_SECONDS, left)))
        now.goes_on(used[-1] + 0.001)
        return thinking.run(Limit(simulations=20))

    monkeypatch.setitem(decide.__globals__, "think_on", turn)
    clock = Clock(seconds, 0.0, {"first": 100.0, "second": seconds})
    room = room_of(lobby, game="havannah(size=3)", seed=1, clock=clock, now=now)
    assert room.seats
    room.seats["second"].player, room.seats["second"].simulations = "uct", 5_000_000
    while not room.over:
        room.play(room.state(room.live).legal_moves[0])
        lobby.wake(room)
        await until(lambda: not lobby.is_thinking(room))
    assert room.ended is None, "it ended on the board"
    left = room.time_left("second")
    assert left is not None
    assert 0 < left < seconds
    assert sum(used) > 0.1 * seconds, "and it used its time"
    lobby.close()


async def test_by_a_clock_a_decision_stops_when_it_cannot_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    # It is between turns that somebody looks: there are many.
    monkeypatch.setitem(decide.__globals__, "TURN_SECONDS", 0.003)
    searches = Searches(1, now=FakeClock())
    state = game_of(HAVANNAH).start().play("a1", "g7", "a2", "g6", "a3", "e3")
    many = 40_000
    whole = await decide(searches, "a", state, "uct", many, seed=1)
    early = await decide(searches, "a", state, "uct", many, seed=1, within=100)
    assert whole.simulations == many
    assert many / 2 < early.simulations < many
    assert early.best == whole.best == "a4"
    searches.close()


async def test_by_a_clock_a_decision_is_over_when_its_time_is() -> None:
    searches = Searches(1)
    state = game_of(HAVANNAH).start()
    late = await decide(searches, "a", state, "uct", 5_000_000, seed=1, within=0.05)
    assert late.simulations < 5_000_000
    drawn = await decide(searches, "a", state, "random", None, seed=1, within=0.05)
    assert drawn.best in state.legal_moves
    searches.close()


def test_hidden_games_have_a_clock_without_random_games() -> None:
    room = GameRoom("mr_jack", {**new_seats()}, clock=Clock(300, 3, {"first": 300.0, "second": 300.0}))
    # A share of what is left, as of 30 moves, and half of what the move earns.
    assert Lobby._seconds(room) == move_seconds(300, 30) + 1.5
    assert Lobby._seconds(GameRoom("mr_jack", {**new_seats()})) is None


def new_seats() -> dict[Any, Seat]:
    return {"first": Seat("person", "You", token="a"), "second": Seat("computer", "Seed", "random")}


# Books


async def test_a_seat_with_a_book_answers_from_it_and_says_so(tmp_path: Path) -> None:
    lobby = Lobby(Settings(store=tmp_path / "coppice.db"))
    book = shipped(game_of(HAVANNAH))
    assert book is not None
    opening = book.find(book.game.start())
    assert opening is not None
    computer = Seat("computer", "Oak", "strong", 50, book=True)
    room, _ = new_room(HAVANNAH, "computer", "second", computer)
    lobby.open(room)
    lobby.wake(room)
    await until(answered(room, 1))
    assert room.tree.moves(room.live) == [opening.best]
    assert "from the opening book" in room.sources[room.live]
    again = GameRoom.of_json(room.to_json())
    assert again.sources[again.live] == room.sources[room.live]
    # Beyond the book it searches.
    state = room.state(room.live)
    beyond = next(move for move in state.legal_moves if state.copy().play(move) not in book)
    room.play(beyond)
    lobby.wake(room)
    await until(answered(room, 3))
    assert room.live not in room.sources
    lobby.close()


def test_seats_kept_by_an_older_server_are_read() -> None:
    room = GameRoom(HAVANNAH, new_seats())
    entry = room.to_json()
    for seat in entry["seats"].values():
        del seat["ponder"], seat["book"]
    entry["nodes"] = [node[:6] for node in entry["nodes"]]
    assert GameRoom.of_json(entry).seats == room.seats


def test_two_computers_each_have_their_own_seat() -> None:
    room, _ = new_room(HAVANNAH, "watch", "first", Seat("computer", "Oak", "strong", 50, book=True))
    assert room.seats
    assert room.seats["first"] == room.seats["second"]
    assert room.seats["first"] is not room.seats["second"]
