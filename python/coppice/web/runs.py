"""Long work of the laboratory on threads of its own: started, stopped, resumed, and read while it goes on."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, Literal

from coppice.web.limits import limits

__all__ = ["Run", "Runs"]

State = Literal["waiting", "running", "stopped", "done", "failed"]


@dataclass
class Run:
    """One piece of long work: a generator that tells after each step where it stands."""

    key: str
    title: str
    work: Callable[[], Generator[Any, None, None]]
    state: State = "waiting"
    progress: Any = None
    """The last value of the generator."""
    error: str = ""
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def active(self) -> bool:
        """Whether it runs or waits for its turn."""
        return self.state in ("waiting", "running")


class Runs:
    """All runs of a server; at most a few go on at the same time, the others wait."""

    def __init__(self, most: int = 1, most_waiting: int | None = None) -> None:
        self.most_waiting = most_waiting or limits().runs
        self._slots = threading.Semaphore(most)
        self._runs: dict[str, Run] = {}
        self._threads: list[threading.Thread] = []

    def start(self, key: str, title: str, work: Callable[[], Generator[Any, None, None]]) -> Run:
        """Begins or resumes; a run that is under way already is left alone."""
        known = self._runs.get(key)
        if known is not None and known.active:
            return known
        if sum(run.active for run in self._runs.values()) >= self.most_waiting:
            raise ValueError("too much is running already: stop something, or wait until it is done")
        over = [name for name, each in self._runs.items() if not each.active and name != key]
        for name in over[: max(0, len(over) - limits().runs_kept + 1)]:
            del self._runs[name]
        run = self._runs[key] = Run(key, title, work)
        thread = threading.Thread(target=self._drive, args=(run,), name=f"run {key}", daemon=True)
        self._threads = [known for known in self._threads if known.is_alive()] + [thread]
        thread.start()
        return run

    def stop(self, key: str) -> None:
        """Ends a run; what is finished is kept."""
        run = self._runs.get(key)
        if run is not None:
            run.stopping.set()

    def find(self, key: str) -> Run | None:
        """The run of this key, if there was one since the server started."""
        return self._runs.get(key)

    def all(self) -> list[Run]:
        """Every run, the newest first."""
        return list(self._runs.values())[::-1]

    def close(self) -> None:
        """Stops everything and waits for it a moment."""
        for run in self._runs.values():
            run.stopping.set()
        for thread in self._threads:
            thread.join(3)

    def _drive(self, run: Run) -> None:
        try:
            while not self._slots.acquire(timeout=0.1):
                if run.stopping.is_set():
                    run.state = "stopped"
                    return
        except BaseException:
            run.state = "failed"
            raise
        try:
            run.state = "running"
            with contextlib.closing(run.work()) as steps:
                for run.progress in steps:
                    if run.stopping.is_set():
                        break
            run.state = "stopped" if run.stopping.is_set() else "done"
        except Exception as error:
            # Whatever goes wrong is told on the page; the server goes on.
            run.state, run.error = "failed", str(error)
        finally:
            self._slots.release()
