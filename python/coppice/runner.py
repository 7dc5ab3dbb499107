"""Running experiments: rows become matches and series, what is missing is done, and everything is kept.

`prepare` turns the declared rows into `Job`s with resolved specs, translating times into work; `run` does
what their store lacks and tells after each step where it stands; `collect` reads the evidence back. Nothing
depends on the order of rows, and a job's results depend on its facts and the index alone.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Protocol

from coppice import _core
from coppice.experiment import (
    BUDGET,
    Clock,
    Experiment,
    MatchRow,
    PlayoutRow,
    Row,
    SearchRow,
    SpeedRow,
)
from coppice.match import Core, Match
from coppice.measure import measure, work_rate
from coppice.outside import Outside
from coppice.results import Evidence, Mean, mean_of
from coppice.stats import Score
from coppice.store import Store, StoredSeries, describe_machine

__all__ = [
    "Job",
    "Pool",
    "RowProgress",
    "Threads",
    "check_version",
    "collect",
    "games_of",
    "option",
    "prepare",
    "prepared",
    "run",
]

_COMMIT_SECONDS = 0.25
_PLAYOUT_SIMULATIONS = 1000
"""Simulations whose playouts are measured at each ply, where the player has no such limit of its own."""


class Pool(Protocol):
    """Where chunks of work are done; see `coppice.cluster` for processes and clusters."""

    def run(
        self, function: Callable[..., Any], chunks: Iterable[tuple[Any, ...]]
    ) -> Generator[Any | None, None, None]:
        """The results as they come, and None at least every 0.2 s; closing it abandons the rest."""


class Threads:
    """A pool of threads of this process: the core does the work and lets others run."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def run(
        self, function: Callable[..., Any], chunks: Iterable[tuple[Any, ...]]
    ) -> Generator[Any | None, None, None]:
        """The results as they come, and None at least every 0.2 s; closing it abandons the rest."""
        with ThreadPoolExecutor(self._jobs) as executor:
            todo = iter(chunks)
            running: set[Future[Any]] = set()
            try:
                while True:
                    while len(running) < 2 * self._jobs and (chunk := next(todo, None)) is not None:
                        running.add(executor.submit(function, *chunk))
                    if not running:
                        return
                    done, running = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
                    if not done:
                        yield None
            finally:
                for future in running:
                    future.cancel()


@dataclass(frozen=True)
class Job:
    """A row with everything resolved: it can be run."""

    row: Row
    wanted: int
    """How many games or runs are asked for."""
    facts: Mapping[str, Any]
    """All that its results depend on: kind, specs, seed, and the machine for speeds."""
    budgets: Mapping[str, str] = field(default_factory=dict)
    """What was put for `{budget}`, by player as declared."""
    core: Core = field(default=_core, repr=False)  # type: ignore[assignment]

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
            core=self.core,
        )

    @property
    def identity(self) -> str:
        """The identity of its match or series."""
        return self.match.identity if self.match is not None else _identity(self.facts)

    def done(self, store: Store) -> int:
        """How many of the games or runs asked for the store has."""
        if isinstance(self.row, MatchRow):
            found = store.find(self.identity)
            if found is None:
                return 0
            indices = Match.indices(self.wanted, self.row.sides)
            return sum(1 for index, _ in store.points(self.identity, indices.stop) if index in indices)
        return len(store.results(self.identity, self.wanted))


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
    core: Core | None = None,
) -> list[Job]:
    """The jobs of an experiment's rows. Times become work unless `seconds_scale` asks for seconds.

    What a time is worth on this machine is measured once and kept in the store, so that a resumed run goes on
    with the same budgets; without a store it is measured every time.
    """
    core = core or _core  # type: ignore[assignment]
    assert core is not None, "the installed core is always there"
    jobs = []
    for row in experiment.rows if rows is None else rows:
        budgets = {
            player: _budget(row, player, store, seconds_scale) for player in row.players() if BUDGET in player
        }
        jobs.append(
            Job(
                row,
                games_of(row, games, fraction),
                _facts(row, budgets, experiment.seed if seed is None else seed, core),
                budgets,
                core,
            )
        )
    return jobs


def prepared(experiment: Experiment, store: Store, **options: Any) -> list[Job]:
    """The jobs of those rows whose budgets the store knows already: nothing is measured or written."""
    scale = options.get("seconds_scale")
    rows = [
        row
        for row in experiment.rows
        if all(_known_budget(row, player, store, scale) for player in row.players() if BUDGET in player)
    ]
    return prepare(experiment, store, rows=rows, **options)


