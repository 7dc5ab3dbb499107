"""A single fault in the code: where, what, and the key that stays the same while its function does."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

SHORT = 90


def shortened(text: str) -> str:
    """A piece of source on one line."""
    line = " ".join(text.split())
    return line if len(line) <= SHORT else f"{line[: SHORT - 1]}…"


@dataclass(frozen=True)
class Fault:
    """A piece of a file, and what stands there instead."""

    file: str
    """Relative to the root of the project, with slashes."""
    line: int
    unit: str
    """The function or method it is in, with `()`; of what runs at import, the class or `<module>`."""
    operator: str
    start: int
    end: int
    """In bytes of the file."""
    before: str
    after: str
    key: str
    """Made of the text of the unit and the place in it: what changes elsewhere does not change it."""

    @property
    def at_import(self) -> bool:
        """Whether the unit is no function: it runs when the module is imported."""
        return "()" not in self.unit

    @property
    def change(self) -> str:
        """The fault in short."""
        return f"{shortened(self.before) or '(nothing)'} → {shortened(self.after) or '(nothing)'}"

    def applied(self, source: bytes) -> bytes:
        """The file with the fault in it."""
        if source[self.start : self.end].decode() != self.before:
            raise ValueError(f"{self.file} is not the file that fault {self.key} was found in")
        return source[: self.start] + self.after.encode() + source[self.end :]


def key_of(file: str, unit: str, text: str, offset: int, operator: str, after: str) -> str:
    """Ten letters for a fault at this place of this text."""
    told = "\0".join((file, unit, text, str(offset), operator, after))
    return hashlib.sha256(told.encode()).hexdigest()[:10]


def in_order(faults: Iterable[Fault], seed: int) -> list[Fault]:
    """All faults in the order that a seed draws them in.

    A fault's place depends on the seed and its key alone: to change one function moves no other fault.
    """

    def rank(fault: Fault) -> str:
        return hashlib.sha256(f"{seed}:{fault.key}".encode()).hexdigest()

    return sorted(faults, key=lambda fault: (rank(fault), fault.start))
