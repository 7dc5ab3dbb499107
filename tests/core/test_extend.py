"""Games written in Python: everywhere a built-in game is, with clear words for everything that is wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from patience import wait_for

import coppice
from coppice import _core
from coppice.core import extend
from coppice.lab.match import Match
from coppice.lab.stats import Score

ROOT = Path(__file__).parent.parent.parent
COPPICE = Path(sys.executable).parent / "coppice"
PLAIN = f'python("{ROOT}/examples/domineering.py:Domineering", options="4x4")'
COMPILED = PLAIN.replace(":Domineering", ":CompiledDomineering")
BUILT_IN = "domineering(rows=4, columns=4)"


def written(folder: Path, body: str = "", **methods: str) -> str:
    """The path of a game of Nim, three heaps of a few stones, with some methods replaced."""
    lines = {
        "initial_state": "return (1, 2, 3, 0)",
        "side_to_move": 'return "second" if state[3] else "first"',
        "legal_moves": "return [4 * heap + n for heap in range(3) for n in range(1, state[heap] + 1)]",
        "play": "heap, n = divmod(move, 4); s = list(state); s[heap] -= n; s[3] = 1 - s[3]; return tuple(s)",
        "outcome": 'return None if any(state[:3]) else "first" if state[3] else "second"',
        **methods,
    }
    arguments = {
        "initial_state": "seed",
        "play": "state, move",
        "move_name": "state, move",
        "move_cells": "state, move",
    }
    arguments |= {"parse_state": "text", "cells": ""}
    text = "import coppice.extend\nclass Nim(coppice.extend.Game):\n    slots = 16\n"
    for name, line in lines.items():
        if line:
            text += f"    def {name}(self, {arguments.get(name, 'state')}):\n        {line}\n"
    path = folder / f"nim{len(list(folder.iterdir()))}.py"
    path.write_text(text + body, encoding="utf-8")
    return f"{path}:Nim"


def spec(path: str) -> str:
    return f'python("{path}")'


# A game that works


@pytest.mark.parametrize("form", [PLAIN, COMPILED], ids=["plain", "compiled"])
def test_the_example_is_the_built_in_game(form: str) -> None:
    ours, theirs = coppice.game(form).start(), coppice.game(BUILT_IN).start()
    assert ours.perft(4) == theirs.perft(4)
    assert sorted(ours.legal_moves) == sorted(theirs.legal_moves)
    for move in ("a1a2", "c1d1", "b3b4"):
        ours.play(move)
        theirs.play(move)
    assert ours.to_move == theirs.to_move == "second"
    assert sorted(ours.legal_moves) == sorted(theirs.legal_moves)
    assert coppice.game(form).state(ours.text()).legal_moves == ours.legal_moves
    assert len(ours.pieces()) == 6
    assert ours.svg().startswith("<svg")
    assert [ours.game.board().cells[cell].name for cell in ours.move_cells("b2c2")] == ["b2", "c2"]


def test_a_game_may_say_what_its_pieces_and_cells_are(tmp_path: Path) -> None:
    heaps = 'return [("a1", 0, 0), ("b1", 1, 0, "dark"), ("c1", 2, 0, "swamp")]'
    kinds = 'return [(0, "first"), (1, "second", "knight"), (2, None, "wizard")]'
    state = coppice.game(spec(written(tmp_path, cells=heaps, pieces=kinds))).start()
    assert [cell.kind for cell in state.game.board().cells] == ["plain", "dark", "swamp"]
    assert [piece.kind for piece in state.pieces()] == ["stone", "knight", "wizard"]
    svg = state.svg()
    assert svg.count('class="figure"') == 1
    assert svg.count('class="cell dark"') == 1
    # What nobody draws is a disc with two letters, on plain ground.
    assert ">Wi</text>" in svg
    assert svg.count('class="cell plain"') == 2


@pytest.mark.parametrize(
    ("method", "line", "message"),
    [
        (
            "cells",
            'return [("a1", 0)]',
            "cells gave ('a1', 0): (name, x, y) or (name, x, y, kind) is allowed",
        ),
        (
            "pieces",
            "return [0]",
            "in pieces: TypeError: pieces gave 0: (cell, side) or (cell, side, kind) is allowed",
        ),
    ],
)
def test_what_is_no_cell_or_piece_is_named(tmp_path: Path, method: str, line: str, message: str) -> None:
    methods = {"cells": 'return [("a1", 0, 0)]', method: line}
    with pytest.raises(ValueError, match=re.escape(message)):
        coppice.game(spec(written(tmp_path, **methods))).start().pieces()


def test_what_a_guest_keeps_for_its_thread_lasts_as_long_as_the_thread(tmp_path: Path) -> None:
    """Threads of the core have one thread state each; it was made anew at every call, which cost most."""
    body = (
        "import threading\n"
        "mine, states = threading.local(), []\n"
        "class Counting(Nim):\n"
        "    def play(self, state, move):\n"
        "        if not hasattr(mine, 'known'):\n"
        "            mine.known = True\n"
        "            states.append(threading.get_ident())\n"
        "        return super().play(state, move)\n"
    )
    path = written(tmp_path, body).replace(":Nim", ":Counting")
    report = coppice.player("uct(simulations=200)").search(coppice.game(spec(path)).start(), seed=1)
    assert report.simulations == 200
    states = sys.modules[type(extend.load(path, None)).__module__].states
    assert len(states) <= 2, "one for this thread, one for the search's"
    Match(spec(path), "uct(simulations=20)", "random").play(6, threads=2, store=None)
    assert len(states) <= 4, "and one for each thread of a match"


def test_a_program_ends_while_a_game_of_python_is_played() -> None:
    program = (
        "import sys; from coppice import _core\n"
        f"game = {PLAIN!r}\n"
        "games = _core.play_games(game, 'uct(simulations=50)', 'uct(simulations=50)', seed=1,\n"
        "                         indices=list(range(1000)), threads=2, openings='none')\n"
        "assert next(iter(games))\n"
        "sys.exit(3)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (3, "")


def test_both_forms_search_alike() -> None:
    for player in ("uct(simulations=300)", "rave(simulations=300)", "mast(simulations=200)"):
        plain, compiled = (
            coppice.player(player).search(coppice.game(form).start(), seed=3) for form in (PLAIN, COMPILED)
        )
        assert plain.moves == compiled.moves


@pytest.mark.parametrize("form", [PLAIN, COMPILED], ids=["plain", "compiled"])
def test_a_match_is_played_and_repeats(form: str) -> None:
    match = Match(form, "uct(simulations=30)", "random", seed=4)
    runs = [
        sorted(
            (record.index, record.moves, record.score)
            for step in match.run(6, threads=threads, store=None)
            for record in step.new_records
        )
        for threads in (1, 3)
    ]
    assert runs[0] == runs[1]
    assert len(runs[0]) == 6


def test_a_good_player_wins_at_nim(tmp_path: Path) -> None:
    game = spec(written(tmp_path, initial_state="return (3, 1, 1, 0)"))
    # All heaps but one must be left equal: take the whole heap of three.
    report = coppice.player("uct(simulations=500)").search(coppice.game(game).start())
    assert report.best == "3"
    score = Match(game, "uct(simulations=300)", "random").play(20, store=None).score
    assert isinstance(score, Score)
    assert score.rate > 0.6


def test_a_thinking_search_can_be_read_and_stopped() -> None:
    thinking = coppice.player("uct").think(coppice.game(PLAIN).start())
    thinking.start()
    wait_for(lambda: thinking.report().simulations >= 20)
    assert thinking.stop().simulations >= 20


def test_a_match_that_is_stopped_early_does_not_hang() -> None:
    running = Match(PLAIN, "uct(simulations=1000000000000)", "random").run(4, threads=2, store=None)
    next(running)
    next(running)
    # A search that went on would keep it for days.
    running.close()
    assert list(running) == []


def test_the_signature_does_not_count_guests() -> None:
    assert "python" in [part.name for part in coppice.catalogue("game")]
    assert _core.fingerprints(2)[1] == _core.PLAY_VERSION


def test_misere_and_gtp_take_a_guest() -> None:
    from coppice.protocols.gtp import Server

    state = coppice.game(f"misere({PLAIN})").start()
    state.play("a1a2", "c1d1")
    server = Server(PLAIN, "random")
    while server.respond("winner") == "= none\n\n":
        assert server.respond("genmove").startswith("= ")


def test_a_class_is_found_in_the_current_folder_and_by_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path)
    (tmp_path / "nim0.py").rename(tmp_path / "my_nim_game.py")
    monkeypatch.chdir(tmp_path)
    for path in ("my_nim_game:Nim", "./my_nim_game.py:Nim"):
        assert len(coppice.game(spec(path)).start().legal_moves) == 6


# What is wrong, and how it is told


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nonsense", "'nonsense' is not the path of a class: python(\"module:Class\") or"),
        ("json:", "'json:' is not the path of a class"),
        ("no_such_module_here:X", "there is no module 'no_such_module_here'"),
        ("json.nothing:X", "there is no module 'json.nothing'"),
        ("./nothing.py:X", "there is no file 'nothing.py'"),
        ("json:JSONDecoder", "json:JSONDecoder is not a game: it must be a class that derives from"),
        ("json:Nothing", "json has no class 'Nothing': its games are none"),
        ("coppice.extend:Game", "coppice.extend:Game is not a game"),
    ],
)
def test_paths_that_name_no_game(path: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f'python("{path}"): {message}')):
        coppice.game(spec(path))


def test_python_needs_a_class() -> None:
    with pytest.raises(ValueError, match=re.escape('python needs a class: python("module:Class")')):
        coppice.game("python")


def test_classes_that_cannot_be_built(tmp_path: Path) -> None:
    path = written(tmp_path, play="")
    with pytest.raises(
        ValueError, match="lacks play: a game must have initial_state, side_to_move, legal_moves, play"
    ):
        coppice.game(spec(path))
    path = written(tmp_path).replace(":Nim", ":Nmi")
    with pytest.raises(ValueError, match="has no class 'Nmi': its games are Nim"):
        coppice.game(spec(path))
    path = written(tmp_path, "    def __init__(self):\n        raise KeyError('heaps')\n")
    with pytest.raises(ValueError, match="cannot be built: KeyError: 'heaps'"):
        coppice.game(spec(path))
    path = written(tmp_path)
    with pytest.raises(ValueError, match="cannot be built with options='x': TypeError"):
        coppice.game(f'python("{path}", options="x")')
    path = written(tmp_path, "    slots = -1\n")
    with pytest.raises(ValueError, match="slots=-1 is not allowed: a whole number from 0 to"):
        coppice.game(spec(path))
    path = written(tmp_path, "1 / 0\n")
    with pytest.raises(ValueError, match="failed: ZeroDivisionError: division by zero"):
        coppice.game(spec(path))


FAULTS = [
    ("initial_state", "return 1 / 0", "in initial_state: ZeroDivisionError: division by zero"),
    (
        "side_to_move",
        "return 1",
        "in side_to_move: TypeError: side_to_move gave 1: 'first' or 'second' is allowed",
    ),
    ("legal_moves", "return None", "in legal_moves: TypeError: legal_moves gave None: a list is allowed"),
    (
        "legal_moves",
        "return [-1]",
        "in legal_moves: TypeError: legal_moves gave -1: moves are whole numbers from 0",
    ),
    ("legal_moves", "return []", "legal_moves gave no move, but outcome says that the game goes on"),
    ("play", "pass", "in play: TypeError: play gave None: the state after the move, a new one, is allowed"),
    ("play", "raise KeyError(move)", "in play: KeyError: "),
    (
        "outcome",
        "return 0",
        "in outcome: TypeError: outcome gave 0: None, 'first', 'second' or 'draw' is allowed",
    ),
]


@pytest.mark.parametrize(("method", "line", "message"), FAULTS)
def test_a_game_that_fails_in_play_is_told(method: str, line: str, message: str, tmp_path: Path) -> None:
    game = spec(written(tmp_path, **{method: line}))
    with pytest.raises(ValueError, match=f"game [01]: {re.escape(message)}"):
        Match(game, "random", "uct(simulations=20)").play(2, store=None)
    with pytest.raises(ValueError, match=re.escape(message)):
        coppice.player("uct(simulations=20)").search(coppice.game(game).start())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('return "x"', "in the position (1, 2, 3, 0): two moves are called 'x'"),
        ('return f"{move},0"', "in the position (1, 2, 3, 0): a move is called '1,0': a name holds no comma"),
        # Names that fail later than in the first position.
        ('return "x" if state != (1, 2, 3, 0) else str(move)', ": two moves are called 'x'"),
    ],
)
def test_a_match_whose_records_could_not_be_read_does_not_begin(
    line: str, message: str, tmp_path: Path
) -> None:
    match = Match(spec(written(tmp_path, move_name=line)), "random", "random")
    with pytest.raises(ValueError, match=re.escape(message)) as refused:
        match.play(2, store=None)
    assert "\n" not in str(refused.value)
    assert "game 0" not in str(refused.value)


def test_names_that_differ_in_their_case_alone_pass_the_check(tmp_path: Path) -> None:
    path = written(tmp_path, move_name='return ("a", "b", "A", "B")[move // 4] + "xyz"[move % 4 - 1]')
    extend.check(path, games=3)
    state = coppice.game(spec(path)).start()
    assert state.copy().play("ax").text() != state.copy().play("Ax").text()
    assert state.copy().play("BY").moves == ["by"]
    with pytest.raises(ValueError, match="'AX' could be ax or Ax: upper and lower case matter"):
        state.play("AX")


@pytest.mark.parametrize(
    ("method", "line", "message"),
    [
        *FAULTS[:-1],
        ("legal_moves", "return [1, 1]", "a move is listed twice"),
        ("move_name", 'return "x"', "two moves are called 'x'"),
        ("move_name", 'return f"{move},0"', "a move is called '1,0': a name holds no comma"),
        ("move_name", 'return ""', "a move is called '': a name holds no comma"),
        ("move_name", 'return f"{move} "', "and no blank at its ends"),
        ("state_text", 'return "x"', "is not a state"),
        ("key", "return 5", "the same key as"),
        ("key", "return -5", "in key: OverflowError"),
        ("parse_state", "return (1, 2, 3, 0)", "a position that is none is not refused"),
        ("outcome", "return None", "legal_moves gave no move, but outcome says that the game goes on"),
        ("play", "return state", "the game does not end"),
        ("cells", 'return [("a", 0, 0), ("a", 1, 0)]', "two cells have the same name"),
        ("pieces", 'return [(5, "first")]', "a piece stands on no cell"),
        ("pieces", 'return [(0, "third")]', "in pieces: unknown side 'third': first, second"),
        ("move_cells", "return [9]", "touches no cell"),
        ("diagram", "return 3", ""),
    ],
)
def test_the_check_tells_what_is_wrong(method: str, line: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, **{method: line})
    if not message:
        extend.check(path, games=2)
        return
    with pytest.raises(ValueError, match=re.escape(message)):
        extend.check(path, games=3)


@pytest.mark.parametrize("form", [PLAIN, COMPILED, BUILT_IN, f"{ROOT}/examples/domineering.py:Domineering"])
def test_good_games_conform(form: str) -> None:
    extend.check(form, games=3)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COPPICE, *arguments], capture_output=True, text=True, timeout=120)


def test_the_command(tmp_path: Path) -> None:
    good = run("check", written(tmp_path), "--games", "3")
    assert (good.returncode, good.stderr) == (0, "")
    assert re.fullmatch(r"\S+ conforms: 3 games in \d+\.\d s\n", good.stdout)
    bad = run("check", written(tmp_path, play="pass"))
    assert (bad.returncode, bad.stderr) == (1, "")
    assert "does not conform:\nin play: TypeError" in bad.stdout
    shown = run("play", spec(written(tmp_path)), "--player", "random", "--seed", "1")
    assert shown.returncode == 0
    assert re.search(r"^\w+ wins\. It took \d+ moves\.$", shown.stdout, re.M)


# Compiled functions


def test_functions_that_cannot_be_compiled_are_named() -> None:
    good: dict[str, Any] = {
        "initial_state": lambda state, seed: None,
        "side_to_move": lambda state: state[0],
        "legal_moves": lambda state, moves: 0,
        "play": lambda state, move: None,
        "outcome": lambda state: state[0],
    }
    assert extend.compile_game(words=1, most_moves=1, **good).address("play") != 0
    with pytest.raises(ValueError, match="outcome cannot be compiled: "):
        extend.compile_game(words=1, most_moves=1, **{**good, "outcome": lambda state: state.nothing})
    with pytest.raises(ValueError, match="words=0 is not allowed: a whole number from 1 to"):
        extend.compile_game(words=0, most_moves=1, **good)
    with pytest.raises(ValueError, match="most_moves=0 is not allowed"):
        extend.compile_game(words=1, most_moves=0, **good)


WRONG = """
import functools
from coppice.extend import Game, compile_game
class Wrong(Game):
    def __init__(self, what):
        self.compiled = compiled(what)
    def initial_state(self, seed): ...
    def side_to_move(self, state): return "first"
    def legal_moves(self, state): ...
    def play(self, state, move): ...
    def outcome(self, state): ...
