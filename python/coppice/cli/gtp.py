"""`coppice gtp`: the computer at the service of another program, by the Go Text Protocol."""

from __future__ import annotations

import random
import sys
from typing import Annotated

import typer

from coppice.gtp import Server
from coppice.lines import Lines

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(gtp)


def gtp(
    game: Annotated[str, typer.Option(help="The game, e.g. 'havannah(size=6)'.")] = "havannah(size=6)",
    player: Annotated[str, typer.Option(help="Who decides.")] = "uct(simulations=10000)",
    seed: Annotated[int | None, typer.Option(min=0, max=2**62, help="Makes play repeatable.")] = None,
) -> None:
    """Speak GTP 2 on stdin and stdout: 'list_commands' and 'help' tell the commands."""
    server = Server(game, player, seed=random.randrange(2**31) if seed is None else seed)
    out = sys.stdout.buffer

    def write(text: str) -> None:
        out.write(text.encode("utf-8", errors="replace"))
        out.flush()

    # Without a buffer: a thread that waits in one would keep the interpreter from ending.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as stream:
        server.serve(Lines(stream), write)
