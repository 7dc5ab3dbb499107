"""Measures ways of spending the time of a game: pairs of games by the clock, openings drawn at random.

    python tools/time_plans.py --size 6 --seconds 3 --games 60

The clock counts CPU seconds, so that other work on the machine does not decide games. A way is `even` or
`middle`, with `+early` if searches stop when the best move cannot be caught.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from coppice import Game, Limit, Player, Score, State
from coppice._core import PLAY_VERSION
from coppice.board.cells import Side
from coppice.play.clocks import PLANS, GameClock, clocked, expected_moves, moves_made

OPENING = 2
"""Random moves before the players take over; each opening is played twice, with sides changed."""


def opening(game: Game, rng: random.Random) -> list[str]:
    """A few random moves after which the game goes on."""
    state = game.start()
    for _ in range(OPENING):
        state.play(rng.choice(state.legal_moves))
    return state.moves


def decide(player: Player, way: str, clock: GameClock, state: State, seed: int) -> str:
    """One move, paid for from the clock."""
    started = time.process_time()
    plan, _, early = way.partition("+")
    made = moves_made(state) if plan == "middle" else None
    seconds = clock.budget(expected_moves(state, seed=seed), made)
    chosen = clocked(player, state.game) if early else player
    move = chosen.search(state, Limit(cpu_seconds=seconds), seed=seed).best
    clock.spend(time.process_time() - started)
    return move


def play(
    game: Game, player: Player, ways: dict[Side, str], moves: list[str], seconds: float, seed: int
) -> tuple[State, dict[Side, GameClock]]:
    """One game; a flag that falls ends the measurement."""
    clocks: dict[Side, GameClock] = {"first": GameClock(seconds), "second": GameClock(seconds)}
    state = game.start().play(*moves)
    while state.outcome is None:
        side = state.to_move
        state.play(decide(player, ways[side], clocks[side], state, seed))
        if clocks[side].fallen:
            sys.exit(f"the flag of {ways[side]} fell after {len(state.moves)} moves")
    return state, clocks


def main() -> None:
    """Plays the match and prints it as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    ways = [plan + early for plan in PLANS for early in ("", "+early")]
    parser.add_argument("--a", default="middle+early", choices=ways)
    parser.add_argument("--b", default="even+early", choices=ways)
    parser.add_argument("--player", default="strong")
    parser.add_argument("--size", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU seconds a side and game")
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--seed", type=int, default=5)
    asked = parser.parse_args()
    game, player = Game(f"havannah(size={asked.size})"), Player(asked.player)
    points: list[float] = []
    left = {asked.a: 0.0, asked.b: 0.0}
    plies = 0
    for pair in range(asked.games // 2):
        moves = opening(game, random.Random(f"{asked.seed} {pair}"))
        for first, second in ((asked.a, asked.b), (asked.b, asked.a)):
            seats: dict[Side, str] = {"first": first, "second": second}
            state, clocks = play(game, player, seats, moves, asked.seconds, asked.seed + pair)
            mine: Side = "first" if first == asked.a else "second"
            points.append({mine: 1.0, "draw": 0.5}.get(str(state.outcome), 0.0))
            plies += len(state.moves)
            for side, clock in clocks.items():
                left[seats[side]] += clock.remaining
        print(f"{sum(points):g} of {len(points)}", file=sys.stderr)
    score, count = Score.of(enumerate(points)), len(points)
    interval = score.interval()
    print(
        f"| `{asked.a}` | `{asked.b}` | {asked.size} | {asked.seconds:g} | {count} "
        f"| {score.wins}-{score.draws}-{score.losses} | {100 * score.rate:.1f} % "
        f"| [{100 * interval.low:.1f}, {100 * interval.high:.1f}] "
        f"| {plies / count:.0f} | {left[asked.a] / count:.2f} | {left[asked.b] / count:.2f} |"
    )
    print(f"player {player.spec}, seed {asked.seed}, play version {PLAY_VERSION}")


if __name__ == "__main__":
    main()
