"""A server of the app as a person starts it, and patience."""

from __future__ import annotations

import html
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nicegui.testing import User
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

FLAGS = [
    "--no-sandbox",
    "--headless=new",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@dataclass
class Server:
    """A running app."""

    url: str
    process: subprocess.Popen[str]
    folder: Path


def first_port() -> int:
    """Where a server looks for a free port: apart from those of the other processes that run tests."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    return 8200 + 100 * int(worker)


@contextmanager
def running(folder: Path, *more: str) -> Iterator[Server]:
    """The app as a person starts it, on a free port, with its files in a folder of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "coppice", "web", "--no-show", "--port", str(first_port()), *more],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=(folder / "stderr.txt").open("a"),
        text=True,
        # NiceGUI behaves differently where it believes itself in a test.
        env={
            name: value
            for name, value in os.environ.items()
            if "PYTEST" not in name and "NICEGUI" not in name
        },
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, f"no address: {line!r} {(folder / 'stderr.txt').read_text()}"
        yield Server(found[0].rstrip("/"), process, folder)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def wait_for(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    """Waits until a function says true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def settle(page: Page) -> None:
    """Waits until the server has answered all that a page has sent, and the page shows it.

    What goes through the page's socket stays in its order, so that an acknowledgement comes after it. What an
    event makes the server send is sent soon after the event: by the second of two acknowledgements.
    """
    page.evaluate(
        """async () => {
          for (let trip = 0; trip < 2; trip++) {
            const nothing = { client_id: window.clientId, next_message_id: 0 };
            await new Promise((done) => window.socket.emit("ack", nothing, done));
          }
          for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
        }"""
    )


def start_board(page: Page) -> None:
    """Presses Start and waits for the board; presses again if the form was being redrawn under the finger."""
    button = page.get_by_role("button", name="Start")
    button.click()
    board = page.locator(".board-frame .cell").first
    try:
        board.wait_for(timeout=5000)
    except PlaywrightTimeout:
        if button.is_visible():
            button.click()
        board.wait_for()


async def refused(user: User, path: str, status: int) -> str:
    """The text of a page that refuses, which a simulated user cannot open."""
    answer = await user.http_client.get(path)
    assert answer.status_code == status, path
    text = html.unescape(answer.text)
    assert "Laboratory" in text, "it is a page of the app, with its header"
    assert "To the games" in text, "there is a way back"
    return text
