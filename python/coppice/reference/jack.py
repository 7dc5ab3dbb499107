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
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from coppice.reference.tree_search import Disagreement, result_of

__all__ = [
    "Cutoff",
    "Decisive",
    "Full",
    "InformationSetSearch",
    "Node",
    "Plausible",
    "Position",
    "RandomPower",
    "Scripted",
    "ScriptedPower",
    "StagedPlayout",
    "Widening",
    "key_of",
    "uses_of",
]

Move = str
Key = tuple[str, str]
"""A card and a destination."""
Story = tuple[tuple[Move, str], ...]
"""Moves and the public answer to each."""

STREET = re.compile(r"[a-m]\d{1,2}")


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

    def view(self, side: Literal["first", "second"], /) -> dict[str, str]:
        """All that a side may know."""

    def text(self, *, reveal: bool) -> str:
        """The whole position."""

    def estimate(self, *, reveal: bool) -> float | None:
        """The game's estimate of the first side's result."""

    def scripted(self, move: Move, /, *, rules: str | None, reveal: bool) -> tuple[list[Move], float]:
        """What rule scripts leave of the uses of a move's key, and their worth."""


Uses = Mapping[Key, Collection[Move]]
"""The moves of each key, in the order of the keys."""


@dataclass
class Child:
    """A move of a node, with its results for the side that decides there."""

    key: Key
    visits: int = 0
    score: float = 0.0


@dataclass
class Node:
    """What a side can tell apart."""

    visits: int = 1
    """The simulations that it has learnt from, and the one that made it."""
    children: dict[Move, Child] = field(default_factory=dict)
    available: dict[Key, int] = field(default_factory=dict)
    """How often a key was open when the node was visited."""
    answers: dict[Key, tuple[list[Move], float]] = field(default_factory=dict)
    """What `plausible` was told of each key."""

    def tried(self, key: Key) -> int:
        """How many children a key has borne."""
        return sum(child.key == key for child in self.children.values())


def key_of(move: Move) -> Key:
    """The card and the destination of a move: a street, an exit, an accusation, or Gull's swap."""
    words = move.split()
    if "accuse" in words:
        return words[0], f"accuse {words[words.index('accuse') + 1]}"
    if "exit" in words:
        return words[0], f"exit {words[words.index('exit') + 1]}"
    streets = [word for word in words if STREET.fullmatch(word)]
    return words[0], streets[0] if streets else "swap"


def uses_of(position: Position) -> dict[Key, list[Move]]:
    """All keys with their moves. Legal moves are listed by key."""
    found: dict[Key, list[Move]] = {}
    for move in position.legal_moves:
        found.setdefault(key_of(move), []).append(move)
    return found


def suspects_of(position: Position) -> list[str]:
    """Whom the detective must suspect."""
    return position.view("first")["suspects"].split(",")


def with_jack(text: str, jack: str) -> str:
    """The same world with another Jack, whose alibi card and that of the old one change places."""
    fields = dict(field.split("=", 1) for field in text.split())
    # A card that somebody has drawn says who: `gull:jack`.
    fields["pile"] = re.sub(rf"\b{jack}\b", fields["jack"], fields["pile"])
    fields["jack"] = jack
    return " ".join(f"{name}={value}" for name, value in fields.items())


# Which moves a node considers.


class Full:
    """Every move of every open key becomes a child (V1 of the paper), and what other models may change."""

    one_per_key = False

    @property
    def draws_anew(self) -> bool:
        """Whether a child stands for all uses of its key."""
        return False

    def considered(self, node: Node, position: Position, uses: Uses) -> Uses:
        """The open keys that the node considers."""
        return uses

    def most_children(self, visits: int) -> float:
        """How many children a node may have after so many visits."""
        return math.inf

    def completions(self, node: Node, key: Key, moves: Collection[Move], asked: Position) -> Collection[Move]:
        """What may complete a key that has these moves in the position that is asked."""
        return moves


@dataclass
class RandomPower(Full):
    """One child per key, its use of the power drawn when it is made, or each time it is played (V2)."""

    drawn: str = "made"
    one_per_key = True

    @property
    def draws_anew(self) -> bool:
        """Whether a child stands for all uses of its key."""
        return self.drawn == "played"


