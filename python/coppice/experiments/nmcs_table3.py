"""NMCS, Table 3: nested players with discounting against without, levels 0 to 2, nine games."""

from coppice.experiment import Experiment, MatchRow, Published, SpeedRow, paper_table, percent
from coppice.experiments._nmcs import GAMES, source

TABLE = paper_table("NMCS", "Table 3")

EXPERIMENT = Experiment(
    question="Does discounting help nested search?",
    source=source("Table 3"),
    rows=(
        *(
            MatchRow(
                name=f"{row['game']}, level {level}",
                labels={"game": row["game"], "level": str(level)},
                game=GAMES[row["game"]],
                a=f"nested{level}_discount",
                b=f"nested{level}",
                count=500,
                published=percent(row[f"level{level}"], 500, digits=1),
            )
            for row in TABLE.rows
            for level in (0, 1, 2)
        ),
        *(
            SpeedRow(
                name=f"{row['game']}, states per second",
                labels={"game": row["game"], "level": "states per second"},
                game=GAMES[row["game"]],
                player="nested1",
                per_second="states",
                count=10,
                published=Published(1000.0 * row["k_states_per_s"]),
            )
            for row in TABLE.rows
        ),
    ),
    notes=(
        "Which of equally good successors is taken is not said. Here successors are scanned in random "
        "order; with a fixed order the numbers of level 0 move by up to 15 points.",
        "The paper's speeds are those of its program on a PC of 3.0 GHz.",
    ),
)
