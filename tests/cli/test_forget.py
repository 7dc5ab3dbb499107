"""`coppice forget`, which removes a match after a question, and what `coppice matches` says of code."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run

from coppice.lab.match import Match
from coppice.lab.replay import build, stands_under
from coppice.lab.store import Store

GAME = "tic_tac_toe"


@pytest.fixture(autouse=True)
def here(own_modules: None) -> None:
    Match(GAME, "random", "uct(simulations=3)", seed=7).play(3)
    Match(GAME, "random", "random").play(2)


def left() -> list[int]:
    with Store("coppice.db", read_only=True) as store:
        return [match.games for match in store.matches()]


def name() -> str:
    return Match(GAME, "random", "uct(simulations=3)", seed=7).identity


@pytest.mark.parametrize(("answer", "rest"), [("y\n", [2]), ("n\n", [3, 2]), ("", [3, 2])])
def test_a_match_is_removed_after_a_question(answer: str, rest: list[int]) -> None:
    done = run("forget", name()[:8], text=answer)
    what = "3 games of tic_tac_toe, random - uct(simulations=3), seed 7"
    assert f"Remove {what} from 'coppice.db'? [y/N]" in done.stderr
    assert (f"removed {what}" in done.stderr) == (rest == [2])
    assert left() == rest


def test_who_says_yes_is_not_asked_and_what_is_forgotten_is_played_anew() -> None:
    done = run("forget", name()[:8], "--yes")
    assert (done.returncode, done.stdout) == (0, "")
    assert "Remove" not in done.stderr
    with Store("coppice.db") as store:
        assert not stands_under(store, name(), build())
        assert Match(GAME, "random", "uct(simulations=3)", seed=7).play(3, store=store).resumed == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["forget", "zz"], "the store 'coppice.db' has no match zz: "),
        (["forget", ""], "several matches begin with : "),
        (["forget", "a", "--store", "none.db"], "there is no store 'none.db': coppice match makes one"),
    ],
)
def test_what_cannot_be_forgotten_is_one_line(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert message in done.stderr
    assert left() == [3, 2]


def test_matches_tell_the_code_of_each_match_apart() -> None:
    policy = "from coppice.extend import Playout\nclass P(Playout):\n    def choose(self, turn, rng):\n"
    match = Match(GAME, 'mcts(playout=python("./p.py:P"), simulations=2)', "random")
    seen = []
    for index in (0, -1):
        Path("p.py").write_text(f"{policy}        return turn.legal_moves()[{index}]\n")
        match.play(2)
        seen.append(match.row.contents["p.py"][:8])
    lines = run("matches").stdout.splitlines()
    assert [line.split("p.py ")[-1].split()[0] for line in lines if "p.py:P" in line] == seen
    assert len(set(seen)) == 2
