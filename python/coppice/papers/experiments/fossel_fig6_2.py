"""Fossel, Figure 6.2: by how many moves Havannah-Mate shortens playouts, ply by ply."""

from coppice.papers.experiment import Experiment, Figure, PlayoutRow, Published
from coppice.papers.experiments._fossel import GAME, NODES, rave, source

EXPERIMENT = Experiment(
    question="How much shorter are playouts with Havannah-Mate, and how does that change by ply?",
    source=source("Figure 6.2"),
    rows=(
        PlayoutRow(
            name="advantage of Havannah-Mate",
            labels={"what": "length of random playouts minus that with Havannah-Mate"},
            game=GAME,
            player=rave("mate(c=1)", "simulations=1000"),
            reference="fossel_rave(simulations=1000)",
            count=50,
            published=Published(text="becomes smaller as the game progresses"),
        ),
    ),
    figures=(Figure(x="ply", title="Moves by which Havannah-Mate shortens playouts", by_ply=True),),
    notes=(
        NODES,
        "The plotted points are lost: the column shows what the text claims.",
        "The paper says neither how many games nor which budget, nor whether both lengths come from the same "
        "positions. Here the player with Havannah-Mate plays 50 games against itself with 1,000 simulations "
        "per move, and both players search every position of them.",
    ),
)
