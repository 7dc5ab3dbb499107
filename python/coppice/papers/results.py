"""Results of experiments: what was measured for a row, and how it compares with the paper.

`evidence_of` reads what a row rests on from a line of results; `judge` puts the evidence of all rows of an
experiment beside the paper's numbers.

*Consistent?* has three answers; `consistency` has the tests behind it. A row with fewer games than
its published number asks for has *too few games*. The p-values of all other rows of an experiment are
adjusted by Holm's method: *no* when the adjusted one is below 0.05, else *yes*.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Literal

from coppice.lab.score_row import percent
from coppice.lab.stats import holm
from coppice.lab.store import Used
from coppice.papers.evidence import Evidence
from coppice.papers.experiment import Experiment, Published, Row
from coppice.papers.result_lines import ResultLine

__all__ = [
    "ANSWERS",
    "LEVEL",
    "STAGES",
    "Answer",
    "Line",
    "budget_text",
    "declared_length",
    "evidence_of",
    "judge",
    "lengths",
    "number_text",
]

LEVEL = 0.05
"""An adjusted p-value below this is called inconsistent."""

Answer = Literal["yes", "no", "too few games"]
ANSWERS: Sequence[Answer] = ("yes", "no", "too few games")
"""What *consistent?* can say of a row."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the final table: the paper's number and ours."""

    row: Row
    evidence: Evidence | None
    p_value: float | None = None
    """Adjusted for the number of rows with enough games; None where there are too few, or no comparison."""
    needed: int | None = None
    """How many games or runs the comparison needs; None where nothing is compared."""

    @property
    def consistent(self) -> Answer | None:
        """Whether paper and we may estimate the same number; None where nothing is compared."""
        if self.needed is None:
            return None
        if self.p_value is None:
            return "too few games"
        return "yes" if self.p_value >= LEVEL else "no"

    def paper_text(self) -> str:
        """The paper's number or, where it is lost, what its text claims."""
        return published_text(self.row.published, self.row.is_rate)

    def our_text(self) -> str:
        """Our number with its 95 % interval."""
        if self.evidence is None or self.evidence.value is None:
            return ""
        interval = self.evidence.interval
        assert interval is not None, "a value always has an interval"
        low, high = (number_text(end, self.row.is_rate) for end in (interval.low, interval.high))
        return f"{number_text(self.evidence.value, self.row.is_rate)} [{low}, {high}]"

    def side_texts(self) -> tuple[str, str]:
        """Our rates where player *a* had the first side and the second, and what the paper prints for them.

        Empty where nothing is known of sides, or where *a* always had the same one.
        """
        score = None if self.evidence is None or self.evidence.score is None else self.evidence.score.row()
        ours = (None, None) if score is None else (score.first, score.second)
        rates = [None if one is None else one.rate for one in ours]
        texts = []
        for rate, printed in zip(rates, (self.row.published.first, self.row.published.second), strict=True):
            parts = [] if None in rates or rate is None else [percent(rate)]
            parts += [] if printed is None else [f"(paper {percent(printed)})"]
            texts.append(" ".join(parts))
        return texts[0], texts[1]

    def work_text(self) -> str:
        """What both players really used per move, and the ratio of speeds where one was measured."""
        found = self.evidence
        if found is None:
            return ""
        texts = []
        if found.used is not None:
            for what in ("simulations", "states"):
                each = [getattr(used, what) / max(used.decisions, 1) for used in found.used]
                if any(each):
                    texts.append(f"{each[0]:,.0f} / {each[1]:,.0f} {what}")
        for budget in found.budgets.values():
            if "ratio" in budget:
                texts.append(
                    f"equal time, ratio {budget['ratio']:.3f} [{budget['low']:.3f}, {budget['high']:.3f}]"
                )
        return "; ".join(texts)

    def consistent_text(self) -> str:
        """The answer, with the adjusted p-value or the games needed; empty where nothing is compared."""
        if self.consistent is None:
            return ""
        if self.p_value is None:
            assert self.evidence is not None, "rows without evidence are not compared"
            return f"too few games ({self.evidence.count} of {self.needed})"
        assert self.evidence is not None, "rows without evidence are not compared"
        p = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        at_length = self.evidence.at_length
        assert at_length is not None, "only declared lengths are judged"
        first = f", first {at_length.count}" if at_length.count < self.evidence.count else ""
        return f"{self.consistent} ({p}{first})"


