"""Tests of records of real games: any random game in every format, and files that the rules contradict."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from coppice import PartInfo, catalogue
from coppice.core.session import Game
from coppice.records.files import check_record, format_of, read_records, write_records
from coppice.records.sgf import Record
from coppice.records.sgf_syntax import RecordError
from coppice.records.tree import RESIGN, ROOT, Estimate

HGF = "(;FF[4]SZ[8]RU[LG]RE[B];W[H3];B[swap];W[D4];B[resign])"
GAMES = [part.name for part in catalogue() if part.family == "game" and part.name not in ("misere", "python")]


def random_record(spec: str, seed: int) -> Record:
    """A random game to its end with one variation, a comment and an analysis."""
    rng = random.Random(seed)
    game = Game(spec)
    state = game.start(seed=seed)
    record = Record(game.spec, "x", "y")
    record.root.properties["XP"] = [state.text(reveal=True)]
    tree, at = record.tree, ROOT
    while state.outcome is None:
        moves = state.legal_moves
        before, at = at, tree.add(at, rng.choice(moves))
        if rng.random() < 0.1:
            tree[tree.add(before, rng.choice(moves))].comment = "or this"
            tree[before].analysis = [Estimate(move, rng.randrange(1000), rng.random()) for move in moves[:3]]
        state.play(tree[at].move)
    record.winner = state.outcome
    return record


@pytest.mark.parametrize("spec", GAMES)
def test_any_game_survives_plain_text(spec: str) -> None:
    for seed in range(5):
        record = random_record(spec, seed)
        text = write_records([record], "text")
        assert format_of(text) == "text"
        assert read_records(text) == [record]
        assert check_record(record) == []


@pytest.mark.parametrize("size", [2, 4, 8, 13])
@pytest.mark.parametrize("swap", ["true", "false"])
def test_havannah_survives_hgf(size: int, swap: str) -> None:
    for seed in range(5):
        record = random_record(f"havannah(size={size}, swap={swap})", seed)
        text = write_records([record], "hgf")
        assert format_of(text) == "hgf"
        assert read_records(text) == [record]


OPEN = [part for part in catalogue("game") if part.name in GAMES and not Game(part.name).hidden]


@st.composite
def open_games(draw: st.DrawFn) -> str:
    """A game without hidden information, misère or not, of any size up to seven."""
    part = draw(st.sampled_from(OPEN))
    options = []
    for option in part.options:
        if option.kind == "bool":
            options.append(f"{option.name}={draw(st.sampled_from(['true', 'false']))}")
        elif option.kind == "choice":
            options.append(f"{option.name}={draw(st.sampled_from(option.choices))}")
        elif not option.or_none:
            assert option.min is not None
            options.append(f"{option.name}={draw(st.integers(int(option.min), 7))}")
    spec = f"{part.name}({', '.join(options)})"
    # A cross-cut does not fit on every board.
    sides = [int(number) for number in re.findall(r"(?:rows|columns)=(\d+)", spec)]
    assume("cross_cut" not in spec or max(sides) >= 4)
    return f"misere({spec})" if draw(st.booleans()) else spec


def test_the_open_games_are_all_but_mr_jack() -> None:
    assert {part.name for part in OPEN} == {*GAMES} - {"mr_jack"}


@given(st.lists(st.tuples(open_games(), st.integers(0, 1000)), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_open_games_survive_sgf_several_in_a_file(games: list[tuple[str, int]]) -> None:
    records = [random_record(spec, seed) for spec, seed in games]
    text = write_records(records, "sgf")
    assert format_of(text) == "sgf"
    again = read_records(text)
    assert again == records
    assert [check_record(record) for record in again] == [[] for _ in games]
    assert write_records(again, "sgf") == text


@pytest.mark.parametrize("part", OPEN, ids=lambda part: part.name)
@pytest.mark.parametrize("form", ["{}", "misere({})"])
def test_every_open_game_survives_sgf(part: PartInfo, form: str) -> None:
    record = random_record(form.format(part.name), 1)
    assert read_records(write_records([record], "sgf")) == [record]


def test_sgf_names_the_moves_of_games_that_the_standard_does_not_know() -> None:
    for spec, moves, line in (
        ("havannah(size=4, swap=true)", ["d4", "swap", "a1"], ";W[d4];B[swap];W[a1])"),
        ("breakthrough(rows=5, columns=5)", ["a2-a3", "b4-b3"], ";W[a2-a3];B[b4-b3])"),
        ("knightthrough(rows=5, columns=5)", ["c2-a3"], ";W[c2-a3])"),
        ("domineering(rows=4, columns=4)", ["a1a2", "b1c1"], ";B[a1a2];W[b1c1])"),
    ):
        text = write_records([Record.of_moves(Game(spec).spec, moves, winner="first")], "sgf")
        head, line_read = text.split("\n")[0], text[text.index(";", 2) :].strip()
        assert line_read == line
        assert f"XG[{Game(spec).spec}]" in head
        assert ("RE[W+]" if line.startswith(";W") else "RE[B+]") in head
        # Without GM a file is Go's by the standard: XG is what tells the game.
        assert "GM[" not in head
        (record,) = read_records(text)
        assert (record.moves, record.winner) == (moves, "first")
        assert read_records(text.replace("XG", "XX"), game=spec)[0].moves == moves
    assert "GM[1]" in write_records([Record("nogo")], "sgf")
    assert "GM[" not in write_records([Record("tic_tac_toe")], "sgf")


def test_sgf_refuses_hidden_cards_and_the_wrong_colour() -> None:
    with pytest.raises(ValueError, match="expected a game without hidden information for SGF, found mr_jack"):
        write_records([Record("mr_jack")], "sgf")
    with pytest.raises(RecordError, match="line 1: expected a game without hidden information for SGF"):
        read_records("(;XG[mr_jack])")
    with pytest.raises(RecordError, match="line 1: expected a move of W, found one of B"):
        read_records("(;XG[havannah];B[d4])")


def test_sgf_counts_from_the_upper_left_corner_and_knows_the_letter_i() -> None:
    record = Record.of_moves("nogo(rows=9, columns=9)", ["a9", "j1"])
    assert ";B[aa];W[ii])" in write_records([record], "sgf")
    assert "SZ[3:2]" in write_records([Record("nogo(rows=2, columns=3)")], "sgf")
    (foreign,) = read_records("(;GM[1]SZ[9];B[aa];W[ii])", game="nogo(rows=9,columns=9)")
    assert foreign.moves == ["a9", "j1"]


def test_a_file_of_little_golem_is_played_by_the_rules() -> None:
    (record,) = read_records(HGF)
    # The row H is the eighth, the longest, whose first cell is in column a.
    assert record.moves == ["c8", "swap", "d4"]
    assert check_record(record) == []
    (wrong,) = read_records(HGF.replace("RE[B]", "RE[W]"))
    assert check_record(wrong) == [
        "the file says that the second side won, but by its moves the first side won"
    ]


def test_a_wrong_winner_gives_a_warning_and_an_unfinished_game_none() -> None:
    record = random_record("tic_tac_toe", 1)
    record.winner = "draw" if record.winner == "first" else "first"
    (warning,) = check_record(record)
    assert warning.startswith("the file says that")
    assert check_record(Record.of_moves("tic_tac_toe", ["a1"], winner="first")) == []


def test_illegal_moves_are_named_in_variations_too() -> None:
    record = Record.of_moves("tic_tac_toe", ["a1", "b2", "c3"])
    wrong = record.tree.add(1, "a1")
    with pytest.raises(RecordError, match=r"^move 2: expected a legal move, found 'a1'"):
        check_record(record)
    record.tree[wrong].move = RESIGN
    assert check_record(record) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;GM[1]\n;B[aa])", "line 1: expected XG, the spec of the game, found none: give the game"),
        ("(;XG[havannah];W[])", "line 1: expected a move, found ''"),
        ("(;XG[nogoo];B[aa])", "line 1: unknown game 'nogoo'"),
        ("(;XG[nogo]\n;B[zz])", "line 2: expected a move, found 'zz' (a move is one of "),
        ("(;SZ[99]RU[LG];W[A1])", "line 1: "),
        ("hello", "line 1: expected '(;', the beginning of a game tree, found none"),
    ],
)
def test_files_that_cannot_be_read_name_the_line(text: str, message: str) -> None:
    with pytest.raises(RecordError, match="^" + re.escape(message)):
        read_records(text)


def test_records_that_a_format_cannot_hold_are_refused() -> None:
    record = Record("tic_tac_toe")
    with pytest.raises(RecordError, match="expected a game of havannah for HGF, found tic_tac_toe"):
        write_records([record], "hgf")
    with pytest.raises(RecordError, match=r"expected a game of havannah for HGF, found misere"):
        write_records([Record("misere(havannah)")], "hgf")
    with pytest.raises(RecordError, match="expected one game for a plain text, found 2"):
        write_records([record, record], "text")
    with pytest.raises(ValueError, match="unknown format 'pgn': allowed are sgf, hgf, text"):
        write_records([record], "pgn")  # type: ignore[arg-type]
