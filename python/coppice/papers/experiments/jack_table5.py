"""Mr Jack, Table 5: scaling with equal simulations, the inspector's wins."""

from coppice.papers.experiment import Experiment, Figure, paper_table
from coppice.papers.experiments._jack import (
    CONSTANTS,
    DECISIVE,
    DETECTIVE,
    FREE_CHOICE,
    GULL,
    HIDDEN,
    HIGHEST_SCORE,
    INFORMED,
    PLAYOUTS,
    RULES,
    SCRIPTED,
    WITNESS,
    decisive,
    games,
    players,
    scaling,
    source,
)

TABLE = paper_table("Mr Jack", "Table 5")
ROWS = tuple(map(scaling, TABLE.rows))
MIDDLE = next(row for row in ROWS if row.labels["Jack"] == "800")
OPTIONS = {
    SCRIPTED: "playout=scripted",
    HIGHEST_SCORE: "final=score",
    **{reading: f"k_detective={k:g}, k_jack={k:g}" for k, reading in CONSTANTS.items()},
    FREE_CHOICE: "worlds=sampled(draw=free_choice)",
    INFORMED: "worlds=sampled(opponent=informed)",
}

EXPERIMENT = Experiment(
    question="Who profits from more simulations when both have the same number?",
    source=source("Table 5"),
    rows=(
        *ROWS,
        *games(ROWS),
        *decisive(ROWS),
        *(players(DETECTIVE, row, "detective=informed") for row in ROWS),
        *(players(reading, MIDDLE, options) for reading, options in OPTIONS.items()),
    ),
    readings=(WITNESS, GULL, DECISIVE, DETECTIVE, *OPTIONS),
    figures=(Figure(x="Jack", title="N simulations against N: wins of inspector", logarithmic=True),),
    notes=(
        "Player a is always the inspector, the first side.",
        "What concerns the players alone, besides playouts and the inspector, is tried with 800 only.",
        PLAYOUTS,
        HIDDEN,
        RULES,
    ),
)
