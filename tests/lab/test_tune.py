"""Tournaments, sweeps and tuning, with stand-ins for workers."""

from __future__ import annotations

import pickle
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_workers import GAME, RANDOM, STRONG, WEAK, FakeGames, FakeWorkers

from coppice.core.session import Game
from coppice.core.spec import Spec
from coppice.lab.match import Match, Openings
from coppice.lab.store import Store
from coppice.lab.sweep import Sweep, fill, holes, parse_values
from coppice.lab.tournament import Tournament, ratings
from coppice.lab.tune import VERIFY_SEED, Parameter, Tuning


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "s.db")


TEMPLATE = "uct(selection=uct(k={x}), simulations={y})"


class Peak(FakeWorkers):
    """Workers with whom a player of `TEMPLATE` wins the more often the nearer x is to 0.7 and y to 100."""

    def games(self, match: Match, indices: Sequence[int]) -> FakeGames:
        found = dict(re.findall(r"\b(k|simulations)=([\d.e+-]+)", match.a))
        miss = abs(float(found["k"]) - 0.7) + abs(float(found["simulations"]) - 100) / 300
        # The name of the player decides its strength in these games.
        player = STRONG if miss < 0.15 else RANDOM if miss < 0.4 else WEAK
        return FakeGames(self, (match.game, player, match.a, match.seed), indices)


# Values


def test_plans_are_values_whatever_they_were_given_as(tmp_path: Path) -> None:
    book = tmp_path / "openings.txt"
    book.write_text("a1 b2\n")
    given: dict[str, Any] = {"openings": book, "seed": 4}
    same: dict[str, Any] = {"openings": Openings.of(["a1 b2"]), "seed": 4}
    weak, ranges = Spec.of("player", WEAK), [Parameter("x", 0, 2), Parameter("y", 10, 1000)]
    plans: list[tuple[Any, Any]] = [
        (Tournament(GAME, [RANDOM, STRONG], **given), Tournament("tic_tac_toe()", (RANDOM, STRONG), **same)),
        (Sweep(GAME, TEMPLATE, WEAK, {"x": [1, 0.7], "y": ["5"]}, **given),
         Sweep(Game(GAME), TEMPLATE, weak, {"x": ("1", "0.7"), "y": (5,)}, **same)),
        (Tuning(GAME, TEMPLATE, WEAK, ranges, **given),
         Tuning(Game(GAME), TEMPLATE, weak, tuple(ranges), **same)),
    ]  # fmt: skip
    for one, two in plans:
        assert one == two
        assert pickle.loads(pickle.dumps(one)) == one
        assert one != replace(one, seed=5)
    book.write_text("a1 b3\n")
    assert Sweep(GAME, TEMPLATE, WEAK, {"x": [1]}, **given) != Sweep(GAME, TEMPLATE, WEAK, {"x": [1]}, **same)


# Tournaments


def test_a_round_robin_plays_every_pair_once_and_ranks(store: Store) -> None:
    workers = FakeWorkers()
    plan = Tournament(GAME, (RANDOM, STRONG, WEAK))
    assert list(plan.matches()) == [(RANDOM, STRONG), (RANDOM, WEAK), (STRONG, WEAK)]
    last = [step.finished for _, step in plan.run(40, store, workers=workers)][-1]
    assert last == 40
    assert len(workers.played) == 120
    table = ratings(plan.scores(40, store), plan.names)
    assert {rating.games for rating in table} == {80}
    assert table[0].low < table[0].elo < table[0].high
    assert abs(sum(rating.elo for rating in table)) < 1e-6
    workers.played.clear()
    for _ in plan.run(50, store, workers=workers):
        pass
    assert len(workers.played) == 30


def test_a_gauntlet_plays_one_against_all(store: Store) -> None:
    plan = Tournament(GAME, (RANDOM, STRONG, WEAK), "gauntlet")
    assert list(plan.matches()) == [(RANDOM, STRONG), (RANDOM, WEAK)]
    assert plan.scores(10, store) == {}


def test_bad_tournaments_are_refused() -> None:
    with pytest.raises(ValueError, match="a tournament needs at least 2 players, not 1"):
        Tournament(GAME, (WEAK,))
    with pytest.raises(ValueError, match=r"players 'random' and 'random\(\)' are the same player"):
        Tournament(GAME, ("random", "random()"))
    with pytest.raises(ValueError, match="players 'random' and 'random' are the same player"):
        Tournament(GAME, ("random", "random", STRONG))
    with pytest.raises(ValueError, match="unknown kind of tournament 'swiss': allowed are round_robin"):
        Tournament(GAME, (WEAK, STRONG), "swiss")  # type: ignore[arg-type]


# Sweeps


