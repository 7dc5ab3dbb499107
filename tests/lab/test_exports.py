"""Tests of exports: every row names its match, in every format, and the text reads back."""

from __future__ import annotations

import csv
import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fake_workers import STRONG, fake_record
from hypothesis import given, settings
from hypothesis import strategies as st

from coppice.lab.exports import export, parse_export, parse_exports
from coppice.lab.store import GameRecord, Store, StoredMatch, StoreError, Used

IDENTITY = "0123456789abcdef" * 2
MATCH = StoredMatch(IDENTITY, "toy", "strong", "weak", 7, "none", "v1")
OTHER = replace(MATCH, identity="fedcba9876543210" * 2, a="other", seed=8)


def record(index: int) -> GameRecord:
    return GameRecord.of(fake_record(("toy", STRONG), index))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "games.db") as opened:
        opened.register(MATCH)
        yield opened


def test_export_is_text_in_index_order(store: Store) -> None:
    one = GameRecord(1, "b", None, 0.5, "draw", "a1 b2", 2, 0.25, "late\tat\nmove \\3")
    zero = GameRecord(0, "a", "first", 1.0, "ring", "c3", 1, 0.125)
    store.add(IDENTITY, [one, zero])
    text = "".join(export(store, [MATCH]))
    assert text == textwrap.dedent(
        f"""\
        # coppice records, version 2
        # identity: {IDENTITY}
        # game: toy
        # a: strong
        # b: weak
        # seed: 7
        # openings: none
        # play_version: v1
        index\tfirst\twinner\tscore\tkind\tlength\tmoves\tnote\tmatch
        0\ta\tfirst\t1\tring\t1\tc3\t\t{IDENTITY}
        1\tb\t-\t0.5\tdraw\t2\ta1 b2\tlate\\tat\\nmove \\\\3\t{IDENTITY}
        """
    )
    assert "".join(export(store, [MATCH], times=True)).splitlines()[-1].endswith(f"\t0.25\t{IDENTITY}")
    with pytest.raises(StoreError, match="has no match"):
        list(export(store, [replace(MATCH, identity="f" * 32)]))


def test_every_row_of_several_matches_names_its_match(store: Store) -> None:
    store.register(OTHER)
    store.add(IDENTITY, [record(0), record(1)])
    store.add(OTHER.identity, [record(0)])
    of = [IDENTITY, IDENTITY, OTHER.identity]
    [text, table, lines] = (
        list(export(store, store.matches(), format=name, times=True)) for name in ("text", "csv", "jsonl")
    )
    assert [line.rsplit("\t", 1)[1].strip() for line in text if line[0].isdigit()] == of
    assert sum(line.startswith("index\t") for line in text) == 1
    rows = list(csv.DictReader(table))
    assert [(row["match"], row["index"], row["a"], row["seed"]) for row in rows] == [
        (IDENTITY, "0", "strong", "7"),
        (IDENTITY, "1", "strong", "7"),
        (OTHER.identity, "0", "other", "8"),
    ]
    assert {row["winner"] for row in rows} <= {"first", "second", "draw"}
    found = [json.loads(line) for line in lines]
    assert [(row["match"], row["game"], row["b"]) for row in found] == [(name, "toy", "weak") for name in of]
    assert list(found[0]) == table[0].strip().split(",")
    assert found[0]["moves"] == rows[0]["moves"] == record(0).moves
    back = parse_exports(text)
    assert [(match.identity, [r.index for r in games]) for match, games in back] == [
        (IDENTITY, [0, 1]),
        (OTHER.identity, [0]),
    ]
    with pytest.raises(ValueError, match="expected one match, found 2: parse_exports reads them all"):
        parse_export(text)


def test_tables_tell_what_the_players_used(store: Store) -> None:
    known = replace(record(0), winner=None, used_a=Used(3, 30, 300), used_b=Used(2, 0, 0))
    store.add(IDENTITY, [known, replace(record(1), used_a=None, used_b=None)])
    [one, other] = csv.DictReader(export(store, [MATCH], format="csv"))
    names = [f"{what}_{who}" for who in "ab" for what in ("decisions", "simulations", "states")]
    assert [one[name] for name in names] == ["3", "30", "300", "2", "0", "0"]
    assert [other[name] for name in names] == [""] * 6
    assert one["winner"] == "draw"
    [one, other] = map(json.loads, export(store, [MATCH], format="jsonl"))
    assert [one[name] for name in names] == [3, 30, 300, 2, 0, 0]
    assert [other[name] for name in names] == [None] * 6


def test_exports_of_the_version_before_are_read() -> None:
    old = textwrap.dedent(
        f"""\
        # coppice records, version 1
        # identity: {IDENTITY}
        # game: toy
        # a: strong
        # b: weak
        # seed: 7
        # openings: none
        # play_version: v1
        index\tfirst\twinner\tscore\tkind\tlength\tmoves\tnote
        0\ta\tfirst\t1\tring\t1\tc3\t
        """
    )
    assert parse_export(old.splitlines(keepends=True)) == (
        replace(MATCH, games=1),
        [GameRecord(0, "a", "first", 1.0, "ring", "c3", 1, 0.0)],
    )


texts = st.text(st.characters(codec="utf-8"), max_size=30)
game_records = st.builds(
    GameRecord,
    st.integers(0, 2**40),
    st.sampled_from(["a", "b"]),
    st.sampled_from(["first", "second", None]),
    st.sampled_from([0.0, 0.5, 1.0]),
    texts,
    texts,
    st.integers(0, 10**6),
    st.floats(0, 1e6),
    texts,
)
games = st.lists(game_records, max_size=5, unique_by=lambda r: r.index)


@settings(max_examples=40)
@given(records=games, others=games, openings=texts)
def test_exports_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[GameRecord],
    others: list[GameRecord],
    openings: str,
) -> None:
    match = replace(MATCH, openings=openings)
    with Store(tmp_path_factory.mktemp("export") / "s.db") as store:
        for one, played in ((match, records), (OTHER, others)):
            store.register(one)
            store.add(one.identity, played)
        alone = "".join(export(store, [match], times=True)).split("\n")[:-1]
        both = "".join(export(store, store.matches(), times=True)).split("\n")[:-1]
    expected = [
        (replace(one, games=len(played)), sorted(played, key=lambda r: r.index))
        for one, played in ((match, records), (OTHER, others))
    ]
    assert parse_export(line + "\n" for line in alone) == expected[0]
    assert parse_exports(line + "\n" for line in both) == expected


def test_broken_exports_name_the_line(store: Store) -> None:
    store.add(IDENTITY, [record(0)])
    lines = list(export(store, [MATCH]))
    last = lines[-1].rpartition("\t")[0]
    for broken, message in [
        ([], "line 1: expected '# coppice records, version 2'"),
        (lines[:3], "line 4: expected '# a: ...'"),
        ([*lines[:5], "# seed: x\n", *lines[6:]], "line 6: not a line of an export"),
        ([*lines[:8], "index\n"], "line 9: expected the columns index, first"),
        ([*lines, "1\ta\n"], "line 11: not a line of an export"),
        ([*lines, lines[-1].replace("\ta\t", "\tc\t")], "line 11: not a line of an export"),
        ([*lines, f"{last}\\x\t{IDENTITY}\n"], "line 11: not a line of an export"),
        ([*lines, f"{last}\\\t{IDENTITY}\n"], "line 11: not a line of an export"),
        ([*lines, f"{last}\tffff\n"], "line 11: match ffff is not among those at the top"),
    ]:
        with pytest.raises(ValueError, match="^" + re.escape(message)):
            parse_export(broken)
