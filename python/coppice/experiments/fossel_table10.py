"""Fossel, Table 10: playouts biased to corners against random playouts."""

from coppice.experiment import Experiment, Figure, MatchRow, paper_table, rate
from coppice.experiments._fossel import GAME, NODES, rave, source

TABLE = paper_table("Fossel", "Table 10")
BUDGET = "simulations=18000"

EXPERIMENT = Experiment(
    question="Do playouts that prefer corners help RAVE?",
    source=source("Table 10"),
    rows=tuple(
        MatchRow(
            name=f"weight {row['w_c']:g}",
            labels={"weight": f"{row['w_c']:g}"},
            game=GAME,
            a=rave(f"corner_bias(w={row['w_c']:g})", BUDGET),
            b=f"fossel_rave({BUDGET})",
            count=500,
            published=rate(row["win_rate"], 500),
        )
        for row in TABLE.rows
    ),
    figures=(Figure(x="weight", title="Corner bias against random playouts"),),
    notes=(
        NODES,
        "The budget of this table is not stated; 18,000 playouts for both are assumed, as in the two "
        "tables after it.",
    ),
)
