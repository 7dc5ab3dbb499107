"""The store: an SQLite file with one row per finished game or measurement, shared safely by several commands.

A game is finished when its row is committed. The file is in write-ahead mode with `synchronous = NORMAL`: a
process that is killed at any moment loses nothing that it has committed, since the commit is then in the
operating system's hands; only a power cut may take back the last commits, and then whole ones.

A match is named by its identity, so rows of other specs, seeds or openings never mix; who adds games makes
sure that those before were played by the same code (see `replay`). Commands that play the same match on
one store take turns through an advisory lock on one byte of `<store>.lock`, which the operating system
releases when its process dies; different matches run at the same time.

What an experiment measures without playing a match is a *series*: results by index under one identity, with
the same promises. A store of an earlier version, which has no series yet, gets them when it is next opened.

A game's row has what its players used (`Used`), which rows of earlier versions do not know.

With a match the store keeps what its parts from outside the package were (`StoredMatch.fingerprint`), which
are part of its identity: the match of an edited policy is another one. A match that is played anew sets its
old games aside: they stay, under another identity. With a game it keeps where it was played (`Place`).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import platform
import sqlite3
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, Self, TypeVar
from urllib.parse import quote

from coppice.core import distribution
from coppice.lab.stats import Score
from coppice.lab.turns import TurnError, TurnLock

__all__ = [
    "DEFAULT_STORE",
    "GameRecord",
    "Place",
    "Store",
    "StoreError",
    "StoredMatch",
    "StoredSeries",
    "Used",
    "describe_machine",
    "package_version",
]

DEFAULT_STORE = "coppice.db"
"""The store of a command that names none: in the current folder."""

_SCHEMA_VERSION = 5
_APPLICATION = 0x436F7070
_BUSY_SECONDS = 60.0
_TABLES = """
CREATE TABLE matches (
    number INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,
    a TEXT NOT NULL,
    b TEXT NOT NULL,
    seed INTEGER NOT NULL,
    openings TEXT NOT NULL,
    play_version TEXT NOT NULL,
    package_version TEXT NOT NULL,
    machine TEXT NOT NULL,
    created TEXT NOT NULL
);
CREATE TABLE games (
    match INTEGER NOT NULL REFERENCES matches,
    "index" INTEGER NOT NULL,
    first TEXT NOT NULL CHECK (first IN ('a', 'b')),
    winner TEXT CHECK (winner IN ('first', 'second')),
    score REAL NOT NULL CHECK (score IN (0, 0.5, 1)),
    kind TEXT NOT NULL,
    moves TEXT NOT NULL,
    length INTEGER NOT NULL,
    seconds REAL NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (match, "index")
) WITHOUT ROWID;
CREATE INDEX games_score ON games (match, "index", score);
"""
_SERIES_TABLES = """
CREATE TABLE series (
    number INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    facts TEXT NOT NULL,
    play_version TEXT NOT NULL,
    package_version TEXT NOT NULL,
    machine TEXT NOT NULL,
    created TEXT NOT NULL
);
CREATE TABLE results (
    series INTEGER NOT NULL REFERENCES series,
    "index" INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (series, "index")
) WITHOUT ROWID;
"""
_FINGERPRINT_COLUMNS = """
ALTER TABLE matches ADD COLUMN fingerprint TEXT;
ALTER TABLE matches ADD COLUMN set_aside TEXT NOT NULL DEFAULT '';
"""
_USED_COLUMNS = """
ALTER TABLE games ADD COLUMN used_a TEXT;
ALTER TABLE games ADD COLUMN used_b TEXT;
"""
_PLACES = """
CREATE TABLE places (
    number INTEGER PRIMARY KEY,
    machine TEXT NOT NULL,
    load REAL NOT NULL,
    UNIQUE (machine, load)
);
ALTER TABLE games ADD COLUMN place INTEGER REFERENCES places;
ALTER TABLE matches ADD COLUMN contents TEXT NOT NULL DEFAULT '{}';
"""
_CHANGES = (_TABLES, _SERIES_TABLES, _FINGERPRINT_COLUMNS, _USED_COLUMNS, _PLACES)
"""What each version of the format has added, from the first."""
# The index holds all that resuming and reporting read, so that neither touches the moves of a million games.
_COLUMNS = '"index", first, winner, score, kind, moves, length, seconds, note, used_a, used_b, place'
_LATER_COLUMNS = {4: ("used_a", "used_b"), 5: ("place",)}
"""The columns of a game that each version of the format has added."""

_LONGEST_VALUE = 64 << 20
"""Bytes of a value: what is longer was not written by this program."""
_STRANGE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
"""What comes of values that this program does not write."""
_Made = TypeVar("_Made")

_GAME_KINDS = (int, str, str | None, float, str, str, int, float, str, str | None, str | None, int | None)
"""What the columns of a game hold."""
_MATCH_KINDS = (*(str, str, str, str, int), *([str] * 5), int)
"""What those of a match hold that all versions have."""

FORFEIT = "forfeit"
"""How a game ended that a player lost without a move."""

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
"""The codes of SQLite for a file that another command works on."""
_REASONS: dict[int | None, str] = {
    sqlite3.SQLITE_NOTADB: "it is not a database of this program",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_FULL: "the disk is full; the games saved before are kept",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened (permissions?)",
    **dict.fromkeys(_BUSY, f"another command has kept it busy for {_BUSY_SECONDS:.0f} seconds"),
    sqlite3.SQLITE_IOERR: "reading or writing the disk failed; the games saved before are kept",
}
"""What went wrong, by SQLite's code; elsewhere its own words must do."""


