"""Measures what `inline(always)` and unchecked access are worth: each of them carries the reason found here.

    python tools/inlining.py --write bench/inlining.txt   # an hour or so of two processors

In a copy of the source all `inline(always)` become `inline` at once. A file none of whose lines then needs
more instructions gains nothing by the force. The other files are changed in groups, a build for each group;
no line of fingerprints.txt passes through two files of a group. Unchecked access that is checked, and bits
that are found without the instruction for it, are changes like these. A row says what lines need after a
change, as a share of what they need without it, counted as `tools/instructions.py` does; rows of changes that
are not measured this time stay as they are. A file keeps the force where a line needs 1 % more without it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import instructions

ROOT = Path(__file__).parent.parent
FORCED, ASKED = "#[inline(always)]", "#[inline]"
TOGETHER = "all"
"""What a row says of a file that was measured with all others given up, too."""
LINES = 48
"""As many lines are counted for a change at most."""
LEAST = 1.01
"""What a force must be worth to some line."""
SLOW = "mr_jack"
"""A game that no change is about, whose lines take long to count."""
# Which lines pass through a file, where it is not those that name it: of "game, tabulator, player".
THROUGH = {
    "src/game/fast_play.rs": r"\t.*(minimax|nested|decisive)",
    "src/games/bitset.rs": r"^(misere\()?(domineering|\w+through|nogo|atari_go|tic_tac_toe)\b",
    "src/games/domineering.rs": r"^(misere\()?domineering\b",
    "src/games/forward_men.rs": r"^(misere\()?\w+through\b",
    "src/games/go_board.rs": r"^(misere\()?(nogo|atari_go)\b",
    "src/games/havannah/ring_rule.rs": r"^(misere\()?havannah\b.*\brings\b",
    # The policies of Havannah's strong player are compiled as one, and nobody else's are.
    "src/games/havannah/watch.rs": r"playout=threats|base=threats|^havannah.*\tstrong",
    "src/playout/bridge.rs": r"playout=bridge|base=bridge|^havannah.*\tstrong",
    "src/playout/fused.rs": r"^havannah.*\tstrong",
    "src/playout/last_good_reply.rs": r"last_good_reply|\tlgr|^havannah.*\tstrong",
    "src/playout/mod.rs": r"\t.*((playout|base)=(?!uniform)|ppr|mast|nast|lgr|pool_rave|contextual)",
    "src/playout/threats.rs": r"playout=threats|base=threats|^havannah.*\tstrong",
}
# The `unsafe` that is there for speed: what takes its place, by name.
SAFE = {
    "src/games/havannah/mod.rs checked access": ('if cfg!(feature = "checked") {', "if true {"),
    "src/games/bitset.rs without pdep": ('is_x86_feature_detected!("bmi2")', "false"),
}

Line = tuple[str, str]
"""A game and a player."""


@dataclass(frozen=True)
class Change:
    """What is tried: the text of a file that goes, and the text that comes."""

    name: str
    file: str
    old: str
    new: str

    def through(self, lines: Sequence[Line]) -> list[Line]:
        """Those of the lines that pass through the file."""
        path = Path(self.file)
        named = r"^(misere\()?havannah\b" if path.parent.name == "havannah" else rf"\t.*{path.stem}"
        pattern = re.compile(THROUGH.get(self.file, named))
        return [line for line in lines if pattern.search("\t".join(line))]


@dataclass(frozen=True)
class Worth:
    """What lines need after one change, as a share of what they need without it."""

    name: str
    places: int
    beside: str
    lines: int
    middle: float
    most: float
    where: Line

    def row(self) -> str:
        """A line of the table."""
        shares = f"{self.middle:.3f}\t{self.most:.3f}"
        return "\t".join([self.name, str(self.places), self.beside, str(self.lines), shares, *self.where])


def read(path: Path) -> dict[str, Worth]:
    """The table as it is kept, by the names of the changes."""
    found = {}
    for row in path.read_text(encoding="utf-8").splitlines():
        if not row.startswith("#"):
            name, places, beside, lines, middle, most, game, player = row.split("\t")
            found[name] = Worth(
                name, int(places), beside, int(lines), float(middle), float(most), (game, player)
            )
    return found


def text(table: dict[str, Worth], made_with: str) -> str:
    """The table as it is written."""
    return (
        "# Instructions without inline(always), or without unsafe access, as a share of those with it: "
        f"{made_with}.\n"
        "# Change, places, what was changed beside it (all: every file), lines, median, most, where.\n"
        "# A file that gained nothing has `inline` since.\n"
    ) + "".join(f"{table[name].row()}\n" for name in sorted(table))


def changes() -> Iterator[Change]:
    """All that can be tried."""
    for path in sorted((ROOT / "src").rglob("*.rs")):
        if FORCED in path.read_text(encoding="utf-8"):
            file = path.relative_to(ROOT).as_posix()
            yield Change(file, file, FORCED, ASKED)
    for name, (old, new) in SAFE.items():
        yield Change(name, name.partition(" ")[0], old, new)


def thinned(lines: Sequence[Line]) -> list[Line]:
    """At most `LINES` of them, from everywhere."""
    return [lines[at * len(lines) // LINES] for at in range(LINES)] if len(lines) > LINES else list(lines)


def groups(wanted: Sequence[Change], lines: Sequence[Line]) -> list[list[Change]]:
    """The changes in the groups of a first fit: no line passes through two files of a group."""
    through = {change: set(change.through(lines)) for change in wanted}
    found: list[list[Change]] = []
    for change in wanted:
        home = next(
            (group for group in found if all(through[change].isdisjoint(through[one]) for one in group)), None
        )
        if home is None:
            found.append([change])
        else:
            home.append(change)
    return found


class Laboratory:
    """A copy of the source, in which changes are tried."""

    def __init__(self, scratch: Path) -> None:
        self.folder, self.now = scratch / "source", scratch / "instructions"
        ignored = shutil.ignore_patterns("target", ".venv", ".build", ".git", "*.so", "_build", "results")
        shutil.copytree(ROOT, self.folder, ignore=ignored)
        os.environ["CARGO_TARGET_DIR"] = str(scratch / "target")
        shutil.copy(instructions.built(self.folder), self.now)
        self.before: dict[Line, int] = {}

    def shares(self, group: Sequence[Change], lines: Sequence[Line]) -> dict[Line, float]:
        """What the lines need with the changes made, as a share of what they need without."""
        unknown = [line for line in lines if line not in self.before]
        if unknown:
            self.before |= instructions.count_all(self.now, *unknown)
        kept = {change.file: (self.folder / change.file).read_text(encoding="utf-8") for change in group}
        for change in group:
            assert change.old in kept[change.file], f"{change.file} has no {change.old}"
            changed = kept[change.file].replace(change.old, change.new)
            (self.folder / change.file).write_text(changed, encoding="utf-8")
        after = instructions.count_all(instructions.built(self.folder), *lines)
        for file, before in kept.items():
            (self.folder / file).write_text(before, encoding="utf-8")
        return {line: after[line] / self.before[line] for line in lines}


def worth(change: Change, beside: str, shares: dict[Line, float]) -> Worth:
    """What the shares of its lines say of a change."""
    places = (ROOT / change.file).read_text(encoding="utf-8").count(change.old)
    where = max(shares, key=lambda line: shares[line])
    return Worth(
        change.name, places, beside, len(shares), statistics.median(shares.values()), shares[where], where
    )


def measured(wanted: Sequence[Change]) -> Iterator[Worth]:
    """What each change costs."""
    kept = (ROOT / "fingerprints.txt").read_text(encoding="utf-8").splitlines()[1:]
    lines = [
        (game, player) for _, game, player in (row.split("\t") for row in kept) if not game.startswith(SLOW)
    ]
    with tempfile.TemporaryDirectory() as scratch:
        laboratory = Laboratory(Path(scratch))
        forced = [change for change in wanted if change.old == FORCED]
        rest = [change for change in wanted if change.old != FORCED]
        if len(forced) > 1:
            chosen = {change: thinned(change.through(lines)) for change in forced}
            all_lines = sorted({line for some in chosen.values() for line in some})
            shares = laboratory.shares(forced, all_lines)
            for change, some in chosen.items():
                found = worth(change, TOGETHER, {line: shares[line] for line in some})
                if found.most >= LEAST:
                    rest.append(change)
                else:
                    yield found
        else:
            rest += forced
        for group in groups(rest, lines):
            mine = {change: thinned(change.through(lines)) for change in group}
            shares = laboratory.shares(group, sorted(line for some in mine.values() for line in some))
            for change, some in mine.items():
                beside = ", ".join(other.name for other in group if other != change) or "nothing"
                yield worth(change, beside, {line: shares[line] for line in some})


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", type=Path, help="keep the table in this file")
    parser.add_argument("--only", action="append", default=[], help="a change alone, as src/games/bitset.rs")
    asked = parser.parse_args()
    wanted = [change for change in changes() if not asked.only or change.name in asked.only]
    missing = set(asked.only) - {change.name for change in wanted}
    if missing:
        raise SystemExit(f"there is no {', '.join(sorted(missing))} to change")
    table = read(asked.write) if asked.write and asked.write.exists() else {}
    for one in measured(wanted):
        print(one.row(), flush=True)
        table[one.name] = one
        if asked.write:
            asked.write.write_text(text(table, instructions.made_with()), encoding="utf-8")


if __name__ == "__main__":
    main()
