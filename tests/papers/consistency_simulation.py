"""How often the test behind *consistent?* is wrong, by simulation, run as a program.

It prints `docs/measured/consistency.md`. A family is 30 rows; in each row the paper's games and ours have
the same rate, so that any "no" is wrong. Whether there are enough games is not asked: the p-values alone
must hold.
"""

from __future__ import annotations

import itertools
import math
import textwrap
import zlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import coppice
from coppice.lab.stats import Pairs, Score, holm
from coppice.papers.consistency import _lower_limit, rate_p_value

SEED = 1
ROWS = 30
LEVEL = 0.05
ROUNDING = 0.0005
"""Papers print rates in percent with one digit."""
GAMES = (4, 6, 10, 20, 60, 200, 600)
RATES = (0.05, 0.2, 0.5, 0.8, 0.95)
PAPERS = (100, 500, None)
POWER_GAMES = (20, 100, 200, 400, 600)
KINDS = {
    "opposed": "the opening gives one side as much as it can",
    "independent": "the games of a pair know nothing of each other",
    "half copied": "in every other pair the second game ends like the first",
    "copied": "in every pair the second game ends like the first",
    "draws": "independent; a draw has the probability of the rarer of win and loss, or more",
    "draws, opposed": "draws, and the opening gives one side half of what it can",
    "draws, half copied": "draws, and in every other pair the second game ends like the first",
}


def _game(rate: float, draws: bool) -> tuple[float, float, float]:
    """The probabilities of 0, 1/2 and 1 point in one game."""
    drawn = min(rate, 1 - rate) if draws else 0.0
    return 1 - rate - drawn / 2, drawn, rate - drawn / 2


def pair_chances(kind: str, rate: float) -> list[float]:
    """The probabilities of the six ways in which a pair ends, in the order of `Pairs`."""
    draws = kind.startswith("draws")
    edge = min(rate, 1 - rate) * (0.5 if draws else 1.0) if "opposed" in kind else 0.0
    one, two = _game(rate + edge, draws), _game(rate - edge, draws)
    copied = {"half copied": 0.5, "copied": 1.0, "draws, half copied": 0.5}.get(kind, 0.0)
    joint = np.outer(one, two) * (1 - copied) + np.diag(one) * copied
    ends = [joint[0, 0], joint[0, 1] + joint[1, 0], joint[0, 2] + joint[2, 0]]
    return [float(chance) for chance in (*ends, joint[1, 1], joint[1, 2] + joint[2, 1], joint[2, 2])]


def p_values(
    kind: str, rate: float, games: int, paper: int | None, rows: int, gap: float = 0.0, stop: float = 1.0
) -> list[float]:
    """The p-values of rows whose published rate lies `gap` above ours; from `stop` on they are not exact."""
    name = f"{SEED} {kind} {rate} {games} {paper} {gap}"
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    ours = rng.multinomial(games // 2, pair_chances(kind, rate), size=rows)
    truth = rate + gap
    printed = np.full(rows, truth) if paper is None else rng.binomial(paper, truth, size=rows) / paper
    scores = [Score.of_pairs(Pairs(*map(int, pairs))) for pairs in ours]
    return [
        1.0
        if stop < 1 and near(score, float(value), paper)
        else rate_p_value(score, round(float(value), 3), games=paper, rounding=ROUNDING, stop=stop)
        for score, value in zip(scores, printed, strict=True)
    ]


def near(score: Score, published: float, paper: int | None) -> bool:
    """Whether a difference is below 1.5 standard deviations: then its p-value is far above 0.05.

    The deviation is that of the published rate and the smallest possible share of split pairs, one of those
    over which the p-value is the largest. Most rows are of this kind and need not be computed.
    """
    pairs = score.pairs
    _, quarter, half, three, _ = pairs.pentanomial
    least = _lower_limit(int(half + 0.75 * (quarter + three)), pairs.count)
    plain = published * (1 - published)
    variance = max(0.0, plain - least / 4) / pairs.count + (plain / paper if paper else 0.0)
    return (score.rate - published) ** 2 < 1.5**2 * variance


def wrong_families(kind: str, rate: float, games: int, paper: int | None, families: int) -> float:
    """The share of families of which some row is called inconsistent though none is."""
    # Holm's smallest adjusted p-value is the smallest one times the rows: above `stop` none is significant.
    found = p_values(kind, rate, games, paper, ROWS * families, stop=LEVEL / ROWS)
    wrong = sum(min(holm(found[at : at + ROWS])) < LEVEL for at in range(0, len(found), ROWS))
    return wrong / families


def power(
    kind: str, rate: float, games: int, paper: int | None, gap: float, rows: int, level: float
) -> float:
    """How often a row is called inconsistent whose published rate lies `gap` above ours."""
    found = p_values(kind, rate, games, paper, rows, gap, stop=level)
    return sum(p < level for p in found) / rows


def margin(families: int) -> float:
    """Three standard errors of a simulated share whose truth is 5 %."""
    return 3 * math.sqrt(LEVEL * (1 - LEVEL) / families)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows))


