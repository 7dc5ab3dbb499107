"""Policies written in Python: the numbers of built-in ones, everywhere, and clear words for what is wrong."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import coppice
from coppice.core import extend
from coppice.lab.match import Match
from coppice.lab.workers import Processes, Threads

ROOT = Path(__file__).parent.parent.parent
COPPICE = Path(sys.executable).parent / "coppice"
EXAMPLES = ROOT / "examples" / "policies.py"
PYTHON_GAME = f'python("{ROOT}/examples/domineering.py:Domineering", options="4x4")'
COMPILED_GAME = PYTHON_GAME.replace(":Domineering", ":CompiledDomineering")
GAMES = [
    "havannah(size=4)",
    "tic_tac_toe",
    "misere(breakthrough(rows=5, columns=5))",
    PYTHON_GAME,
    COMPILED_GAME,
]


def written(folder: Path, body: str) -> Path:
    """A file with these classes."""
    path = folder / f"policies{len(list(folder.iterdir()))}.py"
    path.write_text(f"import math\nfrom coppice.extend import *\n{body}", encoding="utf-8")
    return path


def mcts(more: str = "", simulations: Any = 200, **policies: str) -> str:
    """A player with policies by the paths of their classes."""
    parts = [f'{family}=python("{path}")' for family, path in policies.items()]
    return f"mcts({', '.join([*parts, *([more] if more else []), f'simulations={simulations}'])})"


def visits(player: str, game: str, *moves: str, seed: int = 3) -> list[tuple[str, int]]:
    """Root visits after some moves."""
    state = coppice.game(game).start()
    state.play(*moves)
    return [(stat.name, stat.visits) for stat in coppice.player(player).search(state, seed=seed).moves]


# The same numbers


UNIFORM = """
class Uniform(Playout):
    def choose(self, turn, rng):
        moves = turn.legal_moves()
        return moves[rng.below(len(moves))]
class Picked(Playout):
    def choose(self, turn, rng):
        return rng.pick(turn.legal_moves())
"""


@pytest.mark.parametrize("name", ["Uniform", "Picked"])
@pytest.mark.parametrize("game", [PYTHON_GAME, COMPILED_GAME])
def test_uniform_rewritten_is_uniform(name: str, game: str, tmp_path: Path) -> None:
    path = written(tmp_path, UNIFORM)
    assert visits(mcts(playout=f"{path}:{name}"), game) == visits(mcts(), game)


@pytest.mark.parametrize("game", GAMES)
def test_a_limit_of_states_is_kept_with_games_and_policies_of_python(game: str, tmp_path: Path) -> None:
    path = written(tmp_path, UNIFORM)
    guest = f'mcts(playout=python("{path}:Uniform"), states=LIMIT)'
    for player in (guest, "mcts(states=LIMIT)", "mcts(playout=nested(level=2), states=LIMIT)"):
        for limit in (1, 10, 333):
            report = coppice.player(player.replace("LIMIT", str(limit))).search(coppice.game(game).start())
            assert report.states == limit


# The core computes in single precision; with it, every tie is the same tie.
FORMULAS = """
import numpy as np
class Ucb1(Selection):
    def __init__(self, k="0.25"):
        self.k = np.float32(k)
    def value(self, child):
        if not child.visits:
            return math.inf
        log, visits, mean = (np.float32(x) for x in (child.log_parent, child.visits, child.mean))
        return float(mean + self.k * np.sqrt(log / visits))
class AllAtOnce(Ucb1):
    def values(self, node):
        assert node.visits >= 0 and node.side in ("first", "second") and node.depth >= 0
        return [self.value(child) for child in node.children]
class Rave(Selection):
    amaf = True
    def value(self, child):
        if not child.visits:
            return math.inf
        one, r, three, visits, later, mean = (
            np.float32(x) for x in (1, 130, 3, child.visits, child.amaf_mean, child.mean))
        weight = np.sqrt(r / (r + three * visits))
        return float(weight * later + (one - weight) * mean)
class Never(Selection):
    def value(self, child):
        return 0
