"""Running experiments: rows become matches and series, what is missing is done, and everything is kept.

`prepare` turns the declared rows into `Job`s with resolved specs, translating times into work; `run` does
what neither their store nor a folder of results has and tells after each step where it stands; `collect`
reads the evidence back. Nothing depends on the order of rows, and a job's results depend on its facts and the
index alone.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shlex
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import Any

from coppice import _core
from coppice.core.outside import Outside
from coppice.core.spec import Spec
from coppice.lab.match import Match
from coppice.lab.replay import build, fingerprint_indices, fingerprint_of, note_build, stands_under
from coppice.lab.stats import Score
from coppice.lab.store import Store, StoredMatch, StoredSeries, describe_machine
from coppice.lab.workers import Threads, Workers, check_version
from coppice.papers.experiment import (
    BUDGET,
    Clock,
    Experiment,
    MatchRow,
    PlayoutRow,
    Row,
    SearchRow,
    SpeedRow,
)
from coppice.papers.kept import Kept, identity_of, merge, told_facts
from coppice.papers.measure import measure, work_rate
from coppice.papers.results import Evidence, counted, evidence_of, wanted_indices

__all__ = [
    "Job",
    "RowProgress",
    "collect",
    "command_of",
    "games_of",
    "prepare",
    "prepared",
    "remeasure",
    "run",
    "speed_ratio",
    "unconfirmed",
    "value_of",
]

_COMMIT_SECONDS = 0.25
_PLAYOUT_SIMULATIONS = 1000
"""Simulations whose playouts are measured at each ply, where the player has no such limit of its own."""


@dataclass(frozen=True)
class Job:
    """A row with everything resolved: it can be run."""

    row: Row
    wanted: int
    """How many games or runs are asked for."""
    facts: Mapping[str, Any]
    """All that its results depend on: kind, specs, seed, and the machine for speeds."""
    budgets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What was put for `{budget}`, by player as declared: `text`, and how it was measured if it was."""
    folder: Kept | None = None
    """What a folder of results has of it: these indices are not done again."""

    @property
    def match(self) -> Match | None:
        """The match of a match row."""
        if not isinstance(self.row, MatchRow):
            return None
        facts = self.facts
        return Match(
            *(facts["game"], facts["a"], facts["b"]),
            seed=facts["seed"],
            openings=self.row.openings,
        )

    @property
    def identity(self) -> str:
        """The identity of its match or series."""
        return self.match.identity if self.match is not None else _identity(self.facts)

    @functools.cached_property
    def told(self) -> dict[str, Any]:
        """The facts as results keep them: specs by what differs from the defaults."""
        return told_facts(self.facts)

    @property
    def replayable(self) -> bool:
        """Whether the same facts give the same results: not with a clock, another program, nor for speeds."""
        if isinstance(self.row, SpeedRow):
            return False
        match = self.match
        return match is None or not (match.timed or match.outside.programs)

    @property
    def plays(self) -> str:
        """The play version of its players today: where a line has another one, it is replayed first."""
        if self.match is not None:
            return self.match.play_version
        return _plays(self.facts)

    @property
    def indices(self) -> range:
        """The indices that are asked for."""
        return wanted_indices(self.row, self.wanted)

    def missing(self, store: Store) -> list[int]:
        """The indices asked for that neither the store nor the folder has."""
        return sorted(set(self.indices) - self._there(store))

    def done(self, store: Store) -> int:
        """How many of the games or runs asked for the store and the folder have."""
        return len(self._there(store) & set(self.indices))

    def _there(self, store: Store) -> set[int]:
        there = set() if self.folder is None else set(self.folder.values)
        if not isinstance(self.row, MatchRow):
            return there | set(store.results(_kept_as(self.facts, store), self.wanted))
        assert self.match is not None, "match rows have matches"
        try:
            found = self.match.found_in(store)
        except ValueError:
            # Their parts have changed since: whoever plays or shows them is told.
            found = store.find(self.identity)
        if found is not None:
            there |= {index for index, _ in store.points(found.identity, self.indices.stop)}
        return there

    def kept(self, store: Store) -> Kept | None:
        """What the store and the folder have of it, in one; None if that is nothing."""
        found = self._stored(store)
        if found is None or self.folder is None:
            return found or self.folder
        return merge(self.folder, found)

    def _stored(self, store: Store) -> Kept | None:
        origin: StoredMatch | StoredSeries | None
        used: dict[int, Sequence[Sequence[int]]] = {}
        if self.match is not None:
            origin = self.match.found_in(store)
            if origin is None:
                return None
            values: dict[int, Any] = dict(store.points(origin.identity, self.indices.stop))
            values = {index: value for index, value in values.items() if index in self.indices}
            prints: dict[int, str] = {}
            for index in fingerprint_indices(values):
                record = store.record(origin.identity, index)
                prints[index] = fingerprint_of(record.moves)
                if record.used_a is not None and record.used_b is not None:
                    used[index] = [astuple(record.used_a), astuple(record.used_b)]
        else:
            identity = _kept_as(self.facts, store)
            origin, results = store.find_series(identity), store.results(identity, self.wanted)
            values = {index: value_of(self.row, result) for index, result in results.items()}
            prints = {}
            if self.replayable:
                prints = {index: fingerprint_of(results[index]) for index in fingerprint_indices(results)}
        if origin is None or not values:
            return None
        return Kept(
            *("", self.row.name, self.told, values, prints, used, self.budgets),
            version=origin.package_version,
            machine=origin.machine,
            created=origin.created,
            load="" if self.replayable else f"{os.getloadavg()[0]:.1f} of {os.cpu_count()} processors",
            plays=self.plays,
        )


