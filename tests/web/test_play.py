"""The page of a game: lines of a search that are opened."""

from __future__ import annotations

from nicegui.testing import User
from patience import until

from coppice.web.game_room import GameRoom, Seat
from coppice.web.lobby import Lobby
from coppice.web.open_position import position_room
from coppice.web.play import GamePage

App = tuple[User, Lobby]
GAME = "havannah(size=4)"


def page_of(room: GameRoom) -> GamePage:
    """The only page that shows a room."""
    [listener] = room.listeners
    page = getattr(listener, "__self__", None)
    assert isinstance(page, GamePage)
    return page


async def test_a_line_that_is_opened_in_an_analysis_is_a_variation_of_it(app: App) -> None:
    user, lobby = app
    room = lobby.open(position_room(GAME, "d4"))
    await user.open(f"/game/{room.identity}")
    page = page_of(room)
    page.go(0)
    with user:
        await page.open_line(["c3", "a1"])
    assert room.tree.moves(page.at) == ["c3", "a1"]
    assert room.tree.moves(1) == ["d4"]
    assert lobby.loaded == 1


async def test_a_line_that_is_opened_in_a_game_is_an_analysis_of_its_own(app: App) -> None:
    user, lobby = app
    seats = {
        "first": Seat("person", "You", token="secret"),
        "second": Seat("computer", "Seed", "random"),
    }
    room = lobby.open(GameRoom(GAME, seats))  # type: ignore[arg-type]
    await user.open(f"/game/{room.identity}?seat=secret")
    page = page_of(room)
    with user:
        await page.open_line(["c3", "a1"])
    await until(lambda: lobby.loaded == 2)
    assert len(room.tree) == 1, "nothing was played in the game"
    [other] = [one for one in lobby._rooms.values() if one is not room]
    assert other.seats is None
    assert other.tree.moves(other.live) == ["c3", "a1"]
