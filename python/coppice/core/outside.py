"""What a match takes from outside the package: classes, weights, rule scripts and programs in its specs.

A spec says where such a part is, not what it is: an edited class is another player under the same name. The
fingerprint of a part changes with its content, so that games of two contents are told apart.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import json
import os
import re
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from coppice.core import extend
from coppice.core.captured import UntoldError
from coppice.core.programs import name_and_version
from coppice.core.sources import files_of_class, held
from coppice.core.spec import Spec, Text

__all__ = ["Outside", "Part"]

_Kind = Literal["class", "weights", "rules", "program"]
_KINDS: Mapping[str, _Kind] = {"class": "class", "weights": "weights", "rules": "rules", "command": "program"}
"""The options that name something outside, and what they name."""

_LOG = re.compile(r"-[\w-]*log[\w-]*|-l")
"""An option of a program whose argument is a file that it writes."""
_SAYS = " says"
"""After the name of a program: what it answers to `name` and `version`."""
_TICK = 2_000_000_000
"""Nanoseconds: no file system has a coarser clock."""


@dataclass(frozen=True)
class Part:
    """Something outside the package that a spec names."""

    kind: _Kind
    text: str
    """Where it is, as the spec says it: an import path, a file, a folder, a command."""
    seconds: float = field(default=0.0, compare=False)
    """How long a program may take for an answer."""

    def __str__(self) -> str:
        return f"{self.kind} '{self.text}'"

    def fingerprint(self) -> str:
        """A text that changes with the content; an `UntoldError` if nobody can tell what that is."""
        if self.kind == "class":
            return extend.fingerprint(self.text)
        return hashlib.sha256(json.dumps(sorted(self._digests().items())).encode()).hexdigest()

    def _digests(self) -> dict[str, str]:
        try:
            return {name: _digest(path) for name, path in self.files().items()}
        except OSError as error:
            raise ValueError(f"cannot read {self}: {error.strerror}") from error

    def contents(self) -> dict[str, str]:
        """The digests of its files, as a person calls them; a class in no file goes by its name."""
        if self.kind == "class":
            where, _, name = self.text.rpartition(":")
            if not extend.is_in_file(self.text):
                return {f"class {name}": self.fingerprint()}
            return files_of_class(where)
        digests = self._digests()
        if self.kind == "weights":
            return {self.text: digests["weights"]}
        if self.kind == "rules":
            return {os.path.join(self.text, name): digest for name, digest in digests.items()}
        return digests

    def says(self) -> str:
        """The name and version that a program answers; empty of everything else."""
        return "" if self.kind != "program" else _says(self.text, self.seconds, tuple(self.stamps().items()))

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
        try:
            words = shlex.split(self.text)
        except ValueError:
            # The core says what is wrong with the command.
            words = []
        found = {}
        if words and (program := shutil.which(words[0])):
            found[words[0]] = Path(program)
        for before, word in itertools.pairwise(words):
            if os.path.isfile(word) and not word.endswith(".log") and not _LOG.fullmatch(before):
                found[word] = Path(word)
        return found

    def stamps(self) -> dict[Path, tuple[int, int]]:
        """Time and size of its files."""
        return {path: _stamp(path) for path in self.files().values()}


class Outside:
    """The parts from outside that some canonical specs name."""

    def __init__(self, *specs: str) -> None:
        found = {
            Part(_KINDS[name], str(text), float(str(part.options.get("timeout", 0))))
            for spec in specs
            for part in Spec.parsed(spec).walk()
            for name, text in part.options.items()
            if name in _KINDS and isinstance(text, Text)
        }
        self.parts = tuple(sorted(found, key=str))

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """The classes stay as they are now, whatever becomes of their files; programs are asked anew."""
        _says.cache_clear()
        with held(part.text.rpartition(":")[0] for part in self.parts if part.kind == "class"):
            yield

    def untold(self) -> str:
        """Why nobody could tell later what a class was; empty if all can be told."""
        for part in self.parts:
            try:
                part.fingerprint()
            except UntoldError as error:
                return f"{part}: {error}"
        return ""

    @property
    def programs(self) -> bool:
        """Whether one of the parts is another program, which may play as it likes."""
        return any(part.kind == "program" for part in self.parts)

    def fingerprints(self) -> dict[str, str]:
        """The fingerprints of all parts by what they are called, and what programs say of themselves.

        A part of which nobody can tell what it is has none.
        """
        found = {}
        for part in self.parts:
            with contextlib.suppress(UntoldError):
                found[str(part)] = part.fingerprint()
            if said := part.says():
                found[f"{part}{_SAYS}"] = said
        return found

    def contents(self) -> dict[str, str]:
        """The digests of all files that are read, as a person calls them."""
        found: dict[str, str] = {}
        for part in self.parts:
            with contextlib.suppress(UntoldError):
                found |= part.contents()
        return found

    def agrees(self, earlier: Mapping[str, str]) -> bool:
        """Whether the parts are what they were; earlier versions did not ask programs what they are."""
        now = self.fingerprints()
        return all(
            earlier.get(name) == text for name, text in now.items() if name in earlier or _SAYS not in name
        )

    def changes(self, earlier: Mapping[str, str], contents: Mapping[str, str]) -> list[str]:
        """What is not as it was when these fingerprints were taken of these contents, in words."""
        now = self.contents()
        told = [name for name in {**contents, **now} if contents and contents.get(name) != now.get(name)]
        if told:
            return told
        changed = {name: text for name, text in self.fingerprints().items() if earlier.get(name) != text}
        return [
            f"{name.removesuffix(_SAYS)} (now {text})" if name.endswith(_SAYS) else name
            for name, text in changed.items()
        ]

    def stamps(self) -> dict[Path, tuple[int, int]]:
        """Time and size of every file that is read anew for each game: enough while a match runs."""
        return {path: stamp for part in self.parts for path, stamp in part.stamps().items()}


@functools.lru_cache(maxsize=64)
def _says(command: str, seconds: float, stamps: object) -> str:
    """What a program answers; asked again when its files have changed, and for each match that is played."""
    return name_and_version(command, seconds)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _digest(path: Path) -> str:
    stamp = _stamp(path)
    # A file that has just been written may be written again within the same tick of the clock.
    if time.time_ns() - stamp[0] > _TICK:
        return _digest_at(path.absolute(), stamp)
    return _digest_now(path)


@functools.lru_cache(maxsize=256)
def _digest_at(path: Path, stamp: tuple[int, int]) -> str:
    return _digest_now(path)


def _digest_now(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