def _power_row(cell: tuple[str, float, int], rows: int) -> list[str]:
    cases = itertools.product(((None, LEVEL), (500, LEVEL / ROWS)), (0.1, 0.2))
    return [
        *map(str, cell),
        *(f"{100 * power(*cell, paper, gap, rows, level):.0f}" for (paper, level), gap in cases),
    ]


def _paragraph(text: str) -> str:
    return textwrap.fill(text, 120, break_on_hyphens=False)


def page(families: int = 400, rows: int = 400) -> tuple[str, float]:
    """The page in Markdown, and the largest share of wrong families in it."""
    cells = list(itertools.product(KINDS, RATES, GAMES, PAPERS))
    found = list(itertools.product(("opposed", "independent", "half copied"), (0.4, 0.7), POWER_GAMES))
    with ProcessPoolExecutor() as pool:
        # Each cell has chance of its own: it does not matter who does it.
        shares = pool.map(wrong_families, *zip(*cells, strict=True), itertools.repeat(families), chunksize=4)
        powers = pool.map(_power_row, found, itertools.repeat(rows))
        wrong = dict(zip(cells, shares, strict=True))
        power_rows = list(powers)
    largest = max(wrong.values())
    where = max(wrong, key=lambda key: wrong[key])

    def most(**fixed: object) -> str:
        names = ("kind", "rate", "games", "paper")
        cells = [
            share
            for key, share in wrong.items()
            if all(dict(zip(names, key, strict=True))[name] == value for name, value in fixed.items())
        ]
        return f"{100 * max(cells):.1f}"

    known: dict[int | None, str] = {None: "unknown"}
    over = sum(share > LEVEL for share in wrong.values())
    parts = [
        "# How often *consistent?* is wrong",
        _paragraph(
            f"Printed by `python tests/papers/consistency_simulation.py` (coppice {coppice.__version__}, "
            f"seed {SEED}); `make evidence` does the same. What the test is: "
            "`python/coppice/papers/consistency.py`."
        ),
        _paragraph(
            f"Families of {ROWS} rows, corrected with Holm's method. In every row the paper's games and "
            f"ours have the same rate, so that every *no* is wrong: at most {100 * LEVEL:.0f} % of the "
            f"families may have one. {families} families in each of {len(wrong)} cells; three standard "
            f"errors of a share of 5 % are {100 * margin(families):.1f} points. Rates are printed in "
            "percent with one digit; where the paper's number of games is unknown, its number is the true "
            "rate. *Too few games* is not used here: the p-values alone must hold."
        ),
        _paragraph(
            f"The largest share of all cells is **{100 * largest:.1f} %** ({where[0]}, rate {where[1]}, "
            f"{where[2]} games, paper {known.get(where[3], where[3])}); {over} cells are above 5 %; the "
            f"mean is {100 * sum(wrong.values()) / len(wrong):.2f} %."
        ),
        "## Wrong families (%), the worst over all kinds of pairs and all papers",
        _table(
            ["our games", *(f"rate {rate}" for rate in RATES)],
            [[str(games), *(most(games=games, rate=rate) for rate in RATES)] for games in GAMES],
        ),
        "## Wrong families (%), the worst over all rates and our games",
        _table(
            ["pairs", *(f"paper {known.get(paper, paper)}" for paper in PAPERS), "what it is"],
            [
                [kind, *(most(kind=kind, paper=paper) for paper in PAPERS), text]
                for kind, text in KINDS.items()
            ],
        ),
        "## Power (%): how often a difference is found",
        _paragraph(
            "The paper's rate lies 10 or 20 points above ours. *Alone*: one row, the paper's number exact, "
            f"level 0.05. *In a family*: 500 games of the paper, level 0.05 / {ROWS}, the first step of "
            f"Holm's method. {rows} rows in each cell; three standard errors are at most "
            f"{300 * math.sqrt(0.25 / rows):.1f} points."
        ),
        _table(
            ["pairs", "rate", "games", "alone, 10", "alone, 20", "in a family, 10", "in a family, 20"],
            power_rows,
        ),
    ]
    return "\n\n".join(parts) + "\n", largest


if __name__ == "__main__":
    print(page()[0], end="")
