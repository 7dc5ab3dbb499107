"""Series: rows whose runs are results by index, each from the facts and the index alone.

A run may be made in a thread, another process or on another machine alike: `measure_one` takes plain values
and is a pure function but for times.
"""

from __future__ import annotations

import hashlib
import json
import time
from abc import abstractmethod
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from coppice import _core
from coppice.core.outside import Outside
from coppice.core.shipping import Parcel, pack
from coppice.lab.replay import build, fingerprint_indices, fingerprint_of, note_build, stands_under
from coppice.lab.store import Store, StoredSeries
from coppice.lab.witness import agreed, comes_out_again
from coppice.lab.workers import Threads, Workers, check_version
from coppice.papers.evidence import Evidence, mean_of
from coppice.papers.measure import seed_of
from coppice.papers.result_lines import PLAYERS, ResultLine, merge, told_facts
from coppice.papers.rows.row import Row, Step, line_of

__all__ = ["SeriesRow", "SeriesWork", "identity_in", "play_versions", "series_identity"]

_COMMIT_SECONDS = 0.25


@dataclass(frozen=True, kw_only=True)
class SeriesRow(Row):
    """A row whose runs are results by index."""

    measures_time: ClassVar[bool] = False
    """Whether its results are times: then one run is made at a time, and nobody can replay it."""

    @staticmethod
    @abstractmethod
    def measure_one(facts: Mapping[str, Any], seed: int) -> dict[str, Any]:
        """The result of one run, from plain values; it may be made in another process."""

    @abstractmethod
    def value_of(self, result: Mapping[str, Any]) -> Any:
        """What the row keeps of a result."""

    def evidence(self, values: Mapping[int, Any]) -> Evidence:
        """The mean of the values."""
        return Evidence(len(values), mean=mean_of(values.values()))

    def work(self, facts: Mapping[str, Any]) -> SeriesWork:
        """The series."""
        return SeriesWork(self, facts)


@dataclass(frozen=True)
class SeriesWork:
    """The runs of a row; see `Work`."""

    row: SeriesRow
    facts: Mapping[str, Any]

    @property
    def identity(self) -> str:
        """What the facts come to."""
        return series_identity(self.facts, measures_time=self.row.measures_time)

    @property
    def replayable(self) -> bool:
        """Whether no time is measured."""
        return not self.row.measures_time

    @property
    def play_version(self) -> str:
        """Those of the players."""
        return play_versions(self.facts)

    def _identity_in(self, store: Store) -> str:
        return identity_in(store, self.facts, measures_time=self.row.measures_time)

    def done_in(self, store: Store, indices: range) -> Collection[int]:
        """The indices of the results that the store has."""
        return store.results(self._identity_in(store), indices.stop).keys()

    def line_in(self, store: Store, indices: range) -> ResultLine | None:
        """What the row keeps of the results that the store has."""
        identity = self._identity_in(store)
        origin, results = store.find_series(identity), store.results(identity, indices.stop)
        if origin is None:
            return None
        values = {index: self.row.value_of(result) for index, result in results.items()}
        prints = {}
        if self.replayable:
            prints = {index: fingerprint_of(results[index]) for index in fingerprint_indices(results)}
        return line_of(self, values, prints, origin)

    def match_in(self, store: Store) -> str | None:
        """None: runs are no games that could be looked at."""
        return None

    def unconfirmed_in(self, store: Store) -> int:
        """None: what another code has measured is found out before more is."""
        return 0

    def set_aside(self, store: Store) -> None:
        """Keep its results under another identity."""
        identity = self._identity_in(store)
        with store.turn(identity):
            store.set_aside_series(identity)

    def mean_seconds(self, store: Store) -> float | None:
        """None: results do not tell how long they took."""
        return None

    def run(self, indices: range, there: ResultLine | None, store: Store, workers: Workers) -> Iterator[Step]:
        """Measure what is missing."""
        identity = self._identity_in(store)
        # Two timings at a time would disturb each other.
        place = Threads(1) if self.row.measures_time else workers
        with store.turn(identity), _outside(self.facts).held():
            if not self._stands(store, place):
                store.set_aside_series(identity)
            facts = json.dumps(self.facts, sort_keys=True)
            store.register_series(StoredSeries(identity, self.row.kind, facts, self.play_version))
            note_build(store, identity, build(), self.play_version)
            found = self.line_in(store, indices)
            if there is not None:
                found = there if found is None else merge(there, found)
            values = {} if found is None else {i: value for i, value in found.values.items() if i in indices}
            missing = [index for index in indices if index not in values]
            yield Step(len(values), self._value(values), None)
            begun = committed = time.monotonic()
            waiting: dict[int, dict[str, Any]] = {}
            left = len(missing)
            results = self._results(missing, place)
            try:
                for result in results:
                    if result is not None:
                        waiting[result[0]] = result[1]
                    if waiting and time.monotonic() - committed >= _COMMIT_SECONDS:
                        store.add_results(identity, waiting)
                        values |= {index: self.row.value_of(each) for index, each in waiting.items()}
                        left -= len(waiting)
                        waiting, committed = {}, time.monotonic()
                        pace = (committed - begun) / (len(missing) - left)
                        yield Step(len(values), self._value(values), pace * left)
            finally:
                results.close()
                if waiting:
                    store.add_results(identity, waiting)
                    values |= {index: self.row.value_of(each) for index, each in waiting.items()}
            yield Step(len(values), self._value(values), 0.0)

    def _value(self, values: Mapping[int, Any]) -> float | None:
        return self.row.evidence(values).value if values else None

    def _stands(self, store: Store, place: Workers) -> bool:
        """Whether the results of a store are those of the code of today."""
        found = store.find_series(self.identity)
        if found is None or not found.results or not self.replayable:
            return True
        if stands_under(store, self.identity, build()):
            return True
        results = store.results(self.identity)
        indices = fingerprint_indices(results, first_block=True)
        made = dict(found for found in self._results(indices, place) if found is not None)
        return made == {index: results[index] for index in indices}

    def _results(
        self, indices: Sequence[int], workers: Workers
    ) -> Generator[tuple[int, dict[str, Any]] | None, None, None]:
        kind, facts = type(self.row), dict(self.facts)
        outside = _outside(facts)
        with outside.held():
            parcel = pack(outside)
        chunks = ((kind, facts, index, _core.PLAY_VERSION, parcel) for index in indices)

        def again(index: int) -> dict[str, Any]:
            return _measure(kind, facts, index, _core.PLAY_VERSION, parcel)[1]

        alike = self.replayable and comes_out_again(*(str(facts[name]) for name in _naming(facts)))
        share = workers.checked if alike else 0.0
        return agreed(workers.map(_measure, chunks), indices, share, again)

    def fingerprints(self, indices: Sequence[int], workers: Workers) -> dict[int, str]:
        """Hashes of the results."""
        made = (found for found in self._results(indices, workers) if found is not None)
        return {index: fingerprint_of(result) for index, result in made}

    def make(self, count: int) -> None:
        """Measure so many in this thread."""
        for index in range(count):
            type(self.row).measure_one(self.facts, seed_of(int(self.facts["seed"]), index))


