"""A row of many searches of one position: how often a move was chosen, the states visited, and the like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from coppice.core.session import Game, Player, State
from coppice.lab.stats import Score
from coppice.papers.evidence import Evidence, mean_of
from coppice.papers.measure import seed_of
from coppice.papers.rows.row import Estimate, Resolve
from coppice.papers.rows.series import SeriesRow

__all__ = ["SearchRow"]


@dataclass(frozen=True, kw_only=True)
class SearchRow(SeriesRow):
    """Many searches of one position; its number is how often a move was chosen, or the states visited.

    Or how often the side to move wins when the player goes on for both sides, or the share of the empty cells
    that stay in the list of PPR when the search ends; then `Figure.on_board` draws which ones.
    """

    kind: ClassVar[str] = "search"
    cost_depends_on: ClassVar[tuple[str, ...]] = ("game", "player", "position", "to_end", "measure")
    player: str
    position: str = ""
    """As text of a state; empty for the initial one."""
    measure: Literal["move", "states", "win", "kept"] = "move"
    moves: tuple[str, ...] = ()
    """The moves that count as found, for `measure="move"`."""
    to_end: bool = False
    """Whether the player goes on for both sides to the end of the game and the states of all moves count."""

    def __post_init__(self) -> None:
        SeriesRow.__post_init__(self)
        if self.to_end < (self.measure == "win"):
            raise ValueError(f"row '{self.name}' measures who wins: it needs to_end=True")

    def players(self) -> tuple[str, ...]:
        """The players of the row."""
        return (self.player,)

    @property
    def is_rate(self) -> bool:
        """The frequency of a move or of a win is a rate."""
        return self.measure in ("move", "win")

    def start(self, seed: int = 0) -> State:
        """The position, or the initial one."""
        return Game(self.game).state(self.position) if self.position else super().start(seed)

    def own_facts(self, resolve: Resolve, machine: str) -> dict[str, Any]:
        """The player, where it begins and how far it goes."""
        facts = {"player": resolve(self.player), "position": self.position, "to_end": self.to_end}
        # Moves and states are read from the same runs.
        return facts | ({"measure": self.measure} if self.measure in ("win", "kept") else {})

    @staticmethod
    def measure_one(facts: Mapping[str, Any], seed: int) -> dict[str, Any]:
        """A search, or one for each move to the end of the game."""
        game = Game(facts["game"])
        state = game.state(facts["position"]) if facts["position"] else game.start(seed=seed)
        player = Player(facts["player"])
        if facts.get("measure") == "kept":
            return _kept_cells(state, player, seed)
        side = state.to_move
        report = player.search(state, seed=seed)
        first = report.best
        states = report.states
        if facts["to_end"]:
            while True:
                state.play(report.best)
                if state.outcome is not None:
                    break
                report = player.search(state, seed=seed_of(seed, len(state.moves)))
                states += report.states
        found: dict[str, Any] = {"move": first, "states": states}
        if facts.get("measure") == "win":
            assert state.outcome is not None, "such a row goes on to the end"
            found["points"] = 0.5 if state.outcome == "draw" else float(state.outcome == side)
        return found

    def value_of(self, result: Mapping[str, Any]) -> Any:
        """Points, whether a move was found, the states visited, or how many cells and which were kept."""
        if self.measure == "kept":
            return [result["cells"], *sorted(result["kept"])]
        if self.measure == "win":
            return result["points"]
        return float(result["move"] in self.moves) if self.measure == "move" else result["states"]

    def evidence(self, values: Mapping[int, Any]) -> Evidence:
        """The frequency, the mean number of states, or the share of cells with how often each was kept."""
        if self.is_rate:
            # Runs have no sides and no pairs.
            points = list(values.values())
            score = Score(points.count(1.0), points.count(0.5), points.count(0.0))
            return Evidence(len(values), score=score)
        if self.measure == "kept":
            kept = Counter(cell for _, *cells in values.values() for cell in cells)
            shares = ((cell, number / len(values)) for cell, number in sorted(kept.items()))
            mean = mean_of((len(value) - 1) / value[0] for value in values.values())
            return Evidence(len(values), mean=mean, cells=tuple(shares))
        return super().evidence(values)

    def seconds_each(self, facts: Mapping[str, Any], estimate: Estimate) -> float:
        """Those of one decision, or of all to the end."""
        if self.to_end:
            return estimate.game(self.start, (facts["player"], facts["player"]))
        return estimate.decision(self.start(), facts["player"])


def _kept_cells(state: State, player: Player, seed: int) -> dict[str, Any]:
    """Which of the empty cells the list of PPR keeps when a search of this state ends."""
    thinking = player.think(state, seed=seed)
    thinking.run(player.limit)
    table = next((one for one in thinking.tables() if one.name == "kept"), None)
    if table is None:
        raise ValueError(f"{player.spec} keeps no list of cells: that is what ppr does")
    names = [cell.name for cell in state.game.board().cells]
    kept = [names[cell] for cell, value in table.known.items() if value]
    return {"kept": kept, "cells": len(state.legal_moves)}
