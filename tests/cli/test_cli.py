"""The command line as a person meets it: results, and one clear line for everything that is wrong."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from command import COPPICE, games_in, run, run_alone, wait_for_games
from patience import wait_for

import coppice
from coppice import _core
from coppice.cli.catalogue import fingerprint_changes, signature
from coppice.lab.workers import Threads

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize(
    ("arguments", "text", "code"),
    [
        (["perft", "tic_tac_toe", "3"], "", 0),
        (["gtp", "--game", "tic_tac_toe"], "play first a1\nshowboard\nquit\n", 0),
        (["match", "tic_tac_toe", "random", "random", "--games", "4", "--store", "a/b.db"], "", 2),
        (["frobnicate"], "", 2),
    ],
)
def test_the_tests_quick_way_to_a_command_answers_as_the_command(
    arguments: list[str], text: str, code: int, tmp_path: Path
) -> None:
    quick, alone = (way(*arguments, cwd=tmp_path, text=text) for way in (run, run_alone))
    assert quick.args == alone.args
    assert (quick.returncode, quick.stdout, quick.stderr) == (code, alone.stdout, alone.stderr)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "havanah", "uct", "random"], "unknown game 'havanah' (did you mean 'havannah'?): "),
        (
            ["match", "havannah(sise=4)", "uct", "random"],
            "havannah has no option 'sise' (did you mean 'size'?): ",
        ),
        (
            ["match", "havannah(size=14)", "uct", "random"],
            "havannah: size=14 is not allowed: a whole number from 2 to 13",
        ),
        (
            ["match", "havannah(size=1)", "uct", "random"],
            "havannah: size=1 is not allowed: a whole number from 2 to 13",
        ),
        (
            ["match", "havannah", "uct(simulation=5)", "random"],
            "mcts has no option 'simulation' (did you mean",
        ),
        (["match", "havannah", "uct", "rndom"], "unknown player 'rndom' (did you mean 'random'?): "),
        (["match", "havannah", "uct"], "Missing argument"),
        (["match", "havannah", "uct", "random", "--games", "0"], "Invalid value for '--games'"),
        (
            ["match", "havannah", "uct", "random", "--openings", "nowhere.txt"],
            "openings 'nowhere.txt' are neither a file with one opening per line (No such file",
        ),
        (["match", "havannah", "uct", "random", "--store", "no/such/folder/x.db"], "there is no folder"),
        (["match", "havannah", "uct", "random", "--frobnicate"], "No such option: --frobnicate"),
        (["frobnicate"], "No such command 'frobnicate'"),
        (["export", "--store", "none.db"], "there is no store 'none.db'"),
        (["perft", "havannah", "0"], "Invalid value for 'depth'"),
        (["perft", "havannah(size=2)", "2", "--position", "nonsense"], "position"),
        (["play", "havannah", "--side", "third"], "--side third is not allowed: first, second, random"),
        (["players", "uctt"], "unknown player 'uctt' (did you mean 'uct'?)"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_2(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "coppice.db").write_text("this is a shopping list, not a database\n" * 100)
    done = run("match", "domineering", "random", "random", cwd=tmp_path)
    assert done.returncode == 2
    assert "coppice.db" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert (tmp_path / "coppice.db").read_text().startswith("this is a shopping list")


def test_the_lists_name_everything_in_the_catalogue() -> None:
    shown = run("games").stdout + run("players").stdout
    for part in coppice.catalogue():
        assert part.family == "openings" or part.name in shown
    described = json.loads(run("players", "mcts", "--json").stdout)
    assert {option["name"] for option in described[0]["options"]} >= {
        "selection",
        "playout",
        "simulations",
        "memory",
    }
    assert "k * sqrt" in run("players", "uct").stdout


def test_match_reports_and_resumes(tmp_path: Path) -> None:
    command = ["match", "domineering(rows=4, columns=4)", "uct(simulations=50)", "random", "--json"]
    first = json.loads(run(*command, "--games", "10", cwd=tmp_path).stdout)
    again = json.loads(run(*command, "--games", "30", cwd=tmp_path).stdout)
    alone = json.loads(run(*command, "--games", "30", "--store", "other.db", cwd=tmp_path).stdout)
    assert first["games"] == 10
    assert again["games"] == 30
    assert again == alone
    assert 0 <= again["low"] <= again["rate"] <= again["high"] <= 1
    text = run("export", cwd=tmp_path).stdout
    assert text == run("export", "--store", "other.db", cwd=tmp_path).stdout
    assert len([line for line in text.splitlines() if line[:1].isdigit()]) == 30


def test_a_table_is_printed_when_it_is_not_json(tmp_path: Path) -> None:
    done = run("match", "domineering", "random", "random", "--games", "4", cwd=tmp_path)
    assert "won-drawn-lost" in done.stdout
    assert "95 % interval" in done.stdout


def test_a_match_tells_what_both_players_used_per_move(tmp_path: Path) -> None:
    command = ["match", "misere(breakthrough)", "uct(playout=nested, states=1500)", "random", "--games", "4"]
    told = run(*command, cwd=tmp_path).stdout.splitlines()[-1]
    assert re.fullmatch(r"mean per move: a \d+ simulations, 1,500 states; b 0 simulations, 0 states", told)
    found = json.loads(run(*command, "--json", cwd=tmp_path).stdout)
    assert found["states_per_move_a"] == 1500
    assert 0 < found["simulations_per_move_a"] < 100
    assert found["simulations_per_move_b"] == found["states_per_move_b"] == 0
    with sqlite3.connect(tmp_path / "coppice.db") as connection:
        connection.execute("UPDATE games SET used_a = NULL, used_b = NULL")
    assert "per move" not in run(*command, cwd=tmp_path).stdout
    assert "states_per_move_a" not in json.loads(run(*command, "--json", cwd=tmp_path).stdout)


def test_threads_do_not_change_a_match(tmp_path: Path) -> None:
    for threads in ("1", "2", "5"):
        players = ["uct(simulations=60)", "fossel_uct(simulations=60)"]
        options = ["--games", "12", "--threads", threads, "--openings", "random(plies=2)"]
        run("match", "havannah(size=4)", *players, *options, "--store", f"{threads}.db", cwd=tmp_path)
    exports = {run("export", "--store", f"{threads}.db", cwd=tmp_path).stdout for threads in ("1", "2", "5")}
    assert len(exports) == 1


def test_killing_a_match_loses_no_committed_game_and_repeats_none(tmp_path: Path) -> None:
    command = ["match", "havannah(size=4)", "uct(simulations=900)", "uct(simulations=800)", "--games", "40"]
    store = tmp_path / "coppice.db"
    kept_before: set[str] = set()
    for _ in range(3):
        with subprocess.Popen(
            [*COPPICE, *command], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            committed = wait_for_games(store, most=len(kept_before))
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL, "it was killed in the middle"
        exported = run("export", "--times", cwd=tmp_path).stdout
        kept = {line for line in exported.splitlines() if line[:1].isdigit()}
        # With their seconds, so that a game that was played again would differ.
        assert kept_before < kept
        assert committed <= len(kept) < 40
        kept_before = kept
    assert run(*command, cwd=tmp_path).returncode == 0
    assert kept_before < set(run("export", "--times", cwd=tmp_path).stdout.splitlines())
    assert games_in(store) == 40
    assert run(*command, "--store", "whole.db", cwd=tmp_path).returncode == 0
    exported = run("export", cwd=tmp_path).stdout
    assert exported == run("export", "--store", "whole.db", cwd=tmp_path).stdout
    assert len([line for line in exported.splitlines() if line[:1].isdigit()]) == 40


def test_ctrl_c_stops_a_match_and_keeps_what_is_finished(tmp_path: Path) -> None:
    players = ["uct(simulations=2000)", "uct(simulations=2000)"]
    process = subprocess.Popen(
        [*COPPICE, "match", "havannah(size=5)", *players, "--games", "100000"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    before = wait_for_games(tmp_path / "coppice.db")
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 130
    told = re.search(r"(\d+) of 100000 games; the same command plays the rest", stderr)
    assert told, stderr
    assert "Traceback" not in stderr
    kept = games_in(tmp_path / "coppice.db")
    assert before <= kept == int(told[1]) < 100_000


def test_the_core_stops_in_the_middle_of_endless_searches() -> None:
    endless = "uct(simulations=1000000000000)"
    games = Threads(2).games(coppice.Match("havannah(size=8)", endless, endless), [0, 1])
    begun = time.process_time()
    # All threads of this process are counted: they are searching.
    wait_for(lambda: time.process_time() - begun > 0.05)
    games.stop()
    assert [record for batch in games for record in batch] == []


def test_two_commands_on_one_store_share_the_work(tmp_path: Path) -> None:
    command = [*COPPICE, "match", "havannah(size=4)", "uct(simulations=300)", "random", "--games", "20"]
    both = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in "ab"
    ]
    outputs = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert outputs[0][0] == outputs[1][0]
    records = [line for line in run("export", cwd=tmp_path).stdout.splitlines() if line[:1].isdigit()]
    assert len(records) == 20


def test_without_a_terminal_one_demonstration_game_is_played() -> None:
    done = run("play", "havannah(size=3)", "--seed", "1", "--player", "uct(simulations=100)")
    assert done.returncode == 0
    assert "wins" in done.stdout


def talk(arguments: list[str], lines: list[str]) -> str:
    """What a person at a terminal sees who types these lines."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*COPPICE, *arguments], stdin=follower, stdout=follower, stderr=follower, close_fds=True
    )
    os.close(follower)
    seen = b""
    for line in lines:
        while not seen.rstrip().endswith(b">"):
            seen += os.read(leader, 65536)
        os.write(leader, line.encode() + b"\n")
        seen += b"|"
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    process.wait(timeout=60)
    os.close(leader)
    assert process.returncode == 0
    return seen.decode()


