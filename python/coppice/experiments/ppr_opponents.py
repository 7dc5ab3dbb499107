"""Our own: the opponents of PPR's Table 1 as in the literature and as in the authors' program."""

from coppice.experiment import Experiment, MatchRow, paper_table, percent

PUBLISHED = {
    row["opponent"]: row["ppr_win_rate_pct"]
    for row in paper_table("PPR", "Table 1").rows
    if (row["size"], row["playouts"]) == (6, 1000)
}
READINGS = {
    "LGRF1": ("lgrf1", "lgrf1_published"),
    "MAST": ("mast", "mast_published"),
    "NAST2": ("nast2", "nast2_published"),
}

EXPERIMENT = Experiment(
    question="Does it matter for PPR's Table 1 which reading of its opponents is played?",
    source="our own; numbers of Table 1 (size 6, 1,000 playouts) beside it",
    rows=tuple(
        MatchRow(
            name=f"{opponent}, {reading}",
            labels={"opponent": opponent, "reading": reading},
            game="havannah(size=6)",
            a="ppr(simulations=1000)",
            b=f"{player}(simulations=1000)",
            count=600,
            published=percent(PUBLISHED[opponent], 600),
        )
        for opponent, players in READINGS.items()
        for reading, player in zip(("literature", "authors' program"), players, strict=True)
    ),
    notes=(
        "In the authors' released program LGRF1 forgets by position and is asked when the other side "
        "moves, MAST has one table fed by the root's side, and NAST2 learns pairs inside the tree only.",
    ),
)
