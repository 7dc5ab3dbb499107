"""What `make quick` runs for which file, and the table of where the time of `make test` goes."""

from __future__ import annotations

import pytest
import quick
import times

TESTS = {
    "tests/test_architecture.py": "import coppice\n",
    "tests/test_docs.py": "",
    "tests/lab/test_store.py": "from coppice.core import game\n",
    "tests/papers/test_rows.py": "from coppice.lab.store import Store\n",
    "tests/papers/test_cost.py": "from coppice.lab import store\n",
    "tests/web/test_store.py": "",
    "tests/web/test_pages.py": "from coppice.lab.store import Store\ndef test_it(page): ...\n",
    "tests/cli/test_cli.py": "from command import run\n",
}


@pytest.mark.parametrize(
    ("file", "found"),
    [
        (
            "python/coppice/lab/store.py",
            ["tests/lab/test_store.py", "tests/papers/test_rows.py", "tests/papers/test_cost.py"],
        ),
        ("python/coppice/core/game.py", ["tests/lab/test_store.py"]),
        ("python/coppice/__init__.py", ["tests/test_architecture.py"]),
        ("tests/web/test_pages.py", ["tests/web/test_pages.py"]),
        ("tests/helpers/command.py", ["tests/cli/test_cli.py"]),
        ("tests/web/conftest.py", ["tests/web/test_store.py"]),
        ("docs/index.md", ["tests/test_docs.py"]),
        ("src/tree.rs", []),
    ],
)
def test_the_tests_nearest_to_a_file(file: str, found: list[str]) -> None:
    assert list(quick.nearest(file, TESTS)) == found


def test_the_core_asks_the_tests_in_and_below_a_file() -> None:
    assert quick.core_tests(["src/tree.rs", "src/playout/mod.rs", "docs/index.md"]) == ["playout::", "tree::"]
    assert quick.core_tests(["src/playout/tests/pairs.rs"]) == ["playout::"]
    assert quick.core_tests(["src/lib.rs", "src/tree.rs"]) == [], "all of them"


def test_rust_is_compiled_only_where_it_has_changed() -> None:
    names = [name for name, _ in quick.steps(["docs/index.md"], TESTS)]
    assert names == ["ruff check", "ruff format", f"pytest, 2 of {len(TESTS)} files"]
    names = [name for name, _ in quick.steps(["src/tree.rs"], TESTS)]
    assert names[:3] == ["cargo fmt", "cargo clippy", "cargo test"]
    (asked,) = [command for name, command in quick.steps(["src/tree.rs"], TESTS) if name == "cargo test"]
    assert asked[-2:] == ["--", "tree::"]
    names = [name for name, _ in quick.steps(["python/coppice/lab/store.py"], TESTS)]
    assert "mypy --strict" in names


def test_a_file_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["quick.py", "nowhere.py"])
    with pytest.raises(SystemExit, match=r"there is no file 'nowhere\.py'; name files as seen from"):
        quick.main()


def test_the_table_of_times_says_what_took_how_long() -> None:
    output = (
        "-- cargo clippy ...\nok cargo clippy (19 s)\ntest result: ok. 439 passed; 0 failed\n"
        "ok cargo test, checked (154 s)\n1234 passed, 1 skipped in 300.00s\nok pytest (301 s)\n"
    )
    fresh = times.read("fresh", 700.4, output)
    built = times.read("built", 340.0, "439 passed\nok pytest (300 s)\n")
    assert fresh.tests == {"cargo": 439, "pytest": 1234}
    first, second, *rows = times.table([fresh, built], "abc, 2 processors").splitlines()
    assert first == "# Where the time of make test goes, in seconds: abc, 2 processors."
    assert "fresh: 11.7 min, built: 5.7 min. Tests that passed: 0 by cargo, 439 by pytest." in second
    assert rows == [
        "step                 fresh  built",
        "make test              700    340",
        "cargo clippy            19       ",
        "cargo test, checked    154       ",
        "pytest                 301    300",
    ]
