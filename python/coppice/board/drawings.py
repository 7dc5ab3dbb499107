"""How every kind of cell and of piece is drawn: the only place that knows them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from coppice.board.cells import Board, Cell, Piece, Side
from coppice.board.jack_emblems import emblem
from coppice.board.jack_map import CHARACTERS, DARK, DIRECTIONS, LIGHT
from coppice.board.shapes import Box, Circle, Ink, Lines, Point, Polygon, Shape, Text

__all__ = [
    *("CELLS", "PIECES", "CellDrawing", "Frame", "PieceDrawing"),
    *("drawing_of", "ground", "heat", "stands", "tone"),
]

HEX = math.sqrt(3) / 3
"""From the middle of a hexagon to a corner."""

_SEEN, _CLEAR, _JACK, _BRASS = "#ffd766", "#1d7a48", "#b3261e", "#b97f0c"
_IRON, _BAR = "#b4b8bb", "#4b4f52"


@dataclass(frozen=True)
class Frame:
    """What a drawing may ask about the picture it is in."""

    board: Board
    places: tuple[Point, ...]
    """Where each cell is drawn."""
    names: bool
    """Whether what stands there carries the name of its cell."""
    flipped: bool

    @property
    def radius(self) -> float:
        """Of a round piece."""
        return 0.4 if self.board.shape.startswith("hex") else 0.42

    def middle(self, cells: tuple[int, ...]) -> Point:
        """The middle of some cells."""
        xs, ys = zip(*(self.places[cell] for cell in cells), strict=True)
        return sum(xs) / len(cells), sum(ys) / len(cells)


@dataclass(frozen=True)
class PieceDrawing:
    """How one kind of piece is drawn, around the middle of the cells that it stands on."""

    draw: Callable[[Piece, Frame], tuple[Shape, ...]]
    level: int = 2
    """Fixtures lie at the bottom (0), light on them (1), then come the pieces themselves."""
    marked: Literal["inside", "around", "frame"] = "around"
    """How the last move is marked: a dot, a ring, or a frame where a ring would look like a piece."""
    anchored: bool = False
    """Whether it stands on the first of its cells, and reaches out to the others."""


@dataclass(frozen=True)
class CellDrawing:
    """How one kind of cell is drawn beside its ground."""

    named: bool = True
    """Whether its name is written on the ground."""
    fixture: Callable[[Cell], tuple[Shape, ...]] | None = None
    """What belongs to it."""
    sign: Callable[[Cell], tuple[Shape, ...]] | None = None
    """Its name, where that is not written on the ground."""


def tone(board: Board, side: Side | None) -> str:
    """The colour of a side's pieces in a word: `white`, `black`, or `neutral` for those of nobody."""
    if side is None:
        return "neutral"
    return "black" if side == board.black else "white"


def ground(shape: str, role: str, scale: float = 0.97) -> Shape:
    """The ground of a cell, so much of its size."""
    if not shape.startswith("hex"):
        return Box(role, -0.5, -0.5, 1.0, 1.0)
    turn = math.pi / 6 if shape == "hex_pointy" else 0.0
    angles = (turn + k * math.pi / 3 for k in range(6))
    return Polygon(role, tuple((scale * HEX * math.cos(a), scale * HEX * math.sin(a)) for a in angles))


def heat(shape: str) -> Shape:
    """What a value is painted on."""
    return ground(shape, "heat") if shape.startswith("hex") else Circle("heat", 0.0, 0.0, 0.42)


# Pieces


def _disc(radius: float) -> tuple[Shape, ...]:
    return Circle("shade", 0.03, 0.06, radius), Circle("stone", 0.0, 0.0, radius)


def _stone(piece: Piece, frame: Frame) -> tuple[Shape, ...]:
    return _disc(frame.radius)


def _figure(outline: tuple[Point, ...]) -> Callable[[Piece, Frame], tuple[Shape, ...]]:
    def draw(piece: Piece, frame: Frame) -> tuple[Shape, ...]:
        return *_disc(frame.radius), Polygon("figure", outline)

    return draw