def budget_text(budget: Mapping[str, Any]) -> str:
    """A budget, with the ratio of speeds and its spread if it was measured."""
    if "ratio" not in budget:
        return str(budget["text"])
    spread = f"{budget['ratio']:.3f} [{budget['low']:.3f}, {budget['high']:.3f}]"
    return f"{budget['text']} (speed ratio {spread}, middle half of {budget['turns']} turns)"


def number_text(value: float, is_rate: bool) -> str:
    """A rate in percent with one digit, another number with four significant digits."""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if is_rate:
        return percent(value)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def published_text(published: Published, is_rate: bool) -> str:
    """The paper's number, or the text's claim."""
    if published.value is None:
        return published.text
    if is_rate:
        digits = 0 if not published.rounding else max(0, round(-math.log10(2 * published.rounding)) - 2)
        number = f"{100 * published.value:.{digits}f}"
    else:
        number = number_text(published.value, False)
    error = "" if published.error is None else f" ± {number_text(published.error, False)}"
    return f"{number}{error}"


STAGES = (40, 200)
"""How many games or runs every row gets at first, and then; the paper's number comes last."""


def lengths(row: Row) -> list[int]:
    """The declared lengths of a row, in order: a few to see it, enough for a verdict, the paper's number."""
    return [*(length for length in STAGES if length < row.count), row.count]


def declared_length(row: Row, indices: Container[int]) -> int | None:
    """The longest length that a verdict may be given of: 200 or the paper's number, without a gap."""
    for length in reversed(lengths(row)):
        if length == STAGES[0] and row.count > length:
            continue
        if all(index in indices for index in row.indices(length)):
            return length
    return None


def evidence_of(row: Row, line: ResultLine, command: str = "") -> Evidence:
    """What the games or runs of a line say of a row."""
    whole = row.evidence(line.values)
    length = declared_length(row, line.values)
    at_length = None
    if length is not None:
        wanted = row.indices(length)
        at_length = row.evidence({index: line.values[index] for index in wanted})
    used = None
    if line.used:
        sums = [
            Used(*map(sum, zip(*(game[player] for game in line.used.values()), strict=True)))
            for player in (0, 1)
        ]
        used = (sums[0], sums[1])
    return replace(
        whole,
        facts=line.facts,
        budgets=line.budgets,
        used=used,
        command=command,
        version=line.version,
        machine=line.machine,
        created=line.created,
        at_length=at_length,
    )


def judge(experiment: Experiment, evidence: Mapping[str, Evidence]) -> list[Line]:
    """The lines of all rows, with the p-values of those that have enough games, adjusted within a reading.

    A verdict is given of the declared lengths alone, 200 and the paper's number: who looked at every game
    would find a difference some day.
    """
    raw: dict[str, dict[str, float]] = {}
    needed: dict[str, int] = {}
    for row in experiment.rows:
        found = evidence.get(row.name)
        if found is None or found.value is None or not row.tested or row.published.value is None:
            continue
        needed[row.name] = max(_needed(row.published.value, found), min(STAGES[1], row.count))
        if found.at_length is not None and found.at_length.count >= needed[row.name]:
            p_value = _p_value(row.published.value, row.published, found.at_length)
            raw.setdefault(row.reading, {})[row.name] = p_value
    adjusted: dict[str, float] = {}
    for of in raw.values():
        adjusted |= zip(of, holm(list(of.values())), strict=True)
    return [
        Line(row, evidence.get(row.name), adjusted.get(row.name), needed.get(row.name))
        for row in experiment.rows
    ]


def _needed(published: float, found: Evidence) -> int:
    # It brings numpy, which is slow to load; most commands compare nothing.
    from coppice.papers.consistency import games_needed, runs_needed

    if found.score is not None:
        return games_needed(published)
    assert found.mean is not None, "what is no rate is a mean"
    return runs_needed(published, found.mean.deviation)


def _p_value(value: float, published: Published, found: Evidence) -> float:
    from coppice.papers.consistency import mean_p_value, rate_p_value

    if found.score is not None:
        return rate_p_value(found.score, value, games=published.games, rounding=published.rounding)
    assert found.mean is not None, "what is no rate is a mean"
    theirs = 0.0 if published.error is None else published.error / NormalDist().inv_cdf(0.975)
    difference = max(0.0, abs(found.mean.mean - value) - published.rounding)
    return mean_p_value(difference, found.mean.error, found.mean.count, theirs)
