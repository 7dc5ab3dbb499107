"""`coppice sweep` and `coppice tune`: what the options of a player are worth, and which are best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

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
from coppice.lab.tune import Method, Parameter, Tuning

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
        Path | None, typer.Option(help="A heat map of one or two options: a file ending in .svg or .png.")
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
    kind = _picture_kind(out)
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
    if out is not None and kind is not None:
        from coppice.show.figures import draw_heat_map, picture

        x, y = [*grid.items(), ("", [""])][:2]
        cells = {
            ((*point, "")[0], (*point, "")[1]): (score.rate, score.interval().low, score.interval().high)
            for point, score in scores.items()
        }
        out.write_bytes(picture(draw_heat_map(f"{template} - {opponent}", x, y, cells), kind))
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


def _picture_kind(out: Path | None) -> Literal["svg", "png"] | None:
    kinds: dict[str, Literal["svg", "png"]] = {".svg": "svg", ".png": "png"}
    if out is None:
        return None
    if out.suffix not in kinds:
        raise ValueError(f"--out {out} is not allowed: a file ending in .svg or .png")
    return kinds[out.suffix]


def _point(names: dict[str, list[str]], point: tuple[str, ...]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in zip(names, point, strict=True))


def tune(
    game: Game,
    template: Template,
    opponent: Opponent,
    ranges: Annotated[
        list[str], typer.Option("--set", help="name=low..high, then :log and :int if wanted; repeat.")
    ],
    method: Annotated[str, typer.Option(help="cem (cross-entropy) or optuna (CMA-ES for noise).")] = "cem",
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
    methods: dict[str, Method] = {"cem": "cem", "optuna": "optuna"}
    if method not in methods:
        raise ValueError(f"--method {method} is not allowed: {', '.join(methods)}")
    plan = Tuning(
        *(game, template, opponent, [Parameter.parse(text) for text in ranges], methods[method]),
        rounds=rounds,
        population=population,
        games=games,
        verify=verify,
        seed=seed,
        openings=openings,
    )
    for end in (0, 1):
        one = plan.match({p.name: p.text(p.ends[end]) for p in plan.parameters}, seed)
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
        print_json({"values": dict(step.values), "player": step.match.a, **step.score.row().plain()})
        return
    cells = (values, *step.score.row().texts(*_COLUMNS))
    title = f"proposed after {trials} trials, measured in a fresh match on new seeds (seed {step.match.seed})"
    print_table(title, ["values", *headers(_COLUMNS)], [cells])
    note(f"the player in full: {step.match.a}")
