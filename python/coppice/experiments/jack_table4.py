"""Mr Jack, Table 4: exploration constants from Jack's point of view."""

from coppice.experiment import Experiment, MatchRow, paper_table, percent
from coppice.experiments._jack import GAME, HIDDEN, RULES, source

TABLE = paper_table("Mr Jack", "Table 4")

EXPERIMENT = Experiment(
    question="Which exploration constant suits Jack?",
    source=source("Table 4"),
    rows=tuple(
        MatchRow(
            name=f"K inspector = {row['K_inspector']:g}, K Jack = {row['K_jack']:g}",
            labels={"K inspector": f"{row['K_inspector']:g}", "K Jack": f"{row['K_jack']:g}"},
            game=GAME,
            a=f"jack_v3(k_jack={row['K_jack']:g}, simulations=10000)",
            b=f"jack_v3(k_detective={row['K_inspector']:g}, simulations=10000)",
            sides="second",
            count=200,
            published=percent(row["jack_win_pct"], 200, digits=1),
        )
        for row in TABLE.rows
    ),
    notes=("Player a is always Jack, the second side.", *TABLE.flags, HIDDEN, RULES),
)
