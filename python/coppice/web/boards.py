"""The board and the candidates as elements of a page, and the scenes that are sent to them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from coppice.board import drawings
from coppice.board.cells import Board, Piece, Side
from coppice.board.drawings import stands
from coppice.board.jack_light import lit
from coppice.board.scene import SceneOptions, placed, scene, tools, won_ground
from coppice.board.shapes import Item, plain_layers, tag
from coppice.board.words import words_of
from coppice.core.session import Game, State
from coppice.core.spec import Spec
from coppice.records.positions import Position
from coppice.web.game_room import SIDES, GameRoom

__all__ = [
    "STEPS",
    "BoardView",
    "Candidates",
    "Shown",
    "board_message",
    "extra_moves",
    "faces_up",
    "plain_game",
    "plain_name",
    "position_message",
    "position_plain",
    "put_kinds",
    "tone",
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


@dataclass(frozen=True)
class Shown:
    """A position as a board of the page shows it, and what may be done with it there."""

    node: int
    pieces: Sequence[Piece]
    to_move: Side
    sides: tuple[str, str]
    options: SceneOptions = field(default_factory=SceneOptions)
    moves: Sequence[tuple[str, list[int]]] = ()
    """The moves that a click may mean, with their cells."""
    choose: bool = False
    """Whether each move is one cell to choose, whatever stands on it."""
    danger: Sequence[int] = ()
    """The cells whose choice is to be thought over."""
    came: tuple[int, int] | None = None
    """Where the piece that moved last came from, and where it stands now."""
    notes: Mapping[int, str] = field(default_factory=dict)
    """The steps to cells that may be chosen."""
    arrows: Sequence[Piece] = ()
    """Directions to choose from, each an arrow that can be clicked."""
    calm: bool = False
    """Whether nobody has begun to choose: what is being played on the board goes on."""


def board_message(game: Game, options: SceneOptions) -> dict[str, Any]:
    """The empty board as the browser paints it, and what it lays there itself."""
    board = game.board()
    ground = scene(board, (), options).plain()
    return {
        **ground,
        "cells": [
            {**item, "name": cell.name} for item, cell in zip(ground["cells"], board.cells, strict=True)
        ],
        "tools": {name: [tag(shape) for shape in shapes] for name, shapes in tools(board).items()},
        "puts": {
            # What is not there yet is no piece.
            side: {"role": item.role.removeprefix("piece "), "of": [tag(shape) for shape in item.shapes]}
            | {"span": len(item.cells)}
            for side, item in ((side, _put_item(board, game, side)) for side in SIDES)
        },
    }


def position_plain(board: Board, shown: Shown, options: SceneOptions) -> dict[str, Any]:
    """A position as the browser paints it; the options say how the board itself is seen."""
    options = replace(shown.options, coordinates=options.coordinates, flipped=options.flipped)
    pieces, marks = placed(board, shown.pieces, options)
    words = words_of(board, shown.pieces, shown.sides, options.known)
    return {
        **plain_layers(pieces=pieces, marks=marks),
        "node": shown.node,
        "held": sorted({cell for piece in shown.pieces for cell in piece.cells if stands(piece)}),
        "won": won_ground(shown.pieces, options),
        "last": list(options.last),
        "winning": list(options.winning),
        "says": words,
        "moves": [[name, cells] for name, cells in shown.moves],
        "toMove": shown.to_move,
        "choose": shown.choose,
        "danger": list(shown.danger),
        "came": list(shown.came or ()),
        "notes": {str(cell): text for cell, text in shown.notes.items()},
        "arrows": [
            {"name": arrow.name, "x": item.x, "y": item.y, "of": [tag(shape) for shape in item.shapes]}
            for arrow, item in zip(shown.arrows, placed(board, shown.arrows, options)[0], strict=True)
        ],
        "calm": shown.calm,
        "lit": sorted(lit(board, shown.pieces)),
    }


@functools.lru_cache(maxsize=64)
def puts(game: Game) -> dict[Side, Piece]:
    """What the moves of each side put down or carry, by their first ones; nothing where this is secret."""
    found: dict[Side, Piece] = {}
    state = game.start()
    while not game.hidden and state.outcome is None and len(found) < len(SIDES):
        side = state.to_move
        move, cells = next((each for each in state.legal_move_cells() if each[1]), ("", []))
        if not cells or side in found:
            break
        state.play(move)
        # A game from elsewhere may show nothing where its move ends.
        stone = Piece("stone", side, (cells[-1],))
        found[side] = next((piece for piece in state.pieces() if cells[-1] in piece.cells), stone)
    return found


def put_kinds(game: Game) -> dict[Side, str]:
    """The kinds of what the moves of each side put down; a domino is upright or lies."""
    ys = [cell.y for cell in game.board().cells]
    return {
        side: " ".join([piece.kind, *(["upright"] if len({ys[cell] for cell in piece.cells}) > 1 else [])])
        for side, piece in puts(game).items()
    }


def _put_item(board: Board, game: Game, side: Side) -> Item:
    piece = puts(game).get(side)
    if piece is None:
        # Games whose moves are made otherwise put nothing down.
        piece = Piece("stone", side, (0,))
    (item,), _ = placed(board, [piece], SceneOptions(coordinates=False))
    return item


def tone(game: Game, side: Side) -> str:
    """The class that colours a side: `white` or `black`."""
    return drawings.tone(game.board(), side)


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
    held = {cell: piece.side for piece in position.pieces for cell in piece.cells}

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
    cells = room.positions[turn.parent].move_cells(turn.move)
    # A domino lies on both; of a journey only the goal matters.
    return cells[-1:] if journey(room, node) else cells


def journey(room: GameRoom, node: int) -> tuple[int, int] | None:
    """From where to where the move that led to a node took a piece; None if it put one down."""
    turn = room.tree[node]
    if turn.parent is None:
        return None
    before = room.positions[turn.parent]
    cells = before.move_cells(turn.move)
    held = {cell for piece in before.pieces for cell in piece.cells}
    return (cells[0], cells[-1]) if cells and cells[0] in held else None


def position_message(room: GameRoom, node: int, *, may_move: bool, threats: bool = False) -> Shown:
    """A position of a room as its board shows it; with the legal moves only for who may make one."""
    position = room.positions[node]
    moves = position.cells if may_move else {}
    extras = set(extra_moves(position)) if may_move else set()
    marks: list[tuple[int, Side]] = []
    if threats and position.outcome is None:
        for side in SIDES:
            # Only the side to move has legal moves; the cells of a stone are the same for both.
            touched = (position.cells.get(move) for move in position.completing[side])
            marks += [(cells[-1], side) for cells in touched if cells]
    return Shown(
        node,
        position.pieces,
        position.to_move,
        room.game.sides,
        SceneOptions(last=last_cells(room, node), winning=position.winning_cells, threats=marks),
        [(name, list(cells)) for name, cells in moves.items() if name not in extras],
        came=journey(room, node),
    )


def line_cells(state: State, line: Sequence[str]) -> list[list[Any]]:
    """A line of moves as the browser draws it: cells and side of each."""
    after = state.copy()
    drawn: list[list[Any]] = []
    for move in line:
        drawn.append([after.move_cells(move), after.to_move])
        after.play(move)
    return drawn


def _sent_move(given: Any) -> tuple[str, int] | None:
    """A move and the node it was made at, as a browser sends them; checked like any text of a stranger."""
    name, node = (given.get("name"), given.get("node")) if isinstance(given, dict) else (None, None)
    return (name, node) if isinstance(name, str) and isinstance(node, int) else None


STEPS = ("start", "back", "on", "end")
"""What the keys Home, left, right and End ask for."""


class BoardView(Element, component="board.js"):
    """A board in a page."""

    def __init__(
        self,
        game: Game,
        position: Shown,
        *,
        coordinates: bool = True,
        flipped: bool = False,
        on_move: Callable[[str, int], None] | None = None,
        on_cell: Callable[[int], None] | None = None,
        on_step: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__()
        self._game, self._board = game, game.board()
        self._shown = position
        self._props["coordinates"] = coordinates
        self._props["flipped"] = flipped
        self._props["label"] = f"Board of {plain_game(game.spec)}"
        self._lay_out()

        def moved(event: GenericEventArguments) -> None:
            if on_move and (move := _sent_move(event.args)):
                on_move(*move)

        def cell(event: GenericEventArguments) -> None:
            if on_cell and isinstance(event.args, int) and 0 <= event.args < len(self._board.cells):
                on_cell(event.args)

        def step(event: GenericEventArguments) -> None:
            if on_step and isinstance(event.args, str) and event.args in STEPS:
                on_step(event.args)

        self.on("move", moved)
        self.on("cell", cell)
        self.on("step", step)

    @property
    def _options(self) -> SceneOptions:
        """How this board is seen, whatever stands on it."""
        return SceneOptions(coordinates=self._props["coordinates"], flipped=self._props["flipped"])

    def _lay_out(self) -> None:
        self._props["board"] = board_message(self._game, self._options)
        self._props["position"] = position_plain(self._board, self._shown, self._options)

    def show(self, position: Shown) -> None:
        """Shows a position; small enough to be sent at every move."""
        self._shown = position
        plain = position_plain(self._board, position, self._options)
        dict.__setitem__(self._props, "position", plain)
        self.run_method("setPosition", plain)

    def play(self, steps: Sequence[tuple[Shown, str]], seconds: float) -> None:
        """Plays steps one after the other, each with its words, then shows what it shows now again.

        All are sent at once: when they come tells nothing of who watches, and a choice ends them.
        """
        frames = [
            {"position": position_plain(self._board, shown, self._options), "text": text}
            for shown, text in steps
        ]
        self.run_method("playFrames", frames, seconds)

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
        self._lay_out()
        self.update()

    def set_coordinates(self, shown: bool) -> None:
        """Shows or hides the names of cells."""
        self._props["coordinates"] = shown
        self._lay_out()
        self.update()


class Candidates(Element, component="candidates.js"):
    """The moves that a search considers, with bars."""

    def __init__(self, board: BoardView, *, on_play: Callable[[str, int], None]) -> None:
        super().__init__()
        self._props["board"] = board.id

        def played(event: GenericEventArguments) -> None:
            if move := _sent_move(event.args):
                on_play(*move)

        self.on("play", played)

    def show(self, node: int, rows: list[dict[str, Any]], *, empty: str = "", settled: bool = False) -> None:
        """Shows the rows of a frame, or, where there are none, the words `empty`.

        Until all is `settled`, the list keeps the room of a full one.
        """
        self.run_method("setRows", {"node": node, "rows": rows, "empty": empty, "settled": settled})
