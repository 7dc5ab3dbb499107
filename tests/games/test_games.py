"""Every game through the public API, and Breakthrough against OpenSpiel."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyspiel
import pytest

import coppice

PERFT = json.loads((Path(__file__).parent.parent / "data" / "perft.json").read_text())
GAMES = [part.name for part in coppice.catalogue("game") if part.name not in ("misere", "python")]
OPEN = [name for name in GAMES if not coppice.game(name).hidden]
SMALL = {
    "domineering_3x3": "domineering(rows=3, columns=3)",
    "nogo_3x3": "nogo(rows=3, columns=3)",
    "atarigo_3x3": "atari_go(rows=3, columns=3)",
    "breakthrough_3x3_1row": "breakthrough(rows=3, columns=3)",
    "breakthrough_4x4_1row": "breakthrough(rows=4, columns=4)",
    "knightthrough_4x4_1row": "knightthrough(rows=4, columns=4)",
}
FIVE = {"atarigo": "atari_go"}


def check(game: str, stored: dict[str, dict[str, int]], deepest: int) -> None:
    counts = coppice.game(game).start().perft(deepest)
    for count in counts:
        depth = str(count.depth)
        kept = [stored[name][depth] for name in ("perft", "terminal", "wins_first", "wins_second")]
        assert [count.sequences, count.terminal, count.wins_first, count.wins_second] == kept, (game, depth)


@pytest.mark.parametrize("name", PERFT["games_5x5"])
def test_perft_on_5x5(name: str) -> None:
    check(FIVE.get(name, name), PERFT["games_5x5"][name], 5)


@pytest.mark.parametrize("name", SMALL)
def test_perft_of_whole_small_games(name: str) -> None:
    stored = PERFT["small_boards_whole_game"][name]
    check(SMALL[name], stored, max(map(int, stored["perft"])))


@pytest.mark.parametrize(("size", "ranks", "games"), [(6, 2, 700), (8, 2, 600), (5, 1, 700)])
def test_breakthrough_agrees_with_openspiel(size: int, ranks: int, games: int) -> None:
    rng = random.Random(size)
    rules = coppice.game(f"breakthrough(rows={size}, columns={size}, ranks={ranks})")
    theirs = pyspiel.load_game("breakthrough", {"rows": size, "columns": size})

    def translated(move: str) -> str:
        # OpenSpiel's Black moves first and downward: rows count from the other end, captures end in '*'.
        mirrored = [name[0] + str(size + 1 - int(name[1:])) for name in move.replace("x", "-").split("-")]
        return "".join(mirrored) + ("*" if "x" in move else "")

    for _ in range(games):
        state, other = rules.start(), theirs.new_initial_state()
        while state.outcome is None:
            assert not other.is_terminal()
            actions = {other.action_to_string(action): action for action in other.legal_actions()}
            moves = state.legal_moves
            assert {translated(move) for move in moves} == set(actions)
            move = rng.choice(moves)
            state.play(move)
            other.apply_action(actions[translated(move)])
        assert other.is_terminal()
        assert other.returns()[0] == (1.0 if state.outcome == "first" else -1.0)


@pytest.mark.parametrize("name", OPEN)
def test_a_state_is_told_in_every_form(name: str) -> None:
    state = coppice.game(name).start()
    rng = random.Random(1)
    for _ in range(4):
        state.play(rng.choice(state.legal_moves))
    again = state.game.state(state.text())
    assert (again.key, again.to_move, again.legal_moves) == (state.key, state.to_move, state.legal_moves)
    assert state.svg().startswith("<svg")
    assert state.svg().endswith("</svg>")
    assert len(state.diagram().splitlines()) > 2, f"{name} needs a diagram of several lines for the terminal"
    assert "after 4 moves" in repr(state)
    assert state.view("first") == {"position": state.text()}
    before = state.text()
    for move in state.legal_moves[:5]:
        assert state.move_cells(move) or move == "swap"
        assert state.play(move).undo().text() == before


@pytest.mark.parametrize("name", OPEN)
def test_misere_exchanges_the_winner_and_nothing_else(name: str) -> None:
    rng = random.Random(2)
    for _ in range(5):
        state, reverse = coppice.game(name).start(), coppice.game(f"misere({name})").start()
        while state.outcome is None:
            assert state.legal_moves == reverse.legal_moves
            move = rng.choice(state.legal_moves)
            state.play(move)
            reverse.play(move)
        assert reverse.outcome == {"first": "second", "second": "first", "draw": "draw"}[state.outcome]


@pytest.mark.parametrize("name", OPEN)
def test_uct_beats_random_play(name: str) -> None:
    score = coppice.Match(name, "uct(simulations=200)", "random", seed=3).play(20, store=None).score
    # Twenty games: a fair coin reaches fifteen points once in fifty.
    assert score.points >= 15


def test_uct_plays_misere_to_win() -> None:
    score = (
        coppice.Match("misere(breakthrough)", "uct(simulations=300)", "random", seed=3)
        .play(20, store=None)
        .score
    )
    assert score.points >= 15


def test_undo_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no move to take back"):
        coppice.game("domineering").start().undo()
