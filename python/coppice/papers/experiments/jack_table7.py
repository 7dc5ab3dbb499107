"""Mr Jack, Table 7: the inspector with twice Jack's simulations, the inspector's wins."""

from coppice.papers.experiment import Experiment, Figure, paper_table
from coppice.papers.experiments._jack import DECISIVE, HIDDEN, PLAYOUTS, RULES, decisive, scaling, source

TABLE = paper_table("Mr Jack", "Table 7")
ROWS = tuple(map(scaling, TABLE.rows))

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
