"""Mr Jack, Table 3: exploration constants from the inspector's point of view."""

from coppice.experiment import Experiment, MatchRow, paper_table, percent
from coppice.experiments._jack import DECISIVE, GAME, HIDDEN, PLAYOUT, PLAYOUTS, RULES, decisive, source

TABLE = paper_table("Mr Jack", "Table 3")
LIMIT = "simulations=10000"
ROWS = {
    (row["K_inspector"], row["K_jack"]): MatchRow(
        name=f"K inspector = {row['K_inspector']:g}, K Jack = {row['K_jack']:g}",
        labels={"K inspector": f"{row['K_inspector']:g}", "K Jack": f"{row['K_jack']:g}"},
        game=GAME,
        a=f"jack_v3({PLAYOUT}, k_detective={row['K_inspector']:g}, {LIMIT})",
        b=f"jack_v3({PLAYOUT}, k_jack={row['K_jack']:g}, {LIMIT})",
        sides="first",
        count=200,
        published=percent(row["inspector_win_pct"], 200, digits=1),
    )
    for row in TABLE.rows
}

EXPERIMENT = Experiment(
    question="Which exploration constant suits the inspector?",
    source=source("Table 3"),
    rows=(*ROWS.values(), *decisive([ROWS[0.6, 0.7]])),
    readings=(DECISIVE,),
    notes=(
        "Player a is always the inspector, the first side.",
        "Tables 3 and 4 contradict each other: with K = 0.6 against 0.7 the inspector wins 69.5 %, with "
        "0.7 against 0.6 only 35 %.",
        "Other playouts are tried in the row in which the two tables contradict each other.",
        PLAYOUTS,
        HIDDEN,
        RULES,
    ),
)
