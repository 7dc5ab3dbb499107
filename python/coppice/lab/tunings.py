"""Tunings that a store keeps: what was tried, what was proposed, and what its fresh match says.

A tuning is a series of the store. Its trials are the results 0, 1, 2, ...; a verification has an index beyond
all trials, made from its games and from the number of trials that it closes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from coppice import _core
from coppice.lab.parameters import Tuned, parse_parameter
from coppice.lab.stats import Pairs, Score
from coppice.lab.store import Store, StoredSeries

__all__ = ["MOST_TRIALS", "Diary", "KeptTuning", "Tried", "find_tuning", "tunings"]

MOST_TRIALS = 1_000_000
"""More trials no tuning has."""
_KIND = "tuning"


@dataclass(frozen=True, slots=True)
class Tried:
    """A trial of a tuning, or the verification of what its trials propose."""

    kind: Literal["trial", "verification"]
    number: int
    """The trial's; of a verification, how many trials it closes."""
    round: int
    """From 0; of a verification, how many rounds it closes."""
    values: Mapping[str, str]
    """The texts that were filled in, by parameter."""
    seed: int
    score: Score
    match: str
    """The name of the match in the store; empty if its games are kept nowhere."""

    @property
    def index(self) -> int:
        """The index of the result."""
        return self.number if self.kind == "trial" else MOST_TRIALS * self.score.games + self.number

    def plain(self) -> dict[str, Any]:
        """It as the store has it."""
        score = {name: getattr(self.score, name) for name in ("wins", "draws", "losses")}
        sides = None if self.score.by_side is None else [list(counts) for counts in self.score.by_side]
        return {
            "kind": self.kind,
            "number": self.number,
            "round": self.round,
            "values": dict(self.values),
            "seed": self.seed,
            "score": {**score, "pairs": asdict(self.score.pairs), "by_side": sides},
            "match": self.match,
        }

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Tried:
        """What `plain` has written."""
        told = plain["score"]
        sides = None
        if told["by_side"] is not None:
            (a, b, c), (d, e, f) = told["by_side"]
            sides = ((a, b, c), (d, e, f))
        score = Score(told["wins"], told["draws"], told["losses"], Pairs(**told["pairs"]), sides)
        return cls(**{**plain, "score": score})


class Diary:
    """Where a running tuning enters what it has tried."""

    def __init__(self, store: Store, facts: Mapping[str, object], *, fresh: bool) -> None:
        """`fresh` begins anew; what the store has stays there under another name."""
        text = json.dumps(facts, sort_keys=True)
        self.identity = hashlib.sha256(f"coppice tuning {text}".encode()).hexdigest()[:32]
        self._store = store
        self._row = StoredSeries(self.identity, _KIND, text, _core.PLAY_VERSION)
        if fresh:
            store.set_aside_series(self.identity)
        store.register_series(self._row)
        self._kept = store.results(self.identity)

    def enter(self, tried: Tried) -> None:
        """Keep what was tried. If the store has another result, its whole tuning is set aside for this one.

        So it is when a player was edited since: later trials were chosen by what is no longer true.
        """
        index, value = tried.index, tried.plain()
        if index in self._kept and self._kept[index] != value:
            before = {at: kept for at, kept in self._kept.items() if at < index}
            self._store.set_aside_series(self.identity)
            self._store.register_series(self._row)
            self._store.add_results(self.identity, before)
            self._kept = before
        if index not in self._kept:
            self._store.add_results(self.identity, {index: value})
            self._kept[index] = value


@dataclass(frozen=True)
class KeptTuning:
    """A tuning as a store knows it."""

    identity: str
    game: str
    template: str
    opponent: str
    parameters: tuple[Tuned, ...]
    method: str
    population: int
    games: int
    """Games per trial."""
    seed: int
    openings: str
    created: str
    """When its first command began, in UTC."""
    trials: tuple[Tried, ...]
    verifications: tuple[Tried, ...]
    """In the order of the trials that they close, then of their games."""

    @property
    def closed(self) -> Tried | None:
        """The verification that rests on most trials, and of these on most games; None before the first."""
        return self.verifications[-1] if self.verifications else None

    def rounds(self) -> list[Sequence[Tried]]:
        """The trials round by round."""
        most = max((trial.round for trial in self.trials), default=-1)
        return [[trial for trial in self.trials if trial.round == turn] for turn in range(most + 1)]

    def highest(self, count: int) -> list[Tried]:
        """The trials that won most, of equals the earlier; luck has its part in each."""
        return sorted(self.trials, key=lambda trial: (-trial.score.rate, trial.number))[:count]


def tunings(store: Store) -> list[KeptTuning]:
    """All tunings of a store, in the order in which they were begun."""
    return [_kept(store, series) for series in store.series() if series.kind == _KIND]


def find_tuning(store: Store, name: str) -> KeptTuning:
    """The tuning whose name begins so."""
    known = [series for series in store.series() if series.kind == _KIND]
    found = [series for series in known if series.identity.startswith(name)]
    if not found or len(found) > 1:
        names = ", ".join(series.identity[: max(8, len(name) + 4)] for series in (found or known)) or "none"
        what = f"has no tuning {name}" if not found else f"has several tunings that begin with {name}"
        raise ValueError(f"the store '{store.path}' {what}: {names}")
    return _kept(store, found[0])


def _kept(store: Store, series: StoredSeries) -> KeptTuning:
    facts = json.loads(series.facts)
    parameters = tuple(map(parse_parameter, facts["parameters"]))
    tried = [Tried.of(value) for value in store.results(series.identity).values()]
    # The store sorts names; people see them in the order of the parameters.
    tried = [replace(one, values={p.name: one.values[p.name] for p in parameters}) for one in tried]
    verifications = [one for one in tried if one.kind == "verification"]
    return KeptTuning(
        series.identity,
        **{**facts, "parameters": parameters},
        created=series.created,
        trials=tuple(one for one in tried if one.kind == "trial"),
        verifications=tuple(sorted(verifications, key=lambda one: (one.number, one.score.games))),
    )
