"""Takes the pictures of the README and the documentation from the running app, in a Chromium.

.venv/bin/python tools/screenshots.py docs/pictures
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = ["--no-sandbox", "--headless=new", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]
GAME = "h8 h9 g7 i9 f6 j9 e5 g8 i10 k9 j11 l9 j8 h7 d4 e6 c3"


def start_page(page: Page, url: str) -> None:
    """All games."""
    page.goto(url)
    page.wait_for_selector(".card svg")


def analysis(page: Page, url: str) -> None:
    """A position with its heat map."""
    page.goto(f"{url}/analyse?game=havannah(size=8)&moves={GAME}")
    page.wait_for_selector(".candidate")
    page.wait_for_timeout(4000)
    page.locator("[data-cell='a8']").hover(force=True)


def line(page: Page, url: str) -> None:
    """The line of a candidate."""
    analysis(page, url)
    page.locator(".candidate").nth(1).hover()
    page.wait_for_timeout(400)


def breakthrough(page: Page, url: str) -> None:
    """Another game."""
    page.goto(f"{url}/analyse?game=breakthrough(rows=8,columns=8)&moves=b2-b3 g7-g6 d2-d3 e7-e6 e2-e3")
    page.wait_for_selector(".candidate")
    page.wait_for_timeout(2500)


def mr_jack(page: Page, url: str) -> None:
    """A decision half built."""
    page.goto(f"{url}/new/mr_jack")
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector(".role-card:not([disabled])")
    page.locator(".role-card").first.click()
    page.wait_for_selector(".crumb")
    page.wait_for_timeout(500)


def laboratory(page: Page, url: str) -> None:
    """A sweep under way."""
    page.goto(f"{url}/laboratory")
    page.get_by_label("Player a", exact=True).fill("rave(simulations={x})")
    page.get_by_label("Player b", exact=True).fill("uct(simulations=100)")
    page.get_by_label("Values for {x} in player a").fill("10, 20, 40, 80")
    page.get_by_label("Games").fill("40")
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("a.match:not(.experiment)")
    page.wait_for_timeout(15000)


# Name, what to do, width, height, dark.
SHOTS: list[tuple[str, Callable[[Page, str], None], int, int, bool]] = [
    ("start", start_page, 1280, 860, False),
    ("analysis", analysis, 1280, 960, False),
    ("line-dark", line, 1280, 960, True),
    ("breakthrough", breakthrough, 1280, 960, True),
    ("mr-jack", mr_jack, 1280, 920, False),
    ("laboratory", laboratory, 1280, 860, False),
    ("phone", analysis, 390, 844, False),
]


def take(browser: Browser, url: str, folder: Path, wanted: set[str]) -> None:
    """Takes the wanted pictures, or all of them."""
    for name, prepare, width, height, dark in SHOTS:
        if wanted and name not in wanted:
            continue
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            device_scale_factor=2 if width < 500 else 1,
        )
        page = context.new_page()
        prepare(page, url)
        page.screenshot(path=str(folder / f"{name}.png"))
        print(folder / f"{name}.png")
        context.close()


def main() -> None:
    """Starts a server and takes the pictures."""
    if len(sys.argv) < 2:
        sys.exit("usage: tools/screenshots.py FOLDER [NAME ...]")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    chromium = next(
        (found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None
    )
    if chromium is None:
        sys.exit("no Chromium: apt-get install chromium gets one")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        command = [sys.executable, "-m", "coppice", "web", "--no-show", "--port", "8300"]
        server = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            assert found, "the server did not start"
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            take(browser, found[0], folder, set(sys.argv[2:]))
            browser.close()
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(10)


if __name__ == "__main__":
    main()
