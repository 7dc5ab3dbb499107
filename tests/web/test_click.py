"""A click, from the page through the room to the computer's answer: what the core is asked for on the way."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from nicegui.testing import User
from patience import until

from coppice import State
from coppice.web.allowed import game_of
from coppice.web.boards import faces_up, put_kinds
from coppice.web.game_room import GameRoom, Seat
from coppice.web.lobby import Lobby
from coppice.web.open_position import position_room

App = tuple[User, Lobby]
GAME = "havannah(size=4)"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, ...]]:
    """How often the legal moves of each position were asked for, in whatever way, by the moves to it."""
    count: Counter[tuple[str, ...]] = Counter()
    for each in (GAME, "mr_jack"):
        # Of a game, not of a position of it: known before anybody clicks.
        put_kinds(game_of(each)), faces_up(game_of(each))
    names, cells = State.legal_moves.fget, State.legal_move_cells  # type: ignore[attr-defined]

    def counted(ask: Callable[[State], Any]) -> Callable[[State], Any]:
        def asking(state: State) -> Any:
            count[tuple(state.moves)] += 1
            return ask(state)

        return asking

    monkeypatch.setattr(State, "legal_moves", property(counted(names)))
    monkeypatch.setattr(State, "legal_move_cells", counted(cells))
    return count


@pytest.mark.parametrize("computer", [Seat("computer", "uct", "uct", 50), Seat("computer", "b", book=True)])
async def test_the_legal_moves_of_a_position_are_computed_once_in_a_game(
    app: App, asked: Counter[tuple[str, ...]], computer: Seat
) -> None:
    user, lobby = app
    computer.player = computer.player or "uct(simulations=50)"
    room = lobby.open(GameRoom(GAME, {"first": Seat("person", "A", token="a"), "second": computer}))
    # Two pages of the same person, and one of somebody who looks on.
    for address in (
        f"/game/{room.identity}",
        f"/game/{room.identity}?seat=a",
        f"/game/{room.identity}?seat=a",
    ):
        await user.open(address)
    user.find(marker="threats").click()
    user.find(marker="search-switch").click()
    for turn, move in enumerate(("d4", "e5", "c3")):
        # Where the computer has just gone, the person goes elsewhere.
        move = move if move not in room.tree.moves(room.live) else "a1"
        user.find(marker="board").trigger("move", {"name": move, "node": room.live})
        await until(lambda turn=turn: len(room.tree.moves(room.live)) == 2 * turn + 2)  # type: ignore[misc]
        await until(lambda: room.findings[room.live].value is not None)
    line = room.tree.moves(room.live)
    assert len(line) == 6
    assert asked[tuple(line)] == 1, "somebody is to choose here"
    assert max(asked.values()) == 1, asked


async def test_the_legal_moves_of_a_position_are_computed_once_in_an_analysis(
    app: App, asked: Counter[tuple[str, ...]]
) -> None:
    user, lobby = app
    room = lobby.open(position_room(GAME, "d4 a1"))
    await user.open(f"/game/{room.identity}")
    user.find(marker="threats").click()
    for move in ("e5", "b2", "c4"):
        user.find(marker="board").trigger("move", {"name": move, "node": room.live})
        await until(lambda: room.findings[room.live].value is not None)
    # Back, and to another variation.
    user.find(marker="step-back").click()
    user.find(marker="board").trigger("move", {"name": "c5", "node": room.live})
    await until(lambda: room.findings[room.live].value is not None)
    assert room.tree.moves(room.live) == ["d4", "a1", "e5", "b2", "c5"]
    assert len(asked) >= 6
    assert max(asked.values()) == 1, asked


async def test_the_decisions_of_mr_jack_are_found_once_for_all_pages(
    app: App, asked: Counter[tuple[str, ...]]
) -> None:
    user, lobby = app
    seats = {side: Seat("person", side, token="a") for side in ("first", "second")}
    room = lobby.open(GameRoom("mr_jack", seats, seed=3, link=True))  # type: ignore[arg-type]
    for _ in range(3):
        await user.open(f"/game/{room.identity}?seat=a")
    found = await asyncio.gather(*(room.legal_moves(room.live) for _ in range(3)))
    assert found[0] is found[1] is found[2]
    assert len(found[0]) > 100
    await until(lambda: asked[()] > 0)
    assert asked == {(): 1}
