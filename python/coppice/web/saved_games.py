"""The saved games: an SQLite file that keeps every game of the app, and the one thread that writes it.

What is promised: no click waits for the disk. A change is written as soon as the writer is free, those of
all games in the order in which they were made; of a game that has changed several times meanwhile only the
newest is written. What is reported as saved survives the end of the process and a loss of power. What cannot
be written is kept and tried again every second, and `close` writes all that is left.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coppice.lab.store import StoreError
from coppice.web.game_room import GameRoom

__all__ = ["SavedGames"]

log = logging.getLogger("coppice.web")

RETRY_SECONDS = 1.0
"""Between two attempts to write where the last one has failed."""
_ROWS = 500
"""Turns of a game that are made a text at a time."""
_APPLICATION = 0x436F5462
_SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (
    identity TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    changed TEXT NOT NULL,
    content TEXT NOT NULL
) WITHOUT ROWID
"""


@dataclass
class _Save:
    """A game as it was when it was put, and those who want to know when it has been tried to write it."""

    identity: str
    game: str
    entry: dict[str, Any]
    tried: list[Future[str]] = field(default_factory=list)

    @property
    def content(self) -> str:
        """The game as it is written; nobody makes that where pages wait."""
        return encoded(self.entry)


def encoded(entry: dict[str, Any]) -> str:
    """A game as JSON, put together of small texts: between two of them other threads have their turn."""
    rows = entry["nodes"]
    texts = [_json(rows[at : at + _ROWS])[1:-1] for at in range(0, len(rows), _ROWS)]
    rest = _json({name: value for name, value in entry.items() if name != "nodes"})
    return f'{rest[:-1]},"nodes":[{",".join(texts)}]}}'


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


