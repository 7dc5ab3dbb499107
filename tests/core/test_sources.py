"""Tests of modules that a person wrote: read anew after an edit, held while they play, known by source."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from coppice.core import extend
from coppice.core.sources import held

POLICY = """
from coppice.extend import Playout
NUMBER = {number}
class Mine(Playout):
    def choose(self, turn, rng):
        return NUMBER
"""


pytestmark = pytest.mark.usefixtures("own_modules")


def number(path: str) -> object:
    """What the policy of this path answers now."""
    return extend.load_playout(path).choose(None, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["./edited.py:Mine", "edited:Mine"])
def test_an_edited_file_is_read_again(path: str) -> None:
    # Edits of the same length within one second, which bytecode beside the file would not notice.
    for now in (1, 2, 3):
        Path("edited.py").write_text(POLICY.format(number=now))
        assert number(path) == now


@pytest.mark.parametrize("path", ["./user.py:Mine", "user:Mine", "package.user:Mine"])
def test_an_edited_helper_is_read_again(path: str) -> None:
    folder = Path("package") if path.startswith("package") else Path()
    if path.startswith("package"):
        folder.mkdir()
        (folder / "__init__.py").touch()
    helper = "package.helper" if path.startswith("package") else "helper"
    user = POLICY.replace("NUMBER = {number}", f"from {helper} import NUMBER")
    (folder / "user.py").write_text(user)
    seen = set()
    for now in (1, 2):
        (folder / "helper.py").write_text(f"NUMBER = {now}\n")
        assert number(path) == now
        seen.add(extend.fingerprint(path))
    assert len(seen) == 2


def test_a_helper_that_was_imported_before_and_edited_since_is_read_again() -> None:
    Path("helper2.py").write_text("NUMBER = 1\n")
    __import__("helper2")
    Path("helper2.py").write_text("NUMBER = 2\n")
    Path("user2.py").write_text(POLICY.replace("NUMBER = {number}", "from helper2 import NUMBER"))
    assert number("user2:Mine") == 2


def test_a_module_imported_before_and_edited_since_is_read_again() -> None:
    Path("noted.py").write_text(POLICY.format(number=1))
    __import__("noted")
    Path("noted.py").write_text(POLICY.format(number=2))
    assert number("noted:Mine") == 2


def test_objects_of_the_old_class_go_on_as_they_were() -> None:
    Path("kept.py").write_text(POLICY.format(number=1))
    old = extend.load_playout("./kept.py:Mine")
    same = extend.load_playout("./kept.py:Mine")
    assert type(same) is type(old)
    Path("kept.py").write_text(POLICY.format(number=2))
    assert number("./kept.py:Mine") == 2
    assert old.choose(None, None) == 1  # type: ignore[arg-type]


def test_what_is_held_stays_as_it_is() -> None:
    Path("h.py").write_text(POLICY.format(number=1))
    with held(["./h.py"]):
        before = extend.fingerprint("./h.py:Mine")
        Path("h.py").write_text(POLICY.format(number=2))
        assert number("./h.py:Mine") == 1
        assert extend.fingerprint("./h.py:Mine") == before
    assert number("./h.py:Mine") == 2
    assert extend.fingerprint("./h.py:Mine") != before


@pytest.mark.parametrize("path", ["./broken.py:Mine", "broken:Mine"])
def test_a_broken_edit_is_told_and_a_mended_one_works(path: str) -> None:
    Path("broken.py").write_text(POLICY.format(number=1))
    assert number(path) == 1
    Path("broken.py").write_text("1 / 0\n")
    for _ in range(2):
        with pytest.raises(ValueError, match=r"importing broken(\.py)? failed: ZeroDivisionError"):
            number(path)
    Path("broken.py").write_text(POLICY.format(number=3))
    assert number(path) == 3


def test_a_file_that_is_gone_is_told_and_its_module_is_known_by_what_was_loaded() -> None:
    Path("gone.py").write_text(POLICY.format(number=1))
    assert number("./gone.py:Mine") == number("gone:Mine") == 1
    Path("gone.py").unlink()
    with pytest.raises(ValueError, match=r"there is no file 'gone\.py'"):
        number("./gone.py:Mine")
    before = extend.fingerprint("gone:Mine")
    assert before == extend.fingerprint("gone:Mine")
    sys.modules["gone"].NUMBER = 2  # type: ignore[attr-defined]
    assert extend.fingerprint("gone:Mine") != before


def test_a_fingerprint_depends_on_the_source_alone(tmp_path: Path) -> None:
    Path("one.py").write_text(POLICY.format(number=1))
    Path("two.py").write_text(POLICY.format(number=1))
    first = extend.fingerprint("./one.py:Mine")
    assert first == extend.fingerprint(f"{tmp_path}/two.py:Mine") == extend.fingerprint("one:Mine")
    Path("one.py").write_text(POLICY.format(number=1) + "# a remark\n")
    assert extend.fingerprint("./one.py:Mine") != first


def test_a_base_class_that_is_found_by_other_means_counts() -> None:
    Path("base.py").write_text(POLICY.format(number=1))
    Path("derived.py").write_text(
        "import importlib\nclass Derived(importlib.import_module('base').Mine): ...\n"
    )
    before = extend.fingerprint("derived:Derived")
    code = "from coppice import extend; print(extend.fingerprint('derived:Derived'))"
    for number, same in ((1, True), (2, False)):
        Path("base.py").write_text(POLICY.format(number=number))
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert (done.stdout.strip() == before) == same


CELL = """
from coppice.core import extend
FIRST = '''{policy}'''
exec(FIRST)
print(extend.fingerprint("__main__:Mine"))
import types, sys
made = sys.modules["made"] = types.ModuleType("made")
exec(FIRST, made.__dict__)
print(extend.fingerprint("made:Mine"))
"""


def test_a_class_without_a_file_is_known_by_its_code(tmp_path: Path) -> None:
    cell = CELL.format(policy=POLICY.format(number=1))
    done = subprocess.run([sys.executable, "-c", cell], capture_output=True, text=True, check=True)
    one, two = done.stdout.splitlines()
    assert one == two, "where it was compiled does not matter"
    assert one.startswith(f"{sys.implementation.cache_tag}-")
    # A script is a file; what it executes besides is not.
    (tmp_path / "script.py").write_text(POLICY.format(number=1) + CELL.format(policy=POLICY.format(number=2)))
    plain = POLICY.format(number=1) + "from coppice import extend\nprint(extend.fingerprint('__main__:Mine'))"
    (tmp_path / "plain.py").write_text(plain)
    for name, filed in (("script.py", False), ("plain.py", True)):
        done = subprocess.run([sys.executable, name], capture_output=True, text=True, check=True)
        assert done.stdout.startswith("cpython") != filed


def test_helpers_of_one_name_in_two_folders_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, now in (("one", 1), ("two", 2), ("three", 3)):
        Path(folder).mkdir()
        Path(folder, "helper.py").write_text(f"NUMBER = {now}\n")
        Path(folder, "user.py").write_text(POLICY.replace("NUMBER = {number}", "from helper import NUMBER"))
        monkeypatch.syspath_prepend(Path(folder).resolve())
        assert number(f"./{folder}/user.py:Mine") == now
