"""What the command line decides for the app."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from coppice.web.limits import Limits

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
    names: tuple[str, ...] = ()
    """Names by which a public server may be called, besides those of its machine."""
    limits: Limits = field(default_factory=Limits)
    """What visitors may ask for."""

    @property
    def saved_games(self) -> Path:
        """The file of the games in play, beside the store."""
        return self.store.with_name(f"{self.store.stem}-tables.db")
