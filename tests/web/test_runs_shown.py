"""What the pages of the laboratory say of runs that are under way, have ended or have failed."""

from __future__ import annotations

import threading
from collections.abc import Generator
from typing import Any

from nicegui import ui
from nicegui.testing import User
from patience import until

from coppice.web.lobby import Lobby

App = tuple[User, Lobby]


async def test_a_run_that_failed_says_why_and_can_be_resumed(app: App) -> None:
    user, lobby = app
    begun: list[bool] = []

    def work() -> Generator[Any, None, None]:
        begun.append(True)
        yield None
        raise ValueError("the mill has no grain")

    run = lobby.runs.start("mill", "a mill", work)
    await until(lambda: run.state == "failed")
    await user.open("/laboratory")
    await user.should_see("a mill")
    await user.should_see("the mill has no grain")
    user.find(marker="run-resume").click()
    await until(lambda: len(begun) == 2)


async def test_the_page_of_an_experiment_follows_its_run(app: App) -> None:
    user, lobby = app
    gate = threading.Event()

    def work() -> Generator[Any, None, None]:
        yield None
        assert gate.wait(60)

    await user.open("/laboratory/experiment/nmcs_text")
    (state,) = user.find(marker="experiment-state").elements
    (begin,) = user.find(marker="experiment-start").elements
    assert isinstance(state, ui.label)
    assert begin.visible
    lobby.runs.start("experiment nmcs_text", "nmcs_text", work)
    await until(lambda: state.text.startswith("running · 0 of "))
    assert not begin.visible
    gate.set()
    await until(lambda: state.text.startswith("done · 0 of "))
    assert begin.visible
