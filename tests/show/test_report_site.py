"""The report: the same cells in every form, pages that load nothing, figures that repeat byte for byte."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from coppice.cli.report import evidence_in
from coppice.lab.stats import Score
from coppice.lab.store import Used
from coppice.papers import jobs
from coppice.papers.evidence import Evidence, Mean
from coppice.papers.experiment import (
    Experiment,
    Figure,
    MatchRow,
    PlayoutRow,
    Published,
    Reading,
    experiment_names,
    find_experiment,
    percent,
    under,
)
from coppice.papers.results import Line, judge
from coppice.show.figures import draw_experiment, draw_heat_map, picture
from coppice.show.findings import findings_text
from coppice.show.report_site import write_site
from coppice.show.tables import Section, csv_text, latex_text, markdown_text

EXPERIMENT = Experiment(
    name="toy",
    question="Is 1 < 2 & 50 % of a_b?",
    source="our own",
    rows=(
        MatchRow(
            name="C = 1",
            labels={"C": "1"},
            game="toy",
            a="strong",
            b="weak",
            count=100,
            published=percent(60, 100, flags=("doubtful <b>",)),
        ),
        MatchRow(
            name="C = 2",
            labels={"C": "2"},
            game="toy",
            a="strong",
            b="weak",
            count=100,
            published=Published(text="better | best"),
        ),
        MatchRow(name="C = 3", labels={"C": "3"}, game="toy", a="strong", b="weak", count=100),
        PlayoutRow(name="length", labels={"C": ""}, game="toy", player="weak", count=5),
    ),
    figures=(Figure(x="C", title="By C"), Figure(x="ply", title="By ply", by_ply=True)),
    notes=("A <note>.",),
)
MADE: dict[str, Any] = {"version": "1.0", "machine": "a <machine>", "created": "today"}
EVIDENCE = {
    name: replace(found, at_length=found)
    for name, found in {
        "C = 1": Evidence(
            200, score=Score(wins=180, losses=20), facts={"seed": 3}, command="coppice 'x'", **MADE
        ),
        "C = 2": Evidence(
            50, score=Score(wins=25, losses=25), facts={"seed": 3}, command="coppice y", **MADE
        ),
        "length": Evidence(
            6,
            mean=Mean(6, 7.25, 1.0),
            curve=tuple((ply, Mean(6, 10.0 - ply, 0.5)) for ply in range(5)),
            facts={"seed": 3},
            command="coppice z",
            **MADE,
        ),
    }.items()
}


@pytest.fixture
def section() -> Section:
    return Section(EXPERIMENT, judge(EXPERIMENT, EVIDENCE))


class Links(HTMLParser):
    """Collects what a page refers to and checks that its tags are balanced."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_site_is_self_contained(section: Section, tmp_path: Path) -> None:
    written = write_site([section], tmp_path / "out")
    names = {path.name for path in written}
    figures = {f"toy-{number}.{kind}" for number in (1, 2) for kind in ("pdf", "svg", "png")}
    assert names == {"index.html", "toy.html", "toy.md", "toy.csv", "toy.tex", *figures}
    for path in written:
        if path.suffix == ".html":
            page = Links()
            page.feed(path.read_text())
            assert page.open == []
            for link in page.links:
                # Only files beside the page, and places inside its own figures.
                assert link in names or link.startswith("#"), link
    assert (tmp_path / "out" / "toy-1.png").read_bytes().startswith(b"\x89PNG")


def test_pages_escape_what_they_show(section: Section, tmp_path: Path) -> None:
    write_site([section], tmp_path)
    text = (tmp_path / "toy.html").read_text()
    assert "Is 1 &lt; 2 &amp; 50 % of a_b?" in text
    assert "a &lt;machine&gt;" in text
    assert 'title="doubtful &lt;b&gt;"' in text
    assert "<note>" not in text
    assert "coppice &#39;x&#39;" in text
    assert '<span class="no">no (p' in text


def three_answers() -> Section:
    """A yes, a no and a row with too few games."""
    rows = tuple(
        MatchRow(name=name, game="toy", a="strong", b="weak", count=200, published=percent(50, 500))
        for name in ("same", "other", "begun")
    )
    one = Experiment(name="three", question="Which?", source="", rows=rows)
    scores = {"same": Score(100, 0, 100), "other": Score(180, 0, 20), "begun": Score(2, 0, 0)}
    whole = {name: Evidence(score.games, score=score, **MADE) for name, score in scores.items()}
    found = {name: replace(one, at_length=one) for name, one in whole.items()}
    return Section(one, judge(one, found))


