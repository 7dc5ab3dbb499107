"""Takes the pictures of the README and the documentation from the running app, in a Chromium.

.venv/bin/python tools/screenshots.py docs/pictures
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from camera import app_and_browser, window
from playwright.sync_api import Browser, Page

import coppice


def moves(spec: str, player: str, plies: int) -> str:
    """The beginning of a game that a player has with itself, the same every time."""
    state = coppice.game(spec).start()
    for _ in range(plies):
        state.play(coppice.player(player).search(state, seed=4).best)
    return " ".join(state.moves)


def start_page(page: Page, url: str) -> None:
    """All games."""
    page.goto(url)
    page.wait_for_selector(".card svg")


def analysis(page: Page, url: str) -> None:
    """A position with its heat map."""
    game = "havannah(size=8)"
    page.goto(f"{url}/analyse?game={game}&moves=h8 i6 f9 e5 k10 j11 g6 d8 l7")
    page.wait_for_selector(".candidate")
    page.get_by_role("button", name="Review the game").click()
    page.wait_for_selector(".graph .curve")
    page.wait_for_timeout(12000)
    page.mouse.move(5, 5)
    page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_timeout(1000)


def line(page: Page, url: str) -> None:
    """The line of a candidate."""
    game = "havannah(size=8)"
    page.goto(f"{url}/analyse?game={game}&moves={moves(game, 'strong(simulations=1500)', 12)}")
    page.wait_for_selector(".candidate")
    page.wait_for_timeout(6000)
    page.locator(".candidate").nth(0).hover()
    page.wait_for_timeout(400)


def breakthrough(page: Page, url: str) -> None:
    """Another game."""
    game = "breakthrough(rows=8,columns=8)"
    page.goto(f"{url}/analyse?game={game}&moves={moves(game, 'uct(simulations=3000)', 19)}")
    page.wait_for_selector(".candidate")
    page.wait_for_timeout(2500)


def mr_jack(page: Page, url: str) -> None:
    """A decision half built."""
    page.goto(f"{url}/new/mr_jack")
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector(".role-card:not([disabled])")
    page.locator(".role-card").first.click()
    page.wait_for_selector(".crumb")
    page.locator(".cell.legal:not([aria-label$='accusation'])").first.click(force=True)
    page.wait_for_selector(".board .gone")
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
    page.mouse.move(5, 5)


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
        context = window(browser, width, height, dark=dark, scale=2 if width < 500 else 1)
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
    with tempfile.TemporaryDirectory() as place, app_and_browser(Path(place)) as (url, browser):
        take(browser, url, folder, set(sys.argv[2:]))


if __name__ == "__main__":
    main()