"""
OPTIONS = ["", "expansion=all", "fpu=1, expansion=all", "fpu=0.6, fpu_mode=virtual_win", "ties=first"]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("options", OPTIONS)
def test_ucb1_rewritten_is_uct(game: str, options: str, tmp_path: Path) -> None:
    path = written(tmp_path, FORMULAS)
    built_in = visits(mcts(options), game)
    assert visits(mcts(options, selection=f"{path}:Ucb1"), game) == built_in
    assert visits(mcts(options, selection=f"{path}:AllAtOnce"), game) == built_in
    assert visits(mcts(options, selection=f"{path}:Never"), game) != built_in


def test_priors_are_added_to_every_formula(tmp_path: Path) -> None:
    path = written(tmp_path, FORMULAS)
    built_in = visits(mcts("prior=knowledge"), "havannah(size=4)")
    assert built_in != visits(mcts(), "havannah(size=4)")
    assert visits(mcts("prior=knowledge", selection=f"{path}:Ucb1"), "havannah(size=4)") == built_in


@pytest.mark.parametrize("game", ["havannah(size=4)", "misere(breakthrough(rows=5, columns=5))", PYTHON_GAME])
def test_rave_rewritten_is_rave(game: str, tmp_path: Path) -> None:
    path = written(tmp_path, FORMULAS)
    built_in = visits("mcts(selection=rave(r=130, k=0), simulations=200)", game)
    assert visits(mcts(selection=f"{path}:Rave"), game) == built_in


def test_the_examples_in_double_precision_do_the_same_here() -> None:
    for game in GAMES:
        built_in = visits("mcts(selection=uct(k=0.25), simulations=200)", game)
        assert visits(mcts(selection=f"{EXAMPLES}:Ucb1"), game) == built_in


HISTORY = """
class Mast(Playout):
    def __init__(self):
        self.tables = {"first": {}, "second": {}}
    def choose(self, turn, rng):
        table = self.tables[turn.side]
        moves = turn.legal_moves()
        best = max(table.get(move, 0.5) for move in moves)
        return rng.pick([move for move in moves if table.get(move, 0.5) == best])
    def observe(self, simulation):
        assert simulation.tree_moves <= len(simulation.moves) and 0 <= simulation.value <= 1
        assert simulation.score("first") + simulation.score("second") == 1
        for move, side in simulation.moves:
            table = self.tables[side]
            table[move] = 0.9 * table.get(move, 0.5) + 0.1 * simulation.score(side)
class Learnt(Selection):
    def __init__(self):
        self.seen = 0
    def observe(self, simulation):
        self.seen += 1
    def value(self, child):
        return child.mean + 1 / (1 + self.seen) * child.move if child.visits else math.inf
class Decided(Playout):
    def choose(self, turn, rng):
        return "first" if len(turn.moves) > turn.tree_moves else None
class Estimate(Playout):
    def choose(self, turn, rng):
        return 1.0 if turn.side == "first" else 0.25
"""


@pytest.mark.parametrize("game", GAMES)
def test_policies_are_alive(game: str, tmp_path: Path) -> None:
    path = written(tmp_path, UNIFORM + HISTORY)
    without = visits(mcts(playout=f"{path}:Uniform"), game)
    for name in ("Mast", "Decided", "Estimate"):
        assert visits(mcts(playout=f"{path}:{name}"), game) != without, name
    assert visits(mcts(selection=f"{path}:Learnt"), game) != visits(mcts(), game)


def test_a_policy_sees_the_position(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
class Looks(Playout):
    def choose(self, turn, rng):
        move = turn.legal_moves()[0]
        after = turn.play(move)
        assert after.moves == [*turn.moves, (move, turn.side)] and after.tree_moves == turn.tree_moves
        assert after.outcome is not None or after.side != turn.side
        assert move not in after.legal_moves()
        assert len(after.pieces()) == len(turn.pieces()) + 1
        names = [name for name, x, y in turn.cells()]
        assert [names[cell] for cell in turn.move_cells(move)] == [turn.move_name(move)]
        assert turn.state is None and turn.outcome is None
        assert after.state_text() != turn.state_text()
        return move
class States(Playout):
    def choose(self, turn, rng):
        assert isinstance(turn.state, tuple) and len(turn.state) == 2
        return None
""",
    )
    assert visits(mcts(playout=f"{path}:Looks", simulations=20), "havannah(size=4)")
    for game in (PYTHON_GAME, COMPILED_GAME):
        assert visits(mcts(playout=f"{path}:States", simulations=20), game)


