"""Files of strangers: what can be done to well-formed ones of every kind, and the process that reads them."""

from __future__ import annotations

import json
import sqlite3
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

from hostile_seeds import (
    books,
    exports,
    gtp,
    openings,
    records,
    requests,
    results,
    specs,
    store,
    weights,
)
from source import ROOT

__all__ = ["CORPUS", "SURFACES", "Reader", "Told", "corpus", "hostile", "numbered"]

CORPUS = ROOT / "tests" / "data" / "corpus"
"""A folder for each surface with the inputs that once came out as anything but an answer."""
SECONDS, MEGABYTES = 10.0, 512
"""What one input may take: CPU time, and memory on top of what the process has when it is ready."""
_HEAD, _ANSWER = struct.Struct("<II"), struct.Struct("<IQ")
_LONGEST = 1 << 16
"""Bytes of an input: enough for whatever grows with its length."""


# Reading


@dataclass(frozen=True)
class Told:
    """What has become of an input."""

    kind: str
    """`read`, `refused`, or `failed`."""
    words: str = ""
    """Of a refusal, or what came out instead of one."""
    memory: int = 0
    """Bytes that the process has afterwards."""


class Reader:
    """The process that reads; one that is killed by an input is followed by another."""

    def __init__(self, seconds: float = SECONDS, megabytes: int = MEGABYTES) -> None:
        program = str(Path(__file__).with_name("hostile_reader.py"))
        self._command = [sys.executable, program, f"--seconds={seconds}", f"--megabytes={megabytes}"]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.communicate()
        self._errors.close()

    def read(self, surface: str, data: bytes) -> Told:
        """Gives an input to the process and waits for what becomes of it."""
        process = self._process
        if process is None:
            process = self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
            )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(_HEAD.pack(len(surface), len(data)) + surface.encode() + data)
            process.stdin.flush()
            head = process.stdout.read(_ANSWER.size)
        except BrokenPipeError:
            head = b""
        if len(head) < _ANSWER.size:
            self._process = None
            process.stdout.close()
            process.wait()
            self._errors.seek(0)
            last = self._errors.read()[-2000:].decode(errors="replace")
            self._errors.seek(0)
            self._errors.truncate()
            return Told("failed", f"the process ended with {process.returncode}: {last}")
        size, memory = _ANSWER.unpack(head)
        told = process.stdout.read(size).decode("utf-8", errors="replace")
        kind = {"+": "read", "-": "refused", "!": "failed"}[told[0]]
        if kind == "failed":
            # What it has taken, or left behind, is nothing to go on with.
            self._process = None
            process.communicate()
        return Told(kind, told[1:], memory)

    def read_many(self, surface: str, seed: str, numbers: range) -> Told:
        """Lets the process make and read the inputs of these numbers; the words are how many were read.

        Where it failed, the words begin with the number.
        """
        told = self.read("many", json.dumps([surface, seed, numbers.start, numbers.stop]).encode())
        if told.kind != "failed" or told.words.startswith("number "):
            return told
        for number in numbers:
            # It was killed: by which of them?
            one = self.read(surface, numbered(surface, seed, number))
            if one.kind == "failed":
                return Told("failed", f"number {number}: {one.words}")
        return told


# Doing harm

_NUMBERS = (b"0", b"-1", b"1e999", b"nan", b"-0.0", b"9" * 30, b"1" * 5000, b"2147483648", b"0.5", b"1e-320")
_BYTES = (
    *(b"\x00", b"\xff", b"\n", b"\r\n", b"\t", b" ", b'"', b"\\", b"'", b"\xef\xbb\xbf", b"\xe2\x80\xae"),
    *(b"\xed\x9f\xbf", b"\x1b[2J", b"%s", b"{}", b"../../x", b"x" * 300),
)
_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        0.5,
        10**30,
        -(10**18),
        1e308,
        float("inf"),
        float("nan"),
        "",
        "a1",
        "x" * 300,
    ),
    *("\x00", "\ud800", "\x1b[2J", [], {}, [[]], [None], {"": None}, [0] * 300, "0", "1e999", "inf"),
)


