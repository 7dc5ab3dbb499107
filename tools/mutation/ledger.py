"""What is known of faults: a line of text for each that was tried, reasons for survivors, and the report."""

from __future__ import annotations

import csv
import fcntl
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path

from coppice import Score

from .judge import NOTICED, UNVIABLE

HISTORY = "history"


@dataclass(frozen=True)
class Line:
    """What is known about a fault that was tried."""

    key: str
    room: str
    seeds: str
    """The seeds that have drawn it, with commas."""
    place: str
    unit: str
    operator: str
    change: str
    first: str
    """What became of it when it was drawn."""
    now: str
    """What became of it when it was last tried; `history` when its function has been written anew."""
    by: str
    seconds: str
    commit: str

    def drawn_by(self, seed: int) -> bool:
        """Whether a seed has drawn it."""
        return str(seed) in self.seeds.split(",")


COLUMNS = tuple(one.name for one in fields(Line))


def read_lines(path: Path) -> dict[str, Line]:
    """The lines of a file by the keys of their faults."""
    if not path.exists():
        return {}
    found: dict[str, Line] = {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        for number, row in enumerate(rows, 1):
            if number == 1 and row == list(COLUMNS):
                continue
            if len(row) != len(COLUMNS) or number == 1:
                raise ValueError(f"{path.name} line {number}: not {', '.join(COLUMNS)}, divided by tabs")
            found[row[0]] = Line(*row)
    return found


def write_lines(path: Path, lines: Iterable[Line]) -> None:
    """Writes all lines, in the order of rooms and places."""

    def order(line: Line) -> tuple[str, str, int, str]:
        file, _, number = line.place.partition(":")
        return line.room, file, int(number), line.key

    path.parent.mkdir(parents=True, exist_ok=True)
    text = ["\t".join(COLUMNS)]
    for line in sorted(lines, key=order):
        text.append("\t".join(" ".join(getattr(line, name).split()) for name in COLUMNS))
    written = path.with_suffix(".new")
    written.write_text("\n".join(text) + "\n", encoding="utf-8")
    written.replace(path)


@contextmanager
def changing(path: Path) -> Iterator[dict[str, Line]]:
    """The lines of a file, written when they have been changed; one process at a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lines = read_lines(path)
        before = dict(lines)
        yield lines
        if lines != before:
            write_lines(path, lines.values())


def marked(lines: Mapping[str, Line], room: str, there: Collection[str]) -> dict[str, Line]:
    """The lines with those of a room as history whose faults the source has no more."""
    return {
        key: replace(line, now=HISTORY) if line.room == room and key not in there else line
        for key, line in lines.items()
    }


def read_reasons(path: Path) -> dict[str, str]:
    """By the key of a fault, why it may live: a line each, the key first."""
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else [], 1):
        if line.strip() and not line.startswith("#"):
            key, _, reason = line.partition(" ")
            if not reason.strip() or key in found:
                raise ValueError(f"{path.name} line {number}: not a key of its own and a reason")
            found[key] = reason.strip()
    return found


def _share(noticed: int, drawn: int) -> str:
    interval = Score(wins=noticed, losses=drawn - noticed).interval()
    return f"{100 * noticed / drawn:.0f} % [{100 * interval.low:.0f}, {100 * interval.high:.0f}]"


ENOUGH = 15
"""Of fewer faults nobody can say whether the bar is met."""


def report(lines: Mapping[str, Line], reasons: Mapping[str, str], bars: Mapping[str, float]) -> str:
    """The tables as Markdown; they rest on the lines and the reasons alone."""
    text = [
        "# Faults and the tests that notice them",
        "",
        "Written by `make mutants` from `mutants.txt`, where each fault that was tried has a line, and",
        "`mutants_reasons.txt`. A row is a sample of single faults, drawn by a seed from all that the",
        "operators of `tools/mutation` make in a room. *When drawn* is what the tests of that day noticed,",
        "with Wilson's interval; *now* is the same faults with what has been tested since. A fresh seed says",
        "how good the tests are, an old one that nothing was lost. The samples of seed 1 had been read, and",
        "tests written for some of their faults, before they were tried: they say that nothing was lost.",
        "",
        "| room | seed | faults | noticed when drawn | noticed now | bar | met |",
        "| --- | --- | ---: | --- | --- | ---: | --- |",
    ]
    today = [line for line in lines.values() if line.now not in (HISTORY, UNVIABLE)]
    for room, bar in bars.items():
        here = [line for line in today if line.room == room]
        if not here:
            text.append(f"| {room} | | 0 | not measured | not measured | {100 * bar:.0f} % | not known |")
            continue
        seeds = sorted({int(seed) for line in here for seed in line.seeds.split(",")})
        samples = [(str(seed), [line for line in here if line.drawn_by(seed)]) for seed in seeds]
        if len(samples) > 1:
            samples.append(("all", here))
        for name, sample in samples:
            count = len(sample)
            first = sum(line.first in NOTICED for line in sample)
            now = sum(line.now in NOTICED for line in sample)
            met = "yes" if now >= bar * count else "no"
            if first < bar * count and met == "yes":
                met = "now, not when drawn"
            if count < ENOUGH:
                met = "too few faults"
            shares = f"{first}: {_share(first, count)} | {now}: {_share(now, count)}"
            text.append(f"| {room} | {name} | {count} | {shares} | {100 * bar:.0f} % | {met} |")
    ways = {way: sum(line.now == way for line in today) for way in NOTICED}
    history = sum(line.now == HISTORY for line in lines.values())
    unviable = sum(line.now == UNVIABLE for line in lines.values())
    text += [
        "",
        f"How they are noticed: {ways['failed']} by a test that fails, {ways['timeout']} because the time",
        f"is out, {ways['import']} because a module cannot be imported, {ways['crash']} because the process",
        "ends.",
        f"Not counted: {history} in functions written anew since, {unviable} that do not compile.",
        "",
        "## Survivors",
        "",
    ]
    alive = [line for line in today if line.now not in NOTICED]
    if not alive:
        text.append("None.")
    for room in bars:
        for line in (one for one in alive if one.room == room):
            reason = reasons.get(line.key, "no reason yet")
            reach = "no test reaches it; " if line.now == "unreached" else ""
            what = f"`{line.unit}`, {line.operator}: `{line.change}`"
            text.append(f"- `{line.key}` {line.place}, {what}: {reach}{reason}")
    return "\n".join(text) + "\n"
