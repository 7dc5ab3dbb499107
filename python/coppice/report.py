"""Tables and reports in the forms that people read: text, HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coppice.session import Report

__all__ = ["report_html", "report_text"]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def report_text(report: Report, most: int = 10) -> str:
    """A search report in a few lines."""
    lines = [
        f"best {report.best} for {report.side}: {report.simulations} simulations, {report.states} states, "
        f"{report.seconds:.2f} s, {report.nodes} nodes"
    ]
    if report.full_at is not None:
        lines.append(f"memory used up at simulation {report.full_at}: the tree has not grown since")
    lines.extend(report.notes)
    for stat in report.moves[:most]:
        proof = f"  proven {stat.proof}" if stat.proof else ""
        lines.append(f"{stat.name:>8} {stat.visits:>9} visits  value {_number(stat.value)}{proof}")
    if len(report.line) > 1:
        lines.append("line " + " ".join(report.line))
    return "\n".join(lines)


def report_html(report: Report, most: int = 10) -> str:
    """A search report as a small HTML table."""
    top = max((stat.visits for stat in report.moves), default=0)
    rows = []
    for stat in report.moves[:most]:
        style = f"background:#c2410c;height:0.6em;width:{120 * stat.visits / max(top, 1):.0f}px"
        cells = (escape(stat.name), str(stat.visits), _number(stat.value), f'<div style="{style}"></div>')
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    header = "<tr><th>move</th><th>visits</th><th>value</th><th></th></tr>"
    summary = f"{report.simulations} simulations in {report.seconds:.2f} s"
    title = f"<p><b>{escape(report.best)}</b> for {report.side}: {summary}</p>"
    return f"{title}<table>{header}{''.join(rows)}</table>"
