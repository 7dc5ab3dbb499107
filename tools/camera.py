"""The running app and a Chromium that looks at it: what all makers of pictures share."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, sync_playwright

FLAGS = ["--no-sandbox", "--headless=new", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]


@contextmanager
def app_and_browser(place: Path) -> Iterator[tuple[str, Browser]]:
    """The address of an app that keeps its files in a folder, and a browser; both end with the block."""
    names = ("chromium", "chromium-browser")
    chromium = next((found for name in names if (found := shutil.which(name))), None)
    if chromium is None:
        sys.exit("no Chromium: apt-get install chromium gets one")
    command = [sys.executable, "-m", "coppice", "web", "--no-show", "--port", "8300"]
    with sync_playwright() as playwright:
        server = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            told = re.search(r"http://\S+", server.stdout.readline())
            if told is None:
                sys.exit("the app did not start")
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            yield told[0].rstrip("/"), browser
            browser.close()
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()


def window(browser: Browser, width: int, height: int, *, dark: bool, scale: int = 1) -> BrowserContext:
    """A fresh window."""
    return browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        device_scale_factor=scale,
    )
