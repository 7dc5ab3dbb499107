"""What the laboratory costs beside the games: starting, storing, showing."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

import coppice
from coppice.lab.workers import Threads

pytestmark = pytest.mark.bench
COPPICE = str(Path(sys.executable).parent / "coppice")


def test_ten_thousand_tiny_games_take_two_seconds_from_the_shell(tmp_path: Path) -> None:
    best = 99.0
    for turn in range(3):
        begun = time.monotonic()
        subprocess.run(
            [
                *(COPPICE, "match", "domineering(rows=3, columns=3)", "random", "random"),
                *("--games", "10000", "--store", str(tmp_path / f"{turn}.db")),
            ],
            check=True,
            capture_output=True,
        )
        best = min(best, time.monotonic() - begun)
    print(f"\n10,000 games of 3x3 Domineering from the shell: {best:.2f} s")
    assert best < 2


def test_the_core_stops_within_a_fifth_of_a_second() -> None:
    endless = "uct(simulations=100000000)"
    games = Threads(2).games(coppice.Match("havannah(size=8)", endless, endless), [0, 1])
    time.sleep(0.2)
    begun = time.monotonic()
    games.stop()
    assert [record for batch in games for record in batch] == []
    assert time.monotonic() - begun < 0.2


def test_a_match_spends_less_than_three_percent_outside_the_core(tmp_path: Path) -> None:
    match = coppice.Match("havannah(size=4)", "uct(simulations=1000)", "uct(simulations=1000)", seed=3)

    def outside(turn: int) -> float:
        # Games run on threads of the core: what this thread spends is storing, counting and waiting.
        here, all_of_it = time.thread_time(), time.process_time()
        match.play(200, threads=1, store=tmp_path / f"{turn}.db")
        return (time.thread_time() - here) / (time.process_time() - all_of_it)

    least = min(map(outside, range(3)))
    print(f"\noutside the core: {100 * least:.2f} % of a match of UCT with 1,000 simulations")
    assert least < 0.03
