"""Tournaments, sweeps and tuning, with a stand-in for the core."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fake_core import FakeCore

from coppice.lab.store import Store
from coppice.lab.sweep import Sweep, fill, holes, parse_values
from coppice.lab.tournament import Tournament, ratings
from coppice.lab.tune import VERIFY_SEED, Parameter, Tuning


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "s.db")


class PeakCore(FakeCore):
    """A core whose players `p(x=.., y=..)` win the more often the nearer x is to 0.7 and y to 100."""

    def canonical(self, family: str, spec: str, game: str | None = None) -> str:
        return spec if family == "player" else super().canonical(family, spec)

    def play_games(self, game, a, b, *, seed, indices, threads, openings):  # type: ignore[no-untyped-def]
        found = {name: float(value) for name, value in re.findall(r"(\w)=([\d.e+-]+)", a)}
        miss = abs(found["x"] - 0.7) + (abs(found["y"] - 100) / 300 if "y" in found else 0)
        # The name of the player decides its strength in the fake core.
        name = "strong" if miss < 0.15 else "random" if miss < 0.4 else "weak"
        games = super().play_games(
            game, name, b, seed=seed, indices=indices, threads=threads, openings=openings
        )
        games._key = (game, name, a, seed)
        return games


# Tournaments


def test_a_round_robin_plays_every_pair_once_and_ranks(store: Store) -> None:
    core = FakeCore()
    plan = Tournament("toy", ("random", "strong", "weak"), core=core)
    assert list(plan.matches()) == [("random", "strong"), ("random", "weak"), ("strong", "weak")]
    last = [step.finished for _, step in plan.run(40, store)][-1]
    assert last == 40
    assert len(core.played) == 120
    table = ratings(plan.scores(40, store), plan.names)
    assert {rating.games for rating in table} == {80}
    assert table[0].low < table[0].elo < table[0].high
    assert abs(sum(rating.elo for rating in table)) < 1e-6
    core.played.clear()
    for _ in plan.run(50, store):
        pass
    assert len(core.played) == 30


def test_a_gauntlet_plays_one_against_all(store: Store) -> None:
    plan = Tournament("toy", ("random", "strong", "weak"), "gauntlet", core=FakeCore())
    assert list(plan.matches()) == [("random", "strong"), ("random", "weak")]
    assert plan.scores(10, store) == {}


def test_bad_tournaments_are_refused() -> None:
    with pytest.raises(ValueError, match="a tournament needs at least 2 players, not 1"):
        Tournament("toy", ("weak",), core=FakeCore())
    with pytest.raises(ValueError, match=r"players 'weak' and 'weak\(level=1\)' are the same player"):
        Tournament("toy", ("weak", "weak(level=1)"), core=FakeCore())
    with pytest.raises(ValueError, match="players 'weak' and 'weak' are the same player"):
        Tournament("toy", ("weak", "weak", "strong"), core=FakeCore())
    with pytest.raises(ValueError, match="unknown kind of tournament 'swiss': allowed are round_robin"):
        Tournament("toy", ("weak", "strong"), "swiss", core=FakeCore())  # type: ignore[arg-type]


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
    sweep = Sweep("toy", "p(x={x}, y={y})", "weak", {"x": ["0", "0.7"], "y": ["100", "400"]}, core=PeakCore())
    assert len([point for point, step in sweep.run(40, store) if step.done]) >= 4
    scores = sweep.scores(40, store)
    assert list(scores) == [("0", "100"), ("0", "400"), ("0.7", "100"), ("0.7", "400")]
    assert max(scores, key=lambda point: scores[point].rate) == ("0.7", "100")
    with pytest.raises(ValueError, match="a sweep needs at least one --set"):
        Sweep("toy", "weak", "weak", {}, core=FakeCore()).matches()


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
        "toy",
        "p(x={x}, y={y})",
        "weak",
        [Parameter("x", 0, 2), Parameter("y", 10, 1000, True, True)],
        core=PeakCore(),
        **{**given, **options},  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("method", ["cem", "optuna"])
def test_tuning_finds_the_peak_and_verifies_on_new_seeds(method: str, store: Store) -> None:
    steps = list(tuning(method=method).run(store))
    trials, verification = steps[:-1], steps[-1]
    assert [step.kind for step in trials] == ["trial"] * 72
    assert verification.kind == "verification"
    assert verification.score.games == 60
    assert verification.match.seed == VERIFY_SEED
    assert verification.match.seed not in {step.match.seed for step in trials}
    assert abs(float(verification.values["x"]) - 0.7) < 0.35
    assert verification.score.rate > 0.5
    # Given again, nothing is played twice and the same proposal comes out.
    again = tuning(method=method)
    assert list(again.run(store))[-1].values == verification.values
    assert again.core is not None
    assert again.core.played == []  # type: ignore[attr-defined]


def test_tuning_does_not_end_with_the_luckiest_trial(store: Store) -> None:
    steps = list(tuning(rounds=3).run(store))
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
        Tuning("toy", "p(x={x})", "weak", [])
    with pytest.raises(ValueError, match="has nothing to tune"):
        Tuning("toy", "weak", "weak", [])
    with pytest.raises(ValueError, match="optuna's CMA-ES needs at least two parameters"):
        Tuning("toy", "p(x={x})", "weak", [Parameter("x", 0, 1)], method="optuna")
