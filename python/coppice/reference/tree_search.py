"""Monte-Carlo tree search with UCT in plain Python: the loops of the PPR paper and of Fossel's report."""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

__all__ = [
    "Backup",
    "Disagreement",
    "Here",
    "Move",
    "Node",
    "Playout",
    "Position",
    "Root",
    "Settings",
    "Simulation",
    "Tables",
    "Tally",
    "TreeSearch",
    "Uct",
    "other",
]

Move = str
Tables = dict[tuple[str, str | None], dict[Move, float] | dict[Move, Move]]
"""Statistics by name and side (None: of neither alone): a number, or the move that answers, for each move."""


class Position(Protocol):
    """What the search needs of a game; `coppice.State` has it."""

    @property
    def legal_moves(self) -> list[Move]:
        """The moves of the side to move; none if the game is over."""

    @property
    def moves(self) -> list[Move]:
        """The moves played so far."""

    @property
    def key(self) -> int:
        """Equal for equal positions."""

    @property
    def to_move(self) -> str:
        """``first`` or ``second``."""

    @property
    def outcome(self) -> str | None:
        """``first``, ``second``, ``draw``, or None while the game goes on."""

    def play(self, *moves: Move) -> object:
        """Plays the moves."""

    def copy(self) -> Position:
        """A position of its own."""


class Disagreement(AssertionError):
    """The core did what the plain algorithm does not allow."""


@dataclass(frozen=True)
class Settings:
    """The options of `mcts` that the loop reads; see `coppice players mcts`."""

    k: float = 0.25
    """Exploration constant for results in 0..1."""
    expansion: str = "one"
    expand_at: int = 1
    order: str = "random"
    t: int = 0
    """In a node with fewer visits the playout policy draws the move."""
    fpu: float | None = None
    """Mean result that an unvisited child is taken to have."""
    fpu_mode: str = "urgency"
    widen: int | None = None
    """What a node offers at first, those with the best AMAF value; None: all. Needs `expansion=all`."""
    widen_at: float = 50.0
    widen_by: float = 1.3
    """Child number `widen` + j is offered after `widen_at` * `widen_by`^j visits."""
    learn: str = "simulation"
    """AMAF counts the moves of whole simulations, or those made in the tree only (`tree`)."""
    budget: int | None = None
    """Simulations that the search may make in all."""


@dataclass
class Tally:
    """How often something was seen, and the sum of its results in 0..1."""

    visits: int = 0
    score: float = 0.0

    def add(self, score: float) -> None:
        """Counts one more result."""
        self.visits += 1
        self.score += score

    @property
    def mean(self) -> float:
        """Mean result."""
        return self.score / self.visits


@dataclass
class Node(Tally):
    """A position in the tree: simulations through it, with results for the side that moved here."""

    children: dict[Move, Node] = field(default_factory=dict)
    made: bool = False
    """Whether the position has been visited often enough to keep statistics of its own."""
    expanded: bool = False
    """Whether the node has been given children (all of them, or its first)."""
    waiting: list[Move] = field(default_factory=list)
    """Where nodes widen: the moves that are not offered yet."""
    values: dict[Move, float] = field(default_factory=dict)
    """What a backup keeps of each move beside its mean, for who plays it."""
    amaf: dict[tuple[str, Move], Tally] = field(default_factory=dict)
    """Of each side and move: the simulations in which that side played it anywhere below this node."""


@dataclass(frozen=True)
class Simulation:
    """One simulation: all its moves, how many of them were made in the tree, the first side's result."""

    moves: tuple[Move, ...]
    sides: tuple[str, ...]
    tree_moves: int
    value: float

    def score(self, side: str) -> float:
        """The result for a side."""
        return self.value if side == "first" else 1.0 - self.value


@dataclass
class Here:
    """Where a simulation stands."""

    search: TreeSearch
    position: Position
    path: list[Node]
    """From the root to the position or, in a playout, to the leaf where it began."""
    moves: list[Move] = field(default_factory=list)
    """Made since the root, by `sides`."""
    sides: list[str] = field(default_factory=list)

    @property
    def side(self) -> str:
        """Who is to move."""
        return self.position.to_move

    @property
    def tree_moves(self) -> int:
        """How many of the moves were made in the tree."""
        return len(self.path) - 1

    def lowest_node(self, enough: Callable[[int], bool]) -> Node | None:
        """The lowest node of the path that has visits enough."""
        nodes = (node for node in reversed(self.path) if node.made and enough(node.visits))
        return next(nodes, None)


