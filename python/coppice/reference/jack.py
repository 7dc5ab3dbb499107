"""Information-set search in plain Python: UCT over what a side can tell apart, as Mr Jack's players do it.

Mazyad, Teytaud and Fonlupt, "Monte-Carlo Tree Search for the Mr Jack board game" (2015) give the three
decision models; they say nothing about what is hidden. Here every simulation is played in a world that the
searching side cannot tell from the true one, and the statistics of a node are those of what its side knows:
the moves and the witnesses' answers so far (the story), and for Jack who he is. Children are counted by
availability, after Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search" (2012).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from coppice.reference.tree_search import Disagreement, result_of

__all__ = ["InformationSetSearch", "Node", "Position", "key_of"]

Move = str
Key = tuple[str, str]
"""A card and a destination."""
Story = tuple[tuple[Move, str], ...]
"""Moves and the public answer to each."""

STREET = re.compile(r"[a-m]\d{1,2}")
MODELS = ("full", "random_power", "scripted_power")


class Position(Protocol):
    """What the search needs of a state of Mr Jack; `coppice.State` has it."""

    @property
    def legal_moves(self) -> list[Move]:
        """The moves of the side to move."""

    @property
    def to_move(self) -> str:
        """``first`` (the detective) or ``second`` (Jack)."""

    @property
    def outcome(self) -> str | None:
        """``first``, ``second``, or None while the game goes on."""

    def play(self, *moves: Move) -> object:
        """Plays the moves."""

    def view(self, side: str) -> dict[str, str]:
        """All that a side may know."""


@dataclass
class Child:
    """A move of a node, with its results for the side that decides there."""

    key: Key
    visits: int = 0
    score: float = 0.0


@dataclass
class Node:
    """What a side can tell apart."""

    children: dict[Move, Child] = field(default_factory=dict)
    available: dict[Key, int] = field(default_factory=dict)
    """How often a key was open when the node was visited."""


def key_of(move: Move) -> Key:
    """The card and the destination of a move: a street, an exit, an accusation, or Gull's swap."""
    words = move.split()
    if "accuse" in words:
        return words[0], f"accuse {words[words.index('accuse') + 1]}"
    if "exit" in words:
        return words[0], f"exit {words[words.index('exit') + 1]}"
    streets = [word for word in words if STREET.fullmatch(word)]
    return words[0], streets[0] if streets else "swap"


