"""The watchdog: a thread that notices when the event loop stands still, and tells where."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

__all__ = ["Watchdog"]

log = logging.getLogger("coppice.web")

TELL_SECONDS = 10.0
"""Between two lines in the log."""


class Watchdog:
    """Watches the loop on which it is started. A standstill is told when the loop goes on again."""

    def __init__(
        self, seconds: float, *, now: Callable[[], float] = time.monotonic, tell_seconds: float = TELL_SECONDS
    ) -> None:
        self.seconds = seconds
        self._now = now
        self._tell_seconds = tell_seconds
        self._heard = threading.Event()
        self._ended = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._loop_thread = 0
        self._longest, self._place, self._count = 0.0, "", 0
        self._told = -self._tell_seconds

    def start(self) -> None:
        """Begins to watch the running loop."""
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends."""
        self._ended.set()
        self._heard.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        assert self._loop is not None
        while not self._ended.wait(self.seconds):
            self._heard.clear()
            asked = self._now()
            try:
                self._loop.call_soon_threadsafe(self._heard.set)
            except RuntimeError:
                # It is closed.
                return
            if not self._heard.wait(self.seconds):
                place = self._where()
                self._heard.wait()
                self._note(self._now() - asked, place)
            self._tell()

    def _where(self) -> str:
        """What the loop is doing: the innermost lines of our own code, or of whoever is at work."""
        frame: FrameType | None = sys._current_frames().get(self._loop_thread)
        # No text of a file is read for this: the loop would wait for that, too.
        lines: list[tuple[str, int]] = []
        while frame is not None:
            lines.append((frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back
        ours = [line for line in lines if "coppice" in line[0]] or lines
        return " < ".join(f"{name.rpartition('/')[2]}:{line}" for name, line in ours[:3])

    def _note(self, seconds: float, place: str) -> None:
        self._count += 1
        if seconds > self._longest:
            self._longest, self._place = seconds, place

    def _tell(self) -> None:
        if not self._count or self._now() - self._told < self._tell_seconds or self._ended.is_set():
            return
        log.warning(
            "the pages had to wait %d times, the longest for %.0f ms (%s)",
            self._count,
            1000 * self._longest,
            self._place,
        )
        self._told = self._now()
        self._longest, self._place, self._count = 0.0, "", 0
