"""A canonical spec as people write it: by the name of a combination, and only with what differs."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from coppice import _core
from coppice.core.catalogue import Family, OptionInfo, PartInfo, catalogue
from coppice.core.spec import Spec

__all__ = ["short"]


@functools.cache
def short(family: Family, spec: str, game: str | None = None) -> str:
    """A short text that means a canonical spec; a player's `game` says what some names mean."""
    links = Spec.parsed(spec).parts
    if len(links) > 1:
        return "+".join(short(family, link.text, game) for link in links)
    head, given = links[0].name, links[0].written
    parts = _parts(family)
    if head not in parts:
        return spec
    infos = parts[head].options
    follow = {info.name for info in infos if info.kind == "twice"}
    ways = [
        (part, {key: value for key, value in given.items() if known.get(key) != value})
        for part, known in _bare(family, game)
        if part.name == head or part.is_named
    ]
    # The fewest changes; then a name that is no longer than what it stands for.
    ways.sort(key=lambda way: (len(way[1]), len(way[0].name) > len(head), not way[0].is_named))
    for part, changes in ways:
        # An option that follows another, and a budget that a new one replaces, may go without saying.
        idle = {key for key, value in changes.items() if value == "none"}
        for silent in (follow | idle, follow, idle, set[str]()):
            said = {key: value for key, value in changes.items() if key not in silent}
            text = _written(part, infos, said)
            if _canonical(family, text, game) == spec:
                return text
    return spec


def _written(part: PartInfo, infos: Sequence[OptionInfo], changes: dict[str, str]) -> str:
    """A part, or a name for it, with some of its options; the caller checks what the text means."""
    families = {info.name: info.of for info in infos if info.kind == "spec"}
    for name in changes:
        if families.get(name):
            changes[name] = short(families[name], changes[name])
    first = [changes.pop(part.positional)] if part.positional in changes else []
    inside = ", ".join([*first, *(f"{key}={value}" for key, value in changes.items())])
    return f"{part.name}({inside})" if inside else part.name


@functools.cache
def _parts(family: Family) -> dict[str, PartInfo]:
    return {part.name: part for part in catalogue(family)}


@functools.cache
def _bare(family: Family, game: str | None) -> list[tuple[PartInfo, dict[str, str]]]:
    """What each part of a family is without any option given."""
    parts = [(part, _canonical(family, part.name, game)) for part in _parts(family).values()]
    return [(part, {} if spec is None else Spec.parsed(spec).only.written) for part, spec in parts]


def _canonical(family: Family, text: str, game: str | None) -> str | None:
    try:
        return _core.canonical(family, text, game)
    except ValueError:
        return None