@dataclass(frozen=True, slots=True)
class RowProgress:
    """Where a row stands."""

    number: int
    """The place of the row among those that are run."""
    row: Row
    wanted: int
    done: int
    value: float | None
    """Its number so far."""
    seconds_left: float | None


def games_of(row: Row, games: int | None, fraction: float) -> int:
    """How many games or runs of a row: `games`, or a part of the paper's, at least 2 and even for matches."""
    wanted = games if games is not None else max(1, round(row.count * fraction))
    if games is None and isinstance(row, MatchRow) and row.sides == "both":
        wanted = max(2, wanted + wanted % 2)
    return wanted


# From declarations to jobs


def prepare(
    experiment: Experiment,
    store: Store | None,
    *,
    rows: Sequence[Row] | None = None,
    games: int | None = None,
    fraction: float = 1.0,
    seed: int | None = None,
    seconds_scale: float | None = None,
    lines: Sequence[Kept] = (),
    machine: str | None = None,
) -> list[Job]:
    """The jobs of an experiment's rows. Times become work unless `seconds_scale` asks for seconds.

    `lines` are those of a folder of results: what they have is not done again. What a time is worth is
    measured once and kept, in the store and in such lines, so that a run goes on with the same budgets on any
    machine; without either it is measured every time. Speeds are those of `machine` [default: this one].
    """
    live: dict[str, list[Kept]] = {}
    for line in lines:
        if not line.stale:
            live.setdefault(line.row, []).append(line)
    jobs = []
    for row in experiment.rows if rows is None else rows:
        budgets = {
            player: _budget(row, player, store, seconds_scale, live.get(row.name, ()))
            for player in row.players()
            if BUDGET in player
        }
        facts = _facts(row, budgets, experiment.seed if seed is None else seed, machine)
        job = Job(row, games_of(row, games, fraction), facts, budgets)
        identity = identity_of(job.told) if live else ""
        folder = next((line for line in live.get(row.name, ()) if line.identity == identity), None)
        jobs.append(replace(job, folder=folder))
    return jobs


def prepared(experiment: Experiment, store: Store, **options: Any) -> list[Job]:
    """The jobs of those rows whose budgets the store knows already: nothing is measured or written."""
    scale, lines = options.get("seconds_scale"), options.get("lines", ())
    rows = [
        row
        for row in experiment.rows
        if all(
            _known_budget(row, player, store, scale, lines) for player in row.players() if BUDGET in player
        )
    ]
    return prepare(experiment, store, rows=rows, **options)


