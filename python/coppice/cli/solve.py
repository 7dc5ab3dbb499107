"""`coppice solve`: the exact value of a position on a small board."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from coppice.cli.catalogue import Json
from coppice.cli.output import duration, note, print_json, print_table
from coppice.core.session import Game, Limit, SolverProgress

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(solve)


def solve(
    game: Annotated[str, typer.Argument(help="The game, e.g. 'domineering(rows=5, columns=5)'.")],
    position: Annotated[str | None, typer.Option(help="The position as text; default: the start.")] = None,
    moves: Annotated[str, typer.Option(help="Moves to play first.")] = "",
    seconds: Annotated[float | None, typer.Option(min=0, help="Give up after so long.")] = None,
    memory: Annotated[int, typer.Option(min=1, help="MiB that the table may take.")] = 1024,
    json: Json = False,
) -> None:
    """Solve a position exactly: its value, and the value of every move. For small boards."""
    rules = Game(game)
    state = rules.start() if position is None else rules.state(position)
    state.play(*moves.split())
    found = state.solve(Limit(seconds=seconds), memory=memory << 20, tell=_tell)
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    if json:
        print_json(asdict(found))
    else:
        who = rules.sides[0 if found.side == "first" else 1]
        value = {"win": "wins", "loss": "loses", "draw": "draws", None: "is not settled"}[found.value]
        work = f"{found.nodes:,} nodes, {found.bytes / 2**20:.0f} MiB, {duration(found.seconds)}"
        print(f"{who} to move {value} ({work})")
        rows = [(move, value or "unknown") for move, value in found.moves.items()]
        print_table("", ["move", f"for {who}"], rows)
    if found.value is None:
        raise ValueError(
            f"not solved within {duration(found.seconds)}: give it more --seconds, or a smaller board"
        )


def _tell(progress: SolverProgress) -> None:
    text = (
        f"{progress.nodes:,} nodes, {progress.bytes / 2**20:.0f} MiB, {progress.known_moves} of "
        f"{progress.all_moves} moves settled, {duration(progress.seconds)}"
    )
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
    elif progress.seconds % 10 < 0.5:
        note(text)
