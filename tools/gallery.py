"""Photographs every game and every page of the app, and the documentation, onto contact sheets to look at.

.venv/bin/python tools/gallery.py --out gallery --only "domineering*"
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from html import escape
from pathlib import Path
from urllib.parse import quote

from camera import app_and_browser, window
from playwright.sync_api import Browser, BrowserContext, Error, Page

from coppice.board.cells import Side
from coppice.core.catalogue import catalogue
from coppice.core.session import Player
from coppice.lab.match import Match
from coppice.papers.experiment import experiment_names
from coppice.web.allowed import game_of
from coppice.web.game_room import GameRoom, Seat
from coppice.web.levels import boards, games
from coppice.web.new_game import new_room
from coppice.web.saved_games import SavedGames
from coppice.web.settings import Settings

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "_build"
SEED = 4
TALLEST = 2600
"""Pixels of a long page that are shown."""

# Width, height, dark.
MODES: dict[str, tuple[int, int, bool]] = {
    "light": (1280, 900, False),
    "dark": (1280, 900, True),
    "phone": (390, 844, False),
}


@dataclass(frozen=True)
class Shot:
    """One picture: on which sheet, of which address, in which window."""

    sheet: str
    name: str
    address: str
    mode: str = "light"
    wait: str = "main"
    """What must be on the page before it is photographed."""
    seconds: float = 0.0
    """How long the page may work after that."""

    @property
    def title(self) -> str:
        """The name of its file."""
        return f"{self.sheet}-{self.name}-{self.mode}"


def all_games() -> dict[str, str]:
    """The name and the board of every game of the catalogue, and of the misère form of each that has one."""
    found = {part.name: boards(part.name)[0] for part in games()}
    if any(part.name == "misere" for part in catalogue("game")):
        found |= {
            f"misere_{name}": f"misere({spec})" for name, spec in found.items() if not game_of(spec).hidden
        }
    return found


def played(spec: str) -> list[str]:
    """The moves of a whole game, the same every time; a weak side makes for an end to look at."""
    chance, state = random.Random(SEED), game_of(spec).start(seed=SEED)
    player = None if state.game.hidden else Player("uct(simulations=60)")
    while state.outcome is None:
        if player and state.to_move == "first":
            state.play(player.search(state, seed=len(state.moves)).best)
        else:
            state.play(chance.choice(state.legal_moves))
    return state.moves


def lay_room(saved: SavedGames, spec: str, moves: Iterable[str], side: Side = "first") -> str:
    """The address of a game at this point, where a person has a side."""
    seated, token = new_room(spec, "computer", side, Seat("computer", "Seedling", "random"))
    room = GameRoom(spec, seated.seats, seed=SEED)
    # The computer waits: the picture is of this position.
    room.paused = True
    for move in moves:
        room.play(move)
    saved.save(room)
    return f"/game/{room.identity}?seat={token}"


def shots(place: Path) -> list[Shot]:
    """All pictures of the app; the games and the match that they show are put into its folder."""
    settings = Settings(store=place / "coppice.db")
    saved = SavedGames(settings.saved_games)
    found: list[Shot] = []
    for name, spec in all_games().items():
        found += game_shots(saved, name, spec)
    found += page_shots(saved, settings)
    saved.close()
    return found


def game_shots(saved: SavedGames, name: str, spec: str) -> list[Shot]:
    """The pictures of one game."""
    moves = played(spec)
    # At an even ply, so that it is the person's turn where sides alternate.
    stages = {"1-start": [], "2-middle": moves[: len(moves) // 4 * 2], "3-end": moves}
    board, found = ".board-frame .cell", []
    for stage, line in stages.items():
        address = lay_room(saved, spec, line)
        found += [Shot(name, stage, address, mode, board) for mode in MODES]
    if not game_of(spec).hidden:
        found.append(Shot(name, "4-second", lay_room(saved, spec, moves[:1], "second"), wait=board))
        middle = quote(" ".join(stages["2-middle"]))
        address = f"/analyse?game={quote(spec)}&moves={middle}"
        found += [Shot(name, "5-analysis", address, mode, ".candidate", 1.5) for mode in ("light", "dark")]
    if not name.startswith("misere_"):
        found += [Shot(name, "6-new", f"/new/{name}", mode) for mode in MODES]
        found += [Shot(name, "7-rules", f"/rules/{name}", mode) for mode in MODES]
    return found


def page_shots(saved: SavedGames, settings: Settings) -> list[Shot]:
    """The pages that are not about one game."""
    match = Match("tic_tac_toe", "uct(simulations=20)", "random", seed=1)
    match.play(20, store=settings.store)
    invited, _ = new_room(boards("havannah")[0], "link", "first", None)
    saved.save(invited)
    assert invited.seats is not None
    code = invited.seats["second"].invitation
    experiment = sorted(experiment_names())[0]
    pages = {
        "1-start": ("/", ".card svg"),
        "2-analyse": ("/analyse", "main"),
        "3-setup": (f"/setup?game={quote(boards('havannah')[0])}", ".board-frame"),
        "4-laboratory": ("/laboratory", "a.experiment"),
        "5-match": (f"/laboratory/match/{match.identity}", ".record"),
        "6-experiment": (f"/laboratory/experiment/{experiment}", ".room"),
        "7-join": (f"/join/{invited.identity}/{code}", "main"),
        "a-lesson": ("/lessons/mr_jack?number=6", ".cell.legal"),
        "8-nowhere": ("/no/such/page", "body"),
        "9-no-game": ("/game/nowhere", ".empty"),
    }
    return [
        Shot("pages", name, address, mode, wait) for name, (address, wait) in pages.items() for mode in MODES
    ]


def docs_shots(folder: Path = DOCS) -> list[Shot]:
    """Every page of the documentation that was built."""
    pages = (path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts)
    return [
        Shot(
            "docs",
            path.relative_to(folder).with_suffix("").as_posix().replace("/", "-"),
            path.as_uri(),
            wait="body",
        )
        for path in pages
    ]


def photograph(page: Page, url: str, shot: Shot, path: Path) -> None:
    """Takes one picture."""
    page.goto(shot.address if shot.address.startswith("file:") else url + shot.address)
    page.wait_for_selector(shot.wait)
    # What is drawn moves into its place first.
    page.wait_for_timeout(300 + 1000 * shot.seconds)
    width, height, _ = MODES[shot.mode]
    tall = min(max(int(page.evaluate("document.documentElement.scrollHeight")), height), TALLEST)
    page.screenshot(path=path, full_page=True, clip={"x": 0, "y": 0, "width": width, "height": tall})


def compose(browser: Browser, sheet: str, taken: list[tuple[Shot, Path]], out: Path) -> None:
    """Lays the pictures of a sheet out side by side."""
    figures = "".join(
        f"<figure class={shot.mode}><img src='{path.resolve().as_uri()}'>"
        f"<figcaption>{escape(shot.name)}, {shot.mode}</figcaption></figure>"
        for shot, path in taken
    )
    style = (
        "body{margin:12px;background:#888;font:13px sans-serif;display:flex;flex-wrap:wrap;gap:12px;"
        "align-items:flex-start}figure{margin:0}img{display:block;width:480px}.phone img{width:220px}"
    )
    composed = out / "shots" / f"{sheet}.html"
    composed.write_text(
        f"<!doctype html><meta charset=utf-8><style>{style}</style>{figures}", encoding="utf-8"
    )
    with window(browser, 1996, 900, dark=False) as context:
        page = context.new_page()
        page.goto(composed.resolve().as_uri())
        page.screenshot(path=out / f"{sheet}.png", full_page=True)
    composed.unlink()
    print(out / f"{sheet}.png", flush=True)


def take(browser: Browser, url: str, wanted: list[Shot], out: Path) -> list[str]:
    """Takes the pictures and lays them out; returns what could not be taken."""
    (out / "shots").mkdir(parents=True, exist_ok=True)
    windows: dict[str, BrowserContext] = {}
    sheets: dict[str, list[tuple[Shot, Path]]] = {}
    missing: list[str] = []
    for shot in wanted:
        if shot.mode not in windows:
            width, height, dark = MODES[shot.mode]
            windows[shot.mode] = window(browser, width, height, dark=dark)
        page, path = windows[shot.mode].new_page(), out / "shots" / f"{shot.title}.png"
        try:
            photograph(page, url, shot, path)
        except Error as error:
            missing.append(f"{shot.title}: {str(error).splitlines()[0]}")
        else:
            sheets.setdefault(shot.sheet, []).append((shot, path))
        page.close()
    for sheet, taken in sheets.items():
        compose(browser, sheet, taken, out)
    return missing


def main() -> None:
    """Takes all pictures, or those that are asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("gallery"), help="folder of the sheets (gallery)")
    parser.add_argument(
        "--only", default="*", metavar="PATTERN", help="pictures whose name matches, such as 'nogo*'"
    )
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        every = [*shots(Path(place)), *docs_shots()]
        wanted = [shot for shot in every if fnmatch(shot.title, options.only)]
        if not wanted:
            names = ", ".join(sorted({shot.sheet for shot in every}))
            sys.exit(f"no picture is called {options.only}: the names begin with {names}")
        with app_and_browser(Path(place)) as (url, browser):
            missing = take(browser, url, wanted, options.out)
    print(f"{len(wanted) - len(missing)} pictures in {time.monotonic() - began:.0f} s")
    if missing:
        sys.exit("not taken:\n" + "\n".join(missing))


if __name__ == "__main__":
    main()