def test_too_few_games_are_said_in_every_form_and_never_in_green(tmp_path: Path) -> None:
    section = three_answers()
    write_site([section], tmp_path)
    page = (tmp_path / "three.html").read_text()
    for name, text in (
        ("yes", "yes (p = 1.000)"),
        ("no", "no (p &lt; 0.001)"),
        ("few", "too few games (2 of 200)"),
    ):
        assert f'<span class="{name}">{text}</span>' in page
    green = [line for line in page.splitlines() if "#15803d" in line]
    assert green == [".yes { color: #15803d; }"]
    index = (tmp_path / "index.html").read_text()
    assert "<th>consistent? yes / no / too few games</th>" in index
    one_of_each = (f'<span class="{name}">1</span>' for name in ("yes", "no", "few"))
    assert " / ".join(one_of_each) in index
    assert "| too few games (2 of 200) |" in markdown_text(section)
    assert r"too few games (2 of 200) \\" in latex_text(section)
    rows = list(csv.DictReader(io.StringIO(csv_text(section))))
    assert [(row["consistent"], row["games_needed"]) for row in rows] == [
        ("yes", "200"),
        ("no", "200"),
        ("too few games", "200"),
    ]
    assert rows[2]["p_adjusted"] == ""


def test_findings_count_the_three_answers_and_say_how_many_games_are_missing() -> None:
    text = findings_text([three_answers()])
    assert "| three | 3 of 3 | 402 | 1 | 1 | 1 |" in text
    assert "Consistent with the paper: 1 of 2 with enough games." in text
    # The two games do not move the mean difference of the others: 0 and 40 points.
    assert "Ours minus the paper's: +20.0 points on average over these rates." in text
    assert "Too few games: begun: 100.0 % [34.2, 100.0] on 2 of 200, paper 50.00." in text


def test_figures_repeat_byte_for_byte(section: Section) -> None:
    assert EXPERIMENT.figures
    for figure in EXPERIMENT.figures:
        one, two = (draw_experiment(figure, section.lines) for _ in range(2))
        assert one is not None
        assert two is not None
        assert picture(one, "svg") == picture(two, "svg")


def test_a_figure_without_results_is_not_drawn() -> None:
    lines = [Line(row, None) for row in EXPERIMENT.rows]
    assert [draw_experiment(figure, lines) for figure in EXPERIMENT.figures] == [None, None]


def test_curves_have_bands_and_the_papers_points(section: Section) -> None:
    drawing = draw_experiment(EXPERIMENT.figures[0], section.lines)
    assert drawing is not None
    [axis] = drawing.axes
    assert len(axis.collections) == 1
    labels = [text.get_text() for text in drawing.legends[0].get_texts()]
    assert labels == ["measured, 95 % interval", "published"]


def test_many_groups_get_a_panel_each() -> None:
    rows = tuple(
        MatchRow(name=f"{g} {x}", labels={"x": x, "g": g}, game="toy", a="strong", b="weak", count=2)
        for g in "abcdefg"
        for x in ("1", "10")
    )
    many = Experiment(name="many", question="?", source="", rows=rows)
    found = {row.name: Evidence(2, score=Score(1, 0, 1)) for row in rows}
    drawing = draw_experiment(Figure(x="x", group="g", logarithmic=True), judge(many, found))
    assert drawing is not None
    assert len(drawing.axes) == 7


def test_another_reading_is_a_curve_of_its_own() -> None:
    reading = Reading("equal time", "Measured.")
    row = EXPERIMENT.rows[0]
    both = Experiment(question="?", source="", rows=(row, under(reading, row)), readings=(reading,))
    found = {one.name: Evidence(2, score=Score(1, 0, 1)) for one in both.rows}
    drawing = draw_experiment(EXPERIMENT.figures[0], judge(both, found))
    assert drawing is not None
    labels = [text.get_text() for text in drawing.legends[0].get_texts()]
    assert labels == ["literal", "equal time", "measured, 95 % interval", "published"]


def test_tables_name_the_reading_of_each_row_and_say_what_it_is(section: Section, tmp_path: Path) -> None:
    assert "reading" not in section.header()
    reading = Reading("equal <time>", "Measured & kept.")
    rows = (*EXPERIMENT.rows, under(reading, EXPERIMENT.rows[0]))
    both = replace(EXPERIMENT, rows=rows, readings=(reading,))
    found = Section(both, judge(both, EVIDENCE))
    at = found.header().index("reading")
    assert [cells[at] for cells in found.cells()] == ["literal"] * 4 + ["equal <time>"]
    assert [row["reading"] for row in csv.DictReader(io.StringIO(csv_text(found)))][3:] == [
        *("literal", "equal <time>")
    ]
    assert "## Readings beside the literal one\n\n- equal <time>: Measured & kept." in markdown_text(found)
    write_site([found], tmp_path)
    page = (tmp_path / "toy.html").read_text()
    assert "<li>equal &lt;time&gt;: Measured &amp; kept.</li>" in page


def test_heat_maps() -> None:
    values = {("1", "a"): (0.5, 0.4, 0.6), ("2", "a"): (0.9, 0.8, 0.95)}
    drawing = draw_heat_map("title", ("x", ["1", "2"]), ("y", ["a", "b"]), values)
    texts = [text.get_text() for text in drawing.axes[0].texts]
    assert texts == ["50.0\n[40, 60]", "90.0\n[80, 95]"]


