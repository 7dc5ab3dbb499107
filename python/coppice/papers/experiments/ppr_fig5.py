"""PPR, Figure 5: the influence of PPR's three parameters, against RAVE with 1,000 playouts on size 6."""

from coppice.papers.experiment import Experiment, Figure, MatchRow, Published, paper_table

CLAIMS = {row["parameter"]: row["qualitative"] for row in paper_table("PPR", "Figure 5").rows}
DEFAULTS = {"tn": 0.01, "tw": 0.25, "p": 0.8}
GRID = {
    "tn": (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0),
    "tw": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    "p": (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0),
}
PRINTED = {"tn": "T_n", "tw": "T_w", "p": "p"}


def ppr(**options: float) -> str:
    """PPR with these parameters and the defaults for the others."""
    text = ", ".join(f"{name}={value:g}" for name, value in {**DEFAULTS, **options}.items())
    return f"ppr(playout=ppr({text}), simulations=1000)"


EXPERIMENT = Experiment(
    question="How does PPR's gain over RAVE depend on its parameters T_n, T_w' and p?",
    source="Dugueperoux, Mazyad, Teytaud, Dehos 2016 (PPR), Figure 5",
    rows=tuple(
        MatchRow(
            name=f"{PRINTED[name]} = {100 * value:g} %",
            labels={"parameter": PRINTED[name], "percent": f"{100 * value:g}"},
            game="havannah(size=6)",
            a=ppr(**{name: value}),
            b="rave(simulations=1000)",
            count=600,
            published=Published(text=CLAIMS[PRINTED[name]] if place == 0 else ""),
        )
        for name, values in GRID.items()
        for place, value in enumerate(values)
    ),
    figures=(
        Figure(
            x="percent",
            group="parameter",
            title="PPR against RAVE by parameter",
            labels={"T_n": "$T_n$ (%)", "T_w": "$T_w$ (%)", "p": "$p$ (%)"},
        ),
    ),
    notes=(
        "The plotted points are lost: the first row of each parameter says what the text claims. The grid "
        "is ours.",
    ),
)
