"""The one layout of boards: every kind has a drawing, options do what they say, painters know no games."""

from __future__ import annotations

import functools
import json
import random
import re
from pathlib import Path

import pytest

import coppice
from coppice import _core
from coppice.board.cells import Board, Cell, Piece
from coppice.board.drawings import CELLS, PIECES, drawing_of, tone
from coppice.board.scales import Paint
from coppice.board.scene import SceneOptions, item_of, scene, tools
from coppice.board.shapes import Box, Circle, Item, Lines, Polygon, Scene, Shape, Text, tag
from coppice.board.svg import board_svg, ink_of, scene_svg

WEB = Path(coppice.__file__).parent / "web"
GAMES = sorted({part.name for part in coppice.catalogue("game")} - {"misere", "python"})


@functools.cache
def states_of(name: str) -> tuple[coppice.State, ...]:
    """Positions of a game from its start to its end."""
    chance, state = random.Random(3), coppice.game(name).start(seed=1)
    found = [state.copy()]
    while state.outcome is None:
        found.append(state.play(chance.choice(state.legal_moves)).copy())
    return (found[0], *(found[len(found) * k // 5] for k in range(1, 5)), found[-1])


def everything(state: coppice.State) -> Scene:
    """A scene with all that one can show."""
    cells = range(len(state.game.board().cells))
    options = SceneOptions(
        last=state.winning_cells or [0, 1],
        targets=[0, cells[-1]],
        threats=[(0, "first"), (1, "second")],
        paints={2: Paint(0.5, None, "7"), 3: Paint(0.5, -1.0, "-1")},
        legend="what it is",
        known={"holmes": ["visible", "jack"]},
    )
    return state.scene(options)


# Every kind has a drawing


def test_every_kind_of_piece_and_of_cell_has_a_drawing() -> None:
    assert len(_core.PIECE_KINDS) > 10
    # The page itself lays arrows for directions.
    assert set(PIECES) - set(_core.PIECE_KINDS) == {"aim"}
    assert set(_core.PIECE_KINDS) <= set(PIECES)
    assert set(_core.CELL_KINDS) == set(CELLS)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_names_nothing_that_has_no_drawing(name: str) -> None:
    board = coppice.game(name).board()
    assert {cell.kind for cell in board.cells} <= set(CELLS)
    pieces = [piece for state in states_of(name) for piece in state.pieces()]
    assert pieces
    for piece in pieces:
        assert piece.kind in PIECES
        assert "figure-text" not in [shape.role for shape in item_of(piece).shapes]


@pytest.mark.parametrize("name", GAMES)
def test_every_role_is_painted_in_files_and_on_pages(name: str) -> None:
    style = (WEB / "style.css").read_text(encoding="utf-8")
    styled = set(re.findall(r"\.([a-z][a-z-]*)", style))
    own = [Item("tool", 0, 0, shapes) for shapes in tools(coppice.game(name).board()).values()]
    for state in states_of(name):
        picture = everything(state)
        assert scene_svg(picture).startswith("<svg")
        for item in (*picture.items, *own):
            for shape in item.shapes:
                known = styled & set(shape.role.split())
                assert known or shape.ink is not None or shape.role in ("legend", "label"), shape.role


def test_a_role_that_nothing_paints_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^nothing says how 'glitter' is painted: ground, ground dark, "):
        ink_of("piece stone", "glitter")


def test_a_kind_that_only_a_guest_knows_is_a_disc_with_two_letters() -> None:
    board = Board("square", (Cell("a1", 0, 0, "swamp"), Cell("b1", 1, 0, "plain")))
    piece = Piece("wizard", "first", (0,))
    svg = board_svg(board, [piece], marks=[0])
    assert ">Wi</text>" in svg
    assert svg.count('class="stone"') == 1
    # Its ground is plain.
    assert svg.count('class="cell plain"') == 2
    assert 'class="piece wizard first white"' in svg
    assert drawing_of(piece).marked == "around"


def test_black_has_the_black_pieces() -> None:
    for name in GAMES:
        game = coppice.game(name)
        if "Black" in game.sides:
            side = ("first", "second")[game.sides.index("Black")]
            assert game.board().black == side
    go = coppice.game("nogo").board()
    assert (tone(go, "first"), tone(go, "second"), tone(go, None)) == ("black", "white", "neutral")


# Plain values


@pytest.mark.parametrize("name", GAMES)
def test_a_scene_is_json_and_says_equal_looks_once(name: str) -> None:
    picture = everything(states_of(name)[3])
    plain = json.loads(json.dumps(picture.plain()))
    items = [item for layer in plain.values() if isinstance(layer, list) for item in layer]
    placed = [item for item in items if isinstance(item, dict) and "stamp" in item]
    assert len(placed) == len(picture.items)
    looks = [json.dumps(stamp) for stamp in plain["stamps"]]
    assert len(set(looks)) == len(looks)
    for item, entry in zip(picture.items, placed, strict=True):
        stamp = plain["stamps"][entry["stamp"]]
        assert stamp["role"] == item.role
        assert stamp["of"] == json.loads(json.dumps([tag(shape) for shape in item.shapes]))
        assert entry.get("cells", []) == list(item.cells)


def test_shapes_are_elements_of_svg() -> None:
    shapes: list[Shape] = [
        Circle("a", 1, 2, 3),
        Box("b", 1, 2, 3, 4, round=0.5),
        Polygon("c", ((0, 0), (1, 0.5))),
        Lines("d", (((0, 0), (1, 1)), ((2, 2), (3, 3)))),
        Text("e", 0, 0, 0.5, "hello"),
    ]
    assert [tag(shape) for shape in shapes] == [
        ("circle", {"class": "a", "cx": 1, "cy": 2, "r": 3}, ""),
        ("rect", {"class": "b", "x": 1, "y": 2, "width": 3, "height": 4, "rx": 0.5}, ""),
        ("polygon", {"class": "c", "points": "0,0 1,0.5"}, ""),
        ("path", {"class": "d", "d": "M0 0L1 1M2 2L3 3"}, ""),
        ("text", {"class": "e", "x": 0, "y": 0, "font-size": 0.5}, "hello"),
    ]


def test_the_painter_of_the_page_knows_no_game() -> None:
    script = (WEB / "board.js").read_text(encoding="utf-8")
    kinds = {*PIECES, *CELLS}
    assert not [word for word in kinds if re.search(rf"(?<![\w-]){word}(?![\w-])", script)]
    assert re.search(r"\bpieces\b", script)


# Options


def board_of(name: str) -> tuple[Board, list[Piece]]:
    state = states_of(name)[2]
    return state.game.board(), state.pieces()


@pytest.mark.parametrize("name", GAMES)
def test_a_flipped_scene_is_turned_by_half_a_turn(name: str) -> None:
    board, pieces = board_of(name)
    here = scene(board, pieces, SceneOptions(last=[0]))
    there = scene(board, pieces, SceneOptions(last=[0], flipped=True))
    xs, ys = [cell.x for cell in board.cells], [cell.y for cell in board.cells]
    assert there.box == pytest.approx(here.box)
    placed = zip((*here.cells, *here.pieces), (*there.cells, *there.pieces), strict=True)
    for one, other in placed:
        assert other.role == one.role
        assert other.x == pytest.approx(min(xs) + max(xs) - one.x, abs=1e-3)
        assert other.y == pytest.approx(min(ys) + max(ys) - one.y, abs=1e-3)


def test_the_light_of_a_lantern_turns_with_the_board() -> None:
    board, pieces = board_of("mr_jack")
    beams = []
    for flipped in (False, True):
        picture = scene(board, pieces, SceneOptions(flipped=flipped))
        (shape,) = (shape for item in picture.pieces for shape in item.shapes if shape.role == "beam")
        assert isinstance(shape, Polygon)
        beams.append(shape.points)
    for (x, y), (flipped_x, flipped_y) in zip(*beams, strict=True):
        assert (flipped_x, flipped_y) == pytest.approx((-x, -y), abs=1e-6)


def texts(picture: Scene) -> list[str]:
    return [
        shape.text or item.text for item in picture.items for shape in item.shapes if isinstance(shape, Text)
    ]


def test_coordinates_stand_in_hexagons_and_at_the_edges_of_squares() -> None:
    square = coppice.game("nogo(rows=5, columns=5)").board()
    assert sorted(texts(scene(square))) == ["1", "2", "3", "4", "5", "a", "b", "c", "d", "e"]
    assert texts(scene(square, (), SceneOptions(coordinates=False))) == []
    hexagons = coppice.game("havannah(size=4)").board()
    assert len(texts(scene(hexagons))) == 37
    assert len(texts(scene(hexagons, [Piece("stone", "first", (0,))]))) == 36
    # Names that are no rows and columns stand in their cells.
    heap = Board("square", (Cell("left", 0, 0, "plain"), Cell("right", 1, 0, "plain")))
    assert texts(scene(heap)) == ["left", "right"]


def roles(picture: Scene) -> list[str]:
    return [shape.role for item in picture.marks for shape in item.shapes]


def test_the_last_move_is_marked_by_what_stands_there() -> None:
    board = coppice.game("breakthrough").board()
    stone, man = Piece("stone", "first", (0,)), Piece("man", "first", (0,))
    domino = Piece("domino", "first", (0, 1))
    assert roles(scene(board, [stone], SceneOptions(last=[0]))) == ["last"]
    assert roles(scene(board, [man], SceneOptions(last=[0]))) == ["last around"]
    assert roles(scene(board, [], SceneOptions(last=[0]))) == ["last"]
    frame = scene(board, [domino], SceneOptions(last=[0, 1])).marks[0].shapes[0]
    assert isinstance(frame, Box)
    assert (frame.width, frame.height) == pytest.approx((1.86, 0.86))


def test_the_line_of_what_won_goes_through_its_cells() -> None:
    game = coppice.game("tic_tac_toe")
    won = game.start().play("a1", "b1", "b2", "b3", "c3").scene()
    (line,) = (shape for item in won.marks for shape in item.shapes if shape.role == "winning line")
    assert isinstance(line, Lines)
    assert sorted(line.strokes) == [((0.0, 2.0), (1.0, 1.0)), ((1.0, 1.0), (2.0, 0.0))]
    assert sum("won" in item.role.split() for item in won.cells) == 3
    # A cell is linked to its neighbours only; who is linked to nobody wears a ring.
    board = coppice.game("havannah(size=4)").board()
    stones = [Piece("stone", "first", (cell,)) for cell in (0, 1, 3)]
    chain = scene(board, stones, SceneOptions(winning=[0, 1, 3]))
    assert sorted(roles(chain)) == ["winning", "winning line"]
    (link,) = next(item for item in chain.marks if item.role == "chain").shapes
    assert isinstance(link, Lines)
    assert len(link.strokes) == 1


def test_two_lines_of_crosses_that_meet_are_not_cut_short_at_the_corner() -> None:
    state = coppice.game("tic_tac_toe").start().play(*["a1", "a2", "b1", "a3", "c3", "b2", "c2", "b3", "c1"])
    chain = state.scene()
    (line,) = (shape for item in chain.marks for shape in item.shapes if shape.role == "winning line")
    assert isinstance(line, Lines)
    assert len(line.strokes) == 4


def test_values_labels_legend_targets_and_threats() -> None:
    board = coppice.game("havannah(size=4)").board()
    paints = {0: Paint(0.25, None, "12"), 1: Paint(1.0, 1.0, "won")}
    options = SceneOptions(paints=paints, legend="how often", targets=[2, 3], threats=[(4, "second")])
    picture = scene(board, [Piece("stone", "first", (3,))], options)
    assert [(item.cells, item.strength) for item in picture.paints] == [((0,), 0.25), ((1,), 1.0)]
    assert picture.paints[0].colour is None
    assert picture.paints[1].colour == "#28bd73"
    assert [item.text for item in picture.labels] == ["12", "won", "how often"]
    assert roles(picture) == ["threat", "target", "target around"]
    assert picture.box[3] == pytest.approx(scene(board).box[3] + 0.4)
    # Labels of one's own are in the place of names.
    assert texts(scene(board, (), SceneOptions(labels={5: "x"}))) == ["x"]


def test_what_a_viewer_knows_is_shown_to_nobody_else() -> None:
    state = states_of("mr_jack")[0]
    assert not [item for item in state.scene().pieces if {"jack", "visible"} & set(item.role.split())]
    known = state.scene(SceneOptions(known={"bert": ["jack"], "gull": ["cleared"]}))
    told = {item.role for item in known.pieces if {"jack", "cleared"} & set(item.role.split())}
    assert told == {"piece token neutral bert jack", "piece token neutral gull cleared"}
