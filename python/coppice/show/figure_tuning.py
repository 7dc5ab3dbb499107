"""The figure of a tuning: its trials in their order and by each parameter, and the fresh match."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from coppice.lab.parameters import Choice, Tuned
from coppice.lab.tunings import KeptTuning, Tried
from coppice.show.figure_style import (
    COLOURS,
    GREY,
    Words,
    legend_below,
    mixed,
    new,
    plain_logarithmic,
    styled,
    width_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from coppice.show.drawing import Drawing

__all__ = ["draw_tuning"]

_RATE, _TRIAL, _MEAN = "win rate (%)", "trial", "mean of a round"
_VERIFIED = "fresh match of the proposal, 95 % interval"
_Shade = tuple[float, float, float]
_TRIALS = "trials, the darker the later"


@styled
def draw_tuning(tuning: KeptTuning, *, title: str = "", labels: Mapping[str, str] | None = None) -> Drawing:
    """The trials of a tuning: their rates in their order, and by the values of each parameter.

    `labels` has words of one's own for the parameters, their choices and what else the figure writes.
    """
    if not tuning.trials:
        raise ValueError(f"the tuning {tuning.identity[:8]} has no trial yet")
    from matplotlib.lines import Line2D

    names = [parameter.name for parameter in tuning.parameters]
    choices = [
        value
        for parameter in tuning.parameters
        if isinstance(parameter, Choice)
        for value in parameter.values
    ]
    words = Words(labels or {}, [_RATE, _TRIAL, _MEAN, _VERIFIED, _TRIALS, *names, *choices])
    count = 1 + len(names)
    columns = min(count, 3)
    rows = math.ceil(count / columns)
    drawing = new(6.8, 2.4 * rows + 0.7)
    axes = [drawing.add_subplot(rows, columns, place + 1) for place in range(count)]
    shades = _shades(tuning.trials)
    _in_order(axes[0], tuning, shades, words)
    for axis, parameter in zip(axes[1:], tuning.parameters, strict=True):
        _by_value(axis, tuning, parameter, shades, words)
    for place, axis in enumerate(axes):
        axis.set_ylim(-3, 103)
        axis.axhline(50, color=GREY, linewidth=0.6, zorder=0)
        if place % columns == 0:
            axis.set_ylabel(words(_RATE))
        else:
            axis.tick_params(labelleft=False)
    handles = [
        Line2D([], [], color=_DARK, marker="o", markersize=4, linestyle="none", label=words(_TRIALS)),
        Line2D([], [], color="black", linewidth=1.4, label=words(_MEAN)),
    ]
    if tuning.closed is not None:
        handles.append(
            Line2D([], [], color=COLOURS[1], marker="D", markersize=5, linewidth=1.2, label=words(_VERIFIED))
        )
    legend_below(drawing, handles)
    if title:
        drawing.suptitle(title)
    return drawing


_ROOM = 120.0
"""Longer names of choices, in points, are turned."""
_PALE, _DARK = "#c7def0", "#00456b"


def _shades(trials: Sequence[Tried]) -> list[_Shade]:
    """A colour for each trial, from pale to dark round by round."""
    last = max(trial.round for trial in trials) or 1
    return [mixed(_PALE, _DARK, trial.round / last) for trial in trials]


def _in_order(axis: Axes, tuning: KeptTuning, shades: Sequence[_Shade], words: Words) -> None:
    rates = [100 * trial.score.rate for trial in tuning.trials]
    axis.scatter(range(1, len(rates) + 1), rates, s=12, c=shades, linewidths=0)
    done = 0
    for turn in tuning.rounds():
        mean = 100 * math.fsum(trial.score.rate for trial in turn) / len(turn)
        axis.hlines([mean], [done + 0.5], [done + len(turn) + 0.5], color="black", linewidth=1.4)
        done += len(turn)
    if tuning.closed is not None:
        _verified(axis, len(rates) * 1.06 + 1, tuning.closed)
    axis.set_xlabel(words(_TRIAL))


def _by_value(
    axis: Axes,
    tuning: KeptTuning,
    parameter: Tuned,
    shades: Sequence[_Shade],
    words: Words,
) -> None:
    rates = [100 * trial.score.rate for trial in tuning.trials]
    texts = [trial.values[parameter.name] for trial in tuning.trials]
    closed = tuning.closed
    if isinstance(parameter, Choice):
        at = {value: float(place) for place, value in enumerate(parameter.values)}
        # Beside one another, in their order: points of one choice would hide each other.
        width = 0.6 / max(len(rates), 1)
        xs = [at[text] - 0.3 + width * place for place, text in enumerate(texts)]
        heads = [words(value) for value in parameter.values]
        axis.set_xticks(range(len(heads)), labels=heads)
        if max(width_of(head, 8) for head in heads) * len(heads) > _ROOM:
            axis.tick_params(axis="x", labelrotation=30)
            for label in axis.get_xticklabels():
                label.set(ha="right", rotation_mode="anchor")
        axis.set_xlim(-0.5, len(heads) - 0.5)
        proposed = at[closed.values[parameter.name]] + 0.4 if closed is not None else 0.0
    else:
        xs = [float(text) for text in texts]
        if parameter.logarithmic:
            plain_logarithmic(axis, "x", [parameter.low, parameter.high])
        axis.set_xlim(parameter.low, parameter.high)
        proposed = float(closed.values[parameter.name]) if closed is not None else 0.0
    axis.scatter(xs, rates, s=12, c=shades, linewidths=0, clip_on=False)
    if closed is not None:
        _verified(axis, proposed, closed)
    axis.set_xlabel(words(parameter.name))


def _verified(axis: Axes, x: float, closed: Tried) -> None:
    """The rate of the fresh match with its interval."""
    interval = closed.score.interval()
    axis.vlines([x], [100 * interval.low], [100 * interval.high], color=COLOURS[1], linewidth=1.4, zorder=4)
    axis.plot([x], [100 * closed.score.rate], "D", color=COLOURS[1], markersize=5, zorder=5)
