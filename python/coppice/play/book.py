"""Opening books: what long searches found out about the first positions of a game.

A book is a text file, one JSON value per line: a head that says how the book was made, then one *entry* per
position, in the order in which they were added. An entry is the line of moves to its position, and the moves
that the search there visited most. Positions that a symmetry of the board takes into each other are one.

A book grows by self-play. A *walk* plays from the start: the book's own side makes the book's move, and one
time in four another, the other side draws among the moves of an entry by their visits; the first position
that the book does not know is searched and added, unless the game is decided before. Walk *i* has a stream of
chance of its own, so a book that is grown in pieces is the book that is grown at once.

The book's move is the most visited one, unless the book knows a better one by the positions behind it: values
are backed up from there, as in any game tree.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from coppice import _core
from coppice._core import Chance
from coppice.core.guests import NOBODY, Guests
from coppice.core.quoting import shown
from coppice.core.session import Game, Limit, MoveStat, Player, Report, State
from coppice.core.spelling import SPELLING, upgrade

__all__ = ["PLAYER", "Book", "Candidate", "Entry", "grow", "shipped", "shipped_files"]

PLAYER = "strong"
"""Whose searches fill a book unless another player is asked for."""
_MOST_CANDIDATES = 6
_LEAST_SHARE = 0.05
"""A move that had less than this share of the most visited one's visits is not kept."""
_STRAY = 4
"""The book's own side strays from its move once in so many times."""
_LONGEST = 16
"""Moves of a walk: what lies deeper is no opening."""
_VAIN = 2000
"""Walks in a row that add nothing before a book counts as finished."""
_FORMAT = 1
_NO_BOOK = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
"""What reading raises where a line is none of a book."""


class Candidate(NamedTuple):
    """A move of an entry, as the search there saw it."""

    name: str
    visits: int
    value: float
    """Mean result for the side to move, in 0..1; 1 or 0 where that is proven."""


@dataclass(frozen=True)
class Entry:
    """One position of a book."""

    line: tuple[str, ...]
    """The moves that lead there from the start."""
    walk: int
    """The walk that added it."""
    candidates: tuple[Candidate, ...]
    """Most visited first."""


class _Place(NamedTuple):
    """An entry where the book looks for it: its moves as cells of the turned board."""

    entry: Entry
    cells: tuple[tuple[int, ...], ...]
    """Of each candidate."""
    behind: tuple[str, ...]
    """The keys of the positions behind them."""
    changes: tuple[bool, ...]
    """Whether the other side is to move there."""


