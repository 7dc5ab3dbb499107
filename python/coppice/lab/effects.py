"""Effects: what a change of a player was worth in one place, the rows of a study's table and figures."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EffectRow"]


@dataclass(frozen=True, slots=True)
class EffectRow:
    """One change in one game at one budget against the baseline, or one change over several games."""

    change: str
    """What was changed, by the name that the study gives it."""
    game: str
    """The game in short, or what the games of a pooled row are called together."""
    budget: str
    """What both players had per move, in short."""
    games: int
    """How many games the row counts."""
    estimate: float
    """The score of the change against the baseline, 0 to 1; 0.5 where it changes nothing."""
    low: float
    """The lower end of the 95 % interval of the estimate."""
    high: float
    """Its upper end."""
    p: float
    """How likely a difference from 0.5 as large as this is by chance alone, before any correction."""
    verdict: str
    """What the study concludes of the row: `better`, `worse` or `open`."""
    pooled: bool = False
    """Whether the row is several games taken together."""
