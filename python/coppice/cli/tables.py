"""`coppice tables`, `verify` and `merge`: what a folder of results has, and whether it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from coppice.cli.catalogue import Json
from coppice.cli.match import StorePath
from coppice.cli.output import note, print_json, print_table
from coppice.cli.report import Scale, Seed, evidence_in
from coppice.cli.workers import ClusterOption, JobsOption, ProcessesOption, ThreadsOption, open_workers
from coppice.lab.store import DEFAULT_STORE, Store
from coppice.papers.budgets import known_budgets
from coppice.papers.evidence import Evidence
from coppice.papers.experiment import Experiment, experiment_names, find_experiment
from coppice.papers.folder import Folder, verify
from coppice.papers.jobs import Job, jobs_of
from coppice.papers.result_lines import ResultLine, merge_lines, write_lines
from coppice.papers.results import STAGES, judge

__all__ = ["register"]

Names = Annotated[list[str] | None, typer.Argument(help="Experiments [default: all].")]
Results = Annotated[Path, typer.Option(help="The folder of results.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command()(tables)
    app.command(name="verify")(verify_lines)
    app.command()(merge)


def tables(
    names: Names = None,
    results: Annotated[
        Path | None, typer.Option(help="The folder of results [default: results, if there is one].")
    ] = None,
    store: StorePath = Path(DEFAULT_STORE),
    seed: Seed = None,
    seconds_scale: Scale = None,
    json: Json = False,
) -> None:
    """Show the state of all tables at a glance: what was run, what is left, what is stale."""
    if results is None and Path("results").is_dir():
        results = Path("results")
    rows = []
    for name in names or experiment_names():
        one = find_experiment(name)
        rows.append(_state(one, results, *evidence_in(one, store, results, seed, seconds_scale)))
    if json:
        print_json(rows)
        return
    total = {key: sum(row[key] for row in rows) for key in _COUNTS}
    cells = [
        (str(row["experiment"]), *_cells(row), str(row["state"]))
        for row in [*rows, {"experiment": "all", "state": "", **total}]
    ]
    lengths = [f"{length} games" for length in STAGES]
    header = ["experiment", "rows", *lengths, "paper's", "stale", "yes", "no", "games and runs", "state"]
    print_table("", header, cells)
    note(
        "Rows that have so many games at least; stale: rows of which the folder has nothing but history; "
        "yes and no: whether paper and we are consistent, said at 200 games and at the paper's number only."
    )


_COUNTS = ("rows", "rows_at_40", "rows_at_200", "rows_complete", "stale", "yes", "no", "done", "wanted")


def _cells(row: dict[str, Any]) -> list[str]:
    counts = [str(row[key]) for key in _COUNTS[:7]]
    return [*counts, f"{row['done']:,} of {row['wanted']:,}"]


def _state(
    one: Experiment, results: Path | None, evidence: dict[str, Evidence], trouble: str
) -> dict[str, Any]:
    done = {row.name: evidence[row.name].count if row.name in evidence else 0 for row in one.rows}
    history = {line.row for line in Folder(results).lines(one.name) if line.stale} if results else set()
    answers = [line.consistent for line in judge(one, evidence)]
    complete = sum(done[row.name] >= row.count for row in one.rows)
    state = "complete" if complete == len(one.rows) else "incomplete" if any(done.values()) else "not run"
    return {
        "experiment": one.name,
        "rows": len(one.rows),
        "rows_at_40": sum(done[row.name] >= min(STAGES[0], row.count) for row in one.rows),
        "rows_at_200": sum(done[row.name] >= min(STAGES[1], row.count) for row in one.rows),
        "rows_complete": complete,
        "stale": sum(row.name in history and not done[row.name] for row in one.rows),
        "yes": answers.count("yes"),
        "no": answers.count("no"),
        "done": sum(done.values()),
        "wanted": sum(row.count for row in one.rows),
        "state": f"cannot run: {trouble}" if trouble else state,
    }


def verify_lines(
    names: Names = None,
    results: Results = Path("results"),
    every_block: Annotated[
        bool,
        typer.Option("--all-blocks", help="Replay the fingerprints of all blocks, not of the first alone."),
    ] = False,
    threads: ThreadsOption = None,
    processes: ProcessesOption = None,
    cluster: ClusterOption = None,
    jobs: JobsOption = None,
    mark: Annotated[
        bool, typer.Option(help="Make history of what is stale; without it the folder stays as it is.")
    ] = True,
    json: Json = False,
) -> None:
    """Replay games of the lines of a folder: a row stands or is stale. Exits with 1 if any is stale."""
    folder = Folder(results, must_exist=True)
    told: list[dict[str, Any]] = []
    due: list[tuple[Experiment, Job | None, ResultLine]] = []
    for name in names or [name for name in experiment_names() if folder.file(name).exists()]:
        experiment = find_experiment(name)
        lines = folder.lines(experiment.name)
        with Store(":memory:") as store:
            budgets = known_budgets(experiment.rows, store, lines)
        rows = [row for row in experiment.rows if budgets.know(row)]
        known = jobs_of(experiment, budgets, rows=rows, games=1, lines=lines)
        planned = {job.row.name: job for job in known}
        due += [(experiment, planned.get(line.row), line) for line in lines]
    # Where a fingerprint of a part has changed, something is likely to be stale.
    due.sort(key=lambda each: each[1] is None or each[1].work.play_version == each[2].plays)
    with open_workers(threads, processes, cluster) as workers:
        for experiment, job, line in due:
            entry = {"experiment": experiment.name, "row": line.row, "results": len(line.values)}
            if line.stale:
                told.append({**entry, "answer": "history", "why": line.stale})
            elif job is None or job.in_folder != line:
                told.append({**entry, "answer": "history", "why": "the experiment has other specs now"})
            else:
                answer = verify(job, line, workers, every_block=every_block)
                told.append({**entry, "answer": answer, "why": ""})
                if answer == "stale" and mark:
                    folder.mark_stale(experiment, line, "the code plays otherwise")
                elif answer == "stands" and mark:
                    folder.mark_standing(experiment, line, job.work.play_version)
            if not json:
                note(f"{experiment.name}, {line.row}: {told[-1]['answer']}")
    if json:
        print_json(told)
    else:
        answers = [entry["answer"] for entry in told]
        cells = [(answer, str(answers.count(answer))) for answer in dict.fromkeys(answers)]
        print_table("", ["answer", "lines"], cells)
    if any(entry["answer"] == "stale" for entry in told):
        raise typer.Exit(1)


def merge(
    one: Annotated[Path, typer.Argument(help="A folder of results; it gets what both have.")],
    two: Annotated[Path, typer.Argument(help="Another one; it stays as it is.")],
) -> None:
    """Join two folders of results. Nothing is mixed: where both contradict each other, nothing is written."""
    first, second = Folder(one, must_exist=True), Folder(two, must_exist=True)
    merged = {}
    for name in sorted({*first.names(), *second.names()}):
        try:
            merged[name] = merge_lines(first.lines(name), second.lines(name))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    known = set(experiment_names())
    for name, lines in merged.items():
        rows = [row.name for row in find_experiment(name).rows] if name in known else []
        write_lines(first.file(name), lines, rows)
    print_table("", ["experiment", "lines"], [(name, str(len(lines))) for name, lines in merged.items()])
