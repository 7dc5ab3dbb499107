"""What a page of ours sends over its socket: a browser may send anything, and nothing else is heard."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from nicegui import json

__all__ = ["EVENTS", "is_packet", "is_well_formed"]

_Check = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 100


def _is_optional_text(value: Any) -> bool:
    return value is None or _is_text(value)


def _is_number(value: Any) -> bool:
    # Some arrive as texts: the page has them from its own address.
    text = str(value)
    return (
        isinstance(value, (int, str)) and not isinstance(value, bool) and len(text) <= 15 and text.isdigit()
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_optional_number(value: Any) -> bool:
    return value is None or _is_number(value)


def _are_arguments(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= 20
        and all(argument is None or isinstance(argument, str) for argument in value)
    )


EVENTS: Mapping[str, Mapping[str, _Check]] = {
    "handshake": {
        "client_id": _is_text,
        "tab_id": _is_text,
        "old_tab_id": _is_optional_text,
        "document_id": _is_text,
        "next_message_id": _is_optional_number,
    },
    "event": {
        "client_id": _is_text,
        "id": _is_count,
        "listener_id": _is_text,
        "args": _are_arguments,
    },
    "javascript_response": {"client_id": _is_text, "request_id": _is_text},
    "ack": {"client_id": _is_text, "next_message_id": _is_count},
}
"""The events of a page, and how their parts must be; all others are not heard."""


def is_well_formed(event: str, message: Any) -> bool:
    """Whether a message is one that a page of ours could have sent."""
    parts = EVENTS[event]
    return isinstance(message, dict) and all(check(message.get(part)) for part, check in parts.items())


_SIGNS = frozenset(("1", "2", "3", "40", "40{}", "41"))
"""Packets without content: of the connection (it ends, is it there, it is) and of the socket (begin, end)."""
_EVENT = re.compile(r"42\d{0,9}(?=\[)")


def is_packet(text: str | None) -> bool:
    """Whether a message of a socket is one that a page of ours could have sent; None if it was no text."""
    if text is None:
        return False
    if text in _SIGNS:
        return True
    beginning = _EVENT.match(text)
    if beginning is None:
        return False
    try:
        said = json.loads(text[beginning.end() :])
    except (ValueError, RecursionError):
        return False
    return len(said) == 2 and said[0] in list(EVENTS) and is_well_formed(said[0], said[1])
