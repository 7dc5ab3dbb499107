"""Jobs: rows with everything resolved, made of declarations and known budgets; nothing is measured.

`jobs_of` turns the rows of an experiment into `Job`s, plain values that `runner` runs. Nothing depends on the
order of rows, and a job's results depend on its facts and the index alone.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from coppice import _core
from coppice.lab.store import Store, describe_machine
from coppice.papers.budgets import Budget, Budgets
from coppice.papers.clock import BUDGET
from coppice.papers.experiment import Experiment
from coppice.papers.result_lines import ResultLine, identity_of, merge, told_facts
from coppice.papers.rows.row import Row, Work

__all__ = ["Job", "games_of", "jobs_of"]


@dataclass(frozen=True)
class Job:
    """A row with everything resolved: it can be run."""

    row: Row
    wanted: int
    """How many games or runs are asked for."""
    facts: Mapping[str, Any]
    """All that its results depend on: kind, specs, seed, and the machine for speeds."""
    budgets: Mapping[str, Budget] = field(default_factory=dict)
    """What was put for `{budget}`, by player as declared."""
    in_folder: ResultLine | None = None
    """What a folder of results has of it: these indices are not done again."""

    @property
    def work(self) -> Work:
        """Its games or runs: where a store keeps them, and how more are made."""
        return self.row.work(self.facts)

    @property
    def told(self) -> dict[str, Any]:
        """The facts as results keep them: specs by what differs from the defaults."""
        return told_facts(self.facts)

    @property
    def indices(self) -> range:
        """The indices that are asked for."""
        return self.row.indices(self.wanted)

    def missing(self, store: Store) -> list[int]:
        """The indices asked for that neither the store nor the folder has."""
        return sorted(set(self.indices) - self._there(store))

    def done(self, store: Store) -> int:
        """How many of the games or runs asked for the store and the folder have."""
        return len(self._there(store) & set(self.indices))

    def _there(self, store: Store) -> set[int]:
        there = set() if self.in_folder is None else set(self.in_folder.values)
        return there.union(self.work.done_in(store, self.indices))

    def line(self, store: Store) -> ResultLine | None:
        """What the store and the folder have of it, in one; None if that is nothing."""
        found = self.work.line_in(store, self.indices)
        if found is None:
            return self.in_folder
        found = replace(found, budgets=self.budgets)
        return found if self.in_folder is None else merge(self.in_folder, found)

    def command(self, experiment: Experiment, count: int) -> str:
        """The command that makes so many again; with measured budgets only the resolved specs do."""
        words = self.row.command(self.told, count) if self.budgets else ()
        if not words:
            number = str(experiment.number(self.row))
            words = ["coppice", "run", experiment.given, "--rows", number, "--games", str(count)]
            words = [*words, "--seed", str(self.facts["seed"])]
        return shlex.join(words)


def games_of(row: Row, games: int | None, fraction: float) -> int:
    """How many games or runs of a row: `games`, or a part of the paper's."""
    return games if games is not None else row.whole(round(row.count * fraction))


def jobs_of(
    experiment: Experiment,
    budgets: Budgets | None = None,
    *,
    rows: Sequence[Row] | None = None,
    games: int | None = None,
    fraction: float = 1.0,
    seed: int | None = None,
    lines: Sequence[ResultLine] = (),
    machine: str | None = None,
) -> list[Job]:
    """The jobs of an experiment's rows.

    Rows with a clock need `budgets`; `measure_speeds` finds out what is unknown of them. `lines` are those of
    a folder of results: what they have is not done again. Speeds are those of `machine` [default: this one].
    """
    known = budgets or Budgets()
    live: dict[str, list[ResultLine]] = {}
    for line in lines:
        if not line.stale:
            live.setdefault(line.row, []).append(line)
    place = machine or describe_machine()
    jobs = []
    for row in experiment.rows if rows is None else rows:
        put = _put(row, known)
        facts = _facts(row, put, experiment.seed if seed is None else seed, place)
        job = Job(row, games_of(row, games, fraction), facts, put)
        if row.name in live:
            identity = identity_of(job.told)
            ours = (line for line in live[row.name] if line.identity == identity)
            job = replace(job, in_folder=next(ours, None))
        jobs.append(job)
    return jobs


def _put(row: Row, budgets: Budgets) -> dict[str, Budget]:
    """What is put for `{budget}` in each player of a row that has one."""
    found = {}
    for player in row.players():
        if BUDGET in player:
            budget = budgets.of(row, player)
            if budget is None:
                raise ValueError(
                    f"row '{row.name}': nobody has measured how fast '{player}' is: measure_speeds does that"
                )
            found[player] = budget
    return found


def _facts(row: Row, budgets: Mapping[str, Budget], seed: int, machine: str) -> dict[str, Any]:
    def resolve(player: str) -> str:
        text = player.replace(BUDGET, budgets[player]["text"]) if player in budgets else player
        return _core.canonical("player", text, row.game)

    facts = {"kind": row.kind, "game": _core.canonical("game", row.game), "seed": seed}
    return facts | row.own_facts(resolve, machine)
