"""Figures of experiments, sweeps and tournaments: curves with bands for 95 % intervals, and heat maps.

matplotlib is imported only when a figure is drawn. The same numbers give the same SVG, byte for byte.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from coppice.board.scales import Paint
from coppice.board.scene import SceneOptions
from coppice.board.shapes import Box, Circle, Item, Lines, Polygon, Scene, Shape, Text
from coppice.board.svg import ink_of
from coppice.core import distribution
from coppice.papers.experiment import Figure
from coppice.papers.results import Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
    from matplotlib.patches import Patch

__all__ = ["draw_experiment", "draw_heat_map", "picture"]

_COLOURS = ("#c2410c", "#1d4ed8", "#15803d", "#7e22ce", "#b45309", "#0e7490", "#be185d", "#4d7c0f")
_TOGETHER = 6
"""More curves than this get a panel each."""


def _new(panels: int = 1) -> tuple[Drawing, list[Axes]]:
    matplotlib = distribution.optional("matplotlib", "lab", "figures need matplotlib")
    matplotlib.use("Agg")
    # Ids inside an SVG are drawn from this salt instead of the clock; text stays text.
    matplotlib.rcParams.update({"svg.hashsalt": "coppice", "svg.fonttype": "none", "font.size": 9})
    from matplotlib.figure import Figure as Drawing

    columns = 1 if panels == 1 else 3
    rows = math.ceil(panels / columns)
    drawing = Drawing(figsize=(6.4, 4.0) if panels == 1 else (10.0, 2.6 * rows), layout="constrained")
    axes = [drawing.add_subplot(rows, columns, place + 1) for place in range(panels)]
    return drawing, axes


def picture(drawing: Drawing, kind: Literal["svg", "png"]) -> bytes:
    """A drawing as the content of a file."""
    out = io.BytesIO()
    metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
    drawing.savefig(out, format=kind, dpi=150, metadata=metadata)
    return out.getvalue()


def draw_experiment(figure: Figure, lines: Sequence[Line]) -> Drawing | None:
    """A figure of an experiment from the lines of its table; None while there is nothing to draw."""
    if figure.on_board:
        return _on_board(figure, lines)
    return _by_ply(figure, lines) if figure.by_ply else _by_label(figure, lines)


def _by_label(figure: Figure, lines: Sequence[Line]) -> Drawing | None:
    groups: dict[str, list[tuple[float, Line]]] = {}
    for line in lines:
        x = line.row.labels.get(figure.x, "")
        if line.row.is_rate and _is_number(x):
            reading = f"[{line.row.reading}]" if line.row.reading else ""
            name = f"{line.row.labels.get(figure.group, '')} {reading}".strip()
            groups.setdefault(name, []).append((float(x), line))
    drawn = {name: group for name, group in groups.items() if any(line.evidence for _, line in group)}
    if not drawn:
        return None
    apart = len(drawn) > _TOGETHER or figure.group in ("axis", "parameter")
    drawing, axes = _new(len(drawn) if apart else 1)
    for place, (name, group) in enumerate(drawn.items()):
        axis = axes[place if apart else 0]
        _curve(axis, sorted(group, key=lambda point: point[0]), name, _COLOURS[0 if apart else place % 8])
        axis.set_xlabel(name if figure.group in ("axis", "parameter") else figure.x)
        axis.set_ylabel("win rate (%)")
        axis.axhline(50, color="#999999", linewidth=0.7)
        if figure.logarithmic and min(x for x, _ in group) > 0 and len(group) > 1:
            axis.set_xscale("log")
        if apart:
            axis.set_title(name, fontsize=8)
    if not apart:
        axes[0].legend(frameon=False, fontsize=8)
    drawing.suptitle(figure.title)
    return drawing


def _curve(axis: Axes, points: Sequence[tuple[float, Line]], name: str, colour: str) -> None:
    ours = [(x, line.evidence) for x, line in points if line.evidence is not None]
    spread = [(x, found.value, found.interval) for x, found in ours]
    known = [
        (x, value, interval) for x, value, interval in spread if value is not None and interval is not None
    ]
    xs = [x for x, _, _ in known]
    label = f"{name} (ours)".strip() if name else "ours, 95 % interval"
    axis.plot(xs, [100 * value for _, value, _ in known], marker="o", markersize=3, color=colour, label=label)
    low, high = (
        [100 * end for end in ends] for ends in zip(*((i.low, i.high) for *_, i in known), strict=True)
    )
    axis.fill_between(xs, low, high, color=colour, alpha=0.18, linewidth=0)
    if len(xs) == 1:
        axis.vlines(xs, low, high, color=colour)
    printed = [(x, line.row.published.value) for x, line in points if line.row.published.value is not None]
    if printed:
        axis.plot(
            [x for x, _ in printed],
            [100 * value for _, value in printed],
            *("--",),
            marker="s",
            markersize=3,
            linewidth=0.8,
            color=colour,
            markerfacecolor="white",
            label=f"{name} (paper)" if name else "paper",
        )


def _by_ply(figure: Figure, lines: Sequence[Line]) -> Drawing | None:
    curves = [(line.row.name, line.evidence.curve) for line in lines if line.evidence and line.evidence.curve]
    if not curves:
        return None
    drawing, [axis] = _new()
    for place, (name, curve) in enumerate(curves):
        xs = [ply for ply, _ in curve]
        colour = _COLOURS[place % len(_COLOURS)]
        axis.plot(xs, [mean.mean for _, mean in curve], color=colour, label=name)
        # Plies that hardly any game has reached have intervals that hide all others.
        known = [(ply, mean.mean, mean.interval()) for ply, mean in curve if mean.count > 4]
        axis.fill_between(
            [ply for ply, _, _ in known],
            [interval.low for *_, interval in known],
            [interval.high for *_, interval in known],
            color=colour,
            alpha=0.18,
            linewidth=0,
        )
    axis.set_xlabel("ply")
    if figure.logarithmic:
        axis.set_yscale("log")
    axis.legend(frameon=False, fontsize=8)
    drawing.suptitle(figure.title)
    return drawing


def _on_board(figure: Figure, lines: Sequence[Line]) -> Drawing | None:
    drawn = [
        (line.row, dict(line.evidence.cells))
        for line in lines
        if line.evidence is not None and line.evidence.cells
    ]
    if not drawn:
        return None
    drawing, axes = _new(len(drawn))
    for axis, (row, shares) in zip(axes, drawn, strict=True):
        state = row.start()
        # The hotter, the more often it was kept; a cell that never was stays pale.
        paints = {
            index: Paint(shares[cell.name], None, "")
            for index, cell in enumerate(state.game.board().cells)
            if cell.name in shares
        }
        inches = float(drawing.get_figwidth()) / (1 if len(drawn) == 1 else 3)
        _paint(axis, state.scene(SceneOptions(coordinates=False, paints=paints)), inches)
        axis.set_title(row.name, fontsize=8)
    drawing.suptitle(figure.title)
    return drawing


def _paint(axis: Axes, picture: Scene, inches: float) -> None:
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


def draw_heat_map(
    title: str,
    x: tuple[str, Sequence[str]],
    y: tuple[str, Sequence[str]],
    values: Mapping[tuple[str, str], tuple[float, float, float]],
) -> Drawing:
    """A heat map of rates with their 95 % intervals by the values of two options."""
    drawing, [axis] = _new()
    grid = [[100 * values[a, b][0] if (a, b) in values else math.nan for a in x[1]] for b in y[1]]
    image = axis.imshow(grid, cmap="RdYlGn", vmin=0, vmax=100, aspect="auto", origin="lower")
    for row, b in enumerate(y[1]):
        for column, a in enumerate(x[1]):
            if (a, b) in values:
                rate, low, high = (100 * number for number in values[a, b])
                text = f"{rate:.1f}\n[{low:.0f}, {high:.0f}]"
                axis.text(column, row, text, ha="center", va="center", fontsize=7)
    axis.set_xticks(range(len(x[1])), labels=list(x[1]))
    axis.set_yticks(range(len(y[1])), labels=list(y[1]))
    axis.set_xlabel(x[0])
    axis.set_ylabel(y[0])
    drawing.colorbar(image, ax=axis, label="win rate (%)")
    drawing.suptitle(title)
    return drawing


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
