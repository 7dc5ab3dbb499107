"""Settings and fixtures that several tests share."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell lets what it starts in the background ignore Ctrl-C, and programs pass that on to their own.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no failure: what must be fast is measured on its own.
settings.register_profile("coppice", deadline=None)
settings.load_profile("coppice")


LONGEST = ("tests/web/", "tests/reference/", "tests/test_docs.py")
"""Where the longest files of tests are: begun first, so that no process ends long after the others."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the longest files first."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@pytest.fixture
def own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of one's own that modules are imported from, and no module that stays."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]
