"""The server: addresses, who may come in, and the pages put together."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import socket
import sys
from collections.abc import Callable
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from nicegui import app, background_tasks, ui

from coppice.web import experiments, laboratory, new_game, open_position, play, rules, start_page
from coppice.web.address import EVERYWHERE, LOOPBACK, bracketed
from coppice.web.allowed import welcome
from coppice.web.frame import add_error_pages
from coppice.web.lobby import Lobby
from coppice.web.settings import Settings

__all__ = ["build", "free_port", "serve"]

COOKIE = "coppice_token"


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


class Door:
    """Lets in who may come: on a public address those with the token, on this machine its own browsers."""

    def __init__(self, app: Callable[..., Any], settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Every request and every socket passes here."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        reason = self._refusal(scope, headers)
        if reason:
            await _refuse(scope, send, receive, reason)
            return
        await self.app(scope, receive, self._with_headers(scope, send))

    def _refusal(self, scope: Any, headers: dict[str, str]) -> str:
        if not self.settings.token:
            # Another site's page must not reach a server on this machine under a name of its own.
            host = re.sub(r":\d*$", "", headers.get("host", ""))
            if host.removeprefix("[").removesuffix("]") not in LOOPBACK:
                return "This server answers to this machine only."
        origin = headers.get("origin")
        if origin and scope["type"] == "websocket" and origin.partition("//")[2] != headers.get("host"):
            return "This socket belongs to another site."
        if self.settings.token and not self._has_token(scope, headers):
            return "This server needs a token: open the address that it printed when it was started."
        return ""

    def _has_token(self, scope: Any, headers: dict[str, str]) -> bool:
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        return any(
            secrets.compare_digest(text.encode(), self.settings.token.encode())
            for text in (given, cookie.value if cookie else "")
        )

    def _with_headers(self, scope: Any, send: Any) -> Any:
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))

        async def sender(message: Any) -> None:
            if message["type"] == "http.response.start":
                more = [(b"referrer-policy", b"same-origin"), (b"x-frame-options", b"DENY")]
                if self.settings.token and "token" in query:
                    cookie = (
                        f"{COOKIE}={self.settings.token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000"
                    )
                    more.append((b"set-cookie", cookie.encode()))
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        return sender


async def _refuse(scope: Any, send: Any, receive: Any, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 4403})
        return
    body = f"<!doctype html><meta charset=utf-8><title>Coppice</title><p>{reason}</p>".encode()
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def build(settings: Settings) -> Lobby:
    """Puts the pages together; returns the lobby that they share."""
    welcome(settings.guests)
    lobby = Lobby(settings)
    add_error_pages()
    for part in (start_page, new_game, play, open_position, rules, laboratory, experiments):
        part.add_pages(lobby)
    return lobby


def serve(settings: Settings, *, show: bool) -> None:
    """Runs the app until it is interrupted."""
    lobby = build(settings)
    # The little boards take a second to play: they are there before anybody asks.
    app.on_startup(lambda: asyncio.get_running_loop().run_in_executor(None, start_page.warm_up))
    app.on_shutdown(lobby.close)
    app.add_middleware(Door, settings=settings)
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
