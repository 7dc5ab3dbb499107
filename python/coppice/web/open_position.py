"""Ways into an analysis: a link to a position, a saved game, a position set up by hand."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlencode

from nicegui import ui
from nicegui.client import Client

from coppice.board.cells import Piece, Side
from coppice.records.sgf_syntax import decode
from coppice.web.allowed import game_of
from coppice.web.boards import BoardView, Shown, plain_game
from coppice.web.door import visitor_at
from coppice.web.fields import MISERE
from coppice.web.frame import PATIENCE, complain, framed, not_found, sentence
from coppice.web.game_room import SIDES, GameRoom
from coppice.web.levels import board_name, boards, games, misere_of
from coppice.web.limits import limits
from coppice.web.lobby import Lobby
from coppice.web.pictures import picture
from coppice.web.play import GamePage
from coppice.web.records import parse_record

__all__ = ["Draft", "add_pages", "position_room"]


def position_room(game: str, moves: str = "", position: str = "") -> GameRoom:
    """A room for analysis at the position that a link names; a ValueError says what is wrong."""
    if game_of(game).hidden:
        raise ValueError("games with hidden cards are not analysed here")
    room = GameRoom(game, position=position or None)
    node = 0
    for move in moves.split():
        node = room.add(node, move)
    room.live = node
    return room


def add_pages(lobby: Lobby) -> None:
    """Adds the pages of this file to the app."""

    @ui.page("/analyse", response_timeout=PATIENCE)
    async def analyse(client: Client, game: str = "", moves: str = "", position: str = "") -> None:
        if not game:
            with framed("Analyse"):
                _Choice(lobby).build()
            return
        try:
            room = position_room(game, moves, position)
        except ValueError as error:
            with framed("No such position"):
                not_found(sentence(error), 400)
            return
        page = GamePage(lobby, room, "", client)
        page.build()
        # Anybody can be made to ask for an address: the table is there when a browser shows it.
        await client.connected()
        if client.is_deleted:
            return
        try:
            lobby.open(room, visitor_at(client))
        except ValueError as error:
            complain(error)
            return
        ui.navigate.history.replace(f"/game/{room.identity}")
        page.begin()

    @ui.page("/setup")
    async def setup(game: str) -> None:
        try:
            if game_of(game).hidden:
                raise ValueError("games with hidden cards are not analysed here")
        except ValueError as error:
            with framed("Set up"):
                not_found(sentence(error), 400)
            return
        with framed("Set up", wide=True):
            _Setup(lobby, game).build()


class _Choice:
    """The page where an analysis begins."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        offered = [spec for part in games() for spec in boards(part.name) if not game_of(spec).hidden]
        self.names = {spec: f"{plain_game(spec)} {board_name(spec)}".rstrip() for spec in offered}
        self.game = offered[0]
        self.misere = False

    @property
    def form(self) -> str:
        """The game that is chosen, misère or not."""
        return misere_of(self.game) if self.misere else self.game

    def build(self) -> None:
        """Makes the page."""
        ui.label("Analyse").classes("headline")
        ui.label(
            "Any position of any game: watch the search think, try variations, find the blunder."
        ).classes("soft lead")
        with ui.element("div").classes("two"):
            with ui.element("section").classes("panel form"):
                ui.label("An empty board").classes("panel-title")
                ui.select(self.names, value=self.game, label="Game").bind_value(self, "game").props(
                    "outlined dense"
                ).mark("game")
                ui.switch(MISERE).bind_value(self, "misere").props("dense").mark("misere")
                with ui.row():
                    ui.button("Analyse", on_click=self._begin).props("unelevated no-caps").mark("analyse")
                    ui.button("Set up a position", on_click=self._set_up).props("flat no-caps").mark("set-up")
            with ui.element("section").classes("panel form"):
                ui.label("A saved game").classes("panel-title")
                ui.label("SGF, HGF or text, from a file or pasted here.").classes("soft small")
                text = ui.textarea(placeholder="(;FF[4]…").props("outlined dense rows=5").mark("record")
                with ui.row():
                    ui.button("Open", on_click=lambda: self._read(text.value or "")).props(
                        "unelevated no-caps"
                    ).mark("open-record")
                ui.upload(
                    on_upload=self._upload,
                    auto_upload=True,
                    max_file_size=limits().record_characters,
                    label="Choose a file, or drop it here",
                ).props("flat bordered").classes("upload")

    def _set_up(self) -> None:
        ui.navigate.to(f"/setup?{urlencode({'game': self.form})}")

    def _begin(self) -> None:
        try:
            self._open(position_room(self.form))
        except ValueError as error:
            complain(error)

    def _open(self, room: GameRoom) -> None:
        self.lobby.open(room, visitor_at(ui.context.client))
        ui.navigate.to(f"/game/{room.identity}")

    async def _read(self, text: str) -> None:
        try:
            # A long one takes a while: the other pages do not wait for it.
            self._open(await asyncio.to_thread(parse_record, str(text)))
        except ValueError as error:
            complain(error)

    async def _upload(self, event: Any) -> None:
        await self._read(decode(await event.file.read()))


