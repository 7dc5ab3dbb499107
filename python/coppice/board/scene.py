"""The one layout of a board: what stands where, with all that a picture may show, as plain drawing elements.

Notebooks, files, the app, the documentation and figures of papers paint this list; none lays anything out.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from coppice.board.cells import Board, Cell, Piece, Side
from coppice.board.drawings import CELLS, Frame, PieceDrawing, drawing_of, ground, heat, stands, tone
from coppice.board.jack_light import lit
from coppice.board.scales import Paint, colour_of
from coppice.board.shapes import Box, Circle, Item, Lines, Point, Polygon, Scene, Shape, Text

__all__ = ["SceneOptions", "item_of", "placed", "scene", "tools", "won_ground"]


@dataclass(frozen=True)
class SceneOptions:
    """What a picture of a position shows besides its pieces, wherever a board is seen."""

    coordinates: bool = True
    """Whether cells carry their names: in the cells, or at the edges of a board of rows and columns."""
    flipped: bool = False
    """Whether the board is turned by half a turn."""
    last: Sequence[int] = ()
    """The cells of the last move."""
    winning: Sequence[int] = ()
    """The cells that show why the game was won."""
    targets: Sequence[int] = ()
    """Cells to point at, such as those where a piece may go."""
    threats: Sequence[tuple[int, Side]] = ()
    """Cells on which a side threatens to win."""
    paints: Mapping[int, Paint] = field(default_factory=dict)
    """Values of a table by cell, painted as their scale says."""
    labels: Mapping[int, str] | None = None
    """A few characters per cell in the place of its name; None: the texts of the paints, if there are any."""
    legend: str = ""
    """A line below the board that says what the values are."""
    known: Mapping[str, Collection[str]] = field(default_factory=dict)
    """What a viewer knows of pieces beyond what they show to everybody: states by the name of the piece."""


def scene(board: Board, pieces: Sequence[Piece] = (), options: SceneOptions | None = None) -> Scene:
    """A board with what stands on it as a list of drawing elements."""
    return _Layout(board, options or SceneOptions()).scene(pieces)


def placed(
    board: Board, pieces: Sequence[Piece], options: SceneOptions
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """What a move changes in a scene: its pieces and its marks."""
    layout = _Layout(board, options)
    return tuple(layout.pieces(pieces)), tuple(layout.marks(_standing(pieces)))


def won_ground(pieces: Sequence[Piece], options: SceneOptions) -> list[int]:
    """The cells whose ground tells that they won: a ring around a cross would look like a nought."""
    on = _standing(pieces)
    return [cell for cell in options.winning if cell in on and on[cell].marked == "frame"]


def item_of(piece: Piece) -> Item:
    """A piece by itself, around (0, 0), as on a board of hexagons."""
    board = Board("hex_flat", (Cell("", 0.0, 0.0, "plain"),))
    (item,) = _Layout(board, SceneOptions(coordinates=False)).pieces([replace(piece, cells=(0,))])
    return item


def tools(board: Board) -> dict[str, tuple[Shape, ...]]:
    """What a page lays around the middle of a cell while somebody points at it or a search runs."""
    return {
        "heat": (heat(board.shape),),
        "heat-text": (Text("heat-text", 0.0, 0.1, 0.3),),
        "target": (Circle("target", 0.0, 0.0, 0.13),),
        "target around": (Circle("target around", 0.0, 0.0, 0.47),),
        "target note": (Circle("target", 0.0, 0.0, 0.24),),
        "note": (Text("note", 0.0, 0.12, 0.34),),
        "picked": (Circle("picked", 0.0, 0.0, 0.46),),
        "number": (Text("number", 0.0, 0.12, 0.36),),
    }


class _Layout:
    def __init__(self, board: Board, options: SceneOptions) -> None:
        self.board, self.options = board, options
        xs, ys = [cell.x for cell in board.cells] or [0.0], [cell.y for cell in board.cells] or [0.0]
        self.sums = (min(xs) + max(xs), min(ys) + max(ys))
        self.edges = (min(xs), min(ys), max(xs), max(ys))
        places = tuple(self.place((cell.x, cell.y)) for cell in board.cells)
        self._looks: dict[tuple[str, Side | None, tuple[str, ...]], tuple[str, tuple[Shape, ...]]] = {}
        self.frame = Frame(board, places, options.coordinates and options.labels is None, options.flipped)

    @functools.cached_property
    def parts(self) -> list[re.Match[str]] | None:
        """The letters and numbers of the names, where these can stand at the edges."""
        # A board of hexagons has no rows to be numbered at an edge.
        if self.board.shape.startswith("hex"):
            return None
        parts = [re.fullmatch(r"([a-zA-Z]+)(\d+)", cell.name) for cell in self.board.cells]
        found = [part for part in parts if part]
        return found if len(found) == len(parts) else None

    def place(self, point: Point) -> Point:
        """Where a point of the board is drawn: after half a turn its middle stays where it is."""
        x, y = point
        return (self.sums[0] - x, self.sums[1] - y) if self.options.flipped else point

    def scene(self, pieces: Sequence[Piece]) -> Scene:
        board, options = self.board, self.options
        on = _standing(pieces)
        won = won_ground(pieces, options)
        left, top, right, low = self.edges
        margin = (0.68 if board.shape.startswith("hex") else 0.65) + (0.2 if board.rims else 0.0)
        if self.parts is not None and options.coordinates:
            margin = max(margin, 0.95)
        width, height = right - left + 2 * margin, low - top + 2 * margin
        labels = self.labels(on)
        if options.legend:
            # As wide as the board, however long the words are.
            size = min(0.3, 1.8 * width / len(options.legend))
            foot = top - margin + height + 0.15
            legend = Text("legend", 0.0, 0.0, size)
            labels.append(Item("legend", left - margin + width / 2, foot, (legend,), text=options.legend))
            height += 0.4
        return Scene(
            shape=board.shape,
            box=(left - margin, top - margin, width, height),
            rims=tuple(self.rims()),
            cells=tuple(self.cells(won, lit(board, pieces))),
            paints=tuple(self.paints()),
            lines=tuple(self.grid()),
            fixtures=tuple(self.fixtures()),
            names=tuple(self.names(on)),
            pieces=tuple(self.pieces(pieces)),
            marks=tuple(self.marks(on)),
            labels=tuple(labels),
        )

    def at(self, cell: int, role: str, *shapes: Shape, text: str = "") -> Item:
        x, y = self.frame.places[cell]
        return Item(role, x, y, shapes, (cell,), text)

    # The board

    def rims(self) -> Iterator[Item]:
        # The cells cover the inner half of a rim.
        for rim in self.board.rims:
            stroke = (tuple(self.place(point) for point in rim.line),)
            role = f"rim {rim.side} {tone(self.board, rim.side)}"
            yield Item(role, 0.0, 0.0, (Lines("rim-line", stroke), Lines("rim-body", stroke)))

    def cells(self, won: Collection[int], light: Collection[int]) -> Iterator[Item]:
        for index, cell in enumerate(self.board.cells):
            role = f"cell {cell.kind if cell.kind in CELLS else 'plain'}"
            # Crossings of lines have no border of their own.
            role += " crossing" if self.board.shape == "point" else ""
            role += " won" if index in won else ""
            role += " lit" if index in light else ""
            yield self.at(index, role, ground(self.board.shape, "ground"))

    def grid(self) -> Iterator[Item]:
        if self.board.shape == "point":
            xs, ys = ({place[k] for place in self.frame.places} for k in (0, 1))
            across = tuple(((min(xs), y), (max(xs), y)) for y in sorted(ys))
            down = tuple(((x, min(ys)), (x, max(ys))) for x in sorted(xs))
            yield Item("lines", 0.0, 0.0, (Lines("grid", across + down),))

    def fixtures(self) -> Iterator[Item]:
        for index, cell in enumerate(self.board.cells):
            drawing = CELLS.get(cell.kind, CELLS["plain"])
            if drawing.fixture is not None:
                yield self.at(index, f"fixture {cell.kind}", *drawing.fixture(cell))

    def names(self, on: Mapping[int, PieceDrawing]) -> Iterator[Item]:
        if not self.options.coordinates:
            return
        if self.parts is not None:
            yield from self.edge_names()
            return
        for index, cell in enumerate(self.board.cells):
            drawing = CELLS.get(cell.kind, CELLS["plain"])
            paint = self.options.paints.get(index)
            if self.options.labels is not None or (paint is not None and paint.text):
                continue
            if drawing.sign is not None:
                yield self.at(index, "sign-name", *drawing.sign(cell))
            elif drawing.named and index not in on:
                yield self.at(index, "cell-name", Text("name", 0.0, 0.07, 0.24), text=cell.name)

    def edge_names(self) -> Iterator[Item]:
        places, parts = self.frame.places, self.parts or ()
        left, low = min(x for x, _ in places), max(y for _, y in places)
        shape = Text("edge-name", 0.0, 0.0, 0.3)
        for (x, y), part in zip(places, parts, strict=True):
            if x == left:
                yield Item("row-name", x - 0.74, y + 0.1, (shape,), text=part[2])
            if y == low:
                yield Item("column-name", x, y + 0.86, (shape,), text=part[1])

    # What is on it

    def paints(self) -> Iterator[Item]:
        for index, paint in self.options.paints.items():
            colour = None if paint.lean is None else colour_of(paint.lean)
            item = self.at(index, "paint", heat(self.board.shape))
            yield replace(item, colour=colour, strength=paint.strength)

    def pieces(self, pieces: Sequence[Piece]) -> list[Item]:
        """The pieces, those that lie under others first."""
        crowd = Counter(piece.cell for piece in pieces if piece.name and stands(piece))
        placed: Counter[int] = Counter()
        found: list[tuple[int, Item]] = []
        for piece in pieces:
            drawing, more = drawing_of(piece), self.options.known.get(piece.name, ())
            if piece.name and more and stands(piece):
                piece = replace(piece, states=tuple(dict.fromkeys((*piece.states, *more))))
            x, y = self.frame.places[piece.cell] if drawing.anchored else self.frame.middle(piece.cells)
            if crowd[piece.cell] > 1 and piece.name and stands(piece):
                # Who accuses stands on the hex of the accused: nobody covers the other.
                x += 0.26 * (2 * placed[piece.cell] - crowd[piece.cell] + 1)
                placed[piece.cell] += 1
            role, shapes = self.look(piece, drawing)
            name = piece.name if piece.kind == "token" and stands(piece) else ""
            found.append((drawing.level, Item(role, x, y, shapes, piece.cells, name=name)))
        return [item for _, item in sorted(found, key=lambda entry: entry[0])]

    def look(self, piece: Piece, drawing: PieceDrawing) -> tuple[str, tuple[Shape, ...]]:
        """The role and the shapes of a piece; equal pieces of one cell, as stones are, share them."""
        alike = (piece.kind, piece.side, piece.states)
        plain = not piece.name and piece.number is None and len(piece.cells) == 1 and drawing.level == 2
        if plain and alike in self._looks:
            return self._looks[alike]
        words = ["piece", piece.kind, piece.side or "", tone(self.board, piece.side), piece.name]
        role = " ".join(word for word in (*words, *piece.states) if word)
        shapes = drawing.draw(piece, self.frame)
        if plain:
            self._looks[alike] = role, shapes
        return role, shapes

    def marks(self, on: Mapping[int, PieceDrawing]) -> Iterator[Item]:
        options, radius = self.options, self.frame.radius
        framed = {cell for cell, drawing in on.items() if drawing.marked == "frame"}
        links = self.links(framed)
        if links:
            yield Item("chain", 0.0, 0.0, (Lines("winning line", links),), tuple(options.winning))
        linked = {point for link in links for point in link}
        for cell in options.winning:
            # What a line runs through needs no ring, which could be taken for a nought.
            if cell not in framed and self.frame.places[cell] not in linked:
                yield self.at(cell, "won-piece", Circle("winning", 0.0, 0.0, radius + 0.04))
        if options.last and framed.issuperset(options.last):
            xs, ys = zip(*(self.frame.places[cell] for cell in options.last), strict=True)
            x, y, width, height = min(xs), min(ys), max(xs) - min(xs) + 0.86, max(ys) - min(ys) + 0.86
            box = Box("last around", x - 0.43, y - 0.43, width, height, round=0.2)
            yield Item("last-move", 0.0, 0.0, (box,), tuple(options.last))
        else:
            for cell in options.last:
                around = cell in on and on[cell].marked != "inside"
                if not (around and cell in options.winning):
                    ring = Circle("last around", 0.0, 0.0, radius + 0.04)
                    yield self.at(cell, "last-move", ring if around else Circle("last", 0.0, 0.0, 0.11))
        for cell, side in options.threats:
            x = -0.17 if side == "first" else 0.17
            diamond = ((x, -0.15), (x + 0.15, 0.0), (x, 0.15), (x - 0.15, 0.0))
            role = f"mark {side} {tone(self.board, side)}"
            yield self.at(cell, role, Polygon("threat", diamond))
        aims = tools(self.board)
        for cell in options.targets:
            yield self.at(cell, "aim-at", *aims["target around" if cell in on else "target"])

    def links(self, framed: Collection[int]) -> tuple[tuple[Point, Point], ...]:
        """Between the neighbours among the cells that won."""
        places = self.frame.places

        def apart(one: int, other: int) -> float:
            return math.dist(places[one], places[other])

        won, found = self.options.winning, []
        for one, other in itertools.combinations(won, 2):
            # A line of crosses may be a diagonal; stones are linked along the lines of their board.
            near = apart(one, other) < (1.5 if one in framed else 1.1)
            # Two lines that meet in a corner are not cut short there.
            around_a_corner = apart(one, other) > 1.1 and any(
                apart(one, corner) < 1.1 and apart(corner, other) < 1.1
                for corner in won
                if corner not in (one, other)
            )
            if near and not around_a_corner:
                found.append((places[one], places[other]))
        return tuple(found)

    def labels(self, on: Mapping[int, PieceDrawing]) -> list[Item]:
        texts = self.options.labels
        if texts is None:
            texts = {index: paint.text for index, paint in self.options.paints.items()}
        shape = Text("label", 0.0, 0.09, 0.25)
        free = ((index, text) for index, text in texts.items() if text and index not in on)
        return [self.at(index, "cell-label", shape, text=text) for index, text in free]


def _standing(pieces: Sequence[Piece]) -> dict[int, PieceDrawing]:
    """By cell what takes its place."""
    return {cell: drawing_of(piece) for piece in pieces for cell in piece.cells if stands(piece)}
