"""Series of a store and lines of results that were made before the laboratory had rooms still count."""

from __future__ import annotations

import shutil
from pathlib import Path

from coppice.lab.store import Store
from coppice.lab.workers import Threads
from coppice.papers.experiment import find_experiment
from coppice.papers.folder import verify
from coppice.papers.jobs import jobs_of
from coppice.papers.result_lines import read_lines
from coppice.papers.runner import collect, run

FILES = Path(__file__).parent.parent / "data" / "before_rooms"


def test_the_series_of_an_old_store_are_complete_and_stand(tmp_path: Path) -> None:
    experiment = find_experiment(str(FILES / "experiment.py"))
    with Store(Path(shutil.copy(FILES / "store.db", tmp_path))) as store:
        jobs = jobs_of(experiment)
        before = [store.results(job.work.identity) for job in jobs[1:]]
        assert [len(results) for results in before] == [6, 4]
        for step in run(jobs, store, Threads(1)):
            assert step.done == step.wanted
        assert [store.results(job.work.identity) for job in jobs[1:]] == before
        assert all(job.missing(store) == [] for job in jobs)
        found = collect(experiment, jobs, store)
    assert {name: evidence.count for name, evidence in found.items()} == {
        **{"match": 10, "search": 6, "length": 4}
    }
    assert found["match"].score is not None
    assert (found["match"].score.wins, found["match"].score.draws) == (9, 1)


def test_old_lines_of_results_stand_and_are_not_made_again() -> None:
    experiment = find_experiment(str(FILES / "experiment.py"))
    lines = read_lines(FILES / "results.jsonl")
    with Store(":memory:") as store:
        jobs = jobs_of(experiment, lines=lines)
        assert [job.in_folder for job in jobs] == lines
        assert all(job.missing(store) == [] for job in jobs)
    for job, line in zip(jobs, lines, strict=True):
        assert verify(job, line, Threads(1)) == "stands"
