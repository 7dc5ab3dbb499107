"""Selection and playouts of Fossel's report in plain Python.

"Monte-Carlo Tree Search applied to the game of Havannah", 2010. Results are in -1..1 there.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

from coppice.reference.havannah import Cell, Havannah
from coppice.reference.tree_search import (
    Here,
    Move,
    Node,
    Playout,
    Simulation,
    Tables,
    Tally,
    TreeSearch,
    Uct,
    evenly,
    other,
)

__all__ = ["CornerBias", "ExtendedRave", "Mate", "ProgressiveHistory", "Proximity", "RavePlayout"]


def fading(w: float, child: Node) -> float:
    """The weight W of a bias fades with the losses of the child: W / (n - v + 1), v summed in -1..1."""
    return w / (2 * (child.visits - child.score) + 1)


def signed(tally: Tally) -> float:
    """The mean result in -1..1; 0 if unseen."""
    return 2 * tally.mean - 1 if tally.visits else 0.0


@dataclass
class ProgressiveHistory(Uct):
    """Progressive History: UCT plus how the move has done wherever it was played; all results in -1..1."""

    c: float = 0.3
    w: float = 10.0
    keep: bool = False
    history: dict[tuple[str, Move], Tally] = field(default_factory=lambda: defaultdict(Tally))

    def bias(self, here: Here, move: Move) -> float:
        """The history of the move."""
        return signed(self.history[here.side, move])

    def value(self, here: Here, move: Move) -> float:
        """The sum q + C sqrt(ln n_p / n) + bias * W / (n - v + 1)."""
        parent = here.path[-1]
        child = parent.children[move]
        known = self.mean_and_visits(here.search.settings, child)
        if known is None:
            return math.inf
        mean, visits = known
        return (
            2 * mean
            - 1
            + self.c * self.explore(parent, visits)
            + self.bias(here, move) * fading(self.w, child)
        )

    def learn(self, simulation: Simulation) -> None:
        """Every move of the simulation counts."""
        for side, move in zip(simulation.sides, simulation.moves, strict=True):
            self.history[side, move].add(simulation.score(side))

    def new_root(self) -> None:
        """The history is kept if it is to be."""
        if not self.keep:
            self.history.clear()

    def tables(self) -> Tables:
        """The history of each side, in -1..1."""
        known = [(key, tally) for key, tally in self.history.items() if tally.visits]
        return {
            ("history", side): {move: signed(tally) for (mover, move), tally in known if mover == side}
            for side in ("first", "second")
        }


@dataclass
class ExtendedRave(ProgressiveHistory):
    """Extended RAVE: the same, with AMAF values of the node and of its parent in the place of the history."""

    c: float = 0.4
    r: float = 50.0

    def bias(self, here: Here, move: Move) -> float:
        """Few visits lean on the parent; at the root there is none."""
        node = here.path[-1]
        above = here.path[-2] if len(here.path) > 1 else node
        weight = self.r / (self.r + node.children[move].visits)
        values = [signed(place.amaf.get((here.side, move), Tally())) for place in (above, node)]
        return weight * values[0] + (1 - weight) * values[1]

    def learn(self, simulation: Simulation) -> None:
        """AMAF is counted by the tree."""

    def tables(self) -> Tables:
        """Nothing beyond the tree."""
        return {}


@dataclass
class Mate(Playout):
    """Havannah-Mate: a side completes a figure where it can; two ways to do so at once end the playout.

    With one cell enough, with `block`, without `shortcut` and with turns of the playout it is Lorentz's
    rule. In a chain it goes first.
    """

    board: Havannah
    c: float = 3.0
    turns: str = "game"
    min: int = 2
    block: bool = False
    played: bool = True
    shortcut: bool = True
    passed_at: int | None = None
    """The turn in which the policy was active and left the move to others."""

    def begin(self, here: Here) -> None:
        """Nobody has looked yet."""
        self.passed_at = None

    def is_active(self, here: Here) -> bool:
        """Only the first MaxTurns / c turns, of the game or of the playout."""
        now = len(here.moves) - here.tree_moves if self.turns == "playout" else len(here.position.moves)
        return now < len(self.board.cells) / self.c

    def completing(self, here: Here, side: str, *, everywhere: bool = False) -> set[Cell]:
        """The completing cells of a side at the group of its last stone; in its first turn, at all groups."""
        cells = [self.board.cell(move) for move in here.position.moves]
        own = set(cells[0 if side == "first" else 1 :: 2])
        is_first = len(here.moves) - here.tree_moves < 2 and side == here.side
        last = zip(here.moves[-2:], here.sides[-2:], strict=True)
        since = [self.board.cell(move) for move, mover in last if mover == side]
        near = None if everywhere or is_first or not since else since[-1]
        return self.board.completing(own, cells, near)

    def end(self, here: Here) -> str | None:
        """The side that has just left two completing cells behind has won, unless the other can win first.

        Unless the completing stone is played, the side to move that has a cell for it has won as well.
        """
        now = len(here.moves)
        if self.is_active(here) and len(self.completing(here, here.side)) >= self.min:
            return None if self.played else here.side
        if not self.shortcut or now == 0 or self.passed_at != now - 1:
            return None
        if len(self.completing(here, other(here.side))) < 2 or self.completing(
            here, here.side, everywhere=True
        ):
            return None
        return other(here.side)

    def options(self, here: Here) -> dict[Move, float]:
        """A completing cell, or one that the other side could use."""
        self.passed_at = None
        if not self.is_active(here):
            return {}
        own = self.completing(here, here.side)
        if len(own) >= self.min:
            # A win that is only counted is no move: in the tree, where nothing ends, others choose.
            return evenly([self.board.name(cell) for cell in own]) if self.played else {}
        theirs = self.completing(here, other(here.side)) if self.block else set()
        if theirs:
            return evenly([self.board.name(cell) for cell in theirs])
        self.passed_at = len(here.moves)
        return {}


@dataclass
class RavePlayout(Playout):
    """RAVE playouts: now and then a move in proportion to its AMAF value in the leaf's parent.

    The value is the mean of the results in -1..1, or their sum.
    """

    p: float = 0.5
    by: str = "mean"
    weights: dict[tuple[str, Move], float] = field(default_factory=dict)

    def weight(self, tally: Tally) -> float:
        """Where it is positive."""
        return max(signed(tally) * (tally.visits if self.by == "sum" else 1), 0.0)

    def begin(self, here: Here) -> None:
        """Both sides' values."""
        amaf = here.path[-2].amaf if len(here.path) > 1 else {}
        self.weights = {key: self.weight(tally) for key, tally in amaf.items() if self.weight(tally) > 0}

    def options(self, here: Here) -> dict[Move, float]:
        """Each side by its own values."""
        weights = {move: self.weights.get((here.side, move), 0.0) for move in here.position.legal_moves}
        total = sum(weights.values())
        return {move: self.p * weight / total for move, weight in weights.items() if weight}

    def tables(self, search: TreeSearch) -> Tables:
        """The weights of the root's side at the root."""
        side = search.start.to_move
        known = search.root.amaf.items()
        return {
            ("weight", None): {move: self.weight(tally) for (mover, move), tally in known if mover == side}
        }


