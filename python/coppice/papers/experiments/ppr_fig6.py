"""PPR, Figure 6: PPR against RAVE by number of iterations and by size of the board."""

from coppice.papers.experiment import Experiment, Figure, MatchRow, Published, paper_table

CLAIMS = {row["x"]: row["text value"] for row in paper_table("PPR", "Figure 6").rows}
ITERATIONS = (500, 1000, 2000, 5000, 10000, 20000, 30000)
SIZES = (4, 5, 6, 7, 8, 9, 10)


def claim(size: int, iterations: int) -> Published:
    """What the text says of a point."""
    if size == 6:
        return Published(text=CLAIMS.get(f"{iterations // 1000}k iterations", ""))
    key = "board size < 5" if size < 5 else "board size > 7" if size > 7 else ""
    return Published(text=CLAIMS.get(key, ""))


def row(title: str, x: int, size: int, iterations: int) -> MatchRow:
    """One point of the figure."""
    return MatchRow(
        name=f"{title} {x}",
        labels={"axis": title, "x": str(x)},
        game=f"havannah(size={size})",
        a=f"ppr(simulations={iterations})",
        b=f"rave(simulations={iterations})",
        count=600,
        published=claim(size, iterations),
    )


EXPERIMENT = Experiment(
    question="How does PPR's gain over RAVE depend on the number of iterations and on the size of the board?",
    source="Dugueperoux, Mazyad, Teytaud, Dehos 2016 (PPR), Figure 6",
    rows=(
        *(row("iterations", n, 6, n) for n in ITERATIONS),
        *(row("board size", size, size, 1000) for size in SIZES),
    ),
    figures=(Figure(x="x", group="axis", title="PPR against RAVE", logarithmic=True),),
    notes=(
        "The plotted points are lost: the column shows what the text claims. The grid of iterations is ours.",
        "The text says almost 80 % at 1,000 and almost 70 % at 10,000 iterations where Table 1 has 74.4 "
        "and 63.67 %.",
    ),
)
