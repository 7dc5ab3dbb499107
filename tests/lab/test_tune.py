"""Tournaments, sweeps and tuning, with stand-ins for workers."""

from __future__ import annotations

import math
import pickle
import random
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fake_workers import GAME, RANDOM, STRONG, WEAK, FakeGames, FakeWorkers

from coppice.core.session import Game
from coppice.core.spec import Spec
from coppice.lab.match import Match, Openings
from coppice.lab.store import Store
from coppice.lab.sweep import Sweep, fill, holes, parse_values
from coppice.lab.tournament import Tournament, ratings
from coppice.lab.tune import VERIFY_SEED, Parameter, Step, Tuning


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


class HillGames(FakeGames):
    """Games of which exactly so many points are won as the place on the hill says."""

    def __init__(self, workers: FakeWorkers, height: float, indices: Sequence[int]) -> None:
        super().__init__(workers, (height, WEAK), indices)
        self._halves = round(2 * height * len(indices))

    def __next__(self) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        for record in super().__next__():
            score = min(self._halves, 2) / 2
            self._halves -= int(2 * score)
            first = (score == 1.0) == (record["first"] == "a")
            winner = None if score == 0.5 else "first" if first else "second"
            found.append({**record, "score": score, "winner": winner})
        return found


class Hill(FakeWorkers):
    """Workers with whom nearness to a top far from the middle of the ranges wins, without any chance."""

    TOP: ClassVar = {"k": 1.9, "w": math.log(12.0)}
    """On the scale of the tuning; the middles are 1 and log(100), as far from the ends as can be."""
    WIDTH: ClassVar = {"k": 2.0, "w": math.log(100.0)}

    @classmethod
    def miss(cls, k: float, w: float) -> tuple[float, float]:
        """How far off the top a place is, in widths of the ranges."""
        at = {"k": k, "w": math.log(w)}
        found = [abs(at[name] - cls.TOP[name]) / cls.WIDTH[name] for name in at]
        return found[0], found[1]

    def games(self, match: Match, indices: Sequence[int]) -> FakeGames:
        found = re.search(r"\(.*?k=([\d.e+-]+), .*?w=([\d.e+-]+)", match.a)
        assert found is not None, match.a
        return HillGames(self, 1 - sum(self.miss(float(found[1]), float(found[2]))) / 2, indices)


HILL = [Parameter("k", 0, 2), Parameter("w", 10, 1000, logarithmic=True)]


def tuning(**options: object) -> Tuning:
    given: dict[str, Any] = {"rounds": 6, "population": 12, "games": 40, "verify": 60}
    template = "mcts(selection=progressive_history(k={k}, w={w}))"
    return Tuning(GAME, template, WEAK, HILL, **{**given, **options})


def place(step: Step) -> tuple[float, float]:
    return float(step.values["k"]), float(step.values["w"])


@pytest.mark.parametrize(("method", "rounds"), [("cem", 6), ("cmaes", 10)])
def test_tuning_climbs_to_the_top_and_verifies_on_new_seeds(method: str, rounds: int, store: Store) -> None:
    steps = list(tuning(method=method, rounds=rounds, seed=7).run(store, workers=Hill(batch=64)))
    trials, verification = steps[:-1], steps[-1]
    assert [(step.kind, step.round) for step in trials] == [
        ("trial", at) for at in range(rounds) for _ in range(12)
    ]
    assert [step.match.seed for step in trials] == [7 + 1 + number for number in range(len(trials))]
    assert all(step.score.games == 40 for step in trials)
    assert (verification.kind, verification.round, verification.score.games) == ("verification", rounds, 60)
    assert verification.match == tuning(method=method).match(verification.values, 7 + VERIFY_SEED)
    assert verification.match.seed not in {step.match.seed for step in trials}
    # From the middle of the ranges it is 0.45 to the top: whoever does not move stays there.
    start = Hill.miss(1.0, 100.0)
    assert min(start) > 0.44
    assert max(Hill.miss(*place(verification))) < 0.22
    # What is tried draws together.
    spans = [
        statistics.pstdev(place(step)[0] for step in trials if step.round == at) for at in (0, rounds - 1)
    ]
    assert spans[1] < spans[0] / 2
    # Given again, nothing is played twice and the same proposal comes out.
    again = Hill(batch=64)
    assert (
        list(tuning(method=method, rounds=rounds, seed=7).run(store, workers=again))[-1].values
        == verification.values
    )
    assert again.played == []
    assert place(next(tuning(method=method, seed=8).run(store, workers=again))) != place(trials[0])


def middle(steps: Sequence[Step]) -> tuple[float, float]:
    """The mean place, on the scales of the tuning."""
    places = [place(step) for step in steps]
    return statistics.fmean(k for k, _ in places), statistics.fmean(math.log(w) for _, w in places)


