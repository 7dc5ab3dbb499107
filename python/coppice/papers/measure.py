"""Measurements that are no matches: what one index of a series gives, from its facts alone.

`measure(facts, index)` is a pure function but for times: it runs in a thread, another process or on another
machine alike, which is why it takes plain values.
"""

from __future__ import annotations

import hashlib
import math
import re
import time
from collections.abc import Mapping
from typing import Any

from coppice.core.session import Game, Limit, Player, State
from coppice.core.spec import Spec
from coppice.core.spec_like import changed

__all__ = ["SPEED_PLIES", "measure", "seed_of", "timed_player", "work_rate"]

SPEED_PLIES = (0.0, 0.25, 0.5)
"""Speeds are taken at these parts of the way through a random game, since playouts get shorter."""
_SPEED_SECONDS = 0.05
"""The least time of one timed search."""


def seed_of(seed: int, index: int) -> int:
    """The seed of one index of a series: 62 bits, unrelated to its neighbours."""
    digest = hashlib.sha256(f"coppice series {seed} {index}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 2


def measure(facts: Mapping[str, Any], index: int) -> dict[str, Any]:
    """The result of one index of the series that has these facts."""
    seed = seed_of(int(facts["seed"]), index)
    kinds = {"search": _search, "playout": _playout, "speed": _speed}
    return kinds[str(facts["kind"])](facts, seed)


def _search(facts: Mapping[str, Any], seed: int) -> dict[str, Any]:
    game = Game(facts["game"])
    state = game.state(facts["position"]) if facts["position"] else game.start(seed=seed)
    player = Player(facts["player"])
    if facts.get("measure") == "kept":
        return _kept(state, player, seed)
    side = state.to_move
    report = player.search(state, seed=seed)
    first = report.best
    states = report.states
    if facts["to_end"]:
        while True:
            state.play(report.best)
            if state.outcome is not None:
                break
            report = player.search(state, seed=seed_of(seed, len(state.moves)))
            states += report.states
    found: dict[str, Any] = {"move": first, "states": states}
    if facts.get("measure") == "win":
        assert state.outcome is not None, "such a row goes on to the end"
        found["points"] = 0.5 if state.outcome == "draw" else float(state.outcome == side)
    return found


def _kept(state: State, player: Player, seed: int) -> dict[str, Any]:
    """Which of the empty cells the list of PPR keeps when a search of this state ends."""
    thinking = player.think(state, seed=seed)
    thinking.run(player.limit)
    table = next((one for one in thinking.tables() if one.name == "kept"), None)
    if table is None:
        raise ValueError(f"{player.spec} keeps no list of cells: that is what ppr does")
    names = [cell.name for cell in state.game.board().cells]
    kept = [names[cell] for cell, value in table.known.items() if value]
    return {"kept": kept, "cells": len(state.legal_moves)}


def _playout(facts: Mapping[str, Any], seed: int) -> dict[str, Any]:
    state = Game(facts["game"]).start(seed=seed)
    player = Player(facts["player"])
    reference = Player(facts["reference"]) if facts.get("reference") else None
    curve: list[float | None] = []
    while state.outcome is None:
        at = seed_of(seed, len(state.moves))
        if facts["measure"] == "length":
            length, best = _playout_length(player, state, facts["simulations"], at)
            if reference is not None:
                length = _playout_length(reference, state, facts["simulations"], at)[0] - length
            curve.append(length)
        else:
            if facts["measure"] == "branching":
                curve.append(_branching(state, facts["pattern"]))
            best = player.search(state, seed=at).best
        state.play(best)
    return {"curve": curve, "length": len(state.moves)}


def _playout_length(player: Player, state: State, simulations: int, seed: int) -> tuple[float, str]:
    """The mean length of the playouts of one search, and the move that it chooses."""
    thinking = player.think(state, seed=seed)
    thinking.keep_log()
    best = thinking.run(Limit(simulations=simulations)).best
    lengths = [len(moves) - made for moves, made, _ in thinking.log()]
    return math.fsum(lengths) / len(lengths), best


def _branching(state: State, pattern: str) -> int | None:
    """The number of legal moves, or of different values that a pattern finds in their names."""
    if not pattern:
        return len(state.legal_moves)
    found = (re.search(pattern, name) for name in state.legal_moves)
    return len({match[match.lastindex or 0] for match in found if match}) or None


def _speed(facts: Mapping[str, Any], seed: int) -> dict[str, Any]:
    found = {"rate": work_rate(facts["game"], facts["player"], facts["per_second"], seed)}
    if facts["reference"]:
        found["reference"] = work_rate(facts["game"], facts["reference"], facts["per_second"], seed)
    return found


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
    facts = {"game": game, "player": "random", "measure": "game_length", "simulations": 1}
    lengths = [_playout(facts, seed_of(seed, turn))["length"] for turn in range(8)]
    return math.fsum(lengths) / len(lengths)


def timed_player(spec: str) -> Player:
    """The player whose searches are timed for this one.

    Who is told Jack's identity plays in matches only, and searches as fast as who is not.
    """
    informed = Spec.parsed(spec).get("detective")
    return Player(changed(spec, {"detective": "fair"}) if str(informed) == "informed" else spec)


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
