"""Tests of records: syntax, round trips in every format, files of Little Golem, broken files, fuzzing."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coppice.records.sgf import (
    Notation,
    Record,
    disagreement,
    read_hgf,
    read_sgf,
    read_text,
    split_moves,
    write_hgf,
    write_sgf,
    write_text,
)
from coppice.records.sgf_syntax import Node, RecordError, decode, first_node, parse, serialise
from coppice.records.tree import RESIGN, ROOT, Estimate, GameTree, Turn

# A board of 9 by 9 points whose moves are named a1 to i9; files count rows from the top.


def read_point(value: str) -> str:
    if not re.fullmatch("[a-i]{2}", value):
        raise ValueError("a point is two letters from a to i")
    return f"{value[0]}{9 - 'abcdefghi'.index(value[1])}"


def write_point(name: str) -> str:
    if not re.fullmatch("[a-i][1-9]", name):
        raise ValueError("a name is a letter and a digit")
    return name[0] + "abcdefghi"[9 - int(name[1])]


POINTS = Notation(read_point, write_point, {"GM": "1", "SZ": "9"})


def understand(root: Node) -> tuple[str, Notation]:
    if root.properties.get("SZ") != ["9"]:
        raise ValueError(f"expected SZ[9], found {root.properties.get('SZ')}")
    return "nogo(size=9)", POINTS


def golem(size: int) -> Notation:
    """Little Golem's names, capital letters in the file and small ones here; `swap` as it is."""

    def read(value: str) -> str:
        if value != "swap" and not re.fullmatch("[A-Z][0-9]{1,2}", value):
            raise ValueError("a cell is a letter and a number")
        return value.lower()

    return Notation(read, lambda name: name if name == "swap" else name.upper())


HGF = "(;FF[4]SZ[8]RU[LG]RE[B];W[H3];B[swap];W[D4];B[resign])"


# Syntax


def test_a_file_is_a_list_of_trees() -> None:
    trees = parse("mail header\n(;FF[4]C[root](;B[aa]\n;W[bb])(;B[cc]))\n(;GM[1])")
    assert trees == [
        Node(
            {"FF": ["4"], "C": ["root"]},
            [Node({"B": ["aa"]}, [Node({"W": ["bb"]})]), Node({"B": ["cc"]})],
        ),
        Node({"GM": ["1"]}),
    ]
    assert [node.line for _, node in trees[0].walk()] == [2, 2, 3, 3]


def test_values_lose_their_escapes_and_soft_line_breaks() -> None:
    (tree,) = parse("(;C[a\\]b\\\\c\\:d\\\ne\r\nf]AB[aa] [bb]\n[cc]White[dd])")
    assert tree.properties == {"C": ["a]b\\c:de\nf"], "AB": ["aa", "bb", "cc"], "W": ["dd"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected '(;', the beginning of a game tree, found none"),
        ("hello (there)", "line 1: expected '(;', the beginning of a game tree, found none"),
        ("(;FF[4]\n;B[aa]", "line 2: expected ')', found the end of the file"),
        ("(;FF[4]\n\nB)", "line 3: expected '[', the value of B, found ')'"),
        ("(;FF[4]\n;C[open\n", "line 2: expected ']' after the value of C, found the end of the file"),
        ("(;FF[4]))", "line 1: expected '(' or the end of the file, found ')'"),
        ("(;FF[4]\n(B[aa]))", "line 2: expected ';', a node, found 'B'"),
        ("(;FF[4](;B[aa]);W[bb])", "line 1: expected '(' or ')', found ';'"),
        ("(;FF[4];?)", "line 1: expected ';', '(' or ')', found '?'"),
        ("(;ff[4])", "line 1: expected a property in capital letters, found 'ff'"),
        ("(;FF[4](", "line 1: expected ';', a node, found the end of the file"),
    ],
)
def test_broken_files_name_the_line_and_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse(text)
    assert str(caught.value) == message


names = st.text(string.ascii_uppercase, min_size=1, max_size=3)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=20)
properties = st.dictionaries(names, st.lists(texts, min_size=1, max_size=3), max_size=3)
nodes = st.recursive(
    st.builds(Node, properties),
    lambda below: st.builds(Node, properties, st.lists(below, max_size=3)),
    max_leaves=12,
)


@given(st.lists(nodes, min_size=1, max_size=3))
def test_trees_read_back_as_they_were_written(trees: list[Node]) -> None:
    assert parse(serialise(trees)) == trees


