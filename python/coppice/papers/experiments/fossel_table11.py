"""Fossel, Table 11: playouts biased to the neighbourhood of the last moves, standard mode."""

from coppice.papers.experiment import Experiment, MatchRow, paper_table, rate
from coppice.papers.experiments._fossel import GAME, NEAR, NODES, rave, source, speed_of

TABLE = paper_table("Fossel", "Table 11")
ROWS = tuple(
    MatchRow(
        name=f"H = {row['H']}, weight {row['w_p']:g}",
        labels={"H": f"{row['H']}", "weight": f"{row['w_p']:g}"},
        game=GAME,
        a=rave(
            f"proximity(mode=standard, w={row['w_p']:g}, h={row['H']}, range=1)",
            f"simulations={row['playouts']}",
        ),
        b=f"fossel_rave(simulations={row['playouts']})",
        count=500,
        published=rate(row["win_rate"], 500),
    )
    for row in TABLE.rows
)

EXPERIMENT = Experiment(
    question="Do playouts near the last moves help RAVE, when near cells are drawn more often?",
    source=source("Table 11"),
    rows=(
        *ROWS,
        *(speed_of(one, 1 - row["slow_down"]) for one, row in zip(ROWS, TABLE.rows, strict=True)),
    ),
    notes=(
        NODES,
        NEAR,
    ),
)
