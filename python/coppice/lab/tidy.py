"""Tidy data: what a store holds as rows with named columns, one per game, per pair of games or per match.

The columns are the fields of `TidyGame`, `TidyPair` and `TidyMatch`, and what stands below a field is its
documentation, which the page on data shows. Players and games are told in short, by what differs from the
defaults, with the full specs beside.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from coppice.core.short import short
from coppice.lab.frames import Block, Repeated, columns_of, kinds_of
from coppice.lab.stats import Score

if TYPE_CHECKING:
    from coppice.lab.store import Store, StoredMatch

__all__ = ["PER", "Per", "TidyGame", "TidyMatch", "TidyPair", "blocks", "record_of", "records"]

Per = Literal["game", "pair", "match"]
"""What a row is."""
PER: tuple[Per, ...] = get_args(Per)


@dataclass(frozen=True, slots=True)
class TidyGame:
    """One finished game."""

    match: str
    """The identity of its match."""
    game: str
    """The game in short."""
    a: str
    """Player *a* in short."""
    b: str
    """Player *b* in short."""
    seed: int
    """The seed of the match."""
    index: int
    """The number of the game in its match, from 0."""
    pair: int
    """The number of its pair: games 2k and 2k + 1 have the same opening, with the sides changed."""
    side_a: str
    """The side that player *a* had: `first` or `second`."""
    score: float
    """The points of player *a*: 1, 0.5 or 0."""
    winner: str | None
    """The side that won; empty for a draw."""
    kind: str
    """How the game ended."""
    length: int
    """The number of moves."""
    seconds: float
    """How long it took."""
    forfeit: str
    """The reason of a forfeit; empty otherwise."""
    decisions_a: int | None
    """The moves that player *a* chose; this and the next five are empty where they were not counted."""
    simulations_a: int | None
    """The simulations of player *a*."""
    states_a: int | None
    """The states that player *a* visited."""
    decisions_b: int | None
    """The moves that player *b* chose."""
    simulations_b: int | None
    """The simulations of player *b*."""
    states_b: int | None
    """The states that player *b* visited."""
    machine: str
    """The machine that played it; empty where that was not kept."""
    load: float | None
    """How many processes wanted a processor there before the games began."""
    moves: str | None
    """The moves; empty unless they are asked for, since they are most of a store."""
    game_spec: str
    """The canonical spec of the game."""
    a_spec: str
    """The canonical spec of player *a*."""
    b_spec: str
    """The canonical spec of player *b*."""
    openings: str
    """How the games of the match begin."""
    play_version: str
    """The play version of both players."""
    package_version: str
    """The version of the package that began the match."""
    created: str
    """When the match was begun, in UTC."""
    set_aside: str
    """When it was set aside for one that was played anew; empty if it was not."""


@dataclass(frozen=True, slots=True)
class TidyPair:
    """One complete pair: two games from the same opening, the sides changed."""

    match: str
    """The identity of its match."""
    game: str
    """The game in short."""
    a: str
    """Player *a* in short."""
    b: str
    """Player *b* in short."""
    seed: int
    """The seed of the match."""
    pair: int
    """The number of the pair in its match, from 0."""
    points: float
    """The points of player *a* in both games: 0 to 2."""
    score_first: float
    """Its points with the first side."""
    score_second: float
    """Its points with the second side."""
    ending: str
    """How both ended for player *a*, the better one first: `ww`, `wd`, `wl`, `dd`, `ld` or `ll`."""
    length_first: int
    """The number of moves of the game in which player *a* had the first side."""
    length_second: int
    """The same for the other game."""
    seconds: float
    """How long both took."""
    game_spec: str
    """The canonical spec of the game."""
    a_spec: str
    """The canonical spec of player *a*."""
    b_spec: str
    """The canonical spec of player *b*."""
    openings: str
    """How the games of the match begin."""


@dataclass(frozen=True, slots=True)
class TidyMatch:
    """One match: its score, as a whole and by the side of player *a*."""

    match: str
    """The identity of the match."""
    game: str
    """The game in short."""
    a: str
    """Player *a* in short, whose points are counted."""
    b: str
    """Player *b* in short."""
    seed: int
    """The seed of the match."""
    games: int
    """How many games are finished."""
    wins: int
    """Those that player *a* won."""
    draws: int
    """Those that were drawn."""
    losses: int
    """Those that it lost."""
    score: float | None
    """Points of player *a* per game; empty before the first game."""
    low: float
    """Where the 95 % interval of the score begins."""
    high: float
    """Where it ends."""
    elo: float
    """The Elo difference of *a* over *b*."""
    elo_low: float
    """Where its 95 % interval begins."""
    elo_high: float
    """Where it ends."""
    superiority: float
    """The probability that *a* is the stronger."""
    games_first: int
    """The games in which player *a* had the first side."""
    score_first: float | None
    """The score in these games."""
    low_first: float
    """Where its 95 % interval begins."""
    high_first: float
    """Where it ends."""
    games_second: int
    """The games in which player *a* had the second side."""
    score_second: float | None
    """The score in these games."""
    low_second: float
    """Where its 95 % interval begins."""
    high_second: float
    """Where it ends."""
    pairs: int
    """How many pairs are complete."""
    pairs_ww: int
    """Pairs of which player *a* won both games."""
    pairs_wd: int
    """Won one, drew one."""
    pairs_wl: int
    """Won one, lost one."""
    pairs_dd: int
    """Drew both."""
    pairs_ld: int
    """Lost one, drew one."""
    pairs_ll: int
    """Lost both."""
    game_spec: str
    """The canonical spec of the game."""
    a_spec: str
    """The canonical spec of player *a*."""
    b_spec: str
    """The canonical spec of player *b*."""
    openings: str
    """How the games begin."""
    play_version: str
    """The play version of both players."""
    package_version: str
    """The version of the package that began the match."""
    machine: str
    """The machine that began the match."""
    created: str
    """When it was begun, in UTC."""
    set_aside: str
    """When it was set aside for one that was played anew; empty if it was not."""


RECORDS: dict[Per, type] = {"game": TidyGame, "pair": TidyPair, "match": TidyMatch}
"""The record of each kind of row."""


def record_of(per: str) -> type:
    """The record whose fields are the columns of such rows."""
    if per not in RECORDS:
        raise ValueError(f"rows per '{per}' are not allowed: {', '.join(PER)}")
    return RECORDS[per]


def records(
    store: Store, matches: Sequence[StoredMatch], per: str = "game", *, moves: bool = False
) -> Iterator[Any]:
    """The rows of these matches as records, match after match, in the order of games."""
    record = record_of(per)
    for block in blocks(store, matches, per, moves=moves):
        yield from map(record, *(_plain(block[name]) for name in kinds_of(record)))


def blocks(
    store: Store, matches: Sequence[StoredMatch], per: str = "game", *, moves: bool = False
) -> Iterator[Block]:
    """The same as blocks of columns; none without a row."""
    record = record_of(per)
    if per == "match":
        scores = store.scores(matches)
        rows = [_match_record(match, scores[match.identity]) for match in matches]
        if rows:
            yield columns_of(record, rows)
        return
    for match in matches:
        same = {"moves": None, **_same(match, record)}
        for found in _found(store, match.identity, per, moves):
            length = len(next(iter(found.values())))
            yield {
                name: found[name] if name in found else Repeated(same[name], length)
                for name in kinds_of(record)
            }


def _found(store: Store, identity: str, per: str, moves: bool) -> Iterator[Block]:
    """The columns that are not the same in a whole match."""
    if per == "pair":
        return map(_pair_columns, store.pair_rows(identity))
    return (_game_columns(rows, store, moves) for rows in store.game_rows(identity, moves=moves))


def _game_columns(rows: Sequence[tuple[Any, ...]], store: Store, moves: bool) -> Block:
    index, first, score, winner, kind, length, seconds, note, used_a, used_b, place, *more = zip(
        *rows, strict=True
    )
    numbers = np.array(index, dtype=np.int64)
    places = store.numbered_places()
    where = {at: places.get(at) for at in set(place)}
    machines = {at: "" if one is None else one.machine for at, one in where.items()}
    loads = {at: None if one is None else one.load for at, one in where.items()}
    return {
        "index": numbers,
        "pair": numbers >> 1,
        "side_a": _looked_up({"a": "first", "b": "second"}, first),
        **{"score": score, "winner": winner, "kind": kind, "length": length, "seconds": seconds},
        "forfeit": note,
        **_used_columns("a", used_a),
        **_used_columns("b", used_b),
        "machine": _looked_up(machines, place),
        "load": _looked_up(loads, place),
        **({"moves": more[0]} if moves else {}),
    }


def _looked_up(values: Mapping[Any, Any], keys: Sequence[Any]) -> Sequence[Any]:
    """The value of each key; one for all where there is but one key."""
    if len(values) == 1:
        return Repeated(next(iter(values.values())), len(keys))
    return list(map(values.__getitem__, keys))


_ENDS = {1.0: "w", 0.5: "d", 0.0: "l"}
_ENDINGS = ("ww", "wd", "wl", "dd", "ld", "ll")


def _ending(one: float, two: float) -> str:
    name = _ENDS[one] + _ENDS[two]
    return name if name in _ENDINGS else name[::-1]


_PAIR_ENDINGS = {(one, two): _ending(one, two) for one in _ENDS for two in _ENDS}


def _pair_columns(rows: Sequence[tuple[Any, ...]]) -> Block:
    pair, first, second, length_first, length_second, seconds = map(list, zip(*rows, strict=True))
    return {
        "pair": pair,
        "points": [one + two for one, two in zip(first, second, strict=True)],
        "score_first": first,
        "score_second": second,
        "ending": [_PAIR_ENDINGS[both] for both in zip(first, second, strict=True)],
        "length_first": length_first,
        "length_second": length_second,
        "seconds": seconds,
    }


_USED = ("decisions", "simulations", "states")


def _used_columns(who: str, texts: Sequence[str | None]) -> Block:
    """What a player used in some games, as columns."""
    names = [f"{what}_{who}" for what in _USED]
    if None in texts:
        read = [(None,) * len(names) if text is None else json.loads(text) for text in texts]
        return {name: [row[at] for row in read] for at, name in enumerate(names)}
    # All texts in one: to read each alone takes longer than everything else.
    numbers = ",".join(cast("Sequence[str]", texts)).replace("[", "").replace("]", "")
    table = np.fromstring(numbers, dtype=np.int64, sep=",").reshape(-1, len(names))
    return {name: table[:, at] for at, name in enumerate(names)}


def _plain(values: Any) -> Any:
    """A column with the numbers of Python in it."""
    return values.tolist() if isinstance(values, np.ndarray) else values


def _same(match: StoredMatch, record: type) -> dict[str, Any]:
    """What is the same in all rows of a match."""
    own = {
        "match": match.identity,
        "game": short("game", match.game),
        "a": short("player", match.a, match.game),
        "b": short("player", match.b, match.game),
        "game_spec": match.game,
        "a_spec": match.a,
        "b_spec": match.b,
    }
    # A game knows its machine itself.
    also = ("seed", "openings", "play_version", "package_version", "machine", "created", "set_aside")
    own |= {name: getattr(match, name) for name in also}
    return {name: own[name] for name in kinds_of(record) if name in own}


def _match_record(match: StoredMatch, score: Score) -> TidyMatch:
    row = score.row()
    first, second = row.first, row.second
    assert first is not None, "a score of indexed games knows the sides"
    assert second is not None, "a score of indexed games knows the sides"
    sides: dict[str, Any] = {
        f"{what}_{name}": getattr(side, {"score": "rate"}.get(what, what))
        for name, side in (("first", first), ("second", second))
        for what in ("games", "score", "low", "high")
    }
    ends: dict[str, Any] = {f"pairs_{name}": number for name, number in row.pairs.items()}
    numbers = ("games", "wins", "draws", "losses", "low", "high", "elo", "elo_low", "elo_high", "superiority")
    return TidyMatch(
        **_same(match, TidyMatch),
        **{name: getattr(row, name) for name in numbers},
        **sides,
        **ends,
        score=row.rate,
        pairs=score.pairs.count,
    )
