"""`coppice study`: changes x games x budgets against a baseline, from the declaration to the figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from coppice import _core
from coppice.cli.catalogue import Json
from coppice.cli.live import Live
from coppice.cli.match import FreshOption, StorePath
from coppice.cli.matches import CsvFile, ParquetFile
from coppice.cli.output import duration, note, print_json
from coppice.cli.workers import ClusterOption, ProcessesOption, ThreadsOption, open_workers
from coppice.lab.frames import columns_of, write_csv, write_parquet
from coppice.lab.score_row import percent
from coppice.lab.store import DEFAULT_STORE, Store
from coppice.lab.study import Study
from coppice.lab.study_file import find_study
from coppice.lab.study_result import StudyRecord, StudyResult

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(study)


def study(
    file: Annotated[str, typer.Argument(help="The study: a file ending in .toml or .py.")],
    store: StorePath = Path(DEFAULT_STORE),
    out: Annotated[
        Path | None,
        typer.Option(help="Write table, methods and figures into this folder."),
    ] = None,
    csv: CsvFile = None,
    parquet: ParquetFile = None,
    fresh: FreshOption = False,
    threads: ThreadsOption = None,
    processes: ProcessesOption = None,
    cluster: ClusterOption = None,
    only_cost: Annotated[bool, typer.Option("--only-cost", help="Show what it would cost and stop.")] = False,
    json: Json = False,
) -> None:
    """Play a study. Games that the store has are not played again; Ctrl-C loses nothing finished."""
    plan = find_study(file)
    for cell in plan.cells:
        _core.check_player(cell.match.game, cell.match.a)
        _core.check_player(cell.match.game, cell.match.b)
    with Store(store) as opened, open_workers(threads, processes, cluster) as workers:
        if fresh and not only_cost:
            for cell in plan.cells:
                cell.match.set_aside(opened)
        _show_cost(plan, opened, workers.width, print if only_cost else note)
        if only_cost:
            return
        interrupted = False
        try:
            with Live() as live:
                for step in plan.run(opened, workers=workers):
                    # The rows of a look, and the looks one after the other.
                    name = f"{step.cell.name}, look {step.look} of {len(plan.plan.looks)}"
                    live.show_match(name, step.match)
        except KeyboardInterrupt:
            interrupted = True
        result = plan.result(opened)
    if csv is not None:
        write_csv(csv, StudyRecord, [columns_of(StudyRecord, result.records())])
    if parquet is not None:
        write_parquet(parquet, StudyRecord, [columns_of(StudyRecord, result.records())])
    if out is not None:
        _write(result, out)
    if json:
        print_json(_plain(result))
    else:
        print(result.text())
        print(result.methods())
    if interrupted:
        note("interrupted; the same command plays the rest")
        raise typer.Exit(130)


def _show_cost(plan: Study, store: Store, width: int, tell: Callable[[str], None]) -> None:
    found = plan.plan
    if plan.question:
        tell(plan.question)
    tell(
        f"{len(plan.cells)} rows of at most {found.games} games, looked at after"
        f" {', '.join(map(str, found.looks))}; a score of {percent(0.5 + found.detectable)} % is found with a"
        f" power of {100 * plan.power:g} %"
    )
    total = 0.0
    for cost in plan.cost(store):
        total += cost.seconds
        tell(
            f"  {cost.cell.name}: {cost.missing} of {found.games} to play, {cost.seconds_each:.2g} s each,"
            f" {duration(cost.seconds / width)}"
        )
    tell(
        f"cost on this machine, measured: at most about {duration(total / width)} with {width} at a time;"
        " less where rows end early"
    )


def _write(result: StudyResult, out: Path) -> None:
    """All that a paper needs, as files of a folder."""
    from coppice.show.figures import forest, heat_map, picture

    out.mkdir(parents=True, exist_ok=True)
    texts = {
        "table.txt": result.text(),
        "table.md": result.markdown(),
        "table.tex": result.latex(),
        "methods.txt": result.methods() + "\n",
    }
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    write_csv(out / "effects.csv", StudyRecord, [columns_of(StudyRecord, result.records())])
    if result.effects:
        for name, drawing in (("forest", forest(result.effects)), ("heat_map", heat_map(result.effects))):
            for kind in ("pdf", "svg", "png"):
                (out / f"{name}.{kind}").write_bytes(picture(drawing, kind))
    note(f"table, methods and figures in {out}")


def _plain(result: StudyResult) -> dict[str, Any]:
    return {
        "study": result.study.name,
        "question": result.study.question,
        "declaration": result.study.declaration,
        "declared_otherwise": result.declared_otherwise or None,
        "done": result.done,
        "rows": [asdict(record) for record in result.records()],
        "methods": result.methods(),
    }
