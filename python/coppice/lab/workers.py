"""Workers: who does the work of a match or a series, be it threads, processes or a Dask cluster.

Game i of a match, and result i of a series, depend on their specs and on i alone, so that a task can be done
anywhere and done again: a lost worker costs the time of its tasks and nothing else. Tasks return plain
records; only the coordinator, the process that a person started, writes the store. It checks what other
processes hand back, and plays a share of it again (see `witness`).

    dask scheduler                                    # on one machine
    dask worker tcp://HOST:8786 --nworkers auto       # on each machine; coppice must be installed there
    coppice run ppr_table1 --cluster tcp://HOST:8786  # anywhere
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from coppice import _core
from coppice.core import distribution
from coppice.core.outside import Outside
from coppice.core.shipping import Parcel, pack
from coppice.lab.store import Place
from coppice.lab.witness import SHARE, Witness, WrongRecordError, check_share

if TYPE_CHECKING:
    from coppice.lab.match import Match

__all__ = [
    "Cluster",
    "Games",
    "Processes",
    "Threads",
    "Workers",
    "check_version",
    "play_chunk",
    "processors",
    "workers_of",
]

_POLL_SECONDS = 0.2
_RETRIES = 3
"""How often the workers of a task may be lost before the run gives up."""
_MOST_GAMES = 64
"""More games are never in one task."""


class Games(Protocol):
    """Games being played: iterating gives lists of records as they finish, a list at least every 0.2 s."""

    def __iter__(self) -> Iterator[Sequence[Mapping[str, Any]]]:
        """Itself."""

    def __next__(self) -> Sequence[Mapping[str, Any]]:
        """What has finished since the last call; possibly nothing."""

    def stop(self) -> None:
        """Play no further move; iteration ends after what is finished."""


class Workers(Protocol):
    """Who does work; `run` and `play` take one, and no value holds one."""

    @property
    def width(self) -> int:
        """How many chunks or games are done at the same time."""

    @property
    def checked(self) -> float:
        """The share of what they hand back that is made again here (see `witness`)."""

    def map(
        self, function: Callable[..., Any], chunks: Iterable[tuple[Any, ...]]
    ) -> Generator[Any | None, None, None]:
        """The results as they come, and None at least every 0.2 s; closing it abandons the rest."""

    def games(self, match: Match, indices: Sequence[int]) -> Games:
        """Start the games of these indices."""


def processors() -> int:
    """How many processors this machine has: what is used where nobody says how much."""
    return os.cpu_count() or 1


def workers_of(threads: int | None, workers: Workers | None) -> Workers:
    """The workers that somebody asks for by `threads=` or `workers=`; by neither, a thread per processor."""
    if workers is None:
        return Threads() if threads is None else Threads(threads)
    if threads is not None:
        raise ValueError("threads and workers exclude each other: threads=N is short for workers=Threads(N)")
    return workers


def _check_width(width: int, what: str) -> None:
    if width < 1:
        raise ValueError(f"cannot work with {width} {what}: at least 1 is needed")


@dataclass(frozen=True)
class Threads:
    """Threads of this process: the core does the work and lets others run."""

    width: int = field(default_factory=processors)
    """How many chunks or games are done at the same time."""
    checked: ClassVar[float] = 0.0
    """Nothing comes from elsewhere."""

    def __post_init__(self) -> None:
        _check_width(self.width, "threads")

    def map(
        self, function: Callable[..., Any], chunks: Iterable[tuple[Any, ...]]
    ) -> Generator[Any | None, None, None]:
        """The results as they come, and None at least every 0.2 s; closing it abandons the rest."""
        with ThreadPoolExecutor(self.width) as executor:
            todo = iter(chunks)
            running: set[Future[Any]] = set()
            try:
                while True:
                    while len(running) < 2 * self.width and (chunk := next(todo, None)) is not None:
                        running.add(executor.submit(function, *chunk))
                    if not running:
                        return
                    done, running = wait(running, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
                    if not done:
                        yield None
            finally:
                for future in running:
                    future.cancel()

    def games(self, match: Match, indices: Sequence[int]) -> Games:
        """Start the games of these indices: the core shares them out among its own threads."""
        return _play((match.game, match.a, match.b), match, indices, self.width)


def _play(specs: Sequence[str], match: Match, indices: Sequence[int], threads: int) -> Games:
    game, a, b = specs
    return _core.play_games(
        *(game, a, b),
        seed=match.seed,
        indices=list(indices),
        threads=threads,
        openings=match.openings.argument,
    )


def check_version(play_version: str) -> None:
    """Refuse, on a worker, to work for a coordinator that plays otherwise."""
    if play_version != _core.PLAY_VERSION:
        raise ValueError(
            f"a worker has play version {_core.PLAY_VERSION}, the coordinator {play_version}: "
            "install the same coppice everywhere"
        )


def play_chunk(
    match: Match, indices: Sequence[int], play_version: str, parcel: Parcel
) -> list[Mapping[str, Any]]:
    """The records of some games of a match, and where they were played; runs on a worker.

    The parcel has what the match takes from outside, for a worker that does not read the same itself.
    """
    check_version(play_version)
    place = asdict(Place.here())
    with parcel.opened(match.game, match.a, match.b) as specs, Outside(*specs).held():
        batches = _play(specs, match, indices, 1)
        return [{**record, **place} for batch in batches for record in batch]


def _serve(alive: Connection) -> None:
    """A process works for its coordinator: that one is interrupted, and when it is gone, so is this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_after, args=(alive,), daemon=True).start()


