"""Tests of the door for texts from elsewhere: no record and no book runs code that nobody has allowed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from canary import REFUSED, Canary
from command import run
from foreign_texts import files, hidden
from hypothesis import given

from coppice import _core
from coppice.core.guests import NOBODY, Guests
from coppice.play.book import Book
from coppice.records.files import read_records


@pytest.fixture
def canary(tmp_path: Path) -> Canary:
    return Canary.in_folder(tmp_path)


def test_a_record_that_names_a_python_file_does_not_run_it(canary: Canary) -> None:
    for text in files(canary.game).values():
        with pytest.raises(ValueError, match=REFUSED):
            read_records(text)
        with pytest.raises(ValueError, match=REFUSED):
            read_records(text, guests=Guests(['python("another.py:Bird")']))
    with pytest.raises(ValueError, match=f"^line 2: python.*{REFUSED}"):
        read_records(f"(;XG[nogo])\n(;XG[{canary.game}])")
    assert canary.lives


def test_a_record_of_several_pieces_is_judged_as_it_will_be_read(canary: Canary) -> None:
    name, rest = canary.game[:6], canary.game[6:]
    assert name + rest == canary.game
    with pytest.raises(ValueError, match=REFUSED):
        read_records(f"(;FF[4]XG[{name}][{rest}])")
    assert canary.lives


def test_the_command_line_runs_a_records_game_only_for_a_guest(canary: Canary) -> None:
    folder = canary.file.parent
    for name, text in files(canary.game).items():
        (folder / name).write_text(text, encoding="utf-8")
        for command in ("convert", "replay"):
            done = run(command, name, cwd=folder)
            assert done.returncode == 2
            assert f"{name}: " in done.stderr
            assert REFUSED in done.stderr
            assert "--guest" in done.stderr
            assert "Traceback" not in done.stderr
            assert len(done.stderr.splitlines()) == 1
    assert canary.lives
    done = run("convert", "c.txt", "--guest", canary.game, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "canary.py:Bird" in done.stdout
    assert not canary.lives


def test_a_store_from_elsewhere_runs_nothing_when_a_game_is_taken_from_it(canary: Canary) -> None:
    folder = canary.file.parent
    assert run("match", canary.game, "random", "random", "--games", "1", cwd=folder).returncode == 0
    canary.file.with_suffix(".mark").unlink()
    done = run("convert", "coppice.db", cwd=folder)
    assert (done.returncode, REFUSED in done.stderr) == (2, True)
    assert canary.lives
    assert run("convert", "coppice.db", "--guest", canary.game, cwd=folder).returncode == 0


@pytest.mark.parametrize("key", ["game", "player"])
def test_a_book_that_names_a_file_or_a_program_is_refused(canary: Canary, key: str) -> None:
    head = {
        "book": 1,
        "game": "tic_tac_toe",
        "player": "uct",
        "simulations": 1,
        "seed": 0,
        "play_version": "",
    }
    head[key] = {"game": canary.game, "player": canary.program}[key]
    path = canary.file.with_name("x.jsonl")
    path.write_text(json.dumps(head) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=REFUSED):
        Book.read(path)
    for command in (["book", "show", str(path)], ["gtp", "--game", "tic_tac_toe", "--book-file", str(path)]):
        done = run(*command)
        assert done.returncode == 2
        assert REFUSED in done.stderr
        assert "Traceback" not in done.stderr
    assert canary.lives
    if key == "game":
        assert Book.read(path, guests=Guests([canary.game])).game.spec.startswith("python(")


def test_a_spec_that_is_no_spec_is_told_so() -> None:
    with pytest.raises(ValueError, match=r"^spec, character 5: expected a name, found the end"):
        NOBODY.admit("uct(")
    with pytest.raises(ValueError, match=r"a spec of 2,001 characters is too long: at most 2,000 are read"):
        NOBODY.admit("u" * 2001)


def test_a_guest_is_the_same_in_every_spelling_and_lets_nobody_else_in() -> None:
    guests = Guests(['python("a.py:X", options="4")', 'mcts(playout=patterns("w.json"))', 'gtp("go")'])
    for spec in (
        'misere(python ( options = "4", class = "a.py:X" ))',
        'mcts(playout=mast+patterns(weights="w.json", clip=3), simulations=7)',
        'gtp(command="go", timeout=3, notation="standard", log=none)',
        "rave(simulations=10)",
    ):
        assert guests.admit(spec) == spec
    for family, spec in (
        ("game", 'misere(python("a.py:X", options="4"))'),
        ("player", 'mcts(selection=python("a.py:X", options="4"), playout=patterns("w.json"))'),
    ):
        full = _core.canonical(family, spec)
        assert guests.admit(full) == full
    for spec in (
        'python("a.py:X")',
        'python("a.py:X", options="5")',
        'patterns("v.json")',
        'gtp("go", setup="sh")',
        'gtp("go", log="../x")',
        'gtp("go", "sh")',
    ):
        with pytest.raises(ValueError, match=REFUSED):
            guests.admit(spec)


@given(hidden())
def test_nothing_outside_hides_from_the_door(spec: str) -> None:
    with pytest.raises(ValueError, match=REFUSED):
        NOBODY.admit(spec)
    for text in files(spec).values():
        with pytest.raises(ValueError, match=REFUSED):
            read_records(text)
