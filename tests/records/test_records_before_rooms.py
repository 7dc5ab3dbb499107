"""Records that were written before the laboratory had rooms are read, and written again byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from coppice.core.session import Game
from coppice.lab.store import Store
from coppice.records.files import check_record, format_of, read_records, write_records
from coppice.records.sgf import split_moves

FILES = Path(__file__).parent.parent / "data" / "before_rooms"


@pytest.mark.parametrize(
    ("name", "format", "match", "indices"),
    [
        ("games.sgf", "sgf", "9f1fcdb7", range(12)),
        ("game.hgf", "hgf", "d2449860", [1]),
        ("game.txt", "text", "4fef6811", [0]),
    ],
)
def test_old_records_hold_the_games_of_the_old_store(
    name: str, format: str, match: str, indices: range | list[int]
) -> None:
    text = (FILES / name).read_text(encoding="utf-8")
    assert format_of(text) == format
    records = read_records(text)
    with Store(FILES / "store.db", read_only=True) as store:
        [row] = [row for row in store.matches() if row.identity.startswith(match)]
        games = [store.record(row.identity, index) for index in indices]
    assert [list(record.moves) for record in records] == [split_moves(game.moves) for game in games]
    assert [record.winner for record in records] == [game.winner or "draw" for game in games]
    for record in records:
        assert record.game == row.game
        if not Game(record.game).hidden:
            assert check_record(record) == []
    assert write_records(records, format) == text
