"""What a search has found so far, as values that a page draws: heat maps, candidates, the move in words."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from coppice.board.scales import PAINTINGS, Paint, Scale, hue_of
from coppice.core.search_report import counted, does, is_many, percent, rate_text, verdict
from coppice.core.session import CellTable, Child, MoveStat, Proof, Report, State, Thinking
from coppice.web.boards import line_cells
from coppice.web.game_room import SIDES, other
from coppice.web.searches import think_on

__all__ = [
    "LINE",
    "SHOWN",
    "Frame",
    "Layer",
    "count_text",
    "explain",
    "heat_map",
    "layers_of",
    "rows_of",
    "take_frame",
]

SHOWN = 8
"""Candidates in the list."""
LINE = 12
"""Moves of the line of a candidate."""


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
    report: Report, cells: Mapping[str, Sequence[int]], tables: Sequence[CellTable], sides: Sequence[str]
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


def _told_moves(report: Report, cells: Mapping[str, Sequence[int]]) -> dict[int, MoveStat]:
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
    cells: Mapping[str, Sequence[int]],
    lines: list[Any],
    names: Sequence[str] = (),
    held: Collection[int] = (),
) -> dict[str, Any]:
    """A layer as the browser draws it: cell, strength in 0..100, text, hue if any, what is known there.

    Moves that begin on a cell that is `held` by a piece are journeys, drawn as arrows: two of them may end on
    one cell, which then tells of the better one alone, and in words only.
    """
    known = _told_moves(report, cells)
    arrows = _arrows(layer, report, cells, held) if layer.name in ("visits", "value") else []
    reached = {at[-1] for at in cells.values() if arrows and len(at) > 1 and at[0] in held}
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
        drawn.append([cell, 0 if cell in reached else round(strength), text, hue, *told])
    return {"node": node, "layer": layer.name, "cells": drawn, "arrows": arrows, "lines": lines}


MOST_ARROWS = 12
"""More of them hide the board."""


def _arrows(
    layer: Layer, report: Report, cells: Mapping[str, Sequence[int]], held: Collection[int]
) -> list[list[Any]]:
    """The most visited journeys: from, to, strength in 0..100, hue if any; the strongest last, on top."""
    journeys = [
        (stat, at)
        for stat in sorted(report.moves, key=lambda stat: -stat.visits)
        if len(at := cells.get(stat.name, ())) > 1 and at[0] in held and (stat.visits or stat.proof)
    ][:MOST_ARROWS]
    visited = max((stat.visits for stat, _ in journeys), default=0)
    painting, found = PAINTINGS[layer.scale], []
    for stat, at in journeys:
        share = math.log1p(stat.visits) / math.log1p(visited) if visited else 1.0
        if layer.name == "visits":
            strength, hue = stat.visits / visited if visited else 1.0, None
        else:
            paint = painting.paint(stat.expected or 0.0, layer.largest, ())
            # What was hardly tried is hardly known: it is drawn paler.
            strength, hue = paint.strength * share, None if paint.lean is None else hue_of(paint.lean)
        if stat.proof == "win":
            strength = 1.0
        found.append([at[0], at[-1], round(_STRONGEST * strength), hue])
    return found[::-1]


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


def count_text(report: Report, settled: bool) -> str:
    """How much was searched, in words."""
    simulations = counted(report.simulations, "simulation")
    if settled:
        return f"Proven after {simulations}"
    pace = report.simulations / max(report.seconds, 1e-9)
    full = " · memory used up" if report.full_at is not None else ""
    return f"{simulations} · {pace:,.0f} a second{full}"


def rows_of(frame: Frame, state: State) -> list[dict[str, Any]]:
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
