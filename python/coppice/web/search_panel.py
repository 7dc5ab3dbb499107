"""What a search sees, live: heat maps, candidates, expected lines, the tree, and the move in words."""

from __future__ import annotations

import asyncio
import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from nicegui import ui

from coppice.board.scales import PAINTINGS, Paint, Scale, hue_of
from coppice.core.search_report import counted, does, is_many, percent, rate_text, verdict
from coppice.core.session import CellTable, Child, MoveStat, Player, Proof, Report, State, Thinking
from coppice.web.boards import BoardView, Candidates, line_cells
from coppice.web.bounds import MOST_SIMULATIONS, check_limit
from coppice.web.frame import complain, sentence
from coppice.web.game_room import SIDES, GameRoom, other
from coppice.web.levels import strongest
from coppice.web.lobby import Lobby
from coppice.web.searches import Busy, capped, think_on

__all__ = ["Layer", "SearchPanel", "explain", "layers_of"]

FRAME_SECONDS = 0.1
"""The browser gets at most ten frames a second; older ones are dropped."""
MOST_SECONDS = 600.0
"""An analysis that nobody stops ends by itself."""
SHOWN = 8
"""Candidates in the list."""
LINE = 12
"""Moves of the line of a candidate."""
TREE_ROWS = 10
"""Children of a node of the tree."""


@dataclass(frozen=True)
class Layer:
    """A heat map: a number per cell, and how it is shown."""

    name: str
    label: str
    scale: Scale
    """What the numbers are."""
    doc: str
    """What a number says."""
    numbers: dict[int, float]

    @property
    def largest(self) -> float:
        """The largest number."""
        return max(self.numbers.values(), default=0.0)

    @property
    def legend(self) -> str:
        """What is painted, and on which scale, in words."""
        painting = PAINTINGS[self.scale]
        if self.scale in _IN_PERCENT:
            return f"{self.doc}, in percent ({painting.legend(self.largest, unit=100)})"
        if self.scale == "flag":
            return f"{self.doc} (painted: yes, ×: no)"
        return f"{self.doc} ({painting.legend(self.largest)})"

    def paint(self, cell: int, names: Sequence[str]) -> Paint:
        """How the number of a cell is painted."""
        number = self.numbers[cell]
        paint = PAINTINGS[self.scale].paint(number, self.largest, names)
        if self.scale in _IN_PERCENT:
            sign = "+" if self.scale == "signed" else ""
            # There is no sign where nothing but zeros would follow it.
            return replace(paint, text=f"{100 * number:{sign}.0f}" if abs(number) >= 0.005 else "")
        return paint


_IN_PERCENT: frozenset[Scale] = frozenset(("rate", "share", "signed"))
"""Scales whose numbers a board shows in percent, which are shorter."""


LABELS = {"amaf": "AMAF", "history": "History", "kept": "PPR", "mast": "MAST", "nast": "NAST", "pool": "Pool"}


def layers_of(
    report: Report, cells: dict[str, list[int]], tables: Sequence[CellTable], sides: Sequence[str]
) -> list[Layer]:
    """All that can be shown as a heat map: what the root counts, then the tables that the policies keep."""
    visits: dict[int, float] = {}
    values: dict[int, float] = {}
    for cell, stat in _told_moves(report, cells).items():
        visits[cell] = 100 * stat.visits / max(report.simulations, 1)
        values[cell] = stat.expected or 0.0
    layers = [
        Layer("visits", "Visits", "count", "simulations that began with the move, in percent of all", visits),
        Layer("value", "Win rate", "rate", "mean result of those simulations", values),
    ]
    for table in tables:
        if table.name in ("visits", "value"):
            continue
        twice = sum(other.name == table.name for other in tables) > 1
        label = LABELS.get(table.name, table.name.capitalize())
        if twice and table.side:
            label = f"{label} {sides[SIDES.index(table.side)]}"
        name = f"{table.name}-{table.side}" if twice else table.name
        layers.append(Layer(name, label, table.scale, table.doc, table.known))
    return layers


def _told_moves(report: Report, cells: dict[str, list[int]]) -> dict[int, MoveStat]:
    """Of each cell the move there that is told, if one is known: the best of all, else the most visited."""
    told: dict[int, MoveStat] = {}
    for stat in sorted(report.moves, key=lambda stat: (stat.name != report.best, -stat.visits)):
        if (at := cells.get(stat.name)) and (stat.visits or stat.proof):
            told.setdefault(at[-1], stat)
    return told


