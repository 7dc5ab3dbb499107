"""Inside a run of tests: notes which test reaches which function, or runs chosen tests in a given order.

A plugin of pytest, imported by its plain name in the processes of a run; `runs.py` is at the other end. It is
told by the environment what to do, so that processes that a test starts do their part, too:

    MUTATION_PACKAGE  the folder whose functions count
    MUTATION_NOTES    the file to note in; without it, nothing is noted about functions
    MUTATION_CONTEXT  the test that runs, or `*` for what many tests share: fixtures of a module, imports
    MUTATION_ORDER    a JSON file: the tests to run in their order, with the seconds that each may take
    MUTATION_EVENTS   the file to note in which test starts and how it ends
"""

from __future__ import annotations

import functools
import json
import os
import sys
import threading
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import pytest

SHARED = "*"


def note(variable: str, *words: object) -> None:
    """Adds a line to a file at once: a process may be killed."""
    path = os.environ.get(variable)
    if path:
        line = "\t".join(map(str, words)) + "\n"
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)


class Tracer:
    """Called by Python at the start of each function."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.context = os.environ.get("MUTATION_CONTEXT", SHARED)
        # By address, since to compare code is slow; what is kept here leaves its address to nobody else.
        self.foreign: dict[int, CodeType] = {}
        self.reached: dict[int, CodeType] = {}
        self.noted: set[tuple[str, str, str]] = set()

    def enter(self, context: str) -> None:
        """From now on, another test runs."""
        self.context = os.environ["MUTATION_CONTEXT"] = context
        self.reached = {}

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """A function starts."""
        code = frame.f_code
        if id(code) in self.foreign or id(code) in self.reached:
            return
        if not code.co_filename.startswith(self.package):
            self.foreign[id(code)] = code
            return
        self.reached[id(code)] = code
        key = self.context, code.co_filename, code.co_qualname.split(".<locals>")[0]
        if key not in self.noted:
            self.noted.add(key)
            note("MUTATION_NOTES", "reached", *key)


tracer: Tracer | None = None


def start() -> None:
    """Notes functions from now on, in all threads."""
    global tracer
    if tracer is None:
        tracer = Tracer(os.environ["MUTATION_PACKAGE"])
        threading.settrace(tracer)
        sys.settrace(tracer)


def forget(package: str) -> None:
    """Empties the caches of the package's functions: each test is to reach all that it needs by itself."""
    for module in list(sys.modules.values()):
        if (getattr(module, "__file__", None) or "").startswith(package):
            for value in list(vars(module).values()):
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


def pytest_configure() -> None:
    """Starts to note, if that is asked for."""
    if "MUTATION_NOTES" in os.environ:
        start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """A test is about to run."""
    note("MUTATION_EVENTS", "start", item.nodeid)
    if tracer is not None:
        forget(tracer.package)
        tracer.enter(item.nodeid)
    result = yield
    if tracer is not None:
        tracer.enter(SHARED)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Iterator[Any]:
    """What a fixture of a module does counts for all of its tests."""
    before = None if tracer is None or fixturedef.scope == "function" else tracer.context
    if tracer is not None and before is not None:
        tracer.enter(SHARED)
    try:
        return (yield)
    finally:
        if tracer is not None and before is not None:
            tracer.enter(before)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A part of a test is over: its set-up, the call or what tidies up."""
    note("MUTATION_EVENTS", report.when, report.nodeid, report.outcome, f"{report.duration:.3f}")


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A file was read."""
    if report.failed:
        note("MUTATION_EVENTS", "unread", report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keeps the tests that are asked for, in the order that is asked for."""
    path = os.environ.get("MUTATION_ORDER")
    if not path:
        return
    with open(path, encoding="utf-8") as file:
        asked: dict[str, float] = json.load(file)
    places = {name: place for place, name in enumerate(asked)}
    kept = sorted((item for item in items if item.nodeid in places), key=lambda item: places[item.nodeid])
    for item in kept:
        # A thread keeps the time, since a fault may let the main one wait where no signal reaches it.
        item.add_marker(pytest.mark.timeout(asked[item.nodeid], method="thread"), append=False)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in places])
    items[:] = kept
    note("MUTATION_EVENTS", "kept", len(kept))
