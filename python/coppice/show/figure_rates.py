"""Figures of rates by a label: curves where the label is a number, else categories on an axis.

A curve alone on its axis has a band for its 95 % intervals. Beside others it has bars, each curve's a little
to the side, so that none lies over another.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from coppice.lab.stats import Interval
from coppice.papers.experiment import LITERAL_NAME, Figure
from coppice.papers.results import Line
from coppice.show.figure_style import (
    COLOURS,
    COLUMNS,
    GREY,
    MARKERS,
    OPEN,
    Words,
    legend_below,
    new,
    panels_of,
    plain_logarithmic,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from coppice.show.drawing import Drawing

__all__ = ["draw_rates"]

_RATE, _MEASURED, _PUBLISHED = "win rate (%)", "measured, 95 % interval", "published"
_TOGETHER = len(COLOURS)
"""More curves than this get panels."""
_OWN_AXES = ("axis", "parameter")
"""Labels whose values are different quantities: each is a panel with its own axis."""

_Points = list[tuple[str, Line]]
"""Places on the axis, as the rows' labels have them, and the rows."""
_Panels = dict[str, dict[str, _Points]]
"""The curves by the names of their panel and their own."""


def draw_rates(figure: Figure, lines: Sequence[Line]) -> Drawing | None:
    """The figure; None while there is nothing to draw."""
    rows = [line for line in lines if line.row.is_rate and line.row.labels.get(figure.x)]
    words = _words(figure, rows)
    found: dict[tuple[str, str, str], _Points] = {}
    for line in rows:
        labels = line.row.labels
        key = (labels.get(figure.panels, ""), labels.get(figure.group, ""), line.row.reading)
        found.setdefault(key, []).append((labels[figure.x], line))
    found = {key: points for key, points in found.items() if any(measured(line) for _, line in points)}
    if not found:
        return None
    panels = _panels(figure, found, words)
    xs = [x for curves in panels.values() for points in curves.values() for x, _ in points]
    drawing = (
        _curves(figure, panels, words) if all(map(_is_number, xs)) else _categories(figure, panels, words)
    )
    drawing.suptitle(figure.title)
    return drawing


def measured(line: Line) -> tuple[float, Interval] | None:
    """The rate of a row with its interval, both in percent."""
    found = line.evidence
    if found is None or found.value is None or found.interval is None:
        return None
    return 100 * found.value, Interval(100 * found.interval.low, 100 * found.interval.high)


def _words(figure: Figure, rows: Sequence[Line]) -> Words:
    said = [
        text
        for line in rows
        for text in (line.row.reading, *(line.row.labels.get(name, "") for name in _names(figure)))
    ]
    return Words(figure.labels, [*_names(figure), _RATE, _MEASURED, _PUBLISHED, LITERAL_NAME, *said])


def _names(figure: Figure) -> tuple[str, str, str]:
    return figure.x, figure.group, figure.panels


def _panels(figure: Figure, found: Mapping[tuple[str, str, str], _Points], words: Words) -> _Panels:
    """Which curves share an axis: as the figure says; else all, as long as their colours differ."""
    groups = {group for _, group, _ in found}
    named = bool(figure.panels) or figure.group in _OWN_AXES
    apart = not named and len(found) > _TOGETHER
    several = len({reading for *_, reading in found}) > 1
    panels: _Panels = {}
    for (panel, group, reading), points in found.items():
        told = (words(reading) or words(LITERAL_NAME)) if several else ""
        curve = _group(figure, group, words)
        if figure.group in _OWN_AXES:
            panel, curve = group, ""
        elif apart and len(groups) > 1:
            panel, curve = curve, ""
        elif apart:
            panel, told = told, ""
        name = ", ".join(part for part in (curve, told) if part)
        panels.setdefault(panel, {})[name] = points
    return panels


def _group(figure: Figure, group: str, words: Words) -> str:
    """A group as a legend has it: a bare number says of what."""
    if group and _is_number(words(group)):
        return f"{words(figure.group)} = {words(group)}"
    return words(group)


