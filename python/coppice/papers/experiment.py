"""Experiments: a question, its rows, the paper's numbers, and what the paper leaves open.

An experiment is one file that only declares: it binds `EXPERIMENT` to an `Experiment`. Those of this package
lie in the folder `experiments` and are found by name, a person's own by path. A row is one line of a table or
one point of a figure and has a kind: a match, a repeated search, a statistic of playouts, or a speed. How
rows are run is no matter of this file (see `coppice.papers.runner`).

Papers give time budgets. A `Clock` says what work such a time stands for, so that a run does not depend on
how fast the machine is: the players of a row with a clock write `{budget}` where their limit goes.
"""

from __future__ import annotations

import difflib
import importlib.util
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Literal, TypeVar

from coppice.lab.match import Sides

__all__ = [
    "BUDGET",
    "LITERAL",
    "LITERAL_NAME",
    "Clock",
    "Experiment",
    "Figure",
    "MatchRow",
    "PlayoutRow",
    "Published",
    "Reading",
    "Row",
    "SearchRow",
    "SpeedRow",
    "Table",
    "experiment_names",
    "find_experiment",
    "load_traps",
    "paper_table",
    "percent",
    "rate",
    "under",
]

BUDGET = "{budget}"
"""Where the limit of a player goes whose time comes from a clock."""

LITERAL = ""
"""The reading of a row that takes the text at its word."""
LITERAL_NAME = "literal"
"""What it is called where readings are named."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to settle what a text leaves open; the rows that are run under it carry its name."""

    name: str
    """Short, since it stands in the names of rows: `k = 0.1`."""
    text: str
    """What the text leaves open, and what this reading takes instead of the literal one."""


@dataclass(frozen=True, slots=True)
class Published:
    """What a paper prints for one row."""

    value: float | None = None
    """A rate in 0..1 or another number; None where the paper has none or it is lost."""
    games: int | None = None
    """The number of games or runs behind it; None if unknown, and then the number counts as exact."""
    rounding: float = 0.0
    """Half a unit of the last printed digit."""
    error: float | None = None
    """The printed half-width of a 95 % interval, for numbers that are not rates."""
    text: str = ""
    """What the text claims where no number is printed."""
    first: float | None = None
    """What is printed for the games in which player *a* had the first side; `flags` say what it is."""
    second: float | None = None
    """The same for the second side."""
    flags: tuple[str, ...] = ()
    """Why the number is doubtful."""


def percent(value: float | None, games: int | None = None, *, digits: int = 2, **more: Any) -> Published:
    """A published win rate in percent, printed with so many digits after the point."""
    known = None if value is None else round(value / 100, 6)
    return Published(known, games, 0.5 * 10 ** (-digits - 2), **more)


def rate(value: float | None, games: int | None = None, *, digits: int = 2, **more: Any) -> Published:
    """A published win rate in 0..1, printed with so many digits after the point."""
    return Published(value, games, 0.5 * 10**-digits, **more)


@dataclass(frozen=True, slots=True)
class Clock:
    """The work that a printed time per move stands for."""

    seconds: float
    """The time that the paper prints."""
    simulations: int | None = None
    """How many simulations `reference` makes in it; other players get what they make in the same time."""
    reference: str = ""
    """A player, with `{budget}` for its limit."""
    states: int | None = None
    """How many states are visited in it, whoever plays."""

    def __post_init__(self) -> None:
        if (self.simulations is None) == (self.states is None):
            raise ValueError(f"a clock counts either simulations or states: {self}")
        if self.simulations is not None and BUDGET not in self.reference:
            raise ValueError(f"the reference player of a clock needs {BUDGET}: '{self.reference}'")


@dataclass(frozen=True, kw_only=True)
class Row:
    """What all kinds of rows have."""

    kind: ClassVar[str] = ""
    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    """The row's cells in the columns that say what was tried, by column."""
    game: str
    count: int
    """How many games or runs the paper made."""
    published: Published = field(default_factory=Published)
    clock: Clock | None = None
    tested: bool = True
    """Whether our number ought to equal the paper's; a speed on another machine ought not."""
    reading: str = LITERAL
    """The name of the reading that it is run under."""

    @property
    def reading_name(self) -> str:
        """The reading as people call it."""
        return self.reading or LITERAL_NAME

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"row '{self.name}' has {self.count} runs: at least 1 is needed")
        timed = [player for player in self.players() if BUDGET in player]
        if self.clock is None and timed:
            raise ValueError(f"row '{self.name}': '{timed[0]}' has {BUDGET} but the row has no clock")
        if self.clock is not None and not timed:
            raise ValueError(f"row '{self.name}' has a clock but no player with {BUDGET}")

    def players(self) -> tuple[str, ...]:
        """The players of the row."""
        return ()

    @property
    def is_rate(self) -> bool:
        """Whether the row's number is a rate in 0..1."""
        return False


RowT = TypeVar("RowT", bound=Row)


@dataclass(frozen=True, kw_only=True)
class MatchRow(Row):
    """A match; its number is the rate of player *a*, or how often the first side wins."""

    kind: ClassVar[str] = "match"
    a: str
    b: str
    sides: Sides = "both"
    openings: str = "none"
    rate_of: Literal["a", "first side"] = "a"
    """Whose points are counted."""

    def players(self) -> tuple[str, ...]:
        """The players of the row."""
        return (self.a, self.b)

    @property
    def is_rate(self) -> bool:
        """A match gives a rate."""
        return True


