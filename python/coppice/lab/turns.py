"""Turns: which of several commands plays a match of a store, by locks that die with their process."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from pathlib import Path

__all__ = ["TurnError", "TurnLock"]


class TurnError(ValueError):
    """A turn can be neither taken nor waited for; the message is one line."""


class TurnLock:
    """One byte of `<store>.lock`, held by this process, and a lock among the threads of this process.

    POSIX record locks die with their process and are not inherited by children; but they do not tell the
    threads of a process apart, and closing any descriptor of the file drops them all. So each lock file is
    opened once per process and stays open, and threads exclude each other by an ordinary lock.
    """

    _guard = threading.Lock()
    _files: dict[str, int] = {}  # noqa: RUF012
    _threads: dict[tuple[str, int], threading.Lock] = {}  # noqa: RUF012

    def __init__(self, store: Path, identity: str) -> None:
        name = f"{store.resolve()}.lock"
        self._offset = int(identity[:15], 16)
        with self._guard:
            if name not in self._files:
                try:
                    self._files[name] = os.open(name, os.O_RDWR | os.O_CREAT, 0o666)
                except OSError as error:
                    raise TurnError(f"cannot open '{store}.lock': {error.strerror}") from error
            self._file = self._files[name]
            self._thread = self._threads.setdefault((name, self._offset), threading.Lock())

    def acquire(self) -> bool:
        """Take the turn; False if somebody else has it."""
        if not self._thread.acquire(blocking=False):
            return False
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, self._offset)
            return True
        except OSError as error:
            self._thread.release()
            if error.errno in (errno.EACCES, errno.EAGAIN):
                return False
            raise TurnError(f"this file system cannot lock files: {error.strerror}") from error

    def release(self) -> None:
        """Give the turn back."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, self._offset)
        self._thread.release()
