"""Fossel, Table 7: Havannah-Mate only in the first part of the game against random playouts, 5 seconds."""

from coppice.papers.experiment import Experiment, Figure, MatchRow, Reading, paper_table, rate, under
from coppice.papers.experiments._fossel import (
    COUNTS,
    EQUAL_TIME,
    GAME,
    MIN_VISITS,
    NODES,
    equal_time,
    min_visits,
    rave,
    source,
    speed_of,
)

TABLE = paper_table("Fossel", "Table 7")

PLAYOUT_TURNS = Reading(
    "turns of the playout",
    "The first MaxTurns/c turns: literally turns of the game, that is, stones on the board; here moves of "
    "the playout. Only the best row.",
)
ROWS = {
    row["c"]: MatchRow(
        name=f"c = {row['c']:g}",
        labels={"c": f"{row['c']:g}"},
        game=GAME,
        a=rave(f"mate(c={row['c']:g})", f"simulations={row['playouts_hm']}"),
        b=f"fossel_rave(simulations={row['playouts_random']})",
        count=500,
        published=rate(row["win_rate_hm"], 500),
    )
    for row in TABLE.rows
}

EXPERIMENT = Experiment(
    question="Does Havannah-Mate pay in equal time if only the first MaxTurns/c turns use it?",
    source=source("Table 7"),
    rows=(
        *ROWS.values(),
        *(speed_of(ROWS[row["c"]], row["playouts_hm"] / row["playouts_random"]) for row in TABLE.rows),
        equal_time(ROWS[3]),
        min_visits(ROWS[3]),
        under(PLAYOUT_TURNS, ROWS[3], a=ROWS[3].a.replace("mate(", "mate(turns=playout, ")),
    ),
    readings=(EQUAL_TIME, MIN_VISITS, PLAYOUT_TURNS),
    figures=(Figure(x="c", title="Havannah-Mate in the first MaxTurns/c turns against random playouts"),),
    notes=(NODES, COUNTS),
)
