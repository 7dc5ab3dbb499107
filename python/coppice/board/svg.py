"""A scene as SVG: with its own colours for notebooks and files, or with those of the page around it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape

from coppice.board.cells import Board, Piece, Side
from coppice.board.scales import Paint
from coppice.board.scene import SceneOptions, scene
from coppice.board.shapes import Item, Scene, Shape, tag

__all__ = ["board_svg", "ink_of", "items_svg", "scene_svg"]

PIXELS = 40.0
"""Pixels between the centres of two neighbouring cells."""

_LINE: dict[str, str | float] = {"stroke": "#a08a5c", "stroke-width": 0.025}
_NONE: dict[str, str | float] = {"fill": "none"}

# What roles look like outside the app: an entry holds for all that have its words and overrules earlier ones.
_INKS: tuple[tuple[str, dict[str, str | float]], ...] = (
    ("ground", {"fill": "#e9d9b6", **_LINE}),
    ("ground dark", {"fill": "#d5bc86"}),
    ("ground corner", {"fill": "#d3b988"}),
    ("ground edge", {"fill": "#dfcb9f"}),
    ("ground building", {"fill": "#6d5a4a"}),
    ("ground garden", {"fill": "#7d9a6a"}),
    ("ground street", {"fill": "#cdbd98"}),
    ("ground manhole", {"fill": "#cdbd98"}),
    ("ground lit", {"fill": "#ffe79b"}),
    ("ground lamp", {"fill": "#6f6759"}),
    ("ground exit", {"fill": "#dcefe0"}),
    ("ground won", {"fill": "#bcd09b"}),
    ("ground crossing", {"stroke": "#e9d9b6"}),
    ("grid", {**_NONE, **_LINE}),
    ("rim-line", {**_NONE, "stroke-width": 0.46}),
    ("rim-line white", {"stroke": "#6b6358"}),
    ("rim-line black", {"stroke": "#000000"}),
    ("rim-body", {**_NONE, "stroke-width": 0.4}),
    ("rim-body white", {"stroke": "#fdfdfb"}),
    ("rim-body black", {"stroke": "#26221f"}),
    ("heat", {"fill": "#c2410c"}),
    ("shade", {"fill": "#000000", "fill-opacity": 0.15}),
    ("stone", {"stroke-width": 0.035}),
    ("stone white", {"fill": "#fdfdfb", "stroke": "#6b6358"}),
    ("stone black", {"fill": "#26221f", "stroke": "#000000"}),
    ("stone neutral", {"fill": "#8a8f98", "stroke": "#4a4f57"}),
    ("figure", {"fill": "#fdfdfb"}),
    ("figure white", {"fill": "#26221f"}),
    ("figure-text", {"fill": "#fdfdfb", "font-weight": 600}),
    ("figure-text white", {"fill": "#26221f"}),
    ("mark-cross", {**_NONE, "stroke": "#2f6b4f", "stroke-width": 0.12, "stroke-linecap": "round"}),
    ("mark-circle", {**_NONE, "stroke": "#c2632a", "stroke-width": 0.11}),
    ("domino", {"stroke": "#26221f", "stroke-width": 0.025}),
    ("domino first", {"fill": "#2f6b4f"}),
    ("domino second", {"fill": "#c2632a"}),
    ("light", {}),
    ("face", {}),
    ("badge", {}),
    ("tick", {}),
    ("bulb", {}),
    ("strike", {}),
    ("emblem", {"stroke-linecap": "round", "stroke-linejoin": "round"}),
    ("wall", {}),
    ("roof", {}),
    ("glass", {}),
    ("crown", {}),
    ("hole", {}),
    ("iron", {}),
    ("rib", {}),
    ("barrier", {}),
    ("stripe", {}),
    ("beam", {"fill-opacity": 0.6}),
    ("arrow-head", {"fill": "#1d7a48"}),
    ("letter", {"font-weight": 700}),
    ("place", {"font-weight": 700}),
    ("way-out", {"fill": "#26221f"}),
    ("sign", {"font-weight": 700, "fill": "#26221f"}),
    ("name", {"fill": "#7a6a4c"}),
    ("edge-name", {"fill": "#7a6a4c"}),
    ("label", {"fill": "#26221f"}),
    ("legend", {"fill": "#26221f"}),
    ("winning", {**_NONE, "stroke": "#15803d", "stroke-width": 0.075}),
    ("winning line", {"stroke-width": 0.12, "stroke-linecap": "round", "stroke-opacity": 0.85}),
    ("last", {"fill": "#b91c1c"}),
    ("last around", {**_NONE, "stroke": "#b91c1c", "stroke-width": 0.06}),
    ("threat", {"stroke": "#b91c1c", "stroke-width": 0.06}),
    ("threat white", {"fill": "#fdfdfb"}),
    ("threat black", {"fill": "#26221f"}),
    ("target", {"fill": "#2f6b4f", "fill-opacity": 0.75}),
    ("target around", {**_NONE, "stroke": "#2f6b4f", "stroke-width": 0.09}),
)


@functools.lru_cache(maxsize=1024)
def ink_of(role: str, shape: str) -> Mapping[str, str | float]:
    """The colours and lines of a shape with this role in an item with that one."""
    words, wanted = {*role.split(), *shape.split()}, set(shape.split())
    found: dict[str, str | float] = {}
    known = False
    for rule, ink in _INKS:
        needed = set(rule.split())
        if needed <= words and needed & wanted:
            found |= ink
            known = True
    if not known:
        raise ValueError(f"nothing says how '{shape}' is painted: {', '.join(rule for rule, _ in _INKS)}")
    return found


def scene_svg(picture: Scene, *, coloured: bool = True, label: str = "") -> str:
    """A scene as an SVG picture.

    Args:
        picture: what is painted.
        coloured: whether the picture brings its own colours; otherwise the page around it has them, by role.
        label: what the picture is, for those who do not see it.
    """
    left, top, width, height = picture.box
    view = f'viewBox="{left:.3f} {top:.3f} {width:.3f} {height:.3f}"'
    named = f' aria-label="{escape(label)}"' if label else ""
    if coloured:
        size = f'width="{width * PIXELS:.0f}" height="{height * PIXELS:.0f}"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {view} {size} font-family="sans-serif" '
            f'text-anchor="middle" role="img"{named}>'
        )
    else:
        head = f'<svg class="board picture {picture.shape}" {view} role="img"{named}>'
    return f"{head}{items_svg(picture.items, coloured=coloured)}</svg>"


def items_svg(items: Sequence[Item], *, coloured: bool = True) -> str:
    """Items as elements of SVG."""
    return "".join(_item(item, coloured) for item in items)


def _item(item: Item, coloured: bool) -> str:
    place = f' transform="translate({item.x:.3f} {item.y:.3f})"' if item.x or item.y else ""
    more = ""
    if coloured and "gone" in item.role.split():
        more = ' opacity="0.35"'
    shapes = "".join(_shape(shape, item, coloured) for shape in item.shapes)
    return f'<g class="{escape(item.role)}"{place}{more}>{shapes}</g>'


def _shape(shape: Shape, item: Item, coloured: bool) -> str:
    name, attributes, text = tag(shape)
    if coloured:
        # What belongs to the thing itself goes before the theme.
        attributes = {**ink_of(item.role, shape.role), **attributes}
    if item.colour is not None:
        attributes["fill"] = item.colour
    if item.strength is not None:
        attributes["fill-opacity"] = f"{item.strength:.2f}"
    written = " ".join(
        f'{key}="{escape(value) if isinstance(value, str) else format(value, "g")}"'
        for key, value in attributes.items()
    )
    if name == "text":
        return f"<text {written}>{escape(text or item.text)}</text>"
    return f"<{name} {written}/>"


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
    dark: Side | None = None,
) -> str:
    """A board with pieces as an SVG picture.

    Args:
        board: the empty board.
        pieces: what stands on it.
        values: a number in 0..1 per cell, shown as a heat map.
        paints: values of a table, painted as their scale says, with their texts.
        legend: a line below the board that says what the values are.
        marks: cells to point out as those of the last move.
        winning: cells that won the game: a line is drawn through them.
        coordinates: whether cells carry their names.
        labels: a few characters per cell, in the place of its name.
        dark: the side that has the black pieces; None: as the board says.
    """
    if dark is not None:
        board = replace(board, black=dark)
    painted = {index: Paint(min(max(value, 0.0), 1.0), None, "") for index, value in (values or {}).items()}
    options = SceneOptions(
        coordinates=coordinates,
        last=marks,
        winning=winning,
        paints={**painted, **(paints or {})},
        labels=labels,
        legend=legend,
    )
    return scene_svg(scene(board, pieces, options))
