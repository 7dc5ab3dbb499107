"""What a person sees on Mr Jack's map in the browser: who and what is there, and what a click does."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jack_games import TOKENS, build, enter, link_room, position, simple, wait_card
from playwright.sync_api import Browser, Page, expect
from serving import Server, running, settle, wait_for

from coppice.board.cells import Side
from coppice.board.jack_map import CHARACTERS, Character
from coppice.board.scene import SceneOptions
from coppice.web.allowed import game_of
from coppice.web.boards import Shown, position_plain
from coppice.web.game_room import GameRoom
from coppice.web.jack_decision import Decision
from coppice.web.jack_desk import jack_message
from coppice.web.jack_facts import facts_for
from coppice.web.saved_games import SavedGames

BAD = "rgb(179, 57, 47)"
"""The colour of warnings in the light scheme."""

PLACES = "holmes:g5,watson:a3,smith:g8,lestrade:e5,stealthy:i4,goodley:c2,gull:a5,bert:l12"
"""Goodley and Bert stand on covers, Gull on an open manhole."""

POSITIONS = {
    "cleared": position(jack="gull", at=PLACES, innocent="holmes,watson,smith,lestrade,stealthy,goodley"),
    "lantern": position(hand="watson,lestrade,goodley,gull", next="holmes,smith,stealthy,bert"),
    "accusation": position(
        jack="smith", hand="lestrade,holmes,goodley,gull", next="watson,smith,stealthy,bert"
    ),
    "long": position(),
}


@functools.cache
def room_of(name: str) -> GameRoom:
    room = link_room(POSITIONS[name], name)
    for _ in range(22 if name == "long" else 0):
        room.play(simple(room.state(room.live)))
    return room


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on which the games above are saved."""
    folder = tmp_path_factory.mktemp("games")
    saved = SavedGames(folder / "coppice-tables.db")
    for name in POSITIONS:
        saved.save(room_of(name))
    saved.close()
    with running(folder) as server:
        yield server
    errors = (folder / "stderr.txt").read_text()
    assert "Traceback" not in errors, errors


