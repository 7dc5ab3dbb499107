"""When a decision of the computer is over: every bound by itself, with the turns of a search written down."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from patience import FakeClock

from coppice import Player, Report
from coppice.core.report import MoveStat
from coppice.web.allowed import game_of
from coppice.web.limits import Limits
from coppice.web.searches import TURN_SECONDS, Searches, decide, think_on

GAME = game_of("havannah(size=4)")


class Turns:
    """Stands for a search: what it has found after each turn, and what it was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, searches: Searches) -> None:
        self.monkeypatch = monkeypatch
        self.searches = searches
        self.asked: list[tuple[int, float]] = []
        """Simulations and seconds left, of each turn."""
        self.costs = 0.0
        """What a turn costs of the clock."""

    async def decide(self, spec: str, found: Iterator[dict[str, Any]], **more: Any) -> Report:
        """The decision of a player whose turns find this; `simulations` are those asked for."""
        clock = self.searches.now
        assert isinstance(clock, FakeClock)

        def turn(thinking: Any, simulations: int, left: float = math.inf) -> Report:
            self.asked.append((simulations, left))
            clock.goes_on(self.costs)
            return reported(**next(found))

        self.asked.clear()
        self.monkeypatch.setitem(decide.__globals__, "think_on", turn)
        simulations = more.pop("simulations", None)
        return await decide(self.searches, "a", GAME.start(), spec, simulations, seed=1, **more)


def reported(
    simulations: int, seconds: float = 0.0, states: int = 0, visits: tuple[int, ...] = (1, 1)
) -> Report:
    report = Player("random").search(GAME.start())
    moves = tuple(MoveStat(f"m{number}", count, 0.5) for number, count in enumerate(visits))
    return replace(report, simulations=simulations, seconds=seconds, states=states, moves=moves)


def steps(size: int, **each: Any) -> Iterator[dict[str, Any]]:
    """A search that makes so many simulations a turn, and whatever else grows with each."""
    return (
        {"simulations": size * turn, **{name: turn * value for name, value in each.items()}}
        for turn in range(1, 1_000_000)
    )


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Iterator[Turns]:
    searches = Searches(1, now=FakeClock())
    yield Turns(monkeypatch, searches)
    searches.close()


async def test_a_decision_ends_with_the_last_simulation_that_was_asked_for(turns: Turns) -> None:
    report = await turns.decide("uct", steps(100), simulations=300)
    assert report.simulations == 300
    assert turns.asked == [(300, math.inf), (200, math.inf), (100, math.inf)]
    # What is asked for counts, not what the player would take.
    assert (await turns.decide("uct(simulations=7)", steps(100), simulations=300)).simulations == 300
    assert (await turns.decide("uct(seconds=0.1)", steps(100, seconds=1), simulations=300)).simulations == 300
    # Nobody gets more than the server gives.
    await turns.decide("uct", steps(Limits().simulations), simulations=Limits().simulations + 1)
    assert turns.asked == [(Limits().simulations, math.inf)]


async def test_a_decision_ends_by_the_players_own_bounds(turns: Turns) -> None:
    assert (await turns.decide("uct(simulations=300)", steps(100))).simulations == 300
    assert (await turns.decide("uct(states=5000)", steps(100, states=2500))).simulations == 200
    assert (await turns.decide("uct(states=5000)", steps(100, states=2499))).simulations == 300
    assert (await turns.decide("uct(seconds=2)", steps(100, seconds=1))).simulations == 200
    assert (await turns.decide("uct(cpu_seconds=3)", steps(100, seconds=1.5))).simulations == 200
    # Simulations that the form says count in the place of states, too.
    assert (
        await turns.decide("uct(states=5000)", steps(100, states=2500), simulations=400)
    ).simulations == 400


async def test_a_decision_never_takes_longer_than_the_server_allows(turns: Turns) -> None:
    for spec, simulations in (("uct(seconds=1000)", None), ("uct(cpu_seconds=1000)", None), ("uct", 5_000)):
        report = await turns.decide(spec, steps(100, seconds=Limits().seconds / 4), simulations=simulations)
        assert (report.simulations, report.seconds) == (400, Limits().seconds), spec


