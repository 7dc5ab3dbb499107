"""Faults in the middle of a match: power, disk, folder, clock, another program; nothing is lost."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from command import COPPICE, run, wait_for_games
from disk import after_power_loss, built, moments, needs_a_disk, operations
from fake_workers import GAME, STRONG, WEAK, FakeWorkers
from patience import wait_for
from source import ROOT

from coppice.lab import match as match_module
from coppice.lab import store as store_module
from coppice.lab.exports import export
from coppice.lab.match import Match
from coppice.lab.store import GameRecord, Store, StoreError

GAMES = 20


def toy(seed: int = 0) -> Match:
    return Match(GAME, STRONG, WEAK, seed=seed)


def told(path: Path, match: Match) -> str:
    with Store(path, read_only=True) as store:
        return "".join(export(store, [match.row]))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The match without any fault, as its export."""
    path = tmp_path_factory.mktemp("whole") / "s.db"
    toy().play(GAMES, store=path, workers=FakeWorkers())
    return told(path, toy())


def sound(path: Path) -> list[GameRecord]:
    """The games of a store that SQLite finds nothing wrong with; none where there is no store yet."""
    with Store(path) as store:
        assert store._connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        if store.find(toy().identity) is None:
            return []
        return list(store.records(toy().identity))


def plays_on(path: Path, whole: str) -> None:
    """The match goes on in a store as if nothing had been, and plays no game again that is there."""
    there = {record.index for record in sound(path)}
    workers = FakeWorkers()
    toy().play(GAMES, store=path, workers=workers)
    assert there.isdisjoint(workers.played)
    assert told(path, toy()) == whole


# Power and disk

_SUBJECT = """
import json, os, sys
from pathlib import Path
from fake_workers import FakeWorkers
from test_faults import GAMES, toy
from coppice.lab import match, store
match._COMMIT_SECONDS = 0
"""
_LOGGED = """
path = Path(sys.argv[1])
batches = []
with store.Store(path) as kept:
    # Pages go back from the log into the file again and again.
    kept._connection.execute("PRAGMA wal_autocheckpoint = 8")
    for step in toy().run(GAMES, store=kept, workers=FakeWorkers(batch=1)):
        batches.append([record.index for record in step.new_records])
print(json.dumps(batches))
"""
_FULL = """
folder = Path(sys.argv[1])
for number in range(1, 10_000, int(sys.argv[2])):
    path = folder / f"{number}.db"
    told, why = [], ""
    os.environ["DISK_FULL"] = str(number)
    try:
        for step in toy().run(GAMES, store=path, workers=FakeWorkers(batch=1)):
            told += [record.index for record in step.new_records]
    except store.StoreError as error:
        why = str(error)
    del os.environ["DISK_FULL"]
    print(json.dumps([path.name, told, why]))
    if not why:
        break
"""


