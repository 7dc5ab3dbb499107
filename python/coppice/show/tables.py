"""The table of an experiment in the forms that people and papers want: Markdown, CSV, LaTeX and HTML.

All forms show the same cells: what was tried, how many games it rests on, the paper's number, ours with its
95 % interval, and whether the two are consistent; then, for each row, how it was made.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from coppice.papers.evidence import Evidence
from coppice.papers.experiment import Experiment, Row
from coppice.papers.results import Answer, Line

__all__ = [
    "ANSWER_CLASSES",
    "READINGS_TITLE",
    "SIDES_HEADER",
    "TEST_IN_WORDS",
    "Section",
    "csv_text",
    "has_sides",
    "html_table",
    "latex_text",
    "markdown_text",
    "origin_rows",
]

ANSWER_CLASSES: Mapping[Answer, str] = {"yes": "yes", "no": "no", "too few games": "few"}
"""The class of an answer in a page; only a yes is green."""

TEST_IN_WORDS = (
    "consistent?: the test that both numbers estimate the same thing (for rates an exact test that knows of "
    "pairs of games, the paper's rounding allowed for; for other numbers Welch's test of two means), p "
    "adjusted for the number of rows of a reading with enough games by Holm's method; 'no' below 0.05. It is "
    "made of the first 200 games and of the paper's number of them, and never in between. 'too few games' "
    "before, and where a difference of 10 points (10 % of a number that is no rate) would be found with a "
    "power below 0.8, the paper's number taken as fixed. Empty where the paper has no number, where ours "
    "cannot equal it (speeds, positions that stand in for lost ones), or where nothing was run."
)


READINGS_TITLE = "Readings beside the literal one"
"""Above what each reading of an experiment is."""
SIDES_HEADER = ("a first (%)", "a second (%)")
"""The columns of the games in which player *a* had the first side and the second."""


def has_sides(lines: Sequence[Line]) -> bool:
    """Whether something is known of the sides of any line."""
    return any(any(line.side_texts()) for line in lines)


@dataclass(frozen=True)
class Section:
    """An experiment and the lines of its table."""

    experiment: Experiment
    lines: Sequence[Line]

    @property
    def games(self) -> int:
        """On how many games and runs the whole table rests."""
        return sum(line.evidence.count for line in self.lines if line.evidence is not None)

    @property
    def labels(self) -> list[str]:
        """The columns that say what was tried."""
        found = dict.fromkeys(name for line in self.lines for name in line.row.labels)
        named = [] if all(line.row.labels for line in self.lines) else ["row"]
        return [*named, *found, *(["reading"] if self.experiment.readings else [])]

    def label(self, row: Row, name: str) -> str:
        """What a row has in one of the columns that say what was tried."""
        own = {"row": row.name, "reading": row.reading_name}
        return row.labels.get(name, own.get(name, ""))

    def header(self) -> list[str]:
        """The header of the table."""
        unit = " (%)" if all(line.row.is_rate for line in self.lines) else ""
        sides = SIDES_HEADER if has_sides(self.lines) else ()
        work = (WORK_HEADER,) if self.has_work else ()
        return [
            *("#", *self.labels, "kind", "games", *work),
            *(f"paper{unit}", f"ours{unit}", *sides, "consistent?"),
        ]

    @property
    def has_work(self) -> bool:
        """Whether it is known of some row what its players used."""
        return any(line.work_text() for line in self.lines)

    def cells(self) -> list[list[str]]:
        """The table, row by row."""
        rows = []
        sides = has_sides(self.lines)
        for line in self.lines:
            labels = [self.label(line.row, name) for name in self.labels]
            count = line.evidence.count if line.evidence is not None else 0
            rows.append(
                [
                    str(self.experiment.number(line.row)),
                    *labels,
                    line.row.kind,
                    f"{count} of {line.row.count}",
                    *([line.work_text()] if self.has_work else ()),
                    line.paper_text(),
                    line.our_text(),
                    *(line.side_texts() if sides else ()),
                    line.consistent_text(),
                ]
            )
        return rows

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.experiment.question)}</p>{html_table(self.header(), self.cells())}"


WORK_HEADER = "per move, a / b"


def origin_rows(section: Section) -> list[tuple[str, str, str, str, str, str]]:
    """Number, row, command, seed, version and machine of everything that was run."""
    return [
        (
            str(section.experiment.number(line.row)),
            line.row.name,
            line.evidence.command,
            str(line.evidence.facts.get("seed", "")),
            f"{line.evidence.version}, {line.evidence.created}",
            line.evidence.machine,
        )
        for line in section.lines
        if line.evidence is not None
    ]


ORIGIN_HEADER = ("#", "row", "command", "seed", "version", "machine")


def csv_text(section: Section) -> str:
    """The table as CSV, numbers plain and unrounded, with how each row was made."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [
            *("number", *section.labels),
            *("kind", "games", "games_of_paper", "paper", "paper_text", "ours", "low", "high"),
            *("paper_first", "paper_second", "first", "second", "p_adjusted"),
            *(
                "consistent",
                "games_needed",
                "simulations_a",
                "simulations_b",
                "states_a",
                "states_b",
                "speed_ratio",
                "command",
                "seed",
                "version",
                "created",
                "machine",
            ),
        ]
    )
    for line in section.lines:
        found, row = line.evidence, line.row
        interval = None if found is None else found.interval
        made: list[object] = [""] * 5
        if found is not None:
            made = [found.command, found.facts.get("seed", ""), found.version]
            made += [found.created, found.machine]
        numbers = [row.published.value, line.paper_text(), None if found is None else found.value]
        ends: list[float | None] = [None, None] if interval is None else [interval.low, interval.high]
        ends += [row.published.first, row.published.second]
        score = None if found is None or found.score is None else found.score.row()
        for one in (None, None) if score is None else (score.first, score.second):
            ends.append(None if one is None else one.rate)
        writer.writerow(
            [
                section.experiment.number(row),
                *(section.label(row, name) for name in section.labels),
                *(row.kind, 0 if found is None else found.count, row.count),
                *("" if value is None else value for value in [*numbers, *ends, line.p_value]),
                *(line.consistent or "", "" if line.needed is None else line.needed),
                *_work(found),
                *made,
            ]
        )
    return out.getvalue()