class Book:
    """The opening book of one game."""

    def __init__(
        self, game: str, player: str, simulations: int, seed: int, version: str | None = None
    ) -> None:
        self.game = Game(game)
        self.player = Player(player).on(self.game)
        """Whose searches it holds."""
        self.simulations = simulations
        """Of each search."""
        self.seed = seed
        self.version = _core.play_version(self.game.spec, self.player.spec) if version is None else version
        """The play version of the player that made it; of earlier versions, that of everything."""
        self.entries: list[Entry] = []
        if self.game.hidden:
            raise ValueError(f"a book needs a game without hidden information, not {self.game.spec}")
        self.player.check(self.game)
        self._symmetries = self.game.symmetries
        self._places: dict[str, _Place] = {}
        self._values: dict[str, tuple[int, float]] = {}

    # Positions

    def _key(self, state: State) -> tuple[str, list[int]]:
        """A text that positions share which a symmetry takes into each other, and the symmetry to its own."""
        if len(self._symmetries) == 1:
            return str(state.key), self._symmetries[0]
        pieces = [(cell, piece.side, piece.kind) for piece in state.pieces() for cell in piece.cells]
        turned = [
            (sorted((symmetry[cell], str(side), kind) for cell, side, kind in pieces), number)
            for number, symmetry in enumerate(self._symmetries)
        ]
        least, number = min(turned)
        return f"{state.to_move} {least}", self._symmetries[number]

    def _turned(self, cells: Sequence[int], symmetry: list[int]) -> tuple[int, ...]:
        """The cells of a move on the turned board; sorted, for a turned domino has its other half first."""
        turned = (symmetry[cell] for cell in cells)
        return tuple(turned) if len(self._symmetries) == 1 else tuple(sorted(turned))

    def add(self, entry: Entry) -> None:
        """Adds the entry of a position that the book does not hold yet."""
        state = self.game.start().play(*entry.line)
        key, symmetry = self._key(state)
        if key in self._places:
            raise ValueError(f"the position after '{' '.join(entry.line)}' is in the book already")
        cells, behind, changes = [], [], []
        for candidate in entry.candidates:
            cells.append(self._turned(state.move_cells(candidate.name), symmetry))
            after = state.copy().play(candidate.name)
            behind.append(self._key(after)[0])
            changes.append(after.to_move != state.to_move)
        self._places[key] = _Place(entry, tuple(cells), tuple(behind), tuple(changes))
        self.entries.append(entry)
        self._values.clear()

    def merged(self, state: State, candidates: list[Candidate]) -> list[Candidate]:
        """One candidate for moves that lead to the same position but for a symmetry, the first of them."""
        groups: dict[str, list[Candidate]] = {}
        for candidate in candidates:
            groups.setdefault(self._key(state.copy().play(candidate.name))[0], []).append(candidate)
        merged = []
        for group in groups.values():
            visits = sum(candidate.visits for candidate in group)
            value = sum(candidate.visits * candidate.value for candidate in group) / visits
            merged.append(Candidate(group[0].name, visits, round(value, 4)))
        return [merged[0], *sorted(merged[1:], key=lambda candidate: -candidate.visits)]

    def __contains__(self, state: State) -> bool:
        return state.outcome is None and self._key(state)[0] in self._places

    def _best(self, key: str) -> tuple[int, float]:
        """The book's move at a position it holds, as a number of its candidates, and its value."""
        if key not in self._values:
            place = self._places[key]
            # Against positions that lead to each other in a circle: until it is known, the search's own word.
            self._values[key] = (0, place.entry.candidates[0].value)
            values = []
            for number, candidate in enumerate(place.entry.candidates):
                if place.behind[number] in self._places:
                    there = self._best(place.behind[number])[1]
                    values.append((1 - there if place.changes[number] else there, -number))
                elif number == 0:
                    values.append((candidate.value, 0))
            value, number = max(values)
            self._values[key] = (-number, value)
        return self._values[key]

    def find(self, state: State) -> Report | None:
        """What the book says about a position, as a report; None if it does not hold it."""
        if state.outcome is not None:
            return None
        key, symmetry = self._key(state)
        place = self._places.get(key)
        if place is None:
            return None
        names = {self._turned(cells, symmetry): name for name, cells in state.legal_move_cells()}
        number, value = self._best(key)
        stats = tuple(
            MoveStat(names[cells], candidate.visits, value if at == number else candidate.value)
            for at, (candidate, cells) in enumerate(zip(place.entry.candidates, place.cells, strict=True))
        )
        best = stats[number].name
        return Report(
            best=best,
            side=state.to_move,
            moves=stats,
            line=(best,),
            simulations=0,
            states=0,
            seconds=0.0,
            nodes=0,
            bytes=0,
            full_at=None,
            notes=(f"from the opening book: {self.simulations:,} simulations a position",),
        )

    # Files

    def head(self) -> dict[str, Any]:
        """The first line of the file."""
        return {
            "book": _FORMAT,
            "game": self.game.spec,
            "player": self.player.spec,
            "spelling": SPELLING,
            "simulations": self.simulations,
            "seed": self.seed,
            "play_version": self.version,
        }

    @classmethod
    def read(cls, path: Path, *, guests: Guests = NOBODY) -> Book:
        """The book of a file; a last line that was cut off is left out, anything else wrong is told.

        A game or player outside the process is refused unless it is one of the `guests`.
        """
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: this is no opening book: it is not text in UTF-8") from error
        return _read(text, str(path), guests)


def _line(entry: Entry) -> str:
    moves = [[name, visits, round(value, 4)] for name, visits, value in entry.candidates]
    return json.dumps({"line": " ".join(entry.line), "walk": entry.walk, "moves": moves}) + "\n"


def _count(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value < 2**63:
        raise ValueError(f"{shown(repr(value))} is no number of that kind")
    return value


def _candidate(name: object, visits: object, value: object) -> Candidate:
    """A move of an entry as it was written: it was visited, and its value is a share of the points."""
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{shown(repr(value))} is no value of a move")
    return Candidate(str(name), max(_count(visits), 1), float(value))


def _read(text: str, name: str, guests: Guests = NOBODY) -> Book:
    lines = text.split("\n")
    # The last one is empty, or was being written when somebody pulled the plug.
    lines.pop()
    book: Book | None = None
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
            if book is None:
                if value.get("book") != _FORMAT:
                    raise ValueError(f"it does not begin with the head of a book of format {_FORMAT}")
                game = guests.admit(value["game"], "game")
                player = upgrade("player", value["player"], int(value.get("spelling", 0)), game)
                guests.admit(player)
                simulations, seed = (_count(value[name]) for name in ("simulations", "seed"))
                book = Book(game, player, simulations, seed, str(value["play_version"]))
            else:
                moves = tuple(_candidate(*told) for told in value["moves"])
                if not moves:
                    raise ValueError("there is no move")
                book.add(Entry(tuple(value["line"].split()), _count(value["walk"]), moves))
        except _NO_BOOK as error:
            told = shown(f"{error} is missing" if isinstance(error, KeyError) else str(error), 600)
            raise ValueError(f"{name}, line {number}: this is no opening book: {told}") from error
    if book is None:
        raise ValueError(f"{name} is empty: there is no opening book in it")
    return book


def shipped_files() -> list[tuple[str, str]]:
    """Name and text of each book that comes with the package."""
    folder = resources.files("coppice").joinpath("data", "book")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".jsonl")), key=lambda f: f.name)
    return [(file.name, file.read_text(encoding="utf-8")) for file in files]


