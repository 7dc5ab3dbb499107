"""Fossel, Table 4: Progressive History with several C and W against RAVE, 5 seconds per move."""

from coppice.experiment import Experiment, Figure, MatchRow, paper_table, rate
from coppice.experiments._fossel import COUNTS, EQUAL_TIME, GAME, LIMIT, NODES, RAVE, equal_time, source

TABLE = paper_table("Fossel", "Table 4")
ROWS = {
    (row["C"], row["W"]): MatchRow(
        name=f"C = {row['C']:g}, W = {row['W']:g}",
        labels={"C": f"{row['C']:g}", "W": f"{row['W']:g}"},
        game=GAME,
        a=f"fossel_ph(selection=progressive_history(c={row['C']:g}, w={row['W']:g}), {LIMIT})",
        b=RAVE,
        count=500,
        published=rate(row["win_rate"], 500),
    )
    for row in TABLE.rows
}

EXPERIMENT = Experiment(
    question="Does Progressive History beat RAVE, and with which C and W?",
    source=source("Table 4"),
    rows=(*ROWS.values(), equal_time(ROWS[0.3, 10])),
    readings=(EQUAL_TIME,),
    figures=(Figure(x="C", group="W", title="Progressive History(C, W) against RAVE"),),
    notes=(
        NODES,
        COUNTS,
        "The history is kept per side and starts anew with every move; the paper does not say.",
        "Cells without a number were not reported.",
    ),
)
