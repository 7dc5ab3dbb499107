"""What is proven, on the pages: words, list, map, graph, hint and review; and pages that nobody looks at."""

from __future__ import annotations

import asyncio
import functools
import logging
import re
from typing import Any

import pytest
from nicegui import Client, ui
from nicegui.testing import User
from patience import until

from coppice import Limit, Player
from coppice.web.advice import hint_text
from coppice.web.findings import Finding
from coppice.web.game_room import GameRoom
from coppice.web.graph import blunders, blunders_html, moves_html, winrate_svg
from coppice.web.lobby import Lobby
from coppice.web.open_position import position_room
from coppice.web.play import GamePage
from coppice.web.search_frame import Frame, count_text, explain, heat_map, layers_of, rows_of, take_frame

App = tuple[User, Lobby]
HAVANNAH = "havannah(size=8)"
GAME = "h8 h15 g8 a1 f8 j15 i9 b1 j9 i15 e8 i14 k10 g14 d8 i13 l10 g12 d9 g13"
"""White's tenth move lets Black win by the double threat g13."""
WON = GAME.removesuffix(" g13")


def framed(
    game: str, moves: str, simulations: int = 3000, path: tuple[str, ...] = ()
) -> tuple[GameRoom, Frame]:
    room = position_room(game, moves)
    state = room.state(room.live)
    thinking = Player("strong").on(room.game).think(state, seed=1)
    thinking.run(Limit(simulations=simulations))
    return room, take_frame(thinking, state, room.live, path, 0)


def words_of(game: str, moves: str, simulations: int = 3000) -> str:
    room, frame = framed(game, moves, simulations)
    return explain(room.state(room.live), frame.report)


def drawn(room: GameRoom, frame: Frame, layer: str) -> dict[str, list[Any]]:
    """What is drawn on each cell, by its name."""
    state = room.state(frame.node)
    cells = dict(state.legal_move_cells())
    layers = layers_of(frame.report, cells, frame.tables, room.game.sides)
    (chosen,) = (one for one in layers if one.name == layer)
    names = [cell.name for cell in room.game.board().cells]
    return {names[cell]: more for cell, *more in heat_map(0, chosen, frame.report, cells, [])["cells"]}


# Words, list and map


def test_a_win_is_told_in_words_on_the_list_and_on_the_map() -> None:
    room, frame = framed(HAVANNAH, WON)
    assert explain(room.state(room.live), frame.report) == "Black wins by force with g13."
    (row,) = rows_of(frame, room.state(room.live))
    assert (row["name"], row["rate"], row["bar"], row["told"]) == ("g13", "wins", 100, "wins")
    assert count_text(frame.report, settled=True) == "Proven after 1 simulation"
    for layer in ("visits", "value"):
        strength, text, *_, told = drawn(room, frame, layer)["g13"]
        assert (text, told) == ("wins", "wins")
        assert strength >= 80


def test_a_lost_position_is_told_in_words_and_every_move_loses() -> None:
    room, frame = framed(HAVANNAH, GAME)
    text = explain(room.state(room.live), frame.report)
    assert text.startswith(f"White loses whatever it plays. It would try {frame.report.best}. ")
    assert text.endswith("Black threatens h12 and h13.")
    rows = rows_of(frame, room.state(room.live))
    assert {row["rate"] for row in rows} == {"loses"}
    assert rows[0]["name"] == frame.report.best
    assert {text for _, text, *_ in drawn(room, frame, "value").values()} == {"loses"}
    # The search goes on, for the move that is hardest to refute.
    assert re.fullmatch(r"3,000 simulations · [\d,]+ a second", count_text(frame.report, settled=False))


def test_a_draw_is_told_in_words() -> None:
    room, frame = framed("tic_tac_toe", "b2 a1", 20_000)
    best = frame.report.best
    assert words_of("tic_tac_toe", "b2 a1", 20_000) == (
        f"A draw with best play, which Crosses keep with {best}."
    )
    assert "draws" in {row["rate"] for row in rows_of(frame, room.state(room.live))}
    assert drawn(room, frame, "visits")[best][1] == "draws"


def test_a_win_at_once_is_told() -> None:
    assert words_of("havannah(size=4)", "a1 g7 a2 g6 a3 e3") == (
        "White wins by force with a4. It wins at once."
    )


def test_an_open_position_speaks_of_shares() -> None:
    text = words_of("havannah(size=4)", "d4")
    assert re.match(r"Black would play \w+: \d+ % of the simulations went there, and Black won \d+ %", text)


