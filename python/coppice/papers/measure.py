"""How fast players are, and the seeds of what is measured.

Times are those of the processor, taken in searches of some states along random games.
"""

from __future__ import annotations

import math
import time

from coppice.core.session import Game, Player, State
from coppice.lab.cost import seed_of, timed_player

__all__ = ["SPEED_PLIES", "seed_of", "timed_player", "work_rate"]

SPEED_PLIES = (0.0, 0.25, 0.5)
"""Speeds are taken at these parts of the way through a random game, since playouts get shorter."""
_SPEED_SECONDS = 0.05
"""The least time of one timed search."""


def _some_states(game: str, seed: int) -> list[State]:
    """States along random games, as far on as `SPEED_PLIES` says."""
    start = Game(game).start(seed=seed)
    length = _mean_game_length(game, seed)
    random = Player("random")
    states = []
    for part in SPEED_PLIES:
        for attempt in range(100):
            state = start.copy()
            for ply in range(round(part * length)):
                state.play(random.search(state, seed=seed_of(seed + attempt, ply)).best)
                if state.outcome is not None:
                    break
            if state.outcome is None:
                states.append(state)
                break
    return states


def _mean_game_length(game: str, seed: int) -> float:
    """The mean number of moves of uniformly random games."""
    start = Game(game).start(seed=seed)
    if not start.game.hidden:
        found = start.random_games(32, seed=seed)
        return found["length_sum"] / found["games"]
    # A game with secrets does not tell how its random games end: play a few.
    return math.fsum(_random_game_length(game, seed_of(seed, turn)) for turn in range(8)) / 8


def _random_game_length(game: str, seed: int) -> int:
    """The number of moves of one uniformly random game, played move by move."""
    state, random = Game(game).start(seed=seed), Player("random")
    while state.outcome is None:
        state.play(random.search(state, seed=seed_of(seed, len(state.moves))).best)
    return len(state.moves)


def work_rate(game: str, player: str, per_second: str, seed: int) -> float:
    """Simulations or states per second of a player's own searches over some states of the game."""
    decider = timed_player(player)
    work, seconds = 0, 0.0
    for state in _some_states(game, seed):
        spent = 0.0
        while spent < _SPEED_SECONDS:
            # CPU time does not feel what else the machine does; nothing else runs in this process meanwhile.
            begun = time.process_time()
            report = decider.search(state, seed=seed)
            spent += max(time.process_time() - begun, 1e-7)
            work += report.simulations if per_second == "simulations" else report.states
        seconds += spent
    return work / seconds
