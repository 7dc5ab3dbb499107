"""Fossel, Table 1: UCT with several exploration constants against UCT with C = 1.2, equal playouts."""

from coppice.papers.experiment import Experiment, Figure, MatchRow, paper_table, rate
from coppice.papers.experiments._fossel import (
    GAME,
    MIN_VISITS,
    NODES,
    min_visits,
    source,
)

TABLE = paper_table("Fossel", "Table 1")


def uct(c: float) -> str:
    """UCT with this constant."""
    return f"fossel_uct(selection=uct(c={c:g}), simulations=20000)"


PRINTED = {row["C"]: row["win_rate"] for row in TABLE.rows}
OURS = (0.4, 0.6, 0.8)
"""Constants below the printed ones."""

ROWS = {
    c: MatchRow(
        name=f"C = {c:g}",
        labels={"C": f"{c:g}"},
        game=GAME,
        a=uct(c),
        b=uct(1.2),
        count=500,
        published=rate(PRINTED.get(c), 500),
    )
    for c in (*PRINTED, *OURS)
}

EXPERIMENT = Experiment(
    question="Which exploration constant is best for UCT?",
    source=source("Table 1"),
    rows=(*ROWS.values(), min_visits(ROWS[1.8])),
    readings=(MIN_VISITS,),
    figures=(Figure(x="C", title="UCT(C) against UCT(1.2)"),),
    notes=(
        NODES,
        "Results count -1 and 1 in the paper, so its constants are twice those for results in 0..1.",
        "The rows with C below 1 are ours: the best constant of our UCT lies there.",
        *TABLE.flags,
    ),
)
