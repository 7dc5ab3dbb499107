"""The kinds of rows, one file each: declaration, facts, measurement, evidence and cost.

A new kind is a file that fills `Row` (or `SeriesRow`, if its runs are results by index), and its name here.
"""

from __future__ import annotations

from coppice.papers.rows.match import MatchRow
from coppice.papers.rows.playout import PlayoutRow
from coppice.papers.rows.search import SearchRow
from coppice.papers.rows.speed import SpeedRow

__all__ = ["MatchRow", "PlayoutRow", "SearchRow", "SpeedRow"]
