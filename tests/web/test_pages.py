"""The pages of the app with a simulated user: forms from the catalogue, refusals in plain words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from nicegui import ui
from nicegui.testing import User
from nicegui.testing.user_simulation import user_simulation
from patience import until
from serving import refused

from coppice.web.allowed import allowed, game_of, welcome
from coppice.web.boards import BoardView
from coppice.web.game_room import GameRoom, Seat
from coppice.web.levels import boards, games, levels
from coppice.web.lobby import Lobby
from coppice.web.new_game import new_room
from coppice.web.searches import capped
from coppice.web.settings import Settings

App = tuple[User, Lobby]
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
GUESTS = (
    f'python("{EXAMPLES}/domineering.py:Domineering", options="4x4")',
    f'python("{EXAMPLES}/policies.py:Early")',
    'gtp(command="another program")',
)


def elements(user: User, kind: type) -> list[object]:
    assert user.client is not None
    return [element for element in user.client.elements.values() if isinstance(element, kind)]


async def play(user: User, name: str, node: int) -> None:
    """A move as the browser would send it, as soon as the board is there."""
    await until(lambda: elements(user, BoardView))
    (board,) = elements(user, BoardView)
    assert isinstance(board, BoardView)
    # The page has heard it when this returns.
    user.find(marker="board").trigger("move", {"name": name, "node": node})


async def test_the_start_page_shows_every_game(app: App) -> None:
    user, _ = app
    await user.open("/")
    for part in games():
        await user.should_see(marker=f"card-{part.name}")


@pytest.mark.parametrize("name", [part.name for part in games()])
async def test_every_game_can_be_begun_from_its_form(app: App, name: str) -> None:
    user, lobby = app
    await user.open(f"/new/{name}")
    user.find(marker="start").click()
    await until(lambda: lobby.loaded)
    (room,) = lobby._rooms.values()
    await until(lambda: user.back_history[-1].startswith(f"/game/{room.identity}"))
    assert room.game == game_of(boards(name)[0])


async def test_every_open_game_is_played_to_its_end_on_its_page(app: App) -> None:
    user, lobby = app
    for part in games():
        spec = boards(part.name)[-1]
        if game_of(spec).hidden:
            with pytest.raises(ValueError, match="a screen for each side"):
                new_room(spec, "screen", "first", None)
            continue
        room, token = new_room(spec, "screen", "first", None)
        lobby.open(room)
        await user.open(f"/game/{room.identity}?seat={token}")
        while not room.over:
            moves = room.state(room.live).legal_moves
            node = room.live
            await play(user, moves[len(moves) // 2], node)
            assert room.live != node, spec
        await user.should_see(room.result_text())


async def test_a_page_that_does_not_exist_is_friendly(app: App) -> None:
    user, _ = app
    for address in ("/game/nothing", "/new/nothing", "/rules/nothing", "/join/nothing/x"):
        assert "There is no game" in await refused(user, address, 404)


async def test_an_unknown_address_has_a_page_of_our_own(app: App) -> None:
    user, _ = app
    assert "There is no page at this address." in await refused(user, "/nowhere/at/all", 404)
    assert "The address does not say which game." in await refused(user, "/setup", 400)
    assert "The address has a wrong 'at'." in await refused(user, "/game/x?at=here", 400)
    assert "The store has no such match." in await refused(user, "/laboratory/match/x", 404)
    assert "no experiment called x" in await refused(user, "/laboratory/experiment/x", 404)


async def test_who_has_no_seat_cannot_move(app: App) -> None:
    user, lobby = app
    room, _ = new_room("havannah(size=4)", "screen", "first", None)
    lobby.open(room)
    for address in (f"/game/{room.identity}", f"/game/{room.identity}?seat=guess"):
        await user.open(address)
        await play(user, "d4", 0)
        assert room.live == 0
        await user.should_see("You are watching")


async def test_crafted_moves_are_refused(app: App) -> None:
    user, lobby = app
    room, token = new_room("havannah(size=4)", "screen", "first", None)
    lobby.open(room)
    await user.open(f"/game/{room.identity}?seat={token}")
    find = user.find(marker="board")
    for crafted in (
        {"name": "z99", "node": 0},
        {"name": 7, "node": 0},
        {"name": "d4"},
        {},
        {"name": "d4", "node": 5},
    ):
        find.trigger("move", crafted)
        assert room.live == 0, crafted
        assert len(room.tree) == 1, crafted
    find.trigger("move", {"name": "d4", "node": 0})
    assert room.tree.moves(room.live) == ["d4"], "the page hears moves"


async def test_a_link_shows_its_position_and_a_wrong_one_says_what_is_wrong(app: App) -> None:
    user, lobby = app
    await user.open("/analyse?" + urlencode({"game": "havannah(size=4)", "moves": "d4 a1"}))
    await until(lambda: lobby.loaded)
    (room,) = lobby._rooms.values()
    assert room.tree.moves(room.live) == ["d4", "a1"]
    illegal = "/analyse?" + urlencode({"game": "havannah(size=4)", "moves": "d4 d4"})
    assert "Illegal move 'd4'" in await refused(user, illegal, 400)
    assert "nknown game 'chess'" in await refused(user, "/analyse?" + urlencode({"game": "chess"}), 400)


async def test_a_pasted_game_is_opened(app: App) -> None:
    user, lobby = app
    await user.open("/analyse")
    user.find(marker="record").type("nonsense")
    user.find(marker="open-record").click()
    await user.should_see("expected")
    assert lobby.loaded == 0


async def test_an_expert_may_name_any_player(app: App) -> None:
    user, lobby = app
    await user.open("/new/havannah")
    user.find(marker="player").type("uct(simulations=50)")
    user.find(marker="start").click()
    await until(lambda: lobby.loaded)
    (room,) = lobby._rooms.values()
    assert room.seats is not None
    assert room.seats["second"].player == "uct(simulations=50)"
    await user.open("/new/havannah")
    user.find(marker="player").type("nobody")
    user.find(marker="start").click()
    await user.should_see("nobody")
    assert lobby.loaded == 1


async def test_nobody_sits_down_who_is_told_who_jack_is(app: App) -> None:
    user, lobby = app
    await user.open("/new/mr_jack")
    user.find(marker="player").type("jack_v2(detective=informed)")
    user.find(marker="start").click()
    await user.should_see("is told who Jack is, so it plays in matches only")
    assert lobby.loaded == 0


async def test_two_computers_play_while_somebody_watches_and_can_be_paused(app: App) -> None:
    user, lobby = app
    room, _ = new_room("tic_tac_toe", "watch", "first", Seat("computer", "Sprout", "uct", 20))
    room.paused = True
    lobby.open(room)
    await user.open(f"/game/{room.identity}")
    (button,) = user.find(marker="pause").elements
    assert isinstance(button, ui.button)
    assert button.text == "Go on"
    assert not lobby.is_thinking(room)
    user.find(marker="pause").click()
    await until(lambda: not room.paused)
    assert button.text == "Pause"
    await until(lambda: room.over)
    await user.should_see(room.result_text())
    assert not button.enabled


async def test_a_review_finds_values_for_the_whole_game(app: App) -> None:
    user, lobby = app
    room = GameRoom("tic_tac_toe")
    node = 0
    for move in ("b2", "a1", "c1", "a3", "a2", "c2"):
        node = room.add(node, move)
    room.live = node
    lobby.open(room)
    await user.open(f"/game/{room.identity}")
    user.find(marker="review").click()
    await until(lambda: all(room.findings[at].value is not None for at in range(len(room.tree))))
    for at in range(7):
        assert room.findings[at].best in room.state(at).legal_moves
    # After two moves it is proven that nobody can win this game any more.
    assert [(room.findings[at].value, room.findings[at].proven) for at in range(2, 7)] == [(0.5, True)] * 5


async def test_the_levels_of_the_form_are_those_of_the_ladder(app: App) -> None:
    user, _ = app
    await user.open("/new/breakthrough")
    ladder = levels(boards("breakthrough")[0])
    await user.should_see(f"3 of {len(ladder)} · {ladder[2].name}")
    await user.should_see(ladder[2].words)
    (slider,) = elements(user, ui.slider)
    assert isinstance(slider, ui.slider)
    slider.set_value(len(ladder) - 1)
    await user.should_see(ladder[-1].name)
    await user.should_see(ladder[-1].words)
    assert ladder[-1].words != ladder[2].words


@pytest.fixture
async def app_with_guests(tmp_path: Path) -> AsyncIterator[App]:
    from coppice.web.server import build

    async with user_simulation() as user:
        lobby = build(Settings(store=tmp_path / "coppice.db", watch_seconds=0.0, guests=GUESTS))
        yield user, lobby
        lobby.close()
        welcome(())


async def test_a_game_from_elsewhere_is_played_against_a_policy_from_elsewhere(app_with_guests: App) -> None:
    user, lobby = app_with_guests
    await user.open("/")
    await user.should_see(marker="card-Domineering")
    await user.open("/rules/Domineering")
    await user.should_see("How to play Domineering")
    await user.open("/new/Domineering")
    user.find(marker="player").type(f"mcts(playout={GUESTS[1]}, simulations=30)")
    user.find(marker="start").click()
    await until(lambda: user.back_history[-1].startswith("/game/"))
    (room,) = lobby._rooms.values()
    await user.open(user.back_history[-1])
    await play(user, "a1a2", 0)
    # The computer answers, and its answer is a move of this game.
    await until(lambda: len(room.tree) == 3)
    assert room.tree.moves(room.live)[0] == "a1a2"
    assert room.to_move == "first"


def test_only_guests_are_welcome() -> None:
    try:
        welcome(GUESTS)
        for spec in (f"mcts(playout={GUESTS[1]}+mast)", GUESTS[2]):
            assert allowed(spec) == spec
            assert capped(spec)
        for spec in (GUESTS[0].replace("4x4", "5x5"), GUESTS[1].replace("Early", "Decisive"), "python(a)"):
            with pytest.raises(ValueError, match=r"cannot be named in a text from elsewhere.* --guest"):
                allowed(f"mcts(playout={spec})")
    finally:
        welcome(())
    with pytest.raises(ValueError, match="cannot be named in a text from elsewhere"):
        allowed(GUESTS[0])


def test_guests_that_cannot_come(tmp_path: Path) -> None:
    (tmp_path / "bare.py").write_text(
        """
