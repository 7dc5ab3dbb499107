"""The report: a folder with an HTML site, tables as Markdown, CSV and LaTeX, figures as PDF, PNG and SVG.

The pages load nothing: style and figures are inside them, so that a page can be mailed or archived alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coppice.core import distribution
from coppice.papers.results import ANSWERS
from coppice.show.figures import KINDS, draw_experiment, picture
from coppice.show.tables import (
    ANSWER_CLASSES,
    ORIGIN_HEADER,
    READINGS_TITLE,
    TEST_IN_WORDS,
    Section,
    csv_text,
    latex_text,
    markdown_text,
    origin_rows,
)

__all__ = ["write_site"]


class _Pages:
    """The pages of a report, from the templates beside this file; whatever they are given is escaped."""

    def __init__(self) -> None:
        jinja = distribution.optional("jinja2", "lab", "a report needs Jinja2")
        self._markup = distribution.optional("markupsafe", "lab", "a report needs Jinja2").Markup
        self._templates = jinja.Environment(
            loader=jinja.PackageLoader("coppice", "show/templates"),
            autoescape=True,
            undefined=jinja.StrictUndefined,
            keep_trailing_newline=True,
        )

    def index(self, sections: Sequence[Section]) -> str:
        """The page that leads to all experiments."""
        experiments = []
        for section in sections:
            answers = [line.consistent for line in section.lines]
            experiments.append(
                {
                    "name": section.experiment.name,
                    "question": section.experiment.question,
                    "source": section.experiment.source,
                    "run": sum(line.evidence is not None for line in section.lines),
                    "rows": len(section.lines),
                    "games": section.games,
                    "answers": {answer: answers.count(answer) for answer in ANSWERS},
                }
            )
        return self._page(
            "index.html",
            experiments=experiments,
            answers=ANSWERS,
            classes=ANSWER_CLASSES,
            test_in_words=TEST_IN_WORDS,
        )

    def experiment(self, section: Section, figures: Sequence[str]) -> str:
        """The page of one experiment; `figures` are SVG files, which become parts of it."""
        one, header = section.experiment, section.header()
        rows = [
            {
                "cells": cells,
                "answer": "" if line.consistent is None else ANSWER_CLASSES[line.consistent],
                "flags": line.row.published.flags,
            }
            for line, cells in zip(section.lines, section.cells(), strict=True)
        ]
        made = [
            (*row[:2], self._safe("<code>{}</code>").format(row[2]), *row[3:]) for row in origin_rows(section)
        ]
        return self._page(
            "experiment.html",
            one=one,
            header=header,
            paper=next(at for at, name in enumerate(header) if name.startswith("paper")),
            rows=rows,
            figures=[self._safe(_inline(svg)) for svg in figures],
            readings_title=READINGS_TITLE,
            readings=[f"{reading.name}: {reading.text}" for reading in one.readings],
            origin_header=ORIGIN_HEADER,
            made=made,
            test_in_words=TEST_IN_WORDS,
        )

    def _safe(self, html: str) -> Any:
        """HTML that is not escaped again; what is formatted into it is."""
        return self._markup(html)

    def _page(self, name: str, **values: object) -> str:
        return str(self._templates.get_template(name).render(values))


def write_site(sections: Sequence[Section], out: Path) -> list[Path]:
    """Write the report; returns the files written, the index first."""
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []

    def write(name: str, content: str | bytes) -> None:
        path = out / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        written.append(path)

    pages = _Pages()
    write("index.html", pages.index(sections))
    for section in sections:
        name = section.experiment.name
        drawings = [draw_experiment(figure, section.lines) for figure in section.experiment.figures]
        pictures = []
        for number, drawing in enumerate((one for one in drawings if one is not None), 1):
            contents = {kind: picture(drawing, kind) for kind in KINDS}
            for kind, content in contents.items():
                write(f"{name}-{number}.{kind}", content)
            pictures.append((f"{name}-{number}.png", contents["svg"].decode("utf-8")))
        write(f"{name}.html", pages.experiment(section, [svg for _, svg in pictures]))
        write(f"{name}.md", markdown_text(section, [file for file, _ in pictures]))
        write(f"{name}.csv", csv_text(section))
        write(f"{name}.tex", latex_text(section))
    return written


def _inline(svg: str) -> str:
    """An SVG file as part of a page: without its XML declaration and document type."""
    return svg[svg.index("<svg") :]
