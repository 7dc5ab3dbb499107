"""Figures fit to print: curves and categories of experiments, forest plots, heat maps, tunings.

They are written as PDF, SVG and PNG. matplotlib is imported only when a figure is drawn. The same numbers
give the same file, byte for byte.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from coppice.board.scales import Paint
from coppice.board.scene import SceneOptions
from coppice.board.svg import ink_of
from coppice.papers.evidence import Mean
from coppice.papers.experiment import Figure
from coppice.papers.results import Line
from coppice.show.figure_boards import paint_board
from coppice.show.figure_effects import draw_heat_map, forest, heat_map
from coppice.show.figure_rates import draw_rates
from coppice.show.figure_style import (
    COLOURS,
    COLUMNS,
    GREY,
    KINDS,
    OPEN,
    Kind,
    Words,
    kind_of,
    legend_below,
    mixed,
    panels_of,
    picture,
    plain_logarithmic,
    save,
    styled,
)
from coppice.show.figure_tuning import draw_tuning

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from coppice.show.drawing import Drawing

__all__ = [
    "KINDS",
    "Kind",
    "draw_experiment",
    "draw_heat_map",
    "draw_tuning",
    "forest",
    "heat_map",
    "kind_of",
    "picture",
    "save",
]

_PLY, _INTERVAL, _SHARE = "ply", "95 % interval", "searches that keep the cell:"


@styled
def draw_experiment(figure: Figure, lines: Sequence[Line]) -> Drawing | None:
    """A figure of an experiment from the lines of its table; None while there is nothing to draw."""
    if figure.on_board:
        return _on_board(figure, lines)
    return _by_ply(figure, lines) if figure.by_ply else draw_rates(figure, lines)


# Curves over the plies of a game


def _by_ply(figure: Figure, lines: Sequence[Line]) -> Drawing | None:
    curves = [(line.row, line.evidence.curve) for line in lines if line.evidence and line.evidence.curve]
    measures = [line.row.ply_quantity for line in lines if line.row.ply_quantity]
    words = Words(figure.labels, [_PLY, _INTERVAL, *measures, *(line.row.name for line in lines)])
    if not curves:
        return None
    apart = len(curves) > len(COLOURS)
    drawing, axes = panels_of(len(curves) if apart else 1)
    for place, (row, curve) in enumerate(curves):
        axis = axes[place if apart else 0]
        _ply_curve(axis, curve, words(row.name), 0 if apart else place, 1 if apart else len(curves))
        if not apart or place + COLUMNS >= len(curves):
            axis.set_xlabel(words(_PLY))
        one_measure = len(set(measures)) == 1
        if (one_measure or apart) and place % COLUMNS == 0:
            axis.set_ylabel(words(row.ply_quantity))
        if apart:
            axis.set_title(textwrap.fill(words(row.name), 34), fontsize=8)
    means = [mean.mean for _, curve in curves for _, mean in curve]
    for place, axis in enumerate(axes):
        if figure.logarithmic and min(means) > 0:
            plain_logarithmic(axis, "y", means, 100.0 if apart else 220.0)
            # Intervals that reach below zero end at the edge.
            axis.set_ylim(min(means) / 1.3, max(means) * 1.3)
        if apart and place % COLUMNS and figure.logarithmic:
            axis.tick_params(labelleft=False)
    _explain_plies(drawing, None if apart else axes[0], words)
    drawing.suptitle(figure.title)
    return drawing


def _explain_plies(drawing: Drawing, together: Axes | None, words: Words) -> None:
    """What bars or bands are, and whose colour is whose."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    curves = [] if together is None else [line for line in together.get_lines() if line.get_label()]
    handles: list[Artist] = list(curves) if len(curves) > 1 else []
    if len(curves) > 1:
        handles.append(
            Line2D(*([], []), color=OPEN, marker="|", markersize=9, linestyle="none", label=words(_INTERVAL))
        )
    else:
        handles.append(Patch(facecolor=COLOURS[0], alpha=0.18, linewidth=0, label=words(_INTERVAL)))
    legend_below(drawing, handles)


def _ply_curve(axis: Axes, curve: Sequence[tuple[int, Mean]], label: str, place: int, of: int) -> None:
    """A curve: alone with a band, beside others with bars, each curve's at other plies."""
    colour = COLOURS[place]
    axis.plot([ply for ply, _ in curve], [mean.mean for _, mean in curve], color=colour, label=label)
    # Plies that hardly any game has reached have intervals that hide all others.
    known = [(ply, mean.interval()) for ply, mean in curve if mean.count > 4]
    if of > 1:
        step = max(of, math.ceil(len(known) / 12))
        known = known[step * place // of :: step]
    plies, low, high = [p for p, _ in known], [i.low for _, i in known], [i.high for _, i in known]
    if of > 1:
        axis.vlines(plies, low, high, color=colour, linewidth=0.9)
    else:
        axis.fill_between(plies, low, high, color=colour, alpha=0.18, linewidth=0)


# Boards


def _on_board(figure: Figure, lines: Sequence[Line]) -> Drawing | None:
    words = Words(figure.labels, [_SHARE, *(line.row.name for line in lines)])
    drawn = [
        (line.row, dict(line.evidence.cells))
        for line in lines
        if line.evidence is not None and line.evidence.cells
    ]
    if not drawn:
        return None
    drawing, axes = panels_of(len(drawn))
    for axis, (row, shares) in zip(axes, drawn, strict=True):
        state = row.start()
        # The hotter, the more often it was kept; a cell that never was stays pale.
        paints = {
            index: Paint(shares[cell.name], None, "")
            for index, cell in enumerate(state.game.board().cells)
            if cell.name in shares
        }
        inches = float(drawing.get_figwidth()) / (1 if len(drawn) == 1 else COLUMNS)
        paint_board(axis, state.scene(SceneOptions(coordinates=False, paints=paints)), inches)
        axis.set_title(words(row.name), fontsize=8)
    from matplotlib.patches import Patch

    swatches = [Patch(facecolor="none", edgecolor="none", label=words(_SHARE))]
    for share in (0.0, 0.5, 1.0):
        shade = mixed(
            str(ink_of("cell plain", "ground")["fill"]), str(ink_of("paint", "heat")["fill"]), share
        )
        swatches.append(Patch(facecolor=shade, edgecolor=GREY, linewidth=0.5, label=f"{100 * share:.0f} %"))
    legend_below(drawing, swatches)
    drawing.suptitle(figure.title)
    return drawing
