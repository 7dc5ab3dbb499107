"""Tuning: values for the holes of a template that win most, and a fresh match that checks them.

Two methods. `cem` is the cross-entropy method (Rubinstein 1999; for search parameters Chaslot, Winands, Szita
and Van den Herik 2008): values are drawn from normal distributions, one per parameter, which move towards the
best quarter of the draws. `optuna` is CMA-ES with learning rate adaptation (Nomura, Akimoto and Ono 2023),
made for noisy objectives, from the library of that name (extra `coppice-mcts[tune]`).

Neither ends with the trial that happened to win most: that one was lucky. `cem` proposes the middle of its
last distribution, `optuna` the middle of the better half of its last generation, and the proposal is then
measured in a match of its own on seeds that no trial has seen. Trials are matches in the store, and which
values are tried depends on the seed and on the results alone, so that a command given again goes on where it
stopped.
"""

from __future__ import annotations

import math
import os
import random
import re
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from coppice import _core
from coppice.core import distribution
from coppice.core.spec_like import SpecLike, spec_text
from coppice.lab.match import Match, Openings
from coppice.lab.stats import Score
from coppice.lab.store import Store
from coppice.lab.sweep import fill, holes
from coppice.lab.workers import Workers, workers_of

__all__ = ["Method", "Parameter", "Step", "Tuning"]

Method = Literal["cem", "optuna"]
VERIFY_SEED = 1_000_003
"""Added to the seed for the verification: its games are not those of any trial."""
_ELITE = 0.25
_SMOOTH = 0.7
"""How far the distribution of `cem` moves towards its elite in one round."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with its range, tuned on a straight or logarithmic scale, as a real or a whole number."""

    name: str
    low: float
    high: float
    logarithmic: bool = False
    whole: bool = False

    @classmethod
    def parse(cls, text: str) -> Parameter:
        """A parameter from `name=low..high`, followed by `:log` and `:int` where wanted."""
        found = re.fullmatch(r"(\w+)=(.+?)\.\.(.+?)((?::(?:log|int))*)", text.strip())
        try:
            if found is None:
                raise ValueError
            low, high = float(found[2]), float(found[3])
        except ValueError:
            raise ValueError(
                f"'{text}' is not allowed: name=low..high, then :log and :int if wanted"
            ) from None
        flags = found[4].split(":")
        if not (math.isfinite(low + high) and low < high):
            raise ValueError(f"'{text}' is not allowed: low must be smaller than high")
        if "log" in flags and low <= 0:
            raise ValueError(f"'{text}' is not allowed: a logarithmic range begins above 0")
        return cls(found[1], low, high, "log" in flags, "int" in flags)

    @property
    def ends(self) -> tuple[float, float]:
        """The range on the scale of the tuning."""
        return (math.log(self.low), math.log(self.high)) if self.logarithmic else (self.low, self.high)

    def value(self, at: float) -> float:
        """The value at a place of the scale, inside the range."""
        value = math.exp(at) if self.logarithmic else at
        value = min(max(value, self.low), self.high)
        return float(round(value)) if self.whole else float(f"{value:.4g}")

    def text(self, at: float) -> str:
        """The same as a spec writes it."""
        return f"{self.value(at):.10g}"


@dataclass(frozen=True, slots=True)
class Step:
    """One trial, or at last the verification."""

    kind: Literal["trial", "verification"]
    round: int
    values: Mapping[str, str]
    score: Score
    match: Match


_Play = Callable[[Match, int], Score]
"""Plays so many games of a match."""