async def test_a_search_that_finds_nothing_more_is_over(turns: Turns) -> None:
    found = iter([{"simulations": 100}, {"simulations": 150}, {"simulations": 150}])
    assert (await turns.decide("uct", found, simulations=1000)).simulations == 150
    assert len(turns.asked) == 3
    assert (await turns.decide("uct", iter([{"simulations": 0}]), simulations=1000)).simulations == 0


async def test_by_a_clock_a_decision_ends_when_its_time_is_over(turns: Turns) -> None:
    turns.costs = 0.25
    report = await turns.decide("uct", steps(100), simulations=10_000, within=1.0)
    assert report.simulations == 400
    assert turns.asked == [(10_000, 1.0), (9_900, 0.75), (9_800, 0.5), (9_700, 0.25)]
    # No time at all is time for one look.
    assert (await turns.decide("uct", steps(100), simulations=10_000, within=0.0)).simulations == 100
    # Without a clock time does not matter.
    assert (await turns.decide("uct", steps(100), simulations=2000)).simulations == 2000


async def test_the_wait_for_a_turn_is_time_of_the_decision(turns: Turns) -> None:
    clock = turns.searches.now
    assert isinstance(clock, FakeClock)
    turn = turns.searches.turn

    async def waited(owner: str, work: Any) -> Any:
        clock.goes_on(0.4)
        return await turn(owner, work)

    turns.monkeypatch.setattr(turns.searches, "turn", waited)
    report = await turns.decide("uct", steps(100), simulations=10_000, within=1.0)
    # The first of three turns began the search.
    assert [round(left, 6) for _, left in turns.asked] == [0.2, -0.2]
    assert report.simulations == 200


async def test_by_a_clock_a_decision_stops_when_its_move_cannot_be_caught(turns: Turns) -> None:
    found = [
        {"simulations": 400, "visits": (350, 50)},
        {"simulations": 500, "visits": (450, 50)},
        # 550 are left, and the lead is 550: the second could draw level.
        {"simulations": 650, "visits": (600, 50)},
        {"simulations": 651, "visits": (601, 50)},
    ]
    report = await turns.decide("uct", iter(found), simulations=1200, within=100)
    assert report.simulations == 651
    # Without a clock, by a bound that is not simulations, and where another move may be played: to the end.
    for spec, more in (
        ("uct", {"simulations": 1200}),
        ("uct(states=1000000)", {"within": 100}),
        ("uct(final=score)", {"simulations": 1200, "within": 100}),
    ):
        rest = [*found, {"simulations": 1200, "visits": (1150, 50), "states": 1_000_000}]
        assert (await turns.decide(spec, iter(rest), **more)).simulations == 1200, spec
    # One move alone cannot be caught by another that was never tried, but by as many simulations as it has.
    alone = [{"simulations": 500, "visits": (500,)}, {"simulations": 501, "visits": (501,)}]
    assert (await turns.decide("uct", iter(alone), simulations=1000, within=100)).simulations == 501


async def test_a_player_that_does_not_think_step_by_step_decides_in_one_turn(
    turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[Any] = []
    search = Player.search

    def heard(player: Player, state: Any, limit: Any = None, **more: Any) -> Report:
        limits.append(limit)
        return search(player, state, limit, **more)

    monkeypatch.setattr(Player, "search", heard)
    for simulations, within, seconds in ((50, None, Limits().seconds), (50, 2.5, 2.5), (50, -1.0, 0.0)):
        report = await turns.decide("random", iter([]), simulations=simulations, within=within)
        assert report.best in GAME.start().legal_moves
        assert (limits[-1].simulations, limits[-1].seconds) == (simulations, seconds)
    assert turns.asked == []


def test_a_turn_lasts_as_long_as_a_turn_may_and_no_longer_than_there_is_time() -> None:
    limits: list[Any] = []

    class Thinking:
        def run(self, limit: Any) -> Report:
            limits.append(limit)
            return reported(1)

    for left, seconds in ((math.inf, TURN_SECONDS), (10.0, TURN_SECONDS), (0.01, 0.01), (-3.0, 0.0)):
        think_on(Thinking(), 77, left)  # type: ignore[arg-type]
        assert (limits[-1].simulations, limits[-1].seconds) == (77, seconds)
