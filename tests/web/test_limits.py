"""The limits of the app: each is one that can be set and is told, and what they bound stays bounded."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import subprocess
import sys
import threading
import weakref
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from nicegui.testing import User
from patience import PATIENCE, FakeClock, until, wait_for

from coppice.core.session import Game
from coppice.records.tree import Turn
from coppice.web.allowed import game_of
from coppice.web.framework import FewLines
from coppice.web.game_room import GameRoom, Seat
from coppice.web.limits import Limits, changed, meaning
from coppice.web.lobby import Lobby
from coppice.web.open_position import position_room
from coppice.web.runs import Runs
from coppice.web.saved_games import SavedGames, encoded
from coppice.web.settings import Settings
from coppice.web.visitors import MOST_REMEMBERED, Held, Rate, WrongTokens, visitor_of
from coppice.web.watchdog import Watchdog

App = tuple[User, Lobby]
DOCS = Path(__file__).parent.parent.parent / "docs"


# The file of limits


def test_every_limit_is_on_the_page_with_its_meaning_and_its_number() -> None:
    text = " ".join((DOCS / "serving.md").read_text().split())
    for each in fields(Limits):
        assert f"| `{each.name}` | {getattr(Limits(), each.name):,} | {meaning(each.name)} |" in text


def test_limits_are_changed_by_name() -> None:
    assert changed([]) == Limits()
    assert changed(["games=5", " cells = 1_000 ", "pages=2,000"]) == Limits(games=5, cells=1000, pages=2000)
    with pytest.raises(ValueError, match=r"unknown limit 'game': allowed are simulations, states, seconds"):
        changed(["game=5"])
    for wrong in ("games", "games=", "games=0", "games=-1", "games=1.5", "games=many", "games=٣"):
        with pytest.raises(
            ValueError, match=r"limit games: expected a whole number from 1 \(games of a match\)"
        ):
            changed([wrong])


# Visitors


def scope(address: str | None) -> dict[str, Any]:
    return {"client": None if address is None else (address, 1)}


def test_a_visitor_is_an_address_or_a_network_of_64_bits() -> None:
    assert visitor_of(scope("192.168.1.7")) == "192.168.1.7"
    assert visitor_of(scope("::ffff:192.168.1.7")) == "192.168.1.7"
    assert visitor_of(scope("2001:db8:0:1::7")) == visitor_of(scope("2001:db8:0:1:ff::8")) == "2001:db8:0:1::"
    assert visitor_of(scope("2001:db8:0:2::7")) != visitor_of(scope("2001:db8:0:1::7"))
    assert visitor_of(scope("fe80::1%eth0")) == "fe80::"
    assert (visitor_of(scope("a socket")), visitor_of(scope(None))) == ("a socket", "")


def test_wrong_tokens_count_once_each_and_are_forgotten() -> None:
    now = FakeClock()
    wrong = WrongTokens(3, seconds=60, now=now)
    for token in ("a", "a", "b", "a", "b"):
        wrong.note("x", token)
        now.goes_on(1)
    assert wrong.wait("x") == 0
    wrong.note("x", "c")
    assert wrong.wait("x") == pytest.approx(55)
    assert wrong.wait("y") == 0
    now.goes_on(55)
    assert wrong.wait("x") == 0, "the first of them is a minute ago"
    now.goes_on(60)
    assert (wrong.wait("x"), len(wrong)) == (0, 0)


def test_a_rate_comes_back_by_and_by() -> None:
    now = FakeClock()
    rate = Rate(3, 30.0, now=now)
    assert [rate.take("x") for _ in range(5)] == [True, True, True, False, False]
    assert rate.take("y")
    now.goes_on(9)
    assert not rate.take("x")
    now.goes_on(2)
    assert [rate.take("x") for _ in range(2)] == [True, False]


def test_what_is_remembered_of_visitors_is_bounded() -> None:
    wrong, rate = WrongTokens(5), Rate(1, 3600.0)
    for number in range(MOST_REMEMBERED + 500):
        for token in range(7):
            wrong.note(str(number), f"{token}" * 1000)
        rate.take(str(number))
    assert len(wrong) == len(rate) == MOST_REMEMBERED
    assert all(len(shown) == 5 for shown in wrong._shown.values())
    assert rate.take("0"), "the first are forgotten"
    assert not rate.take(str(MOST_REMEMBERED + 499))


def test_places_are_counted_of_each_and_of_all() -> None:
    held = Held(3, 2)
    with held.one_more("x"), held.one_more("x"):
        assert not held.has_room("x")
        assert held.has_room("y")
        with held.one_more("y"):
            assert not held.has_room("z")
        assert held.has_room("z")
    assert held.total == 0
    assert not held._held, "nobody is remembered"


# What is opened


async def test_a_visitor_opens_so_many_tables_in_an_hour(tmp_path: Path) -> None:
    lobby = Lobby(Settings(store=tmp_path / "coppice.db"))
    lobby._opened = Rate(2, 3600.0, now=FakeClock())
    for _ in range(2):
        lobby.open(GameRoom("tic_tac_toe"), "x")
    with pytest.raises(ValueError, match="tables are opened from one place in an hour"):
        lobby.open(GameRoom("tic_tac_toe"), "x")
    lobby.open(GameRoom("tic_tac_toe"), "y")
    lobby.open(GameRoom("tic_tac_toe"))
    assert lobby.loaded == 4
    lobby.close()


@pytest.mark.parametrize("way", ["form", "empty board", "link", "position", "analyse", "rematch"])
async def test_every_way_to_a_table_counts(app: App, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    user, lobby = app
    asked: list[tuple[str, ...]] = []

    def refuse(room: GameRoom, *visitor: str) -> None:
        asked.append(visitor)
        raise ValueError("too many tables")

    seat = Seat("person", "A", token="a")
    room = lobby.open(GameRoom("tic_tac_toe", {"first": seat, "second": replace(seat)}))
    for move in ("a1", "a2", "b1", "b2", "c1"):
        room.play(move)
    monkeypatch.setattr(lobby, "open", refuse)
    paths = {
        "form": "/new/tic_tac_toe",
        "empty board": "/analyse",
        "link": "/analyse?game=tic_tac_toe",
        "position": "/setup?game=tic_tac_toe",
    }
    await user.open(paths.get(way, f"/game/{room.identity}?seat=a"))
    if way == "form":
        user.find(marker="start").click()
    elif way in ("empty board", "position"):
        user.find(marker="analyse").click()
    elif way == "analyse":
        user.find(marker="analyse-here").click()
    elif way == "rematch":
        user.find(marker="rematch").click()
    await user.should_see("Too many tables")
    # Here nobody has come through the door; and yet the page says who it is that asks.
    assert asked == [("",)]


async def test_of_the_tables_that_nobody_looks_at_the_newest_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobby = Lobby(Settings(store=tmp_path / "coppice.db"))
    monkeypatch.setitem(Lobby._unload.__globals__, "limits", lambda: Limits(tables_idle=2))
    rooms = [lobby.open(GameRoom("tic_tac_toe")) for _ in range(6)]
    for number, room in enumerate(rooms):
        room.used += number
    rooms[0].listeners.add(lambda: None)
    gone = [weakref.ref(room) for room in rooms[1:4]]
    lobby._unload()
    assert list(lobby._rooms) == [rooms[0].identity, rooms[4].identity, rooms[5].identity]
    # What has left is held by nobody, as soon as it is saved, and comes back.
    identity = rooms[1].identity
    await asyncio.gather(*(lobby._saved(room) for room in rooms))
    del rooms, room
    gc.collect()
    assert [ref() for ref in gone] == [None] * 3
    again = await lobby.find(identity)
    assert again is not None
    lobby.close()


def test_a_table_holds_so_many_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    room = GameRoom("tic_tac_toe")
    monkeypatch.setitem(GameRoom.add.__globals__, "limits", lambda: Limits(table_nodes=3))
    first = room.add(0, "a1")
    assert room.add(first, "b2") == 2
    assert room.add(0, "a1") == first, "what is there can still be played"
    for move in ("c3", "b2"):
        with pytest.raises(ValueError, match="a table holds at most 3 positions"):
            room.add(0, move)
    assert len(room.tree) == 3


def test_a_board_has_so_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        game_of.__globals__["_game"].__wrapped__.__globals__, "limits", lambda: Limits(cells=60)
    )
    assert len(game_of("hex(size=7)").board().cells) == 49
    with pytest.raises(ValueError, match="a board has at most 60 cells here, not 64"):
        game_of("hex(size=8)")


def test_the_laboratory_shows_so_many_finished_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Runs.start.__globals__, "limits", lambda: Limits(runs_kept=3))
    runs = Runs()
    for number in range(6):
        run = runs.start(str(number), "x", lambda: iter(()))  # type: ignore[arg-type, return-value]
        wait_for(lambda run=run: not run.active)  # type: ignore[misc]
    assert [run.key for run in runs.all()] == ["5", "4", "3"]
    runs.close()


async def test_there_are_so_many_analyses_at_a_time(app: App) -> None:
    user, lobby = app
    lobby.searches.analyses = Held(2, 2)
    clients = []
    for _ in range(3):
        room = lobby.open(position_room("havannah(size=4)"))
        clients.append(await user.open(f"/game/{room.identity}"))
        await user.should_see(marker="search-count")
    await user.should_see("there are too many analyses at a time".capitalize())
    assert lobby.searches.analyses.total == 2
    # Who leaves makes room.
    clients[0].delete()
    await until(lambda: lobby.searches.analyses.total == 1)
    user.find(marker="search-switch").click()
    user.find(marker="search-switch").click()
    await until(lambda: lobby.searches.analyses.total == 2)


# What is released


async def test_pages_that_are_gone_are_held_by_nobody(app: App) -> None:
    user, lobby = app
    held: list[weakref.ref[Any]] = []
    for _ in range(3):
        room = lobby.open(position_room("havannah(size=4)", "d4"))
        await user.open(f"/game/{room.identity}")
        await until(lambda room=room: room.findings[1].value is not None)  # type: ignore[misc]
        assert user.client is not None
        held += [weakref.ref(user.client), *(weakref.ref(one.__self__) for one in room.listeners)]  # type: ignore[attr-defined]
        user.client.delete()
    user.client = None
    del room
    await until(lambda: lobby.searches.analyses.total == 0 and lobby.searches._running == 0)
    lobby._rooms.clear()
    for _ in range(100):
        # The tasks of the pages hear that they are cancelled.
        await asyncio.sleep(0)

    def alive() -> list[Any]:
        gc.collect()
        return [ref() for ref in held if ref() is not None]

    await until(lambda: not alive())
    assert len(held) == 6


# The event loop


async def test_the_watchdog_tells_where_the_loop_stood(caplog: pytest.LogCaptureFixture) -> None:
    dog = Watchdog(0.01, tell_seconds=0.0)
    dog.start()
    stood = threading.Event()

    def coppice_stands() -> None:
        # Until the dog has looked: it asks where the loop is when it hears nothing.
        stood.wait(PATIENCE)

    where = dog._where

    def looked() -> str:
        place = where()
        stood.set()
        return place

    dog._where = looked  # type: ignore[method-assign]
    coppice_stands()
    await until(lambda: caplog.records)
    dog.stop()
    told = caplog.records[0].getMessage()
    assert "the pages had to wait 1 times, the longest for " in told
    assert "test_limits.py" in told


async def test_the_watchdog_is_silent_about_a_loop_that_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    dog = Watchdog(60.0)
    dog.start()
    assert dog._thread is not None
    await asyncio.to_thread(dog.stop)
    assert not dog._thread.is_alive()
    assert caplog.records == []


def test_a_minute_has_so_many_lines_in_the_log() -> None:
    now = FakeClock()
    few = FewLines(3, now)

    def line() -> str | None:
        record = logging.LogRecord("x", logging.WARNING, "x", 1, "a %s", ("b",), None)
        return record.getMessage() if few.filter(record) else None

    last = "a b (more lines are not written this minute)"
    assert [line() for _ in range(5)] == ["a b", "a b", last, None, None]
    now.goes_on(60)
    assert line() == "a b"


def large() -> GameRoom:
    room = GameRoom(
        "tic_tac_toe", {"first": Seat("person", "nodes", token="[]"), "second": Seat("person", "B")}
    )
    node = room.tree.add_line(0, ["a1", "b2"])
    for number in range(3000):
        room.tree.append(node, Turn("c3", f"{number} é"))
    return room


def test_a_large_game_is_made_of_small_texts_which_say_what_one_would(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for room in (large(), GameRoom("tic_tac_toe")):
        assert json.loads(encoded(room.to_json())) == json.loads(json.dumps(room.to_json()))
        assert GameRoom.of_json(json.loads(encoded(room.to_json()))).tree == room.tree


def test_no_large_text_is_made_at_once_and_none_where_pages_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[int, int]] = []
    plain = json.dumps

    def dumps(value: object, **more: Any) -> str:
        made.append((threading.get_ident(), len(value) if isinstance(value, list) else 0))
        return plain(value, **more)

    room = large()
    saved = SavedGames(tmp_path / "tables.db")
    monkeypatch.setattr(json, "dumps", dumps)
    tried = saved.put(room)
    # What is written is the game as it was then.
    room.tree.append(0, Turn("c1"))
    assert tried.result(PATIENCE) == ""
    monkeypatch.undo()
    assert sum(rows for _, rows in made) == 3003
    assert max(rows for _, rows in made) == 500
    assert threading.get_ident() not in {thread for thread, _ in made}
    again = saved.get(room.identity)
    assert again is not None
    assert (len(again.tree), again.tree.root.children) == (3003, [1])
    saved.close()


# Memory

READ = """
import sys
from coppice.web.records import parse_record, written
from coppice.web.game_room import GameRoom

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

