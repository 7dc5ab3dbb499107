"""`coppice convert` and `coppice replay`: game records from one format to another and on the screen."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from coppice.cli.output import note, stdout
from coppice.core.endings import ending
from coppice.core.guests import Guests
from coppice.core.session import Game
from coppice.lab.store import GameRecord, Store, StoredMatch
from coppice.records.files import FORMATS, Format, check_record, read_records, write_records
from coppice.records.sgf import Record, split_moves
from coppice.records.sgf_syntax import decode
from coppice.records.tree import RESIGN, ROOT, GameTree

__all__ = ["register"]

_SUFFIXES: dict[str, Format] = {".sgf": "sgf", ".hgf": "hgf", ".txt": "text"}
Number = Annotated[int | None, typer.Option(min=1, help="Which game of a file with several.")]
GameOption = Annotated[
    str | None, typer.Option("--game", help="The game, for files that do not name theirs.")
]
GuestOption = Annotated[
    list[str] | None,
    typer.Option("--guest", help="A game from elsewhere that the file may name, as python(...)."),
]


def register(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command()(convert)
    app.command()(replay)


def convert(
    source: Annotated[Path, typer.Argument(help="A record (SGF, HGF, plain text), or a store.")],
    target: Annotated[Path | None, typer.Argument(help="The file to write [default: stdout].")] = None,
    to: Annotated[
        str | None, typer.Option(help="sgf, hgf or text [default: by the name of the file].")
    ] = None,
    game: GameOption = None,
    guest: GuestOption = None,
    number: Number = None,
    match: Annotated[str | None, typer.Option(help="In a store: the first digits of the match.")] = None,
    index: Annotated[int, typer.Option(min=0, help="In a store: the index of the game.")] = 0,
    every: Annotated[bool, typer.Option("--all", help="In a store: all games of the match.")] = False,
) -> None:
    """Convert a game record. Moves are checked by the rules; a wrong result in the file is a warning."""
    guests = Guests(guest or ())
    if _is_store(source):
        records = _from_store(source, match, None if every else index, guests)
    else:
        records = _read(source, game, guests, number)
    format = _format(to, target)
    for record in records:
        if not Game(record.game).hidden:
            for warning in check_record(record):
                note(f"warning: {source}: {warning}")
    text = write_records(records, format)
    if target is None:
        sys.stdout.write(text)
    else:
        target.write_text(text, encoding="utf-8")
        stdout().print(f"{target}: {len(records)} game{'' if len(records) == 1 else 's'} as {format}")


def _format(to: str | None, target: Path | None) -> Format:
    if to is not None:
        for known in FORMATS:
            if to == known:
                return known
        raise ValueError(f"--to {to} is not allowed: {', '.join(FORMATS)}")
    if target is None:
        return "text"
    if target.suffix.lower() not in _SUFFIXES:
        raise ValueError(f"'{target}' does not tell its format: end it in .sgf, .hgf or .txt, or give --to")
    return _SUFFIXES[target.suffix.lower()]


def _is_store(path: Path) -> bool:
    if not path.is_file():
        raise ValueError(f"there is no file '{path}'")
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _read(path: Path, game: str | None, guests: Guests, number: int | None) -> list[Record]:
    if not path.is_file():
        raise ValueError(f"there is no file '{path}'")
    try:
        records = read_records(decode(path.read_bytes()), game=game, guests=guests)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if number is None:
        return records
    if number > len(records):
        raise ValueError(f"{path} has {len(records)} games: there is no number {number}")
    return [records[number - 1]]


def _from_store(path: Path, match: str | None, index: int | None, guests: Guests) -> list[Record]:
    """A game of a stored match, or all of them."""
    with Store(path, read_only=True) as store:
        rows = [row for row in store.matches() if match is None or row.identity.startswith(match)]
        if len(rows) != 1:
            known = ", ".join(row.identity[:8] for row in store.matches()) or "none"
            raise ValueError(f"store '{path}': give --match, the first digits of one match: {known}")
        [row] = rows
        guests.admit(row.game, "game")
        found = [
            _stored(row, game)
            for game in store.records(row.identity, None if index is None else index + 1)
            if index in (None, game.index)
        ]
    if not found:
        which = "no game" if index is None else f"no game {index}"
        raise ValueError(f"store '{path}': match {row.identity[:8]} has {which} yet")
    return found


def _stored(row: StoredMatch, game: GameRecord) -> Record:
    first, second = (row.a, row.b) if game.first == "a" else (row.b, row.a)
    moves = split_moves(game.moves)
    return Record.of_moves(row.game, moves, first=first, second=second, winner=game.winner or "draw")


def replay(
    source: Annotated[Path, typer.Argument(help="A record: SGF, HGF or plain text.")],
    game: GameOption = None,
    guest: GuestOption = None,
    number: Number = None,
    move: Annotated[int | None, typer.Option(min=0, help="Only the position after so many moves.")] = None,
) -> None:
    """Show a recorded game move by move, with its comments and analysis, checked by the rules."""
    records = _read(source, game, Guests(guest or ()), number)
    if len(records) > 1:
        raise ValueError(f"{source} has {len(records)} games: say which with --number 1 to {len(records)}")
    [record] = records
    for warning in check_record(record):
        note(f"warning: {source}: {warning}")
    show = stdout()
    rules = Game(record.game)
    position = record.root.properties.get("XP")
    state = rules.state("".join(position)) if position else rules.start()
    sides = dict(zip(("first", "second"), rules.sides, strict=True))
    show.print(
        f"{record.game}: {record.first or '?'} ({sides['first']}) - {record.second or '?'} "
        f"({sides['second']})"
    )
    if move is not None and move > len(record.moves):
        raise ValueError(f"{source} has {len(record.moves)} moves: there is no move {move}")
    if move in (None, 0):
        show.print(state.diagram())
        _remarks(record.tree, ROOT)
    for at in record.tree.line_from(ROOT):
        turn = record.tree[at]
        if turn.move == RESIGN:
            show.print(f"{sides[state.to_move]} resigns")
            break
        if turn.move:
            who = sides[state.to_move]
            state.play(turn.move)
            if move in (None, len(state.moves)):
                show.print(f"{len(state.moves)}. {who} {turn.move}")
                show.print(state.diagram())
        if move in (None, len(state.moves)):
            _remarks(record.tree, at)
        if move is not None and len(state.moves) == move:
            return
    if state.outcome is not None:
        show.print(ending(state))


def _remarks(tree: GameTree, at: int) -> None:
    """Comments, analysis and the variations that begin after a turn."""
    turn = tree[at]
    for line in filter(None, turn.comment.split("\n")):
        stdout().print(f"  | {line}")
    for estimate in turn.analysis[:5]:
        stdout().print(f"  = {estimate.move}: {estimate.visits} visits, {100 * estimate.value:.1f} %")
    for other in turn.children[1:]:
        moves = [move for one in (other, *tree.line_from(other)) if (move := tree[one].move)]
        stdout().print(f"  variation: {' '.join(moves)}")
