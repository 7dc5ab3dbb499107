"""Budgets: what is put for `{budget}`, the printed seconds themselves or the work that they stand for.

The work is that of a row's clock: a number of states for whoever plays, or as many simulations as a player
makes in the time in which the clock's reference player makes those declared. The ratio of their speeds
is measured once (`measure_speeds`) and kept (`keep_speeds`), in a store and in lines of results: a run
goes on with the same budgets on any machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from coppice import _core
from coppice.lab.store import Store, StoredSeries, describe_machine
from coppice.papers.clock import BUDGET
from coppice.papers.measure import work_rate
from coppice.papers.result_lines import ResultLine
from coppice.papers.rows.row import Row
from coppice.papers.rows.series import identity_in, play_versions

__all__ = [
    "Budget",
    "Budgets",
    "SpeedPair",
    "keep_speeds",
    "known_budgets",
    "measure_speeds",
    "speed_ratio",
]

Budget = Mapping[str, Any]
"""What is put for a player: `text`, and how its speed was measured if it was."""

_TRIAL = "simulations=1000"
"""What players do while their speeds are compared."""


@dataclass(frozen=True)
class SpeedPair:
    """Two players whose speeds are compared, resolved: whoever declares them, and for how long."""

    game: str
    player: str
    reference: str

    @classmethod
    def of(cls, row: Row, player: str) -> SpeedPair:
        """A player of a row and the reference player of its clock."""
        assert row.clock is not None, "rows with a budget have a clock: the row itself sees to it"
        trials = (one.replace(BUDGET, _TRIAL) for one in (player, row.clock.reference))
        specs = (_core.canonical("player", trial, row.game) for trial in trials)
        return cls(_core.canonical("game", row.game), *specs)

    @property
    def facts(self) -> dict[str, Any]:
        """What their ratio depends on."""
        return {"kind": "budget", "game": self.game, "player": self.player, "reference": self.reference}

    def identity_in(self, store: Store) -> str:
        """What a store keeps it under."""
        return identity_in(store, self.facts, measures_time=True)


@dataclass(frozen=True)
class Budgets:
    """What is known of the budgets of players."""

    ratios: Mapping[SpeedPair, Mapping[str, Any]] = field(default_factory=dict)
    """Simulations of a player per simulation of the reference player, and how that was measured."""
    in_lines: Mapping[str, Mapping[str, Budget]] = field(default_factory=dict)
    """By row and player as declared, the budgets under which a folder has games."""
    seconds_scale: float | None = None
    """With it a time stays a time: the printed seconds times this."""

    def of(self, row: Row, player: str) -> Budget | None:
        """What is put for the budget of a player; None while its speed is unknown."""
        clock = row.clock
        assert clock is not None, "rows with a budget have a clock: the row itself sees to it"
        if self.seconds_scale is not None:
            return {"text": f"cpu_seconds={clock.seconds * self.seconds_scale:g}"}
        if clock.states is not None:
            return {"text": f"states={clock.states}"}
        if player == clock.reference:
            return {"text": f"simulations={clock.simulations}"}
        if player in self.in_lines.get(row.name, {}):
            return self.in_lines[row.name][player]
        ratio = self.ratios.get(SpeedPair.of(row, player))
        if ratio is None:
            return None
        assert clock.simulations is not None, "a clock without states counts simulations"
        return {"text": f"simulations={_three_digits(clock.simulations * ratio['ratio'])}", **ratio}

    def know(self, row: Row) -> bool:
        """Whether all budgets of a row are known."""
        return not self.unknown(row)

    def unknown(self, row: Row) -> list[SpeedPair]:
        """The players of a row whose speeds are yet to be measured."""
        timed = (player for player in row.players() if BUDGET in player)
        return [SpeedPair.of(row, player) for player in timed if self.of(row, player) is None]


def known_budgets(
    rows: Iterable[Row], store: Store, lines: Sequence[ResultLine] = (), *, seconds_scale: float | None = None
) -> Budgets:
    """What a store and lines of results know of the budgets of rows; nothing is measured or written."""
    in_lines: dict[str, dict[str, Budget]] = {}
    for line in lines:
        if not line.stale:
            measured = {player: one for player, one in line.budgets.items() if "ratio" in one}
            in_lines[line.row] = {**measured, **in_lines.get(line.row, {})}
    found = Budgets(in_lines=in_lines, seconds_scale=seconds_scale)
    pairs = {pair for row in rows for pair in found.unknown(row)}
    results = {pair: store.results(pair.identity_in(store)) for pair in pairs}
    return replace(found, ratios={pair: known[0] for pair, known in results.items() if 0 in known})


def measure_speeds(rows: Iterable[Row], known: Budgets) -> Budgets:
    """The known budgets, with the speeds that these rows lack, measured now; nothing is written."""
    ratios = dict(known.ratios)
    for row in rows:
        for pair in known.unknown(row):
            if pair not in ratios:
                ratios[pair] = {**speed_ratio(pair), "machine": describe_machine()}
    return replace(known, ratios=ratios)


def keep_speeds(budgets: Budgets, store: Store) -> Budgets:
    """Write the ratios that a store lacks, and return those that it has then: the first one stands."""
    kept = {}
    for pair, ratio in budgets.ratios.items():
        identity = pair.identity_in(store)
        known = store.results(identity)
        if 0 not in known:
            text = json.dumps(pair.facts, sort_keys=True)
            store.register_series(StoredSeries(identity, "budget", text, play_versions(pair.facts)))
            store.add_results(identity, {0: ratio})
            known = store.results(identity)
        kept[pair] = known[0]
    return replace(budgets, ratios=kept)


def speed_ratio(pair: SpeedPair, turns: int = 9) -> dict[str, float]:
    """Simulations of a player per simulation of the reference player in the same time.

    Both are timed in turn; the middle of all turns counts, with the quarter below and above it as spread.
    """
    ratios = sorted(
        work_rate(pair.game, pair.player, "simulations", turn)
        / work_rate(pair.game, pair.reference, "simulations", turn)
        for turn in range(turns)
    )
    low, middle, high = (ratios[round(part * (turns - 1))] for part in (0.25, 0.5, 0.75))
    return {"ratio": round(middle, 4), "low": round(low, 4), "high": round(high, 4), "turns": turns}


def _three_digits(number: float) -> int:
    """A number of simulations without digits that only noise has written."""
    return max(1, int(float(f"{number:.3g}")))
