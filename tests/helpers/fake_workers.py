"""Honest stand-ins for workers: deterministic games of chance, finished not quite in order."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from coppice import _core
from coppice.lab.match import Match

GAME, STRONG, WEAK, RANDOM = "tic_tac_toe", "uct(simulations=100)", "uct(simulations=1)", "random"
"""What they play; the players win as often as their names say."""


class FakeGames:
    """Games of fake workers; one list per `batch` games, each after `delay` seconds."""

    def __init__(self, workers: FakeWorkers, key: tuple[object, ...], indices: Sequence[int]) -> None:
        self._workers = workers
        self._key = key
        rng = random.Random(repr((key, workers.shuffle)))
        # As with threads, a game may overtake those that began shortly before it.
        self._left = sorted(indices, key=lambda index: index + workers.overtakes * rng.random())

    def __iter__(self) -> Iterator[list[Mapping[str, Any]]]:
        return self

    def __next__(self) -> list[Mapping[str, Any]]:
        if not self._left:
            raise StopIteration
        if self._workers.delay:
            time.sleep(self._workers.delay)
        now, self._left = self._left[: self._workers.batch], self._left[self._workers.batch :]
        self._workers.played += now
        if self._workers.fail_at in now:
            raise RuntimeError(f"game {self._workers.fail_at} failed")
        return [fake_record(self._key, index) for index in now]

    def stop(self) -> None:
        self._left = []


class FakeWorkers:
    """The interface of workers, with counters that tests read; only chunks of work are really done."""

    width = 1
    checked = 0.0

    def __init__(
        self,
        version: str = "1",
        *,
        batch: int = 3,
        delay: float = 0.0,
        fail_at: int | None = None,
        shuffle: int = 0,
        overtakes: int = 8,
        constants: Mapping[str, int] | None = None,
    ) -> None:
        # Of another version, all games are others; with constants of a player, its games are.
        self.version = version
        self.constants = constants or {}
        self.shuffle = shuffle
        self.overtakes = overtakes
        self.batch = batch
        self.delay = delay
        self.fail_at = fail_at
        self.played: list[int] = []

    def map(
        self, function: Callable[..., Any], chunks: Iterable[tuple[Any, ...]]
    ) -> Generator[Any | None, None, None]:
        for chunk in chunks:
            yield function(*chunk)

    def games(self, match: Match, indices: Sequence[int]) -> FakeGames:
        players = {match.a, match.b}
        changed = [
            number
            for player, number in self.constants.items()
            if _core.canonical("player", player, match.game) in players
        ]
        return FakeGames(self, (*key_of(match, self.version), *changed), indices)


def key_of(match: Match, version: str = "1") -> tuple[object, ...]:
    """What all records of a match depend on besides their index."""
    return (match.game, match.a, match.b, match.seed, repr(match.openings.argument), version)


def fake_record(key: tuple[object, ...], index: int) -> dict[str, Any]:
    """Game `index`, a function of the match and the index alone."""
    rng = random.Random(repr((key, index)))
    budget = re.search(r"simulations=(\d+)", str(key[1]))
    strength = 0.5 if budget is None else 0.8 if int(budget[1]) >= 50 else 0.2
    score = rng.choices((1.0, 0.5, 0.0), (0.9 * strength, 0.1, 0.9 * (1 - strength)))[0]
    first = "a" if index % 2 == 0 else "b"
    winner = None if score == 0.5 else "first" if (score == 1.0) == (first == "a") else "second"
    moves = [rng.choice("abcdef") + str(rng.randint(1, 6)) for _ in range(rng.randint(3, 30))]
    return {
        "index": index,
        "first": first,
        "winner": winner,
        "score": score,
        "kind": "draw" if winner is None else rng.choice(["ring", "bridge", "fork"]),
        "moves": " ".join(moves),
        "length": len(moves),
        "seconds": time.perf_counter() % 1,
        "used_a": (len(moves) // 2, 100 * (len(moves) // 2), 1234),
        "used_b": (len(moves) - len(moves) // 2, 0, 0),
        "note": "out of time\tat move 3" if rng.random() < 0.02 else "",
    }


def pretend(monkeypatch: pytest.MonkeyPatch, folder: Path, version: str) -> None:
    """Makes the installed core another build, whose players have this play version."""
    file = folder / f"core of version {version}"
    file.write_text(version)
    monkeypatch.setattr(_core, "__file__", str(file))
    monkeypatch.setattr(_core, "play_version", lambda game, player: version)
