"""The experiments in the browser: state, the table beside the paper's, live progress, downloads."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from dataclasses import dataclass
from html import escape
from typing import Any

from nicegui import ui

from coppice.lab.store import Store, StoreError
from coppice.lab.workers import Threads
from coppice.papers.budgets import keep_speeds, known_budgets, measure_speeds
from coppice.papers.evidence import Evidence
from coppice.papers.experiment import Experiment, experiment_names, find_experiment
from coppice.papers.jobs import Job, games_of, jobs_of
from coppice.papers.results import Line, judge, number_text
from coppice.papers.runner import RowProgress, collect, unconfirmed
from coppice.papers.runner import run as run_jobs
from coppice.show.figure_style import KINDS, Kind
from coppice.show.tables import ANSWER_CLASSES, READINGS_TITLE, TEST_IN_WORDS, Section, csv_text, latex_text
from coppice.web.frame import complain, framed, not_found
from coppice.web.interval import interval_svg
from coppice.web.lobby import Lobby

__all__ = ["Results", "add_pages", "list_experiments", "progress_words", "table_html"]

ALL = 10**9
FRACTIONS = {0.01: "1 % of the paper's games", 0.1: "10 %", 0.25: "25 %", 1.0: "all of them"}


@dataclass(frozen=True)
class Results:
    """What the store says of an experiment."""

    experiment: Experiment
    lines: tuple[Line, ...]
    matches: dict[str, str]
    """The identities of the matches, by row."""
    trouble: str = ""
    """Why it cannot be run here, if it cannot."""
    unconfirmed: str = ""
    """What is to be said of games that do not count yet."""

    @property
    def done(self) -> int:
        """Games and runs that are finished."""
        return sum(min(line.evidence.count, line.row.count) for line in self.lines if line.evidence)

    @property
    def wanted(self) -> int:
        """Games and runs that the paper made."""
        return sum(line.row.count for line in self.lines)


def read(lobby: Lobby, name: str) -> Results:
    """The evidence of an experiment; a store belongs to one thread, so each look opens it."""
    experiment = find_experiment(name)
    evidence: dict[str, Evidence] = {}
    jobs: list[Job] = []
    matches: dict[str, str] = {}
    trouble = told = ""
    if lobby.settings.store.exists():
        with Store(lobby.settings.store) as store:
            try:
                budgets = known_budgets(experiment.rows, store)
                rows = [row for row in experiment.rows if budgets.know(row)]
                jobs = jobs_of(experiment, budgets, rows=rows, games=ALL)
                evidence = collect(experiment, jobs, store)
                told = unconfirmed(jobs, store)
                for job in jobs:
                    if job.row.name in evidence and (match := job.work.match_in(store)):
                        matches[job.row.name] = match
            except StoreError:
                raise
            except ValueError as error:
                trouble = str(error)
    return Results(experiment, tuple(judge(experiment, evidence)), matches, trouble, told)


def add_pages(lobby: Lobby) -> None:
    """Adds the pages of this file to the app."""

    @ui.page("/laboratory/experiment/{name}")
    async def experiment(name: str) -> None:
        if name not in experiment_names():
            with framed("No such experiment"):
                not_found(f"There is no experiment called {name[:40]}.")
            return
        results = await asyncio.to_thread(read, lobby, name)
        with framed(name, wide=True):
            _Page(lobby, results).build()


async def list_experiments(lobby: Lobby) -> None:
    """The list of all experiments, where the page is being built; their states follow."""
    with ui.element("section").classes("panel"):
        ui.label("Experiments").classes("panel-title")
        ui.label(
            "Every table and figure of the papers, to be run again and set beside the printed numbers."
        ).classes("soft small")
        place = ui.html('<p class="soft">Reading the store …</p>', sanitize=False).mark("experiments")

    async def load() -> None:
        try:
            found = [await asyncio.to_thread(read, lobby, name) for name in experiment_names()]
        except ValueError as error:
            complain(error)
            return
        place.set_content("".join(map(_list_row, found)) or '<p class="soft">There are no experiments.</p>')

    ui.timer(0.1, load, once=True)


def _list_row(results: Results) -> str:
    one = results.experiment
    share = 100 * results.done / max(results.wanted, 1)
    state = "complete" if share >= 100 else f"{share:.1f} %" if results.done else "not run"
    state = "cannot run" if results.trouble else state
    return (
        f'<a class="match experiment" href="/laboratory/experiment/{escape(one.name)}">'
        f'<span class="strong">{escape(one.name)}</span><span>{escape(one.question)}</span>'
        f'<span class="soft">{escape(one.source)}</span>'
        f'<span class="bar"><span class="fill" style="width:{share:.1f}%"></span></span>'
        f"<span>{state}</span></a>"
    )


def bar_svg(line: Line) -> str:
    """Ours with its interval, and the paper's number as a line of its own, from 0 to 100 %."""
    if not line.row.is_rate:
        return ""
    published, found = line.row.published.value, line.evidence
    if found is None or found.value is None or found.interval is None:
        return interval_svg(None, 0.0, 1.0, published)
    return interval_svg(found.value, found.interval.low, found.interval.high, published)