def test_a_person_plays_undoes_and_leaves() -> None:
    seen = talk(
        ["play", "havannah(size=3)", "--player", "uct(simulations=200)", "--seed", "1"],
        ["help", "moves", "zz", "hint", "undo", "c3", "undo", "board", "quit"],
    )
    assert "take back your last move" in seen
    assert "illegal move 'zz': legal are" in seen
    assert "there is no move of yours to take back" in seen
    assert "The computer played" in seen
    assert "visits" in seen


def test_the_computer_opens_from_its_book_and_thinks_on_a_persons_time() -> None:
    play = [
        "play",
        "havannah(size=4)",
        "--player",
        "strong(simulations=50)",
        "--side",
        "second",
        "--seed",
        "1",
    ]
    # The opening from the book; after the person's move, and while a question is asked, it ponders.
    seen = " ".join(talk([*play, "--ponder"], ["moves", "hint", "b1", "undo", "quit"]).split())
    assert "from the opening book: 100,000 simulations a position" in seen
    assert seen.count("The computer played") == 2
    assert "Traceback" not in seen
    assert "opening book" not in talk([*play, "--no-book"], ["quit"])


def test_who_cannot_ponder_is_refused() -> None:
    hidden = run("play", "mr_jack", "--ponder")
    assert hidden.returncode == 2
    assert "--ponder is for games without hidden information" in hidden.stderr


