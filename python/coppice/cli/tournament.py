"""`coppice tournament`: many players, one rating table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
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
from coppice.lab.stats import Score
from coppice.lab.store import DEFAULT_STORE, Store
from coppice.lab.tournament import Kind, Tournament, ratings

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(tournament)


def tournament(
    game: Annotated[str, typer.Argument(help="The game, e.g. 'havannah(size=6)'.")],
    players: Annotated[list[str], typer.Argument(help="Two players or more.")],
    kind: Annotated[
        str, typer.Option(help="round_robin: everybody against everybody; gauntlet: the first against all.")
    ] = "round_robin",
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="Per pair of players.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="All chance comes from it.")] = 0,
    openings: Annotated[str, typer.Option(help="none, random(plies=2), or a file.")] = "none",
    threads: ThreadsOption = None,
    processes: ProcessesOption = None,
    cluster: ClusterOption = None,
    store: StorePath = Path(DEFAULT_STORE),
    fresh: FreshOption = False,
    by_side: BySideOption = False,
    json: Json = False,
) -> None:
    """Play a tournament and rate its players (Bradley-Terry, 95 % intervals; Elo 0 is the mean)."""
    kinds: dict[str, Kind] = {"round_robin": "round_robin", "gauntlet": "gauntlet"}
    if kind not in kinds:
        raise ValueError(f"--kind {kind} is not allowed: {', '.join(kinds)}")
    plan = Tournament(game, tuple(players), kinds[kind], seed=seed, openings=openings)
    for match in plan.matches().values():
        _core.check_player(match.game, match.a)
        _core.check_player(match.game, match.b)
    interrupted = False
    with Store(store) as opened, open_workers(threads, processes, cluster) as workers:
        try:
            with Live() as live:
                for (a, b), step in plan.run(games, opened, workers=workers, fresh=fresh):
                    live.show_match(f"{a} - {b}", step)
        except KeyboardInterrupt:
            interrupted = True
        scores = plan.scores(games, opened)
    table = ratings(scores, plan.names)
    if json:
        matches = [{"a": a, "b": b, **score.row().plain()} for (a, b), score in scores.items()]
        print_json({"game": game, "ratings": [asdict(rating) for rating in table], "matches": matches})
    else:
        sides = ("first", "second") if by_side else ()
        totals = {name: _total(name, scores) for name in plan.names}
        rows = [
            (
                str(place),
                rating.player,
                f"{rating.elo:+.0f} [{rating.low:+.0f}, {rating.high:+.0f}]",
                str(rating.games),
                f"{rating.points:g}",
                f"{percent(rating.points / rating.games)} %",
                *totals[rating.player].row().texts(*sides),
            )
            for place, rating in enumerate(table, 1)
        ]
        header = ["rank", "player", "Elo, 95 % interval", "games", "points", "rate"]
        print_table(game, [*header, *headers(sides)], rows)
    if interrupted:
        note("interrupted; the same command plays the rest")
        raise typer.Exit(130)


def _total(name: str, scores: Mapping[tuple[str, str], Score]) -> Score:
    """All games of a player."""
    total = Score()
    for (a, b), score in scores.items():
        total += score if name == a else ~score if name == b else Score()
    return total
