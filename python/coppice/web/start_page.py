"""The start page: all games, and those that a browser can go on with."""

from __future__ import annotations

import json

from nicegui import ui
from nicegui.client import Client

from coppice.core.catalogue import PartInfo
from coppice.web.boards import plain_name
from coppice.web.frame import framed
from coppice.web.levels import boards, games
from coppice.web.lobby import Lobby
from coppice.web.pictures import sample_picture

__all__ = ["add_pages", "goes_on", "warm_up"]

REMEMBERED = 12
"""Games that a browser remembers; one that says more is not believed."""


def add_pages(lobby: Lobby) -> None:
    """Adds the pages of this file to the app."""

    @ui.page("/")
    async def start(client: Client) -> None:
        with framed(""):
            with ui.element("div").classes("hero"):
                ui.label("Play. Then see what the search saw.").classes("headline")
                ui.label(
                    "Board games against a Monte-Carlo tree search, from a first opponent to a strong one, "
                    "with its thoughts on the board whenever you want them."
                ).classes("soft lead")
            recent = ui.element("div").classes("recent")
            with ui.element("div").classes("cards"):
                for part in games():
                    _card(part)
        await client.connected()
        await _show_recent(lobby, client, recent)


def warm_up() -> None:
    """Draws the pictures of the start page."""
    for part in games():
        sample_picture(boards(part.name)[0], plain_name(part.name))


def _card(part: PartInfo) -> None:
    name = plain_name(part.name)
    with ui.link(target=f"/new/{part.name}").classes("card").mark(f"card-{part.name}"):
        with ui.element("div").classes("card-board"):
            ui.html(sample_picture(boards(part.name)[0], name), sanitize=False)
        ui.label(name).classes("card-name")
        ui.label(part.doc + ".").classes("soft small")


async def _show_recent(lobby: Lobby, client: Client, place: ui.element) -> None:
    try:
        stored = await client.run_javascript(
            'return localStorage.getItem("coppice.games") || "[]"', timeout=5
        )
        if client.is_deleted:
            # Nobody has come who could answer, or nobody is there any more.
            return
        entries = json.loads(stored)
    except (TimeoutError, ValueError):
        return
    shown = [
        entry
        for entry in (entries if isinstance(entries, list) else [])[:REMEMBERED]
        if isinstance(entry, dict) and await goes_on(lobby, str(entry.get("url", "")))
    ]
    if not shown or client.is_deleted:
        return
    with place:
        ui.label("Go on with").classes("soft small")
        for entry in shown[:5]:
            with ui.link(target=str(entry["url"])).classes("recent-game"):
                ui.label(str(entry.get("game", ""))[:30]).classes("strong")
                ui.label(str(entry.get("what", ""))[:40]).classes("soft small")


async def goes_on(lobby: Lobby, url: str) -> bool:
    """Whether there is something to go on with at an address: a game that is not over, or an analysis."""
    place, _, rest = url.removeprefix("/").partition("/")
    if place != "game":
        return False
    try:
        room = await lobby.find(rest.partition("?")[0])
    except ValueError:
        # Its game is no longer welcome here.
        return False
    return room is not None and (room.seats is None or not room.over)
