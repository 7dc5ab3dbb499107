"""The page of an experiment with a simulated user: links to the games of its rows, games of other builds."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from nicegui import ui
from nicegui.testing import User

from coppice.lab.store import Store
from coppice.papers.experiment import find_experiment
from coppice.papers.jobs import jobs_of
from coppice.papers.rows.match import MatchWork
from coppice.show.tables import READINGS_TITLE
from coppice.web.interval import interval_svg
from coppice.web.lobby import Lobby

App = tuple[User, Lobby]
EXPERIMENT = "nmcs_table3"
PAGE = f"/laboratory/experiment/{EXPERIMENT}"


def played(lobby: Lobby, games: int) -> str:
    """Plays some games of the first row; the identity of its match."""
    with Store(lobby.settings.store) as store:
        work = jobs_of(find_experiment(EXPERIMENT), games=games)[0].work
        assert isinstance(work, MatchWork)
        for _ in work.match.run(games, threads=1, store=store):
            pass
        return work.identity


def table(user: User) -> str:
    (shown,) = user.find(marker="experiment-table").elements
    assert isinstance(shown, ui.html)
    return str(shown.content)


async def test_games_that_are_kept_under_an_older_identity_are_linked(app: App) -> None:
    user, lobby = app
    identity, older = played(lobby, 4), "f" * 32
    await user.open(PAGE)
    assert f'<a href="/laboratory/match/{identity}">4</a>' in table(user)
    with Store(lobby.settings.store) as store:
        store.rename(identity, older)
    await user.open(PAGE)
    assert f'<a href="/laboratory/match/{older}">4</a>' in table(user)
    await user.open(f"/laboratory/match/{older}")
    await user.should_see("4 games")


async def test_a_row_without_games_has_the_papers_number_alone_and_one_with_games_has_both(app: App) -> None:
    user, lobby = app
    [row, *_] = find_experiment(EXPERIMENT).rows
    published = row.published.value
    await user.open(PAGE)
    assert interval_svg(None, 0.0, 1.0, published) in table(user)
    identity = played(lobby, 4)
    await user.open(PAGE)
    with Store(lobby.settings.store) as store:
        score = store.score(identity)
    found = score.interval()
    assert score.rate is not None
    assert interval_svg(score.rate, found.low, found.high, published) in table(user)


async def test_what_a_paper_leaves_open_is_said_below_its_table(app: App) -> None:
    user, _ = app
    await user.open(PAGE)
    experiment = find_experiment(EXPERIMENT)
    assert experiment.notes
    assert experiment.readings
    for words in (READINGS_TITLE, *experiment.notes, *(one.text for one in experiment.readings)):
        await user.should_see(words)
    await user.open("/laboratory/experiment/nmcs_text")
    assert not find_experiment("nmcs_text").readings
    await user.should_not_see(READINGS_TITLE)


async def test_games_of_another_build_are_called_unconfirmed_until_some_are_replayed(app: App) -> None:
    user, lobby = app
    played(lobby, 4)
    await user.open(PAGE)
    await user.should_not_see(marker="unconfirmed")
    with closing(sqlite3.connect(lobby.settings.store)) as store, store:
        store.execute("UPDATE matches SET play_version = 'older'")
        store.execute("DELETE FROM results WHERE series IN (SELECT number FROM series WHERE kind = 'builds')")
    await user.open(PAGE)
    await user.should_see("4 games of these rows were played by an earlier version")
    assert "/laboratory/match/" not in table(user)
    played(lobby, 4)
    await user.open(PAGE)
    await user.should_not_see(marker="unconfirmed")
    assert "/laboratory/match/" in table(user)
