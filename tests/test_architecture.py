"""Who may use whom, in the core and in the laboratory; what opens a file; what the public API is."""

from __future__ import annotations

import ast
import importlib
import itertools
import re
import subprocess
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from layers import DOORS, MAY_USE, PARTS, ROOMS, direct, levels, picture
from source import CORE, LABORATORY, ROOT, core_files, laboratory_files, without_tests

import coppice
from coppice._addresses import MOVED
from coppice.papers import rows


def module_of(path: Path) -> str:
    return path.relative_to(CORE).parts[0].removesuffix(".rs")


def first_names(group: str) -> Iterator[str]:
    """The first name of each path in the text after an opening brace: `a, b::{c, d}}` gives a and b."""
    depth = 0
    start = True
    for token in re.findall(r"\w+|[{},]", group):
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth < 0:
                return
        elif token == ",":
            start = start or depth == 0
        elif start and depth == 0:
            start = False
            yield token


def used(text: str, depth: int) -> set[str]:
    """The modules of the crate that a file names, `depth` levels below the root of the crate."""
    text = without_tests(text)
    names: set[str] = set()
    root = rf"\b(?:crate|(?:super::){{{depth - 1}}}super)::\s*"
    for match in re.finditer(root + r"(\w+|\{)", text):
        names |= set(first_names(text[match.end() :])) if match[1] == "{" else {match[1]}
    return names & MAY_USE.keys()


def depth_of(path: Path) -> int:
    parts = path.relative_to(CORE).with_suffix("").parts
    return len(parts) - (parts[-1] == "mod")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("use crate::game::Game;", {"game"}),
        ("use crate::{game::{Game, Variant}, search, types::*};", {"game", "search", "types"}),
        ("fn f() { crate::games::all(); }", {"games"}),
        ("use super::spec::Spec;", {"spec"}),
        ("// use crate::game::Game;", set()),
        ("#[cfg(test)]\nmod tests {\n    use crate::games::All;\n}\nuse crate::tree::Tree;", {"tree"}),
        ("#[cfg(test)]\nmod tests;\nuse crate::tree::Tree;", {"tree"}),
        ("use crate::{\n    game::Game,\n    tree::Tree,\n};", {"game", "tree"}),
    ],
)
def test_the_reader_of_rust_paths(text: str, expected: set[str]) -> None:
    assert used(text, depth=1) == expected


def test_the_table_points_downward_only() -> None:
    order = list(MAY_USE)
    for module, allowed in MAY_USE.items():
        assert allowed <= set(order[: order.index(module)]), module


def test_the_picture_shows_the_table() -> None:
    svg = picture()
    names = re.findall(r"<text[^>]*>(\w+)</text>", svg)
    assert sorted(names) == sorted(MAY_USE)
    assert svg.count("<path ") == sum(map(len, direct(MAY_USE).values()))
    assert svg.count('class="part"') == len(PARTS)

    # What is left out follows from what is drawn.
    def below(module: str) -> set[str]:
        return set().union(*({one} | below(one) for one in direct(MAY_USE)[module]))

    for module, allowed in MAY_USE.items():
        assert allowed <= below(module)
        assert all(levels(MAY_USE)[one] < levels(MAY_USE)[module] for one in allowed)


@pytest.mark.parametrize("path", core_files(), ids=lambda path: str(path.relative_to(CORE)))
def test_a_module_of_the_core_uses_only_those_below_it(path: Path) -> None:
    module = module_of(path)
    assert module in MAY_USE, f"src/{module} is new: say in MAY_USE which modules it may use"
    too_high = used(path.read_text(encoding="utf-8"), depth_of(path)) - MAY_USE[module] - {module}
    assert not too_high, f"{path.relative_to(ROOT)} may not use {', '.join(sorted(too_high))}"


