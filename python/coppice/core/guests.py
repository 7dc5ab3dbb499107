"""Guests: what a text from elsewhere may name although it lives outside the process.

A spec can name a class in a Python file, another program, a folder of scripts, a file of weights. Whoever
runs Coppice may do that. A record, a link, a form or a saved table was written by somebody else: whatever is
read from one passes through `Guests.admit` before anything is made of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from coppice import _core

__all__ = ["NOBODY", "Guests", "check_length"]

MOST_CHARACTERS = 2000
"""Of a spec from elsewhere."""


class Guests:
    """The files and programs that texts from elsewhere may name."""

    def __init__(self, specs: Iterable[str] = ()) -> None:
        self._welcome = frozenset(thing for spec in specs for thing in _core.outside(spec))

    def admit(self, spec: str) -> str:
        """The spec itself, if it names nothing outside the process but guests, at any depth.

        The core parses it as it always does, and resolves nothing; a ValueError says what may not be named.
        """
        check_length(spec)
        for thing in _core.outside(spec):
            if thing not in self._welcome:
                raise ValueError(
                    f"{thing[:80]} cannot be named in a text from elsewhere, since it is outside of Coppice:"
                    " whoever runs Coppice allows it with --guest"
                )
        return spec


NOBODY = Guests()
"""No file and no program."""


def check_length(text: str) -> None:
    """A ValueError if a text is longer than any spec."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(
            f"a spec of {len(text):,} characters is too long: at most {MOST_CHARACTERS:,} are read"
        )
