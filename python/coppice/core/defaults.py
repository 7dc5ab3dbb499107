"""The player that decides where nobody has named one."""

from __future__ import annotations

from coppice.core.game import Game
from coppice.core.player import Player

__all__ = ["DEFAULT_PLAYER", "default_player"]

_STRONG, _ELSEWHERE = "strong", "uct"
DEFAULT_PLAYER = f"{_STRONG}, or {_ELSEWHERE} in games that have none"
"""The same for all games, in words."""


def default_player(game: Game) -> str:
    """Its name: `strong`, or `uct` in a game that has none, as misère forms and games written in Python."""
    try:
        Player(_STRONG).on(game)
    except ValueError:
        return _ELSEWHERE
    return _STRONG
