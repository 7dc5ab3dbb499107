"""The bounds of what a browser may ask for, for a move, a match and memory, and how they are told."""

from __future__ import annotations

import os

from coppice.core.session import Limit, Player
from coppice.core.spec import Spec

__all__ = [
    "MEMORY",
    "MOST_GAMES",
    "MOST_SECONDS",
    "MOST_SIMULATIONS",
    "check_games",
    "check_limit",
    "check_match_player",
    "check_simulations",
    "check_values",
    "threads_for",
]

MOST_SIMULATIONS = 5_000_000
MOST_STATES = 1_000_000_000
MOST_SECONDS = 60.0
"""For a move of the app, by the clock or of CPU time."""
MEMORY = 128 << 20
"""Bytes that a search of the app may use."""
MATCH_MEMORY = 1 << 30
"""Bytes that a player of a match may ask for: what it has without asking."""
MOST_GAMES = 100_000
"""Of a match."""
MOST_VALUES = 50
"""Of a sweep."""
_SIMULATION_BYTES = 32 << 10
"""More than one simulation ever adds to a tree: all children of a node on the largest board, with AMAF."""


def check_simulations(simulations: int) -> None:
    """A ValueError if these are no simulations for a move."""
    if not 1 <= simulations <= MOST_SIMULATIONS:
        raise ValueError(f"a move has 1 to {MOST_SIMULATIONS:,} simulations here, not {simulations:,}")


def check_limit(spec: str) -> None:
    """A ValueError if a player may think longer about a move than the app allows."""
    limit = Player(spec).limit
    for name, value, most in (
        ("simulations", limit.simulations, MOST_SIMULATIONS),
        ("states", limit.states, MOST_STATES),
        ("seconds", limit.seconds, MOST_SECONDS),
        ("cpu_seconds", limit.cpu_seconds, MOST_SECONDS),
    ):
        if value is not None and value > most:
            raise ValueError(f"a move has at most {most:,.15g} {name} here, not {value:,.15g}")


def check_match_player(spec: str) -> None:
    """A ValueError if a player of a match could think without end, or use too much of the machine."""
    check_limit(spec)
    full = Player(spec)
    options = Spec.parsed(full.spec)
    if options.number("memory") is not None and full.limit == Limit():
        raise ValueError(
            "a player without a limit would never move: give it simulations, states, seconds or cpu_seconds"
        )
    for name, most in (("memory", MATCH_MEMORY), ("threads", os.cpu_count() or 1)):
        if (options.number(name) or 0) > most:
            raise ValueError(f"a player of a match has at most {name}={most} here")


def check_games(games: int) -> None:
    """A ValueError if these are no games for a match."""
    if not 1 <= games <= MOST_GAMES:
        raise ValueError(f"a match has 1 to {MOST_GAMES:,} games here, not {games:,}")


def check_values(values: int) -> None:
    """A ValueError if these are too many values for a sweep."""
    if values > MOST_VALUES:
        raise ValueError(f"a sweep has at most {MOST_VALUES} values here, not {values:,}")


def threads_for(players: tuple[str, ...], most: int) -> int:
    """How many games of a match are played at a time, so that their trees fit into half of the memory."""
    need = sum(_most_bytes(spec) for spec in players)
    return max(1, min(most, _machine_bytes() // 2 // max(need, 1)))


def _most_bytes(spec: str) -> int:
    """The most that the tree of a player can take."""
    options = Spec.parsed(Player(spec).spec)
    memory, simulations = int(options.number("memory") or 0), options.number("simulations")
    # A tree that is kept between moves grows with all of them.
    if simulations is None or options.get("reuse") is True:
        return memory
    return min(memory, int(simulations) * _SIMULATION_BYTES)


def _machine_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
