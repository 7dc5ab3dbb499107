"""Finds the ladder of a game: eight numbers of simulations, each level as much stronger than the one before.

.venv/bin/python tools/ladder.py GAME PLAYER BOTTOM TOP [GAMES]
prints a list for python/coppice/data/ladder.json

Where both sides have the same task, neighbours of a series of doublings from BOTTOM to TOP meet in 60 games
each; the logits of their scores add up to a scale of strength, on which eight levels are placed at equal
distances. Neighbours of the eight are then measured with GAMES new games (100). Openings of two random
plies are played twice with sides changed.

Where the sides have different tasks (Mr Jack) each side has a list of its own, each number of simulations
the same multiple of the one before. Its levels are measured against one and the same opponent, the player
with a quarter of TOP simulations, and what is printed between neighbours is what the two scores against him
make expect (Bradley and Terry).
"""

from __future__ import annotations

import itertools
import json
import math
import sys
from collections.abc import Callable, Sequence

import coppice
from coppice.lab.match import Sides

NAMES = ("Seed", "Sprout", "Seedling", "Sapling", "Hazel", "Birch", "Beech", "Oak")
TRIED = 60


def score(game: str, upper: str, lower: str, games: int, seed: int, sides: Sides = "both") -> coppice.Score:
    """How the upper player scores against the lower one."""
    openings = "none" if coppice.game(game).hidden else "random(plies=2)"
    return (
        coppice.Match(game, upper, lower, seed=seed, openings=openings)
        .play(games, threads=1, store=None, sides=sides)
        .score
    )


def with_budget(player: str, simulations: int) -> str:
    """The player's spec with this many simulations."""
    budget = f"simulations={simulations})"
    return f"{player[:-1]}, {budget}" if player.endswith(")") else f"{player}({budget}"


def logit(found: coppice.Score) -> float:
    """The logarithm of the odds, drawn half a game towards the middle so that it is always finite."""
    rate = (found.rate * found.games + 0.5) / (found.games + 1)
    return math.log(rate / (1 - rate))


def told(found: coppice.Score) -> str:
    """A score in words."""
    interval = found.interval()
    return f"{100 * found.rate:.0f} % [{100 * interval.low:.0f}, {100 * interval.high:.0f}] of {found.games}"


def series(bottom: int, top: int, steps: int) -> list[int]:
    """Numbers of simulations from bottom to top, each about the same multiple of the one before."""
    return sorted({round(bottom * (top / bottom) ** (k / steps)) for k in range(steps + 1)})


def equal_steps(budgets: Sequence[int], strengths: Sequence[float], levels: int) -> list[int]:
    """The simulations at equal distances of strength, read off between the measured ones."""
    # Noise must not turn the scale around.
    rising = [max(strengths[: k + 1]) + 1e-6 * k for k in range(len(strengths))]
    chosen = []
    for level in range(levels):
        wanted = rising[0] + (rising[-1] - rising[0]) * level / (levels - 1)
        k = next(k for k in range(1, len(rising)) if rising[k] >= wanted - 1e-9)
        share = (wanted - rising[k - 1]) / (rising[k] - rising[k - 1])
        chosen.append(round(budgets[k - 1] * (budgets[k] / budgets[k - 1]) ** share))
    return chosen


def tell(text: str) -> None:
    """Says what is going on."""
    print(text, file=sys.stderr, flush=True)


def symmetric(game: str, player: str, budgets: list[int], games: int) -> list[dict[str, object]]:
    """The ladder of a game in which both sides have the same task."""
    specs = [with_budget(player, n) for n in budgets]
    strengths = [0.0]
    for lower, upper in itertools.pairwise(specs):
        found = score(game, upper, lower, TRIED, seed=1)
        strengths.append(strengths[-1] + logit(found))
        tell(f"{upper} against {lower}: {found.rate:.2f}")
    # Where few simulations do, two levels may be the same.
    chosen = sorted(set(equal_steps(budgets, strengths, len(NAMES))))

    def against_last(k: int) -> str:
        return told(
            score(game, with_budget(player, chosen[k]), with_budget(player, chosen[k - 1]), games, seed=2)
        )

    return levels(player, chosen, against_last)


def one_side(game: str, player: str, chosen: list[int], games: int, side: Sides) -> list[dict[str, object]]:
    """The ladder of one side of a game in which the sides have different tasks."""
    opponent = with_budget(player, chosen[-1] // 4)

    def strength(simulations: int) -> coppice.Score:
        found = score(game, with_budget(player, simulations), opponent, games, 2, side)
        tell(f"{side}, {simulations} simulations: {told(found)}")
        return found

    measured = [strength(n) for n in chosen]

    def against_last(k: int) -> str:
        expected = 1 / (1 + math.exp(logit(measured[k - 1]) - logit(measured[k])))
        return f"{100 * expected:.0f} % expected; {told(measured[k])} against {opponent}"

    return levels(player, chosen, against_last)


def levels(player: str, chosen: list[int], against_last: Callable[[int], str]) -> list[dict[str, object]]:
    """The list, with what was measured between neighbours."""
    ladder: list[dict[str, object]] = []
    for k, (name, simulations) in enumerate(zip(NAMES[-len(chosen) :], chosen, strict=True)):
        level: dict[str, object] = {"name": name, "player": player, "simulations": simulations}
        if k:
            level["beats_the_last"] = against_last(k)
        ladder.append(level)
        tell(str(level))
    return ladder


def main() -> None:
    """Prints the levels, weakest first, and what was measured between neighbours."""
    game, player, bottom, top = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    games = int(sys.argv[5]) if len(sys.argv) > 5 else 100
    found: object
    if coppice.game(game).hidden:
        sides: tuple[Sides, Sides] = ("first", "second")
        chosen = series(bottom, top, len(NAMES) - 1)
        found = {side: one_side(game, player, chosen, games, side) for side in sides}
    else:
        found = symmetric(game, player, series(bottom, top, max(1, round(math.log2(top / bottom)))), games)
    print(json.dumps({"game": game, "levels": found}))


if __name__ == "__main__":
    main()
