"""Hex against OpenSpiel and against a plain solver, and its swap through the public API."""

from __future__ import annotations

import functools
import random
import re

import pyspiel
import pytest

import coppice

SIZES = [(2, 100), (3, 400), (5, 300), (7, 150), (11, 60)]


def theirs(size: int, swap: bool = False) -> pyspiel.Game:
    return pyspiel.load_game("hex", {"board_size": size, "swap": swap})


def action(size: int, move: str) -> int:
    """Row by row from the top, as here."""
    return (int(move[1:]) - 1) * size + ord(move[0]) - ord("a")


@pytest.mark.parametrize(("size", "games"), SIZES)
def test_random_games_agree_with_openspiel_move_by_move(size: int, games: int) -> None:
    rng, rules, other_rules = random.Random(size), coppice.game("hex", size=size), theirs(size)
    for _ in range(games):
        state, other = rules.start(), other_rules.new_initial_state()
        while state.outcome is None:
            assert not other.is_terminal()
            assert other.current_player() == (0 if state.to_move == "first" else 1)
            moves = state.legal_moves
            assert [action(size, move) for move in moves] == other.legal_actions()
            move = rng.choice(moves)
            state.play(move)
            other.apply_action(action(size, move))
        assert other.is_terminal(), state.diagram()
        assert list(other.returns()) == ([1.0, -1.0] if state.outcome == "first" else [-1.0, 1.0])


# On size 1 OpenSpiel lets the one stone win nothing.
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(("size", "deepest"), [(2, 4), (3, 6), (4, 4)])
def test_perft_equals_that_of_openspiel(size: int, deepest: int, swap: bool) -> None:
    def walk(state: pyspiel.State, depth: int, found: list[list[int]]) -> None:
        for each in state.legal_actions():
            after = state.child(each)
            found[depth][0] += 1
            if after.is_terminal():
                found[depth][1] += 1
                found[depth][2 if after.returns()[0] > 0 else 3] += 1
            elif depth + 1 < deepest:
                walk(after, depth + 1, found)

    found = [[0, 0, 0, 0] for _ in range(deepest)]
    walk(theirs(size, swap).new_initial_state(), 0, found)
    counts = coppice.game("hex", size=size, swap=swap).start().perft(deepest)
    by_depth = {count.depth: count for count in counts}
    for depth, expected in enumerate(found, 1):
        count = by_depth[depth]
        assert [count.sequences, count.terminal, count.wins_first, count.wins_second] == expected, depth
        assert count.draws == 0


def plain_values(size: int) -> dict[str, str]:
    """What each first move is worth, by the rules as a newcomer would write them."""
    cells = [(row, column) for row in range(size) for column in range(size)]

    def joined(stones: frozenset[tuple[int, int]], axis: int) -> bool:
        seen = {stone for stone in stones if stone[axis] == 0}
        fresh = list(seen)
        while fresh:
            row, column = fresh.pop()
            for down, right in ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)):
                near = (row + down, column + right)
                if near in stones and near not in seen:
                    seen.add(near)
                    fresh.append(near)
        return any(stone[axis] == size - 1 for stone in seen)

    @functools.cache
    def wins(own: frozenset[tuple[int, int]], other: frozenset[tuple[int, int]], axis: int) -> bool:
        """Whether the side to move, which joins the edges of `axis`, wins."""
        for cell in cells:
            if cell not in own and cell not in other:
                after = own | {cell}
                if joined(after, axis) or not wins(other, after, 1 - axis):
                    return True
        return False

    def value(row: int, column: int) -> str:
        first = frozenset({(row, column)})
        return "win" if joined(first, 0) or not wins(frozenset(), first, 1) else "loss"

    return {f"{'abc'[column]}{row + 1}": value(row, column) for row, column in cells}


@pytest.mark.parametrize("size", [1, 2, 3])
def test_small_boards_are_solved_as_by_a_plain_solver(size: int) -> None:
    expected = plain_values(size)
    solution = coppice.game("hex", size=size).start().solve()
    assert (solution.value, solution.side) == ("win", "first")
    assert solution.moves == expected
    # A stone that wins is taken over, one that loses is left; on size 1 the game is over before.
    swapped = coppice.game("hex", size=size, swap=True).start().solve()
    assert swapped.value == ("win" if size == 1 else "loss")
    for move, value in expected.items():
        state = coppice.game("hex", size=size, swap=True).start().play(move)
        if state.outcome is None:
            assert (state.solve().moves["swap"] == "win") == (value == "win"), move


def test_size_4_is_won_by_the_first_side_and_with_swap_by_the_second() -> None:
    assert coppice.game("hex(size=4)").start().solve(coppice.Limit(seconds=60)).value == "win"
    assert coppice.game("hex(size=4, swap=true)").start().solve(coppice.Limit(seconds=60)).value == "loss"


def test_a_swapped_stone_stands_in_the_mirror_and_is_the_second_sides() -> None:
    state = coppice.game("hex(size=5, swap=true)").start().play("d2")
    assert state.move_cells("swap") == [8, 16]
    state.play("swap")
    assert [(piece.cell, piece.side) for piece in state.pieces()] == [(16, "second")]
    assert (state.to_move, "swap" in state.legal_moves) == ("first", False)
    assert state.undo().text() == "...../...b./...../...../..... second"


def test_strong_takes_the_strongest_opening_and_leaves_the_weakest() -> None:
    for opening, taken in (("c3", True), ("a1", False)):
        state = coppice.game("hex(size=5, swap=true)").start().play(opening)
        report = coppice.player("strong").search(state, coppice.Limit(simulations=5000), seed=1)
        assert (report.best == "swap") is taken, opening


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(ValueError, match=re.escape("size=20")):
        coppice.game("hex(size=20)")
    with pytest.raises(ValueError, match="illegal move 'swap': legal are a1, b1, "):
        coppice.game("hex(size=3)").start().play("b2", "swap")
    with pytest.raises(ValueError, match="a position of hex is 3 rows of 3 characters"):
        coppice.game("hex(size=3)").state("... first")


def test_a_border_is_drawn_in_the_colours_of_its_sides() -> None:
    board = coppice.game("hex(size=4)").board()
    assert sorted(rim.side for rim in board.rims) == ["first", "first", "second", "second"]
    drawn = coppice.game("hex(size=4)").start().svg()
    assert drawn.count('class="rim-line"') == drawn.count('class="rim-body"') == 4
    assert "rim" not in coppice.game("havannah(size=4)").start().svg()
