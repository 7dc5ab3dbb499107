"""What a study came to: its rows as far as they are played, which of them ended, effects over games.

`settle` reads the games of a store and repeats the looks: it plays nothing, and the same games give the same
result wherever and however often they were interrupted. Only games up to the look at which a row ended count.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from coppice.lab import study_methods, study_tables
from coppice.lab.effects import EffectRow
from coppice.lab.frames import columns_of, frame_of
from coppice.lab.match import Match
from coppice.lab.pooling import Pooled, pool
from coppice.lab.sequential import distance, sequential_p
from coppice.lab.stats import Interval, Score, Tally, holm
from coppice.lab.store import Place, Store, StoredMatch

if TYPE_CHECKING:
    from coppice.lab.study import Study

__all__ = ["Plan", "StudyCell", "StudyLine", "StudyPool", "StudyRecord", "StudyResult", "settle"]

Verdict = Literal["better", "worse", "open"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How many games each row of a study gets, and when it is looked at."""

    looks: tuple[int, ...]
    """After so many games a row is looked at; the last number is that of all its games."""
    level: float
    """The error rate of the first step of Holm's method: that of the study, divided by its rows."""
    first_bounds: tuple[float, ...]
    """How many standard deviations end a row at each look while no other row has ended."""
    row_bounds: tuple[float, ...]
    """The same for a row alone: the quantiles of its interval at each look."""
    detectable: float
    """The smallest effect that the games of a row find with the study's power at the first step."""

    @property
    def games(self) -> int:
        """The most games of a row."""
        return self.looks[-1]

    @property
    def times(self) -> tuple[float, ...]:
        """The looks as parts of all games."""
        return tuple(look / self.games for look in self.looks)


@dataclass(frozen=True, slots=True)
class StudyCell:
    """A row as declared: one change in one game at one budget."""

    change: str
    game: str
    budget: str
    match: Match

    @property
    def name(self) -> str:
        """What it is called where one line must do."""
        return ", ".join(part for part in (self.change, self.game, self.budget) if part)


@dataclass(frozen=True, slots=True)
class StudyLine:
    """A row as played."""

    cell: StudyCell
    score: Score
    """The games that count: those up to the last look; before the first look all that there are."""
    finished: int
    """How many of its games are in the store, those beyond the look at which it ended included."""
    looks: int
    """How many looks it had."""
    interval: Interval
    """The 95 % interval that holds at every look (for another error rate of the study, another level)."""
    p: float
    """The sequential p-value; 1 before the first look."""
    p_adjusted: float
    """The same by Holm's method for all rows."""
    verdict: Verdict
    stopped: bool
    """Whether no game of it is wanted any more."""
    early: bool
    """Whether it ended before its last look."""
    stored: StoredMatch | None = field(default=None, compare=False)
    """The match in the store; None before its first game."""
    places: tuple[Place, ...] = field(default=(), compare=False)
    """Where its games were played, if they depend on that: by a clock."""


@dataclass(frozen=True, slots=True)
class StudyPool:
    """A change at a budget over all games of the study."""

    change: str
    budget: str
    lines: tuple[StudyLine, ...]
    pooled: Pooled
    p_adjusted: float
    """By Holm's method for all pooled effects, which are a family of their own."""
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """A row of `Study.frame`: a change in one game at one budget, or pooled over the games."""

    study: str
    """The name of the study."""
    change: str
    """What was changed."""
    game: str
    """The game in short, or by the name that the study gives it; of a pooled effect, `all games`."""
    budget: str
    """What both players had per move; empty where their specs say it."""
    pooled: bool
    """Whether it is an effect over all games of the study."""
    games: int
    """The games that count."""
    planned: int
    """The games that were planned at most."""
    looks: int | None
    """How many looks there were; empty for a pooled effect."""
    ended_early: bool | None
    """Whether the row ended before its last look; empty for a pooled effect."""
    wins: int
    """Games that the change won."""
    draws: int
    """Games that were drawn."""
    losses: int
    """Games that the change lost."""
    score: float
    """The score of the change against the baseline, 0 to 1."""
    low: float
    """Where the 95 % interval of the score begins."""
    high: float
    """Where it ends."""
    score_first: float | None
    """The score where the change had the first side; empty for a pooled effect."""
    score_second: float | None
    """The score where it had the second side; empty for a pooled effect."""
    p: float
    """The p-value against a score of 50 %, valid at the look at which the row ended."""
    p_adjusted: float
    """The same, adjusted by Holm's method: over all rows, or over all pooled effects."""
    verdict: str
    """`better`, `worse` or `open`."""
    tau: float | None
    """The standard deviation of the effect between games; only for a pooled effect."""
    game_spec: str
    """The canonical spec of the game."""
    change_spec: str
    """The canonical spec of the changed player."""
    baseline_spec: str
    """The canonical spec of the baseline."""
    seed: int | None
    """The seed of the match; empty for a pooled effect."""
    openings: str
    """How its games begin."""
    match: str
    """The identity of the match in the store; empty where no game is there, and for a pooled effect."""


