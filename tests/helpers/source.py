"""The files of the project, for tests that read them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
CORE = ROOT / "src"
LABORATORY = ROOT / "python" / "coppice"


def core_files() -> list[Path]:
    """The files of the core that belong to a module: all but the map of the crate and files of tests."""
    files = (path for path in CORE.rglob("*.rs") if path.parent.name != "tests")
    return sorted(path for path in files if path.name not in ("lib.rs", "tests.rs"))


def without_tests(text: str) -> str:
    """The text without comments and test items: a module's tests may use what the module may not."""
    kept = []
    skipping = False
    for line in text.splitlines():
        if skipping:
            # rustfmt puts the end of an item, and nothing inside it, in the first column.
            skipping = not (line == "}" or re.fullmatch(r"(pub )?(mod|use) .*;", line))
        elif line.startswith("#[cfg(test)]"):
            skipping = True
        else:
            kept.append(re.sub(r"//.*", "", line))
    return "\n".join(kept)


def laboratory_files() -> list[Path]:
    return sorted(LABORATORY.rglob("*.py"))
