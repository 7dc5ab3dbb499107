"""A canary: a Python file and a program that leave a mark when they are run, and the specs that name them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["REFUSED", "Canary"]

REFUSED = "cannot be named in a text from elsewhere"
"""What whoever names it is told."""

_GAME = """
from pathlib import Path
from coppice.extend import Game
Path(__file__).with_suffix(".mark").touch()

class Bird(Game):
    def cells(self): return [("a", 0, 0), ("b", 1, 0)]
    def initial_state(self, seed): return 0
    def side_to_move(self, state): return "first" if state % 2 == 0 else "second"
    def legal_moves(self, state): return [0, 1]
    def play(self, state, move): return state + 1
    def outcome(self, state): return "first" if state == 3 else None
    def move_name(self, state, move): return "ab"[move]
"""


@dataclass(frozen=True)
class Canary:
    """A file in a folder; `lives` says whether nothing has run it."""

    file: Path

    @classmethod
    def in_folder(cls, folder: Path) -> Canary:
        file = folder / "canary.py"
        file.write_text(_GAME, encoding="utf-8")
        return cls(file)

    @property
    def game(self) -> str:
        """The spec of the game in the file."""
        return f'python("{self.file}:Bird")'

    @property
    def program(self) -> str:
        """The spec of a player that is the file, run as a program."""
        return f'gtp("{sys.executable} {self.file}")'

    @property
    def lives(self) -> bool:
        return not self.file.with_suffix(".mark").exists()