def test_trees_may_be_deep() -> None:
    root = node = Node()
    for _ in range(20_000):
        node.children = [Node({"B": ["aa"]}), Node({"B": ["bb"]})]
        node = node.children[0]
    (again,) = parse(serialise([root]))
    assert again == root
    with pytest.raises(RecordError, match="expected"):
        parse("(;" * 50_000)


def test_files_are_utf_8_or_latin_1() -> None:
    assert decode("\ufeff(;C[é])".encode()) == "(;C[é])"
    assert decode("(;C[é])".encode("latin-1")) == "(;C[é])"


# Records


board_moves = st.builds(lambda a, b: f"{a}{b}", st.sampled_from("abcdefghi"), st.integers(1, 9))
estimates = st.builds(Estimate, board_moves, st.integers(0, 10**12), st.floats(0, 1))
RESERVED = {
    *("B", "W", "C", "XA", "XE", "XG", "AB", "AW", "AE", "PL"),
    *("FF", "CA", "AP", "GM", "SZ", "RU", "RE", "PB", "PW"),
}
kept = st.dictionaries(
    names.filter(lambda name: name not in RESERVED), st.lists(texts, min_size=1, max_size=2), max_size=2
)


@st.composite
def trees(draw: st.DrawFn, moves: st.SearchStrategy[str]) -> GameTree:
    """A tree of up to ten turns that grows anywhere but after a resignation."""
    analysis = st.lists(estimates, max_size=2)
    turn = st.builds(Turn, moves, texts, analysis, kept)
    resigns = st.builds(Turn, st.just(RESIGN), texts)
    tree = GameTree()
    tree.take([draw(st.builds(Turn, st.just(""), texts, analysis, kept))])
    for each in draw(st.lists(st.one_of(turn, turn, resigns), max_size=10)):
        parents = [number for number in range(len(tree)) if tree[number].move != RESIGN]
        tree.append(draw(st.sampled_from(parents)), each)
    return tree


def records(moves: st.SearchStrategy[str]) -> st.SearchStrategy[Record]:
    winner = st.sampled_from(["first", "second", "draw", None])
    return st.builds(Record, st.just("nogo(size=9)"), texts, texts, winner, trees(moves))


@given(records(st.one_of(board_moves, st.just(""))))
def test_records_survive_sgf(record: Record) -> None:
    text = write_sgf(record, POINTS)
    (again,) = read_sgf(text, understand)
    assert again == record
    assert write_sgf(again, POINTS) == text


@given(records(st.one_of(board_moves, st.just("swap"), st.just(""))))
def test_records_survive_hgf(record: Record) -> None:
    assert read_hgf(write_hgf(record, 8, golem(8)), golem) == [record]


any_moves = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)


@given(records(st.one_of(board_moves, any_moves, st.just("move a to b, then ask"), st.just(""))))
def test_records_survive_text(record: Record) -> None:
    assert read_text(write_text(record)) == record


def test_a_record_in_plain_text() -> None:
    record = Record.of_moves("nogo(size=9)", ["a1", "b2", "c3"], first="uct", second="random", winner="first")
    record.root.comment = "A short game.\n\nVery short."
    record.root.analysis = [Estimate("a1", 500, 0.625), Estimate("b2", 100, 0.5)]
    record.tree[2].properties["BM"] = ["1"]
    record.tree.add_line(1, ["d4", RESIGN])
    assert write_text(record) == (
        "coppice record, version 1\n"
        "game: nogo(size=9)\n"
        "first: uct\n"
        "second: random\n"
        "winner: first\n"
        "| A short game.\n"
        "|\n"
        "| Very short.\n"
        "= 500 0.625 a1\n"
        "= 100 0.5 b2\n"
        "1 a1\n"
        "2 b2\n"
        "@ BM 1\n"
        "3 c3\n"
        "2 d4\n"
        "3 resign\n"
    )
    assert record.moves == ["a1", "b2", "c3"]
    assert record.resigned is None


def test_a_record_in_sgf() -> None:
    record = Record.of_moves("nogo(size=9)", ["a1", "b2", RESIGN], first="uct", winner="second")
    record.tree[1].analysis = [Estimate("b2", 3, 0.25)]
    text = write_sgf(record, POINTS)
    assert text == (
        "(;FF[4]CA[UTF-8]AP[Coppice]GM[1]SZ[9]XG[nogo(size=9)]RE[W+R]PB[uct]"
        ";B[ai]XA[3 0.25 b2];W[bh];XE[resign])\n"
    )
    assert record.resigned == "first"


