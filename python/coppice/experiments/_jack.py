"""What the experiments on Mr Jack share: the game as the paper describes it, and its players."""

GAME = "mr_jack"
HIDDEN = (
    "The paper does not say how its search treats the hidden identity and the cards to come. Here every "
    "simulation samples them from what its side may know."
)
RULES = (
    "The game is played by the boxed rules of the first edition: the witnesses are called after every "
    "turn, Sir William Gull moves or swaps. The paper's board has 54 hexes, the real one 60."
)


def source(table: str) -> str:
    """Where a table comes from."""
    return f"Mazyad, Teytaud, Fonlupt 2015 (Monte-Carlo tree search for the Mr Jack board game), {table}"
