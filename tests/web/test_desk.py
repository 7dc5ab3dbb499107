"""The desk in a real browser: dragged pieces, keys that turn pages, candidates played, cards of results."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect
from serving import Server

from coppice.web.game_room import GameRoom, Seat
from coppice.web.levels import levels
from coppice.web.result_card import against, next_level, result_of


def open_analysis(page: Page, server: Server, game: str, moves: str = "") -> None:
    """Opens an analysis and waits until the page hears of its search, and so is heard itself."""
    page.goto(f"{server.url}/analyse?{urlencode({'game': game, 'moves': moves})}")
    expect(page.locator(".candidate").first).to_be_visible()


def middle(page: Page, cell: str) -> tuple[float, float]:
    box = page.locator(f"[data-cell='{cell}']").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def played(page: Page) -> list[str]:
    return page.locator(".moves button[data-node]:not(.start):not(.variation):not(.later)").all_inner_texts()


def test_a_man_is_dragged_to_where_it_may_go_and_nowhere_else(page: Page, server: Server) -> None:
    open_analysis(page, server, "breakthrough(columns=6,rows=6)")
    page.mouse.move(*middle(page, "b2"))
    page.mouse.down()
    page.mouse.move(*middle(page, "b4"), steps=6)
    expect(page.locator(".carried")).to_have_count(1)
    page.mouse.up()
    expect(page.locator(".carried")).to_have_count(0)
    expect(page.locator(".status-text")).to_have_text("White to move.")
    page.mouse.move(*middle(page, "b2"))
    page.mouse.down()
    page.mouse.move(*middle(page, "c3"), steps=6)
    expect(page.locator("path.way")).to_have_count(1)
    page.mouse.up()
    expect(page.locator(".status-text")).to_have_text("Black to move.")
    assert played(page) == ["b2-c3"]
    # It slides from where it stood to where it stands; looking back, it does not.
    expect(page.locator(".piece.slides")).to_have_count(1)
    page.get_by_label("One move back").click()
    expect(page.locator(".status-text")).to_have_text("White to move.")
    expect(page.locator(".piece.slides")).to_have_count(0)


def test_a_click_is_no_drag(page: Page, server: Server) -> None:
    open_analysis(page, server, "knightthrough(columns=6,rows=6)")
    page.locator("[data-cell='b2']").click(force=True)
    expect(page.locator(".over .target").first).to_be_attached()
    page.locator("[data-cell='c4']").hover(force=True)
    expect(page.locator("path.way")).to_have_count(1)
    page.locator("[data-cell='c4']").click(force=True)
    expect(page.locator(".status-text")).to_have_text("Black to move.")


def test_keys_turn_the_pages_unless_the_board_has_the_keyboard(page: Page, server: Server) -> None:
    open_analysis(page, server, "havannah(size=4)", "a1 b2 c3")
    status = page.locator(".status-text")
    expect(status).to_have_text("Black to move.")
    page.keyboard.press("Home")
    expect(status).to_have_text("White to move.")
    expect(page.locator(".board .piece")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".board .piece")).to_have_count(1)
    page.keyboard.press("End")
    expect(page.locator(".board .piece")).to_have_count(3)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".board .piece")).to_have_count(2)
    # On the board they go from cell to cell.
    page.locator("[data-cell='d4']").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-cell='c4']")).to_be_focused()
    expect(page.locator(".board .piece")).to_have_count(2)


def test_a_click_on_a_candidate_plays_it_and_the_pin_keeps_its_line(page: Page, server: Server) -> None:
    open_analysis(page, server, "havannah(size=4)")
    first = page.locator(".candidate").first
    first.hover()
    expect(page.locator(".ghost").first).to_be_visible()
    first.locator(".pin").click()
    page.mouse.move(5, 5)
    expect(page.locator(".candidate.frozen")).to_have_count(1)
    expect(page.locator(".ghost").first).to_be_visible()
    assert played(page) == []
    first.click()
    expect(page.locator(".status-text")).to_have_text("Black to move.")
    assert len(played(page)) == 1


GAME = "tic_tac_toe"
LADDER = levels(GAME)


def over(moves: str, level: int, *, person: str = "first") -> GameRoom:
    """A finished game of a person against a level."""
    chosen = LADDER[level]
    computer = Seat("computer", chosen.name, chosen.player, chosen.simulations)
    you = Seat("person", "You", token="secret")
    first, second = (you, computer) if person == "first" else (computer, you)
    room = GameRoom(GAME, {"first": first, "second": second})
    for move in moves.split():
        room.play(move)
    assert room.over
    return room


CROSSES = "a1 a2 b1 b2 c1"
DRAWN = "a1 b2 c3 a2 c2 c1 a3 b3 b1"


def test_who_has_won_reads_so_and_is_offered_the_level_above() -> None:
    room = over(CROSSES, 1)
    result = result_of(room, {"first"})
    assert (result.verdict, result.title) == ("won", f"You won against {LADDER[1].name} after 5 moves")
    assert next_level(room, {"first"}) == ("One level up", LADDER[2])
    again = against(room, {"first"}, LADDER[2])
    assert again.seats is not None
    assert again.seats["first"] == Seat("person", "You", token="secret")
    assert again.seats["second"] == Seat("computer", LADDER[2].name, LADDER[2].player, LADDER[2].simulations)
    assert (len(again.tree), again.game.spec) == (1, room.game.spec)


def test_who_has_lost_is_offered_the_level_below() -> None:
    room = over(CROSSES, 1, person="second")
    result = result_of(room, {"second"})
    assert (result.verdict, result.title) == ("lost", f"You lost to {LADDER[1].name} after 5 moves")
    assert next_level(room, {"second"}) == ("One level down", LADDER[0])


@pytest.mark.parametrize(
    ("moves", "level", "person", "sides"),
    [
        (DRAWN, 1, "first", {"first"}),
        (CROSSES, len(LADDER) - 1, "first", {"first"}),
        (CROSSES, 0, "second", {"second"}),
        (CROSSES, 1, "first", set()),
    ],
    ids=["drawn", "the top was beaten", "the bottom has won", "watched"],
)
def test_there_is_not_always_another_level(moves: str, level: int, person: str, sides: set[str]) -> None:
    assert next_level(over(moves, level, person=person), sides) is None  # type: ignore[arg-type]


def test_other_results_read_as_what_they_are() -> None:
    drawn = over(DRAWN, 1)
    assert result_of(drawn, {"first"}).title == f"A draw with {LADDER[1].name} after 9 moves"
    watched = result_of(over(CROSSES, 1), set())
    assert (watched.verdict, watched.title) == ("over", "The game is over after 5 moves")
    with pytest.raises(ValueError, match="one person plays against the computer"):
        against(drawn, set(), LADDER[0])


def test_the_card_of_a_won_game_leads_to_the_next_level(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/new/tic_tac_toe")
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector(".board-frame .cell")
    expect(page.locator(".result")).to_have_count(0)
    page.get_by_role("button", name="Resign").click()
    page.locator(".q-dialog").get_by_role("button", name="Resign").click()
    card = page.locator(".result.lost")
    expect(card.locator(".result-title")).to_contain_text("You lost to")
    expect(card.get_by_role("button", name="Review the game")).to_be_visible()
    card.get_by_role("button", name="One level down").click()
    expect(page.locator(".result")).to_have_count(0)
    expect(page.get_by_role("button", name="Resign")).to_be_enabled()


def test_the_bar_beside_the_board_says_who_stands_better(page: Page, server: Server) -> None:
    # Black wins by a double threat, and the search proves it.
    lost = "h8 h15 g8 a1 f8 j15 i9 b1 j9 i15 e8 i14 k10 g14 d8 i13 l10 g12 d9"
    open_analysis(page, server, "havannah(size=8)", lost)
    bar = page.get_by_role("img", name="White 0 %, Black 100 %")
    expect(bar).to_be_visible()
    expect(bar.locator(".part")).to_have_attribute("style", "height: 0%;")
    page.get_by_label("Search on or off").click()
    # In a game nobody is told, unless the search is on.
    page.goto(f"{server.url}/new/tic_tac_toe")
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector(".board-frame .cell")
    expect(page.locator(".value-bar")).to_be_hidden()
