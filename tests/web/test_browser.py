"""The app in a real browser: whole games, undo, analysis, keyboard, phone, dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from serving import Server, running, start_board, wait_for

from coppice import Player, game
from coppice.core.endings import ending
from coppice.web.levels import levels


def start_game(page: Page, url: str, name: str = "havannah", **options: object) -> None:
    """From the start page to a board, as a person goes."""
    page.goto(url)
    page.locator(f"a[href='/new/{name}']").click()
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    page.get_by_text("More", exact=True).click()
    for label, value in options.items():
        page.get_by_label(re.compile(rf"^{label}", re.I)).first.fill(str(value))
    start_board(page)


def set_level(page: Page, level: int) -> None:
    slider = page.get_by_label("Level of the opponent").locator("[tabindex]")
    slider.focus()
    for _ in range(8):
        slider.press("ArrowLeft")
    for _ in range(level):
        slider.press("ArrowRight")


def moves_of(page: Page) -> list[str]:
    return page.locator(".moves button[data-node]:not(.start):not(.variation):not(.later)").all_inner_texts()


def click(page: Page, cell: str) -> None:
    page.locator(f"[data-cell='{cell}']").click(force=True)


def test_a_full_havannah_game_won_by_a_person(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/new/havannah")
    set_level(page, 0)
    ladder = levels("havannah(size=8)")
    expect(page.get_by_text(f"1 of {len(ladder)} · {ladder[0].name}")).to_be_visible()
    page.get_by_text("More", exact=True).click()
    page.get_by_label(re.compile("^Size")).fill("4")
    # Nobody can promise to beat a level that thinks.
    page.get_by_label("Player spec").fill("random")
    start_board(page)
    state, strong = game("havannah(size=4)").start(), Player("strong(simulations=3000)")
    while state.outcome is None:
        move = strong.search(state, seed=1).best
        state.play(move)
        click(page, move)
        if state.outcome is None:
            wait_for(lambda: len(moves_of(page)) == len(state.moves) + 1)
            state.play(moves_of(page)[-1])
    assert state.outcome == "first"
    expect(page.locator(".status-text")).to_have_text(ending(state))
    # A line through the figure, and no rings, which would look like noughts.
    expect(page.locator("circle.winning")).to_have_count(0)
    strokes = page.locator("path.winning.line").get_attribute("d") or ""
    assert strokes.count("M") >= len(state.winning_cells) - 1
    assert page.locator(".piece").count() == len(state.moves)


def test_undo_and_redo(page: Page, server: Server) -> None:
    start_game(page, server.url, size=5)
    click(page, "e5")
    wait_for(lambda: len(moves_of(page)) == 2)
    before = moves_of(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".piece")).to_have_count(0)
    page.get_by_role("button", name="Redo").click()
    expect(page.locator(".piece")).to_have_count(2)
    assert moves_of(page) == before


def test_analysis_shows_a_heat_map_and_the_line_of_a_candidate_on_hover(page: Page, server: Server) -> None:
    start_game(page, server.url, size=5)
    assert page.locator(".heat").count() == 0, "the search must be off in a serious game"
    page.get_by_label("Search on or off").click()
    expect(page.locator(".candidate").first).to_be_visible()
    expect(page.locator(".heat").first).to_be_visible()
    page.locator(".candidate").first.hover()
    expect(page.locator(".ghost").first).to_be_visible()
    page.locator(".candidate .pin").first.click()
    page.mouse.move(5, 5)
    expect(page.locator(".candidate.frozen")).to_have_count(1)
    expect(page.locator(".ghost").first).to_be_visible()
    expect(page.locator(".words")).to_contain_text("simulations went there")
    page.get_by_text("Win rate", exact=True).click()
    wait_for(
        lambda: (
            "hsl" in (page.locator(".heat").first.get_attribute("style") or "")
            or "rgb" in (page.locator(".heat").first.get_attribute("style") or "")
        )
    )
    page.get_by_text("No map", exact=True).click()
    expect(page.locator(".heat")).to_have_count(0)
    page.get_by_label("Search on or off").click()
    expect(page.locator(".candidate").first).to_be_hidden()


def test_keyboard_only(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/new/havannah")
    button = page.get_by_role("button", name="Start")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".board-frame .cell")
    page.locator(".cell[tabindex='0']").focus()
    assert page.evaluate("document.activeElement.dataset.cell") == "h8"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.cell") == "i8"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    wait_for(lambda: len(moves_of(page)) == 2)
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert "White stone" in label


def test_phone_width(page: Page, server: Server) -> None:
    page.set_viewport_size({"width": 375, "height": 740})
    page.goto(server.url)
    for address in ("/", "/new/havannah"):
        page.goto(server.url + address)
        page.wait_for_selector("svg")
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, address
    start_board(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    box = page.locator("[data-cell='h8']").bounding_box()
    assert box is not None
    assert box["width"] >= 18
    click(page, "h8")
    wait_for(lambda: len(moves_of(page)) == 2)


@pytest.mark.parametrize("system", ["light", "dark"])
def test_dark_follows_the_system_and_the_switch_is_remembered(
    page: Page, server: Server, system: str
) -> None:
    page.emulate_media(color_scheme=system)  # type: ignore[arg-type]
    page.goto(server.url)
    theme = "document.documentElement.dataset.theme"
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(theme) == system
    before = page.evaluate(background)
    page.get_by_label("Light or dark").click()
    other = "light" if system == "dark" else "dark"
    wait_for(lambda: page.evaluate(theme) == other and page.evaluate(background) != before)
    page.reload()
    assert page.evaluate(theme) == other


def test_a_restart_of_the_server_loses_no_game(page: Page, tmp_path: Path) -> None:
    with running(tmp_path) as first:
        start_game(page, first.url, size=5)
        click(page, "e5")
        wait_for(lambda: len(moves_of(page)) == 2)
        address, before = page.url.removeprefix(first.url), moves_of(page)
    with running(tmp_path) as second:
        page.goto(second.url + address)
        page.wait_for_selector(".board-frame .cell")
        assert moves_of(page) == before
        expect(page.locator(".status-text")).to_have_text("Your move.")


def test_two_friends_by_link(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/new/havannah")
    page.get_by_role("button", name="A friend by link").click()
    page.get_by_role("button", name="Start").click()
    link = page.locator(".share input").input_value()
    watcher = re.sub(r"\?.*", "", page.url)
    guest = page.context.new_page()
    guest.goto(link)
    guest.get_by_role("button", name="Join the game").click()
    guest.wait_for_selector(".board-frame .cell")
    expect(guest.locator(".status-text")).to_have_text("White is thinking.")
    click(guest, "h8")
    click(page, "i8")
    expect(guest.locator(".status-text")).to_have_text("Your move.")
    assert moves_of(guest) == ["i8"]
    # The invitation is used up; without a seat one can only watch.
    late = page.context.new_page()
    late.goto(link)
    late.get_by_role("button", name="Join the game").click()
    expect(late.get_by_text("has been used already")).to_be_visible()
    late.goto(watcher)
    expect(late.locator(".status-text")).to_contain_text("You are watching")
    click(late, "h8")
    assert late.locator(".piece").count() == 1
    # Nobody sees a search while two people play.
    expect(guest.get_by_label("Search on or off")).to_be_hidden()
    # A move is taken back only when the opponent allows it.
    page.get_by_role("button", name="Undo").click()
    guest.get_by_role("button", name="Allow it").click()
    expect(page.locator(".piece")).to_have_count(0)


def test_a_match_of_the_laboratory_is_started_stopped_and_resumed(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/laboratory")
    expect(page.get_by_text("No match yet")).to_be_visible()
    # What is typed before the page has met its server is lost.
    page.wait_for_function("() => window.did_handshake")
    page.get_by_label("Player a", exact=True).fill("uct(simulations=400)")
    page.get_by_label("Player b", exact=True).fill("nobody")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Unknown player 'nobody'")).to_be_visible()
    page.get_by_label("Player b", exact=True).fill("random")
    page.get_by_label("Games").fill("400")
    page.get_by_role("button", name="Start").click()
    words = page.get_by_text(re.compile(r"^[1-9]\d* of 400 games"))
    expect(words).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("stopped", exact=True)).to_be_visible()
    before = int(words.inner_text().split()[0])
    assert 0 < before < 400
    page.get_by_role("button", name="Go on").click()
    wait_for(lambda: int(words.inner_text().split()[0]) > before)
    page.get_by_role("button", name="Stop").click()
    # From the table to a game, and from the game to its analysis.
    page.locator("a.match:not(.experiment)").first.click()
    page.locator(".record").first.click()
    page.wait_for_selector(".board-frame .cell")
    assert len(page.locator(".moves button").all()) > 5
    expect(page.locator("path.winning.line")).to_be_visible()


def test_an_experiment_is_started_stopped_and_resumed(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/laboratory")
    page.locator("a.experiment", has_text="nmcs_text").click()
    state = page.locator("text=/[0-9,]+ of [0-9,]+ games and runs/")
    expect(page.locator(".table td").first).to_be_visible()
    page.get_by_label("How much").click()
    page.get_by_text("all of them").click()
    page.get_by_role("button", name="Start").click()

    def done() -> int:
        found = re.search(r"([\d,]+) of", state.inner_text())
        assert found is not None
        return int(found[1].replace(",", ""))

    wait_for(lambda: done() > 0)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text(re.compile("^stopped"))).to_be_visible()
    before = done()
    page.get_by_role("button", name="Go on").click()
    wait_for(lambda: done() > before)
