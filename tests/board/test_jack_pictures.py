"""Pictures of Mr Jack's map outside the app: notebooks, files, cards and the pages that tell how to play."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import coppice
from coppice.board.jack_map import CHARACTERS, DIRECTIONS, neighbour
from coppice.board.words import words_of

SVG = "{http://www.w3.org/2000/svg}"


def opening(**parts: str) -> coppice.State:
    game = coppice.game("mr_jack")
    text = game.start(seed=1).text(reveal=True)
    for name, value in parts.items():
        text = re.sub(rf"\b{name}=\S+", f"{name}={value}", text)
    return game.state(text)


def elements(svg: str, kind: str) -> list[ElementTree.Element]:
    """The elements whose class has these words."""
    tree = ElementTree.fromstring(svg)
    return [found for found in tree.iter() if set(kind.split()) <= set(found.get("class", "").split())]


def name_of(token: ElementTree.Element) -> str:
    """Whose token it is."""
    (name,) = CHARACTERS.keys() & set(token.get("class", "").split())
    return name


def place_of(item: ElementTree.Element) -> float:
    """How far to the right an item stands."""
    found = re.match(r"translate\(([\d.-]+) ", item.get("transform", ""))
    assert found
    return float(found[1])


def picture_of(state: coppice.State, where: str) -> str:
    if where == "notebook":
        return state._repr_svg_()
    from coppice.web.pictures import picture

    return picture(state).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)


@pytest.mark.parametrize("where", ["notebook", "card"])
def test_a_still_picture_shows_who_is_who_and_which_lamps_are_lit(where: str) -> None:
    svg = picture_of(opening(innocent="bert,smith"), where)
    seen = {}
    for drawn in elements(svg, "piece token"):
        letter = drawn.find(f"{SVG}text")
        face = next(part for part in drawn if part.get("class") == "face")
        assert letter is not None
        seen[name_of(drawn)] = (letter.text, face.get("fill"), face.get("stroke"))
    assert seen.keys() == CHARACTERS.keys()
    for name, who in CHARACTERS.items():
        look = who.look(cleared=name in ("bert", "smith"))
        assert seen[name] == (who.letter, look.disc, look.rim)
    numbers = [lamp.findtext(f"{SVG}text") or "" for lamp in elements(svg, "piece lamp lit")]
    assert sorted(text for text in numbers if text.isdigit()) == ["1", "2", "3", "4"]
    assert len(numbers) == 6
    assert len(elements(svg, "piece lamp out")) == 2
    # What is closed has something on it.
    assert len(elements(svg, "hole")) == 8
    assert len(elements(svg, "piece cover")) == 2
    assert len(elements(svg, "sign")) == 4
    assert len(elements(svg, "piece cordon")) == 2
    assert len(elements(svg, "beam")) == 1


def test_places_that_moves_name_carry_their_names_and_buildings_none() -> None:
    state = opening()
    board = state.game.board()
    texts = {text.text for text in ElementTree.fromstring(state.svg()).iter(f"{SVG}text")}
    taken = {piece.cell for piece in state.pieces() if piece.kind == "token"}
    for index, cell in enumerate(board.cells):
        if cell.kind in ("building", "garden"):
            assert cell.name not in texts
        elif index not in taken:
            assert cell.name in texts, cell
    bare = state.svg(coordinates=False)
    assert "a1" not in {text.text for text in ElementTree.fromstring(bare).iter(f"{SVG}text")}


def test_nobody_covers_somebody_where_two_stand_on_one_hex() -> None:
    state = opening(hand="lestrade,holmes,goodley,gull", next="watson,smith,stealthy,bert")
    state.play("lestrade g8 accuse smith")
    places = {name_of(who): place_of(who) for who in elements(state.svg(), "piece token")}
    assert len(places) == 8
    assert abs(places["lestrade"] - places["smith"]) > 0.4


def test_neighbours_lie_in_their_direction_and_back() -> None:
    board = coppice.game("mr_jack").board()
    back = {"N": "S", "NE": "SW", "SE": "NW", "S": "N", "SW": "NE", "NW": "SE"}
    pairs = 0
    for index in range(len(board.cells)):
        for direction in DIRECTIONS:
            other = neighbour(board, index, direction)
            if other is not None:
                assert neighbour(board, other, back[direction]) == index
                pairs += 1
    assert pairs > 300


def test_the_words_of_the_map() -> None:
    state = opening(innocent="smith")
    board = state.game.board()
    names = {cell.name: index for index, cell in enumerate(board.cells)}
    known = {"smith": ["visible"], "watson": ["jack"]}
    words = words_of(board, state.pieces(), state.game.sides, known)
    assert words[names["g8"]] == "John Smith, innocent, visible"
    assert words[names["a3"]] == "John H. Watson, Jack"
    assert words[names["b2"]] == "gaslight, lit, goes out after turn 1"
    assert words[names["c2"]] == "covered manhole"
    assert words[names["NW"]] == "exit, open"
    assert names["b1"] not in words
