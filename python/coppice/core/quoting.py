"""How words of somebody else are shown in an error: enough of them to be found, and no more."""

from __future__ import annotations

__all__ = ["shown"]


def shown(text: str, most: int = 60) -> str:
    """A text of at most so many characters, cut where it is longer."""
    return text if len(text) <= most else f"{text[:most]}..."