def _code(error: sqlite3.Error) -> int | None:
    """The code of SQLite without its details; None where the error is not SQLite's own."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


class StoreError(ValueError):
    """A store cannot be used; the message is one line that names the file and the reason."""


@dataclass(frozen=True, slots=True)
class Used:
    """What a player used, added up over its moves."""

    decisions: int = 0
    """The moves that it chose; those of an opening are nobody's."""
    simulations: int = 0
    states: int = 0
    """The states that it visited: one per move played inside its searches."""

    def __add__(self, other: Used) -> Used:
        return Used(
            self.decisions + other.decisions,
            self.simulations + other.simulations,
            self.states + other.states,
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a game was played, and how busy it was there: what a time, and play by a clock, depend on."""

    machine: str
    load: float
    """How many processes wanted a processor, on average over the minute before the games began."""

    @classmethod
    def here(cls) -> Place:
        """This machine as it is now."""
        return cls(describe_machine(), round(os.getloadavg()[0], 1))


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One finished game of a match."""

    index: int
    first: Literal["a", "b"]
    """Which player had the first side."""
    winner: Literal["first", "second"] | None
    """The side that won; None for a draw."""
    score: float
    """The points of player *a*: 1, 0.5 or 0."""
    kind: str
    """How the game ended: ring, bridge, no_moves, draw, ..."""
    moves: str
    """The names of the moves, as the core writes them."""
    length: int
    """The number of moves."""
    seconds: float
    note: str = ""
    """The reason of a forfeit; empty otherwise."""
    used_a: Used | None = None
    """What player *a* used in this game; None if a version that did not count it has played the game."""
    used_b: Used | None = None
    """The same for player *b*."""
    place: Place | None = field(default=None, compare=False)
    """Where it was played; None if a version that did not keep that has played it."""

    @property
    def forfeited(self) -> bool:
        """Whether a player lost without a move: it crashed, fell silent, resigned. The `note` tells."""
        return self.kind == FORFEIT

    @classmethod
    def of(cls, values: Mapping[str, Any], place: Place | None = None) -> GameRecord:
        """The record of a mapping as the core hands it out, played here or where a worker says."""
        if "machine" in values:
            place = Place(values["machine"], values["load"])
        made: dict[str, Any] = {name: Used(*values[name]) for name in ("used_a", "used_b")}
        made["place"] = place
        return cls(**{name: made[name] if name in made else values[name] for name in cls.__slots__})


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as the store knows it."""

    identity: str
    game: str
    a: str
    b: str
    seed: int
    openings: str
    play_version: str
    package_version: str = ""
    machine: str = ""
    created: str = ""
    """When its first command began, in UTC."""
    games: int = 0
    """How many of its games are finished."""
    fingerprint: Mapping[str, str] | None = field(default=None, hash=False)
    """What its parts from outside the package were, by name; None if an earlier version has entered it."""
    set_aside: str = ""
    """When it was set aside for a match that was played anew, in UTC; empty if it was not."""
    contents: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The digests of the files that its parts were read from, as a person calls them."""


@dataclass(frozen=True, slots=True)
class StoredSeries:
    """A series of results as the store knows it."""

    identity: str
    kind: str
    """What is measured: `search`, `playout`, `speed`, `budget`, ..."""
    facts: str
    """All that the results depend on, as JSON."""
    play_version: str
    package_version: str = ""
    machine: str = ""
    created: str = ""
    results: int = 0
    """How many results there are."""


@functools.cache
def describe_machine() -> str:
    """The processor, its number of cores and the operating system: what a speed depends on."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count() or 1} cores, {platform.system()} {platform.machine()}"


def package_version() -> str:
    """The version of the installed package; `uninstalled` when it runs from its source."""
    try:
        return metadata.version(distribution.NAME)
    except metadata.PackageNotFoundError:
        return "uninstalled"


class _Counts(defaultdict[int, dict[tuple[Any, Any], int]]):
    """How often something was seen in each match."""

    def __init__(self) -> None:
        super().__init__(dict)


_BLOCK = 1 << 12
"""So many rows are read at a time: few enough to stay near the processor."""
_PAIRS = (
    'SELECT g."index" >> 1, g.score, h.score, g.length, h.length, g.seconds + h.seconds FROM games g'
    ' JOIN games h ON h.match = g.match AND h."index" = g."index" + 1'
    ' WHERE g.match = ? AND g."index" & 1 = 0 ORDER BY g."index"'
)


def _used(text: str | None) -> Used | None:
    if text is None:
        return None
    return Used(*_typed(json.loads(text), (int, int, int)))


def _texts(text: str | None) -> dict[str, str] | None:
    """A JSON object of texts."""
    found = None if text is None else json.loads(text)
    if found is not None and not all(isinstance(value, str) for value in found.values()):
        raise TypeError("not a mapping of texts")
    return found


def _typed(row: Sequence[Any], kinds: Sequence[Any]) -> Sequence[Any]:
    """A row of the file, if its values are of these kinds: SQLite keeps whatever it is given."""
    if len(row) != len(kinds) or not all(map(isinstance, row, kinds)):
        raise TypeError("a value of another kind")
    return row


def _plain(sql: str) -> str:
    """The text of a table without its layout."""
    return " ".join(sql.split())


@functools.cache
def _tables_of(version: int) -> list[list[str]]:
    """What a file of this version consists of: tables and indices, each with its text."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        for change in _CHANGES[:version]:
            connection.executescript(change)
        return _schema(connection)[2]


def _schema(connection: sqlite3.Connection) -> tuple[int, int, list[list[str]]]:
    """The application and version that a file says it is of, and its tables and indices."""
    # In one statement: another command may be making the tables at this moment.
    application, version, told = connection.execute(
        "SELECT application_id, user_version, (SELECT json_group_array(json_array(type, name, sql))"
        r" FROM sqlite_master WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\')"
        " FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    return application, version, sorted([kind, name, _plain(sql)] for kind, name, sql in json.loads(told))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _stored_match(*row: Any) -> StoredMatch:
    """A match of its row: fingerprint, when it was set aside, and contents come last."""
    *told, fingerprint, aside, contents = row
    _typed([*told, aside], (*_MATCH_KINDS, str))
    return StoredMatch(*[*told, _texts(fingerprint), aside, _texts(contents) or {}])


def _points(row: Sequence[Any]) -> tuple[int, float]:
    index, score = _typed(row, (int, float))
    if score not in (0.0, 0.5, 1.0):
        raise ValueError("a score that no game has")
    return index, score


def _game(row: Sequence[Any], places: Mapping[int | None, Place]) -> GameRecord:
    *told, a, b, place = _typed(row, _GAME_KINDS)
    if told[1] not in ("a", "b") or told[2] not in ("first", "second", None):
        raise ValueError("a game of nobody")
    _points((told[0], told[3]))
    return GameRecord(*[*told, _used(a), _used(b), places.get(place)])


def _result(row: Sequence[Any]) -> tuple[int, dict[str, Any]]:
    index, text = _typed(row, (int, str))
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("a result is a mapping")
    return index, value


class Store:
    """An open store; use it in a `with` block or call `close`.

    A new file is created unless `read_only` is set. A store belongs to the thread that opened it.
    """

    def __init__(self, path: str | os.PathLike[str] = DEFAULT_STORE, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self._read_only = read_only
        self._check_path()
        try:
            self._connection = self._connect()
        except sqlite3.Error as error:
            raise self._error("cannot open", error) from error
        self._file = self._identity_of_file()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. What was added is committed already."""
        self._connection.close()

    # Opening

    def _check_path(self) -> None:
        if self.path.is_dir():
            raise StoreError(f"cannot open store '{self.path}': it is a folder")
        if not self.path.parent.is_dir():
            raise StoreError(f"cannot open store '{self.path}': there is no folder '{self.path.parent}'")
        if self._read_only and not self.path.exists():
            raise StoreError(f"cannot open store '{self.path}': there is no such file")

    def _connect(self) -> sqlite3.Connection:
        if not self._read_only:
            connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
            return self._prepared(connection)
        address = f"file:{quote(str(self.path.absolute()))}"
        try:
            return self._prepared(self._connect_address(f"{address}?mode=ro"))
        except sqlite3.OperationalError:
            # In a folder without write permission it opens only as a file that nobody changes.
            return self._prepared(self._connect_address(f"{address}?immutable=1"))

    def _connect_address(self, address: str) -> sqlite3.Connection:
        return sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)

    def _prepared(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            # A file may come from anybody: no value of it takes all memory, and its tables run nothing.
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
            connection.execute("PRAGMA trusted_schema = OFF")
            version = self._schema_version(connection)
            if version == 0 and self._read_only:
                raise StoreError(f"cannot open store '{self.path}': it is empty")
            if version < _SCHEMA_VERSION and not self._read_only:
                self._create(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def _schema_version(self, connection: sqlite3.Connection) -> int:
        """The version of the tables; 0 for an empty file. Refuses what this package cannot read."""
        application, version, tables = self._understood(_schema, connection)
        if not tables and application == 0:
            return 0
        if application != _APPLICATION:
            raise StoreError(f"cannot open store '{self.path}': it is a database of another program")
        if not 1 <= version <= _SCHEMA_VERSION:
            raise StoreError(
                f"cannot open store '{self.path}': its format is version {version}, "
                f"this package reads version 1 to {_SCHEMA_VERSION}"
            )
        # A view or a trigger is code: one that never ends can stand in the place of a table.
        if tables != _tables_of(version):
            raise StoreError(
                f"cannot open store '{self.path}': its tables are not those of version {version}"
            )
        return int(version)

    def _create(self, connection: sqlite3.Connection) -> None:
        """Make the tables, unless another command has made them in the meantime."""
        give_up = time.monotonic() + _BUSY_SECONDS
        while True:
            # SQLite does not wait for another command that is changing the journal mode as well.
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                if _code(error) not in _BUSY or time.monotonic() > give_up:
                    raise
                time.sleep(0.01)
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = self._schema_version(connection)
            for change in _CHANGES[version:]:
                for statement in change.split(";"):
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    def _error(self, doing: str, error: sqlite3.Error) -> StoreError:
        return StoreError(f"{doing} store '{self.path}': {_REASONS.get(_code(error), str(error))}")

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection
        except sqlite3.Error as error:
            raise self._error("cannot read", error) from error

    def _understood(self, make: Callable[..., _Made], *values: Any) -> _Made:
        """What is made of values of the file; a `StoreError` if this program does not write such values."""
        try:
            return make(*values)
        except _STRANGE as error:
            raise StoreError(
                f"cannot read store '{self.path}': it holds what this program does not write"
            ) from error

    def _identity_of_file(self) -> tuple[int, int] | None:
        """What tells the file of this name from another one; None if there is none."""
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _check_file(self) -> None:
        """A file that was removed can still be written, and nobody would ever read it."""
        if self._identity_of_file() != self._file:
            raise StoreError(
                f"cannot write to store '{self.path}': the file was removed, or another one has taken its"
                " place; what was kept in it went with it"
            )

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is committed, or nothing and a `StoreError` says why."""
        self._check_file()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # After a full disk SQLite may have rolled back by itself.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise self._error("cannot write to", error) from error
        self._check_file()

    # Matches

    def register(self, match: StoredMatch) -> StoredMatch:
        """Enter a match unless it is known; returns it as stored, with the number of its games.

        A match that is known keeps its fingerprint as soon as it has games.
        """
        known = self.find(match.identity)
        fingerprint = json.dumps(dict(match.fingerprint or {}), sort_keys=True)
        contents = json.dumps(dict(match.contents), sort_keys=True)
        if known is None:
            with self._writing() as connection:
                connection.execute(
                    "INSERT OR IGNORE INTO matches (identity, game, a, b, seed, openings, play_version,"
                    " package_version, machine, created, fingerprint, contents)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        *(match.identity, match.game, match.a, match.b, match.seed, match.openings),
                        *(match.play_version, package_version(), describe_machine()),
                        *(_now(), fingerprint, contents),
                    ),
                )
        elif not known.games and known.fingerprint != match.fingerprint:
            with self._writing() as connection:
                connection.execute(
                    "UPDATE matches SET fingerprint = ?, contents = ? WHERE identity = ?",
                    (fingerprint, contents, match.identity),
                )
        else:
            return known
        stored = self.find(match.identity)
        assert stored is not None, "the row was just committed, and who forgets a match waits for its turn"
        return stored

    def take_over(self, identity: str, match: StoredMatch) -> None:
        """Enter the games that an earlier version has kept of a match under what it is called today."""
        values = (dict(match.fingerprint or {}), dict(match.contents))
        with self._writing() as connection:
            connection.execute(
                "UPDATE matches SET identity = ?, fingerprint = ?, contents = ? WHERE identity = ?",
                (match.identity, *(json.dumps(value, sort_keys=True) for value in values), identity),
            )

    def forget(self, identity: str) -> int:
        """Remove a match with all its games, of which it returns the number; nothing brings them back."""
        number = self._number(identity)
        with self.turn(identity), self._writing() as connection:
            games = connection.execute("DELETE FROM games WHERE match = ?", (number,)).rowcount
            connection.execute("DELETE FROM matches WHERE number = ?", (number,))
        return int(games)

    def set_aside(self, identity: str) -> StoredMatch:
        """Make room for a match to be played anew: its games stay, under the identity that is returned."""
        number = self._number(identity)
        other = hashlib.sha256(f"{identity} set aside as {number}".encode()).hexdigest()[:32]
        with self._writing() as connection:
            connection.execute(
                "UPDATE matches SET identity = ?, set_aside = ? WHERE number = ?", (other, _now(), number)
            )
        stored = self.find(other)
        assert stored is not None, "the row was just committed, and who forgets a match waits for its turn"
        return stored

    def matches(self) -> list[StoredMatch]:
        """All matches, in the order in which they were entered."""
        return self._matches("1 = 1")

    def find(self, identity: str) -> StoredMatch | None:
        """The match of this identity, if the store has it."""
        found = self._matches("identity = ?", identity)
        return found[0] if found else None

    def rename(self, identity: str, new: str) -> None:
        """Give a match another identity that no match has: earlier versions made them otherwise."""
        with self._writing() as connection:
            connection.execute("UPDATE matches SET identity = ? WHERE identity = ?", (new, identity))

    def set_play_version(self, identity: str, play_version: str) -> None:
        """Enter the play version under which the games of a match stand."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE matches SET play_version = ? WHERE identity = ? AND play_version <> ?",
                (play_version, identity, play_version),
            )

    def _matches(self, condition: str, *values: object) -> list[StoredMatch]:
        with self._reading() as connection:
            version = self._version()
            more = "fingerprint, set_aside" if version >= 3 else "NULL, ''"
            more += ", contents" if version >= 5 else ", '{}'"
            rows = connection.execute(
                "SELECT identity, game, a, b, seed, openings, play_version, package_version, machine,"
                f" created, (SELECT count(*) FROM games WHERE match = number), {more}"
                f" FROM matches WHERE {condition} ORDER BY number",
                values,
            )
            return [self._understood(_stored_match, *row) for row in rows]

    def _version(self) -> int:
        """The version of the file: one that is opened for reading stays as it is."""
        with self._reading() as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])

    def _number(self, identity: str) -> int:
        with self._reading() as connection:
            row = connection.execute("SELECT number FROM matches WHERE identity = ?", (identity,)).fetchone()
        if row is None:
            raise StoreError(f"store '{self.path}' has no match {identity}")
        return int(row[0])

    # Games

    def add(self, identity: str, records: Iterable[GameRecord]) -> int:
        """Commit finished games in one transaction; returns how many of them were new.

        An index that is there already keeps its row: the first record of a game stands.
        """
        number = self._number(identity)
        records = list(records)
        with self._writing() as connection:
            places = self._numbers_of({r.place for r in records if r.place is not None})
            rows = [
                (
                    *(number, r.index, r.first, r.winner, r.score, r.kind, r.moves, r.length, r.seconds),
                    r.note,
                    *(None if used is None else json.dumps(astuple(used)) for used in (r.used_a, r.used_b)),
                    None if r.place is None else places[r.place],
                )
                for r in records
            ]
            before = connection.total_changes
            connection.executemany(
                f"INSERT INTO games (match, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                ' ON CONFLICT (match, "index") DO NOTHING',
                rows,
            )
            return connection.total_changes - before

    def _numbers_of(self, places: Iterable[Place]) -> dict[Place, int]:
        """The numbers of these places in the file, which gets those that it has not."""
        found = {}
        for place in places:
            values = (place.machine, place.load)
            self._connection.execute("INSERT OR IGNORE INTO places (machine, load) VALUES (?, ?)", values)
            row = self._connection.execute(
                "SELECT number FROM places WHERE machine = ? AND load = ?", values
            ).fetchone()
            found[place] = int(row[0])
        return found

    def numbered_places(self) -> dict[int | None, Place]:
        """All places by the number that rows of games have."""
        if self._version() < 5:
            return {}
        with self._reading() as connection:
            rows = connection.execute("SELECT number, machine, load FROM places")
            return {
                row[0]: Place(*self._understood(_typed, row, (int, str, float))[1:])
                for row in rows.fetchall()
            }

    def points(self, identity: str, games: int | None = None) -> Iterator[tuple[int, float]]:
        """Index and points of the finished games below `games`, in index order."""
        for row in self._select('"index", score', identity, games):
            yield self._understood(_points, row)

    def score(self, identity: str, games: int | None = None) -> Score:
        """The score of the finished games below `games`."""
        return Score.of(self.points(identity, games))

    def missing(self, identity: str, games: int) -> list[int]:
        """The indices below `games` that are not finished yet."""
        there = bytearray(games)
        for row in self._select('"index"', identity, games):
            there[self._understood(_typed, row, (int,))[0]] = 1
        return [index for index, seen in enumerate(there) if not seen]

    def records(self, identity: str, games: int | None = None) -> Iterator[GameRecord]:
        """The records of the finished games below `games`, in index order."""
        yield from self._records(identity, games)

    def used(self, identity: str, games: int | None = None) -> tuple[Used, Used] | None:
        """What players *a* and *b* used in the finished games below `games`, added up.

        Games of which that is not known are left out; None if it is known of none.
        """
        sums, known = (Used(), Used()), False
        rows = self._select("used_a, used_b", identity, games) if self._knows_used() else ()
        for texts in rows:
            a, b = (self._understood(_used, text) for text in texts)
            if a is not None and b is not None:
                sums, known = (sums[0] + a, sums[1] + b), True
        return sums if known else None

    def _knows_used(self) -> bool:
        """Whether there are columns for it: not in an earlier version's store that is opened for reading."""
        return self._version() >= 4

    def record(self, identity: str, index: int) -> GameRecord:
        """The record of one finished game."""
        return next(self._records(identity, index + 1, index))

    def _records(self, identity: str, games: int | None, start: int = 0) -> Iterator[GameRecord]:
        columns, version, places = _COLUMNS, self._version(), self.numbered_places()
        for later, names in _LATER_COLUMNS.items():
            for name in names if version < later else ():
                columns = columns.replace(name, "NULL")
        for row in self._select(columns, identity, games, start):
            yield self._understood(_game, row, places)

    def scores(self, matches: Iterable[StoredMatch] | None = None) -> dict[str, Score]:
        """The scores of these matches, or of all, by identity; the database counts them."""
        wanted = None if matches is None else {match.identity for match in matches}
        with self._reading() as connection:
            names = {
                number: identity
                for number, identity in connection.execute("SELECT number, identity FROM matches")
                if wanted is None or identity in wanted
            }
            games, pairs = _Counts(), _Counts()
            # A pair is read at its first game; both statements are answered from the index.
            for match, side, score, count in connection.execute(
                'SELECT match, "index" & 1, score, count(*) FROM games GROUP BY match, "index" & 1, score'
            ):
                games[match][side, score] = count
            for match, one, two, count in connection.execute(
                "SELECT g.match, g.score, h.score, count(*) FROM games g JOIN games h ON h.match = g.match"
                ' AND h."index" = g."index" + 1 WHERE g."index" & 1 = 0 GROUP BY g.match, g.score, h.score'
            ):
                pairs[match][one, two] = count
        return {identity: Score.of_counts(games[number], pairs[number]) for number, identity in names.items()}

    def game_rows(self, identity: str, *, moves: bool = False) -> Iterator[list[tuple[Any, ...]]]:
        """The finished games of a match as plain rows, in blocks; `tidy` makes columns of them.

        A row has the index, who had the first side, the points of *a*, the side that won, how it ended, the
        length, seconds, the note, what *a* and *b* used as JSON, the number of the place, and the moves
        where they are wanted.
        """
        columns = '"index", first, score, winner, kind, length, seconds, note, used_a, used_b, place'
        for later, names in _LATER_COLUMNS.items():
            for name in names if self._version() < later else ():
                columns = columns.replace(name, "NULL")
        query = f'SELECT {columns}{", moves" if moves else ""} FROM games WHERE match = ? ORDER BY "index"'
        return self._blocks(query, identity)

    def pair_rows(self, identity: str) -> Iterator[list[tuple[Any, ...]]]:
        """The complete pairs of a match as plain rows, in blocks.

        A row has the number of the pair, the points of *a* with the first side and with the second, the
        lengths of both games, and their seconds together.
        """
        return self._blocks(_PAIRS, identity)

    def _blocks(self, query: str, identity: str) -> Iterator[list[tuple[Any, ...]]]:
        number = self._number(identity)
        with self._reading() as connection:
            cursor = connection.execute(query, (number,))
            while rows := cursor.fetchmany(_BLOCK):
                yield rows

    def places(self, identity: str) -> list[Place]:
        """Where the games of a match were played."""
        if self._version() < 5:
            return []
        number, places = self._number(identity), self.numbered_places()
        with self._reading() as connection:
            rows = connection.execute("SELECT DISTINCT place FROM games WHERE match = ?", (number,))
            return [places[place] for (place,) in rows if place is not None]

    def frame(
        self,
        per: Literal["game", "pair", "match"] = "game",
        *,
        matches: Iterable[StoredMatch] | None = None,
        moves: bool = False,
        library: str | None = None,
    ) -> Any:
        """The games of these matches, or of all, as a data frame: a row per game, per pair or per match.

        `library` is `pandas` or `polars` [default: the first that is installed], or `columns`, a plain
        dictionary of lists. The columns are those of `TidyGame`, `TidyPair` and `TidyMatch` of
        `coppice.lab.tidy`; moves are left empty unless asked for.
        """
        # They read stores, and stand above.
        from coppice.lab import frames, tidy

        chosen = self.matches() if matches is None else list(matches)
        found = tidy.blocks(self, chosen, per, moves=moves)
        return frames.frame_of(frames.whole(found, tidy.record_of(per)), library)

    def mean_seconds(self, identity: str) -> float | None:
        """The mean time of a game of this match, from its first hundred; None before the first."""
        with self._reading() as connection:
            row = connection.execute(
                "SELECT avg(seconds) FROM (SELECT seconds FROM games WHERE match ="
                " (SELECT number FROM matches WHERE identity = ?) LIMIT 100)",
                (identity,),
            ).fetchone()
        return None if row[0] is None else float(self._understood(_typed, row, (float,))[0])

    def _select(
        self, columns: str, identity: str, games: int | None, start: int = 0
    ) -> Iterator[tuple[Any, ...]]:
        limit = 2**62 if games is None else games
        number = self._number(identity)
        with self._reading() as connection:
            yield from connection.execute(
                f'SELECT {columns} FROM games WHERE match = ? AND "index" BETWEEN ? AND ? ORDER BY "index"',
                (number, start, limit - 1),
            )

    # Series

    def register_series(self, series: StoredSeries) -> StoredSeries:
        """Enter a series unless it is known; returns it as stored, with the number of its results."""
        known = self.find_series(series.identity)
        if known is not None:
            return known
        with self._writing() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO series (identity, kind, facts, play_version, package_version, machine,"
                " created) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    *(series.identity, series.kind, series.facts, series.play_version),
                    *(package_version(), describe_machine(), _now()),
                ),
            )
        stored = self.find_series(series.identity)
        assert stored is not None, "the row was just committed, and who forgets a match waits for its turn"
        return stored

    def find_series(self, identity: str) -> StoredSeries | None:
        """The series of this identity, if the store has it."""
        found = self._series("identity = ?", identity)
        return found[0] if found else None

    def series(self) -> list[StoredSeries]:
        """All series, in the order in which they were entered."""
        return self._series("1 = 1")

    def _series(self, condition: str, *values: object) -> list[StoredSeries]:
        with self._reading() as connection:
            if int(connection.execute("PRAGMA user_version").fetchone()[0]) < 2:
                return []
            rows = connection.execute(
                "SELECT identity, kind, facts, play_version, package_version, machine, created,"
                " (SELECT count(*) FROM results WHERE series = number)"
                f" FROM series WHERE {condition} ORDER BY number",
                values,
            )
            return [
                StoredSeries(*self._understood(_typed, row, (*([str] * 7), int))) for row in rows.fetchall()
            ]

    def add_results(self, identity: str, results: Mapping[int, Mapping[str, Any]]) -> int:
        """Commit results by index in one transaction; returns how many were new. The first one stands."""
        before = self._connection.total_changes
        with self._writing() as connection:
            row = connection.execute("SELECT number FROM series WHERE identity = ?", (identity,)).fetchone()
            if row is None:
                raise StoreError(f"store '{self.path}' has no series {identity}")
            connection.executemany(
                'INSERT INTO results (series, "index", value) VALUES (?, ?, ?)'
                ' ON CONFLICT (series, "index") DO NOTHING',
                [(row[0], index, json.dumps(value, sort_keys=True)) for index, value in results.items()],
            )
        return self._connection.total_changes - before

    def set_aside_series(self, identity: str) -> None:
        """Make room for a series to be measured anew: its results stay, under another identity."""
        with self._writing() as connection:
            row = connection.execute("SELECT number FROM series WHERE identity = ?", (identity,)).fetchone()
            if row is not None:
                other = hashlib.sha256(f"{identity} set aside as {row[0]}".encode()).hexdigest()[:32]
                connection.execute("UPDATE series SET identity = ? WHERE number = ?", (other, row[0]))

    def remove_series(self, identity: str) -> None:
        """Remove a series with its results, if there is one."""
        with self._writing() as connection:
            of = "(SELECT number FROM series WHERE identity = ?)"
            connection.execute(f"DELETE FROM results WHERE series = {of}", (identity,))
            connection.execute("DELETE FROM series WHERE identity = ?", (identity,))

    def results(self, identity: str, below: int | None = None) -> dict[int, dict[str, Any]]:
        """The results with an index under `below`, in index order; none of a series that is not there."""
        if self.find_series(identity) is None:
            return {}
        with self._reading() as connection:
            rows = connection.execute(
                'SELECT "index", value FROM results WHERE "index" < ? AND'
                ' series = (SELECT number FROM series WHERE identity = ?) ORDER BY "index"',
                (2**62 if below is None else below, identity),
            )
            return dict(self._understood(_result, row) for row in rows.fetchall())

    # Taking turns

    @contextlib.contextmanager
    def turn(self, identity: str) -> Iterator[None]:
        """Hold the right to play this match; waits for a command that has it, and says so once on stderr."""
        try:
            lock = TurnLock(self.path, identity)
            self._wait_for(lock)
        except TurnError as error:
            raise StoreError(str(error)) from error
        try:
            yield
        finally:
            lock.release()

    def _wait_for(self, lock: TurnLock) -> None:
        told = False
        while not lock.acquire():
            if not told:
                told = True
                print(
                    f"waiting: another command is playing this match in '{self.path}'",
                    file=sys.stderr,
                    flush=True,
                )
            time.sleep(0.05)
