"""Methods of tuning: which values are tried next, and what is proposed in the end.

`cem` is the cross-entropy method (Rubinstein 1999; for search parameters Chaslot, Winands, Szita and Van den
Herik 2008): numbers are drawn from normal distributions, one for each parameter, and choices with a
probability for each value; both move towards the best quarter of the draws. The others are samplers of
Optuna (extra `coppice-mcts[tune]`): `cmaes`, CMA-ES with learning rate adaptation for noisy functions
(Nomura, Akimoto and Ono 2023); `tpe`, tree-structured Parzen estimators over all parameters together;
`nsgaii`, a genetic algorithm; `qmc`, Sobol's sequence; `random`.

None proposes the trial that happened to win most: that one was lucky. `cem` proposes the middle of its last
distribution, `cmaes` the middle of the better half of its last generation, the others the trial whose
neighbourhood won most.
"""

from __future__ import annotations

import contextlib
import math
import random
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, get_args

from coppice.core import distribution
from coppice.lab.parameters import Choice, Parameter, Place, Tuned

__all__ = ["METHODS", "Method", "Searcher", "check_method", "searcher_of", "steadiest"]

Method = Literal["cem", "cmaes", "tpe", "nsgaii", "qmc", "random"]
METHODS: Sequence[Method] = get_args(Method)

_ELITE = 0.25
_SMOOTH = 0.7
"""How far the distribution of `cem` moves towards its elite in one round."""
_PRIOR = 2.0
"""So many trials of average result are added to each neighbourhood: a lone lucky trial is not believed."""


class Searcher(Protocol):
    """Who chooses what is tried. The same results make the same choices."""

    name: str
    """The method, with the version of what it depends on."""

    def ask(self) -> tuple[Place, ...]:
        """The next places to try, in the order of the parameters."""

    def tell(self, rate: float) -> None:
        """How often the values won that were asked for last."""

    def proposal(self) -> tuple[Place, ...]:
        """The places that all trials so far speak for."""


def check_method(method: str, parameters: Sequence[Tuned]) -> Method:
    """The method of this name, if it can tune these parameters; earlier versions called CMA-ES `optuna`."""
    found: dict[str, Method] = {**{name: name for name in METHODS}, "optuna": "cmaes"}
    if method not in found:
        raise ValueError(f"unknown method '{method}': allowed are {', '.join(METHODS)}")
    others = ", ".join(name for name in METHODS if name != "cmaes")
    if found[method] == "cmaes":
        choices = [parameter.name for parameter in parameters if isinstance(parameter, Choice)]
        if choices:
            raise ValueError(f"the method cmaes tunes numbers, and {choices[0]} is a choice: take {others}")
        if len(parameters) < 2:
            raise ValueError(
                f"the method cmaes needs at least two parameters: for a single one take {others}"
            )
    return found[method]


def searcher_of(method: Method, parameters: Sequence[Tuned], population: int, seed: int) -> Searcher:
    """The method, before its first trial."""
    if method == "cem":
        return _CrossEntropy(parameters, population, seed)
    return _Optuna(method, parameters, population, seed)


class _CrossEntropy:
    """The cross-entropy method."""

    name = "cem"

    def __init__(self, parameters: Sequence[Tuned], population: int, seed: int) -> None:
        self._parameters, self._population = parameters, population
        self._rng = random.Random(f"coppice tune {seed}")
        self._spans = [_Normal(one) if isinstance(one, Parameter) else _Weights(one) for one in parameters]
        self._asked: tuple[Place, ...] = ()
        self._trials: list[tuple[float, int, tuple[Place, ...]]] = []

    def ask(self) -> tuple[Place, ...]:
        self._asked = tuple(span.draw(self._rng) for span in self._spans)
        return self._asked

    def tell(self, rate: float) -> None:
        self._trials.append((-rate, len(self._trials), self._asked))
        if len(self._trials) < self._population:
            return
        elite = [places for *_, places in sorted(self._trials)[: max(2, round(_ELITE * self._population))]]
        self._trials = []
        for at, span in enumerate(self._spans):
            span.move([places[at] for places in elite])

    def proposal(self) -> tuple[Place, ...]:
        return tuple(span.middle for span in self._spans)


class _Normal:
    """From where a number is drawn."""

    def __init__(self, parameter: Parameter) -> None:
        self._ends = low, high = parameter.ends
        self.middle: Place = (low + high) / 2
        self._spread = (high - low) / 2

    def draw(self, rng: random.Random) -> Place:
        """A normal draw inside the range: again while it is outside, at last moved to the nearer end."""
        low, high = self._ends
        middle = float(self.middle)
        for _ in range(100):
            at = rng.gauss(middle, self._spread)
            if low <= at <= high:
                return at
        return min(max(middle, low), high)

    def move(self, elite: Sequence[Place]) -> None:
        column = [float(at) for at in elite]
        mean = math.fsum(column) / len(column)
        deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in column) / len(column))
        self.middle = float(self.middle) + _SMOOTH * (mean - float(self.middle))
        self._spread += _SMOOTH * (deviation - self._spread)


