"""A process that reads files of strangers, one after the other, under bounds of time and memory.

It takes the name of a surface and the bytes of an input, and answers what has become of it: it was read, it
was refused in words, or something came out that is no answer to a stranger. An input that takes more CPU time
than `--seconds` kills the process by SIGPROF, whatever code is running; memory beyond `--megabytes` on top of
what the process has when it is ready cannot be had.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import signal
import struct
import sys
import tempfile
import traceback
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from typing import BinaryIO, cast

from hostile import numbered

from coppice import _core
from coppice.core.catalogue import Family
from coppice.core.guests import NOBODY
from coppice.core.player import Player, Thinking
from coppice.core.report import Limit, Report
from coppice.core.session import Game, State
from coppice.core.spec import Spec
from coppice.core.spelling import upgrade
from coppice.lab.exports import export, parse_exports
from coppice.lab.match import Match, Openings
from coppice.lab.store import GameRecord, Place, Store, StoredMatch
from coppice.papers.result_lines import merge_lines, read_lines, write_lines
from coppice.play.book import Book
from coppice.protocols.analysis_lines import answer
from coppice.protocols.gtp import Server
from coppice.protocols.line_reader import Lines, Stream
from coppice.records.files import check_record, read_records, write_records
from coppice.records.sgf_syntax import decode

__all__ = ["READERS"]

LONGEST_REFUSAL = 5000
"""Characters, and twice as many as the input has: nothing grows on its way to the person."""
_HEAD = struct.Struct("<II")
_USED = Path("/proc/self/statm")
"""Where Linux tells the pages of a process."""
_LEAST = Limit(simulations=3, cpu_seconds=0.05)
"""Of every search here: how long one may take is the asker's to say, and no matter of reading."""


def read_record(data: bytes, folder: Path) -> None:
    """What `coppice convert` does with a record; what plain text says of it reads back as the same."""
    for record in read_records(decode(data), game="nogo"):
        if not Game(record.game).hidden:
            check_record(record)
        again = read_records(write_records([record], "text"), format="text")
        assert again == [record], "plain text is another record"


def read_spec(data: bytes, folder: Path) -> None:
    """A spec from elsewhere: read by the core and by the door, and built if it may come in."""
    text = data.decode("utf-8", errors="replace")
    refusals = []
    families: tuple[Family, ...] = ("game", "player", "openings", "playout")
    for family in families:
        try:
            _spec(family, text)
        except ValueError as error:
            if type(error) not in _own(error):
                raise
            refusals.append(error)
    if len(refusals) == 4:
        raise refusals[0]


def _spec(family: Family, text: str) -> None:
    Spec.parsed(text)
    canonical = _core.canonical(family, text)
    assert _core.canonical(family, canonical) == canonical, "a canonical spec is not its own"
    if family in ("game", "player"):
        upgrade("game" if family == "game" else "player", text)
    NOBODY.admit(text, family)
    if family == "game":
        game = Game(text)
        game.board()
        assert game.start().legal_moves, "a game begins with a move"
    elif family == "player":
        Player(text).check(Game("havannah(size=3)"))


def read_openings(data: bytes, folder: Path) -> None:
    """A file of openings, and games that begin with them."""
    path = folder / "openings.txt"
    path.write_bytes(data)
    Match("tic_tac_toe", "random", "random", openings=Openings.of(path)).play(4, threads=1, store=None)


def read_results(data: bytes, folder: Path) -> None:
    """A file of results, read, joined with itself and written as `coppice merge` does."""
    path, other = folder / "results.jsonl", folder / "merged.jsonl"
    path.write_bytes(data)
    lines = read_lines(path)
    merged = merge_lines(lines, lines)
    write_lines(other, merged)
    assert len(read_lines(other)) == len(merged), "a line was lost on the way"


def read_export(data: bytes, folder: Path) -> None:
    """The export of a store as text."""
    parse_exports(StringIO(data.decode("utf-8", errors="replace"), newline="\n"))


def read_store(data: bytes, folder: Path) -> None:
    """A store: everything in it is read, and a game is added."""
    path = folder / "games.db"
    for ending in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    path.write_bytes(data)
    with Store(path, read_only=True) as store:
        matches = store.matches()
        for match in matches:
            store.score(match.identity)
            store.missing(match.identity, 50)
            store.used(match.identity)
            store.mean_seconds(match.identity)
            list(store.records(match.identity))
        for _ in export(store, matches, format="jsonl", times=True):
            pass
        for series in store.series():
            store.results(series.identity)
    with Store(path) as store:
        identity = "0" * 32
        store.register(StoredMatch(identity, "toy", "a", "b", 0, "none", "v"))
        record = GameRecord(10**6, "a", None, 0.5, "draw", "a1", 1, 0.1, place=Place("here", 0.5))
        store.add(identity, [record])
        assert record in list(store.records(identity)), "an added game is not there"


def read_book(data: bytes, folder: Path) -> None:
    """An opening book: read, asked and told."""
    path = folder / "book.jsonl"
    path.write_bytes(data)
    book = Book.read(path)
    book.head()
    for entry in book.entries:
        book.find(book.game.start().play(*entry.line))


def read_weights(data: bytes, folder: Path) -> None:
    """Weights of patterns, and a search with them."""
    path = folder / "weights.json"
    path.write_bytes(data)
    player = f'mcts(simulations=3, memory=1048576, playout=patterns(weights="{path}"))'
    Player(player).search(Game("havannah(size=3)").start())


