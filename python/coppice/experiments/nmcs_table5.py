"""NMCS, Table 5: nested playouts with cut on win, and minimax playouts, against UCT, 320 ms."""

from coppice.experiment import BUDGET, Experiment, MatchRow, Reading, paper_table, percent
from coppice.experiments._nmcs import (
    CONSTANT,
    EQUAL_WORK,
    FITTED,
    GAMES,
    PER_GAME,
    UCT,
    clock,
    source,
    with_constant,
)

TABLE = paper_table("NMCS", "Table 5")
PLAYERS = {"nmcs": "uct_nested_cow", "mr1": "uct_mr1", "mr2": "uct_mr2"}
CONSTANTS = {
    k: Reading(
        f"k = {k:g}",
        f"The exploration constant is not printed: here {k:g} for both players in all games. Only the column "
        "of nested playouts.",
    )
    for k in (0, 0.05, 0.1, 0.2, 1.4)
}
ROWS = {
    (row["game"], column): MatchRow(
        name=f"{row['game']}, {column}",
        labels={"game": row["game"], "playout": column},
        game=GAMES[row["game"]],
        a=f"{player}({BUDGET})",
        b=UCT,
        clock=clock(row["game"], 320),
        count=500,
        published=percent(row[column], 500, digits=1),
    )
    for row in TABLE.rows
    for column, player in PLAYERS.items()
}

EXPERIMENT = Experiment(
    question="How do nested playouts compare with minimax playouts?",
    source=source("Table 5"),
    rows=(
        *ROWS.values(),
        *(with_constant(CONSTANTS[k], ROWS[game, "nmcs"], k) for k in CONSTANTS for game in GAMES),
        *(with_constant(PER_GAME, ROWS[game, column], k) for game, k in FITTED.items() for column in PLAYERS),
    ),
    readings=(*CONSTANTS.values(), PER_GAME),
    notes=(
        EQUAL_WORK,
        CONSTANT,
        "States visited by the small minimax searches count like any others.",
        *TABLE.flags,
    ),
)
