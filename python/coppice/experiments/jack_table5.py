"""Mr Jack, Table 5: scaling with equal simulations, the inspector's wins."""

from coppice.experiment import Experiment, Figure, MatchRow, paper_table, percent
from coppice.experiments._jack import GAME, HIDDEN, RULES, source

TABLE = paper_table("Mr Jack", "Table 5")

EXPERIMENT = Experiment(
    question="Who profits from more simulations when both have the same number?",
    source=source("Table 5"),
    rows=tuple(
        MatchRow(
            name=f"inspector {row['sims_inspector']}, Jack {row['sims_jack']}",
            labels={"inspector": str(row["sims_inspector"]), "Jack": str(row["sims_jack"])},
            game=GAME,
            a=f"jack_v3(simulations={row['sims_inspector']})",
            b=f"jack_v3(simulations={row['sims_jack']})",
            sides="first",
            count=200,
            published=percent(row["inspector_win_pct"], 200, digits=1),
        )
        for row in TABLE.rows
    ),
    figures=(Figure(x="Jack", title="N simulations against N: wins of inspector", logarithmic=True),),
    notes=("Player a is always inspector, the first side.", HIDDEN, RULES),
)
