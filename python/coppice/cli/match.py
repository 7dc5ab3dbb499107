"""`coppice match`: games by the hundred, and what they came to."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from coppice import _core
from coppice.cli.catalogue import Json
from coppice.cli.live import Live
from coppice.cli.output import note, print_json, print_table
from coppice.cli.workers import ClusterOption, ProcessesOption, ThreadsOption, open_workers
from coppice.core.session import Game
from coppice.lab.match import Match
from coppice.lab.match import Progress as MatchProgress
from coppice.lab.score_row import headers
from coppice.lab.stats import Score, Sprt, Verdict
from coppice.lab.store import DEFAULT_STORE, Store, Used
from coppice.lab.workers import Workers

__all__ = ["BySideOption", "FreshOption", "StorePath", "register"]

StorePath = Annotated[Path, typer.Option("--store", help="The file that keeps every finished game.")]
FreshOption = Annotated[
    bool,
    typer.Option(
        "--fresh",
        help="Play anew; games that the store has are set aside in it (coppice matches shows them).",
    ),
]

_COUNTED = ("simulations", "states")
"""What a player uses and a limit can count."""


BySideOption = Annotated[
    bool, typer.Option("--by-side", help="Also show the rates with the first and the second side.")
]


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(match)


def match(
    game: Annotated[str, typer.Argument(help="The game, e.g. 'havannah(size=6)'.")],
    a: Annotated[str, typer.Argument(help="The player whose points are counted.")],
    b: Annotated[str, typer.Argument(help="Its opponent.")],
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="How many games in all.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="All chance comes from it.")] = 0,
    openings: Annotated[
        str, typer.Option(help="none, random(plies=2), or a file with one per line.")
    ] = "none",
    sprt: Annotated[
        str | None,
        typer.Option(
            help="Stop as soon as a sequential test decides, e.g. elo0=0,elo1=20 (alpha, beta, model)."
        ),
    ] = None,
    threads: ThreadsOption = None,
    processes: ProcessesOption = None,
    cluster: ClusterOption = None,
    store: StorePath = Path(DEFAULT_STORE),
    fresh: FreshOption = False,
    by_side: BySideOption = False,
    json: Json = False,
) -> None:
    """Play a match. Games that the store already has are not played again; Ctrl-C loses nothing finished."""
    plan = Match(game, a, b, seed=seed, openings=openings)
    test = None if sprt is None else Sprt.parse(sprt)
    with open_workers(threads, processes, cluster) as workers:
        _play(plan, (a, b), games, workers, test, store, fresh, by_side, json)


def _play(
    plan: Match,
    names: tuple[str, str],
    games: int,
    workers: Workers,
    test: Sprt | None,
    store: Path,
    fresh: bool,
    by_side: bool,
    json: bool,
) -> None:
    a, b = names
    _core.check_player(plan.game, plan.a)
    _core.check_player(plan.game, plan.b)
    with Store(store) as opened:
        result: MatchProgress | None = None
        interrupted = False
        try:
            with Live() as live:
                for result in plan.run(games, workers=workers, store=opened, sprt=test, fresh=fresh):
                    live.show_match(f"{a} - {b}", result)
        except KeyboardInterrupt:
            interrupted = True
        score, verdict = (Score(), None) if result is None else (result.score, result.verdict)
        decided = result is not None and result.decided
        identity = "" if result is None else result.identity
        kept = opened.score(identity, games) if identity else Score()
        if kept.games > score.games and not decided:
            # An interrupted run has kept games that it could tell nobody of.
            score = kept
        counted = score.games if decided else games
        forfeits = _forfeits(opened, plan, identity, counted)
        used = opened.used(identity, counted) if identity else None
    tested = {} if test is None else _test_row(test, score, verdict)
    _print_result(plan, identity, a, b, score, games, json, {**_per_move(used), **tested})
    if by_side and not json:
        _print_sides(plan, score)
    if test is not None and not json:
        note(_test_text(test, score, verdict, kept.games))
    if forfeits:
        note(f"{len(forfeits)} of the games were forfeited; the first: {forfeits[0]}")
    if not plan.reproducible:
        note("this match is not reproducible: a budget of time, another program or code from elsewhere")
    if interrupted:
        note(f"interrupted after {score.games} of {games} games; the same command plays the rest")
        raise typer.Exit(130)


def _per_move(used: tuple[Used, Used] | None) -> dict[str, float]:
    """What each player used per move on average; nothing where that is not known."""
    return {
        f"{what}_per_move_{who}": getattr(sums, what) / sums.decisions
        for who, sums in zip("ab", used or (), strict=False)
        for what in _COUNTED
        if sums.decisions
    }


def _test_row(test: Sprt, score: Score, verdict: Verdict | None) -> dict[str, Any]:
    low, high = test.bounds
    return {
        "sprt": asdict(test),
        "llr": test.llr(score),
        "llr_low": low,
        "llr_high": high,
        "verdict": verdict,
        "decided_by": score.games if verdict in ("H0", "H1") else None,
    }


def _test_text(test: Sprt, score: Score, verdict: Verdict | None, stored: int) -> str:
    """What a sequential test says, in one line; `stored` games were finished before all of them stopped."""
    low, high = test.bounds
    words = {
        "H0": f"H0 accepted: not stronger by {test.elo1:g} Elo",
        "H1": f"H1 accepted: stronger by more than {test.elo0:g} Elo",
    }
    told = words.get(verdict or "", "undecided: more games are needed")
    if verdict in words:
        told += f", decided by the first {score.games} games"
        beyond = stored - score.games
        told += f"; {beyond} more are in the store and not counted" if beyond else ""
    return (
        f"sequential test: {told} (LLR {test.llr(score):+.2f} of [{low:.2f}, {high:.2f}], {test.model} Elo)"
    )


def _forfeits(store: Store, plan: Match, identity: str, games: int) -> list[str]:
    """Why games were forfeited; only other programs do that."""
    if not plan.outside.programs or not identity:
        return []
    return [record.note for record in store.records(identity, games) if record.forfeited]


def _print_sides(plan: Match, score: Score) -> None:
    """A table of the games in which *a* had each side."""
    columns = ("games", "result", "rate", "interval")
    row = score.row()
    rows = [
        (name, *one.texts(*columns))
        for name, one in zip(Game(plan.game).sides, (row.first, row.second), strict=True)
        if one is not None and one.games
    ]
    if rows:
        print_table("by the side of a", ["a plays", *headers(columns)], rows)


_COLUMNS = ("games", "result", "rate", "interval", "elo", "normalised_elo", "superiority")


def _print_result(
    plan: Match,
    identity: str,
    a: str,
    b: str,
    score: Score,
    games: int,
    as_json: bool,
    more: dict[str, Any],
) -> None:
    facts = {
        "game": plan.game,
        "a": plan.a,
        "b": plan.b,
        "seed": plan.seed,
        "openings": plan.openings.text,
        "play_version": plan.play_version,
        "match": identity or None,
        "reproducible": plan.reproducible,
        "wanted": games,
    }
    if score.games == 0:
        if as_json:
            print_json({**facts, "games": 0})
        else:
            note("no game is finished yet")
        return
    row = score.row()
    if as_json:
        print_json({**facts, **row.plain(), **more})
        return
    title = f"{plan.game}, seed {plan.seed}, openings {plan.openings.spec}"
    print_table(title, ["a", "b", *headers(_COLUMNS)], [(a, b, *row.texts(*_COLUMNS))])
    told = [
        f"{who} " + ", ".join(f"{more[f'{what}_per_move_{who}']:,.0f} {what}" for what in _COUNTED)
        for who in "ab"
        if f"states_per_move_{who}" in more
    ]
    if told:
        print(f"mean per move: {'; '.join(told)}")
