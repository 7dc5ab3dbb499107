"""The draft of a position that is set up by clicking, and the page around it."""

from __future__ import annotations

import pytest
from nicegui import ui
from nicegui.testing import User

import coppice
from coppice.board.cells import Side
from coppice.web.lobby import Lobby
from coppice.web.open_position import Draft, position_room

App = tuple[User, Lobby]
GAME = "havannah(size=4)"


def test_a_draft_begins_as_the_game_does() -> None:
    draft = Draft(GAME)
    assert draft.side == "first"
    assert draft.text() == coppice.game(GAME).start().text()


@pytest.mark.parametrize("side", ["first", "second"])
def test_a_draft_says_who_moves(side: Side) -> None:
    draft = Draft(GAME)
    draft.side = side
    draft.click(0)
    room = position_room(GAME, position=draft.text())
    assert room.to_move == side
    assert draft.message().to_move == side


def test_a_cell_is_empty_then_white_then_black_then_empty() -> None:
    draft = Draft(GAME)
    empty = draft.text()
    seen = []
    for _ in range(3):
        draft.click(0)
        seen.append([piece.side for piece in draft.message().pieces])
    assert seen == [["first"], ["second"], []]
    assert draft.text() == empty


async def test_the_text_follows_what_is_clicked_and_who_moves(app: App) -> None:
    user, lobby = app
    await user.open(f"/setup?game={GAME}")
    (toggle,) = user.find(kind=ui.toggle).elements
    (text,) = user.find(marker="position").elements
    assert isinstance(toggle, ui.toggle)
    assert isinstance(text, ui.textarea)
    with user:
        toggle.set_value("second")
    wanted = Draft(GAME)
    wanted.side = "second"
    assert text.value == wanted.text()
    user.find(marker="analyse").click()
    await user.should_see("to move")
    (room,) = lobby._rooms.values()
    assert room.to_move == "second"
