"""Games in play, players and their searches: all that the rooms need of the built core, under one address."""

from coppice.core.game import Game, State, table_seed
from coppice.core.player import Player, Thinking
from coppice.core.report import (
    CellTable,
    Child,
    Ending,
    Limit,
    MoveStat,
    PerftCount,
    Proof,
    Report,
    Solution,
    SolverProgress,
)

__all__ = [
    "CellTable",
    "Child",
    "Ending",
    "Game",
    "Limit",
    "MoveStat",
    "PerftCount",
    "Player",
    "Proof",
    "Report",
    "Solution",
    "SolverProgress",
    "State",
    "Thinking",
    "table_seed",
]
