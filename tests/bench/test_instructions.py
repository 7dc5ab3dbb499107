"""No search of `fingerprints.txt` needs more instructions than the kept base allows."""

from __future__ import annotations

from pathlib import Path

import instructions
import pytest

pytestmark = pytest.mark.bench
BASE = Path(__file__).parent.parent.parent / "bench" / "instructions.txt"


def test_no_line_is_slower_than_its_base() -> None:
    base = instructions.read(BASE)
    now = instructions.counted()
    ratios = instructions.ratios(base, now)
    assert len(ratios) > 1_500
    slower = {key: round(ratio, 3) for key, ratio in ratios.items() if ratio > 1 + instructions.BOUND}
    print(f"\n{len(ratios)} lines, median {sorted(ratios.values())[len(ratios) // 2]:.4f} of the base")
    assert slower == {}
