"""The server: its address, its limits, and the pages put together."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys

from nicegui import app, background_tasks, ui

from coppice.web import (
    experiments,
    jack_lessons,
    laboratory,
    new_game,
    open_position,
    play,
    rules,
    start_page,
)
from coppice.web.address import EVERYWHERE, bracketed
from coppice.web.allowed import welcome
from coppice.web.door import Door
from coppice.web.frame import add_error_pages
from coppice.web.framework import check_events, mark_scripts, quieten
from coppice.web.limits import use
from coppice.web.lobby import Lobby
from coppice.web.settings import Settings
from coppice.web.watchdog import Watchdog

__all__ = ["build", "free_port", "serve"]


def free_port(host: str, port: int, tries: int = 40) -> int:
    """The port, or the next free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in range(port, min(port + tries, 65536)):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, candidate))
            except OSError:
                continue
            return candidate
    raise ValueError(f"no free port between {port} and {port + tries - 1} on {host}")


def build(settings: Settings) -> Lobby:
    """Puts the pages together; returns the lobby that they share."""
    use(settings.limits)
    welcome(settings.guests)
    mark_scripts()
    lobby = Lobby(settings)
    add_error_pages()
    parts = (start_page, new_game, play, open_position, rules, jack_lessons, laboratory, experiments)
    for part in parts:
        part.add_pages(lobby)
    return lobby


def serve(settings: Settings, *, show: bool) -> None:
    """Runs the app until it is interrupted."""
    lobby = build(settings)
    # The little boards take a second to play: they are there before anybody asks.
    app.on_startup(lambda: asyncio.get_running_loop().run_in_executor(None, start_page.warm_up))
    app.on_shutdown(lobby.close)
    watchdog = Watchdog(settings.limits.stall_milliseconds / 1000)
    app.on_startup(watchdog.start)
    app.on_shutdown(watchdog.stop)
    app.on_startup(lobby.keep_tidy)
    check_events()
    quieten()
    inside = app.build_middleware_stack
    # Before all else: what the framework adds for itself must not see, keep or change what is refused.
    app.build_middleware_stack = lambda: Door(inside(), settings)  # type: ignore[method-assign]
    limits = settings.limits
    place = (
        f"http://{'localhost' if settings.host in EVERYWHERE else bracketed(settings.host)}:{settings.port}"
    )
    token = f"/?token={settings.token}" if settings.token else ""

    async def tell() -> None:
        # Start-up handlers run before the socket listens; the address is told when it works.
        while not await _listens(settings):
            await asyncio.sleep(0.02)
        print(f"Coppice runs at {place}{token}", flush=True)
        if settings.token:
            print("Who opens this address once is known from then on; it is not printed again.", flush=True)
        print("Ctrl-C ends it; every game is kept.", flush=True)

    app.on_startup(lambda: background_tasks.create(tell()))
    with contextlib.suppress(KeyboardInterrupt):
        ui.run(
            host=settings.host,
            port=settings.port,
            title="Coppice",
            reload=False,
            show=f"/{token.lstrip('/')}" if show else False,
            show_welcome_message=False,
            tailwind=False,
            dark=None,
            reconnect_timeout=10.0,
            favicon="🌳",
            access_log=False,
            # What is read of a request before it is understood has a bound in this reader.
            http="h11",
            ws_max_size=limits.message_bytes,
            limit_concurrency=limits.sockets + limits.pages,
            server_header=False,
        )


async def _listens(settings: Settings) -> bool:
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
    try:
        _, writer = await asyncio.open_connection(here, settings.port)
    except OSError:
        return False
    writer.close()
    return True


def has_desktop() -> bool:
    """Whether a browser can be opened here."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
