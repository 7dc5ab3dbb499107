"""The lock files and what asks about them: `make lock`, `make audit`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import audit
import pytest
from source import ROOT

PROJECT = """
[project]
dependencies = ["numpy>=1.26,<3"]
[project.optional-dependencies]
lab = ["Jinja2>=3.1,<4"]
app = ["nicegui>=3,<4"]
"""
HASH = f"    --hash=sha256:{'0a' * 32}"
LOCK = f"""
# a remark
jinja2==3.1.6 \\
{HASH} \\
{HASH}
nicegui==3.1.0 ; sys_platform != 'win32' \\
{HASH}
numpy==2.0.0 \\
{HASH}
"""
CARGO = """
[[package]]
name = "mine"
version = "1.0.0"
[[package]]
name = "libm"
version = "0.2.1"
source = "registry"
checksum = "00"
"""


def folder_with(folder: Path, lock: str = LOCK, cargo: str = CARGO) -> Path:
    for name, text in (("pyproject.toml", PROJECT), ("requirements.lock", lock), ("Cargo.lock", cargo)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def nothing_known(question: bytes) -> bytes:
    return json.dumps({"results": [{} for _ in json.loads(question)["queries"]]}).encode()


def test_the_locked_versions_are_those_that_the_project_asks_for_each_with_its_hashes() -> None:
    texts = [
        (ROOT / name).read_text(encoding="utf-8") for name in ("pyproject.toml", audit.LOCK, audit.CARGO_LOCK)
    ]
    assert audit.wrong(*texts) == []
    names = {locked.name for locked in audit.python_packages(texts[1])}
    assert {"nicegui", "numpy", "scipy", "matplotlib", "typer", "rich", "jinja2", "starlette"} <= names
    assert len(audit.crates(texts[2])) > 20


def test_a_lock_file_is_read() -> None:
    jinja, nicegui, numpy = audit.python_packages(LOCK)
    assert (jinja.name, jinja.version, len(jinja.hashes)) == ("jinja2", "3.1.6", 2)
    assert nicegui.marker == "sys_platform != 'win32'"
    assert str(numpy) == "numpy 2.0.0"
    assert [str(crate) for crate in audit.crates(CARGO)] == ["libm 0.2.1"]
    for line in ("-e .", "numpy>=2", "numpy @ https://somewhere", "    --hash=md5:00"):
        with pytest.raises(ValueError, match=r"requirements\.lock line \d+: neither a version nor a hash"):
            audit.python_packages(LOCK + line)


@pytest.mark.parametrize(
    ("lock", "cargo", "told"),
    [
        (LOCK.replace("nicegui", "other"), CARGO, "nicegui is asked for and not locked"),
        (LOCK.replace("2.0.0", "3.0.0"), CARGO, "numpy 3.0.0 is locked, and numpy"),
        (LOCK.replace("# a remark", "# https://somewhere"), CARGO, "names an address"),
        (LOCK + "more==1.0\n", CARGO, "more 1.0 has no hash"),
        (LOCK, CARGO.replace('checksum = "00"', ""), "libm 0.2.1 has no hash"),
    ],
)
def test_what_is_wrong_with_lock_files_is_told(lock: str, cargo: str, told: str, tmp_path: Path) -> None:
    code, lines = audit.audit(folder_with(tmp_path, lock, cargo), nothing_known)
    assert code == audit.FOUND
    assert any(told in line for line in lines), lines


def test_every_locked_version_is_asked_for_and_what_is_known_is_told(tmp_path: Path) -> None:
    asked: list[dict[str, object]] = []

    def ask(question: bytes) -> bytes:
        queries = json.loads(question)["queries"]
        asked.extend(queries)
        known = {"libm": {"vulns": [{"id": "RUSTSEC-1"}]}, "numpy": {"vulns": [{"id": "A-1"}, {"id": "A-2"}]}}
        return json.dumps({"results": [known.get(query["package"]["name"]) for query in queries]}).encode()

    assert audit.audit(folder_with(tmp_path), nothing_known) == (
        0,
        ["no weakness is known of 3 Python packages and 1 crates"],
    )
    code, lines = audit.audit(tmp_path, ask)
    assert code == audit.FOUND
    assert lines == ["numpy 2.0.0 (PyPI): A-1, A-2", "libm 0.2.1 (crates.io): RUSTSEC-1"]
    assert {"package": {"name": "libm", "ecosystem": "crates.io"}, "version": "0.2.1"} in asked
    assert len(asked) == 4


@pytest.mark.parametrize("answer", [b"", b"{}", b'{"results": []}', b'{"results": [1, 2, 3, 4]}', b"<html>"])
def test_a_database_that_does_not_answer_is_no_success(answer: bytes, tmp_path: Path) -> None:
    code, [line] = audit.audit(folder_with(tmp_path), lambda question: answer)
    assert code == audit.UNREACHABLE
    assert line.startswith(
        "NOT AUDITED: the database of known weaknesses cannot be reached (its answer is not"
    )

    def away(question: bytes) -> bytes:
        raise TimeoutError("timed out")

    assert "(timed out)" in audit.audit(tmp_path, away)[1][0]


def test_the_command_says_plainly_that_it_reached_nobody(tmp_path: Path) -> None:
    """With a proxy that is not there, as on a machine without a network."""
    (tmp_path / "tools").mkdir()
    folder_with(tmp_path)
    shutil.copy(ROOT / "tools" / "audit.py", tmp_path / "tools")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "tools" / "audit.py")],
        env={"https_proxy": "http://127.0.0.1:9"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == audit.UNREACHABLE
    assert done.stdout.startswith("NOT AUDITED: ")
    assert "3 Python packages and 1 crates" in done.stdout
    assert done.stderr == ""
