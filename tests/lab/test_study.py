"""Studies: planned, played look by look, resumed, ended early, told in tables and in words."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas
import pytest
from error_rates import FAMILIES, HELD, SIZES, TRIALS, agrees, coverage, margin, report, wrong

import coppice
from coppice import Study
from coppice.lab.sequential import bounds, distance
from coppice.lab.stats import Pairs, Score, holm
from coppice.lab.store import GameRecord, Store
from coppice.lab.study_file import find_study, study_of
from coppice.lab.study_result import Plan, StudyRecord, StudyResult, settled
from coppice.lab.workers import Processes, Threads

TOE, HAVANNAH = "tic_tac_toe", "havannah(size=3)"


def small(**changes: object) -> Study:
    told: dict[str, object] = {
        "question": "Is it better?",
        "baseline": "uct",
        "changes": {"rave": "rave", "little": "uct(selection=uct(k=0.01))"},
        "games": [TOE, HAVANNAH],
        "budgets": ("simulations=4", "simulations=8"),
        "most": 16,
        "looks": 2,
        "seed": 5,
    }
    return Study(**(told | changes))  # type: ignore[arg-type]


def fill(study: Study, store: Store, wins: Sequence[float], games: int) -> None:
    """Enter games that nobody has played: row k wins this part of its pairs, and loses the others."""
    for cell, part in zip(study.cells, wins, strict=True):
        store.register(cell.match.row)
        records = []
        for pair in range(games // 2):
            won = math.floor((pair + 1) * part + 1e-9) > math.floor(pair * part + 1e-9)
            for index in (2 * pair, 2 * pair + 1):
                who = "a" if index % 2 == 0 else "b"
                winner = "first" if won == (who == "a") else "second"
                records.append(GameRecord(index, who, winner, float(won), "line", "", 5, 0.01))  # type: ignore[arg-type]
        store.add(cell.match.identity, records)


# The declaration


def test_a_row_is_a_change_in_a_game_at_a_budget() -> None:
    study = small()
    names = [(cell.change, cell.game, cell.budget) for cell in study.cells]
    assert names == list(itertools.product(study.changes, (TOE, HAVANNAH), study.budgets))
    last = study.cells[-1].match
    assert last.a == coppice.Match(HAVANNAH, "uct(selection=uct(k=0.01), simulations=8)", "random").a
    assert (last.b, last.seed) == (coppice.Match(HAVANNAH, "uct(simulations=8)", "random").a, 5)


def test_a_budget_stands_where_a_spec_wants_it_and_games_have_names() -> None:
    study = small(
        baseline="uct({budget})",
        changes={"more": "rave({budget})"},
        games={"Toe": TOE},
        budgets=["states=40"],
    )
    [cell] = study.cells
    assert cell.name == "more, Toe, states=40"
    assert cell.match == coppice.Match(TOE, "rave(states=40)", "uct(states=40)", seed=5)
    [plain] = small(changes={"rave": "rave(simulations=3)"}, games=[TOE], budgets=()).cells
    assert (plain.budget, plain.match.b) == ("", coppice.Match(TOE, "uct", "random").a)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"changes": {}}, "a study needs at least one change"),
        ({"games": []}, "a study needs at least one game"),
        ({"smallest": 0.5}, "smallest is 0.5: it must lie between 0 and 0.5"),
        ({"power": 1.0}, "power is 1.0: it must lie between 0 and 1"),
        ({"alpha": 0.0}, "alpha is 0.0: it must lie between 0 and 1"),
        ({"looks": 0}, "looks is 0: it must lie between 1 and 20"),
        ({"most": 3}, "3 games are not a pair for each of 2 looks"),
        ({"spending": "all"}, "unknown spending 'all': allowed are obrien_fleming, pocock"),
        ({"pooling": "none"}, "unknown pooling 'none': allowed are random, fixed"),
        ({"budgets": ["size=3"]}, "'size=3' is no budget: allowed are simulations, states, seconds, "),
        ({"budgets": [], "baseline": "uct({budget})"}, "'uct({budget})' has {budget}, and the study no "),
        ({"changes": {"same": "uct"}}, "change 'same' is the baseline itself in tic_tac_toe"),
        (
            {"changes": {"one": "rave", "two": "rave"}},
            "'one, tic_tac_toe, simulations=4' and 'two, tic_tac_toe, simulations=4' are the same match",
        ),
        ({"changes": {"x": "nobody"}}, "unknown player 'nobody'"),
    ],
)
def test_a_bad_declaration_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        small(**changes)


def test_the_plan_follows_from_the_smallest_effect() -> None:
    study = small(most=None, smallest=0.05, looks=1, changes={"rave": "rave"}, games=[TOE], budgets=())
    # (1.960 + 0.842)^2 / 4 / 0.05^2 = 784.9, and 40 since the test is exact.
    assert study.plan.looks == (826,)
    assert study.plan.level == 0.05
    assert study.plan.detectable == pytest.approx(0.05, rel=2e-3)
    eight = small(most=None, smallest=0.05, looks=4)
    assert eight.plan.level == 0.05 / 8
    assert eight.plan.looks[:3] == tuple(2 * math.ceil(eight.plan.games * at / 8) for at in (1, 2, 3))
    # (2.734 + 0.842)^2 / 4 / 0.05^2 = 1278.8 and 40, and a little for looking.
    assert 1320 <= eight.plan.games <= 1360
    fixed = small(most=100, looks=4)
    assert fixed.plan.looks == (26, 50, 76, 100)
    assert fixed.plan.detectable > 0.15


# Looks


def scores(*ends: tuple[int, int]) -> list[Score]:
    return [Score.of_pairs(Pairs(ll=ll, ww=ww)) for ll, ww in ends]


def plan_of(looks: tuple[int, ...], rows: int, alpha: float = 0.05) -> Plan:
    times = tuple(look / looks[-1] for look in looks)
    return Plan(looks, alpha / rows, bounds(alpha / rows, times), bounds(alpha, times), 0.1)


def test_a_row_ends_when_holm_rejects_it_and_helps_the_others() -> None:
    plan = plan_of((80, 160), 2)
    strong, other = scores((2, 38), (4, 76)), scores((15, 25), (27, 53))
    alone = settled([other, scores((20, 20), (40, 40))], plan, 0.05, "obrien_fleming")
    assert [row[3] for row in alone] == [True, False]
    first, second = settled([strong, other], plan, 0.05, "obrien_fleming")
    assert (first[0], first[3]) == (1, True)
    assert (second[0], second[3]) == (2, True)
    # The adjusted value of the second is its own: the first is rejected already.
    assert second[2] == second[1]
    assert alone[0][2] == pytest.approx(2 * alone[0][1])


def test_games_after_the_end_of_a_row_do_not_count() -> None:
    plan = plan_of((80, 160), 1)
    assert settled([scores((0, 40), (40, 40))], plan, 0.05, "obrien_fleming")[0][::3] == (1, True)
    assert settled([scores((0, 40))], plan, 0.05, "obrien_fleming")[0][::3] == (1, True)
    assert settled([[]], plan, 0.05, "obrien_fleming") == [(0, 1.0, 1.0, False)]


def test_what_is_rejected_by_sequential_values_is_what_the_boundaries_reject() -> None:
    # Of families under the null some is rejected exactly if some row crosses a boundary of the first step.
    rng = np.random.default_rng(4)
    plan = plan_of((12, 24, 36), 6, alpha=0.3)
    wrong_ones = 0
    for _ in range(60):
        drawn = rng.multinomial(6, [0.25, 0, 0.5, 0, 0, 0.25], size=(6, 3)).cumsum(axis=1)
        rows = [[Score.of_pairs(Pairs(*map(int, ends))) for ends in row] for row in drawn]
        crossed = any(
            abs(distance(score)) >= bound
            for row in rows
            for score, bound in zip(row, plan.first_bounds, strict=True)
        )
        assert crossed == any(ended for *_, ended in settled(rows, plan, 0.3, "obrien_fleming"))
        wrong_ones += crossed
    assert 2 <= wrong_ones <= 30


# Playing


def test_a_study_is_played_look_by_look_and_resumes(tmp_path: Path) -> None:
    study, path = small(), tmp_path / "s.db"
    with Store(path) as store:
        steps = study.run(store, threads=2)
        seen = [next(steps) for _ in range(12)]
        steps.close()
        assert {step.look for step in seen} == {1}
        begun = sum(match.games for match in store.matches())
        partial = study.result(store)
        assert not partial.done
        assert "not finished" in partial.methods()
        looks = [step.look for step in study.run(store, threads=2)]
        assert looks == sorted(looks)
        assert set(looks) == {1, 2}
        result = study.result(store)
        assert result.done
        assert [line.finished for line in result.lines] == [16] * 8
        assert 0 < begun < 8 * 16
        # Nothing is played again.
        again = list(study.run(store))
        assert all(step.match.resumed == step.match.games for step in again)
    elsewhere = study.play(tmp_path / "two.db", workers=Processes(1))
    for one, two in zip(result.lines, elsewhere.lines, strict=True):
        assert (one.score, one.p, one.verdict) == (two.score, two.p, two.verdict)
    assert study.result(path) == result
    with pytest.raises(coppice.StoreError, match="there is no such file"):
        study.result(tmp_path / "none.db")
    anew = study.play(path, threads=1, fresh=True)
    assert anew.lines == result.lines
    with Store(path) as store:
        assert sum(bool(match.set_aside) for match in store.matches()) == 8


def test_a_row_that_has_ended_is_played_no_further(tmp_path: Path) -> None:
    study = small(changes={"rave": "rave(simulations=60)"}, baseline="random", budgets=(), most=80, looks=4)
    result = study.play(tmp_path / "s.db", workers=Threads(2))
    [toe, havannah] = result.lines
    assert havannah.early
    assert havannah.finished == havannah.score.games == study.plan.looks[havannah.looks - 1] < 80
    assert havannah.verdict == "better"
    assert havannah.interval.low > 0.5
    assert havannah.p_adjusted <= 0.05
    with Store(tmp_path / "s.db") as store:
        costs = {cost.cell.game: cost for cost in study.cost(store)}
    assert costs[HAVANNAH].missing == 0
    assert costs[TOE].missing == (0 if toe.stopped else 80 - toe.finished)


def test_a_cost_is_measured_before_the_first_game_and_known_after_it(tmp_path: Path) -> None:
    study = small(games=[TOE], budgets=("simulations=30",))
    with Store(tmp_path / "s.db") as store:
        before = list(study.cost(store))
        assert [cost.missing for cost in before] == [16, 16]
        assert all(0 < cost.seconds_each < 5 for cost in before)
        assert store.matches() == []
        next_one = study.run(store)
        for _ in range(3):
            next(next_one)
        next_one.close()
        done = study.cells[0].match
        after = next(study.cost(store))
        assert after.seconds_each == store.mean_seconds(done.identity)
        assert after.seconds == after.missing * after.seconds_each


def test_a_rule_that_is_changed_after_the_first_games_is_told(tmp_path: Path) -> None:
    study, path = small(), tmp_path / "s.db"
    with Store(path) as store:
        for changed in (replace(study, looks=4), study):
            # Before the first game a declaration may change.
            assert next(changed.run(store)).match.finished == 0
            store.forget(store.matches()[0].identity)
        study.play(store)
        assert study.result(store).declared_otherwise == ""
        later = replace(study, alpha=0.2).result(store)
        assert later.declared_otherwise[:5] == "on 20"
        assert later.declared_otherwise.endswith(" these rows were declared with alpha 0.05, now 0.2")
        assert "The error rate is not what it says: on 20" in later.methods()


# Results


@pytest.fixture
def told(tmp_path: Path) -> StudyResult:
    """A study of two changes in three games, one of which has not begun."""
    study = small(games=[TOE, HAVANNAH, "hex(size=3)"], budgets=("simulations=5",), most=200, looks=2)
    with Store(tmp_path / "s.db") as store:
        fill(study, store, [0.9, 0.7, 0.0, 0.5, 0.45, 0.0], 200)
        for cell in (study.cells[2], study.cells[5]):
            store.forget(cell.match.identity)
        return study.result(store)


def test_effects_are_rows_and_pooled_ones(told: StudyResult) -> None:
    found = [(row.change, row.game, row.games, row.verdict, row.pooled) for row in told.effects]
    assert found == [
        ("rave", TOE, 100, "better", False),
        ("rave", HAVANNAH, 200, "better", False),
        ("rave", "all games", 300, "open", True),
        ("little", TOE, 200, "open", False),
        ("little", HAVANNAH, 200, "open", False),
        ("little", "all games", 400, "open", True),
    ]
    strong = told.effects[0]
    assert (strong.estimate, strong.p) == (0.9, told.lines[0].p)
    assert strong.low < 0.9 < strong.high
    assert told.pools[0].pooled.tau > 0.05
    values = holm([one.pooled.p for one in told.pools])
    assert [one.p_adjusted for one in told.pools] == values


def test_a_row_that_was_not_begun_is_open_and_in_no_figure(told: StudyResult) -> None:
    empty = told.lines[2]
    assert (empty.score.games, empty.looks, empty.p) == (0, 0, 1.0)
    assert (empty.verdict, empty.stopped) == ("open", False)
    assert (empty.interval.low, empty.interval.high) == (0.0, 1.0)


def test_the_frame_has_a_row_per_effect(told: StudyResult) -> None:
    frame = told.frame()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == 6 + 2
    assert list(frame["pooled"]) == [False] * 6 + [True] * 2
    assert frame["score_first"][0] == frame["score_second"][0] == 0.9
    assert list(told.frame(library="columns")) == [*StudyRecord.__slots__]
    assert told.records()[0].planned == 200
    assert told.records()[2].match == ""


def test_tables_have_no_empty_column(told: StudyResult, tmp_path: Path) -> None:
    header, *rows = told.text().splitlines()
    assert header.split("  ")[0] == "change"
    assert "budget" in header
    assert len(rows) == 8
    assert rows[0].endswith("1 of 2  better")
    assert re.search(r"rave +all games +simulations=5 +300 ", told.text())
    study = small(games=[TOE], budgets=(), changes={"rave & co": "rave(simulations=5)"}, looks=1)
    with Store(tmp_path / "t.db") as store:
        fill(study, store, [0.5], 16)
        plain = study.result(store)
    names = "change game games score (%) 95 % interval first second p verdict"
    assert plain.text().splitlines()[0].split() == names.split()
    markdown = plain.markdown().splitlines()
    assert [line.count("|") for line in markdown] == [10] * 3
    assert r"rave \& co & tic\_tac\_toe & 16 & 50.0" in plain.latex()
    assert plain.latex().count(r" \\") == 2
    assert r"\caption{Is it better?}" in plain.latex()
    assert "<td>rave &amp; co</td>" in plain._repr_html_()


def test_the_methods_have_every_number(told: StudyResult) -> None:
    study, text = told.study, told.methods()
    for words in (
        "Two changes of a player, rave (rave) and little (uct(selection=uct(k=0.01))), were each played"
        " against the baseline (uct) in tic_tac_toe, havannah(size=3) and hex(size=3), with simulations=5",
        "six rows, each a match of at most 200 games in pairs",
        "from the initial position, with the sides changed",
        "from the seed 5.",
        f"a score of {100 * (0.5 + study.plan.detectable):.1f} % is found with a power of 80 %",
        "two-sided level 0.0083333",
        "it is taken after 100 and 200 games",
        "O'Brien and Fleming's function (Lan and DeMets)",
        f"the boundaries are {study.plan.first_bounds[0]:.3f} and {study.plan.first_bounds[1]:.3f} standard",
        "over the sequential p-values of all six rows rejected it at 0.05",
        f"the quantiles {study.plan.row_bounds[0]:.3f} and {study.plan.row_bounds[1]:.3f}",
        "700 of at most 1200 games were played and count; one row ended early. Two rows are not finished.",
        "random effects (DerSimonian and Laird",
        f"rave, simulations=5: {100 * told.pools[0].pooled.tau:.1f}",
        f"Played by Coppice {told.lines[0].stored.package_version}",  # type: ignore[union-attr]
    ):
        assert words in text, words
    alone = replace(study, looks=1, pooling="fixed", most=None, smallest=0.1, openings="random(plies=2)")
    single = StudyResult(alone, told.lines, told.pools).methods()
    for words in (
        "planned so that a score of 60 % is found with a power of 80 %",
        "Holm's method over all six rows keeps the error rate of the study at 0.05",
        "at the level 95 %",
        "from openings random(plies=2)",
        "fixed effects (weights by the inverse of the variance)",
    ):
        assert words in single, words
    assert "standard deviation between games" not in single


def test_methods_tell_the_code_and_the_load_of_what_depends_on_it(tmp_path: Path, own_modules: None) -> None:
    policy = "from coppice.extend import Playout\nclass P(Playout):\n    def choose(self, turn, rng):\n"
    Path("p.py").write_text(f"{policy}        return turn.legal_moves()[0]\n")
    study = Study(
        baseline="uct",
        changes={"mine": 'mcts(playout=python("./p.py:P"))'},
        games=[TOE],
        budgets=["cpu_seconds=0.0001"],
        most=2,
        looks=1,
    )
    result = study.play(tmp_path / "s.db", threads=1)
    digest = study.cells[0].match.row.contents["p.py"]
    assert f"Code from elsewhere: p.py ({digest[:12]})." in result.methods()
    where = r"Players with a budget of time ran on .* at a load of [\d.]+ to [\d.]+\."
    assert re.search(where, result.methods())


# Files


TOML = """
question = "Does RAVE help?"
baseline = "uct"
games = ["tic_tac_toe"]
budgets = ["simulations=5"]
most = 8
looks = 2
smallest = 0.1

