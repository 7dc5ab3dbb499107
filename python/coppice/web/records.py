"""Games in play as records and back: they are saved and opened with variations and analysis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from coppice.core.session import State
from coppice.core.spec import Spec
from coppice.records.files import Format, played, read_records, write_records
from coppice.records.sgf import Record
from coppice.records.tree import RESIGN, ROOT, Estimate, Turn
from coppice.web.allowed import guests
from coppice.web.findings import Finding
from coppice.web.game_room import GameRoom
from coppice.web.limits import limits

__all__ = ["copied", "formats", "parse_record", "record_of", "room_of", "written"]

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
    return copied(room)()


def copied(room: GameRoom) -> Callable[[], Record]:
    """The game as it is now, and what makes a record of it: that may take a while, and be on any thread."""
    if room.game.hidden:
        raise ValueError("a game with hidden cards is not saved")
    record = Record(room.game.spec, winner=room.winner)
    if room.seats:
        record.first, record.second = room.seats["first"].name, room.seats["second"].name
    record.tree.take([_plain(turn) for turn in room.tree.turns])
    if room.position:
        record.root.properties[_POSITION] = [room.position]
    # One state goes through the tree: whose turn it is is not asked for position by position.
    state = room.state(ROOT).copy()
    found = [room.findings[node] for node in range(len(record.tree))]
    ended, live = room.ended, room.live

    def make() -> Record:
        for node in played(record.tree, state):
            record.tree[node].analysis = _analysis(found[node], state)
        if ended and ended[1] == "resignation":
            record.tree.promote(record.tree.append(live, Turn(RESIGN)))
        return record

    return make


def _plain(turn: Turn) -> Turn:
    """A turn of the game for a record of its own."""
    return replace(turn, analysis=[], properties={}, children=list(turn.children))


def _analysis(found: Finding, state: State) -> list[Estimate]:
    """What has been found at a turn, seen from the side to move."""
    if found.value is None or not found.best:
        return []
    mine = found.value if state.to_move == "first" else 1 - found.value
    return [Estimate(found.best, found.simulations, round(mine, 4))]


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
    most = limits().record_characters
    if len(text) > most:
        raise ValueError(f"this file is too large: at most {most:,} characters are read")
    if not text.strip():
        raise ValueError("there is nothing to read: paste a game or drop a file")
    return room_of(read_records(text.strip(), guests=guests(), most=limits().record_nodes)[0])
