"""`coppice report` and `coppice status`: what the store and the exports say, and what is still to be run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from coppice.cli.catalogue import Json
from coppice.cli.match import StorePath
from coppice.cli.output import note, print_json, print_table, stdout
from coppice.experiment import Experiment, experiment_names, find_experiment
from coppice.results import Evidence, judge, read_results, write_results
from coppice.runner import collect, prepared
from coppice.store import DEFAULT_STORE, Store

__all__ = ["register"]

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
    app.command()(status)


def report(
    names: Names = None,
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("coppice-report"),
    store: StorePath = Path(DEFAULT_STORE),
    results: Annotated[
        Path | None, typer.Option(help="Also read the text exports of this folder; the larger count stands.")
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
    """Write tables and figures of what was run: an HTML site, Markdown, CSV, LaTeX, PNG and SVG."""
    if not store.exists() and results is None:
        raise ValueError(f"there is no store '{store}' and no --results: coppice run makes a store")
    chosen = [find_experiment(name) for name in names or experiment_names()]
    found = [(one, _evidence(one, store, results, seed, seconds_scale)) for one in chosen]
    if not names:
        found = [(one, evidence) for one, evidence in found if evidence]
    if not found:
        raise ValueError("no experiment has results yet: coppice run NAME")
    from coppice.site import write_site
    from coppice.tables import Section

    if export is not None:
        for one, evidence in found:
            write_results(export / f"{one.name}.jsonl", one, evidence)
    sections = [Section(one, judge(one, evidence)) for one, evidence in found]
    written = write_site(sections, out)
    if findings is not None:
        from coppice.findings import findings_text

        findings.write_text(findings_text(sections), encoding="utf-8")
        note(f"findings in {findings}")
    stdout().print(f"{len(written)} files in {out}; open {written[0]}")


def _evidence(
    one: Experiment, store: Path, results: Path | None, seed: int | None, scale: float | None
) -> dict[str, Evidence]:
    """What store and exports have; for a row in both, the one with more games."""
    found: dict[str, Evidence] = {}
    if store.exists():
        with Store(store, read_only=True) as opened:
            jobs = prepared(one, opened, games=ALL_GAMES, seed=seed, seconds_scale=scale)
            found = collect(one, jobs, opened)
    if results is not None:
        if not results.is_dir():
            raise ValueError(f"there is no folder '{results}'")
        path = results / f"{one.name}.jsonl"
        for name, evidence in (read_results(path) if path.exists() else {}).items():
            if name not in found or found[name].count < evidence.count:
                found[name] = evidence
    return found


def status(
    names: Names = None,
    store: StorePath = Path(DEFAULT_STORE),
    results: Annotated[Path | None, typer.Option(help="Also count the text exports of this folder.")] = None,
    seed: Seed = None,
    seconds_scale: Scale = None,
    json: Json = False,
) -> None:
    """Show what has been run and what is incomplete."""
    rows = []
    for name in names or experiment_names():
        one = find_experiment(name)
        rows.append(_state(one, _evidence(one, store, results, seed, seconds_scale)))
    if json:
        print_json(rows)
        return
    cells: Sequence[Sequence[str]] = [
        (
            str(row["experiment"]),
            f"{row['rows_complete']} of {row['rows']}",
            f"{row['rows_begun']}",
            f"{row['done']:,} of {row['wanted']:,}",
            str(row["state"]),
        )
        for row in rows
    ]
    print_table("", ["experiment", "rows complete", "rows begun", "games and runs", "state"], cells)


def _state(one: Experiment, evidence: dict[str, Evidence]) -> dict[str, int | str]:
    done = {row.name: evidence[row.name].count if row.name in evidence else 0 for row in one.rows}
    complete = sum(done[row.name] >= row.count for row in one.rows)
    begun = sum(count > 0 for count in done.values())
    state = "complete" if complete == len(one.rows) else "incomplete" if begun else "not run"
    return {
        "experiment": one.name,
        "rows": len(one.rows),
        "rows_begun": begun,
        "rows_complete": complete,
        "done": sum(done.values()),
        "wanted": sum(row.count for row in one.rows),
        "state": state,
    }
