"""An analysis in a real browser: map, list, words and tree are those of the position on the board."""

from __future__ import annotations

from urllib.parse import urlencode

from playwright.sync_api import Page, expect
from serving import Server

WON = "h8 h15 g8 a1 f8 j15 i9 b1 j9 i15 e8 i14 k10 g14 d8 i13 l10 g12 d9"
"""Black, to move, wins by the double threat g13; White's last move allows it."""


def open_analysis(page: Page, server: Server, game: str, moves: str) -> None:
    page.goto(f"{server.url}/analyse?{urlencode({'game': game, 'moves': moves})}")


def open_searched(page: Page, server: Server, game: str, moves: str) -> None:
    """Opens an analysis and waits until the page hears of its search, and so is heard itself."""
    open_analysis(page, server, game, moves)
    expect(page.locator(".candidate").first).to_be_visible()


def test_a_win_by_force_takes_the_place_of_the_position_before(page: Page, server: Server) -> None:
    open_searched(page, server, "havannah(size=8)", WON)
    page.get_by_label("One move back").click()
    expect(page.locator(".words")).to_contain_text("White would play")
    page.get_by_text("Search tree").click()
    expect(page.locator(".child:visible .visits").first).not_to_be_empty()
    page.get_by_label("One move on").click()
    expect(page.locator(".status-text")).to_have_text("Black to move.")
    expect(page.locator(".words")).to_have_text("Black wins by force with g13.")
    expect(page.get_by_text("Proven after 1 simulation", exact=True)).to_be_visible()
    expect(page.locator(".candidate .move")).to_have_text(["g13"])
    expect(page.locator(".candidate .rate")).to_have_text(["wins"])
    expect(page.locator(".candidates.settled")).to_be_visible()
    expect(page.locator(".candidate").first).to_have_attribute("aria-label", "g13, wins")
    expect(page.locator(".heat-text")).to_have_text(["wins"])
    expect(page.locator(".child:visible .move")).to_have_text(["g13"])
    expect(page.locator(".child:visible .rate")).to_have_text(["wins"])


def test_the_tree_of_a_solved_game_can_still_be_walked(page: Page, server: Server) -> None:
    open_searched(page, server, "tic_tac_toe", "b2 a1")
    expect(page.locator(".words")).to_contain_text("A draw with best play")
    page.get_by_text("Search tree").click()
    first = page.locator(".child:visible", has_text="draws").first
    expect(first).to_be_visible()
    name = first.locator(".move").inner_text()
    first.click()
    expect(page.locator(".crumb")).to_have_text(["here", name])
    # The most visited reply may be one that loses; a draw has one that draws.
    expect(page.locator(".child:visible .rate", has_text="draws").first).to_be_visible()
    page.get_by_role("button", name="Open on the board").click()
    expect(page.locator(".status-text")).to_have_text("Noughts to move.")


def test_an_ended_game_has_nothing_on_its_way(page: Page, server: Server) -> None:
    open_analysis(page, server, "tic_tac_toe", "a1 a2 b1 b2 c1")
    expect(page.locator(".words")).to_have_text("The game is over. Crosses win by making a line.")
    expect(page.get_by_text("on their way")).to_be_hidden()
    expect(page.locator(".heat")).to_have_count(0)


def test_the_legend_says_on_which_scale_the_board_is_painted(page: Page, server: Server) -> None:
    open_searched(page, server, "havannah(size=5)", "e5 d4 f6")
    legend, ramp = page.locator(".legend"), page.locator(".ramp")
    expect(legend).to_contain_text("Simulations that began with the move, in percent of all (0 to ")
    expect(ramp).to_have_class("ramp")
    page.get_by_text("Who searches").click()
    page.get_by_label("Player", exact=True).fill(
        "mcts(selection=progressive_history, playout=last_good_reply, simulations=20000)"
    )
    page.get_by_role("button", name="Use it").click()
    page.get_by_text("History Black", exact=True).click()
    expect(legend).to_have_text(
        "Mean result of the move wherever it was played, in percent (-100 lost, 0 even, 100 won)"
    )
    expect(ramp).to_have_class("ramp even")
    page.get_by_text("Reply White", exact=True).click()
    expect(legend).to_have_text("The stored answer to a move on the cell (→ its cell)")
    expect(page.locator(".heat-text").first).to_contain_text("→")
    expect(ramp).to_be_hidden()
    page.get_by_text("No map", exact=True).click()
    expect(legend).to_have_text("")
    expect(page.locator(".heat")).to_have_count(0)
    page.get_by_text("Visits", exact=True).click()
    expect(ramp).to_have_class("ramp")
