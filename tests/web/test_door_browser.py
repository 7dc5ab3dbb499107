"""The door in a real browser: what other sites can make of it, and what a page is kept from."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from playwright.sync_api import Page, expect
from serving import Server, running

from coppice.web.new_game import new_room
from coppice.web.saved_games import SavedGames


@contextmanager
def other_site(text: str) -> Iterator[str]:
    """A page of another site: its name is another one, as its port is."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f"<!doctype html><meta charset=utf-8>{text}".encode()
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_friend_comes_in_by_an_invitation_in_a_mail_and_later_by_a_link_with_a_click(
    page: Page, tmp_path: Path
) -> None:
    saved = SavedGames(tmp_path / "coppice-tables.db")
    room, _ = new_room("tic_tac_toe", "link", "first", None)
    saved.save(room)
    saved.close()
    (code,) = [seat.invitation for seat in (room.seats or {}).values() if seat.invitation]
    with running(tmp_path, "--host", "0.0.0.0") as server:
        address = urlsplit(server.url)
        (token,) = parse_qs(address.query)["token"]
        origin = f"http://{address.netloc}"
        invitation = f"{origin}/join/{room.identity}/{code}?token={token}"
        position = f"{origin}/analyse?game=tic_tac_toe&moves=b2"
        links = f'<a href="{invitation}">invitation</a> <a href="{position}">position</a>'
        with other_site(links) as mail:
            # A stranger has nothing from a link to a position, click or not.
            page.goto(mail)
            page.get_by_text("position").click()
            page.get_by_text("Go on to Coppice").click()
            expect(page.get_by_text("This server needs a token")).to_be_visible()
            page.goto(mail)
            page.get_by_text("invitation").click()
            page.get_by_role("button", name="Join the game").click()
            expect(page.locator(".board-frame .cell").first).to_be_visible()
            page.goto(mail)
            page.get_by_text("invitation").click()
            # The address that is shown, kept and copied has no token.
            page.wait_for_url(f"{origin}/join/{room.identity}/{code}")
            page.goto(mail)
            page.get_by_text("position").click()
            assert page.locator(".board-frame").count() == 0
            page.get_by_text("Go on to Coppice").click()
            expect(page.locator(".board-frame .cell").first).to_be_visible()
            page.wait_for_url(f"{origin}/game/**")


def test_another_site_cannot_make_a_browser_open_tables(page: Page, tmp_path: Path) -> None:
    with running(tmp_path) as server:
        target = f"{server.url}/analyse?game={quote('havannah(size=4)')}"
        # Each of these is asked for by the browser as soon as the page is there.
        tries = (
            f'<img src="{target}"><script src="{target}"></script><link rel=stylesheet href="{target}">'
            f'<iframe src="{target}"></iframe><object data="{target}"></object>'
            f"<script>fetch('{target}', {{mode: 'no-cors', credentials: 'include'}})"
            ".catch(() => 0).then(() => {"
            f"const socket = new WebSocket('{server.url.replace('http', 'ws')}/_nicegui_ws/socket.io/"
            "?EIO=4&transport=websocket'); socket.onopen = () => document.title = 'open';"
            "socket.onerror = () => document.title = 'refused'; });</script>"
        )
        statuses: list[int] = []
        page.on(
            "response", lambda answer: statuses.append(answer.status) if "analyse" in answer.url else None
        )
        with other_site(tries) as evil:
            page.goto(evil)
            expect(page).to_have_title("refused")
        assert statuses
        assert set(statuses) == {403}
        saved = SavedGames(tmp_path / "coppice-tables.db")
        assert saved.count() == 0
        saved.close()


def test_a_page_runs_no_script_but_its_own(page: Page, server: Server) -> None:
    page.goto(server.url)
    page.wait_for_selector(".card svg")
    forbidden = page.evaluate(
        """async () => {
          const told = [];
          document.addEventListener("securitypolicyviolation", (e) => told.push(e.effectiveDirective));
          const place = document.createElement("div");
          document.body.append(place);
          place.innerHTML = '<img src="data:," onerror="taken = 1"><a href="javascript:taken = 1">x</a>';
          place.querySelector("a").click();
          const script = document.createElement("script");
          script.textContent = "window.taken = 1";
          document.body.append(script);
          const frame = document.createElement("iframe");
          frame.src = "http://evil.example/";
          document.body.append(frame);
          await fetch("http://evil.example/").catch(() => {});
          while (told.length < 5) await new Promise((resolve) => setTimeout(resolve, 10));
          return [window.taken ?? null, ...new Set(told)];
        }"""
    )
    assert set(forbidden) == {"script-src-attr", "script-src-elem", "frame-src", "connect-src", None}