def _told(stat: MoveStat | Child) -> str:
    """What is known of a move, as a pointer over it is told."""
    if stat.proof:
        return f"{rate_text(stat)}, {counted(stat.visits, 'visit')}" if stat.visits else rate_text(stat)
    return f"{counted(stat.visits, 'visit')}, wins {percent(stat.value)}"


@dataclass(frozen=True)
class Frame:
    """One picture of a search of one node: everything that a page shows of the search is drawn from it."""

    node: int
    report: Report
    children: tuple[Child, ...]
    """The candidates, the best first, with their lines."""
    tables: tuple[CellTable, ...]
    path: tuple[str, ...]
    """Where in the tree the page looks."""
    below: tuple[Child, ...]
    """The children there."""


_RANK: dict[Proof | None, int] = {"win": 0, None: 1, "draw": 1, "loss": 2}
FORCED_TRIES = 1000
"""Moves tried for the line of a win that the search has proven without playing it out."""


def take_frame(thinking: Thinking, state: State, node: int, path: tuple[str, ...], simulations: int) -> Frame:
    """One turn of a search of `state`, and all that a page shows of it then."""
    report = think_on(thinking, simulations)
    known = [child for child in thinking.explore(most=SHOWN) if child.visits or child.proof]
    known.sort(key=lambda child: (child.name != report.best, _RANK[child.proof]))
    if report.proof == "win" and len(report.line) == 1:
        line = state.forced_win(tries=FORCED_TRIES)
        if line and line[0] == known[0].name:
            known[0] = replace(known[0], line=tuple(line))
    below = thinking.explore(*path, most=0) if path else known
    return Frame(node, report, tuple(known), tuple(thinking.tables()), path, tuple(below))


def heat_map(
    node: int,
    layer: Layer,
    report: Report,
    cells: dict[str, list[int]],
    lines: list[Any],
    names: Sequence[str] = (),
) -> dict[str, Any]:
    """A layer as the browser draws it: cell, strength in 0..100, text, hue if any, what is known there."""
    known = _told_moves(report, cells)
    numbers = layer.numbers
    visited = max((stat.visits for stat in known.values()), default=0)
    best = set(sorted(numbers, key=lambda cell: -numbers[cell])[:SHOWN])
    drawn: list[list[Any]] = []
    for cell, number in numbers.items():
        paint = layer.paint(cell, names)
        strength, text = _STRONGEST * paint.strength, paint.text
        hue = None if paint.lean is None else hue_of(paint.lean)
        if layer.scale == "flag":
            # As in figure 4 of the PPR paper: what is not is crossed out.
            text = "" if number else "×"
        elif layer.scale != "cell" and (cell not in best or text == "0"):
            text = ""
        proof = known[cell].proof if cell in known else None
        if layer.name == "value":
            if proof is not None:
                text = rate_text(known[cell])
            elif cell in known and visited:
                # What was hardly tried is hardly known: it is drawn paler.
                strength *= math.log1p(known[cell].visits) / math.log1p(visited)
        elif layer.name == "visits" and proof in ("win", "draw"):
            # What is certain needs no visits to be seen.
            strength, text = _STRONGEST if proof == "win" else strength, rate_text(known[cell])
        told = [_told(known[cell])] if cell in known else []
        drawn.append([cell, round(strength), text, hue, *told])
    return {"node": node, "layer": layer.name, "cells": drawn, "lines": lines}


_STRONGEST = 90.0
"""Of a cell's colour, in percent, is covered at most."""


def explain(state: State, report: Report) -> str:
    """The best move in words."""
    enemy = other(report.side)
    name, opponent = (state.game.sides[SIDES.index(side)] for side in (report.side, enemy))
    if not report.moves:
        return f"{name} would play {report.best}."
    stat = next((stat for stat in report.moves if stat.name == report.best), report.moves[0])
    threats = state.completing(enemy)
    wins = report.best in state.completing(report.side)
    if report.proof:
        certain = f"{verdict(report, name)}."
        words = [certain[:1].upper() + certain[1:]]
        if report.proof == "loss":
            words.append(f"{'They' if is_many(name) else 'It'} would try {report.best}.")
        more = [also.name for also in report.moves if also.proof == "win" and also is not stat]
        if more:
            words.append(f"{_listed(more)} {'wins' if len(more) == 1 else 'win'}, too.")
    elif stat.proof == "draw":
        words = [f"{name} would play {report.best}, which draws for certain."]
    else:
        share = stat.visits / max(report.simulations, 1)
        words = [
            f"{name} would play {report.best}: {percent(share)} of the simulations went there, "
            f"and {name} won {percent(stat.value)} of them."
        ]
    if wins:
        words.append("It wins at once.")
    elif report.best in threats and report.proof != "loss":
        words.append(f"It stops {opponent}, who would win there.")
    elif threats:
        words.append(f"{does(opponent, 'threatens')} {_listed(threats)}.")
    rest = [move for move in report.moves if move.name != report.best]
    second = min(rest, key=lambda move: _RANK[move.proof], default=None)
    if report.proof is None and second is not None and second.visits:
        gap = (stat.expected or 0.0) - (second.expected or 0.0)
        if abs(gap) < 0.02:
            words.append(f"{second.name} looks as good.")
        elif gap > 0.1:
            words.append(f"The next best, {second.name}, is clearly worse ({rate_text(second)}).")
    return " ".join(words)


