"""Mr Jack, Table 3: exploration constants from the inspector's point of view."""

from coppice.experiment import Experiment, MatchRow, paper_table, percent
from coppice.experiments._jack import GAME, HIDDEN, RULES, source

TABLE = paper_table("Mr Jack", "Table 3")

EXPERIMENT = Experiment(
    question="Which exploration constant suits the inspector?",
    source=source("Table 3"),
    rows=tuple(
        MatchRow(
            name=f"K inspector = {row['K_inspector']:g}, K Jack = {row['K_jack']:g}",
            labels={"K inspector": f"{row['K_inspector']:g}", "K Jack": f"{row['K_jack']:g}"},
            game=GAME,
            a=f"jack_v3(k_detective={row['K_inspector']:g}, simulations=10000)",
            b=f"jack_v3(k_jack={row['K_jack']:g}, simulations=10000)",
            sides="first",
            count=200,
            published=percent(row["inspector_win_pct"], 200, digits=1),
        )
        for row in TABLE.rows
    ),
    notes=(
        "Player a is always the inspector, the first side.",
        "Tables 3 and 4 contradict each other: with K = 0.6 against 0.7 the inspector wins 69.5 %, with "
        "0.7 against 0.6 only 35 %.",
        HIDDEN,
        RULES,
    ),
)
