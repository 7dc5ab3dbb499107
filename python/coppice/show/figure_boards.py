"""Boards in a figure: the one scene of every board, painted by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coppice.board.shapes import Box, Circle, Item, Lines, Polygon, Scene, Shape, Text
from coppice.board.svg import ink_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

__all__ = ["paint_board"]


def paint_board(axis: Axes, picture: Scene, inches: float) -> None:
    """Paints a scene onto an axis, in cell widths; the axis is so many inches wide."""
    left, top, width, height = picture.box
    # Of a cell.
    points = 72 * inches / width
    for item in picture.items:
        for shape in item.shapes:
            ink = dict(ink_of(item.role, shape.role))
            if shape.ink is not None:
                ink |= {"fill": shape.ink.fill, "stroke": shape.ink.line, "stroke-width": shape.ink.width}
            fill, line = item.colour or str(ink.get("fill", "#000000")), str(ink.get("stroke", "none"))
            strength = item.strength if item.strength is not None else float(ink.get("fill-opacity", 1.0))
            axis.add_patch(
                _patch(
                    shape,
                    item,
                    facecolor="none" if fill == "none" else (fill, strength),
                    edgecolor=line,
                    linewidth=points * float(ink.get("stroke-width", 0.0)) if line != "none" else 0.0,
                )
            )
    axis.set_xlim(left, left + width)
    axis.set_ylim(top + height, top)
    axis.set_aspect("equal")
    axis.set_axis_off()


def _patch(shape: Shape, item: Item, **look: Any) -> Patch:
    """A shape as matplotlib has it."""
    from matplotlib import patches
    from matplotlib.path import Path
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    match shape:
        case Circle(x=x, y=y, radius=radius):
            return patches.Circle((item.x + x, item.y + y), radius, **look)
        case Box(x=x, y=y, width=width, height=height):
            return patches.Rectangle((item.x + x, item.y + y), width, height, **look)
        case Polygon(points=points):
            return patches.Polygon([(item.x + x, item.y + y) for x, y in points], **look)
        case Lines(strokes=strokes):
            paths = [Path([(item.x + x, item.y + y) for x, y in stroke]) for stroke in strokes]
            return patches.PathPatch(Path.make_compound_path(*paths), **{**look, "facecolor": "none"})
        case Text(x=x, y=y, size=size):
            text = TextPath((0, 0), shape.text or item.text, size=size)
            middle = text.get_extents().width / 2
            # The axis grows downward, letters do not.
            turned = Affine2D().translate(-middle, 0).scale(1, -1).translate(item.x + x, item.y + y)
            return patches.PathPatch(turned.transform_path(text), **{**look, "linewidth": 0.0})
