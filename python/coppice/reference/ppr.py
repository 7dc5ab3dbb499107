"""RAVE and the playouts of the PPR paper in plain Python.

Duguépéroux, Mazyad, Teytaud, Dehos, "Pruning playouts in Monte-Carlo Tree Search for the game of Havannah",
2016. The options are named as in the core.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

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
)

__all__ = ["LastGoodReply", "Mast", "Nast", "PoolRave", "Ppr", "Rave"]


@dataclass
class Rave(Uct):
    """RAVE: the mean of a child mixed with its AMAF value, which counts less the more visits there are."""

    r: float = 130.0
    schedule: str = "sqrt"
    amaf: str = "smoothed"
    k: float = 0.0
    ref: int = 0
    """Visits that a node needs to read its own AMAF (GRAVE, Cazenave 2015)."""

    def source(self, here: Here) -> Node:
        """The node whose AMAF counts: the lowest of this side's with visits enough, or else its highest."""
        own = [
            node for node, side in zip(here.path, [*here.sides, here.side], strict=True) if side == here.side
        ]
        return next((node for node in reversed(own) if node.visits >= self.ref), own[0])

    def weight(self, visits: int) -> float:
        """The weight of AMAF: sqrt(R / (R + 3n)) in the PPR paper, R / (R + n) in Fossel's report."""
        if self.schedule == "sqrt":
            return math.sqrt(self.r / (self.r + 3 * visits))
        return self.r / (self.r + visits)

    def value(self, here: Here, move: Move) -> float:
        """The mixture, plus exploration."""
        parent, settings = here.path[-1], here.search.settings
        child = parent.children[move]
        later = self.source(here).amaf.get((here.side, move), Tally())
        if settings.fpu is None and not child.visits:
            return math.inf
        known = self.mean_and_visits(settings, child)
        mean, visits = known if known and (child.visits or settings.fpu_mode == "virtual_win") else (0.0, 0)
        exploration = self.k * self.explore(parent, max(visits, 1))
        if self.amaf == "raw" and not later.visits:
            return (mean if visits else settings.fpu or 0.0) + exploration
        smoothed = (1 + later.score) / (2 + later.visits)
        amaf = smoothed if self.amaf == "smoothed" else later.mean
        weight = self.weight(visits)
        return weight * amaf + (1 - weight) * mean + exploration


def amaf_of(node: Node, side: str, move: Move) -> Tally:
    """AMAF of a side's move in a node."""
    return node.amaf.get((side, move), Tally())


def side_at(here: Here, node: Node) -> str:
    """The side to move at a node of the path."""
    depth = next(depth for depth, known in enumerate(here.path) if known is node)
    return here.sides[depth] if depth < len(here.sides) else here.side


@dataclass
class Ppr(Playout):
    """PPR: playouts take most moves from those with a good AMAF value in an ancestor.

    One random number xi decides whether a move comes from the list (xi < p) and, if not, which of the moves
    in board order it is: so it comes from their last part (`last_part`, as in the authors' program).
    """

    tn: float = 0.01
    tw: float = 0.25
    p: float = 0.8
    default_pruning: str = "last_part"
    has_list: bool = True
    tn_mode: str = "budget"
    numbering: tuple[Move, ...] = ()
    """`numbering=shuffled`: all moves in the order that was drawn; else the order is the board's."""
    good: set[Move] = field(default_factory=set)

    def begin(self, here: Here) -> None:
        """Makes the list: the moves above the threshold in the lowest node that has visits enough."""
        search = here.search
        done = search.root.visits
        total = search.settings.budget if self.tn_mode == "budget" else done
        least = self.tn * (done if total is None else total)
        node = here.lowest_node(lambda visits: visits >= least)
        self.good = set()
        if node is not None and self.has_list:
            side = side_at(here, node)
            self.good = {
                move for move in here.position.legal_moves if self.is_good(amaf_of(node, side, move))
            }

    def is_good(self, amaf: Tally) -> bool:
        """Unseen moves are pruned."""
        return amaf.visits > 0 and amaf.mean > self.tw

    def options(self, here: Here) -> dict[Move, float]:
        """Both sides draw from the same list."""
        legal = here.position.legal_moves
        if self.numbering:
            legal.sort(key=self.numbering.index)
        good = [move for move in legal if move in self.good]
        options = {move: self.p / len(good) for move in good}
        if self.default_pruning == "none":
            return options
        # Where the list is empty, xi is no longer known to be at least p: all moves are possible.
        low = self.p if good or not self.has_list else 0.0
        for index, probability in enumerate(self.pruned(low, len(legal))):
            # Single precision may move the border between two moves by a little.
            if probability > 1e-6:
                options[legal[index]] = options.get(legal[index], 0.0) + probability
        return options

    def pruned(self, low: float, count: int) -> list[float]:
        """The probability of each of the moves in board order for a random number in low..1."""
        parts = [max(0.0, (index + 1) / count - max(low, index / count)) for index in range(count)]
        if self.default_pruning == "last_part":
            return parts
        # last_part_literal: uniform over the last (1 - xi) of the moves.
        sizes = [max(0.0, min(size / count, 1 - low) - (size - 1) / count) for size in range(1, count + 1)]
        last = [0.0] * count
        for size, probability in enumerate(sizes, 1):
            for index in range(count - size, count):
                last[index] += probability / size
        return last

    def tables(self, search: TreeSearch) -> Tables:
        """1 where a move of the root is kept, as in the paper's figure 4."""
        side = search.start.to_move
        moves = search.start.legal_moves
        kept = {move: float(self.is_good(amaf_of(search.root, side, move))) for move in moves}
        return {("kept", None): kept} if self.has_list else {}


