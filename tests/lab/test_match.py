"""Tests of matches: identity, resuming, taking turns, openings, stopping; with stand-ins for workers."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_workers import GAME, RANDOM, STRONG, WEAK, FakeGames, FakeWorkers, fake_record, key_of, pretend
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import FakeClock, wait_for

from coppice import _core
from coppice.lab.exports import export
from coppice.lab.match import Match, Openings, Progress
from coppice.lab.stats import Score, Sprt, Tally
from coppice.lab.store import GameRecord, Store


def toy(**options: object) -> Match:
    return Match(GAME, STRONG, WEAK, **options)  # type: ignore[arg-type]


def stored(path: Path, match: Match) -> int:
    """How many games of a match a store has."""
    with Store(path, read_only=True) as store:
        return len(list(store.records(match.identity)))


def exported(path: Path, match: Match) -> str:
    with Store(path, read_only=True) as store:
        return "".join(export(store, [match.row]))


# Values


def test_specs_become_canonical_and_spellings_equal() -> None:
    match = toy()
    assert match.game == "tic_tac_toe"
    assert (match.a, match.b) == tuple(_core.canonical("player", spec, GAME) for spec in (STRONG, WEAK))
    same = Match("tic_tac_toe()", match.a, "uct( simulations=1 )", openings=Openings())
    assert same == match
    assert hash(same) == hash(match)
    assert same.identity == match.identity


def test_a_match_is_a_value_that_comes_back_from_a_pickle() -> None:
    match = toy(seed=3, openings=["a1 b2"])
    again = pickle.loads(pickle.dumps(match))
    assert (again, again.identity, again.row) == (match, match.identity, match.row)
    assert {match: 1}[again] == 1
    assert set(vars(match)) == {"game", "a", "b", "seed", "openings"}
    assert match != toy(seed=3)


def test_identity_depends_on_everything_that_games_depend_on(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("a1 b2\n")
    other = tmp_path / "other.txt"
    other.write_text("a1 b3\n")
    matches = [
        toy(),
        Match(GAME, WEAK, STRONG),
        Match(GAME, STRONG, RANDOM),
        toy(seed=1),
        toy(openings="random"),
        toy(openings="random(plies=3)"),
        toy(openings=file),
        toy(openings=other),
    ]
    assert len({match.identity for match in matches}) == len(matches)
    other.write_text("# the same openings in a file of another name\n\n a1   b2 # good\n")
    assert (
        toy(openings=str(other)).identity == toy(openings=file).identity == toy(openings=["a1 b2"]).identity
    )


def test_bad_matches_are_refused_with_one_line() -> None:
    with pytest.raises(ValueError, match="unknown player 'stronk'"):
        Match(GAME, "stronk", WEAK)
    with pytest.raises(ValueError, match="the seed is -1"):
        toy(seed=-1)
    with pytest.raises(ValueError, match="cannot play 0 games"):
        toy().play(0, store=None)
    with pytest.raises(ValueError, match="cannot work with 0 threads: at least 1 is needed"):
        toy().play(1, threads=0, store=None)
    told = r"threads and workers exclude each other: threads=N is short for workers=Threads\(N\)"
    with pytest.raises(ValueError, match=told):
        toy().play(1, threads=1, store=None, workers=FakeWorkers())


# Openings


def test_openings_are_read(tmp_path: Path) -> None:
    file = tmp_path / "book"
    file.write_text("a1 b2 # strong\n#\n\nc3\n")
    for openings, expected in [
        ("none", "none"),
        ("random", "random(plies=2)"),
        ("random(plies=4)", "random(plies=4)"),
        (str(file), ["a1 b2", "c3"]),
        (Openings.of("random(plies=3)"), "random(plies=3)"),
    ]:
        assert toy(openings=openings).openings.argument == expected


def test_bad_openings_are_refused(tmp_path: Path) -> None:
    message = (
        r"openings 'randm' are neither a file .*\(No such file or directory\) nor a spec \(unknown openings"
    )
    with pytest.raises(ValueError, match=message):
        toy(openings="randm")
    with pytest.raises(ValueError, match=r"^random: plies=0 is not allowed: a whole number from 1 to 100$"):
        toy(openings="random(plies=0)")
    empty = tmp_path / "empty"
    empty.write_text("# nothing\n")
    with pytest.raises(ValueError, match=r"openings file '.*empty' holds no opening"):
        toy(openings=empty)
    with pytest.raises(ValueError, match="the list of openings holds no opening"):
        toy(openings=[])
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="is not text in UTF-8"):
        toy(openings=binary)


# Playing


def test_play_returns_the_score_of_all_games(tmp_path: Path) -> None:
    workers = FakeWorkers()
    match = toy()
    result = match.play(100, workers=workers, store=tmp_path / "s.db")
    assert result.score == Score.of((i, fake_record(key_of(match), i)["score"]) for i in range(100))
    assert result.score.pairs.count == 50
    assert (result.games, result.finished, result.resumed, result.done) == (100, 100, 0, True)
    assert sorted(workers.played) == list(range(100))
    assert toy().play(100, store=None, workers=FakeWorkers()).score == result.score


def test_progress_tells_every_game_once() -> None:
    values = list(toy().run(40, store=None, workers=FakeWorkers(batch=7, delay=0.1)))
    assert values[0] == Progress(40, 0, Score(), 0.0)
    assert values[0].seconds_left is None
    assert sorted(r.index for value in values for r in value.new_records) == list(range(40))
    assert [v.finished for v in values] == sorted(v.finished for v in values)
    assert values[-1].seconds_left == 0
    middle = values[1]
    assert middle.seconds_left == pytest.approx(middle.seconds * (40 - middle.finished) / middle.finished)


def test_a_result_holds_all_its_records_in_order(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    alone = toy().play(40, store=None, workers=FakeWorkers(batch=7, delay=0.05))
    assert [record.index for record in alone.records] == list(range(40))
    assert Score.of((r.index, r.score) for r in alone.records) == alone.score
    toy().play(25, store=path, workers=FakeWorkers())
    with Store(path) as store:
        result = toy().play(40, store=store, workers=FakeWorkers(batch=7, delay=0.05))
    assert result.resumed == 25
    untimed = [[replace(r, seconds=0) for r in found.records] for found in (result, alone)]
    assert untimed[0] == untimed[1]
    assert [r.index for r in toy().play(10, store=path, workers=FakeWorkers()).records] == list(range(10))
    assert [r.index for r in toy().play(4, store=path, sides="second", workers=FakeWorkers()).records] == [
        1,
        3,
        5,
        7,
    ]
    assert pickle.loads(pickle.dumps(result)).records == result.records


def test_a_result_in_a_store_keeps_no_second_copy_in_memory(tmp_path: Path) -> None:
    result = toy().play(40, store=tmp_path / "s.db", workers=FakeWorkers())
    held = len(pickle.dumps(result))
    assert held < 1000
    assert len(result.records) == 40
    assert result.records is result.records


def test_resuming_plays_only_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    toy().play(50, store=path, workers=FakeWorkers())
    workers = FakeWorkers()
    result = toy().play(600, store=path, workers=workers)
    assert sorted(workers.played) == list(range(50, 600))
    assert (result.resumed, result.finished) == (50, 600)
    again = FakeWorkers()
    assert toy().play(600, store=path, workers=again).score == result.score
    assert toy().play(10, store=path, workers=again).finished == 10
    assert again.played == []
    toy().play(600, store=tmp_path / "whole.db", workers=FakeWorkers())
    assert exported(path, toy()) == exported(tmp_path / "whole.db", toy())


def test_stopping_keeps_what_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    workers = FakeWorkers(delay=0.01)
    running = toy().run(1000, store=path, workers=workers)
    for value in running:
        if value.finished >= 20:
            break
    running.close()
    with Store(path) as store:
        kept = {record.index for record in store.records(toy().identity)}
    assert kept == set(workers.played)
    assert 20 <= len(kept) < 1000


def test_a_failing_game_is_reported_and_the_others_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    workers = FakeWorkers(fail_at=17, batch=1)
    with pytest.raises(RuntimeError, match="game 17 failed"):
        toy().play(40, store=path, workers=workers)
    with Store(path) as store:
        assert {r.index for r in store.records(toy().identity)} == set(workers.played) - {17}


def test_games_that_the_code_of_today_plays_otherwise_are_set_aside(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, match = tmp_path / "s.db", toy()
    pretend(monkeypatch, tmp_path, "old")
    match.play(5, store=path, workers=FakeWorkers("old"))
    pretend(monkeypatch, tmp_path, "new")
    new = FakeWorkers("new")
    with Store(path) as store:
        assert match.score_in(store, 5) is None, "nobody has replayed them yet"
        assert match.play(5, store=store, workers=new).resumed == 0
        assert "5 games of this match were played by code that plays otherwise" in capfd.readouterr().err
        assert [bool(one.set_aside) for one in store.matches()] == [True, False]
        assert match.play(5, store=store, workers=new).resumed == 5


def test_games_that_the_code_of_today_plays_alike_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, match = tmp_path / "s.db", toy()
    pretend(monkeypatch, tmp_path, "1")
    match.play(50, store=path, workers=FakeWorkers())
    pretend(monkeypatch, tmp_path, "2")
    workers = FakeWorkers()
    with Store(path) as store:
        assert match.score_in(store, 50) is None
        assert match.play(60, store=store, workers=workers).resumed == 50
        # Four games of the first block, once, and then those that were missing.
        assert sorted(workers.played) == [0, 1, 2, 3, *range(50, 60)]
        assert match.score_in(store, 60) is not None
        workers.played.clear()
        assert match.play(61, store=store, workers=workers).resumed == 60
        assert workers.played == [60]


def test_a_store_of_a_version_with_other_identities_is_read(tmp_path: Path) -> None:
    match = Match("tic_tac_toe", "uct(simulations=3)", "random")
    path = tmp_path / "s.db"
    match.play(6, store=path)
    with Store(path) as store:
        store.rename(match.identity, "f" * 32)
        old = "mcts(selection=uct(k=0.25, c=0.5), playout=uniform, simulations=3)"
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE matches SET a = ?", (old,))
        assert match.score_in(store, 6) == match.play(6, store=None).score
        assert Match("tic_tac_toe", "uct(simulations=4)", "random").score_in(store, 6) is None
        assert match.play(8, store=store).resumed == 6
        assert [one.identity for one in store.matches()] == [match.identity]


def decision(match: Match, sprt: Sprt, games: int) -> tuple[str, Score]:
    """What the test says of the games in their order, and the score that it says it of."""
    key, tally = key_of(match), Tally()
    for index in range(games):
        tally.add(index, fake_record(key, index)["score"])
        if index % 2 and (verdict := sprt.verdict(tally.score)) != "continue":
            return verdict, tally.score
    return "continue", tally.score


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 5),
    shuffle=st.integers(0, 1000),
    batch=st.integers(1, 40),
    overtakes=st.integers(1, 400),
    earlier=st.integers(0, 150),
    stored=st.booleans(),
)
def test_a_sequential_test_shows_the_games_that_decided_it_whatever_came_first(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    shuffle: int,
    batch: int,
    overtakes: int,
    earlier: int,
    stored: bool,
) -> None:
    sprt, games = Sprt(0, 60), 160
    path = tmp_path_factory.mktemp("sprt") / "s.db" if stored else None
    if path is not None and earlier:
        toy(seed=seed).play(earlier, store=path, workers=FakeWorkers())
    workers = FakeWorkers(batch=batch, shuffle=shuffle, overtakes=overtakes)
    match = toy(seed=seed)
    result = match.play(games, store=path, sprt=sprt, workers=workers)
    assert (result.verdict, result.score) == decision(match, sprt, games)
    assert [record.index for record in result.records] == list(range(result.finished))
    assert result.done


def test_games_beyond_a_decision_are_kept_and_not_counted(tmp_path: Path) -> None:
    sprt = Sprt(0, 100)
    shown = set()
    for batch in (1, 50):
        path = tmp_path / f"{batch}.db"
        result = toy().play(2000, store=path, sprt=sprt, workers=FakeWorkers(batch=batch, delay=0.002))
        assert (result.verdict, result.decided, result.done) == ("H1", True, True)
        with Store(path) as store:
            kept = store.score(toy().identity).games
        assert result.finished < kept < 2000
        again = FakeWorkers()
        more = toy().play(2000, store=path, sprt=sprt, workers=again)
        assert (more.resumed, more.score, again.played) == (kept, result.score, [])
        values = list(toy().run(2000, store=path, sprt=sprt, workers=FakeWorkers()))
        assert [value.score for value in values] == [result.score]
        assert values[0].seconds_left == 0
        shown.add(result.score)
    assert len(shown) == 1


# Several commands on one store


class HeldWorkers(FakeWorkers):
    """Workers that begin when a file is there."""

    def __init__(self, gate: Path, *, batch: int) -> None:
        super().__init__(batch=batch)
        self.gate = gate

    def games(self, match: Match, indices: Sequence[int]) -> FakeGames:
        wait_for(self.gate.exists)
        return super().games(match, indices)


def play_in_process(path: Path, games: int, delay: float, seed: int) -> None:
    """Play, without a delay as soon as `go` is there; leave the indices in a file beside the store."""
    workers = FakeWorkers(delay=delay, batch=2) if delay else HeldWorkers(path.parent / "go", batch=2)
    toy(seed=seed).play(games, store=path, workers=workers)
    (path.parent / f"played-{os.getpid()}").write_text(" ".join(map(str, workers.played)))


def start(path: Path, games: int, delay: float, seed: int = 0) -> multiprocessing.process.BaseProcess:
    process = multiprocessing.get_context("spawn").Process(
        target=play_in_process, args=(path, games, delay, seed)
    )
    process.start()
    return process


def test_two_commands_take_turns_and_neither_repeats_a_game(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.db"
    processes = [start(path, 60, 0.0), start(path, 60, 0.0)]
    told = ""

    def somebody_waits() -> bool:
        nonlocal told
        told += capfd.readouterr().err
        return "waiting: another command is playing this match" in told

    wait_for(somebody_waits)
    (tmp_path / "go").touch()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    played = [file.read_text().split() for file in tmp_path.glob("played-*")]
    assert sorted(len(indices) for indices in played) == [0, 60]
    told += capfd.readouterr().err
    assert told.count("waiting: another command is playing this match") == 1


def test_different_matches_run_at_the_same_time(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    processes = [start(path, 40, 0.01, seed) for seed in range(3)]
    for process in processes:
        process.join()
        assert process.exitcode == 0
    with Store(path) as store:
        assert sorted((match.seed, match.games) for match in store.matches()) == [(0, 40), (1, 40), (2, 40)]
    assert "waiting" not in capfd.readouterr().err


def test_kill_9_loses_no_committed_game(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    toy().play(1, store=path, workers=FakeWorkers())
    before = 1
    for _ in range(3):
        process = start(path, 2000, 0.01)
        wait_for(lambda before=before: stored(path, toy()) > before)  # type: ignore[misc]
        now = stored(path, toy())
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        after = stored(path, toy())
        assert after >= now > before
        before = after
    workers = FakeWorkers()
    assert toy().play(2000, store=path, workers=workers).resumed == before
    assert len(workers.played) == 2000 - before
    toy().play(2000, store=tmp_path / "whole.db", workers=FakeWorkers())
    assert exported(path, toy()) == exported(tmp_path / "whole.db", toy())


def test_threads_of_one_process_take_turns_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    with Store(path) as one, Store(path) as two:
        with one.turn("ab" * 16):
            order: list[str] = []

            def other() -> None:
                with two.turn("ab" * 16):
                    order.append("other")

            thread = threading.Thread(target=other)
            thread.start()
            wait_for(lambda: "waiting: another command" in capsys.readouterr().err)
            order.append("one")
        thread.join()
    assert order == ["one", "other"]


# Commits, by a clock of our own


class TimedWorkers(FakeWorkers):
    """Workers whose games take a time that is known."""

    def __init__(self, clock: FakeClock, seconds: float) -> None:
        super().__init__(batch=1)
        self.clock = clock
        self.seconds = seconds
        self.finished_at: list[float] = []

    def games(self, match: Match, indices: Sequence[int]) -> TimedGames:
        return TimedGames(self, key_of(match), indices)


class TimedGames(FakeGames):
    """Games that move the clock on."""

    def __init__(self, workers: TimedWorkers, key: tuple[object, ...], indices: Sequence[int]) -> None:
        super().__init__(workers, key, indices)
        self._timed = workers

    def __next__(self) -> list[Mapping[str, Any]]:
        found = super().__next__()
        self._timed.clock.goes_on(self._timed.seconds)
        self._timed.finished_at.append(self._timed.clock())
        return found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    made = FakeClock()
    monkeypatch.setitem(Match.replay.__globals__, "time", SimpleNamespace(monotonic=made))
    return made


def test_tiny_games_share_their_commits(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    add = Store.add

    def counted(store: Store, identity: str, records: Iterable[GameRecord]) -> None:
        several = list(records)
        sizes.append(len(several))
        add(store, identity, several)

    monkeypatch.setattr(Store, "add", counted)
    # 2 ** -10 s a game: 256 of them take a quarter of a second. The first one is kept at once.
    result = toy().play(10_000, store=tmp_path / "s.db", workers=TimedWorkers(clock, 2**-10))
    assert result.finished == 10_000
    assert sizes == [1] + 39 * [256] + [15]


def test_a_finished_game_waits_a_quarter_of_a_second_at_most(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "s.db"
    workers = TimedWorkers(clock, 0.0625)
    seen: list[int] = []
    with Store(path) as store, Store(path) as reader:
        for value in toy().run(30, store=store, workers=workers):
            committed = {index for index, _ in reader.points(toy().identity)}
            assert {r.index for r in value.new_records} <= committed
            # In the order in which they were finished.
            waiting = workers.finished_at[len(committed) :]
            assert not waiting or clock() - waiting[0] < 0.25
            seen.append(len(committed))
    assert seen == [0, 1, 5, 9, 13, 17, 21, 25, 29, 30]


# With the core itself


def test_the_core_plays_the_same_games_with_one_thread_and_two(tmp_path: Path) -> None:
    match = Match(
        "domineering(rows=4, columns=4)", "uct(simulations=20)", "random", seed=3, openings="random"
    )
    for threads in (1, 2):
        match.play(60, threads=threads, store=tmp_path / f"{threads}.db")
    assert exported(tmp_path / "1.db", match) == exported(tmp_path / "2.db", match)


def test_the_core_takes_openings_from_a_file_in_pairs(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("a1a2 b1c1\nb1b2\n")
    match = Match("domineering(rows=4, columns=4)", "random", "random", openings=file)
    records = [record for value in match.run(8, store=None) for record in value.new_records]
    begun = [r.moves.split()[:1] for r in sorted(records, key=lambda r: r.index)]
    assert begun == [["a1a2"], ["a1a2"], ["b1b2"], ["b1b2"]] * 2
    assert [r.first for r in sorted(records, key=lambda r: r.index)] == ["a", "b"] * 4
    with pytest.raises(ValueError, match="illegal move 'z9'"):
        Match("domineering(rows=4, columns=4)", "random", "random", openings=["z9"]).play(2, store=None)
