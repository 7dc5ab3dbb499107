"""The kinds of errors: each reaches Python as its own class, and nobody recognises one by its words."""

from __future__ import annotations

import ast
import json
import pickle
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import run
from engines import engine
from source import ROOT, core_files, laboratory_files, without_tests

import coppice
from coppice import CoreError, ForfeitError, GuestError, Match, RefusedError, Store
from coppice.lab.workers import Cluster, Processes
from coppice.protocols.analysis_lines import answer
from coppice.protocols.gtp import Server

KINDS: dict[type[Exception], type[Exception]] = {
    RefusedError: ValueError,
    ForfeitError: ValueError,
    GuestError: ValueError,
    CoreError: RuntimeError,
}

PLAYOUTS = """
from coppice import CoreError, ForfeitError, RefusedError
from coppice.extend import Playout

class Fails(Playout):
    def choose(self, turn, rng): return 1 / 0
class Refuses(Playout):
    def choose(self, turn, rng): raise ValueError("not today")
class Claims(Playout):
    def choose(self, turn, rng): raise ValueError("internal error: of a player that forfeited")
class Forfeits(Playout):
    def choose(self, turn, rng): raise ForfeitError("a program within has crashed")
class Meets(Playout):
    def choose(self, turn, rng): raise CoreError("internal error: a stone too many")
"""


@pytest.fixture
def playouts(tmp_path: Path) -> Path:
    path = tmp_path / "playouts.py"
    path.write_text(PLAYOUTS, encoding="utf-8")
    return path


def player(path: Path, name: str) -> str:
    return f'mcts(playout=python("{path}:{name}"), simulations=5)'


# One class for each kind


@pytest.mark.parametrize(("kind", "base"), KINDS.items())
def test_a_kind_is_caught_as_before_and_travels_between_processes(
    kind: type[Exception], base: type[Exception]
) -> None:
    assert kind.__bases__ == (base,)
    assert (kind.__doc__ or "").endswith(".")
    assert getattr(coppice, kind.__name__) is kind
    back = pickle.loads(pickle.dumps(kind("game 3: it fell")))
    assert (type(back), str(back)) == (kind, "game 3: it fell")


def test_what_is_not_allowed_is_refused() -> None:
    for ask in (
        lambda: coppice.game("chess"),
        lambda: coppice.player("uct(simulations=-1)"),
        lambda: coppice.game("tic_tac_toe").start().play("z9"),
        lambda: coppice.game("tic_tac_toe").state("nonsense"),
        lambda: Match("tic_tac_toe", "strong(selection=rave)", "nobody"),
        lambda: coppice.player("mcts(playout=mate)").check(coppice.game("nogo")),
        lambda: coppice.player("mcts(playout=python('no.such:Thing'))").check(coppice.game("nogo")),
    ):
        with pytest.raises(RefusedError):
            ask()


def test_a_program_that_breaks_the_rules_forfeits(tmp_path: Path) -> None:
    lost = engine(tmp_path / "log", "crash")
    with pytest.raises(ForfeitError, match=r"^crashed \(exit code 3\) in answer to"):
        coppice.player(lost).search(coppice.game("tic_tac_toe").start())
    result = Match("tic_tac_toe", lost, "random").play(2, store=tmp_path / "s.db")
    assert result.score.points == 0
    with Store(tmp_path / "s.db") as store:
        records = list(store.records(Match("tic_tac_toe", lost, "random").identity))
    assert [(r.kind, r.forfeited, bool(r.note)) for r in records] == [("forfeit", True, True)] * 2


def test_a_game_that_was_played_to_its_end_is_not_forfeited(tmp_path: Path) -> None:
    match = Match("tic_tac_toe", "random", "random")
    match.play(4, store=tmp_path / "s.db")
    with Store(tmp_path / "s.db") as store:
        records = list(store.records(match.identity))
    assert [record.forfeited for record in records] == [False] * 4