def test_holes_and_values() -> None:
    assert holes("p(x={x}, y={y}, z={x})") == ["x", "y"]
    assert fill("p(x={x}, z={x})", {"x": "1"}) == "p(x=1, z=1)"
    assert parse_values("x=1, 2,1") == ("x", ["1", "2"])
    assert parse_values("x=0:0.3:0.1") == ("x", ["0", "0.1", "0.2", "0.3"])
    assert parse_values("mode=one,all") == ("mode", ["one", "all"])
    for bad in ("x", "=1", "x=", "x=1,,2", "x=1:0:1", "x=0:1:0", "x=a:b:c", "x=0:inf:1"):
        with pytest.raises(ValueError, match=f"'{re.escape(bad)}' is not allowed"):
            parse_values(bad)
    with pytest.raises(ValueError, match=r"needs a value for \{x\}: --set x="):
        fill("p(x={x})", {})
    with pytest.raises(ValueError, match=r"has no \{y\} for the value of y"):
        fill("p(x={x})", {"x": "1", "y": "2"})


def test_a_sweep_plays_every_point(store: Store) -> None:
    sweep = Sweep(GAME, TEMPLATE, WEAK, {"x": ["0", 0.7], "y": ["100", 400]})
    assert len([point for point, step in sweep.run(40, store, workers=Peak()) if step.done]) >= 4
    scores = sweep.scores(40, store)
    assert list(scores) == [("0", "100"), ("0", "400"), ("0.7", "100"), ("0.7", "400")]
    assert max(scores, key=lambda point: scores[point].rate) == ("0.7", "100")
    with pytest.raises(ValueError, match="a sweep needs at least one --set"):
        Sweep(GAME, WEAK, WEAK, {}).matches()


# Tuning


def test_parameters_are_read() -> None:
    assert Parameter.parse("x=0..1") == Parameter("x", 0, 1)
    assert Parameter.parse("r=10..1000:log:int") == Parameter("r", 10, 1000, True, True)
    assert Parameter.parse("t=1e-3..0.5:log").logarithmic
    assert Parameter("r", 10, 1000, True, True).text(3.0) == "20"
    assert Parameter("x", 0, 1).text(7.0) == "1"
    for bad in ("x", "x=1", "x=1..", "x=1..0", "x=a..b", "x=1..1", "x=0..1:linear", "x=0..nan"):
        with pytest.raises(ValueError, match=f"'{re.escape(bad)}' is not allowed"):
            Parameter.parse(bad)
    with pytest.raises(ValueError, match="a logarithmic range begins above 0"):
        Parameter.parse("x=0..1:log")


def tuning(**options: object) -> Tuning:
    given: dict[str, object] = {"rounds": 6, "population": 12, "games": 20, "verify": 60}
    return Tuning(
        GAME,
        TEMPLATE,
        WEAK,
        [Parameter("x", 0, 2), Parameter("y", 10, 1000, True, True)],
        **{**given, **options},  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("method", ["cem", "optuna"])
def test_tuning_finds_the_peak_and_verifies_on_new_seeds(method: str, store: Store) -> None:
    steps = list(tuning(method=method).run(store, workers=Peak()))
    trials, verification = steps[:-1], steps[-1]
    assert [step.kind for step in trials] == ["trial"] * 72
    assert verification.kind == "verification"
    assert verification.score.games == 60
    assert verification.match.seed == VERIFY_SEED
    assert verification.match.seed not in {step.match.seed for step in trials}
    assert abs(float(verification.values["x"]) - 0.7) < 0.35
    assert verification.score.rate > 0.5
    # Given again, nothing is played twice and the same proposal comes out.
    again = Peak()
    assert list(tuning(method=method).run(store, workers=again))[-1].values == verification.values
    assert again.played == []


def test_tuning_does_not_end_with_the_luckiest_trial(store: Store) -> None:
    steps = list(tuning(rounds=3).run(store, workers=Peak()))
    best = max(steps[:-1], key=lambda step: step.score.rate)
    assert steps[-1].values != best.values


def test_bad_tunings_are_refused() -> None:
    bad: list[tuple[dict[str, Any], str]] = [
        ({"method": "grid"}, "unknown method 'grid': allowed are cem, optuna"),
        ({"rounds": 0}, "rounds is 0: at least 1 is needed"),
        ({"population": 3}, "the population is 3: at least 4 are needed"),
    ]
    for options, message in bad:
        with pytest.raises(ValueError, match=message):
            tuning(**options)
    with pytest.raises(ValueError, match=r"needs a value for \{x\}"):
        Tuning(GAME, "uct(selection=uct(k={x}))", WEAK, [])
    with pytest.raises(ValueError, match="has nothing to tune"):
        Tuning(GAME, WEAK, WEAK, [])
    with pytest.raises(ValueError, match="optuna's CMA-ES needs at least two parameters"):
        Tuning(GAME, "uct(selection=uct(k={x}))", WEAK, [Parameter("x", 0, 1)], method="optuna")
