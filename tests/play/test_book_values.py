"""What an opening book says of each of its moves, and what changes when it learns of another position."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from coppice import Player, Report
from coppice._core import Chance
from coppice.core.report import MoveStat
from coppice.play.book import _VAIN, Book, Candidate, Entry, _Place, _searched, _walk, grow

GAME = "havannah(size=4)"
TOP = (("d4", 900, 0.6), ("c3", 100, 0.7))


def entry(line: str, *moves: tuple[str, int, float]) -> Entry:
    return Entry(tuple(line.split()), 0, tuple(Candidate(*move) for move in moves))


@pytest.fixture
def book() -> Book:
    """A book with a first move that is refuted by the position behind it."""
    found = Book(GAME, "strong(simulations=1)", 1000, 0)
    found.add(entry("", *TOP))
    found.add(entry("d4", ("a1", 500, 0.7)))
    return found


def values(book: Book) -> dict[str, tuple[int, float | None]]:
    report = book.find(book.game.start())
    assert report is not None
    return {
        stat.name: (stat.visits, None if stat.value is None else round(stat.value, 9))
        for stat in report.moves
    }


def test_only_the_book_s_own_move_has_the_value_from_behind(book: Book) -> None:
    assert values(book) == {"d4": (900, 0.3), "c3": (100, 0.7)}


def test_a_book_that_learns_forgets_what_it_had_concluded(book: Book) -> None:
    assert values(book)["d4"] == (900, 0.3)
    book.add(entry("c3", ("a1", 500, 0.45)))
    assert values(book) == {"d4": (900, 0.6), "c3": (100, 0.55)}


def test_a_report_from_the_book_counts_no_work(book: Book) -> None:
    report = book.find(book.game.start())
    assert report is not None
    work = (report.simulations, report.states, report.seconds, report.nodes, report.bytes, report.full_at)
    assert work == (0, 0, 0.0, 0, 0, None)
    assert (report.best, report.line, report.side) == ("d4", ("d4",), "first")


def test_a_position_is_in_the_book_or_not(book: Book) -> None:
    start = book.game.start()
    assert start in book
    assert start.copy().play("d4") in book
    assert start.copy().play("a1") not in book
    over = start.copy().play("a1", "d4", "b1", "d5", "c1", "e5", "d1")
    assert over.outcome
    assert over not in book


def test_positions_that_lead_to_each_other_in_a_circle_have_the_search_s_own_word(book: Book) -> None:
    # No game of the core comes back to a position; one of a guest may.
    there = entry("", ("to", 10, 0.6))
    back = entry("to", ("back", 10, 0.9))
    book._places = {
        "a": _Place(there, ((0,),), ("b",), (True,)),
        "b": _Place(back, ((0,),), ("a",), (True,)),
    }
    book._values.clear()
    for place, value in (("a", 0.6), ("b", 0.4)):
        move, found = book._best(place)
        assert move == 0
        assert found == pytest.approx(value)


# Growing


def test_growing_ends_after_so_many_walks_in_vain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walks: list[int] = []

    def nowhere(book: Book, walk: int) -> None:
        walks.append(walk)

    monkeypatch.setitem(grow.__globals__, "_walk", nowhere)
    grow(tmp_path / "book.jsonl", GAME, player="uct", positions=3, simulations=1)
    assert walks == list(range(_VAIN))


def test_the_first_candidate_is_what_the_player_would_play(book: Book) -> None:
    state = book.game.start()
    moves = (
        MoveStat("a1", 40, 0.3, None),
        MoveStat("d4", 900, 0.6, None),
        MoveStat("c3", 100, 0.7, None),
        MoveStat("b1", 4, 0.9, None),
        MoveStat("c1", 0, None, None),
    )
    found = replace(Player("random").search(state), best="c3", moves=moves)

    class Decided(Player):
        def search(self, *_: object, **__: object) -> Report:
            return found

    book.player = Decided("random")
    # What had less than a twentieth of its visits is left out, and what had none.
    assert _searched(book, state, 7) == Entry(
        (), 7, (Candidate("c3", 100, 0.7), Candidate("d4", 900, 0.6), Candidate("a1", 40, 0.3))
    )


def test_walks_of_two_seeds_have_no_chance_in_common(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def seen(seed: int) -> Chance:
        seeds.append(seed)
        return Chance(seed)

    monkeypatch.setitem(_walk.__globals__, "Chance", seen)
    book.seed = 3
    _walk(book, 7)
    assert seeds == [3 * 2**32 + 7]