class InformationSetSearch:
    """Replays what the core logged; at every node the logged move must be one that the algorithm allows."""

    TOLERANCE = 1e-4
    """Two children this close may both be the best: the core adds in single precision."""

    def __init__(self, observer: str, *, model: str, k: float) -> None:
        if model not in MODELS:
            raise ValueError(f"unknown model '{model}': {', '.join(MODELS)}")
        self.observer = observer
        """The side whose search it is."""
        self.model = model
        self.k = k
        self.nodes: dict[tuple[Story, str], Node] = {}
        self.completed: dict[tuple[Story, Key], list[Move]] = {}
        """The moves with which a key of a story has been completed, whatever Jack's identity."""
        self._uses: dict[tuple[Story, str, str, str], dict[Key, set[Move]]] = {}

    # What the algorithm is.

    @staticmethod
    def secret(position: Position) -> str:
        """What the side to move knows for itself: Jack who he is; the detective's nodes are shared by all."""
        return position.view("second")["jack"] if position.to_move == "second" else ""

    def uses(self, story: Story, position: Position) -> dict[Key, set[Move]]:
        """The keys that are open in this world with their moves; accusations only of suspects."""
        view = position.view("first")
        # Stories and these tell positions apart as far as legal moves go, so each is listed once.
        place = (story, view["hand"], self.secret(position), view["suspects"])
        if place not in self._uses:
            suspects = view["suspects"].split(",")
            found: dict[Key, set[Move]] = {}
            for move in position.legal_moves:
                key = key_of(move)
                if not key[1].startswith("accuse") or key[1].split()[1] in suspects:
                    found.setdefault(key, set()).add(move)
            self._uses[place] = found
        return self._uses[place]

    def fresh_moves(self, story: Story, node: Node, uses: dict[Key, set[Move]]) -> set[Move]:
        """The moves that may become the next child: of an open key, what is completed already comes first."""
        fresh: set[Move] = set()
        for key, moves in uses.items():
            tried = sum(child.key == key for child in node.children.values())
            if tried and self.model != "full":
                continue
            completed = self.completed.get((story, key), [])
            fresh |= {completed[tried]} if tried < len(completed) else moves - set(completed)
        return fresh

    def value(self, node: Node, child: Child) -> float:
        """UCT with the number of times that the child was there instead of the visits of its node."""
        if child.visits == 0:
            return math.inf
        explore = math.sqrt(math.log(max(node.available[child.key], 1)) / child.visits)
        return child.score / child.visits + self.k * explore

    def best_moves(self, node: Node, uses: dict[Key, set[Move]]) -> set[Move]:
        """The open children with the highest value, ties included."""
        values = {move: self.value(node, child) for move, child in node.children.items() if child.key in uses}
        best = max(values.values())
        return {move for move, value in values.items() if value >= best - self.TOLERANCE}

    # The loop.

    def simulate(self, position: Position, shared: bool, moves: list[Move]) -> tuple[int, float]:
        """One simulation in a world, its moves dictated; how many were made in the tree, and the result.

        With `shared` every node on the way learns, else only those of the searching side.
        """
        path: list[tuple[Node, Move, str]] = []
        story: Story = ()
        place = (story, self.secret(position))
        if not self.nodes and position.to_move != self.observer:
            raise ValueError(f"it is not {self.observer} to move")
        fresh = False
        while position.outcome is None and place in self.nodes and not fresh:
            node, side = self.nodes[place], position.to_move
            uses = self.uses(story, position)
            for key in uses:
                node.available[key] = node.available.get(key, 0) + (shared or side == self.observer)
            untried = self.fresh_moves(story, node, uses)
            allowed = untried or self.best_moves(node, uses)
            move = moves[len(path)]
            if move not in allowed:
                raise Disagreement(f"{move} was chosen in the tree where {sorted(allowed)[:9]} were allowed")
            fresh = bool(untried)
            if fresh:
                key = key_of(move)
                node.children[move] = Child(key)
                completed = self.completed.setdefault((story, key), [])
                if move not in completed:
                    completed.append(move)
            path.append((node, move, side))
            before = position.view("first")
            position.play(move)
            if position.outcome is None:
                story = (*story, (move, self._answer(before, position.view("first"))))
                place = (story, self.secret(position))
        if position.outcome is None:
            self.nodes.setdefault(place, Node())
        position.play(*moves[len(path) :])
        if position.outcome is None:
            raise Disagreement("the simulation stops before the end of the game")
        value = result_of(position.outcome)
        for node, move, side in path:
            if shared or side == self.observer:
                child = node.children[move]
                child.visits += 1
                child.score += value if side == "first" else 1.0 - value
        return len(path), value

    @staticmethod
    def _answer(before: dict[str, str], after: dict[str, str]) -> str:
        """What the witnesses have said: something only between two turns."""
        return after["witness"] if before["turn"] != after["turn"] else ""

    def replay(
        self,
        log: Iterable[tuple[list[Move], int, float]],
        worlds: Iterable[tuple[str, bool] | None],
        read: Callable[[str], Position],
        root: Position,
    ) -> Node:
        """Repeats logged simulations in their worlds, which `read` makes of their texts; the root's node."""
        true = ((), self.secret(root))
        self.nodes[true] = Node()
        for number, ((moves, tree_moves, value), world) in enumerate(zip(log, worlds, strict=True)):
            if world is None:
                raise ValueError("the log has no worlds: it is not of a game with hidden information")
            text, shared = world
            try:
                here = self.simulate(read(text), shared, moves)
            except Disagreement as error:
                raise Disagreement(f"simulation {number}: {error}") from None
            if here != (tree_moves, value):
                raise Disagreement(f"simulation {number}: {here} here, {(tree_moves, value)} in the core")
        return self.nodes[true]
