"""Nested search for two players in plain Python: the algorithm, and what is to be expected of it.

Cazenave, Saffidine, Schofield, Thielscher, "Nested Monte Carlo Search for Two-Player Games", 2016. Values are
for the first side: +1 its win, 0 a draw, -1 its loss; with discounting divided by the depth, which is 1 where
a playout starts. The core does not log what nested playouts try, but on small boards the probability of every
move can be computed: `Expected` does, and the moves of the core must follow it.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from coppice.reference.tree_search import Here, Move, Playout, Position, evenly, other

__all__ = ["Expected", "Minimax", "Nested", "NestedPlayout"]


def sign(side: str) -> float:
    """The first side maximises, the second minimises."""
    return 1.0 if side == "first" else -1.0


def value_of(outcome: str, depth: int, discount: bool) -> float:
    """What an end is worth to the first side."""
    value = {"first": 1.0, "draw": 0.0, "second": -1.0}[outcome]
    return value / depth if discount else value


def after(position: Position, move: Move) -> Position:
    """The position that a move leads to."""
    successor = position.copy()
    successor.play(move)
    return successor


@dataclass
class Nested:
    """The algorithm with its two heuristics; `level` is that of the highest scan."""

    discount: bool = False
    cut_on_win: int = 0
    """Highest level at which a won successor ends the scan."""
    prune_on_depth: int = 0
    """Highest level whose best value bounds the playouts below."""
    pod_mode: str = "safe"
    states: int = 0
    """States visited so far: one per move played."""

    def playout(
        self, level: int, position: Position, depth: int, bound: tuple[float, str] | None, rng: random.Random
    ) -> float:
        """One playout of `level`; `bound` is the best value of the scan that asks, and whose it is."""
        while position.outcome is None:
            if bound is not None and self.cannot_beat(position, depth, *bound):
                return bound[0]
            move = self.choose(level, position, depth, rng)
            position = after(position, move)
            self.states += 1
            depth += 1
        return value_of(position.outcome, depth, self.discount)

    def choose(self, level: int, position: Position, depth: int, rng: random.Random) -> Move:
        """The move of a playout: random, or the successor whose playout of the level below was best."""
        moves = position.legal_moves
        if level == 0:
            return rng.choice(moves)
        side = position.to_move
        chosen: Move | None = None
        best = -sign(side) / (depth if self.discount else 1)
        for move in rng.sample(moves, len(moves)):
            # A bound only once a real successor has set it.
            bound = (best, side) if chosen is not None and level <= self.prune_on_depth else None
            self.states += 1
            value = self.playout(level - 1, after(position, move), depth + 1, bound, rng)
            if sign(side) * value > sign(side) * best:
                chosen, best = move, value
            if level <= self.cut_on_win and sign(side) * value > 0:
                break
        return rng.choice(moves) if chosen is None else chosen

    def cannot_beat(self, position: Position, depth: int, value: float, owner: str) -> bool:
        """Whether no end from here on is better for the owner of the bound than the bound."""
        if self.pod_mode == "paper" and position.to_move != owner:
            return False
        earliest = depth if self.pod_mode == "paper" else depth + 1
        return sign(owner) * value > 0 and 1 / earliest <= sign(owner) * value


def uniform(position: Position) -> dict[Move, float]:
    """The same probability for each move."""
    return evenly(position.legal_moves)


@dataclass
class Expected:
    """The exact probabilities of nested playouts, for small boards.

    Cutting on wins (without discounting) and pruning on depth (with it) change none of them.
    """

    discount: bool = False
    order: str = "shuffled"
    base: Callable[[Position], dict[Move, float]] = uniform
    """The probability of each move of a playout of level 0."""
    known: dict[tuple[int, int, int], dict[float, float]] = field(default_factory=dict)

    def values(self, level: int, position: Position, depth: int) -> dict[float, float]:
        """The probability of each value of a playout of `level`."""
        if position.outcome is not None:
            return {value_of(position.outcome, depth, self.discount): 1.0}
        name = (level, position.key, depth)
        if name not in self.known:
            sums: dict[float, float] = {}
            for move, probability in self.moves(level, position, depth).items():
                for value, part in self.values(level, after(position, move), depth + 1).items():
                    sums[value] = sums.get(value, 0.0) + probability * part
            self.known[name] = sums
        return self.known[name]

    def moves(self, level: int, position: Position, depth: int = 1) -> dict[Move, float]:
        """The probability of each move of a playout of `level`."""
        if level == 0:
            return self.base(position)
        moves = position.legal_moves
        worst = -1.0 / depth if self.discount else -1.0
        gain = sign(position.to_move)
        # For the side to move, by successor.
        below = [
            {gain * value: p for value, p in self.values(level - 1, after(position, move), depth + 1).items()}
            for move in moves
        ]
        options = dict.fromkeys(moves, 0.0)
        for index, move in enumerate(moves):
            before, after_it = below[:index], below[index + 1 :]
            for value, probability in below[index].items():
                if value <= worst:
                    continue
                if self.order == "shuffled":
                    options[move] += probability * first_of_equals(value, before + after_it)
                else:
                    # The first of equals in the order of the list.
                    smaller = math.prod(up_to(value, values, equal=False) for values in before)
                    no_larger = math.prod(up_to(value, values, equal=True) for values in after_it)
                    options[move] += probability * smaller * no_larger
        # Where nothing is better than a loss at once, a random move is played.
        left = 1.0 - sum(options.values())
        return {move: p + left / len(moves) for move, p in options.items() if p + left > 1e-12}


def up_to(bound: float, values: dict[float, float], *, equal: bool) -> float:
    """The probability of a value below the bound, or equal to it."""
    return sum(p for value, p in values.items() if value < bound or (equal and value == bound))


def first_of_equals(value: float, others: list[dict[float, float]]) -> float:
    """The probability that no other value is larger and that this one comes first among its equals."""
    # By number of equals.
    ties = [1.0]
    for values in others:
        equal = values.get(value, 0.0)
        smaller = up_to(value, values, equal=False)
        more = [0.0, *(equal * probability for probability in ties)]
        ties = [*(smaller * probability for probability in ties), 0.0]
        ties = [a + b for a, b in zip(ties, more, strict=True)]
    return sum(probability / (count + 1) for count, probability in enumerate(ties))


@dataclass
class NestedPlayout(Playout):
    """Nested playouts in a tree search: each move is one step of the highest level."""

    level: int = 1
    discount: bool = False
    order: str = "shuffled"
    base: Playout | None = None
    """A policy that looks at nothing but the position; None: uniform."""
    expected: Expected = field(init=False)

    def __post_init__(self) -> None:
        self.expected = Expected(self.discount, self.order)

    def options(self, here: Here) -> dict[Move, float]:
        """By the exact probabilities."""
        if self.base is not None:
            self.expected.base = functools.partial(self.base_options, self.base, here)
        return self.expected.moves(self.level, here.position)

    @staticmethod
    def base_options(base: Playout, here: Here, position: Position) -> dict[Move, float]:
        """The moves of level 0: the policy's; what it leaves is uniform."""
        chosen = base.options(Here(here.search, position, here.path))
        left = (1.0 - sum(chosen.values())) / len(position.legal_moves)
        options = {move: chosen.get(move, 0.0) + left for move in position.legal_moves}
        return {move: probability for move, probability in options.items() if probability > 1e-12}


