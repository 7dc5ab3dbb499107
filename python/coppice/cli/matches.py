"""`coppice matches`, `coppice export` and `coppice forget`: what a store holds, and what it is to lose."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from coppice import _core
from coppice.cli.catalogue import Json
from coppice.cli.match import StorePath
from coppice.cli.output import note, print_json, print_table
from coppice.core.short import short
from coppice.core.spec import Spec
from coppice.lab.exports import FORMATS, Format
from coppice.lab.exports import export as export_lines
from coppice.lab.frames import write_csv, write_parquet
from coppice.lab.replay import forget_builds
from coppice.lab.score_row import headers
from coppice.lab.store import DEFAULT_STORE, Store, StoredMatch
from coppice.lab.tidy import blocks, record_of

__all__ = ["CsvFile", "ParquetFile", "register"]


CsvFile = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the rows as CSV.")]
ParquetFile = Annotated[
    Path | None,
    typer.Option("--parquet", metavar="FILE", help="Write the rows as Parquet (needs the extra frames)."),
]


def register(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command()(matches)
    app.command()(export)
    app.command()(forget)


def matches(
    store: StorePath = Path(DEFAULT_STORE),
    game: Annotated[
        str | None, typer.Option(help="Only this game: on any board by its name, on one by its spec.")
    ] = None,
    csv: CsvFile = None,
    parquet: ParquetFile = None,
    json: Json = False,
) -> None:
    """List the matches of a store: game, players, games, the rate of a with its interval, and the date."""
    with _opened(store) as opened:
        chosen = [match for match in opened.matches() if _is_of(match, game)]
        _write(opened, chosen, "match", csv, parquet)
        scores = opened.scores(chosen)
        rows = [(_entry(match), scores[match.identity].row()) for match in chosen]
    if json:
        print_json([{**row, **(score.plain() if score.games else {"games": 0})} for row, score in rows])
        return
    if not rows:
        note(f"store '{store}' has no match" + (f" of {game}" if game else ""))
        return
    openings = any(row["openings"] != "none" for row, _ in rows)
    columns = ("games", "rate", "interval")
    header = ["match", "game", *(["openings"] if openings else []), "a", "b", "seed", *headers(columns)]
    cells = [
        (
            *(row["match"][:8], row["short_game"], *([row["openings"].split("\n")[0]] if openings else [])),
            *(row["short_a"], row["short_b"], str(row["seed"]), *score.texts(*columns)),
            *(row["created"][:10], _remark(row)),
        )
        for row, score in rows
    ]
    print_table("", [*header, "begun", ""], cells)


def _write(
    store: Store,
    chosen: Sequence[StoredMatch],
    per: str,
    csv: Path | None,
    parquet: Path | None,
    *,
    moves: bool = False,
) -> None:
    """The tidy rows of these matches as files."""
    for path, write in ((csv, write_csv), (parquet, write_parquet)):
        if path is not None:
            rows = write(path, record_of(per), blocks(store, chosen, per, moves=moves))
            note(f"{rows} row{'' if rows == 1 else 's'} in {path}")


def _opened(store: Path) -> Store:
    if not store.exists():
        raise ValueError(f"there is no store '{store}': coppice match makes one")
    return Store(store, read_only=True)


def _is_of(match: StoredMatch, game: str | None) -> bool:
    if game is None:
        return True
    spec = _core.canonical("game", game)
    return match.game == spec or ("(" not in game and Spec.parsed(match.game).name == game)


def _entry(match: StoredMatch) -> dict[str, Any]:
    """All that is known of a match beside its score, as plain values."""
    return {
        "match": match.identity,
        "game": match.game,
        "a": match.a,
        "b": match.b,
        "short_game": short("game", match.game),
        "short_a": short("player", match.a, match.game),
        "short_b": short("player", match.b, match.game),
        "seed": match.seed,
        "openings": match.openings,
        "play_version": match.play_version,
        "package_version": match.package_version,
        "machine": match.machine,
        "created": match.created,
        "set_aside": match.set_aside or None,
        "contents": dict(match.contents),
    }


def _remark(row: dict[str, Any]) -> str:
    """What sets a match apart from one of the same game and players."""
    remarks = [f"set aside {row['set_aside'][:10]}"] if row["set_aside"] else []
    remarks += [f"{name} {digest[:8]}" for name, digest in row["contents"].items() if _tells(name)]
    if row["play_version"] != _version_now(row):
        remarks.append(f"play version {row['play_version']}")
    return ", ".join(remarks)


def _tells(name: str) -> bool:
    """Whether a file is one that a person edits, and no executable that comes with the machine."""
    return not os.path.isabs(name) or name.endswith((".py", ".json", ".lua", ".sh"))


def _version_now(row: dict[str, Any]) -> str:
    """The play version of its players today; none where their specs are of an earlier spelling."""
    try:
        return "-".join(_core.play_version(row["game"], row[player]) for player in ("a", "b"))
    except ValueError:
        return ""


def export(
    match: Annotated[
        str | None, typer.Argument(help="The match: the first digits of its name. Default: all.")
    ] = None,
    store: StorePath = Path(DEFAULT_STORE),
    to: Annotated[str, typer.Option(help="text (which reads back), csv or jsonl.")] = "text",
    times: Annotated[bool, typer.Option(help="Add the seconds of each game.")] = False,
    csv: CsvFile = None,
    parquet: ParquetFile = None,
    per: Annotated[
        str, typer.Option(help="With --csv and --parquet: a row per game, pair or match.")
    ] = "game",
    moves: Annotated[
        bool, typer.Option(help="With --csv and --parquet: the moves of each game, too.")
    ] = False,
) -> None:
    """Write the records of matches, each row with its match, in the order of their index.

    With --csv and --parquet the columns are those of tidy data, and nothing goes to stdout.
    """
    record_of(per)
    if csv is not None or parquet is not None:
        with _opened(store) as opened:
            _write(opened, _named(opened, store, match), per, csv, parquet, moves=moves)
        return
    formats: dict[str, Format] = {name: name for name in FORMATS}
    if to not in formats:
        raise ValueError(f"--to {to} is not allowed: {', '.join(formats)}")
    with _opened(store) as opened:
        rows = _named(opened, store, match)
        sys.stdout.writelines(export_lines(opened, rows, format=formats[to], times=times))


def forget(
    match: Annotated[str, typer.Argument(help="The match: the first digits of its name (coppice matches).")],
    store: StorePath = Path(DEFAULT_STORE),
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove a match with all its games from a store, after a question; nothing brings them back."""
    if not store.exists():
        raise ValueError(f"there is no store '{store}': coppice match makes one")
    with Store(store) as opened:
        rows = _named(opened, store, match)
        if len(rows) > 1:
            names = ", ".join(row.identity[: len(match) + 8] for row in rows)
            raise ValueError(f"several matches begin with {match}: {names}")
        [row] = rows
        told = _entry(row)
        games = f"{row.games} game{'' if row.games == 1 else 's'}"
        what = f"{games} of {told['short_game']}, {told['short_a']} - {told['short_b']}, seed {row.seed}"
        if not yes and not typer.confirm(f"Remove {what} from '{store}'?", err=True):
            note("nothing was removed")
            return
        opened.forget(row.identity)
        forget_builds(opened, row.identity)
    note(f"removed {what}")


def _named(opened: Store, store: Path, match: str | None) -> list[StoredMatch]:
    """The matches whose names begin so; all where nothing is given."""
    rows = [row for row in opened.matches() if match is None or row.identity.startswith(match)]
    if not rows:
        known = ", ".join(row.identity[:8] for row in opened.matches()) or "none"
        raise ValueError(f"the store '{store}' has no match {match or ''}: {known}")
    return rows
