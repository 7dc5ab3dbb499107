"""Latencies of the app (bench) and many players at one server (evidence)."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from serving import Server, running
from visitors import Visitor

from coppice.web.game_room import Seat
from coppice.web.new_game import new_room
from coppice.web.saved_games import SavedGames

CLICK = """
async ([cell]) => {
  const before = document.querySelectorAll('.pieces .piece').length;
  const started = performance.now();
  document.querySelector(`[data-cell='${cell}']`).dispatchEvent(new MouseEvent('click', {bubbles: true}));
  while (document.querySelectorAll('.pieces .piece').length === before) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    if (performance.now() - started > 5000) return 5000;
  }
  return performance.now() - started;
}
"""


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def open_board(browser: Browser, server: Server) -> Page:
    """Two people at one screen, on a board of 271 cells."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{server.url}/new/havannah")
    page.get_by_role("button", name="size 10").click()
    page.get_by_role("button", name="A friend here").click()
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector(".board-frame .cell")
    return page


def clicks(page: Page, number: int = 60) -> list[float]:
    """Milliseconds from click to stone."""
    names = [cell.get_attribute("data-cell") for cell in page.locator(".board-frame .cell").all()]
    return [page.evaluate(CLICK, [name]) for name in names[3 : 3 + 4 * number : 4]]


@pytest.mark.bench
def test_click_to_stone(browser: Browser, server: Server) -> None:
    page = open_board(browser, server)
    idle = clicks(page)
    middle, high = statistics.median(idle), percentile(idle, 0.95)
    print(f"\nclick to stone, idle: median {middle:.0f} ms, p95 {high:.0f} ms")
    page.close()
    searchers = []
    for _ in range(2):
        busy = browser.new_page()
        busy.goto(f"{server.url}/analyse?game=havannah(size=10)")
        busy.wait_for_selector(".candidate")
        searchers.append(busy)
    page = open_board(browser, server)
    loaded = clicks(page)
    print(
        f"click to stone, both cores searching: median {statistics.median(loaded):.0f} ms, "
        f"p95 {percentile(loaded, 0.95):.0f} ms"
    )
    for busy in (*searchers, page):
        busy.close()
    assert percentile(idle, 0.95) < 120
    assert percentile(loaded, 0.95) < 300


@pytest.mark.bench
def test_the_heat_map_runs_at_five_frames_a_second_and_more(browser: Browser, server: Server) -> None:
    page = browser.new_page()
    frames: list[int] = []

    def heard(payload: str | bytes) -> None:
        if "setHeat" in str(payload):
            frames.append(len(payload))

    page.on("websocket", lambda socket: socket.on("framereceived", heard))
    page.goto(f"{server.url}/analyse?game=havannah(size=10)")
    page.wait_for_selector(".candidate")
    frames.clear()
    started = time.monotonic()
    page.wait_for_timeout(6000)
    seconds = time.monotonic() - started
    rate = len(frames) / seconds
    print(
        f"\nheat map on size 10: {rate:.1f} frames a second, {sum(frames) / 1024 / seconds:.0f} KiB a second"
    )
    page.close()
    assert rate >= 5


@pytest.mark.bench
def test_the_first_page_is_there_within_two_seconds(browser: Browser, server: Server) -> None:
    times = []
    for _ in range(5):
        context = browser.new_context()
        page = context.new_page()
        started = time.monotonic()
        page.goto(server.url)
        page.wait_for_selector(".card svg")
        times.append(time.monotonic() - started)
        context.close()
    print(f"\nfirst page: median {statistics.median(times):.2f} s, slowest {max(times):.2f} s")
    assert statistics.median(times) < 2


async def play_a_game(url: str, identity: str, token: str, most_moves: int) -> int:
    """A simulated player against the computer; returns how many moves it made."""
    visitor = Visitor(url)
    await visitor.open(f"/game/{identity}?seat={token}")
    made = 0
    while made < most_moves:
        await visitor.wait_for(lambda position: position["moves"] or position["winning"])
        if not visitor.position["moves"]:
            break
        moves, node = visitor.position["moves"], visitor.position["node"]
        await visitor.play(moves[(7 * made + len(identity)) % len(moves)][0])
        await visitor.wait_for(lambda position, node=node: position["node"] != node)
        made += 1
    await visitor.close()
    return made