def sit_down(page: Page, games: Server, name: str, side: str = "first") -> None:
    page.goto(f"{games.url}/game/{name}?seat={TOKENS[side]}")
    page.wait_for_selector(".board-frame .cell")


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    assert len(parts) == 3, colour
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """As the guidelines for accessible pages define it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_innocent_characters_keep_their_letter_and_colour(
    browser: Browser, games: Server, scheme: str
) -> None:
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
    page = context.new_page()
    sit_down(page, games, "cleared")
    drawn = page.evaluate(
        """(names) => [...document.querySelectorAll('.board .piece.token')].map((who) => {
            const face = getComputedStyle(who.querySelector('.face')), letter = who.querySelector('text');
            const ink = getComputedStyle(letter).fill, badges = who.querySelectorAll('.badge').length;
            const name = names.find((name) => who.classList.contains(name));
            return [name, letter.textContent, face.fill, face.stroke, ink, badges, face.opacity];
        })""",
        list(CHARACTERS),
    )
    assert sorted(entry[0] for entry in drawn) == sorted(CHARACTERS)
    looks = set()
    for name, letter, fill, rim, ink, badges, opacity in drawn:
        who = CHARACTERS[name]
        innocent = name not in ("gull", "bert")
        assert letter == who.letter
        # An innocent one is marked; its rim is the colour that the others have all over.
        assert badges == int(innocent)
        assert (rim if innocent else fill) == rgb(who)
        assert opacity == "1"
        assert contrast(fill, ink) >= 4.5, name
        looks.add((fill, letter))
    assert len(looks) == 8
    context.close()


def rgb(who: Character) -> str:
    return "rgb({}, {}, {})".format(*(int(who.colour[at : at + 2], 16) for at in (1, 3, 5)))


def test_both_looks_of_every_character_are_readable() -> None:
    def as_rgb(colour: str) -> str:
        return " ".join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))

    for who in CHARACTERS.values():
        for cleared in (False, True):
            look = who.look(cleared)
            assert contrast(as_rgb(look.disc), as_rgb(look.ink)) >= 4.5, who.name
    assert len({who.letter for who in CHARACTERS.values()}) == 8


def test_nobody_is_hidden_by_a_manhole_cover(page: Page, games: Server) -> None:
    sit_down(page, games, "cleared")
    # What comes later in the picture lies above.
    order = page.evaluate(
        """() => [...document.querySelectorAll('.board .pieces > *')].map((e) => e.getAttribute('class'))"""
    )
    first = next(at for at, kind in enumerate(order) if kind.startswith("piece token"))
    assert first > 0
    assert all(kind.startswith("piece token") for kind in order[first:])

    def count(words: str) -> int:
        return sum(set(words.split()) <= set(kind.split()) for kind in order)

    assert count("piece cover") == count("piece cordon") == 2
    assert count("piece lamp out") == 2
    assert count("piece lamp lit") == 6
    assert page.locator(".board .hole").count() == 8
    assert page.locator(".board .sign").count() == 4
    # A cover is wider than who stands on it, and so are the others that lie under somebody.
    widths = page.evaluate(
        """() => ['.piece.cover', '.fixture.manhole', '.piece.token'].map((kind) =>
            document.querySelector(`.board ${kind}`).getBBox().width)"""
    )
    assert widths[0] > widths[2]
    assert widths[1] > widths[2]


def test_a_hex_tells_what_is_on_it(page: Page, games: Server) -> None:
    sit_down(page, games, "cleared")
    labels = {
        "c2": "Sergeant Goodley, innocent, visible; covered manhole",
        "a5": "Sir William Gull; open manhole",
        "b2": "gaslight, lit, goes out after turn 1",
        "f5": "gaslight, lit",
        "f9": "gaslight, out",
        "NE": "exit, closed by a cordon",
        "SE": "exit, open",
    }
    for name, text in labels.items():
        expect(page.locator(f".cell[data-cell='{name}']")).to_have_attribute("aria-label", f"{name}, {text}")


def test_what_a_hex_tells_lies_beside_the_map_not_on_it(page: Page, games: Server) -> None:
    sit_down(page, games, "cleared")
    page.locator(".cell[data-cell='c2']").hover(force=True)
    tip = page.locator(".board-tip")
    expect(tip).to_have_text("c2 · Sergeant Goodley, innocent, visible; covered manhole")
    box, board = tip.bounding_box(), page.locator("svg.board").first.bounding_box()
    assert box is not None
    assert board is not None
    assert box["y"] >= board["y"] + board["height"] - 1


def test_where_the_lantern_shines_is_chosen_around_its_bearer_never_at_the_exits(
    page: Page, games: Server
) -> None:
    sit_down(page, games, "lantern")
    wait_card(page)
    build(page, "watson b1 facing")
    expect(page.get_by_text("where does the lantern shine?")).to_be_visible()
    # South of b1 is an exit: that direction has a button only, as have those that leave the map.
    legal = page.locator(".cell.legal")
    expect(legal).to_have_count(3)
    names = legal.evaluate_all("cells => cells.map((cell) => cell.dataset.cell)")
    assert sorted(names) == ["a1", "b2", "c2"]
    assert page.locator(".cell.exit.legal").count() == 0
    # An arrow at the lantern for each of the six.
    arrows = page.locator(".board .direction")
    expect(arrows).to_have_count(6)
    expect(page.locator(".choices button")).to_have_text(
        ["North", "North-east", "South-east", "South", "South-west", "North-west"]
    )
    page.locator(".cell[data-cell='c2']").click(force=True)
    expect(page.locator(".crumb").last).to_have_text("North-east")
    # The light goes that way at once, as far as the core says.
    beam = game_of("mr_jack").state(POSITIONS["lantern"]).play("watson b1 facing NE").pieces()
    names_of_cells = [cell.name for cell in game_of("mr_jack").board().cells]
    lit_now = {names_of_cells[cell] for piece in beam if piece.kind == "lantern" for cell in piece.cells[1:]}
    shown = page.locator(".cell.lit").evaluate_all("cells => cells.map((cell) => cell.dataset.cell)")
    assert lit_now
    assert lit_now <= set(shown)
    page.get_by_role("button", name="Undo").click()
    expect(arrows).to_have_count(6)
    # An arrow can be clicked where no street lies that way: south of b1 is an exit.
    page.locator(".board .direction[aria-label='S']").click()
    expect(page.locator(".crumb").last).to_have_text("South")
    expect(page.get_by_role("button", name="Confirm")).to_be_enabled()


def test_a_cordon_is_chosen_at_the_exits(page: Page, games: Server) -> None:
    sit_down(page, games, "lantern")
    wait_card(page)
    build(page, "lestrade e6 cordon")
    names = page.locator(".cell.legal").evaluate_all("cells => cells.map((cell) => cell.dataset.cell)")
    assert sorted(names) == ["NE", "SW"]
    expect(page.locator(".choices button")).to_have_text(["NE exit", "SW exit"])
    assert page.locator(".board .direction").count() == 0


@pytest.mark.parametrize(
    ("words", "bearer"),
    [("watson b6 facing", "b6"), ("gull swap watson", "e9"), ("goodley whistle watson > b6", "b6")],
)
def test_the_arrows_of_the_lantern_stand_where_its_bearer_will_be(words: str, bearer: str) -> None:
    room = link_room(POSITIONS["lantern"], "x")
    state, board = room.state(0), room.game.board()
    decision = Decision(state.legal_moves)
    for word in words.split():
        if word in decision.options():
            decision.choose(word)
    assert decision.asks_direction
    message = jack_message(room, 0, state.view("first"), decision)
    cells = {cell.name: cell for cell in board.cells}
    at = cells[bearer]
    assert len(message.moves) >= 4
    for word, [index] in message.moves:
        cell = board.cells[index]
        assert cell.kind != "exit"
        assert math.hypot(cell.x - at.x, cell.y - at.y) == pytest.approx(1.0, abs=1e-3)
        assert ("N" in word, "S" in word) == (cell.y < at.y, cell.y > at.y)
        assert ("E" in word, "W" in word) == (cell.x > at.x, cell.x < at.x)


def at_the_end(page: Page, name: str) -> bool:
    """Whether the last line of a list is in sight."""
    return bool(
        page.locator(f".{name}").evaluate(
            """(list) => { const last = [...list.querySelectorAll('li')].at(-1).getBoundingClientRect();
                const seen = list.getBoundingClientRect();
                return last.top >= seen.top - 1 && last.bottom <= seen.bottom + 1; }"""
        )
    )


def test_the_newest_call_and_the_newest_move_are_in_sight(page: Page, games: Server) -> None:
    sit_down(page, games, "long", room_of("long").to_move)
    lists = {name: page.locator(f".{name}") for name in ("calls", "story")}
    for name, shown in lists.items():
        expect(shown.locator("li").last).to_be_attached()
        assert shown.evaluate("(list) => list.scrollHeight > list.clientHeight"), (
            f"{name} is too short to scroll"
        )
        wait_for(lambda name=name: at_the_end(page, name))  # type: ignore[misc]
    # A new move is followed; who has scrolled up stays where he is.
    lists["calls"].evaluate("(list) => { list.scrollTop = 0; }")
    before = lists["story"].locator("li").count()
    wait_card(page)
    enter(page, simple(room_of("long").state(room_of("long").live)))
    expect(lists["story"].locator("li")).to_have_count(before + 1)
    wait_for(lambda: at_the_end(page, "story"))
    settle(page)
    assert lists["calls"].evaluate("(list) => list.scrollTop") == 0


def test_numbers_of_moves_with_two_digits_are_not_cut(page: Page, games: Server) -> None:
    sit_down(page, games, "long", room_of("long").to_move)
    room, needed = page.locator(".story ol").last.evaluate(
        """(list) => { const pen = document.createElement('canvas').getContext('2d');
            pen.font = getComputedStyle(list.querySelector('li')).font;
            return [parseFloat(getComputedStyle(list).paddingLeft), pen.measureText('32. ').width]; }"""
    )
    assert room >= needed


def test_after_the_game_jack_is_called_jack(page: Page, games: Server) -> None:
    sit_down(page, games, "cleared")
    expect(page.locator(".suspect.jack")).to_have_count(0)
    expect(page.locator(".board .token.jack")).to_have_count(0)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.get_by_text("Jack was Sir William Gull.")).to_be_visible()
    expect(page.locator(".suspect.jack .grow")).to_have_text(["Sir William Gull"])
    expect(page.locator(".suspect.innocent")).to_have_count(7)
    expect(page.locator(".board .token.jack")).to_have_count(1)
    expect(page.locator(".board .token.jack")).to_have_class(re.compile(r"\bgull\b"))
    assert "suspect" not in page.locator(".panel", has_text="What you know").inner_text()


def sent(room: GameRoom, shown: Shown) -> dict[str, Any]:
    """All that a browser is sent of a position."""
    return position_plain(room.game.board(), shown, SceneOptions())


def test_the_detectives_alibi_card_clears_on_the_map_too() -> None:
    def cleared(side: Side, *played: str) -> list[str]:
        cards = position(hand="holmes,smith,lestrade,bert", next="watson,stealthy,goodley,gull")
        room = link_room(cards, "x")
        for name in played:
            moves = room.state(room.live).legal_moves
            room.play(next(move for move in moves if move.startswith(name) and "accuse" not in move))
        shown = jack_message(room, room.live, facts_for(room, room.live, {side}), None)
        roles = {stamp["role"] for stamp in sent(room, shown)["stamps"]}
        cleared = [role.split() for role in roles if {"token", "cleared"} <= set(role.split())]
        return [name for words in cleared for name in words if name in CHARACTERS]

    # Holmes takes the first card, Gull's.
    assert cleared("first", "holmes") == ["gull"]
    # What Jack holds clears nobody in the eyes of the detective.
    assert cleared("second", "smith", "holmes") == []
    assert cleared("first", "smith", "holmes") == []


def test_nobody_is_told_who_jack_is_before_the_end() -> None:
    room = link_room(POSITIONS["cleared"], "x")
    watchers: tuple[set[Side], ...] = ({"first"}, set(), {"first", "second"})
    for sides in watchers:
        facts = facts_for(room, 0, sides)
        assert "jack" not in facts
        told = sent(room, jack_message(room, 0, facts, None))
        assert not [stamp for stamp in told["stamps"] if "jack" in stamp["role"].split()]
        assert "Jack" not in str(told)
    room.resign("first")
    for sides in watchers:
        assert facts_for(room, 0, sides)["jack"] == "gull"


def test_an_accusation_is_red_says_what_it_means_and_asks_first(page: Page, games: Server) -> None:
    sit_down(page, games, "accusation")
    wait_card(page)
    page.get_by_role("button", name="Inspector Lestrade", exact=True).click()
    # Before the click: the hex of somebody who can be accused has a red ring and says so.
    target = page.locator(".cell[data-cell='g8']")
    expect(target).to_have_attribute("aria-label", re.compile("John Smith.*, accusation$"))
    expect(page.locator(".danger .target")).to_have_count(1)
    assert colour_of(page, ".danger .target", "stroke") == BAD
    target.click(force=True)
    button = page.get_by_role("button", name="Accuse John Smith: if wrong, you lose at once")
    expect(button).to_be_enabled()
    expect(button).to_have_class(re.compile(r"\bbg-negative\b"))
    expect(page.get_by_text("If John Smith is not Jack, you lose at once.")).to_be_visible()
    dialog = page.get_by_role("dialog")
    # Enter without a thought, Escape and Cancel: nobody is accused.
    for refuse in ("Enter", "Escape", None):
        button.click()
        expect(
            dialog.get_by_text("Accuse John Smith? If John Smith is not Jack, you lose at once.")
        ).to_be_visible()
        cancel = dialog.get_by_role("button", name="Cancel")
        expect(cancel).to_be_focused()
        if refuse:
            page.keyboard.press(refuse)
        else:
            cancel.click()
        expect(dialog).to_have_count(0)
    expect(page.locator(".story li")).to_have_count(0)
    expect(button).to_be_enabled()
    # Another choice is an ordinary one again.
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Confirm")).to_be_visible()
    target.click(force=True)
    button.click()
    dialog.get_by_role("button", name="Accuse").click()
    expect(page.get_by_text("The detective wins by arresting Jack. Jack was John Smith.")).to_be_visible()


def colour_of(page: Page, selector: str, what: str) -> str:
    return str(page.locator(selector).first.evaluate(f"(e) => getComputedStyle(e).{what}"))


def test_the_last_move_is_not_taken_for_a_choice() -> None:
    room = link_room(POSITIONS["lantern"], "x")
    room.play("lestrade e6 cordon NE>NW")
    state = room.state(room.live)
    decision = Decision(state.legal_moves)
    names = [cell.name for cell in room.game.board().cells]
    shown = jack_message(room, room.live, state.view("second"), decision)
    # Where the character went, not what its power touched.
    assert [names[cell] for cell in shown.options.last] == ["e6"]
    decision.choose("watson")
    assert list(jack_message(room, room.live, state.view("second"), decision).options.last) == []
