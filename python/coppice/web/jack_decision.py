"""A decision of Mr Jack that is being built word by word, and the words in which it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coppice.board.jack_light import words_in
from coppice.board.jack_map import CHARACTERS

__all__ = ["COMPASS", "POWERS", "Decision", "question", "word_text"]

POWERS = {
    "holmes": "takes an alibi card",
    "watson": "shines the lantern in one direction",
    "smith": "moves a lit lamp",
    "lestrade": "moves a cordon",
    "stealthy": "walks through buildings",
    "goodley": "whistles others closer",
    "gull": "changes places with somebody",
    "bert": "moves a manhole cover",
}
WORDS = {
    "lamp": "Move a lamp",
    "cordon": "Move a cordon",
    "cover": "Move a manhole cover",
    "whistle": "Blow the whistle",
    "swap": "Change places",
    "exit": "Leave the district",
    "accuse": "Accuse",
    "facing": "Shine the lantern",
    "nobody": "Nobody comes",
}
COMPASS = {
    "N": "North",
    "NE": "North-east",
    "SE": "South-east",
    "S": "South",
    "SW": "South-west",
    "NW": "North-west",
}

Words = tuple[str, ...]


class _Node:
    """What may follow some words, as a tree."""

    __slots__ = ("_read", "following", "text", "told")

    def __init__(self) -> None:
        self.following: dict[str, _Node] = {}
        self.text: str | None = None
        """The decision that is complete here."""
        self.told: list[str] = []
        """The decisions that call somebody from here."""
        self._read: list[_Whistle] | None = None

    def whistles(self, at: int) -> list[_Whistle]:
        """Those decisions without the words up to here, read when they are asked for: there are thousands."""
        if self._read is None:
            self._read = [_Whistle(words_in(text)[at:], text) for text in self.told]
        return self._read


class _Whistle:
    """What comes after `whistle` in a legal decision: those called may be named in any order."""

    __slots__ = ("calls", "tail", "text")

    def __init__(self, words: Words, text: str) -> None:
        self.text, self.calls, at = text, dict[str, Words](), 0
        while words[at + 1 : at + 2] == (">",):
            end = at + (5 if words[at + 3 : at + 4] == (":",) else 3)
            self.calls[words[at]] = words[at:end]
            at = end
        self.tail = words[at:]

    def after(self, chosen: Words) -> tuple[str, ...] | None:
        """The words that may come next, none if it is complete; None if it begins otherwise."""
        at, calls = 0, dict(self.calls)
        while calls and at < len(chosen):
            call = calls.pop(chosen[at], ())
            given = chosen[at : at + len(call)]
            if not call or call[: len(given)] != given:
                return None
            if len(given) < len(call):
                return (call[len(given)],)
            at += len(call)
        if calls:
            return tuple(calls)
        given = chosen[at:]
        if self.tail[: len(given)] != given:
            return None
        return self.tail[len(given) : len(given) + 1]


class Decision:
    """A decision that is being built: words are chosen until they are a legal decision."""

    def __init__(self, legal: Sequence[str]) -> None:
        self._root = _Node()
        for text in legal:
            self._add(text)
        self.chosen: Words = ()
        self._steps: list[int] = []

    def _add(self, text: str) -> None:
        head, whistle, calls = text.partition("whistle ")
        called, node = ">" in calls, self._root
        for word in words_in(head + whistle if called else text):
            if word not in node.following:
                node.following[word] = _Node()
            node = node.following[word]
        if called:
            node.told.append(text)
        else:
            node.text = text

    def _after(self, chosen: Words) -> tuple[list[str], str | None]:
        """The words that may come after some, and the decision that they are."""
        node = self._root
        for at, word in enumerate(chosen):
            if word not in node.following:
                later = [(whistle, whistle.after(chosen[at:])) for whistle in node.whistles(at)]
                text = next((whistle.text for whistle, words in later if words == ()), None)
                return list(dict.fromkeys(word for _, words in later for word in words or ())), text
            node = node.following[word]
        called = (name for whistle in node.whistles(len(chosen)) for name in whistle.calls)
        return [*node.following, *dict.fromkeys(called)], node.text

    def options(self) -> list[str]:
        """The words that may come next."""
        return self._after(self.chosen)[0]

    @property
    def text(self) -> str | None:
        """The legal decision that has been chosen, if it is complete."""
        return self._after(self.chosen)[1]

    def choose(self, word: str) -> None:
        """Adds a word, and those after it that are the only way on."""
        if word not in self.options():
            raise ValueError(f"'{word}' is not possible here: {', '.join(self.options()[:12])}")
        self._steps.append(len(self.chosen))
        self.chosen += (word,)
        while self.text is None and len(options := self.options()) == 1:
            self.chosen += (options[0],)

    def back(self) -> None:
        """Takes the last choice back."""
        if self._steps:
            self.chosen = self.chosen[: self._steps.pop()]

    def clear(self) -> None:
        """Begins again."""
        self.chosen, self._steps = (), []

    @property
    def asks_direction(self) -> bool:
        """Whether the next word says where the lantern shines; exits have the names of directions, too."""
        return is_direction(self.chosen)

    def accusing(self) -> list[str]:
        """The next words after which only an accusation is left."""
        return [word for word in self.options() if self._after((*self.chosen, word)) == (["accuse"], None)]

    @property
    def accused(self) -> str:
        """Whom the decision accuses, if it accuses somebody."""
        return self.chosen[-1] if self.chosen[-2:-1] == ("accuse",) else ""

    @property
    def mover(self) -> str:
        """Who walks if a street comes next: the character of the card, or whoever is whistled for."""
        return self.chosen[-2] if self.chosen[-1:] == (">",) else self.chosen[0] if self.chosen else ""


def is_direction(before: Words) -> bool:
    """Whether the word after these says where the lantern shines."""
    return before[-1:] in (("facing",), (":",))


def word_text(word: str, before: Words) -> str:
    """A word of a decision as people read it after those before it: NE is a direction or an exit."""
    if word in CHARACTERS:
        return CHARACTERS[word].name
    if word in COMPASS:
        return COMPASS[word] if is_direction(before) else f"{word} exit"
    return WORDS.get(word, word)


def question(decision: Decision, streets: Mapping[str, int]) -> str:
    """What is asked for next, in words."""
    name, options = CHARACTERS[decision.chosen[0]].short, decision.options()
    if decision.asks_direction:
        return f"{name}: where does the lantern shine? Click an arrow at the lantern."
    match decision.chosen:
        case (*_, "lamp"):
            return f"Which lit lamp does {name} move?"
        case (*_, "lamp", _, ">"):
            return "To which dark lamp does its light go?"
        case (*_, "cordon"):
            return f"Which cordon does {name} lift?"
        case (*_, "cordon", _, ">"):
            return "Which exit does he close with it?"
        case (*_, "cover"):
            return f"Which covered manhole does {name} open?"
        case (*_, "cover", _, ">"):
            return "Which open manhole does he cover instead?"
        case (*_, "swap"):
            return f"With whom does {name} change places?"
        case (*_, "exit"):
            return f"By which exit does {name} leave?"
        case (*_, called, ">") if called in CHARACTERS:
            return f"Where does {CHARACTERS[called].short} come to? The numbers are steps."
    if "whistle" in decision.chosen and options and all(word in CHARACTERS for word in options):
        return "Who hears the whistle? Click somebody on the map."
    if any(word in streets for word in options):
        where = f"{name}: where to? The numbers are steps."
        warning = " A dashed red ring is an accusation." if decision.accusing() else ""
        others = " Or use the power first." if any(word not in streets for word in options) else ""
        return where + others + warning
    return f"{name}: what next?"
