"""Keeps the sentence under an attribute whole: napoleon takes the words before a colon for a type."""

from __future__ import annotations

from typing import Any

ATTRIBUTES = ("attribute", "data", "property")
BEFORE, AFTER = 400, 600
"""Napoleon itself comes at 500."""


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.setup_extension("sphinx.ext.autodoc")
    whole: dict[str, list[str]] = {}

    def keep(_app: Any, what: str, name: str, _value: Any, _options: Any, lines: list[str]) -> None:
        if what in ATTRIBUTES:
            whole[name] = list(lines)

    def restore(_app: Any, what: str, name: str, _value: Any, _options: Any, lines: list[str]) -> None:
        if what in ATTRIBUTES:
            lines[:] = whole.pop(name)

    app.connect("autodoc-process-docstring", keep, priority=BEFORE)
    app.connect("autodoc-process-docstring", restore, priority=AFTER)
    return {"parallel_read_safe": True}
