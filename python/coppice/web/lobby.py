"""The lobby: all rooms in play, the searches they share, and the computer's turns."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from concurrent.futures import Future

from coppice.board.cells import Side
from coppice.core.session import Limit, Player, Report, Thinking
from coppice.play.book import shipped
from coppice.play.clocks import expected_moves, move_seconds
from coppice.play.opponent import KeptSearch
from coppice.web.game_room import GameRoom, Seat
from coppice.web.limits import limits
from coppice.web.runs import Runs
from coppice.web.saved_games import SavedGames
from coppice.web.searches import TURN_SECONDS, Busy, Searches, capped, decide
from coppice.web.settings import Settings
from coppice.web.tidying import Tidying
from coppice.web.visitors import Rate

__all__ = ["Lobby"]

log = logging.getLogger("coppice.web")

TIDY_SECONDS = 10.0
"""Between two looks at what nobody needs any more."""
TRUSTED_SIMULATIONS = 500
"""Smaller searches say too little about who is ahead to be shown."""
MOST_PONDER_SECONDS = 60.0
"""Of search about one position on a person's time."""
HIDDEN_MOVES = 30
"""Moves that are expected where random games would betray secrets."""
LEAST_SECONDS = 0.25
"""Between a move and the computer's answer where something is hidden."""


def told_after(seconds: float, within: float | None) -> float:
    """When a decision that took so many seconds is told, where how long it took might betray a secret.

    By a clock when all of its time is over; without one after the least time, twice, four times as long and
    so on: all that can be seen is between which of these the search ended.
    """
    if within is not None:
        return max(seconds, within)
    told = LEAST_SECONDS
    while told < seconds:
        told *= 2
    return told


