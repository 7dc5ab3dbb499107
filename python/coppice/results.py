"""Results of experiments: what was measured for a row, how it compares with the paper, and its text export.

`Evidence` is what a row rests on, from a store or from an export; `judge` puts the evidence of all rows of an
experiment beside the paper's numbers.

*Consistent?* has three answers; `coppice.consistency` has the tests behind it. A row with fewer games than
its published number asks for has *too few games*. The p-values of all other rows of an experiment are
adjusted by Holm's method: *no* when the adjusted one is below 0.05, else *yes*.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import Any, Literal

from coppice.experiment import Experiment, Published, Row
from coppice.stats import Interval, Pairs, Score, holm

__all__ = [
    "ANSWERS",
    "LEVEL",
    "Answer",
    "Evidence",
    "Line",
    "Mean",
    "judge",
    "mean_of",
    "read_results",
    "write_results",
]

LEVEL = 0.05
"""An adjusted p-value below this is called inconsistent."""

Answer = Literal["yes", "no", "too few games"]
ANSWERS: Sequence[Answer] = ("yes", "no", "too few games")
"""What *consistent?* can say of a row."""


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of numbers with what is needed for its interval."""

    count: int
    mean: float
    deviation: float
    """The standard deviation of one number, as estimated from them; 0 for a single one."""

    def interval(self) -> Interval:
        """The 95 % interval by Student's law; unbounded for a single number."""
        if self.count < 2:
            return Interval(-math.inf, math.inf)
        reach = _student(self.count - 1) * self.deviation / math.sqrt(self.count)
        return Interval(self.mean - reach, self.mean + reach)

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation / math.sqrt(self.count) if self.count > 1 else math.inf


def mean_of(numbers: Iterable[float]) -> Mean | None:
    """The mean of numbers; None of none."""
    listed = list(numbers)
    if not listed:
        return None
    mean = math.fsum(listed) / len(listed)
    if len(listed) == 1:
        return Mean(1, mean, 0.0)
    variance = math.fsum((number - mean) ** 2 for number in listed) / (len(listed) - 1)
    return Mean(len(listed), mean, math.sqrt(variance))


def _student(freedom: int) -> float:
    """The two-sided 95 % quantile of Student's law (exact for 1 and 2, then Abramowitz and Stegun 26.7.5)."""
    if freedom == 1:
        return 12.706204736
    if freedom == 2:
        return 4.302652730
    z = NormalDist().inv_cdf(0.975)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was measured for a row, and by what."""

    count: int
    """How many games or runs it rests on."""
    score: Score | None = None
    """For a row whose number is a rate."""
    mean: Mean | None = None
    """For every other row."""
    curve: tuple[tuple[int, Mean], ...] = ()
    """For a playout row: the mean by ply."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """The resolved specs, budgets and seed."""
    command: str = ""
    version: str = ""
    play_version: str = ""
    machine: str = ""
    created: str = ""

    @property
    def value(self) -> float | None:
        """Our number."""
        if self.score is not None:
            return self.score.rate if self.score.games else None
        return None if self.mean is None else self.mean.mean

    @property
    def interval(self) -> Interval | None:
        """Its 95 % interval."""
        if self.score is not None:
            return self.score.interval() if self.score.games else None
        return None if self.mean is None else self.mean.interval()


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

    def consistent_text(self) -> str:
        """The answer, with the adjusted p-value or the games needed; empty where nothing is compared."""
        if self.consistent is None:
            return ""
        if self.p_value is None:
            assert self.evidence is not None, "rows without evidence are not compared"
            return f"too few games ({self.evidence.count} of {self.needed})"
        p = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        return f"{self.consistent} ({p})"


def number_text(value: float, is_rate: bool) -> str:
    """A rate in percent with one digit, another number with four significant digits."""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if is_rate:
        return f"{100 * value:.1f}"
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


def judge(experiment: Experiment, evidence: Mapping[str, Evidence]) -> list[Line]:
    """The lines of all rows, with the adjusted p-values of those that have enough games."""
    raw: dict[str, float] = {}
    needed: dict[str, int] = {}
    for row in experiment.rows:
        found = evidence.get(row.name)
        if found is None or found.value is None or not row.tested or row.published.value is None:
            continue
        needed[row.name] = _needed(row.published.value, found)
        if found.count >= needed[row.name]:
            raw[row.name] = _p_value(row.published.value, row.published, found)
    adjusted = dict(zip(raw, holm(list(raw.values())), strict=True))
    return [
        Line(row, evidence.get(row.name), adjusted.get(row.name), needed.get(row.name))
        for row in experiment.rows
    ]


def _needed(published: float, found: Evidence) -> int:
    # It brings numpy, which is slow to load; most commands compare nothing.
    from coppice.consistency import games_needed, runs_needed

    if found.score is not None:
        return games_needed(published)
    assert found.mean is not None, "what is no rate is a mean"
    return runs_needed(published, found.mean.deviation)


def _p_value(value: float, published: Published, found: Evidence) -> float:
    from coppice.consistency import mean_p_value, rate_p_value

    if found.score is not None:
        return rate_p_value(found.score, value, games=published.games, rounding=published.rounding)
    assert found.mean is not None, "what is no rate is a mean"
    theirs = 0.0 if published.error is None else published.error / NormalDist().inv_cdf(0.975)
    difference = max(0.0, abs(found.mean.mean - value) - published.rounding)
    return mean_p_value(difference, found.mean.error, found.mean.count, theirs)


# Exports: one line of JSON per row, so that a change of one row is a change of one line.


def write_results(path: Path, experiment: Experiment, evidence: Mapping[str, Evidence]) -> None:
    """Write the evidence of an experiment; a row of which the file knows more runs keeps its line."""
    known = read_results(path) if path.exists() else {}
    lines = []
    for row in experiment.rows:
        found = [one[row.name] for one in (evidence, known) if row.name in one]
        if found:
            lines.append(_to_json(experiment.name, row.name, max(found, key=lambda one: one.count)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _to_json(experiment: str, row: str, found: Evidence) -> str:
    entry: dict[str, Any] = {"experiment": experiment, "row": row, "count": found.count}
    if found.score is not None:
        score = found.score
        entry["score"] = {"wins": score.wins, "draws": score.draws, "losses": score.losses}
        entry["score"]["pairs"] = asdict(score.pairs)
    if found.mean is not None:
        entry["mean"] = asdict(found.mean)
    if found.curve:
        entry["curve"] = [[ply, mean.count, mean.mean, mean.deviation] for ply, mean in found.curve]
    for name in _PROVENANCE:
        entry[name] = getattr(found, name)
    return json.dumps(entry, ensure_ascii=False)


_PROVENANCE: Sequence[Literal["facts", "command", "version", "play_version", "machine", "created"]] = (
    *("facts", "command", "version", "play_version", "machine", "created"),
)


def read_results(path: Path) -> dict[str, Evidence]:
    """The evidence by row of an export."""
    found: dict[str, Evidence] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            entry = json.loads(line)
            score = entry.get("score")
            found[entry["row"]] = Evidence(
                count=entry["count"],
                score=None if score is None else Score(**{**score, "pairs": Pairs(**score["pairs"])}),
                mean=Mean(**entry["mean"]) if "mean" in entry else None,
                curve=tuple((ply, Mean(*rest)) for ply, *rest in entry.get("curve", ())),
                **{name: entry[name] for name in _PROVENANCE},
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"'{path}' line {number}: not a line of results ({error})") from error
    return found