def _reach(panels: _Panels) -> tuple[float, float]:
    """Where an axis of rates begins and ends: all that is drawn, and 50 %."""
    found = [50.0]
    for curves in panels.values():
        for points in curves.values():
            for _, line in points:
                ours, printed = measured(line), line.row.published.value
                found += [] if ours is None else [ours[1].low, ours[1].high]
                found += [] if printed is None else [100 * printed]
    space = 0.06 * max(max(found) - min(found), 10)
    return max(min(found) - space, -3), min(max(found) + space, 103)


# Curves


def _curves(figure: Figure, panels: _Panels, words: Words) -> Drawing:
    drawing, axes = panels_of(len(panels))
    own_axes = figure.group in _OWN_AXES
    names = list(dict.fromkeys(name for curves in panels.values() for name in curves))
    context = next(iter(panels.values()))[""] if len(panels) > 1 and names == [""] and not own_axes else None
    low, high = _reach(panels)
    for place, (axis, (panel, curves)) in enumerate(zip(axes, panels.items(), strict=True)):
        xs = [float(x) for points in (*curves.values(), context or []) for x, _ in points]
        wide = 72 * float(drawing.get_figwidth()) / min(len(panels), COLUMNS) - 45
        step = min(5.0, 0.6 * wide / len(set(xs)) / len(curves))
        if context is not None and place:
            _in_background(axis, context)
        printed: set[tuple[str, float]] = set()
        for at, (name, points) in enumerate(curves.items()):
            shift = step * (at - (len(curves) - 1) / 2)
            _curve(axis, points, names.index(name), printed, alone=len(curves) == 1, shift=shift)
        axis.set_ylim(low, high)
        _scale(axis, xs, wide, logarithmic=figure.logarithmic)
        axis.axhline(50, color=GREY, linewidth=0.6, zorder=0)
        if own_axes:
            axis.set_xlabel(words(panel))
        else:
            axis.set_title(textwrap.fill(words(panel), 34), fontsize=8)
            if place + COLUMNS >= len(panels):
                axis.set_xlabel(words(figure.x))
        if place % COLUMNS == 0:
            axis.set_ylabel(words(_RATE))
        else:
            axis.tick_params(labelleft=False)
    _explain(drawing, panels, names, words, "" if context is None else next(iter(panels)))
    return drawing


def _scale(axis: Axes, xs: Sequence[float], wide: float, *, logarithmic: bool) -> None:
    """The horizontal axis, as many points wide, from the first place to the last."""
    first, last = min(xs), max(xs)
    if logarithmic and first > 0:
        plain_logarithmic(axis, "x", xs, wide)
        space = (last / first) ** 0.07 if last > first else 1.5
        axis.set_xlim(first / space, last * space)
    else:
        space = 0.07 * (last - first) or 0.5
        axis.set_xlim(first - space, last + space)


def _curve(
    axis: Axes,
    points: _Points,
    place: int,
    printed: set[tuple[str, float]],
    *,
    alone: bool,
    shift: float,
) -> None:
    """A curve: alone with a band, beside others with bars, so many points to the side.

    A published number that several curves are compared with is drawn, and entered in `printed`, once.
    """
    from matplotlib.transforms import ScaledTranslation

    figure = axis.get_figure()
    assert figure is not None, "it has just been put there"
    moved = axis.transData + ScaledTranslation(shift / 72, 0, figure.dpi_scale_trans)
    look = _look(place)
    ordered = sorted(points, key=lambda point: float(point[0]))
    known = [(float(x), *found) for x, line in ordered if (found := measured(line)) is not None]
    xs, low, high = [x for x, *_ in known], [i.low for *_, i in known], [i.high for *_, i in known]
    axis.plot(xs, [value for _, value, _ in known], transform=moved, zorder=3, **look)
    if alone and len(xs) > 1:
        axis.fill_between(xs, low, high, color=look["color"], alpha=0.18, linewidth=0)
    else:
        axis.vlines(xs, low, high, color=look["color"], linewidth=1.0, transform=moved)
    own = [(x, 100 * v) for x, line in ordered if (v := line.row.published.value) is not None]
    new_ones = [point for point in own if point not in printed]
    printed.update(own)
    xs, values = [float(x) for x, _ in new_ones], [value for _, value in new_ones]
    axis.plot(xs, values, transform=moved, zorder=2, **_hollow(look))


