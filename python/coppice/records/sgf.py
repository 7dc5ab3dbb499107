"""Game records: trees of moves with comments and analysis, as SGF (FF[4]), Little Golem's HGF and plain text.

`coppice.records.sgf_syntax` knows the syntax of SGF and nothing of games: a file is a list of `Node` trees of
properties. `Record` is one game with its tree of turns, in the names that the games of this package give to
their moves; `read_sgf`, `read_hgf`, `read_text` and their writers convert between the two. How a move is
written in a file is said by a `Notation`, a pair of functions, so that this module needs no game's rules.
Whether the moves are legal and who has won is for the caller to find out by playing them; `disagreement`
compares that with the file.

A file that cannot be read raises a `RecordError` that names the line and what was expected there.

Private properties, which other programs keep or ignore: XG, the game's spec; XA, analysis, one value
`visits value move` per move considered; XE[resign], the side to move resigns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from coppice.board.cells import Side
from coppice.core.game import split_moves
from coppice.core.quoting import shown
from coppice.records.sgf_syntax import MOST_NODES, Node, RecordError, parse, serialise, too_many
from coppice.records.tree import RESIGN, ROOT, Estimate, GameTree, Turn

__all__ = [
    "Colours",
    "Notation",
    "Record",
    "Winner",
    "disagreement",
    "read_hgf",
    "read_sgf",
    "read_text",
    "split_moves",
    "write_hgf",
    "write_sgf",
    "write_text",
]

Winner = Literal["first", "second", "draw"]


@dataclass
class Record:
    """One game: its spec, who played, who is said to have won, and the tree of turns."""

    game: str = ""
    """The spec of the game; empty if the file does not tell."""
    first: str = ""
    """The name of the player of the first side."""
    second: str = ""
    winner: Winner | None = None
    """What the file claims; None if it claims nothing."""
    tree: GameTree = field(default_factory=GameTree)

    @classmethod
    def of_moves(
        cls,
        game: str,
        moves: Iterable[str],
        *,
        first: str = "",
        second: str = "",
        winner: Winner | None = None,
    ) -> Record:
        """The record of a game without variations."""
        record = cls(game, first, second, winner)
        record.tree.add_line(ROOT, moves)
        return record

    @property
    def root(self) -> Turn:
        """The turn before the first move, which has the properties of the whole game."""
        return self.tree.root

    @property
    def main_line(self) -> list[Turn]:
        """The turns of the game itself, without its variations; the root is not among them."""
        return [self.tree[number] for number in self.tree.line_from(ROOT)]

    @property
    def moves(self) -> list[str]:
        """The moves of the main line."""
        return [turn.move for turn in self.main_line if turn.move not in ("", RESIGN)]

    @property
    def resigned(self) -> Side | None:
        """The side that resigned at the end of the main line, if one did."""
        line = [turn.move for turn in self.main_line if turn.move]
        return _side(len(line) - 1) if line and line[-1] == RESIGN else None


def _side(ply: int) -> Side:
    """Who makes the move number `ply`, from 0: the sides alternate in every game that SGF is for."""
    return "second" if ply % 2 else "first"


def _other(side: Side) -> Side:
    return "second" if side == "first" else "first"


def disagreement(record: Record, winner: Winner | None) -> str | None:
    """A warning if the file names another winner than `winner`, what the rules say of the main line's end.

    None as `winner` means that the game is not over there; then only a resignation can be compared.
    """
    truth = winner or (_other(record.resigned) if record.resigned else None)
    if record.winner is None or truth is None or record.winner == truth:
        return None
    words = {"first": "the first side won", "second": "the second side won", "draw": "the game was drawn"}
    return f"the file says that {words[record.winner]}, but by its moves {words[truth]}"


Colours = tuple[Literal["B", "W"], Literal["B", "W"]]


@dataclass(frozen=True, slots=True)
class Notation:
    """How the moves of one game are written in a file."""

    read: Callable[[str], str]
    """From the file's text to the move's name; raises a ValueError that says what it expected."""
    write: Callable[[str], str]
    """From the move's name to the file's text."""
    header: Mapping[str, str] = field(default_factory=dict)
    """The properties of the root that stand for the game, like GM and SZ."""
    colours: Colours = ("B", "W")
    """Which colour the first side has, and which the second."""


# Between trees of nodes and records

_AFTER_RESIGNING = "expected the end of the line after a resignation, found another turn"
_PLAIN_RESULTS = ("B+", "W+", "B", "W", "0", "DRAW")
"""Results that a record's winner says completely; others are kept as they are."""
_SETUP = ("AB", "AW", "AE", "PL")
_OURS = {"FF": "4", "CA": "UTF-8", "AP": "Coppice"}


