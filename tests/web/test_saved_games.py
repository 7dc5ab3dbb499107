"""Saving the games of the app: off the event loop, in order, nothing lost, and told where it fails."""

from __future__ import annotations

import asyncio
import logging
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from nicegui.testing import User
from patience import until

from coppice.lab.store import StoreError
from coppice.web.findings import Finding
from coppice.web.game_room import GameRoom, Seat
from coppice.web.lobby import Lobby
from coppice.web.saved_games import SavedGames
from coppice.web.settings import Settings

App = tuple[User, Lobby]
GAME = "havannah(size=4)"
FULL = "database or disk is full"


def two_people(game: str = GAME) -> GameRoom:
    return GameRoom(game, {"first": Seat("person", "A", token="a"), "second": Seat("person", "B", token="a")})


def against_the_computer() -> GameRoom:
    return GameRoom(
        GAME, {"first": Seat("person", "A", token="a"), "second": Seat("computer", "B", "random")}
    )


class Gate:
    """Holds the writer before it writes, as a slow disk does, and knows what it wrote."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = threading.Event()
        self.reached = threading.Event()
        self.failure = ""
        self.written: list[tuple[str, int]] = []
        write = SavedGames._write

        def held(saved: SavedGames, saves: list[Any]) -> None:
            self.reached.set()
            assert self.open.wait(60)
            if self.failure:
                raise sqlite3.OperationalError(self.failure)
            write(saved, saves)
            self.written += [(save.identity, save.content.count(",")) for save in saves]

        monkeypatch.setattr(SavedGames, "_write", held)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    return Gate(monkeypatch)


def moves_of(path: Path, identity: str) -> list[str]:
    saved = SavedGames(path)
    room = saved.get(identity)
    saved.close()
    assert room is not None
    return room.tree.moves(room.live)


async def test_neither_the_click_nor_other_games_wait_for_the_disk(tmp_path: Path, gate: Gate) -> None:
    lobby = Lobby(Settings(store=tmp_path / "coppice.db"))
    one, other = lobby.open(two_people()), lobby.open(two_people())
    assert await asyncio.to_thread(gate.reached.wait, 60)
    seen: list[str] = []
    one.listeners.add(lambda: seen.append("one"))
    other.listeners.add(lambda: seen.append("other"))
    # All this while the writer is held: whoever waited for it would wait for ever.
    one.play("d4")
    other.play("a1")
    one.play("a2")
    assert seen == ["one", "other", "one"]
    assert await lobby.find(one.identity) is one
    waiting = lobby.saved_games.get(one.identity)
    assert waiting is not None
    assert waiting.tree.moves(waiting.live) == ["d4", "a2"]
    assert gate.written == []
    gate.open.set()
    lobby.close()
    assert moves_of(tmp_path / "coppice-tables.db", one.identity) == ["d4", "a2"]
    assert moves_of(tmp_path / "coppice-tables.db", other.identity) == ["a1"]


async def test_games_are_written_in_the_order_of_their_changes(tmp_path: Path, gate: Gate) -> None:
    saved = SavedGames(tmp_path / "games.db")
    rooms = [two_people() for _ in range(3)]
    order: list[int] = []
    gate.open.set()
    for step, index in enumerate((0, 1, 2, 0, 2, 1, 0, 0, 2)):
        if step == 3:
            await until(lambda: len(gate.written) == 3)
            gate.open.clear()
            gate.reached.clear()
        room = rooms[index]
        if step >= 3:
            room.play(room.state(room.live).legal_moves[0])
        saved.put(room)
        order.append(index)
        if step == 3:
            # The writer has taken this one: the others wait behind it, each only as it was last.
            assert gate.reached.wait(60)
    gate.open.set()
    saved.close()
    numbers = {room.identity: index for index, room in enumerate(rooms)}
    assert [numbers[identity] for identity, _ in gate.written] == [0, 1, 2, 0, 1, 0, 2]
    for room in rooms:
        sizes = [size for identity, size in gate.written if identity == room.identity]
        assert sizes == sorted(sizes), "an older game never follows a newer one"
        assert moves_of(tmp_path / "games.db", room.identity) == room.tree.moves(room.live)


async def test_the_computer_answers_when_the_move_is_saved(
    tmp_path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobby = Lobby(Settings(store=tmp_path / "coppice.db"))
    asked, saved = asyncio.Event(), lobby._saved

    async def asks(room: GameRoom) -> None:
        asked.set()
        await saved(room)

    monkeypatch.setattr(lobby, "_saved", asks)
    room = lobby.open(against_the_computer())
    room.play("d4")
    lobby.wake(room)
    assert await asyncio.to_thread(gate.reached.wait, 60)
    # It has decided when somebody asks whether the move is saved.
    await until(asked.is_set)
    assert room.tree.moves(room.live) == ["d4"]
    assert lobby.is_thinking(room)
    gate.open.set()
    await until(lambda: len(room.tree.moves(room.live)) == 2)
    lobby.close()
    assert moves_of(tmp_path / "coppice-tables.db", room.identity) == room.tree.moves(room.live)


KILLED = """
import asyncio, sys
from pathlib import Path
from coppice.web.findings import Finding
from coppice.web.game_room import GameRoom, Seat
from coppice.web.lobby import Lobby
from coppice.web.settings import Settings

