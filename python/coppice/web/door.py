"""The door: every request and every socket passes here, and is refused or let in with what is promised of it.

Who comes in: on an address of this machine its own browsers, on any other those with the token. What may be
asked for: pages by whoever comes, changes by our own pages alone. How much: so many pages, sockets and bytes.
Nothing behind the door ever sees the token, so that nothing there can tell it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
import re
import secrets
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from nicegui.client import Client

from coppice.web.address import LOOPBACK
from coppice.web.limits import limits
from coppice.web.packets import is_packet
from coppice.web.settings import Settings
from coppice.web.visitors import Held, WrongTokens, visitor_of

__all__ = ["COOKIE", "NONCE", "VISITOR", "Door", "visitor_at"]

COOKIE = "coppice_token"
_COOKIE = f"Path=/; HttpOnly; SameSite=Strict; Max-Age={30 * 24 * 3600}"
NONCE = "coppice.nonce"
"""Where a request has the word that marks the scripts of its page."""
VISITOR = "coppice.visitor"
"""Where a request has its visitor."""
SOCKETS = "/_nicegui_ws/"
FILES = "/_nicegui/"
BURST_SECONDS = 2.0
"""So much of its budget a socket may use at once."""
NEEDS_TOKEN = "This server needs a token: open the address that it printed when it was started."

_HEADERS = {
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


@dataclass(frozen=True)
class _Refusal:
    """Why somebody is not let in, in words for people."""

    words: str
    status: int = 403
    headers: tuple[tuple[str, str], ...] = ()
    link: str = ""
    """Where it goes on for somebody who clicks."""


@dataclass(frozen=True)
class _Request:
    """What a request or a socket says of itself."""

    is_socket: bool
    method: str
    path: str
    headers: dict[str, list[str]]
    query: list[tuple[str, str]]
    visitor: str

    @classmethod
    def of(cls, scope: Any) -> _Request:
        """What stands in the scope of a server."""
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        is_socket = scope["type"] == "websocket"
        return cls(is_socket, scope.get("method", "GET"), scope["path"], headers, query, visitor_of(scope))

    def header(self, name: str) -> str:
        """The value of a header; of one that came twice nothing is believed."""
        values = self.headers.get(name, [])
        return values[0] if len(values) == 1 else ""

    @property
    def host(self) -> str:
        """The name by which the server is called, without its port; empty if it is none."""
        found = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d*)?", self.header("host"))
        return found[1].removeprefix("[").removesuffix("]").lower() if found else ""

    @property
    def tokens(self) -> list[str]:
        """The tokens that are shown: in the address, and in the cookie."""
        shown = [value for name, value in self.query if name == "token"]
        for pair in "; ".join(self.headers.get("cookie", [])).split(";"):
            name, _, value = pair.strip().partition("=")
            if name == COOKIE:
                shown.append(value)
        return [token for token in shown if token]

    @property
    def is_for_page(self) -> bool:
        """Whether a page is asked for, not one of its files."""
        return not self.is_socket and not self.path.startswith((FILES, SOCKETS)) and self.reads

    @property
    def reads(self) -> bool:
        """Whether nothing is to be changed."""
        return self.method in ("GET", "HEAD")

    @property
    def is_of_another_site(self) -> bool:
        """Whether the browser says that a page of another site has asked for this."""
        return self.header("sec-fetch-site") in ("cross-site", "same-site")

    @property
    def is_followed_link(self) -> bool:
        """Whether a person sees what comes, in a window of its own."""
        return (
            self.is_for_page
            and self.header("sec-fetch-mode") == "navigate"
            and self.header("sec-fetch-dest") == "document"
        )


class Door:
    """Lets in who may come, and no more of it than the limits say."""

    def __init__(
        self, app: Callable[..., Any], settings: Settings, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.app = app
        self.settings = settings
        self._now = now
        self._names = frozenset(_names(settings))
        self._wrong = WrongTokens(limits().wrong_tokens, now=now)
        self._sockets = Held(limits().sockets, limits().sockets_per_visitor)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Every request and every socket passes here."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        request = _Request.of(scope)
        nonce = secrets.token_urlsafe(16)
        send = _with_headers(send, {**_HEADERS, "content-security-policy": _policy(request, nonce)})
        refusal = self._refusal(request)
        if refusal is not None:
            await _refuse(request, receive, send, refusal)
            return
        send = _with_headers(send, self._cookie(request, is_https=scope.get("scheme") in _SAFE))
        inside = {**_without_token(scope, request), NONCE: nonce, VISITOR: request.visitor}
        if not request.is_socket:
            await _Upload(receive, send, limits().upload_bytes).pass_to(self.app, inside, request)
            return
        with self._sockets.one_more(request.visitor):
            await self.app(inside, _paced(receive, self._now), send)

    # Who may come in

    def _refusal(self, request: _Request) -> _Refusal | None:
        """Why this is refused; None if it is let in."""
        return (
            self._wrong_host(request)
            or self._other_site(request)
            or self._no_token(request)
            or self._too_much(request)
        )

    def _wrong_host(self, request: _Request) -> _Refusal | None:
        """A server is not reached under names that somebody else gave it."""
        if not self.settings.token:
            # Another site's page must not reach a server on this machine under a name of its own.
            if request.host in LOOPBACK:
                return None
            return _Refusal("This server answers to this machine only.")
        if request.host in self._names or _is_number(request.host):
            return None
        return _Refusal(
            "This server is not known by this name. Whoever runs it can allow the name with --name."
        )

    def _other_site(self, request: _Request) -> _Refusal | None:
        """Changes are made by our own pages, which other sites can neither show nor ask for."""
        if "origin" in request.headers:
            if request.header("origin") not in (
                f"{kind}://{request.header('host')}" for kind in ("http", "https")
            ):
                return _Refusal("This was asked for by another site.")
        elif request.is_socket or not request.reads:
            return _Refusal("This was not asked for by a page of this server.")
        if request.path.startswith(SOCKETS) and not request.is_socket:
            return _Refusal("Here only sockets are open.", 400)
        if not request.is_of_another_site:
            return None
        if not request.is_followed_link:
            return _Refusal("This was asked for by another site.")
        if self._has_token(value for name, value in request.query if name == "token"):
            # An invitation: it was given to whoever follows it.
            return None
        query = f"?{urlencode(request.query)}" if request.query else ""
        link = "/" + quote(request.path.lstrip("/")) + query
        return _Refusal("Another site has sent you here.", 200, link=link)

    def _no_token(self, request: _Request) -> _Refusal | None:
        if not self.settings.token:
            return None
        if wait := self._wrong.wait(request.visitor):
            later = ("retry-after", str(math.ceil(wait)))
            return _Refusal("Too many wrong tokens came from here: try again in a minute.", 429, (later,))
        if self._has_token(request.tokens):
            return None
        for token in request.tokens:
            self._wrong.note(request.visitor, token)
        return _Refusal(NEEDS_TOKEN)

    def _has_token(self, shown: Iterable[str]) -> bool:
        """Whether the token is among these. All are compared, each in a time that says nothing of it."""
        own = self.settings.token.encode()
        return bool(own) and sum(secrets.compare_digest(token.encode(), own) for token in shown) > 0

    def _too_much(self, request: _Request) -> _Refusal | None:
        """What is not let in because there is too much of it already."""
        if request.is_socket and not self._sockets.has_room(request.visitor):
            return _Refusal("There are too many sockets.", 429)
        if request.is_for_page:
            pages = [visitor_at(client) for client in Client.instances.values()]
            if len(pages) >= limits().pages or pages.count(request.visitor) >= limits().pages_per_visitor:
                return _Refusal(
                    "Too many pages are open here: close some, and try again in a minute.",
                    429,
                    (("retry-after", "60"),),
                )
        length = request.header("content-length")
        if length.isdigit() and int(length) > limits().upload_bytes:
            return _too_large()
        return None

    def _cookie(self, request: _Request, *, is_https: bool) -> dict[str, str]:
        """The cookie of somebody who was let in with the token in the address."""
        if not self._has_token(value for name, value in request.query if name == "token"):
            return {}
        # Strict: no other site can use it. An invitation brings its token along; whoever follows another link
        # from elsewhere goes on with a click.
        secure = "; Secure" if is_https else ""
        return {"set-cookie": f"{COOKIE}={self.settings.token}; {_COOKIE}{secure}"}


_SAFE = ("https", "wss")


def _policy(request: _Request, nonce: str) -> str:
    """What a page may load and run: its own files, and the scripts that it was sent with."""
    # The framework runs what the server sends by `eval`, and gives elements styles of their own.
    sockets = f" ws://{request.header('host')} wss://{request.header('host')}" if request.host else ""
    parts = {
        "default-src": "'none'",
        "script-src": f"'self' 'nonce-{nonce}' 'unsafe-eval'",
        "script-src-attr": "'none'",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "font-src": "'self' data:",
        "connect-src": f"'self'{sockets}",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def _names(settings: Settings) -> Iterable[str]:
    """The names by which a server with a token may be called, besides numbers: nobody else can give those."""
    own = socket.gethostname().lower()
    return (*LOOPBACK, own, f"{own}.local", settings.host.lower(), *(name.lower() for name in settings.names))


def _is_number(host: str) -> bool:
    """Whether a host is an address, not a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def visitor_at(client: Client) -> str:
    """Whose page it is; empty where nobody came through the door."""
    try:
        return str(client.request.scope.get(VISITOR, ""))
    except RuntimeError:
        return ""


