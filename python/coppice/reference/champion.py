"""What makes a Havannah player strong: threats and bridges in playouts, wins by threats alone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from coppice.reference.havannah import Cell, Havannah
from coppice.reference.tree_search import Here, Move, Playout, evenly, other

__all__ = ["Bridge", "Threats", "duties", "forced_win"]

LONGEST = 12
"""Threats in a row that `forced_win` tries at most."""


def stones(board: Havannah, moves: list[Move], side: str) -> set[Cell]:
    """The stones of a side, if nobody has swapped."""
    return {board.cell(move) for move in moves[0 if side == "first" else 1 :: 2]}


def completing(board: Havannah, moves: list[Move], side: str) -> set[Cell]:
    """The cells on which a side could win at once."""
    taken = [board.cell(move) for move in moves]
    return board.completing(stones(board, moves, side), taken, None)


def threatening(board: Havannah, moves: list[Move], side: str) -> dict[Cell, set[Cell]]:
    """The cells on which a side would threaten to win, in board order, each with the cells that win then.

    Whether it is to move does not matter. It cannot win at once.
    """
    own, taken = stones(board, moves, side), {board.cell(move) for move in moves}
    found = {}
    for cell in sorted(board.cells - taken, key=lambda cell: (cell[1], cell[0])):
        if cell in board.border or board.neighbours[cell] & own:
            found[cell] = board.completing(own | {cell}, [*taken, cell], None)
    return {cell: cells for cell, cells in found.items() if cells}


def duties(board: Havannah, moves: list[Move]) -> list[Move] | None:
    """The moves that threats leave to the side to move, in board order; None if it has lost.

    One move if it wins, at once or by making two threats; those that stop the other side from doing so, or
    threaten to win before; all if it cannot.
    """
    side = ("first", "second")[len(moves) % 2]
    rival = other(side)
    order = sorted(board.cells - {board.cell(move) for move in moves}, key=lambda cell: (cell[1], cell[0]))

    def named(cells: Collection[Cell]) -> list[Move]:
        return [board.name(cell) for cell in order if cell in cells]

    at_once = named(completing(board, moves, side))
    if at_once:
        return at_once[:1]
    answers = named(completing(board, moves, rival))
    if answers:
        return answers if len(answers) == 1 else None
    threats = threatening(board, moves, side)
    double = named([cell for cell, ways in threats.items() if len(ways) > 1])
    if double:
        return double[:1]

    theirs = threatening(board, moves, rival)

    def loses(cell: Cell) -> bool:
        return any(len(ways - {cell}) > 1 for threat, ways in theirs.items() if threat != cell)

    return named([cell for cell in order if cell in threats or not loses(cell)]) or None


@dataclass
class Threats(Playout):
    """A side that can complete a figure has won, and so has one with two ways to; one is answered."""

    board: Havannah
    moves: int = 0
    """Moves of the playout in which it is active; 0: all."""

    def rests(self, here: Here) -> bool:
        """Whether it has no say any more."""
        return self.moves > 0 and len(here.moves) - here.tree_moves >= self.moves

    def end(self, here: Here) -> str | None:
        """Who has won, if that is certain."""
        if self.rests(here):
            return None
        moves = list(here.position.moves)
        if completing(self.board, moves, here.side):
            return here.side
        rival = other(here.side)
        return rival if len(completing(self.board, moves, rival)) > 1 else None

    def options(self, here: Here) -> dict[Move, float]:
        """The answer to a threat."""
        if self.rests(here):
            return {}
        cells = completing(self.board, list(here.position.moves), other(here.side))
        return evenly([self.board.name(cell) for cell in cells])


@dataclass
class Bridge(Playout):
    """A move between two own stones is answered on the other cell that both of them touch."""

    board: Havannah
    p: float = 1.0

    def options(self, here: Here) -> dict[Move, float]:
        """The replies to the other side's last move."""
        if not here.moves or here.sides[-1] == here.side:
            return {}
        moves = list(here.position.moves)
        last = self.board.cell(here.moves[-1])
        own = stones(self.board, moves, here.side)
        free = self.board.neighbours[last] - {self.board.cell(move) for move in moves}

        def joins(cell: Cell) -> bool:
            both = self.board.neighbours[cell] & self.board.neighbours[last]
            return len(both) == 2 and both <= own

        replies = evenly([self.board.name(cell) for cell in free if joins(cell)])
        return {move: self.p * part for move, part in replies.items()}


def forced_win(board: Havannah, moves: list[Move], tries: int) -> list[Move] | None:
    """A line of threats and answers with which the side to move wins; shorter ones first, in board order.

    Every move of the line but the last threatens to win at once, and the last one does so or leaves two
    ways to. None if trying `tries` threats finds no such line.
    """
    side = ("first", "second")[len(moves) % 2]
    rival = other(side)
    left, cut = tries, False

    def wins(moves: list[Move], duty: set[Cell], length: int) -> list[Move] | None:
        nonlocal left, cut
        threats = threatening(board, moves, side)
        if duty:
            threats = {cell: answers for cell, answers in threats.items() if cell in duty}
        for cell, answers in threats.items():
            if len(answers) > 1:
                return [board.name(cell)]
        if length == 1:
            cut = cut or bool(threats)
            return None
        for cell, answers in threats.items():
            if left == 0:
                return None
            left -= 1
            line = [*moves, board.name(cell), *map(board.name, answers)]
            open_threats = completing(board, line, rival)
            if len(line) == len(board.cells) or len(open_threats) > 1:
                continue
            rest = wins(line, open_threats, length - 1)
            if rest is not None:
                return [*line[-2:], *rest]
        return None

    at_once = completing(board, moves, side)
    if at_once:
        return [board.name(min(at_once, key=lambda cell: (cell[1], cell[0])))]
    duty = completing(board, moves, rival)
    if len(duty) > 1:
        return None
    for length in range(1, LONGEST + 1):
        cut = False
        line = wins(moves, duty, length)
        if line is not None or left == 0 or not cut:
            return line
    return None
