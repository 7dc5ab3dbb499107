"""The curve of a game's expected results, drawn by hand."""

from __future__ import annotations

from coppice.web.graph import winrate_svg
from coppice.web.open_position import position_room


def test_the_curve_goes_from_left_to_right_and_is_high_where_the_first_side_wins() -> None:
    room = position_room("tic_tac_toe", "a1 b2")
    assert winrate_svg(room, 0) == "", "nothing is known"
    room.findings.note(0, 0.5, "a1", 100)
    assert winrate_svg(room, 0) == "", "one point is no curve"
    room.findings.note(1, 0.75, "b2", 100)
    room.findings.note(2, 0.25, "c3", 100)
    drawn = winrate_svg(room, 1)
    # 320 wide and 96 high, with 6 on each side for the dots.
    assert drawn.startswith('<svg class="graph" viewBox="-6 -6 332 108"')
    assert '<polyline class="curve" points="0.0,48.0 160.0,24.0 320.0,72.0"/>' in drawn
    assert '<polygon class="area" points="0,96 0.0,96 0.0,48.0 160.0,24.0 320.0,72.0 320.0,96"/>' in drawn
    assert '<path class="middle" d="M0 48.0H320"/>' in drawn
    assert '<circle class="here" cx="160.0" cy="24.0" r="4"/>' in drawn
    assert '<rect class="pick" data-node="1" x="80.0" y="0" width="160.0" height="96">' in drawn
