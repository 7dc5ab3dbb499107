"""The exact solver through the public API and the command line."""

from __future__ import annotations

import json

import pytest
from command import run

import coppice


@pytest.mark.parametrize(
    ("game", "value"),
    [
        ("domineering(rows=3, columns=3)", "win"),
        ("misere(domineering(rows=3, columns=3))", "loss"),
        ("domineering(rows=5, columns=5)", "loss"),
        ("nogo(rows=3, columns=3)", "win"),
        ("atari_go(rows=3, columns=3)", "win"),
        ("knightthrough", "win"),
        ("havannah(size=2)", "win"),
        ("tic_tac_toe", "draw"),
    ],
)
def test_exact_values_are_known(game: str, value: str) -> None:
    solution = coppice.game(game).start().solve()
    assert (solution.value, solution.side) == (value, "first")
    assert solution.best
    assert set(solution.moves) == set(coppice.game(game).start().legal_moves)


def test_havannah_2_is_won_in_the_corners_and_lost_in_the_centre() -> None:
    solution = coppice.game("havannah(size=2)").start().solve()
    assert {move for move, value in solution.moves.items() if value == "loss"} == {"b2"}
    assert len(solution.best) == 6


def test_a_limit_leaves_the_value_open() -> None:
    told: list[coppice.SolverProgress] = []
    solution = coppice.game("nogo").start().solve(coppice.Limit(seconds=1.2), tell=told.append)
    assert solution.value is None
    assert told
    assert told[-1].nodes > 0
    with pytest.raises(ValueError, match="a solver makes no simulations"):
        coppice.game("breakthrough").start().solve(coppice.Limit(simulations=10))


def test_the_command_solves_and_gives_up_clearly() -> None:
    found = json.loads(run("solve", "domineering(rows=4, columns=4)", "--json").stdout)
    assert found["value"] == "win"
    text = run("solve", "tic_tac_toe", "--moves", "b2 a1").stdout
    assert text.startswith("X to move") or "to move" in text
    gave_up = run("solve", "nogo", "--seconds", "0.5")
    assert gave_up.returncode == 2
    assert "not solved within" in gave_up.stderr


def test_a_search_that_solves_shows_its_proofs() -> None:
    report = coppice.player("uct_solver(simulations=3000)").search(
        coppice.game("domineering(rows=3, columns=3)").start()
    )
    assert {stat.proof for stat in report.moves} & {"win", "loss"}
    assert next(stat.proof for stat in report.moves if stat.name == report.best) == "win"
