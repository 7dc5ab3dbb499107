"""Fossel, Table 11: playouts biased to the neighbourhood of the last moves, standard mode."""

from coppice.experiment import Experiment, MatchRow, Published, SpeedRow, paper_table, rate
from coppice.experiments._fossel import GAME, NODES, rave, source

TABLE = paper_table("Fossel", "Table 11")


def proximity(row: object, budget: str) -> str:
    """The player of a row."""
    assert isinstance(row, dict), "rows of a published table are mappings"
    return rave(f"proximity(mode=standard, w={row['w_p']:g}, h={row['H']}, range=1)", budget)


EXPERIMENT = Experiment(
    question="Do playouts near the last moves help RAVE, when near cells are drawn more often?",
    source=source("Table 11"),
    rows=(
        *(
            MatchRow(
                name=f"H = {row['H']}, weight {row['w_p']:g}",
                labels={"H": f"{row['H']}", "weight": f"{row['w_p']:g}"},
                game=GAME,
                a=proximity(row, f"simulations={row['playouts']}"),
                b=f"fossel_rave(simulations={row['playouts']})",
                count=500,
                published=rate(row["win_rate"], 500),
            )
            for row in TABLE.rows
        ),
        *(
            SpeedRow(
                name=f"speed relative to random playouts, H = {row['H']}, weight {row['w_p']:g}",
                labels={"H": f"{row['H']}", "weight": f"{row['w_p']:g}"},
                game=GAME,
                player=proximity(row, "simulations=1000"),
                reference="fossel_rave(simulations=1000)",
                count=10,
                published=Published(1 - row["slow_down"]),
            )
            for row in TABLE.rows
        ),
    ),
    notes=(
        NODES,
        "Near means next to the other side's last move (H = 1), or to one's own last move as well (H = 2).",
    ),
)