def test_a_won_game_is_won() -> None:
    # a1 and b1 are the first side's: c1 wins at once, and a playout that sees it finds the threat sooner.
    chain = f'mcts(playout=python("{EXAMPLES}:Decisive")+mast, simulations=300)'
    assert visits(chain, "tic_tac_toe", "a1", "a2", "b1", "b2")[0][0] == "c1"
    built_in = "mcts(playout=decisive+mast, simulations=300)"
    assert visits(built_in, "tic_tac_toe", "a1", "a2", "b1", "b2")[0][0] == "c1"


# Everywhere


BOTH = {"playout": f"{EXAMPLES}:Early", "selection": f"{EXAMPLES}:Rave"}


@pytest.mark.parametrize("game", ["havannah(size=4)", PYTHON_GAME])
def test_records_are_the_same_from_threads_and_processes(game: str) -> None:
    runs = []
    for workers in (Threads(1), Threads(3), Processes(2)):
        match = Match(game, mcts(simulations=30, **BOTH), "uct(simulations=30)", seed=4)
        assert not match.reproducible
        records = [r for step in match.run(8, workers=workers, store=None) for r in step.new_records]
        runs.append(sorted((r.index, r.moves, r.score) for r in records))
    assert runs[0] == runs[1] == runs[2]
    assert len(runs[0]) == 8


def test_an_error_in_a_process_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, "class Bad(Playout):\n    def choose(self, turn, rng): return 1 / 0\n")
    match = Match("tic_tac_toe", mcts(playout=f"{path}:Bad"), "random")
    with pytest.raises(ValueError, match="in choose: ZeroDivisionError: division by zero"):
        match.play(2, store=None, workers=Processes(1))


def test_policies_serve_every_kind_of_player(tmp_path: Path) -> None:
    early = f'python("{EXAMPLES}:Early")'
    game = "domineering(rows=4, columns=4)"
    for player in (
        f"nested(level=1, base={early})",
        f"mcts(playout=nested(level=1, base={early}), simulations=5)",
        f"mcts(playout=mate+{early}, threads=2, simulations=60)",
        f"mcts(playout={early}, playout_until=5, expansion=all, tactics=solver, simulations=60)",
        f"mcts(playout={early}, reuse=true, simulations=60)",
        f'mcts(selection=proximity(of=python("{EXAMPLES}:Ucb1")), simulations=60)',
    ):
        board = "havannah(size=4)" if "mate" in player or "proximity" in player else game
        assert Match(board, player, "random").play(2, store=None).finished == 2


def test_hidden_information_is_served(tmp_path: Path) -> None:
    path = written(tmp_path, FORMULAS)
    game = "mr_jack"
    plain = visits("mcts(candidates=plausible, simulations=60)", game)
    assert visits(mcts("candidates=plausible", 60, selection=f"{path}:Ucb1"), game) == plain
    assert visits(mcts("candidates=plausible", 20, playout=f"{EXAMPLES}:Early"), game)


def test_a_thinking_search_goes_on() -> None:
    thinking = coppice.player(mcts(**BOTH)).think(coppice.game("havannah(size=4)").start())
    thinking.run(coppice.Limit(simulations=50))
    assert thinking.report().simulations == 50
    thinking.run(coppice.Limit(simulations=50))
    assert thinking.report().simulations == 100


def test_a_kept_tree_tells_its_policies(tmp_path: Path) -> None:
    body = "class Kept(Playout):\n    def choose(self, turn, rng): return None\n"
    path = written(tmp_path, body + "    def new_root(self): raise KeyError('new root')\n")
    for more, told in (("reuse=true", True), ("reuse=false", False)):
        match = Match("tic_tac_toe", mcts(more, playout=f"{path}:Kept"), "random")
        if told:
            with pytest.raises(ValueError, match="in tic_tac_toe: in new_root: KeyError: 'new root'"):
                match.play(2, store=None)
        else:
            assert match.play(2, store=None).finished == 2