@functools.cache
def _heads() -> dict[str, str]:
    """The name of the shipped book of each game that has one."""
    return {json.loads(text.partition("\n")[0])["game"]: name for name, text in shipped_files()}


@functools.cache
def _shipped(name: str) -> Book:
    return _read(next(text for file, text in shipped_files() if file == name), name)


def shipped(game: Game) -> Book | None:
    """The book that the package brings for a game; None if it brings none."""
    name = _heads().get(game.spec)
    return None if name is None else _shipped(name)


# Growing


def _walk(book: Book, walk: int) -> State | None:
    """The first position outside the book that a walk comes to; None if it ends before."""
    chance = Chance((book.seed << 32) + walk)
    state = book.game.start()
    own = "first" if walk % 2 == 0 else "second"
    while state.outcome is None and len(state.moves) < _LONGEST:
        report = book.find(state)
        if report is None:
            return state
        if report.value in (0.0, 1.0):
            # Behind what is proven any search finds its way.
            return None
        moves = sorted(
            ((stat.name, stat.visits) for stat in report.moves), key=lambda move: move[0] != report.best
        )
        strays = chance.below(_STRAY) == 0
        drawn = chance.below(sum(visits for _, visits in moves))
        if state.to_move == own and not strays:
            state.play(moves[0][0])
            continue
        for name, visits in moves:
            drawn -= visits
            if drawn < 0:
                state.play(name)
                break
    return None


def _searched(book: Book, state: State, walk: int) -> Entry:
    report = book.player.search(state, Limit(simulations=book.simulations), seed=book.seed)
    found = [
        Candidate(
            stat.name,
            max(stat.visits, 1),
            0.5 if stat.expected is None else round(stat.expected, 4),
        )
        for stat in report.moves
        if stat.visits or stat.name == report.best
    ]
    # A player need not play what it visited most; the first candidate is what it would play.
    found.sort(key=lambda candidate: (candidate.name != report.best, -candidate.visits))
    if not found:
        found = [Candidate(report.best, 1, 0.5)]
    found = book.merged(state, found)
    least = _LEAST_SHARE * found[0].visits
    kept = [candidate for candidate in found if candidate.visits >= least][:_MOST_CANDIDATES]
    return Entry(tuple(state.moves), walk, tuple(kept))


def grow(
    path: Path,
    game: str,
    *,
    player: str = PLAYER,
    positions: int,
    simulations: int,
    seed: int = 0,
    tell: Callable[[Book, Entry], None] | None = None,
) -> Book:
    """Grows the book in a file to so many positions; one that is there already goes on where it stopped.

    Every entry is in the file as soon as its search is over. `tell` is called with each.
    """
    book = Book(game, player, simulations, seed)
    if path.exists() and path.stat().st_size:
        found = Book.read(path, guests=Guests([game, player]))
        for key, value in book.head().items():
            if found.head()[key] != value:
                raise ValueError(
                    f"{path} was grown with {key} {found.head()[key]}, not {value}: choose another file"
                )
        book = found
        text = json.dumps(book.head()) + "\n" + "".join(map(_line, book.entries))
        if text != path.read_text(encoding="utf-8"):
            # A last line that was cut off must not run into the next one.
            path.write_text(text, encoding="utf-8")
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(book.head()) + "\n", encoding="utf-8")
    walk = book.entries[-1].walk + 1 if book.entries else 0
    vain = 0
    with path.open("a", encoding="utf-8") as file:
        while len(book.entries) < positions and vain < _VAIN:
            state = _walk(book, walk)
            if state is None:
                vain += 1
            else:
                vain = 0
                entry = _searched(book, state, walk)
                book.add(entry)
                file.write(_line(entry))
                file.flush()
                os.fsync(file.fileno())
                if tell is not None:
                    tell(book, entry)
            walk += 1
    return book
