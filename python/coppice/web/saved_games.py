"""The saved games: an SQLite file that keeps every room of the app, so that a restart loses no game."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from coppice.lab.store import StoreError
from coppice.web.game_room import GameRoom

__all__ = ["SavedGames"]

_APPLICATION = 0x436F5462
_SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (
    identity TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    changed TEXT NOT NULL,
    content TEXT NOT NULL
) WITHOUT ROWID
"""


class SavedGames:
    """An open file of saved games. It belongs to the thread that opened it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._connection = sqlite3.connect(path, timeout=10, isolation_level=None)
            application = int(self._connection.execute("PRAGMA application_id").fetchone()[0])
            empty = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
            if application != _APPLICATION and not empty:
                raise StoreError(f"cannot open '{path}': it does not keep games in play")
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(_SCHEMA)
            self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        except sqlite3.Error as error:
            raise StoreError(f"cannot open '{path}': {error}") from error

    def put(self, room: GameRoom) -> None:
        """Keeps a room as it is now."""
        try:
            self._connection.execute(
                "INSERT INTO tables VALUES (?, ?, datetime('now'), ?) ON CONFLICT (identity) DO UPDATE"
                " SET changed = excluded.changed, content = excluded.content",
                (room.identity, room.game.spec, json.dumps(room.to_json(), separators=(",", ":"))),
            )
        except sqlite3.Error as error:
            raise StoreError(f"cannot write to '{self.path}': {error}") from error

    def get(self, identity: str) -> GameRoom | None:
        """The room of this identity, if it is kept."""
        try:
            row = self._connection.execute(
                "SELECT content FROM tables WHERE identity = ?", (identity,)
            ).fetchone()
        except sqlite3.Error as error:
            raise StoreError(f"cannot read '{self.path}': {error}") from error
        return GameRoom.of_json(json.loads(row[0])) if row else None

    def count(self) -> int:
        """How many games are kept."""
        return int(self._connection.execute("SELECT count(*) FROM tables").fetchone()[0])

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()
