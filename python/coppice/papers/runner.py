"""Running jobs: what neither their store nor a folder of results has is made, and everything is kept.

`run` tells after each step where it stands; `collect` reads the evidence back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from coppice.lab.store import Store
from coppice.lab.workers import Workers
from coppice.papers.evidence import Evidence
from coppice.papers.experiment import Experiment
from coppice.papers.jobs import Job
from coppice.papers.results import evidence_of
from coppice.papers.rows.row import Row

__all__ = ["RowProgress", "collect", "run", "unconfirmed"]


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


def run(jobs: Sequence[Job], store: Store, workers: Workers) -> Iterator[RowProgress]:
    """Do what the store lacks, row after row; the last value of each row says where it then stands."""
    for number, job in enumerate(jobs):
        for step in job.work.run(job.indices, job.in_folder, store, workers):
            yield RowProgress(number, job.row, job.wanted, step.done, step.value, step.seconds_left)


def collect(experiment: Experiment, jobs: Iterable[Job], store: Store) -> dict[str, Evidence]:
    """The evidence that the store and the folder have for these jobs, by row; others are left out."""
    found: dict[str, Evidence] = {}
    for job in jobs:
        line = job.line(store)
        if line is not None:
            inside = {index: value for index, value in line.values.items() if index in job.indices}
            if inside:
                line = replace(line, values=inside)
                found[job.row.name] = evidence_of(job.row, line, job.command(experiment, len(inside)))
    return found


def unconfirmed(jobs: Iterable[Job], store: Store) -> str:
    """What is to be said of games that nobody has replayed with the code of today, if there are any."""
    games = sum(job.work.unconfirmed_in(store) for job in jobs)
    if not games:
        return ""
    return (
        f"{games} games of these rows were played by an earlier version: they count as soon as"
        " coppice run has replayed some of them"
    )
