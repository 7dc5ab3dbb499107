"""Tunings in the store: kept with it, shown from it, the same by whoever plays, closed by a fresh match."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from coppice.lab.stats import Score
from coppice.lab.store import Store
from coppice.lab.tune import VERIFY_SEED, Choice, Parameter, Step, Tuning
from coppice.lab.tunings import MOST_TRIALS, Diary, KeptTuning, Tried, find_tuning, tunings
from coppice.lab.workers import Cluster, Processes, Threads, Workers

TEMPLATE = "mcts(selection={s}, simulations={n})"
PARAMETERS = (Choice("s", ("uct(k=0.3)", "rave")), Parameter("n", 2, 60, logarithmic=True, whole=True))


def plan(**options: Any) -> Tuning:
    given = {"rounds": 2, "population": 4, "games": 4, "verify": 10, "seed": 5}
    return Tuning("tic_tac_toe", TEMPLATE, "uct(simulations=10)", PARAMETERS, **{**given, **options})


def kept(path: Path) -> KeptTuning:
    with Store(path, read_only=True) as store:
        [one] = tunings(store)
        assert find_tuning(store, one.identity[:5]) == one
        return one


def run(path: Path, tuning: Tuning, workers: Workers | None = None, **options: Any) -> list[Step]:
    with Store(path) as store:
        return list(tuning.run(store, workers=workers or Threads(1), **options))


def test_the_store_keeps_what_was_tried_and_how_it_was_closed(tmp_path: Path) -> None:
    *trials, verification = run(tmp_path / "s.db", plan())
    one = kept(tmp_path / "s.db")
    assert {step.tuning for step in (*trials, verification)} == {one.identity}
    assert (one.game, one.template, one.opponent) == ("tic_tac_toe", TEMPLATE, "mcts(simulations=10)")
    assert one.parameters == PARAMETERS
    assert (one.method, one.population, one.games, one.seed, one.openings) == ("cem", 4, 4, 5, "none")
    told = [(trial.number, trial.round, dict(trial.values), trial.score) for trial in one.trials]
    assert told == [(at, at // 4, dict(step.values), step.score) for at, step in enumerate(trials)]
    assert [trial.match for trial in one.trials] == [step.match.identity for step in trials]
    closed = one.closed
    assert closed is not None
    assert (closed.kind, closed.number, closed.round, closed.seed) == ("verification", 8, 2, 5 + VERIFY_SEED)
    assert (closed.values, closed.score) == (verification.values, verification.score)
    assert closed.seed not in {trial.seed for trial in one.trials}
    assert closed.match not in {trial.match for trial in one.trials}
    assert [len(turn) for turn in one.rounds()] == [4, 4]
    rates = [trial.score.rate for trial in one.highest(3)]
    assert rates == sorted((trial.score.rate for trial in one.trials), reverse=True)[:3]


def test_more_rounds_and_a_longer_verification_go_on_with_the_same_tuning(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    run(path, plan())
    before = kept(path)
    run(path, plan(verify=20))
    run(path, plan(rounds=3))
    one = kept(path)
    assert one.identity == before.identity
    assert one.trials[:8] == before.trials
    assert [(each.number, each.score.games) for each in one.verifications] == [(8, 10), (8, 20), (12, 10)]
    assert one.closed == one.verifications[-1]
    # Given again it adds nothing; another plan is another tuning.
    run(path, plan())
    assert kept(path) == one
    run(path, plan(seed=6))
    with Store(path) as store:
        assert [len(each.trials) for each in tunings(store)] == [12, 8]


def test_an_interrupted_tuning_is_not_closed_and_goes_on(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole.db", plan())
    path = tmp_path / "s.db"
    with Store(path) as store:
        steps = plan().run(store, workers=Threads(1))
        for _ in range(3):
            next(steps)
        steps.close()  # type: ignore[attr-defined]
    assert (len(kept(path).trials), kept(path).closed) == (3, None)
    assert [step.values for step in run(path, plan())] == [step.values for step in whole]
    assert kept(path).trials == kept(tmp_path / "whole.db").trials


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster with one worker, in processes of its own."""
    program = (
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as one:\n"
        "        print(one.scheduler_address, flush=True)\n"
        "        input()\n"
    )
    file = tmp_path_factory.mktemp("cluster") / "cluster.py"
    file.write_text(program)
    with subprocess.Popen(
        [sys.executable, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


@pytest.mark.parametrize("method", ["cem", "tpe"])
def test_threads_processes_and_a_cluster_tune_alike(method: str, tmp_path: Path, cluster: str) -> None:
    tuning = plan(method=method, rounds=1, games=2, verify=4)
    run(tmp_path / "threads.db", tuning, Threads(2))
    run(tmp_path / "processes.db", tuning, Processes(1))
    with Cluster(cluster) as workers:
        run(tmp_path / "cluster.db", tuning, workers)
    first, *others = (kept(tmp_path / f"{name}.db") for name in ("threads", "processes", "cluster"))
    assert [replace(one, created=first.created) for one in others] == [first, first]
    assert first.method.partition(" ")[0] == method


def test_a_fresh_tuning_leaves_the_old_one_in_the_store(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    run(path, plan())
    run(path, plan(), fresh=True)
    with Store(path) as store:
        old, new = tunings(store)
    assert old.identity != new.identity
    assert (len(old.trials), len(new.trials)) == (8, 8)
    assert (old.template, old.closed is None) == (new.template, False)


def tried(number: int, wins: int, kind: Any = "trial") -> Tried:
    return Tried(kind, number, 0, {"s": "rave", "n": str(number)}, number, Score(wins, 0, 4 - wins), "")


def test_other_results_than_the_store_has_set_its_tuning_aside(tmp_path: Path) -> None:
    facts = plan()._facts("cem")
    with Store(tmp_path / "s.db") as store:
        diary = Diary(store, facts, fresh=False)
        for each in (tried(0, 1), tried(1, 2), tried(2, 3), tried(3, 4, "verification")):
            diary.enter(each)
        # A player was edited: the second trial ends otherwise.
        again = Diary(store, facts, fresh=False)
        assert again.identity == diary.identity
        for each in (tried(0, 1), tried(1, 4)):
            again.enter(each)
        old, new = tunings(store)
        assert new.identity == diary.identity
        assert [trial.score.wins for trial in old.trials] == [1, 2, 3]
        assert [trial.score.wins for trial in new.trials] == [1, 4]
        assert (len(old.verifications), len(new.verifications)) == (1, 0)


def test_scores_come_back_as_they_were() -> None:
    score = Score.of([(0, 1.0), (1, 0.5), (2, 0.0), (4, 1.0)])
    one = Tried("verification", 8, 2, {"x": "a, b"}, 7, score, "abc")
    again = Tried.of(one.plain())
    assert again == one
    assert again.score.by_side == score.by_side
    assert one.index == 4 * MOST_TRIALS + 8
    bare = Tried("trial", 3, 0, {}, 7, Score(1, 0, 1), "")
    assert (Tried.of(bare.plain()), bare.index) == (bare, 3)


def test_names_that_are_no_tuning_are_refused(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        with pytest.raises(ValueError, match=r"the store '.*s.db' has no tuning abc: none"):
            find_tuning(store, "abc")
        for seed in range(20):
            Diary(store, plan(seed=seed)._facts("cem"), fresh=False)
        names = [one.identity for one in tunings(store)]
        assert len(names) == 20
        twice = next(name[0] for name in names if sum(other[0] == name[0] for other in names) > 1)
        with pytest.raises(ValueError, match=f"has several tunings that begin with {twice}: {twice}"):
            find_tuning(store, twice)
        with pytest.raises(ValueError, match=f"has no tuning xyz: {names[0][:8]}, "):
            find_tuning(store, "xyz")
