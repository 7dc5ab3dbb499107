"""Opening books: grown by self-play, kept as text, found again however the board is turned."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import coppice
from coppice import _core
from coppice.play.book import Book, Candidate, Entry, grow, shipped, shipped_files
from coppice.play.opponent import Opponent
from coppice.protocols.gtp import Server

COPPICE = Path(sys.executable).with_name("coppice")
GAME = "havannah(size=4)"
FAST = "strong(simulations=1)"


def small(path: Path, positions: int, *, seed: int = 3) -> Book:
    return grow(path, GAME, player=FAST, positions=positions, simulations=300, seed=seed)


def turned(state: coppice.State, symmetry: list[int], move: str) -> str:
    """The name that a move of `state` has on the turned board; for moves on one cell."""
    cells = state.game.board().cells
    return cells[symmetry[state.move_cells(move)[0]]].name


# Symmetries


def test_a_board_tells_its_symmetries() -> None:
    havannah = coppice.game("havannah(size=3)")
    assert len(havannah.symmetries) == 12
    assert havannah.symmetries[0] == list(range(19))
    assert coppice.game("breakthrough(rows=3, columns=3)").symmetries == [
        list(range(9)),
        [2, 1, 0, 5, 4, 3, 8, 7, 6],
    ]
    assert len(coppice.game("atari_go(rows=5, columns=5)").symmetries) == 8
    assert len(coppice.game("domineering(rows=5, columns=5)").symmetries) == 4
    assert len(coppice.game("mr_jack").symmetries) == 1


def test_a_position_is_found_however_the_board_is_turned(tmp_path: Path) -> None:
    book = small(tmp_path / "book.jsonl", 15)
    for entry in book.entries:
        state = book.game.start().play(*entry.line)
        told = book.find(state)
        assert told is not None
        for symmetry in book.game.symmetries:
            there = book.game.start()
            for move in entry.line:
                here = book.game.start()
                there.play(turned(here, symmetry, move))
            found = book.find(there)
            assert found is not None
            assert found.value == told.value
            # The image of the book's move, or another one that leads to the same position but for a symmetry.
            image = there.copy().play(turned(state, symmetry, told.best))
            assert book._key(image)[0] == book._key(there.copy().play(found.best))[0]


@pytest.mark.parametrize(
    ("game", "moves", "images"),
    [
        ("domineering(rows=4, columns=4)", "a1a2 c1d1", "d3d4 a4b4"),
        ("breakthrough", "b2-a3", "d2-e3"),
        ("atari_go(rows=3, columns=3)", "a2 b2", "b3 b2"),
    ],
)
def test_games_of_every_kind_are_found_turned(game: str, moves: str, images: str) -> None:
    book = Book(game, FAST, simulations=1, seed=1)
    here, there = (book.game.start().play(*names.split()) for names in (moves, images))
    candidates = tuple(Candidate(name, 1, 0.5) for name in here.legal_moves)
    book.add(Entry(tuple(moves.split()), 0, candidates))
    found = book.find(there)
    assert found is not None
    assert sorted(stat.name for stat in found.moves) == sorted(there.legal_moves)


def test_moves_that_a_symmetry_exchanges_are_one_candidate(tmp_path: Path) -> None:
    """On the empty board the six corners are one move."""
    book = small(tmp_path / "book.jsonl", 1)
    candidates = book.entries[0].candidates
    behind = {book._key(book.game.start().play(candidate.name))[0] for candidate in candidates}
    assert len(behind) == len(candidates)


# Growing


def test_a_book_grown_in_pieces_is_the_book_grown_at_once(tmp_path: Path) -> None:
    whole, pieces = tmp_path / "whole.jsonl", tmp_path / "pieces.jsonl"
    small(whole, 9)
    small(pieces, 2)
    small(pieces, 5)
    # The plug is pulled in the middle of a line.
    with pieces.open("a", encoding="utf-8") as file:
        file.write('{"line": "a1", "wal')
    assert len(Book.read(pieces).entries) == 5
    small(pieces, 9)
    assert pieces.read_text() == whole.read_text()
    assert small(pieces, 4).entries == Book.read(whole).entries, "a book does not shrink"


def test_another_seed_is_another_book(tmp_path: Path) -> None:
    one, other = small(tmp_path / "a.jsonl", 6), small(tmp_path / "b.jsonl", 6, seed=4)
    assert one.entries != other.entries


def test_a_small_game_has_an_end(tmp_path: Path) -> None:
    """Growing stops when no walk finds anything new."""
    game = "tic_tac_toe"
    book = grow(tmp_path / "b.jsonl", game, player="uct", positions=5000, simulations=60)
    assert 10 < len(book.entries) < 2000
    found = book.find(book.game.start())
    assert found is not None
    assert book.find(book.game.start().play(found.best)) is not None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 4}, "was grown with seed 3, not 4: choose another file"),
        ({"simulations": 7}, "was grown with simulations 300, not 7"),
        ({"game": "havannah(size=5)"}, "was grown with game havannah"),
        ({"player": "uct"}, "was grown with player mcts"),
    ],
)
def test_a_book_goes_on_only_as_it_began(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    path = tmp_path / "book.jsonl"
    small(path, 1)
    asked = {"game": GAME, "player": FAST, "simulations": 300, "seed": 3, **changes}
    with pytest.raises(ValueError, match=message):
        grow(path, positions=2, **asked)  # type: ignore[arg-type]


def test_hidden_information_has_no_book(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a book needs a game without hidden information, not mr_jack"):
        grow(tmp_path / "book.jsonl", "mr_jack", player="jack_v3", positions=1, simulations=1)


# What it plays


def book_of(*entries: tuple[str, dict[str, tuple[int, float]]]) -> Book:
    book = Book(GAME, FAST, 1000, 0)
    for walk, (line, moves) in enumerate(entries):
        candidates = tuple(Candidate(name, visits, value) for name, (visits, value) in moves.items())
        book.add(Entry(tuple(line.split()), walk, candidates))
    return book


def best(book: Book, line: str = "") -> tuple[str, float]:
    report = book.find(book.game.start().play(*line.split()))
    assert report is not None
    assert report.value is not None
    return report.best, round(report.value, 9)


def test_values_are_backed_up_from_the_positions_behind() -> None:
    top = ("", {"d4": (900, 0.6), "c3": (100, 0.7)})
    # The most visited move is played: of the other one nothing is known but a short search.
    assert best(book_of(top)) == ("d4", 0.6)
    # Behind it the other side does well: its value is 0.3 now, but no other one can be trusted.
    refuted = ("d4", {"a1": (500, 0.7)})
    assert best(book_of(top, refuted)) == ("d4", 0.3)
    # The other move's own position has been searched as long.
    better = ("c3", {"a1": (500, 0.45)})
    assert best(book_of(top, refuted, better)) == ("c3", 0.55)
    # One more ply: the answer there is refuted in its turn.
    deeper = ("d4 a1", {"g7": (500, 0.9)})
    assert best(book_of(top, refuted, better, deeper)) == ("d4", 0.9)


def test_a_report_from_the_book_says_so() -> None:
    book = book_of(("", {"d4": (900, 0.6)}))
    report = Opponent(coppice.player(FAST), book=book).decide(book.game.start())
    assert report.best == "d4"
    assert report.notes == ("from the opening book: 1,000 simulations a position",)
    assert report.simulations == 0
    beyond = book.game.start().play("a1")
    assert book.find(beyond) is None
    assert beyond not in book
    assert Opponent(coppice.player(FAST), book=book).decide(beyond).simulations == 1


def test_a_game_that_is_over_is_in_no_book() -> None:
    state = coppice.game(GAME).start().play("a1", "d4", "b1", "d5", "c1", "e5", "d1")
    assert state.outcome
    assert book_of(("", {"d4": (900, 0.6)})).find(state) is None


def test_the_server_opens_from_a_book() -> None:
    book = book_of(("", {"c3": (900, 0.6)}))
    served = Server(GAME, "uct(simulations=5)", book=book)
    assert served.respond("genmove w") == "= c3\n\n"
    assert served.respond("genmove b").startswith("= ")
    assert served.report
    assert served.report.simulations == 5
    # The book is of one board.
    served.respond("boardsize 5")
    served.respond("genmove w")
    assert served.report.simulations == 5
    plain = Server(GAME, "uct(simulations=5)")
    plain.respond("genmove w")
    assert plain.report
    assert plain.report.simulations == 5


# Files


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty: there is no opening book in it"),
        ("hello\n", "line 1: this is no opening book: Expecting value"),
        ('{"book": 2}\n', "line 1: .* does not begin with the head of a book of format 1"),
        ('{"book": 1, "game": "havannah"}\n', "line 1: .*'player' is missing"),
        ("[]\n", "line 1: this is no opening book"),
        ('HEAD{"line": "z9", "walk": 0, "moves": [["d4", 1, 0.5]]}\n', "line 2: .*illegal move 'z9'"),
        ('HEAD{"line": "", "walk": 0, "moves": [["z9", 1, 0.5]]}\n', "line 2: .*illegal move 'z9'"),
        ('HEAD{"line": "", "walk": 0, "moves": []}\n', "line 2: .*there is no move"),
        (
            'HEAD{"line": "a1", "walk": 0, "moves": [["d4", 1, 0.5]]}\n'
            '{"line": "g7", "walk": 1, "moves": [["d4", 1, 0.5]]}\n',
            "line 3: .*the position after 'g7' is in the book already",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, text: str, message: str) -> None:
    head = json.dumps(Book(GAME, FAST, 10, 0).head()) + "\n"
    path = tmp_path / "book.jsonl"
    path.write_text(text.replace("HEAD", head), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        Book.read(path)


def test_shipped_books_say_how_they_were_made() -> None:
    files = shipped_files()
    assert files
    for name, text in files:
        head = json.loads(text.partition("\n")[0])
        game = coppice.game(head["game"])
        book = shipped(game)
        assert book is not None, name
        assert book is shipped(game)
        assert book.version
        assert len(book.entries) == text.count("\n") - 1 > 20
        assert len(text) < 100_000, "a book is kept small"
        opening = book.find(game.start())
        assert opening is not None
        assert opening.best in game.start().legal_moves
    assert shipped(coppice.game("havannah(size=13)")) is None
    assert shipped(coppice.game("tic_tac_toe")) is None


def test_the_smallest_shipped_book_is_what_its_command_makes(tmp_path: Path) -> None:
    """Its first entries, grown anew. When play changes, `python tools/books.py` grows the books anew."""
    book = shipped(coppice.game(GAME))
    assert book is not None
    wanted = 6
    again = grow(
        tmp_path / "book.jsonl",
        book.game.spec,
        player=book.player.spec,
        positions=wanted,
        simulations=book.simulations,
        seed=book.seed,
    )
    assert again.entries == book.entries[:wanted], "play has changed: run tools/books.py"


# The command line


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COPPICE, *arguments], capture_output=True, text=True, timeout=120)


def test_the_commands_grow_and_show(tmp_path: Path) -> None:
    path = tmp_path / "book.jsonl"
    grown = run(
        "book", "grow", GAME, "--player", FAST, "--positions", "3", "--simulations", "100", "--out", str(path)
    )
    assert grown.returncode == 0, grown.stderr
    assert "3 positions of havannah(size=4, swap=false)" in grown.stdout
    assert "1 of 3: (start): " in grown.stderr
    shown = run("book", "show", str(path), "--most", "2")
    assert shown.returncode == 0, shown.stderr
    assert f"play version {_core.play_version(GAME, FAST)}\n" in shown.stdout
    assert "1 positions more" in shown.stderr
    # The command that it shows makes the same book.
    command = next(line for line in shown.stdout.splitlines() if line.startswith("coppice book grow"))
    again = tmp_path / "again.jsonl"
    assert run(*shlex.split(command.replace("FILE", str(again)))[1:]).returncode == 0
    assert again.read_text() == path.read_text()
    entry = Book.read(path).entries[1]
    one = run("book", "show", str(path), "--moves", " ".join(entry.line))
    assert entry.candidates[0].name in one.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "nothing"), "'nothing' is neither a file nor a game"),
        (("show", "tic_tac_toe"), "the package brings no book for tic_tac_toe; it brings havannah_4.jsonl"),
        (("show", GAME, "--moves", "b1 b3 g5 d7 f7"), "is not in the book"),
        (("show", GAME, "--moves", "z9"), "illegal move 'z9'"),
        (("grow", GAME), "Missing option '--out'"),
    ],
)
def test_the_commands_tell_what_is_wrong(arguments: tuple[str, ...], message: str) -> None:
    told = run("book", *arguments)
    assert told.returncode == 2
    assert message in told.stderr
    assert "Traceback" not in told.stderr


def test_books_over_gtp(tmp_path: Path) -> None:
    def gtp(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COPPICE, "gtp", "--game", GAME, "--player", "uct(simulations=5)", *arguments],
            input="genmove w\nmove_stats\nquit\n",
            capture_output=True,
            text=True,
            timeout=60,
        )

    book = shipped(coppice.game(GAME))
    assert book is not None
    opening = book.find(book.game.start())
    assert opening is not None
    assert gtp("--book").stdout.startswith(f"= {opening.best}\n")
    path = tmp_path / "book.jsonl"
    small(path, 1)
    own = Book.read(path).find(book.game.start())
    assert own is not None
    assert gtp("--book-file", str(path)).stdout.startswith(f"= {own.best}\n")
    assert "choose one of them" in gtp("--book", "--book-file", str(path)).stderr
    grow(tmp_path / "five.jsonl", "havannah(size=5)", player=FAST, positions=1, simulations=10)
    other = gtp("--book-file", str(tmp_path / "five.jsonl"))
    assert "five.jsonl is a book of havannah(size=5" in other.stderr
    missing = gtp("--book-file", str(tmp_path / "none.jsonl"))
    assert missing.returncode == 2
    assert "Traceback" not in missing.stderr
    assert "unknown plan 'odd'" in gtp("--time-plan", "odd").stderr


def test_walks_differ(tmp_path: Path) -> None:
    """A book that knew only its own best line would be of little use."""
    book = small(tmp_path / "book.jsonl", 25)
    replies = {entry.line[1] for entry in book.entries if len(entry.line) > 1}
    assert len(replies) > 2
    sides = {len(entry.line) % 2 for entry in book.entries}
    assert sides == {0, 1}
