"""Mr Jack, Table 4: exploration constants from Jack's point of view."""

from coppice.experiment import Experiment, MatchRow, paper_table, percent
from coppice.experiments._jack import DECISIVE, GAME, HIDDEN, PLAYOUT, PLAYOUTS, RULES, decisive, source

TABLE = paper_table("Mr Jack", "Table 4")
LIMIT = "simulations=10000"
ROWS = {
    (row["K_inspector"], row["K_jack"]): MatchRow(
        name=f"K inspector = {row['K_inspector']:g}, K Jack = {row['K_jack']:g}",
        labels={"K inspector": f"{row['K_inspector']:g}", "K Jack": f"{row['K_jack']:g}"},
        game=GAME,
        a=f"jack_v3({PLAYOUT}, k_jack={row['K_jack']:g}, {LIMIT})",
        b=f"jack_v3({PLAYOUT}, k_detective={row['K_inspector']:g}, {LIMIT})",
        sides="second",
        count=200,
        published=percent(row["jack_win_pct"], 200, digits=1),
    )
    for row in TABLE.rows
}

EXPERIMENT = Experiment(
    question="Which exploration constant suits Jack?",
    source=source("Table 4"),
    rows=(*ROWS.values(), *decisive([ROWS[0.7, 0.6]])),
    readings=(DECISIVE,),
    notes=(
        "Player a is always Jack, the second side.",
        *TABLE.flags,
        "Other playouts are tried in the row in which the two tables contradict each other.",
        PLAYOUTS,
        HIDDEN,
        RULES,
    ),
)
