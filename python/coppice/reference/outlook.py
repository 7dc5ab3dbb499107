"""What both Havannah papers name in their outlook, in plain Python: tiles of moves, proximity in the tree."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from coppice.reference.havannah import Havannah
from coppice.reference.tree_search import Here, Move, Playout, Simulation, Tables, Tally, TreeSearch, Uct

__all__ = ["Contextual", "NearLastMove"]


@dataclass
class Contextual(Playout):
    """Contextual Monte Carlo: the move that has gone best together with the side's own last move.

    Rimmel and Teytaud, "Multiple overlapping tiles for contextual Monte Carlo tree search", 2010.
    """

    p: float = 0.35
    seen: int = 10
    bound: float = 0.5
    tiles: dict[tuple[str, Move, Move], Tally] = field(default_factory=lambda: defaultdict(Tally))
    """By side and two of its moves, in either order: the simulations in which it played both."""

    def options(self, here: Here) -> dict[Move, float]:
        """With probability p the best tile that is better than the bound."""
        own = [move for move, side in zip(here.moves, here.sides, strict=True) if side == here.side]
        if not own:
            return {}
        known = {move: self.tiles[here.side, own[-1], move] for move in here.position.legal_moves}
        means = {move: tile.mean for move, tile in known.items() if tile.visits >= self.seen}
        top = max(means.values(), default=0.0)
        best = [move for move, mean in means.items() if mean == top and mean > self.bound]
        return {move: self.p / len(best) for move in best}

    def learn(self, here: Here, simulation: Simulation) -> None:
        """Every pair of a side's moves is a tile."""
        for side in ("first", "second"):
            moves = zip(simulation.moves, simulation.sides, strict=True)
            played = [move for move, mover in moves if mover == side]
            for a in played:
                for b in played:
                    self.tiles[side, a, b].add(simulation.score(side))

    def new_root(self) -> None:
        """Tiles are forgotten."""
        self.tiles.clear()

    def tables(self, search: TreeSearch) -> Tables:
        """For each move the best tile it is in."""
        tables: dict[tuple[str, str | None], dict[Move, float]] = {
            ("tile", "first"): {},
            ("tile", "second"): {},
        }
        for (side, a, b), tile in self.tiles.items():
            if a != b and tile.visits >= self.seen:
                best = tables["tile", side]
                best[a] = max(best.get(a, 0.0), tile.mean)
        return dict(tables)


@dataclass
class NearLastMove(Uct):
    """Proximity as a selection bias: weight / (n + 1) more than another policy near the last move."""

    of: Uct
    board: Havannah
    weight: float = 0.1
    range: int = 1

    def value(self, here: Here, move: Move) -> float:
        """The other policy's value and, below the root, the bonus."""
        value = self.of.value(here, move)
        if not here.moves:
            return value
        distance = self.board.distance(self.board.cell(move), self.board.cell(here.moves[-1]))
        child = here.path[-1].children[move]
        return value + (self.weight / (child.visits + 1) if distance <= self.range else 0.0)

    def learn(self, simulation: Simulation) -> None:
        """The other policy learns."""
        self.of.learn(simulation)

    def new_root(self) -> None:
        """The other policy forgets."""
        self.of.new_root()

    def tables(self) -> Tables:
        """What the other policy has learnt."""
        return self.of.tables()
