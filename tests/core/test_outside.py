"""Tests of what a match takes from outside: games of other code are never mixed in, and none is lost."""

from __future__ import annotations

import json
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from command import run
from engines import ENGINE

import coppice
from coppice.core.outside import Outside, Part
from coppice.lab.match import Match
from coppice.lab.store import Store, describe_machine
from coppice.lab.sweep import Sweep
from coppice.lab.tournament import Tournament
from coppice.lab.workers import Processes, Threads, Workers
from coppice.papers.experiment import Experiment, MatchRow, PlayoutRow
from coppice.papers.jobs import jobs_of
from coppice.papers.runner import collect
from coppice.papers.runner import run as execute

GAME = "tic_tac_toe"
POLICY = """
from coppice.extend import Playout
class Mine(Playout):
    def choose(self, turn, rng):
        return turn.legal_moves()[{index}]
"""
PATIENT = """
import time
from pathlib import Path
from coppice.extend import Playout
class Mine(Playout):
    calls = 0
    def choose(self, turn, rng):
        # Two games need fewer calls, all of them more.
        Mine.calls += 1
        while Mine.calls > 300 and not Path("go").exists():
            time.sleep(0.01)
        return turn.legal_moves()[0]
"""


@pytest.fixture(autouse=True)
def here(own_modules: None) -> None:
    write(0)


def write(index: int) -> None:
    """The policy that plays the first legal move, or another one."""
    Path("mine.py").write_text(POLICY.format(index=index))


def mine() -> Match:
    return Match(GAME, 'mcts(playout=python("./mine.py:Mine"), simulations=5)', "random")


def moves(result: coppice.MatchResult) -> list[str]:
    return [record.moves for record in result.records]


# Parts


def test_every_option_that_is_a_text_is_known_to_be_outside_or_not() -> None:
    texts = {option.name for part in coppice.catalogue() for option in part.options if option.kind == "text"}
    inside = {"options", "setup", "notation", "log"}
    assert texts == {"class", "weights", "rules", "command"} | inside


def test_parts_are_found_in_specs_and_nowhere_else() -> None:
    quoted = 'gtp(command="prog \\"weights=\\\\\\"x\\\\\\"\\" y", log="rules=z")'
    specs = [
        'misere(python(class="./g.py:G", options="class=\\"no\\""))',
        'mcts(playout=patterns(weights="w.json")+python(class="m:C", options=none), simulations=5)',
        'jack(candidates=scripted_power(rules="folder"), playout=scripted(rules=none))',
        quoted,
    ]
    assert [(part.kind, part.text) for part in Outside(*specs).parts] == [
        ("class", "./g.py:G"),
        ("class", "m:C"),
        ("program", 'prog "weights=\\"x\\"" y'),
        ("rules", "folder"),
        ("weights", "w.json"),
    ]
    assert Outside("uct(simulations=5)", "random").parts == ()


def test_a_program_is_its_executable_and_its_files_but_for_logs() -> None:
    for name in ("script.py", "out.log", "told", "net.bin"):
        Path(name).write_text(name)
    part = Part("program", f"{sys.executable} -S script.py --log told -x out.log --weights net.bin")
    assert set(part.files()) == {sys.executable, "script.py", "net.bin"}
    seen = {part.fingerprint()}
    for name in ("script.py", "net.bin"):
        Path(name).write_text("other")
        seen.add(part.fingerprint())
    assert len(seen) == 3
    Path("told").write_text("more")
    assert part.fingerprint() in seen
    assert Part("program", "no_such_program_here x").files() == {}


def test_weights_that_cannot_be_read_are_told() -> None:
    with pytest.raises(ValueError, match=r"^cannot read weights 'nowhere\.json': No such file or directory$"):
        Part("weights", "nowhere.json").fingerprint()


# Matches


CHANGED = "{} changed since {} were played: they stay in '{}', and the match is played anew\n"


def test_an_edited_class_plays_another_match(capfd: pytest.CaptureFixture[str]) -> None:
    first = mine().play(10)
    old = mine().identity
    assert mine().play(10).resumed == 10
    assert capfd.readouterr().err == "", "nothing has changed"
    write(-1)
    anew = mine().play(10)
    assert capfd.readouterr().err == CHANGED.format("mine.py", "10 games", "coppice.db")
    assert anew.resumed == 0
    assert moves(anew) != moves(first)
    assert mine().play(12).resumed == 10
    assert capfd.readouterr().err == "", "the games of this code are there"
    with Store("coppice.db") as store:
        assert [(row.identity, row.games, row.set_aside) for row in store.matches()] == [
            (old, 10, ""),
            (mine().identity, 12, ""),
        ]
        assert mine().score_in(store, 12) == store.score(mine().identity)
    assert len(first.records) == 10, "a result keeps its games"
    write(0)
    assert mine().identity == old
    assert mine().play(10).resumed == 10, "the edit taken back"
    assert mine().play(10, fresh=True).resumed == 0


