"""NMCS, numbers in the text: how often NMC(2) finds Black's only defence, with and without discounting."""

from coppice.experiment import Experiment, Published, Row, SearchRow, load_traps, paper_table, rate
from coppice.experiments._nmcs import source

PLAIN, DISCOUNT = (row["value"] for row in paper_table("NMCS", "Text results").rows)
SETTINGS = {
    "plain": ("nested(level=1)", rate(PLAIN)),
    "plain, cut on win": ("nested(level=1, cut_on_win=2)", rate(PLAIN)),
    "discounting": ("nested(level=1, discount=true)", rate(DISCOUNT)),
    "discounting, pruning on depth": (
        "nested(level=1, discount=true, prune_on_depth=2)",
        rate(DISCOUNT),
    ),
}


def rows() -> list[Row]:
    """The only winning move of each position that stands in for the paper's."""
    return [
        SearchRow(
            name=f"{position['name']}, {title}",
            labels={"position": position["name"], "player": title},
            game=position["game"],
            position=position["position"],
            player=player,
            moves=(position["winning_move"],),
            count=900,
            published=published if "8x8" in position["name"] else Published(),
            tested=False,
        )
        for position in load_traps()
        for title, (player, published) in SETTINGS.items()
    ]


EXPERIMENT = Experiment(
    question="Does NMC(2) need discounting to find the only defence?",
    source=source("numbers in the text"),
    rows=tuple(rows()),
    notes=(
        "The paper: NMC(2) answers b6-a7 with the only defence b8-a7 in 15 % of the runs, with discounting "
        "always. Its position is lost; positions with exactly one winning move, found with a solver, stand "
        "in for it, and nothing is tested. The first move of an NMC(2) playout is the move of "
        "nested(level=1).",
    ),
)
