"""`coppice run`: an experiment from its declaration to the table beside the paper's."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from coppice import _core
from coppice.cli.catalogue import Json
from coppice.cli.live import Live
from coppice.cli.match import ClusterOption, FreshOption, ProcessesOption, StorePath
from coppice.cli.output import duration, note, print_json, print_table
from coppice.cluster import PooledCore, open_pool
from coppice.cost import Costs
from coppice.experiment import Experiment, experiment_names, find_experiment
from coppice.results import Line, judge, number_text, write_results
from coppice.runner import Job, collect, prepare
from coppice.runner import run as run_jobs
from coppice.store import DEFAULT_STORE, Store
from coppice.tables import TEST_IN_WORDS

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command()(run)
    app.command()(experiments)


def experiments(json: Json = False) -> None:
    """List the experiments."""
    found = [find_experiment(name) for name in experiment_names()]
    if json:
        print_json([{"name": one.name, "source": one.source, "question": one.question} for one in found])
    else:
        rows = [(one.name, str(len(one.rows)), one.source, one.question) for one in found]
        print_table("", ["name", "rows", "source", "question"], rows)


def run(
    name: Annotated[str, typer.Argument(help="The experiment: a name, or a file ending in .py.")],
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
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="At a time [default: processors].")
    ] = None,
    seconds_scale: Annotated[
        float | None,
        typer.Option(min=1e-6, help="Play with the paper's seconds times this instead of equal work."),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="All chance comes from it.")] = None,
    store: StorePath = Path(DEFAULT_STORE),
    results: Annotated[
        Path | None, typer.Option(help="Also write the results to this folder, as text.")
    ] = None,
    fresh: FreshOption = False,
    cluster: ClusterOption = None,
    processes: ProcessesOption = False,
    only_cost: Annotated[bool, typer.Option("--only-cost", help="Show what it would cost and stop.")] = False,
    json: Json = False,
) -> None:
    """Run an experiment. What the store already has is not done again; Ctrl-C loses nothing finished."""
    experiment = find_experiment(name)
    chosen = experiment.choose(rows)
    threads = jobs or os.cpu_count() or 1
    with Store(store) as opened, open_pool(cluster, processes, threads) as pool:
        planned = prepare(
            experiment,
            opened,
            rows=chosen,
            games=games,
            fraction=fraction,
            seed=seed,
            seconds_scale=seconds_scale,
            core=None if pool is None else PooledCore(pool),
        )
        _check(planned)
        if fresh and not only_cost:
            for job in planned:
                if job.match:
                    job.match.set_aside(opened)
        old = sum(one.games for job in planned if job.match for one in opened.other_versions(job.match.row))
        if old:
            note(f"note: {old} games of these rows were played under other play versions and do not count")
        tell = print if only_cost else note
        _show_cost(experiment, planned, Costs(opened), threads if pool is None else pool.width, tell)
        if only_cost:
            return
        interrupted = False
        try:
            with Live() as live:
                for step in run_jobs(planned, opened, threads=threads, pool=pool):
                    state = "-" if step.value is None else number_text(step.value, step.row.is_rate)
                    unit = " %" if step.row.is_rate and step.value is not None else ""
                    live.show(step.row.name, step.done, step.wanted, state + unit, step.seconds_left)
        except KeyboardInterrupt:
            interrupted = True
        evidence = collect(experiment, planned, opened)
    if results is not None:
        write_results(results / f"{experiment.name}.jsonl", experiment, evidence)
    names = {row.name for row in chosen}
    lines = [line for line in judge(experiment, evidence) if line.row.name in names]
    _print_lines(experiment, lines, json)
    if interrupted:
        note("interrupted; the same command does the rest")
        raise typer.Exit(130)


def _check(planned: Sequence[Job]) -> None:
    """Refuse now what would only come to light rows later."""
    for job in planned:
        for key in ("a", "b", "player", "reference"):
            if job.facts.get(key):
                _core.check_player(job.facts["game"], job.facts[key])


def _show_cost(
    experiment: Experiment, planned: Sequence[Job], costs: Costs, threads: int, tell: Callable[[str], None]
) -> None:
    tell(f"{experiment.name}: {experiment.question}")
    total = 0.0
    for job in planned:
        cost = costs.of(job)
        total += cost.seconds
        budgets = "".join(f"; {player} -> {text}" for player, text in job.budgets.items())
        tell(
            f"  {experiment.number(job.row)} {job.row.name}: {cost.missing} of {job.wanted} to do, "
            f"{cost.seconds_each:.2g} s each, {duration(cost.seconds / threads)}{budgets}"
        )
    tell(f"cost on this machine, measured: about {duration(total / threads)} with {threads} at a time")


def _print_lines(experiment: Experiment, lines: Sequence[Line], as_json: bool) -> None:
    if as_json:
        print_json({"experiment": experiment.name, "rows": [_plain(experiment, line) for line in lines]})
        return
    cells = [
        (
            str(experiment.number(line.row)),
            line.row.name,
            str(line.evidence.count if line.evidence else 0),
            line.paper_text(),
            line.our_text(),
            line.consistent_text(),
        )
        for line in lines
    ]
    unit = " (%)" if all(line.row.is_rate for line in lines) else ""
    header = ["#", "row", "games", f"paper{unit}", f"ours, 95 % interval{unit}", "consistent?"]
    print_table(f"{experiment.name}: {experiment.source}", header, cells)
    note(TEST_IN_WORDS)


def _plain(experiment: Experiment, line: Line) -> dict[str, Any]:
    found = line.evidence
    interval = None if found is None else found.interval
    return {
        "number": experiment.number(line.row),
        "row": line.row.name,
        "games": 0 if found is None else found.count,
        "paper": line.row.published.value,
        "paper_text": line.paper_text(),
        "ours": None if found is None else found.value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "p": line.p_value,
        "consistent": line.consistent,
        "games_needed": line.needed,
        "command": "" if found is None else found.command,
    }
