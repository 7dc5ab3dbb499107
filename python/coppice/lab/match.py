"""A match: two players, a game, a seed and openings; it plays the games that its store does not have yet.

A `Match` is a value. Its specs are canonical, every default written out, so two spellings of one match are
equal and have one `identity`. Game i depends on the match and on i alone: games 2k and 2k + 1 are a pair, the
same opening with the sides changed. `Match.run` is an iterator of `Progress` values and does all the work;
closing it stops the games and keeps what is finished. `Match.play` drains it and returns a `MatchResult`.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from coppice import _core
from coppice.core.outside import Outside
from coppice.core.quoting import shown
from coppice.core.spec import Spec
from coppice.core.spec_like import SpecLike, spec_text
from coppice.core.spelling import told_canonical, upgrade
from coppice.lab import tidy
from coppice.lab.replay import build, fingerprint_indices, forget_builds, note_build, stands_under
from coppice.lab.stats import Score, Sprt, Tally, Verdict
from coppice.lab.store import DEFAULT_STORE, GameRecord, Place, Store, StoredMatch, Used
from coppice.lab.tidy import Per
from coppice.lab.workers import Threads, Workers, workers_of

__all__ = ["GameRecord", "Match", "MatchResult", "Openings", "Progress", "Sides", "Used"]

Sides = Literal["both", "first", "second"]
"""Which side player *a* has: each in turn, or always the same."""

_LONGEST_OPENING = 4000
"""Characters of an opening: more than any board has moves for."""
_COMMIT_SECONDS = 0.25
"""Records wait at most this long (and until the core speaks again, 0.2 s) for a common commit."""
_STOP_SECONDS = 0.2
"""After a stop, how long the core may hand out what it has finished."""


_Place = Store | str | os.PathLike[str] | None
"""Where games are kept: an open store, the name of its file, or nowhere."""


@dataclass(frozen=True, slots=True)
class Openings:
    """How games begin: from the initial state, after random moves, or from a list of openings.

    Pair k begins with `lines[k % len(lines)]`, the moves as text.
    """

    spec: str = "none"
    """`none`, `random(plies=n)` or, for a list, `lines`."""
    lines: tuple[str, ...] = ()

    @classmethod
    def of(cls, value: str | os.PathLike[str] | Sequence[str] | Openings) -> Openings:
        """Openings from a spec (`none`, `random(plies=2)`), the name of a file, or a sequence of openings.

        A file holds one opening per line; empty lines and what follows a `#` do not count.
        """
        if isinstance(value, Openings):
            return value
        if not isinstance(value, str | os.PathLike):
            return cls._of_lines(value, "the list of openings")
        text = os.fspath(value).strip()
        try:
            return cls(_core.canonical("openings", text))
        except ValueError as error:
            refusal = error
        if "(" in text and not Path(text).exists():
            raise refusal
        try:
            content = Path(text).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"openings file '{text}' is not text in UTF-8") from error
        except OSError as error:
            raise ValueError(
                f"openings '{text}' are neither a file with one opening per line ({error.strerror})"
                f" nor a spec ({refusal})"
            ) from error
        return cls._of_lines(content.splitlines(), f"openings file '{text}'")

    @classmethod
    def _of_lines(cls, lines: Sequence[str], source: str) -> Openings:
        kept = [" ".join(line.split("#", 1)[0].split()) for line in lines]
        kept = [line for line in kept if line]
        if not kept:
            raise ValueError(f"{source} holds no opening")
        for line in kept:
            if len(line) > _LONGEST_OPENING:
                raise ValueError(
                    f"{source} holds '{shown(line)}': an opening has at most {_LONGEST_OPENING:,} characters"
                )
        return cls("lines", tuple(kept))

    @property
    def text(self) -> str:
        """All that matters of the openings in one text: part of a match's identity, and kept in the store."""
        return "\n".join([self.spec, *self.lines])

    @property
    def argument(self) -> list[str] | str:
        """The openings as the core takes them."""
        return list(self.lines) if self.lines else self.spec