def _facts(
    row: Row, budgets: Mapping[str, Mapping[str, Any]], seed: int, machine: str | None
) -> dict[str, Any]:
    def player(spec: str) -> str:
        text = spec.replace(BUDGET, budgets[spec]["text"]) if spec in budgets else spec
        return _core.canonical("player", text, row.game)

    facts: dict[str, Any] = {"kind": row.kind, "game": _core.canonical("game", row.game), "seed": seed}
    if isinstance(row, MatchRow):
        facts |= {"a": player(row.a), "b": player(row.b), "sides": row.sides, "openings": row.openings}
    elif isinstance(row, SearchRow):
        facts |= {"player": player(row.player), "position": row.position, "to_end": row.to_end}
        # Moves and states are read from the same runs.
        if row.measure in ("win", "kept"):
            facts["measure"] = row.measure
    elif isinstance(row, PlayoutRow):
        spec = player(row.player)
        # The size of a tree is read from the numbers of legal moves.
        measured = "branching" if row.measure == "tree_size" else row.measure
        facts |= {"player": spec, "measure": measured, "pattern": row.pattern}
        facts["simulations"] = int(Spec.parsed(spec).number("simulations") or _PLAYOUT_SIMULATIONS)
        if row.reference:
            facts["reference"] = player(row.reference)
    elif isinstance(row, SpeedRow):
        facts |= {"player": player(row.player), "per_second": row.per_second}
        facts["machine"] = machine or describe_machine()
        facts["reference"] = player(row.reference) if row.reference else ""
    return facts


_TIMED = ("speed", "budget")
"""The kinds of series that are times, which nobody can make again."""


def _plays(facts: Mapping[str, Any]) -> str:
    """The play versions of the players that are searched with, or timed, in their game."""
    players = (facts.get(name) for name in ("player", "reference"))
    return "-".join(_core.play_version(facts["game"], player) for player in players if player)


def _identity(facts: Mapping[str, Any], version: str | None = None) -> str:
    """Other facts or another content of what is outside the package: another series.

    Speeds and budgets are those of a play version, since nothing can tell whether they still hold: that of
    their players in their game, unless another `version` is given.
    """
    parts: list[object] = ["coppice series", told_facts(facts)]
    if facts["kind"] in _TIMED:
        parts.append(_plays(facts) if version is None else version)
    outside = _outside(facts)
    if outside.parts:
        part = outside.without_file()
        if part is not None:
            raise ValueError(f"{part} is in no file, so that nobody could tell later what was measured")
        parts.append(outside.fingerprints())
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _kept_as(facts: Mapping[str, Any], store: Store) -> str:
    """The identity under which a store has, or will have, a series.

    Earlier versions entered times under one play version for everything: where it is that of today, they go
    on there.
    """
    identity = _identity(facts)
    if facts["kind"] in _TIMED and store.find_series(identity) is None:
        before = _identity(facts, _core.PLAY_VERSION)
        if store.find_series(before) is not None:
            return before
    return identity


def _outside(facts: Mapping[str, Any]) -> Outside:
    return Outside(*(facts[name] for name in ("game", "a", "b", "player", "reference") if facts.get(name)))


# Times into work


def _budget(
    row: Row, player: str, store: Store | None, seconds_scale: float | None, lines: Sequence[Kept]
) -> Mapping[str, Any]:
    """What is put for the budget of a player: at least `text`."""
    clock = row.clock
    assert clock is not None, "rows with a budget have a clock: the row itself sees to it"
    if seconds_scale is not None:
        return {"text": f"cpu_seconds={clock.seconds * seconds_scale:g}"}
    if clock.states is not None:
        return {"text": f"states={clock.states}"}
    if player == clock.reference:
        return {"text": f"simulations={clock.simulations}"}
    for line in lines:
        if "ratio" in line.budgets.get(player, {}):
            return line.budgets[player]
    facts = _budget_facts(row.game, player, clock)
    known = {} if store is None else store.results(_kept_as(facts, store))
    if 0 not in known:
        ratio = speed_ratio(row.game, player, clock.reference)
        assert clock.simulations is not None, "a clock without states counts simulations"
        known = {0: {**ratio, "machine": describe_machine()}}
        if store is not None:
            identity, text = _identity(facts), json.dumps(facts, sort_keys=True)
            store.register_series(StoredSeries(identity, "budget", text, _plays(facts)))
            store.add_results(identity, known)
            known = store.results(identity)
    assert clock.simulations is not None, "a clock without states counts simulations"
    return {"text": f"simulations={_three_digits(clock.simulations * known[0]['ratio'])}", **known[0]}