def _listed(names: Sequence[str]) -> str:
    """Up to three names as people list them."""
    few = list(names[:3])
    return few[0] if len(few) == 1 else f"{', '.join(few[:-1])} and {few[-1]}"


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
        on_found: Callable[[int], None],
        on_open: Callable[[list[str]], None],
    ) -> None:
        self.lobby = lobby
        self.owner = owner
        self.room = room
        self.at = at
        self.board = board
        self.on_found = on_found
        self.on_open = on_open
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
                self.candidates = Candidates(self.board)
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

    def _choose_player(self, spec: str) -> None:
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
        if self.on and not self.room.game.hidden:
            over = self.room.end_text(node)
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
        state = self.room.state(node).copy()
        thinking = Player(capped(self.player)).think(state, seed=self.room.seed)
        shown, started, simulations = -math.inf, time.monotonic(), 0
        goes_on = True
        try:
            while True:
                self._asked.clear()
                more = MOST_SIMULATIONS if goes_on else 0
                frame = await self.lobby.searches.turn(
                    self.owner, partial(take_frame, thinking, state, node, tuple(self._path), more)
                )
                now = time.monotonic()
                goes_on = simulations < frame.report.simulations < MOST_SIMULATIONS
                goes_on = goes_on and now - started < MOST_SECONDS
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
        self.count.set_text(_count_text(report, settled))
        self._draw_map(frame)
        self.candidates.show(frame.node, _rows_of(frame, state), settled=settled)
        self.words.set_text(explain(state, report))
        self._draw_tree(frame)
        self._note(frame)

    def _note(self, frame: Frame) -> None:
        """Keeps the value in the room, and tells the page when it has changed by what can be seen."""

        def seen() -> tuple[float | None, str, bool]:
            entry = self.room.nodes[frame.node]
            return None if entry.value is None else round(entry.value, 2), entry.best, entry.proven

        before = seen()
        self.room.note_report(frame.node, frame.report)
        if seen() != before:
            self.on_found(frame.node)

    def _draw_map(self, frame: Frame | None) -> None:
        if frame is None:
            return
        state = self.room.state(frame.node)
        cells = dict(state.legal_move_cells())
        layers = layers_of(frame.report, cells, frame.tables, self.room.game.sides)
        offered = {"none": "No map", **{layer.name: layer.label for layer in layers}}
        if offered != self._offered:
            self._offered = offered
            self.layer = self.layer if self.layer in offered else "visits"
            self.layers.set_options(offered, value=self.layer)
        shown = next((layer for layer in layers if layer.name == self.layer), None)
        lines = [line_cells(state, child.line[:LINE]) for child in frame.children[:SHOWN]]
        names = [cell.name for cell in self.room.game.board().cells]
        heat = None if shown is None else heat_map(frame.node, shown, frame.report, cells, lines, names)
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


def _count_text(report: Report, settled: bool) -> str:
    """How much was searched, in words."""
    simulations = counted(report.simulations, "simulation")
    if settled:
        return f"Proven after {simulations}"
    pace = report.simulations / max(report.seconds, 1e-9)
    full = " · memory used up" if report.full_at is not None else ""
    return f"{simulations} · {pace:,.0f} a second{full}"


def _rows_of(frame: Frame, state: State) -> list[dict[str, Any]]:
    """The candidates of a frame as the browser lists them."""
    most = max((child.visits for child in frame.children), default=0) or 1
    return [
        {
            "name": child.name,
            "visits": child.visits,
            "rate": rate_text(child),
            "proof": child.proof or "",
            "told": _told(child),
            "bar": 100 if child.proof == "win" else round(100 * child.visits / most, 1),
            "names": list(child.line[:LINE]),
            "line": line_cells(state, child.line[:LINE]),
        }
        for child in frame.children[:SHOWN]
    ]