def _work(found: Evidence | None) -> list[object]:
    """Simulations and states per move of both players, and the ratio of their speeds, where known."""
    if found is None:
        return [""] * 5
    used = found.used or (None, None)
    per_move = [
        "" if one is None else getattr(one, what) / max(one.decisions, 1)
        for what in ("simulations", "states")
        for one in used
    ]
    ratios = [budget["ratio"] for budget in found.budgets.values() if "ratio" in budget]
    return [*per_move, *(ratios[:1] or [""])]


def markdown_text(section: Section, figures: Sequence[str] = ()) -> str:
    """A page in Markdown; `figures` are names of picture files beside it."""
    experiment = section.experiment

    def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

        return [line(header), line(["---"] * len(header)), *map(line, rows)]

    parts = [f"# {experiment.name}", "", experiment.question, "", f"Source: {experiment.source}.", ""]
    parts += [*table(section.header(), section.cells()), "", TEST_IN_WORDS, ""]
    for name in figures:
        parts += [f"![{experiment.name}]({name})", ""]
    if experiment.notes:
        parts += ["## What the paper leaves open, what we assumed", ""]
        parts += [f"- {note}" for note in experiment.notes] + [""]
    if experiment.readings:
        parts += [f"## {READINGS_TITLE}", ""]
        parts += [f"- {one.name}: {one.text}" for one in experiment.readings] + [""]
    made = origin_rows(section)
    if made:
        parts += ["## How it was made", ""]
        parts += [*table(ORIGIN_HEADER, [[*row[:2], f"`{row[2]}`", *row[3:]] for row in made]), ""]
    return "\n".join(parts)


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "±": r"$\pm$", "≤": r"$\le$", "∞": r"$\infty$", "<": r"$<$", ">": r"$>$",
}  # fmt: skip


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def latex_text(section: Section) -> str:
    """The table as LaTeX, for a paper that uses booktabs."""
    header, cells = section.header(), section.cells()
    lines = [
        f"% {section.experiment.name}: {section.experiment.source}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_latex(section.experiment.question)}}}",
        rf"\label{{tab:{section.experiment.name}}}",
        rf"\begin{{tabular}}{{{'l' * len(header)}}}",
        r"\toprule",
        " & ".join(map(_latex, header)) + r" \\",
        r"\midrule",
        *(" & ".join(map(_latex, row)) + r" \\" for row in cells),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for a notebook; its cells are escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>\n" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'
