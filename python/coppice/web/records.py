"""Games in play as records and back: they are saved and opened with variations and analysis."""

from __future__ import annotations

from dataclasses import replace

from coppice.core.session import State
from coppice.core.spec import Spec
from coppice.records.files import Format, played, read_records, write_records
from coppice.records.sgf import Record
from coppice.records.tree import RESIGN, ROOT, Estimate, Turn
from coppice.web.allowed import guests
from coppice.web.game_room import GameRoom

__all__ = ["formats", "parse_record", "record_of", "room_of", "written"]

MOST_CHARACTERS = 1_000_000
MOST_NODES = 20_000
"""Of a file, all of its games and variations."""
_POSITION = "XP"
"""The property of the root that holds a position that was set up, as in `coppice.records.files`."""


def formats(room: GameRoom) -> tuple[Format, ...]:
    """The forms in which a game can be saved."""
    if room.game.hidden:
        return ()
    # Little Golem knows one game of ours, and not its misère form.
    return ("sgf", "hgf", "text") if Spec.parsed(room.game.spec).name == "havannah" else ("sgf", "text")


def record_of(room: GameRoom) -> Record:
    """The game with all variations; what searches found is kept as analysis."""
    if room.game.hidden:
        raise ValueError("a game with hidden cards is not saved")
    record = Record(room.game.spec, winner=room.winner)
    if room.seats:
        record.first, record.second = room.seats["first"].name, room.seats["second"].name
    record.tree.take([_with_analysis(room, node) for node in range(len(room.tree))])
    if room.position:
        record.root.properties[_POSITION] = [room.position]
    if room.ended and room.ended[1] == "resignation":
        record.tree.promote(record.tree.append(room.live, Turn(RESIGN)))
    return record


def _with_analysis(room: GameRoom, node: int) -> Turn:
    """A turn of the game and what has been found there."""
    turn, found = room.tree[node], room.findings[node]
    analysis: list[Estimate] = []
    if found.value is not None and found.best:
        mine = found.value if room.positions.to_move(node) == "first" else 1 - found.value
        analysis.append(Estimate(found.best, found.simulations, round(mine, 4)))
    return replace(turn, analysis=analysis, properties={}, children=list(turn.children))


def room_of(record: Record) -> GameRoom:
    """A room for analysis with the turns of a record; a ValueError names an illegal move."""
    position = "".join(record.root.properties.get(_POSITION, [])) or None
    room = GameRoom(record.game, position=position)
    if room.game.hidden:
        raise ValueError("games with hidden cards are not analysed here")
    # The node of each turn of the file: what is no move stays where it is.
    nodes: dict[int, int] = {}
    state = room.state(ROOT).copy()
    for number in played(record.tree, state):
        turn = record.tree[number]
        node = ROOT if turn.parent is None else nodes[turn.parent]
        if turn.move not in ("", RESIGN):
            # By the rules' own name: a file may spell it in other ways.
            node = room.tree.add(node, state.moves[-1])
        nodes[number] = node
        comments = (room.tree[node].comment, turn.comment)
        room.tree[node].comment = "\n".join(filter(None, comments))
        _take_analysis(room, node, turn, state)
    room.live = room.tree.line_through(ROOT)[-1]
    return room


def _take_analysis(room: GameRoom, node: int, turn: Turn, state: State) -> None:
    for estimate in turn.analysis[:1]:
        first = state.to_move == "first"
        value = min(max(estimate.value if first else 1 - estimate.value, 0.0), 1.0)
        room.findings.note(node, value, estimate.move, estimate.visits)


def written(room: GameRoom, form: Format) -> str:
    """The file of a game."""
    return write_records([record_of(room)], form)


def parse_record(text: str) -> GameRoom:
    """A room for analysis from a file of any form; a ValueError says what is wrong."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"this file is too large: at most {MOST_CHARACTERS:,} characters are read")
    if not text.strip():
        raise ValueError("there is nothing to read: paste a game or drop a file")
    return room_of(read_records(text.strip(), guests=guests(), most=MOST_NODES)[0])
