"""A whole game of Mr Jack in two browsers: what is foreseen agrees with the core, what is told with play."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jack_games import TOKENS, build, link_room, position, wait_card
from playwright.sync_api import Browser, Page, expect
from serving import Server, running, wait_for

from coppice import State
from coppice.board.jack_light import words_in
from coppice.board.jack_map import CHARACTERS
from coppice.web.allowed import game_of
from coppice.web.jack_facts import suspects_of
from coppice.web.jack_story import frames, told
from coppice.web.saved_games import SavedGames

OPENING = position(jack="gull", hand="watson,smith,goodley,gull", next="holmes,lestrade,stealthy,bert")
POWERS = ("facing", "lamp", "whistle", "swap", "cordon", "cover")


def game() -> list[str]:
    """Decisions of two turns in which every power is used, then the arrest of Jack."""
    chance, state, script = random.Random(5), game_of("mr_jack").state(OPENING), list[str]()
    used: set[str] = set()
    while state.outcome is None:
        legal = state.legal_moves
        arrests = [move for move in legal if move.endswith("accuse gull")]
        if int(state.view("first")["turn"]) > 2 and state.to_move == "first" and arrests:
            move = min(arrests, key=len)
        else:
            quiet = [move for move in legal if not re.search("accuse|exit", move)]
            wanted = [power for power in POWERS if power not in used]
            fresh = [move for move in quiet if {*words_in(move)} & {*wanted}] or quiet
            # Three who hear the whistle are chosen one by one.
            called = [move for move in fresh if move.count(">") == 3 and "whistle" in move]
            move = chance.choice(called or fresh)
            used |= {*words_in(move)} & {*POWERS}
        script.append(move)
        state.play(move)
        assert len(script) < 24
    assert used == {*POWERS}
    return script


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("games")
    saved = SavedGames(folder / "coppice-tables.db")
    saved.save(link_room(OPENING, "whole"))
    short = link_room(OPENING, "short")
    for move in game()[:2]:
        short.play(move)
    saved.save(short)
    over = link_room(OPENING, "over")
    for move in game():
        over.play(move)
    saved.save(over)
    saved.close()
    with running(folder) as server:
        yield server
    errors = (folder / "stderr.txt").read_text()
    assert "Traceback" not in errors, errors


def open_page(browser: Browser, games: Server, name: str, side: str) -> Page:
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.goto(f"{games.url}/game/{name}?seat={TOKENS[side]}")
    page.wait_for_selector(".board-frame .cell")
    return page


def list_of(page: Page, selector: str, name: str) -> list[str]:
    text = page.locator(selector).first.get_attribute(name)
    assert text is not None
    return [name for name in text.split(",") if name]


def names(text: str) -> list[str]:
    return [name for name in text.split(",") if name and name != "-"]


def check_preview(page: Page, state: State, move: str) -> bool:
    """What the page foresees of a decision is what the core makes of it; whether a call followed."""
    was, after = state.view(state.to_move), state.copy().play(move)
    now = after.view(state.to_move)
    expect(page.locator(".preview-row.seen")).to_be_visible()
    shown = list_of(page, ".preview-row.seen", "data-names")
    assert sorted([*shown, *list_of(page, ".preview-row.unseen", "data-names")]) == sorted(CHARACTERS)
    if was["turn"] == now["turn"]:
        assert shown == names(now["visible"]), move
        return False
    # The call has come: whom it left is what was foreseen, for the answer that was given.
    answer = "data-if-seen" if now["witness"] == "visible" else "data-if-unseen"
    left = list_of(page, ".foreseen p", answer)
    suspects = suspects_of(was)
    assert left == [name for name in suspects if name not in names(now["innocent"])], move
    for name in suspects:
        assert (name in shown) == (name in list_of(page, ".foreseen p", "data-if-seen"))
    return True


def test_a_whole_game_in_both_roles(browser: Browser, games: Server) -> None:
    pages = {side: open_page(browser, games, "whole", side) for side in TOKENS}
    state, calls, script = game_of("mr_jack").state(OPENING), 0, game()
    expect(pages["second"].locator(".secret")).to_have_text(re.compile("You are Jack: Sir William Gull"))
    expect(pages["first"].locator(".secret")).to_have_count(0)
    for number, move in enumerate(script, 1):
        page, side = pages[state.to_move], state.to_move
        other = pages["second" if side == "first" else "first"]
        wait_card(page)
        build(page, move)
        if "accuse" not in move:
            calls += check_preview(page, state, move)
            cells = [cell.name for cell in state.game.board().cells]
            made = state.copy().play(move)
            # Who stands where in the picture: the same as the core says, before it is sent.
            after = dict(entry.split(":") for entry in made.view("first")["at"].split(","))
            for who, cell in after.items():
                label = page.locator(f".cell[data-cell='{cell}']").get_attribute("aria-label")
                assert CHARACTERS[who].name in (label or ""), (move, cells)
            page.get_by_role("button", name="Confirm").click()
        else:
            accuse = page.get_by_role("button", name=re.compile("^Accuse Sir William Gull: if wrong"))
            accuse.click()
            page.get_by_role("dialog").get_by_role("button", name="Accuse").click()
        state.play(move)
        for shown in pages.values():
            expect(shown.locator(".story li")).to_have_count(number)
            expect(shown.locator(".story li").last).to_have_text(re.compile(re.escape(told(move)) + "$"))
        if state.outcome is None:
            # Four cards of the turn are always there; those that were played are not to be had.
            expect(other.locator(".role-card")).to_have_count(4)
            used = int(state.view("first")["step"])
            expect(other.locator(".role-card.used")).to_have_count(used)
            expect(other.locator(".track .now b")).to_have_text(state.view("first")["turn"])
    assert calls == 2
    for page in pages.values():
        expect(
            page.get_by_text("The detective wins by arresting Jack. Jack was Sir William Gull.")
        ).to_be_visible()
        page.context.close()


def test_the_decision_of_the_other_side_is_played_step_by_step_and_again(
    browser: Browser, games: Server
) -> None:
    page = open_page(browser, games, "short", "second")
    room = link_room(OPENING, "x")
    for move in game()[:2]:
        room.play(move)
    texts = [text for _, text in frames(room, room.live)]
    assert len(texts) >= 2
    caption = page.locator(".board-caption")
    expect(caption).to_have_count(0)
    page.get_by_role("button", name="Show again").click()
    for text in texts:
        expect(caption).to_have_text(text)
    # When all has been shown the position stands as before, and a card ends what is still being shown.
    expect(page.locator(".board-frame.playing")).to_have_count(0)
    wait_card(page)
    page.get_by_role("button", name="Show again").click()
    expect(page.locator(".board-frame.playing")).to_have_count(1)
    page.locator(".role-card:not([disabled])").first.click()
    expect(page.locator(".board-frame.playing")).to_have_count(0)
    page.context.close()


def test_any_game_can_be_stepped_through(browser: Browser, games: Server) -> None:
    page = open_page(browser, games, "over", "first")
    moves = game()
    expect(page.locator(".story li.here")).to_have_text(re.compile(re.escape(told(moves[-1]))))
    page.get_by_role("button", name="To the start").click()
    expect(page.get_by_text("You are looking back, at turn 1.")).to_be_visible()
    expect(page.locator(".story li")).to_have_count(len(moves))
    expect(page.locator(".story li.here")).to_have_count(0)
    expect(page.locator(".role-card:not([disabled])")).to_have_count(0)
    page.get_by_role("button", name="One decision on").click()
    expect(page.locator(".story li.here")).to_have_text(re.compile(re.escape(told(moves[0]))))
    # A line of the story leads there, too.
    page.locator(".story li").nth(4).click()
    expect(page.locator(".story li.here")).to_have_text(re.compile(re.escape(told(moves[4]))))
    expect(page.locator(".track .now b")).to_have_text("2")
    page.get_by_role("button", name="To the present").click()
    expect(page.get_by_text("Jack was Sir William Gull.", exact=False).first).to_be_visible()
    page.context.close()


def test_after_the_game_both_beliefs_are_told(browser: Browser, games: Server) -> None:
    page = open_page(browser, games, "over", "first")
    table = page.locator(".belief")
    turns = table.locator("thead th[data-node]").count()
    assert turns >= 3
    expect(table.locator("tr.jack th")).to_have_text(re.compile("Gull"))
    expect(table.locator(".share.exact").first).to_have_attribute(
        "title", re.compile(r"^12\.5 % by the calls")
    )
    expect(table.locator(".share.search")).to_have_count(0)
    page.get_by_role("button", name="What did the search believe?").click()
    wait_for(lambda: table.locator(".share.search").count() == 8 * turns, 60)
    expect(table.locator(".share.search").first).to_have_attribute("title", re.compile(r"of \d+ simulations"))
    page.context.close()


def test_beliefs_are_not_there_before_the_end(page: Page, games: Server) -> None:
    page.goto(f"{games.url}/game/short?seat={TOKENS['second']}")
    wait_card(page)
    expect(page.locator(".beliefs")).to_be_hidden()
    expect(page.locator(".belief")).to_have_count(0)


def test_the_newest_line_is_in_sight_after_a_decision(browser: Browser, games: Server) -> None:
    page = open_page(browser, games, "over", "second")
    assert page.locator(".story").evaluate(
        """(list) => { const last = [...list.querySelectorAll('li')].at(-1).getBoundingClientRect();
            const box = list.getBoundingClientRect(); return last.bottom <= box.bottom + 1; }"""
    )
    page.context.close()


def test_the_script_is_a_game(tmp_path: Path) -> None:
    state = game_of("mr_jack").state(OPENING).play(*game())
    assert state.end_kind == "arrest"