@dataclass(frozen=True)
class _MatchScore:
    """What is known of a match at any moment."""

    games: int
    """How many games were asked for."""
    resumed: int
    """How many of them the store had at the start."""
    score: Score
    """The finished games of those asked for, the resumed ones included.

    Once a sequential test has decided, only the games that decided it: 0, 1, 2, ... up to the decision.
    """
    seconds: float
    """Wall-clock seconds since the first game of this run began."""
    verdict: Verdict | None = None
    """What the sequential test says of the games 0, 1, 2, ... without a gap; None without a test."""
    identity: str = field(default="", compare=False)
    """The name of the match under which a store has the games; empty if they are kept nowhere."""

    @property
    def finished(self) -> int:
        """How many games the score counts."""
        return self.score.games

    @property
    def decided(self) -> bool:
        """Whether a sequential test has accepted a hypothesis."""
        return self.verdict in ("H0", "H1")

    @property
    def done(self) -> bool:
        """Whether nothing is left to play: all games asked for are finished, or a test has decided."""
        return self.decided or self.finished >= self.games

    def _repr_html_(self) -> str:
        return self.score.row()._repr_html_()


@dataclass(frozen=True)
class Progress(_MatchScore):
    """Where a running match stands."""

    new_records: tuple[GameRecord, ...] = ()
    """The games finished since the value before; resumed ones are in none."""

    @property
    def seconds_left(self) -> float | None:
        """The time that the missing games will take at the pace of this run; None before its first game."""
        played = self.finished - self.resumed
        if self.done:
            return 0.0
        return (self.games - self.finished) * self.seconds / played if played else None


@dataclass(frozen=True)
class MatchResult(_MatchScore):
    """What a match came to: the score, and the games behind it."""

    source: _Records = field(default=(), repr=False, compare=False)
    """Where the records are."""

    @functools.cached_property
    def records(self) -> tuple[GameRecord, ...]:
        """The games that the score counts, resumed ones included, in the order of their index.

        Games that are in a store are read from there when they are first asked for.
        """
        records = tuple(self.source)
        if Score.of((record.index, record.score) for record in records) != self.score:
            raise ValueError("the store no longer has the games of this result: the match was played anew")
        return records


@dataclass(frozen=True, slots=True)
class _Stored:
    """The records of a match in a store, read anew by everyone who asks."""

    path: Path
    identity: str
    wanted: range

    def __iter__(self) -> Iterator[GameRecord]:
        with Store(self.path, read_only=True) as store:
            for record in store.records(self.identity, self.wanted.stop):
                if record.index in self.wanted:
                    yield record


_Records = _Stored | tuple[GameRecord, ...]