def read_sgf(
    text: str, understand: Callable[[Node], tuple[str, Notation]], *, most: int = MOST_NODES
) -> list[Record]:
    """The games of an SGF file.

    `understand` tells from the root of a tree the spec of its game and the notation of its moves; a
    ValueError from it becomes a `RecordError` with the line. A spec in XG is preferred to the one it returns.
    """
    return [_record(tree, understand, _sgf_result) for tree in parse(text, most=most)]


def write_sgf(record: Record, notation: Notation) -> str:
    """A record as an SGF file."""
    first, second = notation.colours
    result = {"first": f"{first}+", "second": f"{second}+", "draw": "0", None: ""}[record.winner]
    if record.resigned and record.winner == _other(record.resigned):
        result += "R"
    header = {**_OURS, **notation.header, "XG": record.game, "RE": result}
    return _written(record, notation, header, _sgf_result)


def read_hgf(text: str, notation_of: Callable[[int], Notation], *, most: int = MOST_NODES) -> list[Record]:
    """The games of Havannah in a file of Little Golem, White moving first.

    SZ is the base; `notation_of` gives the notation of Little Golem's coordinates for it. RE names the loser.
    After `swap` the opening stone is Black's and White moves next, so `swap` is a turn like any other.
    """

    def understand(root: Node) -> tuple[str, Notation]:
        size = root.properties.get("SZ", [""])[0]
        if not re.fullmatch(r"[0-9]{1,3}", size):
            raise ValueError(f"expected SZ, the base of the board, found '{shown(size)}'")
        return f"havannah(size={int(size)}, swap=true)", _golem(notation_of(int(size)), size)

    return [_record(tree, understand, _hgf_result) for tree in parse(text, most=most)]


def write_hgf(record: Record, size: int, notation: Notation) -> str:
    """A record of Havannah as Little Golem writes it; XG tells the spec where it is not Little Golem's."""
    loser = {"first": "B", "second": "W", "draw": "draw", None: ""}[record.winner]
    game = "" if record.game == f"havannah(size={size}, swap=true)" else record.game
    notation = _golem(notation, str(size))
    header = {"FF": "4", **notation.header, "XG": game, "RE": loser}
    return _written(record, notation, header, _hgf_result)


def _golem(notation: Notation, size: str) -> Notation:
    return replace(notation, header={"SZ": size, "RU": "LG", **notation.header}, colours=("W", "B"))


_Result = Callable[[str, Colours], Winner | None]


def _sgf_result(text: str, colours: Colours) -> Winner | None:
    if text[:2].upper() in ("B+", "W+"):
        return "first" if text[0].upper() == colours[0] else "second"
    return "draw" if text.lower() in ("0", "draw") else None


def _hgf_result(text: str, colours: Colours) -> Winner | None:
    # The letter is the loser's.
    winners: dict[str, Winner] = {colours[1]: "first", colours[0]: "second", "DRAW": "draw", "0": "draw"}
    return winners.get(text.upper())


def _record(tree: Node, understand: Callable[[Node], tuple[str, Notation]], result: _Result) -> Record:
    try:
        game, notation = understand(tree)
    except ValueError as error:
        raise RecordError(str(error), tree.line) from error
    colours = notation.colours
    properties = {name: list(values) for name, values in tree.properties.items()}

    def take(name: str) -> str:
        return "\n".join(properties.pop(name, []))

    for name, value in {**_OURS, **notation.header}.items():
        if properties.get(name) == [value]:
            del properties[name]
    claimed = result(properties.get("RE", [""])[0], colours)
    if claimed and properties["RE"][0].upper() in _PLAIN_RESULTS:
        del properties["RE"]
    players = [take(f"P{colour}") for colour in colours]
    record = Record(take("XG") or game, players[0], players[1], claimed)
    moved: dict[str, list[str]] = {
        colour: properties.pop(colour) for colour in colours if colour in properties
    }
    start = Node(properties, tree.children, tree.line)
    if moved:
        # Some programs put the first move into the root.
        start.children = [Node(moved, tree.children, tree.line)]
    _fill(record.root, start, 0, notation)
    turns = {id(start): (ROOT, 0)}
    for _, node in start.walk():
        number, ply = turns.pop(id(node))
        for child in node.children:
            turns[id(child)] = _child(record.tree, number, child, ply, notation)
    if record.resigned and record.root.properties.get("RE") in (["B+R"], ["W+R"]):
        del record.root.properties["RE"]
    return record


