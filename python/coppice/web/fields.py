"""Fields of a form for the options of a game, in words for people."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from coppice.core.catalogue import OptionInfo
from coppice.web.boards import plain_name

__all__ = ["MISERE", "option_field", "option_label", "spelt", "value_words"]

MISERE = "Misère: who would win, loses"
"""The words of the switch for misère, wherever a game is chosen."""

_LABELS = {"gull": "Inspector Gull", "witness": "Witnesses"}
_VALUES = {
    "edition": {"first_2006": "First edition, 2006", "revised": "Revised edition"},
    "witness": {"every_turn": "Called after every turn", "every_other_turn": "Called after every other turn"},
    "whistle": {"exact": "All three points, where possible", "loose": "At least one point"},
    "gull": {"or": "Moves or swaps", "and": "Moves, then may swap"},
    "suicide": {"forbidden": "Forbidden", "loses": "Loses at once"},
    "start": {"empty": "Empty board", "cross_cut": "Two stones of each side, crosswise"},
}
"""What the choices of an option mean; only their spellings are the core's."""


def value_words(option: str, value: str) -> str:
    """A choice as people read it."""
    return _VALUES.get(option, {}).get(value) or value.replace("_", " ").capitalize()


def option_label(option: OptionInfo) -> str:
    """The label of an option's field, with the numbers that are allowed."""
    label = _LABELS.get(option.name) or plain_name(option.name)
    if option.kind not in ("int", "real"):
        return label
    if option.min is None or option.max is None:
        return f"{label} ({option.allowed})"
    return f"{label} ({option.min:g} to {option.max:g})"


def spelt(value: Any) -> str:
    """The value of a field as a spec has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def option_field(option: OptionInfo, usual: str, values: dict[str, Any]) -> None:
    """The field of an option, which keeps the choice in `values`; `usual` is what holds without one."""

    def keep(event: Any) -> None:
        values[option.name] = event.value

    label, chosen = option_label(option), values.get(option.name)
    field: Any
    if option.kind == "bool":
        value = usual == "true" if chosen is None else chosen
        field = ui.switch(
            f"{label}: {option.doc.removeprefix('whether ')}", value=value, on_change=keep
        ).props("dense")
    elif option.kind == "choice":
        offered = {value: value_words(option.name, value) for value in option.choices}
        field = ui.select(offered, label=label, value=chosen or usual, on_change=keep).props("outlined dense")
    else:
        held = "as usual" if usual == "none" else usual
        if option.kind in ("int", "real"):
            field = ui.number(
                label, min=option.min, max=option.max, placeholder=held, value=chosen, on_change=keep
            )
        else:
            field = ui.input(label, placeholder=held, value=chosen or "", on_change=keep)
        # With the label above it the placeholder is always seen: it tells what an empty field means.
        field.props("outlined dense stack-label")
    if option.kind != "bool":
        spellings = f": {', '.join(option.choices)}" if option.choices else ""
        field.tooltip(f"{option.doc} ({option.name}{spellings})")
    field.mark(f"option-{option.name}")
