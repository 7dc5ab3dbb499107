"""`coppice check`: what is wrong with a game or a policy, for whoever has just written one."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from coppice.core import extend

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(check)


def check(
    what: Annotated[str, typer.Argument(help="module:Class, ./file.py:Class, or any game.")],
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="How many games.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="All chance comes from it.")] = 0,
    game: Annotated[
        str | None, typer.Option(help="The game to try a policy in [default: some small ones].")
    ] = None,
) -> None:
    """Try a game or a policy written in Python, or any game, and say what is wrong with it."""
    started = time.monotonic()
    try:
        extend.check(what, games=games, seed=seed, game=game)
    except ValueError as error:
        print(f"{what} does not conform:\n{error}")
        raise typer.Exit(1) from error
    print(f"{what} conforms: {games} games in {time.monotonic() - started:.1f} s")