def test_signature_and_info_agree() -> None:
    done = run("signature")
    assert (done.returncode, done.stderr) == (0, ""), "what is computed is what is kept"
    assert done.stdout.strip() == json.loads(run("info", "--json").stdout)["play version"]


def test_fingerprints_are_written_as_they_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # To compute them takes long, and the test above has.
    kept = _core.fingerprints()
    asked: list[int | None] = []

    def computed(threads: int | None = None) -> tuple[str, str]:
        asked.append(threads)
        return kept

    monkeypatch.setattr(_core, "fingerprints", computed)
    written = tmp_path / "fingerprints.txt"
    signature(written)
    assert asked == [os.cpu_count()]
    assert capsys.readouterr().out.strip() == _core.PLAY_VERSION
    assert written.read_text(encoding="utf-8") == (ROOT / "fingerprints.txt").read_text(encoding="utf-8")


def test_a_changed_fingerprint_says_whose_it_is() -> None:
    head = "# hash, game, player\n"
    kept = head + "00000001\tnogo\tuct\n00000002\tnogo\tmast\n00000003\tnogo\told\n"
    now = head + "00000001\tnogo\tuct\n00000004\tnogo\tmast\n00000005\tnogo\tnew\n"
    assert fingerprint_changes(kept, kept) == []
    assert fingerprint_changes(kept, now) == [
        "mast in nogo plays otherwise",
        "old in nogo is gone",
        "new in nogo is new",
    ]


def test_a_build_that_plays_otherwise_than_its_file_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = _core.fingerprints()[0]
    first = kept.splitlines()[1]
    other = kept.replace(first, "deadbeef" + first[8:])
    monkeypatch.setattr(_core, "fingerprints", lambda threads=None: (other if threads else kept, "1234567"))
    with pytest.raises(ValueError, match=r"where that is meant, coppice signature --write fingerprints\.txt"):
        signature()
    _, game, player = first.split("\t")
    assert f"{player} in {game} plays otherwise" in capsys.readouterr().err


def test_perft_prints_the_counts() -> None:
    counts = json.loads(run("perft", "havannah(size=2)", "3", "--json").stdout)
    assert [count["sequences"] for count in counts] == [7, 42, 210]


def test_a_closed_pipe_is_no_error() -> None:
    command = " ".join(COPPICE) + " players | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, timeout=60
    )
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