class SavedGames:
    """An open file of saved games; any thread may use it.

    Whenever saving begins to fail, and when it works again, `told` is called on the writer's thread with the
    reason, which is empty in the second case.
    """

    def __init__(self, path: Path, told: Callable[[str], None] = lambda reason: None) -> None:
        self.path = path
        self.trouble = ""
        """Why the last attempt to write has failed; empty if it has not."""
        self._told = told
        try:
            self._connection: sqlite3.Connection | None = self._opened()
        except (sqlite3.Error, StoreError) as error:
            raise StoreError(f"cannot open '{path}': {error}") from error
        self._file = self._identity()
        self._changed = threading.Condition()
        # In the order in which they were put.
        self._waiting: dict[str, _Save] = {}
        self._writing: dict[str, _Save] = {}
        self._closing = False
        self._writer = threading.Thread(target=self._run, name="saved games", daemon=True)
        self._writer.start()
        # A daemon is stopped with the interpreter: what waits is written before.
        atexit.register(self.close)

    # For the app

    def put(self, room: GameRoom) -> Future[str]:
        """Saves a game as it is now, soon; nobody waits.

        The result is there when it has been tried: empty if the game is saved, else why it is not yet.
        """
        tried: Future[str] = Future()
        save = _Save(room.identity, room.game.spec, room.to_json(), [tried])
        with self._changed:
            if self._closing:
                raise StoreError(f"cannot write to '{self.path}': it is closed")
            older = self._waiting.pop(save.identity, None)
            if older is not None:
                save.tried = [*older.tried, tried]
            self._waiting[save.identity] = save
            self._changed.notify_all()
        return tried

    def save(self, room: GameRoom) -> None:
        """Saves a game and waits until it is saved; a StoreError says why it cannot be."""
        if reason := self.put(room).result():
            raise StoreError(f"cannot write to '{self.path}': {reason}")

    def get(self, identity: str) -> GameRoom | None:
        """The game of this identity, if it is saved."""
        with self._changed:
            # What is not written yet is newer than the file.
            save = self._waiting.get(identity) or self._writing.get(identity)
        content = save.content if save else self._read(identity)
        return None if content is None else GameRoom.of_json(json.loads(content))

    def _read(self, identity: str) -> str | None:
        with self._reading() as connection:
            found = connection.execute(
                "SELECT content FROM tables WHERE identity = ?", (identity,)
            ).fetchone()
        return None if found is None else str(found[0])

    def count(self) -> int:
        """How many games are saved."""
        with self._reading() as connection:
            return int(connection.execute("SELECT count(*) FROM tables").fetchone()[0])

    def close(self) -> None:
        """Writes what is waiting, if that is possible, and closes the file."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._writer.join()
        atexit.unregister(self.close)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for one reader: the writer's own belongs to its thread."""
        try:
            with contextlib.closing(sqlite3.connect(self.path, timeout=10)) as connection:
                connection.execute("PRAGMA query_only = TRUE")
                yield connection
        except sqlite3.Error as error:
            raise StoreError(f"cannot read '{self.path}': {error}") from error

    # The writer

    def _run(self) -> None:
        while True:
            with self._changed:
                if self.trouble and not self._closing:
                    self._changed.wait_for(lambda: self._closing, RETRY_SECONDS)
                self._changed.wait_for(lambda: self._closing or bool(self._waiting))
                self._writing, self._waiting = self._waiting, {}
                saves = list(self._writing.values())
                last = self._closing
            reason = self._try(saves) if saves else self.trouble
            self._report(saves, reason, last)
            if last:
                break
        if self._connection is not None:
            self._connection.close()

    def _try(self, saves: list[_Save]) -> str:
        """Writes these games, all or none; returns why it could not, in words that visitors may read."""
        try:
            self._write(saves)
        except OSError as error:
            # Its text would name the path.
            return error.strerror or type(error).__name__
        except (sqlite3.Error, StoreError) as error:
            return str(error)
        return ""

    def _write(self, saves: list[_Save]) -> None:
        connection = self._connected()
        connection.execute("BEGIN IMMEDIATE")
        try:
            for save in saves:
                connection.execute(
                    "INSERT INTO tables VALUES (?, ?, datetime('now'), ?) ON CONFLICT (identity) DO UPDATE"
                    " SET changed = excluded.changed, content = excluded.content",
                    (save.identity, save.game, save.content),
                )
            connection.execute("COMMIT")
        except BaseException:
            # SQLite has taken some failures back by itself.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _report(self, saves: list[_Save], reason: str, last: bool) -> None:
        """Tells what has become of these games; those that could not be written wait again, before others."""
        with self._changed:
            before, self.trouble = self.trouble, reason
            self._writing = {}
            if reason:
                newer = self._waiting
                self._waiting = {save.identity: save for save in saves if save.identity not in newer}
                self._waiting.update(newer)
            lost = len(self._waiting) if last else 0
        if reason != before:
            if reason:
                log.error("games cannot be saved to '%s': %s", self.path, reason)
            else:
                log.warning("games are saved to '%s' again", self.path)
            self._told(reason)
        for save in saves:
            for tried in save.tried:
                # Whoever waited may be gone.
                if tried.set_running_or_notify_cancel():
                    tried.set_result(reason)
            save.tried = []
        if lost:
            log.error("%d games have changes that could not be saved to '%s': %s", lost, self.path, reason)

    # The file

    def _connected(self) -> sqlite3.Connection:
        """The connection, to the file that has the name now: a file that was removed can still be written."""
        if self._connection is not None and self._identity() != self._file:
            self._connection.close()
            self._connection = None
            raise StoreError("the file is gone")
        if self._connection is None:
            self._connection = self._opened()
            self._file = self._identity()
        return self._connection

    def _identity(self) -> tuple[int, int] | None:
        """What tells the file of this name from another one; None if there is none."""
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=10, isolation_level=None, check_same_thread=False)
        try:
            application = int(connection.execute("PRAGMA application_id").fetchone()[0])
            empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
            if application != _APPLICATION and not empty:
                raise StoreError("it does not keep games in play")
            connection.execute("PRAGMA journal_mode = WAL")
            # A commit waits for the disk, and nobody waits for the commit.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(_SCHEMA)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        except BaseException:
            connection.close()
            raise
        return connection