def favour(here: Here, favoured: set[Move], w: float) -> dict[Move, float]:
    """The part of the probability that moves of weight w have beyond the others, which have weight 1."""
    total = (w - 1) * len(favoured) + len(here.position.legal_moves)
    return dict.fromkeys(favoured, (w - 1) / total) if w > 1 else {}


@dataclass
class CornerBias(Playout):
    """Corner bias: empty corners have weight w, other cells 1."""

    board: Havannah
    w: float = 2.0

    def options(self, here: Here) -> dict[Move, float]:
        """What corners have beyond other cells; the rest is uniform."""
        corners = {self.board.name(cell) for cell in self.board.corners}
        return favour(here, corners & set(here.position.legal_moves), self.w)


@dataclass
class Proximity(Playout):
    """Proximity bias: cells near the last move (h=1), or near one of the last two (h=2), come first."""

    board: Havannah
    mode: str = "standard"
    w: float = 3.0
    p: float = 0.25
    h: int = 1
    range: int = 1

    def options(self, here: Here) -> dict[Move, float]:
        """With weight w (standard), or with probability p (alternative)."""
        last = [self.board.cell(move) for move in here.moves[-self.h :]]
        near = {
            move
            for move in here.position.legal_moves
            if any(self.board.distance(self.board.cell(move), cell) <= self.range for cell in last)
        }
        if self.mode == "standard":
            return favour(here, near, self.w)
        return {move: self.p / len(near) for move in near}
