"""The emblem of each character of Mr Jack: what its power is about, in a square of side 1 around (0, 0)."""

from __future__ import annotations

import math
from collections.abc import Callable

from coppice.board.shapes import Box, Circle, Ink, Lines, Point, Polygon, Shape

__all__ = ["emblem"]


def _magnifier(line: Ink, fill: Ink) -> tuple[Shape, ...]:
    return (
        Circle("emblem", -0.1, -0.1, 0.3, line),
        Lines("emblem", (((0.12, 0.12), (0.46, 0.46)),), line),
    )


def _lantern(line: Ink, fill: Ink) -> tuple[Shape, ...]:
    rays = (((0.3, -0.12), (0.5, -0.22)), ((0.32, 0.1), (0.52, 0.1)), ((0.3, 0.3), (0.5, 0.42)))
    return (
        Box("emblem", -0.36, -0.16, 0.5, 0.58, 0.06, fill),
        Lines("emblem", (((-0.3, -0.2), (-0.24, -0.44), (0.02, -0.44), (0.08, -0.2)), *rays), line),
    )


def _flame(line: Ink, fill: Ink) -> tuple[Shape, ...]:
    right = ((0.0, -0.5), (0.1, -0.26), (0.28, -0.06), (0.32, 0.16), (0.22, 0.36), (0.0, 0.46))
    left = tuple((-x, y) for x, y in reversed(right[1:-1]))
    return (Polygon("emblem", (*right, *left), fill),)


def _star(line: Ink, fill: Ink) -> tuple[Shape, ...]:
    corners = tuple(_turned(0.5 if k % 2 == 0 else 0.21, 36 * k - 90) for k in range(10))
    return (Polygon("emblem", corners, fill),)


def _moon(line: Ink, fill: Ink) -> tuple[Shape, ...]:
    outer = [_turned(0.46, angle) for angle in range(-120, 121, 20)]
    inner = [(x - 0.24, y) for x, y in (_turned(0.4, angle) for angle in range(95, -96, -19))]
    return (Polygon("emblem", (*outer, *inner), fill),)


def _whistle(line: Ink, fill: Ink) -> tuple[Shape, ...]:
    return (
        Circle("emblem", -0.16, 0.1, 0.28, fill),
        Polygon("emblem", ((-0.16, -0.18), (0.48, -0.18), (0.48, 0.04), (-0.16, 0.1)), fill),
        Lines("emblem", (((0.1, -0.34), (0.16, -0.5)), ((0.32, -0.34), (0.42, -0.48))), line),
    )


def _exchange(line: Ink, fill: Ink) -> tuple[Shape, ...]:
    above: tuple[Point, ...] = ((-0.46, -0.18), (0.4, -0.18))
    head: tuple[Point, ...] = ((0.18, -0.4), (0.44, -0.18), (0.18, 0.04))
    there = (above, head)
    back = tuple(tuple((-x, -y + 0.06) for x, y in stroke) for stroke in there)
    return (Lines("emblem", (*there, *back), line),)


def _grate(line: Ink, fill: Ink) -> tuple[Shape, ...]:
    bars = tuple(((x, -0.34 + abs(x) * 0.5), (x, 0.34 - abs(x) * 0.5)) for x in (-0.2, 0.0, 0.2))
    return Circle("emblem", 0.0, 0.0, 0.44, line), Lines("emblem", bars, line)


def _turned(radius: float, degrees: float) -> Point:
    angle = math.radians(degrees)
    return radius * math.cos(angle), radius * math.sin(angle)


_DRAWN: dict[str, Callable[[Ink, Ink], tuple[Shape, ...]]] = {
    "holmes": _magnifier,
    "watson": _lantern,
    "smith": _flame,
    "lestrade": _star,
    "stealthy": _moon,
    "goodley": _whistle,
    "gull": _exchange,
    "bert": _grate,
}


def emblem(name: str, x: float, y: float, size: float, colour: str) -> tuple[Shape, ...]:
    """The emblem of a character around a point, as large as asked for."""
    line, fill = Ink("none", colour, round(0.13 * size, 4)), Ink(colour)
    return tuple(_placed(shape, x, y, size) for shape in _DRAWN[name](line, fill))


def _placed(shape: Shape, x: float, y: float, size: float) -> Shape:
    def at(point: Point) -> Point:
        return x + size * point[0], y + size * point[1]

    match shape:
        case Circle(role=role, radius=radius, ink=ink):
            return Circle(role, *at((shape.x, shape.y)), size * radius, ink)
        case Box(role=role, width=width, height=height, ink=ink):
            place = at((shape.x, shape.y))
            return Box(role, *place, size * width, size * height, size * shape.round, ink)
        case Polygon(role=role, points=points, ink=ink):
            return Polygon(role, tuple(map(at, points)), ink)
        case Lines(role=role, strokes=strokes, ink=ink):
            return Lines(role, tuple(tuple(map(at, stroke)) for stroke in strokes), ink)
    return shape
