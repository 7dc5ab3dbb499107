"""What a run is said to cost: the bookkeeping, by a clock that only players move on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import coppice
from coppice.core.session import Limit, State
from coppice.core.spec import Spec
from coppice.lab.store import Store
from coppice.papers.cost import Costs, play
from coppice.papers.experiment import Experiment, MatchRow, PlayoutRow, Row, SearchRow
from coppice.papers.jobs import Job, jobs_of

GAME = "tic_tac_toe"
# By players that always play the first legal move.
LENGTH = 7


@dataclass
class World:
    """Players whose decisions take a time that is known."""

    work: Callable[[State], float] = lambda state: 1e-4
    """The seconds of a simulation in a state, or of the whole decision of a player without a budget."""
    real: float = 0.0
    """The seconds of a game or run as it is."""
    now: float = 100.0
    decisions: list[tuple[int, str, Limit | None]] = field(default_factory=list)
    played: list[int] = field(default_factory=list)

    def decide(self, state: State, player: str, limit: Limit | None, seed: int) -> str:
        self.decisions.append((len(state.moves), player, limit))
        own = Spec.parsed(player).number("simulations")
        if limit is not None and limit.cpu_seconds is not None:
            self.now += limit.cpu_seconds
        elif limit is not None and limit.simulations is not None:
            self.now += limit.simulations * self.work(state)
        elif limit is None:
            self.now += self.work(state) * (1 if own is None else int(own))
        return state.legal_moves[0]

    def play(self, job: Job, count: int) -> None:
        self.played.append(count)
        self.now += count * self.real


def costs(world: World, store: Store, *, rough: bool = False) -> Costs:
    return Costs(store, rough, clock=lambda: world.now, decide=world.decide, play=world.play)


def jobs(*rows: Row) -> list[Job]:
    return jobs_of(Experiment(question="?", source="our own", rows=rows, name="t", given="t"))


def match(a: str, b: str, count: int = 500, name: str = "m") -> MatchRow:
    return MatchRow(name=name, game=GAME, a=a, b=b, count=count)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "s.db")


def test_the_length_of_a_game_of_first_moves() -> None:
    state = coppice.game(GAME).start()
    while state.outcome is None:
        state.play(state.legal_moves[0])
    assert len(state.moves) == LENGTH


def test_long_games_are_played_with_less_and_their_time_grows_in_proportion(store: Store) -> None:
    world = World()
    [job] = jobs(match("uct(simulations=200000)", "uct(simulations=60000)"))
    cost = costs(world, store).of(job)
    # 20 s and 6 s for a decision; both sides are played in turns.
    assert cost.missing == 500
    assert cost.seconds_each == pytest.approx(LENGTH * (20 + 6) / 2, rel=1e-3)
    assert cost.seconds == pytest.approx(500 * cost.seconds_each)
    assert world.played == []
    # A twentieth of the four games: less would be no measure.
    assert world.now - 100 == pytest.approx(4 * cost.seconds_each / 20, rel=1e-3)


def test_the_time_of_the_estimate_is_a_small_part_of_the_run(store: Store) -> None:
    spent = {}
    for count in (2, 70, 5000):
        world = World()
        [job] = jobs(match("uct(simulations=20000)", "uct(simulations=20000)", count))
        assert costs(world, store).of(job).seconds_each == pytest.approx(LENGTH * 2, rel=1e-3)
        spent[count] = world.now - 100
    # 2 s, a two-hundredth of 980 s, 6 s at most; and the first game, which took a twentieth of 14 s.
    assert spent == pytest.approx({2: 2.8, 70: 5.6, 5000: 6.7}, rel=1e-2)


def test_a_rough_estimate_is_one_game_in_which_a_begins(store: Store) -> None:
    world = World()
    [job] = jobs(match("uct(simulations=200000)", "uct(simulations=60000)"))
    # Four of the seven decisions take 20 s, the others 6 s.
    assert costs(world, store, rough=True).of(job).seconds_each == pytest.approx(4 * 20 + 3 * 6)
    assert len(world.decisions) == LENGTH
    assert world.now - 100 == pytest.approx((4 * 20 + 3 * 6) / 20)


def test_short_games_are_played_really(store: Store) -> None:
    world = World(real=0.03)
    [job] = jobs(match("uct(simulations=1000)", "uct(simulations=500)"))
    assert costs(world, store).of(job).seconds_each == pytest.approx(0.03)
    # Until half a second was spent at a time.
    assert world.played == [4, 8, 16, 32]
    world = World(real=1e-6)
    assert costs(world, store).of(job).seconds_each == pytest.approx(1e-6)
    assert world.played[-1] == 256


def test_every_pair_is_measured_once(store: Store) -> None:
    world = World()
    a, b = "uct(simulations=200000)", "uct(simulations=60000)"
    first, again, other = jobs(match(a, b), match(a, b, 20, "again"), match(a, a, 500, "other"))
    measured = costs(world, store)
    each = measured.of(first).seconds_each
    before = len(world.decisions)
    assert measured.of(again).seconds_each == each
    assert len(world.decisions) == before
    assert measured.of(other).seconds_each == pytest.approx(LENGTH * 20, rel=1e-3)
    assert measured.total([first, again]) == pytest.approx(520 * each)


def test_a_player_without_a_budget_decides_at_states_spread_over_a_game(store: Store) -> None:
    # Decisions get shorter: 0.98 s at the beginning.
    world = World(work=lambda state: 0.02 * (LENGTH - len(state.moves)) ** 2)
    [job] = jobs(match("nested1", "nested2"))
    cost = costs(world, store).of(job)
    plies = [int(LENGTH * part / 8) for part in (3, 1, 5, 7)]
    mean = sum(0.02 * (LENGTH - ply) ** 2 for ply in plies) / 4
    assert cost.seconds_each == pytest.approx(LENGTH * mean)
    assert {ply for ply, _, limit in world.decisions if limit is None} == set(plies)


def test_a_player_without_a_budget_whose_decisions_are_long_decides_once(store: Store) -> None:
    world = World(work=lambda state: 30.0)
    [job] = jobs(match("nested1", "uct(simulations=200000)"))
    # The other player's simulations take as long as decisions here.
    cost = costs(world, store).of(job)
    assert cost.seconds_each == pytest.approx(LENGTH / 2 * (30 + 200000 * 30))
    assert {ply for ply, _, limit in world.decisions if limit is None} == {int(LENGTH * 3 / 8)}


def test_a_player_by_the_clock_costs_its_time(store: Store) -> None:
    world = World()
    [job] = jobs(match("uct(cpu_seconds=4)", "uct(seconds=2)"))
    assert costs(world, store).of(job).seconds_each == pytest.approx(LENGTH * 3)


def test_searches_and_playouts_of_a_row(store: Store) -> None:
    world = World(real=0.7)
    uct = "uct(simulations=200000)"
    once, to_end, curve = jobs(
        SearchRow(name="once", game=GAME, player=uct, moves=("b2",), count=10),
        SearchRow(name="to the end", game=GAME, player=uct, moves=("b2",), count=10, to_end=True),
        PlayoutRow(name="curve", game=GAME, player=uct, count=10),
    )
    measured = costs(world, store)
    assert measured.of(once).seconds_each == pytest.approx(20, rel=1e-3)
    # A probe, and what two seconds allow.
    assert world.now - 100 == pytest.approx(1 + 2, rel=1e-2)
    assert measured.of(to_end).seconds_each == pytest.approx(LENGTH * 20, rel=1e-3)
    assert world.played == []
    assert measured.of(curve).seconds_each == pytest.approx(0.7)
    assert world.played == [1]


def test_what_is_played_for_an_estimate_is_kept_nowhere(store: Store) -> None:
    [job] = jobs(match("uct(simulations=20)", "random", 2))
    play(job, 2)
    play(jobs(SearchRow(name="s", game=GAME, player="random", moves=("b2",), count=1))[0], 1)
    assert job.done(store) == 0
