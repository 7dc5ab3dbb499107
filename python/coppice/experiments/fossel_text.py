"""Fossel, numbers in the text: Progressive History against UCT, playouts in equal time."""

from coppice.experiment import BUDGET, Experiment, MatchRow, Published, SpeedRow, paper_table, rate
from coppice.experiments._fossel import EQUAL_TIME, FIVE_SECONDS, GAME, NODES, UCT, source

TABLE = paper_table("Fossel", "Text results")
PH, PH_MATE, UCT_PLAYOUTS, OTHER_PLAYOUTS = (row["value"] for row in TABLE.rows[:4])
SPEEDS = {"RAVE": "fossel_rave", "Progressive History": "fossel_ph", "Extended RAVE": "fossel_er"}

EXPERIMENT = Experiment(
    question="How strong are Fossel's best players against UCT, and how fast are they?",
    source=source("numbers in the text"),
    rows=(
        MatchRow(
            name="Progressive History against UCT",
            labels={"what": "Progressive History against UCT"},
            game=GAME,
            a=f"fossel_ph({BUDGET})",
            b=UCT,
            clock=FIVE_SECONDS,
            count=500,
            published=rate(PH, 500),
        ),
        MatchRow(
            name="Progressive History with Havannah-Mate against UCT",
            labels={"what": "Progressive History with Havannah-Mate against UCT"},
            game=GAME,
            a=f"fossel_ph_mate({BUDGET})",
            b=UCT,
            clock=FIVE_SECONDS,
            count=500,
            published=rate(PH_MATE, 500),
        ),
        *(
            SpeedRow(
                name=f"playouts of {name} per playout of UCT in equal time",
                labels={"what": f"playouts of {name} per playout of UCT in equal time"},
                game=GAME,
                player=f"{player}(simulations=1000)",
                reference="fossel_uct(simulations=1000)",
                count=10,
                published=Published(OTHER_PLAYOUTS / UCT_PLAYOUTS, text="19,000 and 21,000 in 5 s"),
            )
            for name, player in SPEEDS.items()
        ),
    ),
    notes=(NODES, EQUAL_TIME, *TABLE.flags),
)
