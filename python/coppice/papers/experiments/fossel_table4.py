"""Fossel, Table 4: Progressive History with several C and W against RAVE, 5 seconds per move."""

from dataclasses import replace

from coppice.papers.experiment import Experiment, Figure, MatchRow, Reading, paper_table, rate
from coppice.papers.experiments._fossel import (
    COUNTS,
    EQUAL_TIME,
    GAME,
    LIMIT,
    MIN_VISITS,
    NODES,
    RAVE,
    both,
    equal_time,
    min_visits,
    source,
)

TABLE = paper_table("Fossel", "Table 4")
KEPT = Reading(
    "tree and history kept",
    "Whether anything is kept from move to move is not said: literally a search begins with nothing; here "
    "both players keep the tree below the moves that were played, and the history with it. Only the best "
    "row.",
)


def history(c: float, w: float, options: str = "") -> str:
    """Progressive History with these constants."""
    return f"fossel_ph(selection=progressive_history(c={c:g}, w={w:g}{options}), {LIMIT})"


ROWS = {
    (row["C"], row["W"]): MatchRow(
        name=f"C = {row['C']:g}, W = {row['W']:g}",
        labels={"C": f"{row['C']:g}", "W": f"{row['W']:g}"},
        game=GAME,
        a=history(row["C"], row["W"]),
        b=RAVE,
        count=500,
        published=rate(row["win_rate"], 500),
    )
    for row in TABLE.rows
}

EXPERIMENT = Experiment(
    question="Does Progressive History beat RAVE, and with which C and W?",
    source=source("Table 4"),
    rows=(
        *ROWS.values(),
        equal_time(ROWS[0.3, 10]),
        min_visits(ROWS[0.3, 10]),
        both(KEPT, replace(ROWS[0.3, 10], a=history(0.3, 10, ", keep=true")), "reuse=true"),
    ),
    readings=(EQUAL_TIME, MIN_VISITS, KEPT),
    figures=(Figure(x="C", group="W", title="Progressive History(C, W) against RAVE"),),
    notes=(
        NODES,
        COUNTS,
        "The history is kept per side; the paper does not say.",
        "Cells without a number were not reported.",
    ),
)
