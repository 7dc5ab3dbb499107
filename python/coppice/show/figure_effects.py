"""Figures of effects: a forest plot with a line for each row of a study, and heat maps of rates.

Both show 50 %, which is no difference, every interval, and what is decided: open rows are hollow or pale.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from coppice.lab.effects import EffectRow
from coppice.show.figure_style import (
    BETTER,
    GREY,
    OPEN,
    WORSE,
    Words,
    legend_below,
    mixed,
    new,
    plain,
    styled,
    width_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap

    from coppice.show.drawing import Drawing

__all__ = ["draw_heat_map", "forest", "heat_map"]

_SCORE, _WITH, _GAMES = "score of the change (%)", "score [95 % interval]", "games"
_RATE, _OPEN = "win rate (%)", "50 % is in the interval"
_COLOURS = {"better": BETTER, "worse": WORSE}
_WRAP = 36
"""Letters of a line of a name."""
_SIZE = 8
"""Of names and numbers, in points."""


def _checked(rows: Sequence[EffectRow], what: str) -> Sequence[EffectRow]:
    if not rows:
        raise ValueError(f"a {what} needs at least one row")
    seen: set[tuple[str, str, str]] = set()
    for row in rows:
        place = (row.change, row.game, row.budget)
        name = ", ".join(part for part in place if part)
        if place in seen:
            raise ValueError(f"two rows are '{name}': a {what} has one for each change, game and budget")
        seen.add(place)
        if not 0 <= row.low <= row.estimate <= row.high <= 1:
            raise ValueError(
                f"row '{name}' has the score {row.estimate:g} with the interval [{row.low:g}, {row.high:g}]:"
                " both ends lie in 0..1, and the score between them"
            )
    return rows


def _words(rows: Sequence[EffectRow], labels: Mapping[str, str], *own: str) -> Words:
    parts = [(row.change, row.game, row.budget, row.verdict) for row in rows]
    return Words(labels, [*own, *(part for row in parts for part in row)])


def _each(values: Sequence[str]) -> list[str]:
    """Each once, in their order."""
    return list(dict.fromkeys(values))


# Forest plots


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of a forest plot: the name of a change above its rows, or a row."""

    text: str
    row: EffectRow | None
    y: float
    """Where its middle lies, in lines of text from the top."""


@styled
def forest(
    rows: Sequence[EffectRow],
    *,
    title: str = "",
    labels: Mapping[str, str] | None = None,
    width: float = 6.4,
) -> Drawing:
    """A forest plot: for each row a square with its 95 % interval, and a diamond where games are pooled.

    A filled mark is decided, a hollow one open; the larger a square, the more games it rests on. `labels` has
    words of one's own for changes, games, budgets, verdicts and what else the figure writes. `width` is in
    inches, with letters as large as in print.
    """
    words = _words(_checked(rows, "forest plot"), labels or {}, _SCORE, _WITH, _GAMES)
    entries, fixed = _entries(rows, words)
    lines = entries[-1].y + 0.5 * (1 + entries[-1].text.count("\n"))
    drawing = new(width, 0.185 * (lines + 1) + (1.15 if title else 0.9))
    axis = drawing.add_subplot()
    most = max(row.games for row in rows) or 1
    for entry in entries:
        if entry.row is not None:
            _mark(axis, entry.row, entry.y, entry.row.games / most)
    axis.axvline(50, color=GREY, linewidth=0.8, zorder=0)
    axis.set_ylim(lines + 0.2, -1.1)
    axis.set_yticks([])
    axis.spines["left"].set_visible(False)
    ends = [50.0, *(100 * end for row in rows for end in (row.low, row.high))]
    space = 0.04 * (max(ends) - min(ends))
    axis.set_xlim(min(ends) - space, max(ends) + space)
    axis.set_xlabel(words(_SCORE))
    left = _names(axis, entries)
    _numbers(axis, entries, words, room=72 * width - left - _LEAST)
    if fixed:
        axis.set_title(fixed, fontsize=_SIZE, color=OPEN)
    _verdicts(drawing, rows, words)
    if title:
        drawing.suptitle(title)
    return drawing