def test_a_program_that_cannot_be_started_is_no_forfeit(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="cannot write the log"):
        coppice.player(engine(tmp_path / "no" / "folder")).search(coppice.game("tic_tac_toe").start())


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("Fails", GuestError, r"in choose: ZeroDivisionError: division by zero \(line 6 of playouts.py\)"),
        ("Refuses", GuestError, "in choose: not today$"),
        ("Claims", GuestError, "in choose: internal error: of a player that forfeited$"),
        ("Forfeits", GuestError, "in choose: a program within has crashed$"),
        ("Meets", CoreError, r"in choose: CoreError: internal error: a stone too many \(line 14 of"),
    ],
)
def test_what_fails_in_a_guest_is_its_own_and_a_bug_that_it_meets_is_ours(
    name: str, kind: type[Exception], words: str, playouts: Path
) -> None:
    spec = player(playouts, name)
    start = coppice.game("tic_tac_toe").start()
    for ask in (
        lambda: coppice.player(spec).search(start),
        lambda: coppice.player(spec).think(start).run(coppice.Limit(simulations=5)),
        lambda: Match("tic_tac_toe", spec, "random").play(2, store=None),
        lambda: Match("tic_tac_toe", spec, "random").play(2, store=None, workers=Processes(1)),
    ):
        with pytest.raises(kind, match=words) as caught:
            ask()
        assert caught.type is kind


# Those who decide by a kind


@pytest.mark.parametrize(
    ("name", "code", "report_it"), [("Claims", 2, False), ("Forfeits", 2, False), ("Meets", 70, True)]
)
def test_the_command_line_asks_for_reports_of_bugs_alone(
    name: str, code: int, report_it: bool, playouts: Path
) -> None:
    done = run("match", "tic_tac_toe", player(playouts, name), "random", "--games", "2", cwd=playouts.parent)
    assert done.returncode == code
    assert ("please report it" in done.stderr) is report_it


def test_protocols_answer_whatever_kind_of_error_it_is(playouts: Path, tmp_path: Path) -> None:
    for spec in (player(playouts, "Fails"), player(playouts, "Meets"), engine(tmp_path / "log", "crash")):
        gtp = Server("tic_tac_toe", spec)
        assert gtp.respond("1 genmove white").startswith("?1 ")
        assert gtp.respond("2 name").startswith("=2 ")
        asked = json.dumps({"id": 7, "game": "tic_tac_toe", "player": spec})
        assert answer(1, asked).keys() == {"id", "line", "error"}


