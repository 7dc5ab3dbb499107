"""Who is let in, from end to end: the address of the command line, token, cookie, origin of a socket."""

from __future__ import annotations

import contextlib
import http.client
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from socket import gethostname
from urllib.parse import parse_qs, urlsplit

import pytest
from patience import wait_for
from serving import Server, running

from coppice.cli import web as command
from coppice.web.address import EVERYWHERE, is_loopback, own_address
from coppice.web.saved_games import SavedGames
from coppice.web.settings import Settings

SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
UPGRADE = {
    "connection": "Upgrade",
    "upgrade": "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
}
PAGES = ("/", "/new/tic_tac_toe", "/game/x", "/join/x/y", "/laboratory", "/nowhere", "/_nicegui/x")


def knock(
    server: Server, path: str = "/", *, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], str]:
    """What a request gets: status, headers, text. Nothing is sent but these headers and the host."""
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=60)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
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
    command.web(
        port=9000,
        host=host,
        store=folder / "x.db",
        threads=3,
        guest=[],
        name=["a.example"],
        limit=["games=7"],
        show=False,
    )
    ((settings, show),) = served
    assert (settings.port, settings.host, settings.threads, show) == (9001, host, 3, False)
    assert (settings.names, settings.limits.games) == (("a.example",), 7)
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

