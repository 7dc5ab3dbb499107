"""How near the estimate of a run comes to what its games take."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from coppice.lab.store import Store
from coppice.papers.budgets import known_budgets, measure_speeds
from coppice.papers.cost import Costs, play
from coppice.papers.experiment import find_experiment
from coppice.papers.jobs import jobs_of

pytestmark = [pytest.mark.bench, pytest.mark.timeout(0)]

# A row of every family of tables, by its number, and how many games make a mean that says something.
ROWS = [
    ("fossel_table1", 1, 8),
    ("fossel_table6", 1, 8),
    ("ppr_table1", 1, 40),
    ("ppr_table1", 13, 10),
    ("nmcs_table3", 2, 200),
    ("nmcs_table3", 6, 20),
    ("nmcs_table4", 9, 100),
    ("nmcs_table5", 8, 40),
    ("jack_table2", 1, 20),
]


@pytest.mark.parametrize(("experiment", "number", "games"), ROWS)
def test_an_estimate_is_within_half_of_what_games_take(
    experiment: str, number: int, games: int, tmp_path: Path
) -> None:
    declared = find_experiment(experiment)
    rows = [declared.rows[number - 1]]
    store = Store(tmp_path / "s.db")
    budgets = measure_speeds(rows, known_budgets(rows, store))
    [job] = jobs_of(declared, budgets, rows=rows)
    # Other games than those that the estimate may have played.
    [others] = jobs_of(declared, budgets, rows=rows, seed=declared.seed + 1)
    begun = time.process_time()
    each = Costs(store).of(job).seconds_each
    measured = time.process_time()
    play(others, games)
    real = (time.process_time() - measured) / games
    print(
        f"\n{experiment} {number}, {job.row.name}: {each:.3g} s expected, {real:.3g} s in {games} games, "
        f"ratio {each / real:.2f}; the estimate took {measured - begun:.1f} s"
    )
    assert 1 / 1.5 < each / real < 1.5
