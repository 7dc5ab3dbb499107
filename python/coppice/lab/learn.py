"""Learning: weights of small patterns from games that a player plays against itself.

Every move of a game is a choice among all legal moves, and what stands around a move is its kind. Kinds meet
as the players of a tournament do: Bradley and Terry's model gives each a weight, and a move is chosen with
probability weight / sum of the weights of all legal moves. The weights are found by minorization-maximization
(R. Coulom, "Computing Elo ratings of move patterns in the game of Go", 2007). Each kind has besides won and
lost once against the average move, so that one that was hardly ever seen stays near the average, which is 1.

One pair of games in five is held out: the weights have not seen it, and their likelihood is measured on it.
"""

from __future__ import annotations

import json
import math
import os
import shlex
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from coppice import _core
from coppice.core.spec import Spec
from coppice.lab.match import Match, Openings, Progress
from coppice.lab.store import Store
from coppice.lab.workers import Workers, workers_of

__all__ = ["NEARNESS", "Choices", "Gain", "Learning", "Weights", "fit"]

NEARNESS = ("far", "beside", "bridge")
"""How a move may lie to the last one."""
HELD_OUT = 5
"""One pair of games in so many is held out."""
_ROUNDS = 2000
_CLOSE = 1e-7
"""When no logarithm of a weight changes by more than this in a round, the weights are found."""

