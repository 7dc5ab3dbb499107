"""Checks of moves, matches and sweeps that a browser asks for against the limits, and how they are told."""

from __future__ import annotations

import os

from coppice.core.session import Limit, Player
from coppice.core.spec import Spec
from coppice.web.limits import limits

__all__ = [
    "check_games",
    "check_limit",
    "check_match_player",
    "check_simulations",
    "check_values",
    "threads_for",
]

_SIMULATION_BYTES = 32 << 10
"""More than one simulation ever adds to a tree: all children of a node on the largest board, with AMAF."""


def check_simulations(simulations: int) -> None:
    """A ValueError if these are no simulations for a move."""
    most = limits().simulations
    if not 1 <= simulations <= most:
        raise ValueError(f"a move has 1 to {most:,} simulations here, not {simulations:,}")


def check_limit(spec: str) -> None:
    """A ValueError if a player may think longer about a move than the app allows."""
    limit = Player(spec).limit
    for name, value, most in (
        ("simulations", limit.simulations, limits().simulations),
        ("states", limit.states, limits().states),
        ("seconds", limit.seconds, limits().seconds),
        ("cpu_seconds", limit.cpu_seconds, limits().seconds),
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
    for name, most in (("memory", limits().match_memory), ("threads", os.cpu_count() or 1)):
        if (options.number(name) or 0) > most:
            raise ValueError(f"a player of a match has at most {name}={most} here")


def check_games(games: int) -> None:
    """A ValueError if these are no games for a match."""
    most = limits().games
    if not 1 <= games <= most:
        raise ValueError(f"a match has 1 to {most:,} games here, not {games:,}")


def check_values(values: int) -> None:
    """A ValueError if these are too many values for a sweep."""
    if values > limits().sweep_values:
        raise ValueError(f"a sweep has at most {limits().sweep_values} values here, not {values:,}")


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
