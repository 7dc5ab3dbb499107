"""Running experiments: resuming, budgets, evidence, the comparison with a paper, and exports."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from fake_workers import GAME, STRONG, WEAK, FakeWorkers

from coppice.lab.match import Match
from coppice.lab.stats import Score, Sprt
from coppice.lab.store import Store, StoreError
from coppice.lab.workers import Threads, Workers
from coppice.papers.budgets import Budgets, measure_speeds
from coppice.papers.cost import Costs
from coppice.papers.evidence import Evidence, Mean, mean_of
from coppice.papers.experiment import (
    Clock,
    Experiment,
    Figure,
    MatchRow,
    PlayoutRow,
    Published,
    Row,
    SearchRow,
    SpeedRow,
    percent,
)
from coppice.papers.jobs import Job, games_of, jobs_of
from coppice.papers.result_lines import read_lines, write_lines
from coppice.papers.results import Line, evidence_of, judge
from coppice.papers.runner import collect, run
from coppice.show.figures import draw_experiment

TOY = MatchRow(name="toy", game=GAME, a=STRONG, b=WEAK, count=40, published=percent(72, 100))
MOVE = SearchRow(
    name="move", game="tic_tac_toe", player="uct(simulations=50)", moves=("b2",), count=10, to_end=True
)
STATES = SearchRow(
    name="states",
    game="tic_tac_toe",
    player="uct(simulations=50)",
    measure="states",
    count=10,
    to_end=True,
)
LENGTH = PlayoutRow(name="length", game="tic_tac_toe", player="uct(simulations=20)", count=3)
BRANCHING = PlayoutRow(name="branching", game="tic_tac_toe", player="random", measure="branching", count=4)


def experiment(*rows: Row) -> Experiment:
    return Experiment(question="Is it?", source="our own", rows=rows, name="toy", given="toy")


def done(jobs: list[Job], store: Store, workers: Workers | None = None) -> None:
    for _ in run(jobs, store, workers or Threads(2)):
        pass


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "s.db")


# How many games


def test_how_many_games_a_row_gets() -> None:
    assert games_of(TOY, None, 1.0) == 40
    assert games_of(TOY, 7, 0.1) == 7
    # A match is played in pairs, and there is always something to play.
    assert games_of(TOY, None, 0.12) == 6
    assert games_of(TOY, None, 0.001) == 2
    assert games_of(MOVE, None, 0.01) == 1


# Matches


def test_more_games_play_only_the_missing_ones(store: Store) -> None:
    workers = FakeWorkers()
    toys = experiment(TOY)
    done(jobs_of(toys, games=50), store, workers)
    assert sorted(workers.played) == list(range(50))
    workers.played.clear()
    steps = list(run(jobs_of(toys, games=600), store, workers))
    assert sorted(workers.played) == list(range(50, 600))
    assert (steps[0].done, steps[-1].done, steps[-1].wanted) == (50, 600, 600)
    found = collect(toys, jobs_of(toys, games=50), store)["toy"]
    assert found.count == 50


def test_a_fixed_side_plays_every_other_game(store: Store) -> None:
    workers = FakeWorkers()
    for sides, indices in (("first", range(0, 20, 2)), ("second", range(1, 20, 2))):
        one = MatchRow(name=sides, game=GAME, a=STRONG, b=WEAK, count=10, sides=sides)  # type: ignore[arg-type]
        workers.played.clear()
        jobs = jobs_of(experiment(one))
        done(jobs, store, workers)
        assert sorted(workers.played) == list(indices)
        assert jobs[0].done(store) == 10
        score = collect(experiment(one), jobs, store)[sides].score
        assert score is not None
        assert (score.games, score.pairs.count) == (10, 0)
    match = Match(GAME, STRONG, WEAK)
    with pytest.raises(ValueError, match="a sequential test needs games with both sides, not sides=first"):
        match.run(4, sides="first", sprt=Sprt())
    with pytest.raises(ValueError, match="sides 'third' are not allowed: both, first, second"):
        match.run(4, sides="third")  # type: ignore[arg-type]


def test_a_row_can_count_the_wins_of_the_first_side(store: Store) -> None:
    first = replace(TOY, name="first side", rate_of="first side", published=Published())
    rows = experiment(TOY, first)
    jobs = jobs_of(rows)
    done(jobs, store, FakeWorkers())
    # Both rows read the same games.
    assert jobs[0].work.identity == jobs[1].work.identity
    found = collect(rows, jobs, store)
    mine, theirs = found["toy"].score, found["first side"].score
    assert mine is not None
    assert theirs is not None
    assert mine.first is not None
    assert mine.second is not None
    assert mine.first.games == mine.second.games == 20
    assert theirs.points == mine.first.points + mine.second.games - mine.second.points
    steps = list(run(jobs, store, FakeWorkers()))
    assert steps[-1].value == theirs.rate


# Series


def test_a_series_is_resumable_and_depends_on_the_index_alone(store: Store, tmp_path: Path) -> None:
    both = experiment(MOVE, STATES, LENGTH, BRANCHING)
    done(jobs_of(both, games=3), store)
    done(jobs_of(both, games=6), store)
    with Store(tmp_path / "whole.db") as whole:
        done(jobs_of(both, games=6), whole)
        jobs = jobs_of(both, games=6)
        for job in jobs:
            assert store.results(job.work.identity) == whole.results(job.work.identity)
    # The frequency of a move and the states visited are read from the same runs.
    assert jobs[0].work.identity == jobs[1].work.identity
    found = collect(both, jobs, store)
    assert {name: one.count for name, one in found.items()} == dict.fromkeys(
        ("move", "states", "length", "branching"), 6
    )
    assert found["branching"].curve[0] == (0, Mean(6, 9.0, 0.0))
    assert found["branching"].curve[1] == (1, Mean(6, 8.0, 0.0))
    # A playout from the empty board has five to nine moves, one of which the tree has made.
    assert 3 < found["length"].curve[0][1].mean < 9


def test_a_reference_gives_the_moves_by_which_its_playouts_are_longer(store: Store) -> None:
    same = replace(LENGTH, name="same", reference=LENGTH.player)
    # A player that always wins at once if it can has shorter playouts.
    shorter = replace(
        LENGTH,
        name="shorter",
        player="uct(playout=minimax(depth=1), simulations=20)",
        reference=LENGTH.player,
    )
    rows = experiment(LENGTH, same, shorter)
    jobs = jobs_of(rows)
    done(jobs, store)
    found = collect(rows, jobs, store)
    assert len({job.work.identity for job in jobs}) == 3
    assert {mean.mean for _, mean in found["same"].curve} == {0.0}
    assert found["shorter"].curve[0][1].mean > 0


def test_the_branching_of_a_pattern_counts_groups_once(store: Store) -> None:
    one = PlayoutRow(
        name="columns",
        game="tic_tac_toe",
        player="random",
        measure="branching",
        pattern=r"^([a-c])",
        count=2,
    )
    jobs = jobs_of(experiment(one))
    done(jobs, store)
    assert collect(experiment(one), jobs, store)["columns"].curve[0][1].mean == 3


def test_the_size_of_a_tree_is_the_product_of_the_numbers_of_moves(store: Store) -> None:
    size = replace(BRANCHING, name="size", measure="tree_size")
    rows = experiment(BRANCHING, size)
    jobs = jobs_of(rows)
    # Both are read from the same games.
    assert jobs[0].work.identity == jobs[1].work.identity
    done(jobs, store)
    found = collect(rows, jobs, store)["size"]
    assert found.mean is not None
    games = [len(one["curve"]) for one in store.results(jobs[0].work.identity).values()]
    each = [math.log10(math.factorial(9) // math.factorial(9 - length)) for length in games]
    assert found.mean.mean == pytest.approx(sum(each) / len(each))


def test_a_win_is_that_of_the_side_to_move(store: Store) -> None:
    # O completes a column at once; X would with its next move.
    position = "o.x/o.x/.x. second"
    won = SearchRow(
        name="won",
        game="tic_tac_toe",
        player="nested(level=1, discount=true)",
        position=position,
        measure="win",
        to_end=True,
        count=3,
    )
    states = replace(won, name="states", measure="states")
    rows = experiment(won, states)
    jobs = jobs_of(rows)
    done(jobs, store)
    found = collect(rows, jobs, store)
    assert found["won"].score == Score(wins=3)
    # Runs that did not ask who wins say nothing of it.
    assert jobs[0].work.identity != jobs[1].work.identity


def test_kept_cells_are_a_share_and_a_board(store: Store, tmp_path: Path) -> None:
    one = SearchRow(
        name="kept", game="havannah(size=3)", player="ppr(simulations=200)", measure="kept", count=2
    )
    all_pruned = replace(one, name="pruned", player="ppr(playout=ppr(tw=1), simulations=200)")
    rows = experiment(one, all_pruned)
    jobs = jobs_of(rows)
    done(jobs, store)
    found = collect(rows, jobs, store)
    assert found["kept"].value == pytest.approx(sum(dict(found["kept"].cells).values()) / 19)
    assert 0 < (found["kept"].value or 0) <= 1
    assert (found["pruned"].value, found["pruned"].cells) == (0.0, ())
    write_lines(tmp_path / "toy.jsonl", [line for job in jobs if (line := job.line(store)) is not None])
    again = evidence_of(one, read_lines(tmp_path / "toy.jsonl")[0])
    assert (again.cells, again.value) == (found["kept"].cells, found["kept"].value)
    drawing = draw_experiment(Figure(x="cell", on_board=True), judge(rows, found))
    assert drawing is not None
    assert [axis.get_title() for axis in drawing.axes] == ["kept"]
    assert draw_experiment(Figure(x="cell", on_board=True), judge(rows, {})) is None
    other = experiment(replace(one, player="uct(simulations=20)"))
    with pytest.raises(ValueError, match="keeps no list of cells: that is what ppr does"):
        done(jobs_of(other), store)


def test_a_row_of_an_inspector_who_knows_jack_can_be_timed_and_run(store: Store) -> None:
    # Nobody may look at such a search outside a match; what its time stands for is known all the same.
    told = "jack_v3(detective=informed, {budget})"
    one = MatchRow(
        name="told",
        game="mr_jack",
        a=told,
        b="jack_v1(detective=informed, {budget})",
        clock=Clock(seconds=1, simulations=5, reference=told),
        count=2,
    )
    rows = experiment(one)
    jobs = jobs_of(rows, measure_speeds(rows.rows, Budgets()))
    assert Costs(store).of(jobs[0]).seconds > 0
    done(jobs, store)
    assert collect(rows, jobs, store)["told"].count == 2


def test_a_speed_is_a_ratio_and_not_tested(store: Store) -> None:
    one = SpeedRow(
        name="speed",
        game="tic_tac_toe",
        player="uct(simulations=200)",
        reference="uct(simulations=200)",
        count=2,
        published=Published(1.0),
    )
    jobs = jobs_of(experiment(one))
    done(jobs, store)
    evidence = collect(experiment(one), jobs, store)
    assert 0.2 < (evidence["speed"].value or 0) < 5
    assert judge(experiment(one), evidence)[0].consistent_text() == ""


def test_a_search_to_the_end_visits_more_states(store: Store) -> None:
    short = SearchRow(name="s", game="tic_tac_toe", player="uct(simulations=50)", measure="states", count=3)
    rows = experiment(short, STATES)
    jobs = jobs_of(rows, games=3)
    done(jobs, store)
    found = collect(rows, jobs, store)
    assert (found["states"].value or 0) > 2 * (found["s"].value or math.inf)


# Costs


def test_costs_are_measured_and_shrink_with_what_is_done(store: Store) -> None:
    row = MatchRow(
        name="m", game="havannah(size=3)", a="uct(simulations=2000)", b="uct(simulations=10)", count=4
    )
    [job] = jobs_of(experiment(row))
    before = Costs(store).of(job)
    assert before.missing == 4
    assert before.seconds_each > 0
    done(jobs_of(experiment(row), games=2), store)
    assert Costs(store).of(job).missing == 2
    assert Costs(store).of(job).seconds_each == store.mean_seconds(job.work.identity)
    done([job], store)
    assert Costs(store).of(job).seconds == 0
    series = jobs_of(experiment(MOVE, LENGTH))
    assert Costs(store).total(series) > 0


# Paper and ours


def at_length(found: Evidence) -> Evidence:
    """As if so many games had been declared."""
    return replace(found, at_length=found)


def evidence(wins: int, losses: int) -> Evidence:
    return at_length(Evidence(wins + losses, score=Score(wins=wins, losses=losses)))


def published_row(name: str, value: float | None, games: int | None = 500) -> MatchRow:
    return MatchRow(name=name, game=GAME, a=STRONG, b=WEAK, count=100, published=percent(value, games))


def test_consistency_is_corrected_for_the_number_of_rows() -> None:
    rows = experiment(
        *(published_row(name, value) for name, value in zip("abcd", (50, 50, None, 50), strict=True))
    )
    lines = judge(rows, {"a": evidence(120, 80), "b": evidence(100, 100), "c": evidence(100, 100)})
    # 120 of 200 against a published 250 of 500: p = 0.017 alone.
    [alone] = judge(experiment(published_row("a", 50)), {"a": evidence(120, 80)})
    assert alone.p_value is not None
    assert alone.p_value == pytest.approx(0.017, abs=2e-3)
    assert lines[0].p_value == pytest.approx(2 * alone.p_value)
    assert [line.consistent for line in lines] == ["no", "yes", None, None]
    more = judge(rows, {name: evidence(120, 80) if name == "a" else evidence(100, 100) for name in "abd"})
    assert more[0].consistent == "yes"
    assert more[0].p_value == pytest.approx(3 * alone.p_value)
    assert lines[0].our_text() == "60.0 [53.1, 66.5]"
    assert lines[0].paper_text() == "50.00"
    assert lines[3].our_text() == ""
    assert judge(rows, {"a": evidence(200, 0)})[0].consistent_text() == "no (p < 0.001)"
    assert lines[1].consistent_text() == "yes (p = 1.000)"


def test_two_games_are_too_few_for_a_yes_and_ten_for_a_no() -> None:
    rows = experiment(published_row("a", 50), published_row("b", 85), published_row("c", 50))
    lines = judge(rows, {"a": evidence(1, 1), "b": evidence(0, 10), "c": evidence(120, 80)})
    assert [line.consistent for line in lines] == ["too few games", "too few games", "no"]
    assert [line.consistent_text() for line in lines[:2]] == [
        "too few games (2 of 194)",
        "too few games (10 of 124)",
    ]
    # Rows without an answer are no tests: they do not make the others weaker.
    [alone] = judge(experiment(published_row("c", 50)), {"c": evidence(120, 80)})
    assert (lines[0].p_value, lines[1].p_value, lines[2].p_value) == (None, None, alone.p_value)


def test_numbers_that_are_no_rates_are_compared_by_their_means() -> None:
    row = SearchRow(
        name="s", game=GAME, player=WEAK, measure="states", count=9, published=Published(100.0, error=1.96)
    )

    def line(mean: float, deviation: float, count: int = 100) -> Line:
        return judge(experiment(row), {"s": at_length(Evidence(count, mean=Mean(count, mean, deviation)))})[0]

    assert line(100.0, 10.0).p_value == 1.0
    # Standard errors 1 and 1, difference 2: t = sqrt(2) with 396 degrees of freedom.
    assert line(102.0, 10.0).p_value == pytest.approx(0.158, abs=1e-3)
    assert line(102.0, 0.0).p_value == pytest.approx(0.0455, abs=1e-3)
    assert line(102.0, 10.0, 7).consistent_text() == "too few games (7 of 9)"
    assert line(102.0, 0.0, 1).consistent_text() == "too few games (1 of 9)"


def test_intervals_of_means() -> None:
    assert mean_of([]) is None
    one = mean_of([3.0])
    assert one is not None
    assert one.interval().width == math.inf
    # The table value of Student's law for 9 degrees of freedom is 2.262.
    assert Mean(10, 0.0, math.sqrt(10)).interval().high == pytest.approx(2.262, abs=2e-3)
    assert Mean(2, 0.0, math.sqrt(2)).interval().high == pytest.approx(12.706, abs=1e-3)


# What goes wrong


PROGRAM = """
import sys
from coppice.lab.store import Store
from coppice.lab.workers import Threads
from coppice.papers.jobs import jobs_of
from coppice.papers.runner import run
sys.path[:0] = {tests!r}
from test_runner import STATES, experiment
with Store({path!r}) as store:
    for step in run(jobs_of(experiment(STATES), games=100000), store, Threads(2)):
        print(step.done, flush=True)
