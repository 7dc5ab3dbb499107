"""`coppice book`: grow an opening book by self-play, and look into one."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from coppice.cli.output import note, print_table
from coppice.cli.records import GuestOption
from coppice.core.guests import Guests
from coppice.core.session import Game
from coppice.play.book import PLAYER, Book, Entry, grow, shipped, shipped_files

__all__ = ["register"]

MOST = 20
"""Positions that `show` lists unless another number is asked for."""


def register(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    commands = typer.Typer(help="Opening books: grow one by self-play, look into one.")
    commands.command("grow")(grow_book)
    commands.command()(show)
    app.add_typer(commands, name="book")


def grow_book(
    game: Annotated[str, typer.Argument(help="The game, e.g. 'havannah(size=6)'.")],
    out: Annotated[Path, typer.Option(help="The file of the book; one that is there goes on growing.")],
    player: Annotated[str, typer.Option(help="Whose searches fill the book.")] = PLAYER,
    positions: Annotated[int, typer.Option(min=1, max=100_000, help="How large it becomes.")] = 100,
    simulations: Annotated[int, typer.Option(min=1, help="Of each search.")] = 50_000,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Names all chance.")] = 0,
) -> None:
    """Grow an opening book by self-play. It can be stopped at any time, and goes on where it stopped."""

    def tell(book: Book, entry: Entry) -> None:
        best = entry.candidates[0]
        line = " ".join(entry.line) or "(start)"
        note(f"{len(book.entries)} of {positions}: {line}: {best.name} {100 * best.value:.0f} %")

    book = grow(out, game, player=player, positions=positions, simulations=simulations, seed=seed, tell=tell)
    print(f"{out}: {len(book.entries)} positions of {book.game.spec}")


def show(
    which: Annotated[str, typer.Argument(help="A file, or a game whose book the package brings.")],
    moves: Annotated[str, typer.Option(help="Show the position after these moves.")] = "",
    most: Annotated[int, typer.Option(min=1, help="Positions to list.")] = MOST,
    guest: GuestOption = None,
) -> None:
    """Show how a book was made and what it plays."""
    book = _book(which, Guests(guest or ()))
    state = book.game.start().play(*moves.split())
    if moves:
        report = book.find(state)
        if report is None:
            raise ValueError(f"the position after '{moves}' is not in the book")
        shown = [
            (stat.name, f"{stat.visits:,}", _percent(stat.value), "*" * (stat.name == report.best))
            for stat in report.moves
        ]
        print_table(f"After {moves}", ["move", "visits", "value", "played"], shown)
        return
    print(f"{book.game.spec}: {len(book.entries)} positions, play version {book.version}")
    print(command(book))
    rows = []
    for entry in book.entries[:most]:
        report = book.find(book.game.start().play(*entry.line))
        assert report is not None
        rows.append((" ".join(entry.line) or "(start)", report.best, _percent(report.value)))
    print_table("", ["after", "move", "value"], rows)
    if len(book.entries) > most:
        note(f"{len(book.entries) - most} positions more: --most {len(book.entries)}")


def command(book: Book) -> str:
    """The command that grows this book."""
    words = ["coppice", "book", "grow", book.game.spec, "--player", book.player.spec]
    words += ["--positions", str(len(book.entries)), "--simulations", str(book.simulations)]
    return shlex.join([*words, "--seed", str(book.seed), "--out", "FILE"])


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _book(which: str, guests: Guests) -> Book:
    path = Path(which)
    if path.is_file():
        return Book.read(path, guests=guests)
    try:
        game = Game(which)
    except ValueError as error:
        raise ValueError(f"'{which}' is neither a file nor a game: {error}") from error
    book = shipped(game)
    if book is None:
        names = ", ".join(name for name, _ in shipped_files())
        raise ValueError(f"the package brings no book for {game.spec}; it brings {names}")
    return book
