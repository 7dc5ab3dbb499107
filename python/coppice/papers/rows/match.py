"""A row that is a match: the rate of player *a*, or how often the first side wins."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any, ClassVar, Literal

from coppice.lab.match import Match, Sides
from coppice.lab.replay import fingerprint_indices, fingerprint_of
from coppice.lab.stats import Score
from coppice.lab.store import Store
from coppice.lab.workers import Threads, Workers
from coppice.papers.evidence import Evidence
from coppice.papers.result_lines import ResultLine
from coppice.papers.rows.row import Estimate, Resolve, Row, Step, line_of

__all__ = ["MatchRow", "MatchWork"]


@dataclass(frozen=True, kw_only=True)
class MatchRow(Row):
    """A match; its number is the rate of player *a*, or how often the first side wins."""

    kind: ClassVar[str] = "match"
    cost_depends_on: ClassVar[tuple[str, ...]] = ("game", "a", "b")
    a: str
    b: str
    sides: Sides = "both"
    openings: str = "none"
    rate_of: Literal["a", "first side"] = "a"
    """Whose points are counted."""

    def players(self) -> tuple[str, ...]:
        """The players of the row."""
        return (self.a, self.b)

    @property
    def is_rate(self) -> bool:
        """A match gives a rate."""
        return True

    def indices(self, count: int) -> range:
        """The indices of the first `count` games: with one side alone, every other one."""
        return Match.indices(count, self.sides)

    def whole(self, count: int) -> int:
        """Matches are played in pairs, where both sides are."""
        return max(2, count + count % 2) if self.sides == "both" else super().whole(count)

    def own_facts(self, resolve: Resolve, machine: str) -> dict[str, Any]:
        """Both players, the sides and the openings."""
        return {"a": resolve(self.a), "b": resolve(self.b), "sides": self.sides, "openings": self.openings}

    def work(self, facts: Mapping[str, Any]) -> MatchWork:
        """The match."""
        match = Match(facts["game"], facts["a"], facts["b"], seed=facts["seed"], openings=self.openings)
        return MatchWork(self, facts, match)

    def counted(self, score: Score) -> Score:
        """The score of whom the row counts: player *a*, or the first side."""
        if self.rate_of == "a":
            return score
        found = score.of_first_side() if score.games else score
        assert found is not None, "a score of indexed games knows the sides"
        return found

    def evidence(self, values: Mapping[int, Any]) -> Evidence:
        """The score of the games."""
        return Evidence(len(values), score=self.counted(Score.of(sorted(values.items()))))

    def seconds_each(self, facts: Mapping[str, Any], estimate: Estimate) -> float:
        """Those of a game."""
        return estimate.game(self.start, (facts["a"], facts["b"]))

    def command(self, told: Mapping[str, Any], count: int) -> Sequence[str]:
        """`coppice match`, which plays with both sides."""
        if self.sides != "both":
            return ()
        words = ["coppice", "match", told["game"], told["a"], told["b"], "--games", str(count)]
        return [*words, "--seed", str(told["seed"]), "--openings", told["openings"]]


@dataclass(frozen=True)
class MatchWork:
    """The games of a row; see `Work`."""

    row: MatchRow
    facts: Mapping[str, Any]
    match: Match

    @property
    def identity(self) -> str:
        """That of the match."""
        return self.match.identity

    @property
    def replayable(self) -> bool:
        """Whether neither a clock nor another program plays."""
        return not (self.match.timed or self.match.outside.programs)

    @property
    def play_version(self) -> str:
        """That of the match."""
        return self.match.play_version

    def done_in(self, store: Store, indices: range) -> Collection[int]:
        """The indices of the games that the store has."""
        found = self.match.found_in(store)
        if found is None:
            return ()
        return [index for index, _ in store.points(found.identity, indices.stop)]

    def line_in(self, store: Store, indices: range) -> ResultLine | None:
        """The points of the games that the store has."""
        origin = self.match.found_in(store)
        if origin is None:
            return None
        points = dict(store.points(origin.identity, indices.stop))
        values = {index: value for index, value in points.items() if index in indices}
        prints: dict[int, str] = {}
        used: dict[int, Sequence[Sequence[int]]] = {}
        for index in fingerprint_indices(values):
            record = store.record(origin.identity, index)
            prints[index] = fingerprint_of(record.moves)
            if record.used_a is not None and record.used_b is not None:
                used[index] = [astuple(record.used_a), astuple(record.used_b)]
        return line_of(self, values, prints, origin, used)

    def match_in(self, store: Store) -> str | None:
        """An earlier version may have entered its games under another identity."""
        found = self.match.found_in(store)
        return None if found is None else found.identity

    def unconfirmed_in(self, store: Store) -> int:
        """Games of another play version, of which none has been replayed."""
        return self.match.unconfirmed_in(store)

    def set_aside(self, store: Store) -> None:
        """Keep its games under another identity."""
        self.match.set_aside(store)

    def mean_seconds(self, store: Store) -> float | None:
        """Those of its games."""
        return store.mean_seconds(self.identity)

    def run(self, indices: range, there: ResultLine | None, store: Store, workers: Workers) -> Iterator[Step]:
        """Play what is missing."""
        elsewhere = {} if there is None else there.values
        known = [(index, elsewhere[index]) for index in indices if index in elsewhere]
        wanted = [index for index in indices if index not in elsewhere]
        before = Score.of(known)
        if not wanted:
            yield Step(len(known), self.row.counted(before).rate, 0.0)
            return
        for step in self.match.run_indices(wanted, workers=workers, store=store):
            score = self.row.counted(before + step.score)
            yield Step(score.games, score.rate if score.games else None, step.seconds_left)

    def fingerprints(self, indices: Sequence[int], workers: Workers) -> dict[int, str]:
        """Hashes of the moves."""
        records = self.match.replay(indices, workers)
        return {record.index: fingerprint_of(record.moves) for record in records}

    def make(self, count: int) -> None:
        """Play so many games in this thread."""
        self.match.play(count, workers=Threads(1), store=None)
