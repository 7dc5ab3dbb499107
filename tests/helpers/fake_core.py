"""An honest stand-in for the core: deterministic games of chance, finished not quite in order."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any


class FakeGames:
    """Games of the fake core; one list per `batch` games, each after `delay` seconds."""

    def __init__(self, core: FakeCore, key: tuple[object, ...], indices: list[int]) -> None:
        self._core = core
        self._key = key
        rng = random.Random(repr((key, core.shuffle)))
        # As with threads, a game may overtake those that began shortly before it.
        self._left = sorted(indices, key=lambda index: index + core.overtakes * rng.random())

    def __iter__(self) -> Iterator[list[Mapping[str, Any]]]:
        return self

    def __next__(self) -> list[Mapping[str, Any]]:
        if not self._left:
            raise StopIteration
        if self._core.delay:
            time.sleep(self._core.delay)
        now, self._left = self._left[: self._core.batch], self._left[self._core.batch :]
        self._core.played += now
        if self._core.fail_at in now:
            raise RuntimeError(f"game {self._core.fail_at} failed")
        return [fake_record(self._key, index) for index in now]

    def stop(self) -> None:
        self._left = []


class FakeCore:
    """The interface of the core, with counters that tests read."""

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
        self.PLAY_VERSION = self.version = version
        # What has changed in a player since: its games are others.
        self.constants = constants or {}
        self.shuffle = shuffle
        self.overtakes = overtakes
        self.batch = batch
        self.delay = delay
        self.fail_at = fail_at
        self.played: list[int] = []
        self.openings: list[str] | str = ""
        self.threads = 0

    def play_games(
        self,
        game: str,
        a: str,
        b: str,
        *,
        seed: int,
        indices: list[int],
        threads: int,
        openings: list[str] | str,
    ) -> FakeGames:
        self.openings = openings
        self.threads = threads
        key = (game, a, b, seed, repr(openings), self.version)
        changed = [
            number for name, number in self.constants.items() if a.startswith(name) or b.startswith(name)
        ]
        return FakeGames(self, (*key, *changed), indices)

    def play_version(self, game: str, player: str) -> str:
        return self.PLAY_VERSION

    def canonical(self, family: str, spec: str, game: str | None = None) -> str:
        if family == "openings":
            return self._canonical_openings(spec)
        known = {"game": ["toy"], "player": ["random", "strong", "weak"]}[family]
        name = spec.replace(" ", "").removesuffix("(level=1)")
        if name not in known:
            raise ValueError(f"unknown {family} '{spec}': allowed are {', '.join(known)}")
        return f"{name}(level=1)"

    def _canonical_openings(self, spec: str) -> str:
        found = re.fullmatch(r"none|random(?:\(plies=([1-9]))?\)?", spec)
        if not found:
            raise ValueError(f"unknown openings '{spec}': none, random")
        return spec if spec == "none" else f"random(plies={found[1] or 2})"


def fake_record(key: tuple[object, ...], index: int) -> dict[str, Any]:
    """Game `index`, a function of the match and the index alone."""
    rng = random.Random(repr((key, index)))
    strength = {"s": 0.8, "r": 0.5, "w": 0.2}[str(key[1])[0]]
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