class Ended:
    """The future of a cluster whose work ended with an error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def result(self) -> None:
        raise self.error


def test_a_cluster_passes_on_what_says_itself_what_went_wrong() -> None:
    cluster = object.__new__(Cluster)
    cluster._address = "tcp://somewhere"
    for kind in KINDS:
        with pytest.raises(kind, match=r"^game 3: it fell$"):
            cluster._result(Ended(kind("game 3: it fell")))
    with pytest.raises(ValueError, match=r"^the cluster at 'tcp://somewhere' failed: it fell$"):
        cluster._result(Ended(RuntimeError("it fell\nlike this")))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "another command has kept it busy for 60 seconds"),
        (sqlite3.SQLITE_LOCKED, "another command has kept it busy for 60 seconds"),
        (sqlite3.SQLITE_FULL, "the disk is full; the games saved before are kept"),
        (sqlite3.SQLITE_IOERR_READ, "reading or writing the disk failed; the games saved before are kept"),
        (sqlite3.SQLITE_CORRUPT, "the file is damaged"),
        (sqlite3.SQLITE_SCHEMA, "it is locked, malformed and readonly"),
        (None, "it is locked, malformed and readonly"),
    ],
)
def test_a_store_reads_the_codes_of_sqlite(code: int | None, words: str, tmp_path: Path) -> None:
    error = sqlite3.OperationalError("it is locked, malformed and readonly")
    if code is not None:
        error.sqlite_errorcode = code
    with Store(tmp_path / "s.db") as store:
        told = store._error("cannot read", error)
    assert str(told) == f"cannot read store '{tmp_path / 's.db'}': {words}"


# Nobody recognises an error by its words

READS = {"startswith", "endswith", "find", "index", "count", "partition", "rpartition", "removeprefix"}
"""Methods of a text that look into it."""
DECIDES_BY_WORDS = {
    # The words of another program: its protocol has no others.
    ("src/player/gtp.rs", "reason.to_lowercase().contains("),
    # These words themselves are tested here.
    ("src/games/conformance.rs", "e.starts_with("),
    ("src/games/mr_jack/laws.rs", "error.contains("),
}


def is_error(annotation: ast.expr | None) -> bool:
    return annotation is not None and re.search(r"(Error|Exception)\b", ast.unparse(annotation)) is not None


def words_recognised(tree: ast.AST) -> Iterator[str]:
    """Where a function of Python looks into the words of an exception that it has caught or was given."""
    scopes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for scope in [tree, *scopes]:
        nodes = list(ast.walk(scope))
        errors = {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
        errors |= {node.arg for node in nodes if isinstance(node, ast.arg) and is_error(node.annotation)}
        texts: set[str] = set()

        def is_text(node: ast.AST, errors: set[str] = errors, texts: set[str] = texts) -> bool:
            """Whether it is the text of an exception, or made of one."""
            if isinstance(node, ast.Name):
                return node.id in texts
            if isinstance(node, ast.Call):
                named = isinstance(node.func, ast.Name) and node.func.id in ("str", "repr")
                of = [*node.args] if named else [node.func]
                return any((isinstance(a, ast.Name) and a.id in errors and named) or is_text(a) for a in of)
            if isinstance(node, ast.Attribute):
                is_args = isinstance(node.value, ast.Name) and node.value.id in errors
                return (is_args and node.attr in ("args", "strerror", "msg")) or is_text(node.value)
            if isinstance(node, ast.Subscript):
                return is_text(node.value)
            if isinstance(node, ast.JoinedStr):
                return any(isinstance(n, ast.Name) and n.id in errors for n in ast.walk(node))
            return False

        for _ in range(2):
            for node in nodes:
                if isinstance(node, ast.Assign) and is_text(node.value):
                    texts |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        for node in nodes:
            if isinstance(node, ast.Compare):
                found = any(is_text(side) for side in (node.left, *node.comparators))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
                found = (of_re and any(map(is_text, node.args))) or (
                    node.func.attr in READS and is_text(node.func.value)
                )
            else:
                found = False
            if found:
                yield ast.unparse(node)


RUST_WORDS = re.compile(
    r"\b(?:e|err|error|reason|message|failure|panic)(?:\.\w+\(\))*"
    r"(?:\.(?:contains|starts_with|ends_with|find|strip_prefix|eq|matches|split_once)\(|\s*[!=]= *\")"
)


def rust_words(text: str) -> list[str]:
    """Where Rust looks into something that is named like an error."""
    return [found[0] for found in RUST_WORDS.finditer(re.sub(r"\s+\.", ".", without_tests(text)))]


@pytest.mark.parametrize(
    "text",
    [
        "try: f()\nexcept ValueError as error:\n    if 'internal' in str(error): raise",
        "try: f()\nexcept E as e:\n    text = str(e)\n    print(text.startswith('a'))",
        "def f(error: sqlite3.Error):\n    text = str(error)\n    return [p for p in P if p in text.lower()]",
        "try: f()\nexcept ValueError as e:\n    if re.search('forfeit', f'{e}'): raise",
        "try: f()\nexcept ValueError as e:\n    if e.args[0] == 'no': raise",
    ],
)
def test_the_reader_of_python_finds_it(text: str) -> None:
    assert list(words_recognised(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "try: f()\nexcept ValueError as error:\n    print(str(error))\n    raise X(f'no: {error}')",
        "try: f()\nexcept OSError as error:\n    if error.errno == 2: raise",
        "def f(name):\n    return name.startswith('a')",
    ],
)
def test_the_reader_of_python_lets_words_be_shown(text: str) -> None:
    assert not list(words_recognised(ast.parse(text)))


def test_the_reader_of_rust_finds_it() -> None:
    assert rust_words('Some(error) if error.contains("internal error") => 1')
    assert rust_words('if e.to_string().starts_with("no") {}')
    assert rust_words('if reason\n    .to_string() == "no" {}')
    assert not rust_words("if error.kind() == ErrorKind::Internal {}")


def test_no_error_is_recognised_by_its_words() -> None:
    found: list[tuple[str, Any]] = []
    for path in laboratory_files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [(str(path.relative_to(ROOT)), words) for words in words_recognised(tree)]
    for path in core_files():
        found += [
            (str(path.relative_to(ROOT)), words) for words in rust_words(path.read_text(encoding="utf-8"))
        ]
    assert set(found) >= DECIDES_BY_WORDS, "the list of exceptions has one too many"
    more = [f"{place}: {words}" for place, words in found if (place, words) not in DECIDES_BY_WORDS]
    assert not more, f"ask for the kind of the error instead: {'; '.join(more)}"
