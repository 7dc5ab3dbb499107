"""Code on pages of the documentation: its blocks, and what a block of changes makes of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(\{code-block\} )?(\w+)\n((?::\w+:[^\n]*\n)*)(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A piece of code on a page, with the file that its caption names."""

    language: str
    caption: str
    text: str


def blocks(path: Path) -> Iterator[Block]:
    """The blocks of a page, from top to bottom."""
    for match in FENCE.finditer(path.read_text(encoding="utf-8")):
        caption = re.search(r"^:caption: (.*)$", match[3], re.MULTILINE)
        yield Block(match[2], caption[1] if caption else "", match[4].lstrip("\n"))


def apply_diff(text: str, diff: str) -> str:
    """Puts the lines with a plus behind the lines above them, which must stand together, once."""
    lines = text.splitlines()
    for above, added in _changes(diff):
        end = _only_place(lines, above) + len(above)
        lines[end:end] = added
    return "\n".join(lines) + "\n"


def take_back_diff(text: str, diff: str) -> str:
    """The text before `apply_diff`; the same text where that has not been done."""
    lines = text.splitlines()
    for above, added in _changes(diff):
        if _places(lines, above + added):
            start = _only_place(lines, above + added) + len(above)
            del lines[start : start + len(added)]
    return "\n".join(lines) + "\n"


def _changes(diff: str) -> list[tuple[list[str], list[str]]]:
    """Lines that are there, with those that are added below them."""
    changes: list[tuple[list[str], list[str]]] = []
    for line in diff.splitlines():
        if line.startswith("+"):
            assert changes, "a block of changes begins with a line that is there"
            changes[-1][1].append(line[1:])
        elif changes and not changes[-1][1]:
            changes[-1][0].append(line[1:])
        else:
            changes.append(([line[1:]], []))
    assert changes[-1][1], "a block of changes ends with a line that is added"
    return changes


def _places(lines: list[str], wanted: list[str]) -> list[int]:
    return [at for at in range(len(lines)) if lines[at : at + len(wanted)] == wanted]


def _only_place(lines: list[str], wanted: list[str]) -> int:
    places = _places(lines, wanted)
    assert len(places) == 1, f"{len(places)} times in the file, not once: {wanted}"
    return places[0]
