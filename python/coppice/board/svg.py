"""A board with its pieces as SVG: notebook, report and app share it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from coppice.board.cells import Board, Cell, Piece, Rim, Side
from coppice.board.jack_map import is_map, map_svg
from coppice.board.scales import Paint, colour_of

__all__ = ["FIGURES", "board_svg", "whole_pieces"]

SCALE = 40.0
"""Pixels between the centres of two neighbouring cells."""

_FILL = {
    "plain": "#e9d9b6",
    "dark": "#d5bc86",
    "corner": "#d3b988",
    "edge": "#dfcb9f",
    "building": "#6d5a4a",
    "garden": "#7d9a6a",
    "lamp": "#6f6759",
    "exit": "#f7f5ef",
}
_HEAT = "#c2410c"
_LIGHT = ("#fdfdfb", "#6b6358", "#26221f")
"""Fill, line and figure of a piece."""
_DARK = ("#26221f", "#000000", "#fdfdfb")
_NEUTRAL = ("#8a8f98", "#4a4f57", "#fdfdfb")

FIGURES = {
    "man": "M0 -0.2a0.1 0.1 0 0 1 0.06 0.18q0.02 0.11 0.1 0.17v0.06h-0.32v-0.06q0.08 -0.06 0.1 -0.17"
    "a0.1 0.1 0 0 1 0.06 -0.18z",
    "knight": "M-0.14 0.22h0.3c0.02 -0.18 0 -0.34 -0.1 -0.42l-0.02 -0.08l-0.07 0.06"
    "c-0.08 0.01 -0.13 0.1 -0.18 0.2l0.05 0.06l0.1 -0.04c0.02 0.07 -0.06 0.12 -0.08 0.22z",
}
"""The figures on round pieces, as paths around (0, 0) in cell widths."""


def whole_pieces(board: Board, pieces: Sequence[Piece]) -> list[tuple[Piece, int, int]]:
    """The pieces with how many cells each goes on to the right and downward: two halves make one domino.

    In a row of equal halves the pairing from its start is the only one. Other pieces stay in their order:
    where several stand on a cell, the later one is above.
    """
    steps = {"domino_horizontal": (1, 0), "domino_vertical": (0, 1)}
    places = {(board.cells[p.cell].y, board.cells[p.cell].x): p for p in pieces if p.kind in steps}
    found: list[tuple[Piece, int, int]] = []
    used: set[int] = set()
    for (y, x), piece in sorted(places.items(), key=lambda entry: entry[0]):
        if piece.cell in used:
            continue
        wide, tall = steps[piece.kind]
        other = places.get((y + tall, x + wide))
        if other is not None and other.kind == piece.kind:
            used.add(other.cell)
            found.append((piece, wide, tall))
        else:
            found.append((piece, 0, 0))
    return found + [(piece, 0, 0) for piece in pieces if piece.kind not in steps]


def board_svg(
    board: Board,
    pieces: Sequence[Piece] = (),
    *,
    values: Mapping[int, float] | None = None,
    paints: Mapping[int, Paint] | None = None,
    legend: str = "",
    marks: Sequence[int] = (),
    winning: Sequence[int] = (),
    coordinates: bool = True,
    labels: Mapping[int, str] | None = None,
    dark: Side = "second",
) -> str:
    """A board with pieces as an SVG picture.

    Args:
        board: the empty board.
        pieces: what stands on it.
        values: a number in 0..1 per cell, shown as a heat map.
        paints: values of a table, painted as their scale says, with their texts.
        legend: a line below the board that says what the values are.
        marks: cells to point out, such as the last move.
        winning: cells to ring because they won the game.
        coordinates: whether empty cells carry their names.
        labels: a few characters per cell, in the place of its name.
        dark: the side that has the dark pieces.
    """
    xs = [cell.x for cell in board.cells]
    ys = [cell.y for cell in board.cells]
    margin = 0.8
    left, top = min(xs) - margin, min(ys) - margin
    width, height = max(xs) - left + margin, max(ys) - top + margin + (0.4 if legend else 0.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * SCALE:.1f} {height * SCALE:.1f}" '
        f'width="{width * SCALE:.0f}" height="{height * SCALE:.0f}" font-family="sans-serif" '
        'text-anchor="middle" role="img">'
    ]
    if labels is None and paints is not None:
        labels = {index: paint.text for index, paint in paints.items()}
    taken = {piece.cell for piece in pieces}
    whitechapel = is_map(board)
    texts = []
    for rim in board.rims:
        parts.append(_rim(rim, left, top, dark))
    for index, cell in enumerate(board.cells):
        x, y = (cell.x - left) * SCALE, (cell.y - top) * SCALE
        parts.append(_cell(board.shape, cell, x, y, xs, ys))
        if values is not None and index in values:
            parts.append(_heat(x, y, _HEAT, min(max(values[index], 0.0), 1.0)))
        if paints is not None and index in paints:
            paint = paints[index]
            colour = _HEAT if paint.lean is None else colour_of(paint.lean)
            parts.append(_heat(x, y, colour, paint.strength))
        label = cell.name if labels is None else labels.get(index, "")
        # No move on the map names a building, and what else is not a street is drawn with its name.
        named = labels is not None or not whitechapel or cell.kind == "street"
        if coordinates and named and index not in taken:
            ink = "#7a6a4c" if labels is None else "#26221f"
            name = f'font-size="10" fill="{ink}">{escape(label)}'
            texts.append(f'<text x="{x:.1f}" y="{y + 3.5:.1f}" {name}</text>')
    if whitechapel:
        drawn = map_svg(board, pieces, names=coordinates and labels is None)
        place = f"scale({SCALE:g}) translate({-left:.3f} {-top:.3f})"
        parts.append(f'<g transform="{place}" color="{_DARK[0]}">{drawn}</g>')
    else:
        for piece, wide, tall in whole_pieces(board, pieces):
            cell = board.cells[piece.cell]
            parts.append(_piece(piece, (cell.x - left) * SCALE, (cell.y - top) * SCALE, wide, tall, dark))
    parts += texts
    # A ring around a cross would look like a nought: these get frames.
    framed = {piece.cell for piece in pieces if piece.kind in ("cross", "nought")}
    for index in winning:
        parts.append(
            _mark(
                board.cells[index], left, top, "#15803d", 16.5 if index in framed else 15.5, index in framed
            )
        )
    for index in marks:
        parts.append(
            _mark(board.cells[index], left, top, "#b91c1c", 13.5 if index in framed else 6, index in framed)
        )
    if legend:
        at = f'x="{width * SCALE / 2:.1f}" y="{(height - 0.3) * SCALE:.1f}"'
        # As wide as the board, however long the words are.
        fit = min(12.0, 1.8 * width * SCALE / len(legend))
        parts.append(
            f'<text class="legend" {at} font-size="{fit:.1f}" fill="#26221f">{escape(legend)}</text>'
        )
    parts.append("</svg>")
    return "".join(parts)


def _rim(rim: Rim, left: float, top: float, dark: Side) -> str:
    """A part of the border in the colour of its side; the cells that follow cover its inner half."""
    fill, line, _ = _DARK if rim.side == dark else _LIGHT
    points = " ".join(f"{(x - left) * SCALE:.1f},{(y - top) * SCALE:.1f}" for x, y in rim.line)
    drawn = f'<polyline points="{points}" fill="none"'
    return f'{drawn} stroke="{line}" stroke-width="17"/>{drawn} stroke="{fill}" stroke-width="14"/>'


def _heat(x: float, y: float, colour: str, strength: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="14" fill="{colour}" fill-opacity="{strength:.2f}"/>'


def _cell(shape: str, cell: Cell, x: float, y: float, xs: list[float], ys: list[float]) -> str:
    fill = _FILL.get(cell.kind, _FILL["plain"])
    line = 'stroke="#a08a5c" stroke-width="1"'
    if shape in ("hex_pointy", "hex_flat"):
        turn = math.pi / 6 if shape == "hex_pointy" else 0.0
        radius = SCALE / math.sqrt(3)
        angles = [turn + k * math.pi / 3 for k in range(6)]
        corners = " ".join(f"{x + radius * math.cos(a):.1f},{y + radius * math.sin(a):.1f}" for a in angles)
        return f'<polygon points="{corners}" fill="{fill}" {line}/>'
    half = SCALE / 2
    if shape == "square":
        size = f'width="{SCALE}" height="{SCALE}"'
        return f'<rect x="{x - half:.1f}" y="{y - half:.1f}" {size} fill="{fill}" {line}/>'
    # Points: the crossings of a grid whose lines end at the outermost points.
    west, east = (0.0 if cell.x == min(xs) else half), (0.0 if cell.x == max(xs) else half)
    north, south = (0.0 if cell.y == min(ys) else half), (0.0 if cell.y == max(ys) else half)
    return (
        f'<rect x="{x - half:.1f}" y="{y - half:.1f}" width="{SCALE}" height="{SCALE}" fill="{fill}"/>'
        f'<path d="M{x - west:.1f} {y:.1f}H{x + east:.1f}M{x:.1f} {y - north:.1f}V{y + south:.1f}" {line}/>'
    )


def _piece(piece: Piece, x: float, y: float, wide: int, tall: int, dark: Side) -> str:
    fill, line, ink = _NEUTRAL if piece.side is None else _DARK if piece.side == dark else _LIGHT
    paint = f'fill="{fill}" stroke="{line}" stroke-width="1.5"'
    if piece.kind == "cross":
        return f'<path d="M{x - 11:.1f} {y - 11:.1f}l22 22m0 -22l-22 22" stroke="{line}" stroke-width="4"/>'
    if piece.kind == "nought":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="12" fill="none" stroke="#1d4ed8" stroke-width="4"/>'
    if piece.kind in ("domino_vertical", "domino_horizontal"):
        size = f'width="{30 + SCALE * wide:g}" height="{30 + SCALE * tall:g}"'
        return f'<rect x="{x - 15:.1f}" y="{y - 15:.1f}" {size} rx="4" {paint}/>'
    if piece.kind == "stone":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="14" {paint}/>'
    body = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="15" {paint}/>'
    if piece.kind in FIGURES:
        place = f'transform="translate({x:.1f} {y:.1f}) scale({SCALE:g})"'
        return f'{body}<path d="{FIGURES[piece.kind]}" {place} fill="{ink}"/>'
    text = escape(piece.kind[:2].capitalize())
    return f'{body}<text x="{x:.1f}" y="{y + 5:.1f}" font-size="15" fill="{ink}">{text}</text>'


def _mark(cell: Cell, left: float, top: float, colour: str, radius: float, frame: bool) -> str:
    x, y = (cell.x - left) * SCALE, (cell.y - top) * SCALE
    paint = f'fill="none" stroke="{colour}" stroke-width="3"/>'
    if frame:
        side = f'width="{2 * radius:g}" height="{2 * radius:g}"'
        return f'<rect x="{x - radius:.1f}" y="{y - radius:.1f}" {side} rx="4" {paint}'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" {paint}'
