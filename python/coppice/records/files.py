"""Records of this package's games: the format chosen, the notation made from the game, the moves checked.

`sgf` knows files and no rules; here the two meet. SGF serves every game without hidden information:
moves that are points of a square board are written as FF[4] has it, others by their names. HGF serves
Havannah, plain text serves every game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, get_args

from coppice.core.guests import NOBODY, Guests
from coppice.core.quoting import shown
from coppice.core.session import Game, State
from coppice.core.spec import Spec
from coppice.records.sgf import (
    Colours,
    Notation,
    Record,
    disagreement,
    read_hgf,
    read_sgf,
    read_text,
    write_hgf,
    write_sgf,
    write_text,
)
from coppice.records.sgf_syntax import MOST_NODES, Node, RecordError, first_node
from coppice.records.tree import RESIGN, ROOT, GameTree

__all__ = ["FORMATS", "Format", "check_record", "format_of", "played", "read_records", "write_records"]

Format = Literal["sgf", "hgf", "text"]
FORMATS: tuple[Format, ...] = get_args(Format)

_POSITION = "XP"
"""The property of the root that holds the position from which a game began, if its spec does not."""


def format_of(text: str) -> Format:
    """The format of a file, told by its content."""
    if text.startswith("coppice record"):
        return "text"
    rules = first_node(text).properties.get("RU", [""])
    return "hgf" if rules == ["LG"] else "sgf"


def read_records(
    text: str,
    *,
    format: Format | None = None,
    game: str | None = None,
    guests: Guests = NOBODY,
    most: int = MOST_NODES,
) -> list[Record]:
    """The games of a file; the format is told by its content unless it is given.

    `game` is the spec for files that do not name their game, as SGF files of other programs. A file that
    names a game outside the process is refused unless it is one of the `guests`, one of more than `most`
    nodes is refused, too. The moves are not checked: see `check_record`.
    """
    given = Game(game).spec if game is not None else ""
    format = format or format_of(text)
    if format == "hgf":
        # The game that Little Golem's rules mean is the core's own, and the reader builds no other.
        return [_admitted(record, guests) for record in read_hgf(text, _golem, most=most)]
    if format == "text":
        record = read_text(text, most=most)
        if not record.game:
            record.game = given
            return [record]
        return [_admitted(record, guests)]

    def understand(root: Node) -> tuple[str, Notation]:
        named = "\n".join(root.properties.get("XG", []))
        if not named and not given:
            raise ValueError("expected XG, the spec of the game, found none: give the game")
        rules = Game(guests.admit(named, "game") if named else given)
        return rules.spec, _notation(rules)

    return read_sgf(text, understand, most=most)


def _admitted(record: Record, guests: Guests) -> Record:
    """A record whose game nobody has built yet, if its text may name that game."""
    try:
        guests.admit(record.game, "game")
    except ValueError as error:
        raise RecordError(str(error)) from error
    return record


def write_records(records: Iterable[Record], format: Format) -> str:
    """A file with these games; plain text holds one."""
    records = list(records)
    if format == "text":
        if len(records) != 1:
            raise RecordError(f"expected one game for a plain text, found {len(records)}")
        return write_text(records[0])
    if format == "hgf":
        return "".join(write_hgf(record, _base(record), _golem(_base(record))) for record in records)
    if format == "sgf":
        return "".join(write_sgf(record, _notation(Game(record.game))) for record in records)
    raise ValueError(f"unknown format '{format}': allowed are {', '.join(FORMATS)}")


def check_record(record: Record) -> list[str]:
    """Play every line of a record by the rules; returns warnings about what the file says wrongly.

    A move that is not legal raises a `RecordError` with its place.
    """
    game = Game(record.game)
    position = record.root.properties.get(_POSITION)
    state = game.state("".join(position)) if position else game.start()
    end = record.tree.line_through(ROOT)[-1]
    warnings: list[str] = []
    for number in played(record.tree, state):
        if number == end:
            warning = disagreement(record, state.outcome)
            warnings += [] if warning is None else [warning]
    return warnings


def played(tree: GameTree, state: State) -> Iterator[int]:
    """Every turn of a tree by its number, while `state`, which is at the root, is the one after it.

    One state is enough for a tree: moves are made and taken back on the way. A move that is not legal raises
    a `RecordError` with its place.
    """
    # For each depth reached, whether its turn made a move that must be taken back.
    made: list[bool] = []
    for depth, number in tree.walk():
        turn = tree[number]
        if depth:
            while len(made) >= depth:
                if made.pop():
                    state.undo()
            made.append(turn.move not in ("", RESIGN))
            if made[-1]:
                try:
                    state.play(turn.move)
                except ValueError as error:
                    place = f"move {len(state.moves) + 1}"
                    raise RecordError(
                        f"{place}: expected a legal move, found '{shown(turn.move)}'"
                        f" ({shown(str(error), 600)})"
                    ) from error
        yield number


def _between(pairs: Iterable[tuple[str, str]], header: dict[str, str]) -> Notation:
    """The notation of (text in the file, name of the move) pairs."""
    read = dict(pairs)
    write = {name: text for text, name in read.items()}

    def reading(text: str) -> str:
        if text not in read:
            raise ValueError(f"a move is one of {_some(read)}")
        return read[text]

    def writing(name: str) -> str:
        if name not in write:
            raise ValueError(f"a move is one of {_some(write)}")
        return write[name]

    return Notation(reading, writing, header)


def _some(names: Iterable[str]) -> str:
    """The first and the last of many names."""
    listed = list(names)
    return ", ".join(listed if len(listed) < 8 else [*listed[:3], "...", *listed[-2:]])


def _golem(size: int) -> Notation:
    """Little Golem's coordinates of Havannah, in the capital letters that its files use."""
    start = Game(f"havannah(size={size})").start()
    cells = zip(start.legal_moves_in("little_golem"), start.legal_moves, strict=True)
    return _between([*((text.upper(), name) for text, name in cells), ("swap", "swap")], {})


def _base(record: Record) -> int:
    """The base of the board of a record of Havannah."""
    spec = Spec.parsed(Game(record.game).spec)
    size = spec.number("size")
    if spec.name != "havannah" or size is None:
        raise RecordError(f"expected a game of havannah for HGF, found {record.game}")
    return int(size)


def _notation(game: Game) -> Notation:
    """How SGF writes the moves of a game, and the game itself where the standard has a number for it."""
    if game.hidden:
        raise ValueError(f"expected a game without hidden information for SGF, found {game.spec}")
    board = game.board()
    names = {cell.name for cell in board.cells}
    colours: Colours = ("W", "B") if game.sides[0] == "White" else ("B", "W")
    if board.shape not in ("square", "point") or not names.issuperset(game.start().legal_moves):
        # The standard knows none of these games: the names of the moves serve, and XG tells the game.
        return Notation(str.strip, str, {}, colours)
    # Two letters per point, column and row from the upper left corner.
    columns = sorted({cell.x for cell in board.cells})
    rows = sorted({cell.y for cell in board.cells})
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    pairs = [(letters[columns.index(c.x)] + letters[rows.index(c.y)], c.name) for c in board.cells]
    size = f"{len(columns)}" if len(columns) == len(rows) else f"{len(columns)}:{len(rows)}"
    # Stones on the points of lines are Go's, whatever their rules.
    number = {"GM": "1"} if board.shape == "point" else {}
    return replace(_between(pairs, {**number, "SZ": size}), colours=colours)
