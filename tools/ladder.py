"""Finds the ladder of a game: from the top downward, each level with the simulations that lose about 35 : 65.

.venv/bin/python tools/ladder.py GAME PLAYER TOP [GAMES]    prints a list for python/coppice/data/ladder.json

Every number of simulations is tried with 40 games, at most three per level; the one nearest to 65 % is then
measured with GAMES new games (100). Openings of two random plies are played twice with sides changed; games
with hidden information begin as dealt. `random` is the first level whatever the second does to it.
"""

from __future__ import annotations

import json
import sys

import coppice

NAMES = ("Seed", "Sprout", "Seedling", "Sapling", "Hazel", "Birch", "Beech", "Oak")
TRIED, WANTED = 40, 0.65


def rate(game: str, upper: str, lower: str, games: int, seed: int) -> coppice.Score:
    """How the upper player scores against the lower one."""
    openings = "none" if coppice.game(game).hidden else "random(plies=2)"
    return (
        coppice.Match(game, upper, lower, seed=seed, openings=openings)
        .play(games, threads=1, store=None)
        .score
    )


def with_budget(player: str, simulations: int) -> str:
    """The player's spec with this many simulations."""
    budget = f"simulations={simulations})"
    return f"{player[:-1]}, {budget}" if player.endswith(")") else f"{player}({budget}"


def below(game: str, player: str, upper: int) -> int:
    """The simulations that lose to `upper` about as wanted."""
    found: dict[int, float] = {}
    lower = upper // 2
    while lower not in found and 0 < lower < upper and len(found) < 3:
        found[lower] = rate(game, with_budget(player, upper), with_budget(player, lower), TRIED, seed=1).rate
        off = found[lower] - WANTED
        if abs(off) < 0.05:
            break
        # A stronger lower level if it loses too often, a weaker one if it holds its own.
        lower = round(lower * 1.35) if off > 0 else round(lower / 1.5)
    return min(found, key=lambda n: abs(found[n] - WANTED)) if found else 1


def main() -> None:
    """Prints the levels, weakest first, and what was measured between neighbours."""
    game, player, top = sys.argv[1], sys.argv[2], int(sys.argv[3])
    games = int(sys.argv[4]) if len(sys.argv) > 4 else 100
    budgets = [top]
    while len(budgets) < len(NAMES) - 1 and budgets[-1] > 1:
        budgets.append(below(game, player, budgets[-1]))
    budgets.reverse()
    specs = ["random"] + [with_budget(player, n) for n in budgets]
    levels = []
    for k, spec in enumerate(specs):
        level: dict[str, object] = {
            "name": NAMES[k],
            "player": "random" if k == 0 else player,
            "simulations": None if k == 0 else budgets[k - 1],
        }
        if k:
            score = rate(game, spec, specs[k - 1], games, seed=2)
            interval = score.interval()
            low, high = 100 * interval.low, 100 * interval.high
            level["beats_the_last"] = f"{100 * score.rate:.0f} % [{low:.0f}, {high:.0f}] of {games}"
        levels.append(level)
        print(level, file=sys.stderr, flush=True)
    print(json.dumps({"game": game, "levels": levels}))


if __name__ == "__main__":
    main()