# What is wrong, and how it is told


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nonsense", "'nonsense' is not the path of a class: python(\"module:Class\") or"),
        ("no_such_module_here:X", "there is no module 'no_such_module_here'"),
        ("json:JSONDecoder", "json:JSONDecoder is not a {kind}: it must be a class that derives from"),
        ("json:Nothing", "json has no class 'Nothing': its {plural} are none"),
        (f"{ROOT}/examples/domineering.py:Domineering", "Domineering is not a {kind}"),
    ],
)
@pytest.mark.parametrize(
    ("family", "kind", "plural"),
    [
        ("playout", "playout policy", "playout policies"),
        ("selection", "selection formula", "selection formulas"),
    ],
)
def test_paths_that_name_no_policy(path: str, message: str, family: str, kind: str, plural: str) -> None:
    start = re.escape(f'{family}: python("{path}"): ')
    with pytest.raises(ValueError, match=start + ".*" + re.escape(message.format(kind=kind, plural=plural))):
        visits(mcts(**{family: path}), "tic_tac_toe")


def test_python_needs_a_class() -> None:
    for family in ("playout", "selection"):
        with pytest.raises(
            ValueError, match=re.escape(f'{family}: python needs a class: python("module:Class")')
        ):
            visits(f"mcts({family}=python)", "tic_tac_toe")


@pytest.mark.parametrize(
    ("family", "body", "message"),
    [
        ("playout", "class P(Playout): ...", "lacks choose: a playout policy must have choose"),
        ("selection", "class P(Selection): ...", "lacks value: a selection formula must have value"),
        (
            "playout",
            "class P(Playout):\n    def choose(self, *_): ...\n    def __init__(self): raise KeyError(1)",
            "cannot be built: KeyError: 1",
        ),
        (
            "selection",
            "class P(Selection):\n    def value(self, child): ...\n    amaf = 3",
            "amaf=3 is not allowed: True or False",
        ),
    ],
)
def test_classes_that_cannot_be_built(family: str, body: str, message: str, tmp_path: Path) -> None:
    path = f"{written(tmp_path, body)}:P"
    with pytest.raises(ValueError, match=re.escape(message)):
        coppice.player(mcts(**{family: path})).search(coppice.game("tic_tac_toe").start())
    with pytest.raises(ValueError, match=re.escape(message)):
        Match("tic_tac_toe", mcts(**{family: path}), "random").play(1, store=None)
    with pytest.raises(ValueError, match=re.escape(message)):
        extend.check(path, games=1)


ALLOWED = (
    "a legal move, None to pass, 'first', 'second' or 'draw' for a decided game, or an estimate for the first"
    " side from 0.0 to 1.0 is allowed"
)
PLAYOUT_FAULTS = [
    ("return 1 / 0", "in choose: ZeroDivisionError: division by zero (line 4 of policies0.py)"),
    ("assert False", "in choose: AssertionError (line 4 of policies0.py)"),
    ("return 99", "choose gave the illegal move 99: legal are "),
    ("return -1", f"in choose: TypeError: choose gave -1: {ALLOWED}"),
    ("return 'third'", f"in choose: TypeError: choose gave 'third': {ALLOWED}"),
    ("return True", f"in choose: TypeError: choose gave True: {ALLOWED}"),
    ("return [1]", f"in choose: TypeError: choose gave [1]: {ALLOWED}"),
    ("return 1.5", "choose gave 1.5: an estimate for the first side lies between 0.0 and 1.0"),
    ("return math.nan", "choose gave NaN: an estimate for the first side lies between 0.0 and 1.0"),
    ("return turn.play(99)", "in choose: the move 99 is not legal"),
    ("return turn.move_name(99)", "in choose: the move 99 is not legal"),
    ("return turn.move_cells(99)", "in choose: the move 99 is not legal"),
    ("return rng.below(0)", "in choose: below(0): there is no number below 0 to draw"),
    ("return rng.pick([])", "in choose: IndexError: pick: there is nothing to draw from"),
    ("raise SystemExit(3)", "in choose: SystemExit: 3"),
    ("return None\n    def observe(self, simulation): return simulation.x", "in observe: AttributeError: "),
    (
        "return None\n    def observe(self, simulation): return simulation.score('x')",
        "in observe: unknown side 'x': first, second",
    ),
]
SELECTION_FAULTS = [
    ("value(self, child): return 1 / 0", "in value: ZeroDivisionError: division by zero"),
    ("value(self, child): return None", "in value: TypeError: value gave None: a number is allowed"),
    ("value(self, child): return math.nan", "the value of child 0 is not a number (nan)"),
    ("values(self, node): return 1 / 0", "in values: ZeroDivisionError: division by zero"),
    ("values(self, node): return None", "in values: TypeError: values gave None: a list is allowed"),
    ("values(self, node): return [1.0]", "values gave 1 numbers: 9 are needed, one for each child"),
    ("values(self, node): return ['x']", "in values: TypeError: values gave 'x': a number is allowed"),
]
FAULTS = [
    *(
        ("playout", f"class P(Playout):\n    def choose(self, turn, rng): {b}\n", m)
        for b, m in PLAYOUT_FAULTS
    ),
    *(("selection", f"class P(Selection):\n    def {b}\n", m) for b, m in SELECTION_FAULTS),
]


