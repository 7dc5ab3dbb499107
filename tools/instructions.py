"""Counts the instructions of one fixed search per line of fingerprints.txt; compares them with a kept base.

    python tools/instructions.py --write bench/instructions.txt   # the base: at the commit to compare with
    python tools/instructions.py --base bench/instructions.txt    # later: what has become slower or faster

Counted are the decisions alone, not the reading and building of players before them, and the program's own
code alone: what the C library needs for memory depends on where the heap happens to have room, and moves a
line by up to a third when nothing has changed. The program is built as one unit (the profile `counted`),
because the compiler inlines otherwise when it divides the crate otherwise. A count is then the same for one
binary, whatever else the machine does. It is only to be compared with counts of the same compiler and kind of
machine, which the file names.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
BOUND = 0.02


@dataclass(frozen=True)
class Counts:
    """Instructions by (game, player), and what they were counted with."""

    made_with: str
    lines: dict[tuple[str, str], int]

    def text(self) -> str:
        """As they are kept in a file."""
        rows = [f"{number}\t{game}\t{player}" for (game, player), number in self.lines.items()]
        return "\n".join([f"# Instructions of one fixed search: {self.made_with}.", *rows, ""])


def read(path: Path) -> Counts:
    """Counts that were kept."""
    head, *rows = path.read_text(encoding="utf-8").splitlines()
    lines = {}
    for row in rows:
        number, game, player = row.split("\t")
        lines[game, player] = int(number)
    return Counts(head.partition(": ")[2].rstrip("."), lines)


def made_with() -> str:
    """The compiler and the kind of machine."""
    compiler = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout
    return f"{compiler.strip()}, {platform.machine()}"


def built(folder: Path = ROOT) -> Path:
    """The program that searches each line once, of the source in a folder."""
    command = ["cargo", "build", "--locked", "--quiet", "--profile", "counted", "--no-default-features"]
    subprocess.run([*command, "--example", "instructions"], check=True, cwd=folder)
    return Path(os.environ.get("CARGO_TARGET_DIR", folder / "target")) / "counted/examples/instructions"


def own(dump: str, program: str) -> int:
    """The instructions in a dump of callgrind that were the program's own: not those of libraries.

    A line of cost belongs to the object named last; the one after `calls=` is the cost of what was called.
    """
    names: dict[str, str] = {}
    total, within, called = 0, "", False
    for line in dump.splitlines():
        named = re.match(r"(c?ob)=\((\d+)\)(?: (.*))?", line)
        if named:
            names.setdefault(named[2], named[3] or "")
            within = names[named[2]] if named[1] == "ob" else within
        elif line.startswith("calls="):
            called = True
        elif re.match(r"[\d+*-]", line):
            total += 0 if called or not within.endswith(program) else int(line.split()[1])
            called = False
    return total


def count(program: Path, part: int, parts: int, *lines: tuple[str, str]) -> dict[tuple[str, str], int]:
    """Runs each `parts`-th line, of those named if any are, under callgrind, which dumps after each."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                f"--callgrind-out-file={folder}/out",
                "--toggle-collect=*one_decision*",
                "--zero-before=instructions::one_line",
                "--dump-after=instructions::one_line",
                str(program),
                str(part),
                str(parts),
                *map("\t".join, lines),
            ],
            capture_output=True,
            text=True,
        )
        if ran.returncode:
            raise SystemExit(ran.stderr)
        names = [line.split("\t") for line in ran.stdout.splitlines()]
        dumps = [Path(folder, f"out.{at}") for at in range(1, len(names) + 1)]
        found = {}
        for (game, player), dump in zip(names, dumps, strict=True):
            found[game, player] = own(dump.read_text(), f"/{program.name}")
            assert found[game, player] > 0, f"{player} in {game}: nothing was counted"
        return found


def count_all(program: Path, *lines: tuple[str, str]) -> dict[tuple[str, str], int]:
    """The counts of the lines named, or of all, on all processors."""
    if shutil.which("valgrind") is None:
        raise SystemExit("there is no valgrind: it counts the instructions (Debian's package valgrind)")
    parts = os.cpu_count() or 1
    with ThreadPoolExecutor(parts) as pool:
        pieces = list(pool.map(lambda part: count(program, part, parts, *lines), range(parts)))
    return dict(sorted((key, number) for piece in pieces for key, number in piece.items()))


def counted() -> Counts:
    """The counts of the source as it stands."""
    return Counts(made_with(), count_all(built()))


def ratios(base: Counts, now: Counts) -> dict[tuple[str, str], float]:
    """Of every line that both have: instructions now, as a share of those of the base."""
    if base.made_with != now.made_with:
        raise SystemExit(f"the base was counted with {base.made_with}, not with {now.made_with}")
    return {key: now.lines[key] / number for key, number in base.lines.items() if key in now.lines}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--write", type=Path, help="keep the counts in this file")
    way.add_argument("--base", type=Path, help="compare them with this file")
    asked = parser.parse_args()
    now = counted()
    if asked.write:
        asked.write.write_text(now.text(), encoding="utf-8")
        return
    found = ratios(read(asked.base), now)
    for (game, player), ratio in sorted(found.items(), key=lambda item: -item[1]):
        if abs(ratio - 1) > BOUND:
            print(f"{ratio:.3f}  {player} in {game}")
    slower = sum(ratio > 1 + BOUND for ratio in found.values())
    middle = statistics.median(found.values())
    print(
        f"{len(found)} lines: median {middle:.4f}, most {max(found.values()):.4f}, {slower} above {1 + BOUND}"
    )
    sys.exit(slower > 0)


if __name__ == "__main__":
    main()
