"""An edit of a policy, of weights, of an engine and of a class in a notebook: the next match plays new games.

Through threads, processes and a Dask cluster whose worker has none of the files: it gets them by content.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from engines import ENGINE
from patience import wait_for

import coppice

RUN = """
import contextlib, json, shlex, sys
from pathlib import Path
import coppice
from coppice.extend import Playout
from coppice.lab.match import Match
from coppice.lab.store import Store
from coppice.lab.workers import Cluster, Processes, Threads

POLICY = '''
from coppice.extend import Playout
from beside import INDEX
class Mine(Playout):
    def choose(self, turn, rng):
        return turn.legal_moves()[INDEX]
'''
CELL = '''
INDEX = {}
class Cell(Playout):
    def choose(self, turn, rng):
        return turn.legal_moves()[INDEX]
'''
ENGINE = Path("engine.py").read_text()
WEIGHTS = json.loads(Path("w.json").read_text())


def write(edit):
    "All four as they are before an edit, or after it."
    Path("mine.py").write_text(POLICY)
    Path("beside.py").write_text(f"INDEX = {-edit}\\n")
    exec(CELL.format(-edit), globals())
    Path("engine.py").write_text(ENGINE.replace("self.rng.choice(", "max(") if edit else ENGINE)
    weights = json.loads(json.dumps(WEIGHTS))
    if edit:
        for pattern, (any_, far, *counts) in weights["patterns"].items():
            weights["patterns"][pattern] = [1 / any_, 1 / far, *counts]
    Path("w.json").write_text(json.dumps(weights))


def matches():
    command = shlex.join([sys.executable, "-SE", str(Path("engine.py").resolve()), "--seed", "1"])
    game = "tic_tac_toe"
    return {
        "policy": Match(game, 'mcts(playout=python("mine:Mine"), simulations=4)', "random"),
        "weights": Match("havannah(size=3)", 'mcts(playout=patterns("w.json"), simulations=4)', "random"),
        "engine": Match(game, f'gtp(command="{command}")', "random"),
        "notebook": Match(game, 'mcts(playout=python("__main__:Cell"), simulations=4)', "random"),
    }


def main():
    sys.path.insert(0, "")
    kind, address = sys.argv[1:]
    told = {}
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(Store("s.db"))
        if kind == "dask":
            workers = stack.enter_context(Cluster(address))
        else:
            workers = Threads(2) if kind == "threads" else Processes(1)
        for edit in (0, 0, 1, 1, 0):
            write(edit)
            for name, match in matches().items():
                print(f"{name}:", file=sys.stderr, flush=True)
                result = match.play(6, workers=workers, store=store)
                entry = told.setdefault(name, {"resumed": [], "moves": [], "here": []})
                entry["resumed"].append(result.resumed)
                entry["moves"].append([record.moves for record in result.records])
                if not result.resumed:
                    plain = match.play(6, workers=Threads(1), store=None)
                    entry["here"].append([record.moves for record in plain.records])
    print(json.dumps(told))

main()
"""


@contextmanager
def a_worker(folder: Path) -> Iterator[str]:
    """A scheduler and one worker, which lives in a folder of its own."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    file = folder / "scheduler.json"

    def start(*words: str) -> subprocess.Popen[bytes]:
        program = [sys.executable, "-m", f"distributed.cli.dask_{words[0]}", *words[1:]]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(program, stdout=quiet, stderr=quiet, cwd=elsewhere)

    running = [start("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))]
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--scheduler-file", str(file))
    try:
        running.append(start("worker", *options))
        wait_for(file.exists)
        yield json.loads(file.read_text())["address"]
    finally:
        for process in running:
            process.kill()
            process.wait()


def played(kind: str, folder: Path, address: str = "-") -> tuple[dict[str, dict[str, list[object]]], str]:
    """What the program has played with these workers, and what it has said."""
    [weights] = (Path(coppice.__file__).parent / "data").rglob("*havannah*.json")
    (folder / "w.json").write_bytes(weights.read_bytes())
    (folder / "engine.py").write_bytes(ENGINE.read_bytes())
    # As in a terminal or a notebook: its classes are in no file.
    done = subprocess.run(
        [sys.executable, "-c", RUN, kind, address],
        capture_output=True, text=True, cwd=folder, timeout=240, check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("kind", ["threads", "processes", "dask"])
def test_an_edit_of_any_code_plays_new_games_and_says_why(kind: str, tmp_path: Path) -> None:
    if kind == "dask":
        with a_worker(tmp_path) as address:
            told, said = played(kind, tmp_path, address)
    else:
        told, said = played(kind, tmp_path)
    for name, entry in told.items():
        assert entry["resumed"] == [0, 6, 0, 6, 6], name
        before, again, after, after_again, back = entry["moves"]
        assert before == again == back, name
        assert after == after_again != before, name
        assert entry["here"] == [before, after], f"{name}: what was edited here was played there"
    stays = "changed since 6 games were played: they stay in 's.db', and the match is played anew"
    engine = shlex.quote(str((tmp_path / "engine.py").resolve()))
    blocks = said.split("policy:\n")
    assert len(blocks) == 6
    assert blocks[3].splitlines() == [
        *(f"beside.py {stays}", "weights:", f"w.json {stays}", "engine:"),
        *(f"{engine} {stays}", "notebook:", f"class Cell {stays}"),
    ]
    for quiet in (1, 2, 4, 5):
        assert stays not in blocks[quiet]
