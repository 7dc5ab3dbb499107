"""Mr Jack's map as people know it: names, letters and colours of the characters, and the directions.

Characters bring their own colours: a notebook, a file and the app in light and dark show the same ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from coppice.board.cells import Board

__all__ = ["CHARACTERS", "DARK", "DIRECTIONS", "LIGHT", "Character", "Look", "neighbour"]

DARK, LIGHT = "#1b1d18", "#ffffff"


@dataclass(frozen=True)
class Look:
    """How a character is painted: the disc, its rim and the letter on it."""

    disc: str
    rim: str
    ink: str


@dataclass(frozen=True)
class Character:
    """How a character is called and painted."""

    name: str
    short: str
    """As people call it in a sentence."""
    letter: str
    colour: str
    ink: str = LIGHT

    def look(self, cleared: bool) -> Look:
        """A cleared one is pale, with a rim of the full colour; the letter stays readable on both."""
        if not cleared:
            return Look(self.colour, LIGHT, self.ink)
        parts = (int(self.colour[at : at + 2], 16) for at in (1, 3, 5))
        pale = "".join(f"{round(255 - (255 - part) * 0.28):02x}" for part in parts)
        return Look(f"#{pale}", self.colour, DARK)


CHARACTERS = {
    "holmes": Character("Sherlock Holmes", "Holmes", "H", "#b3392f"),
    "watson": Character("John H. Watson", "Watson", "W", "#8a5a2b"),
    "smith": Character("John Smith", "Smith", "S", "#f2c230", DARK),
    "lestrade": Character("Inspector Lestrade", "Lestrade", "L", "#2f5f9e"),
    "stealthy": Character("Miss Stealthy", "Miss Stealthy", "M", "#2f7a4b"),
    "goodley": Character("Sergeant Goodley", "Goodley", "G", "#3d434b"),
    "gull": Character("Sir William Gull", "Gull", "U", "#7b4a8f"),
    "bert": Character("Jeremy Bert", "Bert", "B", "#ef8a3c", DARK),
}

DIRECTIONS = {"N": -90, "NE": -30, "SE": 30, "S": 90, "SW": 150, "NW": 210}
"""The directions of the lantern in degrees, clockwise from the east."""


def neighbour(board: Board, index: int, direction: str) -> int | None:
    """The cell next to one in a direction; None at the end of the map."""
    angle, cell = math.radians(DIRECTIONS[direction]), board.cells[index]
    x, y = cell.x + math.cos(angle), cell.y + math.sin(angle)
    near = (i for i, other in enumerate(board.cells) if math.hypot(other.x - x, other.y - y) < 0.1)
    return next(near, None)
