"""Every way into the app with a canary: whatever a browser sends, no file and no program is run."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode

import pytest
from canary import REFUSED, Canary
from foreign_texts import files, hidden
from hypothesis import HealthCheck, given, settings
from nicegui import ui
from nicegui.testing import User
from serving import refused

from coppice.lab.match import Match
from coppice.lab.store import Store
from coppice.web.allowed import game_of, welcome
from coppice.web.game_room import GameRoom, Seat
from coppice.web.laboratory import sweep
from coppice.web.lobby import Lobby
from coppice.web.new_game import new_room
from coppice.web.open_position import position_room
from coppice.web.records import parse_record
from coppice.web.saved_games import SavedGames
from coppice.web.searches import capped

App = tuple[User, Lobby]


@pytest.fixture
def canary(tmp_path: Path) -> Canary:
    return Canary.in_folder(tmp_path)


@given(hidden())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_no_entrance_lets_a_hidden_file_or_program_in(spec: str) -> None:
    seat = Seat("computer", "x", spec)
    attempts: list[Callable[[], object]] = [
        lambda: game_of(spec),
        lambda: GameRoom(spec),
        lambda: GameRoom("tic_tac_toe", {"first": seat, "second": seat}),
        lambda: GameRoom.of_json(GameRoom("tic_tac_toe").to_json() | {"game": spec}),
        lambda: position_room(spec),
        lambda: new_room(spec, "screen", "first", None),
        lambda: new_room("tic_tac_toe", "computer", "first", seat),
        lambda: capped(spec),
        lambda: sweep(spec, "uct", "uct", "", 0),
        lambda: sweep("tic_tac_toe", spec, "uct", "", 0),
        lambda: sweep("tic_tac_toe", "uct", spec, "", 0),
        *(lambda text=text: parse_record(text) for text in files(spec).values()),
    ]
    for attempt in attempts:
        with pytest.raises(ValueError, match=REFUSED):
            attempt()


def test_a_sweep_cannot_put_a_name_together_from_pieces(canary: Canary) -> None:
    for player, value in (
        ("{x}" + canary.program.removeprefix("gtp"), "gtp"),
        ("mcts(playout={x})", canary.game),
        ('mcts(playout=patterns({x}"w"))', "weights="),
    ):
        with pytest.raises(ValueError, match=REFUSED):
            sweep("tic_tac_toe", player, "uct", value, 0)
    with pytest.raises(ValueError, match="too long"):
        sweep("tic_tac_toe", "uct(" + "{x}" * 1000, "uct", "1", 0)
    assert canary.lives


def test_a_guest_who_leaves_is_not_remembered(canary: Canary) -> None:
    try:
        welcome([canary.game])
        assert len(game_of(canary.game).board().cells) == 2
    finally:
        welcome(())
    with pytest.raises(ValueError, match=REFUSED):
        game_of(canary.game)


async def test_a_pasted_record_runs_nothing(app: App, canary: Canary) -> None:
    user, lobby = app
    for text in files(canary.game).values():
        await user.open("/analyse")
        user.find(marker="record").type(text)
        user.find(marker="open-record").click()
        await user.should_see(REFUSED)
    assert lobby.loaded == 0
    assert canary.lives


async def test_a_dropped_file_runs_nothing(app: App, canary: Canary) -> None:
    user, lobby = app
    await user.open("/analyse")
    assert user.client is not None
    (upload,) = [e for e in user.client.elements.values() if isinstance(e, ui.upload)]

    class File:
        async def read(self) -> bytes:
            return files(canary.game)["a.sgf"].encode()

    class Event:
        file = File()

    with user:
        for handler in upload._upload_handlers:
            await cast(Any, handler)(Event())
    await user.should_see(REFUSED)
    assert lobby.loaded == 0
    assert canary.lives


@pytest.mark.parametrize("path", ["/analyse", "/setup"])
async def test_a_link_runs_nothing(app: App, canary: Canary, path: str) -> None:
    user, lobby = app
    assert REFUSED in await refused(user, f"{path}?{urlencode({'game': canary.game})}", 400)
    assert lobby.loaded == 0
    assert canary.lives


async def test_the_form_of_a_game_runs_nothing(app: App, canary: Canary) -> None:
    user, lobby = app
    await user.open("/new/tic_tac_toe")
    user.find(marker="player").type(canary.program)
    user.find(marker="start").click()
    await user.should_see(REFUSED)
    assert lobby.loaded == 0
    assert canary.lives


async def test_the_player_of_an_analysis_runs_nothing(app: App, canary: Canary) -> None:
    user, lobby = app
    room = lobby.open(position_room("tic_tac_toe"))
    await user.open(f"/game/{room.identity}")
    await user.should_see(kind=ui.input, content="Player")
    field = user.find(kind=ui.input, content="Player")
    field.clear().type(canary.program)
    user.find("Use it").click()
    await user.should_see(REFUSED)
    assert canary.lives


async def test_the_laboratory_runs_nothing(app: App, canary: Canary) -> None:
    user, lobby = app
    await user.open("/laboratory")
    user.find(marker="lab-b").clear().type(canary.program)
    user.find(marker="lab-start").click()
    await user.should_see(REFUSED)
    assert lobby.runs.all() == []
    assert canary.lives


async def test_a_game_of_a_stored_match_runs_nothing(app: App, canary: Canary) -> None:
    user, lobby = app
    match = Match(canary.game, "random", "random")
    with Store(lobby.settings.store) as store:
        for _ in match.run(1, store=store):
            pass
    canary.file.with_suffix(".mark").unlink()
    await user.open(f"/laboratory/match/{match.identity}")
    user.find(marker="records").trigger("click", 0)
    await user.should_see(REFUSED)
    assert lobby.loaded == 0
    assert canary.lives


def kept(lobby: Lobby, change: Any) -> str:
    """A saved game as somebody might have written it."""
    room = GameRoom(
        "tic_tac_toe", {"first": Seat("person", "x", token="t"), "second": Seat("computer", "y", "uct")}
    )
    saved = SavedGames(lobby.settings.saved_games)
    saved.save(room)
    saved.close()
    content = room.to_json()
    change(content)
    with sqlite3.connect(lobby.settings.saved_games) as connection:
        connection.execute(
            "UPDATE tables SET content = ? WHERE identity = ?", (json.dumps(content), room.identity)
        )
    return room.identity


@pytest.mark.parametrize("what", ["game", "player"])
async def test_a_saved_table_runs_nothing(app: App, canary: Canary, what: str) -> None:
    user, lobby = app

    def change(content: Any) -> None:
        if what == "game":
            content["game"] = canary.game
        else:
            content["seats"]["second"]["player"] = canary.program

    identity = kept(lobby, change)
    for address in (f"/game/{identity}", f"/join/{identity}/x"):
        assert REFUSED in await refused(user, address, 404)
    # What a room would have begun by now has begun.
    for _ in range(100):
        await asyncio.sleep(0)
    assert lobby.loaded == 0
    assert lobby._thinking == {}
    assert canary.lives
