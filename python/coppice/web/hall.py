"""The hall: all tables in play, the searches they share, and the computer's turns."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from coppice.board.cells import Side
from coppice.core.session import Limit, Player, Report, Thinking
from coppice.play.book import shipped
from coppice.play.clocks import expected_moves, move_seconds
from coppice.play.opponent import Kept
from coppice.web.runs import Runs
from coppice.web.searches import TURN_SECONDS, Busy, Searches, capped, decide
from coppice.web.shelf import Shelf
from coppice.web.table import Seat, Table

__all__ = ["Hall", "Settings"]

log = logging.getLogger("coppice.web")

IDLE_SECONDS = 1800.0
"""A table that nobody has looked at for so long leaves the memory; the shelf keeps it."""
TRUSTED_SIMULATIONS = 500
"""Smaller searches say too little about who is ahead to be shown."""
MOST_PONDER_SECONDS = 60.0
"""Of search about one position on a person's time."""
HIDDEN_MOVES = 30
"""Moves that are expected where random games would betray secrets."""
WATCH_SECONDS = 0.7
"""Between two moves when the computer plays both sides, so that people can follow."""


@dataclass(frozen=True)
class Settings:
    """What the command line decides."""

    host: str = "127.0.0.1"
    port: int = 8060
    store: Path = Path("coppice.db")
    token: str = ""
    """The secret that visitors of a public server need; empty: none."""
    threads: int = field(default_factory=lambda: os.cpu_count() or 1)
    watch_seconds: float = WATCH_SECONDS
    guests: tuple[str, ...] = ()
    """Games, players and policies from elsewhere that visitors may name."""

    @property
    def shelf(self) -> Path:
        """The file of the games in play, beside the store."""
        return self.store.with_name(f"{self.store.stem}-tables.db")


