"""Visitors: who they are, and how much of a thing each has had; what is remembered of them is bounded."""

from __future__ import annotations

import hashlib
import ipaddress
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Held", "Rate", "WrongTokens", "visitor_of"]

MOST_REMEMBERED = 1000
"""Visitors of whom something is remembered; of others who come, the one seen longest ago is forgotten."""


def visitor_of(scope: Any) -> str:
    """Who sends a request: its address, or of IPv6 the network of 64 bits, in which anybody has many."""
    client = scope.get("client")
    address = str(client[0]) if client else ""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False).network_address)
    return str(found)


class WrongTokens:
    """The wrong tokens that visitors have shown. One shown again tells nothing new: it does not count."""

    def __init__(
        self, most: int, *, seconds: float = 60.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.most = most
        self.seconds = seconds
        self._now = now
        self._shown: OrderedDict[str, deque[tuple[float, bytes]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._shown)

    def note(self, visitor: str, token: str) -> None:
        """Remembers a wrong token, by a short hash."""
        shown = self._shown.pop(visitor, deque())
        self._shown[visitor] = shown
        while len(self._shown) > MOST_REMEMBERED:
            self._shown.popitem(last=False)
        told = hashlib.blake2b(token.encode(), digest_size=8).digest()
        if told not in (known for _, known in shown):
            shown.append((self._now(), told))
        while len(shown) > self.most:
            shown.popleft()

    def wait(self, visitor: str) -> float:
        """For how many seconds no token of a visitor is looked at."""
        shown = self._shown.get(visitor)
        if shown is None:
            return 0.0
        while shown and shown[0][0] + self.seconds <= self._now():
            shown.popleft()
        if not shown:
            del self._shown[visitor]
        return 0.0 if len(shown) < self.most else shown[0][0] + self.seconds - self._now()


class Rate:
    """How often each visitor may do something: so many times, which come back in so many seconds."""

    def __init__(self, most: int, seconds: float, *, now: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self.seconds = seconds
        self._now = now
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._spent)

    def take(self, visitor: str) -> bool:
        """Takes one, if there is one left."""
        now = self._now()
        spent, when = self._spent.pop(visitor, (0.0, now))
        spent = max(0.0, spent - (now - when) * self.most / self.seconds)
        granted = spent + 1 <= self.most
        self._spent[visitor] = (spent + 1 if granted else spent), now
        while len(self._spent) > MOST_REMEMBERED:
            self._spent.popitem(last=False)
        return granted


class Held:
    """How many of a thing there are at a time, in all and of each visitor."""

    def __init__(self, most: int, most_per_visitor: int) -> None:
        self.most = most
        self.most_per_visitor = most_per_visitor
        self._held: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """How many there are."""
        return self._held.total()

    def has_room(self, visitor: str) -> bool:
        """Whether a visitor may have one more."""
        return self.total < self.most and self._held.get(visitor, 0) < self.most_per_visitor

    @contextmanager
    def one_more(self, visitor: str) -> Iterator[None]:
        """Counts one more as long as this lasts."""
        self._held[visitor] += 1
        try:
            yield
        finally:
            self._held[visitor] -= 1
            if not self._held[visitor]:
                del self._held[visitor]
