"""What a search sees, live: heat maps, candidates, expected lines, the tree, and the move in words."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import ui

from coppice.session import CellTable, Child, Holds, Player, Report, State, Thinking
from coppice.web.boards import BoardView, Candidates, line_cells
from coppice.web.bounds import MOST_SIMULATIONS, check_limit
from coppice.web.frame import complain
from coppice.web.hall import Hall
from coppice.web.levels import strongest
from coppice.web.searches import Busy, capped, think_on
from coppice.web.table import SIDES, Table

__all__ = ["Analysis", "Layer", "explain", "layers_of"]

FRAME_SECONDS = 0.1
"""The browser gets at most ten frames a second; older ones are dropped."""
MOST_SECONDS = 600.0
"""An analysis that nobody stops ends by itself."""
SHOWN = 8
"""Candidates in the list."""


@dataclass(frozen=True)
class Layer:
    """A heat map: a number per cell, and how it is shown."""

    name: str
    label: str
    holds: Holds
    """What the numbers are."""
    numbers: dict[int, float]
    heat: dict[int, float]
    """The numbers brought into 0..1."""


LABELS = {"amaf": "AMAF", "history": "History", "kept": "PPR", "mast": "MAST", "nast": "NAST", "pool": "Pool"}


def layers_of(
    report: Report, cells: dict[str, list[int]], tables: Sequence[CellTable], sides: Sequence[str]
) -> list[Layer]:
    """All that can be shown as a heat map: what the root counts, then the tables that the policies keep."""
    visits: dict[int, float] = {}
    values: dict[int, float] = {}
    for stat in report.moves:
        at = cells.get(stat.name)
        if not at or not stat.visits:
            continue
        cell = at[-1]
        share = stat.visits / max(report.simulations, 1)
        if share >= visits.get(cell, 0.0):
            visits[cell] = share
            values[cell] = stat.value or 0.0
    most = max(visits.values(), default=1.0)
    shares = {cell: share / most for cell, share in visits.items()}
    layers = [
        Layer("visits", "Visits", "weight", visits, shares),
        Layer("value", "Win rate", "rate", values, values),
    ]
    for table in tables:
        if table.holds == "move" or table.name in ("visits", "value"):
            continue
        twice = sum(other.name == table.name for other in tables) > 1
        label = LABELS.get(table.name, table.name.capitalize())
        if twice and table.side:
            label = f"{label} {sides[SIDES.index(table.side)]}"
        name = f"{table.name}-{table.side}" if twice else table.name
        layers.append(Layer(name, label, table.holds, table.known, table.heat()))
    return layers


def percent(value: float | None) -> str:
    """A share as people read it."""
    return "–" if value is None else f"{100 * value:.0f} %"


@dataclass
class Frame:
    """One picture of a search: what the browser gets."""

    node: int
    layers: list[Layer]
    lines: list[Any]
    rows: list[dict[str, Any]]
    report: Report


def heat_map(
    node: int, layer: Layer, report: Report, cells: dict[str, list[int]], lines: list[Any]
) -> dict[str, Any]:
    """A layer as the browser draws it: cell, strength in 0..100, text, hue of rates, visits, rate in %."""
    known: dict[int, tuple[int, int]] = {}
    for stat in report.moves:
        if stat.visits and (at := cells.get(stat.name)):
            known.setdefault(at[-1], (stat.visits, round(100 * (stat.value or 0.0))))
    numbers = layer.numbers
    visited = max((visits for visits, _ in known.values()), default=1)
    best = set(sorted(numbers, key=lambda cell: -numbers[cell])[:SHOWN])
    drawn: list[list[Any]] = []
    for cell, number in numbers.items():
        sign = "+" if layer.holds == "signed" else ""
        text = f"{100 * number:{sign}.0f}" if cell in best and abs(number) >= 0.005 else ""
        heat, hue = layer.heat[cell], None
        if layer.name == "kept":
            # Figure 4 of the PPR paper: what is pruned is crossed out.
            strength, text = (0, "") if number else (22, "×")
        elif layer.holds in ("rate", "signed"):
            # What was hardly tried is hardly known: it is drawn paler.
            sure = math.log1p(known[cell][0]) / math.log1p(visited) if cell in known else 1.0
            strength, hue = round((25 + 60 * min(1.0, abs(heat - 0.5) * 3)) * sure), _hue(heat)
        else:
            strength = round(90 * heat**0.6)
        drawn.append([cell, strength, text, hue, *known.get(cell, ())])
    return {"node": node, "layer": layer.name, "cells": drawn, "lines": lines}


def _hue(rate: float) -> int:
    """From red over yellow to green."""
    return round(8 + 142 * min(max((rate - 0.25) / 0.5, 0.0), 1.0))


def explain(state: State, report: Report) -> str:
    """The best move in words."""
    name = state.game.sides[0 if report.side == "first" else 1]
    other = state.game.sides[1 if report.side == "first" else 0]
    if not report.moves:
        return f"{name} would play {report.best}."
    stat = next((stat for stat in report.moves if stat.name == report.best), report.moves[0])
    share = stat.visits / max(report.simulations, 1)
    words = [
        f"{name} would play {report.best}: {percent(share)} of {report.simulations:,} simulations "
        f"went there, and {name} won {percent(stat.value)} of them."
    ]
    enemy: Any = "second" if report.side == "first" else "first"
    if report.best in state.completing(report.side):
        words.append("It wins at once.")
    elif report.best in (threats := state.completing(enemy)):
        words.append(f"It stops {other}, who would win there.")
    elif threats:
        words.append(f"{other} threatens {', '.join(threats[:3])}.")
    second = next((s for s in report.moves if s.name != report.best), None)
    if second is not None and second.value is not None and stat.value is not None and second.visits:
        gap = stat.value - second.value
        if abs(gap) < 0.02:
            words.append(f"{second.name} looks as good.")
        elif gap > 0.1:
            words.append(f"The next best, {second.name}, is clearly worse ({percent(second.value)}).")
    return " ".join(words)


class Analysis:
    """A search of the position that a page shows, with its panel."""

    def __init__(
        self,
        hall: Hall,
        owner: str,
        table: Table,
        at: Callable[[], int],
        board: BoardView,
        *,
        on_found: Callable[[int], None],
        on_open: Callable[[list[str]], None],
    ) -> None:
        self.hall = hall
        self.owner = owner
        self.table = table
        self.at = at
        self.board = board
        self.on_found = on_found
        self.on_open = on_open
        self.layer = "visits"
        self._offered: dict[str, str] = {}
        self.player = strongest(table.game.spec)
        self.on = False
        self.frames = 0
        self._task: asyncio.Task[None] | None = None
        self._thinking: Thinking | None = None
        self._path: list[str] = []
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
                self.candidates = Candidates(self.board, empty="The first simulations are on their way.")
                self.words = ui.label("").classes("words").props("aria-live=polite").mark("words")
                with ui.expansion("Search tree").props("dense").classes("tree"):
                    self.crumbs = ui.element("div").classes("crumbs")
                    self.children = ui.element("div").classes("children")
                with ui.expansion("Who searches").props("dense"):
                    field = ui.input("Player", value=self.player).props("dense outlined")
                    field.on("keydown.enter", lambda: self._choose_player(field.value))
                    ui.button("Use it", on_click=lambda: self._choose_player(field.value)).props(
                        "flat dense no-caps"
                    )
            self.body.set_visibility(False)

    def _choose_layer(self, event: Any) -> None:
        self.layer = str(event.value)
        self._show(self._last)

    def _choose_player(self, spec: str) -> None:
        try:
            capped(spec)
            check_limit(spec)
            player = Player(spec)
            player.check(self.table.game)
            player.think(self.table.state(self.at()))
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
        if self.on and self.table.state(self.at()).outcome is None and not self.table.game.hidden:
            self._task = asyncio.get_running_loop().create_task(self._run(self.at()))
        elif self.on:
            self.words.set_text("The game is over here: there is nothing to search.")
            self.candidates.show(self.at(), [])
            self.count.set_text("")

    def stop(self) -> None:
        """Ends the search and clears the board of it."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self._last = None
            self.board.show_heat(None)
        self._path = []

    async def _run(self, node: int) -> None:
        state = self.table.state(node).copy()
        cells = dict(state.legal_move_cells())
        thinking = Player(capped(self.player)).think(state, seed=self.table.seed)
        self._thinking = thinking
        shown, started, simulations = 0.0, time.monotonic(), 0
        try:
            while simulations < MOST_SIMULATIONS and time.monotonic() - started < MOST_SECONDS:
                report, children, tables = await self.hall.searches.turn(
                    self.owner, partial(think_on, thinking, MOST_SIMULATIONS, SHOWN)
                )
                if report.simulations == simulations:
                    break
                simulations = report.simulations
                now = time.monotonic()
                if now - shown >= FRAME_SECONDS * 0.9:
                    shown = now
                    self._take(node, state, cells, report, children, tables)
        except Busy as error:
            complain(error)

    def _take(
        self,
        node: int,
        state: State,
        cells: dict[str, list[int]],
        report: Report,
        children: list[Child],
        tables: list[CellTable],
    ) -> None:
        lines = [line_cells(state, child.line[:12]) for child in children[:SHOWN]]
        rows = [
            {
                "name": child.name,
                "visits": child.visits,
                "rate": percent(child.value),
                "share": round(100 * child.visits / max(report.simulations, 1), 1),
                "names": list(child.line[:12]),
                "line": line,
            }
            for child, line in zip(children, lines, strict=False)
        ]
        layers = layers_of(report, cells, tables, self.table.game.sides)
        frame = Frame(node, layers, lines, rows, report)
        self._last = frame
        self.frames += 1
        self._show(frame)
        if report.value is not None:
            value = report.value if report.side == "first" else 1 - report.value
            self.table.note(node, value, report.best, report.simulations)
        # Words and the tree are for reading: they change once a second at most.
        if self.frames % 10 == 1:
            self.words.set_text(explain(state, report))
            self._explore()
            self.on_found(node)

    def _show(self, frame: Frame | None) -> None:
        if frame is None:
            return
        offered = {"none": "No map", **{layer.name: layer.label for layer in frame.layers}}
        if offered != self._offered:
            self._offered = offered
            self.layer = self.layer if self.layer in offered else "visits"
            self.layers.set_options(offered, value=self.layer)
        shown = next((layer for layer in frame.layers if layer.name == self.layer), None)
        cells = dict(self.table.state(frame.node).legal_move_cells())
        heat = None if shown is None else heat_map(frame.node, shown, frame.report, cells, frame.lines)
        self.board.show_heat(heat)
        self.candidates.show(frame.node, frame.rows)
        pace = frame.report.simulations / max(frame.report.seconds, 1e-9)
        full = " · memory used up" if frame.report.full_at is not None else ""
        self.count.set_text(f"{frame.report.simulations:,} simulations · {pace:,.0f} a second{full}")

    # The tree

    def _explore(self) -> None:
        thinking, path = self._thinking, list(self._path)
        if thinking is None:
            return

        async def load() -> None:
            # The search holds its lock for a moment at a time: waiting for it is not for the event loop.
            children = await asyncio.to_thread(thinking.explore, *path, most=0)
            if path == self._path and thinking is self._thinking:
                self._show_children(children)

        asyncio.get_running_loop().create_task(load())

    def _show_children(self, children: list[Child]) -> None:
        self.crumbs.clear()
        with self.crumbs:
            self._crumb("here", 0)
            for depth, move in enumerate(self._path, 1):
                self._crumb(move, depth)
            if self._path:
                path = list(self._path)
                ui.button("Open on the board", on_click=lambda: self.on_open(path)).props(
                    "flat dense no-caps size=sm"
                ).mark("open-node")
        self.children.clear()
        with self.children:
            for child in children[:10]:
                row = ui.element("button").classes("child").mark(f"child-{child.name}")
                row.on("click", lambda _, name=child.name: self._descend(name))
                with row:
                    ui.label(child.name).classes("move")
                    ui.label(f"{child.visits:,}").classes("visits")
                    ui.label(percent(child.value)).classes("rate")
            if not children:
                ui.label("The tree ends here: no simulation has gone further.").classes("soft small")

    def _crumb(self, text: str, depth: int) -> None:
        button = ui.element("button").classes("crumb")
        button.on("click", lambda: self._climb(depth))
        with button:
            ui.label(text)

    def _descend(self, name: str) -> None:
        self._path.append(name)
        self._explore()

    def _climb(self, depth: int) -> None:
        del self._path[depth:]
        self._explore()