@pytest.mark.parametrize(("family", "body", "message"), FAULTS)
def test_what_fails_in_a_search_is_told(family: str, body: str, message: str, tmp_path: Path) -> None:
    path = f"{written(tmp_path, body)}:P"
    told = f'{family} python("{path}") in tic_tac_toe: {message}'
    for more in ("", "threads=2", "threads=2, parallel=tree"):
        with pytest.raises(ValueError, match=re.escape(told)):
            visits(mcts(more, **{family: path}), "tic_tac_toe")
    with pytest.raises(ValueError, match=re.escape(f"game 0: {told}")):
        Match("tic_tac_toe", mcts(**{family: path}), "random").play(1, threads=1, store=None)
    thinking = coppice.player(mcts(**{family: path})).think(coppice.game("tic_tac_toe").start())
    with pytest.raises(ValueError, match=re.escape(told)):
        thinking.run(coppice.Limit(simulations=50))
    with pytest.raises(ValueError, match=re.escape(told)):
        extend.check(path, games=1)


def test_a_game_that_fails_in_a_policy_is_told(tmp_path: Path) -> None:
    (tmp_path / "game.py").write_text(
        """
from coppice.extend import Game
class Fails(Game):
    def initial_state(self, seed): return 0
    def side_to_move(self, state): return "first"
    def legal_moves(self, state): return [0, 1]
    def play(self, state, move): return 1 / (2 - state) and state + 1
    def outcome(self, state): return None
""",
        encoding="utf-8",
    )
    path = written(
        tmp_path,
        "class P(Playout):\n    def choose(self, turn, rng): return turn.play(0).play(0).play(0).state\n",
    )
    with pytest.raises(ValueError, match="in choose: in play: ZeroDivisionError: division by zero"):
        visits(mcts(playout=f"{path}:P"), f'python("{tmp_path}/game.py:Fails")')


def test_a_game_without_end_is_told_under_any_policy(tmp_path: Path) -> None:
    (tmp_path / "game.py").write_text(
        """
from coppice.extend import Game
class Endless(Game):
    slots = 2
    def initial_state(self, seed): return 0
    def side_to_move(self, state): return "first"
    def legal_moves(self, state): return [0, 1]
    def play(self, state, move): return state + 1
    def outcome(self, state): return None
""",
        encoding="utf-8",
    )
    for playout in ("uniform", "mast"):
        with pytest.raises(ValueError, match="the game does not end: no outcome after 10000 moves"):
            visits(f"mcts(playout={playout}, simulations=5)", f'python("{tmp_path}/game.py:Endless")')


def test_amaf_needs_tables_over_moves(tmp_path: Path) -> None:
    (tmp_path / "game.py").write_text(
        """
from coppice.extend import Game
class Bare(Game):
    def initial_state(self, seed): return 0
    def side_to_move(self, state): return "first"
    def legal_moves(self, state): return [0, 1]
    def play(self, state, move): return state + 1
    def outcome(self, state): return "first" if state > 2 else None
""",
        encoding="utf-8",
    )
    with pytest.raises(ValueError, match="needs move tables, which python does not have"):
        visits(mcts(selection=f"{EXAMPLES}:Rave"), f'python("{tmp_path}/game.py:Bare")')


# The check


