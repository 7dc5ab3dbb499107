"""The page of Mr Jack: the map, a decision built step by step, and what its side may know, nothing else."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from nicegui import ui
from nicegui.client import Client

from coppice.board.cells import Board, Piece, Side
from coppice.board.jack_map import CHARACTERS, DIRECTIONS, neighbour
from coppice.board.scene import SceneOptions, item_of
from coppice.board.svg import items_svg
from coppice.web.boards import BoardView, Shown
from coppice.web.frame import ask, complain, framed
from coppice.web.game_room import SIDES, GameRoom
from coppice.web.invitation import Sharing
from coppice.web.lobby import Lobby

__all__ = ["Decision", "JackPage", "facts_for", "jack_message", "witness_calls", "word_text"]

POWERS = {
    "holmes": "takes an alibi card",
    "watson": "shines the lantern in one direction",
    "smith": "moves a lit lamp",
    "lestrade": "moves a cordon",
    "stealthy": "walks through buildings",
    "goodley": "whistles others closer",
    "gull": "changes places with somebody",
    "bert": "moves a manhole cover",
}
WORDS = {
    "lamp": "Move a lamp",
    "cordon": "Move a cordon",
    "cover": "Move a manhole cover",
    "whistle": "Blow the whistle",
    "swap": "Change places",
    "exit": "Leave the district",
    "accuse": "Accuse",
    "facing": "Shine the lantern",
    "nobody": "Nobody comes",
}
COMPASS = {
    "N": "North",
    "NE": "North-east",
    "SE": "South-east",
    "S": "South",
    "SW": "South-west",
    "NW": "North-west",
}


class Decision:
    """A decision that is being built: words are chosen until they are a legal decision."""

    def __init__(self, legal: Sequence[str]) -> None:
        self._legal = {tuple(re.findall(r"[^\s>:]+|[>:]", text)): text for text in legal}
        self.chosen: tuple[str, ...] = ()
        self._steps: list[int] = []

    def options(self) -> list[str]:
        """The words that may come next."""
        at = len(self.chosen)
        found = (words[at] for words in self._legal if len(words) > at and words[:at] == self.chosen)
        return list(dict.fromkeys(found))

    @property
    def text(self) -> str | None:
        """The legal decision that has been chosen, if it is complete."""
        return self._legal.get(self.chosen)

    def choose(self, word: str) -> None:
        """Adds a word, and those after it that are the only way on."""
        if word not in self.options():
            raise ValueError(f"'{word}' is not possible here: {', '.join(self.options()[:12])}")
        self._steps.append(len(self.chosen))
        self.chosen += (word,)
        while self.text is None and len(options := self.options()) == 1:
            self.chosen += (options[0],)

    def back(self) -> None:
        """Takes the last choice back."""
        if self._steps:
            self.chosen = self.chosen[: self._steps.pop()]

    def clear(self) -> None:
        """Begins again."""
        self.chosen, self._steps = (), []

    @property
    def asks_direction(self) -> bool:
        """Whether the next word says where the lantern shines; exits have the names of directions, too."""
        return _is_direction(self.chosen)

    def accusing(self) -> list[str]:
        """The next words after which only an accusation is left."""
        at = len(self.chosen)
        after: dict[str, set[str]] = {}
        for words in self._legal:
            if len(words) > at and words[:at] == self.chosen:
                after.setdefault(words[at], set()).add(words[at + 1] if len(words) > at + 1 else "")
        return [word for word, later in after.items() if later == {"accuse"}]

    @property
    def accused(self) -> str:
        """Whom the decision accuses, if it accuses somebody."""
        return self.chosen[-1] if self.chosen[-2:-1] == ("accuse",) else ""

    def planned(self, cells: dict[str, int], places: dict[str, int]) -> dict[str, int]:
        """Where characters will stand after what has been chosen, as far as they move."""
        words, found = self.chosen, dict[str, int]()
        actor, rest = words[0], list(words[1:])
        while rest:
            word = rest.pop(0)
            if word in cells:
                found[actor] = cells[word]
            elif word == "swap" and rest:
                found[rest[0]] = found.get(actor, places[actor])
                found[actor] = places[rest.pop(0)]
            elif word in places and len(rest) > 1:
                # Whistled for: the name, an arrow and the street.
                found[word] = cells[rest[1]]
                del rest[:2]
            elif word in ("facing", ":", "accuse"):
                del rest[:1]
            elif word in ("lamp", "cordon", "cover"):
                del rest[:3]
        return found


def facts_for(room: GameRoom, node: int, sides: set[Side]) -> dict[str, str]:
    """What a browser may know: its side's view, or what both sides know; everything once the game is over."""
    state = room.state(node)
    first, second = state.view("first"), state.view("second")
    own = {name: value for name, value in first.items() if second.get(name) == value}
    if len(sides) == 1:
        own = first if "first" in sides else second
    return {**first, **second, **own} if room.over else own