_Numbers = npt.NDArray[np.float64]
_Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Choices:
    """Moves that were chosen, and what there was to choose from: an entry per choice and kind."""

    chosen: _Indices
    """By choice: the kind of the move that was played."""
    game: _Indices
    """By choice: the game it was made in."""
    choice: _Indices
    """By entry: which choice it belongs to."""
    kind: _Indices
    """By entry: a kind of move."""
    count: _Numbers
    """By entry: how many legal moves were of that kind."""

    @classmethod
    def of(cls, told: dict[str, list[int]]) -> Choices:
        """The choices that the core has found in games."""
        return cls(
            np.array(told["chosen"], dtype=np.int64),
            np.repeat(np.arange(len(told["per_game"])), told["per_game"]),
            np.repeat(np.arange(len(told["widths"])), told["widths"]),
            np.array(told["kinds"], dtype=np.int64),
            np.array(told["counts"], dtype=np.float64),
        )

    @classmethod
    def join(cls, parts: Sequence[Choices]) -> Choices:
        """The choices of several boards; their games are told apart."""
        games = np.cumsum([0, *(1 + int(part.game.max(initial=-1)) for part in parts)])
        choices = np.cumsum([0, *(len(part.chosen) for part in parts)])
        return cls(
            np.concatenate([part.chosen for part in parts]),
            np.concatenate([part.game + start for part, start in zip(parts, games, strict=False)]),
            np.concatenate([part.choice + start for part, start in zip(parts, choices, strict=False)]),
            np.concatenate([part.kind for part in parts]),
            np.concatenate([part.count for part in parts]),
        )

    def select(self, wanted: npt.NDArray[np.bool_]) -> Choices:
        """Those of the choices."""
        number = np.cumsum(wanted) - 1
        entries = wanted[self.choice]
        return Choices(
            self.chosen[wanted],
            self.game[wanted],
            number[self.choice[entries]],
            self.kind[entries],
            self.count[entries],
        )

    def anywhere(self) -> Choices:
        """The same where it does not matter how a move lies to the last one: kinds are classes."""
        near = len(NEARNESS)
        return Choices(self.chosen // near, self.game, self.choice, self.kind // near, self.count)

    def log_likelihoods(self, weights: _Numbers) -> _Numbers:
        """The logarithm of the probability of each choice."""
        strength = np.bincount(self.choice, self.count * weights[self.kind], len(self.chosen))
        return np.asarray(np.log(weights[self.chosen] / strength))


def fit(choices: Choices, kinds: int) -> _Numbers:
    """The weights of the kinds; the average legal move has weight 1."""
    wins = np.bincount(choices.chosen, minlength=kinds)
    share = np.bincount(choices.kind, choices.count, kinds) / choices.count.sum()
    weights = np.ones(kinds)
    for _ in range(_ROUNDS):
        strength = np.bincount(choices.choice, choices.count * weights[choices.kind], len(choices.chosen))
        # How often a kind of weight 1 would have been chosen (Coulom 2007, section 3.2), and the two games
        # against the average.
        expected = np.bincount(choices.kind, choices.count / strength[choices.choice], kinds)
        found = (wins + 1) / (expected + 2 / (weights + 1))
        found /= (share * found).sum()
        change = np.abs(np.log(found / weights)).max()
        weights = found
        if change < _CLOSE:
            break
    return np.asarray(weights)


@dataclass(frozen=True, slots=True)
class Gain:
    """How well weights foretell choices: log-likelihood per choice, and how much better than chance."""

    likelihood: float
    gain: float
    """Over uniform chance, per choice."""
    error: float
    """The standard error of the gain; choices of one game are not independent."""

    @classmethod
    def of(cls, choices: Choices, weights: _Numbers) -> Gain:
        """Of weights on choices that they have not seen."""
        found = choices.log_likelihoods(weights)
        better = found - choices.log_likelihoods(np.ones_like(weights))
        mean = float(better.mean())
        by_game = np.bincount(choices.game, better - mean)
        return cls(float(found.mean()), mean, math.sqrt(float((by_game**2).sum())) / len(better))


@dataclass(frozen=True)
class Weights:
    """What was learnt, and from what."""

    names: tuple[str, ...]
    """The classes of patterns."""
    pictures: tuple[str, ...]
    numbers: _Numbers
    """By class: its weight wherever the last move was, then for each nearness to it."""
    seen: _Numbers
    """By class and nearness: how many legal moves there were in the choices that were learnt from."""
    learnt: int
    """Choices that the weights were learnt from."""
    held_out: int
    """Choices that they were measured on."""
    uniform: float
    """The log-likelihood of uniform chance on these, per choice."""
    gains: dict[str, Gain]
    """`any` without and `near` with the nearness to the last move."""

    def strongest(self, count: int, *, weakest: bool = False) -> list[tuple[int, int]]:
        """The kinds with the largest weights, or the smallest, of those seen often, as class and nearness."""
        often = self.seen >= max(30.0, 1e-5 * float(self.seen.sum()))
        order = np.argsort(self.numbers[:, 1:], axis=None, kind="stable")
        places = [divmod(int(place), len(NEARNESS)) for place in (order if weakest else order[::-1])]
        return [place for place in places if often[place]][:count]

    def drawing(self, kinds: Sequence[tuple[int, int]]) -> str:
        """Kinds side by side: what stands around the move `+`, its weight, how it lies to the last move."""
        columns = [
            [
                *self.pictures[at].splitlines(),
                f"{self.numbers[at, 1 + near]:.2f}",
                NEARNESS[near],
            ]
            for at, near in kinds
        ]
        rows = zip(*columns, strict=True)
        return "\n".join("  ".join(text.ljust(8) for text in row).rstrip() for row in rows)


@dataclass(frozen=True)
class Learning:
    """The games that are learnt from: one player against itself on one or several boards of one game."""

    games: Sequence[str]
    player: str = "strong(simulations=1000)"
    count: int = 200
    """Games on each board."""
    seed: int = 0
    plies: int = 2
    """Random moves at the beginning of each pair of games; they are not learnt from."""
    name: str = field(init=False)
    """The game without its options."""

    def __post_init__(self) -> None:
        if not self.games:
            raise ValueError("nothing to learn from: name at least one game")
        object.__setattr__(self, "games", tuple(self.games))
        if self.count < 2 * HELD_OUT:
            raise ValueError(f"cannot learn from {self.count} games: at least {2 * HELD_OUT} are needed")
        names = [Spec.of("game", game).name for game in self.games]
        if len(set(names)) > 1:
            raise ValueError(f"weights are learnt for one game, not for {' and '.join(sorted(set(names)))}")
        for game in self.games:
            _core.patterns(game)
            _core.check_player(game, self.player)
        object.__setattr__(self, "name", names[0])

    @property
    def openings(self) -> str:
        """How the games begin."""
        return f"random(plies={self.plies})" if self.plies else "none"

    def matches(self) -> list[Match]:
        """A match for each board."""
        openings = Openings.of(self.openings)
        return [
            Match(game, self.player, self.player, seed=self.seed, openings=openings) for game in self.games
        ]

    def command(self, out: str) -> str:
        """The command that learns the same again."""
        words = ["coppice", "learn", *self.games, "--player", self.player, "--games", str(self.count)]
        words += ["--seed", str(self.seed), "--plies", str(self.plies), "--out", os.path.basename(out)]
        return shlex.join(words)

    def run(
        self,
        store: Store,
        *,
        threads: int | None = None,
        workers: Workers | None = None,
        fresh: bool = False,
    ) -> Generator[tuple[str, Progress], None, None]:
        """Plays the games that the store does not have; with `fresh` all of them, as in `Match.run`."""
        by = workers_of(threads, workers)
        for game, match in zip(self.games, self.matches(), strict=True):
            for step in match.run(self.count, workers=by, store=store, fresh=fresh):
                yield game, step

    def choices(self, store: Store) -> tuple[Choices, Choices]:
        """The choices in the games of the store: those to learn from, and those that are held out."""
        parts = []
        for match in self.matches():
            records = {record.index: record for record in store.records(match.identity, self.count)}
            if len(records) < self.count:
                raise ValueError(f"only {len(records)} of {self.count} games of {match.game} are played")
            moves = [records[index].moves for index in range(self.count)]
            told = Choices.of(_core.pattern_choices(match.game, moves, skip=self.plies))
            parts.append((told, told.game // 2 % HELD_OUT == HELD_OUT - 1))
        learnt = Choices.join([told.select(~held) for told, held in parts])
        held_out = Choices.join([told.select(held) for told, held in parts])
        return learnt, held_out

    def learn(self, store: Store) -> Weights:
        """The weights that the games of the store give."""
        learnt, held_out = self.choices(store)
        names, pictures = zip(*_core.patterns(self.games[0]), strict=True)
        classes, near = len(names), len(NEARNESS)
        anywhere = fit(learnt.anywhere(), classes)
        kinds = fit(learnt, classes * near)
        gains = {"any": Gain.of(held_out.anywhere(), anywhere), "near": Gain.of(held_out, kinds)}
        return Weights(
            names,
            pictures,
            np.column_stack([anywhere, kinds.reshape(classes, near)]),
            np.bincount(learnt.kind, learnt.count, classes * near).astype(np.float64).reshape(classes, near),
            learnt=len(learnt.chosen),
            held_out=len(held_out.chosen),
            uniform=gains["near"].likelihood - gains["near"].gain,
            gains=gains,
        )

    def facts(self, weights: Weights, out: str) -> dict[str, Any]:
        """What the file says besides the weights themselves."""
        return {
            "game": self.name,
            "command": self.command(out),
            "boards": [_core.canonical("game", game) for game in self.games],
            "player": _core.canonical("player", self.player, self.games[0]),
            "games": self.count * len(self.games),
            "seed": self.seed,
            "play_version": _core.PLAY_VERSION,
            "learnt_from": weights.learnt,
            "held_out": weights.held_out,
            "log_likelihood": {
                "uniform": round(weights.uniform, 4),
                **{name: round(gain.likelihood, 4) for name, gain in weights.gains.items()},
            },
            "numbers": ["any", *NEARNESS],
        }

    def text(self, weights: Weights, out: str) -> str:
        """The file: facts, then a line for each class."""
        facts = [
            f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in self.facts(weights, out).items()
        ]
        # Four digits: whatever a processor does with the last bits of a sum, the file is the same.
        rows = [
            f"    {json.dumps(name)}: [{', '.join(f'{number:.4g}' for number in numbers)}]"
            for name, numbers in zip(weights.names, weights.numbers, strict=True)
        ]
        return "{\n" + ",\n".join([*facts, '  "patterns": {\n' + ",\n".join(rows) + "\n  }"]) + "\n}\n"
