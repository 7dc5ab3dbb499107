"""The table of a study as text, Markdown, LaTeX and HTML: its rows, and the effects over games.

A column in which nothing stands is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from coppice.lab.score_row import percent

if TYPE_CHECKING:
    from coppice.lab.study_result import StudyLine, StudyPool, StudyResult

__all__ = ["ALL_GAMES", "cells_of", "html_table", "latex_table", "markdown_table", "text_table"]

ALL_GAMES = "all games"
"""What stands for the game of an effect that is pooled."""
_HEADER = (
    "change",
    "game",
    "budget",
    "games",
    "score (%)",
    "95 % interval",
    "first",
    "second",
    "p",
    "looks",
    "verdict",
)
_LEFT = ("change", "game", "budget", "verdict")
"""Columns of words."""


def cells_of(result: StudyResult) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of the table."""
    level = round(100 * (1 - result.study.alpha), 3)
    header = [f"{level:g} % interval" if name == "95 % interval" else name for name in _HEADER]
    rows = []
    for change in result.study.changes:
        for budget in result.study.budgets or ("",):
            rows += [
                _line(result, line)
                for line in result.lines
                if (line.cell.change, line.cell.budget) == (change, budget)
            ]
            rows += [_pool(one) for one in result.pools if (one.change, one.budget) == (change, budget)]
    kept = [at for at in range(len(header)) if any(row[at] for row in rows)]
    return [header[at] for at in kept], [[row[at] for at in kept] for row in rows]


def _line(result: StudyResult, line: StudyLine) -> list[str]:
    score, looks = line.score, len(result.study.plan.looks)
    sides = [
        percent(side.rate) if side is not None and side.games else "" for side in (score.first, score.second)
    ]
    seen = "" if looks == 1 else f"{line.looks} of {looks}"
    cell = line.cell
    if not score.games:
        return [cell.change, cell.game, cell.budget, "0", "", "", "", "", "", seen, line.verdict]
    return [
        *(cell.change, cell.game, cell.budget, str(score.games), percent(score.rate)),
        f"{percent(line.interval.low)} to {percent(line.interval.high)}",
        *(*sides, p_text(line.p_adjusted) if line.looks else "", seen, line.verdict),
    ]


def _pool(one: StudyPool) -> list[str]:
    interval = one.pooled.interval
    games = sum(line.score.games for line in one.lines)
    return [
        *(one.change, ALL_GAMES, one.budget, str(games), percent(one.pooled.estimate)),
        f"{percent(interval.low)} to {percent(interval.high)}",
        *("", "", p_text(one.p_adjusted), "", one.verdict),
    ]


def p_text(p: float) -> str:
    """A p-value as tables print it."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def text_table(result: StudyResult) -> str:
    """Plain text, columns side by side."""
    header, rows = cells_of(result)
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    left = [name in _LEFT for name in header]

    def line(cells: Sequence[str]) -> str:
        parts = [
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(cells, widths, left, strict=True)
        ]
        return "  ".join(parts).rstrip()

    return "\n".join(map(line, [header, *rows])) + "\n"


def markdown_table(result: StudyResult) -> str:
    """A table in Markdown."""
    header, rows = cells_of(result)
    rules = ["---" if name in _LEFT else "---:" for name in header]

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return "\n".join(map(line, [header, rules, *rows])) + "\n"


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"$<$", ">": r"$>$", "±": r"$\pm$",
}  # fmt: skip


def latex(text: str) -> str:
    """A text with everything escaped that LaTeX reads."""
    return "".join(_LATEX.get(character, character) for character in text)


def latex_table(result: StudyResult) -> str:
    """A table in LaTeX, for a paper that uses booktabs."""
    header, rows = cells_of(result)
    caption = result.study.question or f"Score of each change against {result.study.baseline}."
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex(caption)}}}",
        rf"\label{{tab:{result.study.name}}}",
        rf"\begin{{tabular}}{{{''.join('l' if name in _LEFT else 'r' for name in header)}}}",
        r"\toprule",
        " & ".join(map(latex, header)) + r" \\",
        r"\midrule",
        *(" & ".join(map(latex, row)) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def html_table(result: StudyResult) -> str:
    """A table for a notebook."""
    header, rows = cells_of(result)
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
