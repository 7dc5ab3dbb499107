"""The distribution: what a package index calls this package, which is not the name that Python imports."""

from __future__ import annotations

__all__ = ["NAME", "install"]

# Not `coppice`: the public index has another project of that name, and pip would put it in our place.
NAME = "coppice-mcts"


def install(extra: str) -> str:
    """The command that adds an extra of this package, e.g. ``install("tune")``."""
    return f"pip install '{NAME}[{extra}]'"
