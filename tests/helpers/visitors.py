"""A browser without a browser: opens a page of the app, keeps its socket, clicks cells, hears the board."""

from __future__ import annotations

import ast
import asyncio
import html
import json
import re
import uuid
from typing import Any

import aiohttp
import socketio

__all__ = ["Visitor"]


class Visitor:
    """One page of the app, held open."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.position: dict[str, Any] = {}
        self.heard = 0
        self._socket = socketio.AsyncClient(reconnection=False)
        self._news = asyncio.Event()
        self._elements: dict[str, Any] = {}
        self._query: dict[str, Any] = {}

    async def open(self, path: str) -> None:
        """Loads a page and connects its socket, as the page's own script does."""
        async with aiohttp.ClientSession() as session, session.get(self.url + path) as answer:
            text = await answer.text()
            assert answer.status == 200, (path, answer.status)
        found = re.search(r"parseElements\(String\.raw`(.*?)`\)", text, re.S)
        assert found, "the page holds its elements"
        self._elements = json.loads(html.unescape(found[1]))
        query = re.search(r"query: (\{.*?\}),\n", text)
        assert query, "the page holds the address of its socket"
        self._query = ast.literal_eval(query[1].replace("true", "True"))
        self._socket.on("run_javascript", self._code)
        parameters = "&".join(f"{key}={str(value).lower()}" for key, value in self._query.items())
        more = f"&tab_id={uuid.uuid4()}&document_id={uuid.uuid4()}"
        await self._socket.connect(
            f"{self.url}?{parameters}{more}",
            transports=["websocket"],
            socketio_path="/_nicegui_ws/socket.io",
            headers={"Origin": self.url},
            # A busy machine is slow, not wrong.
            wait_timeout=60,
        )
        if str(self._query.get("implicit_handshake", "")).lower() != "true":
            data = {**self._query, "tab_id": str(uuid.uuid4()), "document_id": str(uuid.uuid4())}
            assert await self._socket.call("handshake", data)
        if any("position" in (each.get("props") or {}) for each in self._elements.values()):
            self.position = self._board()["props"]["position"]

    def _board(self) -> dict[str, Any]:
        return next(
            e
            for e in self._elements.values()
            if "board" in (e.get("props") or {}) and "position" in e["props"]
        )

    def _code(self, message: dict[str, Any]) -> None:
        self.heard += 1
        self._news.set()
        called = re.search(r'"setPosition", *(\[.*\])\)', message["code"], re.S)
        if called:
            self.position = json.loads(called[1])[0]
            self._news.set()

    async def play(self, name: str) -> None:
        """A click on the board."""
        number, board = next((key, e) for key, e in self._elements.items() if e is self._board())
        listener = next(event for event in board["events"] if event["type"] == "move")
        self._news.clear()
        await self._socket.emit(
            "event",
            {
                "id": int(number),
                "client_id": self._query["client_id"],
                "listener_id": listener["listener_id"],
                "args": [json.dumps({"name": name, "node": self.position["node"]})],
            },
        )

    async def wait_for(self, condition: Any, seconds: float = 120.0) -> None:
        """Waits for a position that a function likes."""
        async with asyncio.timeout(seconds):
            while not condition(self.position):
                await self._news.wait()
                self._news.clear()

    async def until_heard(self, number: int, seconds: float = 120.0) -> None:
        """Waits until the page has been told so many things."""
        async with asyncio.timeout(seconds):
            while self.heard < number:
                await self._news.wait()
                self._news.clear()

    async def close(self) -> None:
        """Closes the page."""
        await self._socket.disconnect()
