"""The command line: `coppice COMMAND`. One file per group of commands; each registers itself on `app`."""

from __future__ import annotations

import os
import sys

import typer

from coppice._core import CoreError
from coppice.cli import (
    analyse,
    bench,
    book,
    catalogue,
    check,
    explain,
    gtp,
    learn,
    match,
    matches,
    perft,
    play,
    records,
    report,
    rules,
    run,
    solve,
    study,
    tables,
    tournament,
    tune,
    tunings,
    web,
)
from coppice.cli.output import complain
from coppice.cli.workers import with_numbers

__all__ = ["app", "main"]

app = typer.Typer(
    name="coppice",
    help="A Monte-Carlo tree search laboratory and game player.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _group in (
    catalogue,
    play,
    explain,
    match,
    matches,
    tournament,
    tune,
    tunings,
    study,
    learn,
    run,
    tables,
    solve,
    report,
    records,
    gtp,
    analyse,
    web,
    bench,
    book,
    perft,
    rules,
    check,
):
    _group.register(app)

USAGE = 2
"""The exit code of everything that a person got wrong."""


def main() -> None:
    """Runs the command line and turns every failure into one line on stderr and an exit code."""
    try:
        code = app(with_numbers(sys.argv[1:]) or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        complain(" ".join(error.format_message().split()))
        code = USAGE
    except (typer.Abort, KeyboardInterrupt):
        complain("interrupted")
        code = 130
    except BrokenPipeError:
        # Whoever read our output has gone: leave quietly, and keep Python from flushing into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except (ValueError, OSError) as error:
        complain(str(error))
        code = USAGE
    except CoreError as error:
        complain(f"{error} (this is a bug of coppice; please report it with the command)")
        code = 70
    sys.exit(code if isinstance(code, int) else 0)