@dataclass(frozen=True)
class Tuning:
    """What is tuned against whom, and with what effort."""

    game: SpecLike
    template: str
    opponent: SpecLike
    parameters: Sequence[Parameter]
    method: Method = "cem"
    rounds: int = 10
    population: int = 16
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
            raise ValueError(f"every {{name}} of '{self.template}' needs one range")
        if self.method not in ("cem", "optuna"):
            raise ValueError(f"unknown method '{self.method}': allowed are cem, optuna")
        for name in ("rounds", "games", "verify"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: at least 1 is needed")
        if self.population < 4:
            raise ValueError(f"the population is {self.population}: at least 4 are needed")
        if self.method == "optuna" and len(names) < 2:
            raise ValueError(
                "optuna's CMA-ES needs at least two parameters; the method cem tunes a single one"
            )

    def match(self, values: Mapping[str, str], seed: int) -> Match:
        """The match of the template with these values."""
        spec = fill(self.template, values)
        return Match(self.game, spec, self.opponent, seed=seed, openings=self.openings)

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

        def play(match: Match, games: int) -> Score:
            return match.play(games, workers=by, store=store, fresh=fresh).score

        method = self._cem if self.method == "cem" else self._optuna
        proposal = yield from method(play)
        match = self.match(proposal, self.seed + VERIFY_SEED)
        score = play(match, self.verify)
        yield Step("verification", self.rounds, proposal, score, match)

    def _trial(self, number: int, places: Sequence[float], play: _Play) -> Step:
        values = {p.name: p.text(at) for p, at in zip(self.parameters, places, strict=True)}
        # A seed of its own for every trial: luck of the openings must not favour one corner of the range.
        match = self.match(values, self.seed + 1 + number)
        score = play(match, self.games)
        return Step("trial", number // self.population, values, score, match)

    def _cem(self, play: _Play) -> Generator[Step, None, dict[str, str]]:
        rng = random.Random(f"coppice tune {self.seed}")
        middles = [sum(parameter.ends) / 2 for parameter in self.parameters]
        spreads = [(parameter.ends[1] - parameter.ends[0]) / 2 for parameter in self.parameters]
        for turn in range(self.rounds):
            trials: list[tuple[float, int, list[float]]] = []
            for number in range(turn * self.population, (turn + 1) * self.population):
                places = [
                    _inside(rng, parameter, middle, spread)
                    for parameter, middle, spread in zip(self.parameters, middles, spreads, strict=True)
                ]
                step = self._trial(number, places, play)
                trials.append((-step.score.rate, number, places))
                yield step
            elite = [places for *_, places in sorted(trials)[: max(2, round(_ELITE * self.population))]]
            for at in range(len(self.parameters)):
                column = [places[at] for places in elite]
                mean = math.fsum(column) / len(column)
                deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in column) / len(column))
                middles[at] += _SMOOTH * (mean - middles[at])
                spreads[at] += _SMOOTH * (deviation - spreads[at])
        return {p.name: p.text(at) for p, at in zip(self.parameters, middles, strict=True)}

    def _optuna(self, play: _Play) -> Generator[Step, None, dict[str, str]]:
        optuna = distribution.optional("optuna", "tune", "the method optuna needs the extra")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        with warnings.catch_warnings():
            # The adaptation is marked experimental there, which is no news to the person at the keyboard.
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            sampler = optuna.samplers.CmaEsSampler(
                seed=self.seed, popsize=self.population, lr_adapt=True, n_startup_trials=1
            )
        study = optuna.create_study(direction="maximize", sampler=sampler)
        scale = {p.name: optuna.distributions.FloatDistribution(*p.ends) for p in self.parameters}
        trials: list[tuple[float, int, list[float]]] = []
        for number in range(self.rounds * self.population):
            trial = study.ask(scale)
            places = [float(trial.params[parameter.name]) for parameter in self.parameters]
            step = self._trial(number, places, play)
            study.tell(trial, step.score.rate)
            trials.append((-step.score.rate, number, places))
            yield step
        last = sorted(trials[-self.population :])[: (self.population + 1) // 2]
        middles = [math.fsum(column) / len(last) for column in zip(*(p for *_, p in last), strict=True)]
        return {p.name: p.text(at) for p, at in zip(self.parameters, middles, strict=True)}


def _inside(rng: random.Random, parameter: Parameter, middle: float, spread: float) -> float:
    """A normal draw inside the range: drawn again while it is outside, at last moved to the nearer end."""
    low, high = parameter.ends
    for _ in range(100):
        at = rng.gauss(middle, spread)
        if low <= at <= high:
            return at
    return min(max(middle, low), high)
