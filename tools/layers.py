"""The modules of the core and the rooms of the laboratory, lowest first; what each may use; their pictures.

`tests/test_architecture.py` holds the source to the tables; the page on architecture shows the pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

WORDS = {"types", "spec", "guest", "game"}
PARTS = {
    "tree",
    "terms",
    "family",
    "root",
    "selection",
    "playout",
    "prior",
    "candidates",
    "backup",
    "worlds",
    "tactics",
}
MAY_USE: dict[str, set[str]] = {
    "types": set(),
    "spec": {"types"},
    "guest": {"types", "spec"},
    "game": {"types", "spec"},
    "games": WORDS,
    "learn": {*WORDS, "games"},
    "perft": WORDS,
    "tree": {"types", "spec"},
    "terms": {"types", "tree"},
    "scripts": WORDS,
    "family": {*WORDS, "scripts"},
    "root": {"types", "spec", "tree", "terms", "family"},
    "selection": {"types", "spec", "guest", "tree", "terms", "family"},
    "playout": {*WORDS, "tree", "terms", "scripts", "family"},
    "prior": {*WORDS, "tree", "terms", "scripts", "playout", "family"},
    "candidates": {*WORDS, "tree", "terms", "scripts", "family"},
    "backup": {*WORDS, "tree", "terms", "family"},
    "worlds": {*WORDS, "tree", "terms", "family"},
    "forcing": WORDS,
    "tactics": {*WORDS, "tree", "terms", "forcing", "family"},
    "solver": {*WORDS, "tree"},
    "search": {*WORDS, *PARTS},
    "player": {*WORDS, *PARTS, "scripts", "search"},
    "openings": {*WORDS},
    "catalogue": {*WORDS, *PARTS, "games", "player", "openings"},
    "arena": {*WORDS, "games", "search", "player", "openings"},
    "session": {
        *WORDS,
        "scripts",
        "tree",
        "forcing",
        "solver",
        "perft",
        "learn",
        "catalogue",
        "games",
        "search",
        "player",
        "arena",
    },
    "fingerprints": {*WORDS, "catalogue", "games", "search", "player"},
    "python": {
        *WORDS,
        *PARTS,
        "solver",
        "learn",
        "perft",
        "catalogue",
        "games",
        "search",
        "player",
        "arena",
        "session",
        "fingerprints",
        "openings",
    },
}

ROOMS: dict[str, set[str]] = {
    "board": set(),
    "core": {"board"},
    "records": {"board", "core"},
    "play": {"core"},
    "lab": {"core"},
    "papers": {"core", "lab"},
    "show": {"board", "core", "lab", "papers"},
    "protocols": {"board", "core", "play"},
    "reference": set(),
    "web": {"board", "core", "records", "play", "lab", "papers", "show"},
    "cli": {
        *("board", "core", "records", "play", "lab", "papers", "show", "protocols"),
        "web",
    },
}
"""The rooms of `python/coppice`. All may use the built core, `coppice._core`, and none the package itself."""

DOORS = {
    "experiment": "papers.experiment",
    "extend": "core.extend",
    "openspiel": "protocols.openspiel",
}
"""Modules that a person's own files import by a public name, and where they live."""

BOX, GAP, ROW = (104, 26), 12, 62
"""Width and height of a box, the space between two, and from one row to the next, in pixels."""

STYLE = """
  text { font: 13px ui-monospace, monospace; text-anchor: middle; fill: #1f2933; }
  rect { rx: 5; fill: #f3f6f4; stroke: #5d7a68; }
  rect.part { fill: #dcebe1; }
  path { fill: none; stroke: #8a9a91; stroke-width: 1; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6ece8; }
    rect { fill: #1d2622; stroke: #7fa58d; }
    rect.part { fill: #2b4034; }
    path { stroke: #6d7f75; }
  }
"""


def levels(may_use: Mapping[str, set[str]]) -> dict[str, int]:
    """How many uses deep the longest chain below each module is."""
    found: dict[str, int] = {}
    for module, below in may_use.items():
        found[module] = 1 + max((found[other] for other in below), default=-1)
    return found


def direct(may_use: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Of the modules that each may use, those that no other of them may use: the rest follows."""
    return {
        module: {one for one in below if not any(one in may_use[other] for other in below)}
        for module, below in may_use.items()
    }


def picture(may_use: Mapping[str, set[str]] = MAY_USE) -> str:
    """The table as SVG: a module stands above all that it may use, with lines to what it uses directly."""
    rows: dict[int, list[str]] = {}
    for module, level in levels(may_use).items():
        rows.setdefault(level, []).append(module)
    width = max(len(row) for row in rows.values()) * (BOX[0] + GAP) + GAP
    height = len(rows) * ROW + GAP
    place: dict[str, tuple[float, float]] = {}
    for level, row in rows.items():
        left = (width - len(row) * (BOX[0] + GAP) + GAP) / 2
        for number, module in enumerate(row):
            place[module] = left + number * (BOX[0] + GAP), height - GAP - BOX[1] - level * ROW
    lines, boxes = [], []
    for module, below in direct(may_use).items():
        x, y = place[module][0] + BOX[0] / 2, place[module][1] + BOX[1]
        for other in sorted(below):
            to_x, to_y = place[other][0] + BOX[0] / 2, place[other][1]
            bend = (to_y - y) / 2
            lines.append(
                f'<path d="M{x:g} {y:g} C{x:g} {y + bend:g} {to_x:g} {to_y - bend:g} {to_x:g} {to_y:g}"/>'
            )
    for module, (x, y) in place.items():
        kind = ' class="part"' if module in PARTS else ""
        boxes.append(f'<rect x="{x:g}" y="{y:g}" width="{BOX[0]}" height="{BOX[1]}"{kind}/>')
        boxes.append(f'<text x="{x + BOX[0] / 2:g}" y="{y + 17:g}">{escape(module)}</text>')
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">',
            "<title>The modules of the core; each uses only those below it</title>",
            f"<style>{STYLE}</style>",
            *lines,
            *boxes,
            "</svg>",
            "",
        ]
    )