class Lobby:
    """The rooms of one server. Everything here belongs to the event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.saved_games = SavedGames(settings.saved_games, self._saving_changed)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._saves: dict[str, Future[str]] = {}
        self.searches = Searches(settings.threads)
        self.runs = Runs()
        self._rooms: dict[str, GameRoom] = {}
        self._opened = Rate(limits().tables_per_hour, 3600.0)
        self._tidying: asyncio.Task[None] | None = None
        self._thinking: dict[str, asyncio.Task[None]] = {}
        self._pondering: dict[str, _Pondering] = {}

    def open(self, room: GameRoom, visitor: str = "") -> GameRoom:
        """Takes a new room in; a ValueError if a visitor opens too many. Nobody counts those of nobody."""
        if visitor and not self._opened.take(visitor):
            raise ValueError(
                f"at most {limits().tables_per_hour:,} tables are opened from one place in an hour:"
                " try again later"
            )
        self._take_in(room)
        self._save(room)
        return room

    def _take_in(self, room: GameRoom) -> None:
        self._rooms[room.identity] = room
        room.save = lambda: self._save(room)

    async def find(self, identity: str) -> GameRoom | None:
        """The room of an identity, from the memory or from the saved games."""
        self._unload()
        room = self._rooms.get(identity)
        if room is None:
            found = await asyncio.to_thread(self.saved_games.get, identity)
            # Somebody else may have found it meanwhile: there is one room of each game.
            room = self._rooms.get(identity)
            if room is None and found is not None:
                room = found
                self._take_in(room)
        if room is not None:
            room.used = time.monotonic()
        return room

    # Saving

    def _save(self, room: GameRoom) -> None:
        """Saves a game as it is now, soon."""
        if self._loop is None:
            with contextlib.suppress(RuntimeError):
                self._loop = asyncio.get_running_loop()
        self._saves[room.identity] = self.saved_games.put(room)

    async def _saved(self, room: GameRoom) -> None:
        """Waits until the newest change of a game is saved, or its page can tell why it is not."""
        if save := self._saves.get(room.identity):
            await asyncio.wrap_future(save)

    @property
    def trouble(self) -> str:
        """Why games are not saved just now, in words for people; empty if they are."""
        reason = self.saved_games.trouble
        return reason and (
            f"Games cannot be saved just now ({reason}). This one goes on, and is saved when that is mended."
        )

    def _saving_changed(self, reason: str) -> None:
        """Saving has begun to fail, or works again; on the writer's thread."""
        if self._loop is not None:
            # The loop may be closed: nobody looks at a page then.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._tell_saving, reason)

    def _tell_saving(self, reason: str) -> None:
        for room in list(self._rooms.values()):
            if not reason:
                # It may be another file: what it has not got is here.
                self._save(room)
            room.tell()

    @property
    def loaded(self) -> int:
        """How many rooms are in memory."""
        return len(self._rooms)

    def keep_tidy(self) -> None:
        """From now on what nobody needs any more is released now and then."""
        self._tidying = asyncio.get_running_loop().create_task(self._tidy_now_and_then())

    async def _tidy_now_and_then(self) -> None:
        tidied = Tidying()
        while True:
            await asyncio.sleep(TIDY_SECONDS)
            self._unload()
            await tidied.give_back()

    def _unload(self) -> None:
        """Lets the tables go that nobody has looked at for long, and more than a few that nobody looks at."""
        now = time.monotonic()
        idle = [
            room
            for room in self._rooms.values()
            if not (room.listeners or self.is_thinking(room) or self.is_pondering(room))
        ]
        idle.sort(key=lambda room: room.used, reverse=True)
        for place, room in enumerate(idle):
            if now - room.used > limits().idle_seconds or place >= limits().tables_idle:
                del self._rooms[room.identity]
                self._saves.pop(room.identity, None)

    # The computer's turns

    def wake(self, room: GameRoom) -> None:
        """Lets the computer decide if it is its turn and it is not thinking yet."""
        seat = room.seat_to_move()
        running = self._thinking.get(room.identity)
        if seat is None or seat.kind != "computer" or room.paused or (running and not running.done()):
            return
        task = asyncio.get_running_loop().create_task(self._decide_turns(room))
        self._thinking[room.identity] = task
        task.add_done_callback(lambda _: self._thinking.pop(room.identity, None))

    def is_thinking(self, room: GameRoom) -> bool:
        """Whether the computer is thinking about a move of this room."""
        return room.identity in self._thinking

    async def _decide_turns(self, room: GameRoom) -> None:
        try:
            while (seat := room.seat_to_move()) and seat.kind == "computer" and not room.paused:
                node, started = room.live, time.monotonic()
                kept = await self._stop_pondering(room)
                within = self._seconds(room)
                report, words = await self._decide(room, seat, kept, within)
                if room.game.hidden:
                    took = time.monotonic() - started
                    await asyncio.sleep(told_after(took, within) - took)
                # Nobody sees an answer to a move that could be forgotten.
                await self._saved(room)
                if self._both_computer(room):
                    await self._rest(room, started)
                    if not room.listeners:
                        # Nobody is watching: the game goes on when somebody comes back.
                        return
                room.check_time()
                if room.live != node or room.over or room.paused:
                    continue
                if report.proof or report.simulations >= TRUSTED_SIMULATIONS:
                    room.findings.note_report(node, report)
                room.play(report.best, words)
                self._start_pondering(room, seat, kept)
        except Busy as error:
            log.warning("room %s: %s", room.identity, error)
            await asyncio.sleep(1)
            asyncio.get_running_loop().call_later(0.1, self.wake, room)
        except Exception:
            log.exception("the computer could not move in room %s", room.identity)

    async def _rest(self, room: GameRoom, started: float) -> None:
        """Lets people look; a pace that is changed meanwhile holds at once."""
        while True:
            pace = self.settings.watch_seconds if room.pace is None else room.pace
            rest = started + pace - time.monotonic()
            if rest <= 0:
                return
            await asyncio.sleep(min(rest, 0.25))

    async def _decide(
        self, room: GameRoom, seat: Seat, kept: KeptSearch, within: float | None
    ) -> tuple[Report, str]:
        """The computer's report, and where it comes from if it is not a search."""
        state = room.state(room.live)
        book = shipped(room.game) if seat.book else None
        if book is not None and (report := book.find(state)) is not None:
            return report, report.notes[0]
        report = await decide(
            self.searches,
            room.identity,
            state,
            seat.player,
            seat.simulations,
            seed=room.search_seed,
            within=within,
            kept=kept if seat.ponder else None,
        )
        return report, ""

    @staticmethod
    def _seconds(room: GameRoom) -> float | None:
        """What the clock gives the computer for its move; None without a clock."""
        left = room.time_left(room.to_move)
        if left is None or room.clock is None:
            return None
        moves = (
            HIDDEN_MOVES if room.game.hidden else expected_moves(room.state(room.live), seed=room.search_seed)
        )
        # What a move earns is not on the clock yet: half of it is a safe part of what follows.
        return move_seconds(left, moves) + min(room.clock.increment, left) / 2

    # Thinking on a person's time

    def _start_pondering(self, room: GameRoom, seat: Seat, kept: KeptSearch) -> None:
        """Lets the computer think on while a person does, as long as there are threads for it."""
        other = room.seat_to_move()
        if (
            seat.ponder
            and not room.game.hidden
            and other is not None
            and other.kind == "person"
            and len(self._pondering) < self.searches.threads
        ):
            pondering = _Pondering(self.searches, room, seat, kept)
            pondering.task = asyncio.get_running_loop().create_task(pondering.run())
            pondering.task.add_done_callback(lambda _: self._pondered(room, pondering))
            self._pondering[room.identity] = pondering

    def _pondered(self, room: GameRoom, pondering: _Pondering) -> None:
        # A tree that nobody will ask for is gone at once; the others are as many as there are threads.
        if pondering.left and self._pondering.get(room.identity) is pondering:
            del self._pondering[room.identity]

    async def _stop_pondering(self, room: GameRoom) -> KeptSearch:
        """The search that was kept for this room, at rest; an empty one if there is none."""
        pondering = self._pondering.pop(room.identity, None)
        if pondering is None:
            return KeptSearch()
        pondering.stop()
        if pondering.task is not None:
            await pondering.task
        return pondering.kept

    def is_pondering(self, room: GameRoom) -> bool:
        """Whether the computer is thinking on a person's time in this room."""
        pondering = self._pondering.get(room.identity)
        return pondering is not None and pondering.task is not None and not pondering.task.done()

    @staticmethod
    def _both_computer(room: GameRoom) -> bool:
        return room.seats is not None and all(seat.kind == "computer" for seat in room.seats.values())

    def leave(self, room: GameRoom, side: Side) -> None:
        """A side resigns."""
        room.resign(side)

    def close(self) -> None:
        """Stops thinking, saves what is not saved yet and closes the file."""
        if self._tidying is not None:
            self._tidying.cancel()
        for task in self._thinking.values():
            task.cancel()
        for pondering in self._pondering.values():
            pondering.stop()
            if pondering.task is not None:
                pondering.task.cancel()
        self.runs.close()
        self.searches.close()
        self.saved_games.close()