def test_a_result_does_not_pass_games_played_anew_for_its_own() -> None:
    result = mine().play(10)
    mine().play(2, fresh=True)
    with pytest.raises(ValueError, match="the store no longer has the games of this result"):
        _ = result.records


def test_a_helper_beside_the_class_counts(capfd: pytest.CaptureFixture[str]) -> None:
    Path("helper.py").write_text("INDEX = 0\n")
    text = POLICY.format(index="INDEX").replace("class", "from helper import INDEX\nclass")
    Path("user.py").write_text(text)
    match = Match(GAME, 'mcts(playout=python("user:Mine"), simulations=5)', "random")
    match.play(2)
    Path("helper.py").write_text("INDEX = -1\n")
    assert match.play(2).resumed == 0
    assert capfd.readouterr().err == CHANGED.format("helper.py", "2 games", "coppice.db")


def test_the_package_that_a_class_lies_in_counts() -> None:
    Path("package").mkdir()
    Path("package/__init__.py").write_text("INDEX = 0\n")
    Path("package/user.py").write_text(
        POLICY.format(index="package.INDEX").replace(
            "class", "import sys\npackage = sys.modules['package']\nclass", 1
        )
    )
    match = Match(GAME, 'mcts(playout=python("package.user:Mine"), simulations=5)', "random")
    before = match.identity
    Path("package/__init__.py").write_text("INDEX = 1\n")
    assert match.identity != before


def test_edited_weights_rules_and_programs_play_another_match(capfd: pytest.CaptureFixture[str]) -> None:
    [weights] = (Path(coppice.__file__).parent / "data").rglob("*havannah*.json")
    Path("w.json").write_bytes(weights.read_bytes())
    Path("engine.py").write_bytes(ENGINE.read_bytes())
    command = shlex.join([sys.executable, "-SE", "engine.py"])
    for game, player, file in [
        ("havannah(size=3)", 'mcts(playout=patterns("w.json"), simulations=5)', "w.json"),
        (GAME, f'gtp(command="{command}")', "engine.py"),
    ]:
        match = Match(game, player, "random")
        assert match.play(2, store=f"{file}.db").resumed == 0
        assert match.play(2, store=f"{file}.db").resumed == 2
        assert capfd.readouterr().err == ""
        Path(file).write_text(Path(file).read_text() + "\n")
        assert match.play(4, store=f"{file}.db").resumed == 0
        assert capfd.readouterr().err == CHANGED.format(file, "2 games", f"{file}.db")
        assert match.play(4, store=f"{file}.db").resumed == 4


def test_fingerprints_of_rules_depend_on_every_script() -> None:
    Path("rules").mkdir()
    for name in ("one.lua", "two.lua", "notes.txt"):
        Path("rules", name).write_text("x")
    part = Part("rules", "rules")
    before = part.fingerprint()
    Path("rules/notes.txt").write_text("y")
    assert part.fingerprint() == before
    Path("rules/two.lua").write_text("y")
    assert part.fingerprint() != before


def test_a_store_of_an_earlier_version_stays_readable_and_is_not_mixed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    plain = Match(GAME, "random", "random")
    first = mine().play(4)
    plain.play(4)
    with sqlite3.connect("coppice.db") as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(
            "UPDATE matches SET identity = ? WHERE identity = ?", (mine().plan, mine().identity)
        )
        connection.execute("ALTER TABLE matches DROP COLUMN fingerprint")
        connection.execute("ALTER TABLE matches DROP COLUMN set_aside")
        connection.execute("ALTER TABLE matches DROP COLUMN contents")
        for column in ("used_a", "used_b", "place"):
            connection.execute(f"ALTER TABLE games DROP COLUMN {column}")
        connection.execute("DROP TABLE places")
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    with Store("coppice.db", read_only=True) as store:
        assert [(row.games, row.fingerprint, row.set_aside) for row in store.matches()] == [(4, None, "")] * 2
    assert plain.play(6).resumed == 4
    assert mine().play(4).resumed == 0
    assert capfd.readouterr().err == (
        "4 games of this match were played by an earlier version of coppice, which did not keep what"
        " class './mine.py:Mine' was: they stay in 'coppice.db', and the match is played anew\n"
    )
    assert moves(mine().play(4)) == moves(first)


