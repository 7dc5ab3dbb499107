"""How a game has ended for who looks at it, in words, and the opponent that comes next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from coppice.board.cells import Side
from coppice.web.game_room import SIDES, Clock, GameRoom, Seat
from coppice.web.levels import Level, levels

__all__ = ["Result", "against", "next_level", "result_of"]


@dataclass(frozen=True)
class Result:
    """A result as one person reads it."""

    verdict: Literal["won", "lost", "drawn", "over"]
    """`over` for who had no side of their own in it."""
    title: str


def result_of(room: GameRoom, sides: set[Side]) -> Result:
    """The result of a room that is over, for who sits on these sides."""
    moves = len(room.tree.moves(room.live))
    after = f"after {moves} move{'' if moves == 1 else 's'}"
    if len(sides) != 1 or room.seats is None:
        return Result("over", f"The game is over {after}")
    (own,) = sides
    opponent = room.seats[_other(own)].name
    if room.winner == "draw":
        return Result("drawn", f"A draw with {opponent} {after}")
    if room.winner == own:
        return Result("won", f"You won against {opponent} {after}")
    return Result("lost", f"You lost to {opponent} {after}")


def next_level(room: GameRoom, sides: set[Side]) -> tuple[str, Level] | None:
    """What to try after this result against the computer: a level up for who won, one down for who lost.

    None where the opponent was no level, or there is none beyond.
    """
    result = result_of(room, sides).verdict
    computer = _computer(room, sides)
    if computer is None or result not in ("won", "lost"):
        return None
    side, seat = computer
    ladder = levels(room.game.spec, side)
    places = [
        place
        for place, level in enumerate(ladder)
        if (level.name, level.player, level.simulations) == (seat.name, seat.player, seat.simulations)
    ]
    if not places:
        return None
    place = places[0] + (1 if result == "won" else -1)
    if not 0 <= place < len(ladder):
        return None
    return ("One level up" if result == "won" else "One level down"), ladder[place]


def against(room: GameRoom, sides: set[Side], level: Level) -> GameRoom:
    """A new room for the same person on the same side, against a level."""
    computer = _computer(room, sides)
    if computer is None or room.seats is None:
        raise ValueError("a level can be chosen where one person plays against the computer")
    side, seat = computer
    seats: dict[Side, Seat] = {one: replace(room.seats[one]) for one in SIDES}
    # The book is for the strongest level; who changes levels is not there yet.
    seats[side] = replace(
        seat, name=level.name, player=level.player, simulations=level.simulations, book=False
    )
    clock = room.clock and Clock(
        room.clock.seconds, room.clock.increment, dict.fromkeys(SIDES, room.clock.seconds)
    )
    return GameRoom(room.game.spec, seats, position=room.position, clock=clock, now=room.now)


def _computer(room: GameRoom, sides: set[Side]) -> tuple[Side, Seat] | None:
    """The side and seat of the computer that one person plays against."""
    if room.seats is None or len(sides) != 1 or room.link:
        return None
    (own,) = sides
    seat = room.seats[_other(own)]
    return (_other(own), seat) if seat.kind == "computer" else None


def _other(side: Side) -> Side:
    return "second" if side == "first" else "first"