[changes]
rave = "rave"
"""


def test_a_study_is_declared_in_toml_or_in_python(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(TOML)
    (tmp_path / "two.py").write_text(
        "from coppice import Study\n"
        "STUDY = Study(question='Does RAVE help?', baseline='uct', most=8, looks=2,\n"
        "    games=['tic_tac_toe'], budgets=['simulations=5'], smallest=0.1, changes={'rave': 'rave'})\n"
    )
    one, two = (find_study(str(tmp_path / name)) for name in ("one.toml", "two.py"))
    assert (one.name, two.name) == ("one", "two")
    assert replace(one, name="") == replace(two, name="")
    assert one.cells == two.cells


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("s.txt", "", "is no study: a file ending in .toml or .py"),
        ("s.toml", "x = ", "study '.*s.toml': Invalid value"),
        ("s.toml", TOML.replace("most", "x"), "unknown entry 'x': allowed are baseline, changes, games"),
        ("s.toml", TOML.replace("most = 8", "most = true"), "most is True: it must be a whole number"),
        ("s.toml", TOML.replace('"rave"', "3"), "changes holds 3: it must be a text"),
        ("s.toml", TOML.replace("smallest = 0.1", "smallest = 'a'"), "smallest is 'a': it must be a number"),
        ("s.toml", TOML.replace('baseline = "uct"', ""), "a study needs an entry 'baseline'"),
        ("s.py", "STUDY = 3", "is no study: it must bind STUDY to a Study"),
        ("s.py", "\nx = 1 / 0", "study '.*s.py': line 2: division by zero"),
    ],
)
def test_a_file_that_is_no_study_is_one_line(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        find_study(str(tmp_path / name))
    with pytest.raises(ValueError, match="there is no study file"):
        find_study(str(tmp_path / "none.toml"))


def test_every_field_of_a_study_can_stand_in_a_file() -> None:
    told = {
        **{"baseline": "uct", "changes": {"r": "rave"}, "games": {"Toe": TOE}, "budgets": ["states=9"]},
        **{"question": "?", "smallest": 0.1, "power": 0.9, "alpha": 0.1, "looks": 3, "spending": "pocock"},
        **{"pooling": "fixed", "most": 60, "seed": 7, "openings": ["b2", "a1"]},
    }
    study = study_of(told, "n")
    assert {name: getattr(study, name) for name in ("power", "pooling", "seed")} == {
        **{"power": 0.9, "pooling": "fixed", "seed": 7},
    }
    assert study.cells[0].match.openings.lines == ("b2", "a1")


# Error rates


def test_the_simulation_counts_as_the_package_does() -> None:
    agrees()


@pytest.mark.parametrize("kind", ["independent", "copied", "draws, opposed"])
def test_few_studies_are_wrong(kind: str) -> None:
    for rows, looks, games in ((1, 4, 40), (12, 10, 200)):
        assert wrong(kind, rows, looks, games, "pocock", 400) <= 0.05 + margin(400)


def test_intervals_cover_what_they_say() -> None:
    for kind in ("single games", "independent", "opposed"):
        for games in (20, 100):
            found = coverage(kind, games)
            assert 0.93 <= sum(found) / len(found) <= 0.975, (kind, games)
            assert min(found) >= 0.92, (kind, games)


@pytest.mark.evidence
def test_error_rates_of_the_whole_grid() -> None:
    text, numbers = report()
    print(text)
    for kind in HELD:
        for games in SIZES:
            assert 0.93 <= numbers[f"coverage {kind} {games} mean"] <= 0.975, (kind, games)
            assert numbers[f"coverage {kind} {games} least"] >= 0.92, (kind, games)
    for name, value in numbers.items():
        if name.startswith("wrong"):
            assert value <= 0.05 + margin(FAMILIES), name
        elif name.startswith("held"):
            assert value >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / TRIALS), name
        elif name.startswith("pooled"):
            assert value <= 0.05 + margin(FAMILIES), name
        elif name.startswith("power"):
            assert value >= 0.8 - 0.012, name
