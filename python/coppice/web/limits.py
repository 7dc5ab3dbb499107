"""The limits of the app: all that visitors may ask of a server, in one place, for its operator to change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar

__all__ = ["Limits", "changed", "limits", "meaning", "use"]


def _limit(default: int, meaning: str) -> int:
    """A limit with what it means, for the documentation and for errors."""
    found: int = field(default=default, metadata={"meaning": meaning})
    return found


@dataclass(frozen=True)
class Limits:
    """What visitors may ask for. A visitor is a network address; in IPv6 the network of 64 bits around it."""

    # A search
    simulations: int = _limit(5_000_000, "simulations of a search, for a move or in an analysis")
    states: int = _limit(1_000_000_000, "states of a search, for a move")
    seconds: int = _limit(60, "seconds of a search for a move, by the clock or of CPU time")
    memory: int = _limit(128 << 20, "bytes of the tree of a search")
    analysis_seconds: int = _limit(600, "seconds of an analysis that nobody stops")
    analyses: int = _limit(16, "analyses at a time, each with its tree")
    analyses_per_visitor: int = _limit(6, "analyses of one visitor at a time")
    turns_waiting: int = _limit(500, "turns of searches that wait for a thread")
    turns_waiting_per_owner: int = _limit(8, "of them, those of one game or page")
    # The laboratory
    games: int = _limit(100_000, "games of a match")
    sweep_values: int = _limit(50, "values of a sweep")
    runs: int = _limit(20, "matches and experiments that run or wait")
    runs_kept: int = _limit(100, "finished runs that the laboratory still shows")
    match_memory: int = _limit(1 << 30, "bytes of the tree of a player in a match")
    # Games and records
    cells: int = _limit(500, "cells of a board")
    table_nodes: int = _limit(20_000, "positions of one table, with all variations")
    record_characters: int = _limit(1_000_000, "characters of a record that is pasted or dropped")
    record_nodes: int = _limit(20_000, "nodes of a record, of all its games and variations")
    # Visitors
    tables_per_hour: int = _limit(200, "tables that one visitor opens in an hour")
    tables_idle: int = _limit(50, "tables in memory that nobody looks at; the file keeps all")
    idle_seconds: int = _limit(1800, "seconds until a table that nobody looks at leaves the memory")
    pages: int = _limit(500, "pages that are open at a time")
    pages_per_visitor: int = _limit(100, "pages that one visitor has open at a time")
    sockets: int = _limit(1000, "sockets that are open at a time")
    sockets_per_visitor: int = _limit(300, "sockets that one visitor has open at a time")
    wrong_tokens: int = _limit(10, "wrong tokens of one visitor in a minute; more are not looked at")
    # What is sent
    upload_bytes: int = _limit(2_000_000, "bytes of an upload, counted while it streams")
    message_bytes: int = _limit(1_100_000, "bytes of a message on a socket, counted while it streams")
    messages_per_second: int = _limit(50, "messages of one socket in a second; more wait")
    bytes_per_second: int = _limit(1_000_000, "bytes of messages of one socket in a second; more wait")
    log_lines_per_minute: int = _limit(60, "lines of each kind in the server's log in a minute")
    # The event loop
    stall_milliseconds: int = _limit(50, "milliseconds of work on the event loop; more is logged")


def meaning(name: str) -> str:
    """What a limit means."""
    return str(next(each for each in fields(Limits) if each.name == name).metadata["meaning"])


def changed(changes: Sequence[str]) -> Limits:
    """The limits with the changes of a command line, each as NAME=NUMBER."""
    numbers: dict[str, int] = {}
    names = [each.name for each in fields(Limits)]
    for change in changes:
        name, _, text = (part.strip() for part in change.partition("="))
        if name not in names:
            raise ValueError(f"unknown limit '{name}': allowed are {', '.join(names)}")
        number = text.replace("_", "").replace(",", "")
        if not (number.isascii() and number.isdigit()) or int(number) < 1:
            raise ValueError(
                f"limit {name}: expected a whole number from 1 ({meaning(name)}), found '{text}'"
            )
        numbers[name] = int(number)
    return replace(Limits(), **numbers)


class _Current:
    """The limits of the server of this process."""

    limits: ClassVar[Limits] = Limits()


def use(limits: Limits) -> None:
    """From now on these limits hold."""
    _Current.limits = limits


def limits() -> Limits:
    """The limits that hold."""
    return _Current.limits
