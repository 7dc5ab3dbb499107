"""A rate with its 95 % interval as a bar from 0 to 100 %, beside what a paper printed."""

from __future__ import annotations

from coppice.lab.score_row import percent

__all__ = ["interval_svg"]


def interval_svg(rate: float | None, low: float, high: float, published: float | None = None) -> str:
    """The bar; without a rate only its scale, and the paper's number if there is one."""
    name = "no rate" if rate is None else f"{percent(rate)} %, between {percent(low)} and {percent(high)}"
    parts = [
        '<svg class="interval" viewBox="0 0 100 12" preserveAspectRatio="none" role="img" '
        f'aria-label="{name}">'
    ]
    parts.append('<path class="scale" d="M0 6H100M50 1V11"/>')
    if rate is not None:
        wide = max(100 * (high - low), 0.5)
        parts.append(
            f'<rect class="reach" x="{100 * low:.2f}" y="3" width="{wide:.2f}" height="6" rx="2"/>'
            f'<path class="rate" d="M{100 * rate:.2f} 1V11"/>'
        )
    if published is not None:
        parts.append(f'<path class="paper" d="M{100 * published:.2f} 0V12"/>')
    return "".join([*parts, "</svg>"])
