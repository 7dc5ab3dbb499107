"""Opponents and boards that the app offers, read from the package's data."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from importlib import resources
from typing import Any

from coppice.board.cells import Side
from coppice.core.catalogue import PartInfo, catalogue
from coppice.core.defaults import default_player
from coppice.core.session import Player
from coppice.core.spec import Spec
from coppice.web.allowed import game_of, guest_games
from coppice.web.boards import plain_game, without_misere

__all__ = [
    "Level",
    "board_name",
    "board_options",
    "boards",
    "games",
    "has_misere",
    "levels",
    "listed_name",
    "misere_of",
    "strongest",
]


@dataclass(frozen=True)
class Level:
    """An opponent: a player and its simulations per move."""

    name: str
    player: str
    simulations: int | None

    @property
    def words(self) -> str:
        """What the level does, in words."""
        if self.simulations is None:
            return self.player
        return f"{self.player}, {self.simulations:,} simulations a move"


@functools.cache
def _data(name: str) -> dict[str, Any]:
    text = resources.files("coppice").joinpath("data", name).read_text(encoding="utf-8")
    entry: dict[str, Any] = json.loads(text)
    return entry


def games() -> tuple[PartInfo, ...]:
    """The games that can be chosen by their name alone, and the guests; others are for the command line."""
    return (*_built_in(), *(PartInfo("game", name, doc, (), None, spec) for name, doc, spec in _guests()))


@functools.cache
def _built_in() -> tuple[PartInfo, ...]:
    return tuple(part for part in catalogue("game") if _is_game(part.name))


def _guests() -> list[tuple[str, str, str]]:
    """Name, one line and spec of each game among the guests."""
    found: list[tuple[str, str, str]] = []
    for spec in guest_games():
        name = plain_game(spec)
        same = sum(known.rstrip("0123456789") == name for known, _, _ in found)
        found.append((f"{name}{same + 1}" if same else name, "A game written in Python", spec))
    return found


def listed_name(spec: str) -> str:
    """The name in this list of the game of a spec; a misère form is found under its game."""
    inner = without_misere(spec)
    return next((part.name for part in games() if part.stands_for == inner), Spec.parsed(inner).name)


@functools.lru_cache(maxsize=64)
def levels(game: str, side: Side = "second") -> tuple[Level, ...]:
    """The ladder of a game, weakest first: those levels whose player the game can serve.

    Where the sides have different tasks, each has a ladder of its own: `side` is the computer's.
    """
    lists = _data("ladder.json")["games"]
    entries = lists.get(Spec.parsed(game).name, lists["default"])
    if isinstance(entries, dict):
        entries = entries[side]
    ladder = tuple(Level(**entry) for entry in entries)
    return tuple(level for level in ladder if _serves(game, level.player))


def _serves(game: str, player: str) -> bool:
    try:
        Player(player).check(game_of(game))
    except ValueError:
        return False
    return True


def boards(game: str) -> tuple[str, ...]:
    """The boards of a game, the usual one first."""
    for part in games():
        if part.name == game and part.stands_for is not None:
            return (part.stands_for,)
    known = _data("boards.json")["games"].get(game, [])
    return tuple(spec for spec in known if _is_game(spec)) or (game,)


def board_options(spec: str) -> dict[str, str]:
    """The options that a board of the list names."""
    return Spec.parsed(spec).only.written


def board_name(spec: str) -> str:
    """A board of the list as people call it: size 8, 5 × 5."""
    options = board_options(spec)
    if "rows" in options:
        return f"{options['rows']} × {options.get('columns', options['rows'])}"
    return " ".join(f"{name} {value}" for name, value in options.items())


def misere_of(spec: str) -> str:
    """The misère form of a game, or the spec itself if it is one."""
    return spec if Spec.parsed(spec).name == "misere" else f"misere({spec})"


def has_misere(spec: str) -> bool:
    """Whether a game can be played as misère."""
    return _is_game(misere_of(spec))


def _is_game(spec: str) -> bool:
    try:
        game_of(spec)
    except ValueError:
        return False
    return True


def strongest(game: str) -> str:
    """The player that analyses a game unless another is asked for."""
    return default_player(game_of(game))
