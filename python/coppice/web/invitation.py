"""Addresses to be given away: the invitation to a game, the link to a position, and who can use them."""

from __future__ import annotations

from urllib.parse import urlencode

from nicegui import ui
from nicegui.client import Client

from coppice.web.address import is_loopback, origin_for_others
from coppice.web.settings import Settings

__all__ = ["Sharing"]


class Sharing:
    """What one browser can give away."""

    def __init__(self, settings: Settings, client: Client) -> None:
        self.settings = settings
        asked = str(client.request.base_url) if client.request else ""
        self.origin = origin_for_others(settings.host, settings.port, asked)

    def invite(self, identity: str, code: str) -> None:
        """Shows the invitation to a game, where the page is being built."""
        token = f"?{urlencode({'token': self.settings.token})}" if self.settings.token else ""
        ui.label("Send this link to your friend:").classes("small")
        self._field(f"{self.origin}/join/{identity}/{code}{token}").mark("invitation")
        if is_loopback(self.settings.host):
            self._only_here()
        else:
            ui.label("It lets your friend in here. As a rule it works within your own network only.").classes(
                "soft small"
            )

    def position(self, path: str) -> None:
        """Shows the address of a position, where the page is being built."""
        if is_loopback(self.settings.host):
            ui.label("This address shows the position:")
        else:
            ui.label("This address shows the position to anybody whom this server knows:")
        self._field(f"{self.origin}{path}").mark("link")
        if is_loopback(self.settings.host):
            self._only_here()

    @staticmethod
    def _only_here() -> None:
        ui.label("It works on this computer only. For other computers, start the app with").classes(
            "soft small"
        )
        ui.label("coppice web --host 0.0.0.0").classes("spec")

    @staticmethod
    def _field(address: str) -> ui.input:
        """An address to be copied: a click selects all of it."""
        field = ui.input(value=address).props("readonly outlined dense").classes("share")
        return field.on("click", js_handler="(e) => e.target.select && e.target.select()")