"""


def test_kill_9_of_the_coordinator_loses_no_committed_result(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    here = Path(__file__).parent
    text = PROGRAM.format(tests=[str(here), str(here.parent / "helpers")], path=str(path))
    process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = next(done for done in map(int, process.stdout) if done > 0)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    rows = experiment(STATES)
    with Store(path) as store, Store(tmp_path / "whole.db") as whole:
        [job] = jobs_of(rows, games=100000)
        kept = store.results(job.work.identity)
        assert len(kept) >= told > 0
        done(jobs_of(rows, games=20), whole)
        for index, value in whole.results(job.work.identity).items():
            assert kept.get(index, value) == value


def test_a_full_disk_stops_with_a_clear_message_and_keeps_what_was_written(store: Store) -> None:
    done(jobs_of(experiment(MOVE), games=3), store)
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match=r"cannot write to store .*: the disk is full"):
        done(jobs_of(experiment(MOVE), games=3000), store)
    [job] = jobs_of(experiment(MOVE))
    assert len(store.results(job.work.identity)) >= 3


def test_a_store_of_the_first_version_gets_series(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with Store(path) as old:
        old._connection.execute("PRAGMA foreign_keys = OFF")
        old._connection.execute("DROP TABLE places")
        old._connection.execute("DROP TABLE results")
        old._connection.execute("DROP TABLE series")
        for column in ("fingerprint", "set_aside", "contents"):
            old._connection.execute(f"ALTER TABLE matches DROP COLUMN {column}")
        for column in ("used_a", "used_b", "place"):
            old._connection.execute(f"ALTER TABLE games DROP COLUMN {column}")
        old._connection.execute("PRAGMA user_version = 1")
    with Store(path, read_only=True) as old:
        assert old.series() == []
        assert old.results("ab") == {}
    with Store(path) as new:
        done(jobs_of(experiment(MOVE), games=2), new)
        assert [series.kind for series in new.series()] == ["search", "builds"]
        with pytest.raises(StoreError, match="has no series ab"):
            new.add_results("ab", {0: {}})
