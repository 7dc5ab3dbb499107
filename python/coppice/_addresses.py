"""The addresses that modules had before the package was divided into rooms; `coppice` lets them be imported.

A module has one home; an old address gives the same module object, so that scripts, pickles and specs of
before still find it. New names need no line here.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["MOVED", "allow"]

MOVED = {
    "analysis": "protocols.analysis_lines",
    "book": "play.book",
    "clocks": "play.clocks",
    "cluster": "lab.workers",
    "consistency": "papers.consistency",
    "cost": "papers.cost",
    "defaults": "core.defaults",
    "distribution": "core.distribution",
    "draw": "board.svg",
    "endings": "core.endings",
    "exports": "lab.exports",
    "figures": "show.figures",
    "findings": "show.findings",
    "folder": "papers.folder",
    "gtp": "protocols.gtp",
    "guests": "core.guests",
    "jack_map": "board.jack_map",
    "kept": "papers.result_lines",
    "learn": "lab.learn",
    "lines": "protocols.line_reader",
    "match": "lab.match",
    "measure": "papers.measure",
    "opponent": "play.opponent",
    "outside": "core.outside",
    "queue": "papers.queue",
    "replay": "lab.replay",
    "report": "core.search_report",
    "results": "papers.results",
    "runner": "papers.runner",
    "scales": "board.scales",
    "session": "core.session",
    "sgf": "records.sgf",
    "sgf_syntax": "records.sgf_syntax",
    "short": "core.short",
    "site": "show.report_site",
    "sources": "core.sources",
    "spec": "core.spec",
    "specs": "core.spec_like",
    "spelling": "core.spelling",
    "stats": "lab.stats",
    "store": "lab.store",
    "sweep": "lab.sweep",
    "tables": "show.tables",
    "tournament": "lab.tournament",
    "tune": "lab.tune",
    "turns": "lab.turns",
}
"""Old name: where the module lives now, both below `coppice`."""


class _Moved(MetaPathFinder, Loader):
    """Finds a module by its old address."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        return ModuleSpec(fullname, self) if package == "coppice" and name in MOVED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(f"coppice.{MOVED[spec.name.removeprefix('coppice.')]}")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # It has been executed already, and stays what it was: the machinery of imports has just written this
        # address into it.
        spec = module.__spec__
        assert spec is not None, "it has just been given one"
        module.__spec__ = spec.loader_state


def allow() -> None:
    """Let modules be imported by their old addresses from now on."""
    if not any(isinstance(finder, _Moved) for finder in sys.meta_path):
        sys.meta_path.append(_Moved())
