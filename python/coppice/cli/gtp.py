"""`coppice gtp`: the computer at the service of another program, by the Go Text Protocol."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import Annotated, cast

import typer

from coppice.cli.output import note
from coppice.core.defaults import DEFAULT_PLAYER, default_player
from coppice.core.guests import Guests
from coppice.core.session import Game
from coppice.play.book import Book, shipped
from coppice.play.clocks import Plan
from coppice.protocols.gtp import Server
from coppice.protocols.line_reader import Lines

__all__ = ["register"]

# Of the default player.
SIMULATIONS = 10_000


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(gtp)


def gtp(
    game: Annotated[str, typer.Option(help="The game, e.g. 'havannah(size=6)'.")] = "havannah(size=6)",
    player: Annotated[str | None, typer.Option(help=f"Who decides [default: {DEFAULT_PLAYER}].")] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=2**62, help="Makes play repeatable.")] = None,
    ponder: Annotated[bool, typer.Option("--ponder", help="Think while the other side does.")] = False,
    book: Annotated[bool, typer.Option("--book", help="Open from the package's book of the board.")] = False,
    book_file: Annotated[Path | None, typer.Option(help="Open from the book in this file.")] = None,
    guest: Annotated[
        list[str] | None,
        typer.Option(help="A player from elsewhere that the other end may name, as python(...) or gtp(...)."),
    ] = None,
    time_plan: Annotated[
        str, typer.Option(help="How the time of a game is shared out: even, or middle (more there).")
    ] = "even",
) -> None:
    """Speak GTP 2 on stdin and stdout: 'list_commands' and 'help' tell the commands."""
    if book and book_file is not None:
        raise ValueError("--book is the package's book and --book-file another one: choose one of them")
    own = None if book_file is None else Book.read(book_file, guests=Guests([game]))
    if own is not None and own.game.spec != Game(game).spec:
        raise ValueError(f"{book_file} is a book of {own.game.spec}, not of {Game(game).spec}")
    if book and shipped(Game(game)) is None:
        note(f"there is no book for {Game(game).spec}: every move is searched")
    server = Server(
        game,
        player or f"{default_player(Game(game))}(simulations={SIMULATIONS})",
        seed=secrets.randbits(62) if seed is None else seed,
        ponder=ponder,
        book=own or book,
        plan=cast(Plan, time_plan),
        guests=guest or (),
    )
    out = sys.stdout.buffer

    def write(text: str) -> None:
        out.write(text.encode("utf-8", errors="replace"))
        out.flush()

    # Without a buffer: a thread that waits in one would keep the interpreter from ending.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as stream:
        server.serve(Lines(stream), write)
