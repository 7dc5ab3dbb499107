"""The gallery: its list of pictures misses no game and no page, and what it is asked for is checked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gallery
import pytest
from nicegui import app as server
from nicegui.testing import User
from playwright.sync_api import Browser
from starlette.routing import Match as Fit
from starlette.routing import Route

from coppice.core.catalogue import catalogue
from coppice.web.lobby import Lobby
from coppice.web.saved_games import SavedGames

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[gallery.Shot]]:
    place = tmp_path_factory.mktemp("gallery")
    return place, gallery.shots(place)


def test_every_game_is_photographed_in_all_its_stages(listed: tuple[Path, list[gallery.Shot]]) -> None:
    place, shots = listed
    names = {part.name for part in catalogue("game")} - {"misere", "python"}
    wanted = names | {f"misere_{name}" for name in names if name != "mr_jack"}
    assert {shot.sheet for shot in shots} == wanted | {"pages"}
    for name in wanted:
        taken = {(shot.name, shot.mode) for shot in shots if shot.sheet == name}
        stages = ("1-start", "2-middle", "3-end")
        assert {(stage, mode) for stage in stages for mode in gallery.MODES} <= taken
        if name != "mr_jack":
            assert {("5-analysis", "light"), ("5-analysis", "dark")} <= taken
        if name in names:
            assert {(page, mode) for page in ("6-new", "7-rules") for mode in gallery.MODES} <= taken
    # The stages are what they are called.
    saved = SavedGames(place / "coppice-tables.db")
    for shot in shots:
        if shot.name in ("1-start", "2-middle", "3-end") and shot.sheet != "pages":
            room = saved.get(shot.address.removeprefix("/game/").partition("?")[0])
            assert room is not None
            stage = "3-end" if room.over else "2-middle" if room.live else "1-start"
            assert stage == shot.name, shot.title
    saved.close()
    assert len({shot.title for shot in shots}) == len(shots), "two pictures have one name"


def test_every_page_of_the_server_is_photographed(
    app: tuple[User, Lobby], listed: tuple[Path, list[gallery.Shot]]
) -> None:
    routes = [
        route for route in server.routes if isinstance(route, Route) and not route.path.startswith("/_")
    ]
    paths = {shot.address.partition("?")[0] for shot in listed[1]}

    def fits(route: Route, path: str) -> bool:
        return route.matches({"type": "http", "method": "GET", "path": path})[0] is Fit.FULL

    pages = [route for route in routes if route.path != "/favicon.ico"]
    assert len(pages) > 5
    assert [route.path for route in pages if not any(fits(route, path) for path in paths)] == []
    nowhere = {path for path in paths if not any(fits(route, path) for route in pages)}
    assert nowhere == {"/no/such/page"}


def test_pictures_are_laid_out_on_a_sheet(tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / "index.html"
    page.write_text("<p>A page of the documentation")
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "part.html").write_text("no page")
    shots = gallery.docs_shots(tmp_path)
    assert [shot.title for shot in shots] == ["docs-index-light"]
    missing = gallery.take(
        browser, "", [*shots, gallery.Shot("docs", "gone", "file:///no/such/file")], tmp_path
    )
    assert len(missing) == 1
    assert missing[0].startswith("docs-gone-light: ")
    for name in ("docs.png", "shots/docs-index-light.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_a_pattern_that_no_picture_has_is_refused_in_one_line() -> None:
    command = [sys.executable, str(ROOT / "tools" / "gallery.py"), "--only", "chess*"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(
        "no picture is called chess*: the names begin with atari_go, breakthrough, "
    )
    assert done.stderr.count("\n") == 1
