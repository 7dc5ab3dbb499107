"""Tables as records and back, so that a game is saved and opened with its variations and its analysis."""

from __future__ import annotations

from coppice.core.session import State
from coppice.core.spec import Spec
from coppice.records.files import Format, played, read_records, write_records
from coppice.records.sgf import RESIGN, Estimate, Record, Turn
from coppice.web.table import Table, guests

__all__ = ["formats", "parse_record", "record_of", "table_of", "written"]

MOST_CHARACTERS = 1_000_000
MOST_NODES = 20_000
"""Of a file, all of its games and variations."""
_POSITION = "XP"
"""The property of the root that holds a position that was set up, as in `coppice.records.files`."""


def formats(table: Table) -> tuple[Format, ...]:
    """The forms in which a game can be saved."""
    if table.game.hidden:
        return ()
    # Little Golem knows one game of ours, and not its misère form.
    return ("sgf", "hgf", "text") if Spec.parsed(table.game.spec).name == "havannah" else ("sgf", "text")


def record_of(table: Table) -> Record:
    """The game with all variations; what searches found is kept as analysis."""
    if table.game.hidden:
        raise ValueError("a game with hidden cards is not saved")
    record = Record(table.game.spec, winner=table.winner)
    if table.seats:
        record.first, record.second = table.seats["first"].name, table.seats["second"].name
    if table.position:
        record.root.properties[_POSITION] = [table.position]
    turns: dict[int, Turn] = {}
    for number, node in enumerate(table.nodes):
        turns[number] = record.root if node.parent is None else Turn(node.move)
        if node.value is not None and node.best:
            mine = node.value if table.state(number).to_move == "first" else 1 - node.value
            turns[number].analysis.append(Estimate(node.best, node.simulations, round(mine, 4)))
    for number, node in enumerate(table.nodes):
        turns[number].children = [turns[child] for child in node.children]
    if table.ended and table.ended[1] == "resignation":
        turns[table.live].children.insert(0, Turn(RESIGN))
    return record


def table_of(record: Record) -> Table:
    """A table for analysis with the turns of a record; a ValueError names an illegal move."""
    position = "".join(record.root.properties.get(_POSITION, [])) or None
    table = Table(record.game, position=position)
    if table.game.hidden:
        raise ValueError("games with hidden cards are not analysed here")
    # The node before each turn that is still to come.
    before: dict[int, int] = {}
    state = table.state(0).copy()
    for turn in played(record.root, state):
        node = before.pop(id(turn), 0)
        if turn.move not in ("", RESIGN):
            # By the rules' own name: a file may spell it in other ways.
            node = table.put(node, state.moves[-1])
        before.update((id(child), node) for child in turn.children)
        _take_analysis(table, node, turn, state)
    table.live = table.line_through(0)[-1]
    return table


def _take_analysis(table: Table, node: int, turn: Turn, state: State) -> None:
    for estimate in turn.analysis[:1]:
        first = state.to_move == "first"
        value = min(max(estimate.value if first else 1 - estimate.value, 0.0), 1.0)
        table.note(node, value, estimate.move, estimate.visits)


def written(table: Table, form: Format) -> str:
    """The file of a game."""
    return write_records([record_of(table)], form)


def parse_record(text: str) -> Table:
    """A table for analysis from a file of any form; a ValueError says what is wrong."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"this file is too large: at most {MOST_CHARACTERS:,} characters are read")
    if not text.strip():
        raise ValueError("there is nothing to read: paste a game or drop a file")
    return table_of(read_records(text.strip(), guests=guests(), most=MOST_NODES)[0])
