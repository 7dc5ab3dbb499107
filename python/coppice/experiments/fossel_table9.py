"""Fossel, Table 9: RAVE playouts against random playouts, 5 seconds per move."""

from coppice.experiment import Experiment, Figure, MatchRow, Published, SpeedRow, paper_table, rate
from coppice.experiments._fossel import EQUAL_TIME, FIVE_SECONDS, GAME, NODES, RAVE, rave, source

TABLE = paper_table("Fossel", "Table 9")
RANDOM_PLAYOUTS = 19000

EXPERIMENT = Experiment(
    question="Do RAVE playouts pay in equal time?",
    source=source("Table 9"),
    rows=(
        *(
            MatchRow(
                name=f"P = {row['p']:g}",
                labels={"P": f"{row['p']:g}"},
                game=GAME,
                a=rave(f"rave_playout(p={row['p']:g})"),
                b=RAVE,
                clock=FIVE_SECONDS,
                count=500,
                published=rate(row["win_rate"], 500),
            )
            for row in TABLE.rows
        ),
        *(
            SpeedRow(
                name=f"speed relative to random playouts, P = {row['p']:g}",
                labels={"P": f"{row['p']:g}"},
                game=GAME,
                player=rave(f"rave_playout(p={row['p']:g})", "simulations=1000"),
                reference="fossel_rave(simulations=1000)",
                count=10,
                published=Published(row["playouts"] / RANDOM_PLAYOUTS),
            )
            for row in TABLE.rows
        ),
    ),
    figures=(Figure(x="P", title="RAVE playouts against random playouts, equal time"),),
    notes=(
        NODES,
        EQUAL_TIME,
        "The speed of random playouts is the 19,000 that the text gives for RAVE in 5 seconds.",
    ),
)
