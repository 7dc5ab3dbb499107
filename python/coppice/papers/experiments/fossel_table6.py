"""Fossel, Table 6: RAVE with Havannah-Mate against RAVE with random playouts, equal playouts."""

from coppice.papers.experiment import (
    Experiment,
    MatchRow,
    Published,
    Reading,
    SpeedRow,
    paper_table,
    rate,
    under,
)
from coppice.papers.experiments._fossel import (
    GAME,
    MIN_VISITS,
    NODES,
    min_visits,
    rave,
    source,
)

TABLE = paper_table("Fossel", "Table 6")
RANDOM, MATE = TABLE.rows
LIMIT = "simulations=10000"
ONE_CELL = Reading(
    "one cell is enough",
    "The text speaks of the virtual connection by two cells, and of moves that end the playout in the next "
    "two turns: literally a side needs two completing cells to play one; here one is enough.",
)
MATCH = MatchRow(
    name="Havannah-Mate",
    labels={"player": "Havannah-Mate"},
    game=GAME,
    a=rave("mate(c=1, min=2)", LIMIT),
    b=f"fossel_rave({LIMIT})",
    count=500,
    published=rate(MATE["win_rate"], 500),
)

EXPERIMENT = Experiment(
    question="Do playouts that complete figures help RAVE at equal playouts, and how much slower are they?",
    source=source("Table 6"),
    rows=(
        MATCH,
        SpeedRow(
            name="speed relative to random playouts",
            labels={"player": "Havannah-Mate"},
            game=GAME,
            player=rave("mate(c=1, min=2)", "simulations=1000"),
            reference="fossel_rave(simulations=1000)",
            count=10,
            published=Published(
                RANDOM["seconds_per_turn"] / MATE["seconds_per_turn"],
                text=f"{RANDOM['seconds_per_turn']} s and {MATE['seconds_per_turn']} s per turn",
            ),
        ),
        min_visits(MATCH),
        under(ONE_CELL, MATCH, a=rave("mate(c=1, min=1)", LIMIT)),
    ),
    readings=(MIN_VISITS, ONE_CELL),
    notes=(
        NODES,
        "The other side's completing cells are not blocked.",
        *TABLE.flags,
    ),
)
