"""Mr Jack, Table 6: Jack with twice the inspector's simulations, Jack's wins."""

from coppice.experiment import Experiment, Figure, MatchRow, paper_table, percent
from coppice.experiments._jack import GAME, HIDDEN, RULES, source

TABLE = paper_table("Mr Jack", "Table 6")

EXPERIMENT = Experiment(
    question="How much do twice the simulations help Jack?",
    source=source("Table 6"),
    rows=tuple(
        MatchRow(
            name=f"inspector {row['sims_inspector']}, Jack {row['sims_jack']}",
            labels={"inspector": str(row["sims_inspector"]), "Jack": str(row["sims_jack"])},
            game=GAME,
            a=f"jack_v3(simulations={row['sims_jack']})",
            b=f"jack_v3(simulations={row['sims_inspector']})",
            sides="second",
            count=200,
            published=percent(row["jack_win_pct"], 200, digits=1),
        )
        for row in TABLE.rows
    ),
    figures=(Figure(x="Jack", title="Jack 2N against N: wins of Jack", logarithmic=True),),
    notes=("Player a is always Jack, the second side.", HIDDEN, RULES),
)
