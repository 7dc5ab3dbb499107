"""How a game ended, in a sentence for people."""

from __future__ import annotations

from typing import Literal, NamedTuple

from coppice.board import Side
from coppice.report import does
from coppice.session import Game, State

__all__ = ["ENDINGS", "GIVEN_UP", "Ending", "ending", "won"]


class Ending(NamedTuple):
    """What somebody did, or what befell them, when the game ended."""

    whose: Literal["mover", "next", "first", "second"]
    """The side it is about: who moved last, who would move next, or always the same one."""
    did: str
    """`White wins: Black did.`"""
    doing: str
    """`White wins by doing.`"""


ENDINGS: dict[str, Ending] = {
    "ring": Ending("mover", "closed a ring", "closing a ring"),
    "bridge": Ending("mover", "built a bridge", "building a bridge"),
    "fork": Ending("mover", "built a fork", "building a fork"),
    "crossing": Ending("mover", "reached the last row", "reaching the last row"),
    "capture_all": Ending("mover", "took every piece", "taking every piece"),
    "no_moves": Ending("next", "cannot move", "having no move left"),
    "capture": Ending("mover", "captured first", "capturing first"),
    "suicide": Ending("mover", "played suicide", "playing suicide"),
    "line": Ending("mover", "made a line", "making a line"),
    "arrest": Ending("first", "arrested Jack", "arresting Jack"),
    "false_accusation": Ending("first", "accused the wrong person", "accusing the wrong person"),
    "escape": Ending("second", "escaped", "escaping"),
    "survival": Ending("second", "was not caught in time", "not being caught in time"),
}
"""Every way in which a game of the core can be won. Who wins is not said: in misère the other side does."""

GIVEN_UP = {"resignation": "resigned", "time": "ran out of time"}
"""What the loser did, where a game ended beside the board."""


def ending(state: State) -> str:
    """How a game ended on the board, as a sentence; empty while it goes on."""
    winner = state.outcome
    if winner is None:
        return ""
    if winner == "draw":
        return "The game is drawn."
    known = ENDINGS.get(state.end_kind)
    if known is None:
        # A game from elsewhere says only that it is won.
        return f"{_wins(state.game, winner)}."
    following = state.to_move
    mover: Side = "second" if following == "first" else "first"
    sides: dict[str, Side] = {"next": following, "mover": mover, "first": "first", "second": "second"}
    whose = sides[known.whose]
    if whose == winner:
        return f"{_wins(state.game, winner)} by {known.doing}."
    return won(state.game, winner, known.did)


def won(game: Game, winner: Side, did: str) -> str:
    """The sentence that a side wins because of what the other one did."""
    loser: Side = "second" if winner == "first" else "first"
    return f"{_wins(game, winner)}: {_name(game, loser)} {did}."


def _wins(game: Game, side: Side) -> str:
    name = _name(game, side)
    return does(f"{name[0].upper()}{name[1:]}", "wins")


def _name(game: Game, side: Side) -> str:
    name = game.sides[0 if side == "first" else 1]
    return "the detective" if name == "Detective" else name
