"""Tests of what a match takes from outside: games of other code are never mixed in, and none is lost."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from command import run
from engines import ENGINE

import coppice
from coppice import _core
from coppice.core.outside import Outside, Part
from coppice.lab.match import Match
from coppice.lab.store import Store
from coppice.lab.sweep import Sweep
from coppice.lab.tournament import Tournament
from coppice.lab.workers import Processes, Threads, play_chunk
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


def test_games_of_an_edited_class_are_not_mixed_with_new_ones() -> None:
    first = mine().play(10)
    assert mine().play(10).resumed == 10
    write(-1)
    message = (
        r"^store 'coppice\.db' has 10 games of this match that were played before class '\./mine\.py:Mine'"
        r" changed: --fresh \(in Python fresh=True\) plays the match anew and sets the old games aside$"
    )
    for games in (5, 10, 20):
        with pytest.raises(ValueError, match=message):
            mine().play(games)
    assert len(first.records) == 10
    anew = mine().play(10, fresh=True)
    assert anew.resumed == 0
    assert moves(anew) != moves(first)
    assert moves(mine().play(12))[:10] == moves(anew)
    with Store("coppice.db") as store:
        old, new = store.matches()
        assert new.identity == mine().identity
        assert (old.games, new.games) == (10, 12)
        assert old.set_aside
        assert not new.set_aside
        assert [r.moves for r in store.records(old.identity)] == moves(first)
    # The edit taken back: the games that are set aside stay there.
    write(0)
    assert moves(mine().play(10, fresh=True)) == moves(first)


def test_a_result_does_not_pass_games_played_anew_for_its_own() -> None:
    result = mine().play(10)
    write(-1)
    mine().play(2, fresh=True)
    with pytest.raises(ValueError, match="the store no longer has the games of this result"):
        _ = result.records


def test_a_helper_beside_the_class_counts() -> None:
    Path("helper.py").write_text("INDEX = 0\n")
    text = POLICY.format(index="INDEX").replace("class", "from helper import INDEX\nclass")
    Path("user.py").write_text(text)
    match = Match(GAME, 'mcts(playout=python("user:Mine"), simulations=5)', "random")
    match.play(2)
    Path("helper.py").write_text("INDEX = 1\n")
    with pytest.raises(ValueError, match="were played before class 'user:Mine' changed"):
        match.play(2)


def test_edited_weights_rules_and_programs_are_noticed() -> None:
    [weights] = (Path(coppice.__file__).parent / "data").rglob("*havannah*.json")
    Path("w.json").write_bytes(weights.read_bytes())
    Path("engine.py").write_bytes(ENGINE.read_bytes())
    command = shlex.join([sys.executable, "-SE", "engine.py"])
    for game, player, file, part in [
        ("havannah(size=3)", 'mcts(playout=patterns("w.json"), simulations=5)', "w.json", "weights 'w.json'"),
        (GAME, f'gtp(command="{command}")', "engine.py", f"program '{command}'"),
    ]:
        match = Match(game, player, "random")
        assert match.play(2, store=f"{file}.db").resumed == 0
        assert match.play(2, store=f"{file}.db").resumed == 2
        Path(file).write_text(Path(file).read_text() + "\n")
        told = re.escape(f"has 2 games of this match that were played before {part} changed")
        with pytest.raises(ValueError, match=told):
            match.play(4, store=f"{file}.db")
        assert match.play(4, store=f"{file}.db", fresh=True).resumed == 0


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


def test_a_store_of_an_earlier_version_stays_readable_and_is_not_mixed() -> None:
    plain = Match(GAME, "random", "random")
    first = mine().play(4)
    plain.play(4)
    with sqlite3.connect("coppice.db") as connection:
        connection.execute("ALTER TABLE matches DROP COLUMN fingerprint")
        connection.execute("ALTER TABLE matches DROP COLUMN set_aside")
        for column in ("used_a", "used_b"):
            connection.execute(f"ALTER TABLE games DROP COLUMN {column}")
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    with Store("coppice.db", read_only=True) as store:
        assert [(row.games, row.fingerprint, row.set_aside) for row in store.matches()] == [(4, None, "")] * 2
    assert plain.play(6).resumed == 4
    message = (
        r"store 'coppice\.db' has 4 games of this match from an earlier version of coppice, which did not"
        r" keep what class '\./mine\.py:Mine' was: --fresh"
    )
    with pytest.raises(ValueError, match=message):
        mine().play(4)
    assert moves(mine().play(4, fresh=True)) == moves(first)
    assert mine().play(4).resumed == 4


def test_an_edit_while_a_match_is_played_waits_for_the_next_match() -> None:
    whole = moves(mine().play(30, store=None, threads=1))
    Path("mine.py").write_text(PATIENT)
    running = mine().run(30, threads=1)
    next(running)
    assert 0 < next(running).finished < 30
    write(-1)
    Path("go").touch()
    assert [value.done for value in running][-1]
    with Store("coppice.db") as store:
        assert [record.moves for record in store.records(mine().identity)] == whole
    with pytest.raises(ValueError, match="were played before class"):
        mine().play(1)


def test_a_program_that_changes_while_it_plays_stops_the_match() -> None:
    Path("engine.py").write_bytes(ENGINE.read_bytes())
    match = Match(GAME, f'gtp(command="{shlex.join([sys.executable, "-SE", "engine.py"])}")', "random")
    running = match.run(1000)
    next(running)
    next(running)
    Path("engine.py").write_text(ENGINE.read_text() + "\n")
    with pytest.raises(ValueError, match=r"^'engine\.py' has changed while the match was played: the games"):
        list(running)


def test_worker_processes_must_read_the_same_code() -> None:
    match = mine()
    arguments = (match, [0], _core.PLAY_VERSION)
    told = "a worker reads another class './mine.py:Mine' than the match began with"
    with pytest.raises(ValueError, match=told):
        play_chunk(*arguments, {})
    assert len(play_chunk(*arguments, match.outside.read_here())) == 1
    elsewhere = match.play(4, store=None, workers=Processes(1))
    assert moves(elsewhere) == moves(match.play(4, store=None))


def test_many_matches_can_be_played_anew() -> None:
    players = (mine().a, "random")
    with Store("t.db") as store:
        plan = Tournament(GAME, players)
        sweep = Sweep(GAME, mine().a.replace("simulations=5", "simulations={n}"), "random", {"n": ["3", "4"]})
        for work in (plan, sweep):
            list(work.run(2, store))
        write(-1)
        for work in (plan, sweep):
            with pytest.raises(ValueError, match="were played before class"):
                list(work.run(2, store))
            with pytest.raises(ValueError, match="were played before class"):
                work.scores(2, store)
            list(work.run(2, store, fresh=True))
            assert all(score.games == 2 for score in work.scores(2, store).values())
        assert sum(bool(row.set_aside) for row in store.matches()) == 3


# Classes without a file

NOTEBOOK = """
import sys
from coppice.extend import Game
from coppice.lab.match import Match
from coppice.lab.store import Store
from coppice.lab.tournament import Tournament