def _curve(*points: Point, steps: int = 6) -> tuple[Point, ...]:
    """Points along a Bezier curve, the first one left out."""
    found = []
    for step in range(1, steps + 1):
        t, row = step / steps, list(points)
        while len(row) > 1:
            row = [(a + t * (c - a), b + t * (d - b)) for (a, b), (c, d) in itertools.pairwise(row)]
        found.append(row[0])
    return tuple(found)


def _man() -> tuple[Point, ...]:
    """A pawn: a head, a body that widens, a foot."""
    turns = (-math.pi * 0.5 + k * math.pi * 0.7 / 8 for k in range(9))
    head = tuple((0.1 * math.cos(a), -0.1 + 0.1 * math.sin(a)) for a in turns)
    flank = _curve(head[-1], (0.08, 0.09), (0.16, 0.15))
    right = (*head, *flank, (0.16, 0.21))
    return (*right, *((-x, y) for x, y in reversed(right)))


def _knight() -> tuple[Point, ...]:
    """The head of a horse, looking to the left."""
    return (
        *((-0.14, 0.22), (0.16, 0.22)),
        *_curve((0.16, 0.22), (0.18, 0.04), (0.16, -0.12), (0.06, -0.2)),
        *((0.04, -0.28), (-0.03, -0.22)),
        *_curve((-0.03, -0.22), (-0.11, -0.21), (-0.16, -0.12), (-0.21, -0.02)),
        *((-0.16, 0.04), (-0.06, 0.0)),
        *_curve((-0.06, 0.0), (-0.04, 0.07), (-0.12, 0.12), (-0.14, 0.22)),
    )


def _cross(piece: Piece, frame: Frame) -> tuple[Shape, ...]:
    r = 0.26
    return (Lines("mark-cross", (((-r, -r), (r, r)), ((r, -r), (-r, r)))),)


def _nought(piece: Piece, frame: Frame) -> tuple[Shape, ...]:
    return (Circle("mark-circle", 0.0, 0.0, 0.28),)


def _domino(piece: Piece, frame: Frame) -> tuple[Shape, ...]:
    xs, ys = zip(*(frame.places[cell] for cell in piece.cells), strict=True)
    # Equal dominoes have equal sizes wherever they lie.
    width, height = (round(0.76 + max(along) - min(along), 3) for along in (xs, ys))
    return (Box("domino", -width / 2, -height / 2, width, height, round=0.16),)


def _token(piece: Piece, frame: Frame) -> tuple[Shape, ...]:
    """A disc with letter and emblem: in light if visible, pale with a tick if cleared, with a J if Jack."""
    who, cleared, jack = CHARACTERS[piece.name], "cleared" in piece.states, "jack" in piece.states
    look = who.look(cleared)
    shapes: list[Shape] = []
    if "visible" in piece.states:
        shapes.append(Circle("light", 0.0, 0.0, 0.41, Ink(_SEEN, _BRASS, 0.03)))
    shapes.append(Circle("face", 0.0, 0.0, 0.34, Ink(look.disc, look.rim, 0.07 if cleared else 0.04)))
    shapes.append(Text("letter", 0.0, 0.07, 0.36, who.letter, Ink(look.ink)))
    shapes += emblem(piece.name, 0.0, 0.195, 0.19, look.ink)
    if jack:
        shapes.append(Circle("badge", 0.28, -0.28, 0.15, Ink(_JACK, LIGHT, 0.03)))
        shapes.append(Text("letter", 0.28, -0.2, 0.22, "J", Ink(LIGHT)))
    elif cleared:
        shapes.append(Circle("badge", 0.28, -0.28, 0.13, Ink(_CLEAR, LIGHT, 0.03)))
        tick = ((0.215, -0.275), (0.26, -0.225), (0.345, -0.325))
        shapes.append(Lines("tick", (tick,), Ink("none", LIGHT, 0.04)))
    return tuple(shapes)


