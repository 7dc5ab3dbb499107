"""`coppice study`, and tidy rows from the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet
import pytest
from command import run

from coppice.lab.frames import kinds_of
from coppice.lab.match import Match
from coppice.lab.store import Store
from coppice.lab.tidy import TidyGame, TidyMatch, TidyPair

TOML = """
question = "Does RAVE help?"
baseline = "uct"
games = ["tic_tac_toe", "havannah(size=3)"]
budgets = ["simulations=5"]
most = 8
looks = 2

[changes]
rave = "rave"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "help.toml").write_text(TOML)
    return tmp_path


def test_a_study_says_its_cost_and_plays_nothing_yet(folder: Path) -> None:
    done = run("study", "help.toml", "--only-cost", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    first, second, *rows, last = done.stdout.splitlines()
    assert first == "Does RAVE help?"
    assert second.startswith("2 rows of at most 8 games, looked at after 4, 8; a score of ")
    assert [row.split(":")[0].strip() for row in rows] == [
        "rave, tic_tac_toe, simulations=5",
        "rave, havannah(size=3), simulations=5",
    ]
    assert all(" 8 of 8 to play, " in row for row in rows)
    assert last.startswith("cost on this machine, measured: at most about ")
    with Store(folder / "coppice.db") as store:
        assert store.matches() == []


def test_a_study_ends_with_table_methods_and_figures(folder: Path) -> None:
    done = run("study", "help.toml", "--threads", "1", "--out", "made", "--csv", "e.csv", cwd=folder)
    assert done.returncode == 0
    assert "cost on this machine" in done.stderr
    assert done.stdout.splitlines()[0].startswith("change  game ")
    assert "One change of a player, rave (rave), was played against the baseline (uct)" in done.stdout
    assert sorted(path.name for path in (folder / "made").iterdir()) == sorted(
        [
            *("table.txt", "table.md", "table.tex", "methods.txt", "effects.csv"),
            *(f"{name}.{kind}" for name in ("forest", "heat_map") for kind in ("pdf", "svg", "png")),
        ]
    )
    assert (folder / "made" / "forest.pdf").read_bytes()[:5] == b"%PDF-"
    assert "all games" in (folder / "made" / "forest.svg").read_text()
    assert (folder / "e.csv").read_text() == (folder / "made" / "effects.csv").read_text()


def test_a_study_as_json_resumes_and_is_played_anew(folder: Path) -> None:
    first, again, fresh = (
        run("study", "help.toml", *more, "--json", cwd=folder) for more in ((), (), ("--fresh",))
    )
    one, two, three = (json.loads(done.stdout) for done in (first, again, fresh))
    assert one == two
    assert "0 of 8 to play" in again.stderr
    assert "8 of 8 to play" in fresh.stderr
    assert [row["score"] for row in three["rows"]] == [row["score"] for row in one["rows"]]
    assert (one["study"], one["done"], one["declaration"]["games"]) == ("help", True, [4, 8])
    assert one["methods"].endswith(".")
    with Store(folder / "coppice.db") as store:
        assert [bool(match.set_aside) for match in store.matches()] == [True, True, False, False]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.toml"], "there is no study file 'none.toml'"),
        (["help.yaml"], "'help.yaml' is no study: a file ending in .toml or .py"),
        (["bad.toml"], "study 'bad.toml': a study needs an entry 'baseline'"),
        (["help.toml", "--threads", "1", "--processes", "2"], "exclude each other"),
    ],
)
def test_what_is_wrong_is_one_line(arguments: list[str], message: str, folder: Path) -> None:
    (folder / "bad.toml").write_text("looks = 2\n")
    done = run("study", *arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


# Tidy rows


@pytest.fixture
def store(tmp_path: Path) -> Path:
    Match("tic_tac_toe", "uct(simulations=5)", "random").play(5, store=tmp_path / "coppice.db")
    Match("havannah(size=3)", "random", "random").play(4, store=tmp_path / "coppice.db")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "record", "count"),
    [
        (["matches"], TidyMatch, 2),
        (["export"], TidyGame, 9),
        (["export", "--per", "pair"], TidyPair, 4),
        (["export", "--per", "match"], TidyMatch, 2),
        (["matches", "--game", "havannah"], TidyMatch, 1),
    ],
)
def test_tidy_rows_as_csv_and_parquet(words: list[str], record: type, count: int, store: Path) -> None:
    done = run(*words, "--csv", "f.csv", "--parquet", "f.parquet", cwd=store)
    assert done.returncode == 0
    unit = "row" if count == 1 else "rows"
    assert done.stderr.splitlines() == [f"{count} {unit} in f.csv", f"{count} {unit} in f.parquet"]
    with (store / "f.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(kinds_of(record)) == pyarrow.parquet.read_schema(store / "f.parquet").names
    assert len(rows) == count == pyarrow.parquet.read_table(store / "f.parquet").num_rows


def test_moves_are_written_when_asked_for(store: Path) -> None:
    for more, empty in (((), True), (("--moves",), False)):
        run("export", "--csv", "f.csv", *more, cwd=store)
        with (store / "f.csv").open(newline="") as file:
            assert all((row["moves"] == "") == empty for row in csv.DictReader(file))
    wrong = run("export", "--per", "move", cwd=store)
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "coppice: rows per 'move' are not allowed: game, pair, match\n",
    )


def test_a_match_is_played_anew_from_the_command_line(store: Path) -> None:
    words = ("match", "havannah(size=3)", "random", "random", "--games", "4", "--json")
    assert json.loads(run(*words, cwd=store).stdout)["games"] == 4
    with Store(store / "coppice.db") as opened:
        assert [match.games for match in opened.matches()] == [5, 4]
    assert run(*words, "--fresh", cwd=store).returncode == 0
    with Store(store / "coppice.db") as opened:
        assert [(match.games, bool(match.set_aside)) for match in opened.matches()] == [
            *((5, False), (4, True), (4, False)),
        ]
