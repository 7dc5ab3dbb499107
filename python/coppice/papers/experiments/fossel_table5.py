"""Fossel, Table 5: Extended RAVE with several C and W against RAVE, 5 seconds per move."""

from coppice.papers.experiment import Experiment, Figure, MatchRow, paper_table, rate, under
from coppice.papers.experiments._fossel import (
    COUNTS,
    EQUAL_TIME,
    GAME,
    LIMIT,
    MIN_VISITS,
    NODES,
    RAVE,
    TREE_ONLY,
    equal_time,
    min_visits,
    source,
)

TABLE = paper_table("Fossel", "Table 5")
ROWS = {
    (row["C"], row["W"]): MatchRow(
        name=f"C = {row['C']:g}, W = {row['W']:g}",
        labels={"C": f"{row['C']:g}", "W": f"{row['W']:g}"},
        game=GAME,
        a=f"fossel_er(selection=extended_rave(c={row['C']:g}, w={row['W']:g}, r=50), {LIMIT})",
        b=RAVE,
        count=500,
        published=rate(row["win_rate"], 500),
    )
    for row in TABLE.rows
}

EXPERIMENT = Experiment(
    question="Does Extended RAVE beat RAVE, and with which C and W?",
    source=source("Table 5"),
    rows=(
        *ROWS.values(),
        equal_time(ROWS[0.4, 10]),
        min_visits(ROWS[0.4, 10]),
        under(
            TREE_ONLY,
            ROWS[0.4, 10],
            a=ROWS[0.4, 10].a.replace("extended_rave(", "extended_rave(learn=tree, "),
            b=f"fossel_rave(selection=rave(schedule=linear, r=50, amaf=raw, c=0.4, learn=tree), {LIMIT})",
        ),
    ),
    readings=(EQUAL_TIME, MIN_VISITS, TREE_ONLY),
    figures=(Figure(x="C", group="W", title="Extended RAVE(C, W) against RAVE"),),
    notes=(
        NODES,
        COUNTS,
        "The value of a move two levels up is read for the side that moves now; at the root, where there "
        "is nothing above, the root's own value stands in.",
        "Cells without a number were not reported.",
    ),
)