def _known_budget(
    row: Row, player: str, store: Store, seconds_scale: float | None, lines: Sequence[Kept]
) -> bool:
    clock = row.clock
    if clock is None or seconds_scale is not None or clock.states is not None or player == clock.reference:
        return True
    if any(line.row == row.name and not line.stale and player in line.budgets for line in lines):
        return True
    return 0 in store.results(_kept_as(_budget_facts(row.game, player, clock), store))


_TRIAL = "simulations=1000"
"""What players do while their speeds are compared."""


def _budget_facts(game: str, player: str, clock: Clock) -> dict[str, Any]:
    """What a ratio of speeds depends on: two resolved players, whoever declares them and for how long."""
    return {
        "kind": "budget",
        "game": _core.canonical("game", game),
        "player": _core.canonical("player", player.replace(BUDGET, _TRIAL), game),
        "reference": _core.canonical("player", clock.reference.replace(BUDGET, _TRIAL), game),
    }


def speed_ratio(game: str, player: str, reference: str, turns: int = 9) -> dict[str, float]:
    """Simulations of a player per simulation of another one in the same time.

    Both are timed in turn; the middle of all turns counts, with the quarter below and above it as spread.
    """
    one, two = (spec.replace(BUDGET, _TRIAL) for spec in (player, reference))
    ratios = sorted(
        work_rate(game, one, "simulations", turn) / work_rate(game, two, "simulations", turn)
        for turn in range(turns)
    )
    low, middle, high = (ratios[round(part * (turns - 1))] for part in (0.25, 0.5, 0.75))
    return {"ratio": round(middle, 4), "low": round(low, 4), "high": round(high, 4), "turns": turns}


def _three_digits(number: float) -> int:
    """A number of simulations without digits that only noise has written."""
    return max(1, int(float(f"{number:.3g}")))


# Running


def run(jobs: Sequence[Job], store: Store, workers: Workers) -> Iterator[RowProgress]:
    """Do what the store lacks, row after row; the last value of each row says where it then stands."""
    for number, job in enumerate(jobs):
        steps = _run_match(job, store, workers) if job.match else _run_series(job, store, workers)
        for done, value, left in steps:
            yield RowProgress(number, job.row, job.wanted, done, value, left)


def _run_match(job: Job, store: Store, workers: Workers) -> Iterator[tuple[int, float | None, float | None]]:
    assert job.match is not None, "the caller has looked"
    assert isinstance(job.row, MatchRow), "only match rows have matches"
    there = {} if job.folder is None else dict(job.folder.values)
    wanted = [index for index in job.indices if index not in there]
    known = [(index, there[index]) for index in job.indices if index in there]
    before = Score.of(known)
    if not wanted:
        yield len(known), counted(job.row, before).rate, 0.0
        return
    for step in job.match.run_indices(wanted, workers=workers, store=store):
        score = counted(job.row, before + step.score)
        yield score.games, score.rate if score.games else None, step.seconds_left


def _run_series(job: Job, store: Store, workers: Workers) -> Iterator[tuple[int, float | None, float | None]]:
    identity, row = _kept_as(job.facts, store), job.row
    # Two timings at a time would disturb each other.
    if row.kind == "speed":
        workers = Threads(1)
    with store.turn(identity), _outside(job.facts).held():
        if not _series_stands(job, store, workers):
            store.set_aside_series(identity)
        facts = json.dumps(job.facts, sort_keys=True)
        store.register_series(StoredSeries(identity, row.kind, facts, job.plays))
        note_build(store, identity, build(), job.plays)
        missing = job.missing(store)
        resumed = len(job.indices) - len(missing)

        def value() -> float | None:
            found = job.kept(store)
            return None if found is None else evidence_of(row, found).value

        yield resumed, value(), None
        begun = committed = time.monotonic()
        waiting: dict[int, dict[str, Any]] = {}
        done = 0
        results = workers.map(
            _measure_one, ((dict(job.facts), index, _core.PLAY_VERSION) for index in missing)
        )
        try:
            for result in results:
                if result is not None:
                    waiting[result[0]] = result[1]
                if waiting and time.monotonic() - committed >= _COMMIT_SECONDS:
                    store.add_results(identity, waiting)
                    done += len(waiting)
                    waiting, committed = {}, time.monotonic()
                    pace = (time.monotonic() - begun) / done
                    yield resumed + done, value(), pace * (len(missing) - done)
        finally:
            results.close()
            if waiting:
                store.add_results(identity, waiting)
                done += len(waiting)
        yield resumed + done, value(), 0.0


