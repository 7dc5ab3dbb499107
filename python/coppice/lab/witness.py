"""A witness of what workers hand back: it was asked for, can be by the rules, and is made again alike.

Threads of this process cannot play anything but what the core plays. What comes from other processes and
other machines may be wrong: memory that forgets, a build that differs, a program in between. Of each game it
is checked that it was asked for and has not come before, that its numbers agree with each other, and, where
nothing is hidden, that the rules make its end of its moves. Besides, a *share* of the games, drawn by the
operating system so that no worker can know which, is played again here. What does not agree is a
`WrongRecordError`, and nothing of that chunk is kept.

This finds faults; it is no fence against an attacker: whoever answers as a worker can run code here.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coppice import _core
from coppice.core.game import Game, split_moves
from coppice.core.outside import Outside
from coppice.core.spec import Spec

if TYPE_CHECKING:
    from coppice.lab.match import Match

__all__ = ["SHARE", "Witness", "WrongRecordError", "agreed", "check_share", "comes_out_again", "is_drawn"]

SHARE = 0.01
"""The share of what other processes hand back that is made again here, unless somebody says otherwise."""
_KEYS = (
    *("index", "first", "winner", "score", "kind", "moves", "length", "seconds", "note"),
    *("used_a", "used_b"),
)
_FORFEIT = "forfeit"
_NOT_TRUSTED = "nothing of it is kept, and what this worker has made is not to be trusted"


class WrongRecordError(ValueError):
    """A worker has handed back what its task does not make; the message names the game."""


def check_share(share: float) -> None:
    """A ValueError if this is no share."""
    if not 0 <= share <= 1:
        raise ValueError(f"a share of {share} cannot be checked: 0 to 1")


def comes_out_again(*specs: str) -> bool:
    """Whether the same is made of these canonical specs each time.

    Not so where a clock, a tree that threads share or another program decides; of a class from outside nobody
    can tell.
    """
    if not all(Spec.parsed(spec).is_reproducible for spec in specs):
        return False
    return all(part.kind != "class" for part in Outside(*specs).parts)


def is_drawn(share: float) -> bool:
    """Whether something is to be made again; nobody can foresee it."""
    return secrets.randbelow(1 << 30) < share * (1 << 30)


def agreed(
    made: Generator[tuple[int, Any] | None, None, None],
    indices: Iterable[int],
    share: float,
    again: Callable[[int], Any],
) -> Generator[tuple[int, Any] | None, None, None]:
    """Results of these indices as they come; a share of them, the first one too, is made again before."""
    check_share(share)
    expected, first = _Expected("result", set(indices)), share > 0
    try:
        for found in made:
            if found is not None:
                index = expected.take(found[0])
                if (first or is_drawn(share)) and _told(found[1]) != _told(here := again(index)):
                    raise WrongRecordError(
                        f"a worker has handed back {_shown(found[1])} as result {index}, and here it is"
                        f" {_shown(here)}: {_NOT_TRUSTED}"
                    )
                first = False
            yield found
    finally:
        made.close()


def _told(result: Any) -> str:
    return json.dumps(result, sort_keys=True, default=str)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:60] + "..."


def _moves(record: Mapping[str, Any]) -> list[str]:
    # The name of a single move may have blanks in it.
    return [record["moves"]] if record["length"] == 1 else split_moves(record["moves"])


@dataclass
class _Expected:
    """What is still to come."""

    what: str
    indices: set[int]

    def take(self, index: object) -> int:
        if not isinstance(index, int) or index not in self.indices:
            raise WrongRecordError(
                f"a worker has handed back {self.what} {_shown(index)}, which nobody asked it for or which"
                " was there before"
            )
        self.indices.remove(index)
        return index


class Witness:
    """What is known of the games of a match before they come, and what is found out about them."""

    def __init__(self, match: Match, indices: Iterable[int], share: float) -> None:
        check_share(share)
        self._match = match
        self._expected = _Expected("game", set(indices))
        self._share = share if comes_out_again(match.game, match.a, match.b) else 0.0
        self._first = True
        game = Game(match.game)
        # A deal, and perhaps the start of a game from outside, is drawn from the seed by the core alone.
        self._game = None if game.hidden or Outside(match.game).parts else game

    @property
    def missing(self) -> int:
        """How many games have not come yet."""
        return len(self._expected.indices)

    def heard(self, records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Checks a chunk by the rules; returns the records that are to be played again."""
        for record in records:
            problem = self._problem(record)
            if problem:
                raise WrongRecordError(
                    f"a worker has handed back a game {record['index']} that cannot be: {problem};"
                    f" {_NOT_TRUSTED}"
                )
        drawn = [record for record in records if is_drawn(self._share)]
        if self._first and self._share and records:
            self._first = False
            # One game at least of each run, however few they are.
            drawn = drawn or [secrets.choice(records)]
        return drawn

    def confirm(self, told: Mapping[str, Any], here: Mapping[str, Any]) -> None:
        """Whether a game came out here as a worker has told it; a `WrongRecordError` if not."""
        for key in ("moves", "winner", "kind"):
            if told[key] != here[key]:
                raise WrongRecordError(
                    f"a worker has handed back game {told['index']} with the {key} '{_shown(told[key])}',"
                    f" and here it has '{_shown(here[key])}': {_NOT_TRUSTED}"
                )

    def _problem(self, record: Mapping[str, Any]) -> str:
        """What is wrong with a record by itself; empty if nothing is."""
        absent = [key for key in _KEYS if key not in record]
        if absent:
            raise WrongRecordError(f"a worker has handed back a game without '{absent[0]}'")
        index = self._expected.take(record["index"])
        first, winner, moves = record["first"], record["winner"], record["moves"]
        if first != ("b" if index % 2 else "a"):
            return f"player {_shown(first)} has the first side"
        if winner not in ("first", "second", None):
            return f"{_shown(winner)} has won"
        a_won = (winner == "first") == (first == "a")
        if record["score"] != (0.5 if winner is None else float(a_won)):
            return f"the score {_shown(record['score'])} is not that of its winner"
        if not isinstance(moves, str) or record["length"] != len(_moves(record)):
            return f"it has {_shown(record['length'])} moves and tells others"
        return "" if self._game is None else self._against_the_rules(record)

    def _against_the_rules(self, record: Mapping[str, Any]) -> str:
        assert self._game is not None, "the caller asks for what is hidden"
        state = self._game.start()
        try:
            state.play(*_moves(record))
        except _core.RefusedError as error:
            return str(error)
        if record["kind"] == _FORFEIT:
            return "it is over, and forfeited" if state.outcome is not None else ""
        told = (record["winner"] or "draw", record["kind"])
        if (state.outcome, state.end_kind) != told:
            return f"by its moves it ends as {state.outcome} ({state.end_kind}), not as {told[0]} ({told[1]})"
        return ""