def _facts(row: Row, budgets: Mapping[str, str], seed: int, core: Core) -> dict[str, Any]:
    def player(spec: str) -> str:
        return core.canonical("player", spec.replace(BUDGET, budgets.get(spec, "")), row.game)

    facts: dict[str, Any] = {"kind": row.kind, "game": core.canonical("game", row.game), "seed": seed}
    if isinstance(row, MatchRow):
        facts |= {"a": player(row.a), "b": player(row.b), "sides": row.sides, "openings": row.openings}
    elif isinstance(row, SearchRow):
        facts |= {"player": player(row.player), "position": row.position, "to_end": row.to_end}
    elif isinstance(row, PlayoutRow):
        spec = player(row.player)
        facts |= {"player": spec, "measure": row.measure, "pattern": row.pattern}
        facts["simulations"] = int(option(spec, "simulations") or _PLAYOUT_SIMULATIONS)
    elif isinstance(row, SpeedRow):
        facts |= {"player": player(row.player), "per_second": row.per_second, "machine": describe_machine()}
        facts["reference"] = player(row.reference) if row.reference else ""
    return facts


def option(spec: str, name: str) -> str | None:
    """The value of an option at the top of a canonical spec; None if it is missing or none."""
    inside = spec.partition("(")[2].removesuffix(")")
    depth, start = 0, 0
    for at, character in enumerate(f"{inside},"):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            key, _, value = inside[start:at].strip().partition("=")
            if key == name:
                return None if value == "none" else value
            start = at + 1
    return None


def _identity(facts: Mapping[str, Any]) -> str:
    """Other facts, another play version or another content of what is outside the package: another series."""
    parts: list[object] = ["coppice series", facts, _core.PLAY_VERSION]
    outside = _outside(facts)
    if outside.parts:
        part = outside.without_file()
        if part is not None:
            raise ValueError(f"{part} is in no file, so that nobody could tell later what was measured")
        parts.append(outside.fingerprints())
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _outside(facts: Mapping[str, Any]) -> Outside:
    return Outside(*(fact for fact in facts.values() if isinstance(fact, str)))


# Times into work


def _budget(row: Row, player: str, store: Store | None, seconds_scale: float | None) -> str:
    clock = row.clock
    assert clock is not None, "rows with a budget have a clock: the row itself sees to it"
    if seconds_scale is not None:
        return f"cpu_seconds={clock.seconds * seconds_scale:g}"
    if clock.states is not None:
        return f"states={clock.states}"
    if player == clock.reference:
        return f"simulations={clock.simulations}"
    facts = _budget_facts(row.game, player, clock)
    identity = _identity(facts)
    known = {} if store is None else store.results(identity)
    if 0 not in known:
        ratio = _speed_ratio(row.game, player, clock)
        assert clock.simulations is not None, "a clock without states counts simulations"
        known = {0: {"ratio": ratio, "simulations": _three_digits(clock.simulations * ratio)}}
        if store is not None:
            text = json.dumps(facts, sort_keys=True)
            store.register_series(StoredSeries(identity, "budget", text, _core.PLAY_VERSION))
            store.add_results(identity, known)
            known = store.results(identity)
    return f"simulations={known[0]['simulations']}"


def _known_budget(row: Row, player: str, store: Store, seconds_scale: float | None) -> bool:
    clock = row.clock
    if clock is None or seconds_scale is not None or clock.states is not None or player == clock.reference:
        return True
    return 0 in store.results(_identity(_budget_facts(row.game, player, clock)))


def _budget_facts(game: str, player: str, clock: Clock) -> dict[str, Any]:
    return {
        "kind": "budget",
        "game": _core.canonical("game", game),
        "player": player,
        "reference": clock.reference,
        "simulations": clock.simulations,
    }


def _speed_ratio(game: str, player: str, clock: Clock) -> float:
    """Simulations of a player per simulation of the clock's reference: the middle of five, in turn."""
    short = "simulations=1000"
    ratios = sorted(
        work_rate(game, player.replace(BUDGET, short), "simulations", turn)
        / work_rate(game, clock.reference.replace(BUDGET, short), "simulations", turn)
        for turn in range(5)
    )
    return ratios[2]


def _three_digits(number: float) -> int:
    """A number of simulations without digits that only noise has written."""
    return max(1, int(float(f"{number:.3g}")))


# Running


def run(
    jobs: Sequence[Job], store: Store, *, threads: int, pool: Pool | None = None
) -> Iterator[RowProgress]:
    """Do what the store lacks, row after row; the last value of each row says where it then stands.

    `pool` does the work of series and, if given, `job.core` should play its matches in the same place.
    """
    for number, job in enumerate(jobs):
        steps = _run_match(job, store, threads) if job.match else _run_series(job, store, threads, pool)
        for done, value, left in steps:
            yield RowProgress(number, job.row, job.wanted, done, value, left)


def _run_match(job: Job, store: Store, threads: int) -> Iterator[tuple[int, float | None, float | None]]:
    assert job.match is not None, "the caller has looked"
    assert isinstance(job.row, MatchRow), "only match rows have matches"
    for step in job.match.run(job.wanted, threads=threads, store=store, sides=job.row.sides):
        yield step.finished, step.score.rate if step.score.games else None, step.seconds_left