def subject(folder: Path, program: str, *arguments: str, **environment: str) -> list[str]:
    """The lines of a program that plays a match on a disk that is put in front of libc."""
    places = (ROOT / "tests" / "helpers", ROOT / "tests" / "lab", ROOT / "tools")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_SUBJECT) + program, *arguments],
        env={
            **os.environ,
            "LD_PRELOAD": str(built(folder)),
            "PYTHONPATH": os.pathsep.join(map(str, places)),
            **environment,
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def put(files: dict[str, bytes], folder: Path) -> Path:
    """Writes the files of a disk into a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder / "s.db"


@needs_a_disk
def test_the_power_may_go_after_every_write(tmp_path: Path, whole: str) -> None:
    path, log = tmp_path / "s.db", tmp_path / "log"
    [line] = subject(tmp_path, _LOGGED, str(path), DISK_FILES=str(path), DISK_LOG=str(log))
    sets: list[set[int]] = [set()]
    for batch in json.loads(line):
        if batch:
            sets.append(sets[-1] | set(batch))
    assert len(sets) > 10
    ops, before, counted = operations(log), 0, 0
    for moment in moments(ops):
        for seed in (None, moment):
            rng = None if seed is None else random.Random(seed)
            files = after_power_loss(ops[:moment], rng)
            copy = put(files, tmp_path / "copy")
            kept = {record.index for record in sound(copy)}
            assert kept in sets, "of each commit all games are there, or none"
            if seed is None:
                assert len(kept) >= before, "a process that dies loses nothing that was there"
                before = len(kept)
            if moment % 25 == 0:
                plays_on(put(files, tmp_path / "copy"), whole)
            counted += 1
    assert before == GAMES
    assert counted > 200


@needs_a_disk
def test_the_disk_may_be_full_at_every_write(tmp_path: Path, whole: str) -> None:
    games = tmp_path / "games"
    games.mkdir()
    lines = subject(tmp_path, _FULL, str(games), "7", DISK_FILES=str(games))
    assert len(lines) > 8
    assert not json.loads(lines[-1])[2], "it ends with a disk that is large enough"
    for line in lines[:-1]:
        name, indices, why = json.loads(line)
        assert "the disk is full" in why, why
        assert "\n" not in why
        path = games / name
        if path.exists():
            assert {record.index for record in sound(path)} >= set(indices), "what was told is kept"
            plays_on(path, whole)


# The folder


@pytest.mark.parametrize("how", ["removed", "renamed", "replaced"])
def test_a_store_that_vanishes_stops_the_match(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_module, "_COMMIT_SECONDS", 0)
    folder = tmp_path / "folder"
    folder.mkdir()
    other = tmp_path / "other.db"
    toy(1).play(2, store=other, workers=FakeWorkers())
    steps = toy().run(GAMES, store=folder / "s.db", workers=FakeWorkers(batch=1))
    for step in steps:
        if step.finished >= 5:
            break
    if how == "removed":
        shutil.rmtree(folder)
    elif how == "renamed":
        folder.rename(tmp_path / "elsewhere")
    else:
        # With its log, which SQLite would take for the other one's.
        for name in ("s.db-wal", "s.db-shm"):
            (folder / name).unlink()
        os.replace(other, folder / "s.db")
    with pytest.raises(
        StoreError, match=r"cannot write to store '.*': the file was removed, or another one has"
    ):
        list(steps)
    if how == "renamed":
        assert len(sound(tmp_path / "elsewhere" / "s.db")) == 5
    elif how == "replaced":
        with Store(folder / "s.db") as store:
            assert [match.seed for match in store.matches()] == [1], "nothing was written into the other one"
    else:
        assert not folder.exists()


# The clock


def test_clocks_may_jump(tmp_path: Path, whole: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)

    class Jumping:
        """The time of somebody who sets the clock, forth and back, between any two looks at it."""

        def __getattr__(self, name: str) -> object:
            return getattr(time, name)

        def time(self) -> float:
            return rng.uniform(-1e9, 4e9)

        def monotonic(self) -> float:
            return rng.choice((0.0, 1e9)) + rng.random()

    for module in (match_module, store_module):
        monkeypatch.setattr(module, "time", Jumping())
    days = iter(
        ["2038-01-19T03:14:08+00:00", "1969-12-31T23:59:59+00:00", *["0001-01-01T00:00:00+00:00"] * 100]
    )
    monkeypatch.setattr(store_module, "_now", lambda: next(days))
    path = tmp_path / "s.db"
    for games in (5, 6, GAMES):
        result = toy().play(games, store=path, workers=FakeWorkers(batch=1))
        assert result.finished == games
    assert told(path, toy()) == whole


# Two programs


def test_a_program_that_holds_the_store_too_long_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.db"
    toy().play(3, store=path, workers=FakeWorkers())
    monkeypatch.setattr(store_module, "_BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other, Store(path) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"cannot write to store .*: another command has kept it busy"):
            store.add(toy().identity, [replace(next(store.records(toy().identity)), index=7)])
        assert len(list(store.records(toy().identity))) == 3, "reading goes on"
        other.execute("ROLLBACK")
        assert store.add(toy().identity, [replace(next(store.records(toy().identity)), index=7)]) == 1


_WRITER = """
import sys
from fake_workers import FakeWorkers
from test_faults import toy
from coppice.lab import match
match._COMMIT_SECONDS = 0
toy(int(sys.argv[2])).play(80, store=sys.argv[1], workers=FakeWorkers(batch=1))
"""


def test_two_programs_write_and_a_third_one_reads(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    places = (ROOT / "tests" / "helpers", ROOT / "tests" / "lab", ROOT / "tools")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
    programs = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(path), str(seed)], env=environment)
        for seed in (0, 1, 1)
    ]
    seen = {0: 0, 1: 0}
    wait_for(path.exists)
    while any(program.poll() is None for program in programs):
        with Store(path) as store:
            for match in store.matches():
                indices = [index for index, _ in store.points(match.identity)]
                assert len(indices) == len(set(indices)) >= seen[match.seed]
                seen[match.seed] = len(indices)
    assert [program.wait() for program in programs] == [0, 0, 0]
    for seed in (0, 1):
        toy(seed).play(80, store=tmp_path / "alone.db", workers=FakeWorkers())
        assert told(path, toy(seed)) == told(tmp_path / "alone.db", toy(seed))


# Kill -9, by the hundred


def killed_until_done(folder: Path, command: list[str], rng: random.Random, kills: int) -> tuple[int, int]:
    """Kills a match so many times at random moments; returns kills and how many games are there then."""
    store, before, done = folder / "coppice.db", set[str](), 0
    while done < kills:
        with (
            (folder / "errors").open("w+") as errors,
            subprocess.Popen(
                [*COPPICE, *command], cwd=folder, stdout=subprocess.DEVNULL, stderr=errors
            ) as process,
        ):
            if done % 2:
                wait_for_games(store, most=len(before))
            # At any moment: while Python starts, while the store is opened, while games are played and kept.
            time.sleep(rng.random() * 0.7)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL, (folder / "errors").read_text()
        done += 1
        if store.exists():
            with closing(sqlite3.connect(store)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            lines = run("export", "--times", cwd=folder).stdout.splitlines()
            kept = {line for line in lines if line[:1].isdigit()}
            assert before <= kept, "a game that was kept is there, to the digits of its seconds"
            before = kept
    return done, len(before)


@pytest.mark.evidence
def test_a_hundred_kills_lose_nothing(tmp_path: Path) -> None:
    players = ["uct(simulations=300)", "uct(simulations=250)"]
    match = ["match", "havannah(size=4)", *players, "--games"]
    kills, kept = killed_until_done(tmp_path, [*match, "100000"], random.Random(1), 100)
    print(f"{kills} kills, {kept} games kept")
    games = str(kept + 10)
    assert run(*match, games, cwd=tmp_path).returncode == 0
    assert run(*match, games, "--store", "whole.db", cwd=tmp_path).returncode == 0

    def of(store: str) -> list[str]:
        lines = run("export", "--store", store, cwd=tmp_path).stdout.splitlines()
        return [line for line in lines if line[:1].isdigit() and int(line.split("\t")[0]) < kept + 10]

    assert of("coppice.db") == of("whole.db")
    assert len(of("whole.db")) == kept + 10
