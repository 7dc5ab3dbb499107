"""What every kind of row has and says of itself; the games or runs behind a row; how its cost is measured.

A row is a declaration and changes nothing. With its facts, which name everything resolved, it gives a `Work`:
that one knows where a store keeps its games or runs, and how more of them are made.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from coppice.core.session import Game, State
from coppice.lab.store import Store, StoredMatch, StoredSeries
from coppice.lab.workers import Workers
from coppice.papers.clock import BUDGET, Clock
from coppice.papers.evidence import Evidence
from coppice.papers.published import Published
from coppice.papers.result_lines import ResultLine, told_facts

__all__ = ["LITERAL", "LITERAL_NAME", "Estimate", "Resolve", "Row", "Step", "Work", "line_of"]

LITERAL = ""
"""The reading of a row that takes the text at its word."""
LITERAL_NAME = "literal"
"""What it is called where readings are named."""

Resolve = Callable[[str], str]
"""The canonical spec of a player as declared, with its budget in the place of `{budget}`."""


@dataclass(frozen=True, slots=True)
class Step:
    """Where the games or runs of a row stand."""

    done: int
    value: float | None
    """The row's number so far."""
    seconds_left: float | None


class Work(Protocol):
    """The games or runs behind a row: where a store keeps them, and how more are made."""

    @property
    def row(self) -> Row:
        """The row."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """All that they depend on."""

    @property
    def identity(self) -> str:
        """What a store keeps them under."""

    @property
    def replayable(self) -> bool:
        """Whether the same facts give the same results: not with a clock, nor with another program."""

    @property
    def play_version(self) -> str:
        """The play version of its players today: where a line has another one, it is replayed first."""

    def done_in(self, store: Store, indices: range) -> Collection[int]:
        """Those of these indices, and maybe others, that a store has."""

    def line_in(self, store: Store, indices: range) -> ResultLine | None:
        """What a store has of these indices, as a line of results; None if that is nothing."""

    def match_in(self, store: Store) -> str | None:
        """What a store calls the match that has its games; None of what is no match, or not there."""

    def unconfirmed_in(self, store: Store) -> int:
        """How many games a store has that do not count before some of them are replayed."""

    def set_aside(self, store: Store) -> None:
        """Make room in a store to make all of them anew."""

    def mean_seconds(self, store: Store) -> float | None:
        """How long those that a store has took on the mean; None where it does not know."""

    def run(self, indices: range, there: ResultLine | None, store: Store, workers: Workers) -> Iterator[Step]:
        """Make what neither `there` nor the store has; the first value comes before anything is made."""

    def fingerprints(self, indices: Sequence[int], workers: Workers) -> dict[int, str]:
        """The fingerprints of these indices, made by the code of today and kept nowhere."""

    def make(self, count: int) -> None:
        """Make so many in this thread, and keep nothing."""


class Estimate(Protocol):
    """What a row asks to learn the seconds of one of its games or runs; `cost` measures it."""

    def decision(self, state: State, player: str) -> float:
        """The processor seconds of one decision."""

    def game(self, start: Callable[[int], State], players: tuple[str, str]) -> float:
        """The processor seconds of a game that begins in `start(seed)`."""

    def really(self, count: int) -> float:
        """The mean processor seconds of so many games or runs, or more, as they are."""


@dataclass(frozen=True, kw_only=True)
class Row(ABC):
    """What all kinds of rows have."""

    kind: ClassVar[str]
    cost_depends_on: ClassVar[tuple[str, ...]]
    """The facts that tell what a game or run costs: rows that share them are measured once."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    """The row's cells in the columns that say what was tried, by column."""
    game: str
    count: int
    """How many games or runs the paper made."""
    published: Published = field(default_factory=Published)
    clock: Clock | None = None
    tested: bool = True
    """Whether our number ought to equal the paper's; a speed on another machine ought not."""
    reading: str = LITERAL
    """The name of the reading that it is run under."""

    @property
    def reading_name(self) -> str:
        """The reading as people call it."""
        return self.reading or LITERAL_NAME

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"row '{self.name}' has {self.count} runs: at least 1 is needed")
        timed = [player for player in self.players() if BUDGET in player]
        if self.clock is None and timed:
            raise ValueError(f"row '{self.name}': '{timed[0]}' has {BUDGET} but the row has no clock")
        if self.clock is not None and not timed:
            raise ValueError(f"row '{self.name}' has a clock but no player with {BUDGET}")

    @abstractmethod
    def players(self) -> tuple[str, ...]:
        """The players of the row."""

    @property
    def is_rate(self) -> bool:
        """Whether the row's number is a rate in 0..1."""
        return False

    @property
    def ply_quantity(self) -> str:
        """What the row's number is at each ply, as the axis of a figure calls it; empty if it has none."""
        return ""

    def start(self, seed: int = 0) -> State:
        """Where a game or run of the row begins."""
        return Game(self.game).start(seed=seed)

    def indices(self, count: int) -> range:
        """The indices of the first `count` games or runs."""
        return range(count)

    def whole(self, count: int) -> int:
        """A part of the paper's games or runs as a number that the row can make."""
        return max(1, count)

    @abstractmethod
    def own_facts(self, resolve: Resolve, machine: str) -> dict[str, Any]:
        """What its results depend on beside kind, game and seed; players by `PLAYERS` of `result_lines`."""

    @abstractmethod
    def work(self, facts: Mapping[str, Any]) -> Work:
        """Its games or runs, given all facts."""

    @abstractmethod
    def evidence(self, values: Mapping[int, Any]) -> Evidence:
        """What the values of some games or runs, by index, say of the row's number."""

    @abstractmethod
    def seconds_each(self, facts: Mapping[str, Any], estimate: Estimate) -> float:
        """The processor seconds of one game or run."""

    def command(self, told: Mapping[str, Any], count: int) -> Sequence[str]:
        """The words of a command that makes the same of the facts alone; none if only `coppice run` does."""
        return ()


def line_of(
    work: Work,
    values: Mapping[int, Any],
    prints: Mapping[int, str],
    origin: StoredMatch | StoredSeries,
    used: Mapping[int, Sequence[Sequence[int]]] | None = None,
) -> ResultLine | None:
    """The line of what a store has of some games or runs; None if it has nothing."""
    if not values:
        return None
    return ResultLine(
        *("", work.row.name, told_facts(work.facts), values, prints, used or {}),
        version=origin.package_version,
        machine=origin.machine,
        created=origin.created,
        load="" if work.replayable else f"{os.getloadavg()[0]:.1f} of {os.cpu_count()} processors",
        plays=work.play_version,
    )
