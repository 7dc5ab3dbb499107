"""The forms of the app with a simulated user: misère, the fields under "More", what is too much."""

from __future__ import annotations

import asyncio

import pytest
from nicegui import ui
from nicegui.testing import User

from coppice.web.address import origin_for_others
from coppice.web.boards import plain_game
from coppice.web.fields import MISERE, value_words
from coppice.web.hall import Hall
from coppice.web.levels import boards, games, levels, listed_name
from coppice.web.start import new_table
from coppice.web.table import Table, game_of

App = tuple[User, Hall]
OPEN_GAMES = [part.name for part in games() if not game_of(part.name).hidden]


def only_table(hall: Hall) -> Table:
    (table,) = hall._tables.values()
    return table


async def opened(hall: Hall) -> Table:
    """The one table that a form has opened."""
    for _ in range(100):
        if hall.loaded:
            break
        await asyncio.sleep(0.02)
    return only_table(hall)


@pytest.mark.parametrize("name", OPEN_GAMES)
async def test_every_open_game_has_a_misere_switch_in_its_form(app: App, name: str) -> None:
    user, hall = app
    await user.open(f"/new/{name}")
    await user.should_see(MISERE)
    user.find(marker="misere").click()
    ladder = levels(f"misere({boards(name)[0]})")
    await user.should_see(f"3 of {len(ladder)} · {ladder[2].name}")
    user.find(marker="start").click()
    table = await opened(hall)
    assert table.game == game_of(f"misere({boards(name)[0]})")
    await user.open(f"/game/{table.identity}")
    await user.should_see(plain_game(table.game.spec))


async def test_mr_jack_has_no_misere_switch(app: App) -> None:
    user, _ = app
    await user.open("/new/mr_jack")
    await user.should_not_see(marker="misere")


async def test_misere_is_analysed_from_the_choice_of_a_game(app: App) -> None:
    user, hall = app
    await user.open("/analyse")
    user.find(marker="misere").click()
    user.find(marker="analyse").click()
    table = await opened(hall)
    assert table.game == game_of(f"misere({boards('havannah')[0]})")
    await user.open("/analyse")
    user.find(marker="misere").click()
    user.find(marker="set-up").click()
    await user.should_see("Misère Havannah: set up")


async def test_the_laboratory_plays_misere(app: App) -> None:
    user, hall = app
    await user.open("/laboratory")
    for marker, spec in (("lab-a", "random"), ("lab-b", "random")):
        user.find(marker=marker).clear().type(spec)
    user.find(marker="lab-misere").click()
    user.find(marker="lab-start").click()
    await asyncio.sleep(0.1)
    (run,) = hall.runs.all()
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
    user, hall = app
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
    assert (await opened(hall)).game == game_of("havannah(size=6, swap=true)")


@pytest.mark.parametrize("name", [part.name for part in games()])
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
    user, hall = app
    await user.open("/new/atari_go")
    (field,) = user.find(marker="option-start").elements
    assert isinstance(field, ui.select)
    with user:
        field.set_value("cross_cut")
    user.find(marker="start").click()
    assert "start=cross_cut" in (await opened(hall)).game.spec


@pytest.mark.parametrize("game", ["tic_tac_toe", "mr_jack"])
async def test_an_invitation_says_that_it_works_on_this_computer_only(app: App, game: str) -> None:
    user, hall = app
    table, token = new_table(game, "link", "first", None)
    hall.open(table)
    await user.open(f"/game/{table.identity}?seat={token}")
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
