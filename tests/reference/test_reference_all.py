"""Every part of a search has a readable twin, and so has every option that changes play."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import test_reference as plain
import test_reference_jack as jack
import test_reference_modern as modern
import test_reference_nested as nested

from coppice.core.catalogue import Family, catalogue
from coppice.core.spec import Spec

Policy = Literal["root", "selection", "playout", "candidates", "backup"]
POLICIES: tuple[Policy, ...] = ("root", "selection", "playout", "candidates", "backup")

# What the tests replay, by family.
REPLAYED: dict[Family, list[str]] = {
    "player": [*(player for player, _ in plain.UCT.values()), *plain.SELECTION],
    "root": modern.ROOTS,
    "selection": [*plain.KEPT_SELECTION],
    "playout": [
        *(spec for part in (plain.PPR, plain.FOSSEL_PLAYOUTS, plain.WEIGHTED, plain.KEPT) for spec in part),
        *(spec.format(rules='"rules"') for spec in jack.PLAYOUTS),
        *(*nested.PLAYOUTS, *plain.LEARNT_IN_TREE),
    ],
    "candidates": [*(spec.format(rules='"rules"') for spec in jack.CANDIDATES), jack.DRAWN_ANEW],
    "backup": [*modern.BACKUPS],
}
# What is outside: the code of whoever writes it.
GUESTS = {("selection", "python"), ("playout", "python")}


def parts(family: Family, spec: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """The family, name and options of each part of a spec, those inside others too."""
    for part in Spec.of(family, spec).walk():
        yield str(part.family), part.name, part.written


def without_twin(replayed: Mapping[Family, Sequence[str]]) -> list[str]:
    """The parts that no replayed spec names, and the options that always have their usual value there."""
    seen: set[tuple[str, str, str]] = set()
    for family, specs in replayed.items():
        for spec in specs:
            for of, name, given in parts(family, spec):
                usual = Spec.of(of, name).only.written if of in POLICIES else given
                seen |= {(of, name, ""), *((of, name, key) for key in given if given[key] != usual[key])}
    missing = []
    for family in POLICIES:
        for part in catalogue(family):
            if (family, part.name) in GUESTS:
                continue
            # An option of the kind `twice` is another way to give the one that it is twice of.
            keys = ["", *(info.name for info in part.options if info.kind != "twice")]
            missing += [
                f"{family} {part.name} {key}".strip() for key in keys if (family, part.name, key) not in seen
            ]
    return missing


def test_every_part_and_option_is_replayed_by_a_twin() -> None:
    assert without_twin(REPLAYED) == []


def test_a_part_or_an_option_without_a_twin_is_named() -> None:
    fewer: dict[Family, Sequence[str]] = {
        "player": REPLAYED["player"],
        "root": REPLAYED["root"],
        "selection": ["progressive_history(keep=false)"],
        "playout": [spec for spec in REPLAYED["playout"] if "cutoff" not in spec],
        "candidates": [spec for spec in REPLAYED["candidates"] if not spec.startswith("plausible(n=25")],
        "backup": ["implicit_minimax(alpha=0.7)"],
    }
    assert without_twin(fewer) == [
        "selection progressive_history keep",
        "playout cutoff",
        "playout cutoff n",
        "candidates plausible rules",
        "backup implicit_minimax fade",
    ]