def _series_stands(job: Job, store: Store, workers: Workers) -> bool:
    """Whether the results of a store are those of the code of today."""
    found = store.find_series(job.identity)
    if found is None or not found.results or not job.replayable:
        return True
    if stands_under(store, job.identity, build()):
        return True
    results = store.results(job.identity)
    indices = fingerprint_indices(results, first_block=True)
    return remeasure(job, indices, workers) == {index: results[index] for index in indices}


def remeasure(job: Job, indices: Sequence[int], workers: Workers) -> dict[int, dict[str, Any]]:
    """The results of these indices, made by the code of today and kept nowhere."""
    chunks = ((dict(job.facts), index, _core.PLAY_VERSION) for index in indices)
    return dict(found for found in workers.map(_measure_one, chunks) if found is not None)


def _measure_one(facts: dict[str, Any], index: int, play_version: str) -> tuple[int, dict[str, Any]]:
    check_version(play_version)
    return index, measure(facts, index)


# Reading back


def value_of(row: Row, result: Mapping[str, Any]) -> Any:
    """What a row keeps of a result: points, a number, the numbers by ply, or how many cells, and which."""
    if isinstance(row, SearchRow):
        if row.measure == "kept":
            return [result["cells"], *sorted(result["kept"])]
        if row.measure == "win":
            return result["points"]
        return float(result["move"] in row.moves) if row.measure == "move" else result["states"]
    if isinstance(row, SpeedRow):
        return float(f"{result['rate'] / result.get('reference', 1.0):.6g}")
    assert isinstance(row, PlayoutRow), f"a {row.kind} row has no series"
    if row.measure == "game_length":
        return result["length"]
    return [None if number is None else float(f"{number:.6g}") for number in result["curve"]]


def collect(experiment: Experiment, jobs: Iterable[Job], store: Store) -> dict[str, Evidence]:
    """The evidence that the store and the folder have for these jobs, by row; others are left out."""
    found: dict[str, Evidence] = {}
    for job in jobs:
        kept = job.kept(store)
        if kept is not None and kept.values:
            inside = {index: value for index, value in kept.values.items() if index in job.indices}
            if inside:
                kept = replace(kept, values=inside)
                found[job.row.name] = evidence_of(job.row, kept, command_of(experiment, job, len(inside)))
    return found


def unconfirmed(jobs: Iterable[Job], store: Store) -> str:
    """What is to be said of games that nobody has replayed with the code of today, if there are any."""
    games = sum(job.match.unconfirmed_in(store) for job in jobs if job.match is not None)
    if not games:
        return ""
    return (
        f"{games} games of these rows were played by an earlier version: they count as soon as"
        " coppice run has replayed some of them"
    )


def command_of(experiment: Experiment, job: Job, count: int) -> str:
    """The command that makes these results again; with measured budgets only the resolved specs do."""
    facts = job.told
    if job.budgets and isinstance(job.row, MatchRow) and job.row.sides == "both":
        words = ["coppice", "match", facts["game"], facts["a"], facts["b"], "--games", str(count)]
        return shlex.join([*words, "--seed", str(facts["seed"]), "--openings", facts["openings"]])
    number = str(experiment.number(job.row))
    words = ["coppice", "run", experiment.given, "--rows", number, "--games", str(count)]
    return shlex.join([*words, "--seed", str(job.facts["seed"])])
