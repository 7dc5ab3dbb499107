"""OpenSpiel both ways: its games here, our players there."""

from __future__ import annotations

import re

import pyspiel
import pytest

import coppice
from coppice import extend
from coppice.match import Match
from coppice.openspiel import CoppiceBot, game_spec
from coppice.stats import Score, Tally


def mcts(game: pyspiel.Game, simulations: int, seed: int) -> pyspiel.MCTSBot:
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(game, evaluator, 1.4, simulations, 100, False, seed, False)


def score(game: pyspiel.Game, ours: CoppiceBot, theirs: pyspiel.Bot, games: int) -> Score:
    """What our bot, which has the first side in every second game, makes of it."""
    tally = Tally()
    for number in range(games):
        bots = [ours, theirs] if number % 2 == 0 else [theirs, ours]
        for bot in bots:
            bot.restart()
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(bots[state.current_player()].step(state))
        tally.add(number, (state.returns()[number % 2] + 1) / 2)
    return tally.score


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four(rows=4,columns=4,x_in_row=3)"])
def test_their_games_conform(name: str) -> None:
    try:
        pyspiel.load_game(name)
    except pyspiel.SpielError:
        name = "breakthrough(rows=4,columns=3)"
    extend.check(game_spec(name), games=2)


def test_the_same_game_here_and_there() -> None:
    theirs = coppice.game(game_spec("havannah(board_size=3)")).start()
    ours = coppice.game("havannah(size=3)").start()
    assert sorted(theirs.legal_moves) == sorted(ours.legal_moves)
    assert theirs.perft(3) == ours.perft(3)
    for move in ("a1", "b2", "c3"):
        theirs.play(move)
    assert theirs.text() == coppice.game(game_spec("havannah(board_size=3)")).state(theirs.text()).text()
    assert "a b c" in theirs.diagram()


def test_our_search_plays_their_game() -> None:
    found = Match(game_spec("tic_tac_toe"), "uct(simulations=100)", "random").play(10, store=None).score
    assert found.rate > 0.6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, 'name an OpenSpiel game: options="connect_four"'),
        ("no_such_game", "OpenSpiel has no game 'no_such_game': "),
        ("kuhn_poker", "'kuhn_poker' cannot be played here: a game needs no chance, perfect information"),
        ("matrix_rps", "a game needs players that take turns, perfect information"),
    ],
)
def test_games_that_cannot_be_played_here(text: str | None, message: str) -> None:
    spec = 'python("coppice.openspiel:OpenSpielGame")' if text is None else game_spec(text)
    with pytest.raises(ValueError, match=re.escape(message)):
        coppice.game(spec)


def test_texts_that_are_no_state() -> None:
    game = coppice.game(game_spec("tic_tac_toe"))
    with pytest.raises(ValueError, match="write 'history: 3 5 8'"):
        game.state("somewhere")
    with pytest.raises(ValueError, match="action 3 is not legal"):
        game.state("history: 3 3")


def test_a_short_match_against_their_search() -> None:
    game = pyspiel.load_game("tic_tac_toe")
    bot = CoppiceBot(game, "uct(simulations=200)")
    # Both play tic-tac-toe almost perfectly: draws, and hardly ever a loss.
    assert score(game, bot, mcts(game, 200, 1), 4).rate >= 0.25


def test_a_bot_that_searches_in_the_built_in_game() -> None:
    game = pyspiel.load_game("havannah(board_size=4)")
    bot = CoppiceBot(game, "uct(simulations=300)", game="havannah(size=4)")
    assert score(game, bot, CoppiceBot(game, "random"), 4).wins == 4


def test_names_that_do_not_fit_are_told() -> None:
    game = pyspiel.load_game("havannah(board_size=4)")
    bot = CoppiceBot(
        game, "uct(simulations=3)", game="havannah(size=4)", name=lambda state, action: f"x{action}"
    )
    with pytest.raises(
        ValueError, match=r"OpenSpiel has no action for the move '\w\d': check the naming of moves"
    ):
        bot.step(game.new_initial_state())


@pytest.mark.evidence
@pytest.mark.parametrize("simulations", [1_000, 5_000])
def test_a_strong_player_against_their_search_on_havannah(simulations: int) -> None:
    game = pyspiel.load_game("havannah(board_size=5)")
    bot = CoppiceBot(game, f"strong(simulations={simulations})", game="havannah(size=5)")
    found = score(game, bot, mcts(game, simulations, 1), 100)
    interval = found.interval()
    print(
        f"strong against OpenSpiel's MCTS, havannah size 5, {simulations} simulations each, seeds 0 and 1:"
        f" {found.wins}-{found.draws}-{found.losses} of {found.games},"
        f" {100 * found.rate:.1f} % [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"
    )
    assert found.games == 100
    assert interval.low > 0.5