class Hall:
    """The tables of one server. Everything here belongs to the event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.shelf = Shelf(settings.shelf)
        self.searches = Searches(settings.threads)
        self.runs = Runs()
        self._tables: dict[str, Table] = {}
        self._thinking: dict[str, asyncio.Task[None]] = {}
        self._pondering: dict[str, _Pondering] = {}

    def open(self, table: Table) -> Table:
        """Takes a new table in."""
        self._tables[table.identity] = table
        table.listeners.add(lambda: self.shelf.put(table))
        self.shelf.put(table)
        return table

    def find(self, identity: str) -> Table | None:
        """The table of an identity, from the memory or from the shelf."""
        self._unload()
        table = self._tables.get(identity)
        if table is None:
            table = self.shelf.get(identity)
            if table is not None:
                self.open(table)
        if table is not None:
            table.used = time.monotonic()
        return table

    @property
    def loaded(self) -> int:
        """How many tables are in memory."""
        return len(self._tables)

    def _unload(self) -> None:
        now = time.monotonic()
        for identity, table in list(self._tables.items()):
            # One listener is the shelf's.
            if len(table.listeners) <= 1 and now - table.used > IDLE_SECONDS:
                del self._tables[identity]

    # The computer's turns

    def wake(self, table: Table) -> None:
        """Lets the computer decide if it is its turn and it is not thinking yet."""
        seat = table.seat_to_move()
        running = self._thinking.get(table.identity)
        if seat is None or seat.kind != "computer" or table.paused or (running and not running.done()):
            return
        task = asyncio.get_running_loop().create_task(self._decide_turns(table))
        self._thinking[table.identity] = task
        task.add_done_callback(lambda _: self._thinking.pop(table.identity, None))

    def is_thinking(self, table: Table) -> bool:
        """Whether the computer is thinking about a move of this table."""
        return table.identity in self._thinking

    async def _decide_turns(self, table: Table) -> None:
        try:
            while (seat := table.seat_to_move()) and seat.kind == "computer" and not table.paused:
                node, started = table.live, time.monotonic()
                kept = await self._stop_pondering(table)
                report, words = await self._decide(table, seat, kept)
                if self._both_computer(table):
                    rest = self.settings.watch_seconds - (time.monotonic() - started)
                    await asyncio.sleep(max(rest, 0))
                    if len(table.listeners) <= 1:
                        # Nobody is watching: the game goes on when somebody comes back.
                        return
                table.check_time()
                if table.live != node or table.over or table.paused:
                    continue
                if report.proof or report.simulations >= TRUSTED_SIMULATIONS:
                    table.note_report(node, report)
                table.play(report.best, words)
                self._start_pondering(table, seat, kept)
        except Busy as error:
            log.warning("table %s: %s", table.identity, error)
            await asyncio.sleep(1)
            asyncio.get_running_loop().call_later(0.1, self.wake, table)
        except Exception:
            log.exception("the computer could not move at table %s", table.identity)

    async def _decide(self, table: Table, seat: Seat, kept: Kept) -> tuple[Report, str]:
        """The computer's report, and where it comes from if it is not a search."""
        state = table.state(table.live)
        book = shipped(table.game) if seat.book else None
        if book is not None and (report := book.find(state)) is not None:
            return report, report.notes[0]
        report = await decide(
            self.searches,
            table.identity,
            state,
            seat.player,
            seat.simulations,
            seed=table.seed,
            within=self._seconds(table),
            kept=kept if seat.ponder else None,
        )
        return report, ""

    @staticmethod
    def _seconds(table: Table) -> float | None:
        """What the clock gives the computer for its move; None without a clock."""
        left = table.time_left(table.to_move)
        if left is None or table.clock is None:
            return None
        moves = (
            HIDDEN_MOVES if table.game.hidden else expected_moves(table.state(table.live), seed=table.seed)
        )
        # What a move earns is not on the clock yet: half of it is a safe part of what follows.
        return move_seconds(left, moves) + min(table.clock.increment, left) / 2

    # Thinking on a person's time

    def _start_pondering(self, table: Table, seat: Seat, kept: Kept) -> None:
        """Lets the computer think on while a person does, as long as there are threads for it."""
        other = table.seat_to_move()
        if (
            seat.ponder
            and not table.game.hidden
            and other is not None
            and other.kind == "person"
            and len(self._pondering) < self.searches.threads
        ):
            pondering = _Pondering(self.searches, table, seat, kept)
            pondering.task = asyncio.get_running_loop().create_task(pondering.run())
            pondering.task.add_done_callback(lambda _: self._pondered(table, pondering))
            self._pondering[table.identity] = pondering

    def _pondered(self, table: Table, pondering: _Pondering) -> None:
        # A tree that nobody will ask for is gone at once; the others are as many as there are threads.
        if pondering.left and self._pondering.get(table.identity) is pondering:
            del self._pondering[table.identity]

    async def _stop_pondering(self, table: Table) -> Kept:
        """The search that was kept for this table, at rest; an empty one if there is none."""
        pondering = self._pondering.pop(table.identity, None)
        if pondering is None:
            return Kept()
        pondering.stop()
        if pondering.task is not None:
            await pondering.task
        return pondering.kept

    def is_pondering(self, table: Table) -> bool:
        """Whether the computer is thinking on a person's time at this table."""
        pondering = self._pondering.get(table.identity)
        return pondering is not None and pondering.task is not None and not pondering.task.done()

    @staticmethod
    def _both_computer(table: Table) -> bool:
        return table.seats is not None and all(seat.kind == "computer" for seat in table.seats.values())

    def leave(self, table: Table, side: Side) -> None:
        """A side resigns."""
        table.resign(side)

    def close(self) -> None:
        """Stops thinking and closes the shelf."""
        for task in self._thinking.values():
            task.cancel()
        for pondering in self._pondering.values():
            pondering.stop()
            if pondering.task is not None:
                pondering.task.cancel()
        self.runs.close()
        self.searches.close()
        self.shelf.close()


class _Pondering:
    """The computer's search of a position in which a person is to move."""

    def __init__(self, searches: Searches, table: Table, seat: Seat, kept: Kept) -> None:
        self.searches = searches
        self.table = table
        self.seat = seat
        self.kept = kept
        self.node = table.live
        # A copy, because the table's own states belong to the event loop.
        self.state = table.state(table.live).copy()
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
                table = self.table
                gone = len(table.listeners) <= 1 or table.over or table.paused
                # A move of the person ends this through `stop`; any other change of the position is no move.
                moved = table.live != self.node and table.nodes[table.live].parent != self.node
                self.left = gone or moved
        except Exception:
            self.left = True
            log.exception("the computer could not think on a person's time at table %s", self.table.identity)

    def _turn(self) -> Report:
        """One turn; on a thread of the searches."""
        if self._thinking is None:
            thinking = self.kept.take(self.state)
            if thinking is None:
                thinking = Player(capped(self.seat.player)).think(self.state, seed=self.table.seed)
            self.kept.keep(thinking, self.state)
            self._thinking = thinking
        if not self.wanted:
            return self._thinking.report()
        return self._thinking.run(Limit(seconds=TURN_SECONDS))