def best_first(steps: Sequence[Step]) -> list[Step]:
    """The better ones first, of equals the earlier."""
    return sorted(steps, key=lambda step: -step.score.rate)


def test_cross_entropy_goes_seven_tenths_of_the_way_to_the_best_quarter(store: Store) -> None:
    *trials, verification = tuning(rounds=1).run(store, workers=Hill(batch=64))
    elite = middle(best_first(trials)[:3])
    k, w = place(verification)
    assert k == pytest.approx(0.3 * 1.0 + 0.7 * elite[0], rel=1e-3)
    assert math.log(w) == pytest.approx(0.3 * math.log(100) + 0.7 * elite[1], rel=1e-3)
    # Four are the fewest, and the better half of them is followed.
    *trials, verification = tuning(rounds=1, population=4).run(store, workers=Hill(batch=64))
    assert place(verification)[0] == pytest.approx(0.3 + 0.7 * middle(best_first(trials)[:2])[0], rel=1e-3)


def test_each_round_of_cross_entropy_is_drawn_around_the_best_and_as_wide_as_they_lie(store: Store) -> None:
    *trials, _ = tuning(rounds=3, seed=5).run(store, workers=Hill(batch=64))
    rng = random.Random("coppice tune 5")
    ends = [(0.0, 2.0), (math.log(10), math.log(1000))]
    middles = [statistics.fmean(one) for one in ends]
    spreads = [(high - low) / 2 for low, high in ends]
    size = len(trials) // 3
    for turn in range(3):
        drawn = []
        for step in trials[turn * size : (turn + 1) * size]:
            at = []
            for (low, high), about, wide in zip(ends, middles, spreads, strict=True):
                found = (rng.gauss(about, wide) for _ in range(100))
                at.append(next(one for one in found if low <= one <= high))
            k, w = place(step)
            assert k == pytest.approx(at[0], rel=1e-3)
            assert math.log(w) == pytest.approx(at[1], rel=1e-3)
            drawn.append((-step.score.rate, at))
        elite = [at for _, at in sorted(drawn, key=lambda one: one[0])[:3]]
        for number, column in enumerate(zip(*elite, strict=True)):
            middles[number] += 0.7 * (statistics.fmean(column) - middles[number])
            spreads[number] += 0.7 * (statistics.pstdev(column) - spreads[number])


@pytest.mark.parametrize("population", [12, 13])
def test_cmaes_proposes_the_middle_of_the_better_half_of_the_last_generation(
    population: int, store: Store
) -> None:
    *trials, verification = tuning(rounds=3, population=population, method="cmaes").run(store, workers=Hill())
    half = middle(best_first(trials[-population:])[: (population + 1) // 2])
    k, w = place(verification)
    assert k == pytest.approx(half[0], rel=1e-3)
    assert math.log(w) == pytest.approx(half[1], rel=1e-3)


def test_every_trial_is_inside_the_ranges_and_they_fill_them(store: Store) -> None:
    places = [
        place(step) for step in tuning(rounds=1, population=64, games=2).run(store, workers=Hill(batch=64))
    ][:-1]
    for at, (low, high) in enumerate([(0, 2), (10, 1000)]):
        values = [each[at] for each in places]
        assert low <= min(values) < low * 2 + 0.4
        assert high / 2 < max(values) <= high


def test_tuning_does_not_end_with_the_luckiest_trial(store: Store) -> None:
    steps = list(tuning(rounds=3).run(store, workers=Hill(batch=64)))
    best = max(steps[:-1], key=lambda step: step.score.rate)
    assert steps[-1].values != best.values


def test_bad_tunings_are_refused() -> None:
    bad: list[tuple[dict[str, Any], str]] = [
        ({"method": "grid"}, "unknown method 'grid': allowed are cem, cmaes, tpe"),
        ({"rounds": 0}, "rounds is 0: at least 1 is needed"),
        ({"population": 3}, "the population is 3: at least 4 are needed"),
        ({"rounds": 100_000}, "1,200,000 trials are too many: at most 1,000,000"),
    ]
    for options, message in bad:
        with pytest.raises(ValueError, match=message):
            tuning(**options)
    with pytest.raises(ValueError, match=r"needs a value for \{x\}"):
        Tuning(GAME, "uct(selection=uct(k={x}))", WEAK, [])
    with pytest.raises(ValueError, match="has nothing to tune"):
        Tuning(GAME, WEAK, WEAK, [])
    with pytest.raises(ValueError, match=r"every \{name\} of '.*' needs one range or choice"):
        Tuning(GAME, "uct(selection=uct(k={x}))", WEAK, [Parameter("x", 0, 1), Parameter("x", 0, 2)])
