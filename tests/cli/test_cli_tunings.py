"""`coppice tune` and `coppice tunings` as a person meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run

GAME, OPPONENT = "tic_tac_toe", "uct(simulations=10)"
TEMPLATE = "mcts(selection={s}, simulations={n})"
RANGES = ["--set", "s=uct(k=0.3),rave", "--set", "n=2..60:log:int"]
EFFORT = ["--rounds", "2", "--population", "4", "--games", "4", "--verify", "10", "--seed", "5"]
TUNE = ["tune", GAME, TEMPLATE, OPPONENT, *RANGES, *EFFORT]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose store has a tuning."""
    path = tmp_path_factory.mktemp("tuned")
    done = run(*TUNE, "--json", cwd=path)
    assert done.returncode == 0, done.stderr
    (path / "told.json").write_text(done.stdout)
    return path


def test_a_tuning_is_listed_and_shown(folder: Path) -> None:
    told = json.loads((folder / "told.json").read_text())
    listed = run("tunings", cwd=folder).stdout
    assert told["tuning"][:8] in listed
    values = ", ".join(f"{name} = {value}" for name, value in told["values"].items())
    assert values in " ".join(listed.split())
    shown = run("tunings", told["tuning"][:6], cwd=folder)
    assert shown.returncode == 0
    assert "proposed, and measured in a fresh match on new seeds" in shown.stdout
    assert "trials that won most: luck has its part in each" in shown.stdout
    assert "s=uct(k=0.3),rave, n=2..60:log:int; cem, 8 trials of 4 games, seed 5" in " ".join(
        shown.stderr.split()
    )
    lines = [line.split() for line in shown.stdout.splitlines()]
    begin = lines.index(["rounds"])
    assert [line[:2] for line in lines[begin + 1 : begin + 4]] == [
        ["round", "trials"],
        ["1", "4"],
        ["2", "4"],
    ]
    every = run("tunings", told["tuning"][:6], "--trials", cwd=folder).stdout.split("all trials")[1]
    assert [line.split()[0] for line in every.strip().splitlines()[1:]] == [str(at) for at in range(1, 9)]


def test_json_has_all_that_is_known(folder: Path) -> None:
    told = json.loads((folder / "told.json").read_text())
    [one] = json.loads(run("tunings", "--json", cwd=folder).stdout)
    assert one == json.loads(run("tunings", told["tuning"], "--json", cwd=folder).stdout)
    assert one["tuning"] == told["tuning"]
    assert one["proposed"] == told["values"]
    assert [trial["number"] for trial in one["trials"]] == list(range(8))
    assert {trial["games"] for trial in one["trials"]} == {4}
    [closed] = one["verifications"]
    assert (closed["games"], closed["rate"], closed["seed"]) == (10, told["rate"], 5 + 1_000_003)
    matches = {row["match"] for row in json.loads(run("matches", "--json", cwd=folder).stdout)}
    assert {trial["match"] for trial in [*one["trials"], closed]} == matches


@pytest.mark.parametrize(
    ("name", "begins"), [("t.pdf", b"%PDF-"), ("t.svg", b"<?xml"), ("t.png", b"\x89PNG")]
)
def test_trials_are_drawn(name: str, begins: bytes, folder: Path) -> None:
    told = json.loads((folder / "told.json").read_text())
    done = run("tunings", told["tuning"][:8], "--out", name, cwd=folder)
    assert (done.returncode, f"figure in {name}" in done.stderr) == (0, True)
    assert (folder / name).read_bytes().startswith(begins)


def test_given_again_nothing_is_played_and_a_single_choice_may_be_tuned(folder: Path) -> None:
    games = len(run("export", "--to", "csv", cwd=folder).stdout.splitlines())
    again = run(*TUNE, "--json", cwd=folder)
    assert again.stdout == (folder / "told.json").read_text()
    assert len(run("export", "--to", "csv", cwd=folder).stdout.splitlines()) == games
    one = ["tune", GAME, "mcts(reuse={r}, simulations=9)", OPPONENT, "--set", "r=true,false", *EFFORT]
    done = run(*one, "--method", "random", "--store", "r.db", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "coppice tunings " in done.stderr
    assert "random" in run("tunings", "--store", "r.db", cwd=folder).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tune", GAME, TEMPLATE, OPPONENT, "--set", "s=uct,rave"], "needs a value for {n}: --set n="),
        (["tune", GAME, TEMPLATE, OPPONENT, *RANGES, "--set", "x=1..2"], "has no {x} for the value of x"),
        (
            ["tune", GAME, TEMPLATE, OPPONENT, *RANGES, "--method", "luck"],
            "--method luck is not allowed: cem, cm",
        ),
        (
            ["tune", GAME, TEMPLATE, OPPONENT, *RANGES, "--method", "cmaes"],
            "the method cmaes tunes numbers, and s is a choice: take cem, tpe, nsgaii, qmc, random",
        ),
        (
            ["tune", GAME, "uct(simulations={n})", OPPONENT, "--set", "n=1..9", "--method", "optuna"],
            "the method cmaes needs at least two parameters: for a single one take cem, tpe",
        ),
        (["tune", GAME, TEMPLATE, OPPONENT, "--set", "n=1"], "a choice needs at least two values"),
        (["tune", GAME, "uct({k})", OPPONENT, "--set", "k=a,b"], "uct: the value a needs a key="),
        (["tunings", "--store", "none.db"], "there is no store 'none.db': coppice tune makes one"),
        (["tunings", "--out", "t.pdf"], "--out needs a tuning: coppice tunings NAME"),
        (["tunings", "--trials"], "--trials needs a tuning: coppice tunings NAME"),
        (["tunings", "zzz"], "has no tuning zzz: "),
        (
            ["tunings", "a", "--out", "t.gif"],
            "'t.gif' is no name for a figure: allowed are the endings .pdf, .svg",
        ),
        (["tunings", "a", "--out", "no/t.pdf"], "there is no folder 'no' for the figure 't.pdf'"),
        (
            ["sweep", GAME, "uct(simulations={n})", OPPONENT, "--set", "n=1", "--out", "no/t.pdf"],
            "there is no folder 'no' for the figure 't.pdf'",
        ),
    ],
)
def test_what_is_wrong_is_one_line(arguments: list[str], message: str, folder: Path) -> None:
    done = run(*arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_a_store_without_tunings_says_so(tmp_path: Path) -> None:
    run("match", GAME, "random", "random", "--games", "2", cwd=tmp_path)
    done = run("tunings", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "has no tuning: coppice tune makes one" in done.stderr
