"""What stands around the map: the turn track, the cards, who is suspected, the preview and the legend."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from html import escape

from coppice.board.cells import Board, Cell, Piece, Side
from coppice.board.jack_map import CHARACTERS
from coppice.board.scene import SceneOptions, item_of, scene
from coppice.board.svg import items_svg
from coppice.web.game_room import SIDES, GameRoom
from coppice.web.jack_facts import (
    TURNS,
    Foreseen,
    called_after,
    cards_used,
    innocents,
    names_of,
    suspects_of,
)
from coppice.web.jack_story import named

__all__ = ["face", "hand_of", "known_html", "legend_html", "preview_html", "role_name", "track_html"]


def role_name(side: str) -> str:
    """A side as it is called within a sentence."""
    return f"the {side.lower()}" if side == "Detective" else side


def face(name: str, *states: str) -> str:
    """A character as on the map."""
    drawn = items_svg([item_of(Piece("token", None, (0,), name, states=states))], coloured=False)
    return f'<svg class="face" viewBox="-0.45 -0.45 0.9 0.9" aria-hidden="true">{drawn}</svg>'


_EYE = "M-8 0C-4 -6 4 -6 8 0C4 6 -4 6 -8 0Z"


def _eye(state: str, title: str) -> str:
    """The witness of a turn: still to come, `seen` or `unseen`."""
    inside = '<circle r="2.6"/>' if state != "unseen" else '<path d="M-8 6L8 -6"/>'
    return (
        f'<svg class="eye {state}" viewBox="-10 -8 20 16" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><path d='{_EYE}'/>{inside}</svg>"
    )


def track_html(
    room: GameRoom, node: int, facts: dict[str, str], calls: Sequence[tuple[str, str, list[str]]]
) -> str:
    """All turns: which lamp goes out, when the witness is called and what was said; who picks in this one."""
    now = int(facts["turn"])
    said = {int(turn): witness for turn, witness, _ in calls}
    lamps = {number for _, _, number in (entry.partition(":") for entry in names_of(facts["lamps"]))}
    turns = []
    for turn in range(1, TURNS + 1):
        when = "past" if turn < now else "now" if turn == now else "later"
        signs = ""
        if str(turn) in lamps:
            signs += (
                f'<span class="tile" role="img" title="Lamp {turn} goes out after this turn"'
                f' aria-label="lamp {turn} goes out after this turn">{turn}</span>'
            )
        if turn in said:
            word = "seen" if said[turn] == "visible" else "unseen"
            signs += _eye(word, f"Jack was {'seen' if word == 'seen' else 'not seen'}")
        elif called_after(room, turn):
            signs += _eye("todo", "the witness is called after this turn")
        elif turn == TURNS:
            signs += '<span class="end" title="Jack wins if this turn ends">end</span>'
        current = ' aria-current="step"' if when == "now" else ""
        turns.append(f'<li class="{when}"{current}><b>{turn}</b><span class="signs">{signs}</span></li>')
    return (
        f'<ol class="track" aria-label="Turns">{"".join(turns)}</ol>'
        f'<div class="picks">{_picks(room, node, now)}</div>{_rest(facts, now)}'
    )


def _picks(room: GameRoom, node: int, turn: int) -> str:
    used = cards_used(room, node)
    # The detective begins in odd turns, Jack in even ones; the other side has the two in the middle.
    order: list[Side] = [SIDES[(turn + (step in (1, 2)) + 1) % 2] for step in range(4)]
    parts = []
    for step, side in enumerate(order):
        name = room.game.sides[SIDES.index(side)]
        if step < len(used):
            who = used[step][0]
            inside, when, words = face(who), "done", f"{name} played {CHARACTERS[who].name}"
        else:
            here = step == len(used) and not room.positions[node].outcome
            inside, when = "", "now" if here else "later"
            words = f"{name} picks now" if here else f"{name} picks later"
        parts.append(
            f'<span class="pick {side} {when}" title="{escape(words)}">{inside}'
            f'<span class="small">{escape(name)}</span></span>'
        )
    return "".join(parts)


def _rest(facts: dict[str, str], turn: int) -> str:
    coming = names_of(facts.get("next", ""))
    left, mine, theirs = (
        escape(facts[key]) for key in ("alibis_left", "alibis_of_detective", "alibis_of_jack")
    )
    following = (
        "Next turn: " + "".join(f'<span title="{CHARACTERS[who].name}">{face(who)}</span>' for who in coming)
        if coming
        else "Next turn: four new cards"
        if turn < TURNS
        else "The last turn"
    )
    return (
        f'<div class="rest small soft"><span class="coming">{following}</span>'
        f"<span>{left} alibi cards left · detective {mine} · Jack {theirs}</span></div>"
    )


def preview_html(found: Foreseen, facts: dict[str, str], *, ends: bool, called: bool, side: Side) -> str:
    """What follows if a decision stops here: who is seen, and whom the detective would still suspect."""
    suspects = suspects_of(facts)

    def looks(name: str, what: str) -> list[str]:
        return [*(["visible"] if what == "seen" else []), *(["cleared"] if name not in suspects else [])]

    def row(title: str, names: Sequence[str], what: str) -> str:
        known = [
            f'<span class="who{"" if name in suspects else " cleared"}" title="{CHARACTERS[name].name}">'
            f"{face(name, *looks(name, what))}</span>"
            for name in names
        ]
        return (
            f'<div class="preview-row {what}" data-names="{",".join(names)}">'
            f'<span class="small">{title}</span>'
            f"<span>{''.join(known) or '<span class=soft>nobody</span>'}</span></div>"
        )

    jack = facts.get("jack", "")
    told = ""
    if side == "second" and jack:
        told = (
            f"<b>You ({CHARACTERS[jack].short}) {'are seen' if jack in found.seen else 'stay unseen'}.</b> "
        )
    if called:
        told += (
            f"If the witness says <b>seen</b>, {_left(found.if_seen)}; "
            f"if <b>not seen</b>, {_left(found.if_unseen)}."
        )
    else:
        told += "No witness is called after this turn."
    head = "The turn ends here" if ends else "If the turn ended like this"
    return (
        f'<div class="small strong">{head}</div>'
        f"{row('Seen', found.seen, 'seen')}{row('Unseen', found.unseen, 'unseen')}"
        f'<p class="small" data-if-seen="{",".join(found.if_seen)}" '
        f'data-if-unseen="{",".join(found.if_unseen)}">{told}</p>'
    )


def _left(names: Sequence[str]) -> str:
    if not names:
        return "nobody is left, so it cannot be"
    return f"{len(names)} left: {escape(named(names))}"


def known_html(facts: dict[str, str], sides: set[Side], over: bool) -> str:
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
        states = [
            *(["cleared"] if state == "innocent" else []),
            *(["jack"] if is_jack else []),
            *(["visible"] if name in visible else []),
        ]
        rows.append(
            f'<div class="suspect {state.lower()}">{face(name, *states)}'
            f'<span class="grow">{escape(who.name)}</span>'
            f'<span class="soft small">{state}{held} · {seen}</span></div>'
        )
    return "".join(rows)


_LEGEND: tuple[tuple[str, str], ...] = (
    ("street lit", "street in the light"),
    ("street", "street in the dark"),
    ("lamp lit", "lit lamp; goes out after this turn"),
    ("lamp out", "lamp that is out"),
    ("manhole", "open manhole: one step to every other"),
    ("cover", "covered manhole"),
    ("exit", "exit"),
    ("cordon", "exit closed by a cordon"),
    ("token", "suspect"),
    ("token visible", "seen: in the light or next to somebody"),
    ("token cleared", "innocent"),
    ("token jack", "Jack, for those who know"),
    ("building", "house: only Miss Stealthy passes"),
    ("garden", "garden: the same"),
)


@functools.cache
def legend_html() -> str:
    """Every sign of the map with what it means."""
    entries = "".join(f"<li>{_sign(*kind.split())}<span>{text}</span></li>" for kind, text in _LEGEND)
    return f'<ul class="legend">{entries}</ul>'


def _sign(kind: str, state: str = "") -> str:
    ground = {"lamp": "lamp", "cover": "manhole", "cordon": "exit", "token": "street"}.get(kind, kind)
    board = Board("hex_flat", (Cell("NW" if ground == "exit" else "", 0.0, 0.0, ground),))
    pieces = []
    if kind in ("lamp", "cover", "cordon", "token"):
        states = (state,) if state else ()
        number = 1 if (kind, state) == ("lamp", "lit") else None
        pieces = [Piece(kind, None, (0,), "bert" if kind == "token" else "", number, states)]
    drawn = items_svg(scene(board, pieces, SceneOptions(coordinates=False)).items, coloured=False)
    if state == "lit" and kind == "street":
        drawn = drawn.replace('class="cell street"', 'class="cell street lit"')
    return f'<svg viewBox="-0.68 -0.6 1.36 1.2" aria-hidden="true">{drawn}</svg>'


def hand_of(room: GameRoom, node: int, facts: dict[str, str]) -> list[tuple[str, str]]:
    """The four cards of a turn: those still face up, and those that were played with who did."""
    hand = [(name, "") for name in names_of(facts.get("hand", ""))]
    used = [
        (name, room.game.sides[SIDES.index(side)])
        for name, side in cards_used(room, node)
        if name not in names_of(facts.get("hand", ""))
    ]
    order = list(CHARACTERS)
    return sorted([*hand, *used], key=lambda entry: order.index(entry[0]))