def test_every_module_of_the_crate_is_on_its_map_in_the_order_of_its_levels() -> None:
    text = (CORE / "lib.rs").read_text(encoding="utf-8")
    modules = re.findall(r"^(?:pub )?mod (\w+);", text, re.MULTILINE)
    assert sorted(modules) == sorted(MAY_USE)
    assert re.findall(r"^//! - `(\w+)`: \w", text, re.MULTILINE) == list(MAY_USE)


def table_of(section: str) -> list[str]:
    """The modules that a section of the page on architecture names in its table, from top to bottom."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", text.split(f"\n## {section}\n")[1].split("\n## ")[0], re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`(\w+)`", row)]


def test_the_page_on_architecture_names_every_module_once() -> None:
    assert table_of("The core, from the lowest part to the highest") == list(MAY_USE)
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text.split("\n## The laboratory\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(ROOMS)
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE))
    for room in set(ROOMS) - {"cli", "web", "reference"}:
        files = {path.stem for path in (LABORATORY / room).glob("*.py")} - {"__init__"}
        assert files <= set(re.findall(r"`(\w+)`", rows[room])), f"the page on architecture: {room}"


def test_the_walks_go_down_through_rooms_that_are_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    walks = re.findall(r"```text\n(.*?)```", text.split("\n## Five walks\n")[1].split("\n## ")[0], re.DOTALL)
    assert len(walks) == 5
    order = ["src", *ROOMS]
    for walk in walks:
        down, back = walk.split("back:\n")
        steps = [line.split()[0] for line in down.splitlines()]
        assert len(steps) >= 3
        for step in [*steps, *(line.split()[0] for line in back.splitlines())]:
            assert (ROOT / step if step.startswith("src") else LABORATORY / step).exists(), step
        levels = [order.index(step.split("/")[0]) for step in steps]
        assert levels == sorted(levels, reverse=True), steps


def test_only_the_python_folder_knows_pyo3() -> None:
    for path in core_files():
        if module_of(path) != "python":
            assert "pyo3" not in path.read_text(encoding="utf-8"), path.relative_to(ROOT)


def name_of(path: Path) -> str:
    """The module that a file holds: `coppice`, `coppice.lab.store`, `coppice.web.app`."""
    parts = path.relative_to(LABORATORY.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def imports(name: str, is_package: bool, tree: ast.AST, *, lazy: bool) -> set[str]:
    """What a module imports of the package when it is loaded or, if `lazy`, inside its functions."""
    package = name.split(".") if is_package else name.split(".")[:-1]
    found: set[str] = set()

    def visit(node: ast.AST, inside: bool) -> None:
        if is_for_types_only(node):
            return
        if inside == lazy:
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = package[: len(package) - node.level + 1] if node.level else []
                source = ".".join([*base, *(node.module or "").split(".")]).strip(".")
                # `from coppice import store` names a module, `from coppice import Match` the package.
                found.update(
                    f"{source}.{alias.name}" if f"{source}.{alias.name}" in MODULES else source
                    for alias in node.names
                )
        for child in ast.iter_child_nodes(node):
            visit(child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))

    visit(tree, False)
    return {found_name for found_name in found if f"{found_name}.".startswith("coppice.")}


MODULES = {"coppice._core", *(name_of(path) for path in laboratory_files())}


def all_imports(*, lazy: bool) -> dict[str, set[str]]:
    return {
        name_of(path): imports(
            name_of(path), path.stem == "__init__", ast.parse(path.read_text(encoding="utf-8")), lazy=lazy
        )
        for path in laboratory_files()
    }


def part_of(name: str) -> str:
    """The file or folder of the laboratory that a module belongs to; `` for the package itself."""
    return [*name.split("."), ""][1]


def test_the_reader_of_python_imports() -> None:
    text = (
        "import coppice._core\nfrom . import Match\nif TYPE_CHECKING:\n    from coppice.web import app\n"
        "def f():\n    from coppice.web import app\n    import os\n"
    )
    tree = ast.parse(text)
    assert imports("coppice.cli", False, tree, lazy=False) == {"coppice._core", "coppice"}
    assert {part_of(name) for name in imports("coppice.cli", False, tree, lazy=True)} == {"web"}


def test_only_the_command_line_imports_the_web_app_and_only_when_asked() -> None:
    for lazy in (False, True):
        for name, found in all_imports(lazy=lazy).items():
            may = part_of(name) == "web" or (part_of(name) == "cli" and lazy)
            assert may or "web" not in map(part_of, found), f"{name} imports the web app"


def test_nothing_imports_the_command_line() -> None:
    for lazy in (False, True):
        for name, found in all_imports(lazy=lazy).items():
            if part_of(name) not in ("cli", "__main__"):
                assert "cli" not in map(part_of, found), f"{name} imports the command line"


def test_experiments_are_found_by_name() -> None:
    for name, found in all_imports(lazy=False).items():
        if not name.startswith("coppice.papers.experiments"):
            experiments = [one for one in found if one.startswith("coppice.papers.experiments")]
            assert not experiments, f"{name} imports {experiments[0]}"


def test_a_room_uses_only_those_that_it_may_use() -> None:
    checked = 0
    for lazy in (False, True):
        for name, found in all_imports(lazy=lazy).items():
            room = part_of(name)
            if room in ROOMS:
                more = set(map(part_of, found)) - ROOMS[room] - {room, "_core"}
                assert not more, f"{name} imports {', '.join(sorted(more)) or 'coppice'}"
                checked += 1
    assert checked > 2 * 100


def test_every_file_of_the_laboratory_is_in_a_room_or_a_door() -> None:
    parts = set(map(part_of, MODULES)) - {"", "__main__", "_core"}
    assert parts - ROOMS.keys() == {"_addresses", *DOORS}


def test_rooms_use_only_those_below_them() -> None:
    order = list(ROOMS)
    for room, allowed in ROOMS.items():
        assert allowed <= set(order[: order.index(room)]), room


LOWEST = [
    ("core.distribution", set()),
    ("core.spec", {"core.catalogue", "_core"}),
    ("lab.score_row", set()),
    ("lab.stats", {"lab.score_row", "core.distribution"}),
    ("lab.turns", set()),
    # A store hands out frames; what makes them stands above it, and is imported when asked for.
    ("lab.store", {"lab.stats", "lab.turns", "lab.frames", "lab.tidy", "core.distribution", "_core"}),
]


@pytest.mark.parametrize(("module", "allowed"), LOWEST)
def test_the_lowest_files_of_the_laboratory_stand_alone(module: str, allowed: set[str]) -> None:
    for lazy in (False, True):
        found = all_imports(lazy=lazy)[f"coppice.{module}"]
        assert {one.removeprefix("coppice.") for one in found} <= allowed


@pytest.mark.parametrize("door", DOORS)
def test_a_public_door_has_nothing_but_what_it_opens(door: str) -> None:
    public = importlib.import_module(f"coppice.{door}")
    home = importlib.import_module(f"coppice.{DOORS[door]}")
    assert public.__all__ == home.__all__
    assert all(getattr(public, name) is getattr(home, name) for name in home.__all__)


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_a_module_is_found_by_its_address_of_before(old: str, new: str) -> None:
    home = importlib.import_module(f"coppice.{new}")
    assert importlib.import_module(f"coppice.{old}") is home
    assert home.__spec__ is not None
    assert home.__spec__.name == home.__name__ == f"coppice.{new}"


SPELT_BY_HAND = re.compile(
    r"""partition\(f?["']\(|startswith\(["']\w+\(|[(\s,]r["'].*\b(?:simulations|states|seconds|size|rows|columns|memory)\)?=|"""
    r"""["']\w+=\w+["'] in \w*spec"""
)


