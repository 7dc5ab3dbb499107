"""The package as a person meets it: its commands, what they say when something is missing, its version."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from importlib import import_module, metadata
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import coppice
from coppice.cli.web import web as open_app
from coppice.core import distribution
from coppice.core.extend import compile_game
from coppice.lab.stats import chi_squared
from coppice.lab.store import Store, package_version
from coppice.lab.tune import Parameter, Tuning
from coppice.lab.workers import Cluster
from coppice.show.figures import draw_heat_map
from coppice.show.report_site import write_site

ROOT = Path(__file__).parent.parent

# What the commands themselves call, beside the three things that may be missing.
SHELL_TOOLS = (
    "cat",
    "date",
    "dirname",
    "env",
    "find",
    "make",
    "mkdir",
    "pwd",
    "rm",
    "sed",
    "sh",
    "test",
    "touch",
)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def run(*command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def program(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of what the commands read before they build anything."""
    copy = tmp_path / "project"
    shutil.copytree(ROOT / "tools", copy / "tools")
    (copy / "src").mkdir()
    for name in ("Makefile", "Cargo.toml", "Cargo.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, copy)
    return copy


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """The only folder on the path: the shell's tools, a Python, a C compiler, a cargo of few words."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in SHELL_TOOLS:
        found = shutil.which(name)
        assert found, f"this machine has no {name}"
        (programs / name).symlink_to(found)
    program(programs / "python3", f'#!/bin/sh\nexec "{Path(sys.executable).resolve()}" "$@"\n')
    program(programs / "cc", "#!/bin/sh\nexit 0\n")
    program(programs / "cargo", "#!/bin/sh\necho 'cargo 1.95.0 (0 2026-01-01)'\n")
    return programs


def need(folder: Path, machine: Path, target: str = "need", **more: str) -> subprocess.CompletedProcess[str]:
    # No index and no other folder of packages: nothing is fetched in a test.
    return run(
        "make", target, cwd=folder, PATH=str(machine), PIP_NO_INDEX="1", **{"PIP_FIND_LINKS": "", **more}
    )


def test_the_readme_opens_with_both_commands() -> None:
    first_screen = text_of("README.md").splitlines()[:24]
    for command in ("make run", "make test"):
        assert any(line.startswith(command) for line in first_screen), command


def test_the_targets_exist_and_help_names_them() -> None:
    targets = {"setup", "run", "test", "bench", "evidence", "lint", "clean", "wheel", "help"}
    printed = run("make", "help", cwd=ROOT, PATH=os.environ["PATH"])
    assert printed.returncode == 0
    named = {line.split()[1] for line in printed.stdout.splitlines()}
    assert targets <= named
    phony = re.search(r"^\.PHONY: (.*)$", text_of("Makefile"), re.MULTILINE)
    assert phony is not None
    assert named <= set(phony[1].split())


def test_nothing_is_missing_on_a_whole_machine_and_nothing_is_done_twice(folder: Path, machine: Path) -> None:
    first = need(folder, machine)
    assert (first.returncode, first.stderr) == (0, "")
    assert "virtual environment" in first.stdout
    assert "virtual environment" not in need(folder, machine).stdout


def test_a_moved_folder_gets_a_new_environment(folder: Path, machine: Path) -> None:
    assert need(folder, machine).returncode == 0
    moved = folder.rename(folder.with_name("moved"))
    assert "virtual environment" in need(moved, machine).stdout


@pytest.mark.parametrize("target", ["setup", "run", "test"])
def test_a_missing_python_is_named(folder: Path, machine: Path, target: str) -> None:
    (machine / "python3").unlink()
    result = need(folder, machine, target)
    assert result.returncode == 2
    assert "coppice needs Python 3.11 or newer, with venv, and it is missing. To get it:" in result.stderr
    assert "sudo apt install python3 python3-venv" in result.stderr


def test_an_old_python_is_no_python_and_a_newer_one_is_found_by_name(folder: Path, machine: Path) -> None:
    newer = (machine / "python3").rename(machine / "python3.12")
    program(machine / "python3", "#!/bin/sh\nexit 1\n")
    # A name with nothing behind it, as version managers leave them.
    program(machine / "python3.13", "#!/bin/sh\nexit 127\n")
    assert need(folder, machine).returncode == 0
    newer.unlink()
    shutil.rmtree(folder / ".venv")
    assert "coppice needs Python 3.11 or newer" in need(folder, machine).stderr


@pytest.mark.parametrize("broken", [False, True], ids=["absent", "cannot link"])
@pytest.mark.parametrize("target", ["setup", "run", "test"])
def test_a_missing_c_compiler_is_named(folder: Path, machine: Path, target: str, broken: bool) -> None:
    (machine / "cc").unlink()
    if broken:
        program(machine / "cc", "#!/bin/sh\nexit 1\n")
    result = need(folder, machine, target)
    assert result.returncode == 2
    assert "coppice needs a C compiler (cc), and it is missing. To get it:" in result.stderr
    assert "sudo apt install build-essential" in result.stderr


@pytest.mark.parametrize("old", [False, True], ids=["absent", "old"])
def test_a_missing_cargo_is_fetched_or_else_named(folder: Path, machine: Path, old: bool) -> None:
    (machine / "cargo").unlink()
    if old:
        program(machine / "cargo", "#!/bin/sh\necho 'cargo 1.63.0'\n")
    result = need(folder, machine, "setup")
    assert result.returncode == 2
    assert "fetching Rust into .build/rust" in result.stdout
    assert "coppice needs cargo 1.85 or newer (Rust), which could not be fetched either" in result.stderr
    assert "https://sh.rustup.rs" in result.stderr


def test_a_fetched_cargo_stays_in_the_folder_and_is_used(folder: Path, machine: Path, tmp_path: Path) -> None:
    """A package of the bootstrap's name stands in for it: it puts a cargo where it is told to."""
    (machine / "cargo").unlink()
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "puccinialin-0.1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("puccinialin/__init__.py", "")
        wheel.writestr(
            "puccinialin/__main__.py",
            "import pathlib, sys\n"
            "cargo = pathlib.Path(sys.argv[sys.argv.index('--location') + 1], 'cargo', 'bin', 'cargo')\n"
            "cargo.parent.mkdir(parents=True)\n"
            "cargo.write_text('#!/bin/sh\\necho cargo 1.90.0\\n')\n"
            "cargo.chmod(0o755)\n",
        )
        about = "puccinialin-0.1.0.dist-info"
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: puccinialin\nVersion: 0.1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    result = need(folder, machine, PIP_FIND_LINKS=str(wheels))
    assert (result.returncode, result.stderr) == (0, "")
    assert (folder / ".build/rust/cargo/bin/cargo").is_file()
    again = need(folder, machine)
    assert (again.returncode, again.stdout) == (0, "")


def test_missing_lints_are_named(folder: Path, machine: Path) -> None:
    program(machine / "cargo", '#!/bin/sh\n[ "$1" = --version ] && echo cargo 1.95.0\n')
    result = run("tools/need.sh", "lint", cwd=folder, PATH=str(machine))
    assert result.returncode == 1
    assert "rustup component add rustfmt clippy" in result.stderr


def test_an_unknown_need_lists_those_there_are(folder: Path, machine: Path) -> None:
    result = run("tools/need.sh", "perl", cwd=folder, PATH=str(machine))
    assert result.returncode == 2
    assert result.stderr == "need.sh: unknown thing 'perl'; there are python, cc, cargo, lint\n"


def test_a_failing_step_is_named_and_keeps_its_exit_code() -> None:
    good = run("tools/step.sh", "nothing", "true", cwd=ROOT, PATH=os.environ["PATH"])
    assert good.returncode == 0
    assert re.fullmatch(r"-- nothing \.\.\.\nok nothing \(\d+ s\)\n", good.stdout)
    bad = run("tools/step.sh", "a step", "sh", "-c", "exit 7", cwd=ROOT, PATH=os.environ["PATH"])
    assert bad.returncode == 7
    assert re.fullmatch(r"FAILED a step \(\d+ s, exit code 7\): sh -c exit 7\n", bad.stderr)


def test_unknown_requirements_are_named() -> None:
    result = run(sys.executable, "tools/requirements.py", "tset", cwd=ROOT)
    assert result.returncode == 1
    assert result.stderr.startswith("unknown requirements 'tset'; there are build, run, ")


def test_the_built_package_has_the_version_that_is_written_once() -> None:
    version = tomllib.loads(text_of("Cargo.toml"))["package"]["version"]
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    assert "version" in project["dynamic"], "maturin takes the version from Cargo.toml"
    assert "version" not in project
    assert coppice.__version__ == version


def test_one_distribution_is_installed_and_it_has_its_own_name_on_an_index() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    assert project["name"] == distribution.NAME != "coppice"
    installed = {found.name for found in metadata.distributions() if found.name.startswith("coppice")}
    assert installed == {distribution.NAME}
    assert package_version() == coppice.__version__


def test_a_setup_over_an_older_environment_takes_the_old_name_away_before_it_builds() -> None:
    """The old distribution owns `bin/coppice`, too: uninstalled later it would take the new one along."""
    _, _, recipe = text_of("Makefile").partition("\n.build/setup:")
    lines = recipe.split("\n\n")[0].splitlines()
    (old,) = [at for at, line in enumerate(lines) if "pip uninstall -qq --yes coppice" in line]
    (build,) = [at for at, line in enumerate(lines) if "maturin develop" in line]
    assert old < build


def test_nobody_is_told_to_install_another_project_called_coppice() -> None:
    listing = run("git", "ls-files", "-z", cwd=ROOT, PATH=os.environ["PATH"])
    if listing.returncode != 0:
        pytest.skip("not in a repository")
    told = re.compile(r"\bpip3? install\b.*[ '\"`]coppice(?![-\w])|(?<![\w./-])coppice\[[a-z]+\]")
    bare = coppice.__name__
    for line in (f"pip install {bare}", f"pip install -U '{bare}[tune]'", f"the extra `{bare}[tune]`"):
        assert told.search(line)
    for name in filter(None, listing.stdout.split("\0")):
        if (ROOT / name).is_file():
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
            for number, line in enumerate(text.splitlines(), 1):
                assert not told.search(line), f"{name}:{number}: {line.strip()}"


def compile_nothing() -> None:
    def no(*_: object) -> Any:
        return 0

    compile_game(
        words=1, most_moves=1, initial_state=no, side_to_move=no, legal_moves=no, play=no, outcome=no
    )


def tune_by_optuna() -> None:
    holes = [Parameter("x", 0, 1), Parameter("y", 0, 1)]
    player = "uct(selection=uct(k={x}), exploration={y})"
    with Store(":memory:") as store:
        list(Tuning("tic_tac_toe", player, "random", holes, method="cmaes").run(store))


@pytest.mark.parametrize(
    ("module", "extra", "use", "message"),
    [
        ("distributed", "cluster", lambda: Cluster("tcp://nowhere:1"), "a cluster needs the extra"),
        ("numba", "numba", compile_nothing, "compiled games need Numba"),
        ("optuna", "tune", tune_by_optuna, "the method cmaes needs the extra"),
        ("scipy.special", "lab", lambda: chi_squared([1, 2], [1, 1]), "this test needs scipy"),
        ("pyspiel", "openspiel", lambda: import_module("coppice.openspiel"), "OpenSpiel is not installed"),
        ("matplotlib", "lab", lambda: draw_heat_map("", ("x", []), ("y", []), {}), "figures need matplotlib"),
        ("jinja2", "lab", lambda: write_site([], Path(mkdtemp())), "a report needs Jinja2"),
        ("nicegui", "app", lambda: open_app(port=8060, store=Path("s.db")), "the app needs NiceGUI"),
    ],
)
def test_a_missing_extra_is_named_with_the_command_that_adds_it(
    module: str, extra: str, use: Callable[[], object], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    for home in ("coppice.openspiel", "coppice.protocols.openspiel"):
        monkeypatch.delitem(sys.modules, home, raising=False)
    with pytest.raises(ValueError, match=re.escape(f"{message}: pip install 'coppice-mcts[{extra}]'")):
        use()
    assert extra in tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"]


HEAVY = ("IPython", "distributed", "jinja2", "matplotlib", "nicegui", "numba", "optuna", "pandas", "scipy")
"""What a worker does without."""

LIGHT = """
import sys
sys.modules.update(dict.fromkeys({heavy!r}))
import coppice
from coppice.cli import main
from coppice.lab.workers import Processes
if __name__ == "__main__":
    match = coppice.Match("tic_tac_toe", "uct(simulations=9)", "random")
    assert match.play(4, workers=Processes(1), store=None).score.games == 4
    sys.argv = ["coppice", "match", "tic_tac_toe", "random", "uct(simulations=9)", "--games", "4", "--json"]
    main()
"""


def test_a_worker_plays_without_the_extras(tmp_path: Path) -> None:
    program = tmp_path / "light.py"
    program.write_text(LIGHT.format(heavy=HEAVY))
    done = run(sys.executable, str(program), cwd=tmp_path, PATH=os.environ["PATH"])
    assert done.returncode == 0, done.stderr
    assert '"games": 4' in done.stdout


def required(name: str, seen: set[str]) -> set[str]:
    """A distribution and all that it needs here, without extras."""
    if name not in seen:
        seen.add(name)
        for text in metadata.distribution(name).requires or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                required(canonicalize_name(needed.name), seen)
    return seen


def unpacked(name: str) -> int:
    """The bytes of a distribution's files, without what Python itself compiles beside them."""
    files = metadata.distribution(name).files or []
    paths = (Path(str(file.locate())) for file in files if file.suffix != ".pyc")
    return sum(path.stat().st_size for path in paths if path.is_file())


def test_what_a_worker_needs_is_below_120_megabytes_unpacked() -> None:
    needed = required("coppice-mcts", set()) - {"coppice-mcts"}
    assert {"numpy", "rich", "typer"} <= needed
    assert not needed & {name.lower() for name in HEAVY}
    package = Path(coppice.__file__).parent
    ours = sum(path.stat().st_size for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
    sizes = {name: unpacked(name) for name in needed}
    assert min(sizes.values()) > 1000, sizes
    assert ours > 3_000_000
    assert ours + sum(sizes.values()) < 120_000_000, (ours, sizes)


def test_the_oldest_python_is_the_same_everywhere() -> None:
    python = tomllib.loads(text_of("pyproject.toml"))
    assert python["project"]["requires-python"] == ">=3.11"
    assert python["tool"]["ruff"]["target-version"] == "py311"
    assert "abi3-py311" in tomllib.loads(text_of("Cargo.toml"))["dependencies"]["pyo3"]["features"]


def test_the_package_is_typed() -> None:
    assert (Path(coppice.__file__).parent / "py.typed").is_file()
    assert (Path(coppice.__file__).parent / "_core.pyi").is_file()


def test_no_tracked_file_names_a_place_on_somebodys_machine() -> None:
    listing = run("git", "ls-files", "-z", cwd=ROOT, PATH=os.environ["PATH"])
    if listing.returncode != 0:
        pytest.skip("not in a repository")
    place = re.compile(r"(?<![\w.])/(home|root|Users|work)/\w|\b[A-Z]:\\Users\\")
    for name in filter(None, listing.stdout.split("\0")):
        if (ROOT / name).is_file():
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
            for number, line in enumerate(text.splitlines(), 1):
                assert not place.search(line), f"{name}:{number}: {line.strip()[:100]}"
