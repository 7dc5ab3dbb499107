"""`coppice tunings`: what a store keeps of tunings, their proposals, verifications and trials."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from coppice.cli.catalogue import Json
from coppice.cli.match import StorePath
from coppice.cli.output import note, print_json, print_table
from coppice.cli.tune import check_out
from coppice.core.short import short
from coppice.lab.parameters import Choice, Tuned
from coppice.lab.score_row import headers, percent
from coppice.lab.store import DEFAULT_STORE, Store
from coppice.lab.tunings import KeptTuning, Tried, find_tuning, tunings

__all__ = ["register"]

_COLUMNS = ("games", "rate", "interval")
_HIGHEST = 5
"""So many of the trials that won most are shown."""


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command(name="tunings")(show)


def show(
    tuning: Annotated[
        str | None, typer.Argument(help="The tuning: the first digits of its name. Default: list all.")
    ] = None,
    store: StorePath = Path(DEFAULT_STORE),
    trials: Annotated[bool, typer.Option("--trials", help="Show every trial.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="A figure of the trials: a file ending in .pdf, .svg or .png.")
    ] = None,
    json: Json = False,
) -> None:
    """List the tunings of a store, or show one: proposals, what a fresh match says of them, trials."""
    if not store.exists():
        raise ValueError(f"there is no store '{store}': coppice tune makes one")
    if tuning is None and (out is not None or trials):
        raise ValueError(f"{'--out' if out is not None else '--trials'} needs a tuning: coppice tunings NAME")
    check_out(out)
    with Store(store, read_only=True) as opened:
        found = tunings(opened) if tuning is None else [find_tuning(opened, tuning)]
    if out is not None:
        from coppice.show.figures import draw_tuning, save

        save(draw_tuning(found[0]), out)
        note(f"figure in {out}")
    if json:
        rows = [_plain(one) for one in found]
        print_json(rows if tuning is None else rows[0])
    elif tuning is None:
        _list(found, store)
    else:
        _print(found[0], trials)


def _list(found: Sequence[KeptTuning], store: Path) -> None:
    if not found:
        note(f"store '{store}' has no tuning: coppice tune makes one")
        return
    rows = []
    for one in found:
        closed = one.closed
        told = ("", "", "not verified", "") if closed is None else _cells(closed)
        rows.append(
            (
                *(
                    one.identity[:8],
                    short("game", one.game),
                    one.template,
                    short("player", one.opponent, one.game),
                ),
                *(one.method.partition(" ")[0], str(len(one.trials)), *told, one.created[:10]),
            )
        )
    header = ["tuning", "game", "template", "opponent", "method", "trials", "proposed", *headers(_COLUMNS)]
    print_table("", [*header, "begun"], rows)


def _cells(tried: Tried) -> tuple[str, ...]:
    values = ", ".join(f"{name} = {value}" for name, value in tried.values.items())
    return (values, *tried.score.row().texts(*_COLUMNS))


def _print(one: KeptTuning, trials: bool) -> None:
    note(
        f"{one.template} against {short('player', one.opponent, one.game)}, {short('game', one.game)}: "
        f"{', '.join(parameter.written for parameter in one.parameters)}; {one.method}, "
        f"{len(one.trials)} trials of {one.games} games, seed {one.seed}"
    )
    if one.verifications:
        rows = [(str(tried.number), *_cells(tried)) for tried in one.verifications]
        title = "proposed, and measured in a fresh match on new seeds"
        print_table(title, ["after trials", "values", *headers(_COLUMNS)], rows)
    else:
        note("not verified yet: the same coppice tune goes on, and ends with a fresh match")
    turns = one.rounds()
    names = [parameter.name for parameter in one.parameters]
    rounds = [
        (
            *(
                str(at + 1),
                str(len(turn)),
                percent(_mean(turn)),
                percent(max(one.score.rate for one in turn)),
            ),
            *(_middle(parameter, turn) for parameter in one.parameters),
        )
        for at, turn in enumerate(turns)
    ]
    print_table("rounds", ["round", "trials", "mean rate (%)", "highest (%)", *names], rounds)
    chosen = one.trials if trials else one.highest(_HIGHEST)
    told = [(str(trial.number + 1), str(trial.round + 1), *_cells(trial)) for trial in chosen]
    title = "all trials" if trials else "trials that won most: luck has its part in each"
    print_table(title, ["trial", "round", "values", *headers(_COLUMNS)], told)


def _mean(turn: Sequence[Tried]) -> float:
    return statistics.fmean(trial.score.rate for trial in turn)


def _middle(parameter: Tuned, turn: Sequence[Tried]) -> str:
    """What a round has tried of a parameter: median and range of numbers, the most frequent choice."""
    values = [trial.values[parameter.name] for trial in turn]
    if isinstance(parameter, Choice):
        [(value, count)] = Counter(values).most_common(1)
        return f"{value} ({count} of {len(values)})"
    numbers = sorted(map(float, values))
    return f"{statistics.median(numbers):.4g} [{numbers[0]:.4g}, {numbers[-1]:.4g}]"


def _plain(one: KeptTuning) -> dict[str, Any]:
    closed = one.closed
    return {
        "tuning": one.identity,
        "game": one.game,
        "template": one.template,
        "opponent": one.opponent,
        "parameters": [parameter.written for parameter in one.parameters],
        "method": one.method,
        "population": one.population,
        "games_per_trial": one.games,
        "seed": one.seed,
        "openings": one.openings,
        "created": one.created,
        "proposed": None if closed is None else dict(closed.values),
        "verifications": [_step(tried) for tried in one.verifications],
        "trials": [_step(tried) for tried in one.trials],
    }


def _step(tried: Tried) -> dict[str, Any]:
    told = {"number": tried.number, "round": tried.round, "values": dict(tried.values), "seed": tried.seed}
    return {**told, "match": tried.match or None, **tried.score.row().plain()}