@dataclass(frozen=True)
class StudyResult:
    """What a study came to."""

    study: Study
    lines: tuple[StudyLine, ...]
    """The rows, in the order in which they are declared."""
    pools: tuple[StudyPool, ...]
    """The effects over games, where there are several games; of the rows that have games."""
    declared_otherwise: str = ""
    """What another declaration was under which games of these rows were begun; empty if there is none."""

    @property
    def done(self) -> bool:
        """Whether no row wants a game any more."""
        return all(line.stopped for line in self.lines)

    @functools.cached_property
    def effects(self) -> tuple[EffectRow, ...]:
        """The rows with games, and after those of each change and budget the pooled one: for figures."""
        found: list[EffectRow] = []
        for change in self.study.changes:
            for budget in self.study.budgets or ("",):
                lines = [line for line in self.lines if line.score.games]
                pools = [one for one in self.pools if (one.change, one.budget) == (change, budget)]
                found += [
                    _effect(line)
                    for line in lines
                    if (line.cell.change, line.cell.budget) == (change, budget)
                ]
                found += map(_pooled_effect, pools)
        return tuple(found)

    def records(self) -> list[StudyRecord]:
        """All numbers, one record per row and per pooled effect."""
        return [*map(self._record, self.lines), *map(self._pooled_record, self.pools)]

    def frame(self, *, library: str | None = None) -> Any:
        """The records as a data frame of `pandas` or `polars`, or as plain `columns`."""
        return frame_of(columns_of(StudyRecord, self.records()), library)

    def text(self) -> str:
        """The table as plain text."""
        return study_tables.text_table(self)

    def markdown(self) -> str:
        """The table in Markdown."""
        return study_tables.markdown_table(self)

    def latex(self) -> str:
        """The table in LaTeX, for a paper that uses booktabs."""
        return study_tables.latex_table(self)

    def methods(self) -> str:
        """A paragraph that says what was done, with every number needed to do it again."""
        return study_methods.paragraph(self)

    def _repr_html_(self) -> str:
        return study_tables.html_table(self)

    def _record(self, line: StudyLine) -> StudyRecord:
        match, score = line.cell.match, line.score
        sides = [
            None if side is None or not side.games else side.rate for side in (score.first, score.second)
        ]
        return StudyRecord(
            study=self.study.name, change=line.cell.change, game=line.cell.game, budget=line.cell.budget,
            pooled=False, games=score.games, planned=self.study.plan.games, looks=line.looks,
            ended_early=line.early, wins=score.wins, draws=score.draws, losses=score.losses,
            score=score.rate, low=line.interval.low, high=line.interval.high,
            score_first=sides[0], score_second=sides[1],
            p=line.p, p_adjusted=line.p_adjusted, verdict=line.verdict, tau=None,
            game_spec=match.game, change_spec=match.a, baseline_spec=match.b,
            seed=match.seed, openings=match.openings.text,
            match="" if line.stored is None else line.stored.identity,
        )  # fmt: skip

    def _pooled_record(self, one: StudyPool) -> StudyRecord:
        scores = [line.score for line in one.lines]
        pooled = one.pooled
        return StudyRecord(
            study=self.study.name, change=one.change, game=study_tables.ALL_GAMES, budget=one.budget,
            pooled=True, games=sum(score.games for score in scores),
            planned=self.study.plan.games * len(scores), looks=None, ended_early=None,
            wins=sum(score.wins for score in scores), draws=sum(score.draws for score in scores),
            losses=sum(score.losses for score in scores),
            score=pooled.estimate, low=pooled.interval.low, high=pooled.interval.high,
            score_first=None, score_second=None,
            p=pooled.p, p_adjusted=one.p_adjusted, verdict=one.verdict, tau=pooled.tau,
            game_spec="", change_spec="", baseline_spec="", seed=None, openings="", match="",
        )  # fmt: skip


def _effect(line: StudyLine) -> EffectRow:
    return EffectRow(
        change=line.cell.change,
        game=line.cell.game,
        budget=line.cell.budget,
        games=line.score.games,
        estimate=line.score.rate,
        low=line.interval.low,
        high=line.interval.high,
        p=line.p,
        verdict=line.verdict,
    )


