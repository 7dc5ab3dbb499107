"""What the page of Mr Jack is made of: decisions, steps, beliefs after the game, lessons, the pace."""

from __future__ import annotations

import asyncio
import random
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jack_games import link_room, position, simple, world
from playwright.sync_api import Page, expect
from serving import Server

from coppice.board.jack_light import words_in
from coppice.board.jack_map import CHARACTERS
from coppice.web.allowed import game_of
from coppice.web.boards import position_plain
from coppice.web.game_room import GameRoom, Seat
from coppice.web.jack_belief import belief_html, moments, search_belief
from coppice.web.jack_decision import Decision, question
from coppice.web.jack_desk import jack_message, step_messages
from coppice.web.jack_facts import facts_for, names_of
from coppice.web.jack_lessons import lessons, missing
from coppice.web.jack_story import frames, happenings
from coppice.web.jack_track import legend_html, track_html
from coppice.web.lobby import Lobby
from coppice.web.new_game import new_room
from coppice.web.searches import Searches
from coppice.web.settings import Settings


def test_who_hears_the_whistle_may_be_named_in_any_order() -> None:
    state, chance = game_of("mr_jack").state(position(hand="goodley,smith,gull,bert")), random.Random(1)
    decision = Decision(state.legal_moves)
    many = [move for move in state.legal_moves if "whistle" in move and move.count(">") == 3]
    for move in chance.sample(many, 40):
        words = words_in(move)
        start = words.index("whistle") + 1
        calls, at = [], start
        while words[at + 1 : at + 2] == (">",):
            end = at + (5 if words[at + 3 : at + 4] == (":",) else 3)
            calls.append(words[at:end])
            at = end
        chance.shuffle(calls)
        decision.clear()
        wanted = (*words[:start], *(word for call in calls for word in call), *words[at:])
        while decision.chosen != wanted:
            # What is the only way on is taken by itself.
            decision.choose(wanted[len(decision.chosen)])
            assert decision.chosen == wanted[: len(decision.chosen)]
        assert decision.text == move


def test_a_whistle_that_cannot_go_on_like_this_is_refused() -> None:
    decision = Decision(["goodley b6 whistle smith>c5 watson>d4:NE", "goodley b6 whistle smith>c5 gull>e3"])
    decision.choose("goodley")
    assert decision.options() == ["smith", "watson", "gull"]
    decision.choose("gull")
    assert decision.text == "goodley b6 whistle smith>c5 gull>e3", "only Smith can come besides"
    decision.back()
    decision.choose("watson")
    with pytest.raises(ValueError, match="'gull' is not possible here"):
        decision.choose("gull")


QUESTIONS = {
    "watson": "Watson: where to? The numbers are steps.",
    "watson b1": "Watson: where does the lantern shine?",
    "lestrade a5": "Which cordon does Lestrade lift?",
    "lestrade a5 NE": "Which exit does he close with it?",
    "gull swap": "With whom does Gull change places?",
    "goodley whistle": "Who hears the whistle?",
    "goodley whistle lestrade": "Where does Lestrade come to?",
}


@pytest.mark.parametrize("words", QUESTIONS)
def test_each_step_is_asked_for_by_its_name(words: str) -> None:
    state = game_of("mr_jack").state(
        position(hand="watson,lestrade,goodley,gull", next="holmes,smith,stealthy,bert")
    )
    decision = Decision(state.legal_moves)
    for word in words.split():
        decision.choose(word)
    cells = {cell.name: index for index, cell in enumerate(state.game.board().cells)}
    assert question(decision, cells).startswith(QUESTIONS[words])


def test_covers_and_lamps_are_asked_for_one_after_the_other() -> None:
    state = game_of("mr_jack").state(
        position(hand="smith,bert,goodley,gull", next="holmes,watson,stealthy,lestrade")
    )
    cells = {cell.name: index for index, cell in enumerate(state.game.board().cells)}
    decision, asked = Decision(state.legal_moves), []
    for words in (("bert", "cover"), ("smith", "a4")):
        decision.clear()
        for word in words:
            decision.choose(word)
        asked.append(question(decision, cells))
        decision.choose(decision.options()[0])
        asked.append(question(decision, cells))
    assert asked == [
        "Which covered manhole does Bert open?",
        "Which open manhole does he cover instead?",
        "Which lit lamp does Smith move?",
        "To which dark lamp does its light go?",
    ]


# What is played on the map


