"""What every page has: colours, header, the switch between light and dark, and friendly errors."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from importlib import resources

from fastapi.exception_handlers import http_exception_handler
from fastapi.exceptions import RequestValidationError
from nicegui import app, ui
from nicegui.client import Client
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from coppice.web.door import NONCE

__all__ = ["PATIENCE", "add_error_pages", "ask", "complain", "framed", "not_found"]

PATIENCE = 30.0
"""Seconds that a page may take to be made: many come at once, and nobody is told that the server broke."""
_THEME = """
  // Who has come with a token is known from now on: the address can be shown to others.
  (function () {
    const here = new URL(location.href);
    if (!here.searchParams.has("token")) return;
    here.searchParams.delete("token");
    history.replaceState(history.state, "", here);
  })();
  // Before the first paint: the theme that was chosen here, or the system's.
  (function () {
    const stored = localStorage.getItem("coppice.theme");
    const dark = stored ? stored === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    window.coppiceTheme = function (toggle) {
      let dark = document.documentElement.dataset.theme === "dark";
      if (toggle) { dark = !dark; localStorage.setItem("coppice.theme", dark ? "dark" : "light"); }
      document.documentElement.dataset.theme = dark ? "dark" : "light";
      if (window.Quasar) Quasar.Dark.set(dark);
    };
    window.coppiceRemember = function (entry) {
      const known = JSON.parse(localStorage.getItem("coppice.games") || "[]");
      const games = [entry, ...known.filter((game) => game.url !== entry.url)];
      localStorage.setItem("coppice.games", JSON.stringify(games.slice(0, 12)));
    };
    window.addEventListener("load", () => window.coppiceTheme(false));
    // A list of the class `follow` shows its end whenever it changes, unless somebody has scrolled up in it.
    const left = new WeakSet();
    document.addEventListener("scroll", ({ target }) => {
      if (!target.classList || !target.classList.contains("follow")) return;
      const away = target.scrollHeight - target.clientHeight - target.scrollTop > 12;
      left[away ? "add" : "delete"](target);
    }, true);
    new MutationObserver(() => {
      for (const list of document.querySelectorAll(".follow")) {
        if (!left.has(list)) list.scrollTop = list.scrollHeight;
      }
    }).observe(document.documentElement, { childList: true, subtree: true });
  })();
"""


@functools.cache
def _style() -> str:
    return resources.files("coppice.web").joinpath("style.css").read_text(encoding="utf-8")


@contextlib.contextmanager
def framed(title: str, *, wide: bool = False) -> Iterator[None]:
    """A page with the header; what is made inside is its content."""
    ui.page_title(f"{title} · Coppice" if title else "Coppice")
    ui.colors(primary="#2f6b4f", secondary="#8a6d3b", accent="#c2632a")
    mark = ui.context.client.request.scope.get(NONCE, "")
    ui.add_head_html(f'<script nonce="{mark}">{_THEME}</script><style>{_style()}</style>')
    with ui.element("header").classes("top"), ui.element("div").classes("top-inner"):
        ui.html(_LOGO, sanitize=False).classes("logo")
        ui.link("Coppice", "/").classes("brand")
        with ui.element("nav").props('aria-label="Main"'):
            ui.link("Play", "/").classes("nav")
            ui.link("Analyse", "/analyse").classes("nav")
            ui.link("Laboratory", "/laboratory").classes("nav")
        ui.element("div").classes("grow")
        ui.button(icon="contrast").props('flat round dense aria-label="Light or dark"').on(
            "click", js_handler="() => window.coppiceTheme(true)"
        ).mark("theme")
    with ui.element("main").classes("page wide" if wide else "page"):
        yield


_LOGO = (
    '<a href="/" aria-label="Coppice, start page"><svg viewBox="0 0 32 32" width="28" height="28">'
    '<path d="M16 29V15M16 22L9 14M16 20l7-8M9 14V7M23 12V6M16 15V5" fill="none" stroke="currentColor"'
    ' stroke-width="2.4" stroke-linecap="round"/><g fill="currentColor"><circle cx="9" cy="6" r="3"/>'
    '<circle cx="16" cy="4" r="3"/><circle cx="23" cy="5.5" r="3"/></g></svg></a>'
)


def complain(error: object) -> None:
    """Tells what went wrong, in the words of the core."""
    ui.notify(sentence(error), type="warning", position="bottom", timeout=6000, close_button="Close")


def sentence(error: object) -> str:
    """What went wrong, as it is shown to people."""
    text = str(error)
    return text[:1].upper() + text[1:300]


def not_found(what: str, status: int = 404) -> None:
    """A friendly page for an address that leads nowhere, or (status 400) that asks for what cannot be."""
    ui.context.client.status_code = status
    with ui.element("div").classes("empty"):
        ui.html(_LOGO, sanitize=False).classes("logo large")
        ui.label(what).classes("title")
        if status == 404:
            ui.label("The address may be mistyped, or the server may keep its games elsewhere.").classes(
                "soft"
            )
        ui.button("To the games", on_click=lambda: ui.navigate.to("/")).props("unelevated no-caps")


def add_error_pages() -> None:
    """Answers with pages of our own where the framework would: an unknown address, a wrong part of one."""

    @app.exception_handler(404)
    async def unknown(request: Request, error: Exception) -> Response:
        if request.scope.get("endpoint") is not None and isinstance(error, HTTPException):
            # A file of the framework that is not there: no person reads this.
            return await http_exception_handler(request, error)
        return _answer(request, "There is no page at this address.", 404)

    @app.exception_handler(RequestValidationError)
    async def wrong(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        name = str(first["loc"][-1])[:40]
        missing = first["type"] == "missing"
        words = f"The address does not say which {name}." if missing else f"The address has a wrong '{name}'."
        return _answer(request, words, 400)


def _answer(request: Request, words: str, status: int) -> Response:
    with Client(ui.page(""), request=request) as client, framed("No such page"):
        not_found(words, status)
    return client.build_response(request, status)


async def ask(question: str, yes: str) -> bool:
    """A confirmation, for what cannot be taken back."""
    with ui.dialog() as dialog, ui.card().classes("ask"):
        ui.label(question)
        with ui.row().classes("end"):
            ui.button("Cancel", on_click=lambda: dialog.submit(False)).props("flat no-caps autofocus")
            ui.button(yes, on_click=lambda: dialog.submit(True)).props("unelevated no-caps color=negative")
    answer = await dialog
    dialog.clear()
    return bool(answer)
