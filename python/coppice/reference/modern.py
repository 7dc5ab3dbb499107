"""Methods beside the four papers: halving, KL-UCB, implicit minimax, adaptive and shortened playouts."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from coppice.reference.tree_search import (
    Backup,
    Disagreement,
    Here,
    Move,
    Node,
    Playout,
    Position,
    Root,
    Simulation,
    Tables,
    TreeSearch,
    Uct,
    other,
)

__all__ = ["Cutoff", "Halving", "ImplicitMinimax", "KlUcb", "Ppa", "men_and_front", "relative_entropy"]


class Halving(Root):
    """Equal shares for all moves, then for the better half of them, until two are left (Karnin et al. 2013).

    Who of equals stays after a round is the core's choice; it shows once all that stay have been visited.
    """

    def __init__(self, simulations: int) -> None:
        self.simulations = simulations
        self.target = 0
        self.sure: set[Move] = set()
        """Who stays in any case."""
        self.pool: list[Move] = []
        """Who may stay: those that are sure, and those that tie for the last places."""
        self.keep = 0
        self.rounds = 0
        self.begun_at = 0
        """Visits that everybody who stays had when the round began."""

    def options(self, root: Node, legal: Sequence[Move]) -> list[Move]:
        """The moves that the next simulation may begin with."""
        if not self.rounds:
            self.rounds = max(1, math.ceil(math.log2(len(legal))))
            self._begin(list(legal), set(legal), len(legal))
        while True:
            visits = {move: root.children[move].visits if move in root.children else 0 for move in self.pool}
            seen = [move for move in self.pool if visits[move] > self.begun_at]
            if len(seen) < self.keep:
                return [move for move in self.pool if move not in seen]
            if not self.sure <= set(seen):
                raise Disagreement(f"{sorted(self.sure - set(seen))} should have stayed")
            fewest = min(visits[move] for move in seen)
            if fewest < self.target:
                return [move for move in seen if visits[move] == fewest]
            means = {move: root.children[move].mean for move in seen}
            keep = min(len(seen), max(2, math.ceil(len(seen) / 2)))
            last = sorted(means.values(), reverse=True)[keep - 1]
            pool = [move for move in seen if means[move] >= last]
            sure = {move for move in pool if means[move] > last or len(pool) == keep}
            self._begin(pool, sure, keep)

    def _begin(self, pool: list[Move], sure: set[Move], keep: int) -> None:
        self.pool, self.sure, self.keep, self.begun_at = pool, sure, keep, self.target
        self.target += max(1, self.simulations // (keep * self.rounds))

    def best(self, root: Node) -> list[Move]:
        """The moves that may be played in the end: the best mean of those that are left, ties included."""
        left = [move for move in self.pool if root.children[move].visits > self.begun_at] or self.pool
        means = {move: root.children[move].mean for move in left}
        return [move for move in left if means[move] == max(means.values())]


def relative_entropy(p: float, q: float) -> float:
    """Of two coins that show heads with probability p and q, 0 < q < 1."""
    heads = p * math.log(p / q) if p > 0 else 0.0
    tails = (1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0
    return heads + tails


class KlUcb(Uct):
    """KL-UCB: the largest mean that the results of a child do not speak against (Garivier and Cappé 2011)."""

    def __init__(self, k: float | None = None, c: float = 0.0) -> None:
        self.scale = 1.0 if k is None else 2 * k * k
        self.c = c

    def bound(self, here: Here, mean: float, visits: int) -> float:
        """The largest q with visits * d(mean, q) <= ln n + c ln ln n, n the parent's visits, by bisection."""
        log = math.log(max(here.path[-1].visits, 1))
        most = (self.scale * log + self.c * math.log(max(log, 1.0))) / visits
        low, high = mean, max(mean, 1.0)
        for _ in range(32):
            q = (low + high) / 2
            if mean < q < 1 and relative_entropy(mean, q) <= most:
                low = q
            else:
                high = q
        return low