def test_nobody_but_spec_reads_the_text_of_a_spec() -> None:
    # Experiments write their players as text; what they put together there is read by the core.
    files = [path for path in laboratory_files() if path.parent.name != "experiments" and path.stem != "spec"]
    assert len(files) > 100
    found = [
        f"{path.name}: {line.strip()}"
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if SPELT_BY_HAND.search(line)
    ]
    assert found == []
    # The readers of before would be noticed.
    for line in (
        'name = spec.partition("(")[0]',
        '_CLOCK = re.compile(r"\\b(?:cpu_)?seconds=[0-9.]")',
        'if re.search(r"\\b(simulations|states)=", spec):',
        'early = player.spec.startswith("mcts(")',
        'if "reuse=true" in spec:',
    ):
        assert SPELT_BY_HAND.search(line), line


KINDS = "|".join(rows.__all__), "|".join(getattr(rows, name).kind for name in rows.__all__)
KNOWS_KINDS = re.compile(
    rf"""\b(?:{KINDS[0]}|SeriesRow|MatchWork|SeriesWork)\b|\bkind [!=]= ["'](?:{KINDS[1]})["']"""
)


def test_only_rows_know_the_kinds_of_rows() -> None:
    folders = ("rows", "experiments")
    files = [path for path in laboratory_files() if path.parent.name not in folders]
    assert len(files) > 100
    found = [
        f"{path.name}: {line.strip()}"
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if KNOWS_KINDS.search(line)
    ]
    assert found == []
    for line in ("if isinstance(row, MatchRow):", 'if row.kind == "speed":', "case SearchRow():"):
        assert KNOWS_KINDS.search(line), line


