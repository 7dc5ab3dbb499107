"""The searches of the server: a bounded pool of threads, with a queue and fair turns.

Whoever wants to search asks for a *turn*: a short piece of work on one of a few threads. Turns are given to
the waiting owners one after the other, so that a long analysis never keeps others from their moves. What
nobody waits for, thinking on a person's time, runs on threads that are free, and stops when one is wanted.
"""

from __future__ import annotations

import asyncio
import math
import os
import sys
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from coppice import _core
from coppice.core.session import Limit, Player, Report, State, Thinking
from coppice.core.spec import Spec
from coppice.play.opponent import KeptSearch
from coppice.web.allowed import allowed
from coppice.web.limits import limits
from coppice.web.visitors import Held

__all__ = ["Busy", "Searches", "capped", "decide"]

T = TypeVar("T")

TURN_SECONDS = 0.09
"""How long one turn of a search lasts: ten frames a second and some room."""


class Busy(RuntimeError):
    """The queue is full; the message is for people."""


@dataclass
class _Waiting:
    work: Callable[[], Any]
    future: asyncio.Future[Any]


class Searches:
    """A pool of threads that gives turns; all methods belong to the event loop."""

    def __init__(
        self,
        threads: int,
        *,
        most_waiting: int | None = None,
        most_per_owner: int | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.threads = threads
        self.now = now
        """What the time for a decision is counted by, in seconds."""
        self.most_waiting = most_waiting or limits().turns_waiting
        self.most_per_owner = most_per_owner or limits().turns_waiting_per_owner
        self.analyses = Held(limits().analyses, limits().analyses_per_visitor)
        """The analyses that pages show, each of which holds a tree."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="search", initializer=_step_back)
        self._waiting: OrderedDict[str, deque[_Waiting]] = OrderedDict()
        self._running = 0
        self._spare: list[Callable[[], None]] = []

    @property
    def waiting(self) -> int:
        """How many turns are asked for and not yet given."""
        return sum(map(len, self._waiting.values()))

    async def turn(self, owner: str, work: Callable[[], T]) -> T:
        """Runs one piece of work when the owner's turn comes. A full queue is `Busy`."""
        queue = self._waiting.get(owner, deque())
        if self.waiting >= self.most_waiting or len(queue) >= self.most_per_owner:
            raise Busy("The server has too much to think about just now. Try again in a moment.")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, queue).append(_Waiting(work, future))
        self._give_turns()
        if self._waiting:
            for stop in self._spare:
                stop()
        return await future

    async def spare(self, work: Callable[[], T], stop: Callable[[], None]) -> T | None:
        """Runs a piece of work that nobody waits for, if a thread is free and not wanted; else None.

        It counts against nobody. `stop` is called as soon as somebody waits for a turn: the work ends then.
        """
        if self._running >= self.threads or self._waiting:
            return None
        self._running += 1
        self._spare.append(stop)

        def finish(done: asyncio.Future[Any]) -> None:
            self._running -= 1
            self._spare.remove(stop)
            self._give_turns()

        task = asyncio.get_running_loop().run_in_executor(self._pool, work)
        task.add_done_callback(finish)
        # Whoever asked may be gone before the work is: the thread is free only when it is done.
        return await asyncio.shield(task)

    def _give_turns(self) -> None:
        while self._running < self.threads and self._waiting:
            owner, queue = self._waiting.popitem(last=False)
            waiting = queue.popleft()
            if queue:
                # Behind all others: nobody gets two turns while somebody waits for one.
                self._waiting[owner] = queue
            if waiting.future.done():
                continue
            self._running += 1
            task = asyncio.get_running_loop().run_in_executor(self._pool, waiting.work)
            task.add_done_callback(partial(self._finish, waiting.future))

    def _finish(self, future: asyncio.Future[Any], done: asyncio.Future[Any]) -> None:
        self._running -= 1
        error = None if done.cancelled() else done.exception()
        if not future.done():
            if done.cancelled():
                future.cancel()
            elif error is not None:
                future.set_exception(error)
            else:
                future.set_result(done.result())
        self._give_turns()

    def close(self) -> None:
        """Gives no further turn."""
        for queue in self._waiting.values():
            for waiting in queue:
                waiting.future.cancel()
        self._waiting.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)


def _step_back() -> None:
    """Lets pages come before searches; on Linux a thread has a priority of its own."""
    if sys.platform == "linux":
        os.nice(10)


def capped(spec: str) -> str:
    """A player with its memory cut to what the app allows, in one thread; refuses a bad spec."""
    canonical = Player(allowed(spec)).spec
    for option, most in (("memory", limits().memory), ("threads", 1)):
        head, found, tail = canonical.partition(f"{option}=")
        if found:
            number = tail[: len(tail) - len(tail.lstrip("0123456789"))]
            canonical = f"{head}{found}{min(int(number), most)}{tail[len(number) :]}"
    return _core.canonical("player", canonical)


def think_on(thinking: Thinking, simulations: int, left: float = math.inf) -> Report:
    """One turn of a search: at most `simulations` more in the seconds `left`, and what is known then."""
    seconds = max(0.0, min(TURN_SECONDS, left))
    return thinking.run(Limit(simulations=simulations, seconds=seconds))


def _is_decided(report: Report, left: int) -> bool:
    """Whether so many simulations more cannot change which move is visited most."""
    most, second = ([stat.visits for stat in report.moves[:2]] + [0, 0])[:2]
    return most - second > left


async def decide(
    searches: Searches,
    owner: str,
    state: State,
    spec: str,
    simulations: int | None,
    *,
    seed: int,
    within: float | None = None,
    kept: KeptSearch | None = None,
) -> Report:
    """The decision of a player: simulations are counted, turns are shared.

    By a clock it has `within` seconds, waiting included, and stops when its move cannot be caught. A search
    that was `kept` goes on where it knows the state, and the search of this decision is kept there.
    """
    until = math.inf if within is None else searches.now() + within
    player = Player(capped(spec)).on(state.game)
    own = player.limit
    most, most_seconds = limits().simulations, float(limits().seconds)
    limit = min(simulations or own.simulations or most, most)
    states = own.states if simulations is None else None
    times = () if simulations else (own.seconds, own.cpu_seconds)
    seconds = min(most_seconds, *(bound for bound in times if bound is not None), most_seconds)

    def begin() -> Thinking:
        return (kept.take(state) if kept else None) or player.think(state, seed=seed)

    try:
        thinking = await searches.turn(owner, begin)
    except ValueError:
        # Players that do not think step by step decide in one turn.
        def search() -> Report:
            bound = Limit(simulations=limit, seconds=max(0.0, min(most_seconds, until - searches.now())))
            return player.search(state, bound, seed=seed)

        return await searches.turn(owner, search)

    def go_on(more: int) -> Report:
        # The wait for the turn is over: what is left is known only now.
        return think_on(thinking, more, until - searches.now())

    done = 0
    while True:
        report = await searches.turn(owner, partial(go_on, limit - done))
        over = report.simulations in (done, limit) or report.seconds >= seconds
        over = over or (states is not None and report.states >= states)
        if within is not None:
            parsed = Spec.parsed(player.spec)
            early = parsed.name == "mcts" and str(parsed["final"]) == "visits"
            over = over or searches.now() >= until
            over = over or (early and states is None and _is_decided(report, limit - report.simulations))
        if over:
            if kept:
                kept.keep(thinking, state)
            return report
        done = report.simulations
