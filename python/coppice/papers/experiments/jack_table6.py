"""Mr Jack, Table 6: Jack with twice the inspector's simulations, Jack's wins."""

from coppice.papers.experiment import Experiment, Figure, paper_table
from coppice.papers.experiments._jack import DECISIVE, HIDDEN, PLAYOUTS, RULES, decisive, scaling, source

TABLE = paper_table("Mr Jack", "Table 6")
ROWS = tuple(map(scaling, TABLE.rows))

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
