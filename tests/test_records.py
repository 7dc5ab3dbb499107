"""Tests of records of real games: any random game in every format, and files that the rules contradict."""

from __future__ import annotations

import random
import re

import pytest

from coppice import catalogue
from coppice.records import check_record, format_of, read_records, write_records
from coppice.session import Game
from coppice.sgf import RESIGN, Estimate, Record, RecordError, Turn

HGF = "(;FF[4]SZ[8]RU[LG]RE[B];W[H3];B[swap];W[D4];B[resign])"
GAMES = [part.name for part in catalogue() if part.family == "game" and part.name not in ("misere", "python")]


def random_record(spec: str, seed: int) -> Record:
    """A random game to its end with one variation, a comment and an analysis."""
    rng = random.Random(seed)
    game = Game(spec)
    state = game.start(seed=seed)
    record = Record(game.spec, "x", "y")
    record.root.properties["XP"] = [state.text(reveal=True)]
    turn = record.root
    while state.outcome is None:
        moves = state.legal_moves
        parent, turn = turn, turn.add(rng.choice(moves))
        if rng.random() < 0.1:
            parent.add(rng.choice(moves)).comment = "or this"
            parent.analysis = [Estimate(move, rng.randrange(1000), rng.random()) for move in moves[:3]]
        state.play(turn.move)
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


@pytest.mark.parametrize(
    "spec", ["nogo(rows=9, columns=9)", "atari_go(rows=7, columns=7)", "nogo(rows=3, columns=10)"]
)
def test_games_on_a_go_board_survive_sgf(spec: str) -> None:
    for seed in range(5):
        record = random_record(spec, seed)
        text = write_records([record], "sgf")
        assert format_of(text) == "sgf"
        assert read_records(text) == [record]


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
    record.root.children[0].add("a1")
    with pytest.raises(RecordError, match=r"^move 2: expected a legal move, found 'a1'"):
        check_record(record)
    record.root.children[0].children[1] = Turn(RESIGN)
    assert check_record(record) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;GM[1]\n;B[aa])", "line 1: expected XG, the spec of the game, found none: give the game"),
        (
            "(;XG[havannah];B[aa])",
            "line 1: expected a game whose moves are points of a square board for SGF, found",
        ),
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
    with pytest.raises(ValueError, match="for SGF, found havannah"):
        write_records([Record("havannah")], "sgf")
    with pytest.raises(RecordError, match="expected one game for a plain text, found 2"):
        write_records([record, record], "text")
    with pytest.raises(ValueError, match="unknown format 'pgn': allowed are sgf, hgf, text"):
        write_records([record], "pgn")  # type: ignore[arg-type]