def _without_token(scope: Any, request: _Request) -> dict[str, Any]:
    """A scope that holds the token nowhere: neither in the address nor in a cookie nor where it came from."""
    query = scope.get("query_string", b"")
    if any(name == "token" for name, _ in request.query):
        query = urlencode([(name, value) for name, value in request.query if name != "token"]).encode()
    headers = [
        (name, value) for name, value in scope["headers"] if name.lower() not in (b"cookie", b"referer")
    ]
    return {**scope, "query_string": query, "headers": headers}


async def _refuse(request: _Request, receive: Any, send: Any, refusal: _Refusal) -> None:
    if request.is_socket:
        await receive()
        await send({"type": "websocket.close", "code": 4403})
        return
    more = f'<p><a href="{escape(refusal.link)}">Go on to Coppice</a>' if refusal.link else ""
    text = f"<!doctype html><meta charset=utf-8><title>Coppice</title><p>{escape(refusal.words)}{more}"
    body = text.encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *((name.encode(), value.encode()) for name, value in refusal.headers),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if request.method == "HEAD" else body})


def _with_headers(send: Any, headers: dict[str, str]) -> Any:
    """Sends answers with these headers, too."""
    more = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def sender(message: Any) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sender


class _Upload:
    """A request whose body is counted while it comes: what is too long is not read to its end."""

    def __init__(self, receive: Any, send: Any, most: int) -> None:
        self._receive = receive
        self._send = send
        self._left = most

    async def pass_to(self, app: Callable[..., Any], scope: Any, request: _Request) -> None:
        """Lets the app answer, or refuses."""
        try:
            await app(scope, self._counted, self._answer)
        except Exception:
            # Whoever reads a body does not expect that it ends.
            if self._left >= 0:
                raise
        if self._left < 0:
            await _refuse(request, self._receive, self._send, _too_large())

    async def _counted(self) -> Any:
        message = await self._receive() if self._left >= 0 else {"type": "http.disconnect"}
        self._left -= len(message.get("body", b""))
        return message if self._left >= 0 else {"type": "http.disconnect"}

    async def _answer(self, message: Any) -> None:
        if self._left >= 0:
            await self._send(message)


def _too_large() -> _Refusal:
    words = f"This is too large: at most {limits().upload_bytes:,} bytes are read."
    return _Refusal(words, 413, (("connection", "close"),))


def _paced(receive: Any, now: Callable[[], float]) -> Any:
    """Receives the messages of a socket that are understood, and all at no more than their rate."""
    least, speed = 1 / limits().messages_per_second, limits().bytes_per_second
    due = -math.inf

    async def receiver() -> Any:
        nonlocal due
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            text = message.get("text")
            size = len(text or message.get("bytes") or "")
            due = max(due, now() - BURST_SECONDS) + max(least, size / speed)
            if (wait := due - now()) > 0:
                await asyncio.sleep(wait)
            if is_packet(text):
                return message

    return receiver
