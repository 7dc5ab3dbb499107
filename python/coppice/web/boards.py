"""The board and the candidates as elements of a page, and what is sent to them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from coppice.board.cells import Side
from coppice.board.svg import FIGURES
from coppice.core.session import Game, State
from coppice.core.spec import Spec
from coppice.records.positions import Position
from coppice.web.game_room import SIDES, GameRoom

__all__ = [
    "BoardView",
    "Candidates",
    "board_message",
    "extra_moves",
    "faces_up",
    "plain_game",
    "plain_name",
    "position_message",
    "put_kinds",
    "without_misere",
]


def plain_name(word: str) -> str:
    """A name of the core as people read it: `mr_jack` is Mr Jack."""
    known = {"nogo": "NoGo", "atari_go": "AtariGo", "tic_tac_toe": "Tic-tac-toe", "misere": "Misère"}
    return known.get(word) or re.sub(r"(^|_)([a-z])", lambda m: (" " if m[1] else "") + m[2].upper(), word)


def without_misere(spec: str) -> str:
    """The game inside a misère form; any other spec as it is."""
    (part,) = Spec.parsed(spec).parts
    return str(part.items[0][1]) if part.name == "misere" and part.items else spec


def plain_game(spec: str) -> str:
    """What people call the game of a spec: a game written in Python has the name of its class."""
    if (inner := without_misere(spec)) != spec:
        return f"Misère {plain_game(inner)}"
    (part,) = Spec.parsed(spec).parts
    if part.name == "python" and part.items:
        return str(part.items[0][1]).rpartition(":")[2]
    return plain_name(part.name)


def board_message(game: Game) -> dict[str, Any]:
    """The empty board as the browser draws it."""
    board = game.board()
    return {
        "shape": board.shape,
        "kinds": put_kinds(game),
        "figures": FIGURES,
        "cells": [[cell.name, round(cell.x, 4), round(cell.y, 4), cell.kind] for cell in board.cells],
        "rims": [[rim.side, [[round(x, 4), round(y, 4)] for x, y in rim.line]] for rim in board.rims],
    }


@functools.lru_cache(maxsize=64)
def put_kinds(game: Game) -> dict[Side, str]:
    """What the moves of each side put down or carry, by their first ones; nothing where this is secret."""
    kinds: dict[Side, str] = {}
    state = game.start()
    while not game.hidden and state.outcome is None and len(kinds) < len(SIDES):
        side = state.to_move
        move, cells = next((each for each in state.legal_move_cells() if each[1]), ("", []))
        if not cells or side in kinds:
            break
        state.play(move)
        # A game from elsewhere may show nothing where its move ends.
        kinds[side] = next((piece.kind for piece in state.pieces() if piece.cell == cells[-1]), "stone")
    return kinds


@functools.lru_cache(maxsize=64)
def faces_up(game: Game) -> bool:
    """Whether the sides begin opposite each other, the first below: then each wants its own side below."""
    if game.hidden:
        return False
    board, pieces = game.board(), game.start().pieces()
    first, second = ([board.cells[p.cell].y for p in pieces if p.side == side] for side in SIDES)
    return bool(first and second) and min(first) > max(second)


def extra_moves(position: Position) -> list[str]:
    """Those legal moves that no click means: they touch nothing, or begin at what nobody can pick up."""
    held = {piece.cell: piece.side for piece in position.pieces}

    def is_extra(cells: Sequence[int]) -> bool:
        if not cells or cells[0] not in held:
            return not cells
        return len(cells) == 1 or held[cells[0]] not in (None, position.to_move)

    return [name for name, cells in position.cells.items() if is_extra(cells)]


def last_cells(room: GameRoom, node: int) -> list[int]:
    """The cells of the move that led to a node."""
    turn = room.tree[node]
    if turn.parent is None:
        return []
    before = room.positions[turn.parent]
    cells = before.move_cells(turn.move)
    # A domino lies on both; of a journey only the goal matters.
    return cells[-1:] if cells and cells[0] in {piece.cell for piece in before.pieces} else cells


def position_message(room: GameRoom, node: int, *, may_move: bool, threats: bool = False) -> dict[str, Any]:
    """A position as the browser draws it; with the legal moves only for who may make one."""
    position = room.positions[node]
    moves = position.cells if may_move else {}
    extras = set(extra_moves(position)) if may_move else set()
    marks: list[tuple[int, Side]] = []
    if threats and position.outcome is None:
        for side in SIDES:
            # Only the side to move has legal moves; the cells of a stone are the same for both.
            touched = (position.cells.get(move) for move in position.completing[side])
            marks += [(cells[-1], side) for cells in touched if cells]
    return {
        "node": node,
        "pieces": [[piece.cell, piece.side, piece.kind] for piece in position.pieces],
        "moves": [[name, cells] for name, cells in moves.items() if name not in extras],
        "last": last_cells(room, node),
        "winning": position.winning_cells,
        "toMove": position.to_move,
        "names": list(room.game.sides),
        "threats": marks,
    }


def line_cells(state: State, line: Sequence[str]) -> list[list[Any]]:
    """A line of moves as the browser draws it: cells and side of each."""
    after = state.copy()
    drawn: list[list[Any]] = []
    for move in line:
        drawn.append([after.move_cells(move), after.to_move])
        after.play(move)
    return drawn


class BoardView(Element, component="board.js"):
    """A board in a page."""

    def __init__(
        self,
        game: Game,
        position: dict[str, Any],
        *,
        coordinates: bool = True,
        flipped: bool = False,
        on_move: Callable[[str, int], None] | None = None,
        on_cell: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__()
        self._props["board"] = board_message(game)
        self._props["position"] = position
        self._props["coordinates"] = coordinates
        self._props["flipped"] = flipped
        self._props["label"] = f"Board of {plain_game(game.spec)}"
        self._cells = len(game.board().cells)

        def moved(event: GenericEventArguments) -> None:
            # What a browser sends is checked like any text of a stranger.
            name, node = event.args.get("name"), event.args.get("node")
            if on_move and isinstance(name, str) and isinstance(node, int):
                on_move(name, node)

        def cell(event: GenericEventArguments) -> None:
            if on_cell and isinstance(event.args, int) and 0 <= event.args < self._cells:
                on_cell(event.args)

        self.on("move", moved)
        self.on("cell", cell)

    def show(self, position: dict[str, Any]) -> None:
        """Shows a position; small enough to be sent at every move."""
        dict.__setitem__(self._props, "position", position)
        self.run_method("setPosition", position)

    def show_heat(self, heat: dict[str, Any] | None) -> None:
        """Shows a heat map, or none."""
        self.run_method("setHeat", heat)

    def set_busy(self, busy: bool) -> None:
        """Tells that somebody is thinking."""
        self.run_method("setBusy", busy)

    def refuse(self) -> None:
        """Takes a stone away that was only hoped for."""
        self.run_method("refuse")

    def flip(self) -> None:
        """Turns the board by half a turn."""
        self._props["flipped"] = not self._props["flipped"]
        self.update()

    def set_coordinates(self, shown: bool) -> None:
        """Shows or hides the names of cells."""
        self._props["coordinates"] = shown
        self.update()


class Candidates(Element, component="candidates.js"):
    """The moves that a search considers, with bars."""

    def __init__(self, board: BoardView) -> None:
        super().__init__()
        self._props["board"] = board.id

    def show(self, node: int, rows: list[dict[str, Any]], *, empty: str = "", settled: bool = False) -> None:
        """Shows the rows of a frame, or, where there are none, the words `empty`.

        Until all is `settled`, the list keeps the room of a full one.
        """
        self.run_method("setRows", {"node": node, "rows": rows, "empty": empty, "settled": settled})
