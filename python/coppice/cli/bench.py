"""`coppice bench`: how fast this machine plays, in numbers that can be compared."""

from __future__ import annotations

import datetime
import json as json_module
from pathlib import Path
from typing import Annotated, Any

import typer

from coppice import _core
from coppice.cli.catalogue import Json
from coppice.cli.output import note, print_json, print_table
from coppice.core.catalogue import catalogue
from coppice.core.session import Game, Limit, Player
from coppice.lab.store import describe_machine

__all__ = ["playout_rate", "register", "search_rate"]

BEST_OF = 5


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(bench)


def playout_rate(game: str, cpu_seconds: float = 0.2) -> float:
    """Uniform playouts per CPU second from the initial state: the best of five runs, after a warm-up."""
    state = Game(game).start()
    games = 64
    while (spent := state.random_games(games, reveal=True)["cpu_seconds"]) < cpu_seconds / 4:
        games *= 2
    games = max(1, int(games * cpu_seconds / spent))
    runs = (state.random_games(games, seed=run, reveal=True) for run in range(BEST_OF))
    return max(games / run["cpu_seconds"] for run in runs)


def search_rate(game: str, player: str, simulations: int = 5000) -> float:
    """Simulations per CPU second of a search from the initial state: the best of five runs."""
    state, decider = Game(game).start(), Player(player)
    best = 0.0
    for run in range(BEST_OF):
        report = decider.search(state, Limit(simulations=simulations), seed=run)
        best = max(best, report.simulations / max(report.seconds, 1e-9))
    return best


def bench(
    game: Annotated[list[str] | None, typer.Option("--game", help="A game; may be repeated.")] = None,
    player: Annotated[list[str] | None, typer.Option("--player", help="A player; may be repeated.")] = None,
    policies: Annotated[
        bool, typer.Option("--policies", help="Every named player, relative to rave.")
    ] = False,
    simulations: Annotated[int, typer.Option(min=100, help="Per search.")] = 5000,
    out: Annotated[Path, typer.Option(help="The file that the figures are added to.")] = Path(
        "coppice-bench.jsonl"
    ),
    json: Json = False,
) -> None:
    """Measure uniform playouts and searches. Figures are added to a file, with date, version and machine."""
    games = game or ["havannah(size=6)", "havannah(size=8)", "havannah(size=10)"]
    named = [part.name for part in catalogue("player") if part.is_named]
    players = player or (named if policies else ["uct"])
    rows: list[dict[str, Any]] = []
    for name in games:
        rows.append({"game": name, "what": "uniform playouts", "per_second": playout_rate(name)})
        for who in players:
            try:
                _core.check_player(name, who, at_board=True)
            except ValueError as error:
                note(f"left out on {name}: {error}")
                continue
            rows.append({"game": name, "what": who, "per_second": search_rate(name, who, simulations)})
    _relate(rows)
    facts = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "version": _core.__version__,
        "play_version": _core.PLAY_VERSION,
        "machine": describe_machine(),
    }
    with out.open("a", encoding="utf-8") as file:
        for row in rows:
            file.write(json_module.dumps({**row, **facts}) + "\n")
    if json:
        print_json([{**row, **facts} for row in rows])
        return
    cells = [
        (
            row["game"],
            row["what"],
            f"{row['per_second']:,.0f}",
            "" if row["ratio"] is None else f"{row['ratio']:.2f}",
        )
        for row in rows
    ]
    print_table("", ["game", "what", "per second", "relative to rave"], cells)


def _relate(rows: list[dict[str, Any]]) -> None:
    """Adds each search's rate relative to `rave` on the same game, where that was measured."""
    rave = {row["game"]: row["per_second"] for row in rows if row["what"] == "rave"}
    for row in rows:
        base = rave.get(row["game"])
        row["ratio"] = row["per_second"] / base if base and row["what"] != "uniform playouts" else None
