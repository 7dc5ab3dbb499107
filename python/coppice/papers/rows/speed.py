"""A row that is a speed: work per processor second of a player, alone or beside a reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from coppice.papers.measure import work_rate
from coppice.papers.rows.row import Estimate, Resolve
from coppice.papers.rows.series import SeriesRow

__all__ = ["SpeedRow"]

_SECONDS = 0.5
"""One timing of a speed row: three states of at least 0.05 s for one or two players, and the way there."""


@dataclass(frozen=True, kw_only=True)
class SpeedRow(SeriesRow):
    """Work per CPU second of a player, or its ratio to that of a reference player timed in turn with it."""

    kind: ClassVar[str] = "speed"
    cost_depends_on: ClassVar[tuple[str, ...]] = ()
    measures_time: ClassVar[bool] = True
    player: str
    reference: str = ""
    per_second: Literal["simulations", "states"] = "simulations"
    tested: bool = False

    def players(self) -> tuple[str, ...]:
        """The players of the row."""
        return (self.player, self.reference) if self.reference else (self.player,)

    def own_facts(self, resolve: Resolve, machine: str) -> dict[str, Any]:
        """The players, what is counted, and the machine."""
        return {
            "player": resolve(self.player),
            "per_second": self.per_second,
            "machine": machine,
            "reference": resolve(self.reference) if self.reference else "",
        }

    @staticmethod
    def measure_one(facts: Mapping[str, Any], seed: int) -> dict[str, Any]:
        """The work per second of the player, and of the reference."""
        found = {"rate": work_rate(facts["game"], facts["player"], facts["per_second"], seed)}
        if facts["reference"]:
            found["reference"] = work_rate(facts["game"], facts["reference"], facts["per_second"], seed)
        return found

    def value_of(self, result: Mapping[str, Any]) -> Any:
        """Work per second, or the ratio."""
        return float(f"{result['rate'] / result.get('reference', 1.0):.6g}")

    def seconds_each(self, facts: Mapping[str, Any], estimate: Estimate) -> float:
        """Those for which a speed is timed."""
        return _SECONDS