def _entries(rows: Sequence[EffectRow], words: Words) -> tuple[list[_Entry], str]:
    """The lines of a forest plot from top to bottom, and what all rows have in common."""
    single = [row for row in rows if not row.pooled] or rows
    games, budgets = _each([row.game for row in single]), _each([row.budget for row in rows])
    changes = _each([row.change for row in rows])
    grouped = len(changes) < len(rows) or len(changes) == 1
    entries: list[_Entry] = []
    y = 0.0

    def add(text: str, row: EffectRow | None) -> None:
        nonlocal y
        text = textwrap.fill(text, _WRAP)
        tall = 1 + text.count("\n")
        entries.append(_Entry(text, row, y + tall / 2))
        y += tall

    for change in changes:
        if grouped:
            y += 0.5 if entries else 0.0
            add(words(change), None)
        own = [row for row in rows if row.change == change]
        for row in sorted(own, key=lambda row: row.pooled):
            parts = [words(row.game)] if len(games) > 1 or row.pooled else []
            parts += [words(row.budget)] if len(budgets) > 1 and row.budget else []
            told = ", ".join(parts) or words(row.game) or words(row.budget)
            add(told if grouped else ", ".join([words(change), *parts]), row)
    named = {entry.text for entry in entries}
    common = [words(part[0]) for part in (games, budgets) if len(part) == 1 and part[0]]
    return entries, ", ".join(part for part in common if part not in named)


def _mark(axis: Axes, row: EffectRow, y: float, share: float) -> None:
    """A row's interval and estimate; `share` of the games of the largest row."""
    from matplotlib.patches import Polygon

    colour = _COLOURS.get(row.verdict, OPEN)
    fill = colour if row.verdict in _COLOURS else "white"
    low, middle, high = 100 * row.low, 100 * row.estimate, 100 * row.high
    if row.pooled:
        corners = [(low, y), (middle, y - 0.32), (high, y), (middle, y + 0.32)]
        axis.add_patch(Polygon(corners, facecolor=fill, edgecolor=colour, linewidth=1.0, zorder=3))
        return
    axis.hlines([y], [low], [high], color=colour, linewidth=1.2, zorder=2)
    area = 12 + 38 * share
    axis.scatter([middle], [y], s=area, marker="s", c=fill, edgecolors=colour, linewidths=1.0, zorder=3)


def _names(axis: Axes, entries: Sequence[_Entry]) -> float:
    """The names of the rows, to the left of the axis; those of changes bold and further out.

    Returns how wide they are, in points.
    """
    indent = 8.0 if any(entry.row is None for entry in entries) else 0.0
    widths = [
        width_of(entry.text, _SIZE, bold=entry.row is None) + (0 if entry.row is None else indent)
        for entry in entries
    ]
    left = max(widths) + 10
    for entry in entries:
        head = entry.row is None
        axis.annotate(
            entry.text,
            xy=(0, entry.y),
            xycoords=axis.get_yaxis_transform(),
            xytext=((0 if head else indent) - left, 0),
            textcoords="offset points",
            ha="left",
            va="center",
            fontsize=_SIZE,
            fontweight="bold" if head else "normal",
            fontstyle="italic" if entry.row is not None and entry.row.pooled else "normal",
            annotation_clip=False,
        )
    return left


_LEAST = 120.0
"""So many points the axis has at least, before numbers beside it are left out."""


def _numbers(axis: Axes, entries: Sequence[_Entry], words: Words, *, room: float) -> None:
    """Games and scores of the rows, to the right of the axis, under what they are.

    Where there is no room, in points, first the games are left out, then the scores.
    """
    texts = [
        (entry.y, f"{entry.row.games:,}", _score_text(entry.row))
        for entry in entries
        if entry.row is not None
    ]
    texts.insert(0, (-0.5, words(_GAMES), words(_WITH)))
    first = 10 + max(width_of(games, _SIZE) for _, games, _ in texts)
    second = 12 + max(width_of(score, _SIZE) for *_, score in texts)
    if second > room:
        return
    first = first if first + second <= room else 0.0
    for y, games, score in texts:
        for text, right, where in ((games, True, first), (score, False, first + 12)):
            if not where:
                continue
            axis.annotate(
                text,
                xy=(1, y),
                xycoords=axis.get_yaxis_transform(),
                xytext=(where, 0),
                textcoords="offset points",
                ha="right" if right else "left",
                va="center",
                fontsize=_SIZE,
                color=OPEN if y < 0 else "black",
                annotation_clip=False,
            )


def _score_text(row: EffectRow) -> str:
    return f"{100 * row.estimate:.1f} [{100 * row.low:.1f}, {100 * row.high:.1f}]"


def _verdicts(drawing: Drawing, rows: Sequence[EffectRow], words: Words) -> None:
    """What the marks mean."""
    from matplotlib.lines import Line2D

    handles = []
    for verdict in sorted(_each([row.verdict for row in rows]), key=_order):
        colour = _COLOURS.get(verdict, OPEN)
        fill = colour if verdict in _COLOURS else "white"
        handles.append(
            Line2D(
                *([], []),
                color=colour,
                marker="s",
                markersize=5.5,
                markerfacecolor=fill,
                linewidth=1.2,
                label=words(verdict),
            )
        )
    legend_below(drawing, handles)


def _order(verdict: str) -> int:
    known = ["better", "worse"]
    return known.index(verdict) if verdict in known else len(known)


# Heat maps


