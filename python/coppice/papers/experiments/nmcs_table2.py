"""NMCS, Table 2: states visited and how often the winning move is found, with discounting and pruning."""

from coppice.papers.experiment import Experiment, Published, Row, SearchRow, load_traps, paper_table, percent
from coppice.papers.experiments._nmcs import source

TABLE = paper_table("NMCS", "Table 2")
POSITIONS = load_traps()


def player(row: dict[str, object]) -> str:
    """The player whose moves, for both sides to the end, are a playout of NMC(3)."""
    pruning = str(row["pruning"])
    level = "".join(character for character in pruning if character.isdigit()) or "0"
    rule = "cut_on_win" if pruning.startswith("COW") else "prune_on_depth"
    discount = "true" if row["discounting"] else "false"
    return f"nested(level=2, discount={discount}, {rule}={level})"


def rows() -> list[Row]:
    """Two rows per position and setting: they read the same runs."""
    found: list[Row] = []
    for position in POSITIONS:
        if not position["game"].startswith("breakthrough"):
            continue
        alike = "8x8" in position["name"]
        for row in TABLE.rows:
            title = f"{'discounting' if row['discounting'] else 'plain'}, {row['pruning']}"
            for measure in ("move", "states"):
                frequency = percent(row["freq_pct"], 900, digits=1)
                states = Published(1000.0 * row["states_visited_k"], error=1000.0 * row["pm"], rounding=500)
                found.append(
                    SearchRow(
                        name=f"{position['name']}, {title}, {'frequency' if measure == 'move' else 'states'}",
                        labels={"position": position["name"], "discounting": str(row["discounting"]).lower()}
                        | {"pruning": row["pruning"], "measure": measure},
                        game=position["game"],
                        position=position["position"],
                        player=player(dict(row)),
                        measure="move" if measure == "move" else "states",
                        moves=(position["winning_move"],),
                        to_end=True,
                        count=900,
                        published=(frequency if measure == "move" else states) if alike else Published(),
                        tested=False,
                    )
                )
    return found


EXPERIMENT = Experiment(
    question="How often does NMC(3) find the only winning move, and how many states does each pruning save?",
    source=source("Table 2"),
    rows=tuple(rows()),
    notes=(
        "The position of the paper's Figure 1b is lost. Positions with exactly one winning move and luring "
        "others, found with a solver, stand in for it; the 8x8 one has the paper's moves, and only there "
        "its numbers are shown. Nothing is tested: another position has other numbers.",
        "The first move of an NMC(3) playout is the move of nested(level=2). States count the whole "
        "playout: the player moves for both sides to the end.",
        *TABLE.flags,
    ),
)
