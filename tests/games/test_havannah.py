"""Havannah against OpenSpiel, against stored counts, and through the public API."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyspiel
import pytest

import coppice

PERFT = json.loads((Path(__file__).parent.parent / "data" / "perft.json").read_text())["havannah"]


@pytest.mark.parametrize("size", [2, 3, 4, 6, 8, 10])
def test_cells_are_named_as_openspiel_names_them(size: int) -> None:
    state = pyspiel.load_game("havannah", {"board_size": size}).new_initial_state()
    theirs = {state.action_to_string(action) for action in state.legal_actions()}
    # OpenSpiel prefixes the player: "(x)a1" in some versions, plain "a1" in others.
    assert set(coppice.game(f"havannah(size={size})").start().legal_moves) == {
        name.split(")")[-1] for name in theirs
    }


@pytest.mark.parametrize(("size", "games"), [(3, 600), (4, 600), (5, 400), (6, 300), (8, 100)])
def test_random_games_agree_with_openspiel_move_by_move(size: int, games: int) -> None:
    rng = random.Random(size)
    rules = coppice.game(f"havannah(size={size})")
    theirs = pyspiel.load_game("havannah", {"board_size": size})
    names = theirs.new_initial_state()
    action_of = {names.action_to_string(action).split(")")[-1]: action for action in names.legal_actions()}
    for _ in range(games):
        state, other = rules.start(), theirs.new_initial_state()
        while state.outcome is None:
            assert not other.is_terminal()
            assert other.current_player() == (0 if state.to_move == "first" else 1)
            move = rng.choice(state.legal_moves)
            state.play(move)
            other.apply_action(action_of[move])
        assert other.is_terminal(), state.diagram()
        returns = {"first": [1.0, -1.0], "second": [-1.0, 1.0], "draw": [0.0, 0.0]}[state.outcome]
        assert list(other.returns()) == returns


@pytest.mark.parametrize("base", ["base2", "base3", "base4"])
def test_perft_equals_the_stored_counts(base: str) -> None:
    stored = PERFT[base]["perft"]
    deepest = {"base2": 7, "base3": 5, "base4": 4}[base]
    counts = coppice.game(f"havannah(size={base[4:]})").start().perft(deepest)
    assert [count.depth for count in counts] == list(range(1, deepest + 1))
    for count in counts:
        depth = str(count.depth)
        ends = [stored[name][depth] for name in ("perft", "terminal", "wins_first", "wins_second", "draws")]
        assert list(count[1:]) == ends, depth


@pytest.mark.evidence
def test_perft_of_size_3_at_every_stored_depth() -> None:
    stored = PERFT["base3"]["perft"]
    for count in coppice.game("havannah(size=3)").start().perft(7):
        assert count.sequences == stored["perft"][str(count.depth)]


def test_the_search_finds_that_corners_win_on_size_3() -> None:
    corners = {"a1", "c1", "a3", "e3", "c5", "e5"}
    for seed in range(3):
        report = coppice.player("uct(simulations=60000)").search(
            coppice.game("havannah(size=3)").start(), seed=seed
        )
        assert report.best in corners, report.text()


def test_little_golem_writes_rows_as_letters() -> None:
    rules = coppice.game("havannah(size=3)")
    assert rules.notations == ("standard", "little_golem")
    state = rules.start()
    golem = state.legal_moves_in("little_golem")
    standard = state.legal_moves
    assert len(set(golem)) == len(golem) == 19
    # Each row counts from its own first cell: the middle row has five cells, the outer ones three.
    assert (
        sorted(name for name in golem if name[0].lower() == golem[standard.index("c3")][0].lower())[-1][1:]
        == "5"
    )
    for name in golem:
        copy = state.copy().play(name, notation="little_golem")
        assert copy.legal_moves_in("little_golem") == [other for other in golem if other != name]


def test_a_win_tells_its_kind_and_its_chain() -> None:
    state = coppice.game("havannah(size=3)").start().play("a1", "c3", "b1", "d3", "c1")
    assert (state.outcome, state.end_kind) == ("first", "bridge")
    names = {state.game.board().cells[cell].name for cell in state.winning_cells}
    assert names == {"a1", "b1", "c1"}
    assert state.legal_moves == []
    with pytest.raises(ValueError, match="illegal move 'a2': the game is over"):
        state.play("a2")


def test_swap_gives_the_stone_away() -> None:
    state = coppice.game("havannah(size=3, swap=true)").start().play("a1")
    assert "swap" in state.legal_moves
    state.play("swap")
    assert state.to_move == "first"
    assert [(piece.side, state.game.board().cells[piece.cell].name) for piece in state.pieces()] == [
        ("second", "a1")
    ]
    state.play("c3")
    assert "swap" not in state.legal_moves
