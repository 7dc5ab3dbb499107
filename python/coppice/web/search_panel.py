"""The panel of a search: it runs while the page shows a position, and every frame of it is drawn at once."""

from __future__ import annotations

import asyncio
import itertools
import math
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from nicegui import ui

from coppice.board.scales import PAINTINGS
from coppice.core.search_report import rate_text
from coppice.core.session import Player, State
from coppice.web.boards import BoardView, Candidates, line_cells
from coppice.web.bounds import check_limit
from coppice.web.door import visitor_at
from coppice.web.frame import complain, sentence
from coppice.web.game_room import GameRoom
from coppice.web.levels import strongest
from coppice.web.limits import limits
from coppice.web.lobby import Lobby
from coppice.web.search_frame import (
    LINE,
    SHOWN,
    Frame,
    Layer,
    count_text,
    explain,
    heat_map,
    layers_of,
    rows_of,
    take_frame,
)
from coppice.web.searches import Busy, capped

__all__ = ["SearchPanel"]

FRAME_SECONDS = 0.1
"""The browser gets at most ten frames a second; older ones are dropped."""
TREE_ROWS = 10
"""Children of a node of the tree."""


class SearchPanel:
    """A search of the position that a page shows, with its panel."""

    def __init__(
        self,
        lobby: Lobby,
        owner: str,
        room: GameRoom,
        at: Callable[[], int],
        board: BoardView,
        *,
        allowed: Callable[[], bool],
        on_found: Callable[[int], None],
        on_open: Callable[[list[str]], Awaitable[None]],
        on_play: Callable[[str, int], None],
    ) -> None:
        self.lobby = lobby
        self.owner = owner
        self.room = room
        self.at = at
        self.board = board
        self.allowed = allowed
        """Whether a search may be seen now: a panel that is not shown can still be sent events."""
        self.on_found = on_found
        self.on_open = on_open
        self.on_play = on_play
        self.layer = "visits"
        self._offered: dict[str, str] = {}
        self.player = strongest(room.game.spec)
        self.on = False
        self._task: asyncio.Task[None] | None = None
        self._path: list[str] = []
        self._drawn_path: tuple[str, ...] | None = None
        self._asked = asyncio.Event()
        """The page looks at another place of the tree."""
        self._last: Frame | None = None

    # The panel

    def build(self) -> None:
        """Makes the panel where the page is being built."""
        with ui.element("section").classes("panel analysis").props('aria-label="Analysis"'):
            with ui.element("div").classes("panel-head"):
                ui.label("What the search sees").classes("panel-title")
                self.switch = ui.switch(on_change=lambda event: self.set(bool(event.value)))
                self.switch.props('dense aria-label="Search on or off"').mark("search-switch")
            self.body = ui.element("div").classes("panel-body")
            with self.body:
                self.count = ui.label("").classes("soft small").mark("search-count")
                self._offered = {"none": "No map", "visits": "Visits", "value": "Win rate"}
                self.layers = ui.toggle(self._offered, value="visits", on_change=self._choose_layer)
                self.layers.props("no-caps dense unelevated spread").mark("layers")
                self.ramp = ui.element("div").classes("ramp")
                self.legend = ui.label("").classes("soft small legend")
                self.candidates = Candidates(self.board, on_play=self.on_play)
                self.words = ui.label("").classes("words").props("aria-live=polite").mark("words")
                self.tree = ui.expansion("Search tree", on_value_change=lambda: self._draw_tree(self._last))
                with self.tree.props("dense").classes("tree").mark("tree"):
                    self.crumbs = ui.element("div").classes("crumbs")
                    with ui.element("div").classes("children"):
                        self._rows = [self._build_row() for _ in range(TREE_ROWS)]
                    self.tree_end = ui.label("").classes("soft small").mark("tree-end")
                with ui.expansion("Who searches").props("dense"):
                    field = ui.input("Player", value=self.player).props("dense outlined")
                    field.on("keydown.enter", lambda: self._choose_player(field.value))
                    ui.button("Use it", on_click=lambda: self._choose_player(field.value)).props(
                        "flat dense no-caps"
                    )
            self.body.set_visibility(False)

    def _build_row(self) -> tuple[ui.element, ui.label, ui.label, ui.label]:
        row = ui.element("button").classes("child")
        # The name that was read when it was pressed: by now another move may stand in this row.
        row.on(
            "click",
            lambda event: self._descend(event.args),
            js_handler="(e) => emit(e.currentTarget.querySelector('.move').textContent)",
        )
        with row:
            move, visits, rate = (ui.label("").classes(kind) for kind in ("move", "visits", "rate"))
        return row, move, visits, rate

    def _choose_layer(self, event: Any) -> None:
        self.layer = str(event.value)
        self._draw_map(self._last)

    def _choose_player(self, value: Any) -> None:
        # What a browser sends is checked like any text of a stranger.
        spec = str(value)
        try:
            capped(spec)
            check_limit(spec)
            player = Player(spec)
            player.check(self.room.game)
            player.think(self.room.state(self.at()))
        except ValueError as error:
            complain(error)
            return
        self.player = spec
        self.moved()

    # The search

    def set(self, on: bool) -> None:
        """Switches the search on or off."""
        self.on = on
        self.body.set_visibility(on)
        if self.switch.value != on:
            self.switch.value = on
        self.moved()

    def moved(self) -> None:
        """The page shows another position: what was searched before is of no use."""
        self.stop()
        node = self.at()
        if self.on and self.allowed():
            over = self.room.positions[node].ending
            self.words.set_text(f"The game is over. {over}" if over else "")
            self.candidates.show(node, [], empty="The first simulations are on their way.")
            for part in (self.layers, self.ramp, self.legend, self.candidates, self.tree):
                part.set_visibility(not over)
            self.count.set_text("")
            self._draw_tree(None)
            if not over:
                self._task = asyncio.get_running_loop().create_task(self._run(node))

    def stop(self) -> None:
        """Ends the search and clears the board of it."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.board.show_heat(None)
        self._last = None
        self._path = []

    async def _run(self, node: int) -> None:
        analyses, visitor = self.lobby.searches.analyses, visitor_at(self.body.client)
        if not analyses.has_room(visitor):
            with self.body:
                complain("there are too many analyses at a time: switch another one off")
            return
        with analyses.one_more(visitor):
            await self._analyse(node)

    async def _analyse(self, node: int) -> None:
        state = self.room.state(node).copy()
        thinking = Player(capped(self.player)).think(state, seed=self.room.search_seed)
        shown, started, simulations = -math.inf, time.monotonic(), 0
        goes_on, most = True, limits().simulations
        try:
            while True:
                self._asked.clear()
                more = most if goes_on else 0
                frame = await self.lobby.searches.turn(
                    self.owner, partial(take_frame, thinking, state, node, tuple(self._path), more)
                )
                now = time.monotonic()
                goes_on = simulations < frame.report.simulations < most
                goes_on = goes_on and now - started < limits().analysis_seconds
                simulations = frame.report.simulations
                if now - shown >= FRAME_SECONDS * 0.9 or not goes_on:
                    shown = now
                    self._show(frame, state, goes_on)
                if not goes_on:
                    # The tree can still be looked at.
                    await self._asked.wait()
        except Busy as error:
            with self.body:
                complain(error)

    # What is shown: always one frame, and of the position that the page shows

    def _show(self, frame: Frame, state: State, goes_on: bool) -> None:
        if frame.node != self.at() or frame.path != tuple(self._path):
            return
        self._last = frame
        report = frame.report
        # Of a lost position there is more to find out: what is hardest to refute.
        settled = report.proof in ("win", "draw") or (report.proof is not None and not goes_on)
        self.count.set_text(count_text(report, settled))
        self._draw_map(frame)
        self.candidates.show(frame.node, rows_of(frame, state), settled=settled)
        self.words.set_text(explain(state, report))
        self._draw_tree(frame)
        self._note(frame)

    def _note(self, frame: Frame) -> None:
        """Keeps the value in the room, and tells the page when it has changed by what can be seen."""

        def seen() -> tuple[float | None, str, bool]:
            found = self.room.findings[frame.node]
            return None if found.value is None else round(found.value, 2), found.best, found.proven

        before = seen()
        self.room.findings.note_report(frame.node, frame.report)
        if seen() != before:
            self.on_found(frame.node)

    def _draw_map(self, frame: Frame | None) -> None:
        if frame is None:
            return
        state = self.room.state(frame.node)
        cells = self.room.positions[frame.node].cells
        layers = layers_of(frame.report, cells, frame.tables, self.room.game.sides)
        offered = {"none": "No map", **{layer.name: layer.label for layer in layers}}
        if offered != self._offered:
            self._offered = offered
            self.layer = self.layer if self.layer in offered else "visits"
            self.layers.set_options(offered, value=self.layer)
        shown = next((layer for layer in layers if layer.name == self.layer), None)
        lines = [line_cells(state, child.line[:LINE]) for child in frame.children[:SHOWN]]
        names = [cell.name for cell in self.room.game.board().cells]
        held = {cell for piece in self.room.positions[frame.node].pieces for cell in piece.cells}
        heat = None
        if shown is not None:
            heat = heat_map(frame.node, shown, frame.report, cells, lines, names, held)
        self.board.show_heat(heat)
        self._draw_legend(shown)

    def _draw_legend(self, shown: Layer | None) -> None:
        """Says what the colours of the board mean."""
        self.legend.set_text("" if shown is None else sentence(shown.legend))
        self.ramp.set_visibility(shown is not None and shown.scale not in ("flag", "cell"))
        has_middle = shown is not None and PAINTINGS[shown.scale].middle is not None
        self.ramp.classes(**{"add" if has_middle else "remove": "even"})

    def _draw_tree(self, frame: Frame | None) -> None:
        if not self.tree.value:
            return
        self._draw_path(None if frame is None else frame.path)
        below = frame.below if frame is not None else ()
        for (row, *_), child in itertools.zip_longest(self._rows, below[:TREE_ROWS]):
            row.set_visibility(child is not None)
        for (row, move, visits, rate), child in zip(self._rows, below, strict=False):
            row.mark(f"child-{child.name}")
            move.set_text(child.name)
            visits.set_text(f"{child.visits:,}" if child.visits else "")
            rate.set_text(rate_text(child))
        ends = frame is not None and not below
        self.tree_end.set_text("The tree ends here: no simulation has gone further." if ends else "")

    def _draw_path(self, path: tuple[str, ...] | None) -> None:
        if path == self._drawn_path:
            return
        self._drawn_path = path
        self.crumbs.clear()
        if path is None:
            return
        with self.crumbs:
            self._crumb("here", 0)
            for depth, move in enumerate(path, 1):
                self._crumb(move, depth)
            if path:
                ui.button("Open on the board", on_click=lambda: self.on_open(list(path))).props(
                    "flat dense no-caps size=sm"
                ).mark("open-node")

    def _crumb(self, text: str, depth: int) -> None:
        button = ui.element("button").classes("crumb")
        button.on("click", lambda: self._climb(depth))
        with button:
            ui.label(text)

    def _descend(self, name: Any) -> None:
        # What a browser sends is checked like any text of a stranger.
        if self._last is not None and name in [child.name for child in self._last.below]:
            self._path = [*self._last.path, name]
            self._asked.set()

    def _climb(self, depth: int) -> None:
        del self._path[depth:]
        self._asked.set()
