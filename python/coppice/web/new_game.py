"""The form of a new game, made from the catalogue."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from nicegui import ui

from coppice.board.cells import Side
from coppice.core.catalogue import PartInfo
from coppice.core.session import Player
from coppice.core.spec import LIMITS, Spec
from coppice.play.book import shipped
from coppice.web.allowed import game_of
from coppice.web.boards import plain_name
from coppice.web.bounds import check_limit, check_simulations
from coppice.web.door import visitor_at
from coppice.web.fields import MISERE, option_field, spelt
from coppice.web.frame import complain, framed, not_found
from coppice.web.game_room import SIDES, Clock, GameRoom, Seat, other
from coppice.web.levels import (
    board_name,
    board_options,
    boards,
    games,
    has_misere,
    levels,
    misere_of,
    strongest,
)
from coppice.web.limits import limits
from coppice.web.lobby import Lobby
from coppice.web.pictures import sample_picture
from coppice.web.searches import capped

__all__ = ["add_pages", "new_room"]

OPPONENTS = {
    "computer": "The computer",
    "screen": "A friend here",
    "link": "A friend by link",
    "watch": "Watch two computers",
}
CLOCKS = {
    "none": "No clock",
    "300+3": "5 minutes + 3 s",
    "900+5": "15 minutes + 5 s",
    "1800+10": "30 minutes + 10 s",
}
WATCH_HIDDEN_SECONDS = 4.0
"""Between two decisions of a game with secrets that two computers play, until a watcher says otherwise."""
SIMULATIONS = 10_000
"""Of a player whose spec has no limit, unless the form says another number."""


def add_pages(lobby: Lobby) -> None:
    """Adds the pages of this file to the app."""

    @ui.page("/new/{name}")
    async def new(name: str) -> None:
        part = next((part for part in games() if part.name == name), None)
        if part is None:
            with framed("No such game"):
                not_found(f"There is no game called {name[:40]}.")
            return
        with framed(plain_name(name)):
            _Form(lobby, part).build()


class _Form:
    """One browser's form."""

    def __init__(self, lobby: Lobby, part: PartInfo) -> None:
        self.lobby = lobby
        self.part = part
        self.values: dict[str, Any] = {}
        self.spec = boards(part.name)[0]
        self.hidden = game_of(self.spec).hidden
        self.misere = False
        self.against = "computer"
        self.side: str = "first"
        self.levels: dict[Side, int] = dict.fromkeys(SIDES, 2)
        """The level of the computer on each side, from the weakest, 0."""
        self.clock = "none"
        self.ponder = False
        self.players: dict[Side, str] = dict.fromkeys(SIDES, "")
        """Players in the place of levels, as they were typed."""
        self.simulations: float | None = SIMULATIONS

    @property
    def computer_side(self) -> Side:
        """The side that the computer will have."""
        return "first" if self.side == "second" else "second"

    @property
    def computers(self) -> tuple[Side, ...]:
        """The sides whose computers are chosen here."""
        return SIDES if self.against == "watch" else (self.computer_side,)

    @property
    def form(self) -> str:
        """The board that is chosen, misère or not: what decides which opponents there are."""
        return misere_of(self.spec) if self.misere else self.spec

    def build(self) -> None:
        """Makes the form where the page is being built."""
        name = plain_name(self.part.name)
        with ui.element("div").classes("new"):
            with ui.element("div").classes("new-board"):
                self.picture = ui.html(sample_picture(self.spec, name), sanitize=False)
                ui.link("How to play", f"/rules/{self.part.name}").classes("small")
                if self.part.name == "mr_jack":
                    ui.link("Lessons", "/lessons/mr_jack").classes("small")
            with ui.element("div").classes("panel form"):
                ui.label(name).classes("title")
                ui.label(self.part.doc + ".").classes("soft")
                self._build_boards()
                self._heading("Against")
                offered = {key: name for key, name in OPPONENTS.items() if key != "screen" or not self.hidden}
                ui.toggle(offered, value="computer", on_change=self._choose_against).props(
                    "no-caps unelevated spread"
                ).classes("wrap").mark("against")
                self.side_row = ui.element("div")
                with self.side_row:
                    self._heading("Your side")
                    sides = game_of(self.spec).sides
                    ui.toggle(
                        {"first": f"{sides[0]} (begins)", "second": sides[1], "random": "Either"},
                        value="first",
                        on_change=lambda: self._rebuild_levels(),
                    ).bind_value(self, "side").props("no-caps unelevated spread").mark("side")
                self.level_row = ui.element("div")
                with ui.expansion("More").props("dense").classes("more"):
                    self._build_more()
                    self.specs = ui.element("div")
                    self._rebuild_levels()
                ui.button("Start", on_click=self.start).props("unelevated no-caps size=lg").classes(
                    "start"
                ).mark("start")

    @staticmethod
    def _heading(text: str) -> None:
        ui.label(text).classes("field-name")

    def _build_boards(self) -> None:
        offered = boards(self.part.name)
        if len(offered) > 1:
            self._heading("Board")
            ui.toggle(
                {spec: board_name(spec) for spec in offered}, value=self.spec, on_change=self._choose_board
            ).props("no-caps unelevated spread").mark("boards")

    def _rebuild_levels(self) -> None:
        """Offers the levels of whoever the computer plays now, and players in their place."""
        self.level_row.clear()
        self.specs.clear()
        for side in self.computers:
            name = game_of(self.spec).sides[SIDES.index(side)]
            watched = self.against == "watch"
            with self.level_row:
                self._build_level(side, name if watched else "Opponent", name if watched else "the opponent")
            with self.specs:
                self._heading(f"Any player instead of a level{f' for {name}' if watched else ''}")
                ui.input(
                    placeholder=f"{strongest(self.spec)}(simulations=5000)",
                    value=self.players[side],
                    on_change=lambda event, side=side: self.players.update({side: event.value}),
                ).props(f'outlined dense aria-label="Player spec{f" of {name}" if watched else ""}"').mark(
                    f"player-{side}" if watched else "player"
                )

    def _build_level(self, side: Side, heading: str, whose: str) -> None:
        ladder = levels(self.form, side)
        self._heading(heading)
        self.levels[side] = min(self.levels[side], len(ladder) - 1)
        name = ui.label("").classes("strong").mark("level-name")
        slider = ui.slider(min=0, max=len(ladder) - 1, step=1, value=self.levels[side])
        slider.props(f'markers snap aria-label="Level of {whose}"')
        slider.mark(f"level-{side}" if self.against == "watch" else "level")
        words = ui.label("").classes("soft small")
        with words:
            full = ui.tooltip("")

        def tell(place: int) -> None:
            self.levels[side] = place
            level = ladder[place]
            name.set_text(f"{place + 1} of {len(ladder)} · {level.name}")
            words.set_text(level.words)
            # A name such as strong stands for another player in each game.
            full.set_text(Player(level.player).on(game_of(self.form)).spec)

        slider.on_value_change(lambda event: tell(int(event.value)))
        tell(self.levels[side])

    def _build_more(self) -> None:
        misere = has_misere(self.spec)
        if misere or self.part.options:
            self._heading("Rules")
        if misere:
            ui.switch(MISERE, on_change=self._choose_misere).props("dense").mark("misere")
        self.rules = ui.element("div").classes("rules-of-board")
        self._build_rules()
        self._heading("Clock")
        ui.select(CLOCKS, value="none").bind_value(self, "clock").props("outlined dense").mark("clock")
        if not self.hidden:
            ui.switch("The computer thinks on your time, too").bind_value(self, "ponder").props("dense").mark(
                "ponder"
            )
        ui.number("Simulations a move", min=1, max=limits().simulations, value=SIMULATIONS).bind_value(
            self, "simulations"
        ).props("outlined dense").mark("simulations")

    def _build_rules(self) -> None:
        usual = board_options(self.spec)
        self.rules.clear()
        with self.rules:
            for option in self.part.options:
                option_field(option, usual.get(option.name, option.default), self.values)

    def _choose_misere(self, event: Any) -> None:
        self.misere = bool(event.value)
        self._rebuild_levels()

    def _choose_board(self, event: Any) -> None:
        self.spec = event.value
        # What was typed was typed for another board.
        for name in board_options(self.spec):
            self.values.pop(name, None)
        self._build_rules()
        self.picture.set_content(sample_picture(self.spec, plain_name(self.part.name)))

    def _choose_against(self, event: Any) -> None:
        self.against = event.value
        self.side_row.set_visibility(self.against in ("computer", "link"))
        self.level_row.set_visibility(self.against in ("computer", "watch"))
        self._rebuild_levels()

    def game_spec(self) -> str:
        """The game with what the form says; the core checks it."""
        if not self.part.options:
            return self.form
        options = board_options(self.spec)
        chosen = {name: value for name, value in self.values.items() if value not in (None, "")}
        options.update({name: spelt(value) for name, value in chosen.items()})
        inside = ", ".join(f"{name}={value}" for name, value in options.items())
        spec = f"{self.part.name}({inside})" if inside else self.part.name
        return misere_of(spec) if self.misere else spec

    def start(self) -> None:
        """Opens the room and goes there."""
        try:
            game = self.game_spec()
            side: Side = "second" if self.side == "second" else "first"
            if self.side == "random":
                side = secrets.choice(SIDES)
            computer = second = None
            if self.against == "watch":
                computer, second = (self._computer(game, one, one) for one in SIDES)
            elif self.against == "computer":
                computer = self._computer(game, other(side), self.computer_side)
            room, token = new_room(game, self.against, side, computer, self.clock, second=second)
            self.lobby.open(room, visitor_at(ui.context.client))
        except ValueError as error:
            complain(error)
            return
        ui.navigate.to(f"/game/{room.identity}" + (f"?seat={token}" if token else ""))

    def _computer(self, game: str, side: Side, chosen: Side) -> Seat:
        """The computer on a side, as it was chosen for the side `chosen`: by lot, it may have the other."""
        spec = str(self.players[chosen] or "").strip()
        if spec:
            Player(capped(spec)).check(game_of(game))
            check_limit(spec)
            simulations = None
            if not any(name in Spec.parsed(spec) for name in LIMITS):
                simulations = SIMULATIONS if self.simulations is None else int(self.simulations)
                check_simulations(simulations)
            return Seat("computer", spec[:60], spec, simulations, ponder=self.ponder)
        ladder = levels(self.form, side)
        level = ladder[min(self.levels[chosen], len(ladder) - 1)]
        # The book is for the strongest level: below, an opening by a long search would be out of place.
        book = level is ladder[-1] and shipped(game_of(game)) is not None
        return Seat("computer", level.name, level.player, level.simulations, ponder=self.ponder, book=book)


