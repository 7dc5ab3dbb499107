"""Our own: does pruning with RAVE explain PPR's gain? PPR against RAVE without its parts, one by one."""

from coppice.papers.experiment import Experiment, MatchRow, paper_table, percent

PUBLISHED = paper_table("PPR", "Table 1").rows[0]["ppr_win_rate_pct"]
CONTROLS = {
    "as published": "default_pruning=last_part",
    "list only": "default_pruning=none",
    "default pruning only": "default_pruning=last_part, list=false",
    "shuffled numbering": "default_pruning=last_part, numbering=shuffled",
    "default pruning only, shuffled numbering": "default_pruning=last_part, list=false, numbering=shuffled",
    "last part taken literally": "default_pruning=last_part_literal",
    "neither: RAVE against itself": "default_pruning=none, list=false",
}
OTHER_GAMES = {
    "NoGo 7x7": "nogo(rows=7, columns=7)",
    "AtariGo 7x7": "atari_go(rows=7, columns=7)",
    "Domineering 8x8": "domineering(rows=8, columns=8)",
}
PLAIN = ("as published", "list only", "default pruning only", "shuffled numbering")


def ppr(options: str) -> str:
    """PPR with other options of its playout policy."""
    return f"ppr(playout=ppr(tn=0.01, tw=0.25, p=0.8, {options}), simulations=1000)"


EXPERIMENT = Experiment(
    question="Does pruning with RAVE explain PPR's gain over RAVE, or does the numbering of the cells?",
    source="our own; the first row repeats PPR, Table 1 (size 6, 1,000 playouts, RAVE)",
    rows=(
        *(
            MatchRow(
                name=name,
                labels={"game": "Havannah 6", "playout": name},
                game="havannah(size=6)",
                a=ppr(options),
                b="rave(simulations=1000)",
                count=600,
                published=percent(PUBLISHED if name == "as published" else None, 600),
            )
            for name, options in CONTROLS.items()
        ),
        *(
            MatchRow(
                name=f"{title}, {name}",
                labels={"game": title, "playout": name},
                game=game,
                a=ppr(CONTROLS[name]),
                b="rave(simulations=1000)",
                count=600,
            )
            for title, game in OTHER_GAMES.items()
            for name in PLAIN
        ),
    ),
    notes=(
        "In PPR a playout move comes from the list of moves that RAVE likes with probability p, and else "
        "from the last part (1 - p) of the empty cells in board order: the authors' program uses one "
        "random number for the branch and for the index.",
        "List only: the other moves are uniform over all empty cells. Default pruning only: no list; moves "
        "of the first kind are uniform. Shuffled numbering: the cells are numbered at random, once per game.",
        "The games besides Havannah are ours; PPR was published for Havannah alone.",
    ),
)
