"""Fossel, Table 9: RAVE playouts against random playouts, 5 seconds per move."""

from coppice.papers.experiment import Experiment, Figure, MatchRow, paper_table, rate, under
from coppice.papers.experiments._fossel import (
    COUNTS,
    EQUAL_TIME,
    GAME,
    NODES,
    SUMS,
    equal_time,
    rave,
    source,
    speed_of,
)

TABLE = paper_table("Fossel", "Table 9")
RANDOM_PLAYOUTS = TABLE.settings["playouts_random"]
ROWS = {
    row["p"]: MatchRow(
        name=f"P = {row['p']:g}",
        labels={"P": f"{row['p']:g}"},
        game=GAME,
        a=rave(f"rave_playout(p={row['p']:g})", f"simulations={row['playouts']}"),
        b=f"fossel_rave(simulations={RANDOM_PLAYOUTS})",
        count=500,
        published=rate(row["win_rate"], 500),
    )
    for row in TABLE.rows
}

EXPERIMENT = Experiment(
    question="Do RAVE playouts pay in equal time?",
    source=source("Table 9"),
    rows=(
        *ROWS.values(),
        *(speed_of(ROWS[row["p"]], row["playouts"] / RANDOM_PLAYOUTS) for row in TABLE.rows),
        equal_time(ROWS[0.5]),
        under(SUMS, ROWS[0.5], a=ROWS[0.5].a.replace("p=0.5", "p=0.5, by=sum")),
    ),
    readings=(EQUAL_TIME, SUMS),
    figures=(Figure(x="P", title="RAVE playouts against random playouts, equal time"),),
    notes=(
        NODES,
        COUNTS,
        "The section gives 18,000 random playouts in the 5 seconds, not the 19,000 of an earlier one.",
    ),
)