def test_games_of_the_version_before_count_where_nothing_has_changed() -> None:
    match = mine()
    match.play(4)
    with sqlite3.connect("coppice.db") as connection:
        # It made identities of the specs alone, and asked no program what it is.
        connection.execute("UPDATE matches SET identity = ?", (match.plan,))
        connection.execute("DROP TABLE places")
        connection.execute("ALTER TABLE matches DROP COLUMN contents")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("ALTER TABLE games DROP COLUMN place")
        connection.execute("PRAGMA user_version = 4")
    connection.close()
    with Store("coppice.db", read_only=True) as store:
        assert match.score_in(store, 4) == store.score(match.plan)
        assert [record.place for record in store.records(match.plan)] == [None] * 4
    assert match.play(6).resumed == 4
    with Store("coppice.db") as store:
        assert [(row.identity, row.games) for row in store.matches()] == [(match.identity, 6)]
        assert [record.place is None for record in store.records(match.identity)] == [True] * 4 + [False] * 2
    write(-1)
    assert match.play(6).resumed == 0


def test_an_edit_while_a_match_is_played_waits_for_the_next_match() -> None:
    whole = moves(mine().play(30, store=None, threads=1))
    Path("mine.py").write_text(PATIENT)
    running = mine().run(30, threads=1)
    next(running)
    assert 0 < next(running).finished < 30
    write(-1)
    Path("go").touch()
    *_, last = running
    assert last.done
    with Store("coppice.db") as store:
        assert [record.moves for record in store.records(last.identity)] == whole
    assert mine().identity != last.identity
    assert mine().play(1).resumed == 0


def test_a_program_that_changes_while_it_plays_stops_the_match() -> None:
    Path("engine.py").write_bytes(ENGINE.read_bytes())
    match = Match(GAME, f'gtp(command="{shlex.join([sys.executable, "-SE", "engine.py"])}")', "random")
    running = match.run(1000)
    next(running)
    next(running)
    Path("engine.py").write_text(ENGINE.read_text() + "\n")
    with pytest.raises(ValueError, match=r"^'engine\.py' has changed while the match was played: the games"):
        list(running)


def test_an_edit_plays_all_matches_of_a_plan_anew() -> None:
    players = (mine().a, "random")
    with Store("t.db") as store:
        plan = Tournament(GAME, players)
        sweep = Sweep(GAME, mine().a.replace("simulations=5", "simulations={n}"), "random", {"n": ["3", "4"]})
        for work in (plan, sweep):
            list(work.run(2, store))
        write(-1)
        for work in (plan, sweep):
            assert not work.scores(2, store)
            list(work.run(2, store))
            assert all(score.games == 2 for score in work.scores(2, store).values())
        assert [row.games for row in store.matches()] == [2] * 6


# Classes without a file

NOTEBOOK = """
import sys
from coppice.extend import Game
from coppice.lab.match import Match
from coppice.lab.store import Store, describe_machine
from coppice.lab.tournament import Tournament

CELL = '''
LENGTH = 3
class U(Game):
    def initial_state(self, seed): return 0
    def side_to_move(self, state): return "second" if state % 2 else "first"
    def legal_moves(self, state): return [0]
    def play(self, state, move): return state + 1
    def outcome(self, state): return None if state < LENGTH else WINNER
'''
for winner in ("first", "second", "second", "draw"):
    exec(CELL.replace("WINNER", repr(winner)))
    result = Match('python("__main__:U")', "random", "random").play(8, sides="first")
    print(result.resumed, result.score.points, len(result.records))
LENGTH = 4
print(Match('python("__main__:U")', "random", "random").play(8, sides="first").resumed)
LENGTH = open("lock", "w")
match = Match('python("__main__:U")', "random", "random")
for what in (lambda: next(match.run(2)).identity, lambda: match.score_in(Store("coppice.db"), 2)):
    try:
        print(repr(what()))
    except ValueError as error:
        print(error)
print([row.games for row in Store("coppice.db").matches()])
"""


def test_a_class_of_a_notebook_is_known_by_its_code_and_by_what_it_captures() -> None:
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    untold = "class '__main__:U': nobody can tell what 'LENGTH' holds: TextIOWrapper"
    assert done.stdout.splitlines() == [
        *("0 8.0 8", "0 0.0 8", "8 0.0 8", "0 4.0 8", "0"),
        *("''", f"{untold}, so its games are not stored: take the scores of run"),
        "[8, 8, 8, 8]",
    ]
    assert done.stderr == (
        CHANGED.format("class U", "8 games", "coppice.db") * 3 + f"this match is not stored: {untold}\n"
    )


