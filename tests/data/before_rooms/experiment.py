"""An experiment on tic-tac-toe with a row of each kind that keeps games or runs."""

from coppice.experiment import Experiment, MatchRow, PlayoutRow, SearchRow

PLAYER = "uct(simulations=20)"

EXPERIMENT = Experiment(
    question="Is what was kept before the rooms still read?",
    source="our own",
    rows=(
        MatchRow(name="match", game="tic_tac_toe", a=PLAYER, b="random", count=10),
        SearchRow(name="search", game="tic_tac_toe", player=PLAYER, count=6, moves=("b2",)),
        PlayoutRow(name="length", game="tic_tac_toe", player=PLAYER, count=4),
    ),
)
