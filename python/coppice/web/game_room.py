"""A room: one game in play, with its variations, seats, clock and result, as values that can be kept."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from coppice.board.cells import Side
from coppice.core.endings import GIVEN_UP, won
from coppice.core.session import State, table_seed
from coppice.records.positions import Positions
from coppice.records.tree import ROOT, GameTree, Turn
from coppice.web.allowed import allowed, game_of
from coppice.web.findings import Finding, Findings
from coppice.web.limits import limits

__all__ = ["SIDES", "Clock", "GameRoom", "Seat", "other"]

SIDES: tuple[Side, Side] = ("first", "second")
_OLDER_ROW: tuple[Any, ...] = (None, "", (), None, "", 0, "", False, "")
"""Of a saved node, what stands where an older file has nothing."""


def other(side: Side) -> Side:
    """The opponent of a side."""
    return "second" if side == "first" else "first"


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
        now: Callable[[], float] = time.time,
    ) -> None:
        self.identity = secrets.token_urlsafe(9)
        self.game = game_of(game)
        for seat in (seats or {}).values():
            if seat.player:
                allowed(seat.player)
        self.seats = seats
        """None: a room for analysis, where nobody plays against anybody."""
        self.position = position
        self.seed = table_seed() if seed is None else seed
        """What the game deals is drawn from it."""
        self.search_seed = secrets.randbits(63)
        """The chance of the computer's searches, which has nothing to do with what was dealt."""
        self.clock = clock
        self.link = link
        """Whether two people play from different places."""
        self.now = now
        """What the clock is read from, in seconds: it goes on while no server runs."""
        self.tree = GameTree()
        """All that has been played and tried here."""
        self.positions = Positions(self.tree, self._start)
        self.findings = Findings(self.positions)
        self.sources: dict[int, str] = {}
        """Where the computer had a move from, if it did not search."""
        self.live = ROOT
        """Where the game stands."""
        self.ended: tuple[Side, str] | None = None
        """The winner and the reason, where the board does not tell: resignation, time."""
        self.asked: Side | None = None
        """The side that has asked to take a move back."""
        self.paused = False
        """The computer does not go on by itself."""
        self.pace: float | None = None
        """Seconds from one move to the next where two computers play; None: what the server says."""
        self.next: str | None = None
        """The rematch."""
        self.listeners: set[Callable[[], None]] = set()
        """Pages that show the game."""
        self.save: Callable[[], None] = lambda: None
        """Saves the game as it is now; whoever keeps the room says how."""
        self.used = time.monotonic()
        self._legal_moves: tuple[int, asyncio.Task[tuple[str, ...]]] | None = None
        self.state(ROOT)

    # Positions

    def _start(self) -> State:
        return self.game.state(self.position) if self.position else self.game.start(seed=self.seed)

    def state(self, node: int) -> State:
        """The state at a node, for what `positions` does not tell; do not change it."""
        return self.positions.state(node)

    def add(self, node: int, move: str) -> int:
        """The node after a move: the one that is there, or a new one. An illegal move is a ValueError."""
        if len(self.tree) >= limits().table_nodes:
            for child in self.tree[node].children:
                if self.tree[child].move == move:
                    return child
            raise ValueError(f"a table holds at most {limits().table_nodes:,} positions")
        return self.positions.add(node, move)

    async def legal_moves(self, node: int) -> tuple[str, ...]:
        """The legal moves at a node, found once, on a thread: of some games there are many."""
        if self._legal_moves is None or self._legal_moves[0] != node:
            # A copy, because the room's own states belong to the event loop.
            state = self.state(node).copy()
            work = asyncio.to_thread(lambda: tuple(state.legal_moves))
            self._legal_moves = node, asyncio.get_running_loop().create_task(work)
        # Whoever asked may be gone before the others.
        return await asyncio.shield(self._legal_moves[1])

    # The game

    @property
    def over(self) -> bool:
        """Whether the game has ended, on the board or otherwise."""
        return self.ended is not None or self.positions[self.live].outcome is not None

    @property
    def winner(self) -> Side | Literal["draw"] | None:
        """Who has won."""
        return self.ended[0] if self.ended else self.positions[self.live].outcome

    @property
    def to_move(self) -> Side:
        """Whose turn it is."""
        return self.positions.to_move(self.live)

    def seat_to_move(self) -> Seat | None:
        """Who is to decide; None if nobody is."""
        return None if self.seats is None or self.over else self.seats[self.to_move]

    def result_text(self) -> str:
        """The result in words; empty while the game goes on."""
        if self.ended:
            winner, reason = self.ended
            return won(self.game, winner, GIVEN_UP[reason])
        return self.positions[self.live].ending

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
        self.tree.promote(node)
        self.live = node
        if words:
            self.sources[node] = words
        else:
            self.sources.pop(node, None)
        self.asked = None
        if self.clock:
            self.clock.since = None if self.over else self.now()
        self.changed()
        return node

    def back_to(self, node: int) -> None:
        """Takes moves back, or brings them back: the game stands at this node."""
        if not 0 <= node < len(self.tree):
            raise ValueError(f"there is no position {node} in this game")
        self.live = node
        self.ended = None
        self.asked = None
        if self.clock:
            self.clock.since = None if self.over or node == ROOT else self.now()
        self.changed()

    def before_last_decision(self, side: Side) -> int | None:
        """Where a side decided last; None if it has not."""
        for node in reversed(self.tree.path(self.live)[:-1]):
            if self.positions.to_move(node) == side:
                return node
        return None

    def after_next_decision(self, side: Side) -> int | None:
        """Where a taken-back line comes to the side's next decision, or to its end."""
        rest = self.tree.line_from(self.live)
        for node in rest:
            if self.positions.to_move(node) == side or self.positions[node].outcome:
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
            left -= self.now() - self.clock.since
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

    def _charge(self, clock: Clock, side: Side) -> None:
        """Takes the time of the present turn from a side's clock."""
        if clock.since is not None:
            clock.left[side] -= self.now() - clock.since

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
        return GameRoom(
            self.game.spec, seats, position=self.position, clock=clock, link=self.link, now=self.now
        )

    def for_analysis(self, node: int) -> GameRoom:
        """A new room at a node, with all moves and findings, in which nobody plays against anybody."""
        return GameRoom.of_json(self.entry_for_analysis(node))

    def entry_for_analysis(self, node: int) -> dict[str, Any]:
        """What `of_json` makes that room of, on any thread."""
        entry = self.to_json()
        entry.update(identity=secrets.token_urlsafe(9), seats=None, clock=None, link=False)
        entry.update(live=node, ended=None, asked=None, paused=False, next=None)
        return entry

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
            "search_seed": self.search_seed,
            "clock": self.clock and asdict(self.clock),
            "link": self.link,
            "nodes": [
                # Those at the end may be missing in an older file.
                self._row(node)
                for node in range(len(self.tree))
            ],
            "live": self.live,
            "ended": self.ended,
            "asked": self.asked,
            "paused": self.paused,
            "next": self.next,
            "pace": self.pace,
        }

    def _row(self, node: int) -> list[Any]:
        """A node as plain values."""
        turn, found = self.tree[node], self.findings[node]
        told = [turn.comment] if turn.comment else []
        return [
            turn.parent,
            turn.move,
            # A copy: it is written while the game goes on.
            list(turn.children),
            found.value,
            found.best,
            found.simulations,
            self.sources.get(node, ""),
            found.proven,
            *told,
        ]

    def _take(self, rows: list[list[Any]]) -> None:
        """Takes the nodes that `_row` described."""
        turns: list[Turn] = []
        for node, row in enumerate(rows):
            given = [*row, *_OLDER_ROW[len(row) :]]
            parent, move, children, value, best, simulations, words, proven, comment = given
            turns.append(Turn(move, comment, parent=parent, children=list(children)))
            if value is not None:
                self.findings[node] = Finding(value, best, simulations, proven)
            if words:
                self.sources[node] = words
        self.tree.take(turns)

    @classmethod
    def of_json(cls, entry: dict[str, Any], *, now: Callable[[], float] = time.time) -> GameRoom:
        """The room that `to_json` described."""
        seats = entry["seats"] and {side: Seat(**seat) for side, seat in entry["seats"].items()}
        room = cls(
            entry["game"],
            seats,
            position=entry["position"],
            seed=entry["seed"],
            clock=entry["clock"] and Clock(**entry["clock"]),
            link=entry["link"],
            now=now,
        )
        room.identity = entry["identity"]
        # An older file has none; the searches of a game that goes on may as well begin with another.
        room.search_seed = entry.get("search_seed", room.search_seed)
        room._take(entry["nodes"])
        room.live = entry["live"]
        room.ended = entry["ended"] and (entry["ended"][0], entry["ended"][1])
        room.asked = entry["asked"]
        room.paused = entry["paused"]
        room.next = entry["next"]
        # An older file has none.
        room.pace = entry.get("pace")
        return room
