"""Lines of results, in a folder of text: one line of JSON for each row, which stands for games or runs.

A line says which indices it stands for and what came out of each, so that pieces which were made at different
times and places add up to what one run would have made. Its specs tell what differs from the defaults. For
the fingerprint of each block (see `coppice.lab.replay`) it has a hash of the moves or the result, by which
anybody can find out whether the code of today still makes it, and for games what the players used.

A line that the code of today does not make any more is *stale*: it stays as history and is never shown as a
result of today. So does a line of other specs than the experiment now declares, and a line of the first
exports, which have tallies but no fingerprints.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from coppice.core.quoting import shown
from coppice.core.spelling import SPELLING, told_canonical, upgrade
from coppice.lab.replay import BLOCK, fingerprint_indices

__all__ = [
    "PLAYERS",
    "ResultLine",
    "identity_of",
    "merge",
    "merge_lines",
    "read_lines",
    "told_facts",
    "write_lines",
]

_SIGNS = {1.0: "1", 0.0: "0", 0.5: "="}
_POINTS = {sign: points for points, sign in _SIGNS.items()}
_GAP = "."
_NO_LINE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What reading raises where a text is no line."""
_NO_PRINTS = "exported without fingerprints"
PLAYERS = ("a", "b", "player", "reference")
"""The facts that are specs of players."""


