"""Kinds of rows: a new one is run, kept, verified, costed and shown although nobody else knows it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fake_workers import FakeWorkers, pretend

from coppice import _core
from coppice.core.outside import Outside
from coppice.core.shipping import pack
from coppice.lab.store import Store
from coppice.lab.workers import Processes, Threads
from coppice.papers import rows
from coppice.papers.budgets import Budgets
from coppice.papers.clock import Clock
from coppice.papers.cost import Costs
from coppice.papers.experiment import (
    Experiment,
    MatchRow,
    PlayoutRow,
    Published,
    Row,
    SearchRow,
    SpeedRow,
)
from coppice.papers.folder import Folder, verify, verify_once
from coppice.papers.jobs import Job, jobs_of
from coppice.papers.results import judge
from coppice.papers.rows.row import Estimate, Resolve
from coppice.papers.rows.series import SeriesRow, _measure
from coppice.papers.runner import collect, run, unconfirmed
from coppice.show.tables import Section, csv_text

GAME, PLAYER = "tic_tac_toe", "uct(simulations=9)"
ROWS: tuple[Row, ...] = (
    MatchRow(name="match", game=GAME, a=PLAYER, b="random", count=4),
    SearchRow(name="search", game=GAME, player=PLAYER, moves=("b2",), count=3),
    PlayoutRow(name="playout", game=GAME, player=PLAYER, count=3),
    SpeedRow(name="speed", game=GAME, player=PLAYER, count=2),
)


@dataclass(frozen=True, kw_only=True)
class FirstMoveRow(SeriesRow):
    """How many moves a player has in the beginning, plus one in every second run."""

    kind: ClassVar[str] = "first_move"
    cost_depends_on: ClassVar[tuple[str, ...]] = ("game",)
    player: str

    def players(self) -> tuple[str, ...]:
        return (self.player,)

    def own_facts(self, resolve: Resolve, machine: str) -> dict[str, Any]:
        return {"player": resolve(self.player)}

    @staticmethod
    def measure_one(facts: Mapping[str, Any], seed: int) -> dict[str, Any]:
        return {"moves": 9 + seed % 2, "player": facts["player"]}

    def value_of(self, result: Mapping[str, Any]) -> Any:
        return result["moves"]

    def seconds_each(self, facts: Mapping[str, Any], estimate: Estimate) -> float:
        return 3.0 + estimate.decision(self.start(), facts["player"])


def experiment(*declared: Row) -> Experiment:
    return Experiment(question="?", source="our own", rows=declared, name="toy", given="toy")


def test_a_new_kind_of_row_goes_all_the_way_and_nobody_else_knows_it(tmp_path: Path) -> None:
    one = FirstMoveRow(name="new", game=GAME, player=PLAYER, count=60, published=Published(9.5))
    of, folder = experiment(one), Folder(tmp_path / "results")
    with Store(tmp_path / "1.db") as store:
        [job] = jobs_of(of)
        assert 3.0 < Costs(store).of(job).seconds_each < 3.1
        steps = list(run([job], store, Threads(2)))
        assert (steps[-1].done, steps[-1].wanted, steps[-1].seconds_left) == (60, 60, 0.0)
        line = job.line(store)
        assert line is not None
        folder.save(of, [line])
    with Store(tmp_path / "2.db") as store:
        [job] = jobs_of(of, lines=folder.lines("toy"))
        assert (job.missing(store), Costs(store).of(job).missing) == ([], 0)
        assert job.in_folder is not None
        assert verify(job, job.in_folder, Threads(1)) == "stands"
        assert verify_once(job, job.in_folder, store, Threads(1)) == "stands"
        assert unconfirmed([job], store) == ""
        found = collect(of, [job], store)
    assert found["new"].mean is not None
    assert 9 < found["new"].mean.mean < 10
    assert found["new"].command == "coppice run toy --rows 1 --games 60 --seed 0"
    section = Section(of, judge(of, found))
    assert section.cells()[0][2:4] == ["first_move", "60 of 60"]
    assert section.lines[0].consistent == "yes"
    assert ",first_move,60,60,9.5," in csv_text(section)


def test_the_list_of_kinds_is_what_people_import() -> None:
    kinds = [getattr(rows, name) for name in rows.__all__]
    assert sorted(kind.kind for kind in kinds) == ["match", "playout", "search", "speed"]
    folder = Path(rows.__file__).parent
    # One file each, beside what they share.
    shared = {"__init__", "row", "series"}
    assert {path.stem for path in folder.glob("*.py")} == {kind.kind for kind in kinds} | shared
    assert all(kind.__module__ == f"coppice.papers.rows.{kind.kind}" for kind in kinds)
    page = Path(__file__).parent.parent.parent / "docs" / "extend" / "experiment.md"
    text = page.read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in text for name in rows.__all__)


def test_a_job_is_a_plain_value() -> None:
    assert [each.name for each in fields(Job)] == ["row", "wanted", "facts", "budgets", "in_folder"]
    clock = Clock(seconds=1, states=20)
    timed = MatchRow(name="timed", game=GAME, a="uct({budget})", b=PLAYER, count=2, clock=clock)
    jobs = jobs_of(experiment(*ROWS, timed), Budgets())
    assert jobs == jobs_of(experiment(*ROWS, timed))
    assert [job.work.identity for job in jobs] == [
        job.work.identity for job in jobs_of(experiment(*ROWS, timed))
    ]
    assert pickle.loads(pickle.dumps(jobs)) == jobs
    assert jobs_of(experiment(*ROWS), seed=1) != jobs[:4]
    assert len({job.work.identity for job in jobs}) == len(jobs)


def test_a_job_without_a_clock_has_no_budgets() -> None:
    [job] = jobs_of(experiment(ROWS[1]))
    assert Job(job.row, job.wanted, job.facts) == job
    assert job.budgets == {}
    assert job.in_folder is None


def test_planning_does_not_touch_a_store_or_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(jobs_of(experiment(*ROWS))) == len(ROWS)
    assert list(tmp_path.iterdir()) == []


def test_every_kind_is_run_and_read_back_as_it_was_told(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        jobs = jobs_of(experiment(*ROWS))
        last = {step.row.name: step for step in run(jobs, store, FakeWorkers())}
        found = collect(experiment(*ROWS), jobs, store)
        assert {name: step.done for name, step in last.items()} == {row.name: row.count for row in ROWS}
        assert {name: step.value for name, step in last.items()} == {
            name: one.value for name, one in found.items()
        }
        for job in jobs:
            assert job.work.match_in(store) == (job.work.identity if job.row.name == "match" else None)
            # Played anew, it has nothing at first.
            job.work.set_aside(store)
            assert job.done(store) == 0
        assert [series.kind for series in store.series()].count("search") == 1


def test_a_worker_that_plays_otherwise_refuses_to_measure() -> None:
    [job] = jobs_of(experiment(ROWS[1]))
    parcel = pack(Outside(job.facts["game"], job.facts["player"]))
    index, _ = _measure(SearchRow, job.facts, 2, _core.PLAY_VERSION, parcel)
    assert index == 2
    with pytest.raises(ValueError, match=r"a worker has play version .*, the coordinator other: install"):
        _measure(SearchRow, job.facts, 2, "other", parcel)


def test_times_are_those_of_one_play_version_and_other_runs_are_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search, speed = (jobs_of(experiment(row))[0] for row in (ROWS[1], ROWS[3]))
    before = {job.row.name: job.work.identity for job in (search, speed)}
    with Store(tmp_path / "s.db") as store:
        for _ in run([speed], store, Threads(1)):
            pass
        assert speed.done(store) == 2
        pretend(monkeypatch, tmp_path, "next")
        assert speed.work.identity != before["speed"]
        assert speed.done(store) == 0
        assert search.work.identity == before["search"]


def test_the_curve_of_games_goes_on_as_long_as_any_of_them() -> None:
    row = PlayoutRow(name="playout", game=GAME, player=PLAYER, count=3)
    found = row.evidence({0: [4.0, 2.0, 6.0], 1: [8.0], 2: [3.0, None]})
    assert [(ply, mean.mean, mean.count) for ply, mean in found.curve] == [
        (0, 5.0, 3),
        (1, 2.0, 1),
        (2, 6.0, 1),
    ]
    # A game gives one number: 4, 8 and 3.
    assert found.mean is not None
    assert (found.mean.mean, found.mean.count) == (5.0, 3)


class Crowd(FakeWorkers):
    """Workers that count who asks them."""

    width = 8

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def map(
        self, function: Callable[..., Any], chunks: Iterable[tuple[Any, ...]]
    ) -> Generator[Any | None, None, None]:
        for kind, *rest in chunks:
            self.asked.append(kind.__name__)
            yield function(kind, *rest)


def test_what_measures_time_is_done_one_at_a_time_whoever_else_could_work(tmp_path: Path) -> None:
    crowd = Crowd()
    with Store(tmp_path / "s.db") as store:
        jobs = jobs_of(experiment(*ROWS[1:]))
        for _ in run(jobs, store, crowd):
            pass
        assert [job.done(store) for job in jobs] == [3, 3, 2]
    assert crowd.asked == ["SearchRow"] * 3 + ["PlayoutRow"] * 3


def test_runs_are_made_in_processes_alike(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        [job] = jobs_of(experiment(ROWS[1]))
        assert job.work.fingerprints(range(3), Processes(1)) == job.work.fingerprints(range(3), Threads(1))
        assert job.done(store) == 0