def test_foreign_sgf_is_understood_and_kept() -> None:
    text = "(;GM[1]SZ[9]AP[Other:1]RE[W+3.5]DT[2020-01-01]B[aa];C[no move here]W[bb](;B[cc]TR[cc])(;B[dd]))"
    (record,) = read_sgf(text, understand)
    assert record.game == "nogo(size=9)"
    assert record.winner == "second"
    assert record.moves == ["a9", "b8", "c7"]
    assert record.root.properties == {"AP": ["Other:1"], "RE": ["W+3.5"], "DT": ["2020-01-01"]}
    again = write_sgf(record, POINTS)
    assert "RE[W+3.5]" in again
    assert "DT[2020-01-01]" in again
    assert "TR[cc]" in again
    record.winner = "first"
    assert "RE[B+]" in write_sgf(record, POINTS)


def test_moves_of_a_stored_game_are_split() -> None:
    assert split_moves("a1 b2 c3") == ["a1", "b2", "c3"]
    assert split_moves("move a, ask b c") == ["move a", "ask b c"]
    assert split_moves("") == []


# Little Golem


def test_a_file_of_little_golem() -> None:
    (record,) = read_hgf(HGF, golem)
    assert record.game == "havannah(size=8, swap=true)"
    assert record.moves == ["h3", "swap", "d4"]
    assert record.resigned == "second"
    # RE names the loser, Black, which is the second side.
    assert record.winner == "first"
    assert disagreement(record, None) is None
    assert write_hgf(record, 8, golem(8)) == HGF + "\n"


def test_a_wrong_result_gives_a_warning() -> None:
    (record,) = read_hgf(HGF.replace("RE[B]", "RE[W]"), golem)
    assert disagreement(record, None) == (
        "the file says that the second side won, but by its moves the first side won"
    )
    assert disagreement(record, "second") is None
    assert disagreement(record, "draw") == (
        "the file says that the second side won, but by its moves the game was drawn"
    )
    assert disagreement(Record(), "draw") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;FF[4];W[A1])", "line 1: expected SZ, the base of the board, found ''"),
        ("(;SZ[big];W[A1])", "line 1: expected SZ, the base of the board, found 'big'"),
        ("(;SZ[8]\n;B[A1])", "line 2: expected a move of W, found one of B"),
        ("(;SZ[8];W[A1]\n;W[A2])", "line 2: expected a move of B, found one of W"),
        ("(;SZ[8];W[A1][A2])", "line 1: expected one move of W, found 2"),
        ("(;SZ[8];W[11])", "line 1: expected a move, found '11' (a cell is a letter and a number)"),
        (
            "(;SZ[8];W[resign]\n;B[A1])",
            "line 2: expected the end of the line after a resignation, found another",
        ),
        ("(;SZ[8]\n;AW[A1])", "line 2: expected moves only, found AW, a position set up by hand"),
        ("(;SZ[8];W[A1]XA[5 2 a1])", "line 1: expected analysis 'visits value move', found '5 2 a1'"),
        ("(;SZ[8];W[A1]XA[many])", "line 1: expected analysis 'visits value move', found 'many'"),
        ("(;SZ[8];W[A1]XE[resign])", "line 1: expected a move or XE[resign], found both"),
    ],
)
def test_files_that_are_no_game_name_the_line(text: str, message: str) -> None:
    with pytest.raises(RecordError, match="^" + re.escape(message)):
        read_hgf(text, golem)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("coppice", "copse"), "line 1: expected 'coppice record, version 1', found 'copse record"),
        (("first:", "third:"), "line 3: expected 'first: ...', found 'third: '"),
        (("unknown", "nobody"), "line 5: expected first, second, draw or unknown as winner, found 'nobody'"),
        (("2 b2", "3 b2"), "line 7: expected a turn of depth 1 to 2, found 3"),
        (("2 b2", "0 b2"), "line 7: expected a turn of depth 1 to 2, found 0"),
        (("1 a1", "1 resign"), "line 7: expected the end of the line after a resignation"),
        (("2 b2", "two b2"), "line 7: expected a turn ('1 a1'), '|', '=' or '@', found 'two b2'"),
        (("2 b2", "= 1 7 a1"), "line 7: expected analysis 'visits value move', found '1 7 a1'"),
    ],
)
def test_broken_texts_name_the_line(change: tuple[str, str], message: str) -> None:
    text = write_text(Record.of_moves("toy", ["a1", "b2"]))
    with pytest.raises(RecordError, match="^" + re.escape(message)):
        read_text(text.replace(*change))


