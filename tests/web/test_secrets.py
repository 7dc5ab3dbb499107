"""Tests that nobody computes what is hidden: chance, searches, records, answers and their times."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nicegui.testing import User
from serving import refused

from coppice.core.session import Game, State, table_seed
from coppice.protocols.gtp import Server
from coppice.records.files import FORMATS
from coppice.web import lobby as lobbies
from coppice.web.game_room import GameRoom, Seat
from coppice.web.lobby import LEAST_SECONDS, Lobby, told_after
from coppice.web.open_position import position_room
from coppice.web.records import formats, written

App = tuple[User, Lobby]
WORD = 2**64


def told(state: State, name: str) -> str:
    """A part of the whole state."""
    found = re.search(rf"\b{name}=(\S+)", state.text(reveal=True))
    assert found
    return found[1]


def dealt(seed: int) -> State:
    return Game("mr_jack").start(seed=seed)


def excess(counts: Counter[str], kinds: int) -> float:
    """How far from even, in standard deviations of chi squared."""
    mean = sum(counts.values()) / kinds
    squares = sum((count - mean) ** 2 / mean for count in counts.values()) + mean * (kinds - len(counts))
    return float((squares - (kinds - 1)) / (2 * (kinds - 1)) ** 0.5)


def test_what_the_detective_sees_comes_from_another_word_than_jack() -> None:
    """Of one deal that is seen every Jack is as likely as in all games: nothing is left to be computed."""
    jacks: Counter[str] = Counter()
    hands = set()
    for word in range(800):
        state = dealt(7 + WORD * (word + 1) + WORD**2 * 5)
        jacks[told(state, "jack")] += 1
        hands.add((told(state, "hand"), told(state, "deals"), *state.view("first").values()))
    assert len(hands) == 1, "cards that are seen now or later depend on the word of the identity"
    assert abs(excess(jacks, 8)) < 4.5, jacks


def test_the_cards_to_come_are_from_a_word_of_their_own() -> None:
    """Jack knows who he is and what has been seen, and can compute neither the pile nor the deals."""
    deals: Counter[str] = Counter()
    seen = set()
    for word in range(700):
        state = dealt(7 + WORD * 3 + WORD**2 * (word + 1))
        deals[told(state, "deals").split("/")[0]] += 1
        seen.add((told(state, "hand"), told(state, "jack"), *state.view("second").values()))
    assert len(seen) == 1
    assert abs(excess(deals, 70)) < 4.5, deals


@given(st.integers(0, WORD - 1))
def test_a_seed_of_one_word_deals_what_it_always_did(seed: int) -> None:
    assert dealt(seed).text(reveal=True) == State(Game("mr_jack")._game.start(seed=seed)).text(reveal=True)


@pytest.mark.parametrize("seed", [-1, 2**192])
def test_a_seed_beyond_the_words_is_refused(seed: int) -> None:
    with pytest.raises(
        ValueError, match=rf"^seed {seed} is not allowed: a whole number from 0 to 2\^192 - 1$"
    ):
        Game("nogo").start(seed=seed)


def test_seeds_of_tables_are_long_and_differ() -> None:
    seeds = {table_seed() for _ in range(200)}
    assert len(seeds) == 200
    ones = [sum(seed >> bit & 1 for seed in seeds) for bit in range(192)]
    assert min(ones) > 50, "every bit is drawn"
    assert max(ones) < 150


def jack_room() -> GameRoom:
    seats = {
        "first": Seat("person", "x", token="detective"),
        "second": Seat("computer", "y", "jack(simulations=20)"),
    }
    return GameRoom("mr_jack", seats)  # type: ignore[arg-type]


def test_a_table_has_chance_of_its_own_and_searches_another_one() -> None:
    rooms = [jack_room() for _ in range(5)]
    assert all(room.seed >= WORD for room in rooms)
    assert len({room.seed for room in rooms} | {room.search_seed for room in rooms}) == 10
    assert all(room.search_seed not in (room.seed % WORD, room.seed >> 64) for room in rooms)


def test_the_servers_own_game_goes_on_with_the_same_secrets() -> None:
    room = jack_room()
    again = GameRoom.of_json(json.loads(json.dumps(room.to_json())))
    assert again.state(0).text(reveal=True) == room.state(0).text(reveal=True)
    assert again.search_seed == room.search_seed
    older = room.to_json() | {"seed": 5}
    del older["search_seed"]
    assert told(GameRoom.of_json(older).state(0), "jack") == told(dealt(5), "jack")


async def test_nothing_that_is_given_out_before_the_end_holds_a_secret(app: App) -> None:
    user, lobby = app
    room = lobby.open(jack_room())
    assert formats(room) == ()
    for form in FORMATS:
        with pytest.raises(ValueError, match=r"^a game with hidden cards is not saved$"):
            written(room, form)
    with pytest.raises(ValueError, match=r"^games with hidden cards are not analysed here$"):
        position_room("mr_jack")
    with pytest.raises(ValueError, match="GTP has no words for hidden information"):
        Server("mr_jack", "random")
    for path in ("/analyse?game=mr_jack", "/setup?game=mr_jack"):
        assert "hidden cards" in await refused(user, path, 400)
    for token in ("detective", "", "wrong"):
        page = (await user.http_client.get(f"/game/{room.identity}?seat={token}")).text
        for secret in (str(room.seed), str(room.search_seed), told(room.state(0), "pile")):
            assert secret not in page, token


@given(st.floats(0, 500), st.none() | st.floats(0, 500))
def test_answers_are_told_at_few_times(took: float, within: float | None) -> None:
    told = told_after(took, within)
    assert told >= took
    if within is not None:
        assert told == max(within, took), "the whole time of the clock, whatever the search needed"
    else:
        assert told in [LEAST_SECONDS * 2**step for step in range(12)]
        assert told < 2 * took or told == LEAST_SECONDS


async def test_the_computer_answers_at_one_of_these_times(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    _, lobby = app
    asked: list[tuple[float, float | None]] = []
    waits: list[float] = []
    slept = asyncio.sleep

    def noted(took: float, within: float | None) -> float:
        asked.append((took, within))
        return took + 0.125

    async def sleep(seconds: float, *more: object) -> None:
        if abs(seconds - 0.125) < 1e-9:
            waits.append(seconds)
        await slept(seconds, *more)

    monkeypatch.setattr(lobbies, "told_after", noted)
    room = jack_room()
    assert room.seats is not None
    room.seats["first"], room.seats["second"] = room.seats["second"], room.seats["first"]
    lobby.open(room)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    lobby.wake(room)
    await lobby._thinking[room.identity]
    assert len(room.tree) > 1, "it has moved"
    assert len(asked) == len(room.tree) - 1
    assert len(waits) == len(asked)
