"""Players and their searches under way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import ClassVar

from coppice import _core
from coppice.core.game import Game, State
from coppice.core.report import CellTable, Child, Limit, Report
from coppice.core.spec import COUNTS, Spec
from coppice.core.spec_like import SpecLike, spec_text

__all__ = ["Player", "Thinking"]


class Player:
    """A player by its spec and options, e.g. ``Player("uct(simulations=5000)")``.

    In the place of the spec there may be a player, or a class that derives from ``coppice.extend.Playout`` or
    ``coppice.extend.Selection``, which is ``mcts`` with that policy. Options are numbers, True, False, None,
    texts, such classes, or lists of parts, which are chains: ``Player("mcts", playout=[MyPlayout, "mast"])``.
    A new budget replaces the old one.
    """

    spec_family: ClassVar[str] = "player"
    """What its spec names."""

    def __init__(self, player: SpecLike, /, **options: object) -> None:
        self._player = _core.Player(spec_text(player, options, what="player"))
        self.spec: str = self._player.spec
        """The canonical form: every option written out, or, of a name such as ``strong`` that stands for
        another player in each game, those on which all games agree."""

    @classmethod
    def _of(cls, handle: _core.Player) -> Player:
        """The player of a handle, which is read already."""
        player = cls.__new__(cls)
        player._player, player.spec = handle, handle.spec
        return player

    def on(self, game: Game) -> Player:
        """The same player in this game, in full: what ``strong`` stands for there."""
        return Player._of(game._game.in_full(self._player))

    @property
    def limit(self) -> Limit:
        """The player's own limit; without any bound for players that need none."""
        spec = Spec.parsed(self.spec)
        counts = {name: int(found) for name in COUNTS if (found := spec.number(name)) is not None}
        return Limit(seconds=spec.number("seconds"), cpu_seconds=spec.number("cpu_seconds"), **counts)

    def check(self, game: Game) -> None:
        """Raises ValueError if the game cannot serve this player, or if it may play in matches only."""
        game._game.check(self._player, at_board=True)

    def search(self, state: State, limit: Limit | None = None, *, seed: int = 0) -> Report:
        """Decides for the side to move. ``limit`` replaces the player's own."""
        limit = limit or Limit()
        return Report.of(state._session.search(self._player, seed=seed, **limit.arguments()))

    def think(self, state: State, *, seed: int = 0) -> Thinking:
        """A search of the state that can be run on, read and stopped."""
        return Thinking(state._session.think(self._player, seed=seed))

    def __eq__(self, other: object) -> bool:
        return self.spec == other.spec if isinstance(other, Player) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.spec)

    def __reduce__(self) -> tuple[type[Player], tuple[str]]:
        return Player, (self.spec,)

    def __repr__(self) -> str:
        return f"Player({self.spec!r})"


class Thinking:
    """A search under way: ``run`` it on, or ``start`` it in the background, and read its ``report``."""

    def __init__(self, search: _core.Search) -> None:
        self._search = search
        self._thread: threading.Thread | None = None

    def run(self, limit: Limit | None = None) -> Report:
        """Adds simulations until the limit, counted from now; without one, until ``stop``."""
        self._refuse_if_running()
        self._search.run(**(limit or Limit()).arguments())
        return self.report()

    def start(self, limit: Limit | None = None) -> None:
        """The same in the background."""
        self._refuse_if_running()
        arguments = (limit or Limit()).arguments()
        self._thread = threading.Thread(target=self._search.run, kwargs=arguments, daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether a background run is under way."""
        return self._thread is not None and self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Waits for a background run, at most so many seconds; whether it is still under way."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self.running

    def stop(self) -> Report:
        """Ends a background run and returns its report."""
        thread = self._thread
        while thread is not None and thread.is_alive():
            # A run that has only just begun may still lower the flag: raise it until the thread has ended.
            self._search.stop()
            thread.join(0.02)
        self._thread = None
        return self.report()

    def advance(self, *moves: str) -> bool:
        """Goes on to the position after these moves, and keeps what the tree knows of it.

        False if it knows nothing, in which case nothing changes. Simulations count from the new position.
        """
        self._refuse_if_running()
        return self._search.advance(list(moves))

    def interrupt(self) -> None:
        """Ends a run that another thread is making, without waiting for its end."""
        self._search.stop()

    def report(self) -> Report:
        """What is known so far; may be read while a background run goes on."""
        return Report.of(self._search.report())

    def reports(self, every: float = 0.1) -> Iterator[Report]:
        """Reports of a background run, one every so many seconds, and a last one when it has ended."""
        while self.running:
            thread = self._thread
            if thread is not None:
                thread.join(every)
            yield self.report()
        yield self.report()

    def explore(self, *moves: str, most: int = 8) -> list[Child]:
        """The children of the node after a line of moves, most visited first; none where the tree ends.

        The first ``most`` come with the whole line that the search expects, the others with their move alone.
        """
        return [
            Child(name, visits, value, proof, tuple(line))
            for name, visits, value, proof, line in self._search.explore(list(moves), most=most)
        ]

    def tables(self) -> list[CellTable]:
        """Every statistic that the search and its policies keep, by cell; none if the game has no cells."""
        return [
            CellTable(name, side, scale, doc, tuple(values))
            for name, side, scale, doc, values in self._search.tables()
        ]

    def keep_log(self) -> None:
        """Keeps every simulation from now on, for ``log``."""
        self._search.keep_log()

    def log(self) -> list[tuple[list[str], int, float]]:
        """Of each kept simulation: its moves, how many were made in the tree, the first side's result."""
        return self._search.log()

    def worlds(self) -> list[tuple[str, bool] | None]:
        """Of each kept simulation of a game with hidden information, the world that it was played in.

        A world is the text of a state that the side to move cannot tell from the true one, and whether
        the nodes of the other side have learnt from it. None for games without secrets.
        """
        return self._search.worlds()

    def _refuse_if_running(self) -> None:
        if self.running:
            raise ValueError("this search is already running: stop() it first")