from coppice.extend import Game, Playout
class Bare(Game):
    def initial_state(self, seed): return 0
    def side_to_move(self, state): return "first"
    def legal_moves(self, state): return [0]
    def play(self, state, move): return 1
    def outcome(self, state): return "first" if state else None
class Unfinished(Playout): ...
""",
        encoding="utf-8",
    )
    for guest, message in (
        (f'python("{tmp_path}/bare.py:Bare")', "has no board that could be shown: its class needs cells"),
        (f'python("{tmp_path}/bare.py:Unfinished")', "lacks choose: a playout policy must have choose"),
        ('python("nowhere_at_all:X")', "there is no module 'nowhere_at_all'"),
        ("chess", "unknown game 'chess'"),
    ):
        with pytest.raises(ValueError, match=message):
            welcome([guest])


async def test_the_form_offers_thinking_on_a_persons_time(app: App) -> None:
    user, lobby = app
    await user.open("/new/havannah")
    user.find(marker="ponder").click()
    user.find(marker="start").click()
    await until(lambda: lobby.loaded)
    (room,) = lobby._rooms.values()
    assert room.seats
    assert [seat.ponder for seat in room.seats.values()] == [False, True]
    assert not room.seats["second"].book
    await user.open("/new/mr_jack")
    await user.should_not_see(marker="ponder")


async def test_the_strongest_level_has_the_book_of_its_board(app: App) -> None:
    user, lobby = app
    for size in (4, 10):
        await user.open("/new/havannah")
        (level,) = elements(user, ui.slider)
        assert isinstance(level, ui.slider)
        level.set_value(len(levels("havannah(size=4)")) - 1)
        user.find(marker="option-size").type(str(size))
        before = lobby.loaded
        user.find(marker="start").click()
        await until(lambda before=before: lobby.loaded > before)  # type: ignore[misc]
        await user.should_see(kind=BoardView)
    first, second = lobby._rooms.values()
    assert first.seats
    assert second.seats
    assert first.seats["second"].book
    assert not second.seats["second"].book
    page, token = new_room(
        "havannah(size=4)", "computer", "second", Seat("computer", "Oak", "strong", 9, book=True)
    )
    lobby.open(page)
    await user.open(f"/game/{page.identity}?seat={token}")
    await until(lambda: page.live in page.sources)
    await user.should_see("The computer moved from the opening book")
