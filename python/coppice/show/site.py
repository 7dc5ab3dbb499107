"""The report: a folder with an HTML site, every table as Markdown, CSV and LaTeX, figures as PNG and SVG.

The pages load nothing: style and figures are inside them, so that a page can be mailed or archived alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from coppice.papers.results import ANSWERS
from coppice.show.figures import draw_experiment, picture
from coppice.show.tables import (
    ANSWER_CLASSES,
    ORIGIN_HEADER,
    READINGS_TITLE,
    TEST_IN_WORDS,
    Section,
    csv_text,
    html_table,
    latex_text,
    markdown_text,
    origin_rows,
)

__all__ = ["write_site"]

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 0.9em; }
th, td { text-align: left; vertical-align: top; padding: 0.25em 0.8em 0.25em 0; }
th, td { border-bottom: 1px solid #8884; }
.wide { overflow-x: auto; }
.no { color: #c2410c; font-weight: 600; }
.yes { color: #15803d; }
.few { opacity: 0.75; }
code { font-size: 0.85em; overflow-wrap: anywhere; }
figure { margin: 1rem 0; background: white; }
figure svg { max-width: 100%; height: auto; }
small { opacity: 0.75; }
""".strip()


def write_site(sections: Sequence[Section], out: Path) -> list[Path]:
    """Write the report; returns the files written, the index first."""
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []

    def write(name: str, content: str | bytes) -> None:
        path = out / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        written.append(path)

    write("index.html", _index(sections))
    for section in sections:
        name = section.experiment.name
        drawings = [draw_experiment(figure, section.lines) for figure in section.experiment.figures]
        pictures = []
        for number, drawing in enumerate((one for one in drawings if one is not None), 1):
            svg = picture(drawing, "svg")
            write(f"{name}-{number}.svg", svg)
            write(f"{name}-{number}.png", picture(drawing, "png"))
            pictures.append((f"{name}-{number}.png", svg.decode("utf-8")))
        write(f"{name}.html", _page(section, [svg for _, svg in pictures]))
        write(f"{name}.md", markdown_text(section, [file for file, _ in pictures]))
        write(f"{name}.csv", csv_text(section))
        write(f"{name}.tex", latex_text(section))
    return written


def _document(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _index(sections: Sequence[Section]) -> str:
    rows = []
    for section in sections:
        one = section.experiment
        answers = [line.consistent for line in section.lines]
        rows.append(
            [
                f'<a href="{escape(one.name)}.html">{escape(one.name)}</a>',
                escape(one.question),
                escape(one.source),
                f"{sum(line.evidence is not None for line in section.lines)} of {len(section.lines)}",
                f"{section.games:,}",
                " / ".join(
                    f'<span class="{ANSWER_CLASSES[answer]}">{answers.count(answer)}</span>'
                    for answer in ANSWERS
                ),
            ]
        )
    header = [
        "experiment",
        "question",
        "source",
        "rows run",
        "games and runs",
        f"consistent? {' / '.join(ANSWERS)}",
    ]
    body = (
        f"<h1>Coppice: results</h1>{html_table(header, rows, raw=True)}<p><small>{TEST_IN_WORDS}</small></p>"
    )
    return _document("Coppice: results", body)


def _page(section: Section, figures: Sequence[str]) -> str:
    one = section.experiment
    header = section.header()
    paper = next(at for at, name in enumerate(header) if name.startswith("paper"))
    marked = []
    for line, cells in zip(section.lines, section.cells(), strict=True):
        safe = [escape(cell) for cell in cells]
        if line.consistent is not None:
            safe[-1] = f'<span class="{ANSWER_CLASSES[line.consistent]}">{safe[-1]}</span>'
        if line.row.published.flags:
            safe[paper] += f' <abbr title="{escape("; ".join(line.row.published.flags))}">?</abbr>'
        marked.append(safe)
    files = ", ".join(f'<a href="{one.name}.{kind}">{kind}</a>' for kind in ("md", "csv", "tex"))
    parts = [
        f'<p><a href="index.html">all results</a></p><h1>{escape(one.name)}</h1>',
        f"<p>{escape(one.question)}</p><p><small>{escape(one.source)}; as {files}</small></p>",
        html_table(header, marked, raw=True),
        f"<p><small>{escape(TEST_IN_WORDS)}</small></p>",
        *(f"<figure>{_inline(svg)}</figure>" for svg in figures),
    ]
    if one.notes:
        items = "".join(f"<li>{escape(note)}</li>" for note in one.notes)
        parts.append(f"<h2>What the paper leaves open, what we assumed</h2><ul>{items}</ul>")
    if one.readings:
        items = "".join(f"<li>{escape(f'{reading.name}: {reading.text}')}</li>" for reading in one.readings)
        parts.append(f"<h2>{READINGS_TITLE}</h2><ul>{items}</ul>")
    made = origin_rows(section)
    if made:
        rows = [
            [*map(escape, row[:2]), f"<code>{escape(row[2])}</code>", *map(escape, row[3:])] for row in made
        ]
        parts.append(f"<h2>How it was made</h2>{html_table(ORIGIN_HEADER, rows, raw=True)}")
    return _document(one.name, "\n".join(parts))


def _inline(svg: str) -> str:
    """An SVG file as part of a page: without its XML declaration and document type."""
    return svg[svg.index("<svg") :]