def _scramble(rng: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """A well-formed input after some edits of its bytes."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 4, 6))):
        at = rng.randint(0, len(data))
        end = min(len(data), at + rng.choice((0, 0, 1, 2, 5, 40)))
        what = rng.randint(0, 9)
        if what <= 3:
            data[at:end] = rng.choice(words)
        elif what == 4:
            data[at:end] = rng.choice(_BYTES)
        elif what == 5:
            data[at:end] = rng.choice(_NUMBERS)
        elif what == 6:
            data[at:at] = data[at:end] * rng.choice((1, 2, 3, 50))
        elif what == 7:
            other = rng.choice(seeds)
            start = rng.randint(0, len(other))
            data[at:end] = other[start : start + rng.choice((1, 10, 100))]
        elif what == 8:
            del data[at:end]
        elif rng.randint(0, 9) == 0:
            data[at:at] = rng.choice((*words, *_BYTES)) * rng.choice((100, 2000, 20000))
    return bytes(data[:_LONGEST])


def _numbered(rng: Random, value: Any, depth: int = 0) -> Any:
    """A JSON value in which something somewhere is something else."""
    if depth > 8 or rng.randint(0, 3) == 0 or not isinstance(value, list | dict) or not value:
        return rng.choice(_VALUES)
    if isinstance(value, list):
        at = rng.randint(0, len(value) - 1)
        change = rng.randint(0, 4)
        if change == 0:
            return value[:at] + value[at + 1 :]
        if change == 1:
            return [*value, value[at]]
        return [*value[:at], _numbered(rng, value[at], depth + 1), *value[at + 1 :]]
    key = rng.choice(list(value))
    change = rng.randint(0, 7)
    if change == 0:
        return {other: kept for other, kept in value.items() if other != key}
    if change == 1:
        return {**value, rng.choice(("x", "", "-1", "1e9", "nan", "9" * 30)): value[key]}
    return {**value, key: _numbered(rng, value[key], depth + 1)}


def _json(rng: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Lines of JSON with other values in them, or after edits of their bytes."""
    if rng.randint(0, 2) == 0:
        return _scramble(
            rng, seeds, (*words, b"[" * 3000, b'{"a":' * 3000, b"null", b"Infinity", b"[", b"]", b"{", b",")
        )
    lines = [json.loads(line) for line in _json_texts(rng.choice(seeds))]
    at = rng.randint(0, len(lines) - 1)
    lines[at] = _numbered(rng, lines[at])
    if rng.randint(0, 5) == 0:
        lines.insert(rng.randint(0, len(lines)), lines[at])
    text = "".join(json.dumps(line) + "\n" for line in lines)
    return text.encode("utf-8", errors="replace")[:_LONGEST]


def _json_texts(seed: bytes) -> list[bytes]:
    """The JSON values of a seed: lines, or the whole."""
    return [seed] if seed.startswith(b"{\n") else seed.splitlines()


_TABLES = {
    "matches": (
        *("identity", "game", "a", "b", "seed", "openings", "play_version", "package_version", "machine"),
        *("created", "fingerprint", "set_aside", "contents", "number"),
    ),
    "games": (
        *("match", '"index"', "first", "winner", "score", "kind", "moves", "length", "seconds", "note"),
        *("used_a", "used_b", "place"),
    ),
    "series": ("identity", "kind", "facts", "play_version", "package_version", "machine", "created"),
    "results": ("series", '"index"', "value"),
    "places": ("number", "machine", "load"),
}
_CELLS: tuple[Any, ...] = (
    *(
        None,
        0,
        -1,
        2**62,
        -(2**63),
        1.5,
        float("inf"),
        "",
        "x",
        "[]",
        "[1]",
        "[1,2,3]",
        "[1,2,3,4]",
        "{}",
        "null",
    ),
    *(
        "[" * 3000,
        '"a"',
        "1e999",
        b"",
        b"\x00\xff",
        "x" * 100_000,
        "[null,null,null]",
        '{"a":[1]}',
        "python(1)",
    ),
)
_ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
_HUGE = "hex(zeroblob(400000000))"
_LAWS = (
    ("CREATE VIEW v AS SELECT 1",),
    ("DROP TABLE {table}",),
    ("ALTER TABLE {table} DROP COLUMN {column}",),
    ("ALTER TABLE {table} RENAME TO other",),
    (f"ALTER TABLE {{table}} ADD COLUMN more GENERATED ALWAYS AS ({_HUGE})",),
    ("CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM games; END",),
    ("PRAGMA user_version = {number}",),
    ("PRAGMA application_id = {number}",),
    ("DELETE FROM {table}",),
    ("CREATE TABLE more (a, b)",),
    (
        "ALTER TABLE {table} RENAME TO old",
        f"CREATE VIEW {{table}} AS {_ENDLESS} SELECT x AS number, x AS identity, x AS game FROM c",
    ),
    (
        "ALTER TABLE {table} RENAME TO old",
        f"CREATE VIEW {{table}} AS SELECT *, {_HUGE} AS more FROM old",
    ),
    (
        f"UPDATE sqlite_master SET sql = 'CREATE INDEX games_score ON games ({_HUGE})'"
        " WHERE name = 'games_score'",
    ),
    ("UPDATE sqlite_master SET sql = replace(sql, '{column}', 'x') WHERE name = '{table}'",),
    ("UPDATE sqlite_master SET rootpage = {number} WHERE name = '{table}'",),
)


def _stores(rng: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """A store with strange contents, strange tables, or damage to its pages."""
    data, kind = seeds[0], rng.randint(0, 3)
    if kind:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.deserialize(data)
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute("PRAGMA writable_schema = ON")
            for _ in range(rng.randint(1, 3)):
                # Some files do not take some changes.
                with suppress(sqlite3.Error):
                    (_put_a_cell if kind < 3 else _make_a_law)(rng, connection)
            data = connection.serialize()
    return _broken(rng, data) if kind <= 1 else data


def _put_a_cell(rng: Random, connection: sqlite3.Connection) -> None:
    """Puts anything into a cell of a table."""
    table = rng.choice(list(_TABLES))
    column = rng.choice(_TABLES[table])
    key = '"index"' if table in ("games", "results") else "number"
    where = f"{key} = (SELECT {rng.choice(('min', 'max'))}({key}) FROM {table})"
    connection.execute(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {where}", (rng.choice(_CELLS),))


def _make_a_law(rng: Random, connection: sqlite3.Connection) -> None:
    """Changes what the file consists of."""
    table = rng.choice(list(_TABLES))
    column = rng.choice(_TABLES[table])
    number = rng.choice((0, 1, 2, 3, 4, 5, 6, -1, 2**31 - 1))
    for law in rng.choice(_LAWS):
        connection.execute(law.format(table=table, column=column, number=number))


def _broken(rng: Random, data: bytes) -> bytes:
    """A file of which some bytes are others, or the end is missing."""
    broken = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randint(0, max(0, len(broken) - 1))
        if rng.randint(0, 5) == 0:
            del broken[at:]
        else:
            broken[at : at + 1] = bytes([rng.randint(0, 255)])
    return bytes(broken)


@dataclass(frozen=True)
class _Surface:
    seeds: Callable[[], Sequence[bytes]]
    harm: Callable[[Random, Sequence[bytes], Sequence[bytes]], bytes]
    words: Sequence[bytes] = ()
    share: int = 10
    """Of a hundred inputs: those that are slow to read get fewer."""


def _split(text: str) -> tuple[bytes, ...]:
    return tuple(word.encode() for word in text.split())


_IN_SPECS = _split(
    "( ) , = + _ - . 1 size simulations memory havannah misere mr_jack hex nogo mcts uct strong random gtp"
    " python"
    " playout= selection= mast ppr none true weights= class= rules= command= threads level nested( misere("
)

SURFACES: dict[str, _Surface] = {
    "record": _Surface(
        records,
        _scramble,
        (
            *_split("( ) ; [ ] \\ : B[ W[ C[ XA[ XE[resign] XG[ SZ[ RU[LG] RE[ XP[ AB[aa] aa a1 swap resign"),
            *(b"(;", b"\n1 ", b"\n2 a1\n", b"\n| ", b"\n= ", b"\n@ ", b"game: ", b"(;B["),
            *(b"python(", b'gtp("x")'),
        ),
    ),
    "spec": _Surface(specs, _scramble, _IN_SPECS, share=20),
    "openings": _Surface(openings, _scramble, (*_split("a1 b2 c3 # none random(plies=2) swap"), b" ", b"\n")),
    "results": _Surface(
        results, _json, (b'"games"', b'"values"', b'"spelling"', b'"stale"', b".", b"=", b":")
    ),
    "export": _Surface(
        exports, _scramble, (*_split("# 0 1 a b first second - 0.5 match: seed:"), b"\t", b"\\")
    ),
    "store": _Surface(lambda: [store()], _stores, share=4),
    "book": _Surface(books, _json, (b'"line"', b'"moves"', b"b2 a1", b'"walk"', b"\n", *_IN_SPECS)),
    "weights": _Surface(weights, _json, (b'"weights"', b"[1, 1, 1, 1]", b":", b'"havannah"'), share=6),
    "gtp": _Surface(
        gtp,
        _scramble,
        (
            *_split("play genmove white black w b a1 b2 c3 swap resign undo boardsize komi time_left"),
            *_split("time_settings params playgame lz-analyze analyze interval showboard 10 -m -g -i"),
            *_split("list_commands final_score # havannah(size=3) uct(simulations=2) reg_genmove quit"),
            *(b" ", b"\n", b"nested(level=9)"),
        ),
    ),
    "json_lines": _Surface(requests, _json, (b'"game"', b'"moves"', b'"limit"', b'"position"', *_IN_SPECS)),
}
"""What strangers' files come in by."""


TRAPS: dict[str, _Surface] = {
    "burn": _Surface(lambda: [b"", b"", b"now"], lambda rng, seeds, words: rng.choice(seeds)),
    "hoard": _Surface(lambda: [b"1", b"1", b"128"], lambda rng, seeds, words: rng.choice(seeds)),
}
"""Surfaces that take all time and memory for some inputs, to test the bounds with."""


def hostile(surface: str, rng: Random) -> bytes:
    """An input of a surface that somebody has meddled with."""
    found = (SURFACES | TRAPS)[surface]
    return found.harm(rng, found.seeds(), found.words)


def numbered(surface: str, seed: str, number: int) -> bytes:
    """One of the inputs that a seed gives."""
    return hostile(surface, Random(f"{seed} {surface} {number}"))


def corpus(surface: str) -> list[Path]:
    """The inputs of a surface that once came out as anything but an answer."""
    return sorted(path for path in (CORPUS / surface).glob("*") if path.is_file())
