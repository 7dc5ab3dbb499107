"""What is set in the framework that the app is built on: scripts that are marked, events that are checked."""

from __future__ import annotations

import inspect
import logging
import time
import traceback
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

from jinja2 import BaseLoader, Environment
from nicegui import app, core
from nicegui.client import Client, templates

from coppice.web.door import NONCE
from coppice.web.limits import limits
from coppice.web.packets import EVENTS

__all__ = ["FewLines", "check_events", "mark_scripts", "quieten"]

log = logging.getLogger("coppice.web")


class _Marked(BaseLoader):
    """The templates of the framework, in which each script has the mark of its page."""

    def __init__(self, inner: BaseLoader) -> None:
        self._inner = inner

    def get_source(self, environment: Environment, template: str) -> Any:
        source, name, is_fresh = self._inner.get_source(environment, template)
        # What the page is filled with comes later: a script in it has no mark, and is not run.
        mark = f'<script nonce="{{{{ request.scope.get("{NONCE}", "") }}}}"'
        return source.replace("<script", mark), name, is_fresh


def mark_scripts() -> None:
    """From now on each script that a page is sent with has the page's mark, and browsers run no other."""
    loader = templates.env.loader
    if isinstance(loader, BaseLoader) and not isinstance(loader, _Marked):
        templates.env.loader = _Marked(loader)
        if templates.env.cache is not None:
            templates.env.cache.clear()


# Events


def check_events() -> None:
    """From now on a browser is heard only in events that a page of ours could have sent, of that page."""
    handlers = core.sio.handlers["/"]
    for event in list(handlers):
        if event in EVENTS:
            handlers[event] = _checked(event, handlers[event])
        elif event not in ("connect", "disconnect"):
            # What a browser says would stand in the log of the server.
            del handlers[event]
    app.config.socket_io_js_transports = ["websocket"]
    core.sio.eio.max_http_buffer_size = limits().message_bytes


def _checked(event: str, handler: Callable[..., Any]) -> Callable[..., Any]:
    async def heard(socket: str, *messages: Any) -> Any:
        # The door has let in a message of the right form and no other.
        (message,) = messages
        if event != "handshake" and socket not in _sockets(message["client_id"]):
            return False
        try:
            answer = handler(socket, message)
            return await answer if inspect.isawaitable(answer) else answer
        except Exception as error:
            # Its form is right, and yet no page of ours has sent it: of what it names something is not there.
            log.warning("an event was not understood: %s", type(error).__name__)
            return False

    return heard


def _sockets(client: str) -> Mapping[str, Any]:
    """The sockets of a page."""
    found = Client.instances.get(client)
    return {} if found is None else found._socket_to_document_id


# The log


class FewLines(logging.Filter):
    """Lets so many lines a minute pass: nobody fills the operator's disk with complaints."""

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.most = most
        self._now = now
        self._since = now()
        self._passed = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is to be written."""
        if self._now() - self._since >= 60:
            self._since, self._passed = self._now(), 0
        self._passed += 1
        if self._passed == self.most:
            record.msg, record.args = f"{record.getMessage()} (more lines are not written this minute)", ()
        return self._passed <= self.most


class NoFault(logging.Filter):
    """Says in one line that a browser has sent a value that its field cannot have."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Every line is written."""
        if record.exc_info and record.exc_info[2] is not None:
            reading = [frame for frame, _ in traceback.walk_tb(record.exc_info[2]) if _reads(frame.f_code)]
            if reading:
                kind = type(record.exc_info[1]).__name__
                record.msg, record.args = f"an event was not understood: {kind}", ()
                record.exc_info = record.exc_text = None
        return True


def _reads(code: CodeType) -> bool:
    """Whether this is where the framework reads what a browser says."""
    return code.co_name == "_event_args_to_value" and "nicegui" in code.co_filename


def quieten() -> None:
    """From now on a minute has a bounded number of lines in the log, whatever visitors do."""
    logging.getLogger("nicegui").addFilter(NoFault())
    for name in ("nicegui", "coppice.web", "asyncio", "uvicorn.error"):
        logging.getLogger(name).addFilter(FewLines(limits().log_lines_per_minute))