def other(side: str) -> str:
    """The side that plays against a side."""
    return "second" if side == "first" else "first"


def result_of(outcome: str) -> float:
    """Points of the first side: win 1, draw 1/2, loss 0."""
    return {"first": 1.0, "draw": 0.5, "second": 0.0}[outcome]


class Uct:
    """UCT, and what every other selection policy may change: the number that selection maximises."""

    def mean_and_visits(self, settings: Settings, child: Node) -> tuple[float, int] | None:
        """With which mean and visits a child enters the formula; None if it goes first."""
        if settings.fpu is not None and settings.fpu_mode == "virtual_win":
            return (child.score + settings.fpu) / (child.visits + 1), child.visits + 1
        if child.visits:
            return child.mean, child.visits
        return None if settings.fpu is None else (settings.fpu, 1)

    @staticmethod
    def explore(parent: Node, visits: int) -> float:
        """The square root of ln(visits of the parent) / visits."""
        return math.sqrt(math.log(max(parent.visits, 1)) / visits)

    def value(self, here: Here, move: Move) -> float:
        """Mean result plus exploration, for the child of the last node of the path."""
        parent = here.path[-1]
        known = self.mean_and_visits(here.search.settings, parent.children[move])
        if known is None:
            return math.inf
        mean, visits = known
        if here.search.backup is not None and parent.children[move].visits:
            mean = here.search.backup.mean(parent, move)
        return self.bound(here, mean, visits)

    def bound(self, here: Here, mean: float, visits: int) -> float:
        """What a child with this mean and these visits may be worth."""
        return mean + here.search.settings.k * self.explore(here.path[-1], visits)

    def learn(self, simulation: Simulation) -> None:
        """Called after the back-up."""

    def new_root(self) -> None:
        """The search goes on from another root: what was learnt is forgotten, unless it is to be kept."""

    def tables(self) -> Tables:
        """What the policy has learnt beyond the tree."""
        return {}


class Playout:
    """One policy of a chain: uniform playouts, and what the others may change."""

    def begin(self, here: Here) -> None:
        """Called where the tree ends, and where the policy has to choose inside the tree."""

    def enter(self, here: Here) -> None:
        """Called where the tree ends, after all have begun: the playout goes on from `here.position`."""

    def options(self, here: Here) -> dict[Move, float]:
        """The probability of each move; what is missing to 1 is left to the next policy."""
        return {}

    def end(self, here: Here) -> str | float | None:
        """The outcome with which the policy ends the playout here, or the first side's expected result."""
        return None

    def learn(self, here: Here, simulation: Simulation) -> None:
        """Called after the back-up; `here` is where the simulation has ended."""

    def new_root(self) -> None:
        """The search goes on from another root: what was learnt is forgotten, unless it is to be kept."""

    def tables(self, search: TreeSearch) -> Tables:
        """What the policy has learnt, or would make of the root."""
        return {}


class Root(ABC):
    """A policy that shares the simulations of a decision among its moves."""

    @abstractmethod
    def options(self, root: Node, legal: Sequence[Move]) -> list[Move]:
        """The moves that the next simulation may begin with."""


class Backup(ABC):
    """A policy that keeps a value beside the mean results."""

    @abstractmethod
    def expand(self, here: Here) -> None:
        """Called where a node has just got its children."""

    @abstractmethod
    def back_up(self, here: Here) -> None:
        """Called after the back-up of the result."""

    @abstractmethod
    def mean(self, parent: Node, move: Move) -> float:
        """What formulas read instead of the mean of a child that has visits."""


Decide = Callable[[dict[Move, float], bool], Move | None]
"""Picks one of the moves that have these probabilities, in the tree or not."""


