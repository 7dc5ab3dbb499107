"""The list of moves and the graph of the win rate, as HTML whose parts can be clicked."""

from __future__ import annotations

import itertools
from html import escape

from coppice.web.table import Table

__all__ = ["PICK", "blunders", "moves_html", "winrate_svg"]

BLUNDER = 0.15
"""A move that costs its side so much of the expected result is marked."""
PICK = "(e) => { const at = e.target.closest('[data-node]'); if (at) emit(Number(at.dataset.node)); }"
"""Sends the node of what was clicked."""


def blunders(table: Table, line: list[int]) -> dict[int, float]:
    """The nodes after moves that cost their side much, with the cost."""
    found: dict[int, float] = {}
    for before, after in itertools.pairwise(line):
        was, now = table.nodes[before].value, table.nodes[after].value
        if was is None or now is None or table.nodes[before].best == table.nodes[after].move:
            continue
        cost = was - now if table.state(before).to_move == "first" else now - was
        if cost > BLUNDER:
            found[after] = cost
    return found


def moves_html(table: Table, at: int) -> str:
    """The moves of the line through a node; variations follow the move they replace."""
    line = table.line_through(at)
    marked = blunders(table, line)
    parts: list[str] = []
    for number, (before, node) in enumerate(itertools.pairwise(line), 1):
        here = " here" if node == at else ""
        bad = " blunder" if node in marked else ""
        late = " later" if node not in table.path(table.live) else ""
        name = escape(table.nodes[node].move)
        move = f'<button class="move{here}{bad}{late}" data-node="{node}">{name}</button>'
        if number % 2 == 1:
            # In one span: a number alone at the end of a line would belong to nothing.
            move = f'<span class="numbered"><span class="number">{(number + 1) // 2}</span>{move}</span>'
        parts.append(move)
        others = [child for child in table.nodes[before].children if child != node]
        if others:
            names = "".join(
                f'<button class="move variation" data-node="{child}">'
                f"{escape(table.nodes[child].move)}</button>"
                for child in others
            )
            parts.append(f'<span class="variations">{names}</span>')
    start = '<button class="move start{}" data-node="0">start</button>'.format(" here" if at == 0 else "")
    return f'<div class="moves">{start}{"".join(parts)}</div>'


def winrate_svg(table: Table, at: int) -> str:
    """The first side's expected result along the line through a node."""
    line = table.line_through(at)
    known = [(ply, node) for ply, node in enumerate(line) if table.nodes[node].value is not None]
    if len(known) < 2:
        return ""
    width, height = 320, 96
    step = width / max(len(line) - 1, 1)
    marked = blunders(table, line)

    def place(ply: int, node: int) -> tuple[float, float]:
        value = table.nodes[node].value or 0.0
        return ply * step, height * (1 - value)

    points = [place(ply, node) for ply, node in known]
    curve = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    area = f"0,{height} {points[0][0]:.1f},{height} {curve} {points[-1][0]:.1f},{height}"
    name = table.game.sides[0]
    parts = [
        f'<svg class="graph" viewBox="-6 -6 {width + 12} {height + 12}" role="img" '
        f'aria-label="Expected result of {escape(name)} during the game">',
        f'<polygon class="area" points="{area}"/>',
        f'<path class="middle" d="M0 {height / 2}H{width}"/><polyline class="curve" points="{curve}"/>',
    ]
    for ply, node in known:
        x, y = place(ply, node)
        kind = "blunder" if node in marked else "here" if node == at else "dot"
        parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{2 if kind == "dot" else 4}"/>')
    for ply, node in enumerate(line):
        value = table.nodes[node].value
        told = f": {name} {100 * value:.0f} %" if value is not None else ""
        parts.append(
            f'<rect class="pick" data-node="{node}" x="{ply * step - step / 2:.1f}" y="0" width="{step:.1f}" '
            f'height="{height}"><title>{escape(f"{ply}. {table.nodes[node].move}{told}")}</title></rect>'
        )
    return "".join([*parts, "</svg>"])
