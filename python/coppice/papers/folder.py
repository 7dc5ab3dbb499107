"""A folder of results: a file of lines per experiment, and whether the code of today still makes them.

`Folder.save` adds what was made to what is there. `verify` replays the fingerprints of a line: it *stands*,
or it is *stale* and becomes history. Nothing but replaying decides that. What a clock has limited cannot be
replayed and is called so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from coppice.lab.replay import build, fingerprint_indices, note_build, stands_under
from coppice.lab.store import Store, package_version
from coppice.lab.workers import Workers
from coppice.papers.experiment import Experiment, Row
from coppice.papers.jobs import Job
from coppice.papers.result_lines import ResultLine, merge_lines, read_lines, write_lines
from coppice.papers.results import evidence_of

__all__ = ["Answer", "Folder", "verify", "verify_once"]

Answer = Literal["stands", "stale", "not replayable", "no fingerprint"]
"""What replaying says of a line."""


class Folder:
    """The files of a folder, one per experiment."""

    def __init__(self, path: Path, *, must_exist: bool = False) -> None:
        if path.exists() and not path.is_dir():
            raise ValueError(f"'{path}' is no folder")
        if must_exist and not path.is_dir():
            raise ValueError(f"there is no folder '{path}'")
        self.path = path

    def file(self, name: str) -> Path:
        """The file of an experiment."""
        return self.path / f"{name}.jsonl"

    def lines(self, name: str) -> list[ResultLine]:
        """All lines of an experiment, history included."""
        return read_lines(self.file(name))

    def names(self) -> list[str]:
        """The experiments that have a file."""
        return sorted(path.stem for path in self.path.glob("[!.]*.jsonl"))

    def save(self, experiment: Experiment, made: Iterable[ResultLine]) -> None:
        """Add lines to those of an experiment; a ValueError says where they contradict those there."""
        new = [replace(line, experiment=experiment.name) for line in made]
        lines = merge_lines(self.lines(experiment.name), new)
        rows = {row.name: row for row in experiment.rows}
        live = {(line.row, line.identity): line for line in lines if not line.stale}
        found = []
        for line in lines:
            anew = live.get((line.row, line.identity))
            if line.raw is None or anew is None or line.row not in rows:
                found.append(line)
                continue
            agrees = _agrees(line.raw, anew, rows[line.row])
            if agrees is False:
                found.append(replace(line, stale="came out otherwise when it was made anew"))
            elif agrees is None:
                found.append(line)
        write_lines(self.file(experiment.name), found, list(rows))

    def mark_stale(self, experiment: Experiment, line: ResultLine, why: str) -> None:
        """Make a line history."""
        when = f"{datetime.now(UTC).date().isoformat()}, {package_version()}"
        self._replace(experiment, line, replace(line, stale=f"{when}: {why}"))

    def mark_standing(self, experiment: Experiment, line: ResultLine, plays: str) -> None:
        """Note that the players of this play version make a line."""
        if line.plays != plays:
            self._replace(experiment, line, replace(line, plays=plays))

    def _replace(self, experiment: Experiment, line: ResultLine, by: ResultLine) -> None:
        rest = [other for other in self.lines(experiment.name) if other != line]
        rows = [row.name for row in experiment.rows]
        write_lines(self.file(experiment.name), merge_lines(rest, [by]), rows)


def _agrees(raw: Mapping[str, Any], line: ResultLine, row: Row) -> bool | None:
    """Whether an export without fingerprints says what a line says of as many games; None if it has fewer."""
    indices = row.indices(raw["count"])
    if not all(index in line.values for index in indices):
        return None
    found = evidence_of(row, replace(line, values={index: line.values[index] for index in indices}))
    if found.score is None:
        # Numbers are kept with six digits.
        return found.mean is not None and math.isclose(found.mean.mean, raw["mean"]["mean"], rel_tol=1e-5)
    score = raw["score"]
    tally = (found.score.wins, found.score.draws, found.score.losses)
    if tally != (score["wins"], score["draws"], score["losses"]):
        return False
    return all(getattr(found.score.pairs, name) == count for name, count in score["pairs"].items())


def verify(job: Job, line: ResultLine, workers: Workers, *, every_block: bool = False) -> Answer:
    """Whether the code of today makes a line: by the fingerprint of its first block, or of every one."""
    if not job.work.replayable:
        return "not replayable"
    if not line.prints:
        return "no fingerprint"
    indices = fingerprint_indices(line.values, first_block=not every_block)
    known = {index: line.prints.get(index, "") for index in indices}
    return "stands" if job.work.fingerprints(indices, workers) == known else "stale"


def verify_once(job: Job, line: ResultLine, store: Store, workers: Workers) -> Answer:
    """As `verify`; the store remembers for each build of the core what stands, so that it is asked once."""
    key = f"line {line.identity} {[line.prints[index] for index in sorted(line.prints)[:4]]}"
    if stands_under(store, key, build()):
        return "stands"
    answer = verify(job, line, workers)
    if answer == "stands":
        note_build(store, key, build(), job.work.play_version)
    return answer
