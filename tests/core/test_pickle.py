"""Games, players, states and matches as values: equal, hashable, copied, and pickled into other processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coppice
from coppice.lab.match import Match

ROOT = Path(__file__).parent.parent.parent
WRITTEN = f'python("{ROOT}/examples/domineering.py:Domineering", options="4x4")'
GAMES = [
    "havannah(size=4, swap=true)",
    "breakthrough(rows=5, columns=4)",
    "domineering(rows=4, columns=4)",
    "atari_go(rows=4, columns=4)",
    "misere(nogo(rows=3, columns=3))",
    "mr_jack",
    WRITTEN,
]


def played(game: str, plies: int, seed: int) -> coppice.State:
    chance = random.Random(seed)
    state = coppice.game(game).start(seed=seed)
    for _ in range(plies):
        if state.outcome is None:
            state.play(chance.choice(state.legal_moves))
    return state


def told(state: coppice.State) -> tuple[object, ...]:
    """All that can be seen of a state."""
    return state.game, state.moves, state.legal_moves, state.text(reveal=True), state.to_move, state.outcome


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=15, deadline=None)
@given(plies=st.integers(0, 25), seed=st.integers(0, 100))
def test_a_pickled_state_is_the_same_state_with_its_whole_history(game: str, plies: int, seed: int) -> None:
    state = played(game, plies, seed)
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert hash(again) == hash(state)
    while True:
        assert told(again) == told(state)
        if not state.moves:
            break
        state.undo()
        again.undo()


def test_a_pickled_game_of_mr_jack_goes_on_with_the_same_cards() -> None:
    state = coppice.game("mr_jack").start(seed=5)
    again = pickle.loads(pickle.dumps(state))
    while state.outcome is None:
        move = state.legal_moves[len(state.moves) % len(state.legal_moves)]
        state.play(move)
        again.play(move)
        assert told(again) == told(state)


def test_equal_states_are_equal_and_others_are_not() -> None:
    game = coppice.game("havannah(size=4)")
    state = game.start().play("d4", "a1")
    assert state == game.start().play("d4", "a1")
    assert len({state, game.start().play("d4", "a1"), game.start()}) == 2
    assert state != game.start().play("a1", "d4")
    assert state != coppice.game("havannah(size=4, swap=true)").start().play("d4", "a1")
    assert state != game.state(state.text())
    assert state != "d4 a1"
    # The same moves from another deal are another game.
    deals = [coppice.game("mr_jack").start(seed=seed) for seed in (1, 1, 2)]
    assert deals[0] == deals[1]
    assert deals[0] != deals[2]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_goes_its_own_way(copied: object) -> None:
    assert callable(copied)
    state = coppice.game("mr_jack").start(seed=3)
    other = copied(state)
    assert other == state
    other.play(other.legal_moves[0])
    assert other != state
    assert not state.moves


def test_games_and_players_are_equal_by_what_their_specs_mean() -> None:
    assert coppice.game("havannah(size=6)") == coppice.game("havannah")
    assert coppice.game("havannah") != coppice.game("havannah(size=5)")
    assert coppice.player("uct( simulations=5 )") == coppice.player("uct(simulations=5)")
    assert coppice.player("uct") != coppice.player("rave")
    assert coppice.game("havannah") != coppice.player("uct")
    assert len({coppice.game("havannah"), coppice.game("havannah(size=6)")}) == 1
    assert len({coppice.player("uct"), coppice.player("uct")}) == 1


@pytest.mark.parametrize(
    "value",
    [
        coppice.game(WRITTEN),
        coppice.game("mr_jack"),
        coppice.player("rave(simulations=7)"),
        Match("havannah(size=4)", "uct(simulations=5)", "random", seed=3, openings="random(plies=2)"),
        Match(WRITTEN, "uct(simulations=5)", "random", openings=["a1a2 c1d1"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_a_spec_is_pickled_by_it(value: object) -> None:
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert again == value
        assert hash(again) == hash(value)
        assert repr(again) == repr(value)


def test_an_unpickled_match_plays_the_same_games() -> None:
    match = Match("tic_tac_toe", "uct(simulations=20)", "random", seed=4)
    again = pickle.loads(pickle.dumps(match))
    assert again.identity == match.identity
    assert again.play(6, store=None).score == match.play(6, store=None).score


def best_reply(state: coppice.State) -> str:
    return coppice.player("uct(simulations=50)").search(state, seed=1).best


def test_states_are_searched_in_other_processes() -> None:
    states = [played(game, 3, 1) for game in GAMES]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(best_reply, states) == [best_reply(state) for state in states]
