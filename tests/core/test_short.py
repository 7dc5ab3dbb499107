"""Tests of short specs: they mean the same, and nobody reads forty options."""

from __future__ import annotations

import pytest

import coppice
from coppice import _core
from coppice.core.short import short

GAMES = ["havannah(size=6)", "breakthrough", "mr_jack", "tic_tac_toe"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("uct(simulations=50)", "uct(simulations=50)"),
        ("mcts(selection=uct(k=0.25), simulations=1000)", "uct"),
        ("ppr(seconds=5)", "ppr(seconds=5.0)"),
        ("uct(selection=uct(k=0.5), simulations=30)", "uct(selection=uct(k=0.5), simulations=30)"),
        ("rave(playout=mast+mate, reuse=true)", "rave(playout=mast+mate, reuse=true)"),
        ('mcts(playout=python("x:A", options="1, 2"))', 'uct(playout=python("x:A", options="1, 2"))'),
        ('gtp(command="a --x \\"b, c\\"", timeout=5)', 'gtp("a --x \\"b, c\\"", timeout=5.0)'),
        ("random", "random"),
    ],
)
def test_a_player_is_shown_by_what_differs(given: str, expected: str) -> None:
    game = _core.canonical("game", "havannah(size=6)")
    assert short("player", _core.canonical("player", given, game), game) == expected


@pytest.mark.parametrize("game", GAMES)
def test_a_short_spec_means_the_same(game: str) -> None:
    checked = 0
    for part in coppice.catalogue("player"):
        for text in (part.name, f"{part.name}(simulations=7)", f"{part.name}(seconds=1.5)"):
            try:
                spec = _core.canonical("player", text, game)
            except ValueError:
                continue
            shown = short("player", spec, game)
            assert _core.canonical("player", shown, game) == spec
            assert len(shown) <= len(text) + 2, (text, shown)
            checked += 1
    assert checked > 12


def test_games_are_short_too() -> None:
    for text in ("havannah", "misere(havannah(size=4))", "domineering(rows=4, columns=4)"):
        assert short("game", _core.canonical("game", text)) == text


def test_what_is_not_known_here_is_shown_in_full() -> None:
    assert short("player", "champion(level=1)", "tic_tac_toe") == "champion(level=1)"
