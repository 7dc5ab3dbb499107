"""Specs as text: what a class is called, the options of a canonical one, and the same with some changed."""

from __future__ import annotations

__all__ = ["GUEST_MODULE", "LIMITS", "changed", "options", "python_spec", "split"]

LIMITS = ("simulations", "states", "seconds", "cpu_seconds")
"""The options of a player that bound its search."""

GUEST_MODULE = "coppice_guest_"
"""How the names of modules begin that `coppice.extend` has loaded from files."""


def python_spec(path: str, options: str | None = None) -> str:
    """The spec of what is written in Python at a path such as `module:Class`."""
    return f"python({_quoted(path)}{'' if options is None else f', options={_quoted(options)}'})"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def options(spec: str) -> dict[str, str]:
    """The options of a canonical spec as they are written."""
    inside = spec.partition("(")[2].removesuffix(")")
    pairs = (part.partition("=") for part in split(inside, ","))
    return {key.strip(): value.strip() for key, _, value in pairs}


def changed(spec: str, changes: dict[str, str]) -> str:
    """A canonical spec with some options changed; a new budget replaces the old one, whatever its unit."""
    kept = options(spec)
    if changes.keys() & set(LIMITS):
        kept = {key: value for key, value in kept.items() if key not in LIMITS}
    inside = ", ".join(f"{key}={value}" for key, value in (kept | changes).items())
    return f"{spec.partition('(')[0]}({inside})"


def split(text: str, separator: str) -> list[str]:
    """The parts between the separators that are in no bracket and no quotes."""
    parts, depth, quoted, escaped = [""], 0, False, False
    for c in text:
        if quoted:
            quoted = c != '"' or escaped
            escaped = c == "\\" and not escaped
        elif c == '"':
            quoted = True
        else:
            depth += (c == "(") - (c == ")")
            if c == separator and depth == 0:
                parts.append("")
                continue
        parts[-1] += c
    return [part for part in parts if part.strip()]
