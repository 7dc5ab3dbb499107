"""Coppice: a Monte-Carlo tree search laboratory and game player."""

from coppice import _addresses
from coppice._core import CoreError, ForfeitError, GuestError, RefusedError, __version__
from coppice.board.cells import Board, Cell, Piece
from coppice.core.catalogue import OptionInfo, PartInfo, catalogue
from coppice.core.session import (
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
from coppice.core.spec import Spec
from coppice.core.spec_like import SpecLike
from coppice.lab.match import GameRecord, Match, MatchResult, Progress, Used
from coppice.lab.stats import Score
from coppice.lab.store import Store, StoreError
from coppice.lab.study import Study

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
    "Study",
    "Thinking",
    "Used",
    "__version__",
    "catalogue",
    "game",
    "player",
]


_addresses.allow()


def game(game: SpecLike, /, **options: object) -> Game:
    """The game that a spec names, or a class, e.g. ``game("havannah", size=6)``; see :class:`Game`."""
    return Game(game, **options)


def player(player: SpecLike, /, **options: object) -> Player:
    """The player that a spec names, e.g. ``player("uct", simulations=5000)``; see :class:`Player`."""
    return Player(player, **options)
