"""Specs of the test program that speaks GTP, with the faults that a test wants."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

ENGINE = Path(__file__).parent / "gtp_engine.py"


def engine(log: Path, *faults: str, options: str = "", seed: int | None = None) -> str:
    """The spec of the test program with these faults."""
    words = [sys.executable, "-SE", str(ENGINE), *(word for fault in faults for word in ("--fault", fault))]
    words += [] if seed is None else ["--seed", str(seed)]
    command = shlex.join(words).replace("\\", "\\\\").replace('"', '\\"')
    return f'gtp(command="{command}", log="{log}"{options})'
