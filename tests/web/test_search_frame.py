"""What a page says of a search: the legends of its heat maps."""

from __future__ import annotations

from coppice.board.scales import Scale
from coppice.web.search_frame import Layer


def legend(scale: Scale, *numbers: float) -> str:
    return Layer("table", "Table", scale, "what it says", dict(enumerate(numbers))).legend


def test_a_legend_says_how_a_number_is_painted() -> None:
    assert legend("flag", 1, 0) == "what it says (painted: yes, ×: no)"
    assert legend("count", 3, 12.5) == "what it says (0 to 12.5, the largest)"
    assert legend("rate", 0.25, 1) == "what it says, in percent (0 lost, 50 even, 100 won)"
