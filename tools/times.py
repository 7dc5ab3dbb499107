"""Measures where the time of `make test` goes: in fresh clones with empty caches, and when all is built.

    python tools/times.py --fresh 3 --built 3 --write results/test_times.txt   # on a quiet machine

Each run says what its steps took; two lanes run side by side, so that they add up to more than the whole. A
table of another commit, as of the one before the lanes, stands below it with `--beside FILE`. A run that
fails ends the measuring.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
WHOLE = "make test"
STEP = re.compile(r"^ok (.*) \((\d+) s\)$", re.MULTILINE)
CARGO = re.compile(r"^test result: ok\. (\d+) passed", re.MULTILINE)
PYTEST = re.compile(r"^(?:=+ )?(\d+) passed", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """One `make test`."""

    kind: str
    """`fresh` or `built`."""
    seconds: Mapping[str, float]
    """Of the whole and of each step."""
    tests: Mapping[str, int]
    """How many passed, by what ran them."""


def read(kind: str, whole: float, output: str) -> Run:
    """What a run has printed."""
    seconds = {WHOLE: round(whole), **{name: int(number) for name, number in STEP.findall(output)}}
    tests = {"cargo": sum(map(int, CARGO.findall(output))), "pytest": sum(map(int, PYTEST.findall(output)))}
    return Run(kind, seconds, tests)


def run(kind: str, folder: Path, home: Path) -> Run:
    """One `make test` in a folder, with what is fetched kept in a home of its own."""
    caches = {
        "CARGO_HOME": str(home / "cargo"),
        "PIP_CACHE_DIR": str(home / "pip"),
        "XDG_CACHE_HOME": str(home),
    }
    toolchain = {"RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup"))}
    started = time.monotonic()
    done = subprocess.run(
        ["make", "test"],
        cwd=folder,
        env={**os.environ, **toolchain, **caches},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"make test failed:\n{done.stdout[-5000:]}{done.stderr[-5000:]}")
    return read(kind, time.monotonic() - started, done.stdout)


def runs(fresh: int, built: int) -> Iterable[Run]:
    """Runs in clones of the last commit; the last clone is the one that is built."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = home = Path(scratch)
        for number in range(max(fresh, 1)):
            folder, home = Path(scratch, f"clone{number}"), Path(scratch, f"home{number}")
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
            first = run("fresh", folder, home)
            if fresh:
                yield first
        for _ in range(built):
            yield run("built", folder, home)


def table(found: list[Run], about: str) -> str:
    """The runs as a text: a row per step, a column per run; before them what was measured where."""
    names = list(dict.fromkeys(name for one in found for name in one.seconds))
    width = max(map(len, names))
    head = " ".join(f"{one.kind:>6}" for one in found)
    rows = [
        f"{name:<{width}} " + " ".join(f"{one.seconds.get(name, ''):>6}" for one in found) for name in names
    ]
    middles = [
        f"{kind}: {statistics.median(one.seconds[WHOLE] for one in found if one.kind == kind) / 60:.1f} min"
        for kind in dict.fromkeys(one.kind for one in found)
    ]
    tests = ", ".join(f"{number} by {runner}" for runner, number in found[-1].tests.items())
    return "\n".join(
        [
            f"# Where the time of make test goes, in seconds: {about}.",
            f"# Middle of the whole: {', '.join(middles)}. Tests that passed: {tests}.",
            f"{'step':<{width}} {head}",
            *rows,
            "",
        ]
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--fresh", type=int, default=3, help="runs in fresh clones with empty caches")
    parser.add_argument("--built", type=int, default=3, help="runs when everything is built")
    parser.add_argument("--write", type=Path, help="keep the table in this file")
    parser.add_argument("--beside", type=Path, help="a table to put below it")
    asked = parser.parse_args()
    commit = subprocess.run(
        ["git", "describe", "--always"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    found = []
    for one in runs(asked.fresh, asked.built):
        print(f"{one.kind}: {one.seconds[WHOLE]} s", flush=True)
        found.append(one)
    text = table(found, f"{commit}, {os.cpu_count()} processors")
    if asked.beside:
        text += "\n" + asked.beside.read_text(encoding="utf-8")
    print(text)
    if asked.write:
        asked.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