class TreeSearch:
    """The search: a selection policy, a chain of playout policies, and the tree with its AMAF tables."""

    TOLERANCE = 1e-4
    """Two children this close may both be the best: the core adds in single precision."""

    def __init__(
        self,
        position: Position,
        settings: Settings,
        selection: Uct | None = None,
        playout: Sequence[Playout] = (),
        *,
        root: Root | None = None,
        backup: Backup | None = None,
    ) -> None:
        self.start = position
        self.settings = settings
        self.selection = selection or Uct()
        self.playout = playout
        self.plan = root
        self.backup = backup
        self.root = Node(made=True)

    # What the algorithm is.

    def best_moves(self, here: Here) -> list[Move]:
        """The children with the highest value, ties included."""
        values = {move: self.selection.value(here, move) for move in here.path[-1].children}
        best = max(values.values())
        # Values of several units (a history's weight is 10) carry an error of several units, too.
        margin = self.TOLERANCE * max(1.0, abs(best)) if math.isfinite(best) else 0.0
        return [move for move, value in values.items() if value >= best - margin]

    def tree_options(self, here: Here) -> dict[Move, float]:
        """The moves that the algorithm may choose at the last node of the path."""
        node, settings = here.path[-1], self.settings
        legal = here.position.legal_moves
        if not node.expanded:
            node.expanded = True
            if settings.widen is not None:
                node.waiting = legal
            elif settings.expansion == "all":
                node.children = {move: Node() for move in legal}
            if self.backup is not None:
                self.backup.expand(here)
        if self.plan is not None and node is self.root:
            return evenly(self.plan.options(node, legal))
        if settings.widen is not None:
            self.widen(here, settings.widen)
            return evenly(self.best_moves(here))
        if node.visits < settings.t:
            self.begin_playout(here)
            return self.playout_options(here)
        untried = [move for move in legal if move not in node.children]
        if untried:
            return evenly({"random": untried, "first": untried[:1], "last": untried[-1:]}[settings.order])
        return evenly(self.best_moves(here))

    def widen(self, here: Here, first: int) -> None:
        """Lets the last node of the path offer what it owes (progressive unpruning, Chaslot et al. 2008)."""
        node, settings = here.path[-1], self.settings
        due, needed = first, settings.widen_at * settings.widen_by
        while needed <= node.visits:
            due, needed = due + 1, needed * settings.widen_by

        def value(place: int) -> float:
            later = node.amaf.get((here.side, node.waiting[place]), Tally())
            return (1 + later.score) / (2 + later.visits)

        while node.waiting and len(node.children) < due:
            # The first of equals (`ties=first`); the first that waits takes its place.
            best = max(range(len(node.waiting)), key=value)
            node.waiting[0], node.waiting[best] = node.waiting[best], node.waiting[0]
            node.children[node.waiting.pop(0)] = Node()

    def begin_playout(self, here: Here) -> None:
        """Lets every policy look at the path."""
        for policy in self.playout:
            policy.begin(here)

    def playout_options(self, here: Here) -> dict[Move, float]:
        """The probability of each move in a playout: each policy takes its part, the rest is uniform."""
        options: dict[Move, float] = {}
        left = 1.0
        for policy in [*self.playout, None]:
            part = policy.options(here) if policy else evenly(here.position.legal_moves)
            for move, probability in part.items():
                options[move] = options.get(move, 0.0) + left * probability
            left *= 1.0 - sum(part.values())
            if left < 1e-9:
                break
        return {move: probability for move, probability in options.items() if probability > 0.0}

    def count_amaf(self, path: list[Node], simulation: Simulation) -> None:
        """Counts in every node what was played after it, of each side's moves the first time only."""
        end = simulation.tree_moves if self.settings.learn == "tree" else len(simulation.moves)
        for depth, node in enumerate(path):
            played = dict.fromkeys(zip(simulation.sides[depth:end], simulation.moves[depth:end], strict=True))
            for side, move in played if node.made else ():
                node.amaf.setdefault((side, move), Tally()).add(simulation.score(side))

    # The loop.

    def simulate(self, decide: Decide) -> Simulation:
        """One simulation; `decide` picks each move."""
        here = Here(self, self.start.copy(), [self.root])
        position = here.position
        expanded = fresh = False
        while position.outcome is None and here.path[-1].made and not fresh:
            node = here.path[-1]
            expanded = expanded or not node.expanded
            move = self._decide(decide, self.tree_options(here), True)
            fresh = move not in node.children
            child = node.children.setdefault(move, Node())
            self._play(here, move)
            here.path.append(child)
            if position.outcome is None and not expanded and child.visits >= self.settings.expand_at:
                child.made = True
        outcome: str | float | None = position.outcome
        leaf = here.path[-1] if outcome is None else None
        if outcome is None:
            self.begin_playout(here)
            for policy in self.playout:
                policy.enter(here)
        while outcome is None:
            ends = (policy.end(here) for policy in self.playout)
            outcome = next((end for end in ends if end is not None), None)
            if outcome is None:
                self._play(here, self._decide(decide, self.playout_options(here), False))
                outcome = here.position.outcome
        value = result_of(outcome) if isinstance(outcome, str) else outcome
        simulation = Simulation(tuple(here.moves), tuple(here.sides), here.tree_moves, value)
        self.root.visits += 1
        for node, side in zip(here.path[1:], here.sides, strict=False):
            node.add(simulation.score(side))
        if self.backup is not None:
            self.backup.back_up(here)
        if leaf is not None and leaf.visits >= self.settings.expand_at:
            leaf.made = True
        self.count_amaf(here.path if leaf else here.path[:-1], simulation)
        self.selection.learn(simulation)
        for policy in self.playout:
            policy.learn(here, simulation)
        return simulation

    @staticmethod
    def _play(here: Here, move: Move) -> None:
        here.sides.append(here.side)
        here.moves.append(move)
        here.position.play(move)

    @staticmethod
    def _decide(decide: Decide, options: dict[Move, float], in_tree: bool) -> Move:
        move = decide(options, in_tree)
        place = "the tree" if in_tree else "a playout"
        if move is None:
            raise Disagreement(f"no move was chosen in {place} where {sorted(options)} were allowed")
        if move not in options:
            raise Disagreement(f"{move} was chosen in {place} where {sorted(options)} were allowed")
        return move

    def advance(self, *moves: Move) -> None:
        """Goes on to the position after these moves, which are in the tree, with what is known of it."""
        self.start = self.start.copy()
        for move in moves:
            self.start.play(move)
            self.root = self.root.children[move]
        self.selection.new_root()
        for policy in self.playout:
            policy.new_root()

    def search(self, simulations: int, rng: random.Random) -> Move:
        """Searches by itself; the most visited move."""
        for _ in range(simulations):
            self.simulate(lambda options, _: rng.choices(list(options), list(options.values()))[0])
        return max(self.root.children, key=lambda move: (self.root.children[move].visits, rng.random()))

    def replay(
        self,
        log: Iterable[tuple[list[Move], int, float]],
        watch: Callable[[dict[Move, float], Move], None] | None = None,
    ) -> None:
        """Repeats logged simulations; raises `Disagreement` where the core left the algorithm.

        `watch` is shown the probabilities at every turn of a playout, and the move that was chosen.
        """
        for number, (moves, tree_moves, value) in enumerate(log):
            logged = iter(moves)

            def dictated(
                options: dict[Move, float], in_tree: bool, logged: Iterator[Move] = logged
            ) -> Move | None:
                move = next(logged, None)
                if watch is not None and not in_tree and move in options:
                    watch(options, move)
                return move

            try:
                simulation = self.simulate(dictated)
            except Disagreement as error:
                raise Disagreement(f"simulation {number}: {error}") from None
            here = (simulation.moves, simulation.tree_moves, simulation.value)
            # The core evaluates in single precision.
            if here[:2] != (tuple(moves), tree_moves) or abs(here[2] - value) > 1e-6:
                lengths = "{} moves, {} of them in the tree, with result {}"
                twin = lengths.format(len(here[0]), *here[1:])
                core = lengths.format(len(moves), tree_moves, value)
                raise Disagreement(f"simulation {number}: {twin} here; {core} in the core")

    def tables(self) -> Tables:
        """Every statistic of the root and of the policies, in the core's names."""
        side = self.start.to_move
        visited = {move: child for move, child in self.root.children.items() if child.visits}
        tables: Tables = {
            ("visits", side): {move: float(child.visits) for move, child in self.root.children.items()},
            ("value", side): {move: child.mean for move, child in visited.items()},
        }
        for whose in ("first", "second"):
            means = {move: tally.mean for (mover, move), tally in self.root.amaf.items() if mover == whose}
            tables["amaf", whose] = means
        tables.update(self.selection.tables())
        for policy in self.playout:
            tables.update(policy.tables(self))
        return tables


def evenly(moves: Sequence[Move]) -> dict[Move, float]:
    """The same probability for each of the moves."""
    return {move: 1.0 / len(moves) for move in moves}
