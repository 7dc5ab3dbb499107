"""Fossel, Figure 6.1: the length of playouts with and without Havannah-Mate, ply by ply."""

from coppice.papers.experiment import Experiment, Figure, PlayoutRow, Published
from coppice.papers.experiments._fossel import GAME, NODES, rave, source

CLAIM = "consistently lower or equal with Havannah-Mate"

EXPERIMENT = Experiment(
    question="How long are playouts with and without Havannah-Mate, ply by ply?",
    source=source("Figure 6.1"),
    rows=(
        PlayoutRow(
            name="Havannah-Mate",
            labels={"player": "Havannah-Mate"},
            game=GAME,
            player=rave("mate(c=1)", "simulations=1000"),
            count=50,
            published=Published(text=CLAIM),
        ),
        PlayoutRow(
            name="random playouts",
            labels={"player": "random playouts"},
            game=GAME,
            player="fossel_rave(simulations=1000)",
            count=50,
        ),
    ),
    figures=(Figure(x="ply", title="Mean length of playouts by ply", by_ply=True),),
    notes=(
        NODES,
        "The plotted points are lost: the column shows what the text claims.",
        "The paper says neither how many games nor which budget; here each player plays 50 games against "
        "itself with 1,000 simulations per move, and the playouts of its own searches are measured. The "
        "length does not count the moves in the tree.",
    ),
)
