"""`--threads`, `--processes`, `--cluster`: the same in every command that plays; errors are one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import typer
from command import run

from coppice.cli import app
from coppice.cli.workers import open_workers, with_numbers
from coppice.lab.workers import Processes, Threads

PROCESSORS = os.cpu_count() or 1
MATCH = ["match", "tic_tac_toe", "uct(simulations=20)", "random", "--games", "20", "--seed", "3"]
TEMPLATE = "uct(simulations={n})"
COMMANDS = {
    "match": MATCH,
    "tournament": ["tournament", "tic_tac_toe", "random", "uct(simulations=5)", "--games", "4"],
    "sweep": ["sweep", "tic_tac_toe", TEMPLATE, "random", "--set", "n=5,9", "--games", "4"],
    "tune": ["tune", "tic_tac_toe", TEMPLATE, "random", "--set", "n=5..9:int", "--rounds", "1",
             "--population", "4", "--games", "2", "--verify", "4"],
    "study": ["study", "help.toml"],
    "learn": ["learn", "havannah(size=3)", "--player", "random", "--games", "10", "--out", "w.json"],
    "run": ["run", "nmcs_text", "--rows", "1", "--games", "2"],
    "verify": ["verify", "--results", "."],
}  # fmt: skip
STUDY = """
baseline = "uct(simulations=5)"
games = ["tic_tac_toe"]
most = 8

[changes]
rave = "rave(simulations=5)"
"""


def refused(*arguments: str, cwd: Path) -> str:
    done = run(*arguments, cwd=cwd)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_every_command_that_plays_takes_the_same_three() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    options = {
        name: {one: parameter.help for parameter in command.params for one in parameter.opts}
        for name, command in commands.items()
    }
    told = {
        tuple(options[name].get(one) for one in ("--threads", "--processes", "--cluster"))
        for name in COMMANDS
    }
    assert len(told) == 1
    assert None not in next(iter(told))
    others = {name for name, found in options.items() if "--processes" in found} - set(COMMANDS)
    assert others == set()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["match", "--processes"], ["match", f"--processes={PROCESSORS}"]),
        (["run", "--processes", "name"], ["run", f"--processes={PROCESSORS}", "name"]),
        (["run", "--processes", "--json"], ["run", f"--processes={PROCESSORS}", "--json"]),
        (["run", "--processes", "3", "name"], ["run", "--processes", "3", "name"]),
        (["run", "--processes", "0"], ["run", "--processes", "0"]),
        (["run", "--processes", "-2"], ["run", "--processes", "-2"]),
        (["run", "--processes=3"], ["run", "--processes=3"]),
        (["run", "--", "--processes"], ["run", "--", "--processes"]),
        (["run", "--processes", "--", "3"], ["run", f"--processes={PROCESSORS}", "--", "3"]),
    ],
)
def test_processes_may_go_without_a_number(written: list[str], meant: list[str]) -> None:
    assert with_numbers(written) == meant


def test_a_command_line_says_who_works() -> None:
    for threads, processes, workers in (
        (None, None, Threads(PROCESSORS)),
        (3, None, Threads(3)),
        (None, 3, Processes(3)),
    ):
        with open_workers(threads, processes) as opened:
            assert opened == workers


@pytest.mark.parametrize("name", COMMANDS)
def test_what_excludes_each_other_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "help.toml").write_text(STUDY)
    said = refused(*COMMANDS[name], "--threads", "2", "--processes", "2", cwd=tmp_path)
    all_three = "--threads, --processes, --cluster"
    assert said == f"coppice: --threads and --processes exclude each other: give one of {all_three}\n"


def test_wrong_workers_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
    for more, message in (
        (
            ["--processes", "--cluster", "tcp://x"],
            "--processes and --cluster exclude each other: give one of",
        ),
        (
            ["--threads", "2", "--processes", "--cluster", "x"],
            "--threads and --processes and --cluster exclude",
        ),
        (["--threads", "0"], "Invalid value for '--threads': Input should be greater than or equal to 1"),
        (["--processes", "0"], "Invalid value for '--processes'"),
        (["--processes", "-1"], "Invalid value for '--processes'"),
        (["--cluster", "tcp://127.0.0.1:1"], "no Dask scheduler answers at 'tcp://127.0.0.1:1'"),
    ):
        assert message in refused(*MATCH, *more, cwd=tmp_path)
    assert refused("run", "--all", "--processes", "2", cwd=tmp_path) == (
        "coppice: --all plays at the lowest priority, in threads of this process: --threads N\n"
    )


@pytest.mark.parametrize("name", ["run", "verify"])
@pytest.mark.parametrize("flag", ["--jobs", "-j"])
def test_the_old_name_of_threads_says_the_new_one(name: str, flag: str, tmp_path: Path) -> None:
    said = refused(*COMMANDS[name], flag, "4", cwd=tmp_path)
    assert said == "coppice: --jobs is called --threads now: --threads 4, or --processes 4\n"


def test_processes_play_the_games_of_threads(tmp_path: Path) -> None:
    exports = set()
    for place, more in (("t.db", ["--threads", "2"]), ("p.db", ["--processes", "2"])):
        done = run(*MATCH, *more, "--store", place, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        exports.add(run("export", "--store", place, cwd=tmp_path).stdout)
    assert len(exports) == 1
    assert exports.pop().count("\n") > 20


@pytest.mark.parametrize("name", ["tournament", "sweep", "tune", "learn", "run"])
def test_the_others_play_in_processes_too(name: str, tmp_path: Path) -> None:
    done = run(*COMMANDS[name], "--processes", "2", "--store", "s.db", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    if name == "run":
        again = run(*COMMANDS[name], "--processes", "2", "--store", "s.db", "--only-cost", cwd=tmp_path)
        assert " 0 of 2 to do" in again.stdout
    else:
        assert run("export", "--store", "s.db", cwd=tmp_path).stdout.count("\n") >= 4
