"""Fossel, Table 10: playouts biased to corners against random playouts."""

from coppice.papers.experiment import Experiment, Figure, MatchRow, paper_table, rate
from coppice.papers.experiments._fossel import COUNTS, EQUAL_TIME, GAME, NODES, RAVE, equal_time, rave, source

TABLE = paper_table("Fossel", "Table 10")
ROWS = {
    row["w_c"]: MatchRow(
        name=f"weight {row['w_c']:g}",
        labels={"weight": f"{row['w_c']:g}"},
        game=GAME,
        a=rave(f"corner_bias(w={row['w_c']:g})"),
        b=RAVE,
        count=500,
        published=rate(row["win_rate"], 500),
    )
    for row in TABLE.rows
}

EXPERIMENT = Experiment(
    question="Do playouts that prefer corners help RAVE?",
    source=source("Table 10"),
    rows=(*ROWS.values(), equal_time(ROWS[2])),
    readings=(EQUAL_TIME,),
    figures=(Figure(x="weight", title="Corner bias against random playouts"),),
    notes=(
        NODES,
        COUNTS,
        "The table names no budget, so that the 5 seconds of all experiments apply. No number is printed for "
        "the biased playouts; both sides get the 19,000 of RAVE.",
    ),
)
