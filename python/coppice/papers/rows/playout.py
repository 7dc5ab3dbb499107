"""A row about playouts: their length or the number of legal moves, ply by ply, along games of a player."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from coppice.core.session import Game, Limit, Player, State
from coppice.core.spec import Spec
from coppice.papers.evidence import Evidence, Mean, mean_of
from coppice.papers.measure import seed_of
from coppice.papers.rows.row import Estimate, Resolve
from coppice.papers.rows.series import SeriesRow

__all__ = ["PlayoutRow"]

_SIMULATIONS = 1000
"""Simulations whose playouts are measured at each ply, where the player has no such limit of its own."""

_PLY_QUANTITIES = {
    "length": "moves of a playout",
    "branching": "moves to choose from",
    # Its curve is made of these.
    "tree_size": "moves to choose from",
    "game_length": "moves of a game",
}


@dataclass(frozen=True, kw_only=True)
class PlayoutRow(SeriesRow):
    """Games of a player against itself; at each ply the mean length of playouts, or how many moves are legal.

    The row's number is the mean over all plies of all games; by ply it is a curve. With a `reference` player
    it is by how many moves the playouts of that player are longer, from the same positions.
    """

    kind: ClassVar[str] = "playout"
    cost_depends_on: ClassVar[tuple[str, ...]] = ("game", "player", "measure", "pattern", "reference")
    player: str
    measure: Literal["length", "branching", "tree_size", "game_length"] = "length"
    """`tree_size` is the logarithm (to 10) of the product of the numbers of legal moves along a game."""
    pattern: str = ""
    """For `branching` and `tree_size`: a regular expression; the moves whose names it finds count once for
    each value of its group, and plies without such a move do not count."""
    reference: str = ""
    """For `length`: whose playouts are compared; the games are those of `player`."""

    def __post_init__(self) -> None:
        SeriesRow.__post_init__(self)
        if self.reference and self.measure != "length":
            raise ValueError(f"row '{self.name}' measures {self.measure}: only a length has a reference")

    @property
    def ply_quantity(self) -> str:
        """What is measured, as the axis of a figure calls it."""
        return _PLY_QUANTITIES[self.measure]

    def players(self) -> tuple[str, ...]:
        """The players of the row."""
        return (self.player, self.reference) if self.reference else (self.player,)

    def own_facts(self, resolve: Resolve, machine: str) -> dict[str, Any]:
        """The players, what is measured, and of how many playouts at each ply."""
        player = resolve(self.player)
        facts = {
            "player": player,
            # The size of a tree is read from the numbers of legal moves.
            "measure": "branching" if self.measure == "tree_size" else self.measure,
            "pattern": self.pattern,
            "simulations": int(Spec.parsed(player).number("simulations") or _SIMULATIONS),
        }
        return facts | ({"reference": resolve(self.reference)} if self.reference else {})

    @staticmethod
    def measure_one(facts: Mapping[str, Any], seed: int) -> dict[str, Any]:
        """A game, and a number for each of its plies."""
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

    def value_of(self, result: Mapping[str, Any]) -> Any:
        """The length of the game, or the numbers by ply."""
        if self.measure == "game_length":
            return result["length"]
        return [None if number is None else float(f"{number:.6g}") for number in result["curve"]]

    def evidence(self, values: Mapping[int, Any]) -> Evidence:
        """The mean over the games, and by ply."""
        if self.measure == "game_length":
            return super().evidence(values)
        games = list(values.values())
        each = [[number for number in game if number is not None] for game in games]
        if self.measure == "tree_size":
            return Evidence(len(values), mean=mean_of(math.fsum(map(math.log10, game)) for game in each))
        curve: list[tuple[int, Mean]] = []
        for ply in range(max(map(len, games), default=0)):
            mean = mean_of(game[ply] for game in games if ply < len(game) and game[ply] is not None)
            if mean is not None:
                curve.append((ply, mean))
        # Plies of one game are not independent: a game gives one number.
        mean = mean_of(sum(game) / len(game) for game in each if game)
        return Evidence(len(values), mean=mean, curve=tuple(curve))

    def seconds_each(self, facts: Mapping[str, Any], estimate: Estimate) -> float:
        """Those of a game as it is: what is measured at each of its plies is known only by doing it."""
        return estimate.really(1)


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
