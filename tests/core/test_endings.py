"""The words for how a game ended, over all games."""

from __future__ import annotations

import random
import re

import pytest

from coppice import State, game
from coppice.core.catalogue import catalogue
from coppice.core.endings import GIVEN_UP, ending, won

# A small board of each game, so that games end in many ways.
BOARDS = {
    "havannah": "havannah(size=4)",
    "breakthrough": "breakthrough(rows=5, columns=3)",
    "knightthrough": "knightthrough(rows=5, columns=3)",
    "domineering": "domineering(rows=4, columns=4)",
    "nogo": "nogo(rows=3, columns=3)",
    "atari_go": "atari_go(rows=3, columns=3, suicide=loses)",
    "tic_tac_toe": "tic_tac_toe",
    "hex": "hex(size=4)",
    "mr_jack": "mr_jack",
}


def random_game(spec: str, seed: int) -> State:
    state, chance = game(spec).start(seed=seed), random.Random(seed)
    while state.outcome is None:
        assert ending(state) == ""
        state.play(chance.choice(state.legal_moves))
    return state


def test_the_boards_are_those_of_all_games() -> None:
    assert set(BOARDS) == {part.name for part in catalogue("game")} - {"misere", "python"}


@pytest.mark.parametrize("name", BOARDS)
def test_the_end_of_every_game_is_told_in_right_english(name: str) -> None:
    told = {ending(random_game(BOARDS[name], seed)) for seed in range(4 if name == "mr_jack" else 80)}
    names = "|".join([*game(BOARDS[name]).sides, "the detective", "The detective"])
    form = rf"({names}) wins?( by (\w+ing|not being)[\w ]*|: ({names}) [\w ]+)\.|The game is drawn\."
    assert [text for text in told if not re.fullmatch(form, text)] == []
    assert not any("no moves" in text or "_" in text for text in told)


@pytest.mark.parametrize(
    ("spec", "text", "moves"),
    [
        ("domineering(rows=2, columns=2)", "Vertical wins: Horizontal cannot move.", "a1a2"),
        ("misere(domineering(rows=2, columns=2))", "Horizontal wins by having no move left.", "a1a2"),
        ("tic_tac_toe", "Crosses win by making a line.", "a1 b1 a2 b2 a3"),
        ("misere(tic_tac_toe)", "Noughts win: Crosses made a line.", "a1 b1 a2 b2 a3"),
        ("tic_tac_toe", "The game is drawn.", "a1 b1 c1 b2 a2 c2 b3 a3 c3"),
        ("havannah(size=3)", "White wins by building a bridge.", "a1 a2 b1 b2 c1"),
        ("misere(havannah(size=3))", "Black wins: White built a bridge.", "a1 a2 b1 b2 c1"),
        ("hex(size=2)", "Black wins by joining both edges.", "a2 b2 b1"),
        ("misere(hex(size=2))", "White wins: Black joined both edges.", "a2 b2 b1"),
        ("atari_go(rows=2, columns=2)", "Black wins by capturing first.", "a1 b1 b2"),
        ("misere(atari_go(rows=2, columns=2))", "White wins: Black captured first.", "a1 b1 b2"),
    ],
)
def test_who_did_what_is_told_of_the_right_side(spec: str, text: str, moves: str) -> None:
    state = game(spec).start()
    assert ending(state) == ""
    assert ending(state.play(*moves.split())) == text


def test_a_game_that_was_given_up_names_who_did() -> None:
    assert won(game("tic_tac_toe"), "first", GIVEN_UP["resignation"]) == "Crosses win: Noughts resigned."
    assert won(game("mr_jack"), "second", GIVEN_UP["time"]) == "Jack wins: the detective ran out of time."
    assert won(game("mr_jack"), "first", GIVEN_UP["time"]) == "The detective wins: Jack ran out of time."
