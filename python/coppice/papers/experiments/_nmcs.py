"""What the experiments on nested search share: the nine games, their speeds in the paper, its budgets."""

import re

from coppice.papers.experiment import BUDGET, Clock, MatchRow, Reading, paper_table, under

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
    "The opponent is an optimised UCT whose exploration constant is not printed. The literal rows use the "
    "0.4 for results in 0..1 that is usual with one of the authors, for both sides; both play the most "
    "visited move and start every move with a new tree."
)
FITTED = {"Breakthrough": 0.0, "Knightthrough": 0.0, "AtariGo": 0.0}
"""The games in which another constant than 0.4 comes nearer to the paper."""
PER_GAME = Reading(
    "k for each game",
    "Optimised may mean one constant per game: 0 in Breakthrough, Knightthrough and AtariGo, 0.4 as in the "
    "literal rows in the other games, which therefore have no row of this reading. These constants were "
    "chosen on the first column of Table 5 with 60 games a row: the reading is fitted to the paper and no "
    "independent evidence for it.",
)


def source(table: str) -> str:
    """Where a table comes from."""
    return f"Cazenave, Saffidine, Schofield, Thielscher 2016 (Nested Monte Carlo, two players), {table}"


ATARI_GO = {
    game: Reading(name, f"The rules of AtariGo are not given: {text} Only AtariGo.")
    for name, game, text in (
        (
            "suicide loses",
            "atari_go(suicide=loses)",
            "in the literal rows a stone that leaves its own group without liberty may not be played, here "
            "it may and loses.",
        ),
        (
            "cross-cut",
            "atari_go(start=cross_cut)",
            "the literal rows begin with the empty board, here with the cross-cut of two stones each that "
            "is usual among people.",
        ),
    )
}
"""By the game that is played."""


def with_constant(reading: Reading, row: MatchRow, k: float) -> MatchRow:
    """The row with this exploration constant for both players."""
    a, b = (re.sub(r"\(", f"(selection=uct(k={k:g}), ", player, count=1) for player in row.players())
    return under(reading, row, a=a, b=b)


def clock(game: str, milliseconds: int) -> Clock:
    """The states that stand for a time."""
    return Clock(seconds=milliseconds / 1000, states=milliseconds * SPEEDS[game])