def names_of(text: str) -> list[str]:
    """A list of the core; `-` is an empty one."""
    return [name for name in text.split(",") if name and name != "-"]


def innocents(facts: dict[str, str], over: bool) -> list[str]:
    """Who is innocent by these facts: the detective's alibis count, and after the game all but Jack."""
    if over:
        return [name for name in CHARACTERS if name != facts["jack"]]
    if "suspects" in facts:
        return [name for name in CHARACTERS if name not in names_of(facts["suspects"])]
    return names_of(facts.get("innocent", ""))


def jack_message(room: GameRoom, node: int, facts: dict[str, str], decision: Decision | None) -> Shown:
    """The map as its board shows it: what stands there openly, and the cells of the next words."""
    state = room.state(node)
    board = room.game.board()
    cells = {cell.name: index for index, cell in enumerate(board.cells)}
    at = dict(entry.split(":") for entry in names_of(facts.get("at", "")))
    places = {name: cells[place] for name, place in at.items() if place in cells}
    pieces = state.pieces()
    moves: list[tuple[str, list[int]]] = []
    danger: list[int] = []
    parent = room.tree[node].parent
    last = [] if parent is None else room.state(parent).move_cells(room.tree[node].move)
    if decision is not None and decision.chosen:
        # While somebody decides, rings are choices.
        last = []
        planned = decision.planned(cells, places)
        for name, place in planned.items():
            # Who accuses is not drawn over the accused.
            if not any(place == there and who not in planned for who, there in places.items()):
                pieces.append(Piece("token", None, (place,), name, states=("planned",)))
        targets = {**cells, **places}
        if decision.asks_direction:
            bearer = planned.get("watson", places["watson"])
            targets = _around(board, bearer)
            pieces += [Piece("aim", None, (bearer,), word) for word in targets]
        moves = [(word, [targets[word]]) for word in decision.options() if word in targets]
        danger = [targets[word] for word in decision.accusing() if word in targets]
    # From where, to where, then what the power touches.
    options = SceneOptions(last=last[1:2], known=known_of(facts, room.over))
    return Shown(node, pieces, state.to_move, room.game.sides, options, moves, choose=True, danger=danger)


def known_of(facts: dict[str, str], over: bool) -> dict[str, list[str]]:
    """What these facts tell of each character. Who is Jack is among those of whoever may know it only."""
    found: dict[str, list[str]] = {name: [] for name in CHARACTERS}
    for name in names_of(facts.get("visible", "")):
        found[name].append("visible")
    for name in innocents(facts, over):
        found[name].append("cleared")
    if jack := facts.get("jack", ""):
        found[jack].append("jack")
    return found


def _around(board: Board, index: int) -> dict[str, int]:
    """The next cell in each direction; an exit stands for none, as it would be taken for a way out."""
    next_cells = {word: neighbour(board, index, word) for word in DIRECTIONS}
    return {
        word: cell
        for word, cell in next_cells.items()
        if cell is not None and board.cells[cell].kind != "exit"
    }


def witness_calls(room: GameRoom, node: int, sides: set[Side]) -> list[tuple[str, str, list[str]]]:
    """Of each turn after which there was a call: its number, what was said, and who was visible then."""
    calls: list[tuple[str, str, list[str]]] = []
    path = room.tree.path(node)
    for before, after in itertools.pairwise(path):
        was, now = facts_for(room, before, sides), facts_for(room, after, sides)
        if was["turn"] != now["turn"] and (
            "witness=every_turn" in room.game.spec or int(was["turn"]) % 2 == 0
        ):
            seen = _seen_at_the_call(room.game.board(), was, room.tree[after].move, now)
            calls.append((was["turn"], now["witness"], seen))
    return calls


def _seen_at_the_call(board: Board, was: dict[str, str], move: str, now: dict[str, str]) -> list[str]:
    """Who was visible when a turn had ended: the gaslight of the turn goes out after the call only."""
    seen = set(names_of(now["visible"]))
    tiles = {number: lamp for lamp, number in (entry.split(":") for entry in names_of(was["lamps"]))}
    if lamp := tiles.get(was["turn"]):
        moved = re.search(rf"\blamp {lamp}>(\w+)", move)
        index = next(i for i, cell in enumerate(board.cells) if cell.name == (moved[1] if moved else lamp))
        around = {board.cells[cell].name for cell in _around(board, index).values()}
        seen |= {name for name, at in (entry.split(":") for entry in names_of(now["at"])) if at in around}
    return [name for name in CHARACTERS if name in seen]


