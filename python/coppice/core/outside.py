"""What a match takes from outside the package: classes, weights, rule scripts and programs in its specs.

A spec says where such a part is, not what it is: an edited class is another player under the same name. The
fingerprint of a part changes with its content, so that games of two contents are told apart.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from coppice.core import extend
from coppice.core.sources import held
from coppice.core.spec import Spec, Text

__all__ = ["Outside", "Part"]

_Kind = Literal["class", "weights", "rules", "program"]
_KINDS: Mapping[str, _Kind] = {"class": "class", "weights": "weights", "rules": "rules", "command": "program"}
"""The options that name something outside, and what they name."""

_LOG = re.compile(r"-[\w-]*log[\w-]*|-l")
"""An option of a program whose argument is a file that it writes."""


@dataclass(frozen=True)
class Part:
    """Something outside the package that a spec names."""

    kind: _Kind
    text: str
    """Where it is, as the spec says it: an import path, a file, a folder, a command."""

    def __str__(self) -> str:
        return f"{self.kind} '{self.text}'"

    def fingerprint(self) -> str | None:
        """A text that changes with the content; None for a class that is in no file."""
        if self.kind == "class":
            return extend.fingerprint(self.text)
        try:
            contents = sorted((name, _digest(path)) for name, path in self.files().items())
        except OSError as error:
            raise ValueError(f"cannot read {self}: {error.strerror}") from error
        return hashlib.sha256(json.dumps(contents).encode()).hexdigest()

    def files(self) -> dict[str, Path]:
        """The files that are read anew for each game; a class is held in memory instead.

        Those of a program are its executable and the files among its arguments, but for logs.
        """
        if self.kind == "class":
            return {}
        if self.kind == "weights":
            return {"weights": Path(self.text)}
        if self.kind == "rules":
            return {path.name: path for path in Path(self.text).glob("*.lua")}
        words = shlex.split(self.text)
        found = {}
        if words and (program := shutil.which(words[0])):
            found[words[0]] = Path(program)
        for before, word in itertools.pairwise(words):
            if os.path.isfile(word) and not word.endswith(".log") and not _LOG.fullmatch(before):
                found[word] = Path(word)
        return found


class Outside:
    """The parts from outside that some canonical specs name."""

    def __init__(self, *specs: str) -> None:
        found = {
            Part(_KINDS[name], str(text))
            for spec in specs
            for part in Spec.parsed(spec).walk()
            for name, text in part.options.items()
            if name in _KINDS and isinstance(text, Text)
        }
        self.parts = tuple(sorted(found, key=str))

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """The classes stay as they are now, whatever becomes of their files."""
        with held(part.text.rpartition(":")[0] for part in self.parts if part.kind == "class"):
            yield

    def without_file(self) -> Part | None:
        """A class that is in no file, so that nobody can tell later what it was."""
        classes = (part for part in self.parts if part.kind == "class")
        return next((part for part in classes if part.fingerprint() is None), None)

    @property
    def programs(self) -> bool:
        """Whether one of the parts is another program, which may play as it likes."""
        return any(part.kind == "program" for part in self.parts)

    def fingerprints(self) -> dict[str, str]:
        """The fingerprints of all parts by what they are called; a class that is in no file has none."""
        found = {str(part): part.fingerprint() for part in self.parts}
        return {name: fingerprint for name, fingerprint in found.items() if fingerprint is not None}

    def read_here(self) -> dict[str, str]:
        """The fingerprints of the parts that the package itself reads: all but programs."""
        return {name: text for name, text in self.fingerprints().items() if not name.startswith("program ")}

    def changed(self, earlier: Mapping[str, str]) -> list[str]:
        """The parts that are not what they were when these fingerprints were taken."""
        return [name for name, now in self.fingerprints().items() if earlier.get(name) != now]

    def stamps(self) -> dict[Path, tuple[int, int]]:
        """Time and size of every file that is read anew for each game: enough while a match runs."""
        return {path: _stamp(path) for part in self.parts for path in part.files().values()}


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
