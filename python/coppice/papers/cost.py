"""What a run will cost on this machine: measured on this machine, never guessed.

The players of a row play a game with a small part of their budgets, which tells how long a whole one may
take. If that is a few seconds, some are played really, and their time is the answer. If it is more, some
games are played with as much of the budgets as the time allows, and the time of a decision grows with the
budget in proportion; beginners play games of other lengths, so that a very small part would not do. A player
without a budget decides at a few states instead, spread over such a game. Where the store has games of the
same match already, their own times are used. All times measured here are those of the processor.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from coppice.core.session import Limit, State
from coppice.core.spec import LIMITS, Spec
from coppice.lab.store import Store
from coppice.papers.jobs import Job
from coppice.papers.measure import seed_of, timed_player

__all__ = ["Costs", "Decide", "JobCost", "decide", "play"]

_PART = 1 / 20
"""The part of the budgets with which the first game is played."""
_LEAST = {"simulations": 200, "states": 20_000}
"""And the least work of a decision there; players without a budget have the states."""
_SHARE = 1 / 200
"""The part of a job's expected time that its estimate may take,"""
_SECONDS = (2.0, 6.0)
"""within these seconds: the more, the more games are known and the longer they are like real ones."""
_GAMES = 4
_NEARLY_ALL = 0.6
"""With more than this part of the budget a game might as well be played really."""
_MORE = 1.5
"""Games with so many times the budget are worth starting anew."""
_REAL_SECONDS = 0.5
"""Short games are played until they have taken so long,"""
_MOST_GAMES = 256
"""but no more than so many."""
_AT = (3 / 8, 1 / 8, 5 / 8, 7 / 8)
"""How far on the decisions are that are timed alone. The first comes nearest to the mean."""
_SHORT = 0.005
"""Shorter decisions are repeated, since clocks are coarse."""
_REPEATS = 20


@dataclass(frozen=True, slots=True)
class JobCost:
    """What is left of a job and how long one of its games or runs takes on one processor."""

    missing: int
    seconds_each: float

    @property
    def seconds(self) -> float:
        """Processor seconds of what is left."""
        return self.missing * self.seconds_each


@dataclass(slots=True)
class _Line:
    """A game that was played with less budget: its states, and what its decisions take with all of it."""

    states: list[State] = field(default_factory=list)
    seconds: float = 0.0
    """Of the players that have a budget."""


Decide = Callable[[State, str, Limit | None, int], str]
"""A player's move in a state, within a limit (None: the player's own) and by a seed."""

_player = functools.cache(timed_player)


def decide(state: State, player: str, limit: Limit | None, seed: int) -> str:
    """The move that a player finds best."""
    return _player(player).search(state, limit, seed=seed).best


def play(job: Job, count: int) -> None:
    """Plays so many games, or makes so many runs, of a job in this thread, and keeps nothing."""
    job.work.make(count)


@dataclass
class Costs:
    """Measures costs, each pair of players of a game once."""

    store: Store
    rough: bool = False
    """Whether a game with a part of the budgets is enough: so many rows are put in order."""
    clock: Callable[[], float] = time.process_time
    decide: Decide = decide
    play: Callable[[Job, int], None] = play
    _known: dict[tuple[str, ...], float] = field(default_factory=dict)
    """The seconds of a game or run, by what it depends on."""
    decisions: dict[tuple[str, str], float] = field(default_factory=dict)
    """The seconds of a decision of a player without a budget, by game and player."""

    def of(self, job: Job) -> JobCost:
        """What a job costs."""
        missing = job.wanted - job.done(self.store)
        if missing <= 0:
            return JobCost(0, 0.0)
        return JobCost(missing, self._each(job, missing))

    def total(self, jobs: Sequence[Job]) -> float:
        """Processor seconds of all that is left."""
        return sum(self.of(job).seconds for job in jobs)

    def _each(self, job: Job, missing: int) -> float:
        known = job.work.mean_seconds(self.store)
        if known is not None:
            return known
        key = (job.row.kind, *(str(job.facts.get(name, "")) for name in job.row.cost_depends_on))
        if key not in self._known:
            self._known[key] = job.row.seconds_each(job.facts, _JobEstimate(self, job, missing))
        return self._known[key]


