"""`coppice sweep` and `coppice tune`: what the options of a player are worth, and which are best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coppice import _core
from coppice.cli.catalogue import Json
from coppice.cli.live import Live
from coppice.cli.match import BySideOption, FreshOption, StorePath
from coppice.cli.output import note, print_json, print_table
from coppice.cli.workers import ClusterOption, ProcessesOption, ThreadsOption, open_workers
from coppice.lab.score_row import headers, percent
from coppice.lab.store import DEFAULT_STORE, Store
from coppice.lab.sweep import Sweep, parse_values
from coppice.lab.tune import METHODS, Tuning, parse_parameter
from coppice.lab.tune_methods import check_method

__all__ = ["register"]

Game = Annotated[str, typer.Argument(help="The game, e.g. 'havannah(size=6)'.")]
Template = Annotated[
    str,
    typer.Argument(
        help="The player with names in braces, e.g. 'uct(selection=uct(k={k}), simulations=500)'."
    ),
]
Opponent = Annotated[str, typer.Argument(help="Its opponent.")]
Seed = Annotated[int, typer.Option(min=0, help="All chance comes from it.")]
OpeningsOption = Annotated[str, typer.Option(help="none, random(plies=2), or a file.")]

_COLUMNS = ("games", "rate", "interval")


def register(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command()(sweep)
    app.command()(tune)


def sweep(
    game: Game,
    template: Template,
    opponent: Opponent,
    values: Annotated[list[str], typer.Option("--set", help="name=1,2,5 or name=low:high:step; repeat.")],
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Per point.")] = 100,
    seed: Seed = 0,
    openings: OpeningsOption = "none",
    threads: ThreadsOption = None,
    processes: ProcessesOption = None,
    cluster: ClusterOption = None,
    out: Annotated[
        Path | None,
        typer.Option(help="A heat map of one or two options: a file ending in .pdf, .svg or .png."),
    ] = None,
    store: StorePath = Path(DEFAULT_STORE),
    fresh: FreshOption = False,
    by_side: BySideOption = False,
    json: Json = False,
) -> None:
    """Play a match for every combination of options."""
    grid: dict[str, list[str]] = {}
    for text in values:
        name, listed = parse_values(text)
        if name in grid:
            raise ValueError(f"--set {name} is given twice")
        grid[name] = listed
    check_out(out)
    if out is not None and len(grid) > 2:
        raise ValueError(f"a heat map shows one or two options, not {len(grid)}: leave --out away")
    plan = Sweep(game, template, opponent, grid, seed=seed, openings=openings)
    for match in plan.matches().values():
        _core.check_player(match.game, match.a)
        _core.check_player(match.game, match.b)
    interrupted = False
    with Store(store) as opened, open_workers(threads, processes, cluster) as workers:
        try:
            with Live() as live:
                for point, step in plan.run(games, opened, workers=workers, fresh=fresh):
                    live.show_match(_point(grid, point), step)
        except KeyboardInterrupt:
            interrupted = True
        scores = plan.scores(games, opened)
    if out is not None:
        from coppice.show.figures import draw_heat_map, save

        x, y = [*grid.items(), ("", [""])][:2]
        cells = {
            ((*point, "")[0], (*point, "")[1]): (score.rate, score.interval().low, score.interval().high)
            for point, score in scores.items()
        }
        save(draw_heat_map(f"{template} - {opponent}", x, y, cells), out)
        note(f"heat map in {out}")
    if json:
        print_json(
            [
                {**dict(zip(grid, point, strict=True)), **score.row().plain()}
                for point, score in scores.items()
            ]
        )
    else:
        columns = (*_COLUMNS, *(("first", "second") if by_side else ()))
        rows = [(*point, *score.row().texts(*columns)) for point, score in scores.items()]
        print_table(f"{template} - {opponent}, {game}", [*grid, *headers(columns)], rows)
    if interrupted:
        note("interrupted; the same command plays the rest")
        raise typer.Exit(130)


def check_out(out: Path | None) -> None:
    """Refuse, before anything is played, a file that no figure can be written to."""
    if out is None:
        return
    from coppice.show.figures import kind_of

    kind_of(out)
    if not out.parent.is_dir():
        raise ValueError(f"there is no folder '{out.parent}' for the figure '{out.name}'")


def _point(names: dict[str, list[str]], point: tuple[str, ...]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in zip(names, point, strict=True))


def tune(
    game: Game,
    template: Template,
    opponent: Opponent,
    ranges: Annotated[
        list[str],
        typer.Option(
            "--set",
            help="name=low..high, then :log and :int if wanted, or name=one,two for a choice; repeat.",
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            help="cem (cross-entropy), or a sampler of Optuna: cmaes (for noise), tpe, nsgaii, qmc, random."
        ),
    ] = "cem",
    rounds: Annotated[int, typer.Option(min=1, help="Generations.")] = 10,
    population: Annotated[int, typer.Option(min=4, help="Trials per generation.")] = 16,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Per trial.")] = 20,
    verify: Annotated[int, typer.Option(min=1, help="Games of the fresh match at the end.")] = 400,
    seed: Seed = 0,
    openings: OpeningsOption = "none",
    threads: ThreadsOption = None,
    processes: ProcessesOption = None,
    cluster: ClusterOption = None,
    store: StorePath = Path(DEFAULT_STORE),
    fresh: FreshOption = False,
    json: Json = False,
) -> None:
    """Tune options of a player. A fresh match measures the proposal: no trial's luck counts."""
    parameters = [parse_parameter(text) for text in ranges]
    if method not in (*METHODS, "optuna"):
        raise ValueError(f"--method {method} is not allowed: {', '.join(METHODS)}")
    plan = Tuning(
        *(game, template, opponent, parameters, check_method(method, parameters)),
        rounds=rounds,
        population=population,
        games=games,
        verify=verify,
        seed=seed,
        openings=openings,
    )
    for one in plan.samples():
        _core.check_player(one.game, one.a)
        _core.check_player(one.game, one.b)
    trials = 0
    with Store(store) as opened, open_workers(threads, processes, cluster) as workers:
        try:
            for step in plan.run(opened, workers=workers, fresh=fresh):
                values = ", ".join(f"{name} = {value}" for name, value in step.values.items())
                trials += step.kind == "trial"
                if step.kind == "trial":
                    note(f"round {step.round + 1} of {rounds}, {values}: {percent(step.score.rate)} %")
        except KeyboardInterrupt:
            note("interrupted; the same command goes on from here")
            raise typer.Exit(130) from None
    if json:
        told = {"tuning": step.tuning, "values": dict(step.values), "player": step.match.a}
        print_json({**told, **step.score.row().plain()})
        return
    cells = (values, *step.score.row().texts(*_COLUMNS))
    title = f"proposed after {trials} trials, measured in a fresh match on new seeds (seed {step.match.seed})"
    print_table(title, ["values", *headers(_COLUMNS)], [cells])
    note(f"the player in full: {step.match.a}")
    note(f"coppice tunings {step.tuning[:8]} shows the trials")