@dataclass
class Minimax(Playout):
    """MCTS-MR (Baier and Winands 2013): plays wins and avoids losses that one or two plies prove.

    Without `avoid` wins are played only, which with depth 1 is `decisive`. What it looks at counts as visited
    states if it is `counted`.
    """

    depth: int = 1
    avoid: bool = True
    counted: bool = True

    def options(self, here: Here) -> dict[Move, float]:
        """A proven win, or else any move that is not a proven loss."""
        side = here.side
        verdicts = {
            move: self.verdict(after(here.position, move), side) for move in here.position.legal_moves
        }
        wins = [move for move, winner in verdicts.items() if winner == side]
        kept = [move for move, winner in verdicts.items() if winner != other(side)]
        if wins:
            return evenly(wins)
        return evenly(kept) if self.avoid and kept else {}

    def visits(self, position: Position) -> tuple[int, int]:
        """The least and the most states that count before a move: moves are looked at until one wins."""
        if not self.counted:
            return 0, 0
        side, looks = position.to_move, []
        for move in position.legal_moves:
            child = after(position, move)
            replies = 0 if child.outcome is not None or self.depth < 2 else len(child.legal_moves)
            looks.append((self.verdict(child, side) == side, 1 + min(replies, 1), 1 + replies))
        most = sum(states for *_, states in looks)
        wins = [states for won, states, _ in looks if won]
        return (min(wins) if wins else sum(states for _, states, _ in looks)), most

    def verdict(self, position: Position, side: str) -> str | None:
        """Who is proven to win after a side's move."""
        if position.outcome is not None or self.depth < 2:
            return position.outcome
        replier = position.to_move
        ends = {after(position, move).outcome for move in position.legal_moves}
        if replier in ends:
            return replier
        return ends.pop() if len(ends) == 1 else None
