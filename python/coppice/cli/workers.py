"""Who does the work of a command, everywhere the same: threads, processes or a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from coppice.lab.workers import Cluster, Processes, Threads, Workers, processors

__all__ = [
    "ClusterOption",
    "JobsOption",
    "ProcessesOption",
    "ThreadsOption",
    "open_workers",
    "with_numbers",
]

ThreadsOption = Annotated[
    int | None,
    typer.Option("--threads", min=1, help="So many threads of this process [default: processors]."),
]
ProcessesOption = Annotated[
    int | None,
    typer.Option(
        "--processes",
        min=1,
        metavar="[N]",
        help="So many processes; without a number one for each processor.",
    ),
]
ClusterOption = Annotated[
    str | None, typer.Option("--cluster", metavar="ADDRESS", help="A Dask cluster: where its scheduler is.")
]


def _refuse_jobs(given: int | None) -> None:
    if given is not None:
        raise ValueError(f"--jobs is called --threads now: --threads {given}, or --processes {given}")


JobsOption = Annotated[int | None, typer.Option("--jobs", "-j", hidden=True, callback=_refuse_jobs)]
"""What `--threads` was called."""


def with_numbers(arguments: Sequence[str]) -> list[str]:
    """A command line with a number for each `--processes`, since typer has no option that may go without."""
    told = list(arguments)
    end = told.index("--") if "--" in told else len(told)
    for at in range(end):
        if told[at] == "--processes" and not (at + 1 < end and told[at + 1].lstrip("-").isdigit()):
            told[at] = f"--processes={processors()}"
    return told


@contextlib.contextmanager
def open_workers(
    threads: int | None = None, processes: int | None = None, cluster: str | None = None
) -> Iterator[Workers]:
    """The workers that a command line asks for."""
    given = {"--threads": threads, "--processes": processes, "--cluster": cluster}
    words = [word for word, value in given.items() if value is not None]
    if len(words) > 1:
        raise ValueError(f"{' and '.join(words)} exclude each other: give one of {', '.join(given)}")
    if cluster is not None:
        with Cluster(cluster) as workers:
            yield workers
    elif processes is not None:
        yield Processes(processes)
    else:
        yield Threads() if threads is None else Threads(threads)
