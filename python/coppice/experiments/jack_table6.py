"""Mr Jack, Table 6: Jack with twice the inspector's simulations, Jack's wins."""

from coppice.experiment import Experiment, Figure, MatchRow, paper_table, percent
from coppice.experiments._jack import DECISIVE, GAME, HIDDEN, PLAYOUT, PLAYOUTS, RULES, decisive, source

TABLE = paper_table("Mr Jack", "Table 6")
ROWS = tuple(
    MatchRow(
        name=f"inspector {row['sims_inspector']}, Jack {row['sims_jack']}",
        labels={"inspector": str(row["sims_inspector"]), "Jack": str(row["sims_jack"])},
        game=GAME,
        a=f"jack_v3({PLAYOUT}, simulations={row['sims_jack']})",
        b=f"jack_v3({PLAYOUT}, simulations={row['sims_inspector']})",
        sides="second",
        count=200,
        published=percent(row["jack_win_pct"], 200, digits=1),
    )
    for row in TABLE.rows
)

EXPERIMENT = Experiment(
    question="How much do twice the simulations help Jack?",
    source=source("Table 6"),
    rows=(*ROWS, *decisive(ROWS)),
    readings=(DECISIVE,),
    figures=(Figure(x="Jack", title="Jack 2N against N: wins of Jack", logarithmic=True),),
    notes=(
        "Player a is always Jack, the second side.",
        PLAYOUTS,
        HIDDEN,
        RULES,
    ),
)