@dataclass(frozen=True, slots=True)
class _Cell:
    """A rate on a heat map, in percent."""

    value: float
    low: float
    high: float
    decided: bool


@styled
def heat_map(
    rows: Sequence[EffectRow],
    *,
    title: str = "",
    labels: Mapping[str, str] | None = None,
    across: Literal["game", "budget"] | None = None,
    width: float | None = None,
) -> Drawing:
    """A heat map: changes from top to bottom, games or budgets across, each cell with its interval.

    Where both games and budgets vary, games go across, in a panel for each budget; `across="budget"` turns
    that round. Open cells are pale and hatched. `labels` has words of one's own for changes, games, budgets,
    verdicts and what else the figure writes; `width` is in inches, by default as much as the cells need.
    """
    words = _words(_checked(rows, "heat map"), labels or {}, _SCORE)
    if across not in (None, "game", "budget"):
        raise ValueError(f"across is '{across}': allowed are game, budget")
    budgets = _each([row.budget for row in rows])
    if across is None:
        one_game = len({row.game for row in rows}) == 1
        across = "budget" if one_game and len(budgets) > 1 else "game"
    # Pooled games come last, wherever the study has put them.
    ordered = sorted(rows, key=lambda row: row.pooled)
    changes = _each([row.change for row in rows])
    found = {
        (_across(row, across), row.change): _Cell(
            *(100 * row.estimate, 100 * row.low, 100 * row.high), row.verdict in _COLOURS
        )
        for row in ordered
    }
    panels: dict[str, list[str]] = {}
    for row in ordered:
        panel, column = _across(row, across)
        panels.setdefault(panel, [])
        panels[panel] += [] if column in panels[panel] else [column]
    if across == "game":
        panels = {name: panels[name] for name in budgets if name in panels}
    names = [textwrap.fill(words(change), _WRAP) for change in changes]
    side = max(width_of(name, _SIZE) for name in names) / 72
    most, page = max(map(len, panels.values())), width or _PAGE
    beside = side + _CELL * sum(map(len, panels.values())) + 0.2 * len(panels) + 1.0
    stacked = len(panels) > 1 and beside > page
    cell = min(max((page - side - 1.2) / most, _NARROW), _CELL) if stacked or len(panels) == 1 else _CELL
    below = side + cell * most + 1.2
    heads = {column: _head(words(column), cell) for own in panels.values() for column in own}
    same = stacked and len({tuple(own) for own in panels.values()}) == 1
    longest = max(width_of(head, _SIZE) for head in heads.values())
    turned = longest > 72 * cell - 4
    if turned:
        heads = {column: words(column) for column in heads}
        longest = max(width_of(head, _SIZE) for head in heads.values())
    under = (0.65 * longest / 72) if turned else 0.13 * max(head.count("\n") for head in heads.values())
    tall = 0.42 * len(changes) + (0.25 if same else 0.55 + under)
    tall_in_all = tall * (len(panels) if stacked else 1) + (0.3 + under if same else 0)
    drawing = new(
        width or max(below if stacked or len(panels) == 1 else beside, 3.3),
        tall_in_all + (1.2 if title else 0.95),
    )
    shape = (len(panels), 1) if stacked else (1, len(panels))
    ratios = None if stacked else [len(own) for own in panels.values()]
    grid = drawing.add_gridspec(*shape, width_ratios=ratios)
    axes = [drawing.add_subplot(grid[place]) for place in range(len(panels))]
    reach = _colour_reach(list(found.values()))
    for axis, (panel, own) in zip(axes, panels.items(), strict=True):
        cells = {
            (x, y): found[(panel, column), change]
            for x, column in enumerate(own)
            for y, change in enumerate(changes)
            if ((panel, column), change) in found
        }
        own_heads = [heads[column] if not same or axis is axes[-1] else "" for column in own]
        _cells(axis, cells, own_heads, names if stacked or axis is axes[0] else [""] * len(names), reach)
        if turned:
            axis.tick_params(axis="x", labelrotation=40)
            for label in axis.get_xticklabels():
                label.set(ha="right", rotation_mode="anchor")
        if panel and (len(panels) > 1 or panel != own[0]):
            axis.set_title(words(panel), fontsize=_SIZE)
    _colour_bar(drawing, axes, reach, words(_SCORE))
    if not all(cell.decided for cell in found.values()):
        told = words(next(row.verdict for row in rows if row.verdict not in _COLOURS))
        _explain_hatch(drawing, told)
    if title:
        drawing.suptitle(title)
    return drawing


_HATCH = "////"
_CELL = 0.95
"""The width of a cell in inches."""
_NARROW = 0.6
"""The same where there are many."""
_PAGE = 7.2
"""As wide as a page: more panels than that lie one below the other."""


