"""Little boards as SVG in the colours of the page, for cards and for the pages that tell how to play."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from html import escape

from coppice.board.cells import Piece, Side
from coppice.board.jack_map import is_map, map_svg
from coppice.board.svg import FIGURES, whole_pieces
from coppice.core.session import Game, Player, State
from coppice.web.allowed import game_of
from coppice.web.game_room import other

__all__ = ["picture", "sample_picture", "tone"]


def picture(state: State, *, marks: Sequence[int] = (), label: str = "") -> str:
    """A state as an SVG that takes its colours from the page."""
    board = state.game.board()
    xs, ys = [cell.x for cell in board.cells], [cell.y for cell in board.cells]
    margin = 0.85 if board.rims else 0.65
    left, top = min(xs) - margin, min(ys) - margin
    parts = [
        f'<svg class="board picture {board.shape}" viewBox="{left} {top} {max(xs) - left + margin} '
        f'{max(ys) - top + margin}" role="img" aria-label="{escape(label or "a board")}">'
    ]
    for rim in board.rims:
        points = " ".join(f"{x:.2f},{y:.2f}" for x, y in rim.line)
        lines = "".join(f'<polyline class="{part}" points="{points}"/>' for part in ("rim-line", "rim-body"))
        parts.append(f'<g class="rim {tone(state.game, rim.side)}">{lines}</g>')
    pieces = state.pieces()
    # A ring around a cross would look like a nought: what won is tinted there.
    tinted = {piece.cell for piece in pieces if piece.kind in ("cross", "nought")} & set(state.winning_cells)
    for index, cell in enumerate(board.cells):
        kind = escape(cell.kind) + (" won" if index in tinted else "")
        if board.shape.startswith("hex"):
            turn = math.pi / 6 if board.shape == "hex_pointy" else 0.0
            points = " ".join(
                f"{cell.x + 0.56 * math.cos(turn + k * math.pi / 3):.2f},"
                f"{cell.y + 0.56 * math.sin(turn + k * math.pi / 3):.2f}"
                for k in range(6)
            )
            parts.append(f'<g class="cell {kind}"><polygon class="ground" points="{points}"/></g>')
        else:
            parts.append(
                f'<g class="cell {kind}"><rect class="ground" x="{cell.x - 0.5}" y="{cell.y - 0.5}"'
                ' width="1" height="1"/></g>'
            )
    if board.shape == "point":
        lines = "".join(f"M{min(xs)} {y}H{max(xs)}" for y in sorted(set(ys)))
        lines += "".join(f"M{x} {min(ys)}V{max(ys)}" for x in sorted(set(xs)))
        parts.append(f'<path class="grid" d="{lines}"/>')
    if is_map(board):
        parts.append(map_svg(board, pieces))
    else:
        for piece, wide, tall in whole_pieces(board, pieces):
            cell = board.cells[piece.cell]
            parts.append(_piece(piece, tone(state.game, piece.side), cell.x, cell.y, wide, tall))
    for index in state.winning_cells:
        if index in tinted:
            continue
        cell = board.cells[index]
        parts.append(f'<circle class="winning" cx="{cell.x}" cy="{cell.y}" r="0.44"/>')
    for index in marks:
        cell = board.cells[index]
        parts.append(f'<circle class="target" cx="{cell.x}" cy="{cell.y}" r="0.16"/>')
    parts.append("</svg>")
    return "".join(parts)


def tone(game: Game, side: Side | None) -> str:
    """The class that colours a side: where the first side is called Black, it has the dark stones."""
    if side is None:
        return "neutral"
    return other(side) if game.sides[0] == "Black" else side


def _piece(piece: Piece, side: str, x: float, y: float, wide: int, tall: int) -> str:
    if piece.kind == "cross":
        shape = f'<path class="mark-cross" d="M{x - 0.26} {y - 0.26}l0.52 0.52m0 -0.52l-0.52 0.52"/>'
    elif piece.kind == "nought":
        shape = f'<circle class="mark-circle" cx="{x}" cy="{y}" r="0.28"/>'
    elif piece.kind.startswith("domino"):
        size = f'width="{0.76 + wide}" height="{0.76 + tall}"'
        shape = f'<rect class="domino" x="{x - 0.38}" y="{y - 0.38}" {size} rx="0.16"/>'
    else:
        shape = f'<circle class="stone flat" cx="{x}" cy="{y}" r="0.41"/>'
        if piece.kind in FIGURES:
            shape += f'<path class="figure" d="{FIGURES[piece.kind]}" transform="translate({x} {y})"/>'
    return f'<g class="piece {side} {escape(piece.kind)}">{shape}</g>'


@functools.lru_cache(maxsize=64)
def sample_picture(spec: str, label: str) -> str:
    """A board of this game some moves into a game, the same every time."""
    game = game_of(spec)
    if game.hidden:
        return picture(game.start(), label=label)
    player = Player("uct(simulations=60)")
    state = game.start()
    for _ in range(max(4, len(game.board().cells) // 4)):
        tried = state.copy().play(player.search(state, seed=8).best)
        if tried.outcome is not None:
            break
        state = tried
    return picture(state, label=label)