class JackPage:
    """One browser's view of a game with secrets."""

    def __init__(self, lobby: Lobby, room: GameRoom, token: str, client: Client) -> None:
        self.lobby = lobby
        self.room = room
        self.token = token
        self.sides = room.side_of(token)
        self.client = client
        self.sharing = Sharing(lobby.settings, client)
        self.decision: Decision | None = None
        self._node = -1
        self._loading = -1

    @property
    def mine(self) -> bool:
        """Whether this browser decides now."""
        return not self.room.over and self.room.to_move in self.sides

    def build(self) -> None:
        """Makes the page."""
        with framed("Mr Jack", wide=True), ui.element("div").classes("game jack"):
            with ui.element("div").classes("board-side"):
                facts = facts_for(self.room, self.room.live, self.sides)
                message = jack_message(self.room, self.room.live, facts, None)
                self.board = BoardView(self.room.game, message, on_move=self._clicked)
                self.board.mark("board")
                self.cards = ui.element("div").classes("hand").mark("hand")
            with ui.element("aside").classes("panels"):
                with ui.element("section").classes("panel status"):
                    self.title = ui.label("").classes("panel-title").mark("role")
                    self.status = ui.label("").classes("status-text").props("aria-live=polite").mark("status")
                    self.unsaved = ui.label("").classes("unsaved small").props("role=alert").mark("unsaved")
                    self.banner = ui.element("div").classes("banner")
                    self.words = ui.element("div").classes("crumbs").mark("decision")
                    self.choices = ui.element("div").classes("choices").mark("choices")
                    with ui.element("div").classes("buttons"):
                        self.confirm = ui.button("Confirm", icon="check", on_click=self._confirm)
                        self.confirm.props("unelevated no-caps dense").mark("confirm")
                        self.back = ui.button("Undo", icon="undo", on_click=self._back)
                        self.back.props("flat no-caps dense").mark("undo")
                        self.give_up = ui.button("Resign", icon="flag", on_click=self._resign)
                        self.give_up.props("flat no-caps dense").mark("resign")
                        self.again = ui.button("Rematch", icon="replay", on_click=self._rematch)
                        self.again.props("flat no-caps dense").mark("rematch")
                with ui.element("section").classes("panel"):
                    ui.label("What you know").classes("panel-title")
                    self.known = ui.html("", sanitize=False).mark("known")
                    self.calls = ui.html("", sanitize=False).classes("calls follow").mark("calls")
                with ui.element("section").classes("panel"):
                    ui.label("What has happened").classes("panel-title")
                    self.story = ui.html("", sanitize=False).classes("story follow").mark("story")
                    ui.link("How to play", "/rules/mr_jack").classes("small")
        self.room.listeners.add(self.refresh)
        self.client.on_delete(lambda: self.room.listeners.discard(self.refresh))
        self.refresh()
        self._remember()

    def _remember(self) -> None:
        if self.sides:
            side = self.room.game.sides[SIDES.index(next(iter(self.sides)))]
            url = f"/game/{self.room.identity}?{urlencode({'seat': self.token})}"
            entry = f"{{url: '{url}', game: 'Mr Jack', what: '{side}'}}"
            self.client.run_javascript(f"window.coppiceRemember && coppiceRemember({entry})")

    # Showing

    def refresh(self) -> None:
        """Shows the room as it is now."""
        room = self.room
        if room.live != self._node:
            self._node = room.live
            self.decision = None
        if self.mine and self.decision is None and self._loading != room.live:
            self._loading = room.live
            asyncio.get_running_loop().create_task(self._load(room.live))
        self._show()
        if room.next and self.sides:
            self.client.open(f"/game/{room.next}?{urlencode({'seat': self.token})}")

    async def _load(self, node: int) -> None:
        """The legal decisions, by the ten thousand: not on the event loop, and never sent as a whole."""
        legal = await self.room.legal_moves(node)
        self._loading = -1
        if self.room.live == node and self.mine:
            self.decision = Decision(legal)
            self._show()

    def _show(self) -> None:
        room = self.room
        facts = facts_for(room, room.live, self.sides)
        options = self.decision.options() if self.decision and self.mine else []
        self.board.show(jack_message(room, room.live, facts, self.decision if self.mine else None))
        self._show_status(facts)
        self._show_decision(options)
        self._show_cards(facts)
        self.known.set_content(_known_html(facts, self.sides, room.over))
        self.calls.set_content(_calls_html(witness_calls(room, room.live, self.sides)))
        self.story.set_content(_story_html(room))

    @property
    def _has_card(self) -> bool:
        return bool(self.decision and self.decision.chosen)

    def _show_status(self, facts: dict[str, str]) -> None:
        room = self.room
        names = room.game.sides
        role = names[SIDES.index(next(iter(self.sides)))] if len(self.sides) == 1 else "You are watching"
        self.title.set_text(f"Mr Jack: you are {_role(role)}" if self.sides else f"Mr Jack: {role.lower()}")
        if room.over:
            text = f"{room.result_text()} Jack was {CHARACTERS[facts['jack']].name}."
        elif self.mine:
            text = self._next_words()
        else:
            text = f"Turn {facts.get('turn', '')} of 8. {names[SIDES.index(room.to_move)]} is thinking."
        self.status.set_text(text)
        self.unsaved.set_text(self.lobby.trouble)
        self.unsaved.set_visibility(bool(self.lobby.trouble))
        self.confirm.set_visibility(self.mine)
        self.back.set_visibility(self.mine)
        self.confirm.set_enabled(bool(self.decision and self.decision.text))
        accused = self.decision.accused if self.decision else ""
        name = CHARACTERS[accused].name if accused else ""
        self.confirm.set_text(f"Accuse {name}: if wrong, you lose at once" if accused else "Confirm")
        self.confirm.props("color=negative icon=gavel" if accused else "color=primary icon=check")
        self.back.set_enabled(self._has_card)
        self.give_up.set_visibility(bool(self.sides) and not room.over)
        self.again.set_visibility(bool(self.sides) and room.over)
        self.banner.clear()
        open_seats = [seat for seat in (room.seats or {}).values() if seat.invitation]
        if open_seats and self.sides:
            with self.banner:
                self.sharing.invite(room.identity, open_seats[0].invitation)

    def _next_words(self) -> str:
        decision = self.decision
        if decision is None or not decision.chosen:
            return "Your turn: choose a card."
        if decision.accused:
            name = CHARACTERS[decision.accused].name
            return f"This accuses {name}. If {name} is not Jack, you lose at once."
        if decision.text:
            return "Confirm it, or go on."
        name = CHARACTERS[decision.chosen[0]].name
        options = decision.options()
        if decision.asks_direction:
            return f"{name}: where does the lantern shine?"
        if any(option not in WORDS and option not in CHARACTERS for option in options):
            warning = " A dashed red ring is an accusation." if decision.accusing() else ""
            return f"{name}: where to? Possible places are marked on the map.{warning}"
        return f"{name}: what next?"

    def _show_decision(self, options: list[str]) -> None:
        self.words.clear()
        self.choices.clear()
        decision = self.decision
        if not self.mine or decision is None:
            return
        with self.words:
            for at, word in enumerate(decision.chosen):
                if word not in (">", ":"):
                    ui.label(word_text(word, decision.chosen[:at])).classes("crumb")
        if not decision.chosen:
            return
        cells = {cell.name for cell in self.room.game.board().cells if cell.kind != "exit"}
        with self.choices:
            for word in options:
                if word not in cells:
                    ui.button(
                        word_text(word, decision.chosen), on_click=lambda _, word=word: self._choose(word)
                    ).props("outline no-caps dense").mark(f"choice-{word}")

    def _show_cards(self, facts: dict[str, str]) -> None:
        self.cards.clear()
        with self.cards:
            hand = names_of(facts.get("hand", ""))
            chosen = self.decision.chosen[:1] if self.decision else ()
            for name in hand:
                who = CHARACTERS[name]
                able = self.mine and self.decision is not None
                card = ui.element("button").classes("role-card" + (" taken" if name in chosen else ""))
                card.props(f'aria-label="{escape(who.name)}"' + ("" if able else " disabled")).mark(
                    f"card-{name}"
                )
                card.style(f"--tone: {who.colour}")
                card.on("click", lambda _, name=name: self._choose_card(name))
                with card:
                    ui.html(_face(name), sanitize=False)
                    ui.label(who.name).classes("role-name")
                    ui.label(POWERS[name]).classes("soft small")

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
        self._show()

    def _back(self) -> None:
        if self.decision is not None:
            self.decision.back()
            self._show()

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
        self.lobby.wake(self.room)

    async def _resign(self) -> None:
        if self.sides and not self.room.over and await ask("Resign this game?", "Resign"):
            self.room.resign(next(iter(self.sides)))

    def _rematch(self) -> None:
        if self.sides and self.room.over:
            if self.room.next is None:
                self.room.next = self.lobby.open(self.room.rematch()).identity
            self.room.changed()


