"""`coppice matches` and `coppice export` as a person meets them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from command import run

from coppice.lab.exports import parse_exports
from coppice.lab.match import Match


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of three matches."""
    path = tmp_path_factory.mktemp("matches")
    small = Match("havannah(size=3)", "uct(simulations=5)", "random")
    small.play(4, store=path / "coppice.db")
    Match("tic_tac_toe", "random", "rave(simulations=4)", seed=3).play(2, store=path / "coppice.db")
    small.play(2, store=path / "coppice.db", fresh=True)
    return path


def test_matches_lists_what_a_store_holds(folder: Path) -> None:
    done = run("matches", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    header, *lines = done.stdout.splitlines()
    assert header.split("  ")[0] == "match"
    assert len(lines) == 3
    assert "havannah(size=3)" in lines[0]
    assert "uct(simulations=5)" in lines[0]
    assert "set aside 20" in lines[0]
    assert " % " in lines[1]
    assert "rave(simulations=4)" in lines[1]
    assert "set aside" not in lines[2]


def test_matches_are_filtered_by_game_and_told_as_json(folder: Path) -> None:
    rows = json.loads(run("matches", "--json", cwd=folder).stdout)
    assert [(row["short_game"], row["games"], row["seed"]) for row in rows] == [
        ("havannah(size=3)", 4, 0),
        ("tic_tac_toe", 2, 3),
        ("havannah(size=3)", 2, 0),
    ]
    assert all(row["low"] <= row["rate"] <= row["high"] for row in rows)
    assert [row["set_aside"] is None for row in rows] == [False, True, True]
    for game, count in (
        ("havannah", 2),
        ("havannah(size=3)", 2),
        ("havannah(size=4)", 0),
        ("tic_tac_toe", 1),
    ):
        assert len(json.loads(run("matches", "--game", game, "--json", cwd=folder).stdout)) == count
    nothing = run("matches", "--game", "havannah(size=4)", cwd=folder)
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert nothing.stderr == "store 'coppice.db' has no match of havannah(size=4)\n"


def test_an_export_of_several_matches_keeps_them_apart(folder: Path) -> None:
    text = run("export", cwd=folder).stdout
    identities = {
        row["match"]: row["games"] for row in json.loads(run("matches", "--json", cwd=folder).stdout)
    }
    back = parse_exports(text.splitlines(keepends=True))
    assert {match.identity: len(games) for match, games in back} == identities
    rows = list(csv.DictReader(run("export", "--to", "csv", cwd=folder).stdout.splitlines()))
    lines = [json.loads(line) for line in run("export", "--to", "jsonl", cwd=folder).stdout.splitlines()]
    for found in (rows, lines):
        of = [row["match"] for row in found]
        assert {name: of.count(name) for name in of} == identities
    first = next(iter(identities))
    alone = run("export", first[:8], "--to", "jsonl", cwd=folder).stdout.splitlines()
    assert [json.loads(line)["match"] for line in alone] == [first] * 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["matches", "--store", "none.db"], "there is no store 'none.db': coppice match makes one"),
        (["matches", "--game", "chess"], "unknown game 'chess'"),
        (["export", "--to", "xml"], "--to xml is not allowed: text, csv, jsonl"),
        (["export", "zz"], "the store 'coppice.db' has no match zz: "),
    ],
)
def test_what_is_wrong_is_one_line(arguments: list[str], message: str, folder: Path) -> None:
    done = run(*arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
