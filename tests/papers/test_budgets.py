"""Budgets: a printed time becomes work by a speed that is measured in a step of its own and kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_workers import FakeWorkers

from coppice import _core
from coppice.lab.store import Store
from coppice.papers import budgets as module
from coppice.papers.budgets import (
    Budgets,
    SpeedPair,
    keep_speeds,
    known_budgets,
    measure_speeds,
    speed_ratio,
)
from coppice.papers.clock import Clock
from coppice.papers.experiment import Experiment, MatchRow, Row, SpeedRow
from coppice.papers.jobs import Job, jobs_of
from coppice.papers.rows import series, speed
from coppice.papers.runner import collect, run

CLOCK = Clock(seconds=5, simulations=200, reference="uct({budget})")
OTHER = "uct(selection=uct(k=1), {budget})"


def timed(clock: Clock = CLOCK, a: str = OTHER) -> MatchRow:
    return MatchRow(name="timed", game="tic_tac_toe", a=a, b="uct({budget})", clock=clock, count=2)


def experiment(*rows: Row) -> Experiment:
    return Experiment(question="Is it?", source="our own", rows=rows, name="toy", given="toy")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "s.db")


@pytest.fixture
def never_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> float:
        raise AssertionError("a speed was measured")

    monkeypatch.setattr(module, "work_rate", never)


def content(store: Store) -> list[tuple[str, int]]:
    return [(series.kind, series.results) for series in store.series()]


def test_measuring_reading_and_planning_write_nothing_and_keeping_does(store: Store) -> None:
    rows = experiment(timed()).rows
    known = known_budgets(rows, store)
    measured = measure_speeds(rows, known)
    assert (known.know(rows[0]), measured.know(rows[0])) == (False, True)
    jobs_of(experiment(*rows), measured)
    assert content(store) == []
    assert keep_speeds(measured, store) == measured
    assert content(store) == [("budget", 1)]
    assert known_budgets(rows, store) == measured


@pytest.mark.usefixtures("never_timed")
def test_a_row_whose_speeds_nobody_has_measured_makes_no_job(store: Store) -> None:
    one = experiment(timed())
    with pytest.raises(ValueError, match=r"row 'timed': nobody has measured how fast 'uct\(selection=.*' is"):
        jobs_of(one)
    with pytest.raises(ValueError, match="measure_speeds does that"):
        jobs_of(one, known_budgets(one.rows, store))


def test_times_become_work_once_and_stay(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = experiment(timed())
    [job] = jobs_of(rows, keep_speeds(measure_speeds(rows.rows, Budgets()), store))
    assert job.budgets["uct({budget})"] == {"text": "simulations=200"}
    first = job.budgets[OTHER]
    assert 0 < first["low"] <= first["ratio"] <= first["high"]
    assert first["text"] == f"simulations={int(float(format(200 * first['ratio'], '.3g')))}"
    assert f"{first['text']}," in job.facts["a"]
    monkeypatch.setattr(module, "work_rate", lambda *_: 1 / 0)
    [again] = jobs_of(rows, measure_speeds(rows.rows, known_budgets(rows.rows, store)))
    assert again == job
    for _ in run([job], store, FakeWorkers()):
        pass
    found = collect(rows, [job], store)["timed"]
    assert found.budgets == job.budgets
    # On another machine the clock would be another one: the command names the resolved specs.
    assert found.command.startswith("coppice match tic_tac_toe 'mcts(selection=uct(k=1.0")
    # Whoever declares the same two players, in other words and for another time, gets the same ratio.
    other = timed(replace(CLOCK, simulations=1000), a="mcts(selection=uct(k=1.0, c=2.0), {budget})")
    [same] = jobs_of(experiment(other), known_budgets([other], store))
    assert same.budgets[other.a]["ratio"] == first["ratio"]
    # With the results of the folder, another machine goes on with the same budgets.
    line = job.line(store)
    assert line is not None
    with Store(":memory:") as elsewhere:
        [there] = jobs_of(rows, known_budgets(rows.rows, elsewhere, [line]), lines=[line])
    assert (there.facts, there.budgets, there.in_folder) == (job.facts, job.budgets, line)


SPEED = SpeedRow(name="speed", game="tic_tac_toe", player="uct(simulations=200)", count=2)


def never(*_: object) -> float:
    raise AssertionError("measured again")


def known_jobs(one: Experiment, store: Store) -> list[Job]:
    """The jobs of the rows whose budgets a store knows."""
    budgets = known_budgets(one.rows, store)
    return jobs_of(one, budgets, rows=[row for row in one.rows if budgets.know(row)])


def measured(one: Experiment, store: Store) -> list[Job]:
    """All jobs, once their speeds are measured and everything is run."""
    jobs = jobs_of(one, keep_speeds(measure_speeds(one.rows, Budgets()), store))
    for _ in run(jobs, store, FakeWorkers()):
        pass
    return jobs


def test_times_are_those_of_their_players_whatever_else_is_new(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another game changes the signature of everything, and no play version of a player in this one."""
    one = experiment(timed(), SPEED)
    jobs = measured(one, store)
    monkeypatch.setattr(_core, "PLAY_VERSION", "another game")
    assert known_jobs(one, store) == jobs
    assert [job.missing(store) for job in jobs] == [[], []]
    assert {series.play_version for series in store.series() if series.kind == "speed"} == {
        _core.play_version("tic_tac_toe", SPEED.player)
    }
    # The players play otherwise: nothing can tell whether their times still hold.
    monkeypatch.setattr(_core, "play_version", lambda game, player: "otherwise")
    [left] = known_jobs(one, store)
    assert (left.row, left.missing(store)) == (SPEED, [0, 1])


