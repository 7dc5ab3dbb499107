"""What a search has proven, as it is told: reports, the tree, text, JSON, GTP and the terminal."""

from __future__ import annotations

import random

import pytest

import coppice
from coppice import Limit, MoveStat, Report, State
from coppice.cli.play import _hope
from coppice.core.search_report import counted, verdict
from coppice.core.session import Proof
from coppice.protocols.analysis_lines import analyse
from coppice.protocols.gtp import _info

WON = "h8 h15 g8 a1 f8 j15 i9 b1 j9 i15 e8 i14 k10 g14 d8 i13 l10 g12 d9"
"""Black, to move, wins by the double threat g13."""


def searched(game: str, moves: str, player: str = "strong", simulations: int = 3000) -> Report:
    state = coppice.game(game).start().play(*moves.split())
    return coppice.player(player).on(state.game).search(state, Limit(simulations=simulations), seed=1)


def test_a_win_that_nobody_has_visited_is_worth_a_win() -> None:
    report = searched("havannah(size=8)", WON)
    assert (report.best, report.simulations, report.moves[0].visits) == ("g13", 1, 0)
    assert (report.proof, report.value, report.moves[0].value) == ("win", 1.0, None)
    assert verdict(report, "Black") == "Black wins by force with g13"


def test_a_lost_position_is_worth_nothing_whatever_the_search_goes_on_to_find() -> None:
    report = searched("havannah(size=8)", f"{WON} g13")
    assert (report.proof, report.value, report.simulations) == ("loss", 0.0, 3000)
    assert verdict(report, "White") == "White loses whatever it plays"


def test_a_draw_is_proven() -> None:
    report = searched("tic_tac_toe", "b2 a1", simulations=20_000)
    assert (report.proof, report.value) == ("draw", 0.5)
    assert verdict(report, "Crosses") == f"a draw with best play, which Crosses keep with {report.best}"


def test_what_is_not_proven_has_no_verdict() -> None:
    report = searched("havannah(size=8)", "h8", simulations=50)
    assert (report.proof, verdict(report, "Black")) == (None, "")
    # A player that counts no moves proves none.
    assert searched("tic_tac_toe", "", "random").proof is None


def late_position(game: str, seed: int) -> State:
    chance, state = random.Random(seed), coppice.game(game).start()
    while state.outcome is None:
        state.play(chance.choice(state.legal_moves))
    for _ in range(min(len(state.moves), 4 + seed % 4)):
        state.undo()
    return state


@pytest.mark.parametrize("game", ["tic_tac_toe", "domineering(rows=4, columns=4)", "nogo(rows=4, columns=4)"])
def test_proofs_of_positions_and_of_children_agree_with_the_solver(game: str) -> None:
    proven = below = 0
    for seed in range(30):
        state = late_position(game, seed)
        thinking = coppice.player("uct(tactics=solver)").think(state, seed=seed)
        report = thinking.run(Limit(simulations=5000))
        exact = state.solve()
        assert report.proof in (exact.value, None)
        proven += report.proof is not None
        for child in thinking.explore():
            assert child.proof in (exact.moves[child.name], None)
            for grandchild in thinking.explore(child.name):
                if grandchild.proof:
                    below += 1
                    assert grandchild.proof == state.copy().play(child.name).solve().moves[grandchild.name]
    assert proven > 15
    assert below > 30


def test_the_text_of_a_report_says_who_wins() -> None:
    text = searched("havannah(size=8)", WON).text()
    assert "best g13 for second: 1 simulation, " in text
    assert "proven: second wins by force with g13" in text
    assert "g13         0 visits  wins" in text
    html = searched("havannah(size=8)", f"{WON} g13")._repr_html_()
    assert "<td>loses</td>" in html
    assert "first loses whatever it plays</p>" in html
    assert "proven" not in searched("havannah(size=8)", "h8", simulations=50).text()


def test_things_are_counted_in_plain_english() -> None:
    assert [counted(n, "simulation") for n in (0, 1, 2000)] == [
        "0 simulations",
        "1 simulation",
        "2,000 simulations",
    ]


def test_an_analysis_as_json_tells_the_proof() -> None:
    found = analyse({"game": "havannah(size=8)", "moves": WON, "player": "strong(simulations=100)"})
    assert (found["best"], found["value"], found["proof"]) == ("g13", 1.0, "win")


def test_a_front_end_is_told_of_a_win_at_once() -> None:
    report = searched("havannah(size=8)", WON)
    assert _info(report, "second") == "info move g13 visits 0 winrate 10000 order 0 pv g13"
    assert "winrate 0 " in _info(report, "first")


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        ("win", "it wins by force"),
        ("draw", "a draw with best play"),
        ("loss", "it has lost if you find the way"),
        (None, "it expects 25 % for itself"),
    ],
)
def test_the_computer_in_the_terminal_says_what_it_expects(proof: Proof, words: str) -> None:
    stats = (MoveStat("a1", 8, 0.25, proof),)
    assert _hope(Report("a1", "first", stats, ("a1",), 8, 8, 0.1, 2, 100, None)) == words
