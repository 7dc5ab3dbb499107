"""Files as the project writes them, of every kind that a stranger can send."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from source import ROOT

from coppice.lab.exports import export
from coppice.lab.store import GameRecord, Place, Store, StoredMatch, StoredSeries, Used

__all__ = [
    "books",
    "exports",
    "gtp",
    "openings",
    "records",
    "requests",
    "results",
    "specs",
    "store",
    "weights",
]


def records() -> list[bytes]:
    """Records in SGF, HGF and plain text."""
    return [
        b"(;FF[4]GM[1]SZ[5]XG[nogo(rows=5, columns=5)]PB[x]C[a\\]b](;B[aa]XA[3 0.5 a1];W[bb])(;B[cc]"
        b"(;W[dd];XE[resign])(;W[ee])))",
        b"(;FF[4]XG[havannah(size=4)];W[a1];B[b2]RE[B+R])\n(;FF[4]XG[tic_tac_toe];B[aa];W[bb];B[cc])",
        b"(;FF[4]EV[x]PB[b]PW[a]SZ[4]RE[B]RU[LG];W[D4];B[swap];W[A1];B[resign])",
        b"coppice record, version 1\ngame: tic_tac_toe\nfirst: a\nsecond: b\nwinner: draw\n"
        b"| c\n1 a1\n= 3 0.5 b2\n2 b2\n@ BM 1\n2 c2\n",
        b"coppice record, version 1\ngame: mr_jack\nfirst: a\nsecond: b\nwinner: unknown\n1 a\n",
        b"coppice record, version 1\ngame: misere(breakthrough(rows=5, columns=5))\nfirst: a\nsecond: b\n"
        b"winner: first\n1 a2-a3\n2 b4-b3\n",
    ]


def specs() -> list[bytes]:
    """Games, players and openings."""
    return [
        b"havannah(size=4, swap=true)",
        b"misere(nogo(rows=5, columns=5))",
        b"mr_jack",
        b"hex(size=11)",
        b"mcts(selection=rave(r=130), playout=mate+ppr(tn=0.01), simulations=100, memory=64MiB)",
        b"strong(simulations=5, threads=2)",
        b'gtp("program --option", timeout=3)',
        b'mcts(playout=patterns(weights="some.json", clip=3), prior=knowledge, tactics=solver+threats)',
        b"nested(level=2, cut_on_win=1)",
        b"random(plies=2)",
    ]


def openings() -> list[bytes]:
    """Files of openings."""
    return [b"a1 b2\nc3 # a remark\n\nb1 a2 c1\n", b"b2\n", b"a1\r\nb1\r\n"]


@cache
def results() -> list[bytes]:
    """Lines of results, of the first exports and of today."""
    found = []
    for name in ("ppr_table1", "nmcs_table3", "jack_table3"):
        lines = (ROOT / "results" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
        found += [line for line in lines if len(line) < 4000][:2]
    made = {
        "experiment": "e",
        "row": "r",
        "facts": {"kind": "match", "game": "tic_tac_toe", "a": "random", "b": "random", "seed": 0},
        "spelling": 2,
        "budgets": {"a": {"simulations": 5, "ratio": 1.5}},
        "games": {"0": "10=.1", "40": "1"},
        "prints": {"0": "0123456789ab"},
        "used": {"0": [[1, 2, 3], [4, 5, 6]]},
        "version": "1",
        "machine": "m",
        "created": "c",
    }
    series = {
        **made,
        "facts": {"kind": "search", "game": "mr_jack", "player": "random"},
        "values": {"0": [1.5, 2]},
    }
    del series["games"]
    return [*found, json.dumps(made).encode() + b"\n" + json.dumps(series).encode() + b"\n"]


_MATCH = StoredMatch(
    "0123456789abcdef" * 2, "tic_tac_toe", "random", "random", 7, "none", "v1", fingerprint={}
)


@cache
def store() -> bytes:
    """A store with a match and a series, as the bytes of its file."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "games.db")
        with Store(path) as opened:
            opened.register(_MATCH)
            used, place = Used(3, 30, 300), Place("machine", 0.5)
            opened.add(
                _MATCH.identity,
                [
                    GameRecord(0, "a", "first", 1.0, "row", "a1 b2", 2, 0.1, "", used, used, place),
                    GameRecord(1, "b", None, 0.5, "draw", "c3 b2", 2, 0.2, "note"),
                    GameRecord(2, "a", "second", 0.0, "row", "b2 a1", 2, 0.3, "", used, used, place),
                ],
            )
            opened.register_series(StoredSeries("f" * 32, "search", "{}", "v1"))
            opened.add_results("f" * 32, {0: {"value": 1.5}, 1: {"value": [1, 2]}})
            opened._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            opened._connection.execute("PRAGMA journal_mode = DELETE")
            # Small, so that damage meets something.
            opened._connection.execute("PRAGMA page_size = 512")
            opened._connection.execute("VACUUM")
        return path.read_bytes()


@cache
def exports() -> list[bytes]:
    """Exports of a store as text."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "games.db")
        path.write_bytes(store())
        with Store(path) as opened:
            return [
                "".join(export(opened, opened.matches(), times=times)).encode() for times in (False, True)
            ]


@cache
def books() -> list[bytes]:
    """Opening books."""
    head = {
        "book": 1,
        "game": "tic_tac_toe",
        "player": "uct(simulations=10)",
        "spelling": 2,
        "simulations": 10,
        "seed": 1,
        "play_version": "x",
    }
    entries = [
        {"line": "", "walk": 0, "moves": [["b2", 8, 0.75], ["a1", 2, 0.5]]},
        {"line": "b2", "walk": 1, "moves": [["a1", 9, 0.25]]},
        {"line": "b2 a1", "walk": 2, "moves": [["c3", 5, 0.6], ["a2", 4, 0.6]]},
    ]
    shipped = resources.files("coppice").joinpath("data", "book", "havannah_4.jsonl").read_bytes()
    return [
        "".join(json.dumps(line) + "\n" for line in (head, *entries)).encode(),
        b"".join(shipped.splitlines(keepends=True)[:4]),
    ]


@cache
def weights() -> list[bytes]:
    """Weights of patterns."""
    return [resources.files("coppice").joinpath("data", "patterns", "havannah.json").read_bytes()]


def gtp() -> list[bytes]:
    """Streams of GTP."""
    return [
        b"1 name\nboardsize 3\nclear_board\nplay white a1\ngenmove black\nundo\nshowboard\nquit\n",
        b"list_commands\ntime_settings 10 5 1\ntime_left white 3 1\ngenmove white\nfinal_score\n",
        b"playgame havannah(size=3)\nparams uct(simulations=2)\nlz-analyze white 10\n",
        b"lz-genmove_analyze white\n",
        b"known_command play\ntime -m 1 -g 0 -i 3\nall_legal\nloadsgf x.sgf\nplay black swap\n# remark\n",
    ]


def requests() -> list[bytes]:
    """Requests for analyses as lines of JSON."""
    requests: list[dict[str, Any]] = [
        {"id": 1, "game": "tic_tac_toe", "player": "uct(simulations=3)", "seed": 3},
        {"id": "a", "game": "havannah(size=3)", "moves": ["a1", "b2"], "limit": {"simulations": 3}},
        {"id": None, "game": "mr_jack", "moves": "", "limit": {"seconds": 0.01, "states": 5}},
        {"game": "nogo(rows=4, columns=4)", "position": "", "moves": "a1, b1", "player": "nested(level=1)"},
    ]
    return [json.dumps(request).encode() + b"\n" for request in requests]