def test_the_steps_of_a_decision_end_where_the_core_is() -> None:
    room = link_room(world("bert"), "x")
    compared = 0
    for _ in range(16):
        legal = room.state(room.live).legal_moves
        chance = random.Random(len(room.tree))
        quiet = [move for move in legal if not re.search("accuse|exit", move)]
        card = chance.choice(sorted({words_in(move)[0] for move in quiet}))
        move = chance.choice([move for move in quiet if words_in(move)[0] == card])
        room.play(move)
        steps = frames(room, room.live)
        assert [len(words) for words, _ in steps] == sorted(len(words) for words, _ in steps)
        assert steps[-1][0] == words_in(move)
        assert len(steps) >= 1 + len(happenings(move))
        shown = step_messages(room, room.live, facts_for(room, 0, set()))
        last = {
            piece.name: piece.cell
            for piece in shown[-1][0].pieces
            if piece.kind == "token" and "gone" not in piece.states
        }
        assert last == {
            piece.name: piece.cell for piece in room.state(room.live).pieces() if piece.kind == "token"
        }
        compared += 1
    assert compared == 16


def test_the_steps_tell_the_detective_nothing_of_jack() -> None:
    rooms = [link_room(world(jack), "x") for jack in ("watson", "bert")]
    for _ in range(4):
        move = simple(rooms[0].state(rooms[0].live))
        sent = []
        for room in rooms:
            parent = room.live
            room.play(move)
            facts = facts_for(room, parent, {"first"})
            steps = step_messages(room, room.live, facts)
            board = room.game.board()
            sent.append([(position_plain(board, shown, shown.options), text) for shown, text in steps])
            assert not any(
                "jack" in stamp["role"].split() for step, _ in sent[-1] for stamp in step["stamps"]
            )
        if room.state(room.live).view("first")["turn"] == "1":
            assert sent[0] == sent[1]
    # The ear can hear: Jack's own page paints him.
    steps = step_messages(rooms[0], rooms[0].live, facts_for(rooms[0], 0, {"second"}))
    plain = position_plain(rooms[0].game.board(), steps[0][0], steps[0][0].options)
    assert any("jack" in stamp["role"].split() for stamp in plain["stamps"])


def test_a_position_in_the_making_is_lit_and_numbered() -> None:
    room = link_room(position(hand="watson,lestrade,goodley,gull", next="holmes,smith,stealthy,bert"), "x")
    board = room.game.board()
    decision = Decision(room.state(0).legal_moves)
    decision.choose("lestrade")
    shown = jack_message(room, 0, facts_for(room, 0, {"first"}), decision)
    assert set(shown.notes.values()) == {"1", "2", "3"}
    assert {cells[0] for word, cells in shown.moves if word not in CHARACTERS} == set(shown.notes)
    decision.choose("b3")
    shown = jack_message(room, 0, facts_for(room, 0, {"first"}), decision)
    standing = [piece for piece in shown.pieces if piece.kind == "token" and piece.name == "lestrade"]
    places = {board.cells[piece.cell].name: piece.states for piece in standing}
    assert "chosen" in places["b3"]
    assert any(states == ("gone",) for states in places.values())
    plain = position_plain(board, shown, shown.options)
    # Next to Watson: both are seen in the position that is being made.
    seen = {name for name, states in shown.options.known.items() if "visible" in states}
    assert {"lestrade", "watson"} <= seen
    assert plain["lit"]


# After the game


def finished(player: str = "jack_v3") -> GameRoom:
    room = GameRoom(
        "mr_jack", {"first": Seat("computer", "x", player, 60), "second": Seat("person", "y")}, seed=3
    )
    for _ in range(13):
        room.play(simple(room.state(room.live)))
    return room


def test_the_exact_belief_is_that_of_the_core_and_is_told_after_the_game_only() -> None:
    room = finished()
    with pytest.raises(ValueError, match=r"^what Jack's identity was is told when the game is over$"):
        moments(room)
    room.resign("second")
    told = moments(room)
    assert [moment.turn for moment in told] == [1, 2, 3, 4]
    for moment in told:
        view = room.state(moment.node).view("first")
        assert view["to_move"] == "detective"
        suspects = names_of(view["suspects"])
        assert moment.exact == {name: (1 / len(suspects) if name in suspects else 0.0) for name in CHARACTERS}
        assert sum(moment.exact.values()) == pytest.approx(1)
    assert [moment.call for moment in told[:3]] == [
        room.state(node).view("first")["witness"] for node in (4, 8, 12)
    ]
    assert told[3].call == ""
    jack = room.state(room.live).view("second")["jack"]
    at = dict(entry.split(":") for entry in room.state(4).view("first")["at"].split(","))
    assert told[0].place == at[jack]


@pytest.mark.parametrize("player", ["jack_v3", "random"])
def test_the_search_believes_in_suspects_alone(player: str) -> None:
    # In the place of a player without a search a strong one is asked.
    room = finished(player)
    room.resign("second")
    moment = moments(room)[-1]

    async def asked() -> Any:
        return await search_belief(Searches(1), "somebody", room, moment.node)

    with ThreadPoolExecutor(1) as beside:
        found = beside.submit(lambda: asyncio.run(asked())).result()
    assert found.simulations == 60, "as many as the computer had"
    assert sum(found.share.values()) == pytest.approx(1)
    assert {name for name, share in found.share.items() if share} <= {
        name for name, likely in moment.exact.items() if likely
    }
    assert all(0 <= won <= 1 for won in found.wins.values())
    shown = belief_html(room, moments(room), {moment.node: found})
    assert shown.count('class="share exact"') == 8 * 4
    assert shown.count('class="share search"') == 8


