"""NMCS, Table 5: nested playouts with cut on win, and minimax playouts, against UCT, 320 ms."""

from dataclasses import replace

from coppice.papers.experiment import BUDGET, Experiment, MatchRow, Reading, paper_table, percent, under
from coppice.papers.experiments._nmcs import (
    ATARI_GO,
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

TABLE = paper_table("NMCS", "Table 5")
PLAYERS = {"nmcs": "uct_nested_cow", "mr1": "uct_mr1", "mr2": "uct_mr2"}
CONSTANTS = {
    k: Reading(
        f"k = {k:g}",
        f"The exploration constant is not printed: here {k:g} for both players in all games. Only the column "
        "of nested playouts.",
    )
    for k in (0, 0.05, 0.1, 0.2, 1.4)
}
ROWS = {
    (row["game"], column): MatchRow(
        name=f"{row['game']}, {column}",
        labels={"game": row["game"], "playout": column},
        game=GAMES[row["game"]],
        a=f"{player}({BUDGET})",
        b=UCT,
        clock=clock(row["game"], 320),
        count=500,
        published=percent(row[column], 500, digits=1),
    )
    for row in TABLE.rows
    for column, player in PLAYERS.items()
}

ATARI_GO_0 = {
    game: Reading(
        f"{reading.name}, k = 0", f"{reading.text} With the constant for each game, too, which is 0."
    )
    for game, reading in ATARI_GO.items()
}
WINS_ONLY = Reading(
    "wins only",
    "Whether the small searches of MCTS-MR only play wins or avoid losses, too, is not said: the literal "
    "rows do both, as the work cited does, here only wins are played. Only the columns of MCTS-MR.",
)
FREE = Reading(
    "searched states are free",
    "The players had the same time. Both visit the same number of states in its place, and the literal rows "
    "count those that the small searches of MCTS-MR look at; here only those that are played count. Only the "
    "columns of MCTS-MR.",
)


def minimax(reading: Reading, option: str) -> list[MatchRow]:
    """The columns of MCTS-MR with an option of its playouts."""
    return [
        under(reading, ROWS[game, f"mr{n}"], a=f"uct_mr{n}(playout=minimax(depth={n}, {option}), {BUDGET})")
        for game in GAMES
        for n in (1, 2)
    ]


EXPERIMENT = Experiment(
    question="How do nested playouts compare with minimax playouts?",
    source=source("Table 5"),
    rows=(
        *ROWS.values(),
        *(with_constant(CONSTANTS[k], ROWS[game, "nmcs"], k) for k in CONSTANTS for game in GAMES),
        *(with_constant(PER_GAME, ROWS[game, column], k) for game, k in FITTED.items() for column in PLAYERS),
        *(under(reading, ROWS["AtariGo", "nmcs"], game=game) for game, reading in ATARI_GO.items()),
        *(
            replace(with_constant(reading, ROWS["AtariGo", "nmcs"], FITTED["AtariGo"]), game=game)
            for game, reading in ATARI_GO_0.items()
        ),
        *minimax(WINS_ONLY, "avoid=false"),
        *minimax(FREE, "counted=false"),
    ),
    readings=(
        *CONSTANTS.values(),
        PER_GAME,
        *ATARI_GO.values(),
        *ATARI_GO_0.values(),
        WINS_ONLY,
        FREE,
    ),
    notes=(
        EQUAL_WORK,
        CONSTANT,
        *TABLE.flags,
    ),
)
