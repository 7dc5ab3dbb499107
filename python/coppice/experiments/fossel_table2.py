"""Fossel, Table 2: RAVE with R = 50 and several exploration constants against UCT, 5 seconds per move."""

from coppice.experiment import Experiment, Figure, MatchRow, paper_table, rate, under
from coppice.experiments._fossel import (
    COUNTS,
    EQUAL_TIME,
    GAME,
    LIMIT,
    MIN_VISITS,
    NODES,
    TREE_ONLY,
    UCT,
    VALUE_KEPT,
    both,
    equal_time,
    min_visits,
    source,
)

TABLE = paper_table("Fossel", "Table 2")
ROWS = {
    row["C"]: MatchRow(
        name=f"C = {row['C']:g}",
        labels={"C": f"{row['C']:g}"},
        game=GAME,
        a=f"fossel_rave(selection=rave(schedule=linear, r=50, amaf=raw, c={row['C']:g}), {LIMIT})",
        b=UCT,
        count=500,
        published=rate(
            row["win_total"], 500, first=row["win_white"], second=row["win_black"], flags=TABLE.flags
        ),
    )
    for row in TABLE.rows
}

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
        "The paper's columns for White and Black are shown as printed. They sum to 1 in every row: they are "
        "shares by colour of some games that are not named, not RAVE's win rates with White and Black, which "
        "ours are. Nothing is tested by them.",
    ),
)
