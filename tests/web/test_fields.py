"""Fields of options show what was chosen before, and keep what is chosen."""

from __future__ import annotations

from typing import Any

import pytest
from nicegui.testing import User

from coppice.core.catalogue import OptionInfo, catalogue
from coppice.web.fields import option_field
from coppice.web.lobby import Lobby

App = tuple[User, Lobby]


def option_of(kind: str) -> OptionInfo:
    return next(option for part in catalogue() for option in part.options if option.kind == kind)


@pytest.mark.parametrize("kind", ["text", "int", "real", "bool", "choice"])
async def test_a_form_that_is_drawn_again_shows_what_was_chosen(app: App, kind: str) -> None:
    user, _ = app
    await user.open("/rules/tic_tac_toe")
    option = option_of(kind)
    chosen: Any = {"text": "some words", "int": 7, "real": 0.5, "bool": True, "choice": None}[kind]
    if kind == "choice":
        chosen = option.choices[-1]
    for number, values in enumerate([{option.name: chosen}, {}]):
        with user:
            option_field(option, "false" if kind == "bool" else option.default, values)
        found = sorted(user.find(marker=f"option-{option.name}").elements, key=lambda element: element.id)
        field: Any = found[-1]
        assert len(found) == number + 1
        if values:
            assert field.value == chosen
        else:
            assert field.value != chosen
            field.set_value(chosen)
            assert values == {option.name: chosen}
