"""Plain drawing elements: shapes with coordinates and a role, to be painted without knowing any game.

Lengths are in cell widths, y grows downward. A role is one or more words, as the classes of a page have them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

__all__ = [
    *("Box", "Circle", "Ink", "Item", "Lines", "Point", "Polygon", "Scene", "Shape", "Tag", "Text"),
    *("plain_layers", "tag"),
]

Point = tuple[float, float]

Tag = tuple[str, dict[str, str | float], str]
"""An element of SVG: its name, its attributes and its text."""


@dataclass(frozen=True)
class Ink:
    """Colours that belong to a thing and not to a theme: a character has the same ones everywhere."""

    fill: str = "none"
    line: str = "none"
    width: float = 0.0


@dataclass(frozen=True)
class Circle:
    """A disc or a ring."""

    role: str
    x: float
    y: float
    radius: float
    ink: Ink | None = None


@dataclass(frozen=True)
class Box:
    """A rectangle from its upper left corner."""

    role: str
    x: float
    y: float
    width: float
    height: float
    round: float = 0.0
    ink: Ink | None = None


@dataclass(frozen=True)
class Polygon:
    """A closed outline."""

    role: str
    points: tuple[Point, ...]
    ink: Ink | None = None


@dataclass(frozen=True)
class Lines:
    """Open lines."""

    role: str
    strokes: tuple[tuple[Point, ...], ...]
    ink: Ink | None = None


@dataclass(frozen=True)
class Text:
    """A text, centred on x, with its foot at y."""

    role: str
    x: float
    y: float
    size: float
    text: str = ""
    """Empty: the text of the item."""
    ink: Ink | None = None


Shape = Circle | Box | Polygon | Lines | Text


@dataclass(frozen=True)
class Item:
    """One thing of a picture: shapes around the place where it stands."""

    role: str
    x: float
    y: float
    shapes: tuple[Shape, ...]
    cells: tuple[int, ...] = ()
    """The cells that it is about."""
    text: str = ""
    """What its text shape says."""
    colour: str | None = None
    """The fill of its shapes, where that is a value and not a role."""
    strength: float | None = None
    """How strongly it is filled, in 0..1."""
    name: str = ""
    """What makes it the same thing in the next picture, where it walks to its new place."""


@dataclass(frozen=True)
class Scene:
    """A picture of a board: what is painted, layer by layer, the lowest first."""

    shape: str
    """The shape of the cells: `hex_pointy`, `hex_flat`, `square` or `point`."""
    box: tuple[float, float, float, float]
    """The left, the top, the width and the height of what is seen."""
    rims: tuple[Item, ...]
    cells: tuple[Item, ...]
    """One per cell, in order."""
    paints: tuple[Item, ...]
    lines: tuple[Item, ...]
    """The grid of a board whose cells are points."""
    fixtures: tuple[Item, ...]
    """What belongs to the board and stands on a cell, such as a manhole."""
    names: tuple[Item, ...]
    pieces: tuple[Item, ...]
    marks: tuple[Item, ...]
    labels: tuple[Item, ...]
    """Texts above everything: those of cells, and the legend."""

    @property
    def items(self) -> tuple[Item, ...]:
        """All that is painted, in order."""
        return (
            *(*self.rims, *self.cells, *self.paints, *self.lines, *self.fixtures),
            *(*self.names, *self.pieces, *self.marks, *self.labels),
        )

    def plain(self) -> dict[str, Any]:
        """The scene as JSON; see :func:`plain_layers`."""
        layers = plain_layers(
            rims=self.rims,
            cells=self.cells,
            paints=self.paints,
            lines=self.lines,
            fixtures=self.fixtures,
            names=self.names,
            pieces=self.pieces,
            marks=self.marks,
            labels=self.labels,
        )
        return {"shape": self.shape, "box": [_short(number) for number in self.box], **layers}


def plain_layers(**layers: Iterable[Item]) -> dict[str, list[Any]]:
    """Layers as JSON: equal looks are told once, under `stamps`, and each item names its own by number."""
    stamps = _Stamps()
    found = {name: [_plain_item(item, stamps) for item in items] for name, items in layers.items()}
    return {**found, "stamps": stamps.told}


class _Stamps:
    """The looks of items, each told once."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self._known: dict[tuple[str, int], int] = {}
        self._equal: dict[tuple[str, tuple[Shape, ...]], int] = {}
        self._kept: list[tuple[Shape, ...]] = []

    def number(self, item: Item) -> int:
        """The number of an item's look. Shapes are mostly the very same ones: these need no comparison."""
        quick = item.role, id(item.shapes)
        if quick not in self._known:
            whole = item.role, item.shapes
            if whole not in self._equal:
                self._equal[whole] = len(self.told)
                self.told.append({"role": item.role, "of": [tag(shape) for shape in item.shapes]})
            self._known[quick] = self._equal[whole]
            self._kept.append(item.shapes)
        return self._known[quick]


def _plain_item(item: Item, stamps: _Stamps) -> dict[str, Any]:
    entry: dict[str, Any] = {"stamp": stamps.number(item), "x": _short(item.x), "y": _short(item.y)}
    if item.cells:
        entry["cells"] = list(item.cells)
    if item.text:
        entry["text"] = item.text
    if item.name:
        entry["name"] = item.name
    if item.colour is not None:
        entry["colour"] = item.colour
    if item.strength is not None:
        entry["strength"] = item.strength
    return entry


def tag(shape: Shape) -> Tag:
    """A shape as an element of SVG, with its role as its class and no colours but its own."""
    attributes: dict[str, str | float] = {"class": shape.role}
    text, name = "", ""
    match shape:
        case Circle(x=x, y=y, radius=radius):
            name = "circle"
            attributes |= {"cx": _short(x), "cy": _short(y), "r": _short(radius)}
        case Box(x=x, y=y, width=width, height=height):
            name = "rect"
            attributes |= {"x": _short(x), "y": _short(y), "width": _short(width), "height": _short(height)}
            attributes |= {"rx": _short(shape.round)} if shape.round else {}
        case Polygon(points=points):
            name = "polygon"
            attributes["points"] = " ".join(f"{_short(x):g},{_short(y):g}" for x, y in points)
        case Lines(strokes=strokes):
            name = "path"
            attributes["d"] = "".join(
                "M" + "L".join(f"{_short(x):g} {_short(y):g}" for x, y in stroke) for stroke in strokes
            )
        case Text(x=x, y=y, size=size):
            name, text = "text", shape.text
            attributes |= {"x": _short(x), "y": _short(y), "font-size": _short(size)}
    if shape.ink is not None:
        attributes["fill"] = shape.ink.fill
        if shape.ink.width:
            attributes |= {"stroke": shape.ink.line, "stroke-width": shape.ink.width}
    return name, attributes, text


def _short(number: float) -> float:
    """As exact as a picture needs it."""
    return round(number, 3) + 0.0
