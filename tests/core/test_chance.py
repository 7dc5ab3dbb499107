"""Chance: what each seed, game, ply and side draws, and that no two of them draw the same."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

import coppice
from coppice import Limit
from coppice.lab.match import Match

BOARD = "hex(size=5)"


def games(match: Match, count: int) -> list[list[str]]:
    return [record.moves.split() for record in match.play(count, store=None).records]


def test_both_games_of_a_pair_begin_alike_and_go_on_by_chances_of_their_own() -> None:
    played = games(Match(BOARD, "random", "random", seed=3, openings="random(plies=3)"), 40)
    pairs = list(zip(played[::2], played[1::2], strict=True))
    assert all(one[:3] == other[:3] for one, other in pairs)
    # Four random moves of about 20 are not drawn alike by accident.
    assert all(one[3:7] != other[3:7] for one, other in pairs)
    openings = Counter(tuple(one[:3]) for one, _ in pairs)
    assert len(openings) == len(pairs), "each pair has an opening of its own"


def test_no_two_games_of_a_match_are_the_same_and_no_two_matches() -> None:
    played = {seed: games(Match(BOARD, "random", "random", seed=seed), 40) for seed in (0, 1)}
    every = [game[:6] for one in played.values() for game in one]
    assert all(one != other for one, other in combinations(every, 2))
    again = games(Match(BOARD, "random", "random", seed=1), 40)
    assert again == played[1]


def test_random_moves_are_drawn_evenly_at_every_ply() -> None:
    """By ply and side, since each has a stream of its own."""
    match = Match("tic_tac_toe", "random", "random", seed=5)
    played = games(match, 3000)
    for ply in range(3):
        seen = Counter(game[ply] for game in played)
        least, most = min(seen.values()), max(seen.values())
        expected, deviation = 3000 / 9, (3000 * 8 / 81) ** 0.5
        assert len(seen) == 9
        assert expected - 4.5 * deviation < least < most < expected + 4.5 * deviation
    # And whatever the ply before has taken, so that a stream used twice would show.
    cells = [column + row for column in "abc" for row in "123"]
    steps = Counter((cells.index(game[1]) - cells.index(game[0])) % 9 for game in played)
    expected, deviation = 3000 / 8, (3000 * 7 / 64) ** 0.5
    assert steps.keys() == set(range(1, 9))
    assert all(abs(count - expected) < 4.5 * deviation for count in steps.values())


@pytest.mark.parametrize("player", ["uct", "rave"])
def test_thinking_repeats_with_its_seed_and_changes_with_it(player: str) -> None:
    state = coppice.game(BOARD).start()

    def thought(seed: int) -> list[tuple[str, int]]:
        thinking = coppice.player(player).think(state, seed=seed)
        return [(stat.name, stat.visits) for stat in thinking.run(Limit(simulations=300)).moves]

    found = [thought(seed) for seed in (0, 0, 1, 2, 2**40)]
    assert found[0] == found[1]
    assert all(one != other for one, other in combinations(found[1:], 2))
    searched = coppice.player(player).search(state, Limit(simulations=300), seed=2)
    assert [(stat.name, stat.visits) for stat in searched.moves] == found[3], (
        "as a search with this seed does"
    )