# The track and the legend


def test_the_track_tells_lamps_calls_and_who_picks() -> None:
    room = link_room(world("bert"), "x")
    facts = facts_for(room, 0, {"first"})
    first = track_html(room, 0, facts, [])
    assert len(re.findall(r'class="tile"', first)) == 4
    assert len(re.findall(r'class="eye todo"', first)) == 7
    assert re.findall(r'class="pick (\w+ \w+)"', first) == [
        "first now",
        "second later",
        "second later",
        "first later",
    ]
    for _ in range(5):
        room.play(simple(room.state(room.live)))
    later = track_html(room, room.live, facts_for(room, room.live, {"first"}), [("1", "visible", [])])
    assert len(re.findall(r'class="tile"', later)) == 3, "lamp 1 is out"
    assert len(re.findall(r'class="eye seen"', later)) == 1
    assert re.findall(r'class="pick (\w+ \w+)"', later) == [
        "second done",
        "first now",
        "first later",
        "second later",
    ]


def test_the_legend_has_every_kind_of_cell_and_piece_of_the_map() -> None:
    legend = legend_html()
    state = game_of("mr_jack").start(seed=1)
    kinds = {piece.kind for piece in state.pieces()} - {"lantern"} | {
        cell.kind for cell in state.game.board().cells
    }
    for kind in kinds:
        assert re.search(rf'class="(?:piece|cell|fixture)[^"]*\b{kind}\b', legend), kind


# Lessons


def test_there_is_a_lesson_for_every_character() -> None:
    assert {lesson.name for lesson in lessons()} == set(CHARACTERS)
    assert len({lesson.title for lesson in lessons()}) == len(lessons())


@pytest.mark.parametrize("number", range(1, 11))
def test_an_exercise_can_be_solved_and_missed(number: int) -> None:
    lesson = lessons()[number - 1]
    room = GameRoom("mr_jack", position=lesson.position, seed=0)
    assert room.to_move == lesson.side
    moves = [move for move in room.state(0).legal_moves if words_in(move)[0] == lesson.name]
    results = {bool(missing(lesson, room, room.add(0, move))) for move in moves[:: max(1, len(moves) // 400)]}
    assert results == {True, False}
    assert not {*lesson.goal} - {"seen", "unseen", "split", "words", "facts"}


# Two computers


async def test_a_pace_that_is_changed_holds_at_once(tmp_path: Path) -> None:
    room, token = new_room("mr_jack", "watch", "first", Seat("computer", "x", "random"))
    assert not token
    assert room.pace == 4.0
    assert GameRoom.of_json(room.to_json()).pace == 4.0
    lobby = Lobby(Settings(store=tmp_path / "coppice.db", watch_seconds=0.0))
    room.pace = 10_000.0
    resting = asyncio.create_task(lobby._rest(room, time.monotonic()))
    await asyncio.sleep(0)
    assert not resting.done()
    room.pace = 0.0
    await asyncio.wait_for(resting, 20)
    lobby.close()
    board, _ = new_room("nogo", "watch", "first", Seat("computer", "x", "random"))
    assert board.pace is None


def test_an_older_file_has_no_pace() -> None:
    entry = link_room(world("bert"), "x").to_json()
    del entry["pace"]
    assert GameRoom.of_json(entry).pace is None


# In the browser


def test_a_lesson_is_solved_by_clicks(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/lessons/mr_jack?number=7")
    expect(page.get_by_text("Lesson 7 of 10: Changing places")).to_be_visible()
    # A way that does not use what the lesson is about.
    page.locator(".cell.legal[data-cell='b3'], .cell.legal[data-cell='e7']").first.click(force=True)
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text(re.compile("^Not yet"))).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("button", name="Change places").click()
    page.locator(".cell.legal[data-cell='a3']").click(force=True)
    page.locator(".board .direction[aria-label='SW']").click()
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text(re.compile("^Solved. Gull changes places with Watson"))).to_be_visible()
    page.get_by_role("button", name="Next lesson").click()
    expect(page.get_by_text("Lesson 8 of 10: Under the streets")).to_be_visible()


def test_there_is_no_other_lesson(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/lessons/mr_jack?number=11")
    expect(page.get_by_text("There are lessons 1 to 10.")).to_be_visible()


def test_two_computers_are_watched_at_a_pace(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/new/mr_jack")
    page.get_by_text("Watch two computers").click()
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector(".board-frame .cell")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    # The opponent's decisions are played on the map for who watches.
    expect(page.locator(".board-caption")).not_to_have_text("")
    page.get_by_role("button", name="Fast").click()
    expect(page.locator(".story li").nth(1)).to_be_attached()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    assert page.locator(".secret").count() == 0
