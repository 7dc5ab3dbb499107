"""The documentation as written: code runs, commands work, links lead somewhere, notebooks execute."""

from __future__ import annotations

import importlib
import json
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from command import COPPICE
from nbclient import NotebookClient
from pages import apply_diff, blocks

import coppice

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    *sorted(path for path in DOCS.rglob("*.md") if not path.parts[-2].startswith("_")),
]
# So that pages may say `coppice`.
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def of_language(language: str) -> list[Path]:
    return [path for path in PAGES if any(block.language == language for block in blocks(path))]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", of_language("python"), ids=name)
def test_python_on_a_page_runs_from_top_to_bottom(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", PATH)
    # As for whoever runs Python in the folder with the files of the page.
    monkeypatch.syspath_prepend(tmp_path)
    namespace: dict[str, object] = {}
    for number, block in enumerate(block for block in blocks(path) if block.language == "python"):
        if block.caption:
            (tmp_path / block.caption).write_text(block.text, encoding="utf-8")
            # Other pages may have a module of this name, too.
            monkeypatch.delitem(sys.modules, Path(block.caption).stem, raising=False)
        else:
            exec(compile(block.text, f"{name(path)}, block {number}", "exec"), namespace)
    capsys.readouterr()


@pytest.mark.parametrize("path", of_language("sh"), ids=name)
def test_commands_on_a_page_work(path: Path, tmp_path: Path) -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for block in blocks(path):
        if block.language == "python" and block.caption:
            (tmp_path / block.caption).write_text(block.text, encoding="utf-8")
    for line in (
        line for block in blocks(path) if block.language == "sh" for line in block.text.splitlines()
    ):
        words = shlex.split(line, comments=True)
        if words[0] == "make":
            assert words[1] in targets, line
            continue
        assert words[0].endswith("coppice"), f"{line}: only make and coppice are commands of this project"
        done = subprocess.run(
            [*COPPICE, *words[1:]],
            cwd=tmp_path,
            env={**os.environ, "PATH": PATH},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        assert done.stdout or done.stderr, line


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        *(f"docs/{page}.md" for page in ("index", "player", "researcher", "laboratory", "programs")),
    ],
)
def test_a_page_says_where_the_command_is_before_it_is_used(page: str) -> None:
    """After `make setup` no shell knows `coppice` yet."""
    text = (ROOT / page).read_text(encoding="utf-8")
    used = text.index("\ncoppice ")
    for told in (".venv/bin/coppice", "source .venv/bin/activate"):
        assert text.index(told) < used, told


