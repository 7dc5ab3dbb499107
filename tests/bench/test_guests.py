"""Speed of a game written in Python, plain and compiled, against the same game built in."""

from __future__ import annotations

from pathlib import Path

import pytest

from coppice.cli.bench import playout_rate

pytestmark = pytest.mark.bench
EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "domineering.py"


def test_a_compiled_game_is_a_fifth_as_fast_as_built_in_and_twenty_times_plain_python() -> None:
    plain = playout_rate(f'python("{EXAMPLE}:Domineering", options="7x7")')
    compiled = playout_rate(f'python("{EXAMPLE}:CompiledDomineering", options="7x7")')
    built_in = playout_rate("domineering(rows=7, columns=7)")
    print(
        f"playouts of domineering 7x7 per CPU second: plain {plain:,.0f}, compiled {compiled:,.0f}"
        f" ({compiled / plain:.0f} times plain), built in {built_in:,.0f} ({compiled / built_in:.2f} of it)"
    )
    assert compiled >= 20 * plain
    assert compiled >= 0.2 * built_in
