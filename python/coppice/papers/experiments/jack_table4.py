"""Mr Jack, Table 4: exploration constants from Jack's point of view."""

from coppice.papers.experiment import Experiment, paper_table
from coppice.papers.experiments._jack import DECISIVE, HIDDEN, PLAYOUTS, RULES, constants, decisive, source

TABLE = paper_table("Mr Jack", "Table 4")
ROWS = {(row["K_inspector"], row["K_jack"]): constants(row) for row in TABLE.rows}

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