class _Pondering:
    """The computer's search of a position in which a person is to move."""

    def __init__(self, searches: Searches, room: GameRoom, seat: Seat, kept: KeptSearch) -> None:
        self.searches = searches
        self.room = room
        self.seat = seat
        self.kept = kept
        self.node = room.live
        # A copy, because the room's own states belong to the event loop.
        self.state = room.state(room.live).copy()
        self.wanted = True
        self._stopped = asyncio.Event()
        self.left = False
        """Whether nobody is there any more, or the game went another way than by a move."""
        self.task: asyncio.Task[None] | None = None
        self._thinking: Thinking | None = None

    def stop(self) -> None:
        """It must end now."""
        self.wanted = False
        self._stopped.set()
        self._give_way()

    def _give_way(self) -> None:
        if self._thinking is not None:
            self._thinking.interrupt()

    async def run(self) -> None:
        """Thinks turn by turn on threads that nobody wants."""
        try:
            done = -1
            while self.wanted and not self.left:
                report = await self.searches.spare(self._turn, self._give_way)
                if report is None:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._stopped.wait(), TURN_SECONDS)
                elif report.seconds >= MOST_PONDER_SECONDS or report.simulations == done:
                    # Time enough, or the position is proven.
                    return
                else:
                    done = report.simulations
                room = self.room
                gone = not room.listeners or room.over or room.paused
                # A move of the person ends this through `stop`; any other change of the position is no move.
                moved = room.live != self.node and room.tree[room.live].parent != self.node
                self.left = gone or moved
        except Exception:
            self.left = True
            log.exception("the computer could not think on a person's time in room %s", self.room.identity)

    def _turn(self) -> Report:
        """One turn; on a thread of the searches."""
        if self._thinking is None:
            thinking = self.kept.take(self.state)
            if thinking is None:
                thinking = Player(capped(self.seat.player)).think(self.state, seed=self.room.search_seed)
            self.kept.keep(thinking, self.state)
            self._thinking = thinking
        if not self.wanted:
            return self._thinking.report()
        return self._thinking.run(Limit(seconds=TURN_SECONDS))
