"""`coppice web`: the app in the browser."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from coppice.core import distribution
from coppice.lab.store import DEFAULT_STORE

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(web)


def web(
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port, or the first to try.")] = 8060,
    host: Annotated[
        str, typer.Option(help="The address; any but this machine's own needs a token.")
    ] = "127.0.0.1",
    store: Annotated[Path, typer.Option("--store", help="The file that keeps every finished game.")] = Path(
        DEFAULT_STORE
    ),
    threads: Annotated[
        int | None, typer.Option(min=1, help="Searches at a time [default: processors].")
    ] = None,
    guest: Annotated[
        list[str] | None,
        typer.Option(
            help="A game, player or policy from elsewhere that visitors may name, as python(...) or gtp(...)."
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="A name of this server besides its machine's own and numbers."),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(help="What visitors may ask for, as simulations=100000; a wrong name lists all."),
    ] = None,
    show: Annotated[
        bool | None, typer.Option(help="Open a browser [default: where there is a desktop].")
    ] = None,
) -> None:
    """Play, analyse and run experiments in the browser."""
    # The app's packages are large: only this command loads them.
    distribution.optional("nicegui", "app", "the app needs NiceGUI")
    from coppice.web.address import is_loopback
    from coppice.web.limits import changed
    from coppice.web.server import free_port, has_desktop, serve
    from coppice.web.settings import Settings

    if not store.parent.is_dir():
        raise ValueError(f"--store {store}: there is no folder '{store.parent}'")
    token = "" if is_loopback(host) else secrets.token_urlsafe(16)
    limits = changed(limit or ())
    settings = Settings(
        host=host,
        port=free_port(host, port),
        store=store,
        token=token,
        guests=tuple(guest or ()),
        names=tuple(name or ()),
        limits=limits,
    )
    if threads is not None:
        settings = replace(settings, threads=threads)
    serve(settings, show=has_desktop() if show is None else show)
