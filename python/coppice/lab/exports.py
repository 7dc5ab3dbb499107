"""Exports: the games of matches as text that reads back, as CSV and as JSON lines; a row names its match."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple
from typing import Any, Literal, TypeVar, get_args

from coppice.core.quoting import shown
from coppice.lab.store import GameRecord, Store, StoredMatch, Used

__all__ = ["FORMATS", "Format", "export", "parse_export", "parse_exports"]

Format = Literal["text", "csv", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)

_Value = TypeVar("_Value")
_TITLE = "# coppice records, version 2"
_TITLE_OF_ONE = "# coppice records, version 1"
"""The format for a single match, whose rows do not name it."""
_HEADER = ("identity", "game", "a", "b", "seed", "openings", "play_version")
_COLUMNS = ["index", "first", "winner", "score", "kind", "length", "moves", "note"]
_USED = [f"{what}_{who}" for who in "ab" for what in ("decisions", "simulations", "states")]
"""What the players used, in the formats that are tables; empty, or null, where it is not known."""
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def export(
    store: Store, matches: Sequence[StoredMatch], *, format: Format = "text", times: bool = False
) -> Iterator[str]:
    """The games of these matches as lines, each with its line end: match after match, in index order.

    The lines depend on the matches and their games alone, byte for byte; `times` adds the one column that
    does not repeat, the seconds. `parse_exports` reads the format `text` back.
    """
    rows = ((match, record) for match in matches for record in store.records(match.identity))
    if format == "text":
        return _text(matches, rows, times)
    plain = (_row(match, record, times) for match, record in rows)
    if format == "csv":
        return _csv(plain, ["match", *_HEADER[1:], *_COLUMNS, *_USED, *(["seconds"] if times else [])])
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in plain)


def _text(
    matches: Sequence[StoredMatch], rows: Iterable[tuple[StoredMatch, GameRecord]], times: bool
) -> Iterator[str]:
    yield f"{_TITLE}\n"
    for match in matches:
        for name in _HEADER:
            yield f"# {name}: {_escape(str(getattr(match, name)))}\n"
    yield "\t".join(_text_columns(times)) + "\n"
    for match, record in rows:
        fields = [
            *(str(record.index), record.first, record.winner or "-", f"{record.score:g}"),
            *(_escape(text) for text in (record.kind, str(record.length), record.moves, record.note)),
        ]
        if times:
            fields.append(repr(record.seconds))
        yield "\t".join([*fields, match.identity]) + "\n"


def _text_columns(times: bool) -> list[str]:
    return [*_COLUMNS, *(["seconds"] if times else []), "match"]


def _row(match: StoredMatch, record: GameRecord, times: bool) -> dict[str, Any]:
    """A game with all that is known of its match."""
    used = [*_numbers(record.used_a), *_numbers(record.used_b)]
    return {
        "match": match.identity,
        **{name: getattr(match, name) for name in _HEADER[1:]},
        **{name: getattr(record, name) for name in _COLUMNS},
        **dict(zip(_USED, used, strict=True)),
        **({"seconds": record.seconds} if times else {}),
    }


def _numbers(used: Used | None) -> tuple[int | None, ...]:
    return (None, None, None) if used is None else astuple(used)


def _csv(rows: Iterable[dict[str, Any]], columns: list[str]) -> Iterator[str]:
    line = io.StringIO()
    writer = csv.DictWriter(line, columns, lineterminator="\n")
    writer.writeheader()
    yield line.getvalue()
    for row in rows:
        line.seek(0)
        line.truncate()
        writer.writerow({**row, "winner": row["winner"] or "draw"})
        yield line.getvalue()


# Reading back


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)


def _unescape(text: str) -> str:
    back = {code[1]: character for character, code in _ESCAPES.items()}
    pieces = iter(text)
    return "".join(back[next(pieces)] if piece == "\\" else piece for piece in pieces)


def parse_export(lines: Iterable[str]) -> tuple[StoredMatch, list[GameRecord]]:
    """Read back the export of one match; seconds are 0 where they were left out. It has not what was used."""
    found = parse_exports(lines)
    if len(found) != 1:
        raise ValueError(f"expected one match, found {len(found)}: parse_exports reads them all")
    return found[0]


def parse_exports(lines: Iterable[str]) -> list[tuple[StoredMatch, list[GameRecord]]]:
    """Read back what `export` wrote as text, in this version or the one before."""
    numbered = enumerate((line.rstrip("\n") for line in lines), 1)
    number, line = next(numbered, (1, ""))
    if line not in (_TITLE, _TITLE_OF_ONE):
        raise ValueError(f"line {number}: expected '{_TITLE}'")
    alone = line == _TITLE_OF_ONE
    headers: list[dict[str, str]] = []
    number, line = next(numbered, (number + 1, ""))
    while line.startswith(f"# {_HEADER[0]}: ") or (alone and not headers):
        header: dict[str, str] = {}
        for name in _HEADER:
            start = f"# {name}: "
            if not line.startswith(start):
                raise ValueError(f"line {number}: expected '{start}...'")
            header[name] = _parse_line(number, _unescape, line[len(start) :])
            if name == "seed":
                _parse_line(number, int, header[name])
            number, line = next(numbered, (number + 1, ""))
        headers.append(header)
    columns = line.split("\t")
    allowed = [_COLUMNS, [*_COLUMNS, "seconds"]] if alone else [_text_columns(False), _text_columns(True)]
    if columns not in allowed:
        raise ValueError(f"line {number}: expected the columns {', '.join(allowed[0])}")
    games: dict[str, list[GameRecord]] = {header["identity"]: [] for header in headers}
    for number, line in numbered:
        identity, record = _parse_line(number, _parse_record, line, columns)
        own = games.get(headers[0]["identity"] if alone else identity)
        if own is None:
            raise ValueError(f"line {number}: match {shown(identity)} is not among those at the top")
        own.append(record)
    return [_parse_match(header, games[header["identity"]]) for header in headers]


def _parse_match(header: dict[str, str], records: list[GameRecord]) -> tuple[StoredMatch, list[GameRecord]]:
    match = StoredMatch(
        *(header["identity"], header["game"], header["a"], header["b"]),
        seed=int(header["seed"]),
        openings=header["openings"],
        play_version=header["play_version"],
        games=len(records),
    )
    return match, records


def _parse_line(number: int, parse: Callable[..., _Value], *values: object) -> _Value:
    try:
        return parse(*values)
    except (ValueError, KeyError, StopIteration, RuntimeError, OverflowError) as error:
        raise ValueError(f"line {number}: not a line of an export ({shown(str(error), 300)})") from error


def _parse_record(line: str, columns: list[str]) -> tuple[str, GameRecord]:
    """The match that a line names, if any, and its game."""
    fields = dict(zip(columns, line.split("\t"), strict=True))
    firsts: dict[str, Literal["a", "b"]] = {"a": "a", "b": "b"}
    winners: dict[str, Literal["first", "second"] | None] = {"first": "first", "second": "second", "-": None}
    return fields.get("match", ""), GameRecord(
        index=int(fields["index"]),
        first=firsts[fields["first"]],
        winner=winners[fields["winner"]],
        score=float(fields["score"]),
        kind=_unescape(fields["kind"]),
        moves=_unescape(fields["moves"]),
        length=int(fields["length"]),
        seconds=float(fields.get("seconds", "0")),
        note=_unescape(fields["note"]),
    )
