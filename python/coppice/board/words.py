"""What is on each cell of a board in words, for those who do not see the picture."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from coppice.board.cells import Board, Piece
from coppice.board.jack_map import CHARACTERS

__all__ = ["words_of"]

_STATES = {"jack": "Jack", "cleared": "innocent", "visible": "visible"}


def words_of(
    board: Board,
    pieces: Sequence[Piece],
    sides: tuple[str, str],
    known: Mapping[str, Collection[str]] | None = None,
) -> dict[int, str]:
    """What is on each cell; cells with nothing to tell are left out.

    Args:
        board: the board.
        pieces: what stands on it.
        sides: what the first and the second side are called.
        known: states by the name of a piece, which a viewer knows and others may not.
    """
    told: dict[int, list[str]] = {}
    for piece in pieces:
        if text := _piece_words(piece, sides, (known or {}).get(piece.name, ())):
            for index in piece.cells:
                told.setdefault(index, []).append(text)
    closed = {piece.cell for piece in pieces if piece.kind in ("cover", "cordon")}
    for index, cell in enumerate(board.cells):
        if cell.kind == "manhole":
            text = "covered manhole" if index in closed else "open manhole"
        elif cell.kind == "exit":
            text = "exit, closed by a cordon" if index in closed else "exit, open"
        else:
            continue
        told.setdefault(index, []).append(text)
    return {index: "; ".join(texts) for index, texts in told.items()}


def _piece_words(piece: Piece, sides: tuple[str, str], known: Collection[str]) -> str:
    if piece.kind in ("cover", "cordon", "lantern", "aim") or "gone" in piece.states:
        # Told with its cell, or not standing anywhere.
        return ""
    if piece.kind == "token":
        states = {*piece.states, *known}
        return ", ".join(
            [CHARACTERS[piece.name].name, *(text for state, text in _STATES.items() if state in states)]
        )
    if piece.kind == "lamp":
        text = "gaslight, out" if "out" in piece.states else "gaslight, lit"
        return text if piece.number is None else f"{text}, goes out after turn {piece.number}"
    if piece.side is None:
        return piece.kind
    return f"{sides[0 if piece.side == 'first' else 1]} {piece.kind}"
