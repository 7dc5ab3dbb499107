"""Fossel, numbers in the text: Progressive History against UCT, playouts in equal time."""

from coppice.papers.experiment import (
    Experiment,
    MatchRow,
    Published,
    Reading,
    SpeedRow,
    paper_table,
    rate,
    under,
)
from coppice.papers.experiments._fossel import (
    COUNTS,
    EQUAL_TIME,
    GAME,
    LIMIT,
    MIN_VISITS,
    NODES,
    OTHER_PLAYOUTS,
    UCT,
    UCT_PLAYOUTS,
    equal_time,
    min_visits,
    source,
)

TABLE = paper_table("Fossel", "Text results")
PH, PH_MATE = (row["value"] for row in TABLE.rows[:2])
SPEEDS = {"RAVE": "fossel_rave", "Progressive History": "fossel_ph", "Extended RAVE": "fossel_er"}
MATE_PLAYOUTS = {row["c"]: row["playouts_hm"] for row in paper_table("Fossel", "Table 7").rows}


def match(name: str, player: str, published: float) -> MatchRow:
    """A player against UCT."""
    return MatchRow(
        name=f"{name} against UCT",
        labels={"what": f"{name} against UCT"},
        game=GAME,
        a=player,
        b=UCT,
        count=500,
        published=rate(published, 500),
    )


THROUGHOUT = Reading(
    "Havannah-Mate throughout",
    "For how much of the game Havannah-Mate is used is not said: the literal row takes the first third, the "
    "best of Table 7; here it is the whole game, with the 5,086 playouts printed there for it.",
)
MATCHES = (
    match("Progressive History", f"fossel_ph({LIMIT})", PH),
    match(
        "Progressive History with Havannah-Mate", f"fossel_ph_mate(simulations={MATE_PLAYOUTS[3]})", PH_MATE
    ),
)

EXPERIMENT = Experiment(
    question="How strong are Fossel's best players against UCT, and how fast are they?",
    source=source("numbers in the text"),
    rows=(
        *MATCHES,
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
        *map(equal_time, MATCHES),
        min_visits(MATCHES[0]),
        under(
            THROUGHOUT,
            MATCHES[1],
            a=f"fossel_ph_mate(playout=mate(c=1), simulations={MATE_PLAYOUTS[1]})",
        ),
    ),
    readings=(EQUAL_TIME, MIN_VISITS, THROUGHOUT),
    notes=(
        NODES,
        COUNTS,
        "No number of playouts is printed for Progressive History with Havannah-Mate; it gets the 17,169 of "
        "RAVE with Havannah-Mate in the first third of the game, since without it both make 19,000.",
        *TABLE.flags,
    ),
)
