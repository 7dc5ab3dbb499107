"""Mr Jack's map with a decision that is built on it step by step: what games and lessons have in common."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape

from nicegui import ui

from coppice.board.cells import Board, Piece, Side
from coppice.board.jack_light import decided, distances, places, reach, seen
from coppice.board.jack_map import CHARACTERS, DIRECTIONS, neighbour
from coppice.board.scene import SceneOptions
from coppice.web.boards import BoardView, Shown
from coppice.web.frame import ask, complain
from coppice.web.game_room import GameRoom
from coppice.web.jack_decision import POWERS, Decision, question, word_text
from coppice.web.jack_facts import called_after, facts_for, foreseen, known_of, suspects_of
from coppice.web.jack_story import frames, happenings
from coppice.web.jack_track import face, hand_of, preview_html, role_name

__all__ = ["JackDesk", "jack_message", "step_messages"]

FRAME_SECONDS = 1.1
"""How long each step of a decision is shown when it is played on the map."""


def jack_message(room: GameRoom, node: int, facts: dict[str, str], decision: Decision | None) -> Shown:
    """The map as its board shows it: what stands there openly, and the cells of the next words."""
    state, board = room.state(node), room.game.board()
    pieces = state.pieces()
    if decision is None or not decision.chosen:
        parent = room.tree[node].parent
        last = [] if parent is None else room.state(parent).move_cells(room.tree[node].move)
        # From where, to where, then what the power touches.
        options = SceneOptions(last=last[1:2], known=known_of(facts, room.over))
        return Shown(node, pieces, state.to_move, room.game.sides, options, choose=True, calm=True)
    cells = {cell.name: index for index, cell in enumerate(board.cells)}
    shown = _making(room, node, facts, decision.chosen)
    standing = places(shown.pieces)
    targets = {**cells, **standing}
    aims: list[Piece] = []
    options_now = decision.options()
    if decision.asks_direction:
        targets = _around(board, standing["watson"])
        aims = [Piece("aim", None, (standing["watson"],), word) for word in options_now]
    moves = [(word, [targets[word]]) for word in options_now if word in targets]
    danger = [targets[word] for word in decision.accusing() if word in targets]
    return replace(
        shown,
        arrows=aims,
        moves=moves,
        danger=danger,
        notes={} if decision.asks_direction else _steps(board, shown.pieces, decision, moves),
    )


def _making(room: GameRoom, node: int, facts: dict[str, str], words: tuple[str, ...]) -> Shown:
    """The map after some words of a decision, lit as it would be; where somebody stood he is shown pale."""
    state, board = room.state(node), room.game.board()
    before = state.pieces()
    pieces = decided(board, before, words)
    was, now = places(before), places(pieces)
    gone = [
        Piece("token", None, (cell,), name, states=("gone",))
        for name, cell in was.items()
        if now[name] != cell and cell not in now.values()
    ]
    pieces = [
        replace(piece, states=(*piece.states, "chosen"))
        if piece.kind == "token" and piece.name == words[0]
        else piece
        for piece in pieces
    ]
    known = known_of(facts, room.over, seen(board, pieces))
    options = SceneOptions(known=known)
    return Shown(node, [*pieces, *gone], state.to_move, room.game.sides, options, choose=True)


def _steps(
    board: Board, pieces: Sequence[Piece], decision: Decision, moves: Sequence[tuple[str, list[int]]]
) -> dict[int, str]:
    """How far it is to each street that may be chosen."""
    streets = {cells[0] for word, cells in moves if word not in CHARACTERS}
    mover = decision.mover
    if decision.chosen[-1] == ">" and mover in CHARACTERS:
        # Who is whistled for comes along the streets.
        steps = distances(board, places(pieces)[mover])
    elif mover in CHARACTERS and decision.chosen[-1] not in ("lamp", "cordon", "cover", "exit", ">"):
        steps = dict(reach(board, pieces, mover))
    else:
        return {}
    return {cell: str(steps[cell]) for cell in streets if cell in steps}


def _around(board: Board, index: int) -> dict[str, int]:
    """The next cell in each direction; an exit stands for none, as it would be taken for a way out."""
    next_cells = {word: neighbour(board, index, word) for word in DIRECTIONS}
    return {
        word: cell
        for word, cell in next_cells.items()
        if cell is not None and board.cells[cell].kind != "exit"
    }


def step_messages(room: GameRoom, node: int, facts: dict[str, str]) -> list[tuple[Shown, str]]:
    """The decision that led to a node, played on the map step by step, each with what happens."""
    parent = room.tree[node].parent
    if parent is None:
        return []
    return [
        (replace(_making(room, parent, facts, words), node=node, calm=True), text)
        for words, text in frames(room, node)
    ]


class JackDesk:
    """One browser's map, and the decision that it builds on it."""

    def __init__(self, room: GameRoom, sides: set[Side]) -> None:
        self.room = room
        self.sides = sides
        self.decision: Decision | None = None
        self.at = room.live
        """What is looked at: mostly where the game stands."""
        self._loading = -1

    @property
    def mine(self) -> bool:
        """Whether this browser decides now."""
        return not self.room.over and self.at == self.room.live and self.room.to_move in self.sides

    def facts(self, node: int) -> dict[str, str]:
        """What this browser may know at a node."""
        return facts_for(self.room, node, self.sides)

    def allowed(self, legal: Sequence[str]) -> Sequence[str]:
        """Those of the legal decisions that may be built here."""
        return legal

    # Building

    def build_board(self, on_step: Callable[[str], None] | None = None) -> None:
        """Makes the map; `on_step` turns the pages of the game."""
        message = jack_message(self.room, self.at, self.facts(self.at), None)
        self.board = BoardView(self.room.game, message, on_move=self._clicked, on_step=on_step)
        self.board.mark("board")

    def build_decision(self) -> None:
        """Makes the cards, what has been chosen, what may be chosen next, and what follows from it."""
        self.cards = ui.element("div").classes("hand").mark("hand")
        self.words = ui.element("div").classes("crumbs").mark("decision")
        self.choices = ui.element("div").classes("choices").mark("choices")
        self.preview = ui.html("", sanitize=False).classes("foreseen").mark("preview")

    def build_answers(self) -> None:
        """Makes the buttons that end a decision."""
        self.confirm = ui.button("Confirm", icon="check", on_click=self._confirm)
        self.confirm.props("unelevated no-caps dense").mark("confirm")
        self.back = ui.button("Undo", icon="undo", on_click=self._back)
        self.back.props("flat no-caps dense").mark("undo")

    # Showing

    def show(self) -> None:
        """Shows the page as it is now."""
        self.show_desk(self.facts(self.at))

    def show_desk(self, facts: dict[str, str]) -> None:
        """Shows the map and the decision."""
        if self.mine and self.decision is None and self._loading != self.room.live:
            self._loading = self.room.live
            asyncio.get_running_loop().create_task(self._load(self.room.live))
        options = self.decision.options() if self.decision and self.mine else []
        self.board.show(jack_message(self.room, self.at, facts, self.decision if self.mine else None))
        self._show_cards(facts)
        self._show_decision(options, facts)
        self._show_answers()

    async def _load(self, node: int) -> None:
        """The legal decisions, by the ten thousand: not on the event loop, and never sent as a whole."""
        legal = await self.room.legal_moves(node)
        decision = await asyncio.to_thread(lambda: Decision(self.allowed(legal)))
        self._loading = -1
        if self.room.live == node and not self.room.over and self.room.to_move in self.sides:
            self.decision = decision
            self.show()

    def play_steps(self, pace: float | None = None, *, own: bool = False) -> None:
        """Plays the decision that led to what is looked at; of one's own only what the witness said."""
        parent = self.room.tree[self.at].parent
        if parent is None:
            return
        steps = step_messages(self.room, self.at, self.facts(parent))
        if own:
            steps = steps[1 + len(happenings(self.room.tree[self.at].move)) :]
        seconds = FRAME_SECONDS if pace is None else min(FRAME_SECONDS, 0.8 * pace / max(len(steps), 1))
        if steps:
            self.board.play(steps, seconds)

    @property
    def has_card(self) -> bool:
        """Whether something has been chosen."""
        return bool(self.decision and self.decision.chosen)

    def prompt(self) -> str:
        """What is asked for next, in words."""
        decision = self.decision
        if decision is None or not decision.chosen:
            return "Your turn: choose a card."
        if decision.accused:
            name = CHARACTERS[decision.accused].name
            return f"This accuses {name}. If {name} is not Jack, you lose at once."
        if decision.text:
            return "Confirm it, or go on." if decision.options() else "Confirm it, or undo."
        cells = {cell.name: index for index, cell in enumerate(self.room.game.board().cells)}
        return question(decision, cells)

    def _show_answers(self) -> None:
        self.confirm.set_visibility(self.mine)
        self.back.set_visibility(self.mine)
        self.confirm.set_enabled(bool(self.decision and self.decision.text))
        accused = self.decision.accused if self.decision else ""
        name = CHARACTERS[accused].name if accused else ""
        self.confirm.set_text(f"Accuse {name}: if wrong, you lose at once" if accused else "Confirm")
        self.confirm.props("color=negative icon=gavel" if accused else "color=primary icon=check")
        self.back.set_enabled(self.has_card)

    def _show_decision(self, options: list[str], facts: dict[str, str]) -> None:
        self.words.clear()
        self.choices.clear()
        self.preview.set_content("")
        decision = self.decision
        if not self.mine or decision is None or not decision.chosen:
            return
        with self.words:
            for at, word in enumerate(decision.chosen):
                if word not in (">", ":"):
                    ui.label(word_text(word, decision.chosen[:at])).classes("crumb")
        board = self.room.game.board()
        cells = {cell.name for cell in board.cells if cell.kind != "exit"}
        with self.choices:
            for word in options:
                if word not in cells:
                    ui.button(
                        word_text(word, decision.chosen), on_click=lambda _, word=word: self._choose(word)
                    ).props("outline no-caps dense").mark(f"choice-{word}")
        if not decision.accused and "exit" not in decision.chosen:
            state = self.room.state(self.at)
            found = foreseen(board, state.pieces(), decision.chosen, suspects_of(facts))
            turn = int(facts["turn"])
            self.preview.set_content(
                preview_html(
                    found,
                    facts,
                    ends=facts["step"] == "3",
                    called=called_after(self.room, turn),
                    side=self.room.to_move,
                )
            )

    def _show_cards(self, facts: dict[str, str]) -> None:
        self.cards.clear()
        self.cards.classes(add="chosen" if self.has_card else "", remove="" if self.has_card else "chosen")
        hand = hand_of(self.room, self.at, facts)
        chosen = self.decision.chosen[:1] if self.decision and self.mine else ()
        with self.cards:
            for name, by in hand:
                who = CHARACTERS[name]
                able = self.mine and self.decision is not None and not by
                looks = ["role-card", *(["taken"] if name in chosen else []), *(["used"] if by else [])]
                card = ui.element("button").classes(" ".join(looks))
                card.props(f'aria-label="{escape(who.name)}"' + ("" if able else " disabled")).mark(
                    f"card-{name}"
                )
                card.style(f"--tone: {who.colour}")
                card.on("click", lambda _, name=name: self._choose_card(name))
                with card:
                    ui.html(face(name), sanitize=False)
                    ui.label(who.name).classes("role-name")
                    ui.label(f"played by {role_name(by)}" if by else POWERS[name]).classes("soft small")

    # Deciding

    def _clicked(self, word: str, node: int) -> None:
        if node == self.room.live:
            self._choose(word)

    def _choose_card(self, name: str) -> None:
        if self.mine and self.decision is not None:
            self.decision.clear()
            self._choose(name)

    def _choose(self, word: str) -> None:
        if not self.mine or self.decision is None:
            return
        try:
            self.decision.choose(word)
        except ValueError as error:
            complain(error)
        self.show()

    def _back(self) -> None:
        if self.decision is not None:
            self.decision.back()
            self.show()

    async def _confirm(self) -> None:
        decision, node = self.decision, self.room.live
        if not self.mine or decision is None or (text := decision.text) is None:
            return
        if decision.accused:
            name = CHARACTERS[decision.accused].name
            if not await ask(f"Accuse {name}? If {name} is not Jack, you lose at once.", "Accuse"):
                return
            # Whoever hesitates may have run out of time meanwhile.
            if not self.mine or self.room.live != node:
                return
        try:
            self.room.play(text)
        except ValueError as error:
            complain(error)
            return
        self.played()

    def played(self) -> None:
        """What happens when a decision has been made here."""
