"""NMCS, Table 3: nested players with discounting against without, levels 0 to 2, nine games."""

from coppice.papers.experiment import (
    Experiment,
    MatchRow,
    Published,
    Reading,
    SpeedRow,
    paper_table,
    percent,
    under,
)
from coppice.papers.experiments._nmcs import (
    ATARI_GO,
    GAMES,
    source,
)

TABLE = paper_table("NMCS", "Table 3")

FIXED = Reading(
    "fixed order",
    "Which of equally good successors is taken is not said: literally the first one found, in an order that "
    "is not given. The literal rows scan them in random order, here in the order of the board. Only at level "
    "0, where it matters most.",
)
ROWS = {
    (row["game"], level): MatchRow(
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
}

EXPERIMENT = Experiment(
    question="Does discounting help nested search?",
    source=source("Table 3"),
    rows=(
        *ROWS.values(),
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
        *(
            under(FIXED, ROWS[game, 0], a="nested0_discount(order=fixed)", b="nested0(order=fixed)")
            for game in GAMES
        ),
        *(
            under(reading, ROWS["AtariGo", level], game=game)
            for game, reading in ATARI_GO.items()
            for level in (0, 1, 2)
        ),
    ),
    readings=(FIXED, *ATARI_GO.values()),
    notes=("The paper's speeds are those of its program on a PC of 3.0 GHz.",),
)
