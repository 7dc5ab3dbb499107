"""Speed as ratios against the reference kernel of `bench/`, both timed in this run."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

import coppice
from coppice.cli.bench import playout_rate

pytestmark = pytest.mark.bench
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="session")
def reference_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("reference") / "havannah_reference"
    source = ROOT / "bench" / "havannah_reference.cpp"
    subprocess.run(["c++", "-O3", "-std=c++17", str(source), "-o", str(program)], check=True)
    return program


@pytest.fixture(scope="session")
def reference(reference_program: Path) -> dict[tuple[str, int], float]:
    """The best of two runs of the reference, one before and one after a pause: machines are noisy."""
    rates: dict[tuple[str, int], float] = {}
    for _ in range(2):
        for line in subprocess.run(
            [reference_program], capture_output=True, text=True, check=True
        ).stdout.splitlines():
            entry = json.loads(line)
            key = (entry["what"], entry["base"])
            rates[key] = max(rates.get(key, 0.0), entry["per_cpu_second"])
    return rates


def cpu_rates(game: str, players: list[str], simulations: int) -> list[float]:
    """Simulations per CPU second of the searching thread, by player: the best of five after a warm-up.

    The players take turns, so that a machine that is busy for a while slows all of them.
    """
    state, deciders = coppice.game(game).start(), [coppice.player(player) for player in players]
    best = [0.0] * len(players)
    for run in range(6):
        for i, decider in enumerate(deciders):
            started = time.process_time()
            report = decider.search(state, coppice.Limit(simulations=simulations), seed=run)
            if run:
                best[i] = max(best[i], report.simulations / (time.process_time() - started))
    return best


def cpu_rate(game: str, player: str, simulations: int) -> float:
    return cpu_rates(game, [player], simulations)[0]


@pytest.mark.parametrize("size", [6, 8, 10])
def test_uniform_playouts_are_faster_than_the_reference(
    size: int, reference: dict[tuple[str, int], float]
) -> None:
    ratio = playout_rate(f"havannah(size={size})", 0.3) / reference["uniform playouts", size]
    print(f"\nuniform playouts, size {size}: {ratio:.2f} of the reference")
    assert ratio >= 1.30


@pytest.mark.parametrize("size", [6, 10])
def test_a_uct_simulation_costs_no_more_than_the_references(
    size: int, reference: dict[tuple[str, int], float]
) -> None:
    player = "mcts(selection=uct, expansion=all)"
    ratio = cpu_rate(f"havannah(size={size})", player, 30_000) / reference["rave search simulations", size]
    print(f"\nUCT simulations, size {size}: {ratio:.2f} of the reference's RAVE search")
    assert ratio >= 1.0


@pytest.mark.parametrize(
    ("player", "least"),
    [
        ("mcts(selection=rave(amaf=raw, k=0, r=130), expansion=all(at=5), fpu=1.0)", 1.0),
        ("rave", 0.75),
    ],
)
def test_a_rave_simulation_beside_the_references(
    player: str, least: float, reference: dict[tuple[str, int], float]
) -> None:
    ratio = cpu_rate("havannah(size=6)", player, 30_000) / reference["rave search simulations", 6]
    print(f"\n{player}: {ratio:.2f} of the reference's RAVE search")
    assert ratio >= least


@pytest.mark.parametrize(
    ("player", "size", "least"),
    [
        ("lgrf1", 6, 0.8),
        ("ppr", 6, 0.6),
        ("pool_rave", 6, 0.6),
        ("mast", 6, 0.35),
        ("nast2", 6, 0.35),
        ("rave(playout=mate(c=3))", 6, 0.5),
        ("strong", 6, 0.35),
        ("strong", 10, 0.35),
    ],
)
def test_a_policy_costs_no_more_than_its_share(player: str, size: int, least: float) -> None:
    rates = (cpu_rates(f"havannah(size={size})", [player, "rave"], 30_000) for _ in range(2))
    ratio = max(own / rave for own, rave in rates)
    print(f"\n{player}: {ratio:.2f} of rave")
    assert ratio >= least


def test_two_threads_play_nearly_twice_as_fast() -> None:
    match = coppice.Match("havannah(size=5)", "uct(simulations=2000)", "uct(simulations=2000)", seed=1)

    def seconds(threads: int) -> float:
        started = time.monotonic()
        match.play(24, threads=threads, store=None)
        return time.monotonic() - started

    seconds(2)
    ratio = max(seconds(1) / seconds(2) for _ in range(3))
    print(f"\ntwo threads: {ratio:.2f} times as fast as one")
    assert ratio >= 1.8


def test_mr_jack_plays_out_in_time(reference: dict[tuple[str, int], float]) -> None:
    ratio = playout_rate("mr_jack", 0.3) / reference["uniform playouts", 6]
    print(f"\nMr Jack: {ratio:.3f} of the reference's Havannah playouts at size 6")
    assert ratio >= 0.07
