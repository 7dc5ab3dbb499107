"""`coppice rules`: the rule scripts of Mr Jack's characters, copied out for changing and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coppice import _core
from coppice.cli.output import note

__all__ = ["register"]

GAME = "mr_jack"
"""The game whose moves are completed by rules."""

Folder = Annotated[Path, typer.Argument(help="The folder with a script for each character.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    commands = typer.Typer(help="Rule scripts for Mr Jack: copy them out, change them, check them.")
    commands.command()(init)
    commands.command()(check)
    app.add_typer(commands, name="rules")


def init(
    folder: Folder,
    force: Annotated[bool, typer.Option(help="Overwrite scripts that are there.")] = False,
) -> None:
    """Copy the scripts of the package to a folder, to be changed there."""
    scripts = [(folder / file, text) for file, text in _core.rule_scripts(GAME)]
    present = [path for path, _ in scripts if path.exists()]
    if present and not force:
        raise ValueError(f"{present[0]} is there already: choose another folder, or say --force")
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in scripts:
        path.write_text(text, encoding="utf-8")
        print(path)
    note(f'use them with a player such as jack_v3(candidates=scripted_power(rules="{folder}"))')


def check(
    folder: Folder,
    positions: Annotated[int, typer.Option(min=1, help="Positions of random games.")] = 2000,
    seed: Annotated[int, typer.Option(help="Names the positions.")] = 0,
) -> None:
    """Run the scripts of a folder against many positions; the first failure is told with file and line."""
    asked = _core.check_rules(GAME, str(folder), positions=positions, seed=seed)
    print(f"{folder}: the scripts answered {asked:,} questions on {positions:,} positions")
