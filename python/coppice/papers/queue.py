"""The queue over all rows of all tables: what machine time is spent on, while there is any.

Every row gets `STAGES[0]` games or runs before any gets `STAGES[1]`, and these before any gets the paper's
number; within a stage what is left and cheapest comes first. These lengths are declared, so that no result
decides when to stop. A row that is to get more games is verified first: if the code of today does not make
what the folder has of it, that becomes history and the row is made anew. Everything finished is in the store
at once and in the folder after each row.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from coppice.lab.store import Store, StoredSeries, describe_machine
from coppice.lab.workers import Workers
from coppice.papers.budgets import keep_speeds, known_budgets, measure_speeds
from coppice.papers.cost import Costs
from coppice.papers.experiment import Experiment
from coppice.papers.folder import Folder, verify_once
from coppice.papers.jobs import Job, jobs_of
from coppice.papers.results import STAGES, lengths
from coppice.papers.runner import run as run_jobs

__all__ = ["Queue", "Step"]

_BELIEVED = 60.0
"""Processor seconds for which the estimates are believed: the first rows are too cheap to tell anything."""


@dataclass(frozen=True, slots=True)
class Step:
    """Where the queue stands."""

    stage: int
    """Which of the declared lengths is being reached, from 0."""
    experiment: str
    row: str
    rows_done: int
    """Rows of this stage that are complete."""
    rows: int
    games_done: int
    """Games and runs of this stage that are finished, of all rows."""
    games: int
    stage_seconds: float
    """How long the rest of the stage will take, at the rate measured so far."""
    all_seconds: float
    """The same for all stages."""
    stale: str = ""
    """Why the row's line became history just now; empty otherwise."""


@dataclass
class _Task:
    experiment: Experiment
    job: Job
    """At the paper's number."""
    seconds_each: float
    """Processor seconds of one game or run, as estimated."""
    there: set[int]
    """The indices that the store or the folder has."""

    def length(self, stage: int) -> int:
        """The length that a stage declares."""
        declared = lengths(self.job.row)
        return declared[min(stage, len(declared) - 1)]

    def missing(self, stage: int) -> int:
        """How many games or runs are left up to the length of a stage."""
        indices = self.job.row.indices(self.length(stage))
        return sum(index not in self.there for index in indices)

    def seconds(self, stage: int) -> float:
        """Processor seconds of what is left, as estimated."""
        return self.missing(stage) * self.seconds_each


class Queue:
    """All rows of some experiments, what a folder and a store have of them, and what is left to do."""

    def __init__(
        self, experiments: Sequence[Experiment], folder: Folder, store: Store, *, workers: Workers
    ) -> None:
        self._experiments = experiments
        self._folder = folder
        self._store = store
        self._workers = workers
        self._tasks: list[_Task] = []
        self._estimated = self._spent = 0.0

    def estimate(self) -> Iterator[tuple[int, int]]:
        """Measure what all rows cost, and the speeds that they lack; tells how many of how many are ready."""
        costs = Costs(self._store, rough=True)
        rows = sum(len(experiment.rows) for experiment in self._experiments)
        for experiment in self._experiments:
            lines = self._folder.lines(experiment.name)
            for row in experiment.rows:
                budgets = measure_speeds([row], known_budgets([row], self._store, lines))
                (job,) = jobs_of(experiment, keep_speeds(budgets, self._store), rows=[row], lines=lines)
                missing = set(job.missing(self._store))
                each = self._seconds_each(job, costs) if missing else 0.0
                self._tasks.append(_Task(experiment, job, each, set(job.indices) - missing))
                yield len(self._tasks), rows

    def _seconds_each(self, job: Job, costs: Costs) -> float:
        """What one game or run costs, as roughly estimated once for each machine.

        What is left is told at the rate that the queue then has, compared with these estimates.
        """
        facts = json.dumps({"of": job.work.identity, "machine": describe_machine()})
        identity = hashlib.sha256(f"coppice cost {facts}".encode()).hexdigest()[:32]
        known = self._store.results(identity)
        if 0 not in known:
            known = {0: {"seconds": costs.of(job).seconds_each}}
            self._store.register_series(StoredSeries(identity, "cost", facts, job.work.play_version))
            self._store.add_results(identity, known)
        return float(known[0]["seconds"])

    def run(self, until: float | None = None) -> Generator[Step, None, None]:
        """Do what is left, until a time of `time.monotonic` if one is given; closing it loses nothing."""
        for stage in range(len(STAGES) + 1):
            due = [task for task in self._tasks if task.missing(stage)]
            for task in sorted(due, key=lambda task: task.seconds(stage)):
                with contextlib.closing(self._row(task, stage)) as steps:
                    for step in steps:
                        yield step
                        if until is not None and time.monotonic() > until:
                            return

    def _row(self, task: _Task, stage: int) -> Generator[Step, None, None]:
        if task.job.in_folder is not None:
            answer = verify_once(task.job, task.job.in_folder, self._store, self._workers)
            if answer in ("stale", "no fingerprint"):
                why = "the code plays otherwise" if answer == "stale" else "it has no fingerprint"
                self._folder.mark_stale(task.experiment, task.job.in_folder, why)
                task.job = replace(task.job, in_folder=None)
                task.there = set(task.job.indices) - set(task.job.missing(self._store))
                yield self._step(task, stage, why)
        job = replace(task.job, wanted=task.length(stage))
        before, begun = task.missing(stage), time.process_time()
        try:
            for step in run_jobs([job], self._store, self._workers):
                task.there.update(job.indices[: step.done])
                yield self._step(task, stage)
        finally:
            line = task.job.line(self._store)
            task.there = set() if line is None else set(line.values)
            self._spent += time.process_time() - begun
            self._estimated += (before - task.missing(stage)) * task.seconds_each
            if line is not None:
                self._folder.save(task.experiment, [line])
                task.job = replace(task.job, in_folder=line)

    def _step(self, task: _Task, stage: int, stale: str = "") -> Step:
        missing = [each.missing(stage) for each in self._tasks]
        games = sum(each.length(stage) for each in self._tasks)
        rate = (self._spent + _BELIEVED) / (self._estimated + _BELIEVED)
        return Step(
            stage,
            task.experiment.name,
            task.job.row.name,
            rows_done=missing.count(0),
            rows=len(missing),
            games_done=games - sum(missing),
            games=games,
            stage_seconds=sum(each.seconds(stage) for each in self._tasks) * rate / self._workers.width,
            all_seconds=sum(each.seconds(len(STAGES)) for each in self._tasks) * rate / self._workers.width,
            stale=stale,
        )
