"""The figure of the findings page: every rate of ours in `results/` beside the published one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from coppice.cli.report import evidence_in
from coppice.experiment import experiment_names, find_experiment
from coppice.papers.results import judge
from coppice.show.figure_style import COLOURS, GREY, MARKERS, new, picture, styled

PAPERS = {
    "ppr": "PPR",
    "fossel": "Fossel",
    "nmcs": "nested search",
    "jack": "Mr Jack",
}
"""By the beginning of an experiment's name: the paper."""

FIGURE = """
```{{figure}} {name}
:alt: Our rates beside the published ones

Each point is a row of a table in its literal reading: across what the paper printed, upward what we found,
with its 95 % interval. On the line both are the same. A row has {games} games of ours so far.
```

"""


class Rate(NamedTuple):
    """A published rate and ours."""

    published: float
    value: float
    low: float
    high: float
    games: int


def rates(results: Path) -> dict[str, list[Rate]]:
    """By paper the rows of the literal readings that have a published rate and games of ours."""
    found: dict[str, list[Rate]] = {}
    for name in experiment_names():
        if not (results / f"{name}.jsonl").is_file():
            continue
        one = find_experiment(name)
        evidence, trouble = evidence_in(one, Path("none.db"), results, None, None)
        if trouble:
            raise ValueError(f"{name}: {trouble}")
        for line in judge(one, evidence):
            published, ours = line.row.published.value, line.evidence
            if not line.row.is_rate or line.row.reading or published is None or ours is None:
                continue
            if ours.value is not None and ours.interval is not None:
                rate = Rate(published, ours.value, ours.interval.low, ours.interval.high, ours.count)
                found.setdefault(name.partition("_")[0], []).append(rate)
    return found


@styled
def draw(found: dict[str, list[Rate]]) -> str:
    """The figure as SVG: on the diagonal ours and the paper's are the same."""
    drawing = new(6.4, 6.0)
    axis = drawing.add_subplot()
    axis.plot([0, 100], [0, 100], color=GREY, linewidth=0.8)
    for paper, lines in found.items():
        at = list(PAPERS).index(paper)
        name, colour = PAPERS[paper], COLOURS[at]
        published = [100 * line.published for line in lines]
        low, high = [100 * line.low for line in lines], [100 * line.high for line in lines]
        axis.vlines(published, low, high, color=colour, alpha=0.35, linewidth=0.8)
        label = f"{name}: {len(lines)} rows"
        ours = [100 * line.value for line in lines]
        axis.plot(published, ours, MARKERS[at], color=colour, markersize=3, label=label)
    axis.set(xlabel="published (%)", ylabel="measured, with 95 % interval (%)", aspect="equal")
    axis.set(xlim=(-2, 102), ylim=(-2, 102))
    axis.legend(frameon=False, fontsize=8)
    return picture(drawing, "svg").decode("utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    folder = Path(app.srcdir) / "_generated"
    folder.mkdir(exist_ok=True)
    found = rates(Path(app.srcdir).parent / "results")
    path = folder / "findings.svg"
    path.write_text(draw(found), encoding="utf-8")
    games = [line.games for lines in found.values() for line in lines]

    def show(_app: Any, page: str, source: list[str]) -> None:
        # `coppice report` writes the page, and a picture beside it would be dead elsewhere.
        if page == "findings":
            head, mark, rest = source[0].partition("\n## ")
            name = path.relative_to(app.srcdir)
            counts = " to ".join(str(count) for count in sorted({min(games), max(games)}))
            figure = FIGURE.format(name=name, games=counts)
            source[0] = f"{head}{figure}{mark}{rest}"

    app.connect("source-read", show)
    return {"parallel_read_safe": True}
