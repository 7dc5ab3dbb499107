"""AtariGo with all its options against rules in plain Python that share nothing with the core."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

import coppice

Point = tuple[int, int]
LETTERS = "abcdefghjk"


class Oracle:
    """A position: stones by point (column and row from the lower left), sides 0 and 1, the winner if any."""

    def __init__(self, rows: int, columns: int, *, suicide: str = "forbidden", start: str = "empty") -> None:
        self.rows, self.columns, self.suicide = rows, columns, suicide
        self.stones: dict[Point, int] = {}
        if start == "cross_cut":
            left, low = columns // 2 - 1, rows // 2 - 1
            self.stones = {(left, low): 0, (left + 1, low + 1): 0, (left + 1, low): 1, (left, low + 1): 1}
        self.side = 0
        self.winner: int | None = None

    def points(self) -> list[Point]:
        return [(column, row) for row in range(self.rows) for column in range(self.columns)]

    def has_liberty(self, stones: dict[Point, int], point: Point) -> bool:
        group, reached = {point}, [point]
        while reached:
            column, row = reached.pop()
            for near in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
                if not (0 <= near[0] < self.columns and 0 <= near[1] < self.rows) or near in group:
                    continue
                if near not in stones:
                    return True
                if stones[near] == stones[point]:
                    group.add(near)
                    reached.append(near)
        return False

    def judged(self, point: Point) -> str:
        """What a stone does: `takes`, `dies` or `lives`."""
        stones = {**self.stones, point: self.side}
        enemy = [other for other, owner in stones.items() if owner != self.side]
        if any(not self.has_liberty(stones, other) for other in enemy):
            return "takes"
        return "lives" if self.has_liberty(stones, point) else "dies"

    def moves(self) -> dict[str, Point]:
        if self.winner is not None:
            return {}
        free = (point for point in self.points() if point not in self.stones)
        legal = (point for point in free if self.suicide == "loses" or self.judged(point) != "dies")
        return {f"{LETTERS[column]}{row + 1}": (column, row) for column, row in legal}

    def after(self, point: Point) -> Oracle:
        then = Oracle(self.rows, self.columns, suicide=self.suicide)
        then.stones, then.side = {**self.stones, point: self.side}, 1 - self.side
        what = self.judged(point)
        if what == "takes":
            then.winner = self.side
        elif what == "dies" or not then.moves():
            then.winner = then.side if what == "dies" else self.side
        return then


OPTIONS = [
    {"suicide": suicide, "start": start}
    for suicide, start in itertools.product(("forbidden", "loses"), ("empty", "cross_cut"))
]


def named(rows: int, columns: int, options: dict[str, str]) -> str:
    given = "".join(f", {name}={value}" for name, value in options.items())
    return f"atari_go(rows={rows}, columns={columns}{given})"


def lines(position: Oracle, depth: int) -> Iterator[Oracle]:
    """The ends of all sequences of so many moves."""
    for point in position.moves().values():
        after = position.after(point)
        if depth == 1:
            yield after
        else:
            yield from lines(after, depth - 1)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("misere", [False, True])
def test_the_number_of_games_agrees_with_plain_rules(options: dict[str, str], misere: bool) -> None:
    rows, columns, deepest = (3, 4, 4) if options["start"] == "cross_cut" else (3, 3, 4)
    spec = named(rows, columns, options)
    counts = coppice.game(f"misere({spec})" if misere else spec).start().perft(deepest)
    assert [count.depth for count in counts] == list(range(1, deepest + 1))
    for count in counts:
        ends = list(lines(Oracle(rows, columns, **options), count.depth))
        wins = [sum(end.winner == side for end in ends) for side in (0, 1)]
        found = [count.wins_first, count.wins_second]
        assert (count.sequences, count.terminal) == (len(ends), sum(wins))
        assert found == (wins[::-1] if misere else wins)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (5, 5), (6, 4), (3, 7)])
def test_random_games_agree_with_plain_rules(rows: int, columns: int, options: dict[str, str]) -> None:
    rng = random.Random(rows * 10 + columns)
    rules = coppice.game(named(rows, columns, options))
    ends = set()
    for _ in range(40):
        state, oracle = rules.start(), Oracle(rows, columns, **options)
        while state.outcome is None:
            moves = oracle.moves()
            assert set(state.legal_moves) == set(moves)
            move = rng.choice(sorted(moves))
            state.play(move)
            oracle = oracle.after(moves[move])
            assert rules.state(state.text()).outcome == state.outcome
        assert state.outcome == ("first", "second")[oracle.winner or 0]
        assert oracle.winner is not None
        ends.add(state.end_kind)
    assert ("suicide" in ends) == (options["suicide"] == "loses")


def test_playouts_end_as_often_in_suicide_as_random_games() -> None:
    """The fast playouts and single moves, by the share of games that the first side wins."""
    rules = coppice.game("atari_go(rows=4, columns=4, suicide=loses)")
    rng, won = random.Random(5), 0
    for _ in range(2000):
        state = rules.start()
        while state.outcome is None:
            state.play(rng.choice(state.legal_moves))
        won += state.outcome == "first"
    fast = rules.start().random_games(20_000, seed=3)["first_wins"]
    # Four standard deviations of the slow count.
    assert abs(won / 2000 - fast / 20_000) < 0.045


@pytest.mark.parametrize("options", ["suicide=loses", "start=cross_cut", "suicide=loses, start=cross_cut"])
def test_the_options_of_atari_go_change_play(options: str) -> None:
    def visits(game: str) -> list[tuple[str, int]]:
        report = coppice.player("uct(simulations=300)").search(coppice.game(game).start(), seed=1)
        return [(stat.name, stat.visits) for stat in report.moves]

    assert visits(f"atari_go({options})") != visits("atari_go")


def test_a_cross_cut_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="start=cross_cut leaves stones without liberty on 2x3"):
        coppice.game("atari_go(rows=2, columns=3, start=cross_cut)").start()