class Draft:
    """A position that is being set up: one symbol per cell, as the game's text has them."""

    def __init__(self, game: str) -> None:
        self.game = game_of(game)
        state = self.game.start()
        self.order = sorted(
            range(len(self.game.board().cells)),
            key=lambda i: (self.game.board().cells[i].y, self.game.board().cells[i].x),
        )
        body, _, side = state.text().partition(" ")
        symbols = body.replace("/", "")
        plain = len(symbols) == len(self.order) and set(symbols) <= set(".wb") and not self.game.hidden
        if not plain or set(self.game.sides) != {"White", "Black"}:
            raise ValueError(f"positions of {game} are not set up by clicking: give them as text")
        self.rows = [len(row) for row in body.split("/")]
        self.symbols = dict(zip(self.order, symbols, strict=True))
        self.side: Side = "second" if side == "second" else "first"
        self.letters = {"w": self._side("White"), "b": self._side("Black")}
        self.kind = next((piece.kind for piece in state.pieces()), "stone")

    def _side(self, name: str) -> Side:
        return SIDES[self.game.sides.index(name)]

    def click(self, cell: int) -> None:
        """Empty, white, black, empty."""
        self.symbols[cell] = {".": "w", "w": "b", "b": "."}[self.symbols[cell]]

    def text(self) -> str:
        """The position as the game reads it."""
        letters = iter(self.symbols[cell] for cell in self.order)
        rows = ["".join(next(letters) for _ in range(length)) for length in self.rows]
        return f"{'/'.join(rows)} {self.side}"

    def message(self) -> Shown:
        """The draft as the board draws it; the core has not seen it yet."""
        pieces = [
            Piece(self.kind, self.letters[symbol], (cell,))
            for cell, symbol in self.symbols.items()
            if symbol != "."
        ]
        return Shown(0, pieces, self.side, self.game.sides)


class _Setup:
    """The page on which a position is set up: by clicking where the game's text has a letter per stone."""

    def __init__(self, lobby: Lobby, game: str) -> None:
        self.lobby = lobby
        self.game = game_of(game)
        self.draft: Draft | None
        try:
            self.draft = Draft(game)
        except ValueError:
            self.draft = None

    def build(self) -> None:
        """Makes the page."""
        draft = self.draft
        with ui.element("div").classes("game"):
            with ui.element("div").classes("board-side"):
                if draft:
                    self.board = BoardView(draft.game, draft.message(), on_cell=self._click).mark("board")
                    self.board.run_method("setSetup", True)
                else:
                    ui.html(picture(self.game.start()), sanitize=False).classes("board-frame")
            with ui.element("aside").classes("panels"), ui.element("section").classes("panel form"):
                ui.label(f"{plain_game(self.game.spec)}: set up").classes("panel-title")
                if draft:
                    ui.label("Click a cell to change what stands there.").classes("soft")
                    ui.label("To move").classes("field-name")
                    ui.toggle(
                        dict(zip(SIDES, self.game.sides, strict=True)),
                        value=draft.side,
                        on_change=lambda event: self._choose_side(event.value),
                    ).props("no-caps unelevated spread")
                ui.label("The position as text").classes("field-name")
                self.text = ui.textarea(value=self.game.start().text()).props("outlined dense autogrow")
                self.text.mark("position")
                ui.button("Analyse this", on_click=lambda: self._open(self.text.value or "")).props(
                    "unelevated no-caps"
                ).mark("analyse")

    def _click(self, cell: int) -> None:
        if self.draft:
            self.draft.click(cell)
            self.board.show(self.draft.message())
            self.text.set_value(self.draft.text())

    def _choose_side(self, side: Side) -> None:
        if self.draft:
            self.draft.side = side
            self.text.set_value(self.draft.text())

    def _open(self, position: str) -> None:
        try:
            room = position_room(self.game.spec, position=str(position).strip())
            self.lobby.open(room, visitor_at(ui.context.client))
        except ValueError as error:
            complain(error)
            return
        ui.navigate.to(f"/game/{room.identity}")
