"""Mr Jack, Table 3: exploration constants from the inspector's point of view."""

from coppice.papers.experiment import Experiment, paper_table
from coppice.papers.experiments._jack import DECISIVE, HIDDEN, PLAYOUTS, RULES, constants, decisive, source

TABLE = paper_table("Mr Jack", "Table 3")
ROWS = {(row["K_inspector"], row["K_jack"]): constants(row) for row in TABLE.rows}

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
