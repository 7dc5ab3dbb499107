"""Lines of results: pieces add up to the whole, nothing is mixed, and what is stale stays history."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from fake_workers import GAME, RANDOM, STRONG, WEAK, FakeWorkers, pretend
from hypothesis import given, settings
from hypothesis import strategies as st

from coppice import _core
from coppice.core.spelling import SPELLING
from coppice.lab.match import Match
from coppice.lab.replay import fingerprint_indices
from coppice.lab.store import Store
from coppice.lab.workers import Threads, Workers
from coppice.papers.experiment import Experiment, MatchRow, Row, SearchRow, percent
from coppice.papers.folder import Folder, verify
from coppice.papers.jobs import Job, jobs_of
from coppice.papers.queue import Queue
from coppice.papers.result_lines import ResultLine, merge, merge_lines, read_lines, write_lines
from coppice.papers.results import declared_length, evidence_of, judge, lengths
from coppice.papers.runner import collect, run

ROOT = Path(__file__).parent.parent.parent
FACTS = {"kind": "match", "game": "tic_tac_toe", "a": "mcts", "b": "random", "seed": 0}
PUBLISHED = percent(72, 100)
ROWS = (
    MatchRow(name="strong", game=GAME, a=STRONG, b=RANDOM, count=300, published=PUBLISHED),
    MatchRow(name="weak", game=GAME, a=WEAK, b=RANDOM, count=300),
    MatchRow(name="side", game=GAME, a=STRONG, b=WEAK, count=90, sides="second"),
)
SERIES = (
    SearchRow(name="move", game="tic_tac_toe", player="uct(simulations=9)", moves=("b2",), count=90),
    SearchRow(
        name="states",
        game="tic_tac_toe",
        player="uct(simulations=9)",
        measure="states",
        to_end=True,
        count=90,
    ),
)


def experiment(*rows: Row) -> Experiment:
    return Experiment(question="?", source="our own", rows=rows, name="toy", given="toy")


def line(results: Iterable[tuple[int, float]], **more: str) -> ResultLine:
    values = dict(results)
    prints = {index: f"{index:012x}" for index in fingerprint_indices(values)}
    used = {index: [[3, 30, 90], [2, 0, 0]] for index in prints}
    return ResultLine("toy", "one", FACTS, values, prints, used, created="2026-01-01", **more)  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.integers(0, 170), st.sampled_from([0.0, 0.5, 1.0]), min_size=1),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
def test_pieces_add_up_in_any_order(values: dict[int, float], count: int, rng: random.Random) -> None:
    whole = line(values.items())
    # Each result is in one of the pieces, and some are in several.
    pieces = [dict[int, float]() for _ in range(count)]
    for index, value in values.items():
        for piece in rng.sample(pieces, rng.randint(1, count)):
            piece[index] = value
    made = [line(piece.items()) for piece in pieces if piece]
    rng.shuffle(made)
    sum_of = made[0]
    for piece_line in made[1:]:
        sum_of = merge(sum_of, piece_line)
    assert sum_of.to_json() == whole.to_json()


def test_lines_come_back_from_a_file(tmp_path: Path) -> None:
    one = line([(0, 1.0), (3, 0.0), (41, 0.5)], version="1", machine="m")
    numbers = replace(one, row="two", values={0: 17, 2: [1.5, None, 2.0]}, used={})
    history = replace(one, stale="the code plays otherwise")
    path = tmp_path / "new" / "toy.jsonl"
    write_lines(path, [history, numbers, one], ["one", "two"])
    assert read_lines(path) == [one, history, numbers]
    assert json.loads(path.read_text().splitlines()[0])["games"] == {"0": "1..0", "40": ".="}
    assert [each.name for each in path.parent.iterdir()] == ["toy.jsonl"]
    assert read_lines(tmp_path / "none.jsonl") == []
    for text, why in (
        ("{}", "'facts'"),
        ("[", "Expecting value"),
        (
            one.to_json().replace(f'"spelling": {SPELLING}', '"spelling": 99'),
            "spelling 99 is of a later version",
        ),
        (one.to_json().replace('"games"', '"gamez"'), "neither games nor values"),
        (one.to_json().replace('"1..0"', '"1?.0"'), r"'\?'"),
    ):
        path.write_text(f"{one.to_json()}\n{text}\n")
        with pytest.raises(ValueError, match=f"toy.jsonl' line 2: not a line of results .*{why}"):
            read_lines(path)


def test_what_contradicts_itself_is_not_mixed() -> None:
    one = line([(0, 1.0), (1, 0.0)])
    with pytest.raises(ValueError, match="row 'one': number 1 came out otherwise in both"):
        merge(one, line([(1, 1.0)]))
    other_moves = replace(one, prints={**one.prints, 0: "f" * 12})
    with pytest.raises(ValueError, match="row 'one': number 0 came out otherwise"):
        merge(one, other_moves)
    with pytest.raises(ValueError, match="row 'one': lines of other facts do not add up"):
        merge(one, replace(one, facts={**FACTS, "seed": 1}))
    # Two lines of other facts stay two lines.
    assert len(merge_lines([one], [replace(one, facts={**FACTS, "seed": 1})])) == 2


def test_what_one_folder_calls_stale_is_stale_in_both() -> None:
    old, more = line([(0, 1.0)]), line([(0, 1.0), (2, 0.0)])
    stale = replace(old, stale="why")
    [merged] = merge_lines([more], [stale])
    assert (merged.stale, dict(merged.values)) == ("why", {0: 1.0, 2: 0.0})
    assert merge_lines([merged], [more]) == [merged]


def test_a_verdict_is_given_at_the_declared_lengths_only() -> None:
    row = ROWS[0]
    assert lengths(row) == [40, 200, 300]
    assert lengths(replace(row, count=90)) == [40, 90]
    assert lengths(replace(row, count=40)) == [40]
    counts = {40: None, 199: None, 200: 200, 299: 200, 300: 300, 350: 300}
    assert {count: declared_length(row, range(count)) for count in counts} == counts
    assert declared_length(replace(row, count=40), range(40)) == 40
    assert declared_length(row, set(range(250)) - {7}) is None
    assert declared_length(ROWS[2], range(1, 180, 2)) == 90

    def verdict(count: int) -> str:
        won = line((index, 1.0) for index in range(count))
        found = judge(experiment(row), {"strong": evidence_of(row, won)})
        return found[0].consistent_text()

    assert verdict(199) == "too few games (199 of 200)"
    assert verdict(200) == "no (p < 0.001)"
    assert verdict(250) == "no (p < 0.001, first 200)"


# Folders


def save(folder: Folder, of: Experiment, jobs: list[Job], store: Store) -> None:
    folder.save(of, [line for job in jobs if (line := job.line(store)) is not None])


def plain(folder: Folder, name: str = "toy") -> list[dict[str, object]]:
    """The lines without dates."""
    entries = [json.loads(text) for text in folder.file(name).read_text().splitlines()]
    return [{key: value for key, value in entry.items() if key != "created"} for entry in entries]


@pytest.mark.parametrize("rows", [ROWS, SERIES], ids=["matches", "series"])
def test_a_run_in_ten_pieces_is_the_run_in_one(rows: tuple[Row, ...], tmp_path: Path) -> None:
    of = experiment(*rows)
    workers: Workers = FakeWorkers() if rows is ROWS else Threads(2)
    whole, parts = Folder(tmp_path / "whole"), [Folder(tmp_path / "a"), Folder(tmp_path / "b")]
    with Store(tmp_path / "whole.db") as store:
        jobs = jobs_of(of, games=90)
        assert list(run(jobs, store, workers))
        save(whole, of, jobs, store)
    rng = random.Random(1)
    for piece in range(10):
        # Two machines by turns; each knows its own store and folder alone, and is stopped somewhere.
        folder, place = parts[piece % 2], tmp_path / f"{piece % 2}.db"
        with Store(place) as store:
            wanted = 90 if piece >= 8 else 10 * piece + rng.randint(2, 12)
            jobs = jobs_of(of, games=wanted, lines=folder.lines("toy"))
            for number, _ in enumerate(run(jobs, store, workers)):
                if piece < 8 and number > rng.randint(3, 9):
                    break
            save(folder, of, jobs, store)
        if piece == 5:
            place.unlink()
    merged = merge_lines(parts[0].lines("toy"), parts[1].lines("toy"))
    write_lines(parts[0].file("toy"), merged, [row.name for row in rows])
    assert plain(parts[0]) == plain(whole)


def test_what_the_folder_has_is_not_played_again(tmp_path: Path) -> None:
    of, folder = experiment(ROWS[0]), Folder(tmp_path / "results")
    with Store(tmp_path / "1.db") as store:
        jobs = jobs_of(of, games=50)
        assert list(run(jobs, store, FakeWorkers()))
        save(folder, of, jobs, store)
    workers = FakeWorkers()
    with Store(tmp_path / "2.db") as store:
        jobs = jobs_of(of, games=60, lines=folder.lines("toy"))
        assert (jobs[0].done(store), jobs[0].missing(store)) == (50, list(range(50, 60)))
        steps = list(run(jobs, store, workers))
        assert (steps[0].done, steps[-1].done) == (50, 60)
        assert sorted(workers.played) == list(range(50, 60))
        assert collect(of, jobs, store)["strong"].count == 60
        jobs = jobs_of(of, games=50, lines=folder.lines("toy"))
        assert [step.done for step in run(jobs, store, workers)] == [50]


def test_a_changed_constant_makes_exactly_that_players_rows_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, folder = experiment(*ROWS), Folder(tmp_path / "results")
    with Store(tmp_path / "1.db") as store:
        jobs = jobs_of(of, games=50)
        assert list(run(jobs, store, FakeWorkers()))
        save(folder, of, jobs, store)
    # The version of the whole has changed: that decides nothing.
    pretend(monkeypatch, tmp_path, "2")
    for changed, answers in (
        ({}, ["stands"] * 3),
        ({STRONG: 1}, ["stale", "stands", "stale"]),
        ({WEAK: 1}, ["stands", "stale", "stale"]),
    ):
        workers = FakeWorkers(constants=changed)
        lines = folder.lines("toy")
        jobs = jobs_of(of, games=1, lines=lines)
        found = [verify(job, each, workers) for job, each in zip(jobs, lines, strict=True)]
        assert found == answers
        assert sorted(workers.played) == sorted([0, 1, 2, 3, 0, 1, 2, 3, 1, 3, 5, 7])
    workers = FakeWorkers(constants={WEAK: 1})
    job = jobs_of(of, games=1, lines=lines)[1]
    assert verify(job, lines[1], workers, every_block=True) == "stale"
    assert sorted(workers.played) == [0, 1, 2, 3, 40, 41, 42, 43]


def test_a_search_is_verified_and_a_clock_is_not(tmp_path: Path) -> None:
    timed = MatchRow(name="timed", game="tic_tac_toe", a="uct(seconds=0.001)", b="random", count=2)
    of = experiment(SERIES[0], timed)
    with Store(tmp_path / "1.db") as store:
        jobs = jobs_of(of, games=2)
        assert list(run(jobs, store, Threads(1)))
        kept = [job.line(store) for job in jobs]
    found, clock = kept
    assert found is not None
    assert clock is not None
    assert verify(jobs[0], found, Threads(1)) == "stands"
    assert verify(jobs[0], replace(found, prints={**found.prints, 1: "0" * 12}), Threads(1)) == "stale"
    assert verify(jobs[0], replace(found, prints={}), Threads(1)) == "no fingerprint"
    assert verify(jobs[1], clock, Threads(1)) == "not replayable"
    # A line keeps the play version of its players, so that a change of one tells what to replay first.
    versions = [_core.play_version("tic_tac_toe", spec) for spec in (timed.a, timed.b)]
    assert clock.plays == "-".join(versions)
    assert versions[0] != versions[1]
    # What cannot be replayed says on what, under which load and at which rate it was made.
    assert re.fullmatch(r"\d+\.\d of \d+ processors", clock.load)
    assert (found.load, bool(clock.machine)) == ("", True)
    assert clock.used
    assert all(used[0][1] >= used[0][0] > 0 for used in clock.used.values())
    assert json.loads(clock.to_json())["load"] == clock.load


def test_the_queue_gives_every_row_forty_games_before_any_gets_more(tmp_path: Path) -> None:
    cheap = MatchRow(name="cheap", game="tic_tac_toe", a="random", b="random", count=210)
    dear = replace(cheap, name="dear", a="uct(simulations=200)")
    short = replace(cheap, name="short", count=30)
    of, folder = experiment(dear, cheap, short, SERIES[1]), Folder(tmp_path / "results")
    with Store(tmp_path / "q.db") as store:
        queue = Queue([of], folder, store, workers=Threads(1))
        assert list(queue.estimate())[-1] == (4, 4)
        steps = list(queue.run())
        order = list(dict.fromkeys((step.stage, step.row) for step in steps))
        assert {row for stage, row in order if stage == 0} == {"cheap", "dear", "short", "states"}
        assert {row for stage, row in order if stage == 1} == {"cheap", "dear", "states"}
        assert order.index((0, "cheap")) < order.index((0, "dear"))
        assert [stage for stage, _ in order] == sorted(stage for stage, _ in order)
        assert {(stage, row) for stage, row in order if stage == 2} == {(2, "cheap"), (2, "dear")}
        last = steps[-1]
        assert (last.rows_done, last.rows, last.games_done, last.games) == (4, 4, 540, 540)
        assert last.all_seconds == 0
    assert {each.row: len(each.values) for each in folder.lines("toy")} == {
        **{"dear": 210, "cheap": 210, "short": 30, "states": 90}
    }
    # Nothing is left; with another store, too.
    with Store(tmp_path / "q2.db") as store:
        queue = Queue([of], folder, store, workers=Threads(1))
        assert list(queue.estimate())
        assert list(queue.run()) == []


def test_the_queue_makes_history_of_what_is_stale_and_goes_on(tmp_path: Path) -> None:
    row = MatchRow(name="one", game="tic_tac_toe", a="uct(simulations=5)", b="random", count=50)
    of, folder = experiment(row), Folder(tmp_path / "results")
    with Store(tmp_path / "1.db") as store:
        jobs = jobs_of(of, games=40)
        assert list(run(jobs, store, Threads(1)))
        save(folder, of, jobs, store)
    [good] = folder.lines("toy")
    write_lines(folder.file("toy"), [replace(good, prints={**good.prints, 2: "0" * 12})])
    with Store(tmp_path / "2.db") as store:
        queue = Queue([of], folder, store, workers=Threads(1))
        assert list(queue.estimate())
        assert "the code plays otherwise" in [step.stale for step in queue.run()]
    today, history = folder.lines("toy")
    assert (today.stale, len(today.values)) == ("", 50)
    assert history.stale.endswith("the code plays otherwise")
    assert len(history.values) == 40
    assert {index: today.values[index] for index in range(40)} == dict(good.values)


def test_the_queue_ends_at_its_time_and_keeps_everything(tmp_path: Path) -> None:
    row = MatchRow(name="one", game="tic_tac_toe", a="uct(simulations=5)", b="random", count=5000)
    of, folder = experiment(row), Folder(tmp_path / "results")
    with Store(tmp_path / "1.db") as store:
        queue = Queue([of], folder, store, workers=Threads(1))
        assert list(queue.estimate())
        assert len(list(queue.run(until=0.0))) == 1
        [job] = jobs_of(of)
        kept = job.line(store)
        there = 0 if kept is None else len(kept.values)
    assert sum(len(each.values) for each in folder.lines("toy")) == there < 5000


# The first exports


def old_line(row: str, wins: int, losses: int, pairs: dict[str, int], a: str) -> str:
    none = {"ll": 0, "ld": 0, "wl": 0, "dd": 0, "wd": 0, "ww": 0}
    score = {"wins": wins, "draws": 0, "losses": losses, "pairs": {**none, **pairs}}
    facts = {"kind": "match", "game": "tic_tac_toe", "seed": 0, "a": a, "b": "random"}
    facts |= {"sides": "both", "openings": "none"}
    made = {"command": "", "version": "0", "play_version": "1", "machine": "m", "created": "2026"}
    entry = {"experiment": "toy", "row": row, "count": wins + losses, "score": score, "facts": facts, **made}
    return json.dumps(entry)


def test_an_export_without_fingerprints_is_history_until_it_is_made_anew(tmp_path: Path) -> None:
    player = "mcts(selection=uct(k=0.25, c=0.5), playout=uniform, simulations=5)"
    row = MatchRow(name="one", game="tic_tac_toe", a="uct(simulations=5)", b="random", count=50)
    of, folder = experiment(row), Folder(tmp_path)
    score = Match(GAME, row.a, row.b).play(20, store=None, workers=Threads(1)).score
    pairs = {"ll": score.pairs.ll, "wl": score.pairs.wl, "ww": score.pairs.ww, "ld": score.pairs.ld}
    pairs |= {"dd": score.pairs.dd, "wd": score.pairs.wd}
    right = json.loads(old_line("one", score.wins, score.losses, pairs, player))
    right["score"]["draws"], right["count"] = score.draws, 20
    for wins, expected in ((0, ["", "came out otherwise when it was made anew"]), (score.wins, [""])):
        right["score"]["wins"] = wins
        folder.file("toy").write_text(json.dumps(right) + "\n")
        [history] = folder.lines("toy")
        assert history.stale == "exported without fingerprints"
        with Store(tmp_path / f"{wins}.db") as store:
            assert collect(of, jobs_of(of, lines=folder.lines("toy")), store) == {}
            for games, stale in ((10, ["", "exported without fingerprints"]), (20, expected)):
                jobs = jobs_of(of, games=games, lines=folder.lines("toy"))
                assert list(run(jobs, store, Threads(1)))
                save(folder, of, jobs, store)
                assert [each.stale for each in folder.lines("toy")] == stale


def test_the_results_of_the_repository_are_read() -> None:
    folder = Folder(ROOT / "results")
    lines = [each for name in folder.names() for each in folder.lines(name)]
    assert len(lines) > 200
    for each in lines:
        # What is of today can be verified; the rest is marked.
        assert each.stale or each.prints or each.facts["kind"] == "speed", each.row
