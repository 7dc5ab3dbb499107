"""Giving memory back: what pages that are gone leave behind, to Python and to the system."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys

from nicegui.client import Client

__all__ = ["Tidying"]


class Tidying:
    """Gives memory back when pages have gone; while nobody comes or goes it does nothing."""

    def __init__(self) -> None:
        # What is there before the first visitor stays: nobody needs to look at it again.
        gc.collect()
        gc.freeze()
        self._pages: frozenset[str] = frozenset()

    async def give_back(self) -> bool:
        """Gives back what was left since the last time; returns whether there was anything."""
        before, self._pages = self._pages, frozenset(Client.instances)
        if before <= self._pages:
            return False
        # A page and its elements know each other: only the collector sees that nobody else does.
        gc.collect()
        await asyncio.to_thread(_trim)
        return True


def _trim() -> None:
    """Returns free memory to the system, where its allocator can be asked for that."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
