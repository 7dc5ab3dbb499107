"""What the experiments on Fossel's report share: his counts and his clock, his base player, his board."""

import re

from coppice.papers.experiment import (
    BUDGET,
    Clock,
    MatchRow,
    Published,
    PublishedTable,
    Reading,
    SpeedRow,
    paper_table,
    rate,
    under,
)

GAME = "havannah(size=6)"
UCT_PLAYOUTS, OTHER_PLAYOUTS = (row["value"] for row in paper_table("Fossel", "Text results").rows[2:4])
"""What UCT, and RAVE, Progressive History and Extended RAVE made in the 5 seconds of a move."""
UCT_LIMIT = f"simulations={UCT_PLAYOUTS}"
LIMIT = f"simulations={OTHER_PLAYOUTS}"
UCT = f"fossel_uct({UCT_LIMIT})"
RAVE = f"fossel_rave({LIMIT})"
FIVE_SECONDS = Clock(seconds=5, simulations=UCT_PLAYOUTS, reference=f"fossel_uct({BUDGET})")
EQUAL_TIME = Reading(
    "equal time",
    "5 seconds per move are the time in which our fossel_uct makes the 21,000 playouts that his UCT made in "
    "them; every other player gets the simulations that it makes here in that time, measured once and kept "
    "in the store, in the place of the printed number. Only the row on which the table's conclusion rests.",
)
MIN_VISITS = Reading(
    "at least 50 visits",
    "The move with the highest score is played: literally among all moves, of which one with a single lucky "
    "visit can have it; here among those with at least 50 visits, the number below which the text does not "
    "trust a score in selection either. Only the row on which the table's conclusion rests.",
)
TREE_ONLY = Reading(
    "AMAF in the tree only",
    "The text defines the RAVE value as the average over the nodes below with the same move, and says that "
    "it takes results from the playouts. The literal rows count all moves of a simulation, as the work cited "
    "does; here only the moves made in the tree. Only the best row.",
)
SUMS = Reading(
    "sums of results",
    "The text defines RAVE values as averages, but its example of a RAVE playout has the values 2, 3 and -1, "
    "which averages of results in -1..1 cannot be: the literal rows draw by averages, here moves are drawn "
    "by the sums of their results.",
)
VALUE_KEPT = Reading(
    "value 1 kept",
    "The value of new nodes is set to 1: literally until they are visited; here that 1 stays in the node as "
    "the result of a first visit. Only the best row.",
)
COUNTS = (
    "The games of the paper were limited to 5 seconds per move. The rows use the playouts that it prints for "
    "these 5 seconds: 21,000 for UCT, 19,000 for RAVE, Progressive History and Extended RAVE, or those "
    "printed in the table."
)
NODES = (
    "New nodes have the value 1 until their first visit, the threshold below which playout moves are used "
    "is 50 visits, and the move with the highest score is played, as the text says: a single lucky visit can "
    "have it."
)

COLOURS = (
    "The paper's columns for White and Black are shown as printed. They sum to 1 in every row: they are "
    "shares by colour of some games that are not named, not RAVE's win rates with White and Black, which "
    "ours are. Nothing is tested by them."
)
NEAR = "Near means next to the other side's last move (H = 1), or to one's own last move as well (H = 2)."


def source(table: str) -> str:
    """Where a table comes from."""
    return f"Fossel 2010 (MCTS applied to the game of Havannah), {table}"


def rave(options: str, limit: str = LIMIT) -> str:
    """The base player with another playout policy."""
    return f"fossel_rave(playout={options}, {limit})"


def rave_by_constant(table: PublishedTable, r: int, count: int) -> dict[float, MatchRow]:
    """The rows of Tables 2 and 3 by exploration constant: RAVE with this R against UCT."""
    return {
        row["C"]: MatchRow(
            name=f"C = {row['C']:g}",
            labels={"C": f"{row['C']:g}"},
            game=GAME,
            a=f"fossel_rave(selection=rave(schedule=linear, r={r}, amaf=raw, c={row['C']:g}), {LIMIT})",
            b=UCT,
            count=count,
            published=rate(
                row["win_total"], count, first=row["win_white"], second=row["win_black"], flags=table.flags
            ),
        )
        for row in table.rows
    }


def speed_of(row: MatchRow, published: float) -> SpeedRow:
    """How many playouts player *a* of a row makes while the base player makes one."""
    return SpeedRow(
        name=f"speed relative to random playouts, {row.name}",
        labels=row.labels,
        game=row.game,
        player=re.sub(r"simulations=\d+", "simulations=1000", row.a),
        reference="fossel_rave(simulations=1000)",
        count=10,
        published=Published(published),
    )


def both(reading: Reading, row: MatchRow, options: str) -> MatchRow:
    """The row under a reading that gives both players these options."""
    a, b = (player.replace("simulations=", f"{options}, simulations=") for player in row.players())
    return under(reading, row, a=a, b=b)


def min_visits(row: MatchRow) -> MatchRow:
    """The row in which both players ask 50 visits of the move that they play."""
    return both(MIN_VISITS, row, "final=score(min_visits=50)")


def equal_time(row: MatchRow) -> MatchRow:
    """The row with the clock in the place of the printed numbers of playouts."""
    a, b = (re.sub(r"simulations=\d+", BUDGET, player) for player in row.players())
    return under(EQUAL_TIME, row, a=a, b=b, clock=FIVE_SECONDS)
