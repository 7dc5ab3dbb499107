"""Mr Jack's map while a decision is in the making: who stands where, what is lit, who is seen, how far it is.

All of it follows from what stands openly on the map. The core says what is legal; the tests hold this to it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from coppice.board.cells import Board, Piece
from coppice.board.jack_map import CHARACTERS, DIRECTIONS, neighbour

__all__ = ["decided", "distances", "is_street", "lit", "places", "reach", "seen", "words_in"]

MOST_STEPS = {"stealthy": 4}
"""How far characters walk who do not walk three steps."""


def words_in(decision: str) -> tuple[str, ...]:
    """The words of a decision; `>` and `:` are words, too."""
    return tuple(decision.replace(">", " > ").replace(":", " : ").split())


def is_street(board: Board, cell: int) -> bool:
    """Whether characters can stand on a cell."""
    return board.cells[cell].kind in ("street", "manhole")


@functools.lru_cache(maxsize=8)
def _around(board: Board) -> tuple[dict[str, int], ...]:
    """By cell the next one in each direction."""
    found = []
    for index in range(len(board.cells)):
        near = {word: neighbour(board, index, word) for word in DIRECTIONS}
        found.append({word: cell for word, cell in near.items() if cell is not None})
    return tuple(found)


def places(pieces: Sequence[Piece]) -> dict[str, int]:
    """The cell of each character."""
    return {
        piece.name: piece.cell for piece in pieces if piece.kind == "token" and "gone" not in piece.states
    }


def _beam(board: Board, bearer: int, direction: str) -> tuple[int, ...]:
    """What a lantern shines on: characters do not stop the light, the first obstacle does."""
    around, cells, cell = _around(board), list[int](), bearer
    while (ahead := around[cell].get(direction)) is not None and is_street(board, ahead):
        cells.append(ahead)
        cell = ahead
    return bearer, *sorted(cells)


def lit(board: Board, pieces: Sequence[Piece]) -> frozenset[int]:
    """The streets that lie in the light of a gaslight or of the lantern."""
    if not any(piece.kind in ("lamp", "lantern") for piece in pieces):
        return frozenset()
    around, found = _around(board), set[int]()
    for piece in pieces:
        if piece.kind == "lamp" and "lit" in piece.states:
            found |= {cell for cell in around[piece.cell].values() if is_street(board, cell)}
        elif piece.kind == "lantern":
            found |= set(piece.cells[1:])
    return frozenset(found)


def seen(board: Board, pieces: Sequence[Piece]) -> list[str]:
    """Who stands in the light or next to somebody, in the order of the characters."""
    at, light, around = places(pieces), lit(board, pieces), _around(board)
    taken = {cell for cell in at.values() if is_street(board, cell)}
    met = {name for name, cell in at.items() if cell in taken and taken & {*around[cell].values()}}
    return [name for name in CHARACTERS if name in met or at.get(name) in light]


def decided(board: Board, pieces: Sequence[Piece], words: Sequence[str]) -> list[Piece]:
    """What stands on the map when the words of a decision have happened, as far as they are there."""
    return _Draft(board, pieces).after(words)


class _Draft:
    def __init__(self, board: Board, pieces: Sequence[Piece]) -> None:
        self.board = board
        self.at = {cell.name: index for index, cell in enumerate(board.cells)}
        self.places = places(pieces)
        self.pieces = list(pieces)

    def after(self, words: Sequence[str]) -> list[Piece]:
        if not words:
            return self.pieces
        actor, rest = words[0], list(words[1:])
        while rest:
            match rest:
                case ["lamp", start, ">", goal, *rest]:
                    self._move_lamp(self.at[start], self.at[goal])
                case ["cordon" | "cover" as kind, start, ">", goal, *rest]:
                    self._carry(kind, self.at[start], self.at[goal])
                case ["lamp" | "cordon" | "cover", *_]:
                    break
                case ["facing" | ":", direction, *rest]:
                    self._shine(direction)
                case ["swap", who, *rest]:
                    here, there = self.places[actor], self.places[who]
                    self._walk(actor, there)
                    self._walk(who, here)
                case ["exit", way, *rest]:
                    self._walk(actor, self.at[way])
                case ["accuse", _, *rest]:
                    pass
                case [who, ">", street, *rest]:
                    self._walk(who, self.at[street])
                case [street, *rest]:
                    if street in self.at:
                        self._walk(actor, self.at[street])
        return self.pieces

    def _replace(self, chosen: Callable[[Piece], bool], by: Callable[[Piece], Piece]) -> None:
        self.pieces = [by(piece) if chosen(piece) else piece for piece in self.pieces]

    def _carry(self, kind: str, start: int, goal: int) -> None:
        self._replace(
            lambda piece: piece.kind == kind and piece.cell == start,
            lambda piece: replace(piece, cells=(goal,)),
        )

    def _walk(self, who: str, cell: int) -> None:
        self.places[who] = cell
        self._replace(
            lambda piece: piece.kind == "token" and piece.name == who,
            lambda piece: replace(piece, cells=(cell,)),
        )
        if who == "watson":
            facing = next((piece.name for piece in self.pieces if piece.kind == "lantern"), "")
            if self.board.cells[cell].kind == "exit":
                # Who has left the map takes the light along.
                self.pieces = [piece for piece in self.pieces if piece.kind != "lantern"]
            elif facing:
                self._shine(facing)

    def _shine(self, direction: str) -> None:
        cells = _beam(self.board, self.places["watson"], direction)
        self._replace(
            lambda piece: piece.kind == "lantern", lambda piece: replace(piece, name=direction, cells=cells)
        )

    def _move_lamp(self, start: int, goal: int) -> None:
        tile = next((piece for piece in self.pieces if piece.kind == "lamp" and piece.cell == start), None)
        if tile is None:
            return
        out = replace(tile, number=None, states=("out",))

        def moved(piece: Piece) -> Piece:
            return out if piece.cell == start else replace(tile, cells=(goal,))

        self._replace(lambda piece: piece.kind == "lamp" and piece.cell in (start, goal), moved)


def distances(
    board: Board, start: int, open_holes: Collection[int] = (), *, crossing: bool = False
) -> dict[int, int]:
    """Steps from a cell to all streets.

    Args:
        board: the map.
        start: where the walk begins.
        open_holes: the manholes that are open: from each it is one step to every other.
        crossing: whether the walk goes through buildings, gardens and lamps.
    """
    around, found, queue = _around(board), {start: 0}, [start]
    for cell in queue:
        ways = [way for way in around[cell].values() if board.cells[way].kind != "exit"]
        ways = ways if crossing else [way for way in ways if is_street(board, way)]
        ways += list(open_holes) if cell in open_holes else []
        for way in ways:
            if way not in found:
                found[way] = found[cell] + 1
                queue.append(way)
    return {cell: steps for cell, steps in found.items() if is_street(board, cell)}


def reach(board: Board, pieces: Sequence[Piece], who: str) -> Mapping[int, int]:
    """The streets that a character comes to in one walk, with the steps that it takes."""
    covered = {piece.cell for piece in pieces if piece.kind == "cover"}
    holes = [
        index for index, cell in enumerate(board.cells) if cell.kind == "manhole" and index not in covered
    ]
    steps = distances(board, places(pieces)[who], holes, crossing=who == "stealthy")
    return {cell: number for cell, number in steps.items() if 0 < number <= MOST_STEPS.get(who, 3)}
