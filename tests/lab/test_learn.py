"""Learning from self-play: the model, the games it is fitted to, the file, the command."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st

import coppice
from coppice import _core
from coppice.lab.learn import Choices, Gain, Learning, Weights, fit
from coppice.lab.store import Store
from coppice.reference.havannah import Havannah
from coppice.reference.patterns import SHIPPED, nearness, pattern

BOARD = "havannah(size=3)"
PLAYER = "strong(simulations=60)"


def choices_of(rows: list[tuple[int, dict[int, int]]]) -> Choices:
    """Choices of one game, each from the kind that was chosen and the number of moves of each kind."""
    return Choices.of(
        {
            "per_game": [len(rows)],
            "chosen": [chosen for chosen, _ in rows],
            "widths": [len(counts) for _, counts in rows],
            "kinds": [kind for _, counts in rows for kind in counts],
            "counts": [count for _, counts in rows for count in counts.values()],
        }
    )


def test_two_kinds_by_hand() -> None:
    # One against one, 30 times won and 10 times lost: nearly 3 to 1, and a little less for the two games of
    # each against the average.
    weights = fit(choices_of([(0, {0: 1, 1: 1})] * 30 + [(1, {0: 1, 1: 1})] * 10), 2)
    a, b = weights
    assert (a + b) / 2 == pytest.approx(1)
    assert a / b == pytest.approx(3, rel=0.1)
    assert a / b < 3
    assert 31 / a == pytest.approx(40 / (a + b) + 2 / (a + 1), rel=0.01)


def test_a_kind_with_more_moves_is_not_stronger_for_it() -> None:
    # Nine moves of kind 0 and one of kind 1: nine of ten choices is no more than its share.
    weights = fit(choices_of([(0, {0: 9, 1: 1})] * 900 + [(1, {0: 9, 1: 1})] * 100), 2)
    assert weights == pytest.approx([1, 1], abs=0.01)


def test_what_was_never_seen_stays_at_the_average() -> None:
    weights = fit(choices_of([(0, {0: 1, 1: 3})] * 50 + [(1, {0: 1, 1: 3})] * 10 + [(2, {1: 1, 2: 1})]), 4)
    assert weights[3] == pytest.approx(1, abs=0.05)
    assert weights[0] > 5 * weights[1]
    assert 0.5 < weights[2] < 3, "one win proves little"


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.dictionaries(st.integers(0, 3), st.integers(1, 5), min_size=2).flatmap(
            lambda counts: st.tuples(st.sampled_from(sorted(counts)), st.just(counts))
        ),
        min_size=5,
        max_size=40,
    )
)
def test_every_kind_wins_as_often_as_its_weight_says(rows: list[tuple[int, dict[int, int]]]) -> None:
    # Coulom's equations by plain loops: wins = weight * sum of count / strength, the games against the
    # average included. What keeps the average at 1 is one factor for all.
    weights = fit(choices_of(rows), 4)
    ratios = []
    for kind, weight in enumerate(weights):
        wins = 1 + sum(chosen == kind for chosen, _ in rows)
        expected = 2 * weight / (weight + 1)
        for _, counts in rows:
            strength = sum(count * weights[other] for other, count in counts.items())
            expected += counts.get(kind, 0) * weight / strength
        ratios.append(wins / expected)
    assert ratios == pytest.approx([ratios[0]] * 4, rel=1e-3)
    legal = sum(sum(counts.values()) for _, counts in rows)
    mean = sum(count * weights[kind] for _, counts in rows for kind, count in counts.items()) / legal
    assert mean == pytest.approx(1)


def test_weights_are_found_again() -> None:
    rng = np.random.default_rng(5)
    true = np.array([0.2, 0.5, 1.0, 2.0, 6.0])
    rows = []
    for _ in range(8000):
        counts = {kind: int(rng.integers(1, 6)) for kind in range(5) if rng.random() < 0.7}
        if counts:
            strengths = np.array([count * true[kind] for kind, count in counts.items()])
            rows.append((int(rng.choice(list(counts), p=strengths / strengths.sum())), counts))
    weights = fit(choices_of(rows), 5)
    assert weights / weights[2] == pytest.approx(true, rel=0.1)


def test_likelihoods_by_hand() -> None:
    choices = choices_of([(0, {0: 2, 1: 1}), (1, {0: 2, 1: 1})])
    found = choices.log_likelihoods(np.array([1.0, 2.0]))
    assert found == pytest.approx([math.log(1 / 4), math.log(2 / 4)])
    gain = Gain.of(choices, np.array([1.0, 2.0]))
    assert gain.likelihood == pytest.approx((math.log(1 / 4) + math.log(1 / 2)) / 2)
    assert gain.gain == pytest.approx(gain.likelihood - math.log(1 / 3))
    assert gain.error == pytest.approx(0), "one game tells nothing of the spread between games"


def test_choices_are_what_a_plain_replay_finds() -> None:
    board = Havannah(4)
    record = coppice.Match("havannah(size=4)", "random", "random", seed=3).play(1, store=None).records[0]
    told = _core.pattern_choices("havannah(size=4)", [record.moves], skip=1)
    names = [name for name, _ in _core.patterns("havannah(size=4)")]
    moves = [board.cell(name) for name in record.moves.split()]
    at = 0
    for ply in range(1, len(moves)):
        own, others = set(moves[ply % 2 : ply : 2]), set(moves[1 - ply % 2 : ply : 2])
        kinds = {
            cell: 3 * names.index(pattern(board, cell, own, others)) + nearness(board, cell, moves[ply - 1])
            for cell in board.cells - own - others
        }
        counts = {kind: list(kinds.values()).count(kind) for kind in set(kinds.values())}
        width = told["widths"][ply - 1]
        shown = zip(told["kinds"][at : at + width], told["counts"][at : at + width], strict=True)
        assert dict(shown) == counts
        assert told["chosen"][ply - 1] == kinds[moves[ply]]
        at += width
    assert told["per_game"] == [len(moves) - 1]


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> tuple[Learning, Weights, str]:
    plan = Learning([BOARD, "havannah(size=4)"], PLAYER, count=20, seed=4)
    with Store(tmp_path_factory.mktemp("learn") / "one.db") as store:
        list(plan.run(store, threads=1))
        weights = plan.learn(store)
    return plan, weights, plan.text(weights, "x.json")


def test_the_same_is_learnt_on_two_threads_and_after_an_interruption(
    learnt: tuple[Learning, Weights, str], tmp_path: Path
) -> None:
    plan, _, text = learnt
    with Store(tmp_path / "two.db") as store:
        half = plan.matches()[0].run(7, threads=2, store=store)
        list(half)
        with pytest.raises(ValueError, match=r"^only 7 of 20 games of havannah\(size=3, swap=false\)"):
            plan.learn(store)
        list(plan.run(store, threads=2))
        assert plan.text(plan.learn(store), "folder/x.json") == text
    other = Learning([BOARD, "havannah(size=4)"], PLAYER, count=20, seed=5)
    with Store(tmp_path / "three.db") as store:
        list(other.run(store, threads=2))
        assert other.text(other.learn(store), "x.json") != text.replace('"seed": 4', '"seed": 5')


def test_the_file_tells_where_it_is_from(learnt: tuple[Learning, Weights, str], tmp_path: Path) -> None:
    _, weights, text = learnt
    file = json.loads(text)
    assert file["game"] == "havannah"
    assert file["command"] == (
        "coppice learn 'havannah(size=3)' 'havannah(size=4)' --player 'strong(simulations=60)' --games 20"
        " --seed 4 --plies 2 --out x.json"
    )
    assert (file["seed"], file["games"], file["play_version"]) == (4, 40, _core.PLAY_VERSION)
    assert file["learnt_from"] == weights.learnt > 3 * file["held_out"] > 0
    assert len(file["patterns"]) == 155
    # It foretells moves of games that it has not seen better than chance does.
    for gain in weights.gains.values():
        assert gain.gain > 3 * gain.error > 0
    (tmp_path / "x.json").write_text(text)
    player = f'rave(playout=patterns(weights="{tmp_path / "x.json"}"), simulations=200)'
    state = coppice.game(BOARD).start()
    assert coppice.player(player).search(state, seed=1) is not None
    match = coppice.Match(BOARD, player, "random")
    assert not match.reproducible, "the file may be another tomorrow"


def test_patterns_are_drawn_side_by_side(learnt: tuple[Learning, Weights, str]) -> None:
    _, weights, _ = learnt
    lines = weights.drawing([(0, 0), (weights.names.index(".oox##"), 1)]).splitlines()
    assert lines[:3] == [" . .       # #", ". + .     x + .", " . .       o o"]
    assert lines[4].split() == ["far", "beside"]
    strongest = [weights.numbers[at, 1 + near] for at, near in weights.strongest(5)]
    weakest = [weights.numbers[at, 1 + near] for at, near in weights.strongest(5, weakest=True)]
    assert strongest == sorted(strongest, reverse=True)
    assert weakest == sorted(weakest)
    assert weakest[-1] < strongest[-1]


def test_the_command_learns_and_tells(tmp_path: Path) -> None:
    arguments = ["learn", BOARD, "--player", "rave(simulations=30)", "--games", "10", "--out", "w.json"]
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "learnt from" in done.stdout
    assert "the strongest patterns around a move +" in done.stdout
    assert "the weakest patterns around a move +" in done.stdout
    assert 'strong(playout=patterns(weights="w.json"))' in done.stderr
    again = run(*arguments, "--json", "--threads", "1", cwd=tmp_path)
    facts = json.loads(again.stdout)
    file = json.loads((tmp_path / "w.json").read_text())
    assert facts == {name: value for name, value in file.items() if name != "patterns"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["domineering"], "domineering has no small patterns whose weights could be learnt"),
        (["misere(havannah)"], "misere havannah has no small patterns"),
        ([BOARD, "misere(havannah)"], "weights are learnt for one game, not for havannah and misere"),
        ([BOARD, "--games", "3"], "Invalid value for '--games'"),
        ([BOARD, "--player", "rvae"], "unknown player 'rvae' (did you mean 'rave'?)"),
        ([BOARD, "--out", "no/such/w.json"], "there is no folder 'no/such' for the weights"),
    ],
)
def test_what_is_wrong_is_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    out = [] if "--out" in arguments else ["--out", "w.json"]
    done = run("learn", *arguments, *out, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot learn from 9 games: at least 10 are needed"):
        Learning([BOARD], PLAYER, count=9)
    with pytest.raises(ValueError, match="nothing to learn from"):
        Learning([])


def test_the_shipped_weights_say_how_they_were_made() -> None:
    file = json.loads(SHIPPED.read_text(encoding="utf-8"))
    assert file["command"].startswith("coppice learn 'havannah(size=6)' 'havannah(size=8)' --player 'mcts(")
    assert list(file["patterns"]) == [name for name, _ in _core.patterns("havannah")]
    likelihood = file["log_likelihood"]
    assert likelihood["near"] > likelihood["any"] > likelihood["uniform"] + 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is not JSON"),
        ('{"game": "chess"}', "these weights are for chess, not havannah"),
        ('{"game": "havannah", "patterns": {}}', "0 of the 155 patterns have weights: '......' has none"),
    ],
)
def test_a_broken_file_is_refused_before_the_first_move(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text)
    done = run("match", BOARD, f'rave(playout=patterns("{path}"))', "random", cwd=tmp_path)
    assert done.returncode == 2
    assert f"patterns: {path}: {message}" in done.stderr
