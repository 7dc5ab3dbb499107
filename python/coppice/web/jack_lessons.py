"""Lessons of Mr Jack: what each character can do, with an exercise in a position from a game."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import Any

from nicegui import ui

from coppice.board.cells import Side
from coppice.board.jack_light import decided, seen, words_in
from coppice.board.jack_map import CHARACTERS
from coppice.web.frame import framed, not_found
from coppice.web.game_room import GameRoom
from coppice.web.jack_desk import JackDesk
from coppice.web.jack_facts import names_of, suspects_of
from coppice.web.jack_story import named, told
from coppice.web.jack_track import face, legend_html
from coppice.web.lobby import Lobby

__all__ = ["Lesson", "add_pages", "lessons", "missing", "people_html"]


@dataclass(frozen=True)
class Lesson:
    """One exercise: a position, whose card is played, and what must be true afterwards."""

    name: str
    """The character."""
    title: str
    text: str
    task: str
    side: Side
    position: str
    goal: dict[str, Any]
    """`seen`, `unseen`: characters; `split`: how many suspects are seen; `words` of the decision; `facts`
    of the core."""


@functools.cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons, in the order in which they are best taken."""
    text = resources.files("coppice").joinpath("data", "jack_lessons.json").read_text(encoding="utf-8")
    return tuple(Lesson(**entry) for entry in json.loads(text)["lessons"])


@functools.cache
def people_html() -> str:
    """What each character can do, with a way to the exercise, and every sign of the map."""
    parts = []
    for number, lesson in enumerate(lessons(), 1):
        title = f"{CHARACTERS[lesson.name].name}: {lesson.title.lower()}"
        parts.append(
            f'<div class="person">{face(lesson.name)}<b>{escape(title)}</b>'
            f'<p class="small">{escape(lesson.text)}</p>'
            f'<a class="small" href="/lessons/mr_jack?number={number}">Exercise {number}</a></div>'
        )
    signs = '<h2 class="panel-title">What the signs mean</h2>'
    return f'<div class="people">{"".join(parts)}</div>{signs}{legend_html()}'


def missing(lesson: Lesson, room: GameRoom, node: int) -> list[str]:
    """What a decision has not brought about, in words; nothing if the exercise is solved."""
    parent = room.tree[node].parent
    assert parent is not None
    move, goal = room.tree[node].move, lesson.goal
    was, now = room.state(parent), room.state(node).view(lesson.side)
    board = room.game.board()
    # As a witness would see it: the lamp of the turn goes out later.
    visible = seen(board, decided(board, was.pieces(), words_in(move)))
    lacks: list[str] = []
    dark = [name for name in goal.get("seen", ()) if name not in visible]
    lit = [name for name in goal.get("unseen", ()) if name in visible]
    if dark:
        lacks.append(f"Not seen: {named(dark)}.")
    if lit:
        lacks.append(f"Seen, and should not be: {named(lit)}.")
    if "split" in goal:
        suspects = suspects_of(was.view(lesson.side))
        both = [name for name in suspects if name in visible]
        if len(both) != goal["split"]:
            lacks.append(f"Of {len(suspects)} suspects {len(both)} are seen, not {goal['split']}.")
    if not {*goal.get("words", ())} <= {*words_in(move)}:
        lacks.append(f"It can be done another way: use what {CHARACTERS[lesson.name].short} can do.")
    for fact, value in goal.get("facts", {}).items():
        if value not in names_of(now[fact]):
            lacks.append(_LACKING[fact])
    return lacks


_LACKING = {
    "cordons": "That exit is still open.",
    "own_alibis": "No alibi card was taken.",
    "end": "The game goes on.",
}


def add_pages(lobby: Lobby) -> None:
    """Adds the pages of this file to the app."""

    @ui.page("/lessons/mr_jack")
    async def lesson_page(number: int = 1) -> None:
        if not 1 <= number <= len(lessons()):
            with framed("No such lesson"):
                not_found(f"There are lessons 1 to {len(lessons())}.")
            return
        _LessonPage(number).build()


class _LessonPage(JackDesk):
    """One browser's exercise; nothing of it is kept."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.lesson = lessons()[number - 1]
        super().__init__(self._room(), {self.lesson.side})

    def _room(self) -> GameRoom:
        return GameRoom("mr_jack", position=self.lesson.position, seed=0)

    def allowed(self, legal: Any) -> Any:
        return [move for move in legal if words_in(move)[0] == self.lesson.name]

    def build(self) -> None:
        """Makes the page."""
        lesson, who = self.lesson, CHARACTERS[self.lesson.name]
        with framed(f"Mr Jack: {lesson.title}", wide=True), ui.element("div").classes("game jack lesson"):
            with ui.element("div").classes("board-side"):
                self.build_board()
                with ui.expansion("What the signs mean").props("dense").classes("legend-frame"):
                    ui.html(legend_html(), sanitize=False)
            with ui.element("aside").classes("panels"), ui.element("section").classes("panel status"):
                self._build_head()
                ui.label(f"{who.short}: {lesson.task}").classes("task").mark("task")
                self.status = ui.label("").classes("status-text").props("aria-live=polite").mark("status")
                self.build_decision()
                self.cards.set_visibility(False)
                with ui.element("div").classes("buttons"):
                    self.build_answers()
                    self.again = ui.button("Try again", icon="replay", on_click=self._again)
                    self.again.props("flat no-caps dense").mark("again")
                    self.next = ui.button("Next lesson", icon="arrow_forward", on_click=self._next)
                    self.next.props("unelevated no-caps dense").mark("next-lesson")
                with ui.row():
                    ui.link("How to play", "/rules/mr_jack").classes("small")
                    ui.link("Play a game", "/new/mr_jack").classes("small")
        self.show()

    def _build_head(self) -> None:
        lesson = self.lesson
        with ui.element("nav").classes("lessons").props('aria-label="Lessons"'):
            for number, other in enumerate(lessons(), 1):
                link = ui.link(str(number), f"/lessons/mr_jack?number={number}").tooltip(other.title)
                link.classes("lesson-link" + (" here" if number == self.number else ""))
        title = f"Lesson {self.number} of {len(lessons())}: {lesson.title}"
        ui.label(title).classes("panel-title")
        ui.html(
            f'<div class="lesson-who">{face(lesson.name)}<span>{escape(lesson.text)}</span></div>',
            sanitize=False,
        )

    def show(self) -> None:
        """Shows the exercise; its card has been chosen already."""
        if self.decision is not None and not self.decision.chosen:
            self.decision.choose(self.lesson.name)
        self.show_desk(self.facts(self.at))
        done = self.room.live != 0
        self.again.set_visibility(done)
        solved = done and not missing(self.lesson, self.room, self.room.live)
        self.next.set_visibility(solved)
        self.next.set_text("Next lesson" if self.number < len(lessons()) else "Play a game")
        if not done:
            self.status.set_text("One moment." if self.decision is None else self.prompt())
        elif solved:
            self.status.set_text(f"Solved. {told(self.room.tree[self.room.live].move)}")
        else:
            self.status.set_text(" ".join(["Not yet.", *missing(self.lesson, self.room, self.room.live)]))

    def played(self) -> None:
        """Shows what the decision did, and whether that solves the exercise."""
        self.at = self.room.live
        self.decision = None
        self.show()
        self.play_steps()

    def _again(self) -> None:
        self.room = self._room()
        self.at, self.decision = self.room.live, None
        self.show()

    def _next(self) -> None:
        last = self.number == len(lessons())
        ui.navigate.to("/new/mr_jack" if last else f"/lessons/mr_jack?number={self.number + 1}")
