"""Addresses: which only this machine can reach, and under which others reach the server."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

__all__ = ["EVERYWHERE", "LOOPBACK", "bracketed", "is_loopback", "origin_for_others", "own_address"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")
"""What a server listens on that takes any of the machine's addresses."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    return host in LOOPBACK


def bracketed(host: str) -> str:
    """A host as it stands in a URL."""
    return f"[{host}]" if ":" in host else host


def own_address() -> str:
    """The address of this machine in its network; a loopback one if it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: the system only says which of its addresses it would send from.
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def origin_for_others(host: str, port: int, asked: str) -> str:
    """The beginning of an address for somebody else: as a browser `asked`, unless only this machine can."""
    if is_loopback(host) or not is_loopback(urlsplit(asked).hostname or ""):
        return asked.rstrip("/")
    return f"http://{bracketed(own_address() if host in EVERYWHERE else host)}:{port}"
