"""What a game will cost on this machine: measured on this machine, never guessed.

The players play a game with a small part of their budgets, which tells how long a whole one may take. If that
is a few seconds, some are played really, and their time is the answer. If it is more, some games are played
with as much of the budgets as the time allows, and the time of a decision grows with the budget in
proportion; beginners play games of other lengths, so that a very small part would not do. A player without a
budget decides at a few states instead, spread over such a game. All times are those of the processor.
"""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from coppice.core.session import Limit, Player, State
from coppice.core.spec import LIMITS, Spec
from coppice.core.spec_like import changed

__all__ = ["Decide", "GameCost", "decide", "seed_of", "timed_player"]

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


@dataclass(slots=True)
class _Line:
    """A game that was played with less budget: its states, and what its decisions take with all of it."""

    states: list[State] = field(default_factory=list)
    seconds: float = 0.0
    """Of the players that have a budget."""


def seed_of(seed: int, index: int) -> int:
    """The seed of one index of a series: 62 bits, unrelated to its neighbours."""
    digest = hashlib.sha256(f"coppice series {seed} {index}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 2


def timed_player(spec: str) -> Player:
    """The player whose searches are timed for this one.

    Who is told Jack's identity plays in matches only, and searches as fast as who is not.
    """
    informed = Spec.parsed(spec).get("detective")
    return Player(changed(spec, {"detective": "fair"}) if str(informed) == "informed" else spec)


Decide = Callable[[State, str, Limit | None, int], str]
"""A player's move in a state, within a limit (None: the player's own) and by a seed."""

_player = functools.cache(timed_player)


def decide(state: State, player: str, limit: Limit | None, seed: int) -> str:
    """The move that a player finds best."""
    return _player(player).search(state, limit, seed=seed).best


@dataclass(frozen=True)
class GameCost:
    """Measures what a decision or a game of some players costs."""

    game_spec: str
    missing: int
    """How many games are to be played: a long run deserves a better estimate."""
    play: Callable[[int], None]
    """Plays so many games, or makes so many runs, as they are, and keeps nothing."""
    rough: bool = False
    """Whether a game with a part of the budgets is enough: so many rows are put in order."""
    clock: Callable[[], float] = time.process_time
    decide: Decide = decide
    decisions: dict[tuple[str, str], float] = field(default_factory=dict)
    """The seconds of a decision of a player without a budget, by game and player; others may share it."""

    def decision(self, state: State, player: str) -> float:
        """The processor seconds of one decision."""
        return self._timed(state, player, _SECONDS[0])

    def game(self, start: Callable[[int], State], players: tuple[str, str]) -> float:
        """The processor seconds of a game that begins in `start(seed)`."""
        free = {player for player in players if _amount(player) is None}
        if self.rough and not free:
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
            begun = self.clock()
            self.play(count)
            spent = self.clock() - begun
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
            begun = self.clock()
            move = self.decide(state, player, limit, seed_of(seed, len(line.states)))
            line.seconds += times * (self.clock() - begun)
            state = state.copy().play(move)
        return line

    def _decision(self, player: str, states: Sequence[State]) -> float:
        """The mean seconds of a decision of a player without a budget; the first alone if that takes long."""
        key = (self.game_spec, player)
        if key not in self.decisions:
            times = [self._timed(states[0], player, _SECONDS[0])]
            if times[0] <= _SECONDS[0] / len(states):
                times += [self._timed(state, player, _SECONDS[0]) for state in states[1:]]
            self.decisions[key] = sum(times) / len(times)
        return self.decisions[key]

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
        begun, repeats, spent = self.clock(), 0, 0.0
        while repeats == 0 or (spent < _SHORT and repeats < _REPEATS):
            self.decide(state, player, limit, repeats)
            repeats += 1
            spent = self.clock() - begun
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
