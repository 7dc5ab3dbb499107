"""The clock of a row: the work that a printed time stands for, so that a run does not depend on a machine.

The players of a row with a clock write `{budget}` where their limit goes; `budgets` puts the work there.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BUDGET", "Clock"]

BUDGET = "{budget}"
"""Where the limit of a player goes whose time comes from a clock."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The work that a printed time per move stands for."""

    seconds: float
    """The time that the paper prints."""
    simulations: int | None = None
    """How many simulations `reference` makes in it; other players get what they make in the same time."""
    reference: str = ""
    """A player, with `{budget}` for its limit."""
    states: int | None = None
    """How many states are visited in it, whoever plays."""

    def __post_init__(self) -> None:
        if (self.simulations is None) == (self.states is None):
            raise ValueError(f"a clock counts either simulations or states: {self}")
        if self.simulations is not None and BUDGET not in self.reference:
            raise ValueError(f"the reference player of a clock needs {BUDGET}: '{self.reference}'")
