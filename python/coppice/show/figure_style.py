"""What all figures have in common: colours, axes, words of one's own, and the files they are written to."""

from __future__ import annotations

import functools
import itertools
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeVar, get_args

from coppice.core import distribution

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from coppice.show.drawing import Drawing

__all__ = [
    "BETTER",
    "COLOURS",
    "COLUMNS",
    "GREY",
    "KINDS",
    "MARKERS",
    "OPEN",
    "WORSE",
    "Kind",
    "Words",
    "kind_of",
    "legend_below",
    "mixed",
    "new",
    "panels_of",
    "picture",
    "plain",
    "plain_logarithmic",
    "save",
    "styled",
    "width_of",
]

Kind = Literal["pdf", "svg", "png"]
"""What a figure is written as."""
KINDS: Sequence[Kind] = get_args(Kind)

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000")
"""The colours of Okabe and Ito (2008), which readers tell apart who do not see red, green or blue.

Yellow is left out, which is too pale on white, and orange, which is too near to vermillion as a thin line.
"""
MARKERS = ("o", "s", "^", "D", "v", "P")
"""A shape for each colour: a figure is read in black and white, too."""
BETTER, WORSE, OPEN = COLOURS[0], COLOURS[1], "#6b6b6b"
"""A decided gain, a decided loss, and what is not decided."""
COLUMNS = 3
"""Panels of a row."""
GREY = "#8a8a8a"
"""Lines that are no data."""


_P = ParamSpec("_P")
_R = TypeVar("_R")


def styled(draw: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that draws, made to draw in the style of `coppice.show.drawing`."""

    @functools.wraps(draw)
    def drawn(*args: _P.args, **options: _P.kwargs) -> _R:
        distribution.optional("matplotlib", "lab", "figures need matplotlib")
        from coppice.show.drawing import in_style

        with in_style():
            return draw(*args, **options)

    return drawn


def new(width: float, height: float) -> Drawing:
    """An empty drawing of this size in inches."""
    from coppice.show.drawing import Drawing

    return Drawing(figsize=(width, height), layout="constrained")


def panels_of(count: int) -> tuple[Drawing, list[Axes]]:
    """A drawing with so many panels in rows of three; one alone is larger."""
    if count == 1:
        drawing = new(6.4, 3.8)
        return drawing, [drawing.add_subplot()]
    rows = math.ceil(count / COLUMNS)
    drawing = new(6.8, 1.95 * rows + 0.9)
    return drawing, [drawing.add_subplot(rows, COLUMNS, place + 1) for place in range(count)]


def legend_below(drawing: Drawing, handles: Sequence[Artist]) -> None:
    """A legend below everything, in as many columns as there is room for."""
    widest = max(width_of(str(handle.get_label()), 8) for handle in handles) + 40
    columns = max(1, int(72 * drawing.get_figwidth() / widest))
    drawing.legend(handles=list(handles), loc="outside lower center", ncols=min(columns, len(handles)))


def kind_of(path: str | os.PathLike[str]) -> Kind:
    """What a file of this name holds, by its ending."""
    for kind in KINDS:
        if Path(path).suffix.lower() == f".{kind}":
            return kind
    endings = ", ".join(f".{kind}" for kind in KINDS)
    raise ValueError(f"'{os.fspath(path)}' is no name for a figure: allowed are the endings {endings}")


def picture(drawing: Drawing, kind: Kind) -> bytes:
    """A drawing as the content of a file."""
    return drawing.content(kind)


def save(drawing: Drawing, path: str | os.PathLike[str]) -> Path:
    """Write a drawing to a file that ends in `.pdf`, `.svg` or `.png`; returns its path."""
    kind = kind_of(path)
    Path(path).write_bytes(picture(drawing, kind))
    return Path(path)


def mixed(one: str, other: str, share: float) -> tuple[float, float, float]:
    """A colour between two: 0 is the one, 1 the other."""
    from matplotlib.colors import to_rgb

    red, green, blue = (a + share * (b - a) for a, b in zip(to_rgb(one), to_rgb(other), strict=True))
    return red, green, blue


class Words:
    """What a figure writes, with words of one's own in the place of some."""

    def __init__(self, own: Mapping[str, str], known: Iterable[str]) -> None:
        """`known` is all that the figure may write; something else in `own` is a mistake."""
        allowed = list(dict.fromkeys(word for word in known if word))
        for word in own:
            if word not in allowed:
                raise ValueError(f"this figure does not write '{word}': labels are for {', '.join(allowed)}")
        self._own = dict(own)

    def __call__(self, word: str) -> str:
        """What is written for a word."""
        return self._own.get(word, word)


def plain(value: float) -> str:
    """A number as a person writes it: 0.05, 20, 30,000."""
    return f"{value:,.10g}"


def plain_logarithmic(
    axes: Axes, which: Literal["x", "y"], values: Sequence[float], length: float = 300.0
) -> None:
    """Make an axis logarithmic, with plain numbers: those of the data where they are few.

    `length` is that of the axis in points.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axis: Axis = axes.xaxis if which == "x" else axes.yaxis
    axes.set_xscale("log") if which == "x" else axes.set_yscale("log")
    axis.set_major_locator(FixedLocator(_ticks(sorted(set(values)), length)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))


_MANY = 12
"""More values than this have no number each on an axis."""


def _ticks(values: Sequence[float], length: float) -> list[float]:
    """The numbers of a logarithmic axis that begins and ends with these values.

    All values, or every second, third, ...; where they are many or only two, 1, 2 and 5 times powers of ten.
    """
    first, last = values[0], values[-1]
    if first == last:
        return [first]
    own = [list(values[step - 1 :: step]) for step in (1, 2, 3)] if 2 < len(values) <= _MANY else []
    exponents = range(math.floor(math.log10(first)), math.ceil(math.log10(last)) + 1)
    for step, factors in ((1, (1, 2, 5)), (1, (1, 3)), (1, (1,)), (2, (1,)), (3, (1,))):
        whole = [factor * 10.0**exponent for exponent in exponents[::step] for factor in factors]
        own.append([value for value in whole if first * 0.999 <= value <= last * 1.001])
    span = math.log(last / first)

    def fits(ticks: Sequence[float]) -> bool:
        places = [length * math.log(tick / first) / span for tick in ticks]
        halves = [width_of(plain(tick), 8) / 2 + 2 for tick in ticks]
        pairs = zip(itertools.pairwise(places), itertools.pairwise(halves), strict=True)
        return len(ticks) > 1 and all(b - a >= one + two for (a, b), (one, two) in pairs)

    return next((ticks for ticks in own if fits(ticks)), [first, last])


@functools.lru_cache(maxsize=4096)
def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a text is, in points: of its widest line."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    lines = [line for line in text.split("\n") if line.strip()]
    return max((float(TextPath((0, 0), line, prop=font).get_extents().x1) for line in lines), default=0.0)
