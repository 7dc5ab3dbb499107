"""What forces inlining, and what is `unsafe` for speed, has a measured reason in bench/inlining.txt."""

from __future__ import annotations

import re
from pathlib import Path

import inlining
import pytest
from source import CORE, ROOT, core_files, without_tests

TABLE = ROOT / "bench" / "inlining.txt"
CHANGES = list(inlining.changes())


def test_there_is_something_to_measure() -> None:
    assert {change.old for change in CHANGES} > {inlining.FORCED}
    assert len({change.name for change in CHANGES}) == len(CHANGES)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_a_force_has_a_measured_worth_and_says_it(change: inlining.Change) -> None:
    row = inlining.read(TABLE).get(change.name)
    assert row is not None, f"{change.name}: tools/inlining.py --only has not measured it"
    assert row.most >= inlining.LEAST, f"{change.name}: no line needs more without it"
    text = (ROOT / change.file).read_text(encoding="utf-8")
    assert row.places == text.count(change.old), f"{change.name}: measured with other places"
    # A number that is measured anew is said anew.
    flowing = re.sub(r"\n\s*//[/!]? ", " ", text)
    said = re.findall(r"up to (\d\.\d\d) times the instructions \(bench/inlining\.txt\)", flowing)
    assert f"{row.most:.2f}" in said, f"{change.name} is worth {row.most:.2f}; the file says {said}"


def test_a_table_is_read_as_it_is_written(tmp_path: Path) -> None:
    table = inlining.read(TABLE)
    (tmp_path / "table").write_text(inlining.text(table, "a compiler"), encoding="utf-8")
    assert inlining.read(tmp_path / "table") == table


def test_unsafe_in_games_and_playouts_is_measured() -> None:
    # What is `unsafe` elsewhere talks to the operating system or to Python.
    measured = {change.file for change in CHANGES if change.old != inlining.FORCED}
    folders = [CORE / "games", CORE / "playout", CORE / "search", CORE / "tree", CORE / "selection"]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in core_files()
        if any(folder in path.parents for folder in folders)
        and re.search(r"\bunsafe \{|\bunsafe fn", without_tests(path.read_text(encoding="utf-8")))
    }
    assert found == measured


def test_no_line_passes_through_two_files_of_a_group() -> None:
    lines = [("hex", "mast"), ("nogo", "mast"), ("nogo", "mcts"), ("domineering", "mcts")]
    files = ("src/games/go_board.rs", "src/games/domineering.rs", "src/playout/mast.rs")
    changes = [inlining.Change(file, file, inlining.FORCED, inlining.ASKED) for file in files]
    go_board, domineering, mast = changes
    assert go_board.through(lines) == [("nogo", "mast"), ("nogo", "mcts")]
    assert mast.through(lines) == [("hex", "mast"), ("nogo", "mast")]
    assert inlining.groups(changes, lines) == [[go_board, domineering], [mast]]