OTHER_SITE = {"sec_fetch_site": "cross-site"}
FOLLOWED = {**OTHER_SITE, "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
"""A link on a page of another site, which somebody has clicked."""


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """A server for others, and its token; whatever is done to it, its token is in no log."""
    folder = tmp_path_factory.mktemp("public")
    with running(folder, "--host", "0.0.0.0", "--name", "friends.example") as server:
        (token,) = parse_qs(urlsplit(server.url).query)["token"]
        yield server, token
    told = (folder / "stderr.txt").read_text()
    assert token not in told
    assert "Traceback" not in told, told


def cookie_of(token: str) -> str:
    return f"coppice_token={token}"


def test_a_public_server_lets_in_who_has_its_token_and_nobody_else(public: tuple[Server, str]) -> None:
    server, token = public
    assert urlsplit(server.url).hostname == "localhost"
    assert len(token) >= 20
    for path in PAGES:
        for more in ("", "?token="):
            status, headers, text = knock(server, path + more)
            assert (status, "set-cookie" in headers) == (403, False), path + more
            assert "open the address that it printed when it was started" in text
            assert token not in text
    for more in (f"?token={token[:-1]}", f"?Token={token}"):
        assert knock(server, f"/{more}")[0] == 403
    # The address that was printed, and from then on the cookie that it left.
    status, headers, text = knock(server, f"/?token={token}")
    assert status == 200
    assert "Coppice" in text
    assert token not in text
    left = headers["set-cookie"]
    for part in ("Path=/", "HttpOnly", "SameSite=Strict"):
        assert part in left.split("; ")
    assert int(re.findall(r"Max-Age=(\d+)", left)[0]) >= 86_400
    cookie = left.partition(";")[0]
    status, headers, text = knock(server, "/new/tic_tac_toe", cookie=f"a/b=1; other; {cookie}")
    assert (status, "set-cookie" in headers, token in text) == (200, False, False)
    for wrong in (f"{cookie}x", cookie[:-1], f"token={token}", "coppice_token="):
        assert knock(server, cookie=wrong)[0] == 403, wrong


def test_a_public_server_has_the_names_of_its_machine_and_those_it_was_given(
    public: tuple[Server, str],
) -> None:
    server, token = public
    for name in ("friends.example", "Friends.Example:1", "192.168.1.7", "[fe80::1]:80", gethostname()):
        assert knock(server, host=name, cookie=cookie_of(token))[0] == 200, name
    for name in ("evil.example", "friends.example.evil.example", "192.168.1.7.evil.example", "", "a b"):
        for path in (*PAGES, f"/?token={token}"):
            status, headers, text = knock(server, path, host=name, cookie=cookie_of(token))
            assert (status, "set-cookie" in headers) == (403, False), (name, path)
            assert "not known by this name" in text


def test_a_socket_needs_the_cookie_and_a_page_of_this_server(public: tuple[Server, str]) -> None:
    server, token = public
    cookie, own = cookie_of(token), own_origin(server)
    assert socket(server, cookie=cookie, origin=own) == 101
    assert socket(server, origin=own) == 403
    assert socket(server, cookie=f"{cookie}x", origin=own) == 403
    assert socket(server, cookie=cookie) == 403
    for site in ("http://evil.example", "null", "", f"{own}.evil.example", f"http://{own_address()}:1"):
        assert socket(server, cookie=cookie, origin=site) == 403, site
    # Sockets alone: what is not one has neither their order nor their bounds.
    assert knock(server, SOCKET.replace("=websocket", "=polling"), cookie=cookie)[0] == 400


def test_another_site_can_ask_for_nothing_but_what_somebody_sees_and_clicks(
    public: tuple[Server, str],
) -> None:
    server, token = public
    cookie = cookie_of(token)
    for path in (*PAGES, "/analyse?game=havannah"):
        # A picture, a frame, a script, a form that is sent by itself.
        for mode, dest in (("no-cors", "image"), ("navigate", "iframe"), ("cors", "empty")):
            asked = {**OTHER_SITE, "sec_fetch_mode": mode, "sec_fetch_dest": dest, "cookie": cookie}
            assert knock(server, path, **asked)[0] == 403, (path, dest)
        assert knock(server, path, cookie=cookie, origin="http://evil.example")[0] == 403
        assert knock(server, path, cookie=cookie, origin="null")[0] == 403
    # Somebody follows a link, whose cookie the browser keeps back: one click more.
    for more in ({}, {"cookie": cookie}):
        status, headers, text = knock(server, "/analyse?game=havannah&moves=d4+a1", **FOLLOWED, **more)
        assert (status, "set-cookie" in headers) == (200, False)
        assert 'href="/analyse?game=havannah&amp;moves=d4+a1"' in text
        assert "parseElements" not in text, "it is not the page itself"
    for odd in ("//evil.example/", "/%5cevil.example", "/%09/evil.example", '/"onclick="x'):
        text = knock(server, odd, **FOLLOWED)[2]
        (link,) = re.findall(r'href="([^"]*)"', text)
        assert re.match(r"/[\w%]", link), odd
    # An invitation brings its token: who was sent one comes in at once, also from a page with mails.
    status, headers, text = knock(server, f"/join/x/y?token={token}", **FOLLOWED)
    assert (status, "set-cookie" in headers) == (404, True)
    assert "There is no game here" in text
    assert 'href="/join' in knock(server, "/join/x/y?token=guess", **FOLLOWED)[2]
    # Nothing is changed by a request that no page of ours has made.
    own = own_origin(server)
    for method in ("POST", "PUT", "DELETE"):
        for path in ("/", "/_nicegui/client/x/upload/1"):
            assert knock(server, path, method=method, cookie=cookie, content_length="0")[0] == 403
            of_ours = {"cookie": cookie, "origin": own, "content_length": "0"}
            assert knock(server, path, method=method, **of_ours)[0] in (404, 405)


def test_every_answer_says_what_a_browser_may_do_with_it(public: tuple[Server, str]) -> None:
    server, token = public
    for path in ("/", f"/?token={token}", "/nowhere", "/_nicegui/x"):
        for cookie in ({}, {"cookie": cookie_of(token)}):
            headers = knock(server, path, **cookie)[1]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "DENY"
            assert headers["referrer-policy"] == "same-origin"
            assert headers["cross-origin-opener-policy"] == "same-origin"
            assert headers["cross-origin-resource-policy"] == "same-origin"
            assert "server" not in headers
            policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
            assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
            assert "unsafe-inline" not in policy["script-src"]
            assert policy["script-src-attr"] == "'none'"
    # Each page has a mark of its own, which its scripts have, and nothing else has.
    marks = []
    for _ in range(2):
        _, headers, text = knock(server, "/", cookie=cookie_of(token))
        (mark,) = re.findall(r"'nonce-([\w-]+)'", headers["content-security-policy"])
        scripts = re.findall(r"<script\b[^>]*>", text)
        assert len(scripts) >= 5
        assert all(f'nonce="{mark}"' in script for script in scripts)
        marks.append(mark)
    assert marks[0] != marks[1]


def test_who_guesses_tokens_has_to_wait(tmp_path: Path) -> None:
    with running(tmp_path, "--host", "0.0.0.0", "--limit", "wrong_tokens=3") as server:
        (token,) = parse_qs(urlsplit(server.url).query)["token"]
        # An old cookie comes with every request of a page: it is one guess.
        for _ in range(5):
            assert knock(server, cookie="coppice_token=old")[0] == 403
        assert knock(server, "/?token=a")[0] == 403
        assert knock(server, cookie=cookie_of(token))[0] == 200
        assert knock(server, "/?token=b")[0] == 403
        # The next ones are not even looked at, and who guessed learns nothing from a right one.
        for more in ({}, {"cookie": cookie_of(token)}):
            status, headers, text = knock(server, "/?token=c", **more)
            assert (status, "set-cookie" in headers) == (429, False)
            assert 1 <= int(headers["retry-after"]) <= 60
            assert "Too many wrong tokens" in text
        assert socket(server, cookie=cookie_of(token), origin=own_origin(server)) == 403


def test_a_server_of_this_machine_answers_to_its_own_names_alone(server: Server) -> None:
    port = urlsplit(server.url).port
    for name in ("127.0.0.1", "localhost", "[::1]"):
        assert knock(server, host=f"{name}:{port}")[0] == 200
        assert knock(server, host=name)[0] == 200
    for name in (
        "evil.example",
        f"evil.example:{port}",
        "0.0.0.0",
        "192.168.1.7",
        gethostname(),
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
    assert socket(server) == 403
    for site in ("http://evil.example", "null", f"http://localhost.evil.example:{port}", f"{own}0"):
        assert socket(server, origin=site) == 403, site
        assert knock(server, "/analyse?game=havannah", origin=site)[0] == 403, site
    assert socket(server, host="evil.example", origin="http://evil.example") == 403
    # A token means nothing here, and leaves nothing.
    status, headers, _ = knock(server, "/?token=x")
    assert (status, "set-cookie" in headers) == (200, False)
    text = knock(server, "/analyse?game=havannah&token=x", **FOLLOWED)[2]
    assert 'href="/analyse?game=havannah&amp;token=x"' in text


def test_an_address_alone_opens_no_table(server: Server) -> None:
    saved = SavedGames(Path(server.folder) / "coppice-tables.db")
    before = saved.count()
    for _ in range(3):
        assert knock(server, "/analyse?game=havannah(size%3D4)&moves=d4")[0] == 200
    assert saved.count() == before
    saved.close()


def test_an_upload_is_refused_while_it_streams(tmp_path: Path) -> None:
    with running(tmp_path, "--limit", "upload_bytes=100000") as server:
        page = knock(server, "/analyse")[2]
        (address,) = set(re.findall(r"/_nicegui/client/[\w-]+/upload/\d+", page))
        own = {"origin": own_origin(server)}
        form = "multipart/form-data; boundary=b"
        beginning = b'--b\r\ncontent-disposition: form-data; name="f"; filename="a.sgf"\r\n\r\n'

        def post(chunks: Iterable[bytes], **headers: str) -> int:
            connection = http.client.HTTPConnection("127.0.0.1", urlsplit(server.url).port, timeout=60)
            told = {**own, "content-type": form, **{k.replace("_", "-"): v for k, v in headers.items()}}
            chunked = "content_length" not in headers
            # The server may close while there is still something to be sent.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.request("POST", address, chunks, told, encode_chunked=chunked)
            answer = connection.getresponse()
            connection.close()
            return answer.status

        assert post([beginning, b"(;FF[4])", b"\r\n--b--\r\n"]) == 200
        # What says that it is large is not read at all; what does not say so, until it is.
        assert post(iter(()), content_length=str(10**12)) == 413
        sent = 0

        def endless() -> Iterator[bytes]:
            nonlocal sent
            yield beginning
            while sent < 50_000_000:
                sent += 65536
                yield b"x" * 65536

        assert post(endless()) == 413
        assert sent < 50_000_000


def test_there_are_so_many_pages_and_sockets_of_a_visitor(tmp_path: Path) -> None:
    limits = ("--limit", "pages_per_visitor=3", "--limit", "sockets_per_visitor=2")
    with running(tmp_path, *limits) as server:
        own = own_origin(server)
        assert [knock(server, "/")[0] for _ in range(4)] == [200, 200, 200, 429]
        assert "close some" in knock(server, "/new/tic_tac_toe")[2]
        held = [http.client.HTTPConnection("127.0.0.1", urlsplit(server.url).port) for _ in range(3)]
        statuses = []
        for connection in held:
            connection.request("GET", SOCKET, headers={**UPGRADE, "origin": own})
            statuses.append(connection.getresponse().status)
        assert statuses == [101, 101, 403]
        for connection in held:
            connection.close()
        # A place is free again when its socket is closed.
        wait_for(lambda: socket(server, origin=own) == 101)
