"""What the experiments on Fossel's report share: his clock, his base player, his board."""

from coppice.experiment import BUDGET, Clock

GAME = "havannah(size=6)"
UCT = f"fossel_uct({BUDGET})"
RAVE = f"fossel_rave({BUDGET})"
FIVE_SECONDS = Clock(seconds=5, simulations=21000, reference=UCT)
"""His UCT made 21,000 playouts in the 5 seconds of a move; others get what they make in that time."""
EQUAL_TIME = (
    "5 seconds per move are the time in which our fossel_uct makes the 21,000 playouts that his UCT made "
    "in them; the other player gets the simulations that it makes in that time, as measured at the start "
    "and kept in the store."
)
NODES = (
    "New nodes have the value 1 until their first visit, the threshold below which playout moves are used "
    "is 50 visits, and the move with the highest score is played."
)


def source(table: str) -> str:
    """Where a table comes from."""
    return f"Fossel 2010 (MCTS applied to the game of Havannah), {table}"


def rave(options: str, budget: str = BUDGET) -> str:
    """The base player with another playout policy."""
    return f"fossel_rave(playout={options}, {budget})"
