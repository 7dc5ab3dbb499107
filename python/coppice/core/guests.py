"""Guests: what a text from elsewhere may name although it lives outside the process.

A spec can name a class in a Python file, another program, a folder of scripts, a file of weights. Whoever
runs Coppice may do that. A record, a link, a form, a saved table, a line of GTP or of JSON was written by
somebody else: whatever is read from one passes through `Guests.admit` before anything is made of it.

The door keeps a list of what may come in, not of what may not: each part of the parsed spec must be one that
the catalogue knows, with options that it knows and whose values cannot name anything outside. All else is
refused, whatever it is, unless it is a guest.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

from coppice import _core
from coppice.core.catalogue import Family, OptionInfo, catalogue
from coppice.core.spec import Part, Spec, Text, Value, value_text

__all__ = ["NOBODY", "Guests", "check_length"]

MOST_CHARACTERS = 2000
"""Of a spec from elsewhere."""
_HARMLESS = frozenset(("int", "real", "bool", "choice", "spec", "twice"))
"""Kinds of options whose values stay in the process. Files, programs and classes are named by `text`."""


class Guests:
    """The files and programs that texts from elsewhere may name."""

    def __init__(self, specs: Iterable[str] = ()) -> None:
        self._welcome = frozenset(thing for spec in specs for thing in _core.outside(spec))

    def admit(self, spec: str, family: Family = "player") -> str:
        """The spec itself, if all that it names, at any depth, is Coppice's own or a guest.

        The core parses it as it always does, and resolves nothing; a ValueError says what may not be named.
        """
        check_length(spec)
        tree = Spec.parsed(spec)
        for part in _reaching(tree):
            things = _core.outside(part.text)
            if not things or not self._welcome.issuperset(things):
                shown = next((thing for thing in things if thing not in self._welcome), part.text)
                raise ValueError(
                    f"{shown[:80]} cannot be named in a text from elsewhere, since it is outside of Coppice:"
                    " whoever runs Coppice allows it with --guest"
                )
        for stranger in _strangers(tree):
            raise ValueError(_refusal(family, spec, stranger))
        return spec


NOBODY = Guests()
"""No file and no program."""


def check_length(text: str) -> None:
    """A ValueError if a text is longer than any spec."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(
            f"a spec of {len(text):,} characters is too long: at most {MOST_CHARACTERS:,} are read"
        )


def _reaching(tree: Spec) -> Iterator[Part]:
    """The parts that reach out of the process, whether or not anything else is known of them."""
    for part in tree.walk():
        if _lives_outside(part.name) or any(_reaches(part, key, value) for key, value in part.items):
            yield part


def _lives_outside(name: str) -> bool:
    """Whether a part is nothing without what it names outside: `python`, `gtp`."""
    return bool(_core.outside(name))


def _reaches(part: Part, key: str | None, value: Value) -> bool:
    """Whether an option could name something outside."""
    if value is None:
        return False
    known = _options(part.name).get(key, ())
    if isinstance(value, Text):
        # A default is as harmless as no option at all.
        return not known or any(option.default != value_text(value) for option in known)
    return any(option.kind not in _HARMLESS for option in known)


def _strangers(tree: Spec) -> Iterator[str]:
    """What the catalogue knows nothing of: names, options, and words that are no value of their option."""
    for part in tree.parts:
        if part.name not in _known():
            yield f"'{part.name}'"
            continue
        options = _options(part.name)
        for key, value in part.items:
            known = options.get(key)
            if not known:
                yield f"'{key or value_text(value)}' in {part.name}"
            elif isinstance(value, Spec) and not any(_is_word_of(option, value) for option in known):
                if any(option.kind == "spec" for option in known):
                    yield from _strangers(value)
                else:
                    yield f"'{value}' in {part.name}"


def _is_word_of(option: OptionInfo, value: Spec) -> bool:
    """Whether a value is one of the words that an option has to choose from."""
    return option.kind == "choice" and str(value) in option.choices


def _refusal(family: Family, spec: str, stranger: str) -> str:
    """What is said of a name that nobody knows: what the core says of it, which knows what was meant."""
    try:
        _core.canonical(family, spec)
    except ValueError as error:
        return str(error)
    return f"{stranger} is nothing that a text from elsewhere may name"


# What the catalogue knows. Parts of several families may have one name, and where a part stands does not
# matter to the door: an option is as dangerous as in the most dangerous of them.


@functools.cache
def _known() -> dict[str, tuple[dict[str, tuple[OptionInfo, ...]], frozenset[str]]]:
    """By name: the options of all parts of that name, and what a value without key may mean."""
    parts = catalogue()
    plain = {part.name: part for part in parts if part.family in ("game", "player") and not part.is_named}
    found: dict[str, tuple[dict[str, tuple[OptionInfo, ...]], frozenset[str]]] = {}
    for part in parts:
        # A name for a combination has the options of what it stands for.
        short_for = [spec for spec in (part.stands_for, *part.by_game.values()) if spec]
        meant = [plain[Spec.parsed(spec).parts[0].name] for spec in short_for] or [part]
        options, positional = found.get(part.name, ({}, frozenset()))
        for one in dict.fromkeys(meant):
            for option in one.options:
                options[option.name] = (*options.get(option.name, ()), option)
            if one.positional:
                positional |= {one.positional}
        found[part.name] = options, positional
    return found


@functools.cache
def _options(name: str) -> dict[str | None, tuple[OptionInfo, ...]]:
    """The options of all parts of a name, by their keys; under None what a value without key may mean."""
    options, positional = _known().get(name, ({}, frozenset()))
    found: dict[str | None, tuple[OptionInfo, ...]] = {}
    found.update(options.items())
    found[None] = tuple(option for key in sorted(positional) for option in options[key])
    return found