def test_times_that_were_kept_under_one_version_for_everything_are_found(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = experiment(timed(), SPEED)
    with monkeypatch.context() as before:
        # As earlier versions wrote them.
        for place in (series, module):
            before.setattr(place, "play_versions", lambda facts: _core.PLAY_VERSION)
        jobs = measured(one, store)
        value = collect(one, jobs, store)["speed"].value
    kinds = ("speed", "budget")
    assert {each.play_version for each in store.series() if each.kind in kinds} == {_core.PLAY_VERSION}
    for place in (speed, module):
        monkeypatch.setattr(place, "work_rate", never)
    again = known_jobs(one, store)
    assert again == jobs
    assert [job.missing(store) for job in again] == [[], []]
    assert collect(one, again, store)["speed"].value == value
    for _ in run(again, store, FakeWorkers()):
        pass
    assert keep_speeds(known_budgets(one.rows, store), store) == known_budgets(one.rows, store)
    assert sorted(each.kind for each in store.series() if each.kind in kinds) == ["budget", "speed"]
    # Under another signature nobody knows what they are of.
    monkeypatch.setattr(_core, "PLAY_VERSION", "another")
    [left] = known_jobs(one, store)
    assert (left.row, left.missing(store)) == (SPEED, [0, 1])


def test_what_somebody_else_has_measured_first_stands(store: Store) -> None:
    pair = SpeedPair.of(timed(), OTHER)
    first, second = ({"ratio": ratio, "low": 1.0, "high": 3.0, "turns": 9} for ratio in (1.5, 2.5))
    assert keep_speeds(Budgets({pair: first}), store).ratios[pair] == first
    assert keep_speeds(Budgets({pair: second}), store).ratios[pair] == first


def test_seconds_that_a_line_was_played_with_are_no_speed(store: Store) -> None:
    one = experiment(timed())
    [job] = jobs_of(one, Budgets(seconds_scale=0.001))
    for _ in run([job], store, FakeWorkers()):
        pass
    line = job.line(store)
    assert line is not None
    assert line.budgets[OTHER] == {"text": "cpu_seconds=0.005"}
    assert not known_budgets(one.rows, store, [line]).know(one.rows[0])


def test_a_ratio_of_speeds_is_the_middle_of_nine_turns_with_its_quarters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ratios = [9.0, 1.0, 5.0, 3.0, 7.0, 2.0, 100.0, 4.0, 6.0]
    calls: list[tuple[str, str, str, int]] = []

    def work_rate(game: str, player: str, per_second: str, seed: int) -> float:
        calls.append((game, player.partition("(")[0], per_second, seed))
        # The machine is slower in every turn: only the ratio within a turn means something.
        return (ratios[seed] if player.startswith("rave") else 1.0) * 1000 / (seed + 1)

    monkeypatch.setattr(module, "work_rate", work_rate)
    found = speed_ratio(SpeedPair("tic_tac_toe", "rave(simulations=1)", "uct(simulations=1)"))
    assert found == {"ratio": 5.0, "low": 3.0, "high": 7.0, "turns": 9}
    assert calls == [
        ("tic_tac_toe", name, "simulations", turn) for turn in range(9) for name in ("rave", "uct")
    ]


@pytest.mark.usefixtures("never_timed")
def test_states_and_printed_seconds_need_no_measuring() -> None:
    states = timed(Clock(seconds=0.01, states=4110))
    [job] = jobs_of(experiment(states), measure_speeds([states], Budgets()))
    assert [budget["text"] for budget in job.budgets.values()] == ["states=4110"] * 2
    [job] = jobs_of(experiment(timed()), Budgets(seconds_scale=0.5))
    assert [budget["text"] for budget in job.budgets.values()] == ["cpu_seconds=2.5"] * 2