class ImplicitMinimax(Backup):
    """Minimax values of an evaluation beside the mean results (Lanctot et al. 2014)."""

    def __init__(
        self, evaluation: Callable[[Position], float], alpha: float = 0.4, fade: float = 0.0
    ) -> None:
        self.evaluation, self.alpha, self.fade = evaluation, alpha, fade

    def expand(self, here: Here) -> None:
        """Values every move of the node where the simulation stands, for who plays it."""
        node, side = here.path[-1], here.side
        for move in here.position.legal_moves:
            after = here.position.copy()
            after.play(move)
            points = {"first": 1.0, "draw": 0.5, "second": 0.0}
            value = self.evaluation(after) if after.outcome is None else points[after.outcome]
            node.values[move] = value if side == "first" else 1.0 - value

    def back_up(self, here: Here) -> None:
        """Takes the best value of each node on the path up to the move that led there."""
        for depth in range(here.tree_moves, 0, -1):
            below, above = here.path[depth], here.path[depth - 1]
            if below.values:
                best = max(below.values.values())
                mover = here.sides[depth] if depth < here.tree_moves else other(here.sides[depth - 1])
                above.values[here.moves[depth - 1]] = best if mover == here.sides[depth - 1] else 1.0 - best

    def mean(self, parent: Node, move: Move) -> float:
        """(1 - alpha) times the mean plus alpha times the minimax value; alpha may fade with the visits."""
        child = parent.children[move]
        alpha = self.alpha * (self.fade / (self.fade + child.visits) if self.fade else 1.0)
        return (1 - alpha) * child.mean + alpha * parent.values[move]


class Cutoff(Playout):
    """A playout ends after n moves with what the game's evaluation expects."""

    def __init__(self, evaluation: Callable[[Position], float], n: int = 6) -> None:
        self.evaluation, self.n = evaluation, n

    def end(self, here: Here) -> float | None:
        """What is expected for the first side."""
        return self.evaluation(here.position) if len(here.moves) - here.tree_moves >= self.n else None


def men_and_front(text: str) -> float:
    """What Breakthrough and Knightthrough make of a position (rows from the top), for the first side.

    Ten points a man and two and a half for each row of the foremost one, counted from his home (Schadd).
    """
    rows = text.split()[0].split("/")
    men = [sum(row.count(man) for row in rows) for man in "wb"]
    last = len(rows) - 1
    front = [
        last - min(at for at, row in enumerate(rows) if "w" in row),
        max(at for at, row in enumerate(rows) if "b" in row),
    ]
    points = 10 * (men[0] - men[1]) + 2.5 * (front[0] - front[1])
    return 0.5 + 0.5 * math.tanh(min(max(points, -100.0), 100.0) / 60)


@dataclass
class Ppa(Playout):
    """PPA: playouts learn by gradient steps to play as the winners did (Cazenave 2015)."""

    MOST = 20.0

    alpha: float = 0.32
    keep: bool = False
    weights: dict[tuple[str, Move], float] = field(default_factory=lambda: defaultdict(float))
    """By side and move."""

    def options(self, here: Here) -> dict[Move, float]:
        """The softmax of the weights of the legal moves."""
        return self._chances(here.side, here.position.legal_moves)

    def _chances(self, side: str, legal: Sequence[Move]) -> dict[Move, float]:
        weights = {move: math.exp(self.weights[side, move]) for move in legal}
        total = sum(weights.values())
        return {move: weight / total for move, weight in weights.items()}

    def learn(self, here: Here, simulation: Simulation) -> None:
        """One step for every state in which the winner moved, all with the weights of before."""
        if simulation.value == 0.5:
            return
        winner = "first" if simulation.value > 0.5 else "second"
        change: dict[Move, float] = defaultdict(float)
        position = here.search.start.copy()
        for move, side in zip(simulation.moves, simulation.sides, strict=True):
            if side == winner:
                change[move] += self.alpha
                for legal, chance in self._chances(side, position.legal_moves).items():
                    change[legal] -= self.alpha * chance
            position.play(move)
        for move, step in change.items():
            new = self.weights[winner, move] + step
            self.weights[winner, move] = min(max(new, -self.MOST), self.MOST)

    def new_root(self) -> None:
        """Weights are kept if they are to be."""
        if not self.keep:
            self.weights.clear()

    def tables(self, search: TreeSearch) -> Tables:
        """The chance of each move, as a part of that of the likeliest."""
        found: Tables = {}
        for side in ("first", "second"):
            weights = {move: weight for (of, move), weight in self.weights.items() if of == side and weight}
            largest = max([0.0, *weights.values()])
            found["ppa", side] = {move: math.exp(weight - largest) for move, weight in weights.items()}
        return found
