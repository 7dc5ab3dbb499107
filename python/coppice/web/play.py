"""The page of a room: play, look back, analyse."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any
from urllib.parse import urlencode

from nicegui import ui
from nicegui.client import Client

from coppice.board.cells import Side
from coppice.core.search_report import is_many
from coppice.core.spec import Spec
from coppice.records.files import Format, write_records
from coppice.web.advice import hint, hint_text, review
from coppice.web.boards import (
    BoardView,
    extra_moves,
    faces_up,
    line_cells,
    plain_game,
    plain_name,
    position_message,
    put_kinds,
    tone,
)
from coppice.web.door import visitor_at
from coppice.web.frame import PATIENCE, ask, complain, framed, not_found, sentence
from coppice.web.game_room import SIDES, GameRoom
from coppice.web.graph import PICK, blunders_html, moves_html, winrate_svg
from coppice.web.invitation import Sharing
from coppice.web.jack import JackPage
from coppice.web.levels import listed_name
from coppice.web.lobby import Lobby
from coppice.web.records import copied, formats
from coppice.web.result_card import against, next_level, result_of
from coppice.web.search_panel import SearchPanel
from coppice.web.searches import Busy

__all__ = ["GamePage", "add_pages"]


def add_pages(lobby: Lobby) -> None:
    """Adds the pages of this file to the app."""

    @ui.page("/game/{identity}", response_timeout=PATIENCE)
    async def game(client: Client, identity: str, seat: str = "", at: int = -1) -> None:
        room, trouble = await _find(lobby, identity)
        if room is None:
            with framed("No such game"):
                not_found(trouble)
            return
        page: GamePage | None = None
        if room.game.hidden:
            JackPage(lobby, room, seat, client).build()
        else:
            page = GamePage(lobby, room, seat, client)
            page.build()
        # Anybody can be made to ask for an address: what a page does begins when it is there.
        await client.connected()
        if client.is_deleted:
            return
        if page is not None:
            page.begin(at)
        lobby.wake(room)

    @ui.page("/join/{identity}/{code}", response_timeout=PATIENCE)
    async def join(identity: str, code: str) -> None:
        room, trouble = await _find(lobby, identity)
        with framed("Join a game"):
            if room is None:
                not_found(trouble)
                return
            with ui.element("div").classes("empty"):
                ui.label(f"A friend wants to play {plain_game(room.game.spec)}").classes("title")

                def take() -> None:
                    try:
                        seat = room.join(code)
                    except ValueError as error:
                        complain(error)
                        return
                    ui.navigate.to(f"/game/{identity}?seat={seat.token}")

                ui.button("Join the game", on_click=take).props("unelevated no-caps size=lg").mark("join")


async def _find(lobby: Lobby, identity: str) -> tuple[GameRoom | None, str]:
    """The room of an address, or why there is none: a saved one may need a guest that is welcome no more."""
    try:
        room = await lobby.find(identity)
    except ValueError as error:
        return None, sentence(error)
    return room, "There is no game here."


class GamePage:
    """One browser's view of a room."""

    def __init__(self, lobby: Lobby, room: GameRoom, token: str, client: Client) -> None:
        self.lobby = lobby
        self.room = room
        self.token = token
        self.sides: set[Side] = room.side_of(token)
        self.client = client
        self.sharing = Sharing(lobby.settings, client)
        self.at = room.live
        self._live = room.live
        self.threats = False
        self.search_panel: SearchPanel | None = None

    @property
    def analysing(self) -> bool:
        """Whether this room is for analysis alone."""
        return self.room.seats is None

    @property
    def may_search(self) -> bool:
        """Whether this browser may see a search: not while two people play, and never into hidden cards."""
        if self.room.game.hidden:
            return False
        return not self.room.link or self.room.over

    def may_move(self) -> bool:
        """Whether this browser may play a move in the position it shows."""
        position = self.room.positions[self.at]
        if self.analysing:
            return position.outcome is None
        return self.at == self.room.live and not self.room.over and position.to_move in self.sides

    # Building

    def build(self) -> None:
        """Makes the page."""
        room = self.room
        name = plain_game(room.game.spec)
        with (
            framed(f"{name} analysis" if self.analysing else name, wide=True),
            ui.element("div").classes("game"),
        ):
            with ui.element("div").classes("board-side") as self.board_side:
                if not self.analysing:
                    self._build_player("second")
                position = position_message(room, self.at, may_move=self.may_move())
                below = self.sides == {"second"}
                with ui.element("div").classes("board-row"):
                    self._build_value_bar()
                    self.board = BoardView(
                        room.game,
                        position,
                        on_move=self.move,
                        on_step=self.step,
                        flipped=below and faces_up(room.game),
                    ).mark("board")
                if not self.analysing:
                    self._build_player("first")
                self._build_steps()
            if below:
                self._turn_players()
            with ui.element("aside").classes("panels"):
                self._build_status(name)
                self._build_moves()
                self.search_panel = SearchPanel(
                    self.lobby,
                    f"{room.identity}-{self.client.id}",
                    room,
                    lambda: self.at,
                    self.board,
                    allowed=lambda: self.may_search,
                    on_found=lambda _: self._refresh_graph(),
                    on_open=self.open_line,
                    on_play=self.move,
                )
                self.search_place = ui.element("div")
                with self.search_place:
                    self.search_panel.build()
                    with ui.element("div").classes("panel row-of-switches"):
                        if any(room.positions[self.at].completing.values()) or self._knows_threats():
                            ui.switch("Threats", on_change=self._toggle_threats).props("dense").mark(
                                "threats"
                            )
                        review = ui.button("Review the game", icon="insights", on_click=self.review)
                        review.props("flat dense no-caps").mark("review")
        room.listeners.add(self.refresh)
        self.client.on_delete(self._leave)
        ui.timer(0.5, self._tick)
        self.refresh()
        self._remember(name)

    def begin(self, at: int = -1) -> None:
        """What a page does by itself as soon as a browser shows it: it goes to a position, and searches."""
        if 0 <= at < len(self.room.tree):
            self.go(at)
        if self.analysing and self.search_panel:
            self.search_panel.set(True)

    def _knows_threats(self) -> bool:
        return Spec.parsed(self.room.game.spec).name == "havannah"

    def _leave(self) -> None:
        self.room.listeners.discard(self.refresh)
        if self.search_panel:
            self.search_panel.stop()

    def _remember(self, name: str) -> None:
        if self.token or self.analysing:
            query = f"?{urlencode({'seat': self.token})}" if self.token else ""
            url = f"/game/{self.room.identity}{query}"
            what = (
                "Analysis" if self.analysing else " – ".join(s.name for s in (self.room.seats or {}).values())
            )
            entry = {"url": url, "game": name, "what": what}
            self.client.run_javascript(f"window.coppiceRemember && coppiceRemember({_js(entry)})")

    def _build_player(self, side: Side) -> None:
        seats = self.room.seats
        assert seats is not None
        seat = seats[side]
        with ui.element("div").classes(f"player {side}") as card:
            kind = put_kinds(self.room.game).get(side, "stone")
            ui.element("span").classes(f"dot {tone(self.room.game, side)} {kind}")
            ui.label(seat.name).classes("player-name")
            ui.label(self.room.game.sides[SIDES.index(side)]).classes("soft small")
            ui.element("div").classes("grow")
            thinking = ui.spinner("dots", size="1.6em").classes("thinking")
            clock = ui.label("").classes("clock")
        if not hasattr(self, "players"):
            self.players: dict[Side, tuple[Any, Any, Any]] = {}
        self.players[side] = (card, thinking, clock)

    def _build_value_bar(self) -> None:
        """The expected result beside the board: the part of each side grows from where it sits."""
        first, second = (tone(self.room.game, side) for side in SIDES)
        self.value_bar = ui.element("div").classes(f"value-bar {second}").props("role=img").mark("value-bar")
        with self.value_bar:
            self.value_part = ui.element("div").classes(f"part {first}")

    def _refresh_value_bar(self, shown: bool) -> None:
        value = self.room.findings[self.at].value if shown else None
        self.value_bar.classes(**{"remove" if value is not None else "add": "unknown"})
        if value is not None:
            share = round(100 * value)
            self.value_part.style(f"height: {share}%")
            first, second = self.room.game.sides
            self.value_bar.props(f'aria-label="{first} {share} %, {second} {100 - share} %"')

    def _build_steps(self) -> None:
        with ui.element("div").classes("steps"):
            for icon, label, where in (
                ("first_page", "To the start", "start"),
                ("chevron_left", "One move back", "back"),
                ("chevron_right", "One move on", "on"),
                ("last_page", "To the end", "end"),
            ):
                button = ui.button(icon=icon, on_click=lambda _, where=where: self.step(where))
                button.props(f'flat round dense aria-label="{label}"').mark(f"step-{where}")
            ui.element("div").classes("grow")
            self.extras = ui.element("div").classes("extras")
            ui.button(icon="swap_vert", on_click=self.flip).props(
                'flat round dense aria-label="Flip the board"'
            ).mark("flip").tooltip("Flip the board")
            with (
                ui.button(icon="more_horiz").props('flat round dense aria-label="More"').mark("more"),
                ui.menu(),
            ):
                ui.menu_item("Coordinates on or off", self._toggle_coordinates)
                if not self.room.game.hidden:
                    ui.menu_item("Link to this position", self.link_dialog)
                    if not self.analysing:
                        ui.menu_item("Analyse from here", lambda: self.analyse_here()).mark("analyse-here")
                    for form in formats(self.room):
                        label = "text" if form == "text" else form.upper()
                        ui.menu_item(f"Save as {label}", lambda _=None, form=form: self.save(form))
                ui.menu_item(
                    "How to play", lambda: ui.navigate.to(f"/rules/{listed_name(self.room.game.spec)}")
                )

    def _build_status(self, name: str) -> None:
        with ui.element("section").classes("panel status"):
            ui.label(name if not self.analysing else f"{name}: analysis").classes("panel-title")
            self.status = ui.label("").classes("status-text").props("aria-live=polite").mark("status")
            self.unsaved = ui.label("").classes("unsaved small").props("role=alert").mark("unsaved")
            self.banner = ui.element("div").classes("banner")
            self.buttons: dict[str, ui.button] = {}
            with ui.element("div").classes("buttons"):
                actions: list[tuple[str, str, str, Any]] = [
                    ("undo", "Undo", "undo", self.undo),
                    ("redo", "Redo", "redo", self.redo),
                ]
                if not self.analysing:
                    if not self.room.link and self.sides:
                        actions.append(("hint", "Hint", "lightbulb", self.hint))
                    if len(self.sides) == 0 and not self.room.link:
                        actions.append(("pause", "Pause", "pause", self.pause))
                    actions.append(("resign", "Resign", "flag", self.resign))
                for key, label, icon, action in actions:
                    button = (
                        ui.button(label, icon=icon, on_click=action).props("flat no-caps dense").mark(key)
                    )
                    self.buttons[key] = button

    def _build_moves(self) -> None:
        with ui.element("section").classes("panel"):
            self.graph = ui.html("", sanitize=False).classes("graph-frame").mark("graph")
            self.graph.on("click", self._picked, js_handler=PICK)
            self.move_list = ui.html("", sanitize=False).mark("moves")
            self.move_list.on("click", self._picked, js_handler=PICK)
            self.findings = ui.html("", sanitize=False).mark("findings")
            self.findings.on("click", self._picked, js_handler=PICK)

    def _picked(self, event: Any) -> None:
        if isinstance(event.args, int) and 0 <= event.args < len(self.room.tree):
            self.go(event.args)

    # Showing

    def refresh(self) -> None:
        """Shows the room as it is now; a page that was at the end of the game stays there."""
        room = self.room
        if self.at == self._live:
            self.at = room.live
        self._live = room.live
        moved = self._shown() != self.at
        self.board.show(
            position_message(
                room, self.at, may_move=self.may_move(), threats=self.threats and self.may_search
            )
        )
        self._at = self.at
        self._refresh_words()
        self._refresh_graph()
        if self.search_panel and moved:
            self.search_panel.moved()
        if room.next and self.sides:
            self.client.open(f"/game/{room.next}?{urlencode({'seat': self.token})}")

    def _shown(self) -> int:
        return getattr(self, "_at", -1)

    def _refresh_words(self) -> None:
        room, position = self.room, self.room.positions[self.at]
        turn = room.game.sides[SIDES.index(position.to_move)]
        if self.analysing:
            text = position.ending or f"{turn} to move."
        elif room.over:
            text = room.result_text()
        elif self.at != room.live:
            text = "You are looking back."
        elif room.to_move in self.sides:
            text = "Your move." if len(self.sides) == 1 else f"{turn} to move."
        else:
            thinks = "are thinking" if is_many(turn) else "is thinking"
            text = f"{turn} {thinks}." if self.sides else f"{turn} to move. You are watching."
        if words := room.sources.get(self.at):
            text += f" The computer moved {words}."
        self.status.set_text(text)
        self.unsaved.set_text(self.lobby.trouble)
        self.unsaved.set_visibility(bool(self.lobby.trouble))
        if not self.analysing:
            for side, (card, thinking, _) in self.players.items():
                turn_now = not room.over and room.to_move == side
                card.classes(add="turn" if turn_now else "", remove="" if turn_now else "turn")
                seat = (room.seats or {})[side]
                thinking.set_visibility(turn_now and seat.kind == "computer" and not room.paused)
            self._refresh_buttons()
            self._refresh_banner()
        self.extras.clear()
        if self.may_move():
            with self.extras:
                for move in extra_moves(position):
                    ui.button(plain_name(move), on_click=lambda _, move=move: self.move(move, self.at)).props(
                        "unelevated no-caps dense"
                    ).mark(f"extra-{move}")
        self.search_place.set_visibility(self.may_search)

    def _refresh_buttons(self) -> None:
        room = self.room
        enabled = {
            "undo": bool(self.sides) and not room.asked and self._undo_goal() is not None,
            "redo": bool(self.sides) and not room.link and bool(room.tree[room.live].children),
            "hint": self.may_move(),
            "resign": bool(self.sides) and not room.over,
            "pause": not room.over,
        }
        for key, button in self.buttons.items():
            button.set_enabled(enabled.get(key, True))
        if "pause" in self.buttons:
            self.buttons["pause"].set_text("Go on" if room.paused else "Pause")
            self.buttons["pause"].props(f"icon={'play_arrow' if room.paused else 'pause'}")

    def _refresh_banner(self) -> None:
        room = self.room
        self.banner.clear()
        with self.banner:
            if room.over and not self.analysing:
                self._build_result()
            open_seats = [seat for seat in (room.seats or {}).values() if seat.invitation]
            if open_seats and self.sides:
                self.sharing.invite(room.identity, open_seats[0].invitation)
            if room.asked and self.sides and room.asked not in self.sides:
                ui.label("Your opponent asks to take a move back.").classes("small")
                with ui.row():
                    ui.button("Allow it", on_click=self.allow).props("unelevated no-caps dense").mark("allow")
                    ui.button("No", on_click=self.refuse).props("flat no-caps dense").mark("refuse")
            elif room.asked and self.sides:
                ui.label("You have asked to take a move back.").classes("small soft")

    def _build_result(self) -> None:
        """The card of a game that is over: how it ended for who looks, and what can be done now."""
        result = result_of(self.room, self.sides)
        with ui.element("section").classes(f"result {result.verdict}").mark("result"):
            ui.label(result.title).classes("result-title")
            with ui.element("div").classes("buttons"):
                review = ui.button("Review the game", icon="insights", on_click=self.review)
                review.props("unelevated no-caps dense").mark("review-result")
                if self.sides:
                    again = ui.button("Rematch", icon="replay", on_click=self.rematch)
                    again.props("flat no-caps dense").mark("rematch")
                if found := next_level(self.room, self.sides):
                    words, level = found
                    icon = "arrow_upward" if result.verdict == "won" else "arrow_downward"
                    other = ui.button(f"{words}: {level.name}", icon=icon, on_click=self.next_level)
                    other.props("flat no-caps dense").mark("next-level")

    def _refresh_graph(self) -> None:
        shown = self.may_search and (
            self.analysing or self.room.over or bool(self.search_panel and self.search_panel.on)
        )
        self.graph.set_content(winrate_svg(self.room, self.at) if shown else "")
        self.graph.set_visibility(shown)
        self._refresh_value_bar(shown)
        self.move_list.set_content(moves_html(self.room, self.at))

    def _tick(self) -> None:
        room = self.room
        room.check_time()
        if self.analysing or room.clock is None:
            return
        for side, (_, _, clock) in self.players.items():
            left = math.ceil(room.time_left(side) or 0)
            clock.set_text(f"{left // 60}:{left % 60:02d}")

    # Playing

    def move(self, name: str, node: int) -> None:
        """A move of this browser in the position it showed."""
        room = self.room
        if node != self.at or not self.may_move():
            self.board.refuse()
            return
        try:
            if self.analysing:
                room.live = room.add(self.at, name)
                room.changed()
            else:
                room.play(name)
                self.lobby.wake(room)
        except ValueError as error:
            self.board.refuse()
            complain(error)

    def go(self, node: int) -> None:
        """Shows another position of the room."""
        self.at = node
        if self.analysing:
            self.room.live = node
            self.room.changed()
            return
        self._live = -1
        self.refresh()
        self._live = self.room.live

    def step(self, where: str) -> None:
        """Shows the position before, after, first or last."""
        line = self.room.tree.line_through(self.at)
        place = line.index(self.at)
        goals = {
            "start": 0,
            "back": max(place - 1, 0),
            "on": min(place + 1, len(line) - 1),
            "end": len(line) - 1,
        }
        self.go(line[goals[where]])

    async def open_line(self, moves: list[str]) -> None:
        """Opens a line of the search: as a variation in an analysis, else in a new analysis."""
        if not self.analysing:
            await self.analyse_here(moves)
            return
        node = self.at
        try:
            for move in moves:
                node = self.room.add(node, move)
        except ValueError as error:
            complain(error)
        self.go(node)

    def _undo_goal(self) -> int | None:
        room = self.room
        if room.live == 0:
            return None
        if len(self.sides) == 1:
            return room.before_last_decision(next(iter(self.sides)))
        return room.tree[room.live].parent

    def undo(self) -> None:
        """Takes back: in an analysis one move, in a game up to the person's last decision."""
        room = self.room
        if self.analysing:
            self.step("back")
            return
        goal = self._undo_goal()
        if goal is None or not self.sides:
            return
        if room.link:
            room.asked = next(iter(self.sides))
            room.changed()
            return
        self.at = self._live
        room.back_to(goal)

    def redo(self) -> None:
        """Brings taken-back moves back."""
        if self.analysing:
            self.step("on")
            return
        room = self.room
        if not self.sides or room.link:
            return
        side = next(iter(self.sides)) if len(self.sides) == 1 else None
        goal = room.after_next_decision(side) if side else next(iter(room.tree[room.live].children), None)
        if goal is not None:
            room.back_to(goal)
            self.lobby.wake(room)

    def allow(self) -> None:
        """Grants the opponent's wish to take a move back."""
        room = self.room
        if room.asked and room.asked not in self.sides:
            goal = room.before_last_decision(room.asked)
            if goal is not None:
                room.back_to(goal)

    def refuse(self) -> None:
        """Does not grant it."""
        if self.room.asked and self.room.asked not in self.sides:
            self.room.asked = None
            self.room.changed()

    async def hint(self) -> None:
        """Shows what a strong player would do here."""
        room, node = self.room, self.at
        if not self.may_move() or not self.may_search:
            return
        try:
            report = await hint(self.lobby.searches, self.client.id, room, node)
        except Busy as error:
            complain(error)
            return
        if self.at == node and not self.client.is_deleted:
            self.board.run_method("setLine", line_cells(room.state(node), report.line[:1]))
            ui.notify(f"Hint: {hint_text(report)}.", position="bottom")

    def pause(self) -> None:
        """Stops or restarts a game of the computer against itself."""
        self.room.paused = not self.room.paused
        self.room.changed()
        self.lobby.wake(self.room)

    async def resign(self) -> None:
        """Gives the game up."""
        if not self.sides or self.room.over:
            return
        if await ask("Resign this game?", "Resign"):
            side = self.room.to_move if self.room.to_move in self.sides else next(iter(self.sides))
            try:
                self.room.resign(side)
            except ValueError as error:
                complain(error)

    def rematch(self) -> None:
        """A new game with the sides changed."""
        if not self.sides or not self.room.over:
            return
        if self.room.next is None:
            try:
                room = self.lobby.open(self.room.rematch(), visitor_at(self.client))
            except ValueError as error:
                complain(error)
                return
            self.room.next = room.identity
        self.room.changed()

    def next_level(self) -> None:
        """A new game against the level above, or below, the one of this game."""
        room = self.room
        if not self.sides or not room.over:
            return
        if room.next is None and (found := next_level(room, self.sides)):
            try:
                other = self.lobby.open(against(room, self.sides, found[1]), visitor_at(self.client))
            except ValueError as error:
                complain(error)
                return
            room.next = other.identity
        room.changed()

    async def review(self) -> None:
        """Searches every position of the game a little, for the graph and the blunders."""
        if not self.may_search:
            return
        room = self.room
        try:
            async for _ in review(self.lobby.searches, self.client.id, room, self.at):
                if self.client.is_deleted:
                    return
                self.graph.set_visibility(True)
                self.graph.set_content(winrate_svg(room, self.at))
        except Busy as error:
            complain(error)
            return
        self.findings.set_content(blunders_html(room, self.at))
        room.changed()

    # The menu

    def _toggle_threats(self, event: Any) -> None:
        self.threats = bool(event.value)
        self.refresh()

    def flip(self) -> None:
        """Turns the board by half a turn, and the players with it."""
        self.board.flip()
        self._turn_players()

    def _turn_players(self) -> None:
        self.board_side.classes(toggle="turned")

    def _toggle_coordinates(self) -> None:
        self.board.set_coordinates(not self.board._props["coordinates"])

    def position_url(self) -> str:
        """An address that shows this position to anybody."""
        query = {"game": self.room.game.spec, "moves": " ".join(self.room.tree.moves(self.at))}
        if self.room.position:
            query["position"] = self.room.position
        return f"/analyse?{urlencode(query)}"

    def link_dialog(self) -> None:
        """Shows the address of this position."""
        with ui.dialog() as dialog, ui.card().classes("ask"):
            self.sharing.position(self.position_url())
            ui.button("Close", on_click=dialog.close).props("flat no-caps")
        dialog.open()

    async def save(self, form: Format) -> None:
        """Downloads the game."""
        try:
            make = copied(self.room)
            text = await asyncio.to_thread(lambda: write_records([make()], form))
        except ValueError as error:
            complain(error)
            return
        ending = "txt" if form == "text" else form
        ui.download(text.encode(), f"{Spec.parsed(self.room.game.spec).name}.{ending}")

    async def analyse_here(self, more: list[str] | None = None) -> None:
        """Opens a new analysis with this game and its variations."""
        if not self.may_search:
            complain("the game is still on: it can be analysed when it is over")
            return
        try:
            # Of a long game this takes a while: the other pages do not wait for it.
            copy = await asyncio.to_thread(GameRoom.of_json, self.room.entry_for_analysis(self.at))
            for move in more or []:
                copy.live = copy.add(copy.live, move)
            self.lobby.open(copy, visitor_at(self.client))
        except ValueError as error:
            complain(error)
            return
        ui.navigate.to(f"/game/{copy.identity}")


def _js(value: object) -> str:
    return json.dumps(value).replace("<", "\\u003c")
