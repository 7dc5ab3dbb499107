"""Games of Mr Jack for the tests of its page: positions, rooms for two, decisions built as people do."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect
from serving import wait_for

from coppice import State
from coppice.board.jack_map import CHARACTERS
from coppice.web.allowed import game_of
from coppice.web.game_room import GameRoom, Seat
from coppice.web.jack_decision import word_text

TOKENS = {"first": "detective-secret-0001", "second": "jack-secret-0000000002"}


def words_of(decision: str) -> list[str]:
    return re.findall(r"[^\s>:]+", decision)


def world(jack: str) -> str:
    """The position of one deal with another Jack: the detective cannot tell the difference."""
    text = game_of("mr_jack").start(seed=1).text(reveal=True)
    was = re.search(r"jack=(\w+)", text)
    assert was is not None
    if was[1] == jack:
        return text
    text = text.replace(f"jack={was[1]}", f"jack={jack}")
    head, pile, tail = re.split(r"(pile=\S+)", text)
    return head + re.sub(rf"\b{jack}\b", was[1], pile) + tail


def position(**parts: str) -> str:
    """The position of that deal with some of its parts replaced."""
    text = world(parts.get("jack", "watson"))
    for name, value in parts.items():
        text, count = re.subn(rf"\b{name}=\S+", f"{name}={value}", text)
        assert count == 1, name
    return text


def simple(state: State) -> str:
    """The shortest decision that accuses nobody and stays on the map."""
    quiet = [move for move in state.legal_moves if not re.search("accuse|exit|swap", move)]
    return min(quiet, key=lambda move: ("whistle" in move or "holmes" in move, len(words_of(move)), move))


def link_room(position: str, identity: str) -> GameRoom:
    seats: dict[Any, Seat] = {side: Seat("person", side, token=token) for side, token in TOKENS.items()}
    room = GameRoom("mr_jack", seats, position=position, seed=7, link=True)
    room.identity = identity
    return room


def enter(page: Page, decision: str) -> None:
    """Builds a decision as a person does and confirms it."""
    build(page, decision)
    page.get_by_role("button", name="Confirm").click()


def build(page: Page, decision: str) -> None:
    """Builds a decision as a person does."""
    words = re.findall(r"[^\s>:]+|[>:]", decision)
    page.get_by_role("button", name=CHARACTERS[words[0]].name, exact=True).first.click()
    crumbs = page.locator(".crumb")
    expect(crumbs.first).to_be_visible()
    number = 0
    for at, word in enumerate(words):
        if word in (">", ":"):
            continue
        number += 1
        if crumbs.count() >= number:
            continue
        # A hex, an arrow at the lantern or a button, whichever the page comes to offer.
        hexes = page.locator(f".cell.legal[data-cell='{word}'], .board .direction[aria-label='{word}']")
        text = re.compile(f"^{re.escape(word_text(word, tuple(words[:at])))}$")
        hexes.or_(page.locator(".choices button").filter(has_text=text)).first.click(force=True)
        wait_for(lambda number=number: crumbs.count() >= number)  # type: ignore[misc]


def wait_card(page: Page) -> None:
    expect(page.locator(".role-card:not([disabled])").first).to_be_visible()
