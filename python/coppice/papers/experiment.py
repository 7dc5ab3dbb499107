"""Experiments: a question, its rows, the paper's numbers, and what the paper leaves open.

An experiment is one file that only declares: it binds `EXPERIMENT` to an `Experiment`. Those of this package
lie in the folder `experiments` and are found by name, a person's own by path. A row is one line of a table or
one point of a figure and has a kind, which is one file in the folder `rows`. How rows are run is no matter of
this file (see `coppice.papers.runner`).
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from coppice.lab.declared import run_declaration
from coppice.papers import rows
from coppice.papers.clock import BUDGET, Clock
from coppice.papers.published import Published, PublishedTable, load_traps, paper_table, percent, rate
from coppice.papers.rows import *  # noqa: F403
from coppice.papers.rows.row import LITERAL, LITERAL_NAME, Row

__all__ = [
    "BUDGET",
    "LITERAL",
    "LITERAL_NAME",
    "Clock",
    "Experiment",
    "Figure",
    "Published",
    "PublishedTable",
    "Reading",
    "Row",
    "experiment_names",
    "find_experiment",
    "load_traps",
    "paper_table",
    "percent",
    "rate",
    "under",
]
__all__ += rows.__all__


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to settle what a text leaves open; the rows that are run under it carry its name."""

    name: str
    """Short, since it stands in the names of rows: `k = 0.1`."""
    text: str
    """What the text leaves open, and what this reading takes instead of the literal one."""


RowT = TypeVar("RowT", bound=Row)


def under(reading: Reading, row: RowT, **changes: Any) -> RowT:
    """A row under another reading: its name says which, and the options given are changed."""
    return replace(row, name=f"{row.name} [{reading.name}]", reading=reading.name, **changes)