@dataclass
class PoolRave(Playout):
    """PoolRave: now and then a move from the pool of those with the best AMAF values in an ancestor."""

    n: int = 20
    p: float = 0.3
    visits: int = 50
    seen: int = 50
    pool: dict[Move, float] = field(default_factory=dict)
    """The moves of the pool; those that tie for the last places each with its chance to be in it."""

    def begin(self, here: Here) -> None:
        """Fills the pool."""
        node = here.lowest_node(lambda visits: visits > self.visits)
        self.pool = {} if node is None else self.best(node, side_at(here, node), here.position.legal_moves)

    def best(self, node: Node, side: str, moves: list[Move]) -> dict[Move, float]:
        """The n best of the moves that have been seen enough."""
        known = {move: amaf_of(node, side, move) for move in moves}
        means = {move: amaf.mean for move, amaf in known.items() if amaf.visits >= self.seen}
        if len(means) <= self.n:
            return dict.fromkeys(means, 1.0)
        bound = sorted(means.values(), reverse=True)[self.n - 1]
        above = [move for move, mean in means.items() if mean > bound]
        ties = [move for move, mean in means.items() if mean == bound]
        chance = (self.n - len(above)) / len(ties)
        return {**dict.fromkeys(above, 1.0), **dict.fromkeys(ties, chance)}

    def options(self, here: Here) -> dict[Move, float]:
        """With probability p one of those that are still free."""
        free = {move: self.pool[move] for move in here.position.legal_moves if move in self.pool}
        total = sum(free.values())
        return {move: self.p * chance / total for move, chance in free.items()}

    def tables(self, search: TreeSearch) -> Tables:
        """1 for the moves of the root that would be in its pool."""
        moves = search.start.legal_moves
        pool = self.best(search.root, search.start.to_move, moves) if search.root.visits > self.visits else {}
        return {("pool", None): {move: pool.get(move, 0.0) for move in moves}}


@dataclass
class LastGoodReply(Playout):
    """Last good reply (LGR1; LGRF1 with `forget`): a move is answered as it last was in a won simulation."""

    forget: bool = True
    scope: str = "global"
    learn_from: str = "simulation"
    published: bool = False
    keep: bool = False
    slots: tuple[Move, ...] = ()
    """The cells in board order, which `published` needs: it forgets by position."""
    replies: dict[int, dict[tuple[str, Move], Move]] = field(default_factory=lambda: defaultdict(dict))
    """By table (one, or one per node), side and last move: the answer."""
    table: int = 0

    def begin(self, here: Here) -> None:
        """Turns to the table of the node above the leaf."""
        self.table = self.table_of(here)

    def table_of(self, here: Here) -> int:
        """0, or what tells nodes apart; the root's table is 0."""
        node = here.path[max(len(here.path) - 2, 0)]
        return 0 if self.scope == "global" or node is here.search.root else id(node)

    def options(self, here: Here) -> dict[Move, float]:
        """The stored answer, if it is legal."""
        if not here.moves:
            return {}
        root_side = here.search.start.to_move
        # The slip of the authors' program: the root side's answers are stored and the other side uses them.
        if self.published and here.side == root_side:
            return {}
        side = root_side if self.published else here.side
        reply = self.replies[self.table].get((side, here.moves[-1]))
        return {reply: 1.0} if reply in here.position.legal_moves and reply is not None else {}

    def learn(self, here: Here, simulation: Simulation) -> None:
        """A win stores its answers; a loss takes them back."""
        if simulation.value == 0.5:
            return
        replies = self.replies[self.table_of(here)]
        root_side = here.search.start.to_move
        whole = self.published or (self.learn_from == "simulation" and self.scope == "global")
        for k in range(1 if whole else max(simulation.tree_moves, 1), len(simulation.moves)):
            side, last, reply = simulation.sides[k], simulation.moves[k - 1], simulation.moves[k]
            if (self.published or self.scope == "per_node") and side != root_side:
                continue
            if simulation.score(side) == 1.0:
                replies[side, last] = reply
            elif self.forget and self.published:
                # The other slip: the cell whose number is the position in the simulation is cleared.
                replies.pop((side, self.slots[k - 1]), None)
            elif self.forget and replies.get((side, last)) == reply:
                del replies[side, last]

    def new_root(self) -> None:
        """Answers are kept if they are to be."""
        if not self.keep or self.scope == "per_node":
            self.replies.clear()

    def tables(self, search: TreeSearch) -> Tables:
        """The answers of each side, of the root's table."""
        known = self.replies[0].items()
        return {
            ("reply", side): {last: reply for (mover, last), reply in known if mover == side}
            for side in ("first", "second")
        }