def test_the_readme_tells_how_the_tables_of_the_papers_go_on() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in ("coppice run --all", "coppice tables", "coppice verify", "coppice merge"):
        assert f"`{command}`" in text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_notebooks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The kernel of this Python, whatever kernels are installed on the machine.
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    assert all(not cell.get("outputs") for cell in notebook.cells), "outputs are not kept"
    NotebookClient(
        notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    kinds = [
        kind
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        for kind in output.get("data", {})
    ]
    assert "image/svg+xml" in kinds or "text/html" in kinds, "a notebook shows something richly"


def test_there_are_four_notebooks() -> None:
    assert len(NOTEBOOKS) >= 4


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. In a copy, because the generated pages lie beside the others."""
    folder = tmp_path_factory.mktemp("documentation")
    ignored = shutil.ignore_patterns("_build", "_generated", "__pycache__")
    shutil.copytree(DOCS, folder / "docs", ignore=ignored)
    shutil.copy(ROOT / "CHANGELOG.md", folder)
    shutil.copytree(ROOT / "results", folder / "results")
    shutil.copytree(ROOT / "tools", folder / "tools", ignore=ignored)
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "docs", "site"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder / "site"


def test_the_site_has_the_options_of_every_policy(site: Path) -> None:
    for family in ("game", "selection", "playout", "player"):
        page = (site / "_generated" / f"{family}.html").read_text(encoding="utf-8")
        for part in coppice.catalogue(family):
            assert f">{part.name}</span>" in page, part.name
            for option in part.options:
                assert f">{option.name}</span>" in page, (part.name, option.name)


def test_every_named_player_is_on_the_page_of_its_paper(site: Path) -> None:
    pages = [
        (site / "algorithms" / f"{page}.html").read_text(encoding="utf-8")
        for page in ("havannah", "nested", "mr_jack")
    ]
    for part in coppice.catalogue("player"):
        if part.is_named:
            assert (
                sum(
                    f'<span class="pre">{part.name}</span></code></td>' in page
                    or f'<span class="pre">{part.name}</span></code></p></td>' in page
                    for page in pages
                )
                == 1
            ), part.name


def html(site: Path, page: str) -> str:
    return (site / f"{page}.html").read_text(encoding="utf-8")


def test_no_page_asks_another_host_for_anything(site: Path) -> None:
    """A laboratory may be offline."""
    loaded = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"([^\"]*)|<link\b[^>]*\bhref=\"([^\"]*)")
    pages, styles = list(site.rglob("*.html")), list(site.rglob("*.css"))
    assert pages
    assert styles
    for path in pages:
        for match in loaded.finditer(path.read_text(encoding="utf-8")):
            assert not re.match(r"(https?:)?//", match[1] or match[2]), f"{path.name}: {match[0]}"
    for path in styles:
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", path.read_text(encoding="utf-8")), path


WITH_FORMULAS = ["algorithms/havannah", "algorithms/nested", "algorithms/modern", "statistics"]


@pytest.mark.parametrize("page", WITH_FORMULAS)
def test_formulas_stand_on_the_page_without_a_script(site: Path, page: str) -> None:
    text = html(site, page)
    assert "<math " in text
    for raw in ("\\(", "\\[", "\\frac", "MathJax"):
        assert raw not in text


def test_indices_stand_below_the_line(site: Path) -> None:
    """A font that does not know how formulas are set makes "np" of the visits of a node."""
    style = (site / "_static" / "style.css").read_text(encoding="utf-8")
    assert re.search(r"^math {[^}]*font-family: .*Math", style, re.MULTILINE)


def test_a_misspelt_command_in_a_formula_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.syspath_prepend(DOCS / "_ext")
    formulas = importlib.import_module("formulas")
    monkeypatch.setattr(logging.getLogger("sphinx"), "propagate", True)
    assert "<mfrac>" in formulas.mathml(r"\frac{1}{2}", "inline")
    assert not caplog.records
    formulas.mathml(r"\farc{1}{2}", "inline")
    assert caplog.messages == [r"a formula holds an unknown command: \farc{1}{2}"]


def test_the_api_page_has_every_public_name_once_in_the_order_of_a_reader(site: Path) -> None:
    text = html(site, "api")
    for public in coppice.__all__:
        assert text.count(f'id="coppice.{public}"') == 1, public
    titles = re.findall(r"<h2>(.*?)<a", text)
    assert titles[:5] == [
        "Games and players",
        "Positions and searches",
        "Matches",
        "Statistics",
        "Experiments",
    ]


def test_the_api_page_tells_of_attributes_in_whole_sentences(site: Path) -> None:
    text = html(site, "api")
    assert "<p>By cell; None: nothing is known.</p>" in text
    assert ">Type<" not in text


def test_the_menu_names_every_page_once(site: Path) -> None:
    menu = html(site, "index").partition('<div class="sidebar-tree">')[2].partition("</aside>")[0]
    found = re.findall(
        r'<li class="toctree-l1[^>]*><a class="reference internal" href="([^"]*)">(.*?)</a>', menu
    )
    titles = [title for _, title in found]
    assert len(set(titles)) == len(titles)
    pages = {str(path.relative_to(DOCS).with_suffix(".html")) for path in PAGES[1:]} - {"index.html"}
    assert {target for target, _ in found} == pages


def test_the_first_page_has_a_picture_and_the_findings_a_figure(site: Path) -> None:
    for page, image in (("index", "analysis.png"), ("findings", "findings.svg")):
        body = html(site, page).partition("<article")[2]
        assert f'src="_images/{image}"' in body
        assert (site / "_images" / image).stat().st_size > 10_000


def test_code_that_is_longer_than_its_box_goes_on_in_the_next_line(site: Path) -> None:
    assert 'href="_static/style.css' in html(site, "laboratory")
    style = (site / "_static" / "style.css").read_text(encoding="utf-8")
    assert re.search(r"\.highlight pre {[^}]*white-space: pre-wrap", style)


# The page for newcomers is followed by test_first_contribution, also where its policy has been added.
EXTENSIONS = [
    path for path in of_language("rust") if path.parent.name == "extend" and path.stem != "first_contribution"
]


@pytest.mark.parametrize("path", EXTENSIONS, ids=name)
def test_what_is_added_in_rust_fits_the_files_that_are_there(path: Path) -> None:
    found = list(blocks(path))
    assert any(block.language == "diff" for block in found)
    for block in found:
        if block.language == "diff":
            text = apply_diff((ROOT / block.caption).read_text(encoding="utf-8"), block.text)
            if block.caption.endswith(".json"):
                json.loads(text)
        if block.language == "rust":
            assert not (ROOT / block.caption).exists(), (
                f"{block.caption} is the example of a page: take it out"
            )
            assert block.text.startswith("//! ")


def test_the_page_on_games_names_everything_that_the_tests_ask_of_one() -> None:
    """test_strong asks for a strong player and a ladder, the core for fingerprints."""
    path = DOCS / "extend" / "game.md"
    changed = {block.caption for block in blocks(path) if block.language == "diff"}
    assert changed == {"src/games/mod.rs", "python/coppice/data/ladder.json"}
    assert "fingerprints.txt" in path.read_text(encoding="utf-8")


@pytest.mark.evidence
@pytest.mark.parametrize("path", EXTENSIONS, ids=name)
def test_what_is_added_in_rust_compiles_and_passes_its_tests(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "crate"
    shutil.copytree(ROOT / "src", copy / "src")
    shutil.copytree(ROOT / "bench", copy / "bench")
    # What the crate reads when it is compiled.
    for folder in ("python/coppice/data", "python/coppice/rules", "tests/data"):
        shutil.copytree(ROOT / folder, copy / folder)
    for file in ("Cargo.toml", "Cargo.lock", "rustfmt.toml", "fingerprints.txt", "build.rs"):
        if (ROOT / file).is_file():
            shutil.copy(ROOT / file, copy)
    added = module = ""
    for block in blocks(path):
        if block.language == "rust":
            (copy / block.caption).write_text(block.text, encoding="utf-8")
            added, module = block.caption, Path(block.caption).stem
        elif block.language == "diff":
            target = copy / block.caption
            target.write_text(apply_diff(target.read_text(encoding="utf-8"), block.text), encoding="utf-8")
    for command in (
        ["rustfmt", "--check", "--edition", "2024", "--config-path", ".", added],
        ["cargo", "test", "--quiet", "--no-default-features", "--lib", module],
        ["cargo", "test", "--quiet", "--no-default-features", "--lib", "conformance"],
        ["cargo", "test", "--quiet", "--no-default-features", "--lib", "strong"],
    ):
        done = subprocess.run(
            command,
            cwd=copy,
            capture_output=True,
            text=True,
            env={**os.environ, "CARGO_TARGET_DIR": str(tmp_path / "target")},
        )
        assert done.returncode == 0, done.stdout + done.stderr
