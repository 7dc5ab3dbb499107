"""NMCS, Table 4: UCT with nested playouts against UCT with uniform ones, nine games, six times per move."""

from coppice.papers.experiment import (
    BUDGET,
    Experiment,
    Figure,
    MatchRow,
    Reading,
    paper_table,
    percent,
    under,
)
from coppice.papers.experiments._nmcs import (
    CONSTANT,
    EQUAL_WORK,
    FITTED,
    GAMES,
    PER_GAME,
    UCT,
    clock,
    source,
    with_constant,
)

TABLE = paper_table("NMCS", "Table 4")
PLAYERS = {
    (1, "none"): "uct_nested",
    (1, "discounting+POD"): "uct_nested_pod",
    (1, "COW"): "uct_nested_cow",
    (2, "COW"): "uct_nested2_cow",
}

POD = Reading(
    "n = 2 with POD",
    "The tick that says with which heuristic n = 2 was run is lost in the text: the literal rows cut on a "
    "win, here discounting and pruning on depth are used at both levels. Only at 160 ms.",
)
MILLISECONDS = 160
"""The time at which readings are tried."""
ROWS = {
    (row["game"], row["n"], row["heuristic"], row["ms"]): MatchRow(
        name=f"{row['game']}, n = {row['n']}, {row['heuristic']}, {row['ms']} ms",
        labels={
            "game": row["game"],
            "setting": f"n = {row['n']}, {row['heuristic']}",
            "ms": str(row["ms"]),
        },
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
}

EXPERIMENT = Experiment(
    question="Do nested playouts help UCT in equal time?",
    source=source("Table 4"),
    rows=(
        *ROWS.values(),
        *(
            with_constant(PER_GAME, ROWS[game, *setting, MILLISECONDS], k)
            for game, k in FITTED.items()
            for setting in PLAYERS
        ),
        *(under(POD, ROWS[game, 2, "COW", MILLISECONDS], a=f"uct_nested2_pod({BUDGET})") for game in GAMES),
    ),
    readings=(PER_GAME, POD),
    figures=(
        Figure(
            x="ms",
            group="setting",
            panels="game",
            title="UCT with nested playouts against UCT",
            logarithmic=True,
            labels={"ms": "ms per move"},
        ),
    ),
    notes=(
        EQUAL_WORK,
        CONSTANT,
        "The constant for each game is tried at 160 ms only, where it differs from the literal one.",
        *TABLE.flags,
    ),
)