text = open(sys.argv[1]).read()
parse_record(text[:text.index("(;W[") ] + ")")
before = peak()
room = parse_record(text)
for node in range(0, len(room.tree), 100):
    room.positions[node].to_move
copy = room.for_analysis(len(room.tree) - 1)
assert len(copy.tree) == len(room.tree)
assert len(written(copy, "sgf")) > 20_000
print(len(room.tree), peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read as Linux tells it")
def test_a_record_of_many_variations_takes_little_memory(tmp_path: Path) -> None:
    # 35 KB with 4,293 variations on a large board once took 2 GB: each kept a state with all before it.
    state = Game("havannah(size=10)").start()
    line = state.legal_moves[::2][:100]
    main = "".join(f";{'WB'[place % 2]}[{move}]" for place, move in enumerate(line))
    free = state.play(*line).legal_moves
    more = ("".join(f"(;B[{reply}])" for reply in free[:28] if reply != move) for move in free[:149])
    variations = "".join(f"(;W[{move}]{replies})" for move, replies in zip(free, more, strict=False))
    path = tmp_path / "large.sgf"
    path.write_text(f"(;FF[4]XG[havannah(size=10)]{main}{variations})")
    told = subprocess.run([sys.executable, "-c", READ, path], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    nodes, kibibytes = map(int, told.stdout.split())
    assert nodes > 4173
    assert kibibytes < 60 << 10
