"""`coppice run`: an experiment from its declaration to the table beside the paper's."""

from __future__ import annotations

import contextlib
import fnmatch
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from coppice import _core
from coppice.cli.catalogue import Json
from coppice.cli.live import Live
from coppice.cli.match import FreshOption, StorePath
from coppice.cli.output import duration, note, print_json, print_table
from coppice.cli.workers import ClusterOption, JobsOption, ProcessesOption, ThreadsOption, open_workers
from coppice.lab.store import DEFAULT_STORE, Store
from coppice.lab.workers import Workers
from coppice.papers.budgets import keep_speeds, known_budgets, measure_speeds
from coppice.papers.cost import Costs
from coppice.papers.evidence import Evidence
from coppice.papers.experiment import Experiment, experiment_names, find_experiment
from coppice.papers.folder import Folder, verify_once
from coppice.papers.jobs import Job, jobs_of
from coppice.papers.queue import Queue
from coppice.papers.result_lines import PLAYERS
from coppice.papers.results import STAGES, Line, budget_text, judge, number_text
from coppice.papers.runner import collect
from coppice.papers.runner import run as run_jobs
from coppice.show.tables import SIDES_HEADER, TEST_IN_WORDS, has_sides

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command()(run)
    app.command()(experiments)


def experiments(json: Json = False) -> None:
    """List the experiments."""
    found = [find_experiment(name) for name in experiment_names()]
    if json:
        print_json(
            [
                {
                    "name": one.name,
                    "source": one.source,
                    "question": one.question,
                    "rows": len(one.rows),
                    "readings": one.reading_names,
                }
                for one in found
            ]
        )
    else:
        rows = [
            (one.name, str(len(one.rows)), str(len(one.reading_names)), one.source, one.question)
            for one in found
        ]
        print_table("", ["name", "rows", "readings", "source", "question"], rows)