@dataclass(frozen=True, slots=True)
class Figure:
    """Rates of an experiment by the label `x` of the rows, in groups by the label `group`.

    Where all labels are numbers they make curves, else each is a category on an axis.
    """

    x: str
    title: str = ""
    group: str = ""
    panels: str = ""
    """A label each of whose values has a panel of its own."""
    logarithmic: bool = False
    by_ply: bool = False
    """Whether each row is a curve of its own over the plies of a game (playout rows)."""
    on_board: bool = False
    """Whether each row is a board whose cells show how often they were kept (search rows of `kept`)."""
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Words of one's own for what the figure writes: the labels and their values, `published`, ..."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A question, its rows, the paper's numbers, and what the paper leaves open."""

    question: str
    source: str
    """The table or figure, with the paper; `our own` if there is none."""
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    """What the paper leaves open, what we assumed, what is doubtful in it."""
    readings: tuple[Reading, ...] = ()
    """The other ways to read the text under which rows are run, besides the literal one."""
    figures: tuple[Figure, ...] = ()
    seed: int = 0
    name: str = ""
    """The name of its file, without folder and ending."""
    given: str = ""
    """What `coppice run` was or would be told to find it: the name, or the path of a person's own."""

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError("an experiment needs at least one row")
        names = [row.name for row in self.rows]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two rows of an experiment have the name '{twice[0]}'")
        declared = [LITERAL, *(reading.name for reading in self.readings)]
        for row in self.rows:
            if row.reading not in declared:
                raise ValueError(f"row '{row.name}' has the reading '{row.reading}', which is not declared")
        idle = [name for name in declared[1:] if not any(row.reading == name for row in self.rows)]
        if idle or len(set(declared)) < len(declared):
            raise ValueError(f"a reading is declared once and has rows: {', '.join(idle or declared[1:])}")
        if LITERAL_NAME in declared:
            raise ValueError(f"no reading may be called '{LITERAL_NAME}': that is the one without a name")

    @property
    def reading_names(self) -> tuple[str, ...]:
        """The names of all readings, the literal one first."""
        return (LITERAL_NAME, *(reading.name for reading in self.readings))

    def number(self, row: Row) -> int:
        """The number of a row, from 1, as tables show it and `choose` takes it."""
        return self.rows.index(row) + 1

    def choose(
        self, wanted: str | Iterable[str] | None = None, readings: Iterable[str] | None = None
    ) -> tuple[Row, ...]:
        """The rows that texts choose, in their own order; all without a text.

        A text is the whole name of a row, a number, a range like 3-5, a pattern in which `*` stands for
        anything, or several of these with commas. What is the name of a row is read as nothing else. Of
        these rows, `readings` leaves those of the readings named.
        """
        rows = self._choose(wanted)
        if readings is None:
            return rows
        names = list(readings)
        for name in names:
            if name not in self.reading_names:
                raise ValueError(f"'{name}' is no reading: allowed are {'; '.join(self.reading_names)}")
        left = tuple(row for row in rows if row.reading_name in names)
        if not left:
            raise ValueError(f"none of these rows has the reading {' or '.join(map(repr, names))}")
        return left

    def _choose(self, wanted: str | Iterable[str] | None) -> tuple[Row, ...]:
        if wanted is None:
            return self.rows
        chosen: set[int] = set()
        for text in [wanted] if isinstance(wanted, str) else wanted:
            pieces = text.split(",")
            while pieces:
                # Names have commas, too: what is longest counts.
                for length in range(len(pieces), 0, -1):
                    found = self._find(",".join(pieces[:length]).strip())
                    if found:
                        chosen.update(found)
                        del pieces[:length]
                        break
                else:
                    raise ValueError(self._no_row(pieces))
        return tuple(row for at, row in enumerate(self.rows) if at in chosen)

    def _find(self, text: str) -> Sequence[int]:
        """The places of the rows that one name, number, range or pattern means; none if it means nothing."""
        names = [row.name for row in self.rows]
        if text in names:
            return [names.index(text)]
        if _NUMBERS.fullmatch(text):
            low, _, high = text.partition("-")
            places = range(int(low) - 1, int(high or low))
            return places if places and 0 <= places[0] <= places[-1] < len(names) else ()
        if "*" not in text:
            return ()
        pattern = re.compile(".*".join(map(re.escape, text.split("*"))))
        return [at for at, name in enumerate(names) if pattern.fullmatch(name)]

    def _no_row(self, pieces: Sequence[str]) -> str:
        """What is wrong with a text of which the first piece, alone or with others, means no row."""
        first = pieces[0].strip()
        text = first if _NUMBERS.fullmatch(first) else ",".join(pieces).strip()
        folded = text.casefold().replace("*", "")
        names = [row.name for row in self.rows]
        near = [name for name in names if folded and folded in name.casefold()]
        likeness = {name: difflib.SequenceMatcher(None, folded, name.casefold()).ratio() for name in names}
        near += sorted((name for name in names if likeness[name] > 0.6), key=lambda name: -likeness[name])
        shown = list(dict.fromkeys(near))[:_NEAR] or names[:_NEAR]
        listed = "; ".join(f"{names.index(name) + 1} '{name}'" for name in shown)
        return (
            f"'{text}' is no row: allowed are numbers from 1 to {len(names)}, ranges such as "
            f"1-{len(names)}, whole names and patterns with *; {'near it' if near else 'some rows'}: {listed}"
        )


_NUMBERS = re.compile(r"\d+(-\d+)?")
_NEAR = 4
"""So many rows are named to who asks for one that there is not."""


# Finding experiments


def _folder() -> Path:
    return Path(__file__).parent / "experiments"


_DIGITS = re.compile(r"(\d+)")


def experiment_names() -> list[str]:
    """The names of the experiments of this package."""
    names = (path.stem for path in _folder().glob("*.py") if not path.stem.startswith("_"))
    return sorted(
        names, key=lambda name: [int(part) if part.isdigit() else part for part in _DIGITS.split(name)]
    )


def find_experiment(name: str) -> Experiment:
    """The experiment of this name, or of a file whose path ends in `.py`."""
    path = Path(name) if name.endswith(".py") else _folder() / f"{name}.py"
    if not name.endswith(".py") and name not in experiment_names():
        raise ValueError(
            f"unknown experiment '{name}': a file ending in .py, or one of {', '.join(experiment_names())}"
        )
    if not path.is_file():
        raise ValueError(f"there is no experiment file '{name}'")
    found = getattr(_load(path), "EXPERIMENT", None)
    if not isinstance(found, Experiment):
        raise ValueError(f"'{path}' is no experiment: it must bind EXPERIMENT to an Experiment")
    return replace(found, name=path.stem, given=name)


def _load(path: Path) -> ModuleType:
    """The module of an experiment file; whatever goes wrong inside it is told with its line."""
    inside = path.resolve().parent == _folder().resolve()
    name = f"coppice.papers.experiments.{path.stem}" if inside else f"_coppice_experiment_{path.stem}"
    if inside and name in sys.modules:
        return sys.modules[name]
    return run_declaration(path, name, "experiment")