def _measure(
    kind: type[SeriesRow], facts: Mapping[str, Any], index: int, play_version: str, parcel: Parcel
) -> tuple[int, dict[str, Any]]:
    check_version(play_version)
    names = _naming(facts)
    with parcel.opened(*(facts[name] for name in names)) as specs:
        here = {**facts, **dict(zip(names, specs, strict=True))}
        return index, kind.measure_one(here, seed_of(int(facts["seed"]), index))


def play_versions(facts: Mapping[str, Any]) -> str:
    """The play versions of the players that are searched with, or timed, in their game."""
    players = (facts.get(name) for name in PLAYERS)
    return "-".join(_core.play_version(facts["game"], player) for player in players if player)


def identity_in(store: Store, facts: Mapping[str, Any], *, measures_time: bool) -> str:
    """The identity under which a store has, or will have, a series.

    Earlier versions entered times under one play version for everything: where it is that of today, they go
    on there.
    """
    identity = series_identity(facts, measures_time=measures_time)
    if measures_time and store.find_series(identity) is None:
        before = series_identity(facts, measures_time=True, version=_core.PLAY_VERSION)
        if store.find_series(before) is not None:
            return before
    return identity


def series_identity(facts: Mapping[str, Any], *, measures_time: bool, version: str | None = None) -> str:
    """Other facts or another content of what is outside the package: another series.

    Times are those of a play version, since nothing can tell whether they still hold: that of their players
    in their game, unless another `version` is given.
    """
    parts: list[object] = ["coppice series", told_facts(facts)]
    if measures_time:
        parts.append(play_versions(facts) if version is None else version)
    outside = _outside(facts)
    if outside.parts:
        if untold := outside.untold():
            raise ValueError(untold)
        parts.append(outside.fingerprints())
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _outside(facts: Mapping[str, Any]) -> Outside:
    return Outside(*(facts[name] for name in _naming(facts)))


def _naming(facts: Mapping[str, Any]) -> list[str]:
    """The facts that are specs."""
    return [name for name in ("game", *PLAYERS) if facts.get(name)]
