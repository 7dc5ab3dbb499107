"""What Mr Jack's map says of a decision in the making agrees with the core, which knows the rules."""

from __future__ import annotations

import random
import re

import pytest

import coppice
from coppice.board.cells import Piece
from coppice.board.jack_light import decided, distances, lit, places, reach, seen, words_in
from coppice.board.jack_map import CHARACTERS


def names(text: str) -> list[str]:
    return [name for name in text.split(",") if name and name != "-"]


def standing(pieces: list[Piece]) -> set[Piece]:
    """The pieces without what a call tells of characters."""
    return {
        Piece(p.kind, p.side, p.cells, p.name, p.number, () if p.kind == "token" else p.states)
        for p in pieces
    }


def games(spec: str, seeds: range) -> list[coppice.State]:
    """States of random games that last."""
    found = []
    for seed in seeds:
        chance, state = random.Random(seed), coppice.game(spec).start(seed=seed)
        while state.outcome is None:
            found.append(state.copy())
            quiet = [move for move in state.legal_moves if not re.search("accuse|exit", move)]
            # A flat draw would be Goodley's nearly always.
            card = chance.choice(sorted({words_in(move)[0] for move in quiet}))
            state.play(chance.choice([move for move in quiet if move.startswith(card)]))
    return found


SPECS = ["mr_jack", "mr_jack(edition=revised)", "mr_jack(gull=and)", "mr_jack(whistle=loose)"]


@pytest.mark.parametrize("spec", SPECS)
def test_the_map_after_a_decision_is_that_of_the_core(spec: str) -> None:
    chance, compared, kinds = random.Random(1), 0, set()
    for state in games(spec, range(1)):
        board, before = state.game.board(), state.pieces()
        assert seen(board, before) == names(state.view("first")["visible"])
        by_card: dict[str, list[str]] = {}
        for move in state.legal_moves:
            by_card.setdefault(words_in(move)[0], []).append(move)
        for moves in by_card.values():
            for move in chance.sample(moves, min(12, len(moves))):
                after, made = state.copy().play(move), decided(board, before, words_in(move))
                if after.outcome is None and after.view("first")["turn"] != state.view("first")["turn"]:
                    # The lamp of the turn has gone out, after the call.
                    made = [piece for piece in made if piece.kind != "lamp"]
                    assert standing(made) == standing([p for p in after.pieces() if p.kind != "lamp"]), move
                else:
                    assert standing(made) == standing(after.pieces()), move
                    assert seen(board, made) == names(after.view("first")["visible"]), move
                kinds |= {*words_in(move)} & {"lamp", "cordon", "cover", "facing", "swap", "whistle", "exit"}
                compared += 1
    assert compared > 500
    assert kinds >= {"lamp", "cordon", "cover", "facing", "swap", "whistle"}


@pytest.mark.parametrize("spec", SPECS[:2])
def test_where_somebody_can_walk_and_how_far(spec: str) -> None:
    compared = 0
    for state in games(spec, range(1)):
        board, pieces = state.game.board(), state.pieces()
        cells = {cell.name: index for index, cell in enumerate(board.cells)}
        taken = set(places(pieces).values())
        goals: dict[str, set[int]] = {}
        for move in state.legal_moves:
            words = words_in(move)
            if len(words) > 1 and words[1] in cells and "accuse" not in words:
                goals.setdefault(words[0], set()).add(cells[words[1]])
        for who, found in goals.items():
            assert {cell for cell in reach(board, pieces, who) if cell not in taken} == found, who
            compared += 1
    assert compared > 50


def test_who_hears_a_whistle_pays_the_steps_that_are_shown() -> None:
    state = coppice.game("mr_jack").start(seed=3)
    board, at = state.game.board(), places(state.pieces())
    whistles = 0
    for state in games("mr_jack", range(2)):
        cells = {cell.name: index for index, cell in enumerate(board.cells)}
        at = places(state.pieces())
        for move in [move for move in state.legal_moves if "whistle" in move and ">" in move][::997]:
            words = words_in(move)
            steps = [
                distances(board, at[words[k - 1]])[cells[words[k + 1]]]
                for k, word in enumerate(words)
                if word == ">"
            ]
            assert 1 <= sum(steps) <= 3, move
            whistles += 1
    assert whistles > 50


def test_a_decision_in_the_making_shows_what_has_been_chosen_so_far() -> None:
    game = coppice.game("mr_jack")
    state = game.start(seed=1)
    board, before = game.board(), state.pieces()
    lamps = {piece.cell: piece.states for piece in before if piece.kind == "lamp"}
    start = next(cell for cell, states in lamps.items() if states == ("lit",))
    for words in ((), ("smith",), ("smith", "lamp"), ("smith", "lamp", board.cells[start].name)):
        assert standing(decided(board, before, words)) == standing(before)
    here = places(before)["watson"]
    moved = decided(board, before, ("goodley", "whistle", "watson", ">", "b6"))
    lantern = next(piece for piece in moved if piece.kind == "lantern")
    assert board.cells[lantern.cell].name == "b6", "the lantern goes with its bearer"
    assert lantern.cell != here


def test_what_is_lit_lies_at_lit_lamps_and_in_the_beam() -> None:
    state = coppice.game("mr_jack").start(seed=1)
    board = state.game.board()
    light = lit(board, state.pieces())
    dark = [
        Piece(p.kind, p.side, p.cells, p.name, None, ("out",)) if p.kind == "lamp" else p
        for p in state.pieces()
    ]
    beam = next(piece for piece in dark if piece.kind == "lantern")
    assert lit(board, dark) == set(beam.cells[1:])
    assert light > lit(board, dark)
    assert all(board.cells[cell].kind in ("street", "manhole") for cell in light)
    assert lit(board, [piece for piece in dark if piece.kind == "token"]) == frozenset()
    assert list(CHARACTERS) != seen(board, dark)
