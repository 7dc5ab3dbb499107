"""What a browser sends over its socket: whatever it is, nothing breaks, grows or keeps others waiting."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import string
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from serving import Server, running
from visitors import Visitor

from coppice.web.limits import Limits
from coppice.web.packets import is_packet, is_well_formed

PAGES = (
    "/analyse?game=havannah(size%3D4)",
    "/new/havannah",
    "/laboratory",
    "/setup?game=havannah",
    "/analyse",
    "/",
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
GOOD: dict[str, dict[str, Any]] = {
    "event": {"client_id": "c", "id": 3, "listener_id": "l", "args": ['"x"', None]},
    "handshake": {
        "client_id": "c",
        "tab_id": "t",
        "old_tab_id": None,
        "document_id": "d",
        "next_message_id": "0",
    },
    "javascript_response": {"client_id": "c", "request_id": "r", "result": 1},
    "ack": {"client_id": "c", "next_message_id": 5},
}


WRONG: dict[str, list[Any]] = {
    "client_id": [None, 1, "", "x" * 101, ["c"], {}],
    "id": [None, "3", 1.5, [], {}],
    "listener_id": [None, 1, "", "x" * 101, []],
    "args": [None, "x", {}, [1], [["x"]], [{}], ["x"] * 21],
    "tab_id": [None, 1, "", "x" * 101],
    "old_tab_id": [1, "", "x" * 101, {}],
    "document_id": [None, 1, ""],
    "next_message_id": ["x", "-1", "", -1, 1.5, True, [], "9" * 16],
    "request_id": [None, 1, "", "x" * 101],
}


@pytest.mark.parametrize("event", GOOD)
def test_a_message_is_heard_if_each_of_its_parts_is_as_a_page_sends_it(event: str) -> None:
    good = GOOD[event]
    assert is_well_formed(event, good)
    assert is_packet("42" + json.dumps([event, good]))
    assert is_packet("4217" + json.dumps([event, good]))
    for part in good.keys() & WRONG.keys():
        for wrong in WRONG[part]:
            assert not is_packet("42" + json.dumps([event, {**good, part: wrong}])), (part, wrong)
    for part in (
        good.keys() - {"result", "old_tab_id"} - ({"next_message_id"} if event == "handshake" else set())
    ):
        assert not is_well_formed(event, {name: value for name, value in good.items() if name != part})
    for text in ("43", "45", "45-", "42/x,", "42 ", "42" + "1" * 10, "4", ""):
        assert not is_packet(text + json.dumps([event, good])), text
    for said in ([event], [event, good, good], [event, [good]], [[event], good], {"0": event, "1": good}):
        assert not is_packet("42" + json.dumps(said))


@given(
    JSON | st.lists(st.sampled_from([*GOOD, "connect", "disconnect", "log"]) | JSON, max_size=3), st.text()
)
def test_anything_else_is_not_heard(said: Any, text: str) -> None:
    for each in ("42" + json.dumps(said), "42" + text, "42[" + text, "45" + text):
        assert not is_packet(each)
    assert not is_packet(None)
    assert not is_packet("42" + "[" * 100_000)


def texts(chance: random.Random) -> Iterator[str]:
    """Packets, from nothing at all to almost right ones."""
    frames = [
        "",
        "0",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "40",
        "41",
        "42",
        "43",
        "44",
        "45",
        "46",
        "9",
        "42[]",
        "42{}",
    ]
    names = ["event", "handshake", "ack", "log", "javascript_response", "connect", "disconnect", "nobody"]
    values: list[Any] = [
        None,
        True,
        -1,
        10**30,
        1e308,
        "",
        "x" * 5000,
        "é\0",
        [],
        {},
        [[[[]]]],
        {"a": {"b": [1]}},
    ]
    while True:
        kind = chance.randrange(6)
        if kind == 0:
            yield chance.choice(frames) + "".join(chance.choices(string.printable, k=chance.randrange(40)))
        elif kind == 1:
            yield f"42{'[' * chance.choice([1, 100, 5000, 100_000])}"
        elif kind == 2:
            # Attachments that never come.
            yield f"45{chance.choice(['1', '99', '9999999999', '-1', ''])}-" + json.dumps(
                [chance.choice(names), {"_placeholder": True, "num": chance.choice([0, 7, -1])}]
            )
        elif kind == 3:
            yield "42" + json.dumps([chance.choice(names), *chance.choices(values, k=chance.randrange(4))])
        elif kind == 4:
            parts = ["client_id", "id", "listener_id", "args", "tab_id", "document_id", "request_id", "level"]
            yield "42" + json.dumps([chance.choice(names), {part: chance.choice(values) for part in parts}])
        else:
            space, value = chance.choice(["/", "/x", "/" + "y" * 3000]), json.dumps(chance.choice(values))
            yield f"4{chance.randrange(7)}{space},{chance.randrange(10**6)}{value}"


def resident(server: Server) -> int:
    """The memory of a server now, in bytes."""
    for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


async def throw_packets(server: Server, number: int, seed: int) -> None:
    """Sends packets of which none is right, on new sockets whenever the server has had enough of one."""
    chance = random.Random(seed)
    packets = texts(chance)
    address = f"{server.url}/_nicegui_ws/socket.io/?EIO=4&transport=websocket&client_id={uuid.uuid4()}"
    left = number
    async with aiohttp.ClientSession(headers={"Origin": server.url}) as session:
        while left > 0:
            async with session.ws_connect(address) as socket:
                with contextlib.suppress(ConnectionError):
                    for _ in range(min(left, chance.choice([5, 50]))):
                        left -= 1
                        text = next(packets)
                        if chance.random() < 0.1:
                            await socket.send_bytes(text.encode())
                        else:
                            await socket.send_str(text)


async def throw_events(server: Server, path: str, number: int, seed: int) -> None:
    """Sends events to everything on a page that listens, with values that no page of ours would send."""
    chance = random.Random(seed)
    visitor = Visitor(server.url)
    await visitor.open(path)
    listeners = [
        (int(key), event["listener_id"])
        for key, element in visitor._elements.items()
        for event in element.get("events", [])
    ]
    values = [
        "null",
        "true",
        "-1",
        "1e308",
        '"x"',
        json.dumps("x" * 3000),
        "[]",
        "{}",
        "[[1, 2], {}]",
        "NaN",
        "{",
        "",
    ]
    values += [
        '{"name": 7, "node": "x"}',
        '{"value": [], "label": {}}',
        "[null, null]",
        "99999999999999999999",
    ]
    for _ in range(number):
        if not listeners or not visitor._socket.connected:
            break
        key, listener = chance.choice(listeners)
        message = {
            "id": key,
            "client_id": visitor._query["client_id"],
            "listener_id": chance.choice([listener, listener, "nobody"]),
            "args": chance.choices(values, k=chance.randrange(3)),
        }
        await visitor._socket.emit("event", message)
    # All has been heard when this is answered.
    with contextlib.suppress(Exception):
        nobody = {"client_id": "x", "tab_id": "x", "document_id": "x"}
        await visitor._socket.call("handshake", nobody, timeout=60)
    await visitor.close()


async def under_fire(folder: Path, number: int, *more: str) -> tuple[int, str]:
    """Bytes that a server grows by while it is sent nonsense, and what it has said; it goes on serving."""
    with running(folder, *more) as server:
        async with aiohttp.ClientSession() as session:

            async def answers() -> None:
                async with session.get(server.url) as answer:
                    assert answer.status == 200

            for path in PAGES:
                await throw_events(server, path, 5, seed=0)
            await throw_packets(server, 100, seed=0)
            before = resident(server)
            await asyncio.gather(*(throw_packets(server, number, seed) for seed in (1, 2)))
            await answers()
            await asyncio.gather(*(throw_events(server, path, number, 3) for path in PAGES))
            await answers()
            grown = resident(server) - before
            # A message too long ends its socket while it streams, and a socket too fast has to wait.
            address = f"{server.url}/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
            async with session.ws_connect(address, headers={"Origin": server.url}) as socket:
                with contextlib.suppress(ConnectionError):
                    await socket.send_str("42" + "x" * (Limits().message_bytes + 1))
                async for message in socket:
                    assert message.type == aiohttp.WSMsgType.TEXT
                assert socket.close_code == 1009
            await answers()
        assert server.process.poll() is None
        return grown, (folder / "stderr.txt").read_text()


FAST = ("--limit", "messages_per_second=100000", "--limit", "bytes_per_second=1000000000")
"""Nonsense may come as fast as it can: it is not the rate that is tried here."""


async def test_a_server_that_is_sent_nonsense_goes_on_and_does_not_grow(tmp_path: Path) -> None:
    grown, told = await under_fire(tmp_path, 300, *FAST)
    assert grown < 100 << 20
    assert "Traceback" not in told, told


@pytest.mark.evidence
async def test_a_server_that_is_sent_much_nonsense_goes_on_and_does_not_grow(tmp_path: Path) -> None:
    grown, told = await under_fire(tmp_path, 30_000, *FAST)
    print(f"\n{2 * 30_000 + len(PAGES) * 30_000:,} messages: {grown / 2**20:.0f} MiB more")
    assert grown < 200 << 20
    assert "Traceback" not in told, told


async def test_a_page_hears_its_own_sockets_alone(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        mine, other = Visitor(server.url), Visitor(server.url)
        await mine.open("/analyse?game=tic_tac_toe")
        await other.open("/analyse?game=tic_tac_toe")
        own = other._query["client_id"]
        nobody = {"client_id": "x", "tab_id": "x", "document_id": "x"}
        before = mine.position["node"]
        # Whoever knows the name of somebody's page cannot act there.
        other._query["client_id"] = mine._query["client_id"]
        elements, other._elements = other._elements, mine._elements
        await other.play("b2")
        await other._socket.call("handshake", nobody, timeout=60)
        other._query["client_id"], other._elements = own, elements
        await other.play("a1")
        await other.wait_for(lambda position: position["node"] != 0)
        assert mine.position["node"] == before
        await mine.play("b2")
        await mine.wait_for(lambda position: position["node"] == 1)
        assert len(mine.position["held"]) == 1
        await mine.close()
        await other.close()
