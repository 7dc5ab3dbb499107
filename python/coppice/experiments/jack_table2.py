"""Mr Jack, Table 2: the decision model V3 against V1 and V2 in fixed time."""

from coppice.experiment import BUDGET, Clock, Experiment, MatchRow, paper_table, percent
from coppice.experiments._jack import GAME, HIDDEN, RULES, source

TABLE = paper_table("Mr Jack", "Table 2")
V3 = f"jack_v3({BUDGET})"

EXPERIMENT = Experiment(
    question="Is the scripted use of powers (V3) better than all uses (V1) or a random one (V2)?",
    source=source("Table 2"),
    rows=tuple(
        MatchRow(
            name=f"{row['seconds']} s, {row['opponent']}",
            labels={"seconds": str(row["seconds"]), "opponent": row["opponent"]},
            game=GAME,
            a=V3,
            b=f"jack_{row['opponent'].lower()}({BUDGET})",
            clock=Clock(seconds=row["seconds"], simulations=1000 * row["seconds"], reference=V3),
            count=100,
            published=percent(row["v3_win_pct"], 100, digits=0),
        )
        for row in TABLE.rows
    ),
    notes=(
        "How many simulations the paper's program made in a second is not said. Here 1 second is the time "
        "in which our V3 makes 1,000 simulations; the opponent gets the simulations that it makes in the "
        "same time.",
        HIDDEN,
        RULES,
    ),
)