@dataclass
class ScriptedPower(Full):
    """One child per key, its use of the power chosen by a rule script (V3)."""

    rules: str | None = None
    one_per_key = True

    def completions(self, node: Node, key: Key, moves: Collection[Move], asked: Position) -> Collection[Move]:
        """The script's choice; what ends the game is drawn."""
        return asked.scripted(next(iter(moves)), rules=self.rules, reveal=True)[0]


@dataclass
class Widening(Full):
    """Every move, but after n visits at most c * n^a children (Coulom 2007; Chaslot et al. 2008)."""

    c: float = 2.0
    a: float = 0.4

    def most_children(self, visits: int) -> float:
        """Rounded down, and never none."""
        return max(1, int(self.c * max(visits, 1) ** self.a))


@dataclass
class Plausible(Full):
    """One child per key, and only of the n keys that the rule scripts find best (Bernstein et al. 1958)."""

    n: int = 10
    rules: str | None = None
    one_per_key = True

    def considered(self, node: Node, position: Position, uses: Uses) -> Uses:
        """The n best of the keys that are open in this world, the first of equals. A node asks once each."""
        for key, moves in uses.items():
            if key not in node.answers:
                node.answers[key] = position.scripted(next(iter(moves)), rules=self.rules, reveal=True)
        best = sorted(uses, key=lambda key: -node.answers[key][1])[: self.n]
        return {key: moves for key, moves in uses.items() if key in best}

    def completions(self, node: Node, key: Key, moves: Collection[Move], asked: Position) -> Collection[Move]:
        """What the script chose when the node asked it."""
        return node.answers[key][0]


# Playouts.


def staged(uses: Uses) -> dict[Move, float]:
    """A card, then one of its destinations, then a use of its power, each uniformly."""
    cards = Counter(card for card, _ in uses)
    return {
        move: 1 / len(cards) / cards[card] / len(moves) for (card, _), moves in uses.items() for move in moves
    }


class StagedPlayout:
    """One policy of a chain, and what the others may change."""

    def options(self, position: Position) -> dict[Move, float]:
        """The probability of each move; none: the next policy is asked."""
        return {}

    def value(self, position: Position, made: int) -> float | None:
        """The first side's result with which the policy ends the playout after so many moves, if it does."""
        return None


class Decisive(StagedPlayout):
    """A side that can win for certain does so; nobody accuses on a mere suspicion."""

    def completed(self, position: Position, uses: Uses) -> Uses:
        """What is left of the uses of each key: all of them."""
        return uses

    def options(self, position: Position) -> dict[Move, float]:
        """Jack leaves if he can; the detective arrests the only suspect if he can."""
        uses = uses_of(position)
        suspects = suspects_of(position)
        wins = {
            (card, place): moves
            for (card, place), moves in uses.items()
            if place.startswith("exit") or (len(suspects) == 1 and place == f"accuse {suspects[0]}")
        }
        safe = {key: moves for key, moves in uses.items() if not key[1].startswith("accuse")}
        return staged(wins or self.completed(position, safe))


@dataclass
class Scripted(Decisive):
    """The same, the use of the power chosen by a rule script."""

    rules: str | None = None

    def completed(self, position: Position, uses: Uses) -> Uses:
        """The script's choice."""
        return {
            key: position.scripted(next(iter(moves)), rules=self.rules, reveal=True)[0]
            for key, moves in uses.items()
        }


@dataclass
class Cutoff(StagedPlayout):
    """A playout ends after n moves with the game's estimate of the result."""

    n: int = 6

    def value(self, position: Position, made: int) -> float | None:
        """The estimate."""
        return position.estimate(reveal=True) if made >= self.n else None


Watch = Callable[[dict[Move, float], Move], None]
"""Is shown the probabilities at every turn of a playout, and the move that was chosen."""


