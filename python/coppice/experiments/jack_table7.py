"""Mr Jack, Table 7: the inspector with twice Jack's simulations, the inspector's wins."""

from coppice.experiment import Experiment, Figure, MatchRow, paper_table, percent
from coppice.experiments._jack import DECISIVE, GAME, HIDDEN, PLAYOUT, PLAYOUTS, RULES, decisive, source

TABLE = paper_table("Mr Jack", "Table 7")
ROWS = tuple(
    MatchRow(
        name=f"inspector {row['sims_inspector']}, Jack {row['sims_jack']}",
        labels={"inspector": str(row["sims_inspector"]), "Jack": str(row["sims_jack"])},
        game=GAME,
        a=f"jack_v3({PLAYOUT}, simulations={row['sims_inspector']})",
        b=f"jack_v3({PLAYOUT}, simulations={row['sims_jack']})",
        sides="first",
        count=200,
        published=percent(row["inspector_win_pct"], 200, digits=1),
    )
    for row in TABLE.rows
)

EXPERIMENT = Experiment(
    question="How much do twice the simulations help the inspector?",
    source=source("Table 7"),
    rows=(*ROWS, *decisive(ROWS)),
    readings=(DECISIVE,),
    figures=(Figure(x="Jack", title="inspector 2N against N: wins of inspector", logarithmic=True),),
    notes=(
        "Player a is always the inspector, the first side.",
        PLAYOUTS,
        HIDDEN,
        RULES,
    ),
)