class _Weights:
    """From where a choice is drawn."""

    def __init__(self, choice: Choice) -> None:
        self._weights = dict.fromkeys(choice.values, 1 / len(choice.values))

    @property
    def middle(self) -> Place:
        """The most probable value, of equals the first."""
        return max(self._weights, key=self._weights.__getitem__)

    def draw(self, rng: random.Random) -> Place:
        [value] = rng.choices(list(self._weights), list(self._weights.values()))
        return value

    def move(self, elite: Sequence[Place]) -> None:
        for value, weight in self._weights.items():
            share = sum(at == value for at in elite) / len(elite)
            self._weights[value] = weight + _SMOOTH * (share - weight)


class _Optuna:
    """A sampler of Optuna. Its study stays in memory: the store has the trials, which make it again."""

    def __init__(self, method: Method, parameters: Sequence[Tuned], population: int, seed: int) -> None:
        optuna = distribution.optional("optuna", "tune", f"the method {method} needs the extra")
        if method == "cmaes":
            distribution.optional("cmaes", "tune", "the method cmaes needs the extra")
        if method == "qmc":
            distribution.optional("scipy", "tune", "the method qmc needs the extra")
        self._optuna, self._method = optuna, method
        self._parameters, self._population = parameters, population
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        with _quietly(optuna):
            self._study = optuna.create_study(direction="maximize", sampler=self._sampler(seed))
        self._scale = {
            one.name: optuna.distributions.FloatDistribution(*one.ends)
            if isinstance(one, Parameter)
            else optuna.distributions.CategoricalDistribution(one.values)
            for one in parameters
        }
        self._trial: Any = None
        self._trials: list[tuple[tuple[Place, ...], float]] = []
        # Another version may try other values.
        self.name = f"{method} of optuna {optuna.__version__}"

    def _sampler(self, seed: int) -> Any:
        samplers, population = self._optuna.samplers, self._population
        match self._method:
            case "cmaes":
                return samplers.CmaEsSampler(seed=seed, popsize=population, lr_adapt=True, n_startup_trials=1)
            case "tpe":
                return samplers.TPESampler(seed=seed, n_startup_trials=population, multivariate=True)
            case "nsgaii":
                return samplers.NSGAIISampler(seed=seed, population_size=population)
            case "qmc":
                return samplers.QMCSampler(seed=seed, scramble=True, warn_independent_sampling=False)
        return samplers.RandomSampler(seed=seed)

    def ask(self) -> tuple[Place, ...]:
        with _quietly(self._optuna):
            self._trial = self._study.ask(self._scale)
        found: Mapping[str, Place] = self._trial.params
        return tuple(found[parameter.name] for parameter in self._parameters)

    def tell(self, rate: float) -> None:
        places = tuple(self._trial.params[parameter.name] for parameter in self._parameters)
        with _quietly(self._optuna):
            self._study.tell(self._trial, rate)
        self._trials.append((places, rate))

    def proposal(self) -> tuple[Place, ...]:
        if self._method != "cmaes":
            return steadiest(self._parameters, self._trials)
        last = self._trials[-self._population :]
        ranked = sorted(range(len(last)), key=lambda at: (-last[at][1], at))
        half = [last[at][0] for at in ranked[: (self._population + 1) // 2]]
        return tuple(math.fsum(map(float, column)) / len(column) for column in zip(*half, strict=True))


@contextlib.contextmanager
def _quietly(optuna: Any) -> Iterator[None]:
    """Some samplers are marked experimental there, which is no news to the person at the keyboard."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        yield


def steadiest(
    parameters: Sequence[Tuned], trials: Sequence[tuple[tuple[Place, ...], float]]
) -> tuple[Place, ...]:
    """The trial whose neighbourhood won most, of equals the first.

    Trials of the same choices count for each other, the more the nearer their numbers lie (a normal kernel
    over ranges of length 1, as wide as n^(-1/(d + 4)) / 4 for n trials of d numbers), and two trials of
    average result are added to each neighbourhood.
    """
    numbers = [at for at, parameter in enumerate(parameters) if isinstance(parameter, Parameter)]
    choices = [at for at, parameter in enumerate(parameters) if isinstance(parameter, Choice)]
    width = len(trials) ** (-1 / (len(numbers) + 4)) / 4
    mean = math.fsum(rate for _, rate in trials) / len(trials)

    def units(places: tuple[Place, ...]) -> list[float]:
        return [_unit(parameters[at], places[at]) for at in numbers]

    placed = [(units(places), tuple(places[at] for at in choices), rate) for places, rate in trials]

    def steady(one: int) -> float:
        here, same, _ = placed[one]
        weights, points = [_PRIOR], [_PRIOR * mean]
        for there, other, rate in placed:
            if other == same:
                distance = math.fsum((a - b) ** 2 for a, b in zip(here, there, strict=True))
                weights.append(math.exp(-distance / (2 * width**2)))
                points.append(weights[-1] * rate)
        return math.fsum(points) / math.fsum(weights)

    best = max(range(len(trials)), key=lambda one: (steady(one), -one))
    return trials[best][0]


def _unit(parameter: Tuned, at: Place) -> float:
    assert isinstance(parameter, Parameter), "only ranges have a scale"
    return parameter.unit(float(at))
