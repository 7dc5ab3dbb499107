"""A study: changes of a player, each of which plays the baseline in each game at each budget.

A `Study` is a declaration, and all that decides about its error rate is declared before the first game: how
many games a row gets, after how many it is looked at, and when it ends. The number of games is planned from
the smallest effect that one cares for. A row ends early when Holm's method, over all rows, rejects that the
change is worth nothing; the p-values are sequential ones, which hold at every look (Ye, Li, Liu and Yao
2013). All rows are played up to a look before any is played beyond it, so that which rows end does not depend
on the machine, and a study given again goes on where it stopped.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coppice import _core
from coppice.core.session import Game
from coppice.core.short import short
from coppice.core.spec import LIMITS, Spec
from coppice.core.spec_like import SpecLike, spec_text
from coppice.lab.cost import GameCost
from coppice.lab.match import Match, Openings, Progress
from coppice.lab.pooling import POOLINGS, Pooling
from coppice.lab.sequential import SPENDINGS, Spending, bounds, drift, effect_of, games_for
from coppice.lab.store import DEFAULT_STORE, Store, StoredSeries
from coppice.lab.study_result import Plan, StudyCell, StudyResult, settle
from coppice.lab.workers import Threads, Workers, workers_of

__all__ = ["CellCost", "Study", "StudyProgress"]

BUDGET = "{budget}"
"""What stands in a player for the budget, where it is not simply an option of it."""
_ROUGH = 8
"""With more rows than this a rougher estimate of the cost must do."""


@dataclass(frozen=True, slots=True)
class CellCost:
    """What is left of a row, and how long one of its games takes on one processor."""

    cell: StudyCell
    missing: int
    """The games that are not there yet, if the row does not end early."""
    seconds_each: float

    @property
    def seconds(self) -> float:
        """Processor seconds of what is left."""
        return self.missing * self.seconds_each


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Where a running study stands: which row is being played, up to which look."""

    cell: StudyCell
    look: int
    """The number of the look, from 1."""
    match: Progress
    """Where the row's match stands."""
    live: int
    """How many rows have not ended."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """Changes x games x budgets against a baseline; see the top of this file."""

    baseline: SpecLike
    """The player without any change."""
    changes: Mapping[str, SpecLike]
    """The changed players, by what the change is called."""
    games: Mapping[str, SpecLike] | Sequence[SpecLike]
    """The games; a mapping gives them names of one's own."""
    budgets: Sequence[str] = ()
    """What both players have per move, as `simulations=1000`; empty: what their specs say.

    It is an option of the player, or stands where its spec says `{budget}`.
    """
    question: str = ""
    smallest: float = 0.05
    """The smallest effect that one cares for: 0.05 is a score of 55 % in the place of 50 %."""
    power: float = 0.8
    """How often a row finds an effect of that size."""
    alpha: float = 0.05
    """How often, at most, any row of the study is called better or worse although nothing has changed."""
    looks: int = 4
    """How often a row is looked at; with 1 only at its end."""
    spending: Spending = "obrien_fleming"
    """How the error rate is shared among the looks; see `lab.sequential`."""
    pooling: Pooling = "random"
    """How effects are pooled over games; see `lab.pooling`."""
    most: int | None = None
    """So many games per row in the place of the planned number."""
    seed: int = 0
    openings: str | os.PathLike[str] | Sequence[str] | Openings = "none"
    """Whatever `Openings.of` takes; kept as what it makes of it."""
    name: str = "study"
    """What files and tables are called."""

    def __post_init__(self) -> None:
        if not self.changes:
            raise ValueError("a study needs at least one change")
        if not self.games:
            raise ValueError("a study needs at least one game")
        for name, allowed in (("spending", SPENDINGS), ("pooling", POOLINGS)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"unknown {name} '{getattr(self, name)}': allowed are {', '.join(allowed)}")
        for name, low, high in (("smallest", 0.0, 0.5), ("power", 0.0, 1.0), ("alpha", 0.0, 1.0)):
            if not low < getattr(self, name) < high:
                raise ValueError(f"{name} is {getattr(self, name)}: it must lie between {low:g} and {high:g}")
        if not 1 <= self.looks <= 20:
            raise ValueError(f"looks is {self.looks}: it must lie between 1 and 20")
        if self.most is not None and self.most < 2 * self.looks:
            raise ValueError(f"{self.most} games are not a pair for each of {self.looks} looks")
        for name, value in {
            "baseline": spec_text(self.baseline, what="player"),
            "changes": {name: spec_text(player, what="player") for name, player in self.changes.items()},
            "games": _named_games(self.games),
            "budgets": tuple(self.budgets),
            "openings": Openings.of(self.openings),
        }.items():
            object.__setattr__(self, name, value)
        seen: dict[str, StudyCell] = {}
        for cell in self.cells:
            if cell.match.a == cell.match.b:
                raise ValueError(f"change '{cell.change}' is the baseline itself in {cell.game}")
            twin = seen.setdefault(cell.match.plan, cell)
            if twin is not cell:
                raise ValueError(f"'{twin.name}' and '{cell.name}' are the same match")

    @functools.cached_property
    def cells(self) -> tuple[StudyCell, ...]:
        """The rows: each change in each game at each budget."""
        assert isinstance(self.games, Mapping)
        assert isinstance(self.openings, Openings)
        return tuple(
            StudyCell(change, name, budget, Match(
                game, _with_budget(player, budget), _with_budget(self.baseline, budget),
                seed=self.seed, openings=self.openings,
            ))
            for change, player in self.changes.items()
            for name, game in self.games.items()
            for budget in self.budgets or ("",)
        )  # fmt: skip

    @functools.cached_property
    def plan(self) -> Plan:
        """How many games each row gets, and after how many it is looked at."""
        level = self.alpha / len(self.cells)
        times = tuple(at / self.looks for at in range(1, self.looks + 1))
        away = drift(level, self.power, times, self.spending)
        games = math.ceil(games_for(away, self.smallest)) if self.most is None else self.most
        at = tuple(2 * math.ceil(games * time / 2) for time in times)
        if len(set(at)) < len(at):
            raise ValueError(
                f"{games} games are enough for an effect of {self.smallest:g}, and too few for"
                f" {self.looks} looks"
            )
        exact = tuple(look / at[-1] for look in at)
        return Plan(
            looks=at,
            level=level,
            first_bounds=bounds(level, exact, self.spending),
            row_bounds=bounds(self.alpha, exact, self.spending),
            detectable=effect_of(drift(level, self.power, exact, self.spending), at[-1]),
        )

    @property
    def declaration(self) -> dict[str, Any]:
        """All that decides about the error rate, as plain values."""
        return {
            "rows": len(self.cells),
            "games": self.plan.looks,
            "smallest": self.smallest,
            **{name: getattr(self, name) for name in ("power", "alpha", "spending", "pooling")},
        }

    def cost(self, store: Store) -> Iterator[CellCost]:
        """What each row costs on this machine if it does not end early: known from games, or measured."""
        ended = {one.cell for one in self.result(store).lines if one.stopped}
        for cell in self.cells:
            stored = cell.match.found_in(store)
            missing = 0
            if cell not in ended:
                there = () if stored is None else store.points(stored.identity, self.plan.games)
                missing = self.plan.games - sum(1 for _ in there)
            known = None if stored is None else store.mean_seconds(stored.identity)
            if missing and known is None:
                known = _measured(cell.match, missing, rough=len(self.cells) > _ROUGH)
            yield CellCost(cell, missing, known or 0.0)

    def run(
        self,
        store: Store,
        *,
        threads: int | None = None,
        workers: Workers | None = None,
        fresh: bool = False,
    ) -> Generator[StudyProgress, None, None]:
        """Play what is missing, look by look, telling after each step where it stands.

        `threads`, `workers` and `fresh` are those of `Match.run`.
        """
        by = workers_of(threads, workers)
        if fresh:
            for cell in self.cells:
                cell.match.set_aside(store)
        self._declare(store)
        for number, games in enumerate(self.plan.looks, 1):
            live = [line.cell for line in self.result(store).lines if not line.stopped]
            for cell in live:
                for step in cell.match.run(games, workers=by, store=store):
                    yield StudyProgress(cell, number, step, len(live))

    def play(
        self,
        store: Store | str | os.PathLike[str] = DEFAULT_STORE,
        *,
        threads: int | None = None,
        workers: Workers | None = None,
        fresh: bool = False,
    ) -> StudyResult:
        """Play what is missing, as `run` does, and return what the study came to."""
        with _opened(store) as opened:
            for _ in self.run(opened, threads=threads, workers=workers, fresh=fresh):
                pass
            return self.result(opened)

    def result(self, store: Store | str | os.PathLike[str] = DEFAULT_STORE) -> StudyResult:
        """What the study came to by the games that a store has; plays nothing."""
        with _opened(store, read_only=True) as opened:
            return settle(self, opened, self._declared_otherwise(opened))

    def frame(
        self,
        store: Store | str | os.PathLike[str] = DEFAULT_STORE,
        *,
        library: str | None = None,
    ) -> Any:
        """The rows and the pooled effects as a data frame; see `StudyResult.frame`."""
        return self.result(store).frame(library=library)

    # The declaration is kept in the store, so that nobody changes it unnoticed after the first games.

    @property
    def _series(self) -> StoredSeries:
        plans = sorted(cell.match.plan for cell in self.cells)
        identity = hashlib.sha256(json.dumps(["coppice study", *plans]).encode()).hexdigest()[:32]
        return StoredSeries(identity, "study", json.dumps(self.declaration, sort_keys=True), "")

    def _declare(self, store: Store) -> None:
        series = self._series
        known = store.find_series(series.identity)
        if known is not None and known.facts != series.facts and not self._games_in(store):
            store.remove_series(series.identity)
        store.register_series(series)

    def _declared_otherwise(self, store: Store) -> str:
        """What another declaration of the same rows was, if it was made before; empty if there is none."""
        series = self._series
        known = store.find_series(series.identity)
        if known is None or known.facts == series.facts or not self._games_in(store):
            return ""
        before, now = json.loads(known.facts), json.loads(series.facts)
        changed = [
            f"{name} {before.get(name)}, now {now[name]}" for name in now if before.get(name) != now[name]
        ]
        return f"on {known.created[:10]} these rows were declared with {'; '.join(changed)}"

    def _games_in(self, store: Store) -> bool:
        return any(cell.match.found_in(store) is not None for cell in self.cells)


