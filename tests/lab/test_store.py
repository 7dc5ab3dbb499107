"""Tests of the store: what it keeps, what it refuses, and how it fares with a million games."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from fake_workers import STRONG, fake_record
from hostile import corpus

from coppice.lab import store as store_module
from coppice.lab.stats import Score
from coppice.lab.store import GameRecord, Place, Store, StoredMatch, StoreError, Used

IDENTITY = "0123456789abcdef" * 2
NOBODY = 65534
MATCH = StoredMatch(IDENTITY, "toy", "strong", "weak", 7, "none", "v1")


def record(index: int) -> GameRecord:
    return GameRecord.of(fake_record(("toy", STRONG), index))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "games.db") as opened:
        opened.register(MATCH)
        yield opened


def test_records_come_back_as_they_were_in_index_order(store: Store) -> None:
    records = [record(index) for index in (5, 0, 3, 1)]
    assert store.add(IDENTITY, records) == 4
    assert list(store.records(IDENTITY)) == sorted(records, key=lambda r: r.index)
    assert [r.index for r in store.records(IDENTITY, 4)] == [0, 1, 3]
    assert store.missing(IDENTITY, 7) == [2, 4, 6]
    assert store.score(IDENTITY) == Score.of((r.index, r.score) for r in records)


def test_the_first_record_of_a_game_stands(store: Store) -> None:
    store.add(IDENTITY, [record(0)])
    assert store.add(IDENTITY, [replace(record(0), moves="other"), record(1)]) == 1
    assert list(store.records(IDENTITY)) == [record_at(store, 0), record_at(store, 1)]
    assert record_at(store, 0).moves == record(0).moves


def record_at(store: Store, index: int) -> GameRecord:
    return list(store.records(IDENTITY))[index]


def test_a_match_is_entered_once_with_its_origin(store: Store) -> None:
    first = store.register(MATCH)
    store.add(IDENTITY, [record(0)])
    again = store.register(replace(MATCH, machine="elsewhere"))
    assert again == replace(first, games=1)
    assert first.machine
    assert first.package_version
    assert first.created.endswith("+00:00")
    assert store.matches() == [again]
    assert store.find("f" * 32) is None


def test_a_match_gets_another_identity_and_play_version(store: Store) -> None:
    store.register(MATCH)
    store.add(MATCH.identity, [record(0)])
    store.rename(MATCH.identity, "1" * 32)
    store.set_play_version("1" * 32, "v2")
    assert store.find(MATCH.identity) is None
    found = store.find("1" * 32)
    assert found is not None
    assert (found.games, found.play_version) == (1, "v2")


def test_bad_rows_are_refused_whole(store: Store) -> None:
    with pytest.raises(StoreError, match="CHECK constraint failed"):
        store.add(IDENTITY, [record(0), replace(record(1), score=0.7)])
    assert list(store.records(IDENTITY)) == []
    with pytest.raises(StoreError, match="has no match ffff"):
        store.add("f" * 32, [record(0)])
    store.add(IDENTITY, [record(0)])


# What was used


def test_what_both_players_used_is_kept_and_added_up(store: Store) -> None:
    games = [
        replace(record(0), used_a=Used(3, 30, 300), used_b=Used(2, 0, 0)),
        replace(record(1), used_a=Used(4, 40, 401), used_b=Used(4, 8, 16)),
        replace(record(2), used_a=None, used_b=None),
    ]
    store.add(IDENTITY, games)
    assert list(store.records(IDENTITY)) == games
    assert store.used(IDENTITY) == (Used(7, 70, 701), Used(6, 8, 16))
    assert store.used(IDENTITY, 1) == (Used(3, 30, 300), Used(2, 0, 0))
    assert store.used(IDENTITY, 0) is None


def test_where_a_game_was_played_comes_back(tmp_path: Path) -> None:
    here, there = Place("a machine", 0.5), Place("another", 12.0)
    played = [replace(record(index), place=place) for index, place in enumerate((here, there, here, None))]
    with Store(tmp_path / "s.db") as store:
        store.register(MATCH)
        store.add(IDENTITY, played)
        assert [one.place for one in store.records(IDENTITY)] == [here, there, here, None]
    with Store(tmp_path / "s.db", read_only=True) as store:
        assert list(store.records(IDENTITY)) == played


def store_of_version_3(path: Path) -> None:
    """A store as the version before has written it, with one game."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for change in store_module._CHANGES[:3]:
            connection.executescript(change)
        connection.execute(f"PRAGMA application_id = {store_module._APPLICATION}")
        connection.execute("PRAGMA user_version = 3")
        connection.execute(
            "INSERT INTO matches VALUES"
            " (1, ?, 'toy', 'strong', 'weak', 7, 'none', 'v1', '1', 'm', 'c', '{}', '')",
            (IDENTITY,),
        )
        connection.execute(
            "INSERT INTO games VALUES (1, 0, 'a', 'first', 1, 'ring', 'c3', 1, 0.5, '')",
        )


