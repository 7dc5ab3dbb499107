"""How a game ended, in a sentence for people."""

from __future__ import annotations

from coppice.board.cells import Side
from coppice.core.game import Game, State
from coppice.core.search_report import does

__all__ = ["GIVEN_UP", "ending", "won"]

GIVEN_UP = {"resignation": "resigned", "time": "ran out of time"}
"""What the loser did, where a game ended beside the board."""


def ending(state: State) -> str:
    """How a game ended on the board, as a sentence; empty while it goes on."""
    winner = state.outcome
    if winner is None:
        return ""
    if winner == "draw":
        return "The game is drawn."
    words = state.ending
    if words is None:
        # A game from elsewhere says only that it is won.
        return f"{_wins(state.game, winner)}."
    if words.side == winner:
        return f"{_wins(state.game, winner)} by {words.doing}."
    return won(state.game, winner, words.did)


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
