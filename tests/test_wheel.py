"""The wheel where there is no Rust: installed into a new environment and used from an empty folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*command: str | Path, cwd: Path, text: str = "", **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        input=text,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.evidence
def test_the_wheel_works_where_there_is_no_rust(tmp_path: Path) -> None:
    run("make", "wheel", cwd=ROOT)
    wheel = max((ROOT / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime)
    venv = tmp_path / "venv"
    run(sys.executable, "-m", "venv", venv, cwd=tmp_path)
    programs = venv / "bin"
    assert shutil.which("cargo", path=str(programs)) is None
    assert shutil.which("cc", path=str(programs)) is None
    run(programs / "pip", "install", "--quiet", wheel, cwd=tmp_path, PATH=str(programs))
    assert wheel.name.startswith("coppice_mcts-")
    home = tmp_path / "home"
    home.mkdir()
    alone = {"PATH": str(programs), "HOME": str(home), "PYTHONPATH": ""}
    coppice = programs / "coppice"
    assert "havannah" in run(coppice, "games", cwd=home, **alone)
    match: list[str | Path] = [
        coppice,
        "match",
        "havannah(size=4)",
        "strong(simulations=50)",
        "random",
        "--games",
        "4",
    ]
    for more in ([], ["--processes", "2"]):
        assert '"games": 4' in run(*match, "--json", "--store", "s.db", *more, cwd=home, **alone)
        (home / "s.db").unlink()
    game = ["--game", "tic_tac_toe", "--player", "uct(simulations=50)"]
    answered = run(coppice, "gtp", *game, cwd=home, text="genmove first\nquit\n", **alone)
    assert answered.startswith("= ")
    shutil.copy(ROOT / "examples" / "policies.py", home)
    assert "conforms" in run(coppice, "check", "./policies.py:Early", "--games", "1", cwd=home, **alone)
    code = "import coppice as c; print(c.player('jack(simulations=20)').search(c.game('mr_jack').start()))"
    assert run(programs / "python", "-c", code, cwd=home, **alone)
    where = run(programs / "python", "-c", "import coppice; print(coppice.__file__)", cwd=home, **alone)
    assert Path(where.strip()).is_relative_to(venv)
