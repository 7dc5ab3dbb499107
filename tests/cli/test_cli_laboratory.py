"""The commands of the laboratory as a person meets them."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from command import COPPICE, run, wait_for_games

from coppice.lab.match import Match
from coppice.lab.store import Store

MINE = '''
"""A tiny experiment."""
from coppice.experiment import *

EXPERIMENT = Experiment(
    question="Is UCT better than chance?",
    source="our own",
    rows=(
        MatchRow(
            name="uct", labels={"x": "1"}, game="havannah(size=3)", a="uct(simulations=20)", b="random",
            count=40, published=percent(95, 600),
        ),
        MatchRow(
            name="chance", labels={"x": "2"}, game="havannah(size=3)", a="random", b="random",
            count=40, published=percent(99, 600),
        ),
        SearchRow(
            name="states", game="tic_tac_toe", player="uct(simulations=50)", measure="states", count=10,
            published=Published(text="some"),
        ),
        PlayoutRow(name="length", game="tic_tac_toe", player="uct(simulations=20)", count=3),
    ),
    figures=(Figure(x="x", title="Toy"), Figure(x="ply", by_ply=True)),
)
'''


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "ppr_table2"], "unknown experiment 'ppr_table2': a file ending in .py, or one of"),
        (["run", "nowhere.py"], "there is no experiment file 'nowhere.py'"),
        (["run", "ppr_table1", "--rows", "99"], "'99' is no row: allowed are numbers from 1 to 34, ranges"),
        (
            ["run", "ppr_table1", "--rows", "1", "--rows", "size 6, 1000 playouts, MAS"],
            "near it: 4 'size 6, 1000 playouts, MAST'",
        ),
        (
            ["run", "ppr_table1", "--reading", "mine"],
            "'mine' is no reading: allowed are literal; replies for all nodes; authors' program",
        ),
        (
            ["run", "ppr_table1", "--rows", "1", "--reading", "authors' program"],
            'none of these rows has the reading "authors\' program"',
        ),
        (["run", "ppr_table1", "--games", "0"], "Invalid value for '--games'"),
        (["run", "ppr_table1", "--cluster", "tcp://127.0.0.1:1"], "no Dask scheduler answers at"),
        (["run", "ppr_table1", "--store", "no/such/x.db"], "there is no folder 'no/such'"),
        (["report"], "there is no store 'coppice.db' and no --results"),
        (["report", "--results", "nowhere"], "there is no folder 'nowhere'"),
        (["tables", "frob"], "unknown experiment 'frob'"),
        (["run"], "an experiment is needed: coppice run NAME, or coppice run --all"),
        (["run", "ppr_table1", "--for", "2h"], "an experiment is needed"),
        (["run", "ppr_table1", "--all"], "--all takes no NAME: --only chooses experiments"),
        (["run", "--all", "--games", "3"], "--all takes no --games: --only chooses experiments"),
        (["run", "--all", "--for", "2 days"], "'2 days' is no length of time: allowed are numbers with s, m"),
        (["run", "--all", "--only", "frob*"], "no experiment is called 'frob*': fossel_fig6"),
        (["verify", "--results", "nowhere"], "there is no folder 'nowhere'"),
        (["merge", "nowhere", "nowhere"], "there is no folder 'nowhere'"),
        (["run", "ppr_table1", "--results", "/dev/null"], "'/dev/null' is no folder"),
        (
            ["match", "havannah", "uct", "random", "--sprt", "elo2=0"],
            "'elo2=0' is no part of a sequential test",
        ),
        (["match", "havannah", "uct", "random", "--sprt", "elo1=x"], "elo1=x is not allowed in a sequential"),
        (["match", "havannah", "uct", "random", "--sprt", "elo0=5,elo1=0"], "elo0 must be smaller than elo1"),
        (["tournament", "havannah", "uct"], "a tournament needs at least 2 players, not 1"),
        (
            ["tournament", "havannah", "uct", "random", "--kind", "cup"],
            "--kind cup is not allowed: round_robin",
        ),
        (["sweep", "havannah", "uct", "random", "--set", "k=1"], "has no {k} for the value of k"),
        (["sweep", "havannah", "uct", "random", "--set", "k=1", "--set", "k=2"], "--set k is given twice"),
        (
            ["sweep", "havannah", "uct", "random", "--set", "k=1", "--out", "x.gif"],
            "'x.gif' is no name for a figure: allowed are the endings .pdf, .svg, .png",
        ),
        (["tune", "havannah", "uct", "random", "--set", "k"], "'k' is not allowed: name=low..high"),
        (
            ["tune", "havannah", "uct", "random", "--set", "k=1..2", "--method", "luck"],
            "--method luck is not",
        ),
        (["convert", "nowhere.sgf"], "there is no file 'nowhere.sgf'"),
        (["replay", "nowhere.sgf"], "there is no file 'nowhere.sgf'"),
    ],
)
def test_what_is_wrong_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_run_shows_costs_then_the_table_and_resumes(mine: Path) -> None:
    done = run("run", "mine.py", "--games", "10", cwd=mine)
    assert done.returncode == 0, done.stderr
    assert "uct: 10 of 10 to do" in done.stderr
    assert "cost on this machine, measured: about" in done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].strip() == "mine: our own"
    assert lines[1].split()[:3] == ["#", "row", "games"]
    assert [line.split()[:2] for line in lines[2:6]] == [
        *(["1", "uct"], ["2", "chance"]),
        *(["3", "states"], ["4", "length"]),
    ]
    assert "ours, 95 % interval" in lines[1]
    assert lines[3].endswith("too few games (10 of 40)")
    assert "some" in lines[4]
    again = run("run", "mine.py", "--games", "30", "--rows", "1", "--rows", "st*", "--json", cwd=mine)
    assert "uct: 20 of 30 to do" in again.stderr
    found = {row["row"]: row for row in json.loads(again.stdout)["rows"]}
    assert {name: one["number"] for name, one in found.items()} == {"uct": 1, "states": 3}
    assert found["uct"]["games"] == 30
    assert found["uct"]["low"] < found["uct"]["ours"] < found["uct"]["high"]
    assert found["uct"]["first"]["games"] == found["uct"]["second"]["games"] == 15
    assert found["states"]["first"] is None
    assert found["uct"]["command"] == "coppice run mine.py --rows 1 --games 30 --seed 0"
    assert found["states"]["consistent"] is None
    assert (found["uct"]["consistent"], found["uct"]["games_needed"], found["uct"]["p"]) == (
        *("too few games", 67),
        None,
    )
    part = run("run", "mine.py", "--fraction", "0.9", cwd=mine)
    assert "chance: 26 of 36 to do" in part.stderr
    assert "uct: 6 of 36 to do" in part.stderr
    assert "too few games (36 of 40)" in part.stdout.splitlines()[3]
    # A verdict is given at the paper's number, not on the way there.
    whole = run("run", "mine.py", "--rows", "chance", cwd=mine)
    assert "no (p < 0.001)" in whole.stdout.splitlines()[2]


def test_run_takes_rows_by_their_reading(mine: Path) -> None:
    text = (
        (mine / "mine.py")
        .read_text()
        .replace("rows=(", "readings=(LUCK,), rows=(\n        under(LUCK, ONE), ONE,")
    )
    row = 'MatchRow(name="one", labels={"x": "3"}, game="tic_tac_toe", a="random", b="random", count=4)'
    luck = f'LUCK = Reading("luck", "The die is not described.")\nONE = {row}\n'
    (mine / "mine.py").write_text(text.replace("EXPERIMENT =", f"{luck}EXPERIMENT =", 1))
    done = run("run", "mine.py", "--reading", "luck", "--games", "2", cwd=mine)
    assert done.returncode == 0, done.stderr
    assert [line.split()[:3] for line in done.stdout.splitlines()[2:]] == [["1", "one", "[luck]"]]
    assert "[luck]: The die is not described." in done.stderr
    literal = ["run", "mine.py", "--reading", "literal", "--rows", "1-2", "--games", "2", "--json"]
    found = json.loads(run(*literal, cwd=mine).stdout)
    assert [(one["number"], one["reading"]) for one in found["rows"]] == [(2, "literal")]


def test_experiments_are_listed_with_their_readings(tmp_path: Path) -> None:
    found = {one["name"]: one for one in json.loads(run("experiments", "--json", cwd=tmp_path).stdout)}
    assert found["ppr_table1"]["readings"] == ["literal", "replies for all nodes", "authors' program"]
    assert (found["ppr_fig6"]["rows"], found["ppr_fig6"]["readings"]) == (14, ["literal"])
    lines = run("experiments", cwd=tmp_path).stdout.splitlines()
    header = next(line for line in lines if "readings" in line)
    assert header.split()[:3] == ["name", "rows", "readings"]
    assert next(line for line in lines if line.startswith("ppr_table1")).split()[1:3] == ["34", "3"]


def test_by_side_shows_the_rates_with_each_side(tmp_path: Path) -> None:
    game, uct = "tic_tac_toe", "uct(simulations=20)"
    match = ["match", game, uct, "random", "--games", "10"]
    plain = run(*match, cwd=tmp_path).stdout
    told = run(*match, "--by-side", cwd=tmp_path).stdout
    assert told.startswith(plain)
    rows = [line.split()[:2] for line in told.removeprefix(plain).splitlines()[2:]]
    assert rows == [["Crosses", "5"], ["Noughts", "5"]]
    found = json.loads(run(*match, "--json", cwd=tmp_path).stdout)
    assert found["first"]["games"] == found["second"]["games"] == 5
    assert found["first"]["wins"] + found["second"]["wins"] == found["wins"]
    assert found["second"]["low"] < found["second"]["rate"] <= found["second"]["high"]
    cup = run(
        "tournament", game, uct, "random", "--games", "10", "--by-side", cwd=tmp_path
    ).stdout.splitlines()
    assert cup[1].split()[-4:] == ["as", "first", "as", "second"]
    rates = [100 * found[side]["rate"] for side in ("first", "second")]
    assert cup[2].split()[-4::2] == [f"{rate:.1f}" for rate in rates]
    # What one has with the first side, the other has with the second.
    assert cup[3].split()[-4::2] == [f"{100 - rate:.1f}" for rate in reversed(rates)]
    sweep = ["sweep", game, "uct(simulations={n})", "random", "--set", "n=20", "--games", "10", "--by-side"]
    swept = run(*sweep, cwd=tmp_path).stdout.splitlines()
    assert swept[2].split()[-4::2] == [f"{rate:.1f}" for rate in rates]


def test_only_cost_plays_nothing(mine: Path) -> None:
    done = run("run", "mine.py", "--only-cost", cwd=mine)
    assert "uct: 40 of 40 to do" in done.stdout
    with Store(mine / "coppice.db") as store:
        assert store.matches() == []


def test_processes_give_the_same_table(mine: Path) -> None:
    here = run("run", "mine.py", "--rows", "1", "--games", "20", cwd=mine)
    there = run("run", "mine.py", "--rows", "1", "--games", "20", "--processes", "--store", "p.db", cwd=mine)
    assert here.stdout == there.stdout
    exports = [run("export", "--store", name, cwd=mine).stdout for name in ("coppice.db", "p.db")]
    assert exports[0] == exports[1]


def test_a_terminal_sees_rows_at_work(mine: Path) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*COPPICE, "run", "mine.py", "--games", "10"],
        cwd=mine,
        stdout=subprocess.DEVNULL,
        stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            data = os.read(leader, 4096)
        except OSError:
            break
        seen += data
    os.close(leader)
    assert process.wait() == 0
    assert b"10/10" in seen
    assert b"left" in seen


def test_killing_a_run_loses_nothing_and_the_same_command_does_the_rest(mine: Path) -> None:
    arguments = ["run", "mine.py", "--rows", "1", "--games", "1000000"]
    process = subprocess.Popen(
        [*COPPICE, *arguments], cwd=mine, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        kept = wait_for_games(mine / "coppice.db")
    finally:
        process.kill()
        process.wait()
    assert kept
    with Store(mine / "coppice.db") as store:
        [match] = store.matches()
        assert match.games >= kept
        wanted = match.games + 10
    done = run("run", "mine.py", "--rows", "1", "--games", str(wanted), "--json", cwd=mine)
    assert json.loads(done.stdout)["rows"][0]["games"] == wanted


def test_interrupting_a_run_shows_what_there_is(mine: Path) -> None:
    arguments = ["run", "mine.py", "--rows", "1", "--games", "1000000"]
    process = subprocess.Popen(
        [*COPPICE, *arguments],
        cwd=mine,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert wait_for_games(mine / "coppice.db")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "interrupted; the same command does the rest" in err
    assert "mine: our own" in out


def test_interrupting_the_queue_keeps_all_that_was_played(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COPPICE, "run", "--all", "--only", "nmcs_text", "--threads", "1"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        before = wait_for_games(tmp_path / "coppice.db")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert before
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted; the same command does the rest"
    assert "Traceback" not in err
    with Store(tmp_path / "coppice.db", read_only=True) as store:
        played = sum(match.games for match in store.matches())
    assert played >= before
    # The folder of results has them all, too, and the runs of other rows, without the store.
    state = json.loads(run("tables", "nmcs_text", "--store", "none.db", "--json", cwd=tmp_path).stdout)[0]
    assert state["done"] >= played


def test_report_and_tables(mine: Path) -> None:
    run("run", "mine.py", "--games", "6", "--rows", "1,2,length", "--results", "results", cwd=mine)
    done = run(
        "report", "mine.py", "--out", "site", "--export", "more", "--findings", "findings.md", cwd=mine
    )
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (mine / "site").iterdir()}
    assert {"index.html", "mine.html", "mine.md", "mine.csv", "mine.tex", "mine-1.png", "mine-2.svg"} <= names
    assert (mine / "results" / "mine.jsonl").read_text() == (mine / "more" / "mine.jsonl").read_text()
    text = (mine / "findings.md").read_text()
    assert "3 of 4 rows were run, on 18 games and runs." in text
    # The exports alone give the same report.
    again = run("report", "mine.py", "--store", "none.db", "--results", "results", "--out", "again", cwd=mine)
    assert again.returncode == 0, again.stderr
    for name in names:
        assert (mine / "again" / name).read_bytes() == (mine / "site" / name).read_bytes(), name
    state = json.loads(run("tables", "mine.py", "--json", cwd=mine).stdout)
    assert state[0]["state"] == "incomplete"
    assert (state[0]["rows"], state[0]["rows_complete"], state[0]["done"]) == (4, 1, 18)
    nothing = run("report", "mine.py", "--store", "none.db", "--results", "site", "--out", "x", cwd=mine)
    assert nothing.returncode == 0


def test_folders_are_run_verified_and_merged(tmp_path: Path) -> None:
    def told(*arguments: str, code: int = 0) -> str:
        done = run(*arguments, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        return done.stdout

    for folder, rows in (("one", "1-3"), ("two", "3-5")):
        where = ("--rows", rows, "--games", "4", "--results", folder, "--store", f"{folder}.db")
        told("run", "nmcs_table3", *where)
    told("merge", "one", "two")
    entries = [json.loads(line) for line in (tmp_path / "one" / "nmcs_table3.jsonl").read_text().splitlines()]
    assert [len(entry["games"]["0"]) for entry in entries] == [4] * 5
    assert "stands  5" in told("verify", "--results", "one")
    state = json.loads(told("tables", "nmcs_table3", "--results", "one", "--json"))[0]
    assert (state["done"], state["stale"]) == (20, 0)
    # Somebody's line of another code: it is told, marked and not shown, and merging mixes nothing.
    entries[0]["games"]["0"] = "".join("10"[int(sign)] for sign in entries[0]["games"]["0"])
    entries[0]["prints"]["1"] = "0" * 12
    other = tmp_path / "two" / "nmcs_table3.jsonl"
    other.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    before = (tmp_path / "one" / "nmcs_table3.jsonl").read_bytes()
    done = run("merge", "one", "two", cwd=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "nmcs_table3: row 'Breakthrough, level 0': number 0 came out otherwise in both" in done.stderr
    assert (tmp_path / "one" / "nmcs_table3.jsonl").read_bytes() == before
    # What another play version has made is replayed first, and is of today's once it stands.
    made_by, entries[3]["plays"] = entries[3]["plays"], "1-2"
    other.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    answers = json.loads(told("verify", "--results", "two", "--json", code=1))
    assert [answer["answer"] for answer in answers] == ["stands", "stale"] + ["stands"] * 3
    assert answers[0]["row"] == entries[3]["row"]
    plays = {json.loads(line)["row"]: json.loads(line)["plays"] for line in other.read_text().splitlines()}
    assert plays[entries[3]["row"]] == made_by != "1-2"
    state = json.loads(told("tables", "nmcs_table3", "--results", "two", "--json"))[0]
    assert (state["done"], state["stale"]) == (16, 1)
    told("merge", "one", "two")
    state = json.loads(told("tables", "nmcs_table3", "--results", "one", "--json"))[0]
    assert (state["done"], state["stale"]) == (20, 0)


def test_games_of_an_earlier_version_are_mentioned_until_some_were_replayed(mine: Path) -> None:
    run("run", "mine.py", "--games", "6", "--rows", "1", cwd=mine)
    with sqlite3.connect(mine / "coppice.db") as store:
        store.execute("UPDATE matches SET play_version = 'older'")
        store.execute("DELETE FROM results WHERE series IN (SELECT number FROM series WHERE kind = 'builds')")
    told = "mine: 6 games of these rows were played by an earlier version: they count as soon as coppice run"
    before = run("tables", "mine.py", "--json", cwd=mine)
    assert told in before.stderr
    assert json.loads(before.stdout)[0]["done"] == 0
    again = run("run", "mine.py", "--games", "6", "--rows", "1", "--json", cwd=mine)
    assert json.loads(again.stdout)["rows"][0]["games"] == 6
    after = run("tables", "mine.py", "--json", cwd=mine)
    assert (told in after.stderr, json.loads(after.stdout)[0]["done"]) == (False, 6)


def test_the_queue_ends_at_its_time_and_shows_what_there_is(tmp_path: Path) -> None:
    where = ("--only", "nmcs_tabl*1", "--threads", "1")
    over = "the time is over; what rows cost is kept"
    short = run("run", "--all", *where, "--for", "0s", cwd=tmp_path)
    assert (short.returncode, short.stderr) == (0, f"{over}\n")
    longer = run("run", "--all", *where, "--for", "1s", cwd=tmp_path)
    assert longer.returncode == 0, longer.stderr
    assert longer.stderr.splitlines()[-1] in (over, "the time is over")


def test_an_experiment_that_cannot_run_does_not_hide_the_others(mine: Path) -> None:
    run("run", "mine.py", "--games", "2", "--rows", "1", cwd=mine)
    (mine / "bad.py").write_text(MINE.replace("uct(simulations=20)", "nobody"))
    done = run("tables", "mine.py", "bad.py", "--json", cwd=mine)
    assert [row["state"][:27] for row in json.loads(done.stdout)] == [
        "incomplete",
        "cannot run: unknown player ",
    ]
    done = run("report", "bad.py", cwd=mine)
    assert done.returncode == 2
    assert "bad: unknown player 'nobody'" in done.stderr
    assert run("tables", cwd=mine).returncode == 0


def test_a_sequential_test_ends_a_match(tmp_path: Path) -> None:
    arguments = ["match", "havannah(size=3)", "uct(simulations=50)", "random", "--games", "100000"]
    done = run(*arguments, "--sprt", "elo0=0,elo1=50", cwd=tmp_path)
    assert done.returncode == 0
    assert "sequential test: H1 accepted: stronger by more than 0 Elo, decided by the first" in done.stderr
    # A store that holds more games shows the same.
    assert run(*arguments[:-1], "1000", cwd=tmp_path).returncode == 0
    more = run(*arguments, "--sprt", "elo0=0,elo1=50", cwd=tmp_path)
    assert more.stdout == done.stdout
    again = run(*arguments, "--sprt", "elo0=0,elo1=50", "--json", cwd=tmp_path)
    found = json.loads(again.stdout)
    assert found["verdict"] == "H1"
    assert found["games"] == found["decided_by"] < 1000
    # The first run may have had more under way than these when the test decided.
    [row] = json.loads(run("matches", "--json", cwd=tmp_path).stdout)
    assert row["games"] >= 1000
    assert f"decided by the first {found['games']} games; {row['games'] - found['games']} more" in more.stderr
    assert found["llr"] > found["llr_high"]
    assert found["sprt"]["alpha"] == 0.05


def test_tournament_sweep_and_tune(tmp_path: Path) -> None:
    done = run(
        "tournament", "havannah(size=3)", "random", "uct(simulations=30)", "--games", "10", cwd=tmp_path
    )
    assert done.stdout.splitlines()[2].split()[:2] == ["1", "uct(simulations=30)"]
    template = "uct(selection=uct(k={k}), simulations=20)"
    arguments = ["havannah(size=3)", template, "random"]
    done = run(
        *("sweep", *arguments, "--set", "k=0.1,0.5", "--games", "4", "--out", "k.png", "--json"), cwd=tmp_path
    )
    assert [row["k"] for row in json.loads(done.stdout)] == ["0.1", "0.5"]
    assert (tmp_path / "k.png").read_bytes().startswith(b"\x89PNG")
    options = ["--rounds", "2", "--population", "4", "--games", "4", "--verify", "10"]
    done = run("tune", *arguments, "--set", "k=0.1..1:log", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("round ") == 8
    assert "measured in a fresh match on new seeds (seed 1000003)" in " ".join(done.stdout.split())


def test_records_are_converted_and_replayed(tmp_path: Path) -> None:
    run("match", "havannah(size=3)", "random", "random", "--games", "2", cwd=tmp_path)
    done = run("convert", "coppice.db", "game.txt", "--index", "1", cwd=tmp_path)
    assert done.stdout == "game.txt: 1 game as text\n"
    assert run("convert", "game.txt", "game.hgf", cwd=tmp_path).returncode == 0
    assert "RU[LG]" in (tmp_path / "game.hgf").read_text()
    back = run("convert", "game.hgf", cwd=tmp_path).stdout
    assert back == (tmp_path / "game.txt").read_text()
    shown = run("replay", "game.hgf", cwd=tmp_path).stdout
    assert "1. White" in shown
    assert re.search(r"^(White|Black) wins by \w+ing a (ring|bridge|fork)\.$", shown, re.M)
    one = run("replay", "game.hgf", "--move", "2", cwd=tmp_path).stdout
    assert "2. Black" in one
    assert "3. White" not in one
    for arguments, message in [
        (
            ["convert", "game.hgf", "game.xyz"],
            "'game.xyz' does not tell its format: end it in .sgf, .hgf or .txt",
        ),
        (["convert", "game.hgf", "--to", "pgn"], "--to pgn is not allowed: sgf, hgf, text"),
        (["convert", "coppice.db", "--all"], "expected one game for a plain text, found 2"),
        (["convert", "coppice.db", "--match", "zz"], "give --match, the first digits of one match: "),
        (["convert", "coppice.db", "--index", "7"], "has no game 7 yet"),
        (["convert", "game.hgf", "--number", "2"], "game.hgf has 1 games: there is no number 2"),
        (["replay", "game.hgf", "--move", "999"], "moves: there is no move 999"),
    ]:
        wrong = run(*arguments, cwd=tmp_path)
        assert wrong.returncode == 2
        assert message in wrong.stderr
    broken = (tmp_path / "game.hgf").read_text().replace(";W[", "\n;W[zz", 1)
    (tmp_path / "broken.hgf").write_text(broken)
    assert (
        "broken.hgf: line 2: expected a move, found 'zz" in run("replay", "broken.hgf", cwd=tmp_path).stderr
    )


@pytest.mark.parametrize("game", ["havannah(size=3)", "breakthrough", "misere(domineering)", "tic_tac_toe"])
def test_all_games_of_a_match_are_one_sgf_file(tmp_path: Path, game: str) -> None:
    run("match", game, "random", "random", "--games", "3", cwd=tmp_path)
    done = run("convert", "coppice.db", "all.sgf", "--all", cwd=tmp_path)
    assert done.stdout == "all.sgf: 3 games as sgf\n", done.stderr
    for index in range(3):
        stored = run("convert", "coppice.db", "--index", str(index), cwd=tmp_path).stdout
        back = run("convert", "all.sgf", "--to", "text", "--number", str(index + 1), cwd=tmp_path)
        assert back.stdout == stored
    again = run("convert", "all.sgf", "--to", "sgf", cwd=tmp_path)
    assert again.stdout == (tmp_path / "all.sgf").read_text()
    shown = run("replay", "all.sgf", "--number", "2", cwd=tmp_path)
    assert (shown.returncode, "1. " in shown.stdout) == (0, True)


def test_a_match_without_games_has_nothing_to_convert(tmp_path: Path) -> None:
    with Store(tmp_path / "coppice.db") as store:
        store.register(Match("tic_tac_toe", "random", "random").row)
    done = run("convert", "coppice.db", "all.sgf", "--all", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no game yet" in done.stderr


def test_little_golems_loser_in_re_is_only_a_warning(tmp_path: Path) -> None:
    # Their files name the loser.
    run("match", "havannah(size=3)", "random", "random", "--games", "1", cwd=tmp_path)
    run("convert", "coppice.db", "game.hgf", cwd=tmp_path)
    text = (tmp_path / "game.hgf").read_text()
    other = text.replace("RE[W]", "RE[?]").replace("RE[B]", "RE[W]").replace("RE[?]", "RE[B]")
    (tmp_path / "other.hgf").write_text(other)
    done = run("convert", "other.hgf", cwd=tmp_path)
    assert done.returncode == 0
    assert "warning: other.hgf: the file says that" in done.stderr


def test_a_damaged_store_stops_with_a_clear_message(mine: Path) -> None:
    run("run", "mine.py", "--rows", "1", "--games", "2", cwd=mine)
    (mine / "coppice.db").write_bytes((mine / "coppice.db").read_bytes()[:4096])
    done = run("run", "mine.py", "--rows", "1", "--games", "4", cwd=mine)
    assert done.returncode == 2
    assert "store 'coppice.db'" in done.stderr
    assert "Traceback" not in done.stderr
