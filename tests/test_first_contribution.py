"""The page for newcomers, followed to the letter: its policy is built, tested, sent and taken out again."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pages import apply_diff, blocks, take_back_diff

import coppice
from coppice.reference.havannah import Havannah
from coppice.reference.tree_search import Playout, Settings, TreeSearch, Uct

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "extend" / "first_contribution.md"
BLOCKS = list(blocks(PAGE))
POLICY = "centre_bias"
# What the page begins with: whoever reads it has an address of their own.
ADDRESS = "ADDRESS-OF-YOUR-FORK"
# As on a machine of which git knows nothing.
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "a@newcomer" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
# What Cargo reads above the clone: nothing is optimised, so that all is built in a minute, and the crate
# alone in half of one. For evidence, which plays more, all is, a little.
UNOPTIMISED = "[profile.test]\nopt-level = 0\n"
LITTLE = "".join(
    f"[profile.{name}]\nopt-level = 1\ncodegen-units = 16\nincremental = true\n"
    for name in ("release", "test")
)


def run(*command: str, cwd: Path, **environment: str) -> str:
    """What a command prints; it must succeed. Rust is the one of this folder, if it has one."""
    with_rust = '. tools/rust.sh && cd "$0" && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", with_rust, str(cwd), *command],
        cwd=ROOT,
        env={**os.environ, **GIT, "MAKEFLAGS": "", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def changed() -> set[str]:
    """The files that the page writes or changes by hand."""
    return {block.caption for block in BLOCKS if block.caption}


def make_upstream(upstream: Path) -> None:
    """A repository with the files of this one as they lie here, without the policy of the page."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listing.returncode != 0:
        pytest.skip("not in a repository")
    for name in filter(None, listing.stdout.split("\0")):
        if (ROOT / name).is_file():
            (upstream / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, upstream / name)
    for block in BLOCKS:
        path = upstream / block.caption
        if block.caption and block.language == "diff":
            path.write_text(take_back_diff(path.read_text(encoding="utf-8"), block.text), encoding="utf-8")
        elif block.caption:
            path.unlink(missing_ok=True)
    prints = upstream / "fingerprints.txt"
    lines = prints.read_text(encoding="utf-8").splitlines(keepends=True)
    prints.write_text("".join(line for line in lines if POLICY not in line), encoding="utf-8")
    run("git", "init", "--quiet", "--initial-branch", "main", cwd=upstream)
    run("git", "add", "--all", cwd=upstream)
    run("git", "commit", "--quiet", "--message", "All of it", cwd=upstream)


def configure_cargo(folder: Path, text: str) -> None:
    (folder / ".cargo").mkdir(exist_ok=True)
    (folder / ".cargo" / "config.toml").write_text(text, encoding="utf-8")


