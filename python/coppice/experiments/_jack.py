"""What the experiments on Mr Jack share: the game, its players, and what the paper leaves open in both."""

import re
from collections.abc import Iterable
from dataclasses import replace

from coppice.experiment import MatchRow, Reading, under

GAME = "mr_jack"
PLAYOUT = "playout=uniform"
"""As section 3.2 has it: every decision of a playout is drawn at random."""
WITNESS = Reading(
    "witnesses every other turn",
    "The paper plays Mr Jack with its full rules, by which the witnesses are called after every turn; its "
    "summary says every other turn, as here.",
)
GULL = Reading(
    "Gull moves and swaps",
    "By the rules Sir William Gull moves or swaps; the paper counts 6 moves times 8 swaps, so that he moves "
    "and then may swap, as here.",
)
DECISIVE = Reading(
    "decisive playouts",
    "Section 3.2 draws every decision of a playout at random, accusations among them, most of which are "
    "false; here a side that can win for certain does so, and the detective accuses in no other case.",
)
SCRIPTED = Reading(
    "rules in playouts",
    "Whether the rules for powers are used in playouts, too, is not said: literally they belong to the nodes "
    "of V3; here its playouts are decisive and use them.",
)
HIGHEST_SCORE = Reading(
    "highest score",
    "Which move is played in the end is not said: the most visited one, or, here, the one with the highest "
    "mean.",
)
CONSTANTS = {
    k: Reading(
        f"K = {k:g}", f"The constant of this table is not printed: 0.6, the best of Tables 3 and 4, or {k:g}."
    )
    for k in (0.2, 1.0)
}
FREE_CHOICE = Reading(
    "cards chosen",
    "How the search treats the cards to come is not said: they are drawn, or, as in the paper's estimate of "
    "the tree, chosen freely by who moves then, as here.",
)
INFORMED = Reading(
    "simulated opponent informed",
    "How the search treats the hidden identity is not said: every side of a simulation knows what it may "
    "know, or, here, Jack's search takes his identity as known to the simulated inspector.",
)
DETECTIVE = Reading(
    "inspector knows Jack",
    "How the search treats the hidden identity is not said. In the literal rows each side knows what it may; "
    "a program that searches the one true state lets its inspector know who Jack is, as here.",
)
HIDDEN = (
    "The paper does not say how its search treats the hidden identity and the cards to come. Here every "
    "simulation samples them from what its side may know."
)
RULES = (
    "The game is played by the boxed rules of the first edition: the witnesses are called after every "
    "turn, Sir William Gull moves or swaps. The paper's board has 54 hexes, the real one 60."
)
PLAYOUTS = (
    "A playout draws the card, then the destination, then the use of the power, each with equal chances; "
    "an accusation is a destination like any other."
)


def source(table: str) -> str:
    """Where a table comes from."""
    return f"Mazyad, Teytaud, Fonlupt 2015 (Monte-Carlo tree search for the Mr Jack board game), {table}"


def games(rows: Iterable[MatchRow]) -> list[MatchRow]:
    """These rows under the two readings of the rules."""
    found = list(rows)
    return [
        *(under(WITNESS, row, game=f"{GAME}(witness=every_other_turn)") for row in found),
        *(under(GULL, row, game=f"{GAME}(gull=and)") for row in found),
    ]


def players(reading: Reading, row: MatchRow, options: str) -> MatchRow:
    """The row under a reading that gives both players these options; a playout takes the place of theirs."""
    old = f"{PLAYOUT}, " if options.startswith("playout=") else ""
    assert all(old in player for player in row.players()), f"'{row.name}' has no {old}"
    a, b = (re.sub(r"\(", f"({options}, ", player.replace(old, ""), count=1) for player in row.players())
    # A clock's reference is one of its players.
    clock = row.clock and replace(row.clock, reference=a)
    return under(reading, row, a=a, b=b, clock=clock)


def decisive(rows: Iterable[MatchRow]) -> list[MatchRow]:
    """These rows with decisive playouts."""
    return [players(DECISIVE, row, "playout=decisive") for row in rows]
