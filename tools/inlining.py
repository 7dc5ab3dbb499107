"""Measures what `inline(always)` and unchecked access are worth: each of them carries the reason found here.

    python tools/inlining.py --write bench/inlining.txt   # hours of one processor: one build per file

In a copy of the source each file's `inline(always)` becomes `inline` in turn; then unchecked access is
checked, and bits are found without the instruction for it. Counted are the instructions of lines of
fingerprints.txt that pass through the file, as `tools/instructions.py` counts them, as a share of those of
the source as it stands. Where that is no more than 1, the file should not force the compiler.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import instructions

ROOT = Path(__file__).parent.parent
FORCED, ASKED = "#[inline(always)]", "#[inline]"
# Words of the lines that pass through a file, where its name is not one of them.
WORDS = {
    "src/game/fast_play.rs": ("minimax", "nested", "decisive"),
    "src/games/bitset.rs": ("domineering", "through", "nogo", "atari_go", "tic_tac_toe"),
    "src/games/domineering.rs": ("domineering",),
    "src/games/forward_men.rs": ("breakthrough", "knightthrough"),
    "src/games/go_board.rs": ("nogo", "atari_go"),
    "src/playout/fused.rs": ("+",),
    "src/playout/mod.rs": ("mast", "ppr", "last_good_reply", "pool_rave"),
}
# The `unsafe` that is there for speed: what takes its place, by name.
SAFE = {
    "src/games/havannah/mod.rs checked access": ('if cfg!(feature = "checked") {', "if true {"),
    "src/games/bitset.rs without pdep": ('is_x86_feature_detected!("bmi2")', "false"),
}
# About as many lines are counted for each file.
LINES = 24


@dataclass(frozen=True)
class Worth:
    """What lines need after one change, as a share of what they need without it."""

    name: str
    places: int
    lines: int
    middle: float
    most: float
    where: tuple[str, str]

    def row(self) -> str:
        """A line of the table."""
        game, player = self.where
        shares = f"{self.middle:.3f}\t{self.most:.3f}"
        return f"{self.name}\t{self.places}\t{self.lines}\t{shares}\t{game}\t{player}"


def words_of(file: str) -> tuple[str, ...]:
    """What the lines that pass through a file name."""
    path = Path(file)
    return WORDS.get(file) or (("havannah",) if path.parent.name == "havannah" else (path.stem,))


def build(folder: Path, target: Path) -> Path:
    """The counting program of a source folder."""
    command = ["cargo", "build", "--locked", "--quiet", "--profile", "counted", "--no-default-features"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    subprocess.run([*command, "--example", "instructions"], check=True, cwd=folder, env=environment)
    return target / "counted/examples/instructions"


def counts(program: Path, file: str) -> dict[tuple[str, str], int]:
    """What the lines of a file need."""
    kept = (ROOT / "fingerprints.txt").read_text(encoding="utf-8").splitlines()[1:]
    named = sum(any(word in line for word in words_of(file)) for line in kept)
    return instructions.count(program, 0, max(1, named // LINES), *words_of(file))


def changes(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """What is tried in turn: its name, its file, the text that goes and the text that comes."""
    for path in sorted((folder / "src").rglob("*.rs")):
        if FORCED in path.read_text(encoding="utf-8"):
            file = str(path.relative_to(folder))
            yield file, file, FORCED, ASKED
    for name, (old, new) in SAFE.items():
        yield name, name.partition(" ")[0], old, new


def measured(only: list[str]) -> Iterator[Worth]:
    """What each change costs, in a copy of the source."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, target = Path(scratch, "source"), Path(scratch, "target")
        ignored = shutil.ignore_patterns("target", ".venv", ".build", ".git", "*.so", "_build", "results")
        shutil.copytree(ROOT, folder, ignore=ignored)
        program = Path(scratch, "now", "instructions")
        program.parent.mkdir()
        shutil.copy(build(folder, target), program)
        for name, file, old, new in list(changes(folder)):
            if only and name not in only:
                continue
            path = folder / file
            text = path.read_text(encoding="utf-8")
            assert old in text, f"{file} has no {old}"
            path.write_text(text.replace(old, new), encoding="utf-8")
            before, after = counts(program, file), counts(build(folder, target), file)
            path.write_text(text, encoding="utf-8")
            shares = {key: after[key] / number for key, number in before.items()}
            most = max(shares, key=lambda key: shares[key])
            middle = statistics.median(shares.values())
            yield Worth(name, text.count(old), len(shares), middle, shares[most], most)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", type=Path, help="keep the table in this file")
    parser.add_argument("--only", action="append", default=[], help="a change alone, as src/games/bitset.rs")
    asked = parser.parse_args()
    found = []
    for one in measured(asked.only):
        print(one.row(), flush=True)
        found.append(one)
    if asked.write:
        head = (
            "# Instructions without inline(always), or without unsafe access, as a share of those with it: "
            f"{instructions.made_with()}.\n# change, places, lines counted, median, most, where it is most\n"
        )
        asked.write.write_text(head + "".join(f"{one.row()}\n" for one in found), encoding="utf-8")


if __name__ == "__main__":
    main()
