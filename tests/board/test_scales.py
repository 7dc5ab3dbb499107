"""The scales of tables: every number lies on its scale, and every scale has its painting."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coppice
from coppice import CellTable, _core
from coppice.board.scales import PAINTINGS, Scale, colour_of, hue_of

GAMES = [
    "havannah(size=4)",
    "breakthrough(rows=5, columns=4)",
    "domineering(rows=4, columns=4)",
    "nogo(rows=4, columns=4)",
]

# The scale of each table.
SCALES: dict[str, Scale] = {
    "visits": "count",
    "value": "rate",
    "amaf": "rate",
    "mast": "rate",
    "nast": "rate",
    "tile": "rate",
    "history": "signed",
    "kept": "flag",
    "pool": "flag",
    "ppa": "share",
    "weight": "share",
    "reply": "cell",
}
# A sum of results has no bound, their mean has one.
SUMS = "mcts(playout=rave_playout(by=sum))"
# Policies of which no named player is made.
UNNAMED = ["mcts(playout=ppa)"]


def players() -> list[str]:
    return [*(part.name for part in coppice.catalogue("player")), SUMS, *UNNAMED]


def tables_of(game: str, player: str, simulations: int, seed: int) -> list[CellTable]:
    """The tables of a search; none where the game cannot serve the player, or it does not think in steps."""
    state = coppice.game(game).start()
    try:
        thinking = coppice.player(player).on(state.game).think(state, seed=seed)
    except coppice.RefusedError:
        return []
    # Nested playouts visit many states in each simulation.
    thinking.run(coppice.Limit(simulations=simulations, states=20_000))
    return thinking.tables()


def check(table: CellTable, player: str, simulations: int) -> None:
    scale = "count" if player == SUMS and table.name == "weight" else SCALES[table.name]
    assert table.scale == scale
    assert table.doc
    assert not table.doc.endswith(".")
    least, most = table.range
    if scale in ("rate", "share", "flag"):
        assert (least, most) == (0, 1)
    elif scale == "signed":
        assert (least, most) == (-1, 1)
    names = [f"cell{number}" for number in range(len(table.values))]
    values = list(table.known.values())
    assert all(least <= value <= most for value in values), (player, table)
    if scale in ("flag", "cell", "count"):
        assert all(value == int(value) for value in values), (player, table)
    if table.name == "visits":
        assert sum(values) <= simulations
    if scale == "cell":
        assert all(value < len(names) for value in values)
    for paint in table.paint(names).values():
        assert 0 <= paint.strength <= 1
        assert paint.lean is None or -1 <= paint.lean <= 1
        assert paint.text


@pytest.mark.parametrize("game", GAMES)
def test_the_tables_of_every_player_lie_on_their_scales(game: str) -> None:
    seen: dict[str, list[float]] = {}
    for player in players():
        for table in tables_of(game, player, 200, 1):
            check(table, player, 200)
            seen.setdefault(table.name, []).extend(table.known.values())
    assert {"visits", "value", "amaf", "history", "mast", "reply"} <= seen.keys()
    # A table that never goes below nought would not need its sign.
    assert min(seen["history"]) < 0
    if game == GAMES[0]:
        assert seen.keys() == SCALES.keys(), "a table is new, or nobody has it any more"
        assert max(seen["weight"]) > 1


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(GAMES), st.sampled_from(players()), st.integers(1, 400), st.integers(0, 2**32))
def test_tables_lie_on_their_scales_after_any_search(
    game: str, player: str, simulations: int, seed: int
) -> None:
    for table in tables_of(game, player, simulations, seed):
        check(table, player, simulations)


# Paintings


def test_every_scale_of_the_core_has_a_painting() -> None:
    assert set(_core.SCALES) == set(PAINTINGS) == set(get_args(Scale))
    assert len(_core.SCALES) == len(PAINTINGS)


def painted(scale: Scale, *values: float) -> list[tuple[float, float | None]]:
    table = CellTable("mine", None, scale, "what it says", values)
    return [(paint.strength, paint.lean) for paint in table.paint(["a", "b", "c", "d"]).values()]


def test_nought_is_neutral_on_a_signed_scale_and_a_half_on_a_rate() -> None:
    lost, even, won = painted("signed", -1, 0, 1)
    assert painted("rate", 0, 0.5, 1) == [lost, even, won]
    assert even == (min(lost, even, won)[0], 0)
    assert even[0] < 0.2 < lost[0] == won[0]
    assert (lost[1], won[1]) == (-1, 1)
    assert (hue_of(-1), hue_of(0), hue_of(1)) == (8, 79, 150)
    assert len({colour_of(lean) for lean in (-1, 0, 1)}) == 3


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_more_is_stronger_or_greener(one: float, other: float) -> None:
    less, more = sorted((one, other))
    low, high = painted("signed", less, more)
    assert low[1] is not None
    assert high[1] is not None
    assert low[1] <= high[1]
    assert hue_of(low[1]) <= hue_of(high[1])
    for scale in ("share", "count"):
        low, high = painted(scale, abs(less), 1.0)
        assert low[0] <= high[0] == 1.0
        assert low[1] is high[1] is None


def test_counts_go_up_to_the_largest() -> None:
    assert painted("count", 0, 500) == painted("share", 0, 1) == [(0, None), (1, None)]
    assert painted("count", 0, 0) == [(0, None), (0, None)]


@pytest.mark.parametrize(
    ("scale", "values", "legend", "texts"),
    [
        ("rate", (0.25,), "0 lost, 0.5 even, 1 won", ["0.25"]),
        ("signed", (-0.25, 0.001, 0.5), "-1 lost, 0 even, 1 won", ["-0.25", "0.00", "+0.50"]),
        ("share", (0.125,), "0 to 1", ["0.12"]),
        ("flag", (1.0, 0.0), "+ yes, - no", ["+", "-"]),
        ("cell", (2.0,), "→ its cell", ["→c"]),
        ("count", (12.0, 1234.0), "0 to 1234, the largest", ["12", "1234"]),
        ("count", (250_000.0,), "0 to 250k, the largest", ["250k"]),
    ],
)
def test_a_legend_says_the_scale(
    scale: Scale, values: tuple[float, ...], legend: str, texts: list[str]
) -> None:
    table = CellTable("mine", None, scale, "what it says", values)
    assert table.legend == f"what it says ({legend})"
    assert [paint.text for paint in table.paint(["a", "b", "c"]).values()] == texts


def test_a_picture_is_painted_by_the_scale() -> None:
    state = coppice.game("tic_tac_toe").start().play("b2")
    table = CellTable("mine", "first", "signed", "what it says", (-1.0, 0.0, 1.0, *[None] * 6))
    picture = state.svg(table=table)
    heats = re.findall(r'<circle fill="(#\w+)" class="heat"[^>]*fill-opacity="([\d.]+)"', picture)
    assert heats == [(colour_of(-1), "1.00"), (colour_of(0), "0.15"), (colour_of(1), "1.00")]
    assert ">what it says (-1 lost, 0 even, 1 won)</text>" in picture
    assert ">-1.00</text>" in picture
    assert "legend" not in state.svg()
