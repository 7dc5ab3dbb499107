"""Lines of a stream, read in the background: what the protocols listen to."""

from __future__ import annotations

import queue
import threading
from typing import Protocol

__all__ = ["MAX_LINE", "Lines", "Stream"]

MAX_LINE = 65536
"""Characters of a line; what is longer is cut one character later, so that it shows."""
_AHEAD = 1024


class Stream(Protocol):
    """What `Lines` reads: a raw stream of bytes."""

    def read(self, size: int, /) -> bytes | None:
        """Some bytes, none at the end."""


class Lines:
    """Lines of a raw stream, read by a thread of their own; a line that is too long is cut, not kept."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._queue: queue.Queue[str | None] = queue.Queue(_AHEAD)
        self._next: list[str | None] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        line = bytearray()
        try:
            while piece := self._stream.read(MAX_LINE):
                *ended, rest = piece.split(b"\n")
                for end in ended:
                    line += end[: MAX_LINE + 1 - len(line)]
                    self._put(line)
                    line.clear()
                line += rest[: MAX_LINE + 1 - len(line)]
        except OSError:
            # The other end is gone: that is the end.
            pass
        if line:
            self._put(line)
        self._queue.put(None)

    def _put(self, line: bytearray) -> None:
        self._queue.put(line.decode("utf-8", errors="replace"))

    def next(self) -> str | None:
        """The next line, waiting for it; None at the end."""
        return self._next.pop() if self._next else self._queue.get()

    def waiting(self, seconds: float) -> bool:
        """Whether a line or the end is there within so many seconds."""
        if not self._next:
            try:
                self._next.append(self._queue.get(timeout=seconds))
            except queue.Empty:
                return False
        return True
