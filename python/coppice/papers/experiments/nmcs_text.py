"""NMCS, claims of the text: the only defence that NMC(2) must find, and games that one side always wins."""

from coppice.core.session import Game
from coppice.papers.experiment import (
    BUDGET,
    Experiment,
    MatchRow,
    Published,
    SearchRow,
    load_traps,
    paper_table,
    rate,
)
from coppice.papers.experiments._nmcs import CONSTANT, EQUAL_WORK, GAMES, UCT, clock, source

PLAIN, DISCOUNT = (row["value"] for row in paper_table("NMCS", "Text results").rows)
SETTINGS = {
    "plain": ("nested(level=1)", PLAIN),
    "plain, cut on win": ("nested(level=1, cut_on_win=2)", PLAIN),
    "discounting": ("nested(level=1, discount=true)", DISCOUNT),
    "discounting, pruning on depth": ("nested(level=1, discount=true, prune_on_depth=2)", DISCOUNT),
}
TRAP = next(trap for trap in load_traps() if "8x8" in trap["name"])

ONE_SIDED = ("Knightthrough", "Domineering")
MILLISECONDS = 320

EXPERIMENT = Experiment(
    question="Does NMC(2) find the only defence, and does one side win almost every game?",
    source=source("claims of the text"),
    rows=(
        *(
            SearchRow(
                name=title,
                labels={"what": title},
                game=TRAP["game"],
                position=Game(TRAP["game"]).state(TRAP["position"]).play("b6-a7").text(),
                player=player,
                moves=("b8xa7",),
                count=900,
                published=rate(value),
                tested=False,
            )
            for title, (player, value) in SETTINGS.items()
        ),
        *(
            MatchRow(
                name=f"{game}: wins of the first side",
                labels={"what": f"{game}: wins of the first side"},
                game=GAMES[game],
                a=f"uct_nested_cow({BUDGET})",
                b=UCT,
                clock=clock(game, MILLISECONDS),
                count=500,
                rate_of="first side",
                published=Published(text="the same side wins almost every game"),
            )
            for game in ONE_SIDED
        ),
    ),
    notes=(
        "The paper: NMC(2) answers b6-a7 with the only defence b8-a7 in 15 % of the runs, with discounting "
        "always. Its position is lost; an 8x8 position in which b6-a7 is a luring mistake and b8-a7 its only "
        "refutation, found with a solver, stands in for it, and nothing is tested.",
        "The first move of an NMC(2) playout is the move of nested(level=1).",
        "In Knightthrough and Domineering, says the text, the same side wins almost every game, no matter "
        "which algorithm plays it: the rows count the wins of the first side in the matches of Table 5 "
        "(nested playouts with cut on win against UCT, 320 ms), apart where the nested player has it.",
        EQUAL_WORK,
        CONSTANT,
    ),
)
