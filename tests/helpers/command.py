"""The command `coppice`, run as a person runs it, and what it has kept so far."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

from patience import wait_for

from coppice.lab.store import Store, StoreError

COPPICE = [str(Path(sys.executable).parent / "coppice")]


def run(*arguments: str, cwd: Path | None = None, text: str = "") -> subprocess.CompletedProcess[str]:
    """What a command answers; `text` is what it reads."""
    return subprocess.run(
        [*COPPICE, *arguments], capture_output=True, text=True, cwd=cwd, input=text, timeout=120
    )


def games_in(store: Path) -> int:
    """How many games a store keeps just now; none while a command is only about to make it."""
    with contextlib.suppress(StoreError), Store(store, read_only=True) as kept:
        return sum(match.games for match in kept.matches())
    return 0


def wait_for_games(store: Path, most: int = 0) -> int:
    """Waits until a store keeps more games than these, and says how many."""
    wait_for(lambda: games_in(store) > most)
    return games_in(store)
