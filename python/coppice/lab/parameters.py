"""Parameters: what is tuned, a number in a range or one of several texts, as a person writes it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

__all__ = ["Choice", "Parameter", "Place", "Tuned", "listed", "parse_parameter"]

Place = float | str
"""Where a parameter stands: a number on the scale of the tuning, or the text that was chosen."""

_FORMS = "name=low..high, then :log and :int if wanted, or name=one,two"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with its range, tuned on a straight or logarithmic scale, as a real or a whole number."""

    name: str
    low: float
    high: float
    logarithmic: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        if reason := self._wrong():
            raise ValueError(f"'{self.written}' is not allowed: {reason}")

    def _wrong(self) -> str:
        """Why this range is not allowed; empty if it is."""
        if not (math.isfinite(self.low + self.high) and self.low < self.high):
            return "low must be smaller than high"
        if self.logarithmic and self.low <= 0:
            return "a logarithmic range begins above 0"
        if self.whole and math.ceil(self.low) >= math.floor(self.high):
            return "it needs at least two whole numbers"
        return ""

    @classmethod
    def parse(cls, text: str) -> Parameter:
        """A parameter from `name=low..high`, followed by `:log` and `:int` where wanted."""
        found = re.fullmatch(r"(\w+)=(.+?)\.\.(.+?)((?::(?:log|int))*)", text.strip())
        try:
            if found is None:
                raise ValueError
            low, high = float(found[2]), float(found[3])
        except ValueError:
            raise ValueError(f"'{text}' is not allowed: {_FORMS}") from None
        flags = found[4].split(":")
        return cls(found[1], low, high, "log" in flags, "int" in flags)

    @property
    def ends(self) -> tuple[float, float]:
        """The range on the scale of the tuning."""
        return (math.log(self.low), math.log(self.high)) if self.logarithmic else (self.low, self.high)

    def value(self, at: float) -> float:
        """The value at a place of the scale, inside the range."""
        value = math.exp(at) if self.logarithmic else at
        value = min(max(value, self.low), self.high)
        if self.whole:
            return float(min(max(round(value), math.ceil(self.low)), math.floor(self.high)))
        return float(f"{value:.4g}")

    def text(self, at: Place) -> str:
        """The same as a spec writes it."""
        assert not isinstance(at, str), "a range has numbers"
        return f"{self.value(at):.10g}"

    def unit(self, at: float) -> float:
        """A place of the scale as a part of the range, 0 at its low end and 1 at its high end."""
        low, high = self.ends
        return (at - low) / (high - low)

    @property
    def written(self) -> str:
        """The parameter as `parse` reads it."""
        flags = (":log" if self.logarithmic else "") + (":int" if self.whole else "")
        return f"{self.name}={self.low:.10g}..{self.high:.10g}{flags}"

    @property
    def samples(self) -> tuple[str, ...]:
        """Values that stand for all: both ends."""
        return tuple(self.text(end) for end in self.ends)


@dataclass(frozen=True, slots=True)
class Choice:
    """A parameter that is one of several texts without an order: policies, `true` and `false`."""

    name: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        written = f"'{self.written}' is not allowed"
        if any(not value for value in self.values):
            raise ValueError(f"{written}: it has an empty value")
        if len(self.values) < 2:
            raise ValueError(f"{written}: a choice needs at least two values, or a range name=low..high")
        twice = [value for at, value in enumerate(self.values) if value in self.values[:at]]
        if twice:
            raise ValueError(f"{written}: it has {twice[0]} twice")

    def text(self, at: Place) -> str:
        """What stands in a spec: the value itself."""
        return str(at)

    @property
    def written(self) -> str:
        """The choice as `parse_parameter` reads it."""
        return f"{self.name}={','.join(self.values)}"

    @property
    def samples(self) -> tuple[str, ...]:
        """Values that stand for all: all of them."""
        return self.values


Tuned = Parameter | Choice
"""What can be tuned."""


def parse_parameter(text: str) -> Tuned:
    """A range from `name=low..high`, with `:log` and `:int` where wanted, or a choice from `name=one,two`."""
    name, equals, rest = text.strip().partition("=")
    values = listed(rest)
    if not equals or not re.fullmatch(r"\w+", name) or not rest:
        raise ValueError(f"'{text}' is not allowed: {_FORMS}")
    if ".." in rest and len(values) == 1:
        return Parameter.parse(text)
    return Choice(name, tuple(values))


def listed(text: str) -> list[str]:
    """The parts between commas; a comma inside brackets, as in `uct(k=1, c=2)`, does not divide."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