def _child(tree: GameTree, parent: int, node: Node, ply: int, notation: Notation) -> tuple[int, int]:
    """Append the turn of a node; returns its number and that of the moves made after it."""
    if tree[parent].move == RESIGN:
        raise RecordError(_AFTER_RESIGNING, node.line)
    turn = Turn()
    _fill(turn, node, ply, notation)
    return tree.append(parent, turn), ply + (turn.move != "")


def _fill(turn: Turn, node: Node, ply: int, notation: Notation) -> None:
    """Read one node into a turn at which `ply` moves have been made."""
    properties = {name: list(values) for name, values in node.properties.items()}
    for name in _SETUP:
        if name in properties:
            raise RecordError(f"expected moves only, found {name}, a position set up by hand", node.line)
    mover = notation.colours[ply % 2]
    for colour in notation.colours:
        if colour not in properties:
            continue
        values = properties.pop(colour)
        if colour != mover:
            raise RecordError(f"expected a move of {mover}, found one of {colour}", node.line)
        if len(values) != 1:
            raise RecordError(f"expected one move of {colour}, found {len(values)}", node.line)
        turn.move = _read_move(values[0], notation, node.line)
    if properties.pop("XE", None) == [RESIGN]:
        if turn.move:
            raise RecordError(f"expected a move or XE[{RESIGN}], found both", node.line)
        turn.move = RESIGN
    turn.comment = "\n".join(properties.pop("C", []))
    turn.analysis = [_read_estimate(value, node.line) for value in properties.pop("XA", [])]
    turn.properties = properties


def _read_move(value: str, notation: Notation, line: int) -> str:
    if value == RESIGN:
        return RESIGN
    try:
        name = notation.read(value)
    except ValueError as error:
        raise RecordError(f"expected a move, found '{shown(value)}' ({error})", line) from error
    if not name:
        raise RecordError(f"expected a move, found '{shown(value)}'", line)
    return name


def _read_estimate(text: str, line: int) -> Estimate:
    match = re.fullmatch(r"([0-9]{1,18}) ([0-9.e+-]{1,30}) (.+)", text, re.DOTALL)
    try:
        if match is None or not 0 <= float(match[2]) <= 1:
            raise ValueError
    except ValueError:
        raise RecordError(f"expected analysis 'visits value move', found '{shown(text)}'", line) from None
    return Estimate(match[3], int(match[1]), float(match[2]))


def _write_estimate(estimate: Estimate) -> str:
    if not 0 <= estimate.value <= 1 or estimate.visits < 0 or not estimate.move:
        raise RecordError(f"expected a value from 0 to 1 of a move, found {estimate}")
    return f"{estimate.visits} {float(estimate.value)!r} {estimate.move}"


def _written(record: Record, notation: Notation, header: Mapping[str, str], result: _Result) -> str:
    colours = notation.colours
    properties = {name: [value] for name, value in header.items() if value}
    for colour, player in zip(colours, (record.first, record.second), strict=True):
        if player:
            properties[f"P{colour}"] = [player]
    # The header is the writer's; a result in more words stands as long as it names the same winner.
    kept = record.root.properties
    properties |= {name: values for name, values in kept.items() if name not in properties}
    if "RE" in kept and result(kept["RE"][0] if kept["RE"] else "", colours) == record.winner:
        properties["RE"] = kept["RE"]
    tree = Node()
    nodes = {ROOT: (tree, 0)}
    for _, number in record.tree.walk():
        turn = record.tree[number]
        node, ply = nodes.pop(number)
        for name in (*_SETUP, *colours, "C", "XA", "XE"):
            if name in turn.properties:
                raise RecordError(f"expected other properties, found {name}, which the writer makes itself")
        if number == ROOT:
            node.properties = properties
        elif turn.move == RESIGN:
            # Little Golem writes it as a move; FF[4] knows points only.
            node.properties = {colours[ply % 2]: [RESIGN]} if result is _hgf_result else {"XE": [RESIGN]}
        elif turn.move:
            node.properties = {colours[ply % 2]: [_write_move(turn.move, notation)]}
        if turn.comment:
            node.properties["C"] = [turn.comment]
        if turn.analysis:
            node.properties["XA"] = [_write_estimate(estimate) for estimate in turn.analysis]
        if number != ROOT:
            node.properties |= turn.properties
        for child in turn.children:
            node.children.append(Node())
            nodes[child] = (node.children[-1], ply + (turn.move != ""))
    return serialise([tree])


