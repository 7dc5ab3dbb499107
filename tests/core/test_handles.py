"""Games and players are read and built once, and handed on by their handles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import coppice
from coppice import Game, Player, State, _core
from coppice.lab.match import Match

HAVANNAH = "havannah(size=7, swap=true)"
"""A game that no other test builds players for."""


def builds(work: Callable[[], object]) -> tuple[int, int]:
    """How many games and players the core builds for some work."""
    games, players = _core.built()
    work()
    games_after, players_after = _core.built()
    return games_after - games, players_after - players


def test_what_is_built_is_counted() -> None:
    def new() -> None:
        Player("uct(simulations=21)").search(Game("domineering(rows=3, columns=7)").start())

    assert builds(new) == (1, 1)
    assert builds(new) == (0, 0)


def test_nothing_is_built_again_on_the_way_to_a_search() -> None:
    game, player = Game(HAVANNAH), Player("uct(simulations=23)")
    state = game.start()
    assert builds(lambda: player.search(state)) == (0, 1)
    position = state.copy().play("d4").text()

    def more() -> None:
        player.check(state.game)
        player.search(state.game.start(seed=3))
        thinking = player.think(state.game.state(position))
        thinking.run(coppice.Limit(simulations=10))
        Player(player).search(Game(state.game).start())
        Player("uct", simulations=23).search(Game("havannah", size=7, swap=True).start())
        assert player.on(state.game) == player
        state.game.board()

    assert builds(more) == (0, 0)


def test_nothing_is_built_again_for_a_match_between_players_that_are_known() -> None:
    game, a, b = Game(HAVANNAH), Player("uct(simulations=11)"), Player("rave(simulations=12)")
    for player in (a, b):
        player.check(game)
    match = Match(game, a, b, seed=1)
    # The lines that play versions are made of name games, too; they are read once.
    assert match.play_version

    def play() -> None:
        assert Match(game.spec, a.spec, b.spec, seed=1).play(4, store=None).score.games == 4
        _core.check_player(game.spec, a.spec)

    assert builds(play) == (0, 0)


def test_what_a_name_stands_for_is_built_once() -> None:
    game, strong = Game(HAVANNAH), Player("strong(simulations=13)")
    strong.search(game.start())
    assert builds(lambda: strong.on(game)) == (0, 0)
    assert strong.on(game).spec == _core.canonical("player", "strong(simulations=13)", HAVANNAH)
    assert builds(lambda: strong.search(game.start())) == (0, 0)


def test_a_handle_stands_for_its_text() -> None:
    game, a, b = _core.Game("tic_tac_toe"), _core.Player("uct(simulations=20)"), _core.Player("random")
    _core.check_player(game, a)
    assert _core.canonical("player", a.spec, game) == a.spec
    assert _core.play_version(game, a) == _core.play_version(game.spec, a.spec)

    def played(*specs: _core.Game | _core.Player | str) -> list[str]:
        games = _core.play_games(*specs, seed=2, indices=[0, 1, 2], threads=1, openings="none")  # type: ignore[arg-type]
        return [record["moves"] for records in games for record in records]

    assert played(game, a, b) == played(game.spec, a.spec, b.spec)
    with pytest.raises(ValueError, match=r"player b: .*unknown player 'nobody'"):
        _core.play_games(game, a, "nobody", seed=1, indices=[0], threads=1, openings="none")


def test_scripts_are_kept_for_a_game_in_play_and_read_anew_for_the_next(tmp_path: Path) -> None:
    def write(worth: float) -> None:
        for file, _ in _core.rule_scripts("mr_jack"):
            (tmp_path / file).write_text(f"return function(turn) return 1, {worth} end", encoding="utf-8")

    def worth(state: State) -> float:
        return state.scripted(state.legal_moves[0], rules=str(tmp_path), reveal=True)[1]

    write(0.25)
    game = Game("mr_jack")
    state = game.start(seed=1)
    assert worth(state) == 0.25
    write(0.5)
    assert worth(state) == worth(state.copy()) == 0.25
    assert worth(game.start(seed=1)) == worth(Game("mr_jack").start(seed=1)) == 0.5


def test_a_state_and_its_game_are_equal_as_before() -> None:
    state: State = Game("tic_tac_toe").start().play("a1")
    assert state.game == Game("tic_tac_toe")
    assert hash(state.game) == hash(Game("tic_tac_toe"))
    assert repr(state) == "<State of tic_tac_toe after 1 moves>"