def _run_series(
    job: Job, store: Store, threads: int, pool: Pool | None
) -> Iterator[tuple[int, float | None, float | None]]:
    identity, row = job.identity, job.row
    with store.turn(identity), _outside(job.facts).held():
        facts = json.dumps(job.facts, sort_keys=True)
        store.register_series(StoredSeries(identity, row.kind, facts, _core.PLAY_VERSION))
        known = store.results(identity, job.wanted)
        resumed = len(known)

        def value() -> float | None:
            return _evidence(row, known).value

        yield resumed, value(), None
        missing = [index for index in range(job.wanted) if index not in known]
        # Two timings at a time would disturb each other.
        place = Threads(1) if row.kind == "speed" else pool or Threads(threads)
        begun = committed = time.monotonic()
        waiting: dict[int, dict[str, Any]] = {}
        results = place.run(_measure_one, ((dict(job.facts), index, _core.PLAY_VERSION) for index in missing))
        try:
            for result in results:
                if result is not None:
                    waiting[result[0]] = result[1]
                if waiting and time.monotonic() - committed >= _COMMIT_SECONDS:
                    store.add_results(identity, waiting)
                    known |= waiting
                    waiting, committed = {}, time.monotonic()
                    pace = (time.monotonic() - begun) / (len(known) - resumed)
                    yield len(known), value(), pace * (job.wanted - len(known))
        finally:
            results.close()
            if waiting:
                store.add_results(identity, waiting)
                known |= waiting
        yield len(known), value(), 0.0


def check_version(play_version: str) -> None:
    """Refuse, on a worker, to work for a coordinator that plays otherwise."""
    if play_version != _core.PLAY_VERSION:
        raise ValueError(
            f"a worker has play version {_core.PLAY_VERSION}, the coordinator {play_version}: "
            "install the same coppice everywhere"
        )


def _measure_one(facts: dict[str, Any], index: int, play_version: str) -> tuple[int, dict[str, Any]]:
    check_version(play_version)
    return index, measure(facts, index)


# Reading back


def collect(experiment: Experiment, jobs: Iterable[Job], store: Store) -> dict[str, Evidence]:
    """The evidence that the store has for these jobs, by row; rows without any are left out."""
    found: dict[str, Evidence] = {}
    for job in jobs:
        row = job.row
        if isinstance(row, MatchRow):
            stored = None if job.match is None else job.match.found_in(store)
            indices = Match.indices(job.wanted, row.sides)
            points = () if stored is None else store.points(job.identity, indices.stop)
            score = Score.of((index, value) for index, value in points if index in indices)
            evidence = Evidence(score.games, score=score)
            origin = None if stored is None else (stored.package_version, stored.machine, stored.created)
        else:
            series = store.find_series(job.identity)
            evidence = _evidence(row, store.results(job.identity, job.wanted))
            origin = None if series is None else (series.package_version, series.machine, series.created)
        if evidence.count and origin is not None:
            version, machine, created = origin
            found[row.name] = Evidence(
                *(evidence.count, evidence.score, evidence.mean, evidence.curve),
                facts={**job.facts, **({"budgets": dict(job.budgets)} if job.budgets else {})},
                command=_command(experiment, job, evidence.count),
                version=version,
                play_version=_core.PLAY_VERSION,
                machine=machine,
                created=created,
            )
    return found


def _command(experiment: Experiment, job: Job, count: int) -> str:
    """The command that makes these results again; with measured budgets only the resolved specs do."""
    facts = job.facts
    if job.budgets and isinstance(job.row, MatchRow) and job.row.sides == "both":
        words = ["coppice", "match", facts["game"], facts["a"], facts["b"], "--games", str(count)]
        return shlex.join([*words, "--seed", str(facts["seed"]), "--openings", facts["openings"]])
    number = str(experiment.number(job.row))
    words = ["coppice", "run", experiment.given, "--rows", number, "--games", str(count)]
    return shlex.join([*words, "--seed", str(job.facts["seed"])])


def _evidence(row: Row, results: Mapping[int, Mapping[str, Any]]) -> Evidence:
    """What the results of a series say."""
    values = list(results.values())
    if isinstance(row, SearchRow) and row.measure == "move":
        hits = sum(value["move"] in row.moves for value in values)
        return Evidence(len(values), score=Score(wins=hits, losses=len(values) - hits))
    if isinstance(row, SearchRow):
        return Evidence(len(values), mean=mean_of(value["states"] for value in values))
    if isinstance(row, SpeedRow):
        rates = (value["rate"] / value.get("reference", 1.0) for value in values)
        return Evidence(len(values), mean=mean_of(rates))
    assert isinstance(row, PlayoutRow), f"a {row.kind} row has no series"
    if row.measure == "game_length":
        return Evidence(len(values), mean=mean_of(value["length"] for value in values))
    games = [value["curve"] for value in values]
    curve: list[tuple[int, Mean]] = []
    for ply in range(max(map(len, games), default=0)):
        mean = mean_of(game[ply] for game in games if ply < len(game) and game[ply] is not None)
        if mean is not None:
            curve.append((ply, mean))
    # Plies of one game are not independent: a game gives one number.
    each = ([number for number in game if number is not None] for game in games)
    return Evidence(
        len(values), mean=mean_of(sum(game) / len(game) for game in each if game), curve=tuple(curve)
    )
