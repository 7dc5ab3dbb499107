"""`coppice explain`: every statistic of a search on the board, as text, JSON and pictures."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from test_cli import run

import coppice

GAME = "havannah(size=4)"

# Which statistics a player keeps beyond visits and value.
TABLES = {
    "uct": set(),
    "rave": {("amaf", "first")},
    "ppr": {("amaf", "first"), ("kept", None)},
    "pool_rave": {("amaf", "first"), ("pool", None)},
    "lgrf1": {("amaf", "first"), ("reply", "first"), ("reply", "second")},
    "mast": {("amaf", "first"), ("mast", "first"), ("mast", "second")},
    "nast2": {("amaf", "first"), ("nast", "first"), ("nast", "second")},
    "contextual": {("amaf", "first"), ("tile", "first"), ("tile", "second")},
    "fossel_ph": {("history", "first"), ("history", "second")},
    "fossel_er": {("amaf", "first"), ("amaf", "second")},
    "fossel_rave_playout": {("amaf", "first"), ("amaf", "second"), ("weight", None)},
}


@pytest.mark.parametrize("player", TABLES)
def test_each_statistic_of_the_player_has_a_table(player: str) -> None:
    state = coppice.game(GAME).start().play("d4", "a1")
    thinking = coppice.player(player).think(state, seed=1)
    report = thinking.run(coppice.Limit(simulations=300))
    tables = {(table.name, table.side): table for table in thinking.tables()}
    assert tables.keys() == {("visits", "first"), ("value", "first")} | TABLES[player]
    names = [cell.name for cell in state.game.board().cells]
    visits = dict(zip(names, tables["visits", "first"].values, strict=True))
    assert sum(count or 0 for count in visits.values()) == 300
    assert all(visits[stat.name] == stat.visits for stat in report.moves if stat.visits)
    assert visits["d4"] is None
    for (name, _), table in tables.items():
        assert len(table.values) == len(names)
        assert any(value is not None for value in table.values), name
        assert table.of_cells == (name == "reply")


def test_the_text_has_the_shape_of_the_board() -> None:
    done = run("explain", GAME, "ppr", "--moves", "d4 a1", "--simulations", "400", "--seed", "1")
    assert done.returncode == 0, done.stderr
    blocks = done.stdout.split("\n\n")
    assert blocks[0].startswith("best ")
    assert "400 simulations" in blocks[0]
    titles = [block.splitlines()[0].split(":")[0] for block in blocks[1:]]
    assert titles == ["visits of White", "value of White", "amaf of White", "kept"]
    for block in blocks[1:]:
        rows = block.splitlines()[1:]
        assert [len(row.split()) for row in rows] == [4, 5, 6, 7, 6, 5, 4]
        assert block.count("[W]") == block.count("[B]") == 1
    kept = blocks[-1].splitlines()[1:]
    assert {mark for row in kept for mark in row.split()} <= {"+", "-", "[W]", "[B]"}


def test_json_holds_the_same_numbers() -> None:
    done = run("explain", GAME, "lgrf1", "--simulations", "300", "--json")
    document = json.loads(done.stdout)
    assert document["simulations"] == 300
    tables = {(table["name"], table["side"]): table["values"] for table in document["tables"]}
    assert max(tables["visits", "first"], key=tables["visits", "first"].get) == document["best"]
    cells = set(coppice.game(GAME).start().legal_moves)
    assert tables["reply", "second"]
    assert all(last in cells and reply in cells for last, reply in tables["reply", "second"].items())


def test_pictures_are_written_one_per_statistic(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    done = run("explain", GAME, "lgrf1", "--simulations", "200", "--svg", str(folder))
    assert done.returncode == 0, done.stderr
    names = {path.name for path in folder.iterdir()}
    expected = {"visits_first", "value_first", "amaf_first", "reply_first", "reply_second"}
    assert names == {f"{name}.svg" for name in expected}
    for path in folder.iterdir():
        picture = ElementTree.fromstring(path.read_text(encoding="utf-8"))
        assert picture.tag.endswith("svg")
        assert len(picture.findall("{http://www.w3.org/2000/svg}polygon")) == 37
    labels = [
        element.text
        for element in ElementTree.parse(folder / "visits_first.svg").iter("{http://www.w3.org/2000/svg}text")
    ]
    assert sum(int(text) for text in labels if text) == 200


def test_the_player_s_own_limit_counts() -> None:
    assert "best " in (done := run("explain", GAME, "uct(simulations=123)")).stdout
    assert "123 simulations" in done.stdout
    assert coppice.player("uct(seconds=0.5)").limit == coppice.Limit(seconds=0.5)
    assert coppice.player("random").limit == coppice.Limit()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["havannah(size=2)", "uct", "--moves", "a1 b2 a2"], "there is nothing to explain: the game is over"),
        ([GAME, "uct", "--moves", "zz"], "zz"),
        ([GAME, "random"], "only mcts players do"),
        ([GAME, "uct", "--simulations", "0"], "Invalid value for '--simulations'"),
    ],
)
def test_what_is_wrong_is_one_line(arguments: list[str], message: str) -> None:
    done = run("explain", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