def _named_games(games: Mapping[str, SpecLike] | Sequence[SpecLike]) -> dict[str, str]:
    if isinstance(games, Mapping):
        return {name: _core.canonical("game", spec_text(game, what="game")) for name, game in games.items()}
    found = [_core.canonical("game", spec_text(game, what="game")) for game in games]
    return {short("game", game): game for game in found}


def _with_budget(player: SpecLike, budget: str) -> str:
    """The player with what it has per move."""
    text = spec_text(player, what="player")
    if BUDGET in text:
        if not budget:
            raise ValueError(f"'{text}' has {BUDGET}, and the study no budgets")
        return text.replace(BUDGET, budget)
    if not budget:
        return text
    given = Spec.parsed(f"budget({budget})").only.written
    if not given or set(given) - set(LIMITS):
        raise ValueError(f"'{budget}' is no budget: allowed are {', '.join(LIMITS)}, as simulations=1000")
    return spec_text(text, given, what="player")


def _measured(match: Match, missing: int, *, rough: bool) -> float:
    """The processor seconds of a game, by playing some that are kept nowhere."""

    def play(count: int) -> None:
        match.play(count, workers=Threads(1), store=None)

    cost = GameCost(match.game, missing, play, rough=rough)
    return cost.game(lambda seed: Game(match.game).start(seed=seed), (match.a, match.b))


class _Borrowed:
    """A store that somebody else closes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __enter__(self) -> Store:
        return self._store

    def __exit__(self, *_: object) -> None:
        pass


def _opened(store: Store | str | os.PathLike[str], *, read_only: bool = False) -> Store | _Borrowed:
    return _Borrowed(store) if isinstance(store, Store) else Store(store, read_only=read_only)