@dataclass(frozen=True)
class _JobEstimate:
    """What a row asks about one of its games or runs; see `Estimate`."""

    costs: Costs
    job: Job
    missing: int

    def decision(self, state: State, player: str) -> float:
        """The processor seconds of one decision."""
        return self._timed(state, player, _SECONDS[0])

    def game(self, start: Callable[[int], State], players: tuple[str, str]) -> float:
        """The processor seconds of a game that begins in `start(seed)`."""
        free = {player for player in players if _amount(player) is None}
        if self.costs.rough and not free:
            return self._line(start, players, _PART, 0).seconds
        if free:
            lines = [self._line(start, players, _PART, seed) for seed in range(_GAMES)]
            return self._without_budget(players, free, lines)
        least, most = _SECONDS
        part, lines = _PART, []
        while len(lines) < _GAMES:
            lines.append(self._line(start, players, part, len(lines)))
            expected = sum(line.seconds for line in lines) / len(lines)
            seconds = min(max(self.missing * expected * _SHARE, least), most)
            allowed = seconds / _GAMES / max(expected, 1e-9)
            if allowed >= _NEARLY_ALL:
                return self.really(_GAMES)
            if allowed >= _MORE * part:
                part, lines = allowed, []
        return expected

    def _without_budget(self, players: tuple[str, str], free: set[str], lines: list[_Line]) -> float:
        """The seconds of a game or run, given some in which players without a budget did less."""
        length = sum(len(line.states) for line in lines) / len(lines)
        moves = length / len(set(players))
        states = [lines[0].states[int(at * len(lines[0].states))] for at in _AT]
        first = {player: self._timed(states[0], player, _SECONDS[0]) for player in free}
        others = sum(line.seconds for line in lines) / len(lines)
        if others + moves * sum(first.values()) <= _SECONDS[0]:
            return self.really(_GAMES)
        return others + moves * sum(self._decision(player, states) for player in free)

    def really(self, count: int) -> float:
        """The mean processor seconds of so many games or runs, or more, as they are."""
        while True:
            begun = self.costs.clock()
            self.costs.play(self.job, count)
            spent = self.costs.clock() - begun
            if spent >= _REAL_SECONDS or count >= _MOST_GAMES:
                return spent / count
            count *= 2

    def _line(self, start: Callable[[int], State], players: tuple[str, ...], part: float, seed: int) -> _Line:
        """Plays a game with a part of the budgets; every second one with sides exchanged."""
        line, state = _Line(), start(seed)
        while state.outcome is None:
            line.states.append(state)
            player = players[(state.to_move == "second") ^ seed % 2]
            limit, times = _limit(player, part)
            begun = self.costs.clock()
            move = self.costs.decide(state, player, limit, seed_of(seed, len(line.states)))
            line.seconds += times * (self.costs.clock() - begun)
            state = state.copy().play(move)
        return line

    def _decision(self, player: str, states: Sequence[State]) -> float:
        """The mean seconds of a decision of a player without a budget; the first alone if that takes long."""
        key = (self.job.facts["game"], player)
        if key not in self.costs.decisions:
            times = [self._timed(states[0], player, _SECONDS[0])]
            if times[0] <= _SECONDS[0] / len(states):
                times += [self._timed(state, player, _SECONDS[0]) for state in states[1:]]
            self.costs.decisions[key] = sum(times) / len(times)
        return self.costs.decisions[key]

    def _timed(self, state: State, player: str, most: float) -> float:
        """The seconds of one decision: of the whole, or from a part of the budget that takes about `most`."""
        amount = _amount(player)
        if amount is None:
            return self._repeated(state, player, None)
        limit, times = _limit(player, _PART)
        part = most / max(self._repeated(state, player, limit), 1e-9) / times
        limit, times = _limit(player, min(1.0, max(part, 1 / times)))
        return self._repeated(state, player, limit) * times

    def _repeated(self, state: State, player: str, limit: Limit | None) -> float:
        """The mean seconds of a decision, repeated if it is short."""
        begun, repeats, spent = self.costs.clock(), 0, 0.0
        while repeats == 0 or (spent < _SHORT and repeats < _REPEATS):
            self.costs.decide(state, player, limit, repeats)
            repeats += 1
            spent = self.costs.clock() - begun
        return spent / repeats


def _amount(player: str) -> tuple[str, float] | None:
    """What bounds a player's decisions, and by how much; None if nothing does."""
    spec = Spec.parsed(player)
    found = ((unit, spec.number(unit)) for unit in LIMITS)
    return next(((unit, value) for unit, value in found if value is not None), None)


def _limit(player: str, part: float) -> tuple[Limit, float]:
    """A part of a player's budget, but not too little, and how many times that is the whole."""
    amount = _amount(player)
    if amount is None:
        return Limit(states=_LEAST["states"]), 0.0
    unit, whole = amount
    if unit in _LEAST:
        some = min(int(whole), max(int(whole * part), _LEAST[unit]))
        return Limit(**{unit: some}), whole / some
    return Limit(cpu_seconds=whole * part), 1 / part
