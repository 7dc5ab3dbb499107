"""Fossel, Table 2: RAVE with R = 50 and several exploration constants against UCT, 5 seconds per move."""

from coppice.papers.experiment import Experiment, Figure, paper_table, under
from coppice.papers.experiments._fossel import (
    COLOURS,
    COUNTS,
    EQUAL_TIME,
    MIN_VISITS,
    NODES,
    TREE_ONLY,
    VALUE_KEPT,
    both,
    equal_time,
    min_visits,
    rave_by_constant,
    source,
)

TABLE = paper_table("Fossel", "Table 2")
ROWS = rave_by_constant(TABLE, r=50, count=500)

EXPERIMENT = Experiment(
    question="Does RAVE with R = 50 beat UCT, and with which exploration constant?",
    source=source("Table 2"),
    rows=(
        *ROWS.values(),
        equal_time(ROWS[0.4]),
        both(VALUE_KEPT, ROWS[0.4], "fpu_mode=virtual_win"),
        min_visits(ROWS[0.4]),
        under(TREE_ONLY, ROWS[0.4], a=ROWS[0.4].a.replace("rave(schedule", "rave(learn=tree, schedule")),
    ),
    readings=(EQUAL_TIME, VALUE_KEPT, MIN_VISITS, TREE_ONLY),
    figures=(Figure(x="C", title="RAVE(R = 50, C) against UCT(1.8)"),),
    notes=(
        NODES,
        COUNTS,
        COLOURS,
    ),
)