def by_mean(known: dict[Move, Tally], select: str, tau: float, eps: float) -> dict[Move, float]:
    """How mean results become probabilities: Gibbs' distribution exp(mean / tau), or epsilon-greedy."""
    if select == "gibbs":
        weights = {move: math.exp(tally.mean / tau if tally.visits else 0.0) for move, tally in known.items()}
        total = sum(weights.values())
        return {move: weight / total for move, weight in weights.items()}
    options = {move: eps / len(known) for move in known}
    means = {move: tally.mean for move, tally in known.items() if tally.visits}
    best = [move for move, mean in means.items() if mean == max(means.values())]
    for move in best:
        options[move] += (1 - eps) / len(best)
    return options


@dataclass
class Mast(Playout):
    """MAST: moves by their mean result in all simulations, whoever's turn it was in the tree or playout."""

    select: str = "eps_greedy"
    tau: float = 1.0
    eps: float = 0.4
    published: bool = False
    keep: bool = False
    known: dict[tuple[str | None, Move], Tally] = field(default_factory=lambda: defaultdict(Tally))
    """By side and move; as published one table for both sides, which learns from the root's side alone."""

    def options(self, here: Here) -> dict[Move, float]:
        """By the table of the side to move."""
        side = None if self.published else here.side
        known = {move: self.known[side, move] for move in here.position.legal_moves}
        return by_mean(known, self.select, self.tau, self.eps)

    def learn(self, here: Here, simulation: Simulation) -> None:
        """Every move of the simulation counts."""
        for side, move in zip(simulation.sides, simulation.moves, strict=True):
            if not self.published:
                self.known[side, move].add(simulation.score(side))
            elif side == here.search.start.to_move:
                self.known[None, move].add(simulation.score(side))

    def new_root(self) -> None:
        """Means are kept if they are to be."""
        if not self.keep:
            self.known.clear()

    def tables(self, search: TreeSearch) -> Tables:
        """The means."""
        return {
            ("mast", side): {
                move: tally.mean
                for (mover, move), tally in self.known.items()
                if mover == side and tally.visits
            }
            for side in ((None,) if self.published else ("first", "second"))
        }


@dataclass
class Nast(Playout):
    """NAST: moves by their mean result after the same last move (n=2) or the same last two (n=3)."""

    n: int = 2
    seen: int = 0
    select: str = "eps_greedy"
    tau: float = 1.0
    eps: float = 0.2
    published: bool = False
    keep: bool = False
    known: dict[tuple[str | None, tuple[Move, ...]], Tally] = field(
        default_factory=lambda: defaultdict(Tally)
    )
    """By side and sequence; as published only pairs in the tree that end with a move of the root's side."""

    def lookup(self, side: str | None, sequence: tuple[Move, ...]) -> Tally:
        """What is known of the longest sequence that has been seen enough."""
        for length in range(min(self.n, len(sequence)), 1, -1):
            tally = self.known.get((side, sequence[-length:]), Tally())
            if tally.visits and tally.visits >= self.seen:
                return tally
        return Tally()

    def options(self, here: Here) -> dict[Move, float]:
        """By what is known of each move after the last ones."""
        if not here.moves:
            return {}
        side = None if self.published else here.side
        before = tuple(here.moves[-2:])
        known = {move: self.lookup(side, (*before, move)) for move in here.position.legal_moves}
        return by_mean(known, self.select, self.tau, self.eps)

    def learn(self, here: Here, simulation: Simulation) -> None:
        """Every sequence of the simulation counts."""
        end = simulation.tree_moves if self.published else len(simulation.moves)
        for k in range(1, end):
            side = simulation.sides[k]
            if self.published and side != here.search.start.to_move:
                continue
            for length in range(2, min(self.n, k + 1) + 1):
                sequence = simulation.moves[k + 1 - length : k + 1]
                self.known[None if self.published else side, sequence].add(simulation.score(side))

    def new_root(self) -> None:
        """Means are kept if they are to be."""
        if not self.keep:
            self.known.clear()

    def tables(self, search: TreeSearch) -> Tables:
        """For each move its mean over all last moves."""
        sums: dict[tuple[str | None, Move], Tally] = defaultdict(Tally)
        for (side, sequence), tally in self.known.items():
            if len(sequence) == 2:
                sums[side, sequence[-1]].visits += tally.visits
                sums[side, sequence[-1]].score += tally.score
        return {
            ("nast", side): {move: tally.mean for (mover, move), tally in sums.items() if mover == side}
            for side in ((None,) if self.published else ("first", "second"))
        }
