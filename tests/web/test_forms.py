"""The forms of the app with a simulated user: misère, the fields under "More", what is too much."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User
from patience import until

from coppice.core.session import Limit, Player
from coppice.lab.match import Match
from coppice.lab.store import Store
from coppice.web.address import origin_for_others
from coppice.web.allowed import game_of
from coppice.web.boards import plain_game
from coppice.web.bounds import (
    check_match_player,
    threads_for,
)
from coppice.web.fields import MISERE, value_words
from coppice.web.game_room import SIDES, GameRoom
from coppice.web.laboratory import sweep
from coppice.web.levels import boards, games, levels, listed_name
from coppice.web.limits import Limits
from coppice.web.lobby import Lobby
from coppice.web.new_game import new_room

App = tuple[User, Lobby]
OPEN_GAMES = [part.name for part in games() if not game_of(part.name).hidden]


def only_room(lobby: Lobby) -> GameRoom:
    (room,) = lobby._rooms.values()
    return room


async def opened(lobby: Lobby) -> GameRoom:
    """The one room that a form has opened."""
    await until(lambda: lobby.loaded)
    return only_room(lobby)


@pytest.mark.parametrize("name", OPEN_GAMES)
async def test_every_open_game_has_a_misere_switch_in_its_form(app: App, name: str) -> None:
    user, lobby = app
    await user.open(f"/new/{name}")
    await user.should_see(MISERE)
    user.find(marker="misere").click()
    ladder = levels(f"misere({boards(name)[0]})")
    await user.should_see(f"3 of {len(ladder)} · {ladder[2].name}")
    user.find(marker="start").click()
    room = await opened(lobby)
    assert room.game == game_of(f"misere({boards(name)[0]})")
    await user.open(f"/game/{room.identity}")
    await user.should_see(plain_game(room.game.spec))


async def test_mr_jack_has_no_misere_switch(app: App) -> None:
    user, _ = app
    await user.open("/new/mr_jack")
    await user.should_not_see(marker="misere")


async def test_misere_is_analysed_from_the_choice_of_a_game(app: App) -> None:
    user, lobby = app
    await user.open("/analyse")
    user.find(marker="misere").click()
    user.find(marker="analyse").click()
    room = await opened(lobby)
    assert room.game == game_of(f"misere({boards('havannah')[0]})")
    await user.open("/analyse")
    user.find(marker="misere").click()
    user.find(marker="set-up").click()
    await user.should_see("Misère Havannah: set up", retries=100)


async def test_the_laboratory_plays_misere(app: App) -> None:
    user, lobby = app
    await user.open("/laboratory")
    for marker, spec in (("lab-a", "random"), ("lab-b", "random")):
        user.find(marker=marker).clear().type(spec)
    user.find(marker="lab-misere").click()
    user.find(marker="lab-start").click()
    await until(lobby.runs.all)
    (run,) = lobby.runs.all()
    assert run.title.startswith("misere(")


def test_a_misere_game_is_called_by_its_name() -> None:
    names = {
        "havannah(size=4)": ("havannah", "Havannah"),
        "misere(havannah(size=4))": ("havannah", "Misère Havannah"),
        "misere(game=tic_tac_toe)": ("tic_tac_toe", "Misère Tic-tac-toe"),
    }
    for spec, expected in names.items():
        assert (listed_name(spec), plain_game(spec)) == expected
    assert plain_game('python("x/y.py:Nim", options="3")') == "Nim"
    assert plain_game('misere(game=python(class="x/y.py:Nim"))') == "Misère Nim"


async def test_what_is_typed_for_one_board_is_gone_with_another(app: App) -> None:
    user, lobby = app
    await user.open("/new/havannah")
    user.find(marker="option-size").type("4")
    user.find(marker="option-swap").click()
    (board,) = user.find(marker="boards").elements
    assert isinstance(board, ui.toggle)
    with user:
        board.set_value(boards("havannah")[1])
    (field,) = user.find(marker="option-size").elements
    assert isinstance(field, ui.number)
    assert field.value is None
    assert field._props["placeholder"] == "6"
    user.find(marker="start").click()
    # The size belongs to the board, the swap does not.
    assert (await opened(lobby)).game == game_of("havannah(size=6, swap=true)")


@pytest.mark.parametrize(
    "name", [part.name for part in games() if any(option.kind == "choice" for option in part.options)]
)
async def test_choices_under_more_are_plain_words(app: App, name: str) -> None:
    user, _ = app
    await user.open(f"/new/{name}")
    part = next(part for part in games() if part.name == name)
    for option in part.options:
        if option.kind == "choice":
            (field,) = user.find(marker=f"option-{option.name}").elements
            assert isinstance(field, ui.select)
            assert isinstance(field.options, dict)
            assert list(field.options) == list(option.choices)
            for raw, words in field.options.items():
                assert words == value_words(option.name, raw)
                assert "_" not in words
                assert words[0].isupper()


async def test_a_choice_under_more_is_played(app: App) -> None:
    user, lobby = app
    await user.open("/new/atari_go")
    (field,) = user.find(marker="option-start").elements
    assert isinstance(field, ui.select)
    with user:
        field.set_value("cross_cut")
    user.find(marker="start").click()
    assert "start=cross_cut" in (await opened(lobby)).game.spec


@pytest.mark.parametrize("game", ["tic_tac_toe", "mr_jack"])
async def test_an_invitation_says_that_it_works_on_this_computer_only(app: App, game: str) -> None:
    user, lobby = app
    room, token = new_room(game, "link", "first", None)
    lobby.open(room)
    await user.open(f"/game/{room.identity}?seat={token}")
    await user.should_see("It works on this computer only.")
    await user.should_see("coppice web --host 0.0.0.0")


def test_an_invitation_has_an_address_that_others_can_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(origin_for_others.__globals__, "own_address", lambda: "10.0.0.7")
    for host, asked, expected in (
        ("127.0.0.1", "http://127.0.0.1:8060/", "http://127.0.0.1:8060"),
        ("0.0.0.0", "http://localhost:8060/", "http://10.0.0.7:8060"),
        ("::", "http://[::1]:8060/", "http://10.0.0.7:8060"),
        ("0.0.0.0", "http://games.example:80/", "http://games.example:80"),
        ("10.0.0.9", "http://127.0.0.1:8060/", "http://10.0.0.9:8060"),
        ("fe80::1", "http://localhost:8060/", "http://[fe80::1]:8060"),
    ):
        assert origin_for_others(host, 8060, asked) == expected


TOO_LONG = {
    "uct(simulations=1000000000000)": "a move has at most 5,000,000 simulations here, not 1,000,000,000,000",
    "uct(states=1000000000001)": "a move has at most 1,000,000,000 states here, not 1,000,000,000,001",
    "uct(seconds=60.5)": "a move has at most 60 seconds here, not 60.5",
    "uct(cpu_seconds=61)": "a move has at most 60 cpu_seconds here, not 61",
}


def told(message: str) -> str:
    """A message as the page shows it."""
    return message[0].upper() + message[1:]


@pytest.mark.parametrize("spec", TOO_LONG)
async def test_every_form_refuses_a_player_that_thinks_too_long(app: App, spec: str) -> None:
    user, lobby = app
    message = told(TOO_LONG[spec])
    await user.open("/new/tic_tac_toe")
    user.find(marker="player").type(spec)
    user.find(marker="start").click()
    await user.should_see(message)
    assert lobby.loaded == 0
    for marker in ("lab-a", "lab-b"):
        await user.open("/laboratory")
        user.find(marker=marker).clear().type(spec)
        user.find(marker="lab-start").click()
        await user.should_see(message)
    assert lobby.runs.all() == []
    room = lobby.open(GameRoom("tic_tac_toe"))
    await user.open(f"/game/{room.identity}")
    await user.should_see(kind=ui.input, content="Player")
    user.find(kind=ui.input, content="Player").clear().type(spec)
    user.find("Use it").click()
    await user.should_see(message)


@pytest.mark.parametrize("number", [0, 5_000_001])
async def test_the_form_refuses_simulations_that_the_browser_let_through(app: App, number: int) -> None:
    user, lobby = app
    await user.open("/new/tic_tac_toe")
    user.find(marker="player").type("uct")
    (field,) = user.find(marker="simulations").elements
    assert isinstance(field, ui.number)
    with user:
        field.set_value(number)
    user.find(marker="start").click()
    await user.should_see(f"A move has 1 to 5,000,000 simulations here, not {number:,}")
    assert lobby.loaded == 0


async def test_a_player_by_the_clock_is_not_given_simulations(app: App) -> None:
    user, lobby = app
    await user.open("/new/tic_tac_toe")
    user.find(marker="player").type("uct(seconds=0.1)")
    user.find(marker="start").click()
    seats = (await opened(lobby)).seats
    assert seats
    assert seats["second"].simulations is None


@pytest.mark.parametrize("number", [0, 100_001])
async def test_the_laboratory_refuses_too_many_games(app: App, number: int) -> None:
    user, lobby = app
    await user.open("/laboratory")
    (field,) = user.find(marker="lab-games").elements
    assert isinstance(field, ui.number)
    with user:
        field.set_value(number)
    user.find(marker="lab-start").click()
    await user.should_see(f"A match has 1 to 100,000 games here, not {number:,}")
    assert lobby.runs.all() == []


def test_a_match_that_would_use_up_the_machine_is_refused() -> None:
    for spec, message in (
        ("uct(simulations=none)", "a player without a limit would never move: give it simulations"),
        ("uct(memory=2GiB)", f"a player of a match has at most memory={Limits().match_memory} here"),
        ("uct(threads=256)", r"a player of a match has at most threads=\d+ here"),
        *TOO_LONG.items(),
    ):
        with pytest.raises(ValueError, match=message):
            sweep("tic_tac_toe", spec, "random", "", 0)
    with pytest.raises(ValueError, match="a sweep has at most 50 values here, not 51"):
        sweep("tic_tac_toe", "uct(simulations={x})", "random", ",".join(map(str, range(1, 52))), 0)
    for spec in ("random", "nested(level=1)", "strong", "uct(simulations=5000000)", "uct(seconds=60)"):
        check_match_player(spec)


def test_the_trees_of_a_match_fit_into_half_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(threads_for.__globals__, "_machine_bytes", lambda: 12 << 30)
    large, small = Player("uct(simulations=5000000)").spec, Player("uct(simulations=100)").spec
    assert threads_for((large, large), 16) == 3
    assert threads_for((large, "random"), 16) == 6
    assert threads_for((small, small), 16) == 16
    assert threads_for(("random", "random"), 0) == 1
    kept = Player("uct(simulations=100, reuse=true)").spec
    assert threads_for((kept, "random"), 16) == 6


def test_a_simulation_adds_less_to_a_tree_than_is_counted_for_it() -> None:
    largest = game_of("havannah(size=13)").start()
    report = Player("fossel_rave").think(largest).run(Limit(simulations=2000))
    assert report.bytes < 2000 * check_match_player.__globals__["_SIMULATION_BYTES"]


async def test_a_match_is_shown_by_what_differs_from_the_defaults(app: App) -> None:
    user, lobby = app
    match = Match("misere(havannah(size=4))", "rave(simulations=5)", "random")
    with Store(lobby.settings.store) as store:
        for _ in match.run(2, threads=1, store=store):
            pass
    await user.open(f"/laboratory/match/{match.identity}")
    for words in ("misere(havannah(size=4))", "rave(simulations=5)", "With every option", "(UTC)"):
        await user.should_see(words)
    await user.should_see(match.a)
    await user.open("/laboratory")
    await user.should_see(kind=ui.html, content='<span class="match-game">misere(havannah(size=4))</span>')


def test_the_bounds_are_those_that_the_documentation_names() -> None:
    text = " ".join((Path(__file__).parent.parent.parent / "docs" / "player.md").read_text().split())
    assert f"at most {Limits().simulations:,} simulations or {Limits().seconds:g} seconds" in text
    assert f"a match {Limits().games:,} games" in text


def choose(user: User, marker: str, value: Any) -> None:
    """A toggle or slider of the form is moved."""
    (element,) = user.find(marker=marker).elements
    assert isinstance(element, (ui.toggle, ui.slider))
    with user:
        element.set_value(value)


@pytest.mark.parametrize("name", ["tic_tac_toe", "mr_jack"])
async def test_two_different_computers_are_watched(app: App, name: str) -> None:
    user, lobby = app
    await user.open(f"/new/{name}")
    choose(user, "against", "watch")
    choose(user, "level-first", 0)
    choose(user, "level-second", 1)
    user.find(marker="start").click()
    room = await opened(lobby)
    room.paused = True
    assert room.seats is not None
    for place, side in enumerate(SIDES):
        level, seat = levels(boards(name)[0], side)[place], room.seats[side]
        assert (seat.kind, seat.name, seat.player) == ("computer", level.name, level.player)


async def test_a_typed_player_and_a_level_are_watched(app: App) -> None:
    user, lobby = app
    await user.open("/new/tic_tac_toe")
    choose(user, "against", "watch")
    user.find(marker="player-second").type("random")
    user.find(marker="start").click()
    room = await opened(lobby)
    assert room.seats is not None
    ladder = levels("tic_tac_toe")
    assert [seat.name for seat in room.seats.values()] == [ladder[2].name, "random"]


async def test_the_computer_has_a_level_of_the_side_it_plays(app: App) -> None:
    # In Mr Jack each side has a ladder of its own.
    user, lobby = app
    await user.open("/new/mr_jack")
    choose(user, "side", "second")
    choose(user, "level", 1)
    user.find(marker="start").click()
    room = await opened(lobby)
    assert room.seats is not None
    level = levels("mr_jack", "first")[1]
    seat = room.seats["first"]
    assert (seat.kind, seat.name, seat.player) == ("computer", level.name, level.player)