def _pooled_effect(one: StudyPool) -> EffectRow:
    return EffectRow(
        change=one.change,
        game=study_tables.ALL_GAMES,
        budget=one.budget,
        games=sum(line.score.games for line in one.lines),
        estimate=one.pooled.estimate,
        low=one.pooled.interval.low,
        high=one.pooled.interval.high,
        p=one.pooled.p,
        verdict=one.verdict,
        pooled=True,
    )


def settle(study: Study, store: Store, declared_otherwise: str = "") -> StudyResult:
    """The result by the games that a store has."""
    plan = study.plan
    read = [_read(cell, plan, store) for cell in study.cells]
    looked = settled([one.scores for one in read], plan, study.alpha, study.spending)
    lines = tuple(
        _line(study, cell, one, *found) for cell, one, found in zip(study.cells, read, looked, strict=True)
    )
    return StudyResult(study, lines, _pools(study, lines), declared_otherwise)


def settled(
    scores: Sequence[Sequence[Score]], plan: Plan, alpha: float, spending: Any
) -> list[tuple[int, float, float, bool]]:
    """Of each row: how many looks it had, its p-value, the adjusted one, and whether it ended by the rule.

    `scores` are those of each row at the looks that it has games for.
    """
    rows = range(len(scores))
    distances: list[list[float]] = [[] for _ in rows]
    p_values, ended = [1.0] * len(scores), [False] * len(scores)
    adjusted = list(p_values)
    for look in range(len(plan.looks)):
        for row in rows:
            if not ended[row] and len(scores[row]) > look:
                distances[row].append(distance(scores[row][look]))
                p_values[row] = sequential_p(distances[row], plan.times, spending)
        adjusted = holm(p_values)
        # Later looks only make p-values smaller: who is rejected now stays so.
        ended = [was or value <= alpha for was, value in zip(ended, adjusted, strict=True)]
    return [(len(distances[row]), p_values[row], adjusted[row], ended[row]) for row in rows]


@dataclass(frozen=True, slots=True)
class _Read:
    """The games of a row in a store."""

    scores: list[Score]
    """At each look that there are games for."""
    score: Score
    """Of all games that the plan wants."""
    stored: StoredMatch | None
    places: tuple[Place, ...]


def _read(cell: StudyCell, plan: Plan, store: Store) -> _Read:
    stored = cell.match.found_in(store)
    if stored is None:
        return _Read([], Score(), None, ())
    tally, scores = Tally(), list[Score]()
    looks = iter((*plan.looks, plan.games + 1))
    look = next(looks)
    for count, (index, points) in enumerate(store.points(stored.identity, plan.games), 1):
        tally.add(index, points)
        # Behind a gap the looks wait for the missing game.
        if count == look and index == count - 1:
            scores.append(tally.score)
            look = next(looks)
    return _Read(
        scores, tally.score, stored, tuple(store.places(stored.identity)) if cell.match.timed else ()
    )


def _line(
    study: Study, cell: StudyCell, read: _Read, looks: int, p: float, adjusted: float, ended: bool
) -> StudyLine:
    score = read.scores[looks - 1] if looks else read.score
    verdict: Verdict = "open"
    if ended:
        verdict = "better" if score.rate > 0.5 else "worse"
    return StudyLine(
        cell=cell,
        score=score,
        finished=read.score.games,
        looks=looks,
        interval=score.interval_of(study.plan.row_bounds[max(looks, 1) - 1]),
        p=p,
        p_adjusted=adjusted,
        verdict=verdict,
        stopped=ended or looks == len(study.plan.looks),
        early=ended and looks < len(study.plan.looks),
        stored=read.stored,
        places=read.places,
    )


def _pools(study: Study, lines: Sequence[StudyLine]) -> tuple[StudyPool, ...]:
    """The pooled effects of each change at each budget over the games that were begun."""
    groups: dict[tuple[str, str], list[StudyLine]] = {}
    for line in lines:
        if line.score.games:
            groups.setdefault((line.cell.change, line.cell.budget), []).append(line)
    found = {
        key: pool([line.score for line in group], study.pooling, 1 - study.alpha)
        for key, group in groups.items()
        if len(group) > 1
    }
    adjusted = holm([pooled.p for pooled in found.values()])
    return tuple(
        StudyPool(*key, tuple(groups[key]), pooled, value, _verdict(pooled.estimate, value, study.alpha))
        for (key, pooled), value in zip(found.items(), adjusted, strict=True)
    )


def _verdict(estimate: float, adjusted: float, alpha: float) -> Verdict:
    if adjusted > alpha:
        return "open"
    return "better" if estimate > 0.5 else "worse"