class InformationSetSearch:
    """Replays what the core logged; at every node the logged move must be one that the algorithm allows."""

    TOLERANCE = 1e-4
    """Two children this close may both be the best: the core adds in single precision."""

    def __init__(
        self,
        root: Position,
        read: Callable[[str], Position],
        *,
        candidates: Full,
        k: float,
        playout: Sequence[StagedPlayout] | None = None,
    ) -> None:
        self.observer = root.to_move
        """The side whose search it is."""
        self.candidates = candidates
        self.k = k
        self.playout = playout
        """The chain of policies; an empty one is uniform by stages. None: playouts are taken as they were."""
        self.root = Node(visits=0)
        self.nodes: dict[tuple[Story, str], Node] = {((), self.secret(root)): self.root}
        self.completed: dict[tuple[Story, Key], list[Move]] = {}
        """The moves with which a key of a story has been completed, whatever Jack's identity."""
        self.read = read
        """Makes a position of its text."""
        self.true_secret = self.secret(root)
        self._uses: dict[tuple[Story, str, str, str], Uses] = {}

    # What the algorithm is.

    @staticmethod
    def secret(position: Position) -> str:
        """What the side to move knows for itself: Jack who he is; the detective's nodes are shared by all."""
        return position.view("second")["jack"] if position.to_move == "second" else ""

    def name_of(self, move: Move) -> Move:
        """What a move is called in the tree: where uses are drawn each time, its card and destination."""
        return " ".join(key_of(move)) if self.candidates.draws_anew else move

    def uses(self, story: Story, position: Position) -> Uses:
        """The keys that are open in this world with their moves; accusations only of suspects."""
        view = position.view("first")
        if self.candidates.draws_anew:
            # What was drawn before is part of no story, so that one story has many positions.
            self._uses.clear()
        # Stories and these tell positions apart as far as legal moves go, so each is listed once.
        place = (story, view["hand"], self.secret(position), view["suspects"])
        if place not in self._uses:
            accusations = {f"accuse {suspect}" for suspect in suspects_of(position)}
            self._uses[place] = {
                key: moves
                for key, moves in uses_of(position).items()
                if not key[1].startswith("accuse") or key[1] in accusations
            }
        return self._uses[place]

    def fresh_keys(self, story: Story, node: Node, uses: Uses) -> list[Key]:
        """The open keys of which one may bear the next child; none if the node must not have one more."""
        if sum(map(node.tried, uses)) >= self.candidates.most_children(node.visits):
            return []
        if self.candidates.one_per_key:
            return [key for key in uses if not node.tried(key)]
        return [
            key
            for key, moves in uses.items()
            if node.tried(key) < len(self.completed.get((story, key), ()))
            or not set(moves) <= set(self.completed.get((story, key), ()))
        ]

    def fresh_moves(self, story: Story, node: Node, key: Key, position: Position, uses: Uses) -> set[Move]:
        """The moves that may be the next child of a fresh key: what has completed it already comes first."""
        completed = self.completed.get((story, key), [])
        tried = node.tried(key)
        if self.candidates.draws_anew:
            return set(uses[key])
        if tried < len(completed):
            return {completed[tried]}
        # A side plays for its true secret; only what that one cannot do (an escape) is for the world's.
        truth = self.undisguised(position)
        its_uses = uses if truth is None else self.uses(story, truth)
        if truth is None or key not in its_uses:
            truth, its_uses = position, uses
        return set(self.candidates.completions(node, key, its_uses[key], truth)) - set(completed)

    def undisguised(self, position: Position) -> Position | None:
        """The position with the searching side's true secret, where it decides and has another; else None."""
        if position.to_move != self.observer or self.secret(position) == self.true_secret:
            return None
        return self.read(with_jack(position.text(reveal=True), self.true_secret))

    def value(self, node: Node, child: Child) -> float:
        """UCT with the number of times that the child was there instead of the visits of its node."""
        if child.visits == 0:
            return math.inf
        explore = math.sqrt(math.log(max(node.available[child.key], 1)) / child.visits)
        return child.score / child.visits + self.k * explore

    def best_moves(self, node: Node, uses: Uses) -> set[Move]:
        """The moves of the open children with the highest value, ties included."""
        values = {move: self.value(node, child) for move, child in node.children.items() if child.key in uses}
        best = max(values.values())
        chosen = {move for move, value in values.items() if value >= best - self.TOLERANCE}
        if not self.candidates.draws_anew:
            return chosen
        return {use for move in chosen for use in uses[node.children[move].key]}

    def playout_options(self, position: Position) -> dict[Move, float]:
        """The probability of each move of a playout."""
        parts = (policy.options(position) for policy in self.playout or ())
        return next(filter(None, parts), None) or staged(uses_of(position))

    # The loop.

    def simulate(
        self, position: Position, shared: bool, moves: Sequence[Move], watch: Watch | None = None
    ) -> tuple[int, float]:
        """One simulation in a world, its moves dictated; how many were made in the tree, and the result.

        With `shared` every node on the way learns, else only those of the searching side.
        """
        path: list[tuple[Node, Move, str]] = []
        story: Story = ()
        place = (story, self.secret(position))
        fresh = False
        while position.outcome is None and place in self.nodes and not fresh:
            node, side = self.nodes[place], position.to_move
            uses = self.candidates.considered(node, position, self.uses(story, position))
            for key in uses:
                node.available[key] = node.available.get(key, 0) + (shared or side == self.observer)
            move = moves[len(path)]
            key = key_of(move)
            keys = self.fresh_keys(story, node, uses)
            fresh = bool(keys)
            if fresh and key not in keys:
                raise Disagreement(f"{move} was chosen in the tree where only {keys[:9]} may bear a child")
            allowed = (
                self.fresh_moves(story, node, key, position, uses) if fresh else self.best_moves(node, uses)
            )
            if move not in allowed:
                raise Disagreement(f"{move} was chosen in the tree where {sorted(allowed)[:9]} were allowed")
            name = self.name_of(move)
            if fresh:
                node.children[name] = Child(key)
                completed = self.completed.setdefault((story, key), [])
                if name not in completed:
                    completed.append(name)
            path.append((node, name, side))
            before = position.view("first")
            position.play(move)
            if position.outcome is None:
                story = (*story, (name, self._answer(before, position.view("first"))))
                place = (story, self.secret(position))
        is_leaf = position.outcome is None
        value = self._play_out(position, moves[len(path) :], watch)
        for node, move, side in path:
            if shared or side == self.observer:
                child = node.children[move]
                child.visits += 1
                child.score += value if side == "first" else 1.0 - value
                node.visits += 1
        if is_leaf:
            self.nodes.setdefault(place, Node())
        return len(path), value

    def _play_out(self, position: Position, moves: Sequence[Move], watch: Watch | None) -> float:
        """Plays the moves as the policies allow; the first side's result."""
        for made in range(len(moves) + 1):
            if position.outcome is not None:
                return result_of(position.outcome)
            values = (policy.value(position, made) for policy in self.playout or ())
            value = next((value for value in values if value is not None), None)
            if value is not None:
                if made < len(moves):
                    raise Disagreement(f"{moves[made]} was played where the playout ends with {value}")
                return value
            if made == len(moves):
                break
            if self.playout is not None:
                options = self.playout_options(position)
                if moves[made] not in options:
                    some = sorted(options)[:9]
                    raise Disagreement(f"{moves[made]} was chosen in a playout where {some} were allowed")
                if watch is not None:
                    watch(options, moves[made])
            position.play(moves[made])
        raise Disagreement("the simulation stops before the end of the game")

    @staticmethod
    def _answer(before: dict[str, str], after: dict[str, str]) -> str:
        """What the witnesses have said: something only between two turns."""
        return after["witness"] if before["turn"] != after["turn"] else ""

    def replay(
        self,
        log: Iterable[tuple[list[Move], int, float]],
        worlds: Iterable[tuple[str, bool] | None],
        watch: Watch | None = None,
    ) -> None:
        """Repeats logged simulations in their worlds; raises `Disagreement` where the core did not follow."""
        for number, ((moves, tree_moves, value), world) in enumerate(zip(log, worlds, strict=True)):
            if world is None:
                raise ValueError("the log has no worlds: it is not of a game with hidden information")
            text, shared = world
            try:
                here = self.simulate(self.read(text), shared, moves, watch)
            except Disagreement as error:
                raise Disagreement(f"simulation {number}: {error}") from None
            if here != (tree_moves, value):
                raise Disagreement(f"simulation {number}: {here} here, {(tree_moves, value)} in the core")
