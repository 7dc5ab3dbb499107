"""`coppice explain`: every statistic of a search on the board, as text, JSON and pictures."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from command import run

import coppice

GAME = "havannah(size=4)"

# Which statistics a player keeps beyond visits and value.
TABLES: dict[str, set[tuple[str, str | None]]] = {
    "uct": set(),
    "rave": {("amaf", "first")},
    "ppr": {("amaf", "first"), ("kept", None)},
    "pool_rave": {("amaf", "first"), ("pool", None)},
    "lgrf1": {("amaf", "first"), ("reply", "first"), ("reply", "second")},
    "mast": {("amaf", "first"), ("mast", "first"), ("mast", "second")},
    "rave(playout=ppa)": {("amaf", "first"), ("ppa", "first"), ("ppa", "second")},
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
        assert (table.scale == "cell") == (name == "reply")


@pytest.mark.parametrize(
    "player", ["rave", "rave(threads=2, parallel=root)", "uct", "fossel_er", "rave(tactics=solver)", "nested"]
)
def test_a_search_and_a_thinking_search_report_the_same(player: str) -> None:
    state = coppice.game(GAME).start().play("d4", "a1")
    found = coppice.player(player).search(state, coppice.Limit(simulations=200), seed=1)
    counts_amaf = player.startswith(("rave", "fossel_er"))
    assert all((stat.amaf_visits is not None) == counts_amaf for stat in found.moves)
    if counts_amaf:
        # Every simulation plays some moves, and each counts for itself at least.
        assert all((stat.amaf_visits or 0) >= stat.visits for stat in found.moves)
        assert any((stat.amaf_visits or 0) > stat.visits for stat in found.moves)
    if player != "nested" and "threads" not in player:
        thinking = coppice.player(player).think(state, seed=1)
        assert thinking.run(coppice.Limit(simulations=200)).moves == found.moves


EXAMPLE = (
    f'python("{Path(__file__).parent.parent.parent}/examples/domineering.py:Domineering", options="4x4")'
)


def written(folder: Path, slots: int, cells: bool) -> str:
    """A row of three cells: who takes the last one wins."""
    board = '[(name, float(x), 0.0) for x, name in enumerate("abc")]' if cells else "[]"
    path = folder / "row.py"
    path.write_text(
        f"""import coppice.extend
class Row(coppice.extend.Game):
    slots = {slots}
    def initial_state(self, seed): return ()
    def side_to_move(self, state): return ("first", "second")[len(state) % 2]
    def legal_moves(self, state): return [move for move in range(3) if move not in state]
    def play(self, state, move): return (*state, move)
    def outcome(self, state): return "first" if len(state) == 3 else None
    def cells(self): return {board}
    def pieces(self, state):
        sides = ("first", "second", "first")
        return list(zip(state, sides)) if self.cells() else []
    def move_cells(self, state, move): return [move] if self.cells() else []
""",
        encoding="utf-8",
    )
    return f'python("{path}:Row")'


def test_a_game_written_in_python_is_explained_on_its_own_board() -> None:
    state = coppice.game(EXAMPLE).start().play("a1a2")
    thinking = coppice.player("mast").think(state, seed=1)
    report = thinking.run(coppice.Limit(simulations=300))
    tables = {(table.name, table.side): table for table in thinking.tables()}
    visits = tables["visits", "second"].known
    last = {stat.name: state.move_cells(stat.name)[-1] for stat in report.moves}
    assert visits == {last[stat.name]: stat.visits for stat in report.moves if stat.visits}
    # The other side's moves are none of this position's, and have their cells all the same.
    assert tables["mast", "first"].known
    shown = run("explain", EXAMPLE, "uct", "--moves", "a1a2", "--simulations", "300", "--seed", "1").stdout
    board = shown.split("\n\n")[1].splitlines()[1:]
    assert sum(int(text) for row in board for text in row.split() if text.isdigit()) == 300
    assert sum(row.count("[") for row in board) == 2


def test_a_game_without_slots_shows_what_is_known_of_its_moves(tmp_path: Path) -> None:
    game = written(tmp_path, slots=0, cells=True)
    document = json.loads(run("explain", game, "uct", "--moves", "1", "--simulations", "50", "--json").stdout)
    tables = {table["name"]: table for table in document["tables"]}
    assert tables.keys() == {"visits", "value"}
    assert tables["visits"]["values"].keys() == {"a", "c"}
    assert sum(tables["visits"]["values"].values()) == 50
    assert (tables["value"]["scale"], tables["value"]["doc"]) == ("rate", "mean result of those simulations")


@pytest.mark.parametrize("slots", [0, 3])
def test_a_game_without_cells_says_so_instead_of_showing_an_empty_board(slots: int, tmp_path: Path) -> None:
    game = written(tmp_path, slots=slots, cells=False)
    done = run("explain", game, "uct", "--simulations", "50")
    assert done.returncode == 0
    assert "has no cells: there are no boards to show" in done.stderr
    assert "visits of" not in done.stdout
    pictures = run("explain", game, "uct", "--simulations", "50", "--svg", str(tmp_path / "pictures"))
    assert pictures.returncode == 2
    assert "has no cells: there are no boards to show" in pictures.stderr
    assert len(pictures.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "pictures").exists()


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
        shapes = picture.iter("{http://www.w3.org/2000/svg}polygon")
        assert [shape.get("class") for shape in shapes].count("ground") == 37
    texts = list(ElementTree.parse(folder / "visits_first.svg").iter("{http://www.w3.org/2000/svg}text"))
    assert (
        sum(int(element.text) for element in texts if element.text and element.get("class") == "label") == 200
    )
    (legend,) = (element.text for element in texts if element.get("class") == "legend")
    assert re.fullmatch(r"simulations that began with the move \(0 to \d+, the largest\)", legend or "")


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
