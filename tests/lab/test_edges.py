"""What the laboratory does at the edges: counts below zero, old specs, games that are there already."""

from __future__ import annotations

from pathlib import Path

import pytest

from coppice import Match
from coppice.core.spelling import upgrade
from coppice.lab.match import _meant
from coppice.lab.stats import Score, chi_squared
from coppice.lab.store import Store, StoredSeries
from coppice.lab.sweep import Sweep
from coppice.lab.workers import Threads

GAME = "tic_tac_toe"


@pytest.mark.parametrize(("observed", "expected"), [([-1, 3], [1, 1]), ([1, 3], [0, 1]), ([1, 3], [-2, 1])])
def test_chi_squared_refuses_counts_below_zero(observed: list[int], expected: list[int]) -> None:
    with pytest.raises(ValueError, match="needs counts that are not negative and expectations above 0"):
        chi_squared(observed, expected)


def test_the_variance_of_games_outside_pairs_by_hand() -> None:
    # A win, a draw and two losses: 0.375 on average.
    assert Score(wins=1, draws=1, losses=2).variance == pytest.approx(
        (0.625**2 + 0.125**2 + 2 * 0.375**2) / 4
    )
    assert Score(wins=0, draws=3, losses=0).variance == 0


def test_old_specs_of_both_players_are_read_with_the_defaults_of_their_time() -> None:
    old = "mcts(playout=mate)"
    now = upgrade("player", old, 0, GAME)
    assert now != upgrade("player", old, 1, GAME), "the default has changed between the two"
    assert _meant(GAME, old, "random") == (upgrade("game", GAME), now, "random")
    assert _meant(GAME, "random", old) == (upgrade("game", GAME), "random", now)
    assert _meant(GAME, "nobody", old) is None


def test_play_goes_on_with_the_games_that_a_store_has(tmp_path: Path) -> None:
    match = Match(GAME, "random", "random", seed=1)
    with Store(tmp_path / "games.db") as store:
        first = match.play(6, threads=1, store=store)
        again = match.play(8, threads=1, store=store)
        assert (first.resumed, first.games, again.resumed, again.games) == (0, 6, 6, 8)
        fresh = match.play(6, threads=1, store=store, fresh=True)
        assert (fresh.resumed, fresh.games) == (0, 6)
        assert len(store.matches()) == 2, "the games of before are set aside"


def test_a_sweep_keeps_its_games_in_the_store_that_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where nobody names a store, it is a file of the folder that one is in.
    monkeypatch.chdir(tmp_path)
    sweep = Sweep(GAME, "uct(simulations={n})", "random", {"n": ["2", "3"]})
    with Store(tmp_path / "mine.db") as store:
        assert [step.done for _, step in sweep.run(2, store, workers=Threads(1))].count(True) == 2
        assert sorted(match.games for match in store.matches()) == [2, 2]
        assert len(sweep.scores(2, store)) == 2
    assert sorted(path.name for path in tmp_path.glob("*.db")) == ["mine.db"]


def test_a_store_says_how_many_results_were_new(tmp_path: Path) -> None:
    with Store(tmp_path / "games.db") as store:
        store.register_series(StoredSeries("one", "toy", "{}", "1"))
        assert store.add_results("one", {0: {"x": 1}, 1: {"x": 2}}) == 2
        assert store.add_results("one", {1: {"x": 7}, 2: {"x": 3}}) == 1
        assert store.results("one") == {0: {"x": 1}, 1: {"x": 2}, 2: {"x": 3}}
