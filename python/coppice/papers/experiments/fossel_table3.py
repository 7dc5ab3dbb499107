"""Fossel, Table 3: RAVE with R = 125 and several exploration constants against UCT, 5 seconds per move."""

from coppice.papers.experiment import Experiment, Figure, paper_table
from coppice.papers.experiments._fossel import (
    COLOURS,
    COUNTS,
    EQUAL_TIME,
    NODES,
    equal_time,
    rave_by_constant,
    source,
)

TABLE = paper_table("Fossel", "Table 3")
ROWS = rave_by_constant(TABLE, r=125, count=250)

EXPERIMENT = Experiment(
    question="Does RAVE with R = 125 beat UCT, and with which exploration constant?",
    source=source("Table 3"),
    rows=(*ROWS.values(), equal_time(ROWS[0.4])),
    readings=(EQUAL_TIME,),
    figures=(Figure(x="C", title="RAVE(R = 125, C) against UCT(1.8)"),),
    notes=(
        NODES,
        COUNTS,
        COLOURS,
    ),
)
