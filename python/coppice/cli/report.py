"""`coppice report`: tables and figures of what store and folder say."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from coppice.cli.match import StorePath
from coppice.cli.output import note, stdout
from coppice.lab.store import DEFAULT_STORE, Store, StoreError
from coppice.papers.budgets import known_budgets
from coppice.papers.evidence import Evidence
from coppice.papers.experiment import Experiment, experiment_names, find_experiment
from coppice.papers.folder import Folder
from coppice.papers.jobs import Job, jobs_of
from coppice.papers.result_lines import ResultLine
from coppice.papers.results import judge
from coppice.papers.runner import collect, unconfirmed

__all__ = ["evidence_in", "register"]

ALL_GAMES = 10**9
Names = Annotated[list[str] | None, typer.Argument(help="Experiments [default: all that have results].")]
Seed = Annotated[int | None, typer.Option(min=0, help="Results of this seed [default: the experiment's].")]
Scale = Annotated[
    float | None,
    typer.Option(min=1e-6, help="Results of runs with this --seconds-scale instead of equal work."),
]


def register(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command()(report)


def report(
    names: Names = None,
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("coppice-report"),
    store: StorePath = Path(DEFAULT_STORE),
    results: Annotated[
        Path | None, typer.Option(help="Also read the results of this folder; both add up.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write the results as text exports to this folder as well.")
    ] = None,
    findings: Annotated[
        Path | None,
        typer.Option(help="Also write what the results say, in sentences, to this Markdown file."),
    ] = None,
    seed: Seed = None,
    seconds_scale: Scale = None,
) -> None:
    """Write tables and figures of what was run: an HTML site, Markdown, CSV, LaTeX, PDF, PNG, SVG."""
    if not store.exists() and results is None:
        raise ValueError(f"there is no store '{store}' and no --results: coppice run makes a store")
    chosen = [find_experiment(name) for name in names or experiment_names()]
    found = []
    for one in chosen:
        evidence, trouble = evidence_in(one, store, results, seed, seconds_scale)
        if trouble and names:
            raise ValueError(f"{one.name}: {trouble}")
        if evidence or names:
            found.append((one, evidence))
    if not found:
        raise ValueError("no experiment has results yet: coppice run NAME")
    from coppice.show.report_site import write_site
    from coppice.show.tables import Section

    if export is not None:
        for one, _ in found:
            _export(one, store, results, export, seed, seconds_scale)
    sections = [Section(one, judge(one, evidence)) for one, evidence in found]
    written = write_site(sections, out)
    if findings is not None:
        from coppice.show.findings import findings_text

        findings.write_text(findings_text(sections), encoding="utf-8")
        note(f"findings in {findings}")
    stdout().print(f"{len(written)} files in {out}; open {written[0]}")


def _export(
    one: Experiment, store: Path, results: Path | None, export: Path, seed: int | None, scale: float | None
) -> None:
    """Write what store and folder have of an experiment to another folder."""
    lines = [] if results is None else Folder(results, must_exist=True).lines(one.name)
    with _opened(store) as opened:
        jobs = _jobs_known(one, opened, lines, seed, scale)
        made = [line for job in jobs if (line := job.line(opened)) is not None]
    Folder(export).save(one, [*made, *(line for line in lines if line.stale)])


def evidence_in(
    one: Experiment, store: Path, results: Path | None, seed: int | None, scale: float | None
) -> tuple[dict[str, Evidence], str]:
    """What store and folder have; and why it cannot be run, if so."""
    lines = [] if results is None else Folder(results, must_exist=True).lines(one.name)
    with _opened(store) as opened:
        try:
            jobs = _jobs_known(one, opened, lines, seed, scale, _measured_on(lines))
            told = unconfirmed(jobs, opened)
            if told:
                note(f"{one.name}: {told}")
            return collect(one, jobs, opened), ""
        except StoreError:
            raise
        except ValueError as error:
            # One experiment whose players are not installed must not hide the others.
            return {}, str(error)


def _jobs_known(
    one: Experiment,
    store: Store,
    lines: Sequence[ResultLine],
    seed: int | None,
    scale: float | None,
    machine: str | None = None,
) -> list[Job]:
    """The jobs of the rows whose budgets are known, of all games that there are."""
    budgets = known_budgets(one.rows, store, lines, seconds_scale=scale)
    rows = [row for row in one.rows if budgets.know(row)]
    return jobs_of(one, budgets, rows=rows, games=ALL_GAMES, seed=seed, lines=lines, machine=machine)


def _measured_on(lines: Sequence[ResultLine]) -> str | None:
    """The machine on which most speeds of a folder were measured; None without any.

    A report of a folder tells what is in it, on whatever machine it is made.
    """
    values: Counter[str] = Counter()
    for line in lines:
        if "machine" in line.facts and not line.stale:
            values[str(line.facts["machine"])] += len(line.values)
    return max(values, key=lambda machine: (values[machine], machine), default=None)


@contextlib.contextmanager
def _opened(store: Path) -> Iterator[Store]:
    """The store; an empty one where there is none."""
    if store.exists():
        with Store(store, read_only=True) as opened:
            yield opened
        return
    with Store(":memory:") as opened:
        yield opened
