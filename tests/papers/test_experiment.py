"""Experiments as declarations: those of the package, those of a person, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from coppice import _core
from coppice.core.session import Game
from coppice.papers.experiment import (
    BUDGET,
    LITERAL,
    Clock,
    Experiment,
    MatchRow,
    PlayoutRow,
    Published,
    Reading,
    Row,
    SearchRow,
    SpeedRow,
    experiment_names,
    find_experiment,
    paper_table,
    percent,
    under,
)

PAPERS = {"PPR": "ppr", "Fossel": "fossel", "NMCS": "nmcs", "Mr Jack": "jack"}
QUOTED = {"jack_table1"}
"""Sizes of other games, quoted from another paper."""
BESIDE = {
    *("fossel_fig6", "fossel_fig6_2", "ppr_fig4", "nmcs_speed"),
    # The size of the tree (Equation 1) is among the branching of the game.
    "jack_branching",
    # Our own.
    "ppr_controls",
}
"""Experiments of figures, equations and claims whose numbers are not transcribed, and our own."""


def published_names() -> set[str]:
    """The experiments that the transcribed tables and figures ask for."""
    text = (resources.files("coppice") / "data" / "paper_tables.json").read_text(encoding="utf-8")
    names = set()
    for entry in json.loads(text)["tables"]:
        [paper] = [short for title, short in PAPERS.items() if entry["paper"].startswith(title)]
        kind, _, number = entry["table"].partition(" ")
        words = {"Table": f"table{number}", "Figure": f"fig{number}", "Text": "text", "Equation": "branching"}
        names.add(f"{paper}_{words[kind]}")
    return names


def row(**options: object) -> MatchRow:
    given = {"name": "one", "game": "havannah", "a": "uct", "b": "random", "count": 10, **options}
    return MatchRow(**given)  # type: ignore[arg-type]


def test_every_published_table_and_figure_is_an_experiment() -> None:
    assert published_names() - QUOTED | BESIDE == set(experiment_names())


def all_rows() -> Iterator[tuple[str, Row]]:
    for name in experiment_names():
        for one in find_experiment(name).rows:
            yield name, one


@pytest.mark.parametrize("name", experiment_names())
def test_every_row_can_be_run(name: str) -> None:
    experiment = find_experiment(name)
    assert experiment.question.endswith("?")
    assert experiment.name == experiment.given == name
    for one in experiment.rows:
        game = _core.canonical("game", one.game)
        for player in one.players():
            spec = player.replace(BUDGET, "simulations=10")
            _core.check_player(game, _core.canonical("player", spec))
        if isinstance(one, SearchRow):
            state = Game(game).state(one.position) if one.position else Game(game).start()
            assert set(one.moves) <= set(state.legal_moves), one.name


def test_published_numbers_are_those_of_the_tables() -> None:
    rows = find_experiment("ppr_table1").rows
    assert [one.reading for one in rows[30:]] == ["replies for all nodes", *["authors' program"] * 3]
    rows = rows[:30]
    assert [one.published.value for one in rows[:3]] == [0.744, 0.7017, 0.7167]
    assert [one.count for one in rows] == [600] * 25 + [200] * 5
    # The printed errors of the last block are those of about 404 games.
    assert [one.published.games for one in rows[25:]] == [404, 406, 401, 404, 404]
    nested = {one.name: one.published.value for one in find_experiment("nmcs_table3").rows}
    assert nested["AtariGo, level 1"] == 0.972
    assert nested["AtariGo, states per second"] == 280_000
    table4 = [one for one in find_experiment("nmcs_table4").rows if one.reading == LITERAL]
    assert len(table4) == 216
    lost = [one for one in table4 if one.published.value is None]
    assert len(lost) == sum(entry["nmcs_win_pct"] is None for entry in paper_table("NMCS", "Table 4").rows)


def test_lost_points_say_what_the_text_claims() -> None:
    for name in ("ppr_fig5", "ppr_fig6", "fossel_fig6", "fossel_fig6_2"):
        rows = find_experiment(name).rows
        assert all(one.published.value is None for one in rows)
        assert any(one.published.text for one in rows)


def test_times_are_translated_into_the_work_of_the_paper() -> None:
    fossel = {one.clock for name, one in all_rows() if name.startswith("fossel") and one.clock}
    assert {(clock.seconds, clock.simulations) for clock in fossel} == {(5, 21000)}
    first = find_experiment("nmcs_table4").rows[0]
    assert first.clock == Clock(seconds=0.01, states=4110)


def test_literal_rows_of_fossel_have_the_printed_playouts_and_no_clock() -> None:
    fossel = [(name, one) for name, one in all_rows() if name.startswith("fossel")]
    assert all((one.clock is None) == (one.reading != "equal time") for _, one in fossel)
    limits = {
        (name, one.name): [int(number) for text in one.players() for number in re.findall(r"ns=(\d+)", text)]
        for name, one in fossel
    }
    assert limits["fossel_table2", "C = 0.4"] == [19000, 21000]
    assert limits["fossel_table4", "C = 0.3, W = 10"] == [19000, 19000]
    assert limits["fossel_table7", "c = 3"] == [17169, 21671]
    assert limits["fossel_table9", "P = 0.5"] == [11908, 18000]
    assert limits["fossel_table10", "weight 2"] == [19000, 19000]
    assert limits["fossel_text", "Progressive History against UCT"] == [19000, 21000]
    speeds = {one.name: one.published.value for name, one in fossel if name == "fossel_table9"}
    for p, ratio in (("0.25", 0.805), ("0.5", 0.662), ("0.75", 0.498)):
        assert speeds[f"speed relative to random playouts, P = {p}"] == pytest.approx(ratio, abs=0.0005)


def test_what_fossel_leaves_open_is_said_beside_its_rows() -> None:
    found = {
        name: {one.name for one in find_experiment(name).readings} - {"equal time"}
        for name in experiment_names()
        if name.startswith("fossel")
    }
    assert {name: readings for name, readings in found.items() if readings} == {
        "fossel_table1": {"at least 50 visits"},
        "fossel_table2": {"value 1 kept", "at least 50 visits", "AMAF in the tree only"},
        "fossel_table4": {"tree and history kept", "at least 50 visits"},
        "fossel_table5": {"at least 50 visits", "AMAF in the tree only"},
        "fossel_table6": {"one cell is enough", "at least 50 visits"},
        "fossel_table7": {"turns of the playout", "at least 50 visits"},
        "fossel_table8": {"sums of results", "at least 50 visits"},
        "fossel_table9": {"sums of results"},
        "fossel_text": {"Havannah-Mate throughout", "at least 50 visits"},
    }
    for _, one in all_rows():
        if one.reading == "at least 50 visits":
            assert all("final=score(min_visits=50)" in player for player in one.players()), one.name
    mate = {one.reading: one.players()[0] for one in find_experiment("fossel_table6").rows if one.is_rate}
    assert "min=2" in mate[LITERAL]
    assert "min=1" in mate["one cell is enough"]


def test_both_players_of_a_nested_search_row_have_the_constant_of_its_reading() -> None:
    rows = [one for one in find_experiment("nmcs_table5").rows if re.search(r"\bk\b", one.reading)]
    assert len(rows) == 5 * 9 + 3 * 3 + 2
    for one in rows:
        # The constants for each game that differ from the literal one are all 0.
        k = one.reading.partition("k = ")[2] or "0"
        assert all(f"(selection=uct(k={k}), {BUDGET})" in player for player in one.players()), one.name
    fitted = {one.game for one in rows if one.reading == "k for each game"}
    assert fitted == {"breakthrough", "knightthrough", "atari_go"}
    [text] = [one.text for one in find_experiment("nmcs_table5").readings if one.name == "k for each game"]
    assert "fitted to the paper" in text
    table4 = find_experiment("nmcs_table4")
    assert {one.labels["ms"] for one in table4.rows if one.reading} == {"160"}
    assert len([one for one in table4.rows if one.reading == "n = 2 with POD"]) == 9
    fixed = [one for one in find_experiment("nmcs_table3").rows if one.reading == "fixed order"]
    assert len(fixed) == 9
    assert all("order=fixed" in player for one in fixed for player in one.players())


def test_what_the_paper_on_mr_jack_leaves_open_is_said_beside_its_rows() -> None:
    # Section 3.2 draws the decisions of playouts at random: the literal rows do.
    for number in range(2, 8):
        table = find_experiment(f"jack_table{number}")
        for one in table.rows:
            word = {"decisive playouts": "decisive", "rules in playouts": "scripted"}.get(
                one.reading, "uniform"
            )
            assert all(f"playout={word}" in player for player in one.players()), one.name
            assert one.clock is None or one.clock.reference == one.players()[0]
    for name in ("jack_table2", "jack_table5"):
        rows = find_experiment(name).rows
        literal = [one for one in rows if one.reading == LITERAL]
        for reading, game in (
            ("witnesses every other turn", "mr_jack(witness=every_other_turn)"),
            ("Gull moves and swaps", "mr_jack(gull=and)"),
        ):
            assert [one.game for one in rows if one.reading == reading] == [game] * len(literal)


def test_fossels_columns_for_white_and_black_are_shown_with_what_they_are() -> None:
    for name in ("fossel_table2", "fossel_table3"):
        for one in find_experiment(name).rows:
            assert one.published.first is not None
            assert one.published.second is not None
            assert one.published.first + one.published.second == pytest.approx(1, abs=0.015)
            assert any("shares" in flag for flag in one.published.flags)
    white = {one.name: one.published.first for one in find_experiment("fossel_table2").rows}
    assert white["C = 0.3"] == 0.58


def test_games_that_one_side_always_wins_count_the_first_side() -> None:
    rows = [one for one in find_experiment("nmcs_text").rows if isinstance(one, MatchRow)]
    assert [one.game for one in rows] == ["knightthrough", "domineering"]
    assert {one.rate_of for one in rows} == {"first side"}


def test_atari_go_and_minimax_playouts_have_the_readings_that_the_text_leaves_open() -> None:
    rows = find_experiment("nmcs_table5").rows
    games = {one.reading: one.game for one in rows if one.game.startswith("atari_go(")}
    assert games == {
        "suicide loses": "atari_go(suicide=loses)",
        "cross-cut": "atari_go(start=cross_cut)",
        "suicide loses, k = 0": "atari_go(suicide=loses)",
        "cross-cut, k = 0": "atari_go(start=cross_cut)",
    }
    for reading, option in (("wins only", "avoid=false"), ("searched states are free", "counted=false")):
        some = [one for one in rows if one.reading == reading]
        assert len(some) == 18
        for one in some:
            depth = one.labels["playout"].removeprefix("mr")
            assert f"minimax(depth={depth}, {option})" in one.players()[0]


def test_the_package_ships_the_published_tables() -> None:
    assert len(paper_table("PPR", "Table 1").rows) == 30
    with pytest.raises(ValueError, match=r"there is no published 'PPR' 'Table 9': PPR Table 1, .*Figure 5"):
        paper_table("PPR", "Table 9")


def test_unknown_names_are_refused_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"unknown experiment 'ppr_table2': a file ending in \.py, or one of"
    ):
        find_experiment("ppr_table2")
    with pytest.raises(ValueError, match=r"there is no experiment file '.*mine\.py'"):
        find_experiment(str(tmp_path / "mine.py"))
    with pytest.raises(ValueError, match="unknown experiment '_fossel'"):
        find_experiment("_fossel")


def test_a_persons_own_experiment_is_found_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        '"""Mine."""\nfrom coppice.experiment import *\n'
        'EXPERIMENT = Experiment(question="Is it?", source="our own", rows=(\n'
        '    MatchRow(name="one", game="havannah", a="uct", b="random", count=4),))\n'
    )
    found = find_experiment(str(path))
    assert (found.name, found.given) == ("mine", str(path))
    # An edited file is read again.
    path.write_text(path.read_text().replace("count=4", "count=6"))
    assert find_experiment(str(path)).rows[0].count == 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "is no experiment: it must bind EXPERIMENT to an Experiment"),
        ("x = 1\ny = x.z\n", r"line 2: 'int' object has no attribute 'z'"),
        ("def (\n", r"experiment '.*': .*invalid syntax|expected"),
    ],
)
def test_a_broken_experiment_is_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        find_experiment(str(path))


def test_bad_declarations_are_refused() -> None:
    with pytest.raises(ValueError, match="row 'one' has 0 runs"):
        row(count=0)
    with pytest.raises(ValueError, match=r"has \{budget\} but the row has no clock"):
        row(a="uct({budget})")
    with pytest.raises(ValueError, match="has a clock but no player with"):
        row(clock=Clock(seconds=1, states=10))
    with pytest.raises(ValueError, match="a clock counts either simulations or states"):
        Clock(seconds=1)
    with pytest.raises(ValueError, match="the reference player of a clock needs"):
        Clock(seconds=1, simulations=5, reference="uct")
    with pytest.raises(ValueError, match="at least one row"):
        Experiment(question="?", source="", rows=())
    with pytest.raises(ValueError, match="two rows of an experiment have the name 'one'"):
        Experiment(question="?", source="", rows=(row(), row()))
    with pytest.raises(ValueError, match="row 'one' measures who wins: it needs to_end=True"):
        SearchRow(name="one", game="nogo", player="uct", measure="win", count=1)
    with pytest.raises(ValueError, match="row 'one' measures branching: only a length has a reference"):
        PlayoutRow(name="one", game="nogo", player="uct", reference="uct", measure="branching", count=1)
    small = Reading("small k", "The constant is not printed.")
    with pytest.raises(ValueError, match="row 'one' has the reading 'small k', which is not declared"):
        Experiment(question="?", source="", rows=(row(reading="small k"),))
    with pytest.raises(ValueError, match="a reading is declared once and has rows: small k"):
        Experiment(question="?", source="", rows=(row(),), readings=(small,))
    rows = (under(small, row()),)
    with pytest.raises(ValueError, match="a reading is declared once and has rows: small k"):
        Experiment(question="?", source="", rows=rows, readings=(small, small))
    plain = Reading("literal", "It is not.")
    with pytest.raises(ValueError, match="no reading may be called 'literal'"):
        Experiment(question="?", source="", rows=(under(plain, row()),), readings=(plain,))


def test_a_row_under_another_reading_differs_in_what_is_said() -> None:
    other = under(Reading("small k", "The constant is not printed."), row(), a="uct(k=0.1)")
    assert (other.name, other.reading, other.a) == ("one [small k]", "small k", "uct(k=0.1)")
    assert (row().reading, other.b, other.count) == (LITERAL, row().b, row().count)


def test_rows_are_chosen_by_reading() -> None:
    small, large = Reading("small k", "Not printed."), Reading("large k", "Not printed.")
    rows = (row(), row(name="two"), under(small, row()), under(large, row(name="two")))
    some = Experiment(question="?", source="", rows=rows, readings=(small, large))
    assert some.reading_names == ("literal", "small k", "large k")
    assert some.choose() == rows
    assert some.choose(readings=["literal"]) == rows[:2]
    assert some.choose(readings=["large k", "small k"]) == rows[2:]
    assert some.choose("one*", ["small k", "literal"]) == (rows[0], rows[2])
    with pytest.raises(ValueError, match="'huge k' is no reading: allowed are literal; small k; large k"):
        some.choose(readings=["huge k"])
    with pytest.raises(ValueError, match="none of these rows has the reading 'small k' or 'literal'"):
        some.choose("two [large k]", ["small k", "literal"])


def chosen(experiment: Experiment, *texts: str) -> list[str]:
    return [one.name for one in experiment.choose(texts)]


def test_rows_are_chosen_by_number_range_name_and_pattern() -> None:
    names = ("ant", "bee", "cat", "cow, brown", "cow", "7", "a*c", "a-c")
    experiment = Experiment(question="?", source="", rows=tuple(row(name=name) for name in names))
    assert [one.name for one in experiment.choose()] == list(names)
    assert [one.name for one in experiment.choose("2")] == ["bee"]
    assert [experiment.number(one) for one in experiment.rows] == list(range(1, 9))
    assert chosen(experiment, "3-4,1") == ["ant", "cat", "cow, brown"]
    assert chosen(experiment, "c*") == ["cat", "cow, brown", "cow"]
    assert chosen(experiment, "c*w, b*, 1") == ["ant", "cow, brown"]
    # The whole name and nothing else, whatever else it could mean or is a part of.
    assert chosen(experiment, "cow") == ["cow"]
    assert chosen(experiment, "cow, brown") == ["cow, brown"]
    assert chosen(experiment, "bee,cow, brown,1") == ["ant", "bee", "cow, brown"]
    assert chosen(experiment, "7") == ["7"]
    assert chosen(experiment, "a*c") == ["a*c"]
    # Several texts add up, in the order of the rows.
    assert chosen(experiment, "cow", "1", "c*") == ["ant", "cat", "cow, brown", "cow"]


def test_a_row_of_a_table_is_chosen_by_the_name_that_the_table_shows() -> None:
    table = find_experiment("ppr_table1")
    for one in table.rows:
        assert table.choose(one.name) == (one,)
        assert table.choose(str(table.number(one))) == (one,)
    assert chosen(table, "size 6, 1000 playouts, *")[:2] == [one.name for one in table.rows[:2]]
    assert chosen(table, "3,7-9") == [table.rows[at].name for at in (2, 6, 7, 8)]


def test_an_unknown_row_is_refused_with_those_near_it() -> None:
    names = ("Rave", "PoolRave", "size 6, MAST", "size 7, MAST", "x", "y")
    experiment = Experiment(question="?", source="", rows=tuple(row(name=name) for name in names))
    allowed = (
        "is no row: allowed are numbers from 1 to 6, ranges such as 1-6, whole names and patterns with *; "
    )
    for bad, shown, near in (
        ("rave", "rave", "near it: 1 'Rave'; 2 'PoolRave'"),
        ("size 6, MST", "size 6, MST", "near it: 3 'size 6, MAST'; 4 'size 7, MAST'"),
        ("MAST*", "MAST*", "near it: 3 'size 6, MAST'; 4 'size 7, MAST'"),
        ("9", "9", "some rows: 1 'Rave'; 2 'PoolRave'; 3 'size 6, MAST'; 4 'size 7, MAST'"),
        ("1,0,2", "0", "some rows: 1 'Rave'"),
        ("3-2", "3-2", "some rows: 1 'Rave'"),
        ("1-7", "1-7", "some rows: 1 'Rave'"),
        ("1,", "", "some rows: 1 'Rave'"),
        ("", "", "some rows: 1 'Rave'"),
    ):
        with pytest.raises(ValueError, match=re.escape(f"'{shown}' {allowed}{near}")):
            experiment.choose(bad)


def test_what_a_row_measures_decides_whether_it_is_a_rate() -> None:
    more = {"name": "one", "game": "havannah", "count": 1, "player": "uct"}
    assert row().is_rate
    assert SearchRow(**more, moves=("a1",)).is_rate  # type: ignore[arg-type]
    assert SearchRow(**more, measure="win", to_end=True).is_rate  # type: ignore[arg-type]
    assert not SearchRow(**more, measure="kept").is_rate  # type: ignore[arg-type]
    assert not SearchRow(**more, measure="states").is_rate  # type: ignore[arg-type]
    assert not PlayoutRow(**more).is_rate  # type: ignore[arg-type]
    assert not SpeedRow(**more).is_rate  # type: ignore[arg-type]
    assert not SpeedRow(**more).tested  # type: ignore[arg-type]


def test_percent_knows_its_rounding() -> None:
    assert percent(74.4, 600, digits=1) == Published(0.744, 600, 0.0005)
    assert json.dumps(percent(None).value) == "null"
