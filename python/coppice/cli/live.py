"""Live progress: bars on a terminal; in a pipe a line now and then, and one for every finished row."""

from __future__ import annotations

import contextlib
import sys
import time

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from coppice.cli.output import duration, note, stderr
from coppice.lab.match import Progress as MatchProgress

__all__ = ["Live"]


class Live:
    """Shows where each of several rows stands; use it in a `with` block."""

    EVERY = 15.0
    """Seconds between two lines in a pipe."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._finished: set[str] = set()
        self._stack = contextlib.ExitStack()
        self._last = time.monotonic()

    def __enter__(self) -> Live:
        if sys.stderr.isatty():
            columns = (
                TextColumn("{task.description}"),
                BarColumn(bar_width=20),
                MofNCompleteColumn(),
                TextColumn("{task.fields[state]}"),
            )
            self._bar = self._stack.enter_context(Progress(*columns, console=stderr(), transient=True))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def show(self, name: str, done: int, wanted: int, state: str, seconds_left: float | None) -> None:
        """Tells where a row stands."""
        left = duration(seconds_left)
        if self._bar is not None:
            if name not in self._tasks:
                self._tasks[name] = self._bar.add_task(name, total=wanted, state="")
            self._bar.update(self._tasks[name], completed=done, state=f"{state}, {left} left")
        elif done >= wanted:
            if name not in self._finished:
                self._finished.add(name)
                note(f"{name}: {done} of {wanted}, {state}")
        elif time.monotonic() - self._last > self.EVERY:
            self._last = time.monotonic()
            note(f"{name}: {done} of {wanted}, {state}, {left} left")

    def show_match(self, name: str, progress: MatchProgress) -> None:
        """Tells where a match stands."""
        [rate] = progress.score.row().texts("rate")
        self.show(name, progress.finished, progress.games, rate, progress.seconds_left)
