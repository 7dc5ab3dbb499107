"""NMCS, numbers in the text: how often NMC(2) finds Black's only defence, with and without discounting."""

from coppice.experiment import Experiment, SearchRow, load_traps, paper_table, rate
from coppice.experiments._nmcs import source
from coppice.session import Game

PLAIN, DISCOUNT = (row["value"] for row in paper_table("NMCS", "Text results").rows)
SETTINGS = {
    "plain": ("nested(level=1)", PLAIN),
    "plain, cut on win": ("nested(level=1, cut_on_win=2)", PLAIN),
    "discounting": ("nested(level=1, discount=true)", DISCOUNT),
    "discounting, pruning on depth": ("nested(level=1, discount=true, prune_on_depth=2)", DISCOUNT),
}
TRAP = next(trap for trap in load_traps() if "8x8" in trap["name"])

EXPERIMENT = Experiment(
    question="Does NMC(2) need discounting to find the only defence?",
    source=source("numbers in the text"),
    rows=tuple(
        SearchRow(
            name=title,
            labels={"player": title},
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
    notes=(
        "The paper: NMC(2) answers b6-a7 with the only defence b8-a7 in 15 % of the runs, with discounting "
        "always. Its position is lost; an 8x8 position in which b6-a7 is a luring mistake and b8-a7 its only "
        "refutation, found with a solver, stands in for it, and nothing is tested.",
        "The first move of an NMC(2) playout is the move of nested(level=1).",
    ),
)
