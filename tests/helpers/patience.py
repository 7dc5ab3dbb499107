"""Waiting in tests: until something has happened, and a clock that goes on only when it is told to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["PATIENCE", "FakeClock", "until", "wait_for"]

PATIENCE = 120.0
"""Seconds after which something will not happen any more, however busy the machine is."""


async def until(condition: Callable[[], object]) -> None:
    """Lets the event loop go on until a function says true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it has not happened"
        await asyncio.sleep(0.005)


def wait_for(condition: Callable[[], object]) -> None:
    """Lets other threads and processes go on until a function says true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.005)


@dataclass
class FakeClock:
    """A clock that stands unless it is moved."""

    seconds: float = 1_000_000.0

    def __call__(self) -> float:
        return self.seconds

    def goes_on(self, seconds: float) -> None:
        """So much time passes."""
        self.seconds += seconds
