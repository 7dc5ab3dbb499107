"""Fossel, Table 8: RAVE playouts against random playouts, equal playouts."""

from coppice.papers.experiment import Experiment, Figure, MatchRow, paper_table, rate, under
from coppice.papers.experiments._fossel import GAME, MIN_VISITS, NODES, SUMS, min_visits, rave, source

TABLE = paper_table("Fossel", "Table 8")
LIMIT = "simulations=18000"
ROWS = {
    row["p"]: MatchRow(
        name=f"P = {row['p']:g}",
        labels={"P": f"{row['p']:g}"},
        game=GAME,
        a=rave(f"rave_playout(p={row['p']:g})", LIMIT),
        b=f"fossel_rave({LIMIT})",
        count=500,
        published=rate(row["win_rate"], 500),
    )
    for row in TABLE.rows
}

EXPERIMENT = Experiment(
    question="Do playouts that draw moves by their RAVE value help at equal playouts?",
    source=source("Table 8"),
    rows=(
        *ROWS.values(),
        min_visits(ROWS[0.5]),
        *(under(SUMS, row, a=rave(f"rave_playout(p={p:g}, by=sum)", LIMIT)) for p, row in ROWS.items()),
    ),
    readings=(MIN_VISITS, SUMS),
    figures=(Figure(x="P", title="RAVE playouts against random playouts, equal playouts"),),
    notes=(NODES, "Each side uses the values of its own moves; the paper does not say."),
)
