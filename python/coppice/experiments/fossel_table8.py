"""Fossel, Table 8: RAVE playouts against random playouts, equal playouts."""

from coppice.experiment import Experiment, Figure, MatchRow, paper_table, rate
from coppice.experiments._fossel import GAME, NODES, rave, source

TABLE = paper_table("Fossel", "Table 8")
BUDGET = "simulations=18000"

EXPERIMENT = Experiment(
    question="Do playouts that draw moves by their RAVE value help at equal playouts?",
    source=source("Table 8"),
    rows=tuple(
        MatchRow(
            name=f"P = {row['p']:g}",
            labels={"P": f"{row['p']:g}"},
            game=GAME,
            a=rave(f"rave_playout(p={row['p']:g})", BUDGET),
            b=f"fossel_rave({BUDGET})",
            count=500,
            published=rate(row["win_rate"], 500),
        )
        for row in TABLE.rows
    ),
    figures=(Figure(x="P", title="RAVE playouts against random playouts, equal playouts"),),
    notes=(NODES, "Each side uses the values of its own moves; the paper does not say."),
)
