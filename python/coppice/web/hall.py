"""The hall: all tables in play, the searches they share, and the computer's turns."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from coppice.board import Side
from coppice.web.runs import Runs
from coppice.web.searches import Busy, Searches, decide
from coppice.web.shelf import Shelf
from coppice.web.table import Table

__all__ = ["Hall", "Settings"]

log = logging.getLogger("coppice.web")

IDLE_SECONDS = 1800.0
"""A table that nobody has looked at for so long leaves the memory; the shelf keeps it."""
TRUSTED_SIMULATIONS = 500
"""Smaller searches say too little about who is ahead to be shown."""
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
                node, side, started = table.live, table.to_move, time.monotonic()
                report = await decide(
                    self.searches,
                    table.identity,
                    table.state(node),
                    seat.player,
                    seat.simulations,
                    seed=table.seed,
                )
                if self._both_computer(table):
                    rest = self.settings.watch_seconds - (time.monotonic() - started)
                    await asyncio.sleep(max(rest, 0))
                    if len(table.listeners) <= 1:
                        # Nobody is watching: the game goes on when somebody comes back.
                        return
                table.check_time()
                if table.live != node or table.over or table.paused:
                    continue
                if report.value is not None and report.simulations >= TRUSTED_SIMULATIONS:
                    value = report.value if side == "first" else 1 - report.value
                    table.note(node, value, report.best, report.simulations)
                table.play(report.best)
        except Busy as error:
            log.warning("table %s: %s", table.identity, error)
            await asyncio.sleep(1)
            asyncio.get_running_loop().call_later(0.1, self.wake, table)
        except Exception:
            log.exception("the computer could not move at table %s", table.identity)

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
        self.runs.close()
        self.searches.close()
        self.shelf.close()
