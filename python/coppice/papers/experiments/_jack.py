"""What the experiments on Mr Jack share: the game, its players, and what the paper leaves open in both."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from coppice.papers.experiment import MatchRow, Reading, percent, under

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


def scaling(row: Mapping[str, Any]) -> MatchRow:
    """A row of Tables 5 to 7: numbers of simulations."""
    numbers = {"inspector": row["sims_inspector"], "Jack": row["sims_jack"]}
    name = ", ".join(f"{side} {number}" for side, number in numbers.items())
    labels = {side: str(number) for side, number in numbers.items()}
    inspector, jack = (f"jack_v3({PLAYOUT}, simulations={number})" for number in numbers.values())
    return _one_sided(row, name, labels, inspector, jack)


def constants(row: Mapping[str, Any]) -> MatchRow:
    """A row of Tables 3 and 4: exploration constants."""
    labels = {"K inspector": f"{row['K_inspector']:g}", "K Jack": f"{row['K_jack']:g}"}
    name = ", ".join(f"{side} = {k}" for side, k in labels.items())
    inspector = f"jack_v3({PLAYOUT}, k_detective={labels['K inspector']}, simulations=10000)"
    jack = f"jack_v3({PLAYOUT}, k_jack={labels['K Jack']}, simulations=10000)"
    return _one_sided(row, name, labels, inspector, jack)


def _one_sided(
    row: Mapping[str, Any], name: str, labels: Mapping[str, str], inspector: str, jack: str
) -> MatchRow:
    """A match in which player *a* is always the one whose wins the table counts."""
    counts_jack = "jack_win_pct" in row
    a, b = (jack, inspector) if counts_jack else (inspector, jack)
    return MatchRow(
        name=name,
        labels=labels,
        game=GAME,
        a=a,
        b=b,
        sides="second" if counts_jack else "first",
        count=200,
        published=percent(row["jack_win_pct" if counts_jack else "inspector_win_pct"], 200, digits=1),
    )


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