def _lamp(piece: Piece, frame: Frame) -> tuple[Shape, ...]:
    """A gaslight: bright, with the number of the turn after which it goes out, or dark and struck out."""
    y = -0.1 if frame.names else 0.0
    shapes: list[Shape]
    if "out" in piece.states:
        strike = ((-0.15, y + 0.15), (0.15, y - 0.15))
        shapes = [
            Circle("bulb", 0.0, y, 0.26, Ink("#4a453d", "#a39c8d", 0.05)),
            Lines("strike", (strike,), Ink("none", "#a39c8d", 0.06)),
        ]
    else:
        shapes = [Circle("bulb", 0.0, y, 0.34, Ink(_SEEN, _BRASS, 0.06))]
        if piece.number is not None:
            shapes.append(Text("letter", 0.0, y + 0.14, 0.4, str(piece.number), Ink("#4a3400")))
    if frame.names:
        name = frame.board.cells[piece.cell].name
        shapes.append(Text("place", 0.0, y + 0.53, 0.2, name, Ink(LIGHT)))
    return tuple(shapes)


def _cover(piece: Piece, frame: Frame) -> tuple[Shape, ...]:
    """A cover of iron with ribs, wider than a character."""
    angles = [k * math.pi / 6 for k in range(12)]
    ribs = tuple(
        ((0.3 * math.cos(a), 0.3 * math.sin(a)), (0.45 * math.cos(a), 0.45 * math.sin(a))) for a in angles
    )
    shapes: tuple[Shape, ...] = (
        Circle("iron", 0.0, 0.0, 0.46, Ink(_IRON, _BAR, 0.03)),
        Lines("rib", ribs, Ink("none", _BAR, 0.05)),
    )
    if frame.names:
        shapes += (Text("place", 0.0, 0.08, 0.24, frame.board.cells[piece.cell].name, Ink(DARK)),)
    return shapes


def _cordon(piece: Piece, frame: Frame) -> tuple[Shape, ...]:
    """A barrier below the sign of its exit."""
    stripes = tuple(((x, 0.3), (x + 0.12, 0.1)) for x in (-0.26, -0.06, 0.14))
    return (
        Box("barrier", -0.36, 0.1, 0.72, 0.2, 0.03, Ink(LIGHT, _JACK, 0.04)),
        Lines("stripe", stripes, Ink("none", _JACK, 0.08)),
    )


def _along(piece: Piece, frame: Frame, corners: tuple[Point, ...]) -> tuple[Point, ...]:
    """Corners given as steps in the direction of a piece and steps to its right."""
    angle = math.radians(DIRECTIONS[piece.name] + (180 if frame.flipped else 0))
    dx, dy = math.cos(angle), math.sin(angle)
    return tuple((ahead * dx - aside * dy, ahead * dy + aside * dx) for ahead, aside in corners)


def _lantern(piece: Piece, frame: Frame) -> tuple[Shape, ...]:
    """The light from its bearer, up to what ends it."""
    start, *lit = (frame.places[cell] for cell in piece.cells)
    reach = 0.55 + max((math.dist(start, place) for place in lit), default=0.0)
    corners = ((0.1, -0.08), (reach, -0.26), (reach, 0.26), (0.1, 0.08))
    return (Polygon("beam", _along(piece, frame, corners), Ink(_SEEN, _BRASS, 0.02)),)


def _aim(piece: Piece, frame: Frame) -> tuple[Shape, ...]:
    """An arrow from the bearer of a light."""
    outline = ((0.42, -0.07), (0.6, -0.07), (0.6, -0.17), (0.88, 0.0), (0.6, 0.17), (0.6, 0.07), (0.42, 0.07))
    return (Polygon("arrow-head", _along(piece, frame, outline)),)


def _unknown(piece: Piece, frame: Frame) -> tuple[Shape, ...]:
    """A kind that only a game from elsewhere knows: a disc with its first two letters."""
    text = Text("figure-text", 0.0, 0.12, 0.34, piece.kind[:2].capitalize())
    return *_disc(frame.radius), text


