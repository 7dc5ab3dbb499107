"""The findings page: what the results say, in sentences that are made from the numbers and from nothing else.

`coppice report --findings FILE` writes it. A row that was not run is named as not run; a difference whose
interval contains zero is called undecided, never equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from coppice.lab.score_row import percent
from coppice.lab.stats import Interval, Score
from coppice.papers.results import ANSWERS, Line, number_text
from coppice.show.tables import TEST_IN_WORDS, Section

__all__ = ["difference", "findings_text"]

CONTROLS = "ppr_controls"
_FEW = 12
"""At most so many rows are named one by one."""


def difference(one: Score, two: Score) -> Interval:
    """The 95 % interval of the rate of `one` minus that of `two`, from their intervals (Newcombe 1998)."""
    a, b = one.interval(), two.interval()
    middle = one.rate - two.rate
    low = middle - math.hypot(one.rate - a.low, b.high - two.rate)
    high = middle + math.hypot(a.high - one.rate, two.rate - b.low)
    return Interval(low, high)


def findings_text(sections: Sequence[Section]) -> str:
    """The page in Markdown."""
    parts = [
        "# Findings",
        "",
        "This page is written by `coppice report --findings` from the exports in `results/`. Every number "
        "rests on the games that are named with it; what was not run is not mentioned, or called not run.",
        "",
    ]
    run = [section for section in sections if section.games]
    if not run:
        return "\n".join([*parts, "Nothing has been run yet.", ""])
    controls = next((section for section in run if section.experiment.name == CONTROLS), None)
    if controls is not None:
        parts += _controls(controls)
    parts += ["## What reproduces and what does not", "", TEST_IN_WORDS, ""]
    header = "| experiment | rows run | games and runs | consistent | not consistent | too few games |"
    parts += [header, "| --- | --- | --- | --- | --- | --- |"]
    for section in run:
        answers = [line.consistent for line in section.lines]
        begun = sum(line.evidence is not None for line in section.lines)
        parts.append(
            f"| {section.experiment.name} "
            f"| {begun} of {len(section.lines)} | {section.games:,} "
            f"| {' | '.join(str(answers.count(answer)) for answer in ANSWERS)} |"
        )
    parts.append("")
    for section in run:
        parts += _experiment(section)
    return "\n".join(parts)


def _controls(section: Section) -> list[str]:
    """Does pruning with RAVE explain PPR's gain? What the control rows say of it."""
    scores = {
        line.row.name: line.evidence.score
        for line in section.lines
        if line.evidence is not None and line.evidence.score is not None and line.evidence.score.games
    }
    parts = ["## Does pruning with RAVE explain PPR's gain?", ""]
    parts += ["| # | playout of player a, against RAVE | games | rate (%) | 95 % interval | against 50 % |"]
    parts += ["| --- | --- | --- | --- | --- | --- |"]
    numbers = {line.row.name: section.experiment.number(line.row) for line in section.lines}
    for name, score in scores.items():
        row = score.row()
        word = "better" if row.low > 0.5 else "worse" if row.high < 0.5 else "undecided"
        games, reach = row.texts("games", "interval")
        parts.append(f"| {numbers[name]} | {name} | {games} | {percent(score.rate)} | {reach} | {word} |")
    parts.append("")
    published = scores.get("as published")
    if published is not None:
        for name in ("list only", "default pruning only", "shuffled numbering"):
            if name in scores:
                gap = difference(published, scores[name])
                word = "more" if gap.low > 0 else "less" if gap.high < 0 else "undecided"
                parts.append(
                    f"- As published minus {name}: {100 * (published.rate - scores[name].rate):+.1f} points, "
                    f"95 % interval [{100 * gap.low:+.1f}, {100 * gap.high:+.1f}]: {word}."
                )
        parts.append("")
    missing = [line.row.name for line in section.lines if line.row.name not in scores]
    if missing:
        parts += [f"Not run: {'; '.join(missing)}.", ""]
    return parts


def _experiment(section: Section) -> list[str]:
    one = section.experiment
    parts = [f"### {one.name}", "", f"{one.question} ({one.source})", ""]
    begun = [line for line in section.lines if line.evidence is not None]
    parts.append(f"{len(begun)} of {len(section.lines)} rows were run, on {section.games:,} games and runs.")
    wrong = [line for line in begun if line.consistent == "no"]
    tested = [line for line in begun if line.p_value is not None]
    if tested:
        parts.append(
            f"Consistent with the paper: {len(tested) - len(wrong)} of {len(tested)} with enough games."
        )
    gaps = [_gap(line) for line in tested if line.row.is_rate]
    if gaps:
        parts.append(f"Ours minus the paper's: {_mean_text(gaps)} on average over these rates.")
    for title, lines in (
        ("Not consistent", wrong),
        ("Too few games", [line for line in begun if line.consistent == "too few games"]),
        ("Not tested", [line for line in begun if line.consistent is None]),
    ):
        if lines:
            shown = "; ".join(map(_line_text, lines[:_FEW]))
            more = f"; and {len(lines) - _FEW} more" if len(lines) > _FEW else ""
            parts.append(f"{title}: {shown}{more}.")
    return ["\n".join(parts), ""]


def _gap(line: Line) -> float:
    assert line.evidence is not None, "tested rows have evidence"
    assert line.evidence.value is not None, "tested rows have a number"
    assert line.row.published.value is not None, "tested rows have a published number"
    return line.evidence.value - line.row.published.value


def _mean_text(gaps: Sequence[float]) -> str:
    return f"{100 * math.fsum(gaps) / len(gaps):+.1f} points"


def _line_text(line: Line) -> str:
    assert line.evidence is not None, "the caller has looked"
    paper = f", paper {line.paper_text()}" if line.row.published.value is not None else ""
    unit = " %" if line.row.is_rate else ""
    value = "-" if line.evidence.value is None else number_text(line.evidence.value, line.row.is_rate)
    interval = line.our_text().partition(" ")[2]
    few = f" of {line.needed}" if line.consistent == "too few games" else ""
    return f"{line.row.name}: {value}{unit} {interval} on {line.evidence.count}{few}{paper}"
