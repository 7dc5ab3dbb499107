"""Mr Jack, section 4.1: reachable hexes, decisions per character, and how large the game tree is."""

import math

from coppice.papers.experiment import Experiment, Figure, PlayoutRow, Published, paper_table
from coppice.papers.experiments._jack import GAME, RULES, source

CHARACTERS = ("holmes", "watson", "smith", "lestrade", "stealthy", "goodley", "gull", "bert")
REACHABLE = {"stealthy": 50.0}
DECISIONS = {"goodley": 12.0**7 * 2}
TABLE = paper_table("Mr Jack", "Equation 1")
EQUATION = Published(round(math.log10(float(TABLE.rows[2]["printed"])), 1), flags=TABLE.flags)
"""The printed size of the tree."""


def branching(name: str, pattern: str, published: Published) -> PlayoutRow:
    """Counts something among the legal decisions of random games."""
    return PlayoutRow(
        name=name,
        labels={"what": name},
        game=GAME,
        player="random",
        measure="branching",
        pattern=pattern,
        count=50,
        published=published,
        # The paper's numbers are its estimates for a board of 54 hexes.
        tested=False,
    )


def tree(name: str, pattern: str, published: Published) -> PlayoutRow:
    """The size of the tree along games of a weak V3, most of which last for eight turns."""
    return PlayoutRow(
        name=name,
        labels={"what": name},
        game=GAME,
        player="jack_v3(simulations=50)",
        measure="tree_size",
        pattern=pattern,
        count=50,
        published=published,
        tested=False,
    )


EXPERIMENT = Experiment(
    question="How large is the game tree of Mr Jack?",
    source=source("section 4.1 and Equation 1"),
    rows=(
        branching(
            "legal decisions", "", Published(text="48 at first (4 characters, 12 hexes), without powers")
        ),
        *(
            branching(f"{one}: hexes", rf"^{one} ([a-m]\d+)\b", Published(REACHABLE.get(one, 12.0)))
            for one in CHARACTERS
        ),
        *(branching(f"{one}: decisions", rf"^{one} .*", Published(DECISIONS.get(one))) for one in CHARACTERS),
        PlayoutRow(
            name="length of random games",
            labels={"what": "length of random games"},
            game=GAME,
            player="random",
            measure="game_length",
            count=200,
            published=Published(text="8 turns of 4 characters: at most 32"),
        ),
        tree("tree of characters and hexes, log10", r"^(\w+ [a-m]\d+)\b", EQUATION),
        tree("tree of whole decisions, log10", "", Published(text="Equation 1 is a very low bound")),
    ),
    figures=(Figure(x="ply", title="Legal decisions by ply", by_ply=True, logarithmic=True),),
    notes=(
        "Equation 1 of the paper prints 2.5e44, that is 44.4; its own factors give 2.5e45. It multiplies 12 "
        "hexes for each of 4, 3, 2 and 1 characters in the first turn, and takes the cards to come as freely "
        "chosen among 8 from then on. Ours is the product of the numbers of legal choices along games, whose "
        "cards are drawn: the mean of its logarithm.",
        "The paper estimates 12 hexes for a character, 50 for Miss Stealthy, and 12^7 * 2 decisions for "
        "Sergeant Goodley.",
        "A random decision draws the character, then the destination, then the use of the power.",
        RULES,
    ),
)
