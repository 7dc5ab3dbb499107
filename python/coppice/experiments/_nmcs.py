"""What the experiments on nested search share: the nine games, their speeds in the paper, its budgets."""

from coppice.experiment import BUDGET, Clock, paper_table

GAMES = {
    "Breakthrough": "breakthrough",
    "Breakthrough misere": "misere(breakthrough)",
    "Knightthrough": "knightthrough",
    "Knightthrough misere": "misere(knightthrough)",
    "Domineering": "domineering",
    "Domineering misere": "misere(domineering)",
    "NoGo": "nogo",
    "NoGo misere": "misere(nogo)",
    "AtariGo": "atari_go",
}
SPEEDS = {row["game"]: row["k_states_per_s"] for row in paper_table("NMCS", "Table 3").rows}
"""Thousands of states per second of the paper's program."""
UCT = f"uct_nmcs({BUDGET})"
EQUAL_WORK = (
    "A time of t ms is t ms of the states per second that Table 3 prints for the game: both players visit "
    "that many states per move, so that the numbers do not depend on the machine."
)
CONSTANT = (
    "The exploration constant of UCT is not printed; both sides use 0.4 for results in 0..1, play the most "
    "visited move and start every move with a new tree."
)


def source(table: str) -> str:
    """Where a table comes from."""
    return f"Cazenave, Saffidine, Schofield, Thielscher 2016 (Nested Monte Carlo, two players), {table}"


def clock(game: str, milliseconds: int) -> Clock:
    """The states that stand for a time."""
    return Clock(seconds=milliseconds / 1000, states=milliseconds * SPEEDS[game])
