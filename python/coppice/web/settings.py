"""What the command line decides for the app."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Settings"]

WATCH_SECONDS = 0.7
"""Between two moves when the computer plays both sides, so that people can follow."""


@dataclass(frozen=True)
class Settings:
    """What the command line decides."""

    host: str = "127.0.0.1"
    port: int = 8060
    store: Path = Path("coppice.db")
    token: str = ""
    """The secret that visitors of a public server need; empty: none."""
    threads: int = field(default_factory=lambda: os.cpu_count() or 1)
    watch_seconds: float = WATCH_SECONDS
    guests: tuple[str, ...] = ()
    """Games, players and policies from elsewhere that visitors may name."""

    @property
    def saved_games(self) -> Path:
        """The file of the games in play, beside the store."""
        return self.store.with_name(f"{self.store.stem}-tables.db")
