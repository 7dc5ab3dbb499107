"""Mr Jack in the browser: turns in each role, and that nobody is sent what he may not know."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import json
import random
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jack_games import TOKENS, enter, link_room, simple, wait_card, world
from playwright.sync_api import Browser, BrowserContext, Page, expect
from serving import Server, running, settle, start_board, wait_for

from coppice import Report, State
from coppice.board.jack_map import CHARACTERS
from coppice.web.allowed import game_of
from coppice.web.game_room import GameRoom
from coppice.web.jack_decision import Decision
from coppice.web.jack_facts import facts_for, witness_calls
from coppice.web.jack_story import told
from coppice.web.saved_games import SavedGames
from coppice.web.searches import Searches, decide

TURNS = 3
"""Turns of the game that is listened to: with calls of the witnesses, innocents and an alibi card."""


def later_cards_turned(text: str) -> str:
    """The same position with other deals in the turns to come."""
    deals = re.search(r"deals=(\S+)", text)
    assert deals is not None
    turned = []
    for deal in deals[1].split("/"):
        cards = deal.split(",")
        turned.append(deal if deal == "-" else ",".join(card for card in CHARACTERS if card not in cards))
    return text.replace(deals[0], "deals=" + "/".join(turned))


@functools.cache
def two_worlds() -> tuple[list[str], str, str]:
    """The first turns and two identities of Jack that look the same to the detective all along."""
    tracks: dict[str, list[dict[str, str]]] = {}
    script: list[str] = []
    state = game_of("mr_jack").state(world("watson"))
    for _ in range(4 * TURNS):
        script.append(simple(state))
        state = state.copy().play(script[-1])
    for jack in CHARACTERS:
        at = game_of("mr_jack").state(world(jack))
        views = [at.view("first")]
        try:
            for move in script:
                at = at.copy().play(move)
                views.append(at.view("first"))
        except ValueError:
            continue
        tracks[jack] = views
    for a in tracks:
        for b in tracks:
            if a < b and tracks[a] == tracks[b]:
                # The stretch has told the detective something all the same.
                assert tracks[a][-1]["innocent"] != "-"
                assert tracks[a][-1]["own_alibis"] != "-" or tracks[a][-1]["alibis_of_jack"] != "0"
                return script, a, b
    raise AssertionError("no two worlds look alike")


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield str(key)
            yield from strings(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from strings(entry)


class Ear:
    """Everything that a page is sent: documents and the frames of its socket."""

    def __init__(self, page: Page) -> None:
        self.texts: list[str] = []
        page.on("response", self._response)
        page.on("websocket", lambda socket: socket.on("framereceived", self._frame))

    def _frame(self, payload: str | bytes) -> None:
        self.texts.append(payload if isinstance(payload, str) else payload.decode("latin-1"))

    def _response(self, response: Any) -> None:
        if "text/html" in (response.headers.get("content-type") or ""):
            self.texts.append(response.text())

    def heard(self) -> set[str]:
        """The strings of all that was sent, without what differs by chance: identities and times."""
        found: set[str] = set()
        for text in self.texts:
            body = re.sub(r"^\d+(-)?", "", text)
            try:
                found |= set(strings(json.loads(body)))
            except ValueError:
                found.add(body)
        clean = (
            re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|table-\w|\b\d{9,}[\d.]*\b|[\w-]{20,}", "#", text)
            for text in found
        )
        return {text for text in clean if not re.search(r"sid|pingInterval|client_id|#$", text)}


def play_turns(
    browser: Browser, server: Server, identity: str, script: list[str]
) -> tuple[set[str], set[str]]:
    """Both sides play the script in browsers of their own; what each of them was sent."""
    pages: dict[str, Page] = {}
    ears: dict[str, Ear] = {}
    contexts: list[BrowserContext] = []
    for side, token in TOKENS.items():
        context = browser.new_context(viewport={"width": 1280, "height": 1000})
        contexts.append(context)
        pages[side] = context.new_page()
        ears[side] = Ear(pages[side])
        pages[side].goto(f"{server.url}/game/{identity}?seat={token}")
        pages[side].wait_for_selector(".board-frame .cell")
    state = game_of("mr_jack").state(world("watson"))
    for number, move in enumerate(script, 1):
        page = pages[state.to_move]
        wait_card(page)
        enter(page, move)
        state = state.copy().play(move)
        # Of what a page is sent at once the list of moves comes last; then the board is called, in order.
        for page in pages.values():
            expect(page.locator(".story li")).to_have_count(number)
    # The decisions of who is to move are looked for on a thread: they come last of all.
    wait_card(pages[state.to_move])
    for page in pages.values():
        settle(page)
    heard = ears["first"].heard(), ears["second"].heard()
    for context in contexts:
        context.close()
    return heard


def test_the_traffic_of_the_detective_is_the_same_whoever_jack_is(browser: Browser, tmp_path: Path) -> None:
    script, one, another = two_worlds()
    saved = SavedGames(tmp_path / "coppice-tables.db")
    for name, jack in (("table-a", one), ("table-b", another)):
        saved.save(link_room(world(jack), name))
    saved.close()
    with running(tmp_path) as server:
        detective_a, jack_a = play_turns(browser, server, "table-a", script)
        detective_b, jack_b = play_turns(browser, server, "table-b", script)
    assert len(detective_a) > 100
    # All turns were heard.
    assert any(f"Turn {TURNS}: Jack was" in text for text in detective_a)
    assert detective_a == detective_b
    # So were the decisions of the other side, step by step.
    for turn in range(1, TURNS):
        assert any(f"Turn {turn} is over. The witness: Jack was" in text for text in detective_a)
    assert any(re.search(r"Jack plays [\w ]+\.", text) for text in detective_a)
    # The ear can hear: Jack himself is told who he is.
    assert any('suspect jack"' in text for text in jack_a)
    assert not any('suspect jack"' in text for text in detective_a | detective_b)
    assert jack_a != jack_b
    # The deals of later turns and the pile of alibis are nobody's business.
    for text in detective_a | jack_a:
        assert "pile=" not in text
        assert "deals=" not in text
    logged = (tmp_path / "stderr.txt").read_text()
    assert "jack=" not in logged
    assert "Traceback" not in logged, logged


def begin(page: Page, server: Server, role: str) -> None:
    """A new game against an opponent that thinks long enough not to accuse somebody at once."""
    page.goto(f"{server.url}/new/mr_jack")
    page.get_by_role("button", name=re.compile(role)).first.click()
    slider = page.locator(".q-slider [tabindex='0']")
    for level in range(4, 7):
        slider.press("ArrowRight")
        expect(page.get_by_text(f"{level} of 6")).to_be_visible()
    start_board(page)
    who = "the detective" if role == "Detective" else "Jack"
    expect(page.get_by_text(f"Mr Jack: you are {who}")).to_be_visible()


@pytest.mark.parametrize("role", ["Detective", "Jack"])
def test_a_turn_in_each_role_against_the_computer(page: Page, server: Server, role: str) -> None:
    begin(page, server, role)
    for _ in range(2):
        wait_card(page)
        before = page.locator(".story li").count()
        page.locator(".role-card:not([disabled])").first.click()
        expect(page.locator(".crumb").first).to_be_visible()
        # A choice can be taken back until it is confirmed.
        page.get_by_role("button", name="Undo").click()
        expect(page.locator(".crumb")).to_have_count(0)
        page.locator(".role-card:not([disabled])").first.click()
        expect(page.locator(".crumb").first).to_be_visible()
        for _ in range(30):
            if page.get_by_role("button", name="Confirm").is_enabled():
                break
            done = page.locator(".crumb").count()
            # Nobody is accused: that would end the game.
            legal = page.locator(".cell.legal:not([aria-label$='accusation']), .choices button")
            expect(legal.first).to_be_visible()
            legal.first.click(force=True)
            # What is clicked while the page is laid out anew may have gone from under the finger.
            with contextlib.suppress(AssertionError):
                expect(page.locator(".crumb")).not_to_have_count(done, timeout=3000)
        page.get_by_role("button", name="Confirm").click()
        wait_for(lambda before=before: page.locator(".story li").count() > before)  # type: ignore[misc]
    expect(page.get_by_text("Search on or off")).to_have_count(0)
    assert (page.locator(".suspect.jack").count() == 1) == (role == "Jack")


def test_the_obvious_ways_in_are_refused(browser: Browser, tmp_path: Path) -> None:
    saved = SavedGames(tmp_path / "coppice-tables.db")
    saved.save(link_room(world("bert"), "table-a"))
    saved.close()
    with running(tmp_path) as server:
        context = browser.new_context()
        page = context.new_page()
        ear = Ear(page)
        # Without a seat, with a guessed one, with the identity as secret: only what both sides know.
        for address in ("/game/table-a", "/game/table-a?seat=guess", "/game/table-a?seat=table-a"):
            page.goto(server.url + address)
            expect(page.get_by_text("you are watching")).to_be_visible()
            assert page.locator(".suspect.jack").count() == 0
            assert page.locator(".role-card:not([disabled])").count() == 0
        # Crafted events of somebody who has no seat, or is not to move.
        for address in ("/game/table-a", f"/game/table-a?seat={TOKENS['second']}"):
            page.goto(server.url + address)
            page.wait_for_selector(".board-frame .cell")
            page.evaluate(
                """() => { for (const id in mounted_app.elements) { const e = getElement(Number(id));
                   if (e && e.$props && e.$props.board) {
                     e.$emit('move', {name: 'smith', node: 0}); e.$emit('move', {name: ['x'], node: {}});
                     e.$emit('cell', -1); e.$emit('cell', {a: 1}); } } }"""
            )
            settle(page)
            assert page.locator(".crumb").count() == 0
        # The detective's page, and what it was sent.
        ear.texts.clear()
        page.goto(f"{server.url}/game/table-a?seat={TOKENS['first']}")
        wait_card(page)
        assert not any('suspect jack"' in text or TOKENS["second"] in text for text in ear.texts)
        # No position, no analysis, no set-up, no undo of what was confirmed, no download.
        for address in (
            "/analyse?game=mr_jack",
            "/analyse?game=mr_jack&position=turn=1",
            "/setup?game=mr_jack",
        ):
            page.goto(server.url + address)
            expect(page.get_by_text("hidden cards")).to_be_visible()
        context.close()
        for path in (
            "/coppice-tables.db",
            "/../coppice-tables.db",
            "/_nicegui/../../coppice-tables.db",
            "/game/..%2f..%2fcoppice-tables.db",
            "/game/table-a%00",
            "/_nicegui/auto/static/%2e%2e/%2e%2e/coppice-tables.db",
        ):
            assert b"pile=" not in fetch(server.url + path), path
        # The server has survived all of it.
        assert b"Coppice" in fetch(server.url + "/")


def fetch(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        return error.read()


# The parts below the page


def test_a_decision_is_built_word_by_word() -> None:
    legal = [
        "smith a4 lamp b2>f9",
        "smith a4 lamp b2>h4",
        "smith a4 lamp c7>f9",
        "holmes a4",
        "gull swap watson:NE",
    ]
    decision = Decision(legal)
    assert decision.options() == ["smith", "holmes", "gull"]
    decision.choose("smith")
    assert decision.chosen == ("smith", "a4", "lamp"), "the only way on is taken by itself"
    decision.choose("b2")
    assert decision.text is None
    decision.choose("h4")
    assert decision.text == "smith a4 lamp b2>h4"
    decision.back()
    assert decision.options() == ["f9", "h4"]
    decision.back()
    decision.back()
    assert not decision.chosen
    with pytest.raises(ValueError, match="'bert' is not possible here: smith, holmes, gull"):
        decision.choose("bert")
    decision.choose("gull")
    assert decision.text == "gull swap watson:NE"


def test_every_legal_decision_of_a_game_can_be_built() -> None:
    state = game_of("mr_jack").start(seed=3)
    built = 0
    for _ in range(6):
        legal = state.legal_moves
        decision = Decision(legal)
        for move in legal[:: max(1, len(legal) // 12)]:
            words = tuple(re.findall(r"[^\s>:]+|[>:]", move))
            decision.clear()
            while decision.chosen != words:
                decision.choose(words[len(decision.chosen)])
                assert decision.chosen == words[: len(decision.chosen)], move
            assert decision.text == move
            built += 1
        state = state.copy().play(simple(state))
    assert built >= 60


def test_a_watcher_knows_what_both_sides_know() -> None:
    room = link_room(world("bert"), "x")
    public = facts_for(room, 0, set())
    assert "jack" not in public
    assert "suspects" not in public
    assert facts_for(room, 0, {"second"})["jack"] == "bert"
    assert "jack" not in facts_for(room, 0, {"first"})


def test_witness_calls_are_remembered() -> None:
    script, one, _ = two_worlds()
    room = link_room(world(one), "x")
    for move in script:
        room.play(move)
    calls = witness_calls(room, room.live)
    assert [turn for turn, _, _ in calls] == [str(turn) for turn in range(1, TURNS + 1)]
    assert {witness for _, witness, _ in calls} <= {"visible", "invisible"}


def test_a_call_names_those_who_were_visible_before_the_gaslight_went_out() -> None:
    mattered = 0
    for seed in range(6):
        rng = random.Random(seed)
        room = GameRoom("mr_jack", seed=seed)
        while not room.over:
            quiet = [move for move in room.state(room.live).legal_moves if not re.search("accuse|exit", move)]
            was = facts_for(room, room.live, {"first"})
            room.play(rng.choice(quiet))
            now = facts_for(room, room.live, {"first"})
            if was["turn"] == now["turn"]:
                continue
            turn, said, seen = witness_calls(room, room.live)[-1]
            assert turn == was["turn"]
            # Exactly those suspects are cleared for whom the answer would have been another one.
            for name in CHARACTERS:
                if name not in was["innocent"].split(","):
                    other = (name in seen) != (said == "visible")
                    assert (name in now["innocent"].split(",")) == other, (seed, turn, name)
            mattered += set(seen) != set(now["visible"].replace("-", "").split(",")) - {""}
            if turn == "5":
                break
    assert mattered, "no gaslight made a difference: the test tells nothing"


def test_there_is_no_call_in_a_turn_without_witnesses() -> None:
    room = GameRoom("mr_jack(witness=every_other_turn)", seed=1)
    for _ in range(12):
        room.play(simple(room.state(room.live)))
    assert [turn for turn, _, _ in witness_calls(room, room.live)] == ["2"]


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        ("holmes d4", "Holmes walks to d4 and takes an alibi card."),
        ("watson c5 facing NE", "Watson walks to c5 and shines the lantern to the north-east."),
        ("smith c3 lamp f5>h4", "Smith walks to c3 and moves the lamp from f5 to h4."),
        (
            "lestrade cordon NW>SE exit NW",
            "Lestrade moves the cordon from NW to SE and leaves by the NW exit.",
        ),
        ("bert cover a5>f7 c3", "Bert moves the cover from a5 to f7 and walks to c3."),
        (
            "goodley b6 whistle smith>c5 watson>d4:NE",
            "Goodley walks to b6 and whistles Smith to c5 and Watson to d4, the lantern to the north-east.",
        ),
        ("goodley whistle nobody b6", "Goodley whistles in vain and walks to b6."),
        (
            "gull swap watson:S",
            "Gull changes places with Watson and turns the lantern to the south.",
        ),
        ("lestrade d4 accuse bert", "Lestrade walks to d4 and accuses Bert."),
    ],
)
def test_the_story_tells_decisions_in_sentences(move: str, sentence: str) -> None:
    assert told(move) == sentence


# What the computer knows: an expert may type any player


def computer(state: State, spec: str) -> Report:
    """What the computer decides at a room where this player was typed."""

    async def decided() -> Report:
        return await decide(Searches(1), "somebody", state, spec, 300, seed=5)

    # The browser of the other tests has an event loop in this thread.
    with ThreadPoolExecutor(1) as beside:
        report = beside.submit(lambda: asyncio.run(decided())).result()
    return dataclasses.replace(report, seconds=0.0)


@pytest.mark.parametrize(
    "spec",
    [
        "uct",
        "random",
        "mcts(playout=decisive)",
        "mcts(candidates=scripted_power, playout=scripted)",
        "mcts(playout=cutoff(4))",
        "jack_v1",
        "jack_v2",
        "jack_v3",
        "jack(worlds=sampled(opponent=informed))",
        "jack(worlds=sampled(draw=free_choice))",
    ],
)
def test_the_computer_decides_by_what_its_side_may_know(spec: str) -> None:
    script, one, another = two_worlds()
    deciders = set()
    for moves in (0, 5, 8, 9):
        texts = [
            game_of("mr_jack").state(world(jack)).copy().play(*script[:moves]).text(reveal=True)
            for jack in (one, another)
        ]
        # And other cards in the turns to come: nobody has seen them.
        texts.append(later_cards_turned(texts[0]))
        worlds = [game_of("mr_jack").state(text) for text in texts]
        alike = [state for state in worlds if state.view(state.to_move) == worlds[0].view(state.to_move)]
        deciders.add((worlds[0].to_move, len(alike)))
        reports = [computer(state, spec) for state in alike]
        assert all(report == reports[0] for report in reports), f"{spec} after {moves} decisions"
    # The detective cannot tell the identities apart either, Jack only the cards to come.
    assert deciders == {("first", 3), ("second", 2)}


@pytest.mark.parametrize(
    "spec",
    [
        "nested(level=1)",
        "rave",
        "mcts(tactics=solver)",
        "mcts(playout=minimax)",
        "mcts(playout=nested(level=1))",
    ],
)
def test_players_that_would_look_at_hidden_cards_are_refused(spec: str) -> None:
    with pytest.raises(ValueError, match="hidden information"):
        computer(game_of("mr_jack").start(seed=1), spec)
