"""The command `coppice`, run as a person runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

COPPICE = [str(Path(sys.executable).parent / "coppice")]


def run(*arguments: str, cwd: Path | None = None, text: str = "") -> subprocess.CompletedProcess[str]:
    """What a command answers; `text` is what it reads."""
    return subprocess.run(
        [*COPPICE, *arguments], capture_output=True, text=True, cwd=cwd, input=text, timeout=120
    )
