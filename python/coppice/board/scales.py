"""What the numbers of a table are, and how they are painted: every picture of a table reads this."""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["PAINTINGS", "Paint", "Painting", "Scale", "colour_of", "hue_of"]

Scale = Literal["rate", "share", "signed", "flag", "cell", "count"]
"""What the values of a table are.

Mean results in 0..1, even at 0.5 (``rate``) or in -1..1, even at 0 (``signed``); parts or weights in 0..1
(``share``); yes and no as 1 and 0 (``flag``); numbers of cells (``cell``); how many or how much, from 0
(``count``).
"""

_EVEN = 0.15
"""An even value is hardly painted, but it can be told from an unknown one."""


@dataclass(frozen=True)
class Paint:
    """How one value is painted on its cell."""

    strength: float
    """How much of the cell's own colour is covered, in 0..1."""
    lean: float | None
    """On a scale with a middle, where the value lies: -1 (worst) over 0 (even) to 1 (best); else None."""
    text: str
    """The value in a few characters."""


@dataclass(frozen=True)
class Painting:
    """How the values of one scale are painted: away from a middle in two colours, or from nothing in one."""

    words: str
    """The scale in words, with places for `{least}`, `{middle}` and `{most}`."""
    text: Callable[[float, Sequence[str]], str]
    """A value in a few characters; the names are those of the cells."""
    least: float = 0.0
    middle: float | None = None
    """The value that is even; None: there is none, and more is stronger."""
    most: float | None = 1.0
    """The largest value that there can be; None: the largest one of the table."""
    strongest: float = 1.0
    """How strongly the largest value is painted."""
    ordered: bool = True
    """Whether a larger value is more, so that colours can tell."""

    def range(self, largest: float) -> tuple[float, float]:
        """Where the values of a table lie whose largest is this."""
        return self.least, largest if self.most is None else self.most

    def paint(self, value: float, largest: float, names: Sequence[str]) -> Paint:
        """A value of a table whose largest is this, on a board of cells with these names."""
        text = self.text(value, names)
        if not self.ordered:
            return Paint(0.0, None, text)
        least, most = self.range(largest)
        if self.middle is None:
            # The root makes small parts visible beside a large one.
            part = (value - least) / ((most - least) or 1.0)
            return Paint(self.strongest * min(max(part, 0.0), 1.0) ** 0.6, None, text)
        lean = min(max((value - self.middle) / (most - self.middle), -1.0), 1.0)
        # Results are rarely far from even: half way to certainty is as strong as certainty.
        return Paint(_EVEN + (1 - _EVEN) * min(1.0, 2 * abs(lean)), lean, text)

    def legend(self, largest: float, unit: float = 1.0) -> str:
        """The scale of a table whose largest value is this, in words; as percentages with a unit of 100."""
        least, most = self.range(largest)
        middle = least if self.middle is None else self.middle
        numbers = {"least": least, "middle": middle, "most": most}
        return self.words.format(**{name: _plain(unit * number) for name, number in numbers.items()})


def hue_of(lean: float) -> int:
    """The hue of a value on a scale with a middle: red, yellow where it is even, green."""
    return round(79 + 71 * min(max(2 * lean, -1.0), 1.0))


def colour_of(lean: float) -> str:
    """The colour with this hue as six hexadecimal digits."""
    red, green, blue = colorsys.hls_to_rgb(hue_of(lean) / 360, 0.45, 0.65)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def _plain(number: float) -> str:
    if abs(number) >= 100_000:
        return f"{number / 1000:.0f}k"
    return f"{number:.0f}" if abs(number) >= 100 else f"{number:.3g}"


def _number(value: float, _: Sequence[str]) -> str:
    return f"{value:.2f}"


def _signed(value: float, _: Sequence[str]) -> str:
    text = f"{value:+.2f}"
    return "0.00" if float(text) == 0 else text


def _flag(value: float, _: Sequence[str]) -> str:
    return "+" if value else "-"


def _cell(value: float, names: Sequence[str]) -> str:
    return f"→{names[int(value)]}"


def _count(value: float, _: Sequence[str]) -> str:
    return f"{value:.0f}" if value < 100_000 else f"{value / 1000:.0f}k"


PAINTINGS: dict[Scale, Painting] = {
    "rate": Painting("{least} lost, {middle} even, {most} won", _number, middle=0.5),
    "share": Painting("{least} to {most}", _number),
    "signed": Painting("{least} lost, {middle} even, {most} won", _signed, least=-1.0, middle=0.0),
    "flag": Painting("+ yes, - no", _flag, strongest=0.4),
    "cell": Painting("→ its cell", _cell, most=None, ordered=False),
    "count": Painting("{least} to {most}, the largest", _count, most=None),
}
"""Every scale of the core, with its painting."""
