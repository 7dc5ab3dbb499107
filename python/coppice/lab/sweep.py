"""Sweeps: a player with holes in its spec, a grid of values, and a match for every point of the grid.

A template is a spec with names in braces: `ppr(playout=ppr(tn={tn}, p={p}), simulations=1000)`.
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from coppice import _core
from coppice.core.spec_like import SpecLike, option_text, spec_text
from coppice.lab.match import Match, Openings, Progress
from coppice.lab.stats import Score
from coppice.lab.store import Store
from coppice.lab.workers import Workers, workers_of

__all__ = ["Sweep", "fill", "holes", "parse_values"]

_HOLE = re.compile(r"\{(\w+)\}")


def holes(template: str) -> list[str]:
    """The names in braces, each once, in their order."""
    return list(dict.fromkeys(_HOLE.findall(template)))


def fill(template: str, values: Mapping[str, str]) -> str:
    """The spec of a template with these values."""
    missing = [name for name in holes(template) if name not in values]
    unused = [name for name in values if name not in holes(template)]
    if missing:
        raise ValueError(f"'{template}' needs a value for {{{missing[0]}}}: --set {missing[0]}=...")
    if unused:
        raise ValueError(f"'{template}' has no {{{unused[0]}}} for the value of {unused[0]}")
    return _HOLE.sub(lambda hole: values[hole[1]], template)


def _text(name: str, value: object) -> str:
    return value if isinstance(value, str) else option_text(name, value)


def parse_values(text: str) -> tuple[str, list[str]]:
    """`name=1,2,5` or `name=low:high:step` as a name and its values."""
    name, equals, rest = text.partition("=")
    name = name.strip()
    if not equals or not re.fullmatch(r"\w+", name):
        raise ValueError(f"'{text}' is not allowed: name=1,2,5 or name=low:high:step")
    parts = rest.split(":")
    if len(parts) == 3:
        try:
            low, high, step = map(float, parts)
        except ValueError:
            raise ValueError(f"'{text}' is not allowed: low, high and step are numbers") from None
        if not (step > 0 and low <= high and math.isfinite(low + high + step)):
            raise ValueError(f"'{text}' is not allowed: low up to high in steps above 0")
        count = math.floor((high - low) / step + 1e-9) + 1
        return name, [f"{low + step * at:.10g}" for at in range(count)]
    values = [value.strip() for value in rest.split(",")]
    if "" in values:
        raise ValueError(f"'{text}' is not allowed: it has an empty value")
    return name, list(dict.fromkeys(values))


@dataclass(frozen=True)
class Sweep:
    """A game, a template, its opponent, and the values of each hole."""

    game: SpecLike
    template: str
    opponent: SpecLike
    values: Mapping[str, Sequence[object]]
    """Texts, which are filled in as they are, or whatever an option of a player may be; kept as texts."""
    seed: int = 0
    openings: str | os.PathLike[str] | Sequence[str] | Openings = "none"
    """Whatever `Openings.of` takes; kept as what it makes of it."""

    def __post_init__(self) -> None:
        game = _core.canonical("game", spec_text(self.game, what="game"))
        for name, value in {
            "game": game,
            "opponent": _core.canonical("player", spec_text(self.opponent, what="player"), game),
            "values": {
                name: tuple(_text(name, value) for value in values) for name, values in self.values.items()
            },
            "openings": Openings.of(self.openings),
        }.items():
            object.__setattr__(self, name, value)

    def matches(self) -> dict[tuple[str, ...], Match]:
        """The matches by the values of the holes, in the order in which the holes were given."""
        if not self.values:
            raise ValueError("a sweep needs at least one --set name=values")
        found = {}
        for texts in itertools.product(*self.values.values()):
            point = tuple(map(str, texts))
            spec = fill(self.template, dict(zip(self.values, point, strict=True)))
            found[point] = Match(*(self.game, spec, self.opponent), seed=self.seed, openings=self.openings)
        return found

    def run(
        self,
        games: int,
        store: Store,
        *,
        threads: int | None = None,
        workers: Workers | None = None,
        fresh: bool = False,
    ) -> Iterator[tuple[tuple[str, ...], Progress]]:
        """Play what is missing, telling after each step which point stands where.

        `threads`, `workers` and `fresh` are those of `Match.run`.
        """
        by = workers_of(threads, workers)
        for point, match in self.matches().items():
            for step in match.run(games, workers=by, store=store, fresh=fresh):
                yield point, step

    def scores(self, games: int, store: Store) -> dict[tuple[str, ...], Score]:
        """The score of every point that has finished a game."""
        found = {}
        for point, match in self.matches().items():
            score = match.score_in(store, games)
            if score is not None:
                found[point] = score
        return found
