"""How often studies are wrong and what intervals cover, by simulation and by exact sums, run as a program.

    python tests/lab/error_rates.py --write results/error_rates.txt

`make evidence` computes the same and holds it to its bounds. Nothing here plays: games are drawn.
"""

from __future__ import annotations

import argparse
import itertools
import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import gammaln, ndtri

from coppice.lab.pooling import Pooling, pool
from coppice.lab.sequential import Spending, _signs, bounds, distance, drift, games_for
from coppice.lab.stats import Pairs, Score, holm

SEED = 1
LEVEL = 0.05
KINDS = {
    "single games": "games know nothing of each other, and nobody looks at pairs",
    "independent": "the games of a pair know nothing of each other",
    "opposed": "the opening gives one side as much as it can",
    "draws": "independent; a draw is as probable as the rarer of win and loss",
    "draws, opposed": "draws, and the opening gives one side half of what it can",
    "half copied": "in every other pair the second game ends like the first",
    "copied": "in every pair the second game ends like the first",
}
HELD = tuple(KINDS)[:5]
"""The kinds whose coverage is held to the bounds: where the games of a pair copy each other there are only
half as many observations, and at 20 games ten of them."""
RATES = tuple(round(at / 40, 3) for at in range(2, 39))
SIZES = (20, 100, 600)
ROWS = (1, 12, 36)
LOOKS = (1, 4, 10)
GAMES = (40, 200, 800)
FAMILIES, TRIALS = 1500, 20_000
"""Simulated studies in each cell, and rows where one is simulated alone."""
SPENDINGS: tuple[Spending, ...] = ("obrien_fleming", "pocock")


def pair_chances(kind: str, rate: float) -> Any:
    """The probabilities of the six ways in which a pair ends, in the order of `Pairs`."""
    draws = kind.startswith("draws")
    edge = min(rate, 1 - rate) * (0.5 if draws else 1.0) if "opposed" in kind else 0.0

    def game(rate: float) -> tuple[float, float, float]:
        drawn = min(rate, 1 - rate) if draws else 0.0
        return 1 - rate - drawn / 2, drawn, rate - drawn / 2

    one, two = game(rate + edge), game(rate - edge)
    copied = {"half copied": 0.5, "copied": 1.0}.get(kind, 0.0)
    joint = np.outer(one, two) * (1 - copied) + np.diag(one) * copied
    ends = (joint[0, 0], joint[0, 1] + joint[1, 0], joint[0, 2] + joint[2, 0])
    found = np.array([*ends, joint[1, 1], joint[1, 2] + joint[2, 1], joint[2, 2]])
    return found.clip(0) / found.clip(0).sum()


def rng_of(*what: object) -> np.random.Generator:
    """Chance of its own for each cell, whoever asks first."""
    return np.random.default_rng(zlib.crc32(repr((SEED, *what)).encode()))


def drawn(kind: str, rate: float, pairs: Sequence[int], rows: int, *what: object) -> Iterator[Any]:
    """How the pairs of many rows have ended after so many pairs, look by look: an array of rows x 6."""
    rng, chances = rng_of(kind, rate, tuple(pairs), rows, *what), pair_chances(kind, rate)
    sums, before = np.zeros((rows, 6), dtype=np.int64), 0
    for count in pairs:
        sums = sums + rng.multinomial(count - before, chances, size=rows)
        before = count
        yield sums


