"""Mr Jack, Table 2: the decision model V3 against V1 and V2 in fixed time."""

from coppice.papers.experiment import (
    BUDGET,
    Clock,
    Experiment,
    MatchRow,
    Reading,
    paper_table,
    percent,
    under,
)
from coppice.papers.experiments._jack import (
    CONSTANTS,
    DECISIVE,
    DETECTIVE,
    GAME,
    GULL,
    HIDDEN,
    HIGHEST_SCORE,
    PLAYOUT,
    PLAYOUTS,
    RULES,
    WITNESS,
    decisive,
    games,
    players,
    source,
)

TABLE = paper_table("Mr Jack", "Table 2")
V3 = f"jack_v3({PLAYOUT}, {BUDGET})"
ROWS = tuple(
    MatchRow(
        name=f"{row['seconds']} s, {row['opponent']}",
        labels={"seconds": str(row["seconds"]), "opponent": row["opponent"]},
        game=GAME,
        a=V3,
        b=f"jack_{row['opponent'].lower()}({PLAYOUT}, {BUDGET})",
        clock=Clock(seconds=row["seconds"], simulations=1000 * row["seconds"], reference=V3),
        count=100,
        published=percent(row["v3_win_pct"], 100, digits=0),
    )
    for row in TABLE.rows
)
ONE_SECOND = tuple(row for row in ROWS if row.labels["seconds"] == "1")

PLAYED = Reading(
    "power drawn when played",
    "V2 makes one random node for a power: literally its use is drawn once, when the node is made; here it "
    "is drawn anew each time it is played. Only the rows against V2.",
)

EXPERIMENT = Experiment(
    question="Is the scripted use of powers (V3) better than all uses (V1) or a random one (V2)?",
    source=source("Table 2"),
    rows=(
        *ROWS,
        *games(ROWS),
        *decisive(ROWS),
        *(players(HIGHEST_SCORE, row, "final=score") for row in ONE_SECOND),
        *(
            players(reading, row, f"k_detective={k:g}, k_jack={k:g}")
            for k, reading in CONSTANTS.items()
            for row in ONE_SECOND
        ),
        *(players(DETECTIVE, row, "detective=informed") for row in ONE_SECOND),
        *(
            under(PLAYED, row, b=row.b.replace("(", "(candidates=random_power(drawn=played), ", 1))
            for row in ROWS
            if row.labels["opponent"] == "V2"
        ),
    ),
    readings=(WITNESS, GULL, DECISIVE, HIGHEST_SCORE, *CONSTANTS.values(), DETECTIVE, PLAYED),
    notes=(
        "The paper plays with fixed times and does not say how many simulations they were. Here 1 second is "
        "the time in which our V3 makes 1,000 simulations; the opponent gets the simulations that it makes "
        "in the same time.",
        "The constant, the final move and what the inspector knows are varied at 1 second only.",
        PLAYOUTS,
        HIDDEN,
        RULES,
    ),
)