def test_a_win_by_threats_is_shown_with_its_whole_line() -> None:
    found = 0
    for seed in range(40):
        state = GameRoom("havannah(size=5)", seed=seed).state(0).copy()
        for move in Player("uct(simulations=1)").search(state, seed=seed).line:
            state.play(move)
        while state.outcome is None and not (line := state.forced_win(tries=1000)):
            state.play(Player("uct(simulations=20)").search(state, seed=seed).best)
        if state.outcome is None and line and len(line) > 1:
            thinking = Player("strong").on(state.game).think(state, seed=1)
            frame = take_frame(thinking, state, 0, (), 100)
            assert frame.children[0].line == tuple(line)
            found += 1
    assert found


def test_the_tree_tells_what_is_proven_below() -> None:
    _, root = framed("tic_tac_toe", "b2 a1", 20_000)
    assert root.below == root.children
    _, frame = framed("tic_tac_toe", "b2 a1", 20_000, path=(root.report.best,))
    assert frame.path == (root.report.best,)
    # What is a draw for Crosses is one for Noughts, too, who can do no better.
    assert {child.proof for child in frame.below} <= {"draw", "loss"}
    assert "draw" in {child.proof for child in frame.below}


# Rooms and graphs


def test_what_is_proven_is_kept_over_any_number_of_simulations() -> None:
    room, frame = framed(HAVANNAH, WON)
    room.findings.note(room.live, 0.4, "a2", 10_000)
    room.findings.note_report(room.live, frame.report)
    room.findings.note(room.live, 0.4, "a2", 20_000)
    entry = room.findings[room.live]
    assert (entry.value, entry.best, entry.proven) == (0.0, "g13", True)
    again = GameRoom.of_json(room.to_json())
    assert again.findings[room.live] == entry
    older = room.to_json()
    older["nodes"] = [node[:7] for node in older["nodes"]]
    assert not GameRoom.of_json(older).findings[room.live].proven


def test_who_has_won_after_a_move_had_won_before_it() -> None:
    room = position_room("tic_tac_toe", "a1 a2 b1 b2 c1")
    room.findings.note_end(5)
    assert [room.findings[at].proven for at in range(len(room.tree))] == [False] * 4 + [True, True]
    assert (room.findings[4].value, room.findings[4].best) == (1.0, "c1")


def test_the_graph_says_who_wins_not_how_many_percent() -> None:
    room = position_room("tic_tac_toe", "a1 a2 b1 b2 c1")
    room.findings.note(1, 0.625, "a1", 100)
    room.findings.note_end(5)
    svg = winrate_svg(room, 5)
    assert "<title>1. a1: Crosses 62 %</title>" in svg
    assert "<title>2… b2: Crosses win</title>" in svg
    assert 'class="dot proven"' in svg
    lost = position_room("tic_tac_toe", "a1 b1 a2 b2 c1 b3")
    lost.findings.note(1, 0.5, "a1", 100)
    lost.findings.note_end(6)
    assert "<title>3… b3: Noughts win</title>" in winrate_svg(lost, 6)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (
            (1.0, "c3", True),
            (0.0, "b3", True),
            "throws away the win: c3 was winning; Noughts win by force with b3",
        ),
        ((1.0, "c3", True), (0.5, "b3", True), "throws away the win: c3 was winning; a draw with best play"),
        (
            (0.5, "c3", True),
            (0.0, "b3", True),
            "throws away the draw: c3 kept it; Noughts win by force with b3",
        ),
        ((1.0, "c3", True), (0.6, "b3", False), "lets a sure win go: c3 was winning"),
        ((0.7, "c3", False), (0.0, "b3", True), "loses: Noughts win by force with b3; c3 was better (70 %)"),
        ((0.7, "a1", False), (0.0, "b3", True), "loses: Noughts win by force with b3"),
        (
            (0.8, "c3", False),
            (0.5, "b3", True),
            "gives the lead away: a draw with best play; c3 was better (80 %)",
        ),
        ((0.7, "c3", False), (0.4, "b3", False), "drops from 70 % to 40 %: c3 was better"),
        ((0.7, "a1", False), (0.4, "b3", False), None),
        ((0.1, "c3", False), (0.0, "b3", True), None),
        ((0.0, "c3", True), (0.0, "b3", True), None),
    ],
)
def test_a_blunder_is_told_in_words(
    before: tuple[float, str, bool], after: tuple[float, str, bool], words: str | None
) -> None:
    room = position_room("tic_tac_toe", "a1")
    for node, (value, best, sure) in enumerate((before, after)):
        room.findings[node] = Finding(value, best, proven=sure)
    assert blunders(room, [0, 1]) == ({1: words} if words else {})
    if words:
        assert f'title="{words}"' in moves_html(room, 1)
        assert f'data-node="1"><b>1. a1</b> {words}.</button>' in blunders_html(room, 1)
    else:
        assert "No move of this game gives much away." in blunders_html(room, 1)