def test_csv_holds_plain_numbers(section: Section) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(section))))
    assert [row["C"] for row in rows] == ["1", "2", "3", ""]
    assert [row["number"] for row in rows] == ["1", "2", "3", "4"]
    assert float(rows[0]["ours"]) == 0.9
    assert float(rows[0]["paper"]) == 0.6
    assert (rows[0]["consistent"], rows[0]["seed"], rows[0]["machine"]) == ("no", "3", "a <machine>")
    assert (rows[1]["paper"], rows[1]["paper_text"], rows[1]["consistent"]) == ("", "better | best", "")
    assert (rows[2]["games"], rows[2]["ours"]) == ("0", "")
    assert float(rows[3]["ours"]) == 7.25


def test_markdown_and_latex_escape_their_own_signs(section: Section) -> None:
    text = markdown_text(section, ["toy-1.png"])
    assert "| 2 | 2 | match | 50 of 100 | better \\| best | 50.0 [36.6, 63.4] |  |" in text
    assert "![toy](toy-1.png)" in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table[:6]} == {8}
    latex = latex_text(section)
    assert r"\caption{Is 1 $<$ 2 \& 50 \% of a\_b?}" in latex
    assert latex.count(r"\\") == 5


def test_tables_show_the_rates_by_side_where_they_are_known(section: Section, tmp_path: Path) -> None:
    assert not {"a first (%)", "a second (%)"} & set(section.header())
    row = replace(EXPERIMENT.rows[0], published=percent(60, 100, first=0.53, second=0.47))
    both = replace(EXPERIMENT, rows=(row, *EXPERIMENT.rows[1:3]))
    found = {
        "C = 1": Evidence(4, score=Score.of([(0, 1.0), (1, 0.0), (2, 1.0), (3, 1.0)]), **MADE),
        # A player that always has the same side has no rates by side.
        "C = 2": Evidence(2, score=Score.of([(0, 1.0), (2, 0.0)]), **MADE),
    }
    sides = Section(both, judge(both, found))
    at = sides.header().index("a first (%)")
    assert sides.header()[at + 1] == "a second (%)"
    assert [cells[at : at + 2] for cells in sides.cells()] == [
        ["100.0 (paper 53.0)", "50.0 (paper 47.0)"],
        ["", ""],
        ["", ""],
    ]
    # The mark of a doubtful number stays with the paper's.
    doubtful = replace(row, published=percent(60, 100, first=0.53, second=0.47, flags=("doubtful",)))
    both = replace(EXPERIMENT, rows=(doubtful, *EXPERIMENT.rows[1:3]))
    write_site([Section(both, judge(both, found))], tmp_path)
    assert '<td>60.00 <abbr title="doubtful">?</abbr></td>' in (tmp_path / "toy.html").read_text()
    [one, two, _] = csv.DictReader(io.StringIO(csv_text(sides)))
    assert (one["first"], one["second"], one["paper_first"], one["paper_second"]) == (
        "1.0",
        "0.5",
        "0.53",
        "0.47",
    )
    assert (two["first"], two["second"], two["paper_first"]) == ("0.5", "", "")


def test_tables_show_what_was_used_where_it_is_known(section: Section) -> None:
    assert "per move, a / b" not in section.header()
    ratio = {"text": "simulations=9", "ratio": 0.9, "low": 0.85, "high": 0.95, "turns": 9}
    used = (Used(10, 190_000, 5_000_000), Used(8, 168_000, 0))
    found = replace(EVIDENCE["C = 1"], used=used, budgets={"x": ratio, "y": {"text": "simulations=10"}})
    known = Section(EXPERIMENT, judge(EXPERIMENT, {"C = 1": found, "C = 2": EVIDENCE["C = 2"]}))
    at = known.header().index("per move, a / b")
    assert [cells[at] for cells in known.cells()[:2]] == [
        "19,000 / 21,000 simulations; 500,000 / 0 states; equal time, ratio 0.900 [0.850, 0.950]",
        "",
    ]
    one, two, *_ = csv.DictReader(io.StringIO(csv_text(known)))
    names = ("simulations_a", "simulations_b", "states_a", "states_b", "speed_ratio")
    assert [one[name] for name in names] == ["19000.0", "21000.0", "500000.0", "0.0", "0.9"]
    assert [two[name] for name in names] == [""] * 5


def test_rows_without_labels_are_named() -> None:
    bare = Experiment(
        name="bare",
        question="?",
        source="",
        rows=(MatchRow(name="one", game="toy", a="strong", b="weak", count=2),),
    )
    section = Section(bare, judge(bare, {}))
    assert section.header()[:2] == ["#", "row"]
    assert section.cells()[0][:2] == ["1", "one"]


@pytest.mark.parametrize("machine", [None, "another machine"])
def test_the_findings_page_is_what_the_exports_say(
    machine: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if machine is not None:
        monkeypatch.setattr(jobs, "describe_machine", lambda: machine)
    root = Path(__file__).parent.parent.parent
    sections = []
    for name in experiment_names():
        path = root / "results" / f"{name}.jsonl"
        if path.exists():
            one = find_experiment(name)
            evidence, trouble = evidence_in(one, Path("none.db"), root / "results", None, None)
            assert not trouble
            sections.append(Section(one, judge(one, evidence)))
    assert (root / "docs" / "findings.md").read_text(encoding="utf-8") == findings_text(sections)
