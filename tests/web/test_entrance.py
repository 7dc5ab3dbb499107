"""Who is let in, from end to end: the address of the command line, token, cookie, origin of a socket."""

from __future__ import annotations

import http.client
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from serving import Server, running

from coppice.cli import web as command
from coppice.web.address import EVERYWHERE, is_loopback, own_address
from coppice.web.settings import Settings

SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
UPGRADE = {
    "connection": "Upgrade",
    "upgrade": "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
}
PAGES = ("/", "/new/tic_tac_toe", "/game/x", "/join/x/y", "/laboratory", "/nowhere", "/_nicegui/x")


def knock(server: Server, path: str = "/", **headers: str) -> tuple[int, dict[str, str], str]:
    """What a request gets: status, headers, text. Nothing is sent but these headers and the host."""
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=60)
    connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
    for name, value in {"host": address.netloc, **headers}.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    # After a handshake the connection is the socket's: there is no text to wait for.
    text = "" if answer.status == 101 else answer.read().decode("utf-8", "replace")
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text


def socket(server: Server, **headers: str) -> int:
    """The status that a socket's handshake gets: 101 opens it."""
    return knock(server, SOCKET, **UPGRADE, **headers)[0]


def own_origin(server: Server) -> str:
    address = urlsplit(server.url)
    return f"{address.scheme}://{address.netloc}"


# The command line


def test_only_the_machines_own_names_are_loopback() -> None:
    assert [host for host in ("127.0.0.1", "localhost", "::1") if not is_loopback(host)] == []
    elsewhere = (*EVERYWHERE, "192.168.1.7", "10.0.0.1", "example.org", "", "127.0.0.1.example.org")
    assert [host for host in elsewhere if is_loopback(host)] == []
    assert EVERYWHERE == ("0.0.0.0", "::")


def settings_of(host: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """What `coppice web --host` would serve with."""
    served: list[tuple[Settings, bool]] = []
    monkeypatch.setattr("coppice.web.server.serve", lambda settings, *, show: served.append((settings, show)))
    monkeypatch.setattr("coppice.web.server.free_port", lambda host, port: port + 1)
    command.web(port=9000, host=host, store=folder / "x.db", threads=3, guest=[], show=False)
    ((settings, show),) = served
    assert (settings.port, settings.host, settings.threads, show) == (9001, host, 3, False)
    return settings


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org"])
def test_an_address_that_others_reach_has_a_token_that_cannot_be_guessed(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = {settings_of(host, tmp_path, monkeypatch).token for _ in range(3)}
    assert len(tokens) == 3
    assert all(len(token) >= 20 for token in tokens)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_this_machines_own_address_needs_no_token(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert settings_of(host, tmp_path, monkeypatch).token == ""


# A public server, as it is started


def test_a_public_server_lets_in_who_has_its_token_and_nobody_else(tmp_path: Path) -> None:
    with running(tmp_path, "--host", "0.0.0.0") as server:
        address = urlsplit(server.url)
        (token,) = parse_qs(address.query)["token"]
        assert address.hostname == "localhost"
        assert len(token) >= 20
        for path in PAGES:
            for more in ("", "?token=", f"?token={token[:-1]}", f"?Token={token}"):
                status, headers, text = knock(server, path + more)
                assert (status, "set-cookie" in headers) == (403, False), path + more
                assert "open the address that it printed when it was started" in text
                assert token not in text
        # The address that was printed, and from then on the cookie that it left.
        status, headers, text = knock(server, f"/?token={token}")
        assert status == 200
        assert "Coppice" in text
        left = headers["set-cookie"]
        for part in ("Path=/", "HttpOnly", "SameSite=Lax"):
            assert part in left.split("; ")
        assert int(re.findall(r"Max-Age=(\d+)", left)[0]) >= 86_400
        cookie = left.partition(";")[0]
        status, headers, _ = knock(server, "/new/tic_tac_toe", cookie=f"other=1; {cookie}")
        assert (status, "set-cookie" in headers) == (200, False)
        # A link of somebody who has the token is of no use to the sites that it leads to.
        assert (headers["referrer-policy"], headers["x-frame-options"]) == ("same-origin", "DENY")
        for wrong in (f"{cookie}x", cookie[:-1], f"token={token}", "coppice_token="):
            assert knock(server, cookie=wrong)[0] == 403, wrong
        # The machine has many names: what somebody calls it does not matter with a token, nor without.
        assert knock(server, host="example.org", cookie=cookie)[0] == 200
        assert knock(server, host="localhost")[0] == 403
        # Sockets: the cookie, and no other site.
        own = own_origin(server)
        assert socket(server, cookie=cookie, origin=own) == 101
        assert socket(server, cookie=cookie) == 101
        assert socket(server, origin=own) == 403
        assert socket(server, cookie=f"{cookie}x", origin=own) == 403
        for site in ("http://evil.example", "null", f"{own}.evil.example", f"http://{own_address()}:1"):
            assert socket(server, cookie=cookie, origin=site) == 403, site


def test_a_server_of_this_machine_answers_to_its_own_names_alone(server: Server) -> None:
    port = urlsplit(server.url).port
    for name in ("127.0.0.1", "localhost", "[::1]"):
        assert knock(server, host=f"{name}:{port}")[0] == 200
        assert knock(server, host=name)[0] == 200
    for name in (
        "evil.example",
        f"evil.example:{port}",
        "0.0.0.0",
        f"127.0.0.1.evil.example:{port}",
        "localhost:x",
        "",
    ):
        for path in PAGES:
            status, _, text = knock(server, path, host=name)
            assert status == 403, (name, path)
            assert "This server answers to this machine only." in text
    own = own_origin(server)
    assert socket(server, origin=own) == 101
    assert socket(server) == 101
    for site in ("http://evil.example", "null", f"http://localhost.evil.example:{port}", f"{own}0"):
        assert socket(server, origin=site) == 403, site
    assert socket(server, host="evil.example", origin="http://evil.example") == 403
    # A token means nothing here, and leaves nothing.
    status, headers, _ = knock(server, "/?token=x")
    assert (status, "set-cookie" in headers) == (200, False)
