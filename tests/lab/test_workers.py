"""The same records from threads, processes and a Dask cluster, whatever happens to workers."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path

import pytest
from dask import config as dask_config
from patience import wait_for

from coppice import Study, _core
from coppice.core.shipping import pack
from coppice.lab.exports import export
from coppice.lab.match import Match
from coppice.lab.store import Store
from coppice.lab.workers import Cluster, Processes, Threads, play_chunk
from coppice.papers.experiment import Experiment, SearchRow
from coppice.papers.jobs import jobs_of
from coppice.papers.runner import run

# Long enough that a worker can be lost between two commits.
GAME, A, B = "havannah(size=4)", "uct(simulations=6000)", "random"
GAMES = 60


def exported(path: Path, match: Match) -> str:
    with Store(path, read_only=True) as store:
        return "".join(export(store, [match.row]))


@pytest.fixture(scope="module")
def by_threads(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("threads") / "s.db"
    match = Match(GAME, A, B, seed=5)
    match.play(GAMES, threads=2, store=path)
    return exported(path, match)


def suicide(path: str, number: int) -> int:
    """Doubles a number; the first worker that gets here dies instead."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return 2 * number
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def test_processes_give_the_records_of_threads(tmp_path: Path, by_threads: str) -> None:
    match = Match(GAME, A, B, seed=5)
    assert match.play(GAMES, workers=Processes(2), store=tmp_path / "s.db").finished == GAMES
    assert exported(tmp_path / "s.db", match) == by_threads


def test_work_of_a_process_that_dies_is_done_by_another(tmp_path: Path) -> None:
    chunks = ((str(tmp_path / "died"), number) for number in range(20))
    results = [result for result in Processes(2).map(suicide, chunks) if result is not None]
    assert sorted(results) == [2 * number for number in range(20)]


def lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def sleep_long(path: str) -> None:
    Path(path).write_text(str(os.getpid()))
    time.sleep(1000)


def test_work_in_processes_that_nobody_waits_for_is_abandoned_at_once(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    results = Processes(1).map(sleep_long, [(str(file),)] * 5)
    while not (file.exists() and file.read_text()):
        assert next(results) is None
    results.close()
    wait_for(lambda: not lives(int(file.read_text())))


class BreaksOnce:
    """An executor that works at once; the first one breaks when it is given its third piece of work."""

    made = 0

    def __init__(self, *_: object, **__: object) -> None:
        type(self).made += 1
        self._left = 2 if self.made == 1 else 1000

    def __enter__(self) -> BreaksOnce:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def submit(self, function: Callable[..., int], *arguments: object) -> Future[int]:
        self._left -= 1
        if self._left < 0:
            raise BrokenProcessPool("a process died")
        future: Future[int] = Future()
        future.set_result(function(*arguments))
        return future

    def shutdown(self, **_: object) -> None:
        pass


def test_work_that_a_broken_pool_refuses_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coppice.lab.workers.ProcessPoolExecutor", BreaksOnce)
    results = Processes(2).map(lambda number: number, ((number,) for number in range(10)))
    assert sorted(result for result in results if result is not None) == list(range(10))


def always_dies() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_processes_that_keep_dying_are_an_error() -> None:
    with pytest.raises(ValueError, match="worker processes died 4 times over: is there enough memory"):
        list(Processes(1).map(always_dies, [()]))


def test_an_error_of_a_worker_reaches_the_coordinator() -> None:
    match = Match(GAME, A, B)
    with pytest.raises(ValueError, match="unknown game 'chess'"):
        list(Processes(1).map(_core.check_player, [("chess", "random")]))
    with pytest.raises(ValueError, match=r"a worker has play version .*, the coordinator other: install"):
        play_chunk(match, [0], "other", pack(match.outside))


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    program = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
    process = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def dask(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers of one thread each."""
    import json

    file = folder / "scheduler.json"
    with started("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)):
        wait_for(file.exists)
        address = json.loads(file.read_text())["address"]
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder))
        with started("worker", address, *options) as one, started("worker", address, *options) as two:
            with Cluster(address) as cluster:
                wait_for(lambda: cluster.width == 2)
            yield address, [one, two]


@pytest.mark.timeout(180)
def test_a_cluster_that_loses_a_worker_gives_the_same_records(tmp_path: Path, by_threads: str) -> None:
    with dask(tmp_path) as (address, processes), Cluster(address) as cluster:
        match = Match(GAME, A, B, seed=5)
        killed = False
        for step in match.run(GAMES, workers=cluster, store=tmp_path / "s.db"):
            if not killed and 0 < step.finished < GAMES:
                os.kill(processes[0].pid, signal.SIGKILL)
                killed = True
        assert killed
        assert exported(tmp_path / "s.db", match) == by_threads
        # Series go the same way, with the worker that is left.
        row = SearchRow(name="r", game="tic_tac_toe", player="uct(simulations=50)", count=8, moves=("b2",))
        one = Experiment(question="?", source="", rows=(row,))
        with Store(tmp_path / "a.db") as here, Store(tmp_path / "b.db") as there:
            jobs = jobs_of(one)
            for _ in run(jobs, here, Threads(2)):
                pass
            for _ in run(jobs_of(one), there, cluster):
                pass
            assert here.results(jobs[0].work.identity) == there.results(jobs[0].work.identity)
            assert len(there.results(jobs[0].work.identity)) == 8
        study = Study(
            baseline="uct(simulations=9)", changes={"r": "rave(simulations=9)"}, games=[GAME], most=8, looks=2
        )
        assert study.play(tmp_path / "a.db", workers=cluster).lines == study.play(tmp_path / "b.db").lines


@pytest.mark.parametrize(("configured", "waited"), [("1s", 1.0), ("500ms", 0.5), ("30s", 10.0)])
def test_a_scheduler_is_waited_for_as_dask_says_and_ten_seconds_at_most(
    configured: str, waited: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = []

    def refuse(address: str, *, timeout: float, **_: object) -> None:
        waits.append(timeout)
        raise OSError("nobody is there")

    monkeypatch.setattr("distributed.Client", refuse)
    with (
        dask_config.set({"distributed.comm.timeouts.connect": configured}),
        pytest.raises(ValueError, match="nobody is there"),
    ):
        Cluster("tcp://127.0.0.1:1")
    assert waits == [waited]


def test_a_cluster_that_is_not_there_is_one_line() -> None:
    with (
        dask_config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(ValueError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:1': "),
    ):
        Cluster("tcp://127.0.0.1:1")


@pytest.mark.parametrize(("kind", "what"), [(Threads, "threads"), (Processes, "processes")])
def test_nobody_works_with_no_workers(kind: type[Threads] | type[Processes], what: str) -> None:
    assert kind().width == (os.cpu_count() or 1)
    assert (kind(3), kind(3) == kind(2)) == (kind(3), False)
    for width in (0, -1):
        with pytest.raises(ValueError, match=f"^cannot work with {width} {what}: at least 1 is needed$"):
            kind(width)


def test_what_is_done_in_threads_comes_as_it_is_done_and_can_be_abandoned() -> None:
    gate = threading.Event()
    started: list[int] = []

    def wait_for_the_gate(number: int) -> int:
        started.append(number)
        assert gate.wait(60)
        return number

    results = Threads(2).map(wait_for_the_gate, ((number,) for number in range(100)))
    assert next(results) is None, "a sign of life"
    gate.set()
    found = [result for result in itertools.islice(results, 20) if result is not None]
    results.close()
    assert set(found) <= set(range(len(found) + 4))
    assert len(started) < 100, "what nobody waits for is not begun"
