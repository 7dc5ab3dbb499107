"""`coppice learn`: weights of small patterns, learnt from a player's games against itself."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coppice.cli.catalogue import Json
from coppice.cli.live import Live
from coppice.cli.match import FreshOption, StorePath
from coppice.cli.output import note, print_json, print_table
from coppice.cli.workers import ClusterOption, ProcessesOption, ThreadsOption, open_workers
from coppice.lab.store import DEFAULT_STORE, Store

if TYPE_CHECKING:
    from coppice.lab.learn import Weights

__all__ = ["register"]

SHOWN = 8
"""How many patterns are drawn of the strongest, and of the weakest."""


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(learn)


def learn(
    games: Annotated[
        list[str],
        typer.Argument(metavar="GAME...", help="The game, e.g. 'havannah(size=6)'; several boards."),
    ],
    out: Annotated[Path, typer.Option(help="The file that the weights are written to.")],
    player: Annotated[
        str, typer.Option(help="Whose games against itself are learnt from.")
    ] = "strong(simulations=1000)",
    count: Annotated[int, typer.Option("--games", "-n", min=10, help="How many games on each board.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="All chance comes from it.")] = 0,
    plies: Annotated[int, typer.Option(min=0, help="Random moves at the beginning, not learnt from.")] = 2,
    threads: ThreadsOption = None,
    processes: ProcessesOption = None,
    cluster: ClusterOption = None,
    store: StorePath = Path(DEFAULT_STORE),
    fresh: FreshOption = False,
    json: Json = False,
) -> None:
    """Learn the weights of small patterns for playouts. Games that the store has are not played again."""
    # The numbers' library is slow to load, and only this command needs it.
    from coppice.lab.learn import Learning

    if not out.parent.is_dir():
        raise ValueError(f"there is no folder '{out.parent}' for the weights")
    plan = Learning(games, player, count, seed, plies)
    with Store(store) as opened, open_workers(threads, processes, cluster) as workers:
        try:
            with Live() as live:
                for game, step in plan.run(opened, workers=workers, fresh=fresh):
                    live.show_match(game, step)
        except KeyboardInterrupt:
            note("interrupted; the same command goes on from here")
            raise typer.Exit(130) from None
        weights = plan.learn(opened)
    out.write_text(plan.text(weights, str(out)), encoding="utf-8")
    if not all(match.reproducible for match in plan.matches()):
        note("these games are not reproducible: a budget of time, another program or code from elsewhere")
    if json:
        print_json(plan.facts(weights, str(out)))
        return
    _print(weights)
    note(f'weights in {out}: use them with a player such as strong(playout=patterns(weights="{out}"))')


def _print(weights: Weights) -> None:
    rows = [("uniform", f"{weights.uniform:.4f}", "", f"{math.exp(-weights.uniform):.1f}")]
    names = {"any": "patterns", "near": "patterns and last move"}
    for name, gain in weights.gains.items():
        better = f"{gain.gain:+.4f} ± {1.96 * gain.error:.4f}"
        rows.append((names[name], f"{gain.likelihood:.4f}", better, f"{math.exp(-gain.likelihood):.1f}"))
    title = f"learnt from {weights.learnt:,} choices, measured on {weights.held_out:,} held out"
    header = ["moves by", "log-likelihood", "over uniform (95 %)", "as if one of"]
    print_table(title, header, rows)
    for words, weakest in (("strongest", False), ("weakest", True)):
        kinds = weights.strongest(SHOWN, weakest=weakest)
        print(f"\nthe {words} patterns around a move + (o own, x other, # off the board):\n")
        print(weights.drawing(kinds))