def steps(
    upstream: Path, folder: Path, target: Path, runs: Callable[[str], bool]
) -> Iterator[tuple[str, str, Path]]:
    """Does what the page says, and gives each command once it has been run, with what it printed, and where.

    Commands for which `runs` says no are only given.
    """
    for block in BLOCKS:
        if block.language == "bash":
            for line in block.text.splitlines():
                words = shlex.split(line.replace(ADDRESS, str(upstream)))
                if words[0] == "cd":
                    folder /= words[1]
                else:
                    environment = {"CARGO_TARGET_DIR": str(target)}
                    yield line, run(*words, cwd=folder, **environment) if runs(line) else "", folder
        elif block.language == "diff":
            path = folder / block.caption
            path.write_text(apply_diff(path.read_text(encoding="utf-8"), block.text), encoding="utf-8")
        else:
            assert not (folder / block.caption).exists(), block.caption
            (folder / block.caption).write_text(block.text, encoding="utf-8")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that is always the same, so that only what has changed is built; one test at a time has it.

    What is built lies in it, too: the tests of the core may be building in the usual place at this moment.
    """
    folder = TARGET / "first_contribution"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        configure_cargo(folder, UNOPTIMISED)
        for name in ("upstream", "coppice"):
            shutil.rmtree(folder / name, ignore_errors=True)
        yield folder


def lints(clone: Path) -> None:
    """What `make lint` says of the form of the new files."""
    files = {name for name in changed() if (clone / name).suffix == ".py"}
    assert files
    run(sys.executable, "-m", "ruff", "check", "--quiet", *files, cwd=clone)
    run(sys.executable, "-m", "ruff", "format", "--quiet", "--diff", *files, cwd=clone)
    run("cargo", "fmt", "--check", cwd=clone)


def twin_searches(clone: Path) -> None:
    """The twin of the page knows the centre, and searches with it."""
    path = clone / f"python/coppice/reference/{POLICY}.py"
    spec = importlib.util.spec_from_file_location(POLICY, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[POLICY] = module
    try:
        spec.loader.exec_module(module)
        twin: Playout = module.CentreBias(Havannah(3), w=5)
        assert module.CentreBias(Havannah(3)).centre == {"b2", "b3", "c2", "c3", "c4", "d3", "d4"}
        state = coppice.game("havannah(size=3)").start()
        searched = {
            TreeSearch(state, Settings(budget=200), Uct(), playouts).search(200, random.Random(1))
            for playouts in ([twin], [])
        }
        assert searched <= set(state.legal_moves)
    finally:
        del sys.modules[POLICY]


@pytest.mark.timeout(1200)
def test_the_page_is_followed_to_the_letter(place: Path) -> None:
    """Everything but what needs the built package: `make`, and `coppice`, which evidence runs below.

    The policy is compiled into the core, unoptimised, and plays in its own tests; its twin plays in Python.
    """
    upstream, later = place / "upstream", []
    make_upstream(upstream)
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    needs_package = re.compile(r"make |\.venv/bin/coppice ")
    tests = clone = None
    for line, printed, folder in steps(
        upstream, place, place / "target", lambda line: not needs_package.match(line)
    ):
        clone = folder
        if line.startswith("make "):
            assert line.split()[1] in targets, line
            later.append(line)
        elif needs_package.match(line):
            later.append(line)
        elif line.startswith("cargo test "):
            found = re.search(r"test result: ok\. (\d+) passed", printed)
            assert found is not None, printed
            tests = int(found[1])
        elif line.startswith("git add "):
            lints(folder)
            twin_searches(folder)
        elif line.startswith("git push "):
            names = run("git", "diff", "--name-only", "main", "centre-bias", cwd=upstream).splitlines()
            assert set(names) == changed()
            message = run("git", "log", "-1", "--format=%B", "centre-bias", cwd=upstream).strip()
            assert message.splitlines()[-1] == "No functional change"
    assert later.count("make setup") == 3
    assert later[-2:] == ["make test", "make setup"]
    assert tests == 4, "three of its own, and the one that looks for it among the pairs"
    # It is gone without a trace.
    assert clone is not None
    assert run("git", "status", "--porcelain", cwd=clone) == ""
    assert run("git", "branch", "--format=%(refname:short)", cwd=clone).split() == ["main"]
    assert run("git", "rev-parse", "HEAD", cwd=clone) == run("git", "rev-parse", "main", cwd=upstream)
    assert not (clone / f"src/playout/{POLICY}.rs").exists()


BEFORE = "one\n\ntwo\none\n"
DIFF = " one\n\n+a\n+\n two\n+b\n"


def test_lines_of_a_page_are_put_where_the_lines_above_them_stand_and_can_be_taken_back() -> None:
    after = apply_diff(BEFORE, DIFF)
    assert after == "one\n\na\n\ntwo\nb\none\n"
    assert take_back_diff(after, DIFF) == BEFORE
    assert take_back_diff(BEFORE, DIFF) == BEFORE


@pytest.mark.parametrize(
    ("diff", "message"),
    [
        (" one\n+a\n", "2 times in the file, not once: ['one']"),
        (" three\n+a\n", "0 times in the file, not once: ['three']"),
        ("+a\n", "begins with a line that is there"),
        (" one\n+a\n two\n", "ends with a line that is added"),
    ],
)
def test_lines_of_a_page_that_fit_nowhere_are_named(diff: str, message: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(message)):
        apply_diff(BEFORE, diff)


CHECKS = (
    "cargo test --locked --quiet --lib --no-default-features -- pairs fingerprints",
    ".venv/bin/python -m pytest -q tests/reference/test_reference.py -k centre_bias",
    ".venv/bin/python -m pytest -q tests/reference/test_reference_all.py",
    ".venv/bin/python -m pytest -q tests/test_first_contribution.py",
)
"""What of `make test` a new policy could fail; and the test above, where the policy is there already."""


@pytest.mark.evidence
def test_the_commands_of_the_page_work_with_the_package_built_anew(tmp_path: Path) -> None:
    """All of the page, from an empty folder, but for `make test`, of which the tests in `CHECKS` are run."""
    upstream, target = tmp_path / "upstream", tmp_path / "coppice" / "target"
    make_upstream(upstream)
    configure_cargo(tmp_path, LITTLE)
    seen: dict[str, list[str]] = {}
    for line, printed, folder in steps(upstream, tmp_path, target, lambda line: line != "make test"):
        seen.setdefault(line, []).append(printed)
        if line == "make test":
            for check in CHECKS:
                run(*shlex.split(check), cwd=folder, CARGO_TARGET_DIR=str(target))
        if line.startswith("git diff --stat"):
            inserted = run("git", "diff", "--numstat", "fingerprints.txt", cwd=folder).split()
            assert int(inserted[0]) > 10
            assert inserted[1] == "0", "a line has changed that was there"
        if line.startswith("git push "):
            names = run("git", "diff", "--name-only", "main", "centre-bias", cwd=upstream).splitlines()
            assert set(names) == {*changed(), "fingerprints.txt"}
    (described,) = seen[".venv/bin/coppice players centre_bias"]
    assert "weight of a cell in the middle" in described
    clone = tmp_path / "coppice"
    assert run("git", "status", "--porcelain", cwd=clone) == ""
    catalogue = run(".venv/bin/coppice", "players", cwd=clone)
    assert "corner_bias" in catalogue
    assert POLICY not in catalogue
