"""Values, classes and options where a spec is expected: what they are called, and what cannot be named."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coppice
from coppice import _core
from coppice.core import extend
from coppice.core.spec_like import changed, option_text, spec_text
from coppice.lab.match import Match
from coppice.lab.sweep import Sweep
from coppice.lab.tournament import Tournament
from coppice.lab.tune import Parameter, Tuning

ROOT = Path(__file__).parent.parent.parent
DOMINEERING = f"{ROOT}/examples/domineering.py:Domineering"


class Late(extend.Playout):
    """Plays the last legal move."""

    def __init__(self, p: str = "1") -> None:
        self.p = float(p)

    def choose(self, turn: extend.Turn, rng: extend.Chance) -> int | None:
        return turn.legal_moves()[-1] if rng.unit() < self.p else None


class Mean(extend.Selection):
    """Goes where the mean is best."""

    def value(self, child: extend.Child) -> float:
        return child.mean


class Row(extend.Game[tuple[int, ...]]):
    """A row of three cells: the first side wins when all are taken."""

    slots = 3

    def initial_state(self, seed: int) -> tuple[int, ...]:
        return ()

    def side_to_move(self, state: tuple[int, ...]) -> Any:
        return ("first", "second")[len(state) % 2]

    def legal_moves(self, state: tuple[int, ...]) -> list[int]:
        return [move for move in range(3) if move not in state]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def outcome(self, state: tuple[int, ...]) -> Any:
        return "first" if len(state) == 3 else None


class Outer:
    """Holds a class that has no name of its own."""

    class Inner(Row):
        """A game inside a class."""


def local() -> type:
    class Hidden(Row):
        """A game inside a function."""

    return Hidden


HERE = __name__


@pytest.mark.parametrize(
    ("found", "spec"),
    [
        (coppice.game("havannah", size=4), "havannah(size=4)"),
        (coppice.game("havannah(size=4)", swap=True), "havannah(size=4, swap=true)"),
        (coppice.game(coppice.game("havannah(size=4, swap=true)"), size=5), "havannah(size=5, swap=true)"),
        (coppice.game("misere", game=coppice.game("nogo")), "misere(nogo)"),
        (coppice.game(Row), f'python("{HERE}:Row")'),
        (coppice.player("uct", simulations=5), "uct(simulations=5)"),
        (coppice.player("uct", simulations=None, seconds=0.25), "uct(simulations=none, seconds=0.25)"),
        # A new budget replaces the old one.
        (coppice.player(coppice.player("uct(simulations=5)"), seconds=2), "uct(simulations=none, seconds=2)"),
        (coppice.player("rave(simulations=5)", simulations=7), "rave(simulations=7)"),
        (coppice.player("mcts", reuse=True, fpu=1e-05), "mcts(reuse=true, fpu=0.00001)"),
        (coppice.player("mcts", playout="mast", final="score"), "mcts(playout=mast, final=score)"),
        (coppice.player("mcts", final="score(5)"), "mcts(final=score(min_visits=5))"),
        (coppice.player("mcts", playout=Late), f'mcts(playout=python("{HERE}:Late"))'),
        (coppice.player("mcts", playout=[Late, "mast"]), f'mcts(playout=python("{HERE}:Late")+mast)'),
        (coppice.player(Late, simulations=9), f'mcts(playout=python("{HERE}:Late"), simulations=9)'),
        (coppice.player(Mean), f'mcts(selection=python("{HERE}:Mean"))'),
        # Texts are quoted where the option is a text.
        (coppice.player("gtp", command='a "b" c\\d'), 'gtp(command="a \\"b\\" c\\\\d")'),
        (coppice.player("gtp", command="ab", timeout=3), 'gtp(command="ab", timeout=3)'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_options_are_what_they_are_in_python(found: coppice.Game | coppice.Player, spec: str) -> None:
    assert found == type(found)(spec)


def test_parts_of_the_catalogue_are_given_as_they_are() -> None:
    parts = {(part.family, part.name): part for part in coppice.catalogue()}
    assert coppice.game(parts["game", "havannah"], size=4) == coppice.game("havannah(size=4)")
    mast = coppice.player("mcts", playout=parts["playout", "mast"])
    assert mast == coppice.player("mcts(playout=mast)")
    with pytest.raises(ValueError, match="an object of class PartInfo is no game: allowed are"):
        coppice.game(parts["player", "uct"])


def test_a_class_with_options_is_built_with_their_text() -> None:
    path = f'python("{DOMINEERING}", options="4x4")'
    loaded = type(extend.load(DOMINEERING, "4x4"))
    # A class that was loaded from a file is named by the file, in whatever process.
    assert coppice.game(loaded, options="4x4") == coppice.game(path)
    assert len(coppice.game(loaded, options="3x2").board().cells) == 6


def test_everything_that_takes_a_spec_takes_values_and_classes(tmp_path: Path) -> None:
    game, strong, weak = coppice.game(Row), coppice.player(Late, simulations=20), coppice.player("random")
    match = Match(Row, strong, weak)
    assert match == Match(game.spec, strong.spec, "random")
    assert Match(game, Late, weak).a == coppice.player(Late).spec
    assert match.play(2, store=None).score.games == 2
    assert strong.search(game.start(), seed=1).simulations == 20
    players = Tournament(game, (strong, "random", coppice.player("uct", simulations=5)))
    assert [pair[0] for pair in players.matches()] == [strong.spec, strong.spec, "random"]
    sweep = Sweep(Row, "mcts(simulations={n}, reuse={reuse})", weak, {"n": [5, 10], "reuse": [True, "false"]})
    assert list(sweep.matches()) == [("5", "true"), ("5", "false"), ("10", "true"), ("10", "false")]
    tuning = Tuning(
        game,
        "uct(simulations={n})",
        weak,
        [Parameter("n", 1, 9, whole=True)],
        rounds=1,
        population=4,
        games=2,
    )
    with coppice.Store(tmp_path / "tune.db") as store:
        assert next(iter(tuning.run(store))).match.game == game.spec
    extend.check(Row, games=2)
    extend.check(coppice.game(Row), games=2)
    extend.check(Late, games=2, game=coppice.game("tic_tac_toe"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: coppice.game(local()),
            "class Hidden is defined inside a function: a class at the top of a module has a name",
        ),
        (lambda: coppice.game(Outer.Inner), "class Inner is defined inside a class: a class at the top of"),
        (
            lambda: coppice.game(lambda: 3),  # type: ignore[arg-type]
            "a function (<lambda>) is no game: allowed are a spec, a class that derives from "
            "coppice.extend.Game, or a game",
        ),
        (lambda: coppice.game(cast(Any, 3)), "3 is no game: allowed are a spec"),
        (
            lambda: coppice.game(cast(Any, Row())),
            "an object of class Row is no game: allowed are a spec, a class",
        ),
        (lambda: coppice.game(Late), "class Late is no game"),
        (lambda: coppice.game(Outer), "class Outer is no game"),
        (lambda: coppice.game(coppice.player("uct")), "an object of class Player is no game"),
        (
            lambda: coppice.player(Row),
            "class Row is no player: allowed are a spec, a class that derives from "
            "coppice.extend.Playout or Selection, or a player",
        ),
        (lambda: coppice.player(cast(Any, None)), "None is no player"),
        (lambda: Match("tic_tac_toe", "uct", cast(Any, 5)), "5 is no player: allowed are a spec"),
        (lambda: Match(coppice.player("uct"), "uct", "uct"), "an object of class Player is no game"),
        (lambda: Tournament("tic_tac_toe", ("uct", cast(Any, 5))), "5 is no player"),
        (
            lambda: coppice.player("mcts", playout=Late()),
            "playout is an object of class Late, which is not allowed: a number, True, False, None, a text, "
            "a class of coppice.extend, a game or player, or a list of parts",
        ),
        (lambda: coppice.player("mcts", playout=max), "playout is <built-in function max>, which is not"),
        (lambda: coppice.player("mcts", playout=[]), "playout is [], which is not allowed: a number"),
        (lambda: coppice.player("uct", fpu=float("nan")), "fpu is nan, which is not allowed: a number"),
        (lambda: coppice.player("uct", seconds=float("inf")), "seconds is inf, which is not allowed"),
        (lambda: coppice.player("mcts", playout=Mean).check(coppice.game("tic_tac_toe")), "is not a playout"),
        (lambda: coppice.game("havannah", sise=4), "havannah has no option 'sise' (did you mean 'size'?)"),
    ],
)
def test_what_cannot_be_named_is_refused_with_what_can(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as refused:
        make()
    assert "\n" not in str(refused.value)


def test_a_class_that_was_written_anew_is_not_taken_for_the_old_one(monkeypatch: pytest.MonkeyPatch) -> None:
    old = Row
    monkeypatch.setattr(sys.modules[__name__], "Row", type("Row", (old,), {"__module__": __name__}))
    coppice.game(Row)
    with pytest.raises(ValueError, match=f"{__name__}:Row is another class by now, or none"):
        coppice.game(old)


SCRIPT = '''"""A game and a policy in a script."""
import sys
import multiprocessing
import coppice
from coppice.extend import Selection
print("read as", __name__)

class U(Selection):
    def value(self, child):
        return child.mean

def best(state):
    player = coppice.player(U, simulations=20)
    return player.search(state).best, player

if __name__ == "__main__":
    player = coppice.player(U, simulations=20)
    print(player.spec.split("(")[2:4])
    print(coppice.Match("tic_tac_toe", player, "random").play(2, store=None).score.games)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        state = coppice.game("tic_tac_toe").start()
        print(pool.map(best, [state]) == [best(state)])
'''


@pytest.mark.parametrize(("command", "name"), [("mine.py", "__main__:U"), ("-m mine", "mine:U")])
def test_a_class_of_the_program_that_runs_is_found(command: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, *command.split()], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    # The program is read once here and once in the other process.
    assert sorted(line for line in lines if line.startswith("read as")) == [
        "read as __main__",
        "read as __mp_main__",
    ]
    assert name in done.stdout
    assert lines[-1] == "True"
    assert "2" in lines


def test_an_option_of_one_name_is_a_text_everywhere_or_nowhere() -> None:
    kinds: dict[str, set[bool]] = {}
    for part in _core.catalogue():
        for option in part["options"]:
            kinds.setdefault(option["name"], set()).add(option["kind"] == "text")
    assert {name for name, both in kinds.items() if len(both) > 1} == set()


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20))
def test_any_text_is_quoted_so_that_it_is_read_back(text: str) -> None:
    spec = spec_text("gtp", {"command": text}, what="player")
    assert f"command={option_text('command', text)}" in _core.canonical("player", spec)


def test_changed_keeps_what_has_no_key() -> None:
    assert changed('python("a=b:C", options="x, y=1")', {"options": '"z"'}) == 'python("a=b:C", options="z")'
    assert changed("uct", {"simulations": "5"}) == "uct(simulations=5)"
    assert changed("misere(havannah(size=3))", {}) == "misere(havannah(size=3))"
    assert changed("uct(simulations=5, fpu=1)", {"seconds": "2"}) == "uct(fpu=1, seconds=2)"
