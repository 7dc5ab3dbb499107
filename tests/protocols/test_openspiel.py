"""OpenSpiel both ways: its games here, our players there."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pyspiel
import pytest
from command import run

import coppice
from coppice.core import extend
from coppice.lab.match import Match
from coppice.lab.stats import Score, Tally
from coppice.lab.store import Store
from coppice.protocols.openspiel import CoppiceBot, _names_of, game_spec
from coppice.records.sgf import split_moves


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


def test_moves_that_differ_in_their_case_alone_are_two_moves() -> None:
    state = coppice.game(game_spec("chess")).start().play("b3", "c5", "e3", "c4")
    assert {"bxc4", "Bxc4"} <= set(state.legal_moves)
    ends = set()
    for move in ("bxc4", "Bxc4"):
        after = state.copy().play(move)
        assert after.moves[-1] == move
        assert coppice.game(game_spec("chess")).state(after.text()).text() == after.text()
        ends.add(after.text())
    assert len(ends) == 2
    assert state.copy().play("NF3").moves[-1] == "Nf3"
    with pytest.raises(
        ValueError, match=r"'BXC4' could be (bxc4 or Bxc4|Bxc4 or bxc4): upper and lower case matter"
    ):
        state.play("BXC4")


def test_a_bot_plays_the_very_move_that_its_search_has_found() -> None:
    game = pyspiel.load_game("chess")
    state = game.new_initial_state()
    for name in ("b3", "c5", "e3", "c4"):
        state.apply_action(state.string_to_action(name))
    for name in ("bxc4", "Bxc4"):
        bot = CoppiceBot(game, "random")
        report = bot._player.search(bot._state(state))
        found = replace(report, best=name)
        bot._player = cast(coppice.Player, SimpleNamespace(search=lambda *_, found=found, **__: found))
        assert state.action_to_string(state.current_player(), bot.step(state)) == name


def test_a_match_of_chess_is_recorded_so_that_it_can_be_replayed(tmp_path: Path) -> None:
    match = Match(game_spec("chess"), "random", "random", openings=["b3 c5 e3 c4 Bxc4", "b3 c5 e3 c4 bxc4"])
    with Store(tmp_path / "chess.db") as store:
        match.play(4, store=store)
        records = list(store.records(match.identity, 4))
    for record in records:
        state = coppice.game(match.game).start().play(*split_moves(record.moves))
        assert state.outcome == (record.winner or "draw")
        assert state.moves[4] == ("Bxc4" if record.index < 2 else "bxc4")
    game = tmp_path / "game.txt"
    guest = ("--guest", match.game)
    assert run("convert", str(tmp_path / "chess.db"), str(game), "--index", "0", *guest).returncode == 0
    done = run("replay", str(game), "--move", "5", *guest)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^5\. \w+ Bxc4$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", ["tic_tac_toe", "nim", "amazons", "dots_and_boxes", "go(board_size=3)"])
def test_a_move_is_called_by_one_word(name: str) -> None:
    match = Match(game_spec(name), "random", "random")
    records = match.play(2, store=None).records
    assert len(records) == 2
    for record in records:
        state = coppice.game(match.game).start().play(*record.moves.split())
        assert state.outcome == (record.winner or "draw")
        assert len(state.moves) == record.length
        assert "," not in record.moves


def test_actions_that_share_a_name_are_told_apart_by_their_numbers() -> None:
    names = {3: "take", 5: "take", 8: "x(0, 1)"}
    state = SimpleNamespace(
        current_player=lambda: 0,
        legal_actions=lambda: list(names),
        action_to_string=lambda player, action: names[action],
    )
    assert _names_of(state) == {3: "take#3", 5: "take#5", 8: "x(0_1)"}


@pytest.mark.evidence
def test_chess_conforms() -> None:
    extend.check(game_spec("chess"), games=2)


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
    for text in ("somewhere", "history", "history 3", "future: 3", "history: 3 b2"):
        with pytest.raises(ValueError, match=f"'{text}' is not a state: write 'history: 3 5 8'"):
            game.state(text)
    assert game.state("history: 3 5").moves == []
    assert game.state("history: 3 5").to_move == "first"
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
