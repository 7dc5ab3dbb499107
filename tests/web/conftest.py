"""A server of the app, a real browser and simulated users for the tests of the app."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import pytest
from nicegui.testing import User
from nicegui.testing.user_simulation import user_simulation
from playwright.sync_api import Browser, Page, expect, sync_playwright
from serving import FLAGS, Server, find_chromium, running

from coppice.web.lobby import Lobby
from coppice.web.settings import Settings

# A busy machine is slow, not wrong: what must appear may take this long.
expect.set_options(timeout=20_000)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, None, None]:
    """Keeps the package as it was imported: NiceGUI forgets modules with pages, and what they lie in."""
    before = dict(sys.modules)
    yield
    for name, module in before.items():
        if name.partition(".")[0] == "coppice":
            sys.modules.setdefault(name, module)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium; without one the tests are skipped loudly, or fail where `CI` is set."""
    found = find_chromium()
    if found is None:
        text = "no Chromium: the browser tests were NOT run; `apt-get install chromium` gets one"
        if os.environ.get("CI"):
            pytest.fail(text)
        pytest.skip(text)
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with running(folder) as started:
        yield started
    errors = (folder / "stderr.txt").read_text()
    assert "Traceback" not in errors, errors


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    # Per module: while Playwright's loop runs, no test of this thread can have another one.
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh browser window; an error in the page's own code fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(20_000)
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert errors == []


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[tuple[User, Lobby]]:
    """A simulated user of the app's pages, without a browser."""
    from coppice.web.server import build

    async with user_simulation() as user:
        lobby = build(Settings(store=tmp_path / "coppice.db", watch_seconds=0.0))
        yield user, lobby
        lobby.close()
