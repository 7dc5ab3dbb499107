"""Fossel, Table 3: RAVE with R = 125 and several exploration constants against UCT, 5 seconds per move."""

from coppice.experiment import Experiment, Figure, MatchRow, paper_table, rate
from coppice.experiments._fossel import COUNTS, EQUAL_TIME, GAME, LIMIT, NODES, UCT, equal_time, source

TABLE = paper_table("Fossel", "Table 3")
ROWS = {
    row["C"]: MatchRow(
        name=f"C = {row['C']:g}",
        labels={"C": f"{row['C']:g}"},
        game=GAME,
        a=f"fossel_rave(selection=rave(schedule=linear, r=125, amaf=raw, c={row['C']:g}), {LIMIT})",
        b=UCT,
        count=250,
        published=rate(
            row["win_total"], 250, first=row["win_white"], second=row["win_black"], flags=TABLE.flags
        ),
    )
    for row in TABLE.rows
}

EXPERIMENT = Experiment(
    question="Does RAVE with R = 125 beat UCT, and with which exploration constant?",
    source=source("Table 3"),
    rows=(*ROWS.values(), equal_time(ROWS[0.4])),
    readings=(EQUAL_TIME,),
    figures=(Figure(x="C", title="RAVE(R = 125, C) against UCT(1.8)"),),
    notes=(
        NODES,
        COUNTS,
        "The paper's columns for White and Black are shown as printed. They sum to 1 in every row: they are "
        "shares by colour of some games that are not named, not RAVE's win rates with White and Black, which "
        "ours are. Nothing is tested by them.",
    ),
)