@dataclass(frozen=True, init=False)
class Match:
    """Two players, a game, a seed and openings; see the top of this file."""

    game: str
    """The game's canonical spec."""
    a: str
    """The canonical spec of the player whose points are counted."""
    b: str
    """The canonical spec of the other player."""
    seed: int
    openings: Openings

    def __init__(
        self,
        game: SpecLike,
        a: SpecLike,
        b: SpecLike,
        *,
        seed: int = 0,
        openings: str | os.PathLike[str] | Sequence[str] | Openings = "none",
    ) -> None:
        """Read the specs and refuse bad ones at once.

        A game or a player is its spec, a value with one, or a class written for `coppice.extend`. `openings`
        is whatever `Openings.of` takes.
        """
        if not 0 <= seed < 2**63:
            raise ValueError(f"the seed is {seed}: it must lie between 0 and 2^63 - 1")
        game = spec_text(game, what="game")
        values = {
            "game": _core.canonical("game", game),
            "a": _core.canonical("player", spec_text(a, what="player"), game),
            "b": _core.canonical("player", spec_text(b, what="player"), game),
            "seed": seed,
            "openings": Openings.of(openings),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def plan(self) -> str:
        """32 hexadecimal digits that name what is asked, made from what differs from the defaults."""
        return _plan(self.game, self.a, self.b, self.seed, self.openings.text)

    @property
    def identity(self) -> str:
        """32 hexadecimal digits that name this match: the plan, and what it takes from outside, as it is now.

        An edited policy makes another match of the same plan. Whether games under it are those of the code of
        the package of today is another question, which replaying answers.
        """
        outside = self.outside
        if not outside.parts:
            return self.plan
        told = json.dumps(["coppice match with", self.plan, outside.fingerprints()], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:32]

    @property
    def reproducible(self) -> bool:
        """Whether the same match gives the same records: not under a clock, nor with code from elsewhere."""
        return not self.outside.parts and not self.timed

    @property
    def timed(self) -> bool:
        """Whether a player has a budget of time."""
        return any(Spec.parsed(spec).has_clock for spec in (self.a, self.b))

    @property
    def outside(self) -> Outside:
        """What this match takes from outside the package."""
        return Outside(self.game, self.a, self.b)

    @property
    def play_version(self) -> str:
        """The play versions of both players in this game: where one has changed, replaying comes first."""
        return "-".join(_core.play_version(self.game, player) for player in (self.a, self.b))

    @property
    def row(self) -> StoredMatch:
        """This match as a store enters it."""
        return StoredMatch(
            *(self.identity, self.game, self.a, self.b),
            seed=self.seed,
            openings=self.openings.text,
            play_version=self.play_version,
            fingerprint=self.outside.fingerprints(),
            contents=self.outside.contents(),
        )

    def play(
        self,
        games: int,
        *,
        threads: int | None = None,
        workers: Workers | None = None,
        store: _Place = DEFAULT_STORE,
        sprt: Sprt | None = None,
        sides: Sides = "both",
        fresh: bool = False,
    ) -> MatchResult:
        """Play the missing games, as `run` does, and return what the match came to."""
        kept: list[GameRecord] = []
        steps = self.run(
            games, threads=threads, workers=workers, store=store, sprt=sprt, sides=sides, fresh=fresh
        )
        for last in steps:
            if not last.identity:
                kept += last.new_records
        wanted = range(last.finished) if last.decided else self.indices(games, sides)
        source: _Records
        if store is None or not last.identity:
            counted = (record for record in kept if record.index in wanted)
            source = tuple(sorted(counted, key=lambda record: record.index))
        else:
            path = store.path if isinstance(store, Store) else Path(store)
            source = _Stored(path.absolute(), last.identity, wanted)
        told = (last.games, last.resumed, last.score, last.seconds, last.verdict, last.identity)
        return MatchResult(*told, source)

    def run(
        self,
        games: int,
        *,
        threads: int | None = None,
        workers: Workers | None = None,
        store: _Place = DEFAULT_STORE,
        sprt: Sprt | None = None,
        sides: Sides = "both",
        fresh: bool = False,
    ) -> Generator[Progress, None, None]:
        """Play the games below `games` that the store does not have, telling after each step where it stands.

        The first value comes before the first game. `store=None` keeps nothing. `workers` play the games:
        `Threads`, `Processes` or a `Cluster` of `coppice.lab.workers`; `threads=n` is short for
        `workers=Threads(n)`, and without either there is a thread for each processor.

        With `sprt` the match ends as soon as the test accepts a hypothesis on the games 0, 1, 2, ... without
        a gap, and the last score is that of these games alone, so that neither depends on which thread was
        the faster; games finished beyond stay in the store and do not count. With `sides` other than `both`
        only the games of even index (*a* has the first side) or of odd index (the second) are played, `games`
        of them; the other game of each pair stays unplayed, so there are no pairs and no `sprt`.

        With an edited class, other weights, rule scripts or another program it is another match: its games
        are played, those from before the edit stay, and stderr says what has changed. `fresh` plays the match
        anew and sets the games that the store has aside, where they stay under another identity. A match with
        a class of which nobody could tell later what it was is played without the store.
        """
        if games < 1:
            raise ValueError(f"cannot play {games} games: at least 1 is needed")
        workers = workers_of(threads, workers)
        if sides != "both" and sprt is not None:
            raise ValueError(f"a sequential test needs games with both sides, not sides={sides}")
        return self._run(self.indices(games, sides), workers, store, sprt, fresh)

    def run_indices(
        self, indices: Iterable[int], *, workers: Workers, store: _Place
    ) -> Generator[Progress, None, None]:
        """As `run`, for the games of these indices alone: others may be kept elsewhere."""
        return self._run(sorted(set(indices)), workers, store, None, False)

    def records(
        self, store: Store | str | os.PathLike[str] = DEFAULT_STORE, per: Per = "game", *, moves: bool = True
    ) -> list[Any]:
        """What a store has of this match as typed rows: `TidyGame`, `TidyPair` or `TidyMatch`."""
        if not isinstance(store, Store):
            with Store(store, read_only=True) as opened:
                return self.records(opened, per, moves=moves)
        tidy.record_of(per)
        known = self.found_in(store)
        return [] if known is None else list(tidy.records(store, [known], per, moves=moves))

    def score_in(self, store: Store, games: int) -> Score | None:
        """The score of the games below `games` that a store has; None if there is none yet."""
        known = self.found_in(store)
        return None if known is None else store.score(known.identity, games)

    def found_in(self, store: Store) -> StoredMatch | None:
        """This match in a store that has games of it.

        Games of another play version do not count before `run` has replayed some of them.
        """
        untold = self.outside.untold()
        if untold:
            raise ValueError(f"{untold}, so its games are not stored: take the scores of run")
        known = self._known(store, self.identity)
        return known if known is not None and known.games and self._counts(store, known) else None

    def unconfirmed_in(self, store: Store) -> int:
        """How many games of this match a store has that do not count, since nobody has replayed any yet."""
        known = self._known(store, self.identity)
        return 0 if known is None or self._counts(store, known) else known.games

    def _counts(self, store: Store, known: StoredMatch) -> bool:
        if known.play_version == self.play_version:
            return True
        return stands_under(store, known.identity, build())

    def _known(self, store: Store, identity: str) -> StoredMatch | None:
        """This match as a store knows it, by its identity or from a version that had other identities."""
        known = store.find(identity)
        if known is not None:
            return known
        outside = self.outside
        alike = [
            other
            for other in self._of_plan(store)
            if not outside.parts or (other.fingerprint is not None and outside.agrees(other.fingerprint))
        ]
        now = [other for other in alike if other.play_version == self.play_version]
        found = now or alike
        return found[-1] if found else None

    def _of_plan(self, store: Store) -> list[StoredMatch]:
        """The matches of a store that have games of this plan, with whatever was outside then."""
        return [other for other in store.matches() if other.games and self._means(other)]

    def _means(self, other: StoredMatch) -> bool:
        """Whether a match that an earlier version has entered is this one in other words."""
        if other.set_aside or (other.seed, other.openings) != (self.seed, self.openings.text):
            return False
        meant = _meant(other.game, other.a, other.b)
        return meant is not None and _plan(*meant, self.seed, self.openings.text) == self.plan

    @staticmethod
    def indices(games: int, sides: Sides = "both") -> range:
        """The indices of the first `games` games in which *a* has these sides."""
        if sides not in ("both", "first", "second"):
            raise ValueError(f"sides '{sides}' are not allowed: both, first, second")
        return range(games) if sides == "both" else range(int(sides == "second"), 2 * games, 2)

    def _run(
        self,
        wanted: Sequence[int],
        workers: Workers,
        place: _Place,
        sprt: Sprt | None,
        fresh: bool,
    ) -> Generator[Progress, None, None]:
        games = len(wanted)
        with contextlib.ExitStack() as stack:
            outside = self.outside
            stack.enter_context(outside.held())
            # Before their content is read: what changes later than that is noticed.
            stamps = outside.stamps()
            if place is not None and (untold := outside.untold()):
                _tell(f"this match is not stored: {untold}")
                place = None
            store = place if isinstance(place, Store) or place is None else stack.enter_context(Store(place))
            identity = "" if store is None else self.identity
            tally, watch = Tally(), _Watch(sprt)
            missing: Sequence[int] = wanted
            if store is not None:
                stack.enter_context(store.turn(identity))
                self._enter(store, identity, fresh, workers)
                asked, there = set(wanted), set[int]()
                for index, points in store.points(identity, max(wanted, default=-1) + 1):
                    if index in asked:
                        there.add(index)
                        tally.add(index, points)
                        watch.add(index, points)
                missing = [index for index in wanted if index not in there]
            resumed = games - len(missing)
            yield Progress(games, resumed, watch.score or tally.score, 0.0, watch.verdict, identity)
            if not missing or watch.decided():
                return
            begun = time.monotonic()
            records = self._records(missing, workers, store, identity, stamps)
            with contextlib.closing(records) as batches:
                for batch in batches:
                    for record in batch:
                        tally.add(record.index, record.score)
                        watch.add(record.index, record.score)
                    score, seconds = watch.score or tally.score, time.monotonic() - begun
                    yield Progress(games, resumed, score, seconds, watch.verdict, identity, tuple(batch))
                    if watch.decided():
                        return

    def set_aside(self, store: Store) -> None:
        """Make room in a store to play this match anew: its games stay there, under another identity."""
        identity = self.identity
        with store.turn(identity):
            self._set_aside(store, identity)

    def _set_aside(self, store: Store, identity: str) -> None:
        known = store.find(identity)
        if known is not None and known.games:
            store.set_aside(identity)
            forget_builds(store, identity)

    def _enter(self, store: Store, identity: str, fresh: bool, workers: Workers) -> None:
        """Make sure that the games which the store has are those that this code and these parts play."""
        row = replace(self.row, identity=identity)
        known = self._known(store, identity)
        if known is not None and known.identity != identity:
            store.take_over(known.identity, row)
        if fresh:
            self._set_aside(store, identity)
        elif known is not None and known.games:
            if not self._stands(store, known, identity, workers):
                self._set_aside(store, identity)
                _tell(
                    f"{known.games} games of this match were played by code that plays otherwise:"
                    f" they are set aside in '{store.path}', and the match is played anew"
                )
        elif self.outside.parts and (before := self._of_plan(store)):
            _tell(_what_changed(before[-1], self.outside, store))
        store.register(row)
        store.set_play_version(identity, self.play_version)
        note_build(store, identity, build(), self.play_version)

    def _stands(self, store: Store, known: StoredMatch, identity: str, workers: Workers) -> bool:
        """Whether the games of a store are those of this code; the fingerprint of the first block decides."""
        if stands_under(store, identity, build()):
            return True
        if self.timed or self.outside.programs:
            # What cannot be replayed stands as long as nothing that the play version sees has changed.
            return known.play_version == self.play_version
        indices = fingerprint_indices((index for index, _ in store.points(identity)), first_block=True)
        kept = {
            record.index: record.moves
            for record in store.records(identity, indices[-1] + 1)
            if record.index in indices
        }
        return kept == {record.index: record.moves for record in self.replay(indices, workers)}

    def replay(self, indices: Sequence[int], workers: Workers | None = None) -> list[GameRecord]:
        """The games of these indices, played by the code of today (by one thread) and kept nowhere."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.outside.held())
            records = self._records(indices, workers or Threads(1), None, "", {})
            batches = stack.enter_context(contextlib.closing(records))
            return sorted((record for batch in batches for record in batch), key=lambda record: record.index)

    def _records(
        self,
        indices: Sequence[int],
        workers: Workers,
        store: Store | None,
        identity: str,
        stamps: Mapping[Path, tuple[int, int]],
    ) -> Generator[list[GameRecord], None, None]:
        """Lists of records as they are committed; closing it stops the games and commits what is finished.

        Nothing is committed once a file is not what it was when these stamps were taken.
        """
        here = Place.here()
        running = workers.games(self, indices)
        outside, waiting = self.outside, list[GameRecord]()
        committed = time.monotonic() - _COMMIT_SECONDS

        def commit(records: list[GameRecord]) -> None:
            if store is None or not records:
                return
            now = outside.stamps()
            for path, stamp in stamps.items():
                if now.get(path) != stamp:
                    raise ValueError(
                        f"'{path}' has changed while the match was played: "
                        "the games finished before are kept, those of the last moment are not"
                    )
            store.add(identity, records)

        try:
            for batch in running:
                waiting += (GameRecord.of(values, here) for values in batch)
                # Commits of single games would cost more than tiny games do.
                if time.monotonic() - committed >= _COMMIT_SECONDS:
                    ready, waiting = waiting, []
                    commit(ready)
                    committed = time.monotonic()
                    yield ready
        finally:
            running.stop()
            give_up = time.monotonic() + _STOP_SECONDS
            for batch in running:
                waiting += (GameRecord.of(values, here) for values in batch)
                if time.monotonic() > give_up:
                    break
            commit(waiting)
        if waiting:
            yield waiting


@functools.cache
def _meant(game: str, a: str, b: str) -> tuple[str, str, str] | None:
    """The specs of today that those of an earlier version mean; None if they mean nothing any more."""
    try:
        now = upgrade("game", game)
        return now, upgrade("player", a, 0, now), upgrade("player", b, 0, now)
    except ValueError:
        return None


@functools.cache
def _plan(game: str, a: str, b: str, seed: int, openings: str) -> str:
    told = [told_canonical("game", game), told_canonical("player", a), told_canonical("player", b)]
    return hashlib.sha256(json.dumps(["coppice match", *told, seed, openings]).encode()).hexdigest()[:32]


def _what_changed(before: StoredMatch, outside: Outside, store: Store) -> str:
    """Why a match is played although a store has games of its plan."""
    games = f"{before.games} game{'' if before.games == 1 else 's'}"
    anew = f"they stay in '{store.path}', and the match is played anew"
    if before.fingerprint is None:
        parts = _listed(map(str, outside.parts))
        return (
            f"{games} of this match were played by an earlier version of coppice, which did not keep what"
            f" {parts} was: {anew}"
        )
    changed = outside.changes(before.fingerprint, before.contents)
    return f"{_listed(changed)} changed since {games} were played: {anew}"


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)


def _tell(text: str) -> None:
    """A word to the person, beside the results."""
    print(text, file=sys.stderr, flush=True)


class _Watch:
    """A sequential test on the games 0, 1, 2, ... as far as they are finished without a gap."""

    def __init__(self, sprt: Sprt | None) -> None:
        self._sprt = sprt
        self._tally = Tally()
        self._later: dict[int, float] = {}
        self._next = 0
        self.verdict: Verdict | None = None if sprt is None else "continue"
        self.score: Score | None = None
        """The score of the games that decided; None before."""

    def decided(self) -> bool:
        return self.score is not None

    def add(self, index: int, points: float) -> None:
        if self._sprt is None or self.decided():
            return
        self._later[index] = points
        while self._next in self._later and not self.decided():
            self._tally.add(self._next, self._later.pop(self._next))
            self._next += 1
            if self._next % 2 == 0:
                self.verdict = self._sprt.verdict(self._tally.score)
                self.score = None if self.verdict == "continue" else self._tally.score
