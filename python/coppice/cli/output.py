"""How commands speak: tables and JSON on stdout, progress and complaints on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = ["complain", "duration", "note", "print_json", "print_table", "stderr", "stdout"]


def stdout() -> Console:
    """Where results go; as wide as needed when it is not a terminal, so that nothing is cut in a file."""
    return Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False, emoji=False)


def stderr() -> Console:
    """Where progress and notes go."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def complain(message: str) -> None:
    """One line on stderr."""
    print(f"coppice: {message}", file=sys.stderr)


def note(message: str) -> None:
    """Something worth knowing that is not a result."""
    print(message, file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    """A value as one JSON document."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table with a header row; numbers are aligned by whoever formats them."""
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    stdout().print(table)


def duration(seconds: float | None) -> str:
    """Seconds as a person says them."""
    if seconds is None:
        return "?"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = int(seconds / 60 + 0.5)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
