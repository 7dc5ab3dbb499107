"""What a search found out, in the forms that people read: words, text, HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coppice.core.report import Child, MoveStat, Proof, Report

__all__ = ["counted", "does", "is_many", "percent", "rate_text", "report_html", "report_text", "verdict"]

_SAYS: dict[Proof, str] = {"win": "wins", "draw": "draws", "loss": "loses"}


def counted(number: int, what: str) -> str:
    """A number of things: `1 simulation`, `2,000 simulations`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def is_many(name: str) -> bool:
    """Whether a side has the name of many."""
    return name in ("Crosses", "Noughts")


def does(who: str, verb: str) -> str:
    """What a side does: `White wins`, `Crosses win`."""
    return f"{who} {verb.removesuffix('s') if is_many(who) else verb}"


def percent(value: float | None) -> str:
    """A share as people read it."""
    return "–" if value is None else f"{100 * value:.0f} %"


def rate_text(stat: MoveStat | Child) -> str:
    """What a move is worth to its side: `wins`, `draws` or `loses` if that is certain, else a share."""
    return _SAYS[stat.proof] if stat.proof else percent(stat.value)


def verdict(report: Report, who: str) -> str:
    """What is certain about the state, whose side to move is called `who`; empty if nothing is."""
    if report.proof == "win":
        return f"{does(who, 'wins')} by force with {report.best}"
    if report.proof == "loss":
        return f"{does(who, 'loses')} whatever {'they play' if is_many(who) else 'it plays'}"
    return f"a draw with best play, which {does(who, 'keeps')} with {report.best}" if report.proof else ""


def _worth(stat: MoveStat) -> str:
    if stat.proof:
        return _SAYS[stat.proof]
    return "value -" if stat.value is None else f"value {stat.value:.3f}"


def report_text(report: Report, most: int = 10) -> str:
    """A search report in a few lines."""
    lines = [
        f"best {report.best} for {report.side}: {counted(report.simulations, 'simulation')}, "
        f"{counted(report.states, 'state')}, {report.seconds:.2f} s, {counted(report.nodes, 'node')}"
    ]
    if told := verdict(report, report.side):
        lines.append(f"proven: {told}")
    if report.full_at is not None:
        lines.append(f"memory used up at simulation {report.full_at}: the tree has not grown since")
    lines.extend(report.notes)
    lines.extend(f"{stat.name:>8} {stat.visits:>9} visits  {_worth(stat)}" for stat in report.moves[:most])
    if len(report.line) > 1:
        lines.append("line " + " ".join(report.line))
    return "\n".join(lines)


def report_html(report: Report, most: int = 10) -> str:
    """A search report as a small HTML table."""
    top = max((stat.visits for stat in report.moves), default=0)
    rows = []
    for stat in report.moves[:most]:
        style = f"background:#c2410c;height:0.6em;width:{120 * stat.visits / max(top, 1):.0f}px"
        worth = _worth(stat).removeprefix("value ")
        cells = (escape(stat.name), str(stat.visits), worth, f'<div style="{style}"></div>')
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    header = "<tr><th>move</th><th>visits</th><th>value</th><th></th></tr>"
    summary = f"{counted(report.simulations, 'simulation')} in {report.seconds:.2f} s"
    told = escape(verdict(report, report.side))
    title = f"<p><b>{escape(report.best)}</b> for {report.side}: {summary}{f'; {told}' if told else ''}</p>"
    return f"{title}<table>{header}{''.join(rows)}</table>"
