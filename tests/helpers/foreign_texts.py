"""Texts from elsewhere that name what lives outside the package: records, and specs that hide it."""

from __future__ import annotations

from hypothesis import strategies as st

from coppice.records.sgf import Record, write_text

REACHING = (
    ("python", "("),
    ("python", "(class="),
    ("python", '(options="4",class='),
    ("gtp", "("),
    ("gtp", "(timeout=3,command="),
    ("patterns", "("),
    ("patterns", "(near=true,weights="),
    ("plausible", "(rules="),
    ("mast", "(anything="),
)

BLANKS = st.text(st.sampled_from(" \t\n\r\u00a0\u2003"), max_size=2)
WRAPPERS = (
    ("misere", "("),
    ("misere", "(game="),
    ("mcts", "(simulations=3,playout="),
    ("mcts", "(playout=mast+"),
    ("mcts", "(selection="),
    ("strong", "(playout="),
    ("jack", "(candidates="),
    ("nobody_knows", "(a=1,b="),
)


@st.composite
def hidden(draw: st.DrawFn) -> str:
    """A spec with a file or a program somewhere inside, spelt as oddly as the reader accepts."""
    name, before = draw(st.sampled_from(REACHING))
    # A backslash before a letter that is no code means the letter.
    escaped = "".join(("\\" if draw(st.booleans()) else "") + c for c in "./py.py:X")
    escaped = escaped.replace("\\n", "n").replace("\\t", "t").replace("\\r", "r")
    pieces = [name, *before.replace("=", " = ").replace(",", " , ").split(" "), f'"{escaped}"', ")"]
    for _ in range(draw(st.integers(0, 6))):
        outer, opening = draw(st.sampled_from(WRAPPERS))
        pieces = [outer, opening, *pieces, draw(st.sampled_from([")", ",seed=3)", "+mast)"]))]
    return "".join(draw(BLANKS) + piece for piece in pieces)


def files(game: str) -> dict[str, str]:
    """A record of every format that names this game."""
    value = game.replace("\\", "\\\\").replace("]", "\\]")
    return {
        "a.sgf": f"(;FF[4]XG[{value}])",
        "b.hgf": f"(;FF[4]SZ[4]RU[LG]XG[{value}])",
        "c.txt": write_text(Record(game)),
    }
