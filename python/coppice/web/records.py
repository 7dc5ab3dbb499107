"""Games in play as records and back: they are saved and opened with variations and analysis."""

from __future__ import annotations

from coppice.core.session import State
from coppice.core.spec import Spec
from coppice.records.files import Format, played, read_records, write_records
from coppice.records.sgf import RESIGN, Estimate, Record, Turn
from coppice.web.game_room import GameRoom, guests

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
    if room.position:
        record.root.properties[_POSITION] = [room.position]
    turns: dict[int, Turn] = {}
    for number, node in enumerate(room.nodes):
        turns[number] = record.root if node.parent is None else Turn(node.move)
        if node.value is not None and node.best:
            mine = node.value if room.state(number).to_move == "first" else 1 - node.value
            turns[number].analysis.append(Estimate(node.best, node.simulations, round(mine, 4)))
    for number, node in enumerate(room.nodes):
        turns[number].children = [turns[child] for child in node.children]
    if room.ended and room.ended[1] == "resignation":
        turns[room.live].children.insert(0, Turn(RESIGN))
    return record


def room_of(record: Record) -> GameRoom:
    """A room for analysis with the turns of a record; a ValueError names an illegal move."""
    position = "".join(record.root.properties.get(_POSITION, [])) or None
    room = GameRoom(record.game, position=position)
    if room.game.hidden:
        raise ValueError("games with hidden cards are not analysed here")
    # The node before each turn that is still to come.
    before: dict[int, int] = {}
    state = room.state(0).copy()
    for turn in played(record.root, state):
        node = before.pop(id(turn), 0)
        if turn.move not in ("", RESIGN):
            # By the rules' own name: a file may spell it in other ways.
            node = room.put(node, state.moves[-1])
        before.update((id(child), node) for child in turn.children)
        _take_analysis(room, node, turn, state)
    room.live = room.line_through(0)[-1]
    return room


def _take_analysis(room: GameRoom, node: int, turn: Turn, state: State) -> None:
    for estimate in turn.analysis[:1]:
        first = state.to_move == "first"
        value = min(max(estimate.value if first else 1 - estimate.value, 0.0), 1.0)
        room.note(node, value, estimate.move, estimate.visits)


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
