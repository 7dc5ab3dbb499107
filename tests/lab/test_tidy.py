"""Tidy data: rows per game, pair and match; frames, CSV and Parquet; every column documented."""

from __future__ import annotations

import ast
import contextlib
import csv
import inspect
import itertools
import sqlite3
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow.parquet
import pytest

from coppice.lab import frames, tidy
from coppice.lab.frames import (
    Repeated,
    Words,
    columns_of,
    frame_of,
    kinds_of,
    whole,
    write_csv,
    write_parquet,
)
from coppice.lab.match import Match
from coppice.lab.stats import Score
from coppice.lab.store import _APPLICATION, _CHANGES, GameRecord, Store, Used
from coppice.lab.study_result import StudyRecord
from coppice.lab.tidy import TidyGame, TidyMatch, TidyPair

GAME = "tic_tac_toe"
MATCH = Match(GAME, "uct(simulations=8)", "random", seed=3)
OTHER = Match("havannah(size=3)", "random", "random", openings="random(plies=2)")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two matches, one with a game that has no partner."""
    path = tmp_path_factory.mktemp("tidy") / "s.db"
    MATCH.play(21, store=path)
    OTHER.play(4, store=path)
    return path


def test_records_of_games_are_those_of_the_store(path: Path) -> None:
    rows = MATCH.records(path)
    with Store(path) as store:
        kept = list(store.records(MATCH.identity))
    assert len(rows) == 21
    for row, record in zip(rows, kept, strict=True):
        assert isinstance(row, TidyGame)
        assert (row.index, row.pair) == (record.index, record.index // 2)
        assert (row.side_a == "first") == (record.first == "a")
        told = (row.score, row.winner, row.kind, row.length, row.seconds, row.moves)
        kept_as = (record.score, record.winner, record.kind, record.length, record.seconds, record.moves)
        assert told == kept_as
        assert record.used_a is not None
        assert (row.decisions_a, row.simulations_a, row.states_a) == (
            *(record.used_a.decisions, record.used_a.simulations, record.used_a.states),
        )
        assert type(row.states_b) is int
        assert record.place is not None
        assert (row.machine, row.load) == (record.place.machine, record.place.load)
        assert (row.a, row.b, row.game, row.seed) == ("uct(simulations=8)", "random", GAME, 3)
        assert (row.a_spec, row.b_spec, row.match) == (MATCH.a, MATCH.b, MATCH.identity)
    assert MATCH.records(path, moves=False)[0] == replace(rows[0], moves=None)


def test_records_of_pairs_are_the_complete_ones(path: Path) -> None:
    games, pairs = MATCH.records(path), MATCH.records(path, "pair")
    assert [pair.pair for pair in pairs] == list(range(10))
    counted = dict.fromkeys(("ww", "wd", "wl", "dd", "ld", "ll"), 0)
    for pair in pairs:
        assert isinstance(pair, TidyPair)
        one, two = games[2 * pair.pair], games[2 * pair.pair + 1]
        assert (pair.score_first, pair.score_second) == (one.score, two.score)
        assert pair.points == one.score + two.score
        assert (pair.length_first, pair.length_second) == (one.length, two.length)
        assert pair.seconds == pytest.approx(one.seconds + two.seconds)
        counted[pair.ending] += 1
    with Store(path) as store:
        found = store.score(MATCH.identity).pairs
    assert counted == {name: getattr(found, name) for name in counted}


def test_the_record_of_a_match_has_the_numbers_of_its_score(path: Path) -> None:
    [row] = MATCH.records(path, "match")
    assert isinstance(row, TidyMatch)
    with Store(path) as store:
        score = store.score(MATCH.identity)
    plain = score.row()
    assert (row.games, row.wins, row.draws, row.losses) == (21, score.wins, score.draws, score.losses)
    assert (row.score, row.low, row.high, row.elo) == (plain.rate, plain.low, plain.high, plain.elo)
    assert plain.second is not None
    assert (row.games_second, row.score_second, row.low_second) == (
        *(plain.second.games, plain.second.rate, plain.second.low),
    )
    assert (
        row.pairs
        == 10
        == row.pairs_ww + row.pairs_wd + row.pairs_wl + row.pairs_dd + row.pairs_ld + row.pairs_ll
    )
    assert Match(GAME, "random", "random").records(path) == []


def test_the_database_counts_as_the_tally_does(path: Path) -> None:
    with Store(path) as store:
        counted = store.scores()
        assert list(counted) == [match.identity for match in store.matches()]
        for identity, score in counted.items():
            one_by_one = store.score(identity)
            assert (score, score.by_side) == (one_by_one, one_by_one.by_side)
        [first, _] = store.matches()
        assert store.scores([first]) == {first.identity: counted[first.identity]}


def test_a_match_without_games_is_a_row_with_nothing_in_it(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        store.register(MATCH.row)
        assert store.scores() == {MATCH.identity: Score()}
        [row] = tidy.records(store, store.matches(), "match")
        assert (row.games, row.score, row.low, row.high) == (0, None, 0.0, 1.0)
        assert len(store.frame("game", library="pandas")) == 0
        assert list(store.frame("game", library="columns")) == list(kinds_of(TidyGame))


@pytest.mark.parametrize("per", ["game", "pair", "match"])
def test_frames_have_the_records_in_their_rows(per: tidy.Per, path: Path) -> None:
    with Store(path) as store:
        records = list(tidy.records(store, store.matches(), per, moves=True))
        plain = store.frame(per, moves=True, library="columns")
        pandas_frame = store.frame(per, moves=True, library="pandas")
        polars_frame = store.frame(per, moves=True, library="polars")
    names = list(kinds_of(tidy.record_of(per)))
    assert list(plain) == list(pandas_frame.columns) == polars_frame.columns == names
    for name in names:
        expected = [getattr(record, name) for record in records]
        assert plain[name] == expected, name
        assert polars_frame[name].to_list() == expected, name
        column = pandas_frame[name].astype(object)
        assert [None if pandas.isna(value) else value for value in column] == expected, name


def test_a_frame_is_of_the_library_that_is_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(path) as store:
        assert isinstance(store.frame("match"), pandas.DataFrame)
        monkeypatch.setattr(frames, "_there", lambda library: library == "polars")
        assert isinstance(store.frame("match"), polars.DataFrame)
        [only] = [match for match in store.matches() if match.identity == OTHER.identity]
        assert store.frame("game", matches=[only], library="columns")["openings"] == ["random(plies=2)"] * 4
        monkeypatch.setitem(__import__("sys").modules, "pandas", None)
        with pytest.raises(
            ValueError, match=r"a data frame needs pandas: pip install 'coppice-mcts\[frames\]'"
        ):
            store.frame("match", library="pandas")
        with pytest.raises(ValueError, match="unknown library 'arrow': allowed are pandas, polars, columns"):
            store.frame("match", library="arrow")
        with pytest.raises(ValueError, match="rows per 'move' are not allowed: game, pair, match"):
            store.frame("move")  # type: ignore[arg-type]


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("per", ["game", "pair", "match"])
def test_files_read_back(per: tidy.Per, path: Path, tmp_path: Path) -> None:
    record = tidy.record_of(per)
    with Store(path) as store:
        records = list(tidy.records(store, store.matches(), per, moves=True))
        told = [
            write(tmp_path / name, record, tidy.blocks(store, store.matches(), per, moves=True))
            for name, write in (("f.csv", write_csv), ("f.parquet", write_parquet))
        ]
    assert told == [len(records)] * 2
    rows = read(tmp_path / "f.csv")
    table = pyarrow.parquet.read_table(tmp_path / "f.parquet").to_pylist()
    for record_found, row, typed in zip(records, rows, table, strict=True):
        for name in kinds_of(record):
            value = getattr(record_found, name)
            assert typed[name] == value
            assert row[name] == ("" if value is None else str(value))


def test_games_of_an_earlier_version_have_nothing_where_nothing_was_counted(tmp_path: Path) -> None:
    record = GameRecord(0, "a", "first", 1.0, "line", "b2", 1, 0.5, used_b=None)
    counted = GameRecord(1, "b", None, 0.5, "draw", "b2 a1", 2, 0.5, "why", Used(1, 8, 9), Used(1, 2, 3))
    path = tmp_path / "s.db"
    with Store(path) as store:
        store.register(MATCH.row)
        store.add(MATCH.identity, [record, counted])
        one, two = tidy.records(store, store.matches())
        assert (one.states_a, one.machine, one.load, one.moves) == (None, "", None, None)
        assert (two.simulations_a, two.states_b, two.forfeit, two.winner) == (8, 3, "why", None)
        assert store.frame(library="polars")["states_a"].to_list()[1] == 9
    older = tmp_path / "older.db"
    with contextlib.closing(sqlite3.connect(older)) as connection:
        # As version 3 of the format would have kept them.
        for change in _CHANGES[:3]:
            connection.executescript(change)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute("PRAGMA user_version = 3")
        connection.execute("ATTACH ? AS newer", (str(path),))
        for table in ("matches", "games"):
            names = ", ".join(
                f'"{name}"' for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")
            )
            connection.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM newer.{table}")
        connection.commit()
    with Store(older, read_only=True) as store:
        one, two = tidy.records(store, store.matches())
        assert (two.simulations_a, two.machine, two.kind) == (None, "", "draw")


def test_columns_of_few_texts_and_of_one() -> None:
    words = Words([0, -1, 1], ["x", "y"])
    assert list(words) == ["x", None, "y"]
    assert words[1:] == [None, "y"]
    same = Repeated("z", 3)
    assert list(same) == same[:] == ["z"] * 3
    assert (same[1], len(same)) == ("z", 3)
    block = columns_of(TidyPair, [])
    assert frame_of(whole([block], TidyPair), "polars").height == 0


@pytest.mark.parametrize("record", [TidyGame, TidyPair, TidyMatch, StudyRecord])
def test_every_column_is_documented_where_it_is_declared(record: type) -> None:
    [body] = [
        node.body
        for node in ast.walk(ast.parse(inspect.getsource(record)))
        if isinstance(node, ast.ClassDef) and node.name == record.__name__
    ]
    told: dict[str, Any] = {}
    for one, two in itertools.pairwise(body):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            assert isinstance(two, ast.Expr), one.target.id
            told[one.target.id] = ast.literal_eval(two.value)
    assert list(told) == [field.name for field in fields(record)]
    for name, text in told.items():
        assert text[0].isupper() or text[0] == "`", name
        assert text.endswith("."), name
