"""Methods of tuning: each climbs, with numbers, choices and single parameters; the lucky trial loses."""

from __future__ import annotations

import math
import random
import re
import sys
from collections.abc import Callable, Sequence

import pytest

from coppice.lab.parameters import Choice, Parameter, Place, Tuned, listed, parse_parameter
from coppice.lab.tune_methods import METHODS, Method, check_method, searcher_of, steadiest

# Parameters


def test_ranges_and_choices_are_read() -> None:
    assert parse_parameter("x=0..1") == Parameter("x", 0, 1)
    assert parse_parameter(" r=10..1000:log:int ") == Parameter("r", 10, 1000, True, True)
    assert parse_parameter("x=-1.5..1e3") == Parameter("x", -1.5, 1000)
    assert parse_parameter("reuse=true,false") == Choice("reuse", ("true", "false"))
    assert parse_parameter("p=mast(tau=1, k=2), random") == Choice("p", ("mast(tau=1, k=2)", "random"))
    for text in ("x=0..1", "r=10..1000:log:int", "reuse=true,false", "t=0.001..0.5:log"):
        assert parse_parameter(text).written == text
    assert listed("a, b(c, [d, e]), f") == ["a", "b(c, [d, e])", "f"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x", "name=low..high, then :log and :int if wanted, or name=one,two"),
        ("=1..2", "name=low..high"),
        ("x y=1..2", "name=low..high"),
        ("x=", "name=low..high"),
        ("x=1..", "name=low..high"),
        ("x=a..b", "name=low..high"),
        ("x=0..1:linear", "name=low..high"),
        ("x=1..0", "low must be smaller than high"),
        ("x=1..1", "low must be smaller than high"),
        ("x=0..inf", "low must be smaller than high"),
        ("x=0..1:log", "a logarithmic range begins above 0"),
        ("n=1.2..1.8:int", "it needs at least two whole numbers"),
        ("x=1", "a choice needs at least two values, or a range name=low..high"),
        ("x=a,,b", "it has an empty value"),
        ("x=a,b,a", "it has a twice"),
    ],
)
def test_what_is_no_parameter_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"'{text}' is not allowed: {reason}")):
        parse_parameter(text)


def test_whole_numbers_stay_inside_the_range() -> None:
    whole = Parameter("n", 1.5, 4.4, whole=True)
    assert {whole.text(at / 10) for at in range(60)} == {"2", "3", "4"}


# Which method can tune what

BOTH: Sequence[Tuned] = (Parameter("x", 0, 1), Parameter("y", 0, 1))
MIXED: Sequence[Tuned] = (Parameter("x", 0, 1), Choice("c", ("bad", "good", "worse")))


def test_methods_that_cannot_are_refused_with_those_that_can() -> None:
    assert [check_method(name, BOTH) for name in METHODS] == list(METHODS)
    # What versions before called it.
    assert check_method("optuna", BOTH) == "cmaes"
    others = "cem, tpe, nsgaii, qmc, random"
    with pytest.raises(ValueError, match=f"the method cmaes tunes numbers, and c is a choice: take {others}"):
        check_method("cmaes", MIXED)
    with pytest.raises(
        ValueError, match=f"cmaes needs at least two parameters: for a single one take {others}"
    ):
        check_method("optuna", BOTH[:1])
    with pytest.raises(ValueError, match=f"unknown method 'luck': allowed are cem, cmaes, {others[5:]}"):
        check_method("luck", BOTH)


@pytest.mark.parametrize(
    ("method", "missing"),
    [*((name, "optuna") for name in METHODS[1:]), ("cmaes", "cmaes"), ("qmc", "scipy")],
)
def test_a_missing_library_is_named_with_its_command(
    method: Method, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    message = f"the method {method} needs the extra: pip install 'coppice-mcts[tune]'"
    with pytest.raises(ValueError, match=re.escape(message)):
        searcher_of(method, BOTH, 8, 0)
    assert searcher_of("cem", BOTH, 8, 0).ask()


# What they find


def climbed(
    method: Method,
    parameters: Sequence[Tuned],
    rate: Callable[..., float],
    *,
    trials: int = 160,
    seed: int = 3,
) -> tuple[tuple[Place, ...], list[tuple[Place, ...]]]:
    """The proposal after so many trials, and what was tried."""
    searcher = searcher_of(method, parameters, 16, seed)
    tried = []
    for _ in range(trials):
        places = searcher.ask()
        tried.append(places)
        searcher.tell(rate(*places))
    return searcher.proposal(), tried


@pytest.mark.parametrize("method", METHODS)
def test_every_method_comes_near_the_top_of_two_numbers_and_repeats(method: Method) -> None:
    def hill(x: Place, y: Place) -> float:
        return 1 - (abs(float(x) - 0.9) + abs(float(y) - 0.15)) / 2

    proposal, tried = climbed(method, BOTH, hill)
    assert math.dist([float(at) for at in proposal], [0.9, 0.15]) < 0.2
    assert climbed(method, BOTH, hill) == (proposal, tried)
    assert climbed(method, BOTH, hill, trials=2, seed=4)[1] != tried[:2]


@pytest.mark.parametrize("method", [name for name in METHODS if name != "cmaes"])
def test_choices_and_single_parameters_are_tuned(method: Method) -> None:
    def both(x: Place, choice: Place) -> float:
        return {"bad": 0.3, "good": 0.6, "worse": 0.1}[str(choice)] - abs(float(x) - 0.8) / 4

    proposal, tried = climbed(method, MIXED, both)
    assert {choice for _, choice in tried} == {"bad", "good", "worse"}
    assert proposal[1] == "good"
    assert abs(float(proposal[0]) - 0.8) < 0.2
    one, _ = climbed(method, MIXED[:1], lambda x: 1 - abs(float(x) - 0.2))
    assert abs(float(one[0]) - 0.2) < 0.15
    only, _ = climbed(method, MIXED[1:], lambda choice: both(0.8, choice), trials=32)
    assert only == ("good",)


def test_the_cross_entropy_method_gives_probability_to_what_wins() -> None:
    searcher = searcher_of("cem", (Choice("c", ("a", "b")),), 200, 1)
    for _ in range(200):
        searcher.tell(float(searcher.ask() == ("b",)))
    later = [searcher.ask()[0] for _ in range(200)]
    # From a half it goes seven tenths of the way to all: 0.85.
    assert 150 < later.count("b") < 190


def test_a_lone_lucky_trial_is_not_proposed() -> None:
    rng = random.Random(1)
    line = (Parameter("x", 0, 10),)
    trials: list[tuple[tuple[Place, ...], float]] = []
    for _ in range(60):
        x = rng.uniform(0, 10)
        trials.append(((x,), 0.6 if 6 < x < 8 else 0.4))
    trials.append(((1.0,), 1.0))
    [proposal] = steadiest(line, trials)
    assert 6 < float(proposal) < 8
    # Choices are no neighbours: many good trials of one do not speak for another.
    pair = (*line, Choice("c", ("a", "b")))
    split: list[tuple[tuple[Place, ...], float]] = [((x, "a"), 0.3) for (x,), _ in trials[:30]]
    split += [((x, "b"), 0.7) for (x,), _ in trials[:30]]
    assert steadiest(pair, split)[1] == "b"
    # Of equals the first.
    assert steadiest(line, [((2.0,), 0.5), ((8.0,), 0.5)]) == (2.0,)
