"""`coppice analyse`: what a player thinks of a position; with `--json`, of as many as scripts ask for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from coppice.cli.output import complain
from coppice.core.defaults import DEFAULT_PLAYER, default_player
from coppice.core.guests import Guests
from coppice.core.session import Game, Limit, Player
from coppice.protocols import analysis_lines as analysis
from coppice.protocols.line_reader import Lines

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(analyse)


def analyse(
    game: Annotated[str | None, typer.Argument(help="The game, e.g. 'havannah(size=6)'.")] = None,
    moves: Annotated[list[str] | None, typer.Argument(help="The moves played so far.")] = None,
    player: Annotated[str | None, typer.Option(help=f"Who thinks [default: {DEFAULT_PLAYER}].")] = None,
    simulations: Annotated[int | None, typer.Option(min=1, help="Instead of the player's limit.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0, help="Instead of the player's limit.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="All chance comes from it.")] = 0,
    json: Annotated[
        bool, typer.Option("--json", help="Read requests as JSON lines from stdin, answer with JSON lines.")
    ] = False,
    guest: Annotated[
        list[str] | None,
        typer.Option(
            help="With --json: a game or player from elsewhere that requests may name, as python(...)."
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Requests at a time [default: processors].")
    ] = None,
) -> None:
    """Tell the best moves of a position.

    With --json, each line of stdin is a request such as {"id": 1, "game": "havannah(size=6)",
    "moves": "a1 b2", "player": "uct", "limit": {"simulations": 1000}}; the answers come as they are ready,
    with their ids.
    """
    if json:
        if game is not None:
            raise ValueError("--json reads its requests from stdin: give no game")
        _serve(threads, Guests(guest or ()))
        return
    if guest:
        raise ValueError("--guest is for requests with --json: what the command line itself names may be run")
    if game is None:
        raise ValueError(
            "name a game, e.g. coppice analyse 'havannah(size=6)' a1 b2, or read requests with --json"
        )
    state = Game(game).start(seed=seed).play(*(moves or []))
    limit = Limit(simulations=simulations, seconds=seconds)
    chosen = (
        Player(player) if player else Player(default_player(state.game), simulations=analysis.SIMULATIONS)
    )
    report = chosen.search(state, limit, seed=seed)
    print(state.diagram())
    print(report.text())


def _serve(threads: int | None, guests: Guests) -> None:
    out = sys.stdout.buffer

    def write(text: str) -> None:
        out.write(text.encode("utf-8", errors="replace"))
        out.flush()

    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as stream:
        try:
            analysis.serve(_lines(Lines(stream)), write, threads, guests=guests)
        except KeyboardInterrupt:
            complain("interrupted")
            # Searches of other threads would hold the interpreter up until their limits.
            sys.stderr.flush()
            os._exit(130)


def _lines(lines: Lines) -> Iterator[str]:
    while (line := lines.next()) is not None:
        yield line