def memory_of(pid: int) -> int:
    """The most memory that a process has had, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmHWM")


async def play_many(tmp_path: Path, players: int, moves: int) -> tuple[list[int], int, str, float]:
    saved = SavedGames(tmp_path / "coppice-tables.db")
    seats = []
    for _ in range(players):
        room, token = new_room(
            "havannah(size=8)", "computer", "first", Seat("computer", "Sapling", "rave", 300)
        )
        saved.save(room)
        seats.append((room.identity, token))
    saved.close()
    with running(tmp_path) as server:
        started = time.monotonic()
        made = await asyncio.gather(*(play_a_game(server.url, *seat, moves) for seat in seats))
        seconds = time.monotonic() - started
        memory = memory_of(server.process.pid)
    return list(made), memory, (tmp_path / "stderr.txt").read_text(), seconds


async def test_a_few_simulated_players_share_a_server(tmp_path: Path) -> None:
    made, _, errors, _ = await play_many(tmp_path, players=3, moves=3)
    assert made == [3, 3, 3]
    assert "Traceback" not in errors, errors


@pytest.mark.evidence
async def test_fifty_players_on_one_server(tmp_path: Path) -> None:
    made, memory, errors, seconds = await play_many(tmp_path, players=50, moves=30)
    print(f"\n50 players, {sum(made)} moves in {seconds:.0f} s, at most {memory / 2**20:.0f} MiB")
    assert all(moves >= 1 for moves in made)
    assert sum(made) >= 500
    assert memory < 2**30
    assert "Traceback" not in errors, errors


def resident(pid: int) -> int:
    """The memory of a process now, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


async def visit(url: str, seat: tuple[str, str], moves: int, *, looks: bool) -> None:
    """A visitor who plays a little, perhaps looks at an analysis while its search runs, and leaves."""
    await play_a_game(url, *seat, moves)
    if looks:
        looker = Visitor(url)
        await looker.open("/analyse?game=havannah(size%3D6)&moves=a1+b2")
        await looker.until_heard(looker.heard + 3, 600)
        await looker.close()


async def memory_after_waves(folder: Path, players: int, waves: int) -> list[int]:
    """The memory of a server when each wave of visitors has come, played and left."""
    saved = SavedGames(folder / "coppice-tables.db")
    seats = []
    for _ in range(players * waves):
        room, token = new_room(
            "havannah(size=8)", "computer", "first", Seat("computer", "Sapling", "rave", 300)
        )
        saved.save(room)
        seats.append((room.identity, token))
    saved.close()
    with running(folder) as server:
        pid, levels = server.process.pid, []
        for wave in range(waves):
            who = seats[wave * players : (wave + 1) * players]
            visits = (visit(server.url, seat, 5, looks=place % 10 == 0) for place, seat in enumerate(who))
            await asyncio.gather(*visits)
            high = lowest = resident(pid)
            # Pages are gone when nobody has come back to them for a while; what they held is given back then.
            least = time.monotonic()
            while time.monotonic() - least < 25:
                await asyncio.sleep(0.5)
                if resident(pid) < lowest:
                    lowest, least = resident(pid), time.monotonic()
            levels.append(lowest)
            print(f"\nwave {wave + 1}: {high / 2**20:.0f} MiB with {players}, {lowest / 2**20:.0f} MiB after")
    assert "Traceback" not in (folder / "stderr.txt").read_text()
    return levels


@pytest.mark.evidence
async def test_the_memory_of_fifty_visitors_comes_back(tmp_path: Path) -> None:
    warm, first, second = await memory_after_waves(tmp_path, players=50, waves=3)
    assert first < 1.2 * warm
    assert second < 1.05 * first