@dataclass(frozen=True)
class Seen:
    """Rates, design effects and distances of many scores at once, as `Score` and `distance` count them."""

    pairs: Any
    alone: bool = False
    """Whether the games are counted as single ones."""

    @property
    def games(self) -> Any:
        """How many games each has."""
        return 2 * self.pairs.sum(axis=1)

    @property
    def rate(self) -> Any:
        """The points per game."""
        return self.pairs @ np.array([0, 0.5, 1, 1, 1.5, 2]) / self.games

    @property
    def effect(self) -> Any:
        """The variance seen over that of wins and losses alone; 1 where there is none."""
        rate = self.rate
        plain = rate * (1 - rate)
        points = np.array([0, 0.5, 1, 1, 1.5, 2])
        variance = (self.pairs * (points[None, :] - 2 * rate[:, None]) ** 2).sum(axis=1) / self.games
        if self.alone:
            return np.ones_like(rate)
        return np.where(plain > 0, variance / np.where(plain > 0, plain, 1), 1.0)

    @property
    def units(self) -> Any:
        """Pairs, or single games."""
        return self.games if self.alone else self.games // 2

    def distance(self) -> Any:
        """From a rate of 1/2, without its sign; what many scores have in common is counted once."""
        ll, ld, _, _, wd, ww = self.pairs.T
        lead = np.abs(2 * (ww - ll) + wd - ld)
        width = int(self.pairs.sum(axis=1).max()) + 1
        keys = ((ld + wd) * width + (ww + ll)) * (2 * width) + lead
        found, back = np.unique(keys, return_inverse=True)
        known = [
            _signs(key // (2 * width) // width, key // (2 * width) % width, key % (2 * width))
            for key in map(int, found)
        ]
        return -ndtri(np.array(known) / 2)[back]

    def interval(self, z: float) -> tuple[Any, Any]:
        """As `Score.interval_of`."""
        rate, weight = self.rate, z * z
        design = (self.units * self.effect + weight) / (self.units + weight)
        plain = rate * (1 - rate)
        games = self.games / np.where(plain > 0, design, 1.0)
        centre = (rate + weight / (2 * games)) / (1 + weight / games)
        reach = z / (1 + weight / games) * np.sqrt(plain / games + weight / (4 * games * games))
        low = np.where(rate == 0, 0.0, np.maximum(0.0, centre - reach))
        return low, np.where(rate == 1, 1.0, np.minimum(1.0, centre + reach))


def agrees(rows: int = 300) -> None:
    """Check that the arrays are what the package counts for single scores."""
    [pairs] = drawn("draws", 0.4, [15], rows, "agrees")
    seen = Seen(pairs)
    low, high = seen.interval(2.5)
    for at, ends in enumerate(pairs):
        score = Score.of_pairs(Pairs(*map(int, ends)))
        assert math.isclose(abs(distance(score)), seen.distance()[at], abs_tol=1e-9)
        interval = score.interval_of(2.5)
        assert math.isclose(interval.low, low[at], abs_tol=1e-12)
        assert math.isclose(interval.high, high[at], abs_tol=1e-12)


# What intervals cover


def coverage(kind: str, games: int, rates: Sequence[float] = RATES, trials: int = 100_000) -> list[float]:
    """How often the 95 % interval holds the truth: summed exactly, drawn where there are draws."""
    z = float(ndtri(0.975))
    if kind.startswith("draws"):
        found = []
        for rate in rates:
            [pairs] = drawn(kind, rate, [games // 2], trials, "coverage")
            low, high = Seen(pairs).interval(z)
            found.append(float(np.mean((low <= rate) & (rate <= high))))
        return found
    if kind == "single games":
        # Their points are those of pairs, half of them odd: a table of wins and losses.
        wins = np.arange(games + 1)
        ends = [Score(int(won), 0, games - int(won)).interval_of(z) for won in wins]
        low, high = (np.array([getattr(end, name) for end in ends]) for name in ("low", "high"))
        ways = gammaln(games + 1) - gammaln(wins + 1) - gammaln(games - wins + 1)
        chances = [
            np.exp(ways + wins * math.log(rate) + (games - wins) * math.log1p(-rate)) for rate in rates
        ]
    else:
        half = games // 2
        table = np.array([(ll, wl, half - ll - wl) for ll in range(half + 1) for wl in range(half + 1 - ll)])
        pairs = np.zeros((len(table), 6), dtype=np.int64)
        pairs[:, [0, 2, 5]] = table
        low, high = Seen(pairs).interval(z)
        ways = gammaln(half + 1) - gammaln(table + 1).sum(axis=1)
        chances = []
        for rate in rates:
            logs = np.log(np.maximum(pair_chances(kind, rate)[[0, 2, 5]], 1e-300))
            chances.append(np.exp(ways + table @ logs))
    return [
        float(chance[(low <= rate) & (rate <= high)].sum())
        for chance, rate in zip(chances, rates, strict=True)
    ]


# How often studies are wrong


def looks_of(games: int, looks: int) -> tuple[list[int], tuple[float, ...]]:
    """The pairs at each look, and the looks as parts of all."""
    pairs = [math.ceil(games * at / looks / 2) for at in range(1, looks + 1)]
    return pairs, tuple(count / pairs[-1] for count in pairs)


def wrong(kind: str, rows: int, looks: int, games: int, spending: Spending, families: int) -> float:
    """The share of studies that call some row better or worse although nothing has changed.

    Holm's method rejects something exactly when the smallest p-value is at most the level over the rows, and
    a sequential p-value is so exactly when the row crosses the boundaries of that level.
    """
    pairs, times = looks_of(games, looks)
    limits = bounds(LEVEL / rows, times, spending)
    crossed = np.zeros(rows * families, dtype=bool)
    for seen, limit in zip(drawn(kind, 0.5, pairs, rows * families, spending), limits, strict=True):
        crossed |= Seen(seen).distance() >= limit
    return float(crossed.reshape(families, rows).any(axis=1).mean())


def held(
    kind: str, rate: float, looks: int, games: int, spending: Spending, rows: int
) -> tuple[float, float]:
    """How often a row alone ends before its last look, and how often its interval then holds the truth."""
    pairs, times = looks_of(games, looks)
    limits = bounds(LEVEL, times, spending)
    done = np.zeros(rows, dtype=bool)
    covers = np.zeros(rows, dtype=bool)
    early = 0.0
    for at, (seen, limit) in enumerate(zip(drawn(kind, rate, pairs, rows, "held"), limits, strict=True), 1):
        all_of_it = Seen(seen)
        ends = ~done & ((all_of_it.distance() >= limit) | (at == looks))
        low, high = all_of_it.interval(limit)
        covers |= ends & (low <= rate) & (rate <= high)
        done |= ends
        early += float(ends.mean()) if at < looks else 0.0
    return early, float(covers.mean())


def power(kind: str, rows: int, looks: int, smallest: float, spending: Spending, trials: int) -> float:
    """How often a row of that many finds the smallest effect that its games were planned for."""
    _, times = looks_of(10**6, looks)
    games = math.ceil(games_for(drift(LEVEL / rows, 0.8, times, spending), smallest))
    pairs, times = looks_of(games, looks)
    limits = bounds(LEVEL / rows, times, spending)
    crossed = np.zeros(trials, dtype=bool)
    for seen, limit in zip(drawn(kind, 0.5 + smallest, pairs, trials, rows), limits, strict=True):
        crossed |= Seen(seen).distance() >= limit
    return float(crossed.mean())


def wrong_pools(kind: str, method: Pooling, games: int, tau: float, families: int) -> float:
    """The share of families of four pooled effects over five games of which some is called a difference.

    The effects of games scatter around nothing with the deviation `tau`.
    """
    changes, of = 4, 5
    rng = rng_of("effects", kind, method, games, tau)
    rates = (0.5 + tau * rng.standard_normal(families * changes * of)).clip(0.05, 0.95)
    known = {rate: pair_chances(kind, rate) for rate in set(map(float, rates))}
    drawn_pairs = rng.multinomial(games // 2, np.array([known[float(rate)] for rate in rates]))
    scores = [Score.of_pairs(Pairs(*map(int, ends))) for ends in drawn_pairs]
    p_values = [pool(scores[at : at + of], method).p for at in range(0, len(scores), of)]
    wrong_ones = (min(holm(p_values[at : at + changes])) <= LEVEL for at in range(0, len(p_values), changes))
    return sum(wrong_ones) / families


def margin(families: int) -> float:
    """Three standard errors of a simulated share whose truth is 5 %."""
    return 3 * math.sqrt(LEVEL * (1 - LEVEL) / families)


def cells() -> list[tuple[str, int, int, int, Spending]]:
    """All studies whose error rate is simulated: kind of pairs, rows, looks, games of a row, spending."""
    found = itertools.product(tuple(KINDS)[1:], ROWS, LOOKS, GAMES, SPENDINGS)
    # A look needs two pairs at least, and with one look nothing is spent early.
    return [
        (kind, rows, looks, games, spending)
        for kind, rows, looks, games, spending in found
        if games // looks >= 4 and (looks > 1 or spending == "obrien_fleming")
    ]


def report(families: int = FAMILIES, trials: int = TRIALS) -> tuple[str, dict[str, float]]:
    """All of it as text, and the numbers that are held to bounds."""
    agrees()
    lines = [
        f"Printed by python tests/lab/error_rates.py, seed {SEED}.",
        "",
        f"What the 95 % interval covers (%), over {len(RATES)} rates from {RATES[0]:g} to {RATES[-1]:g}:"
        " mean, least",
        "",
        f"{'pairs':16}" + "".join(f"{games:>16} games" for games in SIZES),
    ]
    numbers: dict[str, float] = {}
    for kind in KINDS:
        parts = []
        for games in SIZES:
            found = coverage(kind, games)
            mean, least = sum(found) / len(found), min(found)
            parts.append(f"{100 * mean:14.1f} {100 * least:6.1f} ")
            numbers[f"coverage {kind} {games} mean"], numbers[f"coverage {kind} {games} least"] = mean, least
        lines.append(f"{kind:16}" + "".join(parts))
    lines += ["", *(f"{kind}: {text}" for kind, text in KINDS.items()), ""]
    shares = {cell: wrong(*cell, families) for cell in cells()}
    for rows, looks in itertools.product(ROWS, LOOKS):
        own = {cell: share for cell, share in shares.items() if cell[1:3] == (rows, looks)}
        worst = max(own, key=lambda cell: own[cell])
        mean = sum(own.values()) / len(own)
        numbers[f"wrong {rows} rows {looks} looks"] = own[worst]
        lines.append(
            f"wrong studies of {rows:2} rows, {looks:2} looks: mean {100 * mean:.2f} %, worst"
            f" {100 * own[worst]:.2f} % ({worst[0]}, {worst[3]} games, {worst[4]})"
        )
    above = sum(share > LEVEL for share in shares.values())
    numbers["wrong mean"] = sum(shares.values()) / len(shares)
    lines += [
        f"{families} studies in each of {len(shares)} cells; {above} are above 5 %, where three standard"
        f" errors are {100 * margin(families):.2f} points; the mean is {100 * numbers['wrong mean']:.2f} %",
        "",
    ]
    for kind, rate, spending in itertools.product(
        ("independent", "opposed", "draws"), (0.5, 0.55, 0.7), SPENDINGS
    ):
        early, covers = held(kind, rate, 4, 400, spending, trials)
        numbers[f"held {kind} {rate} {spending}"] = covers
        lines.append(
            f"interval of a row of 400 games, 4 looks, {kind}, rate {rate:g}, {spending}: ends early in"
            f" {100 * early:.1f} %, holds the truth in {100 * covers:.2f} %"
        )
    lines.append("")
    for rows, looks, spending in itertools.product((1, 12), (1, 4), SPENDINGS):
        found_power = power("independent", rows, looks, 0.05, spending, trials)
        numbers[f"power {rows} {looks} {spending}"] = found_power
        lines.append(
            f"power for a score of 55 %, planned 80 %: {rows} rows, {looks} looks, {spending}:"
            f" {100 * found_power:.1f} %"
        )
    lines.append("")
    for method, tau in (("fixed", 0.0), ("random", 0.0), ("random", 0.05)):
        share = wrong_pools("independent", method, 200, tau, families)  # type: ignore[arg-type]
        numbers[f"pooled {method} {tau}"] = share
        lines.append(
            f"families of 4 pooled effects over 5 games, {method}, effects of games scattered by"
            f" {100 * tau:g} points: {100 * share:.1f} % wrong ({families} families, three standard errors"
            f" {100 * margin(families):.1f} points)"
        )
    return "\n".join(lines) + "\n", numbers


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", type=Path, help="also write the text into this file")
    chosen = parser.parse_args()
    text, _ = report()
    print(text, end="")
    if chosen.write is not None:
        chosen.write.write_text(text, encoding="utf-8")
