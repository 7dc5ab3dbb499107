"""Monte-Carlo tree search with UCT in plain Python: the loops of the PPR paper and of Fossel's report."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["Disagreement", "Node", "Position", "Settings", "Simulation", "TreeSearch"]

Move = str


class Position(Protocol):
    """What the search needs of a game; `coppice.State` has it."""

    @property
    def legal_moves(self) -> list[Move]:
        """The moves of the side to move; none if the game is over."""

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


@dataclass
class Node:
    """A position in the tree, with the statistics of the move that leads to it."""

    visits: int = 0
    """Simulations through this position."""
    score: float = 0.0
    """Sum of results in 0..1 for the side that moved here."""
    children: dict[Move, Node] = field(default_factory=dict)
    expanded: bool = False
    """Whether the node has been given children (all of them, or its first)."""

    @property
    def mean(self) -> float:
        """Mean result for the side that moved here."""
        return self.score / self.visits


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


def result_of(outcome: str) -> float:
    """Points of the first side: win 1, draw 1/2, loss 0."""
    return {"first": 1.0, "draw": 0.5, "second": 0.0}[outcome]


class TreeSearch:
    """UCT; the papers' players change `value` (selection) and `playout_moves` (what a playout may choose)."""

    TOLERANCE = 1e-4
    """Two children this close may both be the best: the core adds in single precision."""

    def __init__(self, position: Position, settings: Settings) -> None:
        self.start = position
        self.settings = settings
        self.root = Node()

    # What the algorithm is.

    def value(self, path: list[Node], move: Move, side: str) -> float:
        """The number that selection maximises over the children of the last node of the path."""
        parent, child = path[-1], path[-1].children[move]
        settings = self.settings
        if settings.fpu is not None and settings.fpu_mode == "virtual_win":
            mean, visits = (child.score + settings.fpu) / (child.visits + 1), child.visits + 1
        elif child.visits:
            mean, visits = child.mean, child.visits
        elif settings.fpu is not None:
            mean, visits = settings.fpu, 1
        else:
            return math.inf
        return mean + settings.k * math.sqrt(math.log(max(parent.visits, 1)) / visits)

    def best_moves(self, path: list[Node], side: str) -> set[Move]:
        """The children with the highest value, ties included."""
        values = {move: self.value(path, move, side) for move in path[-1].children}
        best = max(values.values())
        return {move for move, value in values.items() if value >= best - self.TOLERANCE}

    def tree_moves(self, path: list[Node], position: Position) -> set[Move]:
        """The moves that the algorithm may choose at the last node of the path."""
        node, settings = path[-1], self.settings
        legal = position.legal_moves
        if not node.expanded:
            node.expanded = True
            if settings.expansion == "all":
                node.children = {move: Node() for move in legal}
        if node.visits < settings.t:
            return set(legal)
        untried = [move for move in legal if move not in node.children]
        if not untried:
            return self.best_moves(path, position.to_move)
        return {"random": set(untried), "first": set(untried[:1]), "last": set(untried[-1:])}[settings.order]

    def playout_moves(self, position: Position, history: list[Move]) -> Iterable[Move]:
        """The moves that the playout policy may choose; uniform: all."""
        return position.legal_moves

    def begin_playout(self, path: list[Node], position: Position) -> None:
        """Called where the tree ends."""

    def learn(self, path: list[Node], simulation: Simulation) -> None:
        """Called after the back-up; `path` begins with the root and may end with a new leaf."""

    # The loop.

    def simulate(self, decide: Callable[[set[Move], bool], Move | None]) -> Simulation:
        """One simulation. `decide(allowed, in_tree)` picks each move; None in the tree ends the tree part."""
        position = self.start.copy()
        path, moves, sides = [self.root], [], []
        expanded = False
        while position.outcome is None:
            node = path[-1]
            if node is not self.root:
                ready = node.visits >= self.settings.expand_at or node.expanded
                if (expanded and not node.expanded) or not ready:
                    break
            expanded = expanded or not node.expanded
            allowed = self.tree_moves(path, position)
            move = self._decide(decide, allowed, True)
            sides.append(position.to_move)
            moves.append(move)
            fresh = move not in node.children
            path.append(node.children.setdefault(move, Node()))
            position.play(move)
            if fresh:
                break
        tree_moves = len(moves)
        if position.outcome is None:
            self.begin_playout(path, position)
        while position.outcome is None:
            move = self._decide(decide, set(self.playout_moves(position, moves)), False)
            sides.append(position.to_move)
            moves.append(move)
            position.play(move)
        simulation = Simulation(tuple(moves), tuple(sides), tree_moves, result_of(position.outcome))
        self.root.visits += 1
        for node, side in zip(path[1:], sides, strict=False):
            node.visits += 1
            node.score += simulation.score(side)
        self.learn(path, simulation)
        return simulation

    @staticmethod
    def _decide(decide: Callable[[set[Move], bool], Move | None], allowed: set[Move], in_tree: bool) -> Move:
        move = decide(allowed, in_tree)
        if move is None:
            raise Disagreement(
                f"no move where {sorted(allowed)} were allowed ({'tree' if in_tree else 'playout'})"
            )
        if move not in allowed:
            place = "the tree" if in_tree else "a playout"
            raise Disagreement(f"{move} was chosen in {place} where {sorted(allowed)} were allowed")
        return move

    def search(self, simulations: int, rng: random.Random) -> Move:
        """Searches by itself; the most visited move."""
        for _ in range(simulations):
            self.simulate(lambda allowed, _: rng.choice(sorted(allowed)))
        return max(self.root.children, key=lambda move: (self.root.children[move].visits, rng.random()))

    def replay(self, log: Iterable[tuple[list[Move], int, float]]) -> None:
        """Repeats logged simulations; raises `Disagreement` where the core left the algorithm."""
        for number, (moves, tree_moves, value) in enumerate(log):
            logged = iter(moves)

            def dictated(allowed: set[Move], in_tree: bool, logged: Iterator[Move] = logged) -> Move | None:
                return next(logged, None)

            try:
                simulation = self.simulate(dictated)
            except Disagreement as error:
                raise Disagreement(f"simulation {number}: {error}") from None
            if (simulation.tree_moves, simulation.value) != (tree_moves, value):
                here = f"{simulation.tree_moves} moves in the tree and result {simulation.value} here"
                raise Disagreement(f"simulation {number}: {here}, {tree_moves} and {value} in the core")
