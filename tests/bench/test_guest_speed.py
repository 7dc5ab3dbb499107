"""Speed of games written in Python, against the same game built in and against each other."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from coppice.cli.bench import playout_rate
from coppice.core.session import Game, Player

pytestmark = pytest.mark.bench
EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "domineering.py"


def test_a_compiled_game_is_a_hundred_times_plain_python_and_a_fifteenth_of_built_in() -> None:
    plain = playout_rate(f'python("{EXAMPLE}:Domineering", options="7x7")')
    compiled = playout_rate(f'python("{EXAMPLE}:CompiledDomineering", options="7x7")')
    built_in = playout_rate("domineering(rows=7, columns=7)")
    print(
        f"playouts of domineering 7x7 per CPU second: plain {plain:,.0f}, compiled {compiled:,.0f}"
        f" ({compiled / plain:.0f} times plain), built in {built_in:,.0f} ({compiled / built_in:.2f} of it)"
    )
    assert compiled >= 100 * plain
    assert compiled >= built_in / 15


def test_a_search_pays_for_python_what_random_games_pay() -> None:
    """Threads of the core keep their thread state: one for every call made a search several times as dear."""
    state = Game(f'python("{EXAMPLE}:Domineering", options="5x5")').start()
    searcher = Player("mcts(simulations=400)")

    def cpu(work: Callable[[int], object], run: int) -> float:
        begun = time.process_time()
        work(run)
        return time.process_time() - begun

    # In turns, so that a busy moment of the machine meets both.
    runs = [
        (
            cpu(lambda run: state.random_games(400, seed=run), run),
            cpu(lambda run: searcher.search(state, seed=run), run),
        )
        for run in range(5)
    ]
    games, searches = (min(times) for times in zip(*runs, strict=True))
    print(f"plain domineering 5x5: 400 simulations take {searches / games:.2f} times the CPU of 400 games")
    assert searches <= 2.0 * games
