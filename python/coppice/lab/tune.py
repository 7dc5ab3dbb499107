"""Tuning: values for the holes of a template that win most, and a fresh match that checks them.

What is tried next, and what is proposed in the end, is up to a method (`tune_methods`). The proposal is then
measured in a match of its own on a seed that no trial has seen, since the trial that happened to win most was
lucky. Trials are matches in the store, and which values are tried depends on the seed and on the results
alone, so that a command given again goes on where it stopped. The store also keeps what was tried and
proposed (`tunings`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from coppice import _core
from coppice.core.spec_like import SpecLike, spec_text
from coppice.core.spelling import told_canonical
from coppice.lab.match import Match, MatchResult, Openings
from coppice.lab.parameters import Choice, Parameter, Tuned, parse_parameter
from coppice.lab.stats import Score
from coppice.lab.store import Store
from coppice.lab.sweep import fill, holes
from coppice.lab.tune_methods import METHODS, Method, check_method, searcher_of
from coppice.lab.tunings import MOST_TRIALS, Diary, Tried
from coppice.lab.workers import Workers, workers_of

__all__ = ["METHODS", "Choice", "Method", "Parameter", "Step", "Tuning", "parse_parameter"]

VERIFY_SEED = MOST_TRIALS + 3
"""Added to the seed for the verification: more than any trial adds, so no trial has its games."""


@dataclass(frozen=True, slots=True)
class Step:
    """One trial, or at last the verification."""

    kind: Literal["trial", "verification"]
    round: int
    values: Mapping[str, str]
    score: Score
    match: Match
    tuning: str = ""
    """The name of the tuning in the store."""


@dataclass(frozen=True)
class Tuning:
    """What is tuned against whom, and with what effort."""

    game: SpecLike
    template: str
    opponent: SpecLike
    parameters: Sequence[Tuned]
    """Ranges (`Parameter`) and choices (`Choice`), one for each hole of the template."""
    method: Method = "cem"
    rounds: int = 10
    population: int = 16
    """Trials of a round."""
    games: int = 20
    """Games per trial."""
    verify: int = 400
    """Games of the verification."""
    seed: int = 0
    openings: str | os.PathLike[str] | Sequence[str] | Openings = "none"
    """Whatever `Openings.of` takes; kept as what it makes of it."""

    def __post_init__(self) -> None:
        game = _core.canonical("game", spec_text(self.game, what="game"))
        for name, value in {
            "game": game,
            "opponent": _core.canonical("player", spec_text(self.opponent, what="player"), game),
            "parameters": tuple(self.parameters),
            "openings": Openings.of(self.openings),
        }.items():
            object.__setattr__(self, name, value)
        names = [parameter.name for parameter in self.parameters]
        fill(self.template, dict.fromkeys(names, "0"))
        if not names:
            raise ValueError(
                f"'{self.template}' has nothing to tune: write {{name}} and --set name=low..high"
            )
        if len(set(names)) != len(names) or set(names) != set(holes(self.template)):
            raise ValueError(f"every {{name}} of '{self.template}' needs one range or choice")
        object.__setattr__(self, "method", check_method(self.method, self.parameters))
        for number in ("rounds", "games", "verify"):
            if getattr(self, number) < 1:
                raise ValueError(f"{number} is {getattr(self, number)}: at least 1 is needed")
        if self.population < 4:
            raise ValueError(f"the population is {self.population}: at least 4 are needed")
        if self.trials > MOST_TRIALS:
            raise ValueError(f"{self.trials:,} trials are too many: at most {MOST_TRIALS:,}")

    @property
    def trials(self) -> int:
        """How many trials there are in all rounds."""
        return self.rounds * self.population

    def match(self, values: Mapping[str, str], seed: int) -> Match:
        """The match of the template with these values."""
        spec = fill(self.template, values)
        return Match(self.game, spec, self.opponent, seed=seed, openings=self.openings)

    def samples(self) -> Iterator[Match]:
        """Matches in which each end of each range and each choice occurs: who can play them, can play all."""
        longest = max(len(parameter.samples) for parameter in self.parameters)
        for at in range(longest):
            values = {one.name: one.samples[min(at, len(one.samples) - 1)] for one in self.parameters}
            yield self.match(values, self.seed)

    def run(
        self,
        store: Store,
        *,
        threads: int | None = None,
        workers: Workers | None = None,
        fresh: bool = False,
    ) -> Iterator[Step]:
        """The trials and, as the last value, the verification of what they propose.

        `threads`, `workers` and `fresh` are those of `Match.run`.
        """
        by = workers_of(threads, workers)
        searcher = searcher_of(self.method, self.parameters, self.population, self.seed)
        diary = Diary(store, self._facts(searcher.name), fresh=fresh)

        def play(match: Match, games: int) -> MatchResult:
            return match.play(games, workers=by, store=store, fresh=fresh)

        for number in range(self.trials):
            places = searcher.ask()
            values = {p.name: p.text(at) for p, at in zip(self.parameters, places, strict=True)}
            # A seed of its own for every trial: luck of the openings must not favour one corner of the range.
            match = self.match(values, self.seed + 1 + number)
            result = play(match, self.games)
            searcher.tell(result.score.rate)
            turn = number // self.population
            diary.enter(Tried("trial", number, turn, values, match.seed, result.score, result.identity))
            yield Step("trial", turn, values, result.score, match, diary.identity)
        values = {p.name: p.text(at) for p, at in zip(self.parameters, searcher.proposal(), strict=True)}
        match = self.match(values, self.seed + VERIFY_SEED)
        result = play(match, self.verify)
        told = (self.trials, self.rounds, values, match.seed, result.score, result.identity)
        diary.enter(Tried("verification", *told))
        yield Step("verification", self.rounds, values, result.score, match, diary.identity)

    def _facts(self, method: str) -> dict[str, object]:
        """All that the trials depend on; more rounds go on with the same ones."""
        assert isinstance(self.openings, Openings), "kept as that"
        return {
            "game": told_canonical("game", str(self.game)),
            "template": self.template,
            "opponent": told_canonical("player", str(self.opponent)),
            "parameters": [parameter.written for parameter in self.parameters],
            "method": method,
            "population": self.population,
            "games": self.games,
            "seed": self.seed,
            "openings": self.openings.text,
        }
