"""Runs what a change of a few files needs: the lints, and the tests nearest to what has changed.

    python tools/quick.py            # what differs from the last commit; if nothing does, what it changed
    python tools/quick.py FILE ...   # these files

Nearest to a module are the tests that import it by name, and those of its room that bear its name; to a file
of the core, the tests in it and below it, and clippy; to a file of tests, its own; to a page, the tests of
pages. The architecture is always asked. Tests that drive a browser are left to `make test`, unless they are
what has changed; Python's tests ask the module as it was built last, because to build it takes longer than
all of this.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = Path("python/coppice")
ALWAYS = "tests/test_architecture.py"
# Nearest to files that are no Python module and none of the core: by how their path begins.
OTHERS = {
    "docs/": "tests/test_docs.py",
    "examples/": "tests/test_docs.py",
    "CHANGELOG.md": "tests/test_docs.py",
    "README.md": "tests/test_docs.py",
    "results/": "tests/papers/test_result_lines.py",
    "Makefile": "tests/test_package.py",
    "pyproject.toml": "tests/test_package.py",
    "Cargo": "tests/test_package.py",
    "tools/": "tests/test_package.py",
    ".ci/": "tests/test_package.py",
}
BROWSER = ("chromium", "browser", "page")


def git(*arguments: str) -> list[str]:
    """The names that git prints."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.split("\0") if name]


def changed() -> list[str]:
    """Files that differ from the last commit or are new; if there are none, those that it changed."""
    differ = git("diff", "--name-only", "-z", "HEAD") + git(
        "ls-files", "--others", "--exclude-standard", "-z"
    )
    return differ or git("diff", "--name-only", "-z", "HEAD~", "HEAD")


def module_of(file: Path) -> str:
    """The name that a file of the package is imported by."""
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(source: str) -> set[str]:
    """All that a file imports, by full names: of `from a.b import c` both `a.b` and `a.b.c`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def drives_a_browser(source: str) -> bool:
    """Whether a test of a file asks for a browser."""
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    return any(argument.arg in BROWSER for one in functions for argument in one.args.args)


def read_tests() -> dict[str, str]:
    """The text of each file of tests, by its name."""
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}


def nearest(file: str, tests: dict[str, str]) -> Iterator[str]:
    """The files of tests nearest to a file that has changed."""
    path = Path(file)
    if file in tests:
        yield file
    elif path.suffix == ".py" and path.is_relative_to(PACKAGE):
        module, inside = module_of(path), path.relative_to(PACKAGE).parts
        room = f"tests/{inside[0]}/" if len(inside) > 1 else "tests/"
        for name, source in tests.items():
            named = name.startswith(room) and Path(name).stem == f"test_{path.stem}"
            if (named or module in imported(source)) and not drives_a_browser(source):
                yield name
    elif path.suffix == ".py" and file.startswith("tests/"):
        helpers = file.startswith("tests/helpers/")
        for name, source in tests.items():
            near = path.stem in imported(source) if helpers else Path(name).parent == path.parent
            if near and not drives_a_browser(source):
                yield name
    else:
        yield from (name for start, name in OTHERS.items() if file.startswith(start) and name in tests)


def core_tests(files: Iterable[str]) -> list[str]:
    """The filters by which `cargo test` finds the tests in and below files of the core."""
    found = set()
    for file in files:
        path = Path(file)
        if path.suffix == ".rs" and path.parts[0] == "src":
            parts = [
                part for part in path.relative_to("src").with_suffix("").parts if part not in ("mod", "lib")
            ]
            if "tests" in parts:
                parts = parts[: parts.index("tests")]
            found.add("::".join(parts) + "::" if parts else "")
    return [] if "" in found else sorted(found)


def steps(files: list[str], tests: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    """What is run for files that have changed, in order: a name and a command."""
    python = sys.executable
    if any(file.endswith(".rs") for file in files):
        cargo = ["--locked", "--quiet", "--no-default-features", "--features", "checked"]
        yield "cargo fmt", ["cargo", "fmt", "--check"]
        yield "cargo clippy", ["cargo", "clippy", *cargo, "--lib", "--tests", "--", "-D", "warnings"]
        yield "cargo test", ["cargo", "test", *cargo, "--profile", "quick", "--lib", "--", *core_tests(files)]
    yield "ruff check", [python, "-m", "ruff", "check", "--quiet", "."]
    yield "ruff format", [python, "-m", "ruff", "format", "--quiet", "--diff", "."]
    if any(file.endswith((".py", ".pyi")) for file in files):
        yield "mypy --strict", [python, "-m", "mypy", "--strict"]
    asked = sorted({ALWAYS, *(name for file in files for name in nearest(file, tests))})
    yield (
        f"pytest, {len(asked)} of {len(tests)} files",
        [python, "-m", "pytest", "-q", "-n", "logical", *asked],
    )


def main() -> None:
    """The command."""
    files = sys.argv[1:] or changed()
    unknown = [file for file in files if sys.argv[1:] and not (ROOT / file).exists()]
    if unknown:
        raise SystemExit(f"quick.py: there is no file {unknown[0]!r}; name files as seen from {ROOT.name}/")
    print(f"changed: {', '.join(files)}")
    started = time.monotonic()
    for name, command in steps(files, read_tests()):
        status = subprocess.run(["tools/step.sh", name, *command], cwd=ROOT, env=os.environ).returncode
        if status:
            raise SystemExit(status)
    print(f"make quick: everything passed in {time.monotonic() - started:.0f} s; `make test` asks the rest")


if __name__ == "__main__":
    main()