def test_the_laboratory_has_no_cycles() -> None:
    below = {name: found & MODULES - {name} for name, found in all_imports(lazy=False).items()}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " imports ".join((*path[path.index(name) :], name))
        if name not in done:
            for other in sorted(below.get(name, ())):
                visit(other, (*path, name))
            done.add(name)

    for name in below:
        visit(name, ())


def tracked(*patterns: str) -> list[Path]:
    """The files of the repository that match; outside a repository, as in an sdist, those in the folder."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode != 0:
        return sorted(path for pattern in patterns for path in ROOT.glob(f"*/**/{pattern}"))
    return [ROOT / name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


def opening(path: Path) -> str:
    """The first paragraph of a file's documentation, or nothing if it does not start with any."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rs":
        comment = itertools.takewhile(lambda line: line.startswith("//!"), text.splitlines())
        return "\n".join(line.removeprefix("//!").strip() for line in comment).split("\n\n")[0]
    if path.suffix in (".py", ".pyi"):
        return (ast.get_docstring(ast.parse(text)) or "").split("\n\n")[0]
    lines = itertools.dropwhile(lambda line: line.startswith("#!"), text.splitlines())
    comment = itertools.takewhile(lambda line: line.startswith("# "), lines)
    return " ".join(line.removeprefix("# ") for line in comment).partition(". ")[0].rstrip(".") + "."


def is_sentence(text: str) -> bool:
    # A sentence may open a list; it may start with a name in backticks.
    return re.match(r"[A-Z`\"'“\[]", text) is not None and text.rstrip()[-1] in ".:?"


def test_a_file_opens_with_a_sentence_that_says_what_lives_in_it() -> None:
    files = tracked("*.rs", "*.py", "*.pyi", "*.sh", "Makefile", ".ci/run")
    assert files
    bad = [str(path.relative_to(ROOT)) for path in files if not is_sentence(opening(path))]
    assert not bad, f"no sentence at the top of {', '.join(bad)}"


def test_all_is_exactly_the_public_api() -> None:
    listed = coppice.__all__
    assert len(listed) == len(set(listed))
    assert [name for name in listed if not hasattr(coppice, name)] == []
    # A submodule becomes an attribute when anybody imports it; it is public only if it is listed.
    public = {
        name
        for name, value in vars(coppice).items()
        if name == "__version__" or not (name.startswith("_") or isinstance(value, types.ModuleType))
    }
    assert {name for name in listed if not isinstance(getattr(coppice, name), types.ModuleType)} == public


def test_the_public_api_is_documented() -> None:
    for name in coppice.__all__:
        value = getattr(coppice, name)
        if callable(value):
            assert (value.__doc__ or "").strip(), f"coppice.{name} has no documentation"
