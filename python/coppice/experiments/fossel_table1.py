"""Fossel, Table 1: UCT with several exploration constants against UCT with C = 1.2, equal playouts."""

from coppice.experiment import Experiment, Figure, MatchRow, paper_table, rate
from coppice.experiments._fossel import GAME, NODES, source

TABLE = paper_table("Fossel", "Table 1")


def uct(c: float) -> str:
    """UCT with this constant."""
    return f"fossel_uct(selection=uct(c={c:g}), simulations=20000)"


EXPERIMENT = Experiment(
    question="Which exploration constant is best for UCT?",
    source=source("Table 1"),
    rows=tuple(
        MatchRow(
            name=f"C = {row['C']:g}",
            labels={"C": f"{row['C']:g}"},
            game=GAME,
            a=uct(row["C"]),
            b=uct(1.2),
            count=500,
            published=rate(row["win_rate"], 500),
        )
        for row in TABLE.rows
    ),
    figures=(Figure(x="C", title="UCT(C) against UCT(1.2)"),),
    notes=(
        NODES,
        "Results count -1 and 1 in the paper, so its constants are twice those for results in 0..1.",
        *TABLE.flags,
    ),
)
