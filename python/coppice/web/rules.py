"""How to play: one page per game, with pictures from the game itself."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any

from nicegui import ui

from coppice.web.allowed import game_of
from coppice.web.boards import plain_name
from coppice.web.frame import framed, not_found
from coppice.web.jack_lessons import people_html
from coppice.web.levels import boards, games
from coppice.web.lobby import Lobby
from coppice.web.pictures import picture

__all__ = ["add_pages", "paragraphs"]


@functools.cache
def _data() -> dict[str, Any]:
    text = resources.files("coppice").joinpath("data", "rules.json").read_text(encoding="utf-8")
    entry: dict[str, Any] = json.loads(text)
    return entry


@functools.cache
def paragraphs(name: str) -> tuple[tuple[str, str], ...]:
    """The text of each paragraph and its picture as SVG; a game without a text of its own shows its board."""
    entries = _data()["games"].get(name)
    if entries is None:
        doc = next(part.doc for part in games() if part.name == name)
        entries = [{"text": f"{doc}.", "game": boards(name)[0], "moves": ""}]
    return tuple((entry["text"], _picture(entry)) for entry in entries)


def _picture(entry: dict[str, Any]) -> str:
    if "game" not in entry:
        return ""
    state = game_of(entry["game"]).start()
    return picture(state.play(*entry["moves"].split()), label=entry["text"])


def add_pages(lobby: Lobby) -> None:
    """Adds the pages of this file to the app."""

    @ui.page("/rules/{name}")
    async def rules(name: str) -> None:
        if not any(part.name == name for part in games()):
            with framed("No such game"):
                not_found(f"There is no game called {name[:40]}.")
            return
        with framed(f"How to play {plain_name(name)}"):
            ui.label(f"How to play {plain_name(name)}").classes("headline")
            for text, drawn in paragraphs(name):
                with ui.element("div").classes("rule"):
                    ui.label(text).classes("lead")
                    if drawn:
                        ui.html(drawn, sanitize=False).classes("picture-frame")
            if name == "mr_jack":
                ui.html(people_html(), sanitize=False)
            ui.button("Play", on_click=lambda: ui.navigate.to(f"/new/{name}")).props(
                "unelevated no-caps size=lg"
            )