async def main():
    lobby = Lobby(Settings(store=Path(sys.argv[1])))
    seats = {"first": Seat("person", "A", token="a"), "second": Seat("computer", "B", "random")}
    room = lobby.open(GameRoom("havannah(size=4)", seats))
    room.listeners.add(lambda: print(*room.tree.moves(room.live), flush=True))
    while not room.over:
        if room.to_move == "first":
            room.play(room.state(room.live).legal_moves[0])
            lobby.wake(room)
        await asyncio.sleep(0)

print("began", flush=True)
asyncio.run(main())
"""


@pytest.mark.parametrize("answers", [1, 3])
def test_what_has_been_answered_survives_a_kill(tmp_path: Path, answers: int) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path / "coppice.db")]
    seen: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            seen = line.split()
            if len(seen) == 2 * answers:
                process.send_signal(signal.SIGKILL)
                break
    assert len(seen) == 2 * answers
    with sqlite3.connect(tmp_path / "coppice-tables.db") as connection:
        ((identity,),) = connection.execute("SELECT identity FROM tables").fetchall()
    kept = moves_of(tmp_path / "coppice-tables.db", identity)
    # The answer itself may be on its way; the move that it answers is not.
    assert kept[: len(seen) - 1] == seen[:-1]


async def test_a_full_disk_is_told_to_the_players_and_nothing_is_lost(app: App, gate: Gate) -> None:
    user, lobby = app
    gate.failure = FULL
    gate.open.set()
    room = lobby.open(two_people())
    await user.open(f"/game/{room.identity}?seat=a")
    user.find(marker="board").trigger("move", {"name": "d4", "node": 0})
    await user.should_see(f"Games cannot be saved just now ({FULL}).")
    assert room.tree.moves(room.live) == ["d4"]
    gate.failure = ""
    await until(lambda: not lobby.trouble)
    await until(lambda: bool(gate.written))
    await user.should_not_see("cannot be saved")
    saved = SavedGames(lobby.settings.saved_games)
    found = saved.get(room.identity)
    saved.close()
    assert found is not None
    assert found.tree.moves(found.live) == ["d4"]


async def test_a_folder_that_vanishes_gets_every_game_again(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    lobby = Lobby(Settings(store=folder / "coppice.db"))
    quiet, busy = lobby.open(two_people()), lobby.open(two_people())
    await asyncio.to_thread(lambda: lobby.saved_games.put(busy).result(60))
    shutil.rmtree(folder)
    busy.play("d4")
    await until(lambda: "gone" in lobby.trouble)
    await until(lambda: "(unable to open database file)" in lobby.trouble)
    assert str(tmp_path) not in lobby.trouble, "visitors need not know where the files lie"
    folder.mkdir()
    await until(lambda: not lobby.trouble)
    lobby.close()
    assert moves_of(folder / "coppice-tables.db", busy.identity) == ["d4"]
    assert moves_of(folder / "coppice-tables.db", quiet.identity) == []


def test_what_cannot_be_saved_at_the_end_is_told(
    tmp_path: Path, gate: Gate, caplog: pytest.LogCaptureFixture
) -> None:
    gate.failure = FULL
    gate.open.set()
    saved = SavedGames(tmp_path / "games.db")
    with pytest.raises(StoreError, match=rf"cannot write to '.*games.db': {FULL}"):
        saved.save(two_people())
    with caplog.at_level(logging.ERROR, "coppice.web"):
        saved.close()
    assert f"1 games have changes that could not be saved to '{tmp_path / 'games.db'}': {FULL}" in caplog.text
    with pytest.raises(StoreError, match=r"cannot write to '.*games.db': it is closed"):
        saved.put(two_people())


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    saved = SavedGames(tmp_path / "games.db")
    saved.close()
    (tmp_path / "games.db").write_bytes(b"no database " * 500)
    with pytest.raises(StoreError, match=r"cannot read '.*games.db': file is not a database"):
        saved.get("any")


OLD = """{"identity":"old","game":"havannah(size=4, swap=false)","seats":null,"position":null,"seed":7,
"clock":null,"link":false,"nodes":[[null,"",[1,3],0.5,"d4",900,"",false],[0,"d4",[2],null,"",0,"",false],
[1,"a1",[],1.0,"b1",50,"from the opening book",true],[0,"e5",[]]],"live":2,"ended":null,"asked":null,
"paused":false,"next":null}"""
"""What the app of before its tree was that of records has written, and a node of an even older one."""


def test_a_game_saved_by_an_older_app_is_read(tmp_path: Path) -> None:
    saved = SavedGames(tmp_path / "games.db")
    saved.save(two_people())
    with sqlite3.connect(saved.path) as connection:
        connection.execute("UPDATE tables SET identity = 'old', content = ?", (OLD,))
    room = saved.get("old")
    saved.close()
    assert room is not None
    assert room.tree.moves(room.live) == ["d4", "a1"]
    assert [room.tree.moves(node) for node in room.tree.root.children] == [["d4"], ["e5"]]
    assert room.findings[0] == Finding(0.5, "d4", 900)
    assert room.findings[1] == room.findings[3] == Finding()
    assert room.findings[2] == Finding(1.0, "b1", 50, proven=True)
    assert room.sources == {2: "from the opening book"}


def test_a_saved_game_that_is_no_tree_is_refused(tmp_path: Path) -> None:
    saved = SavedGames(tmp_path / "games.db")
    saved.save(two_people())
    with sqlite3.connect(saved.path) as connection:
        wrong = OLD.replace('"d4",[2]', '"d4",[1]')
        connection.execute("UPDATE tables SET identity = 'old', content = ?", (wrong,))
    with pytest.raises(ValueError, match="these 4 turns are no tree: each but the first follows one other"):
        saved.get("old")
    saved.close()
