"""Playout policies and selection formulas written in Python; they serve every game.

    coppice check examples/policies.py:Early
    coppice explain tic_tac_toe 'mcts(selection=python("examples/policies.py:Ucb1", options="0.5"))'

With `--processes`, a match with them uses every processor.
"""

from __future__ import annotations

import math

from coppice.extend import Chance, Child, Playout, Selection, Turn


class Early(Playout):
    """Draws some moves from the first half of the legal ones: a control for PPR."""

    def __init__(self, p: str = "0.5") -> None:
        self.p = float(p)

    def choose(self, turn: Turn, rng: Chance) -> int | None:
        moves = turn.legal_moves()
        if len(moves) < 2 or rng.unit() >= self.p:
            return None
        return moves[rng.below(len(moves) // 2)]


class Decisive(Playout):
    """Plays a move that wins at once where there is one; else the next policy of the chain decides."""

    def choose(self, turn: Turn, rng: Chance) -> int | None:
        wins = [move for move in turn.legal_moves() if turn.play(move).outcome == turn.side]
        return rng.pick(wins) if wins else None


class Ucb1(Selection):
    """UCT's formula, as the built-in `uct(k=0.25)` has it."""

    def __init__(self, k: str = "0.25") -> None:
        self.k = float(k)

    def value(self, child: Child) -> float:
        if not child.visits:
            return math.inf
        return child.mean + self.k * math.sqrt(child.log_parent / child.visits)


class Rave(Selection):
    """RAVE: the mean mixed with that of all simulations in which the move came later (AMAF)."""

    amaf = True

    def value(self, child: Child) -> float:
        if not child.visits:
            return math.inf
        weight = math.sqrt(130 / (130 + 3 * child.visits))
        return weight * child.amaf_mean + (1 - weight) * child.mean
