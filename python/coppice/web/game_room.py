"""A room: one game in play, with its variations, seats, clock and result, as values that can be kept."""

from __future__ import annotations

import functools
import random
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Literal

from coppice import _core
from coppice.board.cells import Side
from coppice.core.endings import GIVEN_UP, ending, won
from coppice.core.guests import NOBODY, Guests
from coppice.core.session import Game, Player, Report, State

__all__ = [
    "SIDES",
    "Clock",
    "GameRoom",
    "Node",
    "Seat",
    "allowed",
    "game_of",
    "guest_games",
    "guests",
    "other",
    "welcome",
]

SIDES: tuple[Side, Side] = ("first", "second")
ROOT = 0
_KEPT_STATES = 4
"""Of the positions asked for last. A state holds all those before it: the others are played again."""


def other(side: Side) -> Side:
    """The opponent of a side."""
    return "second" if side == "first" else "first"


class _Welcome:
    """What whoever started the server lets browsers name although it is written elsewhere."""

    games: ClassVar[tuple[str, ...]] = ()
    guests: ClassVar[Guests] = NOBODY


def welcome(specs: Sequence[str]) -> None:
    """From now on browsers may name these games, players and policies, spelt like this or in full."""
    families = [_family(spec) for spec in specs]
    full = [_core.canonical(family, spec) for family, spec in zip(families, specs, strict=True)]
    for spec, family in zip(specs, families, strict=True):
        if family == "game" and not Game(spec).board().cells:
            raise ValueError(f"the guest {spec} has no board that could be shown: its class needs cells")
    _Welcome.games = tuple(spec for spec, family in zip(full, families, strict=True) if family == "game")
    _Welcome.guests = Guests(specs)


def _family(spec: str) -> str:
    """What a guest is: a game, a player, a playout or a selection policy."""
    tries: dict[str, Callable[[], object]] = {
        "game": lambda: Game(spec),
        "player": lambda: Player(spec),
        "playout": lambda: Player(f"mcts(playout={spec})").check(Game("tic_tac_toe")),
        "selection": lambda: Player(f"mcts(selection={spec})").check(Game("tic_tac_toe")),
    }
    refusals = []
    for family, attempt in tries.items():
        try:
            attempt()
        except ValueError as error:
            refusals.append(str(error))
        else:
            return family
    # That a class is of another kind, or a name of another family, says nothing about what is wrong with it.
    telling = [text for text in refusals if " is not a " not in text and "unknown " not in text]
    raise ValueError(f"the guest {spec}: {(telling or refusals)[0]}")


def guest_games() -> tuple[str, ...]:
    """The games among the guests, in full."""
    return _Welcome.games


def guests() -> Guests:
    """What browsers may name although it lives outside the process."""
    return _Welcome.guests


def allowed(spec: str) -> str:
    """A spec that a browser may name; a ValueError says what in it is neither Coppice's own nor a guest."""
    return guests().admit(spec)


def game_of(spec: str) -> Game:
    """The game of a spec that a browser may name; games do not change, so rooms share them."""
    return _game(allowed(spec))


@functools.lru_cache(maxsize=64)
def _game(spec: str) -> Game:
    return Game(spec)


@dataclass
class Seat:
    """Who decides for a side."""

    kind: Literal["person", "computer"]
    name: str
    player: str = ""
    """The computer's player spec."""
    simulations: int | None = None
    """What the computer may use for a move; None: what the spec says."""
    token: str = ""
    """The secret of the person's own address."""
    ponder: bool = False
    """Whether the computer thinks on the other side's time."""
    book: bool = False
    """Whether it answers from the opening book that the package brings for the board."""
    invitation: str = ""
    """The code with which somebody may take this seat, once; empty: it is taken."""


@dataclass
class Node:
    """A position of the game: the root, or the one after a move."""

    parent: int | None
    move: str
    children: list[int] = field(default_factory=list)
    value: float | None = None
    """The first side's expected result here, 0..1, where somebody has searched."""
    best: str = ""
    """The move that this search would play."""
    simulations: int = 0
    words: str = ""
    """Where the computer had its move from, if it did not search."""
    proven: bool = False
    """Whether the value is certain: the game has ended, or a search has seen to its end."""