def _write_move(move: str, notation: Notation) -> str:
    try:
        return notation.write(move)
    except ValueError as error:
        raise RecordError(f"expected a move of the game, found '{move}' ({error})") from error


# Plain text

_TITLE = "coppice record, version 1"
_WINNERS: tuple[Winner, ...] = ("first", "second", "draw")


def write_text(record: Record) -> str:
    """A record of any game as plain text; `read_text` reads it back.

    After the header one line per turn: its depth in the tree and the move. The turns of the main line come
    first; a line with a smaller depth goes back to that depth and begins a variation. Lines that begin with
    `|` are the comment of the turn above, with `=` its analysis (visits, value, move), with `@` its other
    properties.
    """
    lines = [_TITLE, f"game: {_one_line(record.game)}"]
    lines += [f"first: {_one_line(record.first)}", f"second: {_one_line(record.second)}"]
    lines.append(f"winner: {record.winner or 'unknown'}")
    for depth, number in record.tree.walk():
        turn = record.tree[number]
        if depth:
            if turn.move != turn.move.strip() or "\n" in turn.move:
                raise RecordError(f"expected a move of the game, found '{turn.move}'")
            lines.append(f"{depth} {turn.move}".strip())
        elif turn.move:
            raise RecordError(f"expected no move at the root, found '{turn.move}'")
        if turn.comment:
            lines += [f"| {_one_line(line)}" if line else "|" for line in turn.comment.split("\n")]
        lines += [f"= {_one_line(_write_estimate(estimate))}" for estimate in turn.analysis]
        for name, values in turn.properties.items():
            lines += [f"@ {name} {_one_line(value)}" for value in values]
    return "\n".join(lines) + "\n"


def read_text(text: str, *, most: int = MOST_NODES) -> Record:
    """The record of a plain text with at most so many turns."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if lines[0] != _TITLE:
        raise RecordError(f"expected '{_TITLE}', found '{lines[0][:40]}'", 1)
    header: dict[str, str] = {}
    for number, name in enumerate(("game", "first", "second", "winner"), 2):
        line = lines[number - 1] if number <= len(lines) else ""
        if not line.startswith(f"{name}:"):
            raise RecordError(f"expected '{name}: ...', found '{line[:40]}'", number)
        header[name] = _several_lines(line.split(":", 1)[1].removeprefix(" "))
    if header["winner"] not in (*_WINNERS, "unknown"):
        allowed = ", ".join(_WINNERS)
        raise RecordError(f"expected {allowed} or unknown as winner, found '{shown(header['winner'])}'", 5)
    record = Record(header["game"], header["first"], header["second"])
    record.winner = next((winner for winner in _WINNERS if winner == header["winner"]), None)
    # The last turn of each depth: the parent of the next one is the last of the depth above.
    path = [ROOT]
    comment: list[str] = []
    for number, line in enumerate(lines[5:], 6):
        turn = record.tree[path[-1]]
        if line.startswith("|"):
            comment.append(_several_lines(line[1:].removeprefix(" ")))
            turn.comment = "\n".join(comment)
        elif line.startswith("= "):
            turn.analysis.append(_read_estimate(_several_lines(line[2:]), number))
        elif match := re.fullmatch(r"@ ([A-Z][A-Z0-9]*) ?(.*)", line):
            turn.properties.setdefault(match[1], []).append(_several_lines(match[2]))
        elif match := re.fullmatch(r"([0-9]{1,9})(?: (\S.*))?", line):
            depth = int(match[1])
            if not 1 <= depth <= len(path):
                raise RecordError(f"expected a turn of depth 1 to {len(path)}, found {depth}", number)
            if record.tree[path[depth - 1]].move == RESIGN:
                raise RecordError(_AFTER_RESIGNING, number)
            if len(record.tree) >= most:
                raise too_many(most, number)
            path[depth:] = [record.tree.append(path[depth - 1], Turn(match[2] or ""))]
            comment = []
        elif line.strip():
            raise RecordError(f"expected a turn ('1 a1'), '|', '=' or '@', found '{line[:40]}'", number)
    return record


def _one_line(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def _several_lines(text: str) -> str:
    codes = {"\\": "\\", "n": "\n", "r": "\r"}
    return re.sub(r"\\(.)", lambda found: codes.get(found[1], found[0]), text)
