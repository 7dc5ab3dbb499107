"""The paper that figures are drawn on: a matplotlib figure that a notebook shows by itself."""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Iterator
from typing import Any

import matplotlib.style
from matplotlib.figure import Figure

from coppice.show.figure_style import Kind

__all__ = ["Drawing", "in_style"]

_STYLE = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "figure.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.2,
    "hatch.linewidth": 0.4,
    # Ids inside an SVG are drawn from this salt instead of the clock; text stays text, to be searched.
    "svg.hashsalt": "coppice",
    "svg.fonttype": "none",
    # Whole outlines: publishers refuse the bitmaps that are the default.
    "pdf.fonttype": 42,
}
_METADATA: dict[Kind, dict[str, Any]] = {
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
    "png": {"Software": None},
}
"""Nothing that depends on the day."""
_DOTS_PER_INCH = 300

_TURN = threading.RLock()


@contextlib.contextmanager
def in_style() -> Iterator[None]:
    """What is drawn inside looks as in this file, whatever style the person at the keyboard has chosen.

    The settings of matplotlib belong to the process, so one thread has them at a time.
    """
    with _TURN, matplotlib.style.context(["default", _STYLE]):
        yield


class Drawing(Figure):
    """A figure; `coppice.show.figures.save` writes it to a file."""

    def content(self, kind: Kind) -> bytes:
        """It as the content of a file. The same numbers give the same bytes."""
        out = io.BytesIO()
        with in_style():
            if self.get_layout_engine() is not None:
                # Once: each layout begins with the one before, so that a second file would differ.
                self.draw_without_rendering()
                self.set_layout_engine("none")
            self.savefig(out, format=kind, dpi=_DOTS_PER_INCH, metadata=_METADATA[kind])
        return out.getvalue()

    def _repr_svg_(self) -> str:
        return self.content("svg").decode("utf-8")
