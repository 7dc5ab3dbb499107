"""Tournaments: everybody against everybody, or one against all, rated by the Bradley-Terry model.

A tournament is a list of matches in a store: adding games or players plays only what is missing.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from coppice import _core
from coppice.core.spec_like import SpecLike, spec_text
from coppice.lab.match import Match, Openings, Progress
from coppice.lab.stats import Rating, Score, bradley_terry
from coppice.lab.store import Store
from coppice.lab.workers import Workers, workers_of

__all__ = ["Kind", "Tournament"]

Kind = Literal["round_robin", "gauntlet"]


@dataclass(frozen=True)
class Tournament:
    """Players of one game, each pair of whom plays a match; in a gauntlet only the first meets the others."""

    game: SpecLike
    players: Sequence[SpecLike]
    kind: Kind = "round_robin"
    seed: int = 0
    openings: str | os.PathLike[str] | Sequence[str] | Openings = "none"
    """Whatever `Openings.of` takes; kept as what it makes of it."""

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise ValueError(f"a tournament needs at least 2 players, not {len(self.players)}")
        game = _core.canonical("game", spec_text(self.game, what="game"))
        for name, value in {
            "game": game,
            "players": tuple(spec_text(player, what="player") for player in self.players),
            "openings": Openings.of(self.openings),
        }.items():
            object.__setattr__(self, name, value)
        if self.kind not in ("round_robin", "gauntlet"):
            raise ValueError(f"unknown kind of tournament '{self.kind}': allowed are round_robin, gauntlet")
        seen: dict[str, str] = {}
        names = self.names
        for (a, b), match in self.matches().items():
            for name, spec in ((a, match.a), (b, match.b)):
                if seen.setdefault(spec, name) != name or names.count(name) > 1:
                    raise ValueError(f"players '{seen[spec]}' and '{name}' are the same player")

    @property
    def names(self) -> tuple[str, ...]:
        """What the players are called: their specs as they were given."""
        return tuple(spec_text(player, what="player") for player in self.players)

    def matches(self) -> dict[tuple[str, str], Match]:
        """The matches by the names of their players."""
        names = self.names
        pairs = itertools.combinations(names, 2)
        if self.kind == "gauntlet":
            pairs = itertools.product(names[:1], names[1:])  # type: ignore[assignment]
        return {(a, b): Match(self.game, a, b, seed=self.seed, openings=self.openings) for a, b in pairs}

    def run(
        self,
        games: int,
        store: Store,
        *,
        threads: int | None = None,
        workers: Workers | None = None,
        fresh: bool = False,
    ) -> Iterator[tuple[tuple[str, str], Progress]]:
        """Play what is missing of `games` games per pair, telling after each step which pair stands where.

        `threads`, `workers` and `fresh` are those of `Match.run`.
        """
        by = workers_of(threads, workers)
        for pair, match in self.matches().items():
            for step in match.run(games, workers=by, store=store, fresh=fresh):
                yield pair, step

    def scores(self, games: int, store: Store) -> dict[tuple[str, str], Score]:
        """The scores of all pairs that have finished a game."""
        found = {}
        for pair, match in self.matches().items():
            score = match.score_in(store, games)
            if score is not None:
                found[pair] = score
        return found


def ratings(scores: dict[tuple[str, str], Score], players: Sequence[str]) -> list[Rating]:
    """The rating table of all players that have played, strongest first."""
    played = {name for pair in scores for name in pair}
    return [
        rating for rating in bradley_terry(scores) if rating.player in played and rating.player in players
    ]
