"""Rows of scores: one name and one text for each number, wherever a score is shown."""

from __future__ import annotations

import json

import pytest

from coppice.lab.match import MatchResult
from coppice.lab.score_row import headers, percent
from coppice.lab.stats import Pairs, Score

SCORE = Score.of([(0, 1.0), (1, 1.0), (2, 1.0), (3, 0.0), (4, 0.5), (5, 0.0), (6, 1.0)])
KEYS = [
    *("games", "wins", "draws", "losses", "rate", "low", "high", "elo", "elo_low", "elo_high"),
    *("normalised_elo", "normalised_elo_error", "superiority", "first", "second", "pairs"),
]


def test_a_row_has_the_numbers_of_its_score() -> None:
    row = SCORE.row()
    assert (row.games, row.wins, row.draws, row.losses) == (7, 4, 1, 2)
    assert (row.rate, row.low, row.high) == (SCORE.rate, SCORE.interval().low, SCORE.interval().high)
    elo = SCORE.elo()
    assert (row.elo, row.elo_low, row.elo_high) == (elo.value, elo.low, elo.high)
    assert row.normalised_elo_error == SCORE.normalised_elo().error
    assert row.superiority == SCORE.superiority()
    assert SCORE.first is not None
    assert row.first is not None
    assert (row.first.games, row.first.rate) == (4, SCORE.first.rate)
    assert row.pairs == {"ll": 0, "ld": 1, "wl": 1, "dd": 0, "wd": 0, "ww": 1}


def test_the_plain_row_has_the_keys_of_json() -> None:
    plain = json.loads(json.dumps(SCORE.row().plain()))
    assert list(plain) == KEYS
    assert list(plain["first"]) == list(plain["second"]) == KEYS[:7]
    assert Score.of_pairs(Pairs(ww=1)).row().plain()["first"] is None


@pytest.mark.parametrize(
    ("column", "header", "text"),
    [
        ("games", "games", "7"),
        ("wins", "wins", "4"),
        ("draws", "draws", "1"),
        ("losses", "losses", "2"),
        ("result", "won-drawn-lost", "4-1-2"),
        ("rate", "rate", "64.3 %"),
        ("interval", "95 % interval", "[31.4, 87.6]"),
        ("elo", "Elo", "+102 [-136, +340]"),
        ("normalised_elo", "normalised Elo", "+114 ± 257"),
        ("superiority", "LOS", "80.6 %"),
        ("first", "as first", "87.5 %"),
        ("second", "as second", "33.3 %"),
    ],
)
def test_a_column_has_one_name_and_one_text(column: str, header: str, text: str) -> None:
    assert headers([column]) == [header]
    assert SCORE.row().texts(column) == [text]


def test_what_is_not_known_has_no_number() -> None:
    nothing, unsided = Score().row(), Score(3, 0, 1).row()
    assert nothing.texts("games", "rate", "interval", "first") == ["0", "-", "-", "-"]
    assert (nothing.rate, nothing.words) == (None, "no game yet")
    assert unsided.texts("rate", "first", "second") == ["75.0 %", "-", "-"]
    assert unsided.words == f"75.0 % ({percent(unsided.low)}–{percent(unsided.high)}) in 4 games"


def test_the_result_of_a_match_is_shown_as_its_score_in_a_notebook() -> None:
    html = MatchResult(7, 0, SCORE, 1.0)._repr_html_()
    assert html == SCORE._repr_html_()
    for text in ("<th>95 % interval</th>", "<td>64.3 %</td>", "<td>[31.4, 87.6]</td>", "margin-left:63px"):
        assert text in html, text
