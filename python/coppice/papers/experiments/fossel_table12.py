"""Fossel, Table 12: playouts biased to the neighbourhood of the last moves, alternative mode."""

from coppice.papers.experiment import Experiment, Figure, MatchRow, paper_table, rate
from coppice.papers.experiments._fossel import GAME, NEAR, NODES, rave, source, speed_of

TABLE = paper_table("Fossel", "Table 12")
ROWS = tuple(
    MatchRow(
        name=f"H = {row['H']}, P = {row['P_prox']:g}",
        labels={"H": f"{row['H']}", "P": f"{row['P_prox']:g}"},
        game=GAME,
        a=rave(
            f"proximity(mode=alternative, p={row['P_prox']:g}, h={row['H']}, range=1)",
            f"simulations={row['playouts']}",
        ),
        b=f"fossel_rave(simulations={row['playouts']})",
        count=500,
        published=rate(row["win_rate"], 500),
    )
    for row in TABLE.rows
)

EXPERIMENT = Experiment(
    question="Do playouts near the last moves help RAVE, when now and then a near cell must be played?",
    source=source("Table 12"),
    rows=(
        *ROWS,
        *(speed_of(one, 1 - row["slow_down"]) for one, row in zip(ROWS, TABLE.rows, strict=True)),
    ),
    figures=(Figure(x="P", group="H", title="Proximity, alternative mode, against random playouts"),),
    notes=(
        NODES,
        NEAR,
    ),
)
