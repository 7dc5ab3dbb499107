"""NMCS, Table 4: UCT with nested playouts against UCT with uniform ones, nine games, six times per move."""

from coppice.experiment import BUDGET, Experiment, Figure, MatchRow, paper_table, percent
from coppice.experiments._nmcs import CONSTANT, EQUAL_WORK, GAMES, UCT, clock, source

TABLE = paper_table("NMCS", "Table 4")
PLAYERS = {
    (1, "none"): "uct_nested",
    (1, "discounting+POD"): "uct_nested_pod",
    (1, "COW"): "uct_nested_cow",
    (2, "COW"): "uct_nested2_cow",
}

EXPERIMENT = Experiment(
    question="Do nested playouts help UCT in equal time?",
    source=source("Table 4"),
    rows=tuple(
        MatchRow(
            name=f"{row['game']}, n = {row['n']}, {row['heuristic']}, {row['ms']} ms",
            labels={"setting": f"{row['game']}, n = {row['n']}, {row['heuristic']}", "ms": str(row["ms"])},
            game=GAMES[row["game"]],
            a=f"{PLAYERS[row['n'], row['heuristic']]}({BUDGET})",
            b=UCT,
            clock=clock(row["game"], row["ms"]),
            count=500,
            published=percent(
                row["nmcs_win_pct"],
                500,
                digits=1,
                flags=(row["uncertain"],) if "uncertain" in row else (),
            ),
        )
        for row in TABLE.rows
    ),
    figures=(
        Figure(x="ms", group="setting", title="UCT with nested playouts against UCT", logarithmic=True),
    ),
    notes=(EQUAL_WORK, CONSTANT, *TABLE.flags),
)