def test_a_store_of_version_3_opens_and_takes_what_new_games_used(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    store_of_version_3(path)
    old = GameRecord(0, "a", "first", 1.0, "ring", "c3", 1, 0.5)
    with Store(path, read_only=True) as reader:
        assert list(reader.records(IDENTITY)) == [old]
        assert reader.used(IDENTITY) is None
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (3,), "reading changes nothing"
    new = replace(record(1), used_a=Used(5, 50, 500), used_b=Used(5, 1, 2))
    with Store(path) as opened:
        assert opened.add(IDENTITY, [new]) == 1
        assert list(opened.records(IDENTITY)) == [old, new]
        assert opened.used(IDENTITY) == (new.used_a, new.used_b), "a game that does not know is left out"
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (5,)
        [used] = connection.execute('SELECT used_a FROM games WHERE "index" = 1')
    assert used == ("[5, 50, 500]",)


# Files that cannot be used


def test_stores_that_cannot_be_opened_say_why_in_one_line(tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_text("this is not a database, but long enough to look like one\n" * 100)
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE t (x)")
    newer = tmp_path / "newer.db"
    Store(newer).close()
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    for path, reason in [
        (tmp_path, "it is a folder"),
        (tmp_path / "no" / "s.db", "there is no folder '"),
        (text, "it is not a database of this program"),
        (foreign, "it is a database of another program"),
        (newer, "its format is version 99, this package reads version 1 to 5"),
    ]:
        with pytest.raises(StoreError) as caught:
            Store(path)
        assert str(caught.value).startswith(f"cannot open store '{path}': {reason}")
        assert "\n" not in str(caught.value)
    assert text.read_text().startswith("this is not")


def read_everything(path: Path) -> None:
    with Store(path, read_only=True) as opened:
        for match in opened.matches():
            list(opened.records(match.identity))
        for series in opened.series():
            opened.results(series.identity)


@pytest.mark.parametrize("file", corpus("store"), ids=lambda file: file.stem)
def test_a_store_that_somebody_has_meddled_with_is_refused(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    shutil.copy(file, path)
    why = "(its tables are not those of version 5|it holds what this program does not write)"
    with pytest.raises(StoreError, match=rf"cannot (open|read) store '.*': {why}$"):
        read_everything(path)


def test_reading_needs_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no such file"):
        Store(tmp_path / "s.db", read_only=True)
    (tmp_path / "empty.db").touch()
    with pytest.raises(StoreError, match="it is empty"):
        Store(tmp_path / "empty.db", read_only=True)
    assert not (tmp_path / "s.db").exists()


def test_a_store_opened_for_reading_refuses_to_write(store: Store) -> None:
    store.add(IDENTITY, [record(0)])
    with Store(store.path, read_only=True) as reader:
        assert reader.score(IDENTITY).games == 1
        with pytest.raises(StoreError, match=r"cannot write to store '.*games.db': it is read-only"):
            reader.add(IDENTITY, [record(1)])


@contextmanager
def as_somebody(*paths: Path) -> Iterator[None]:
    """Permissions do not bind the superuser: for a moment these belong to somebody else, who does this."""
    if os.geteuid() != 0:
        yield
        return
    for path in paths:
        os.chown(path, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_files_without_permission_are_refused() -> None:
    # Not in the folder of this test, which is closed to others.
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "games.db")
        with Store(path) as store:
            store.register(MATCH)
            store.add(IDENTITY, [record(0)])
        path.chmod(0o444)
        with (
            as_somebody(Path(name), path),
            Store(path) as again,
            pytest.raises(StoreError, match="it is read-only"),
        ):
            again.add(IDENTITY, [record(1)])


def test_a_full_disk_keeps_what_was_written(store: Store) -> None:
    store.add(IDENTITY, [record(index) for index in range(10)])
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(
        StoreError, match=r"cannot write to store .*: the disk is full; the games saved before are kept"
    ):
        store.add(IDENTITY, [record(index) for index in range(10, 1000)])
    with Store(store.path) as again:
        assert again.score(IDENTITY).games == 10
        again.add(IDENTITY, [record(10)])


def test_a_lock_file_that_cannot_be_made_is_an_error(store: Store) -> None:
    Path(f"{store.path}.lock").mkdir()
    with (
        pytest.raises(StoreError, match=r"cannot open '.*games\.db\.lock': Is a directory"),
        store.turn(IDENTITY),
    ):
        pass


def test_commands_may_create_one_store_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    code = f"from coppice.lab.store import Store; Store({str(path)!r}).close()"
    started = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(6)]
    assert [process.wait() for process in started] == [0] * 6


# Size


@pytest.mark.evidence
def test_a_million_games_open_resume_and_report_in_time(tmp_path: Path) -> None:
    path = tmp_path / "big.db"
    games = 1_000_000
    moves = " ".join(f"a{ply}" for ply in range(70))
    with Store(path) as store:
        store.register(MATCH)
        for start in range(0, games, 50_000):
            store.add(
                IDENTITY,
                (
                    GameRecord(i, "a", "first", (i * 7 % 3) / 2, "ring", moves, 70, 0.1)
                    for i in range(start, start + 50_000)
                    if i % 1000 != 999
                ),
            )
    code = textwrap.dedent(
        f"""
        import resource, time
        from coppice.lab.store import Store
        begun = time.process_time()
        def lap(name):
            global begun
            print(name, time.process_time() - begun); begun = time.process_time()
        store = Store({str(path)!r}); store.matches(); lap("open")
        assert len(store.missing({IDENTITY!r}, {games})) == 1000; lap("resume")
        score = store.score({IDENTITY!r}); score.interval(); score.elo(); lap("report")
        assert score.games == {games} - 1000
        print("memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        """
    )
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    figures = {name: float(value) for name, value in (line.split() for line in output.splitlines())}
    # CPU seconds, so that other work on the machine does not decide.
    print(figures)
    assert max(figures["open"], figures["resume"], figures["report"]) < 5
    assert figures["memory"] < 500
