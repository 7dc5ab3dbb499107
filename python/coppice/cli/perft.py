"""`coppice perft`: counts of legal move sequences, which pin the rules of a game down."""

from __future__ import annotations

from typing import Annotated

import typer

from coppice.cli.catalogue import Json
from coppice.cli.output import print_json, print_table
from coppice.core.session import Game

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(perft)


def perft(
    game: Annotated[str, typer.Argument(help="The game, e.g. 'havannah(size=3)'.")],
    depth: Annotated[int, typer.Argument(min=1, max=50, help="Moves of the longest sequences.")],
    position: Annotated[str | None, typer.Option(help="Start from this position instead.")] = None,
    json: Json = False,
) -> None:
    """Count the sequences of legal moves of each length, and how many end the game."""
    rules = Game(game)
    state = rules.start() if position is None else rules.state(position)
    counts = state.perft(depth, reveal=True)
    if json:
        print_json([count._asdict() for count in counts])
        return
    rows = [[f"{number:,}" for number in count] for count in counts]
    columns = ["depth", "sequences", "ended", f"{rules.sides[0]} won", f"{rules.sides[1]} won", "drawn"]
    print_table(rules.spec, columns, rows)