def table_html(results: Results) -> str:
    """The table of an experiment: the paper's numbers, ours, and whether both may be the same."""
    section = Section(results.experiment, list(results.lines))
    labels = section.labels
    head = "".join(
        f"<th>{escape(name)}</th>" for name in ("#", *labels, "paper", "ours", "", "consistent?", "games")
    )
    rows = []
    for line in results.lines:
        row = line.row
        cells = [str(results.experiment.number(row))]
        cells += [escape(section.label(row, name)) for name in labels]
        count = line.evidence.count if line.evidence else 0
        flag = "".join(f' title="{escape("; ".join(row.published.flags))}"' for _ in row.published.flags[:1])
        link = results.matches.get(row.name)
        games = f'<a href="/laboratory/match/{link}">{count:,}</a>' if link else f"{count:,}"
        answer = ANSWER_CLASSES[line.consistent] if line.consistent else ""
        cells += [
            f"<span{flag}>{escape(line.paper_text())}</span>",
            escape(line.our_text()),
            bar_svg(line),
            f'<span class="verdict {answer}">{escape(line.consistent_text())}</span>',
            f"{games} of {row.count:,}",
        ]
        rows.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return f'<div class="scroll"><table class="table"><tr>{head}</tr>{"".join(rows)}</table></div>'


def progress_words(progress: RowProgress) -> str:
    """Where a running experiment stands."""
    value = "" if progress.value is None else f" · {number_text(progress.value, progress.row.is_rate)}"
    unit = " %" if progress.row.is_rate and progress.value is not None else ""
    return f"{progress.row.name}: {progress.done:,} of {progress.wanted:,}{value}{unit}"


