"""The swap of the first stone: what `strong` takes, leaves, and opens with."""

from __future__ import annotations

import pytest

import coppice
from coppice import Limit

STRONG = "strong"
# Up to symmetry there are four openings on size 3: the corner wins, the others lose.
OPENINGS = {"a1": "loss", "b1": "win", "b2": "win", "c3": "win"}


def decision(size: int, line: str, simulations: int, seed: int) -> coppice.Report:
    state = coppice.game(f"havannah(size={size}, swap=true)").start().play(*line.split())
    return coppice.player(STRONG).search(state, Limit(simulations=simulations), seed=seed)


def visits(report: coppice.Report, move: str) -> int:
    return next(stat.visits for stat in report.moves if stat.name == move)


@pytest.mark.parametrize(("opening", "value"), OPENINGS.items())
def test_strong_swaps_exactly_what_the_solver_would(opening: str, value: str) -> None:
    plain = coppice.game("havannah(size=3)").start().play(opening)
    assert plain.solve(Limit(seconds=60)).value == value, "for the side that did not open"
    for seed in (1, 2):
        best = decision(3, opening, 3000, seed).best
        assert (best == "swap") == (value == "loss")


def test_strong_swaps_the_best_opening_of_a_small_board() -> None:
    """On size 4 that is a corner."""
    for seed in (1, 2):
        report = decision(4, "a1", 5000, seed)
        assert report.best == "swap"
        assert report.value
        assert report.value > 0.5


def test_strong_swaps_a_strong_opening_in_the_middle() -> None:
    for seed in (1, 2):
        assert decision(5, "e5", 5000, seed).best == "swap"


def test_strong_leaves_an_opening_that_gives_nothing_away() -> None:
    """The centre of size 4 is worth no more than an answer to it; the swap has been looked at."""
    for seed in (1, 2):
        report = decision(4, "d4", 10_000, seed)
        assert report.best != "swap"
        assert visits(report, "swap") >= 400


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_strong_does_not_open_with_the_strongest_cell(seed: int) -> None:
    corners = ("a1", "d1", "a4", "g4", "d7", "g7")
    plain = coppice.game("havannah(size=4)").start()
    assert coppice.player(STRONG).search(plain, Limit(simulations=20_000), seed=seed).best in corners
    # That the other side would swap is found in the tree: this takes more simulations.
    assert decision(4, "", 50_000, seed).best not in corners


def test_a_swap_is_rated_from_the_side_that_made_it() -> None:
    """After a swap the stone is the other side's: what the position is worth turns round."""
    own = decision(4, "a1", 10_000, 1)
    swapped = decision(4, "a1 swap", 10_000, 1)
    assert own.value
    assert swapped.value
    assert own.value + swapped.value == pytest.approx(1, abs=0.05)
