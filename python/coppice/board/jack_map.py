"""Mr Jack's map as people see it: names, letters and colours of the characters, and the drawing of it all.

Lengths are in cell widths. The drawing brings its own colours, so that a notebook, a file and the app in both
light and dark show the same characters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from coppice.board.cells import Board, Cell, Piece

__all__ = [
    "CHARACTERS",
    "DIRECTIONS",
    "Character",
    "Look",
    "arrow_svg",
    "character_svg",
    "described",
    "is_map",
    "map_svg",
    "neighbour",
]

DARK, LIGHT = "#1b1d18", "#ffffff"
_SEEN, _CLEAR, _JACK = "#ffd766", "#1d7a48", "#b3261e"


@dataclass(frozen=True)
class Look:
    """How a character is painted: the disc, its rim and the letter on it."""

    disc: str
    rim: str
    ink: str


@dataclass(frozen=True)
class Character:
    """How a character is called and painted."""

    name: str
    letter: str
    colour: str
    ink: str = LIGHT

    def look(self, innocent: bool) -> Look:
        """An innocent one is pale, with a rim of the full colour; the letter stays readable on both."""
        if not innocent:
            return Look(self.colour, LIGHT, self.ink)
        parts = (int(self.colour[at : at + 2], 16) for at in (1, 3, 5))
        pale = "".join(f"{round(255 - (255 - part) * 0.28):02x}" for part in parts)
        return Look(f"#{pale}", self.colour, DARK)


CHARACTERS = {
    "holmes": Character("Sherlock Holmes", "H", "#b3392f"),
    "watson": Character("John H. Watson", "W", "#8a5a2b"),
    "smith": Character("John Smith", "S", "#f2c230", DARK),
    "lestrade": Character("Inspector Lestrade", "L", "#2f5f9e"),
    "stealthy": Character("Miss Stealthy", "M", "#2f7a4b"),
    "goodley": Character("Sergeant Goodley", "G", "#3d434b"),
    "gull": Character("Sir William Gull", "U", "#7b4a8f"),
    "bert": Character("Jeremy Bert", "B", "#ef8a3c", DARK),
}

DIRECTIONS = {"N": -90, "NE": -30, "SE": 30, "S": 90, "SW": 150, "NW": 210}
"""The directions of the lantern in degrees, clockwise from the east."""


def is_map(board: Board) -> bool:
    """Whether a board is this map: no other one has gaslights, manholes and exits."""
    return {"lamp", "manhole", "exit"} <= {cell.kind for cell in board.cells}


def neighbour(board: Board, index: int, direction: str) -> int | None:
    """The cell next to one in a direction; None at the end of the map."""
    x, y = _towards(board.cells[index], DIRECTIONS[direction], 1.0)
    near = (i for i, cell in enumerate(board.cells) if math.hypot(cell.x - x, cell.y - y) < 0.1)
    return next(near, None)


def described(
    board: Board,
    pieces: Sequence[Piece],
    *,
    visible: Collection[str] = (),
    innocent: Collection[str] = (),
    jack: str = "",
) -> dict[int, str]:
    """What is on each cell, in words; cells with nothing to tell are left out. See :func:`map_svg`."""
    on: dict[int, list[str]] = {}
    kinds = {(piece.cell, piece.kind) for piece in pieces}
    for piece in pieces:
        if character := CHARACTERS.get(piece.kind):
            words = [character.name]
            words += ["Jack"] if piece.kind == jack else []
            words += ["innocent"] if piece.kind in innocent or (piece.cell, "innocent") in kinds else []
            words += ["visible"] if piece.kind in visible else []
            on.setdefault(piece.cell, []).append(", ".join(words))
    tiles = {piece.cell: piece.kind.partition("_")[2] for piece in pieces if piece.kind.startswith("tile")}
    for index, cell in enumerate(board.cells):
        if cell.kind == "manhole":
            fixture = "covered manhole" if (index, "cover") in kinds else "open manhole"
        elif cell.kind == "exit":
            fixture = "exit, closed by a cordon" if (index, "cordon") in kinds else "exit, open"
        elif cell.kind == "lamp":
            number = tiles.get(index)
            fixture = "gaslight, out" if number is None else "gaslight, lit"
            fixture += f", goes out after turn {number}" if number else ""
        else:
            continue
        on.setdefault(index, []).append(fixture)
    return {index: "; ".join(words) for index, words in on.items()}


def map_svg(
    board: Board,
    pieces: Sequence[Piece],
    *,
    visible: Collection[str] = (),
    innocent: Collection[str] = (),
    jack: str = "",
    names: bool = False,
) -> str:
    """Everything on the map but the ground, as SVG elements: what lies there first, then who stands on it.

    Args:
        board: the map.
        pieces: what is on it.
        visible: the characters who are seen, to be ringed with light.
        innocent: those known to be innocent, besides those who are marked so openly.
        jack: the character who is known to be Jack, if somebody is.
        names: whether gaslights and manholes carry their names.
    """
    kinds = {(piece.cell, piece.kind) for piece in pieces}
    tiles = {piece.cell: piece.kind.partition("_")[2] for piece in pieces if piece.kind.startswith("tile")}
    parts = []
    for index, cell in enumerate(board.cells):
        if cell.kind == "lamp":
            parts.append(_lamp_svg(cell, tiles.get(index), cell.name if names else ""))
        elif cell.kind == "manhole":
            parts.append(_manhole_svg(cell, (index, "cover") in kinds, cell.name if names else ""))
        elif cell.kind == "exit":
            parts.append(_exit_svg(cell, (index, "cordon") in kinds))
    for piece in pieces:
        if piece.kind.startswith("lantern_"):
            parts.append(_beam_svg(board, piece.cell, piece.kind.partition("_")[2].upper()))
    standing = [piece for piece in pieces if piece.kind in CHARACTERS]
    crowd = Counter(piece.cell for piece in standing)
    placed: Counter[int] = Counter()
    for piece in standing:
        # Who accuses stands on the hex of the accused.
        aside = 0.26 * (2 * placed[piece.cell] - crowd[piece.cell] + 1)
        placed[piece.cell] += 1
        cell = board.cells[piece.cell]
        clear = piece.kind in innocent or (piece.cell, "innocent") in kinds
        states = (clear, piece.kind in visible, piece.kind == jack)
        parts.append(character_svg(piece.kind, cell.x + aside, cell.y, *states))
    return "".join(parts)


def character_svg(
    kind: str, x: float, y: float, innocent: bool = False, visible: bool = False, jack: bool = False
) -> str:
    """A disc with a letter: in light if visible, pale with a tick if innocent, with a J if Jack."""
    who = CHARACTERS[kind]
    look = who.look(innocent)
    state = "".join(
        f" {word}" for word, true in (("innocent", innocent), ("visible", visible), ("is-jack", jack)) if true
    )
    parts = [f'<g class="character{state}" data-who="{kind}">']
    if visible:
        parts.append(_disc(x, y, 0.36, _SEEN, "#b97f0c", 0.025, "light"))
    parts.append(_disc(x, y, 0.3, look.disc, look.rim, 0.07 if innocent else 0.04, "face"))
    parts.append(_text(x, y + 0.135, 0.38, look.ink, who.letter))
    if jack:
        parts.append(_disc(x + 0.27, y - 0.27, 0.16, _JACK, LIGHT, 0.03, "badge"))
        parts.append(_text(x + 0.27, y - 0.19, 0.23, LIGHT, "J"))
    elif innocent:
        parts.append(_disc(x + 0.27, y - 0.27, 0.14, _CLEAR, LIGHT, 0.03, "badge"))
        tick = f"M{x + 0.205:.3f} {y - 0.265:.3f}l0.045 0.05l0.085 -0.1"
        parts.append(f'<path d="{tick}" fill="none" stroke="{LIGHT}" stroke-width="0.04"/>')
    return "".join([*parts, "</g>"])


def _lamp_svg(cell: Cell, number: str | None, name: str = "") -> str:
    """A gaslight: bright with the number of the turn after which it goes out, or dark and struck out."""
    x, y = cell.x, cell.y - (0.1 if name else 0.0)
    if number is None:
        drawn = _disc(x, y, 0.26, "#4a453d", "#2b2822", 0.04, "bulb")
        drawn += f'<path d="M{x - 0.15:.3f} {y + 0.15:.3f}l0.3 -0.3" stroke="#a39c8d" stroke-width="0.06"/>'
    else:
        drawn = _disc(x, y, 0.34, _SEEN, "#b97f0c", 0.06, "bulb")
        drawn += _text(x, y + 0.14, 0.4, "#4a3400", number)
    drawn += _text(x, y + 0.53, 0.2, LIGHT, name, "place") if name else ""
    return f'<g class="lamp-{"out" if number is None else "lit"}">{drawn}</g>'


def _manhole_svg(cell: Cell, covered: bool, name: str = "") -> str:
    """A manhole, wider than a character: a black hole, or a cover of iron with ribs."""
    x, y = cell.x, cell.y
    if not covered:
        drawn = _disc(x, y, 0.46, "#26221c", "#8d8468", 0.04, "hole")
    else:
        drawn = _disc(x, y, 0.46, "#b4b8bb", "#4b4f52", 0.03, "iron")
        ribs = "".join(
            f"M{x + 0.3 * math.cos(a):.3f} {y + 0.3 * math.sin(a):.3f}"
            f"L{x + 0.45 * math.cos(a):.3f} {y + 0.45 * math.sin(a):.3f}"
            for a in (k * math.pi / 6 for k in range(12))
        )
        drawn += f'<path d="{ribs}" stroke="#4b4f52" stroke-width="0.05"/>'
    drawn += _text(x, y + 0.08, 0.24, DARK if covered else LIGHT, name, "place") if name else ""
    return f'<g class="manhole-{"covered" if covered else "open"}">{drawn}</g>'


def _exit_svg(cell: Cell, closed: bool) -> str:
    """An exit with its name; a barrier stands in a closed one."""
    x, y = cell.x, cell.y
    # The colour of the page's own text, as the ground of an exit is that of the page.
    drawn = _text(x, y - 0.02 if closed else y + 0.1, 0.3, "currentColor", cell.name)
    if closed:
        drawn += (
            f'<rect x="{x - 0.36:.3f}" y="{y + 0.08:.3f}" width="0.72" height="0.2" rx="0.03"'
            f' fill="{LIGHT}" stroke="{_JACK}" stroke-width="0.04"/>'
            f'<path d="M{x - 0.26:.3f} {y + 0.28:.3f}l0.12 -0.2m0.08 0.2l0.12 -0.2m0.08 0.2l0.12 -0.2"'
            f' stroke="{_JACK}" stroke-width="0.08"/>'
        )
    return f'<g class="exit-{"closed" if closed else "open"}">{drawn}</g>'


def _beam_svg(board: Board, index: int, direction: str) -> str:
    """The light of the lantern from its bearer, up to the wall or the edge that ends it."""
    steps, at = 0.55, neighbour(board, index, direction)
    while at is not None and board.cells[at].kind in ("street", "manhole"):
        steps, at = steps + 1, neighbour(board, at, direction)
    corners = ((0.1, -0.08), (steps, -0.26), (steps, 0.26), (0.1, 0.08))
    paint = f'fill="{_SEEN}" fill-opacity="0.6" stroke="#b97f0c" stroke-width="0.02"'
    return f'<polygon class="beam" points="{_along(board.cells[index], direction, corners)}" {paint}/>'


def arrow_svg(board: Board, index: int, direction: str) -> str:
    """A direction that may be chosen for the lantern, as an arrow from its bearer."""
    corners = ((0.4, -0.17), (0.86, 0.0), (0.4, 0.17))
    points = _along(board.cells[index], direction, corners)
    return f'<polygon class="aim" data-direction="{direction}" points="{points}" fill="{_CLEAR}"/>'


def _along(cell: Cell, direction: str, corners: Sequence[tuple[float, float]]) -> str:
    """Corners given as steps in a direction and steps to its right."""
    angle = DIRECTIONS[direction]
    points = []
    for ahead, aside in corners:
        (ax, ay), (bx, by) = _towards(cell, angle, ahead), _towards(cell, angle + 90, aside)
        points.append(f"{ax + bx - cell.x:.3f},{ay + by - cell.y:.3f}")
    return " ".join(points)


def _towards(cell: Cell, angle: float, length: float) -> tuple[float, float]:
    return cell.x + length * math.cos(math.radians(angle)), cell.y + length * math.sin(math.radians(angle))


def _disc(x: float, y: float, radius: float, fill: str, line: str, width: float, kind: str) -> str:
    return (
        f'<circle class="{kind}" cx="{x:.3f}" cy="{y:.3f}" r="{radius}" fill="{fill}"'
        f' stroke="{line}" stroke-width="{width}"/>'
    )


def _text(x: float, y: float, size: float, ink: str, text: str, kind: str = "sign") -> str:
    return (
        f'<text class="{kind}" x="{x:.3f}" y="{y:.3f}" font-size="{size}" font-weight="700" fill="{ink}"'
        f' text-anchor="middle">{text}</text>'
    )