def record_with(turn: Turn) -> Record:
    record = Record()
    record.tree.append(ROOT, turn)
    return record


def test_records_that_cannot_be_written_are_refused() -> None:
    for turn, message in [
        (Turn("z99"), r"expected a move of the game, found 'z99' \(a name is a letter and a digit\)"),
        (Turn("a1", properties={"C": ["x"]}), "found C, which the writer makes itself"),
        (Turn("a1", properties={"low": ["x"]}), "expected a property in capital letters, found 'low'"),
        (Turn("a1", analysis=[Estimate("a1", 1, 1.5)]), "expected a value from 0 to 1"),
    ]:
        with pytest.raises(RecordError, match=message):
            write_sgf(record_with(turn), POINTS)
    with pytest.raises(RecordError, match="expected a move of the game, found ' a'"):
        write_text(record_with(Turn(" a")))
    record = Record()
    record.root.move = "a1"
    with pytest.raises(RecordError, match="expected no move at the root"):
        write_text(record)


def test_a_file_of_too_many_nodes_names_the_bound_and_the_line() -> None:
    text = "(;FF[4]\n;B[aa]\n;W[bb])\n(;FF[4])"
    assert len(parse(text, most=4)) == 2
    for read in (
        lambda: parse(text, most=3),
        lambda: read_sgf(text, understand, most=3),
        lambda: read_hgf(text, golem, most=3),
        lambda: read_text(
            "coppice record, version 1\ngame:\nfirst:\nsecond:\nwinner: draw\n1 a\n2 b\n1 c\n", most=3
        ),
    ):
        with pytest.raises(RecordError, match=r"^line [48]: expected a file of at most 3 nodes, found more$"):
            read()
    assert first_node("x (\n;GM[1];") == Node({"GM": ["1"]})


# Fuzzing

READERS: dict[str, Callable[[str], object]] = {
    "syntax": parse,
    "sgf": lambda text: read_sgf(text, understand),
    "hgf": lambda text: read_hgf(text, golem),
    "text": read_text,
}
SEEDS = [
    HGF,
    "(;FF[4]GM[1]SZ[9]PB[x]C[a\\]b](;B[aa]XA[3 0.5 a1];W[bb])(;B[cc](;W[dd];XE[resign])(;W[ee])))",
    "coppice record, version 1\ngame: toy\nfirst: a\nsecond: b\nwinner: draw\n"
    "| c\n1 a\n= 3 0.5 x\n2 b\n@ BM 1\n2 c\n",
]


def attempt(read: Callable[[str], object], text: str) -> RecordError | None:
    """The error of a text that cannot be read; anything but a RecordError is a failure."""
    try:
        read(text)
    except RecordError as error:
        return error
    return None


def fuzz(number: int) -> None:
    """Read `number` damaged files with every reader: a result or an error that names a line of the file."""
    rng = random.Random(number)
    alphabet = "();[]\\:BWCXAES \n0123456789abcswapreign|=@.-\0é\ud7ff"
    for _ in range(number):
        text = list(rng.choice(SEEDS))
        for _ in range(rng.randint(1, 8)):
            at = rng.randrange(len(text) + 1)
            end = min(len(text), at + rng.choice((0, 0, 1, 1, 5)))
            text[at:end] = rng.choices(alphabet, k=rng.choice((0, 1, 1, 2, 9)))
        damaged = "".join(text)
        for read in READERS.values():
            error = attempt(read, damaged)
            if error is not None:
                assert re.match(r"line \d+: expected ", str(error)), damaged
                assert error.line is not None
                assert 1 <= error.line <= damaged.count("\n") + 1


def test_ten_thousand_damaged_files_give_errors_and_no_crash() -> None:
    fuzz(10_000)


@pytest.mark.evidence
def test_two_hundred_thousand_damaged_files_give_errors_and_no_crash() -> None:
    fuzz(200_000)


@settings(max_examples=300)
@given(st.text(), st.sampled_from(sorted(READERS)))
def test_any_text_gives_a_result_or_an_error(text: str, reader: str) -> None:
    error = attempt(READERS[reader], text)
    assert error is None or str(error).startswith("line ")