@functools.cache
def compiled(what):
    side, count, mv, end = (int(x) for x in what.split())
    def initial_state(state, seed): state[0] = 0
    def side_to_move(state): return side
    def legal_moves(state, moves):
        moves[0] = mv
        return count
    def play(state, move): state[0] += 1
    def outcome(state): return end if state[0] else 0
    return compile_game(words=1, most_moves=2, initial_state=initial_state, side_to_move=side_to_move,
                        legal_moves=legal_moves, play=play, outcome=outcome)
"""


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("7 1 0 1", "side_to_move gave 7: 0 (first) or 1 (second) is allowed"),
        ("0 3 0 1", "legal_moves gave 3 moves: from 0 to most_moves=2 are allowed"),
        ("0 -1 0 1", "legal_moves gave -1 moves"),
        ("0 1 -4 1", "legal_moves gave -4: moves are whole numbers from 0 to 4294967295"),
        ("0 1 0 9", "outcome gave 9: 0 (goes on), 1 (first), 2 (second) or 3 (draw) is allowed"),
    ],
)
def test_what_compiled_functions_give_is_checked(what: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    game = f'python("{tmp_path}/wrong.py:Wrong", options="{what}")'
    with pytest.raises(ValueError, match=re.escape(message)):
        Match(game, "random", "random").play(1, store=None)


def test_the_words_of_a_text_are_counted() -> None:
    with pytest.raises(ValueError, match=re.escape("in parse_state: 3 words, but a state has 2")):
        coppice.game(COMPILED).state("(0, 0, 0)")