CELL = '''
class U(Game):
    def initial_state(self, seed): return 0
    def side_to_move(self, state): return "second" if state % 2 else "first"
    def legal_moves(self, state): return [0]
    def play(self, state, move): return state + 1
    def outcome(self, state): return None if state < 3 else WINNER
'''
for winner in ("first", "second"):
    exec(CELL.replace("WINNER", repr(winner)))
    result = Match('python("__main__:U")', "random", "random").play(8, sides="first")
    print(result.resumed, result.score.points, len(result.records))
print([row.games for row in Store("coppice.db").matches()])
try:
    Tournament('python("__main__:U")', ("random", "uct(simulations=3)")).scores(2, Store("coppice.db"))
except ValueError as error:
    print(error)
"""


def test_a_class_redefined_in_a_notebook_is_never_answered_from_the_store() -> None:
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "0 8.0 8",
        "0 0.0 8",
        "[]",
        "class '__main__:U' is in no file, so its games are not stored: take the scores of run",
    ]
    assert done.stderr.splitlines() == ["this match is not stored: class '__main__:U' is in no file"] * 2


# The command


def test_the_command_says_what_changed_and_plays_anew() -> None:
    command = ["match", GAME, mine().a, "random", "--games", "4"]
    first = run(*command)
    assert first.returncode == 0, first.stderr
    write(-1)
    refused = run(*command)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "were played before class './mine.py:Mine' changed: --fresh" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    anew = run(*command, "--fresh", "--json")
    assert json.loads(anew.stdout)["games"] == 4
    with Store("coppice.db", read_only=True) as store:
        assert [row.games for row in store.matches()] == [4, 4]


def test_an_experiment_is_run_anew() -> None:
    Path("x.py").write_text(
        "from coppice.experiment import *\n"
        f"EXPERIMENT = Experiment(question='?', source='s', rows=(MatchRow(name='r', game='{GAME}',"
        f" a={mine().a!r}, b='random', count=4),))\n"
    )
    assert run("run", "x.py").returncode == 0
    write(-1)
    assert "were played before class" in run("run", "x.py", "--games", "6").stderr
    assert "r: 0 of 4 to do" in run("run", "x.py", "--fresh", "--only-cost").stdout
    anew = run("run", "x.py", "--fresh")
    assert anew.returncode == 0, anew.stderr
    assert "r: 4 of 4 to do" in anew.stderr


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
        with pytest.raises(ValueError, match=r"were played before class './mine.py:Mine' changed"):
            collect(one, jobs_of(one, games=4), store)


def test_what_is_in_no_file_is_not_measured_for_a_store() -> None:
    program = (
        "from coppice.extend import Playout\n"
        "from coppice.experiment import Experiment, PlayoutRow\n"
        "from coppice.papers.jobs import jobs_of\n"
        "exec('class U(Playout):\\n    def choose(self, turn, rng): return None')\n"
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
    assert done.stdout == (
        "class '__main__:U' is in no file, so that nobody could tell later what was measured\n"
    )