@pytest.mark.parametrize(
    ("game", "moves", "words"),
    [
        (HAVANNAH, WON, "g13 wins by force"),
        (HAVANNAH, GAME, ", but you lose whatever you play if the other side finds the way"),
        ("tic_tac_toe", "b2 a1", " draws, and there is nothing better"),
        (HAVANNAH, "h8", " % for you"),
    ],
)
def test_a_hint_tells_what_is_certain(game: str, moves: str, words: str) -> None:
    _, frame = framed(game, moves, 8000)
    assert hint_text(frame.report).endswith(words)


# Pages


def text_of(user: User, marker: str) -> str:
    (element,) = user.find(marker=marker).elements
    assert isinstance(element, ui.label)
    return str(element.text)


async def test_the_review_marks_the_move_that_lost_a_won_game(app: App) -> None:
    user, lobby = app
    found = []
    for _ in range(2):
        room = position_room(HAVANNAH, GAME)
        lobby.open(room)
        await user.open(f"/game/{room.identity}")
        await user.should_see(marker="words")
        # What the review finds does not depend on what a live search happened to see.
        user.find(marker="search-switch").click()
        (findings,) = user.find(marker="findings").elements
        assert isinstance(findings, ui.html)
        user.find(marker="review").click()
        await until(functools.partial(getattr, findings, "content"))
        found.append(findings.content)
        assert list(blunders(room, room.tree.line_through(0))) == [19]
    assert found[0] == found[1]
    assert re.search(
        r"<b>10\. d9</b> loses: Black wins by force with g13; g13 was better \(\d+ %\)\.", found[0]
    )


async def test_an_ended_game_says_how_it_ended_and_searches_nothing(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, lobby = app

    async def refuse(*_: Any) -> None:
        raise AssertionError("there is nothing to search")

    monkeypatch.setattr(lobby.searches, "turn", refuse)
    room = lobby.open(position_room("tic_tac_toe", "a1 a2 b1 b2 c1"))
    await user.open(f"/game/{room.identity}")
    await user.should_see(marker="words")
    (page,) = (getattr(each, "__self__", None) for each in room.listeners)
    assert isinstance(page, GamePage)
    panel = page.search_panel
    assert panel is not None
    assert panel.on
    assert panel._task is None
    assert text_of(user, "words") == "The game is over. Crosses win by making a line."
    assert text_of(user, "status") == "Crosses win by making a line."
    assert text_of(user, "search-count") == ""


async def test_the_words_are_of_the_position_on_the_board(app: App) -> None:
    user, lobby = app
    room = lobby.open(position_room("havannah(size=4)", "d4 c3 e5 b2"))
    await user.open(f"/game/{room.identity}")
    await user.should_see(marker="words")
    for where in ("back", "back", "on", "back", "back"):
        await until(lambda: "would play" in text_of(user, "words"))
        user.find(marker=f"step-{where}").click()
        # Nothing is left of the position before.
        assert text_of(user, "words") == ""
        assert text_of(user, "search-count") == ""
        side = room.name_of(room.state(room.live).to_move)
        await until(lambda: text_of(user, "words") != "")
        assert text_of(user, "words").startswith(f"{side} would play ")


async def at_rest(lobby: Lobby) -> None:
    """Waits until no search is under way, and what waited for one has gone on."""
    await until(lambda: lobby.searches.waiting == 0 and lobby.searches._running == 0)
    for _ in range(100):
        await asyncio.sleep(0)


def complaints(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


async def test_leaving_while_the_tree_loads_leaves_nothing_in_the_log(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    user, lobby = app
    room = lobby.open(position_room("havannah(size=4)", "d4"))
    await user.open(f"/game/{room.identity}")
    await user.should_see(marker="tree")
    (tree,) = user.find(marker="tree").elements
    assert isinstance(tree, ui.expansion)
    client = user.client
    assert client is not None
    tree.open()
    await until(lambda: any("crumb" in element.classes for element in client.elements.values()))
    (crumb,) = [element for element in client.elements.values() if "crumb" in element.classes]
    (listener,) = crumb._event_listeners.values()
    crumb._handle_event({"listener_id": listener.id, "args": {}})
    client.delete()
    await at_rest(lobby)
    assert complaints(caplog) == []


@pytest.mark.parametrize("address", ["/", "/analyse", "/new/havannah", "/game", "/laboratory"])
async def test_a_page_that_no_browser_opens_leaves_nothing_in_the_log(
    app: App, caplog: pytest.LogCaptureFixture, address: str
) -> None:
    user, lobby = app
    room = lobby.open(position_room("havannah(size=4)", "d4")) if address == "/game" else None
    address = f"/game/{room.identity}" if room else address
    answer = await user.http_client.get(address)
    assert answer.status_code == 200
    Client.prune_instances(client_age_threshold=0.0)
    await at_rest(lobby)
    # Nobody has come for whom an analysis would have begun its search.
    assert room is None or room.findings[room.live].value is None
    assert complaints(caplog) == []