@pytest.mark.parametrize("name", ["Early", "Decisive", "Ucb1", "Rave"])
def test_the_examples_conform(name: str) -> None:
    extend.check(f"{EXAMPLES}:{name}", games=3)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "import random\nclass P(Playout):\n"
            "    def choose(self, turn, rng): return random.choice(turn.legal_moves())",
            "the same search gave two results: all chance must come from the search's random numbers",
        ),
        (
            "seen = []\nclass P(Selection):\n    def value(self, child):\n        seen.append(1)\n"
            "        return len(seen) * 7919 % 101",
            "the same search gave two results",
        ),
        (
            "class P(Playout):\n    def choose(self, turn, rng): return None",
            "it changes no search: choose passes at every turn",
        ),
        (
            "class P(Selection):\n    def value(self, child): return 7",
            "it changes no search: all children of a node always have the same value",
        ),
    ],
)
def test_the_check_tells_what_is_wrong(body: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        extend.check(f"{written(tmp_path, body)}:P", games=3)


def test_the_check_takes_a_game() -> None:
    extend.check(f"{EXAMPLES}:Early", games=1, game=PYTHON_GAME)
    with pytest.raises(ValueError, match="unknown game 'chess'"):
        extend.check(f"{EXAMPLES}:Early", games=1, game="chess")
    with pytest.raises(ValueError, match="game=tic_tac_toe is for policies, and havannah is a game"):
        extend.check("havannah", game="tic_tac_toe")
    with pytest.raises(
        ValueError, match="is not a game or a playout policy or a selection formula: it must be a class that"
    ):
        extend.check("json:JSONDecoder")


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COPPICE, *arguments], capture_output=True, text=True, timeout=120, cwd=cwd)


def test_the_commands(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(EXAMPLES.read_text(encoding="utf-8"), encoding="utf-8")
    for path in ("./mine.py:Early", "mine:Ucb1"):
        good = run("check", path, "--games", "2", "--game", "tic_tac_toe", cwd=tmp_path)
        assert (good.returncode, good.stderr) == (0, "")
        assert re.fullmatch(r"\S+ conforms: 2 games in \d+\.\d s\n", good.stdout)
    player = 'mcts(playout=python("./mine.py:Early"), selection=python("mine:Rave"), simulations=20)'
    for more in ([], ["--processes", "2"]):
        shown = run("match", "tic_tac_toe", player, "random", "--games", "4", "--json", "--store", "s.db",
                    *more, cwd=tmp_path)  # fmt: skip
        assert shown.returncode == 0, shown.stderr
        assert '"games": 4' in shown.stdout
    explained = run("explain", "tic_tac_toe", player, cwd=tmp_path)
    assert explained.returncode == 0, explained.stderr
    bad = player.replace("Early", "Erly")
    refused = run("match", "tic_tac_toe", bad, "random", "--store", "s.db", cwd=tmp_path)
    assert refused.returncode != 0
    assert "has no class 'Erly': its playout policies are Early, Decisive" in refused.stderr
    assert "Traceback" not in refused.stderr


EXPERIMENT = """
from coppice.experiment import Experiment, MatchRow, SearchRow
PLAYER = 'mcts(playout=python("./mine.py:Early"), selection=python("mine:Ucb1"), simulations=20)'
GAME = 'python("./nim.py:Domineering", options="3x3")'
EXPERIMENT = Experiment(
    question="Do processes play the same games?",
    source="our own",
    rows=(
        MatchRow(name="match", game=GAME, a=PLAYER, b="random", count=6),
        SearchRow(name="search", game="tic_tac_toe", player=PLAYER, count=4, moves=("b2",)),
    ),
)
"""


def test_an_experiment_gives_the_same_in_processes(tmp_path: Path) -> None:
    for name, source in (("mine.py", "policies.py"), ("nim.py", "domineering.py")):
        (tmp_path / name).write_text((EXAMPLES.parent / source).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "experiment.py").write_text(EXPERIMENT, encoding="utf-8")
    outputs = []
    for more in (["--threads", "2"], ["--processes", "2"]):
        store = f"{more[0]}.db"
        done = run("run", "experiment.py", "--json", "--store", store, *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        exported = run("export", "--store", store, cwd=tmp_path)
        assert exported.returncode == 0, exported.stderr
        assert exported.stdout.count("\n") >= 6
        outputs.append((exported.stdout, json.loads(done.stdout)["rows"]))
    assert outputs[0] == outputs[1]