def _head(text: str, cell: float) -> str:
    """The name of a column of this width in inches, on several lines where it has several words."""
    return textwrap.fill(text, max(int(15 * cell), 4), break_long_words=False, break_on_hyphens=False)


def _explain_hatch(drawing: Drawing, label: str) -> None:
    from matplotlib.patches import Patch

    hatched = Patch(facecolor="white", edgecolor=GREY, hatch=_HATCH, label=label)
    drawing.legend(handles=[hatched], loc="outside lower center")


def _across(row: EffectRow, across: Literal["game", "budget"]) -> tuple[str, str]:
    """The panel and the column of a row."""
    return (row.budget, row.game) if across == "game" else (row.game, row.budget)


@styled
def draw_heat_map(
    title: str,
    x: tuple[str, Sequence[str]],
    y: tuple[str, Sequence[str]],
    values: Mapping[tuple[str, str], tuple[float, float, float]],
    *,
    labels: Mapping[str, str] | None = None,
) -> Drawing:
    """A heat map of rates with their 95 % intervals by the values of two options.

    Cells whose interval contains 50 % are pale and hatched. `labels` has words of one's own for the options.
    """
    words = Words(labels or {}, [x[0], y[0], _RATE, _OPEN, *x[1], *y[1]])
    cells = {}
    for column, a in enumerate(x[1]):
        for row, b in enumerate(y[1]):
            if (a, b) in values:
                rate, low, high = (100 * number for number in values[a, b])
                cells[column, len(y[1]) - 1 - row] = _Cell(rate, low, high, not low <= 50 <= high)
    names = [textwrap.fill(words(name), _WRAP) for name in reversed(y[1])]
    side = max((width_of(name, _SIZE) for name in names), default=0) / 72
    drawing = new(max(side + _CELL * len(x[1]) + 1.6, 3.3), 0.42 * len(y[1]) + 1.7)
    axis = drawing.add_subplot()
    reach = _colour_reach(list(cells.values()))
    _cells(axis, cells, [_head(words(name), _CELL) for name in x[1]], names, reach)
    axis.set_xlabel(words(x[0]))
    axis.set_ylabel(words(y[0]))
    _colour_bar(drawing, [axis], reach, words(_RATE))
    if not all(cell.decided for cell in cells.values()):
        _explain_hatch(drawing, words(_OPEN))
    if title:
        drawing.suptitle("\n".join(textwrap.wrap(title, int(11 * drawing.get_figwidth()))))
    return drawing


def _colour_reach(cells: Sequence[_Cell]) -> float:
    """How far from 50 % the strongest colours lie: the next 5 points beyond all rates, at least 10."""
    far = max((abs(cell.value - 50) for cell in cells), default=0.0)
    return min(max(10.0, 5 * math.ceil(far / 5)), 50.0)


def _colours() -> LinearSegmentedColormap:
    """From a loss over white, which is 50 %, to a gain."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("coppice", [WORSE, "#ffffff", BETTER])


def _cells(
    axis: Axes,
    cells: Mapping[tuple[int, int], _Cell],
    columns: Sequence[str],
    names: Sequence[str],
    reach: float,
) -> None:
    """The cells of a heat map by column and row, with the names of both."""
    from matplotlib.colors import to_hex
    from matplotlib.patches import Rectangle

    colours = _colours()
    for (x, y), cell in cells.items():
        whole = to_hex(colours(0.5 + (cell.value - 50) / (2 * reach)))
        shade = mixed("white", whole, 1.0 if cell.decided else 0.35)
        axis.add_patch(
            Rectangle(
                *((x - 0.5, y - 0.5), 1, 1),
                facecolor=shade,
                edgecolor="white" if cell.decided else "#d0d0d0",
                hatch=None if cell.decided else _HATCH,
                linewidth=0.8,
            )
        )
        text = f"{cell.value:.1f}\n[{plain(round(cell.low))}, {plain(round(cell.high))}]"
        axis.text(
            *(x, y, text),
            ha="center",
            va="center",
            fontsize=7,
            color="white" if _luminance(shade) < 0.3 else "black",
            fontweight="bold" if cell.decided else "normal",
        )
    axis.set_xlim(-0.5, len(columns) - 0.5)
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.set_xticks(range(len(columns)), labels=list(columns))
    axis.set_yticks(range(len(names)), labels=list(names))
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)


def _luminance(colour: tuple[float, float, float]) -> float:
    """How bright a colour is, by the weights that contrast is counted with."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _colour_bar(drawing: Drawing, axes: Sequence[Axes], reach: float, label: str) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    shades = ScalarMappable(Normalize(50 - reach, 50 + reach), _colours())
    bar = drawing.colorbar(shades, ax=list(axes), label=label, aspect=14, fraction=0.06, pad=0.02)
    bar.outline.set_visible(False)