def _role(name: str) -> str:
    return f"the {name.lower()}" if name == "Detective" else name


def _face(name: str, innocent: bool = False, jack: bool = False) -> str:
    """A character as on the map."""
    states = [word for word, true in (("cleared", innocent), ("jack", jack)) if true]
    drawn = items_svg([item_of(Piece("token", None, (0,), name, states=tuple(states)))], coloured=False)
    return f'<svg class="face" viewBox="-0.37 -0.44 0.84 0.81" aria-hidden="true">{drawn}</svg>'


def word_text(word: str, before: tuple[str, ...]) -> str:
    """A word of a decision as people read it after those before it: NE is a direction or an exit."""
    if word in CHARACTERS:
        return CHARACTERS[word].name
    if word in COMPASS:
        return COMPASS[word] if _is_direction(before) else f"{word} exit"
    return WORDS.get(word, word)


def told(move: str) -> str:
    """A decision as a sentence."""
    words = re.findall(r"[^\s>:]+|[>:]", move)
    parts: list[str] = []
    actor, rest = CHARACTERS[words[0]].name, words[1:]
    while rest:
        match rest:
            case ["lamp" | "cordon" | "cover" as thing, start, ">", goal, *rest]:
                parts.append(f"moves a {thing} from {start} to {goal}")
            case ["facing", direction, *rest]:
                parts.append(f"shines the lantern {COMPASS[direction].lower()}")
            case ["swap", who, *rest]:
                parts.append(f"changes places with {CHARACTERS[who].name}")
            case ["exit", way, *rest]:
                parts.append(f"leaves by the {way} exit")
            case ["accuse", who, *rest]:
                parts.append(f"accuses {CHARACTERS[who].name}")
            case ["whistle", "nobody", *rest]:
                parts.append("whistles, and nobody comes")
            case ["whistle", *rest]:
                parts.append("whistles")
            case [who, ">", street, *rest]:
                parts.append(f"{CHARACTERS[who].name} comes to {street}")
            case [":", direction, *rest]:
                parts.append(f"the lantern shines {COMPASS[direction].lower()}")
            case [street, *rest]:
                parts.append(f"goes to {street}")
    return f"{actor} {', '.join(parts)}."


