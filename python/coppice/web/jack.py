"""The page of a game of Mr Jack: what its side may know, nothing else."""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import urlencode

from nicegui import ui
from nicegui.client import Client

from coppice.board.jack_map import CHARACTERS
from coppice.web.door import visitor_at
from coppice.web.frame import ask, complain, framed
from coppice.web.game_room import SIDES, GameRoom
from coppice.web.graph import PICK
from coppice.web.invitation import Sharing
from coppice.web.jack_belief import Moment, SearchBelief, belief_html, moments, search_belief
from coppice.web.jack_desk import JackDesk
from coppice.web.jack_facts import witness_calls
from coppice.web.jack_story import named, story_html
from coppice.web.jack_track import face, known_html, legend_html, role_name, track_html
from coppice.web.lobby import Lobby
from coppice.web.searches import Busy

__all__ = ["JackPage"]

PACES = {8.0: "Slow", 4.0: "Steady", 1.5: "Fast"}
"""Seconds from one decision to the next where two computers play."""


class JackPage(JackDesk):
    """One browser's view of a game with secrets."""

    def __init__(self, lobby: Lobby, room: GameRoom, token: str, client: Client) -> None:
        super().__init__(room, room.side_of(token))
        self.lobby = lobby
        self.token = token
        self.client = client
        self.sharing = Sharing(lobby.settings, client)
        self._node = -1
        self._moments: list[Moment] = []
        self._believed: dict[int, SearchBelief] = {}

    @property
    def watching(self) -> bool:
        """Whether two computers play."""
        return all(seat.kind == "computer" for seat in (self.room.seats or {}).values())

    # Building

    def build(self) -> None:
        """Makes the page."""
        with framed("Mr Jack", wide=True), ui.element("div").classes("game jack"):
            with ui.element("div").classes("board-side"):
                self.track = ui.html("", sanitize=False).classes("track-frame").mark("track")
                self.build_board(on_step=self.step)
                self._build_steps()
                with ui.element("section").classes("panel log"):
                    ui.label("What has happened").classes("panel-title")
                    self.story = ui.html("", sanitize=False).classes("story follow").mark("story")
                    self.story.on("click", self._picked, js_handler=PICK)
                with (
                    ui.expansion("What the signs mean").props("dense").classes("legend-frame").mark("legend")
                ):
                    ui.html(legend_html(), sanitize=False)
            with ui.element("aside").classes("panels"):
                self._build_status()
                self._build_known()
        self.room.listeners.add(self.refresh)
        self.client.on_delete(lambda: self.room.listeners.discard(self.refresh))
        self.refresh()
        self._remember()

    def _build_steps(self) -> None:
        with ui.element("div").classes("steps"):
            self.steps: dict[str, ui.button] = {}
            for icon, label, where in (
                ("first_page", "To the start", "start"),
                ("chevron_left", "One decision back", "back"),
                ("chevron_right", "One decision on", "on"),
                ("last_page", "To the present", "end"),
            ):
                button = ui.button(icon=icon, on_click=lambda _, where=where: self.step(where))
                button.props(f'flat round dense aria-label="{label}"').mark(f"step-{where}")
                self.steps[where] = button
            self.replay = ui.button("Show again", icon="replay", on_click=self.show_again)
            self.replay.props("flat no-caps dense").mark("show-again")
            if self.watching:
                ui.element("div").classes("grow")
                self.pause = ui.button("Pause", icon="pause", on_click=self._pause)
                self.pause.props("flat no-caps dense").mark("pause")
                pace = self.room.pace if self.room.pace in PACES else None
                ui.toggle(PACES, value=pace, on_change=self._set_pace).props("no-caps unelevated dense").mark(
                    "pace"
                )

    def _build_status(self) -> None:
        with ui.element("section").classes("panel status"):
            self.title = ui.label("").classes("panel-title").mark("role")
            self.secret = ui.html("", sanitize=False).mark("secret")
            self.status = ui.label("").classes("status-text").props("aria-live=polite").mark("status")
            self.unsaved = ui.label("").classes("unsaved small").props("role=alert").mark("unsaved")
            self.banner = ui.element("div").classes("banner")
            self.build_decision()
            with ui.element("div").classes("buttons"):
                self.build_answers()
                self.give_up = ui.button("Resign", icon="flag", on_click=self._resign)
                self.give_up.props("flat no-caps dense").mark("resign")
                self.again = ui.button("Rematch", icon="replay", on_click=self._rematch)
                self.again.props("flat no-caps dense").mark("rematch")

    def _build_known(self) -> None:
        with ui.element("section").classes("panel beliefs") as self.beliefs:
            ui.label("Who could be Jack, in per cent").classes("panel-title")
            ui.label(
                "Green: what the calls and the alibi cards leave to the detective when he first decides in a "
                "turn. Orange: in how many of its simulations his search took each for Jack."
            ).classes("soft small")
            self.belief = ui.html("", sanitize=False).mark("belief")
            self.belief.on("click", self._picked, js_handler=PICK)
            self.ask_search = ui.button(
                "What did the search believe?", icon="psychology", on_click=self.believe
            )
            self.ask_search.props("flat no-caps dense").mark("believe")
        with ui.element("section").classes("panel"):
            ui.label("What you know").classes("panel-title")
            self.known = ui.html("", sanitize=False).mark("known")
            self.calls = ui.html("", sanitize=False).classes("calls follow").mark("calls")
            with ui.row():
                ui.link("How to play", "/rules/mr_jack").classes("small")
                ui.link("Lessons", "/lessons/mr_jack").classes("small")

    def _remember(self) -> None:
        if self.sides:
            side = self.room.game.sides[SIDES.index(next(iter(self.sides)))]
            url = f"/game/{self.room.identity}?{urlencode({'seat': self.token})}"
            entry = f"{{url: '{url}', game: 'Mr Jack', what: '{side}'}}"
            self.client.run_javascript(f"window.coppiceRemember && coppiceRemember({entry})")

    # Showing

    def refresh(self) -> None:
        """Shows the room as it is now; a decision of somebody else is played on the map."""
        room, before = self.room, self._node
        moved = room.live != before
        if moved:
            self._node = room.live
            self.decision = None
            if self.at == before or before == -1:
                self.at = room.live
        self.show()
        went_on = moved and before >= 0 and room.tree[room.live].parent == before
        if went_on and self.at == room.live:
            own = room.positions.to_move(before) in self.sides
            self.play_steps(self.room.pace if self.watching else None, own=own)
        if room.next and self.sides:
            self.client.open(f"/game/{room.next}?{urlencode({'seat': self.token})}")

    def show_again(self) -> None:
        """Plays the decision that led to what is looked at, step by step."""
        self.play_steps(self.room.pace if self.watching else None)

    def step(self, where: str) -> None:
        """Shows the position before, after, first or last."""
        line = self.room.tree.path(self.room.live)
        place = line.index(self.at)
        goals = {"start": 0, "back": place - 1, "on": place + 1, "end": len(line) - 1}
        self.go(line[min(max(goals[where], 0), len(line) - 1)])

    def go(self, node: int) -> None:
        """Looks at another position of the game."""
        if self.decision is not None:
            self.decision.clear()
        forward = self.room.tree[node].parent == self.at
        self.at = node
        self.show()
        if forward:
            self.show_again()

    def _picked(self, event: Any) -> None:
        if isinstance(event.args, int) and event.args in self.room.tree.path(self.room.live):
            self.go(event.args)

    def show(self) -> None:
        """Shows the game at what is looked at."""
        room = self.room
        if self.at not in room.tree.path(room.live):
            self.at = room.live
        facts = self.facts(self.at)
        calls = witness_calls(room, self.at)
        self.show_desk(facts)
        self.track.set_content(track_html(room, self.at, facts, calls))
        self._show_status(facts)
        self._show_steps()
        self._show_beliefs()
        self.known.set_content(known_html(facts, self.sides, room.over))
        self.calls.set_content(_calls_html(calls))
        # Of what a page is sent the list of moves comes last.
        self.story.set_content(story_html(room, self.at, witness_calls(room, room.live)))

    def _show_status(self, facts: dict[str, str]) -> None:
        room = self.room
        names = room.game.sides
        role = names[SIDES.index(next(iter(self.sides)))] if len(self.sides) == 1 else "You are watching"
        self.title.set_text(
            f"Mr Jack: you are {role_name(role)}" if self.sides else f"Mr Jack: {role.lower()}"
        )
        jack = facts.get("jack", "")
        self.secret.set_content(_secret_html(jack, room.over) if jack else "")
        if self.at != room.live:
            text = f"You are looking back, at turn {facts['turn']}."
        elif room.over:
            text = f"{room.result_text()} Jack was {CHARACTERS[facts['jack']].name}."
        elif self.mine:
            text = self.prompt()
        else:
            text = f"Turn {facts.get('turn', '')} of 8. {names[SIDES.index(room.to_move)]} is thinking."
        self.status.set_text(text)
        self.unsaved.set_text(self.lobby.trouble)
        self.unsaved.set_visibility(bool(self.lobby.trouble))
        self.give_up.set_visibility(bool(self.sides) and not room.over)
        self.again.set_visibility(bool(self.sides) and room.over)
        self.banner.clear()
        open_seats = [seat for seat in (room.seats or {}).values() if seat.invitation]
        if open_seats and self.sides:
            with self.banner:
                self.sharing.invite(room.identity, open_seats[0].invitation)

    def _show_steps(self) -> None:
        first, last = self.at == 0, self.at == self.room.live
        for where, button in self.steps.items():
            button.set_enabled(not (first if where in ("start", "back") else last))
        self.replay.set_enabled(not first)
        if self.watching:
            self.pause.set_text("Go on" if self.room.paused else "Pause")
            self.pause.props(f"icon={'play_arrow' if self.room.paused else 'pause'}")
            self.pause.set_enabled(not self.room.over)

    def _show_beliefs(self) -> None:
        self.beliefs.set_visibility(self.room.over)
        if self.room.over:
            self._moments = moments(self.room)
            self.belief.set_content(belief_html(self.room, self._moments, self._believed))
            missing = any(moment.node not in self._believed for moment in self._moments)
            self.ask_search.set_visibility(missing and bool(self._moments))

    async def believe(self) -> None:
        """Asks the detective's search of each turn again whom it took for Jack."""
        self.ask_search.set_enabled(False)
        owner = f"{self.room.identity}-{self.client.id}"
        try:
            for moment in self._moments:
                if moment.node not in self._believed:
                    found = await search_belief(self.lobby.searches, owner, self.room, moment.node)
                    self._believed[moment.node] = found
                    if self.client.is_deleted:
                        return
                    self.belief.set_content(belief_html(self.room, self._moments, self._believed))
        except Busy as error:
            complain(error)
        self.ask_search.set_enabled(True)
        self._show_beliefs()

    # Watching

    def _pause(self) -> None:
        if self.watching:
            self.room.paused = not self.room.paused
            self.room.changed()
            self.lobby.wake(self.room)

    def _set_pace(self, event: Any) -> None:
        if self.watching and event.value in PACES:
            self.room.pace = float(event.value)
            self.room.changed()

    # Deciding

    def played(self) -> None:
        """Lets the computer answer."""
        self.lobby.wake(self.room)

    async def _resign(self) -> None:
        if self.sides and not self.room.over and await ask("Resign this game?", "Resign"):
            self.room.resign(next(iter(self.sides)))

    def _rematch(self) -> None:
        if self.sides and self.room.over:
            if self.room.next is None:
                try:
                    room = self.lobby.open(self.room.rematch(), visitor_at(self.client))
                except ValueError as error:
                    complain(error)
                    return
                self.room.next = room.identity
            self.room.changed()


def _secret_html(jack: str, over: bool) -> str:
    """Who Jack is, for who may know it."""
    who = CHARACTERS[jack]
    text = f"Jack: <b>{escape(who.name)}</b>" if over else f"You are Jack: <b>{escape(who.name)}</b>."
    return f'<div class="secret">{face(jack, "jack")}<span>{text}</span></div>'


def _calls_html(calls: list[tuple[str, str, list[str]]]) -> str:
    """What the witnesses said, the newest last."""
    lines = "".join(
        f"<li>Turn {escape(turn)}: Jack was {escape(witness)}. Visible: {escape(named(seen_then))}.</li>"
        for turn, witness, seen_then in calls
    )
    return f"<ul>{lines}</ul>" if lines else '<p class="soft small">No witness yet.</p>'
