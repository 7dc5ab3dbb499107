"""Coppice: a Monte-Carlo tree search laboratory and game player."""

from coppice._core import CoreError, ForfeitError, GuestError, RefusedError, __version__
from coppice.board import Board, Cell, Piece
from coppice.catalogue import OptionInfo, PartInfo, catalogue
from coppice.match import GameRecord, Match, MatchResult, Progress, Used
from coppice.session import (
    CellTable,
    Game,
    Limit,
    MoveStat,
    PerftCount,
    Player,
    Report,
    Solution,
    SolverProgress,
    State,
    Thinking,
)
from coppice.spec import Spec
from coppice.specs import SpecLike
from coppice.stats import Score
from coppice.store import Store, StoreError

__all__ = [
    "Board",
    "Cell",
    "CellTable",
    "CoreError",
    "ForfeitError",
    "Game",
    "GameRecord",
    "GuestError",
    "Limit",
    "Match",
    "MatchResult",
    "MoveStat",
    "OptionInfo",
    "PartInfo",
    "PerftCount",
    "Piece",
    "Player",
    "Progress",
    "RefusedError",
    "Report",
    "Score",
    "Solution",
    "SolverProgress",
    "Spec",
    "SpecLike",
    "State",
    "Store",
    "StoreError",
    "Thinking",
    "Used",
    "__version__",
    "catalogue",
    "game",
    "player",
]


def game(game: SpecLike, /, **options: object) -> Game:
    """The game that a spec names, or a class, e.g. ``game("havannah", size=6)``; see :class:`Game`."""
    return Game(game, **options)


def player(player: SpecLike, /, **options: object) -> Player:
    """The player that a spec names, e.g. ``player("uct", simulations=5000)``; see :class:`Player`."""
    return Player(player, **options)
