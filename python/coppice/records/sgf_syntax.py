"""The syntax of SGF, which knows nothing of games: a file is a list of trees of properties.

A file that cannot be read raises a `RecordError` that names the line and what was expected there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from coppice.core.quoting import shown

__all__ = [
    "MOST_NODES",
    "Node",
    "RecordError",
    "decode",
    "first_node",
    "parse",
    "serialise",
    "too_many",
    "walk",
]

_Tree = TypeVar("_Tree")
MOST_NODES = 200_000
"""Of a file, unless whoever reads it sets another bound: a few bytes of text become a thousand of memory."""


class RecordError(ValueError):
    """A record cannot be read or written; the message names the line, if any, and what was expected."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


@dataclass(eq=False)
class Node:
    """One node of an SGF tree: properties with their values, and the variations that follow."""

    properties: dict[str, list[str]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list, repr=False)
    line: int = 0
    """Where the node begins in its file; 0 if it comes from none."""

    def walk(self) -> Iterator[tuple[int, Node]]:
        """This node and all below it with their depths, each before its children, the main line first."""
        return walk(self, lambda node: node.children)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return _flat(self) == _flat(other)

    __hash__ = None  # type: ignore[assignment]


def _flat(node: Node) -> list[tuple[int, dict[str, list[str]]]]:
    return [(depth, each.properties) for depth, each in node.walk()]


def walk(root: _Tree, children: Callable[[_Tree], Sequence[_Tree]]) -> Iterator[tuple[int, _Tree]]:
    """A node and all below it with their depths, each before its children, the first of them first."""
    # A game of a thousand moves is a tree of that depth: nothing here may use recursion.
    stack = [(0, root)]
    while stack:
        depth, node = stack.pop()
        yield depth, node
        stack += [(depth + 1, child) for child in reversed(children(node))]


def decode(data: bytes) -> str:
    """The text of a file: UTF-8 where it is that, else ISO 8859-1, the default of SGF."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


_BEGINNING = re.compile(r"\(\s*;")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_VALUE = re.compile(r"((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SPACE = re.compile(r"\s*")


def parse(text: str, *, most: int = MOST_NODES) -> list[Node]:
    """The game trees of an SGF file, of at most so many nodes in all.

    Text before the first tree does not count, lower-case letters in the names of properties (FF[3]) neither.
    Values are without their escapes and soft line breaks; every line break in them is one line feed.
    """
    return _Parser(text).collection(most)


def first_node(text: str) -> Node:
    """The root of the first game tree of an SGF file; nothing is read beyond it."""
    return _Parser(text).first()


def too_many(most: int, line: int) -> RecordError:
    """What is said of a file with more nodes than are read."""
    return RecordError(f"expected a file of at most {most:,} nodes, found more", line)


class _Parser:
    """A position in a text that moves forward, and the tree that grows with it."""

    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._at = 0
        self._line = 1
        self._counted = 0

    def first(self) -> Node:
        self._at = self._beginning().end() - 1
        return self._node()

    def _beginning(self) -> re.Match[str]:
        start = _BEGINNING.search(self._text)
        if start is None:
            raise RecordError("expected '(;', the beginning of a game tree, found none", 1)
        return start

    def collection(self, most: int) -> list[Node]:
        self._at = self._beginning().start()
        trees: list[Node] = []
        nodes = 0
        # The node that the next one follows, for each open bracket; None where a tree begins.
        branches: list[Node | None] = []
        node: Node | None = None
        # After a variation only further variations may follow.
        closed = False
        while self._skip_space():
            character = self._text[self._at]
            if character == "(":
                branches.append(node)
                closed = False
                self._at += 1
                self._skip_space()
                if self._text[self._at : self._at + 1] != ";":
                    raise self._expected("';', a node")
            elif character == ";" and branches and not closed:
                nodes += 1
                if nodes > most:
                    raise too_many(most, self.line)
                child = self._node()
                (trees if node is None else node.children).append(child)
                node = child
            elif character == ")" and branches:
                self._at += 1
                node = branches.pop()
                closed = True
            elif branches and closed:
                raise self._expected("'(' or ')'")
            elif branches:
                raise self._expected("';', '(' or ')'")
            else:
                raise self._expected("'(' or the end of the file")
        if branches:
            raise self._expected("')'")
        return trees

    def _node(self) -> Node:
        self._at += 1
        node = Node(line=self.line)
        while self._skip_space():
            name = _NAME.match(self._text, self._at)
            if name is None:
                break
            self._at = name.end()
            key = "".join(character for character in name[0] if not character.islower())
            if not key:
                raise RecordError(
                    f"expected a property in capital letters, found '{shown(name[0])}'", self.line
                )
            if not self._skip_space() or self._text[self._at] != "[":
                raise self._expected(f"'[', the value of {shown(key)}")
            values = node.properties.setdefault(key, [])
            while self._skip_space() and self._text[self._at] == "[":
                values.append(self._value(key))
        return node

    def _value(self, key: str) -> str:
        value = _VALUE.match(self._text, self._at + 1)
        if value is None:
            raise RecordError(
                f"expected ']' after the value of {shown(key)}, found the end of the file", self.line
            )
        self._at = value.end()
        # A backslash makes the next character ordinary; a line break after it is no line break.
        return _ESCAPE.sub(lambda found: found[1].strip("\n"), value[1])

    def _skip_space(self) -> bool:
        """Whether anything is left after the blanks."""
        space = _SPACE.match(self._text, self._at)
        assert space is not None, "the pattern matches the empty text"
        self._at = space.end()
        return self._at < len(self._text)

    @property
    def line(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _expected(self, what: str) -> RecordError:
        found = self._text[self._at : self._at + 1]
        seen = repr(found) if found else "the end of the file"
        return RecordError(f"expected {what}, found {seen}", self.line)


def serialise(trees: Iterable[Node]) -> str:
    """The text of an SGF file with these game trees; `parse` reads it back."""
    pieces: list[str] = []
    for tree in trees:
        stack: list[Node | str] = [")\n", tree, "("]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                pieces.append(item)
                continue
            pieces.append(";" + "".join(_property(name, values) for name, values in item.properties.items()))
            if len(item.children) == 1:
                stack.append(item.children[0])
            else:
                for child in reversed(item.children):
                    stack += [")", child, "\n("]
    return "".join(pieces)


def _property(name: str, values: Sequence[str]) -> str:
    if not re.fullmatch(r"[A-Z][A-Z0-9]*", name):
        raise RecordError(f"expected a property in capital letters, found '{name}'")
    return name + "".join("[" + re.sub(r"([\]\\])", r"\\\1", value) + "]" for value in values or [""])