def run(
    name: Annotated[
        str | None, typer.Argument(help="The experiment: a name, or a file ending in .py.")
    ] = None,
    games: Annotated[
        int | None, typer.Option("--games", "-n", min=1, help="Per row [default: the paper's].")
    ] = None,
    fraction: Annotated[
        float, typer.Option(min=0.0, max=1000.0, help="This part of the paper's games.")
    ] = 1.0,
    rows: Annotated[
        list[str] | None,
        typer.Option(
            help="Some rows: numbers, ranges (3-5), whole names or patterns with *, with commas; "
            "may be given several times."
        ),
    ] = None,
    reading: Annotated[
        list[str] | None,
        typer.Option(
            help="Only rows of this reading of the paper, literal for the one that takes it at its word; "
            "may be given several times [default: all]."
        ),
    ] = None,
    seconds_scale: Annotated[
        float | None,
        typer.Option(min=1e-6, help="Play with the paper's seconds times this instead of equal work."),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="All chance comes from it.")] = None,
    store: StorePath = Path(DEFAULT_STORE),
    results: Annotated[
        Path | None,
        typer.Option(help="Add the results to this folder, as text; what it has already is not done again."),
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help=f"All rows of all experiments at the lowest priority: first {STAGES[0]} games everywhere, "
            f"then {STAGES[1]}, then the papers' number, the cheapest first; --results defaults to results.",
        ),
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="With --all: experiments of this name or pattern with *; may be given several times."
        ),
    ] = None,
    length: Annotated[
        str | None, typer.Option("--for", help="With --all: end after this time, as 90m, 2h or 45s.")
    ] = None,
    fresh: FreshOption = False,
    threads: ThreadsOption = None,
    processes: ProcessesOption = None,
    cluster: ClusterOption = None,
    jobs: JobsOption = None,
    only_cost: Annotated[bool, typer.Option("--only-cost", help="Show what it would cost and stop.")] = False,
    json: Json = False,
) -> None:
    """Run an experiment. What the store already has is not done again; Ctrl-C loses nothing finished."""
    if every:
        given = {"NAME": name, "--games": games, "--rows": rows, "--seconds-scale": seconds_scale}
        given |= {"--reading": reading, "--seed": seed}
        wrong = [word for word, value in given.items() if value is not None]
        if wrong:
            raise ValueError(
                f"--all takes no {wrong[0]}: --only chooses experiments, their lengths are declared"
            )
        if processes is not None or cluster is not None:
            raise ValueError("--all plays at the lowest priority, in threads of this process: --threads N")
        until = None if length is None else _seconds(length)
        with open_workers(threads) as workers:
            _run_all(only, results or Path("results"), store, workers, until)
        return
    if name is None or only or length is not None:
        raise ValueError("an experiment is needed: coppice run NAME, or coppice run --all [--only] [--for]")
    experiment = find_experiment(name)
    chosen = experiment.choose(rows, reading)
    folder = None if results is None else Folder(results)
    there = [] if folder is None else folder.lines(experiment.name)
    with Store(store) as opened, open_workers(threads, processes, cluster) as workers:
        budgets = known_budgets(chosen, opened, there, seconds_scale=seconds_scale)
        for row in chosen:
            if not budgets.know(row):
                # Kept at once: whoever interrupts it here loses no speed that is known.
                budgets = keep_speeds(measure_speeds([row], budgets), opened)
        planned = jobs_of(
            experiment, budgets, rows=chosen, games=games, fraction=fraction, seed=seed, lines=there
        )
        _check(planned)
        if fresh and not only_cost:
            for job in planned:
                job.work.set_aside(opened)
        tell = print if only_cost else note
        _show_cost(experiment, planned, Costs(opened), workers.width, tell)
        if only_cost:
            return
        if folder is not None:
            planned = [_verified(experiment, job, folder, opened, workers) for job in planned]
        interrupted = False
        try:
            with Live() as live:
                for step in run_jobs(planned, opened, workers):
                    state = "-" if step.value is None else number_text(step.value, step.row.is_rate)
                    unit = " %" if step.row.is_rate and step.value is not None else ""
                    live.show(step.row.name, step.done, step.wanted, state + unit, step.seconds_left)
        except KeyboardInterrupt:
            interrupted = True
        evidence = collect(experiment, planned, opened)
        if folder is not None:
            made = (job.line(opened) for job in planned)
            folder.save(experiment, [line for line in made if line is not None])
    names = {row.name for row in chosen}
    lines = [line for line in judge(experiment, evidence) if line.row.name in names]
    _print_lines(experiment, lines, json)
    if interrupted:
        note("interrupted; the same command does the rest")
        raise typer.Exit(130)


def _verified(experiment: Experiment, job: Job, folder: Folder, store: Store, workers: Workers) -> Job:
    """The job with what the folder has of it, unless something is to be added that other code would make."""
    line = job.in_folder
    if line is None or not job.missing(store):
        return job
    answer = verify_once(job, line, store, workers)
    if answer in ("stands", "not replayable"):
        return job
    folder.mark_stale(experiment, line, "the code plays otherwise")
    note(f"{job.row.name}: the code plays otherwise now; {len(line.values)} results are history")
    return replace(job, in_folder=None)


_TIME = re.compile(r"(\d+(?:\.\d+)?)([smh])")


def _seconds(text: str) -> float:
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' is no length of time: allowed are numbers with s, m or h, as 90m or 2h")
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


def _run_all(
    only: list[str] | None, results: Path, store: Path, workers: Workers, seconds: float | None
) -> None:
    """The queue over all tables, at the lowest priority."""
    until = None if seconds is None else time.monotonic() + seconds
    names = experiment_names()
    patterns = only or ["*"]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise ValueError(f"no experiment is called '{pattern}': {', '.join(names)}")
    chosen = [name for name in names if any(fnmatch.fnmatchcase(name, one) for one in patterns)]
    _be_patient()
    with Store(store) as opened:
        queue = Queue([find_experiment(name) for name in chosen], Folder(results), opened, workers=workers)
        try:
            with Live() as live:
                for done, wanted in queue.estimate():
                    live.show("rows prepared", done, wanted, "what they cost is measured", None)
                    if until is not None and time.monotonic() > until:
                        note("the time is over; what rows cost is kept")
                        return
                for step in queue.run(until):
                    if step.stale:
                        note(f"{step.experiment}, {step.row}: {step.stale}; what was there is history")
                    stage = [*map(str, STAGES), "the paper's number"][step.stage]
                    state = f"{step.experiment}, {step.row}; {step.rows_done} of {step.rows} rows"
                    left = f"{duration(step.all_seconds)} for all stages"
                    name = f"games up to {stage}"
                    live.show(name, step.games_done, step.games, f"{state}, {left}", step.stage_seconds)
        except KeyboardInterrupt:
            note("interrupted; the same command does the rest")
            raise typer.Exit(130) from None
    note("the queue is empty" if until is None or time.monotonic() < until else "the time is over")


