"""Specs by what differs from the defaults, of which identities are made, and specs of earlier versions.

`told` writes a canonical spec with the names of parts and only the options that differ from their defaults,
so that an option which is added later changes no such text. Names of combinations do not occur in it, since
what they stand for may change. Where a default changes, a text that does not say the option would change its
meaning: `SPELLING` is then raised and the old default entered in `CHANGES`, and `upgrade` writes it out.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from coppice import _core
from coppice.catalogue import Family, PartInfo, catalogue
from coppice.specs import options, split

__all__ = ["CHANGES", "SPELLING", "Changed", "told", "told_canonical", "upgrade"]

SPELLING = 1
"""What texts of today are written in; 0 stands for the full texts of the first versions."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A default that was another one up to some spelling."""

    last: int
    """The last spelling with the old default."""
    family: Family
    part: str
    option: str
    default: str
    """The old default."""


CHANGES: Sequence[Changed] = (
    Changed(0, "playout", "mate", "min", "1"),
    Changed(0, "playout", "mast", "select", "gibbs"),
    Changed(0, "playout", "mast", "eps", "0.1"),
    Changed(0, "playout", "nast", "select", "gibbs"),
    Changed(0, "playout", "nast", "eps", "0.1"),
)
"""All defaults that have changed, from the first."""


@functools.cache
def told(family: Family, spec: str, game: str | None = None) -> str:
    """A spec by its parts and what differs from their defaults; a player's `game` says what some names mean.

    The options are in the order of the alphabet. The text means the same spec.
    """
    return told_canonical(family, _core.canonical(family, spec, game))


@functools.cache
def told_canonical(family: Family, spec: str) -> str:
    """What `told` makes of a spec that is canonical already."""
    pieces = split(spec, "+")
    if len(pieces) > 1:
        return "+".join(told_canonical(family, piece.strip()) for piece in pieces)
    head, given = spec.partition("(")[0], options(spec)
    part = _parts(family).get(head)
    infos = {info.name: info for info in part.options} if part is not None else {}
    if part is None or not given.keys() <= infos.keys():
        return spec
    usual = _defaults(family, head)
    said = {
        key: value for key, value in given.items() if infos[key].kind != "twice" and usual.get(key) != value
    }
    # A default may depend on another option: one limit takes the place of the default one.
    back = _canonical(family, _written(head, said))
    if back is not None:
        said |= {key: given[key] for key, value in options(back).items() if value != given[key]}
    for key in said:
        if infos[key].kind == "spec" and said[key] != "none":
            of = infos[key].of
            assert of is not None, "an option that holds a spec has a family"
            said[key] = told_canonical(of, said[key])
    return _written(head, said)


def _written(head: str, said: dict[str, str]) -> str:
    inside = ", ".join(f"{key}={said[key]}" for key in sorted(said))
    return f"{head}({inside})" if inside else head


@functools.cache
def _parts(family: Family) -> dict[str, PartInfo]:
    return {part.name: part for part in catalogue(family) if not part.is_named}


@functools.cache
def _defaults(family: Family, head: str) -> dict[str, str]:
    """The defaults of a part's options as a canonical spec writes them."""
    bare = _canonical(family, head)
    if bare is not None:
        return options(bare)
    return {info.name: info.default for info in _parts(family)[head].options}


def _canonical(family: Family, text: str) -> str | None:
    try:
        return _core.canonical(family, text)
    except ValueError:
        return None


def upgrade(
    family: Family,
    spec: str,
    spelling: int = 0,
    game: str | None = None,
    *,
    changes: Sequence[Changed] = CHANGES,
) -> str:
    """The canonical spec of today that an older text means; a ValueError says why there is none.

    `spelling` is what the text was written in; the texts of stores and of the first exports, which write
    every option out, are 0.
    """
    return _core.canonical(family, _upgrade(family, spec.strip(), spelling, changes), game)


def _upgrade(family: Family, spec: str, spelling: int, changes: Sequence[Changed]) -> str:
    pieces = split(spec, "+")
    if len(pieces) > 1:
        return "+".join(_upgrade(family, piece.strip(), spelling, changes) for piece in pieces)
    head, given = spec.partition("(")[0].strip(), options(spec)
    part = _parts(family).get(head)
    if part is None:
        return spec
    written = dict(given)
    for info in part.options:
        if info.kind == "spec" and info.of is not None and written.get(info.name, "none") != "none":
            of: Family = info.of  # type: ignore[assignment]
            written[info.name] = _upgrade(of, written[info.name], spelling, changes)
    # The oldest entry that is later than the text says what its default was.
    for change in changes:
        if change.last >= spelling and (change.family, change.part) == (family, head):
            written.setdefault(change.option, change.default)
    if not written:
        return head
    return f"{head}({', '.join(f'{key}={value}' for key, value in written.items())})"
