"""PPR, Figure 4: which cells the pruned list of PPR keeps in a position, after so many iterations."""

from coppice.papers.experiment import Experiment, Figure, Published, SearchRow

EMPTY = "....../......./......../........./........../"
POSITIONS = {
    "empty board": "",
    "19 stones": f"{EMPTY}.........b./........../..wb..bb./.bwwwwww/b.w..bb/..wb.w second",
    "23 stones": f"{EMPTY}b........b./...w....../.bwb..bb./.bwwwwww/b.w..bb/w.wb.w second",
}
RUNS = {1000: 50, 10000: 20, 100000: 5}
CLAIM = "a few cells are pruned that are cut off or cannot be part of a figure"

EXPERIMENT = Experiment(
    question="Which cells does PPR keep in its list?",
    source="Dugueperoux, Mazyad, Teytaud, Dehos 2016 (PPR), Figure 4",
    rows=tuple(
        SearchRow(
            name=f"{title}, {iterations:,} iterations",
            labels={"position": title, "iterations": str(iterations)},
            game="havannah(size=6)",
            position=position,
            player=f"ppr(simulations={iterations})",
            measure="kept",
            count=runs,
            published=Published(text=CLAIM if iterations == 100000 and position else ""),
        )
        for title, position in POSITIONS.items()
        for iterations, runs in RUNS.items()
    ),
    figures=(Figure(x="cell", title="How often each cell is kept", on_board=True),),
    notes=(
        "The number of a row is the share of the empty cells that are in the list for the root when the "
        "search ends. In the figure a cell is the redder the more often it is kept.",
        "The paper's position is lost; after 100,000 iterations for Black about a dozen of its cells were "
        "pruned. The positions here are those after 19 and 23 moves of a game that PPR played against itself "
        "with 2,000 iterations, Black to move and in difficulties: where both sides have chances, no cell "
        "falls below the threshold of 25 %, and nothing is pruned.",
    ),
)