def _be_patient() -> None:
    """Take the lowest priority: everything else on the machine goes first."""
    os.nice(19)
    if os.getsid(0) == os.getpid():
        # Linux shares the processors among sessions first; this one was started for the queue.
        with contextlib.suppress(OSError):
            Path("/proc/self/autogroup").write_text("19")


def _check(planned: Sequence[Job]) -> None:
    """Refuse now what would only come to light rows later."""
    for job in planned:
        for key in PLAYERS:
            if job.facts.get(key):
                _core.check_player(job.facts["game"], job.facts[key])


def _show_cost(
    experiment: Experiment, planned: Sequence[Job], costs: Costs, width: int, tell: Callable[[str], None]
) -> None:
    tell(f"{experiment.name}: {experiment.question}")
    total = 0.0
    for job in planned:
        cost = costs.of(job)
        total += cost.seconds
        budgets = "".join(f"; {player} -> {budget_text(budget)}" for player, budget in job.budgets.items())
        tell(
            f"  {experiment.number(job.row)} {job.row.name}: {cost.missing} of {job.wanted} to do, "
            f"{cost.seconds_each:.2g} s each, {duration(cost.seconds / width)}{budgets}"
        )
    tell(f"cost on this machine, measured: about {duration(total / width)} with {width} at a time")


def _print_lines(experiment: Experiment, lines: Sequence[Line], as_json: bool) -> None:
    if as_json:
        print_json({"experiment": experiment.name, "rows": [_plain(experiment, line) for line in lines]})
        return
    sides = has_sides(lines)
    cells = [
        (
            str(experiment.number(line.row)),
            line.row.name,
            str(line.evidence.count if line.evidence else 0),
            line.paper_text(),
            line.our_text(),
            *(line.side_texts() if sides else ()),
            line.consistent_text(),
        )
        for line in lines
    ]
    unit = " (%)" if all(line.row.is_rate for line in lines) else ""
    header = ["#", "row", "games", f"paper{unit}", f"ours, 95 % interval{unit}"]
    header += [*(SIDES_HEADER if sides else ()), "consistent?"]
    print_table(f"{experiment.name}: {experiment.source}", header, cells)
    note(TEST_IN_WORDS)
    for one in experiment.readings:
        if any(line.row.reading == one.name for line in lines):
            note(f"[{one.name}]: {one.text}")


def _plain(experiment: Experiment, line: Line) -> dict[str, Any]:
    found = line.evidence
    interval = None if found is None else found.interval
    return {
        "number": experiment.number(line.row),
        "row": line.row.name,
        "reading": line.row.reading_name,
        "games": 0 if found is None else found.count,
        "paper": line.row.published.value,
        "paper_text": line.paper_text(),
        "ours": None if found is None else found.value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "paper_first": line.row.published.first,
        "paper_second": line.row.published.second,
        **_sides(found),
        "p": line.p_value,
        "consistent": line.consistent,
        "games_needed": line.needed,
        "budgets": {} if found is None else {name: dict(one) for name, one in found.budgets.items()},
        "used": None if found is None or found.used is None else [asdict(one) for one in found.used],
        "command": "" if found is None else found.command,
    }


def _sides(found: Evidence | None) -> dict[str, Any]:
    """The scores of the games in which *a* had the first side and the second; None where not known."""
    row = None if found is None or found.score is None else found.score.row().plain()
    return {side: None if row is None else row[side] for side in ("first", "second")}
