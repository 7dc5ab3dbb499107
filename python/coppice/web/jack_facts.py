"""What a browser may know of a game of Mr Jack, and what follows from that: the only door to its secrets."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from coppice.board.cells import Board, Piece, Side
from coppice.board.jack_light import decided, seen, words_in
from coppice.board.jack_map import CHARACTERS
from coppice.core.spec import Spec
from coppice.web.game_room import GameRoom

__all__ = [
    *("Foreseen", "called_after", "cards_used", "facts_for", "foreseen", "innocents"),
    *("known_of", "names_of", "suspects_of", "witness_calls"),
]

TURNS = 8


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


def suspects_of(facts: dict[str, str]) -> list[str]:
    """Whom the detective suspects, as far as who has these facts can tell."""
    if "suspects" in facts:
        return names_of(facts["suspects"])
    return [name for name in CHARACTERS if name not in names_of(facts.get("innocent", ""))]


def known_of(facts: dict[str, str], over: bool, visible: Sequence[str] | None = None) -> dict[str, list[str]]:
    """What these facts tell of each character; in a position in the making others are `visible`.

    Who is Jack is among the facts of whoever may know it only.
    """
    found: dict[str, list[str]] = {name: [] for name in CHARACTERS}
    for name in names_of(facts.get("visible", "")) if visible is None else visible:
        found[name].append("visible")
    for name in innocents(facts, over):
        found[name].append("cleared")
    if jack := facts.get("jack", ""):
        found[jack].append("jack")
    return found


def called_after(room: GameRoom, turn: int) -> bool:
    """Whether the witness is called after a turn."""
    return turn < TURNS and (_every_turn(room.game.spec) or turn % 2 == 0)


@functools.lru_cache(maxsize=16)
def _every_turn(spec: str) -> bool:
    return str(Spec.parsed(spec)["witness"]) == "every_turn"


def cards_used(room: GameRoom, node: int) -> list[tuple[str, Side]]:
    """The cards that have been played in the turn of a node, and by whom."""
    found: list[tuple[str, Side]] = []
    turn = room.state(node).view("first")["turn"]
    for before, after in reversed(list(itertools.pairwise(room.tree.path(node)))):
        if room.state(before).view("first")["turn"] != turn:
            break
        found.append((words_in(room.tree[after].move)[0], room.positions.to_move(before)))
    return found[::-1]


@dataclass(frozen=True)
class Foreseen:
    """A position in the making: what is lit, and what a witness would tell of it."""

    pieces: list[Piece]
    seen: list[str]
    unseen: list[str]
    if_seen: list[str]
    """Whom the detective would still suspect if the witness had seen Jack."""
    if_unseen: list[str]
    """And if not."""


def foreseen(
    board: Board, pieces: Sequence[Piece], words: Sequence[str], suspects: Sequence[str]
) -> Foreseen:
    """What a position would be after the words of a decision, for who has these suspects."""
    after = decided(board, pieces, words)
    visible = seen(board, after)
    return Foreseen(
        after,
        visible,
        [name for name in CHARACTERS if name not in visible],
        [name for name in suspects if name in visible],
        [name for name in suspects if name not in visible],
    )


def witness_calls(room: GameRoom, node: int) -> list[tuple[str, str, list[str]]]:
    """Of each turn after which there was a call: its number, what was said, and who was visible then."""
    calls: list[tuple[str, str, list[str]]] = []
    path, board = room.tree.path(node), room.game.board()
    # All of it was said and seen openly.
    views = [room.state(node).view("first") for node in path]
    for (before, after), (was, now) in zip(itertools.pairwise(path), itertools.pairwise(views), strict=True):
        if was["turn"] != now["turn"] and called_after(room, int(was["turn"])):
            # The gaslight of the turn goes out after the call only.
            made = decided(board, room.state(before).pieces(), words_in(room.tree[after].move))
            calls.append((was["turn"], now["witness"], seen(board, made)))
    return calls
