"""`coppice games`, `players`, `info` and `signature`: what there is."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, get_args

import typer

from coppice import _core
from coppice.cli.output import note, print_json, print_table, stdout
from coppice.core.catalogue import Family, PartInfo, catalogue

__all__ = ["Json", "register"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Name = Annotated[str | None, typer.Argument(help="Only this one, with its options.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    app.command()(games)
    app.command()(players)
    app.command()(info)
    app.command()(signature)


def _show(families: list[Family], name: str | None, as_json: bool) -> None:
    parts = [part for family in families for part in catalogue(family)]
    if name is not None:
        chosen = [part for part in parts if part.name == name]
        if not chosen:
            # The core's own words: the names that exist, and the nearest one.
            _core.canonical(families[0], name)
        parts = chosen
    if as_json:
        print_json([asdict(part) for part in parts])
    elif name is None:
        for family in families:
            rows = [(part.name, _short_options(part), part.doc) for part in parts if part.family == family]
            print_table(f"{family}:", ["name", "options", "what it is"], rows)
            stdout().print()
    else:
        for part in parts:
            _show_part(part)


def _short_options(part: PartInfo) -> str:
    if part.stands_for is not None:
        return "as " + part.stands_for.split("(", 1)[0]
    if part.by_game:
        return "another in each game"
    return ", ".join(option.name for option in part.options) or "-"


def _show_part(part: PartInfo) -> None:
    stdout().print(f"{part.name}: {part.doc}")
    if part.stands_for is not None:
        stdout().print(f"stands for {part.stands_for}")
        stdout().print(f"in full    {_core.canonical(part.family, part.name)}")
        return
    if part.by_game:
        for game, spec in part.by_game.items():
            stdout().print(f"in {game}")
            stdout().print(f"stands for {spec}")
            stdout().print(f"in full    {_core.canonical(part.family, spec)}")
        return
    rows = [(option.name, option.default, option.allowed, option.doc) for option in part.options]
    if rows:
        print_table("", ["option", "default", "allowed", "what it does"], rows)


def games(name: Name = None, json: Json = False) -> None:
    """List the games and their options."""
    _show(["game"], name, json)


def players(name: Name = None, json: Json = False) -> None:
    """List the players and the policies they are made of, with their options."""
    _show([family for family in get_args(Family) if family not in ("game", "openings")], name, json)


def info(json: Json = False) -> None:
    """Show versions and the machine."""
    facts = {
        "coppice": _core.__version__,
        "play version": _core.PLAY_VERSION,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processors": str(os.cpu_count()),
        "installed in": os.path.dirname(os.path.abspath(sys.modules["coppice"].__file__ or "")),
    }
    if json:
        print_json(facts)
    else:
        print_table("", ["", ""], list(facts.items()))


def signature(
    write: Annotated[
        Path | None, typer.Option(help="Write the fingerprints into this file: fingerprints.txt.")
    ] = None,
) -> None:
    """Compute the fingerprints of play, compare them with those compiled in, and print their signature."""
    text, computed = _core.fingerprints(os.cpu_count() or 1)
    print(computed)
    if write is not None:
        write.write_text(text, encoding="utf-8")
        return
    changes = fingerprint_changes(_core.fingerprints()[0], text)
    if changes:
        for line in changes:
            note(line)
        raise ValueError(
            f"this build plays differently from its own play version {_core.PLAY_VERSION}: "
            "where that is meant, coppice signature --write fingerprints.txt, and build again"
        )


def fingerprint_changes(kept: str, computed: str) -> list[str]:
    """What differs between two files of fingerprints, a line each."""
    before, after = _fingerprints(kept), _fingerprints(computed)
    words = {True: "is new", False: "is gone"}
    return [
        f"{player} in {game} "
        + ("plays otherwise" if key in before and key in after else words[key in after])
        for key in [*before, *(key for key in after if key not in before)]
        if before.get(key) != after.get(key)
        for game, player in [key]
    ]


def _fingerprints(text: str) -> dict[tuple[str, str], str]:
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            digits, game, player = line.split("\t")
            found[game, player] = digits
    return found
