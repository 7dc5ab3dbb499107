"""Fossel, Table 6: RAVE with Havannah-Mate against RAVE with random playouts, equal playouts."""

from coppice.experiment import Experiment, MatchRow, Published, SpeedRow, paper_table, rate
from coppice.experiments._fossel import GAME, NODES, rave, source

TABLE = paper_table("Fossel", "Table 6")
RANDOM, MATE = TABLE.rows
BUDGET = "simulations=10000"

EXPERIMENT = Experiment(
    question="Do playouts that complete figures help RAVE at equal playouts, and how much slower are they?",
    source=source("Table 6"),
    rows=(
        MatchRow(
            name="Havannah-Mate",
            labels={"player": "Havannah-Mate"},
            game=GAME,
            a=rave("mate(c=1)", BUDGET),
            b=f"fossel_rave({BUDGET})",
            count=500,
            published=rate(MATE["win_rate"], 500),
        ),
        SpeedRow(
            name="speed relative to random playouts",
            labels={"player": "Havannah-Mate"},
            game=GAME,
            player=rave("mate(c=1)", "simulations=1000"),
            reference="fossel_rave(simulations=1000)",
            count=10,
            published=Published(
                RANDOM["seconds_per_turn"] / MATE["seconds_per_turn"],
                text=f"{RANDOM['seconds_per_turn']} s and {MATE['seconds_per_turn']} s per turn",
            ),
        ),
    ),
    notes=(
        NODES,
        "One completing cell is enough to be played, and the other side's are not blocked.",
        *TABLE.flags,
    ),
)