def _is_direction(before: tuple[str, ...]) -> bool:
    """Whether the word after these says where the lantern shines."""
    return before[-1:] in (("facing",), (":",))


def _known_html(facts: dict[str, str], sides: set[Side], over: bool) -> str:
    """Suspects and alibis, from the facts of one side alone."""
    innocent = innocents(facts, over)
    own = names_of(facts.get("own_alibis", "")) if len(sides) == 1 else []
    visible = names_of(facts.get("visible", ""))
    rows = []
    for name, who in CHARACTERS.items():
        # Who is Jack is among the facts of those who may know it only.
        is_jack = facts.get("jack") == name
        state = "Jack" if is_jack else "innocent" if name in innocent else "suspect"
        held = " · your alibi" if name in own else ""
        seen = "visible" if name in visible else "unseen"
        rows.append(
            f'<div class="suspect {state.lower()}">{_face(name, state == "innocent", is_jack)}'
            f'<span class="grow">{escape(who.name)}</span>'
            f'<span class="soft small">{state}{held} · {seen}</span></div>'
        )
    turn = escape(facts.get("turn", ""))
    left, theirs = escape(facts.get("alibis_left", "")), escape(facts.get("alibis_of_jack", ""))
    head = f'<p class="small soft">Turn {turn} of 8 · {left} alibi cards left · Jack holds {theirs}</p>'
    return f"{head}{''.join(rows)}"


def _calls_html(calls: list[tuple[str, str, list[str]]]) -> str:
    """What the witnesses said, the newest last."""
    lines = "".join(
        f"<li>Turn {escape(turn)}: Jack was {escape(witness)}. Visible: "
        f"{escape(', '.join(CHARACTERS[name].name for name in seen) or 'nobody')}.</li>"
        for turn, witness, seen in calls
    )
    return f"<ul>{lines}</ul>" if lines else '<p class="soft small">No witness yet.</p>'


def _story_html(room: GameRoom) -> str:
    """The decisions so far; they were made openly."""
    lines = []
    path = room.tree.path(room.live)
    for before, after in itertools.pairwise(path):
        side = room.game.sides[SIDES.index(room.positions.to_move(before))]
        lines.append(f"<li><b>{escape(side)}</b>: {escape(told(room.tree[after].move))}</li>")
    return f"<ol>{''.join(lines)}</ol>" if lines else '<p class="soft small">Nothing yet.</p>'
