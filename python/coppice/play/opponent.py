"""A player at a board where somebody waits: it may answer from a book, and think on the other side's time."""

from __future__ import annotations

from coppice.core.session import Limit, Player, Report, State, Thinking
from coppice.play.book import Book
from coppice.play.clocks import clocked

__all__ = ["KeptSearch", "Opponent"]

MOST_SECONDS = 600.0
"""Nobody ponders longer about one position: what is not found out by then needs another player."""


class KeptSearch:
    """The search of a decision, kept for the next one. Moves made in between are looked up in its tree."""

    def __init__(self) -> None:
        self.thinking: Thinking | None = None
        self.moves: list[str] = []
        """The moves that lead to its position."""

    def keep(self, thinking: Thinking, state: State) -> None:
        """Keeps a search of this state."""
        self.thinking, self.moves = thinking, state.moves

    def take(self, state: State) -> Thinking | None:
        """The search, stopped and gone on to this state; None if it knows nothing of it. Kept no more."""
        thinking, before, moves = self.thinking, self.moves, state.moves
        self.thinking = None
        if thinking is None:
            return None
        thinking.stop()
        known = moves[: len(before)] == before and state.outcome is None
        return thinking if known and thinking.advance(*moves[len(before) :]) else None


class Opponent:
    """Decides like its player, with a book before and, if it ponders, a tree that lives on between moves.

    Without a book and without pondering a decision is exactly the player's own. One that ponders depends
    on how long the other side thinks, so its games cannot be repeated.
    """

    def __init__(
        self, player: Player, *, seed: int = 0, book: Book | None = None, ponder: bool = False
    ) -> None:
        self.player = player
        self.seed = seed
        self.book = book
        self.ponder = ponder
        self._kept = KeptSearch()
        self._deciding = player
        self._waits = False

    def decide(self, state: State, limit: Limit | None = None, *, by_clock: bool = False) -> Report:
        """A move for the side to move; `limit` replaces the player's own. By a clock it may stop early."""
        self._waits = False
        if self.book is not None and (report := self.book.find(state)) is not None:
            return report
        self._deciding = clocked(self.player, state.game) if by_clock else self.player
        if not self.ponder:
            return self._deciding.search(state, limit, seed=self.seed)
        thinking = self._kept.take(state) or self._deciding.think(state, seed=self.seed)
        report = thinking.run(limit or self.player.limit)
        self._kept.keep(thinking, state)
        return report

    def wait(self, state: State) -> None:
        """Its move has been played and led to this state: it ponders, if it does, until `pause`."""
        self._waits = self.ponder and state.outcome is None
        if not self._waits:
            return
        thinking = self._kept.take(state) or self._deciding.think(state, seed=self.seed)
        self._kept.keep(thinking, state)
        thinking.start(Limit(seconds=MOST_SECONDS))

    def pause(self) -> None:
        """Stops pondering at once; what was found out is kept."""
        if self._kept.thinking is not None:
            self._kept.thinking.stop()

    def resume(self, state: State) -> None:
        """Ponders on if it was interrupted while the game stands where it stood."""
        thinking = self._kept.thinking
        if self._waits and thinking is not None and not thinking.running and self._kept.moves == state.moves:
            thinking.start(Limit(seconds=MOST_SECONDS))

    @property
    def pondering(self) -> bool:
        """Whether it is thinking on the other side's time just now."""
        return self._kept.thinking is not None and self._kept.thinking.running
