"""NMCS, Table 1 and Figure 1a: what each nesting level returns where one move of tic-tac-toe wins."""

from coppice.papers.experiment import Experiment, Published, SearchRow, load_traps
from coppice.papers.experiments._nmcs import source

TRAP = next(trap for trap in load_traps() if trap["game"] == "tic_tac_toe")
LEVELS = (0, 1, 2, 3)
WIN_IN = 3
"""The winning move is answered, and then the line is complete."""


def player(level: int, discount: str) -> str:
    """The player whose moves for both sides are a playout of this level."""
    return f"nested(level={level - 1}, discount={discount})" if level else "random"


def claim(proposition: int, moves: int) -> Published:
    """What a proposition says of a search that sees so many moves ahead."""
    return Published(text=f"always (Proposition {proposition})" if moves >= WIN_IN else "")


EXPERIMENT = Experiment(
    question="From which nesting level on are the only winning move and the value found?",
    source=source("Table 1 and Figure 1a"),
    rows=(
        *(
            SearchRow(
                name=f"move recommended by NMC{'_D' if discount == 'true' else ''}({level})",
                labels={"measure": "winning move", "level": str(level), "discounting": discount},
                game=TRAP["game"],
                position=TRAP["position"],
                player=f"nested(level={level}, discount={discount})",
                moves=(TRAP["winning_move"],),
                count=900,
                published=claim(2, level + 1) if discount == "true" else Published(),
            )
            for discount in ("false", "true")
            for level in LEVELS
        ),
        *(
            SearchRow(
                name=f"value of NMC{'_D' if discount == 'true' else ''}({level})",
                labels={"measure": "wins", "level": str(level), "discounting": discount},
                game=TRAP["game"],
                position=TRAP["position"],
                player=player(level, discount),
                measure="win",
                to_end=True,
                count=900,
                published=claim(1, level),
            )
            for discount in ("false", "true")
            for level in LEVELS
            if level or discount == "false"
        ),
    ),
    notes=(
        "The content of Table 1 and the position of Figure 1a are lost. Its caption says that the X player "
        "is to play and that any move except a3 leads to a draw with perfect play; such a position, found "
        "with a solver, stands in for it. The column shows what the propositions claim.",
        "The move recommended by level n is that of nested(level=n), which makes one playout of NMC(n) for "
        "each successor. The value is the result of one playout of NMC(n) from the position: 1 for a win of "
        "X, 1/2 for a draw. NMC(0) is a random playout.",
        "A forced win in 3 moves is seen by level 3, and its first move by level 2. Proposition 2 is claimed "
        "for discounting; Proposition 1 also without it, where a lucky longer win ties with a forced one.",
    ),
)
