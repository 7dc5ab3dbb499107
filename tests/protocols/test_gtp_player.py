"""Other programs as players: misbehaviour loses the game with its reason, and nobody is left behind."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from engines import ENGINE, engine
from patience import wait_for

import coppice
from coppice.lab.match import Match
from coppice.lab.store import GameRecord

COPPICE = Path(sys.executable).parent / "coppice"


def played(
    player: str, games: int = 1, *, other: str = "random", game: str = "tic_tac_toe"
) -> list[GameRecord]:
    match = Match(game, player, other)
    records = [record for step in match.run(games, threads=2, store=None) for record in step.new_records]
    return sorted(records, key=lambda record: record.index)


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return ") Z " not in stat


def started(log: Path, word: str = "process") -> list[int]:
    return [int(pid) for pid in re.findall(rf"^{word} (\d+)$", log.read_text(), re.M)]


def wait_until_gone(pids: list[int]) -> None:
    wait_for(lambda: not any(map(is_alive, pids)))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "engine.log"


def test_a_program_plays_whole_games(log: Path) -> None:
    records = played(engine(log), 8)
    assert len(records) == 8
    assert all(record.note == "" and record.kind != "forfeit" for record in records)
    assert len(started(log)) == 8
    wait_until_gone(started(log))


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("crash", r"crashed \(exit code 3\) in answer to 'genmove (white|black)'"),
        ("abort", r"crashed \(signal 6\) in answer to 'genmove (white|black)'"),
        ("leave", r"crashed \(exit code 0\) in answer to 'genmove (white|black)'"),
        ("deadborn", r"crashed \(exit code 5\) in answer to 'clear_board'"),
        ("close", r"crashed \(killed\) in answer to 'genmove (white|black)'"),
        ("hang", r"ran out of time: no answer to 'genmove (white|black)' in 0\.7\d* s"),
        ("unended", r"ran out of time: no answer to 'genmove (white|black)' in 0\.7\d* s"),
        ("garbage", r"ran out of time: .* \(it said '.*hello . world'\)"),
        ("line", r"did not come to an end in answer to 'genmove (white|black)'"),
        ("flood", r"did not come to an end in answer to 'genmove (white|black)'"),
        ("illegal", "chose the illegal move 'z9'"),
        ("occupied@2", r"chose the illegal move '[abc][123]'"),
        ("empty", "chose the illegal move ''"),
        ("binary", "chose the illegal move '\ufffd\ufffd\ufffd'"),
        ("refuse", r"refused 'genmove (white|black)': I would rather not"),
        ("forgetful", r"refused 'play (white|black) [abc][123]': illegal move"),
        ("badsize", "refused 'boardsize 3': unacceptable size"),
        ("resign", "resigned"),
    ],
)
def test_misbehaviour_loses_the_game_with_its_reason(fault: str, reason: str, log: Path) -> None:
    (record,) = played(engine(log, fault, options=", timeout=0.75"))
    assert (record.kind, record.score) == ("forfeit", 0)
    assert re.fullmatch(f"a: {reason}", record.note), record.note
    assert len(record.moves.split()) == record.length
    wait_until_gone(started(log))


@pytest.mark.parametrize("fault", ["banner", "nosize", "slow", "stubborn"])
def test_what_may_be_forgiven_is(fault: str, log: Path) -> None:
    (record,) = played(engine(log, fault, options=", timeout=20"))
    assert record.note == ""
    wait_until_gone(started(log))


def test_the_forfeit_of_b_is_a_win_of_a(log: Path) -> None:
    records = played("random", 4, other=engine(log, "crash"))
    assert [record.score for record in records] == [1] * 4
    assert [record.winner for record in records] == ["first", "second"] * 2
    assert all(record.note.startswith("b: crashed") for record in records)


def test_a_crash_costs_one_game_only(log: Path) -> None:
    """The program of each game is a new one: the fault that comes with the fourth move spares short games."""
    records = played(engine(log, "crash@4"), 30)
    forfeits = [record for record in records if record.kind == "forfeit"]
    assert 0 < len(forfeits) < 30
    assert len(started(log)) == 30


def test_a_player_that_is_kept_starts_its_program_anew(log: Path) -> None:
    """Each search of a session is a new player: after a crash the next one answers from the same position."""
    state = coppice.game("tic_tac_toe").start().play("b2")
    with pytest.raises(ValueError, match="crashed"):
        coppice.player(engine(log, "crash")).search(state)
    report = coppice.player(engine(log)).search(state)
    assert report.best in state.legal_moves


def crashes(log: Path, games: int) -> None:
    records = played(engine(log, "family", options=", timeout=60"), games)
    assert [record.note for record in records if "exit code 4" not in record.note] == []
    pids = started(log) + started(log, "family")
    assert len(pids) == 2 * games
    wait_until_gone(pids)
    children = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "pid,stat,comm"], capture_output=True, text=True
    )
    assert "defunct" not in children.stdout


def test_ten_crashes_in_a_row_leave_no_process_behind(log: Path) -> None:
    crashes(log, 10)


@pytest.mark.evidence
def test_a_hundred_crashes_in_a_row_leave_no_process_behind(log: Path) -> None:
    crashes(log, 100)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_a_match_that_ends_early_ends_its_programs(how: signal.Signals, log: Path, tmp_path: Path) -> None:
    player = engine(log, "hang", "stubborn", options=", timeout=1000")
    command = [str(COPPICE), "match", "tic_tac_toe", player, "random", "--games", "4", "--threads", "2"]
    match = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: log.exists() and len(started(log)) == 2)
    match.send_signal(how)
    match.communicate(timeout=60)
    assert match.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    wait_until_gone(started(log))


def test_the_log_keeps_what_the_program_says(log: Path) -> None:
    played(engine(log, "crash", options=', setup="setup one; setup two", clock=5'))
    lines = log.read_text().splitlines()
    assert lines[0].startswith("== ")
    assert str(ENGINE) in lines[0]
    wanted = ["setup one", "setup two", "time_settings 5 0 0", "time_left white 5.00 0"]
    assert [line for line in lines if line in wanted] == wanted
    assert lines[-1] == "I fell over"


def test_a_clock_that_runs_out_loses(log: Path) -> None:
    faults = [f"slow@{n}" for n in range(1, 6)]
    records = played(engine(log, *faults, options=", clock=0.75"), 4)
    lost = [record for record in records if record.kind == "forfeit"]
    assert lost
    assert all(re.match("a: ran out of time: no answer to 'genmove", record.note) for record in lost)


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("gtp", 'gtp needs a program: gtp(command="castro --mode gtp")'),
        ('gtp(" ")', "gtp: command is empty: name a program and its arguments"),
        ('gtp("no-such-program x")', "gtp: command: there is no program 'no-such-program' on the PATH"),
        ('gtp("./no/such")', "gtp: command: there is no program './no/such'"),
        ('gtp("sh \'open")', "gtp: command: 'sh 'open' has an open quote '"),
        ('gtp("sh", timeout=0)', "gtp: timeout=0 is not allowed: a number from 0.01 to 1000000"),
        ('gtp("sh", notation="runes")', "gtp: unknown notation 'runes' for tic_tac_toe: standard"),
        ('gtp("sh", tiemout=1)', "gtp has no option 'tiemout' (did you mean 'timeout'?)"),
    ],
)
def test_what_cannot_be_is_refused_before_any_game(player: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Match("tic_tac_toe", player, "random").play(1, store=None)


def test_the_command_tells_of_forfeits_and_of_what_cannot_be_repeated(log: Path, tmp_path: Path) -> None:
    command = [str(COPPICE), "match", "tic_tac_toe", engine(log, "crash"), "random", "--games", "3", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert "3 of the games were forfeited; the first: a: crashed (exit code 3) in answer to" in done.stderr
    assert "this match is not reproducible: " in done.stderr
    assert '"reproducible": false' in done.stdout


def test_what_a_match_can_repeat(log: Path) -> None:
    for game, a, repeats in [
        ("tic_tac_toe", "uct(simulations=5)", True),
        ("tic_tac_toe", "uct(seconds=1)", False),
        ("tic_tac_toe", "uct(cpu_seconds=0.5)", False),
        ("tic_tac_toe", engine(log), False),
        ('python("json:Nothing")', "random", False),
    ]:
        assert Match(game, a, "random").reproducible is repeats
        assert Match(game, "random", a).reproducible is repeats


def test_a_log_that_cannot_be_written_ends_the_match(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="game 0: cannot write the log"):
        played(engine(tmp_path / "no" / "folder"))


def test_programs_play_from_the_initial_position_only(log: Path) -> None:
    state = coppice.game("tic_tac_toe").state("X../.../... second")
    with pytest.raises(ValueError, match="gtp programs play from the initial position only"):
        coppice.player(engine(log)).search(state)


def test_a_program_does_not_think_step_by_step(log: Path) -> None:
    with pytest.raises(ValueError, match="does not think step by step"):
        coppice.player(engine(log)).think(coppice.game("tic_tac_toe").start())


# Coppice as its own opponent


def against_itself(games: int, game: str, player: str, tmp_path: Path) -> coppice.Score:
    command = shlex.join([str(COPPICE), "gtp", "--game", game, "--player", player])
    escaped = command.replace("\\", "\\\\").replace('"', '\\"')
    other = f'gtp(command="{escaped}", log="{tmp_path / "log"}")'
    match = Match(game, other, player)
    progress = match.play(games, threads=2, store=tmp_path / "store.db")
    with coppice.Store(tmp_path / "store.db") as store:
        notes = [record.note for record in store.records(match.identity) if record.note]
    assert notes == []
    assert progress.score.games == games
    return progress.score


def test_coppice_meets_itself_over_gtp(tmp_path: Path) -> None:
    score = against_itself(20, "havannah(size=4)", "uct(simulations=50)", tmp_path)
    # Even players: 20 games are all lost or won once in half a million times.
    assert 0 < score.rate < 1


@pytest.mark.evidence
def test_coppice_is_even_with_itself_over_gtp(tmp_path: Path) -> None:
    score = against_itself(200, "havannah(size=4)", "uct(simulations=500)", tmp_path)
    interval = score.interval()
    print(
        f"over GTP against the same player here: {score.wins}-{score.draws}-{score.losses},"
        f" {100 * score.rate:.1f} % [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"
    )
    # Even players are outside this interval once in a thousand times.
    strict = score.interval(0.999)
    assert strict.low <= 0.5 <= strict.high, score


@pytest.mark.evidence
def test_the_test_program_is_as_strong_as_random(log: Path) -> None:
    records = played(engine(log), 2000)
    assert abs(sum(record.score for record in records) / 2000 - 0.5) < 0.04
