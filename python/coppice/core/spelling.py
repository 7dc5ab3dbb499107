"""Specs by what differs from the defaults, of which identities are made, and specs of earlier versions.

`told` writes a canonical spec with the names of parts and only the options that differ from their defaults,
so that an option which is added later changes no such text. Names of combinations do not occur in it, since
what they stand for may change. Where a default changes, a text that does not say the option would change its
meaning: `SPELLING` is then raised and the old default entered in `CHANGES`, and `upgrade` writes it out.
Where options move to other places, `SPELLING` is raised, too, and `MOVES` says what the old ones mean today.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coppice import _core
from coppice.core.catalogue import Family, PartInfo, catalogue
from coppice.core.spec import Spec

__all__ = ["CHANGES", "MOVES", "SPELLING", "Changed", "Moved", "told", "told_canonical", "upgrade"]

SPELLING = 2
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


@dataclass(frozen=True, slots=True)
class Moved:
    """Options of a part that stood elsewhere up to some spelling."""

    last: int
    """The last spelling with the old options."""
    family: Family
    part: str
    rewrite: Callable[[dict[str, str]], dict[str, str]]
    """Makes today's options of the old ones. What an old text does not say has the old default."""


_ONCE_OF_MCTS = frozenset(
    [
        "expand_at",
        "order",
        "widen",
        "widen_at",
        "widen_by",
        "t",
        "solve",
        "stubborn",
        "threats",
        "doubles",
        "forcing",
        "tries",
        "prior_patterns",
    ]
)


def _slots_of_mcts(old: dict[str, str]) -> dict[str, str]:
    """Expansion, tactics and priors were one option for each of their arguments."""
    prior = old.get("prior", "none")
    # A text of a store does not say its spelling: without any of them it is the same in both.
    if not _ONCE_OF_MCTS & old.keys() and not prior[0].isdigit():
        return old
    rest = dict(old)

    def take(name: str, default: str) -> str:
        return rest.pop(name, default)

    def has(value: str) -> bool:
        return value != "none" and float(value) > 0

    new: dict[str, str] = {}
    kind, at, order = take("expansion", "one"), take("expand_at", "1"), take("order", "random")
    first, widen_at, widen_by = take("widen", "none"), take("widen_at", "50.0"), take("widen_by", "1.3")
    if first != "none":
        new["expansion"] = f"progressive(first={first}, at={widen_at}, by={widen_by}, leaf_at={at})"
    elif kind == "all":
        new["expansion"] = f"all(at={at})"
    else:
        new["expansion"] = f"one(order={order}, at={at})"
    tactics = []
    stubborn, doubles = take("stubborn", "false"), take("doubles", "false")
    forcing, tries = take("forcing", "0"), take("tries", "300")
    if take("solve", "false") == "true":
        tactics.append(f"solver(play_on_when_lost={stubborn})")
    if take("threats", "false") == "true":
        tactics.append(f"threats(doubles={doubles})")
    if has(forcing):
        tactics.append(f"forcing(at={forcing}, tries={tries})")
    knowledge, patterns = take("prior", "0.0"), take("prior_patterns", "0.0")
    priors = [f"knowledge(weight={knowledge})"] if has(knowledge) else []
    priors += [f"patterns(weight={patterns})"] if has(patterns) else []
    new["tactics"] = "+".join(tactics) or "none"
    new["prior"] = "+".join(priors) or "none"
    new["playout_until"] = take("t", "0")
    return rest | new


def _worlds_of_jack(old: dict[str, str]) -> dict[str, str]:
    """What the simulated other side knows, and who draws the cards, were options of the player."""
    if not {"opponent", "draw"} & old.keys():
        return old
    rest = dict(old)
    opponent, draw = rest.pop("opponent", "fair"), rest.pop("draw", "sampled")
    return rest | {"worlds": f"sampled(opponent={opponent}, draw={draw})"}


MOVES: Sequence[Moved] = (
    Moved(1, "player", "mcts", _slots_of_mcts),
    Moved(1, "player", "jack", _worlds_of_jack),
)
"""All options that have moved, from the first."""


@functools.cache
def told(family: Family, spec: str, game: str | None = None) -> str:
    """A spec by its parts and what differs from their defaults; a player's `game` says what some names mean.

    The options are in the order of the alphabet. The text means the same spec.
    """
    return told_canonical(family, _core.canonical(family, spec, game))


@functools.cache
def told_canonical(family: Family, spec: str) -> str:
    """What `told` makes of a spec that is canonical already."""
    links = Spec.parsed(spec).parts
    if len(links) > 1:
        return "+".join(told_canonical(family, link.text) for link in links)
    head, given = links[0].name, links[0].written
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
        means = Spec.parsed(back).only.written
        said |= {key: given[key] for key, value in means.items() if value != given[key]}
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
        return Spec.parsed(bare).only.written
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
    links = Spec.parsed(spec).parts
    if len(links) > 1:
        return "+".join(_upgrade(family, link.text, spelling, changes) for link in links)
    head, given = links[0].name, links[0].written
    part = _parts(family).get(head)
    if part is None:
        return spec
    written = dict(given)
    # A named player's options are what they were; only the parts themselves are kept in full.
    for move in MOVES:
        if move.last >= spelling and (move.family, move.part) == (family, head):
            written = move.rewrite(written)
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