def _leave_after(alive: Connection) -> None:
    with contextlib.suppress(EOFError, OSError):
        alive.recv()
    os._exit(1)


class _MappedGames:
    """Games that are played as chunks of work."""

    def __init__(self, workers: Workers, match: Match, indices: Sequence[int]) -> None:
        for player in (match.a, match.b):
            _core.check_player(match.game, player)
        size = max(1, min(_MOST_GAMES, len(indices) // (8 * workers.width)))
        parcel = pack(match.outside)
        chunks = (
            (match, indices[at : at + size], _core.PLAY_VERSION, parcel)
            for at in range(0, len(indices), size)
        )
        self._results = workers.map(play_chunk, chunks)
        self._match = match
        self._witness = Witness(match, indices, workers.checked)
        self._held: Sequence[Mapping[str, Any]] = ()
        """A chunk of which games are played again at this moment."""
        self._told: dict[int, Mapping[str, Any]] = {}
        self._again: Games | None = None
        self._stopped = False

    def __iter__(self) -> Iterator[Sequence[Mapping[str, Any]]]:
        return self

    def __next__(self) -> Sequence[Mapping[str, Any]]:
        if self._again is not None:
            return self._confirmed(self._again)
        try:
            records = next(self._results) or ()
        except StopIteration:
            if self._witness.missing and not self._stopped:
                raise WrongRecordError(
                    f"the workers have left out {self._witness.missing} of the games that they were asked for"
                ) from None
            raise
        drawn = self._witness.heard(records)
        if not drawn:
            return records
        self._held, self._told = records, {record["index"]: record for record in drawn}
        match = self._match
        self._again = _play((match.game, match.a, match.b), match, list(self._told), 1)
        return ()

    def _confirmed(self, again: Games) -> Sequence[Mapping[str, Any]]:
        """The chunk that is held, when all that was drawn of it came out here as it was told."""
        batch = next(again, None)
        if batch is None:
            self._again = None
            return self._held
        for record in batch:
            self._witness.confirm(self._told[record["index"]], record)
        return ()

    def stop(self) -> None:
        """Play no further game; iteration ends, and a chunk that is not confirmed yet is given up."""
        self._stopped = True
        if self._again is not None:
            self._again.stop()
            self._again = None
        self._results.close()


@dataclass(frozen=True)
class Processes:
    """Processes of this machine. Work of a process that dies is given to another one."""

    width: int = field(default_factory=processors)
    """How many chunks are done at the same time."""
    checked: float = SHARE
    """The share of what they hand back that is made again here."""

    def __post_init__(self) -> None:
        check_share(self.checked)
        _check_width(self.width, "processes")

    def map(
        self, function: Callable[..., Any], chunks: Iterable[tuple[Any, ...]]
    ) -> Generator[Any | None, None, None]:
        """The results as they come, and None at least every 0.2 s; closing it abandons the rest."""
        # A fork would copy the threads of the core in the middle of whatever they do.
        context = multiprocessing.get_context("spawn")
        todo = iter(chunks)
        lost: list[tuple[Any, ...]] = []
        for _ in range(_RETRIES + 1):
            lost, again = [], lost
            alive, ours = context.Pipe(duplex=False)
            with (
                alive,
                ours,
                ProcessPoolExecutor(
                    self.width, mp_context=context, initializer=_serve, initargs=(alive,)
                ) as executor,
            ):
                running: dict[Future[Any], tuple[Any, ...]] = {}
                try:
                    while True:
                        while len(running) < 2 * self.width and not lost:
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
                    if running:
                        # Nobody waits for what they are doing.
                        ours.close()
                lost += again
            if not lost:
                return
        raise ValueError(f"worker processes died {_RETRIES + 1} times over: is there enough memory?")

    def games(self, match: Match, indices: Sequence[int]) -> Games:
        """Start the games of these indices."""
        return _MappedGames(self, match, indices)


class Cluster:
    """A Dask cluster; use it in a `with` block or call `close`."""

    def __init__(self, address: str, *, checked: float = SHARE) -> None:
        check_share(checked)
        self.checked = checked
        """The share of what its workers hand back that is made again here."""
        distributed = distribution.optional("distributed", "cluster", "a cluster needs the extra")
        dask = distribution.optional("dask", "cluster", "a cluster needs the extra")
        # A scheduler that is just starting may take a while; who configures Dask to wait less is heard.
        configured = dask.utils.parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
        try:
            self._client: Any = distributed.Client(
                address, timeout=min(10.0, configured), set_as_default=False
            )
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

    def map(
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

    def games(self, match: Match, indices: Sequence[int]) -> Games:
        """Start the games of these indices."""
        return _MappedGames(self, match, indices)

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
