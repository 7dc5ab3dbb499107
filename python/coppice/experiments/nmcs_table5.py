"""NMCS, Table 5: nested playouts with cut on win, and minimax playouts, against UCT, 320 ms."""

from coppice.experiment import BUDGET, Experiment, MatchRow, paper_table, percent
from coppice.experiments._nmcs import CONSTANT, EQUAL_WORK, GAMES, UCT, clock, source

TABLE = paper_table("NMCS", "Table 5")
PLAYERS = {"nmcs": "uct_nested_cow", "mr1": "uct_mr1", "mr2": "uct_mr2"}

EXPERIMENT = Experiment(
    question="How do nested playouts compare with minimax playouts?",
    source=source("Table 5"),
    rows=tuple(
        MatchRow(
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
    ),
    notes=(
        EQUAL_WORK,
        CONSTANT,
        "States visited by the small minimax searches count like any others.",
        *TABLE.flags,
    ),
)
