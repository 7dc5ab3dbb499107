"""What every page has: colours, header, the switch between light and dark, and friendly errors."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from importlib import resources

from nicegui import ui

__all__ = ["ask", "complain", "framed", "not_found"]

_THEME = """
<script>
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
  })();
</script>
"""


@functools.cache
def _style() -> str:
    return resources.files("coppice.web").joinpath("style.css").read_text(encoding="utf-8")


@contextlib.contextmanager
def framed(title: str, *, wide: bool = False) -> Iterator[None]:
    """A page with the header; what is made inside is its content."""
    ui.page_title(f"{title} · Coppice" if title else "Coppice")
    ui.colors(primary="#2f6b4f", secondary="#8a6d3b", accent="#c2632a")
    ui.add_head_html(_THEME + f"<style>{_style()}</style>")
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


def not_found(what: str) -> None:
    """A friendly page for an address that leads nowhere."""
    with ui.element("div").classes("empty"):
        ui.html(_LOGO, sanitize=False).classes("logo large")
        ui.label(what).classes("title")
        ui.label("The address may be mistyped, or the server may keep its games elsewhere.").classes("soft")
        ui.button("To the games", on_click=lambda: ui.navigate.to("/")).props("unelevated no-caps")


async def ask(question: str, yes: str) -> bool:
    """A confirmation, for what cannot be taken back."""
    with ui.dialog() as dialog, ui.card().classes("ask"):
        ui.label(question)
        with ui.row().classes("end"):
            ui.button("Cancel", on_click=lambda: dialog.submit(False)).props("flat no-caps")
            ui.button(yes, on_click=lambda: dialog.submit(True)).props("unelevated no-caps color=negative")
    answer = await dialog
    dialog.clear()
    return bool(answer)