@dataclass(frozen=True)
class ResultLine:
    """One line: what is kept of the games or runs of a row."""

    experiment: str
    row: str
    facts: Mapping[str, Any]
    """All that the results depend on; specs by what differs from the defaults."""
    values: Mapping[int, Any] = field(default_factory=dict)
    """By index: the points of a game, whether a move was found, or a number or a curve."""
    prints: Mapping[int, str] = field(default_factory=dict)
    """The fingerprint: hashes by index."""
    used: Mapping[int, Sequence[Sequence[int]]] = field(default_factory=dict)
    """For games of the fingerprint: decisions, simulations and states of player *a* and of player *b*."""
    budgets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What was put for `{budget}`, by player as declared, and how it was measured."""
    version: str = ""
    machine: str = ""
    created: str = ""
    load: str = ""
    """For what cannot be replayed: how busy the machine was when it was last added to."""
    plays: str = ""
    """The play version of its players when it was made or last found to stand."""
    stale: str = ""
    """Why it is history; empty for a line of today."""
    raw: Mapping[str, Any] | None = None
    """A line of the first exports as it was read."""

    @property
    def identity(self) -> str:
        """What its facts come to: lines of one identity add up."""
        return identity_of(self.facts)

    def to_json(self) -> str:
        """The line as text."""
        if self.raw is not None:
            return json.dumps({**self.raw, "stale": self.stale}, ensure_ascii=False)
        entry: dict[str, Any] = {"experiment": self.experiment, "row": self.row}
        if self.stale:
            entry["stale"] = self.stale
        entry |= {"facts": dict(self.facts), "spelling": SPELLING}
        if self.budgets:
            entry["budgets"] = {player: dict(budget) for player, budget in sorted(self.budgets.items())}
        rates = all(isinstance(value, float) and value in _SIGNS for value in self.values.values())
        entry["games" if rates else "values"] = _blocks(self.values, rates)
        entry["prints"] = {str(index): self.prints[index] for index in sorted(self.prints)}
        if self.used:
            entry["used"] = {str(index): self.used[index] for index in sorted(self.used)}
        entry |= {"version": self.version, "machine": self.machine, "created": self.created}
        if self.load:
            entry["load"] = self.load
        if self.plays:
            entry["plays"] = self.plays
        return json.dumps(entry, ensure_ascii=False, separators=(", ", ": "))


def _blocks(values: Mapping[int, Any], rates: bool) -> dict[str, Any]:
    """The values by block: of games one character each, of other results a list."""
    found: dict[str, Any] = {}
    for start in sorted({index // BLOCK * BLOCK for index in values}):
        last = max(index for index in values if start <= index < start + BLOCK)
        inside = [values.get(index) for index in range(start, last + 1)]
        found[str(start)] = (
            "".join(_GAP if value is None else _SIGNS[value] for value in inside) if rates else inside
        )
    return found


def _read_blocks(entry: Mapping[str, Any]) -> dict[int, Any]:
    blocks = entry.get("games", entry.get("values"))
    if not isinstance(blocks, dict):
        raise ValueError("neither games nor values")
    found: dict[int, Any] = {}
    for start, inside in blocks.items():
        for offset, value in enumerate(inside):
            if value is not None and value != _GAP:
                found[int(start) + offset] = _POINTS[value] if "games" in entry else value
    return found


def told_facts(facts: Mapping[str, Any], spelling: int | None = None) -> dict[str, Any]:
    """Facts whose specs tell what differs from the defaults.

    The specs are canonical, or of an older `spelling`.
    """
    found = dict(facts)
    game = str(facts["game"]) if spelling is None else upgrade("game", str(facts["game"]), spelling)
    found["game"] = told_canonical("game", game)
    for name in PLAYERS:
        if facts.get(name):
            spec = str(facts[name])
            spec = spec if spelling is None else upgrade("player", spec, spelling, game)
            found[name] = told_canonical("player", spec)
    return found


def identity_of(facts: Mapping[str, Any]) -> str:
    """32 hexadecimal digits that name facts as they are told."""
    return hashlib.sha256(json.dumps(["coppice row", facts], sort_keys=True).encode()).hexdigest()[:32]


# Adding up


def merge(one: ResultLine, two: ResultLine) -> ResultLine:
    """Both together. A ValueError says where they contradict each other: nothing is mixed."""
    if one.identity != two.identity or one.raw is not None or two.raw is not None:
        raise ValueError(f"row '{one.row}': lines of other facts do not add up")
    for index in sorted(one.values.keys() & two.values.keys()):
        if one.values[index] != two.values[index] or (
            index in one.prints and one.prints[index] != two.prints.get(index, one.prints[index])
        ):
            raise ValueError(
                f"row '{one.row}': number {index} came out otherwise in both, so that one of them was made by"
                " other code: coppice verify finds out which"
            )
    values = {**one.values, **two.values}
    kept = fingerprint_indices(values)
    prints = {**one.prints, **two.prints}
    used = {**one.used, **two.used}
    return replace(
        one,
        experiment=one.experiment or two.experiment,
        values={index: values[index] for index in sorted(values)},
        prints={index: prints[index] for index in kept if index in prints},
        used={index: used[index] for index in kept if index in used},
        budgets=one.budgets or two.budgets,
        version=_both(one.version, two.version),
        machine=_both(one.machine, two.machine),
        created=min(filter(None, (one.created, two.created)), default=""),
        load=two.load or one.load,
        plays=_both(one.plays, two.plays),
    )


def _both(one: str, two: str) -> str:
    """What either says, each once, in order."""
    return "; ".join(sorted({piece for text in (one, two) for piece in text.split("; ") if piece}))


def merge_lines(one: Iterable[ResultLine], two: Iterable[ResultLine]) -> list[ResultLine]:
    """The lines of two files: those of the same facts add up, history is kept once.

    What either calls stale is stale in both.
    """
    lines = [*one, *two]
    stale = [line for line in lines if line.stale and line.raw is None]
    found: dict[tuple[str, ...], ResultLine] = {}
    for line in lines:
        if line.raw is not None:
            found.setdefault((line.to_json(),), line)
            continue
        why = line.stale or next((other.stale for other in stale if _same_games(line, other)), "")
        now = replace(line, stale=why)
        key = (now.experiment, now.row, now.identity, now.stale)
        found[key] = merge(found[key], now) if key in found else now
    return list(found.values())


def _same_games(one: ResultLine, two: ResultLine) -> bool:
    """Whether two lines of one row have games in common, and these came out the same."""
    if (one.row, one.identity) != (two.row, two.identity):
        return False
    common = one.prints.keys() & two.prints.keys()
    return bool(common) and all(one.prints[index] == two.prints[index] for index in common)


# Files


def read_lines(path: Path) -> list[ResultLine]:
    """The lines of a file; a ValueError names one that is none."""
    if not path.exists():
        return []
    found = []
    for number, raw in enumerate(path.read_bytes().splitlines(), 1):
        try:
            found.append(_read(json.loads(raw.decode("utf-8"))))
        except _NO_LINE as error:
            why = shown(str(error), 300)
            raise ValueError(f"'{path}' line {number}: not a line of results ({why})") from error
    return found


def _checked(line: ResultLine) -> ResultLine:
    """A line whose names are texts that can be written again, and whose facts are told under names."""
    for value in (line.experiment, line.row, line.stale, line.created):
        if not isinstance(value, str):
            raise TypeError(f"{value!r} is no text")
    if any(not isinstance(budget, dict) for budget in line.budgets.values()):
        raise TypeError("a budget is a mapping")
    line.to_json().encode("utf-8")
    return line


def _read(entry: Mapping[str, Any]) -> ResultLine:
    if "spelling" not in entry:
        facts = {key: value for key, value in entry["facts"].items() if key != "budgets"}
        first = ResultLine(
            *(entry["experiment"], entry["row"], told_facts(facts, 0)),
            created=entry["created"],
            stale=entry.get("stale", _NO_PRINTS),
            raw={key: value for key, value in entry.items() if key != "stale"},
        )
        return _checked(first)
    spelling = int(entry["spelling"])
    if spelling > SPELLING:
        raise ValueError(f"spelling {spelling} is of a later version; this one reads up to {SPELLING}")
    line = ResultLine(
        entry["experiment"],
        entry["row"],
        dict(entry["facts"]) if spelling == SPELLING else told_facts(entry["facts"], spelling),
        values=_read_blocks(entry),
        prints={int(index): str(text) for index, text in entry["prints"].items()},
        used={int(index): used for index, used in entry.get("used", {}).items()},
        budgets=entry.get("budgets", {}),
        version=str(entry["version"]),
        machine=str(entry["machine"]),
        created=str(entry["created"]),
        load=str(entry.get("load", "")),
        plays=str(entry.get("plays", "")),
        stale=entry.get("stale", ""),
    )
    return _checked(line)


def write_lines(path: Path, lines: Iterable[ResultLine], rows: Sequence[str] = ()) -> None:
    """Write a file, whole or not at all: rows in their order, of each row what is of today first.

    Rows that the experiment no longer has come last, by name.
    """
    order = {name: place for place, name in enumerate(rows)}
    ranked = sorted(
        lines, key=lambda line: (order.get(line.row, len(order)), line.row, line.stale != "", line.created)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text("".join(f"{line.to_json()}\n" for line in ranked), encoding="utf-8")
    beside.replace(path)