def read_gtp(data: bytes, folder: Path) -> None:
    """A stream of GTP: every answer has the form of one."""
    server = Server("havannah(size=3)", "uct(simulations=2, memory=1048576)")
    lines = Lines(cast(Stream, BytesIO(data)))
    while (line := lines.next()) is not None and not server.over:
        told = server.respond(line)
        assert told == "" or re.fullmatch(r"(=|\?)[^\n]*\n([^\n]+\n)*\n", told), f"no answer of GTP: {told!r}"


def read_json_lines(data: bytes, folder: Path) -> None:
    """Requests for analyses, a line each: every answer is a line of JSON."""
    lines, number = Lines(cast(Stream, BytesIO(data))), 0
    while (line := lines.next()) is not None:
        number += 1
        if line.strip():
            told = json.loads(json.dumps(answer(number, line), ensure_ascii=False))
            assert isinstance(told, dict)
            assert "error" not in told or told["line"] == number


def burn(data: bytes, folder: Path) -> None:
    """Takes time without end if its input says so."""
    while data == b"now":
        pass


def hoard(data: bytes, folder: Path) -> None:
    """Takes as many megabytes as its input says."""
    # Filled, since some systems give what nobody writes to for nothing.
    assert b"x" * (int(data) << 20)


def trip(data: bytes, folder: Path) -> None:
    """Fails in a way that is no answer."""
    raise KeyError(data)


READERS: dict[str, Callable[[bytes, Path], None]] = {
    "record": read_record,
    "spec": read_spec,
    "openings": read_openings,
    "results": read_results,
    "export": read_export,
    "store": read_store,
    "book": read_book,
    "weights": read_weights,
    "gtp": read_gtp,
    "json_lines": read_json_lines,
    "burn": burn,
    "hoard": hoard,
    "trip": trip,
}


def _own(error: BaseException) -> tuple[type, ...]:
    """The types in which the project refuses: plain ValueErrors, and its own kinds of them."""
    kind = type(error)
    ours = kind.__module__.partition(".")[0] in ("coppice", "_core")
    return (ValueError, kind) if ours and isinstance(error, ValueError) else (ValueError,)


def attempt(surface: str, data: bytes, folder: Path) -> bytes:
    """What has become of an input: `+`, `-` and the words of a refusal, or `!` and a traceback."""
    try:
        READERS[surface](data, folder)
    except ValueError as error:
        told = str(error)
        if type(error) in _own(error) and 0 < len(told) <= LONGEST_REFUSAL + 2 * len(data):
            return b"-" + told.encode("utf-8", errors="replace")
        return b"!" + traceback.format_exc(limit=-4)[-4000:].encode("utf-8", errors="replace")
    except BaseException:
        return b"!" + traceback.format_exc(limit=-4)[-4000:].encode("utf-8", errors="replace")
    return b"+"


def _patient_search(player: Player, state: State, limit: Limit | None = None, *, seed: int = 0) -> Report:
    return Report.of(state._session.search(player._player, seed=seed, **_LEAST.arguments()))


def _patient_run(thinking: Thinking, limit: Limit | None = None) -> Report:
    thinking._search.run(**_LEAST.arguments())
    return thinking.report()


def _peak() -> int:
    """Bytes at the highest so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _exactly(file: BinaryIO, size: int) -> bytes:
    found = file.read(size)
    return found if len(found) == size else b""


def main() -> None:
    """Answers inputs until there are no more."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--megabytes", type=int, required=True)
    bounds = parser.parse_args()
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What is read may print: that is no answer.
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0)
    os.dup2(quiet, 1)
    setattr(Player, "search", _patient_search)  # noqa: B010
    setattr(Thinking, "run", _patient_run)  # noqa: B010
    setattr(Thinking, "start", _patient_run)  # noqa: B010
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=shared) as name, contextlib.suppress(BrokenPipeError):
        Match("tic_tac_toe", "random", "random").play(2, threads=1, store=None)
        ready = _peak()
        if sys.platform == "linux":
            pages = int(_USED.read_text(encoding="ascii").split()[0])
            most = pages * resource.getpagesize() + (bounds.megabytes << 20)
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        most_bytes = ready + (bounds.megabytes << 20)

        def bounded(surface: str, data: bytes) -> bytes:
            signal.setitimer(signal.ITIMER_PROF, bounds.seconds)
            told = attempt(surface, data, Path(name))
            signal.setitimer(signal.ITIMER_PROF, 0)
            # Where the system sets no bound to memory, this tells; on Linux it cannot happen.
            return told if _peak() <= most_bytes else b"!MemoryError: more than may be had"

        while head := _exactly(asked, _HEAD.size):
            name_size, size = _HEAD.unpack(head)
            surface = _exactly(asked, name_size).decode()
            data = _exactly(asked, size) if size else b""
            told = _many(bounded, data) if surface == "many" else bounded(surface, data)
            answers.write(struct.pack("<IQ", len(told), _current()) + told)
            answers.flush()


def _many(bounded: Callable[[str, bytes], bytes], asked: bytes) -> bytes:
    """What becomes of inputs that are made here: how many were read, or the first that failed."""
    surface, seed, start, stop = json.loads(asked)
    found = 0
    for number in range(start, stop):
        told = bounded(surface, numbered(surface, seed, number))
        if told.startswith(b"!"):
            return f"!number {number}: ".encode() + told[1:]
        found += told == b"+"
    return f"+{found}".encode()


def _current() -> int:
    """Bytes in use now; the highest so far where the system does not tell."""
    if not _USED.exists():
        return _peak()
    return int(_USED.read_text(encoding="ascii").split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    main()