def new_room(
    game: str,
    against: str,
    side: Side,
    computer: Seat | None,
    clock: str = "none",
    *,
    second: Seat | None = None,
) -> tuple[GameRoom, str]:
    """A room for a person on `side`, and the secret of that person's address.

    Where the computer is watched it has both sides; `second`, if given, has the second one.
    """
    if against not in OPPONENTS:
        raise ValueError(f"unknown opponent '{against}': {', '.join(OPPONENTS)}")
    if against == "screen" and game_of(game).hidden:
        raise ValueError("a game with secrets needs a screen for each side: play it by link")
    if clock not in CLOCKS:
        raise ValueError(f"unknown clock '{clock}': {', '.join(CLOCKS)}")
    token = secrets.token_urlsafe(16)
    me = Seat("person", "You", token=token)
    seats: dict[Side, Seat]
    if against == "watch" and computer:
        seats = {
            "first": computer,
            "second": second or replace(computer),
        }
        token = ""
    elif against == "screen":
        names = game_of(game).sides
        seats = {
            "first": Seat("person", names[0], token=token),
            "second": Seat("person", names[1], token=token),
        }
    elif against == "link":
        me.name = "Host"
        seats = {side: me, other(side): Seat("person", "Guest", invitation=secrets.token_urlsafe(12))}
    elif computer:
        seats = {side: me, other(side): computer}
    else:
        raise ValueError("no computer was chosen")
    time = None
    if clock != "none":
        seconds, increment = (float(part) for part in clock.split("+"))
        time = Clock(seconds, increment, dict.fromkeys(SIDES, seconds))
    ordered: dict[Side, Seat] = {side: seats[side] for side in SIDES}
    room = GameRoom(game, ordered, clock=time, link=against == "link")
    if against == "watch" and room.game.hidden:
        # A decision of several steps takes longer to look at than a stone.
        room.pace = WATCH_HIDDEN_SECONDS
    return room, token