@dataclass(frozen=True, kw_only=True)
class SearchRow(Row):
    """Many searches of one position; its number is how often a move was chosen, or the states visited.

    Or how often the side to move wins when the player goes on for both sides, or the share of the empty cells
    that stay in the list of PPR when the search ends; then `Figure.on_board` draws which ones.
    """

    kind: ClassVar[str] = "search"
    player: str
    position: str = ""
    """As text of a state; empty for the initial one."""
    measure: Literal["move", "states", "win", "kept"] = "move"
    moves: tuple[str, ...] = ()
    """The moves that count as found, for `measure="move"`."""
    to_end: bool = False
    """Whether the player goes on for both sides to the end of the game and the states of all moves count."""

    def __post_init__(self) -> None:
        Row.__post_init__(self)
        if self.to_end < (self.measure == "win"):
            raise ValueError(f"row '{self.name}' measures who wins: it needs to_end=True")

    def players(self) -> tuple[str, ...]:
        """The players of the row."""
        return (self.player,)

    @property
    def is_rate(self) -> bool:
        """The frequency of a move or of a win is a rate."""
        return self.measure in ("move", "win")


@dataclass(frozen=True, kw_only=True)
class PlayoutRow(Row):
    """Games of a player against itself; at each ply the mean length of playouts, or how many moves are legal.

    The row's number is the mean over all plies of all games; by ply it is a curve. With a `reference` player
    it is by how many moves the playouts of that player are longer, from the same positions.
    """

    kind: ClassVar[str] = "playout"
    player: str
    measure: Literal["length", "branching", "tree_size", "game_length"] = "length"
    """`tree_size` is the logarithm (to 10) of the product of the numbers of legal moves along a game."""
    pattern: str = ""
    """For `branching` and `tree_size`: a regular expression; the moves whose names it finds count once for
    each value of its group, and plies without such a move do not count."""
    reference: str = ""
    """For `length`: whose playouts are compared; the games are those of `player`."""

    def __post_init__(self) -> None:
        Row.__post_init__(self)
        if self.reference and self.measure != "length":
            raise ValueError(f"row '{self.name}' measures {self.measure}: only a length has a reference")

    def players(self) -> tuple[str, ...]:
        """The players of the row."""
        return (self.player, self.reference) if self.reference else (self.player,)


@dataclass(frozen=True, kw_only=True)
class SpeedRow(Row):
    """Work per CPU second of a player, or its ratio to that of a reference player timed in turn with it."""

    kind: ClassVar[str] = "speed"
    player: str
    reference: str = ""
    per_second: Literal["simulations", "states"] = "simulations"
    tested: bool = False

    def players(self) -> tuple[str, ...]:
        """The players of the row."""
        return (self.player, self.reference) if self.reference else (self.player,)


def under(reading: Reading, row: RowT, **changes: Any) -> RowT:
    """A row under another reading: its name says which, and the options given are changed."""
    return replace(row, name=f"{row.name} [{reading.name}]", reading=reading.name, **changes)


@dataclass(frozen=True, slots=True)
class Figure:
    """A curve of an experiment: the rows whose label `x` is a number, in groups by the label `group`."""

    x: str
    title: str = ""
    group: str = ""
    logarithmic: bool = False
    by_ply: bool = False
    """Whether each row is a curve of its own over the plies of a game (playout rows)."""
    on_board: bool = False
    """Whether each row is a board whose cells show how often they were kept (search rows of `kept`)."""


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
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None, "a path to a .py file always has a loader"
    assert spec.loader is not None, "a path to a .py file always has a loader"
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        lines = [frame for frame in _frames(error) if frame[0] == str(path)]
        place = f" line {lines[-1][1]}:" if lines else ""
        raise ValueError(f"experiment '{path}':{place} {error}") from error
    return module


def _frames(error: BaseException) -> Iterable[tuple[str, int]]:
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next


# The published numbers


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a paper as it was transcribed."""

    paper: str
    table: str
    caption: str
    settings: Mapping[str, Any]
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    flags: tuple[str, ...] = ()


def paper_table(paper: str, table: str) -> Table:
    """The published table: `paper` is the beginning of the paper's name, `table` e.g. `Table 1`."""
    entries: Sequence[Mapping[str, Any]] = _data("paper_tables.json")["tables"]
    for entry in entries:
        if entry["paper"].startswith(paper) and entry["table"] == table:
            return Table(
                *(entry["paper"], entry["table"], entry["caption"], entry["settings"]),
                columns=tuple(entry["columns"]),
                rows=tuple(entry["rows"]),
                flags=(*entry.get("flags", ()), *([entry["note"]] if "note" in entry else ())),
            )
    known = ", ".join(f"{entry['paper'].split(' (')[0]} {entry['table']}" for entry in entries)
    raise ValueError(f"there is no published '{paper}' '{table}': {known}")


def load_traps() -> list[dict[str, Any]]:
    """Positions with exactly one winning move, found by a solver; they stand in for a lost figure."""
    return list(_data("traps.json")["positions"])


def _data(name: str) -> dict[str, Any]:
    text = (resources.files("coppice") / "data" / name).read_text(encoding="utf-8")
    return dict(json.loads(text))
