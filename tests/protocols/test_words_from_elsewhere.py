"""How long, how large and how wrong a word from another program may be, and which game it is read in."""

from __future__ import annotations

import pyspiel
import pytest

import coppice
from coppice.protocols.gtp import Server
from coppice.protocols.openspiel import CoppiceBot, game_spec

TICTACTOE = "tic_tac_toe"


def test_a_move_that_is_too_long_is_shown_in_part() -> None:
    served = Server("havannah(size=4)", "random")
    assert served.respond("play white " + "a" * 201) == f"? illegal move '{'a' * 40}...'\n\n"
    # A shorter one is left to the game, which says what is legal.
    told = served.respond("play white " + "a" * 200)
    assert "legal are a1, b1, c1" in told


def test_numbers_have_their_most() -> None:
    served = Server("havannah(size=4)", "random")
    assert served.respond("time -m 1e9") == "= -m 1e+09 -g 0 -i 0\n\n"
    assert served.respond("time -m 1000000001") == "? '1000000001' is not a number of seconds\n\n"
    assert served.respond("time -i 1000000000000") == "= -m 1e+09 -g 0 -i 1000000000000\n\n"
    assert served.respond("time -i 1000000000001") == "? '1000000000001' is not a number of simulations\n\n"
    assert served.respond("time_left white 10 1000000") == "=\n\n"
    assert served.respond("time_left white 10 1000001") == "? '1000001' is not a number of stones\n\n"


@pytest.mark.parametrize("text", ["story: 3", "history 3", "history: a", "history: 3 -5", "", "history"])
def test_a_state_of_openspiel_needs_its_word_a_colon_and_numbers(text: str) -> None:
    game = coppice.game(game_spec(TICTACTOE))
    with pytest.raises(ValueError, match="is not a state: write 'history: 3 5 8'"):
        game.state(text)


def test_a_state_of_openspiel_is_its_actions() -> None:
    game = coppice.game(game_spec(TICTACTOE))
    assert game.state("history: 4 0").to_move == "first"
    assert game.state(" history : 4").to_move == "second"
    over = "history: 0 3 1 4 2"
    assert game.state(over).outcome == "first"
    with pytest.raises(ValueError, match="action 8 is not legal"):
        game.state(f"{over} 8")


def test_a_bot_searches_in_the_game_that_it_is_given() -> None:
    theirs = pyspiel.load_game("havannah(board_size=4)")
    ours = CoppiceBot(theirs, "random", game="havannah(size=4)")
    assert ours._game.spec == coppice.game("havannah(size=4)").spec
    assert CoppiceBot(theirs, "random")._game.spec == coppice.game(game_spec(str(theirs))).spec
