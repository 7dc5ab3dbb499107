"""The list of moves and the graph of the win rate, as HTML whose parts can be clicked."""

from __future__ import annotations

import itertools
from html import escape

from coppice.board.cells import Side
from coppice.core.search_report import does, percent
from coppice.web.findings import Finding
from coppice.web.game_room import GameRoom, other

__all__ = ["PICK", "blunders", "blunders_html", "moves_html", "winrate_svg"]

BLUNDER = 0.15
"""A move that costs its side so much of the expected result is marked."""
PICK = "(e) => { const at = e.target.closest('[data-node]'); if (at) emit(Number(at.dataset.node)); }"
"""Sends the node of what was clicked."""


def blunders(room: GameRoom, line: list[int]) -> dict[int, str]:
    """The nodes after moves that cost their side much, and in words what each did."""
    found: dict[int, str] = {}
    for before, after in itertools.pairwise(line):
        was, now = room.findings[before], room.findings[after]
        if was.value is None or now.value is None:
            continue
        side = room.positions.to_move(before)
        move = room.tree[after].move
        had, has = (was.value, now.value) if side == "first" else (1 - was.value, 1 - now.value)
        # Two searches of the same move differ by chance; a proof differs from what was hoped.
        if had - has > BLUNDER and (was.best != move or now.proven):
            found[after] = _cost(room, was, now, move, other(side), had, has)
    return found


def _cost(room: GameRoom, was: Finding, now: Finding, move: str, enemy: Side, had: float, has: float) -> str:
    """What a move did to its side, which expected `had` before it and expects `has` after it."""
    better = was.best if was.best != move else ""
    parts: list[str] = []
    if was.proven:
        what, kept = ("win", "was winning") if had == 1.0 else ("draw", "kept it")
        did = f"throws away the {what}" if now.proven else f"lets a sure {what} go"
        parts.append(f"{better} {kept}")
    elif now.proven:
        did = "loses" if has == 0.0 else "gives the lead away"
    else:
        did = f"drops from {percent(had)} to {percent(has)}"
    if now.proven and has == 0.0:
        parts.append(
            f"{does(room.name_of(enemy), 'wins')} by force" + (f" with {now.best}" if now.best else "")
        )
    elif now.proven:
        parts.append("a draw with best play")
    if better and not was.proven:
        parts.append(f"{better} was better" + (f" ({percent(had)})" if now.proven else ""))
    return f"{did}: {'; '.join(parts)}" if parts else did


def move_number(ply: int) -> str:
    """How the move that leads to a ply is numbered in a list of pairs: `10.` and `10…`."""
    return f"{(ply + 1) // 2}{'.' if ply % 2 == 1 else '…'}"


def blunders_html(room: GameRoom, at: int) -> str:
    """What a review has found along the line through a node: every blunder in words."""
    line = room.tree.line_through(at)
    found = [
        f'<button class="finding" data-node="{node}"><b>{move_number(line.index(node))} '
        f"{escape(room.tree[node].move)}</b> {escape(words)}.</button>"
        for node, words in blunders(room, line).items()
    ]
    text = "".join(found) or "<p>No move of this game gives much away.</p>"
    return f'<div class="findings">{text}</div>'


def expected_text(room: GameRoom, node: int) -> str:
    """The expected result at a node in words: a share of the first side, or who wins for certain."""
    found = room.findings[node]
    if found.value is None:
        return ""
    if not found.proven:
        return f"{room.game.sides[0]} {percent(found.value)}"
    if found.value == 0.5:
        return "a draw"
    return does(room.game.sides[0 if found.value else 1], "wins")


def moves_html(room: GameRoom, at: int) -> str:
    """The moves of the line through a node; variations follow the move they replace."""
    line = room.tree.line_through(at)
    marked = blunders(room, line)
    parts: list[str] = []
    for number, (before, node) in enumerate(itertools.pairwise(line), 1):
        here = " here" if node == at else ""
        bad = " blunder" if node in marked else ""
        told = f' title="{escape(marked[node])}"' if node in marked else ""
        late = " later" if node not in room.tree.path(room.live) else ""
        name = escape(room.tree[node].move)
        move = f'<button class="move{here}{bad}{late}" data-node="{node}"{told}>{name}</button>'
        if number % 2 == 1:
            # In one span: a number alone at the end of a line would belong to nothing.
            move = f'<span class="numbered"><span class="number">{(number + 1) // 2}</span>{move}</span>'
        parts.append(move)
        others = [child for child in room.tree[before].children if child != node]
        if others:
            names = "".join(
                f'<button class="move variation" data-node="{child}">{escape(room.tree[child].move)}</button>'
                for child in others
            )
            parts.append(f'<span class="variations">{names}</span>')
    start = '<button class="move start{}" data-node="0">start</button>'.format(" here" if at == 0 else "")
    return f'<div class="moves">{start}{"".join(parts)}</div>'


def winrate_svg(room: GameRoom, at: int) -> str:
    """The first side's expected result along the line through a node."""
    line = room.tree.line_through(at)
    known = [(ply, node) for ply, node in enumerate(line) if room.findings[node].value is not None]
    if len(known) < 2:
        return ""
    width, height = 320, 96
    step = width / max(len(line) - 1, 1)
    marked = blunders(room, line)

    def place(ply: int, node: int) -> tuple[float, float]:
        # In whole percent: a picture that hardly changes is not sent again with every frame of a search.
        value = round(room.findings[node].value or 0.0, 2)
        return ply * step, height * (1 - value)

    points = [place(ply, node) for ply, node in known]
    curve = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    area = f"0,{height} {points[0][0]:.1f},{height} {curve} {points[-1][0]:.1f},{height}"
    name = room.game.sides[0]
    parts = [
        f'<svg class="graph" viewBox="-6 -6 {width + 12} {height + 12}" role="img" '
        f'aria-label="Expected result of {escape(name)} during the game">',
        f'<polygon class="area" points="{area}"/>',
        f'<path class="middle" d="M0 {height / 2}H{width}"/><polyline class="curve" points="{curve}"/>',
    ]
    for ply, node in known:
        x, y = place(ply, node)
        kind = "blunder" if node in marked else "here" if node == at else "dot"
        sure = " proven" if room.findings[node].proven else ""
        radius = 4 if kind != "dot" else 3 if sure else 2
        parts.append(f'<circle class="{kind}{sure}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>')
    for ply, node in enumerate(line):
        where = f"{move_number(ply)} {room.tree[node].move}" if ply else "start"
        told = ": ".join(filter(None, (where, expected_text(room, node))))
        parts.append(
            f'<rect class="pick" data-node="{node}" x="{ply * step - step / 2:.1f}" y="0" width="{step:.1f}" '
            f'height="{height}"><title>{escape(told)}</title></rect>'
        )
    return "".join([*parts, "</svg>"])