@dataclass
class Clock:
    """Time for each side, in seconds; a side that has used up its time loses."""

    seconds: float
    increment: float
    left: dict[Side, float]
    since: float | None = None
    """When the present turn began (wall clock, so that a restart does not stop it); None: it stands."""


class GameRoom:
    """One game in play. Every change is announced to the listeners."""

    def __init__(
        self,
        game: str,
        seats: dict[Side, Seat] | None = None,
        *,
        position: str | None = None,
        seed: int | None = None,
        clock: Clock | None = None,
        link: bool = False,
    ) -> None:
        self.identity = secrets.token_urlsafe(9)
        self.game = game_of(game)
        for seat in (seats or {}).values():
            if seat.player:
                allowed(seat.player)
        self.seats = seats
        """None: a room for analysis, where nobody plays against anybody."""
        self.position = position
        self.seed = random.randrange(2**31) if seed is None else seed
        self.clock = clock
        self.link = link
        """Whether two people play from different places."""
        self.nodes: list[Node] = [Node(None, "")]
        self.live = ROOT
        """Where the game stands."""
        self.ended: tuple[Side, str] | None = None
        """The winner and the reason, where the board does not tell: resignation, time."""
        self.asked: Side | None = None
        """The side that has asked to take a move back."""
        self.paused = False
        """The computer does not go on by itself."""
        self.next: str | None = None
        """The rematch."""
        self.listeners: set[Callable[[], None]] = set()
        """Pages that show the game."""
        self.save: Callable[[], None] = lambda: None
        """Saves the game as it is now; whoever keeps the room says how."""
        self.used = time.monotonic()
        self._states: dict[int, State] = {}
        self.state(ROOT)

    # Positions

    def state(self, node: int) -> State:
        """The state at a node; do not change it."""
        if node in self._states:
            self._keep(node, self._states.pop(node))
            return self._states[node]
        if node == ROOT:
            state = self.game.state(self.position) if self.position else self.game.start(seed=self.seed)
        else:
            known = node
            moves: list[str] = []
            while known != ROOT and known not in self._states:
                moves.append(self.nodes[known].move)
                known = self._parent(known)
            state = self.state(known).copy().play(*reversed(moves))
        self._keep(node, state)
        return state

    def _keep(self, node: int, state: State) -> None:
        while len(self._states) >= _KEPT_STATES:
            self._states.pop(next(iter(self._states)))
        self._states[node] = state

    def _parent(self, node: int) -> int:
        parent = self.nodes[node].parent
        return ROOT if parent is None else parent

    def path(self, node: int) -> list[int]:
        """The nodes from the root to this one, both included."""
        path = [node]
        while (parent := self.nodes[path[-1]].parent) is not None:
            path.append(parent)
        return path[::-1]

    def line_through(self, node: int) -> list[int]:
        """The path to a node and on along the first variations to an end."""
        line = self.path(node)
        while self.nodes[line[-1]].children:
            line.append(self.nodes[line[-1]].children[0])
        return line

    def moves(self, node: int) -> list[str]:
        """The moves that lead to a node."""
        return [self.nodes[step].move for step in self.path(node)[1:]]

    def add(self, node: int, move: str) -> int:
        """The node after a move: the one that is there, or a new one. An illegal move is a ValueError."""
        state = self.state(node).copy().play(move)
        child = self.put(node, state.moves[-1])
        if child not in self._states:
            self._keep(child, state)
        return child

    def put(self, node: int, name: str) -> int:
        """The node after a legal move by its usual name: the one that is there, or a new one."""
        for child in self.nodes[node].children:
            if self.nodes[child].move == name:
                return child
        self.nodes.append(Node(node, name))
        self.nodes[node].children.append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    # The game

    @property
    def over(self) -> bool:
        """Whether the game has ended, on the board or otherwise."""
        return self.ended is not None or self.state(self.live).outcome is not None

    @property
    def winner(self) -> Side | Literal["draw"] | None:
        """Who has won."""
        return self.ended[0] if self.ended else self.state(self.live).outcome

    @property
    def to_move(self) -> Side:
        """Whose turn it is."""
        return self.state(self.live).to_move

    def seat_to_move(self) -> Seat | None:
        """Who is to decide; None if nobody is."""
        return None if self.seats is None or self.over else self.seats[self.to_move]

    def result_text(self) -> str:
        """The result in words; empty while the game goes on."""
        if self.ended:
            winner, reason = self.ended
            return won(self.game, winner, GIVEN_UP[reason])
        return self.end_text(self.live)

    def end_text(self, node: int) -> str:
        """How the game has ended on the board of a node, in words; empty if it has not."""
        return ending(self.state(node))

    def name_of(self, side: Side) -> str:
        """What the game calls a side."""
        return self.game.sides[SIDES.index(side)]

    def play(self, move: str, words: str = "") -> int:
        """Plays a move where the game stands; `words` tell where it comes from."""
        self.check_time()
        if self.over:
            raise ValueError("the game is over")
        side = self.to_move
        node = self.add(self.live, move)
        if self.clock and self.clock.since is not None:
            self._charge(self.clock, side)
            self.clock.left[side] += self.clock.increment
        # The line that is played is the main one.
        children = self.nodes[self.live].children
        children.insert(0, children.pop(children.index(node)))
        self.live = node
        self.nodes[node].words = words
        self.asked = None
        if self.clock:
            self.clock.since = None if self.over else time.time()
        self.changed()
        return node

    def back_to(self, node: int) -> None:
        """Takes moves back, or brings them back: the game stands at this node."""
        if not 0 <= node < len(self.nodes):
            raise ValueError(f"there is no position {node} in this game")
        self.live = node
        self.ended = None
        self.asked = None
        if self.clock:
            self.clock.since = None if self.over or node == ROOT else time.time()
        self.changed()

    def before_last_decision(self, side: Side) -> int | None:
        """Where a side decided last; None if it has not."""
        for node in reversed(self.path(self.live)[:-1]):
            if self.state(node).to_move == side:
                return node
        return None

    def after_next_decision(self, side: Side) -> int | None:
        """Where a taken-back line comes to the side's next decision, or to its end."""
        line = self.line_through(self.live)
        rest = line[line.index(self.live) + 1 :]
        for node in rest:
            if self.state(node).to_move == side or self.state(node).outcome:
                return node
        return rest[-1] if rest else None

    def resign(self, side: Side) -> None:
        """Ends the game for the opponent."""
        if self.over:
            raise ValueError("the game is over")
        self._end(other(side), "resignation")

    def time_left(self, side: Side) -> float | None:
        """Seconds on a side's clock now."""
        if self.clock is None:
            return None
        left = self.clock.left[side]
        if self.clock.since is not None and self.to_move == side and not self.over:
            left -= time.time() - self.clock.since
        return max(left, 0.0)

    def check_time(self) -> None:
        """Ends the game if the side to move has no time left."""
        if self.clock and not self.over and self.time_left(self.to_move) == 0.0:
            self._end(other(self.to_move), "time")

    def _end(self, winner: Side, reason: str) -> None:
        if self.clock:
            self._charge(self.clock, self.to_move)
            self.clock.since = None
        self.ended = (winner, reason)
        self.changed()

    @staticmethod
    def _charge(clock: Clock, side: Side) -> None:
        """Takes the time of the present turn from a side's clock."""
        if clock.since is not None:
            clock.left[side] -= time.time() - clock.since

    def note(self, node: int, value: float, best: str, simulations: int) -> None:
        """Keeps what a search found at a node, if it was not a smaller one and nothing is proven there."""
        entry = self.nodes[node]
        if simulations >= entry.simulations and not entry.proven:
            entry.value, entry.best, entry.simulations = value, best, simulations

    def note_report(self, node: int, report: Report) -> None:
        """Keeps what a report says of a node; what it has proven is kept for good."""
        if report.value is None:
            return
        value = report.value if report.side == "first" else 1 - report.value
        if report.proof:
            self._prove(node, value, report.best, report.simulations)
        else:
            self.note(node, value, report.best, report.simulations)

    def note_end(self, node: int) -> None:
        """Keeps the result of a game that has ended at a node."""
        if outcome := self.state(node).outcome:
            self._prove(node, {"first": 1.0, "second": 0.0, "draw": 0.5}[outcome], "", 1)

    def _prove(self, node: int, value: float, best: str, simulations: int) -> None:
        """Keeps what is certain, and what follows: who has won after its own move had won before it."""
        entry = self.nodes[node]
        entry.value, entry.best, entry.simulations, entry.proven = value, best, simulations, True
        if entry.parent is None or self.nodes[entry.parent].proven:
            return
        if value == (1.0 if self.state(entry.parent).to_move == "first" else 0.0):
            self._prove(entry.parent, value, entry.move, simulations)

    def side_of(self, token: str) -> set[Side]:
        """The sides that the holder of a link decides for."""
        if self.seats is None or not token:
            return set()
        return {
            side
            for side, seat in self.seats.items()
            if seat.kind == "person" and secrets.compare_digest(seat.token.encode(), token.encode())
        }

    def join(self, code: str) -> Seat:
        """Takes the seat that an invitation offers: the code is used up, the new secret is nobody else's."""
        for seat in (self.seats or {}).values():
            if code and seat.invitation and secrets.compare_digest(seat.invitation.encode(), code.encode()):
                seat.invitation, seat.token = "", secrets.token_urlsafe(16)
                self.changed()
                return seat
        raise ValueError("this invitation has been used already, or was never given")

    def rematch(self) -> GameRoom:
        """A new room with the same people and players on the other sides."""
        if self.seats is None:
            raise ValueError("nobody plays in this room")
        clock = self.clock and Clock(
            self.clock.seconds, self.clock.increment, dict.fromkeys(SIDES, self.clock.seconds)
        )
        seats = {side: replace(self.seats[other(side)]) for side in SIDES}
        return GameRoom(self.game.spec, seats, position=self.position, clock=clock, link=self.link)

    def changed(self) -> None:
        """Saves the game and tells the pages."""
        self.used = time.monotonic()
        self.save()
        self.tell()

    def tell(self) -> None:
        """Lets the pages show the game as it is now."""
        for listener in list(self.listeners):
            listener()

    # Keeping

    def to_json(self) -> dict[str, Any]:
        """All of the room as plain values."""
        return {
            "identity": self.identity,
            "game": self.game.spec,
            "seats": self.seats and {side: asdict(seat) for side, seat in self.seats.items()},
            "position": self.position,
            "seed": self.seed,
            "clock": self.clock and asdict(self.clock),
            "link": self.link,
            "nodes": [
                # In the order of the fields; those at the end may be missing in an older file.
                [
                    node.parent,
                    node.move,
                    node.children,
                    node.value,
                    node.best,
                    node.simulations,
                    node.words,
                    node.proven,
                ]
                for node in self.nodes
            ],
            "live": self.live,
            "ended": self.ended,
            "asked": self.asked,
            "paused": self.paused,
            "next": self.next,
        }

    @classmethod
    def of_json(cls, entry: dict[str, Any]) -> GameRoom:
        """The room that `to_json` described."""
        seats = entry["seats"] and {side: Seat(**seat) for side, seat in entry["seats"].items()}
        room = cls(
            entry["game"],
            seats,
            position=entry["position"],
            seed=entry["seed"],
            clock=entry["clock"] and Clock(**entry["clock"]),
            link=entry["link"],
        )
        room.identity = entry["identity"]
        room.nodes = [Node(*node) for node in entry["nodes"]]
        room.live = entry["live"]
        room.ended = entry["ended"] and (entry["ended"][0], entry["ended"][1])
        room.asked = entry["asked"]
        room.paused = entry["paused"]
        room.next = entry["next"]
        return room
