"""Tests of trees of turns and of the positions in them."""

from __future__ import annotations

import gc
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coppice import State
from coppice.core.session import Game
from coppice.records.positions import Positions
from coppice.records.sgf_syntax import Node
from coppice.records.tree import RESIGN, ROOT, GameTree, Turn


def grown() -> GameTree:
    """d4 with a1 and b2 below it, c3 below a1, and e5 beside d4."""
    tree = GameTree()
    tree.add_line(ROOT, ["d4", "a1", "c3"])
    tree.add(1, "b2")
    tree.add(ROOT, "e5")
    return tree


def test_turns_are_found_or_added() -> None:
    tree = grown()
    assert len(tree) == 6
    assert tree.add(ROOT, "d4") == 1
    assert tree.add(1, "b2") == 4
    assert tree.add(1, "g7") == 6
    assert tree[6].parent == 1
    assert tree[1].children == [2, 4, 6]
    # A file may say the same twice.
    assert tree.append(1, Turn("b2")) == 7


def test_lines_go_along_the_first_children() -> None:
    tree = grown()
    assert tree.path(3) == [0, 1, 2, 3]
    assert tree.line_from(ROOT) == [1, 2, 3]
    assert tree.line_through(4) == [0, 1, 4]
    tree.promote(4)
    assert tree.line_through(ROOT) == [0, 1, 4]
    assert tree.line_through(2) == [0, 1, 2, 3]
    tree.promote(ROOT)
    tree.append(4, Turn(RESIGN))
    tree.append(4, Turn("", "well played"))
    assert [tree.moves(number) for number in range(len(tree))] == [
        [],
        ["d4"],
        ["d4", "a1"],
        ["d4", "a1", "c3"],
        ["d4", "b2"],
        ["e5"],
        ["d4", "b2"],
        ["d4", "b2"],
    ]


def test_trees_are_equal_whatever_the_numbers_of_their_turns() -> None:
    one, other = grown(), GameTree()
    for _ in range(2):
        other.add(ROOT, "d4")
    other.add(ROOT, "e5")
    other.add_line(1, ["a1", "c3"])
    assert one != other
    other.add(1, "b2")
    assert one == other
    assert [one[n].move for n in range(6)] != [other[n].move for n in range(6)]
    other[5].comment = "why?"
    assert one != other
    other[5].comment = ""
    other.promote(2)
    assert one != other, "the order of the variations counts"
    assert one != "tree"
    assert Node() != "node"
    assert repr(one) == "<GameTree of 6 turns: d4 a1 c3>"


@pytest.mark.parametrize(
    "turns",
    [
        [],
        [Turn(), Turn("a1", parent=0)],
        [Turn(children=[1])],
        [Turn(children=[-1])],
        [Turn(children=[1, 1]), Turn("a1", parent=0)],
        [Turn(children=[1]), Turn("a1", parent=1)],
        [Turn(children=[1]), Turn("a1", parent=0, children=[0])],
        [Turn(parent=1), Turn("a1", parent=0, children=[0])],
    ],
)
def test_what_is_no_tree_is_refused(turns: list[Turn]) -> None:
    tree = grown()
    message = f"these {len(turns)} turns are no tree: each but the first follows one other"
    with pytest.raises(ValueError, match=message):
        tree.take(turns)
    assert tree == grown()
    copy = GameTree()
    copy.take(tree.turns)
    assert copy == tree


@given(st.integers(0, 2**32), st.lists(st.integers(0, 30), min_size=1, max_size=60))
def test_a_position_is_that_of_its_moves_in_whatever_order_it_is_asked_for(
    seed: int, asked: list[int]
) -> None:
    rng, game = random.Random(seed), Game("havannah(size=4)")
    tree = GameTree()
    positions = Positions(tree, game.start)
    while len(tree) < 30:
        parent = rng.randrange(len(tree))
        legal = positions[parent].legal_moves
        if legal:
            positions.add(parent, rng.choice(legal))
    for number in asked:
        expected = game.start().play(*tree.moves(number % len(tree)))
        position = positions[number % len(tree)]
        assert positions.state(number % len(tree)) == expected
        assert positions.to_move(number % len(tree)) == position.to_move == expected.to_move
        assert position.outcome == expected.outcome
        assert list(position.legal_moves) == expected.legal_moves
        assert {move: list(cells) for move, cells in position.cells.items()} == dict(
            expected.legal_move_cells()
        )
        for move in expected.legal_moves[:3]:
            assert position.move_cells(move) == position.move_cells(move.upper()) == expected.move_cells(move)
        assert list(position.pieces) == expected.pieces()
        assert list(position.winning_cells) == expected.winning_cells
        assert list(position.completing["first"]) == expected.completing("first")


def test_a_turn_that_is_no_move_has_the_position_before_it() -> None:
    tree = grown()
    comment = tree.append(3, Turn("", "well played"))
    after = tree.add(comment, "g7")
    positions = Positions(tree, Game("havannah(size=4)").start)
    assert positions.state(comment).moves == ["d4", "a1", "c3"]
    assert positions.state(after).moves == ["d4", "a1", "c3", "g7"]
    assert positions.state(tree.append(3, Turn(RESIGN))).moves == ["d4", "a1", "c3"]


def test_an_illegal_move_adds_nothing() -> None:
    tree = grown()
    positions = Positions(tree, Game("havannah(size=4)").start)
    with pytest.raises(ValueError, match="illegal move 'd4'"):
        positions.add(1, "d4")
    assert tree == grown()


def test_each_fact_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()
    for name in ("legal_move_cells", "pieces", "completing"):
        ask = getattr(State, name)

        def counted(state: State, *more: Any, ask: Any = ask, name: str = name) -> Any:
            asked[name] += 1
            return ask(state, *more)

        monkeypatch.setattr(State, name, counted)
    tree = grown()
    positions = Positions(tree, Game("havannah(size=4)").start)
    for _ in range(3):
        # In between the states of others are asked for, so that its own is forgotten.
        for number in range(len(tree)):
            positions.state(number)
        position = positions[3]
        assert len(position.legal_moves) == len(position.cells) == 34
        assert len(position.pieces) == 3
        assert position.completing["second"] == ()
    assert asked == {"legal_move_cells": 1, "pieces": 1, "completing": 2}
    with pytest.raises(AttributeError):
        positions[3].to_move = "first"  # type: ignore[misc]


def test_a_tree_of_thousands_of_turns_holds_few_states() -> None:
    tree = GameTree()
    positions = Positions(tree, Game("havannah(size=10)").start)
    line = positions[ROOT].legal_moves[:60]
    end = tree.add_line(ROOT, line)
    for move in positions[end].legal_moves:
        tree.add(end, move)

    def states() -> int:
        gc.collect()
        return sum(type(each) is State for each in gc.get_objects())

    before = states()
    for number in range(len(tree)):
        assert positions[number].to_move == ("first", "second")[len(tree.moves(number)) % 2]
    assert len(tree) > 250
    assert states() - before <= 4