# The command


def test_the_command_says_what_changed_and_plays_anew() -> None:
    command = ["match", GAME, mine().a, "random", "--games", "4"]
    first = run(*command)
    assert first.returncode == 0, first.stderr
    write(-1)
    changed = run(*command, "--json")
    assert changed.returncode == 0
    assert CHANGED.format("mine.py", "4 games", "coppice.db") in changed.stderr
    told = json.loads(changed.stdout)
    assert (told["games"], told["match"]) == (4, mine().identity)
    anew = run(*command, "--fresh", "--json")
    assert json.loads(anew.stdout)["games"] == 4
    with Store("coppice.db", read_only=True) as store:
        assert [(row.games, bool(row.set_aside)) for row in store.matches()] == [
            (4, False),
            (4, True),
            (4, False),
        ]


def test_an_experiment_is_run_anew() -> None:
    Path("x.py").write_text(
        "from coppice.experiment import *\n"
        f"EXPERIMENT = Experiment(question='?', source='s', rows=(MatchRow(name='r', game='{GAME}',"
        f" a={mine().a!r}, b='random', count=4),))\n"
    )
    assert run("run", "x.py").returncode == 0
    write(-1)
    assert "r: 4 of 4 to do" in run("run", "x.py", "--only-cost").stdout
    anew = run("run", "x.py")
    assert anew.returncode == 0, anew.stderr
    assert CHANGED.format("mine.py", "4 games", "coppice.db") in anew.stderr
    assert "r: 0 of 4 to do" in run("run", "x.py", "--only-cost").stdout


def test_what_was_measured_of_an_edited_class_is_measured_anew() -> None:
    player = 'mcts(playout=python("./mine.py:Mine"), simulations=6)'
    row = PlayoutRow(name="length", game=GAME, player=player, count=4)
    one = Experiment(question="?", source="s", rows=(row,), name="x", given="x")
    with Store("s.db") as store:
        found = []
        for index in (0, -1, 0):
            write(index)
            jobs = jobs_of(one, games=4)
            found.append(jobs[0].done(store))
            for _ in execute(jobs, store, Threads(1)):
                pass
        assert found == [0, 0, 4], "measured, measured anew, and as it was the first time"


def test_a_report_shows_no_games_of_an_edited_class() -> None:
    one = Experiment(
        question="?", source="s", name="x", given="x",
        rows=(MatchRow(name="r", game=GAME, a=mine().a, b="random", count=4),),
    )  # fmt: skip
    with Store("s.db") as store:
        jobs = jobs_of(one, games=4)
        for _ in execute(jobs, store, Threads(1)):
            pass
        assert collect(one, jobs, store)["r"].count == 4
        write(-1)
        assert "r" not in collect(one, jobs_of(one, games=4), store)


def test_what_nobody_can_tell_is_not_measured_for_a_store() -> None:
    program = (
        "from coppice.extend import Playout\n"
        "from coppice.experiment import Experiment, PlayoutRow\n"
        "from coppice.papers.jobs import jobs_of\n"
        "FILE = open('x', 'w')\n"
        "exec('class U(Playout):\\n    def choose(self, turn, rng): FILE')\n"
        "player = 'mcts(playout=python(\"__main__:U\"))'\n"
        "row = PlayoutRow(name='r', game='tic_tac_toe', player=player, count=1)\n"
        "one = Experiment(question='?', source='s', rows=(row,), name='x', given='x')\n"
        "try:\n"
        "    print(jobs_of(one, games=1)[0].work.identity)\n"
        "except ValueError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "class '__main__:U': nobody can tell what 'FILE' holds: TextIOWrapper\n"


@pytest.mark.parametrize("workers", [Threads(1), Processes(1)], ids=["threads", "processes"])
def test_a_game_by_the_clock_keeps_machine_and_load(workers: Workers, tmp_path: Path) -> None:
    match = Match("tic_tac_toe", "uct(cpu_seconds=0.0001)", "random")
    assert match.timed
    with Store(tmp_path / "s.db") as store:
        records = match.play(4, workers=workers, store=store).records
        assert len(records) == 4
        for record in records:
            assert record.place is not None
            assert record.place.machine == describe_machine()
            assert record.place.load >= 0
        assert set(store.places(match.identity)) == {record.place for record in records}
