"""Mr Jack's decisions in prose, and step by step as they are shown again."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from coppice.board.jack_light import words_in
from coppice.board.jack_map import CHARACTERS
from coppice.web.game_room import SIDES, GameRoom
from coppice.web.jack_decision import COMPASS
from coppice.web.jack_facts import called_after

__all__ = ["Happening", "frames", "happenings", "named", "story_html", "told"]


@dataclass(frozen=True)
class Happening:
    """One thing that happens in a decision."""

    words: int
    """How many words of the decision have been read when it has happened."""
    text: str
    """What somebody does: `walks to c5`."""
    called: bool = False
    """Whether it is somebody who hears the whistle."""


def named(names: Sequence[str], empty: str = "nobody") -> str:
    """Characters in a sentence."""
    shown = [CHARACTERS[name].short for name in names]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown) or empty


def happenings(move: str) -> list[Happening]:
    """What happens in a decision, one after the other."""
    words = words_in(move)
    found: list[Happening] = []
    rest = list(words[1:])
    while rest:
        called = False
        match rest:
            case ["lamp" | "cordon" | "cover" as thing, start, ">", goal, *rest]:
                text = f"moves the {thing} from {start} to {goal}"
            case ["facing", direction, *rest]:
                text = f"shines the lantern to the {COMPASS[direction].lower()}"
            case ["swap", who, ":", direction, *rest]:
                lantern = f"turns the lantern to the {COMPASS[direction].lower()}"
                text = f"changes places with {CHARACTERS[who].short} and {lantern}"
            case ["swap", who, *rest]:
                text = f"changes places with {CHARACTERS[who].short}"
            case ["exit", way, *rest]:
                text = f"leaves by the {way} exit"
            case ["accuse", who, *rest]:
                text = f"accuses {CHARACTERS[who].short}"
            case ["whistle", "nobody", *rest]:
                text = "whistles in vain"
            case ["whistle", *rest]:
                continue
            case [who, ">", street, ":", direction, *rest]:
                lantern = f"the lantern to the {COMPASS[direction].lower()}"
                text, called = f"whistles {CHARACTERS[who].short} to {street}, {lantern}", True
            case [who, ">", street, *rest]:
                text, called = f"whistles {CHARACTERS[who].short} to {street}", True
            case [street, *rest]:
                text = f"walks to {street}"
        found.append(Happening(len(words) - len(rest), text, called))
    if words[0] == "holmes" and "accuse" not in words and "exit" not in words:
        found.append(Happening(len(words), "takes an alibi card"))
    return found


def told(move: str) -> str:
    """A decision as a sentence."""
    texts: list[str] = []
    for called, group in itertools.groupby(happenings(move), lambda happening: happening.called):
        heard = [happening.text for happening in group]
        # One whistle, however many hear it.
        texts += (
            [" and ".join([heard[0], *(text.removeprefix("whistles ") for text in heard[1:])])]
            if called
            else heard
        )
    return f"{CHARACTERS[words_in(move)[0]].short} {' and '.join(texts)}."


def story_html(room: GameRoom, at: int, calls: Sequence[tuple[str, str, list[str]]]) -> str:
    """The decisions so far by turn, each with who decided; they were made openly."""
    said = {turn: (witness, visible) for turn, witness, visible in calls}
    parts: list[str] = []
    lines: list[str] = []
    turn = ""
    for number, (before, after) in enumerate(itertools.pairwise(room.tree.path(room.live)), 1):
        now = room.state(before).view("first")["turn"]
        if now != turn:
            parts += [*_list(lines, number), _call(turn, said), f"<h4>Turn {escape(now)}</h4>"]
            turn, lines = now, []
        side = room.game.sides[SIDES.index(room.positions.to_move(before))]
        here = ' class="here"' if after == at else ""
        lines.append(
            f'<li{here} data-node="{after}"><b>{escape(side)}</b>: {escape(told(room.tree[after].move))}</li>'
        )
    parts += _list(lines, len(room.tree.path(room.live)))
    if turn and room.state(room.live).view("first")["turn"] != turn:
        parts.append(_call(turn, said))
    return "".join(parts) or '<p class="soft small">Nothing yet.</p>'


def _list(lines: Sequence[str], following: int) -> list[str]:
    """The decisions of a turn, numbered through the game; `following` is the number after them."""
    return [f'<ol start="{following - len(lines)}">{"".join(lines)}</ol>'] if lines else []


def _call(turn: str, said: dict[str, tuple[str, list[str]]]) -> str:
    if turn not in said:
        return ""
    witness, visible = said[turn]
    word = "was seen" if witness == "visible" else "was not seen"
    return f'<p class="call">The witness: Jack {word}. In sight: {escape(named(visible))}.</p>'


def frames(room: GameRoom, node: int) -> list[tuple[tuple[str, ...], str]]:
    """The steps of the decision that led to a node: the words so far, and what has just happened."""
    parent = room.tree[node].parent
    if parent is None:
        return []
    move = room.tree[node].move
    words, name = words_in(move), CHARACTERS[words_in(move)[0]].short
    side = room.game.sides[SIDES.index(room.positions.to_move(parent))]
    shown = [(words[:1], f"{side} plays {name}.")]
    shown += [(words[: step.words], f"{name} {step.text}.") for step in happenings(move)]
    was, now = room.state(parent).view("first"), room.state(node).view("first")
    if was["turn"] != now["turn"] and called_after(room, int(was["turn"])):
        word = "was seen" if now["witness"] == "visible" else "was not seen"
        shown.append((words, f"Turn {was['turn']} is over. The witness: Jack {word}."))
    return shown
