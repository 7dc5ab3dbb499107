"""The methods paragraph of a study: what was done, with every number that is needed to do it again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from coppice.core.short import short
from coppice.lab.match import Openings
from coppice.lab.score_row import percent

if TYPE_CHECKING:
    from coppice.lab.study_result import StudyResult

__all__ = ["paragraph"]

_Value = TypeVar("_Value")
_SPENDING = {"obrien_fleming": "O'Brien and Fleming's", "pocock": "Pocock's"}
_POOLING = {
    "random": "random effects (DerSimonian and Laird's variance between games, intervals and tests of Hartung"
    " and Knapp)",
    "fixed": "fixed effects (weights by the inverse of the variance)",
}


def paragraph(result: StudyResult) -> str:
    """Sentences in one paragraph."""
    study = result.study
    sentences = [*_players(result), *_games(result), *_test(result), *_ended(result)]
    if result.pools:
        taus = _listed(
            f"{', '.join(part for part in (one.change, one.budget) if part)}: {percent(one.pooled.tau)}"
            for one in result.pools
        )
        sentences.append(
            f"Effects were pooled over games by {_POOLING[study.pooling]}; the pooled effects are a family of"
            " their own under Holm's method."
        )
        if study.pooling == "random":
            sentences.append(f"The standard deviation between games, in percentage points, was {taus}.")
    sentences += _made(result)
    if result.declared_otherwise:
        sentences.append(
            f"The error rate is not what it says: {result.declared_otherwise}, and games had been played."
        )
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)


def _players(result: StudyResult) -> list[str]:
    study = result.study
    changes = _listed(f"{name} ({player})" for name, player in study.changes.items())
    what = f"{_count(len(study.changes), 'change')} of a player, {changes},"
    verb = "was" if len(study.changes) == 1 else "were each"
    assert isinstance(study.games, dict)
    games = _listed(
        name if name == short("game", game) else f"{name} ({short('game', game)})"
        for name, game in study.games.items()
    )
    budgets = f", with {_listed(study.budgets, 'or')} per move for both players" if study.budgets else ""
    return [f"{what} {verb} played against the baseline ({study.baseline}) in {games}{budgets}."]


def _games(result: StudyResult) -> list[str]:
    study, plan = result.study, result.study.plan
    given = Openings.of(study.openings)
    openings = "from the initial position" if given.spec == "none" else f"from openings {given.spec}"
    if given.lines:
        openings = f"from {len(given.lines)} given openings in turn"
    how = (
        f"planned so that a score of {_whole(0.5 + study.smallest)} % is found with a power of"
        f" {_whole(study.power)} %"
        if study.most is None
        else f"set beforehand; a score of {percent(0.5 + plan.detectable)} % is found with a power of"
        f" {_whole(study.power)} %"
    )
    return [
        f"This makes {_count(len(study.cells), 'row')}, each a match of at most {plan.games} games in"
        f" pairs: the two games of a pair begin alike, {openings}, with the sides changed, and chance comes"
        f" from the seed {study.seed}.",
        f"The number of games was {how} at the two-sided level {plan.level:.5g}, the first step of Holm's"
        " method, taking games as independent with a variance of 1/4 and adding Fleiss's correction for an"
        " exact test.",
    ]


def _test(result: StudyResult) -> list[str]:
    study, plan = result.study, result.study.plan
    statistic = (
        "The test of a row against 50 % is exact: it takes as given how far each pair lies from a shared one,"
        " and asks how often signs drawn by chance lead as far"
    )
    if len(plan.looks) == 1:
        return [
            f"{statistic}.",
            f"Holm's method over all {_count(len(study.cells), 'row')} keeps the error rate of the study at"
            f" {study.alpha:g}.",
            "Intervals are Wilson's with a design effect for pairs, at the level"
            f" {_whole(1 - study.alpha)} %.",
        ]
    return [
        f"{statistic}; it is taken after {_listed(map(str, plan.looks))} games.",
        f"The error rate is spent on the looks by {_SPENDING[study.spending]} function (Lan and DeMets); at"
        " the first step of Holm's method the boundaries are"
        f" {_listed(f'{bound:.3f}' for bound in plan.first_bounds)} standard deviations.",
        f"A row ended at the first look at which Holm's method over the sequential p-values of all"
        f" {_count(len(study.cells), 'row')} rejected it at {study.alpha:g}.",
        "Intervals hold at every look: they are Wilson's with a design effect for pairs and the quantiles"
        f" {_listed(f'{bound:.3f}' for bound in plan.row_bounds)}, which belong to a level of"
        f" {_whole(1 - study.alpha)} %.",
    ]


def _ended(result: StudyResult) -> list[str]:
    early = [line for line in result.lines if line.early]
    counted = sum(line.score.games for line in result.lines)
    planned = len(result.lines) * result.study.plan.games
    ended = _count(len(early), "row")
    told = [f"{counted} of at most {planned} games were played and count; {ended} ended early."]
    unfinished = sum(not line.stopped for line in result.lines)
    if unfinished:
        told.append(f"{_count(unfinished, 'row')} {'is' if unfinished == 1 else 'are'} not finished.")
    return told


def _made(result: StudyResult) -> list[str]:
    stored = [line.stored for line in result.lines if line.stored is not None]
    if not stored:
        return []
    versions = _listed(_once(one.package_version for one in stored))
    plays = _listed(_once(one.play_version for one in stored))
    machines = _listed(_once(one.machine for one in stored))
    days = sorted({one.created[:10] for one in stored})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    told = [f"Played by Coppice {versions} (play versions {plays}), begun {when} on {machines}."]
    places = _once(place for line in result.lines for place in line.places)
    if places:
        loads = sorted(place.load for place in places)
        where = _listed(_once(place.machine for place in places))
        load = f"{loads[0]:g} to {loads[-1]:g}"
        told.append(f"Players with a budget of time ran on {where} at a load of {load}.")
    contents = {name: digest for one in stored for name, digest in one.contents.items()}
    if contents:
        told.append(
            f"Code from elsewhere: {_listed(f'{name} ({digest[:12]})' for name, digest in contents.items())}."
        )
    return told


def _once(values: Iterable[_Value]) -> list[_Value]:
    return list(dict.fromkeys(values))


def _count(number: int, what: str) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six")
    return f"{words[number] if number < len(words) else number} {what}{'' if number == 1 else 's'}"


def _whole(part: float) -> str:
    """A part in percent, with no more digits than it has."""
    return f"{100 * part:g}"


def _listed(values: Iterable[str], word: str = "and") -> str:
    found: Sequence[str] = list(values)
    if len(found) < 2:
        return "".join(found)
    return f"{', '.join(found[:-1])} {word} {found[-1]}"