PIECES: dict[str, PieceDrawing] = {
    "stone": PieceDrawing(_stone, marked="inside"),
    "man": PieceDrawing(_figure(_man())),
    "knight": PieceDrawing(_figure(_knight())),
    "cross": PieceDrawing(_cross, marked="frame"),
    "nought": PieceDrawing(_nought, marked="frame"),
    "domino": PieceDrawing(_domino, marked="frame"),
    "token": PieceDrawing(_token),
    "lamp": PieceDrawing(_lamp, level=0),
    "cover": PieceDrawing(_cover, level=0),
    "cordon": PieceDrawing(_cordon, level=0),
    "lantern": PieceDrawing(_lantern, level=1, anchored=True),
    "aim": PieceDrawing(_aim, level=3, anchored=True),
}
"""Every kind of piece of the core, and `aim`: a direction in which somebody may send a light.

What is `gone` from where it is drawn is shown pale, while somebody thinks of moving it.
"""

_UNKNOWN = PieceDrawing(_unknown)


def drawing_of(piece: Piece) -> PieceDrawing:
    """How a piece is drawn."""
    return PIECES.get(piece.kind, _UNKNOWN)


def stands(piece: Piece) -> bool:
    """Whether it takes the place on its cells: fixtures and light do not, nor what has gone from there."""
    return drawing_of(piece).level == 2 and "gone" not in piece.states


# Cells


def _hole(cell: Cell) -> tuple[Shape, ...]:
    return (Circle("hole", 0.0, 0.0, 0.46, Ink("#26221c", "#8d8468", 0.04)),)


def _hole_name(cell: Cell) -> tuple[Shape, ...]:
    return (Text("place", 0.0, 0.08, 0.24, cell.name, Ink(LIGHT)),)


def _house(cell: Cell) -> tuple[Shape, ...]:
    """Roofs seen from the street, with windows."""
    roof = Ink("#8d4f3c", "#4b2c22", 0.025)
    wall, glass = Ink("#a48d76", "#4b2c22", 0.025), Ink("#3b3128")
    windows = tuple(
        Box("glass", x, y, 0.09, 0.12, 0.0, glass) for x in (-0.26, -0.045, 0.17) for y in (0.0, 0.19)
    )
    return (
        Box("wall", -0.34, -0.08, 0.68, 0.44, 0.0, wall),
        Polygon("roof", ((-0.42, -0.06), (-0.26, -0.34), (0.26, -0.34), (0.42, -0.06)), roof),
        Box("roof", 0.1, -0.44, 0.1, 0.14, 0.0, roof),
        *windows,
    )


def _trees(cell: Cell) -> tuple[Shape, ...]:
    """Crowns of trees from above."""
    crown = Ink("#4f7a43", "#35552d", 0.03)
    return tuple(
        Circle("crown", x, y, radius, crown)
        for x, y, radius in ((-0.18, -0.12, 0.19), (0.19, -0.16, 0.16), (0.02, 0.18, 0.2), (0.3, 0.14, 0.1))
    )


def _way_out(cell: Cell) -> tuple[Shape, ...]:
    # In the colour of the page's own text, as the ground of an exit is that of the page.
    # An arrow leads off the map; a cordon lies on it.
    end = -1 if cell.name.startswith("N") else 1
    y = 0.2
    points = ((0.0, y + 0.13 * end), (0.17, y - 0.02 * end), (0.06, y - 0.02 * end), (0.06, y - 0.13 * end))
    arrow = (*points, *((-x, y) for x, y in reversed(points[1:])))
    return Text("sign", 0.0, 0.0, 0.3, cell.name), Polygon("way-out", arrow)


CELLS: dict[str, CellDrawing] = {
    "plain": CellDrawing(),
    "dark": CellDrawing(),
    "corner": CellDrawing(),
    "edge": CellDrawing(),
    "street": CellDrawing(),
    "manhole": CellDrawing(named=False, fixture=_hole, sign=_hole_name),
    "lamp": CellDrawing(named=False),
    "building": CellDrawing(named=False, fixture=_house),
    "garden": CellDrawing(named=False, fixture=_trees),
    "exit": CellDrawing(named=False, fixture=_way_out),
}
"""Every kind of cell of the core. One that only a game from elsewhere knows is drawn like a plain one."""