class _Page:
    """One experiment."""

    def __init__(self, lobby: Lobby, results: Results) -> None:
        self.lobby = lobby
        self.results = results
        self.fraction = 0.01
        self._drawn = ""

    @property
    def key(self) -> str:
        """The name of its run."""
        return f"experiment {self.results.experiment.name}"

    def build(self) -> None:
        """Makes the page."""
        one = self.results.experiment
        ui.label(one.question).classes("title")
        ui.label(one.source).classes("soft")
        with ui.element("section").classes("panel form"):
            with ui.row().classes("run-buttons"):
                ui.select(FRACTIONS, value=0.01, label="How much").bind_value(self, "fraction").props(
                    "outlined dense"
                ).mark("fraction")
                self.begin = ui.button("Start", icon="play_arrow", on_click=self._start)
                self.begin.props("unelevated no-caps").mark("experiment-start")
                self.halt = ui.button("Stop", icon="stop", on_click=lambda: self.lobby.runs.stop(self.key))
                self.halt.props("flat no-caps").mark("experiment-stop")
                ui.element("div").classes("grow")
                for form in ("CSV", "LaTeX", *([kind.upper() for kind in KINDS] if one.figures else [])):
                    ui.button(form, on_click=lambda _, form=form: self._download(form)).props(
                        "flat dense no-caps"
                    )
            self.state = ui.label("").classes("small").mark("experiment-state")
            self.bar = ui.linear_progress(0.0, show_value=False).classes("progress")
        with ui.element("section").classes("panel"):
            self.table = ui.html("", sanitize=False).mark("experiment-table")
            self.unconfirmed = ui.label("").classes("small").mark("unconfirmed")
            ui.label("Green: ours with its 95 % interval; orange: the paper's number.").classes("soft small")
            ui.label(TEST_IN_WORDS).classes("soft small")
        if one.notes:
            with ui.element("section").classes("panel"):
                ui.label("What the paper leaves open").classes("panel-title")
                for note in one.notes:
                    ui.label(f"• {note}").classes("small")
        if one.readings:
            with ui.element("section").classes("panel"):
                ui.label(READINGS_TITLE).classes("panel-title")
                for reading in one.readings:
                    ui.label(f"• {reading.name}: {reading.text}").classes("small")
        self._show()
        ui.timer(1.0, self._refresh)

    def _start(self) -> None:
        lobby, one, fraction = self.lobby, self.results.experiment, float(self.fraction)

        def work() -> Generator[Any, None, None]:
            with Store(lobby.settings.store) as store:
                budgets = known_budgets(one.rows, store)
                for row in one.rows:
                    if not budgets.know(row):
                        budgets = keep_speeds(measure_speeds([row], budgets), store)
                jobs = jobs_of(one, budgets, fraction=fraction)
                yield from run_jobs(jobs, store, Threads(max(1, lobby.settings.threads - 1)))

        try:
            lobby.runs.start(self.key, one.name, work)
        except ValueError as error:
            complain(error)
        self._show()

    async def _refresh(self) -> None:
        run = self.lobby.runs.find(self.key)
        if run is None:
            return
        try:
            self.results = await asyncio.to_thread(read, self.lobby, self.results.experiment.name)
        except StoreError as error:
            complain(error)
            return
        self._show()

    def _show(self) -> None:
        run = self.lobby.runs.find(self.key)
        active = run is not None and run.active
        self.begin.set_text("Start" if run is None or run.state == "done" else "Go on")
        self.begin.set_visibility(not active)
        self.halt.set_visibility(active)
        rows = self.results.lines
        wanted = sum(games_of(line.row, None, float(self.fraction)) for line in rows)
        done = sum(
            min(line.evidence.count, games_of(line.row, None, float(self.fraction)))
            for line in rows
            if line.evidence
        )
        self.bar.set_value(done / max(wanted, 1))
        words = self.results.trouble[:300] or f"{done:,} of {wanted:,} games and runs"
        if run is not None:
            told = {"waiting": "waiting for its turn", "failed": run.error}.get(run.state, run.state)
            words = f"{told} · {words}"
            if active and isinstance(run.progress, RowProgress):
                words += f" · {progress_words(run.progress)}"
        self.state.set_text(words)
        self.unconfirmed.set_text(self.results.unconfirmed)
        self.unconfirmed.set_visibility(bool(self.results.unconfirmed))
        drawn = table_html(self.results)
        if drawn != self._drawn:
            self._drawn = drawn
            self.table.set_content(drawn)

    async def _download(self, form: str) -> None:
        one = self.results.experiment
        section = Section(one, list(self.results.lines))
        kind = next((kind for kind in KINDS if kind.upper() == form), None)
        if kind is not None:
            content = await asyncio.to_thread(self._picture, kind)
            if content is None:
                complain("there is nothing to draw yet: run some rows first")
                return
            ui.download(content, f"{one.name}.{kind}")
            return
        text = csv_text(section) if form == "CSV" else latex_text(section)
        ui.download(text.encode(), f"{one.name}.{'csv' if form == 'CSV' else 'tex'}")

    def _picture(self, kind: Kind) -> bytes | None:
        from coppice.show.figures import draw_experiment, picture

        for figure in self.results.experiment.figures:
            drawing = draw_experiment(figure, self.results.lines)
            if drawing is not None:
                return picture(drawing, kind)
        return None