_PALE = "#bdbdbd"


def _in_background(axis: Axes, points: _Points) -> None:
    """The first panel's curve, to compare with."""
    ordered = sorted(points, key=lambda point: float(point[0]))
    known = [(float(x), found[0]) for x, line in ordered if (found := measured(line)) is not None]
    axis.plot([x for x, _ in known], [value for _, value in known], color=_PALE, linewidth=1.0, zorder=1)


def _look(place: int) -> dict[str, Any]:
    """Colour and shape of a curve; the same colour comes again with another shape."""
    marker = MARKERS[(place + place // len(COLOURS)) % len(MARKERS)]
    return {"color": COLOURS[place % len(COLOURS)], "marker": marker, "markersize": 4}


def _hollow(look: Mapping[str, Any]) -> dict[str, Any]:
    """The same for what is published."""
    return {**look, "linestyle": "--", "linewidth": 0.8, "markerfacecolor": "white"}


def _explain(drawing: Drawing, panels: _Panels, names: Sequence[str], words: Words, behind: str = "") -> None:
    """Whose colour is whose, what is measured, what is published, and whose curve lies behind the others."""
    from matplotlib.lines import Line2D

    handles: list[Artist] = []
    look = _look(0)
    if len(names) > 1:
        handles += [
            Line2D([], [], label=textwrap.fill(name, 40), **_look(at)) for at, name in enumerate(names)
        ]
        look["color"] = OPEN
    handles.append(Line2D([], [], label=words(_MEASURED), **look))
    rows = [line.row for curves in panels.values() for points in curves.values() for _, line in points]
    if any(row.published.value is not None for row in rows):
        handles.append(Line2D([], [], label=words(_PUBLISHED), **_hollow(look)))
    if behind:
        handles.append(Line2D([], [], label=behind, color=_PALE, linewidth=1.0))
    legend_below(drawing, handles)


# Categories


def _categories(figure: Figure, panels: _Panels, words: Words) -> Drawing:
    """A line for each category, on which the groups lie one below the other."""
    curves: dict[str, list[tuple[str, Line]]] = {}
    for panel, groups in panels.items():
        for name, points in groups.items():
            before = f"{words(panel)}, " if panel else ""
            curves.setdefault(name, []).extend((f"{before}{words(x)}", line) for x, line in points)
    names = list(dict.fromkeys(x for points in curves.values() for x, _ in points))
    labels = [textwrap.fill(name, 34) for name in names]
    lines = max(1.0, 0.62 * len(curves), *(0.72 * (1 + label.count("\n")) for label in labels))
    drawing = new(6.4, 0.24 * lines * len(names) + 1.2)
    axis = drawing.add_subplot()
    step = min(0.8 / len(curves), 0.3)
    printed: set[tuple[str, float]] = set()
    for place, points in enumerate(curves.values()):
        look = {**_look(place), "linestyle": "none"}
        at = {x: y + step * (place - (len(curves) - 1) / 2) for y, x in enumerate(names)}
        known = [(at[x], *found) for x, line in points if (found := measured(line)) is not None]
        ys, ends = [y for y, *_ in known], [interval for *_, interval in known]
        axis.hlines(ys, [i.low for i in ends], [i.high for i in ends], color=look["color"], linewidth=1.0)
        axis.plot([value for _, value, _ in known], ys, zorder=3, **look)
        own = [(x, 100 * v) for x, line in points if (v := line.row.published.value) is not None]
        new_ones = [point for point in own if point not in printed]
        printed.update(own)
        hollow = {**_hollow(look), "linestyle": "none"}
        axis.plot([value for _, value in new_ones], [at[x] for x, _ in new_ones], zorder=2, **hollow)
    axis.axvline(50, color=GREY, linewidth=0.6, zorder=0)
    axis.set_yticks(range(len(names)), labels=labels)
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.set_xlim(*_reach(panels))
    axis.set_xlabel(words(_RATE))
    axis.set_ylabel(words(figure.x))
    _explain(drawing, panels, list(curves), words)
    return drawing


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
