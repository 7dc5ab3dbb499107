"""Replaying: whether games and results that were kept are those that the code of today makes.

Nothing else can tell. Of every block of `BLOCK` indices that was begun the lowest `PRINTS` finished ones are
its *fingerprint*: they are made anew and compared. A store remembers under which builds of the core a match
or a series was found to stand, so that this is done once for each build.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from coppice import _core
from coppice.lab.store import Store, StoredSeries

__all__ = [
    "BLOCK",
    "PRINTS",
    "build",
    "fingerprint_indices",
    "fingerprint_of",
    "forget_builds",
    "note_build",
    "stands_under",
]

BLOCK = 40
"""Indices of a block."""
PRINTS = 4
"""Indices of a block that are its fingerprint."""


def fingerprint_indices(indices: Iterable[int], *, first_block: bool = False) -> list[int]:
    """The lowest indices of each block that was begun, or of the first such block alone."""
    found: dict[int, list[int]] = {}
    for index in sorted(indices):
        block = found.setdefault(index // BLOCK, [])
        if len(block) < PRINTS:
            block.append(index)
    blocks = list(found.values())
    return [index for block in (blocks[:1] if first_block else blocks) for index in block]


def fingerprint_of(content: str | Mapping[str, Any]) -> str:
    """12 hexadecimal digits of the moves of a game, or of a result."""
    text = content if isinstance(content, str) else json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def build() -> str:
    """What the code of the installed core is: a hash of its file."""
    return _file_hash(_core.__file__)


@functools.cache
def _file_hash(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def _builds(identity: str) -> str:
    return hashlib.sha256(f"coppice builds of {identity}".encode()).hexdigest()[:32]


def stands_under(store: Store, identity: str, build: str) -> bool:
    """Whether a store knows that what it has under an identity is what this build makes."""
    return any(value["build"] == build for value in store.results(_builds(identity)).values())


def forget_builds(store: Store, identity: str) -> None:
    """Remember no build of what a store no longer has under an identity."""
    store.remove_series(_builds(identity))


def note_build(store: Store, identity: str, build: str, play_version: str) -> None:
    """Remember that what a store has under an identity is what this build makes."""
    if stands_under(store, identity, build):
        return
    builds = _builds(identity)
    store.register_series(StoredSeries(builds, "builds", json.dumps({"of": identity}), play_version))
    store.add_results(builds, {len(store.results(builds)): {"build": build}})
