"""`coppice check`: what is wrong with a game, for whoever has just written one."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from coppice import extend

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(check)


def check(
    game: Annotated[str, typer.Argument(help="module:Class, ./file.py:Class, or any game.")],
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="How many random games.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="All chance comes from it.")] = 0,
) -> None:
    """Play random games of a game and check every position against what must hold of every game."""
    started = time.monotonic()
    try:
        extend.check(game, games=games, seed=seed)
    except ValueError as error:
        print(f"{game} does not conform:\n{error}")
        raise typer.Exit(1) from error
    print(f"{game} conforms: {games} games in {time.monotonic() - started:.1f} s")
