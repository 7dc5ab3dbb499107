"""The same work elsewhere: in processes of this machine, or on a Dask cluster of several.

Game i of a match, and result i of a series, depend on their specs and on i alone, so that a task can be done
anywhere and done again: a lost worker costs the time of its tasks and nothing else. Tasks return plain
records; only the coordinator, the process that a person started, writes the store.

A pool does chunks of work (`Pool`); `PooledCore` plays the games of matches in one.

    dask scheduler                                    # on one machine
    dask worker tcp://HOST:8786 --nworkers auto       # on each machine; coppice must be installed there
    coppice run ppr_table1 --cluster tcp://HOST:8786  # anywhere
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from coppice import _core
from coppice.core import distribution
from coppice.core.outside import Outside
from coppice.lab.replay import build_of

__all__ = [
    "Cluster",
    "Pool",
    "PooledCore",
    "Processes",
    "Threads",
    "check_version",
    "open_pool",
    "play_chunk",
]

_POLL_SECONDS = 0.2
_RETRIES = 3
"""How often the workers of a task may be lost before the run gives up."""


class Pool(Protocol):
    """Where chunks of work are done."""

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


def check_version(play_version: str) -> None:
    """Refuse, on a worker, to work for a coordinator that plays otherwise."""
    if play_version != _core.PLAY_VERSION:
        raise ValueError(
            f"a worker has play version {_core.PLAY_VERSION}, the coordinator {play_version}: "
            "install the same coppice everywhere"
        )


class WorkPool(Pool, Protocol):
    """A pool that says how many chunks it can do at a time."""

    @property
    def width(self) -> int:
        """How many chunks are done at the same time."""


def play_chunk(
    game: str,
    a: str,
    b: str,
    seed: int,
    openings: list[str] | str,
    indices: list[int],
    play_version: str,
    fingerprints: Mapping[str, str],
) -> list[dict[str, Any]]:
    """The records of some games of a match; runs on a worker, which must read the same code and weights."""
    check_version(play_version)
    outside = Outside(game, a, b)
    with outside.held():
        for name, fingerprint in outside.read_here().items():
            if fingerprints.get(name) != fingerprint:
                raise ValueError(f"a worker reads another {name} than the match began with")
        return _played(game, a, b, seed, openings, indices)


def _played(
    game: str, a: str, b: str, seed: int, openings: list[str] | str, indices: list[int]
) -> list[dict[str, Any]]:
    games = _core.play_games(game, a, b, seed=seed, indices=indices, threads=1, openings=openings)
    return [record for batch in games for record in batch]


class Processes:
    """A pool of processes of this machine. Work of a process that dies is given to another one."""

    def __init__(self, jobs: int | None = None) -> None:
        self._jobs = jobs or os.cpu_count() or 1
        # A fork would copy the threads of the core in the middle of whatever they do.
        self._context = multiprocessing.get_context("spawn")

    @property
    def width(self) -> int:
        """How many chunks are done at the same time."""
        return self._jobs

    def run(
        self, function: Callable[..., Any], chunks: Iterable[tuple[Any, ...]]
    ) -> Generator[Any | None, None, None]:
        """The results as they come, and None at least every 0.2 s; closing it abandons the rest."""
        todo = iter(chunks)
        lost: list[tuple[Any, ...]] = []
        for _ in range(_RETRIES + 1):
            lost, again = [], lost
            with ProcessPoolExecutor(self._jobs, mp_context=self._context) as executor:
                running: dict[Future[Any], tuple[Any, ...]] = {}
                try:
                    while True:
                        while len(running) < 2 * self._jobs and not lost:
                            chunk = again.pop() if again else next(todo, None)
                            if chunk is None:
                                break
                            try:
                                running[executor.submit(function, *chunk)] = chunk
                            except BrokenProcessPool:
                                # A process died since the last look.
                                lost.append(chunk)
                                raise
                        if not running:
                            break
                        done, _ = wait(running, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
                        if not done:
                            yield None
                        for future in done:
                            chunk = running.pop(future)
                            try:
                                result = future.result()
                            except BrokenProcessPool:
                                lost.append(chunk)
                            else:
                                yield result
                except BrokenProcessPool:
                    lost += running.values()
                finally:
                    executor.shutdown(wait=False, cancel_futures=True)
                lost += again
            if not lost:
                return
        raise ValueError(f"worker processes died {_RETRIES + 1} times over: is there enough memory?")


class Cluster:
    """A Dask cluster; use it in a `with` block or call `close`."""

    def __init__(self, address: str) -> None:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError as error:
            raise ValueError(f"a cluster needs the extra: {distribution.install('cluster')}") from error
        try:
            self._client: Any = distributed.Client(address, timeout=10, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ValueError(f"no Dask scheduler answers at '{address}': {_first_line(error)}") from error
        self._address = address

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster; its scheduler and workers stay."""
        self._client.close()

    @property
    def width(self) -> int:
        """How many chunks are done at the same time: the threads of all workers that are there now."""
        return max(1, int(sum(self._client.nthreads().values())))

    def run(
        self, function: Callable[..., Any], chunks: Iterable[tuple[Any, ...]]
    ) -> Generator[Any | None, None, None]:
        """The results as they come, and None at least every 0.2 s; closing it abandons the rest."""
        todo = iter(chunks)
        running: list[Any] = []
        told = time.monotonic()
        try:
            while True:
                while len(running) < 2 * self.width and (chunk := next(todo, None)) is not None:
                    # pure=False: another run must not share the key. Tasks of a lost worker
                    # are given to another one by the scheduler.
                    running.append(self._client.submit(function, *chunk, pure=False, retries=_RETRIES))
                if not running:
                    return
                done = [future for future in running if future.done()]
                for future in done:
                    running.remove(future)
                    told = time.monotonic()
                    yield self._result(future)
                if not done:
                    time.sleep(0.01)
                    if time.monotonic() - told > _POLL_SECONDS:
                        told = time.monotonic()
                        yield None
        finally:
            if running:
                with contextlib.suppress(Exception):
                    self._client.cancel(running)

    def _result(self, future: Any) -> Any:
        try:
            return future.result()
        except (ValueError, _core.CoreError):
            # These say themselves what went wrong, and where.
            raise
        except Exception as error:
            raise ValueError(f"the cluster at '{self._address}' failed: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


class PooledCore:
    """The core, but games are played in a pool; a `Match` takes it in place of the installed core."""

    def __init__(self, pool: WorkPool) -> None:
        self.PLAY_VERSION: str = _core.PLAY_VERSION
        self.BUILD: str = build_of(_core)
        self._pool = pool

    def play_version(self, game: str, player: str) -> str:
        """One number over the fingerprints of the parts of a player in a game."""
        return _core.play_version(game, player)

    def canonical(self, family: str, spec: str, game: str | None = None) -> str:
        """The one spelling of a spec."""
        return _core.canonical(family, spec, game)

    def play_games(
        self, game: str, a: str, b: str, *,
        seed: int, indices: list[int], threads: int, openings: list[str] | str,
    ) -> PooledGames:  # fmt: skip
        """Start the games of these indices; the pool, not `threads`, says how many at a time."""
        for player in (a, b):
            _core.check_player(game, player)
        size = max(1, min(64, len(indices) // (8 * self._pool.width)))
        fingerprints = Outside(game, a, b).read_here()
        chunks = (
            (game, a, b, seed, openings, indices[at : at + size], self.PLAY_VERSION, fingerprints)
            for at in range(0, len(indices), size)
        )
        return PooledGames(self._pool.run(play_chunk, chunks))


class PooledGames:
    """Games being played in a pool: iterating gives lists of records as they finish."""

    def __init__(self, results: Generator[list[dict[str, Any]] | None, None, None]) -> None:
        self._results = results

    def __iter__(self) -> Iterator[list[Mapping[str, Any]]]:
        return self

    def __next__(self) -> list[Mapping[str, Any]]:
        return list(next(self._results) or ())

    def stop(self) -> None:
        """Play no further game; iteration ends."""
        self._results.close()


@contextlib.contextmanager
def open_pool(cluster: str | None, processes: bool, jobs: int | None) -> Iterator[WorkPool | None]:
    """The pool that a command asks for; None for threads of this process, which the core has itself."""
    if cluster is not None and processes:
        raise ValueError("--cluster and --processes exclude each other")
    if cluster is not None:
        with Cluster(cluster) as pool:
            yield pool
    else:
        yield Processes(jobs) if processes else None
