"""Parts from outside the package, sent by content to whoever plays with them in another process.

A worker that reads the same from its own files uses these. To any other the content is delivered: source
files, weights and rule scripts into a folder that goes with the process, classes that are in no file by
`cloudpickle`. Programs are not sent: a worker that has another one is refused.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import json
import platform
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from coppice.core import distribution, extend
from coppice.core.outside import Outside, Part
from coppice.core.sources import source_of
from coppice.core.spec import Spec, Text, value_text
from coppice.core.spec_like import GUEST_MODULE

__all__ = ["Parcel", "pack"]

_lock = threading.Lock()


@dataclass(frozen=True)
class _Content:
    """What one part is made of: files, or a class as `cloudpickle` writes it, or why it cannot be sent."""

    main: str = ""
    """The file, in the folder of all, that the spec is to name; empty for the folder itself."""
    files: Mapping[str, bytes] | None = None
    pickled: bytes = b""
    problem: str = ""
    """Why there is nothing to send to a worker that needs it."""


@dataclass(frozen=True)
class Parcel:
    """All that specs take from outside the package, as it was when it was packed."""

    fingerprints: Mapping[str, str]
    contents: Mapping[str, _Content]
    python: str
    """The version that compiled what is pickled."""

    @contextlib.contextmanager
    def opened(self, *specs: str) -> Iterator[tuple[str, ...]]:
        """The specs by the names that their parts have here; errors speak of the names that they had."""
        with _lock:
            places = {
                part.text: self._deliver(part) for part in Outside(*specs).parts if not self._is_here(part)
            }
        try:
            yield tuple(_renamed(Spec.parsed(spec), places) for spec in specs)
        except ValueError as error:
            if not places:
                raise
            text = str(error)
            for before, here in places.items():
                text = text.replace(here, before)
            raise type(error)(text) from error

    def _is_here(self, part: Part) -> bool:
        """Whether this process reads the same part from its own files."""
        try:
            return part.fingerprint() == self.fingerprints.get(str(part))
        except ValueError:
            return False

    def _deliver(self, part: Part) -> str:
        """Make a part what it was for whoever packed it; returns what a spec calls it here."""
        content = self.contents.get(str(part))
        if content is None:
            raise ValueError(f"a worker reads another {part} than the match began with")
        if content.problem:
            raise ValueError(content.problem)
        if content.pickled:
            if self.python != platform.python_version():
                raise ValueError(
                    f"a worker has Python {platform.python_version()}, the coordinator {self.python}:"
                    f" {part}, which is in no file, needs the same everywhere"
                )
            return _unpickled(part, content.pickled)
        assert content.files is not None, "a content is files or a pickled class"
        folder = _written(content.files)
        if part.kind != "class":
            return str(folder / content.main)
        where, _, name = part.text.rpartition(":")
        if str(folder) not in sys.path:
            # For what the module imports, and for the module itself where it is not named by its file.
            sys.path.insert(0, str(folder))
        if not where.endswith(".py"):
            _forget_elsewhere(folder, content.files)
        place = f"{folder / content.main}:{name}" if where.endswith(".py") else part.text
        if extend.fingerprint(place) != self.fingerprints[str(part)]:
            raise ValueError(f"a worker is playing with another {part} at this moment")
        return place


def pack(outside: Outside) -> Parcel:
    """The content of these parts, as they were loaded here; hold them until it is packed."""
    contents = {str(part): content for part in outside.parts if (content := _content(part)) is not None}
    return Parcel(outside.fingerprints(), contents, platform.python_version())


def _content(part: Part) -> _Content | None:
    """What is to be sent of a part: nothing of programs and of what is installed."""
    if part.kind == "program":
        return None
    if part.kind == "class":
        where = part.text.rpartition(":")[0]
        if where == "__main__" or not extend.is_in_file(part.text):
            try:
                return _Content(pickled=_pickled(part))
            except ValueError as error:
                return _Content(problem=str(error))
        source = source_of(where)
        return None if source is None else _Content(source.main, source.files)
    files = {path.name: path.read_bytes() for path in part.files().values()}
    return _Content("" if part.kind == "rules" else next(iter(files)), files)


def _pickled(part: Part) -> bytes:
    cloudpickle = distribution.optional(
        "cloudpickle",
        "cluster",
        f"{part} is in no module that another process could import: the extra sends it",
    )
    found = extend.class_at(part.text)
    module = sys.modules.get(found.__module__)
    by_value = module is not None and found.__module__ != "__main__"
    try:
        if by_value:
            cloudpickle.register_pickle_by_value(module)
        return bytes(cloudpickle.dumps(found))
    except Exception as error:
        raise ValueError(
            f"{part} cannot be sent to another process ({error}): write it into a file"
        ) from error
    finally:
        if by_value:
            cloudpickle.unregister_pickle_by_value(module)


def _unpickled(part: Part, pickled: bytes) -> str:
    """Give a pickled class a module of its own in this process."""
    cloudpickle = distribution.optional("cloudpickle", "cluster", f"{part} was sent by the extra")
    name = f"{GUEST_MODULE}value_{hashlib.sha256(pickled).hexdigest()[:16]}"
    found = part.text.rpartition(":")[2]
    if name not in sys.modules:
        module = ModuleType(name)
        setattr(module, found, cloudpickle.loads(pickled))
        sys.modules[name] = module
    return f"{name}:{found}"


@functools.cache
def _folder() -> Path:
    """A folder that goes with this process."""
    folder = tempfile.mkdtemp(prefix="coppice-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _written(files: Mapping[str, bytes]) -> Path:
    """A folder with these files, of which each content has one."""
    parts = sorted((name, hashlib.sha256(data).hexdigest()) for name, data in files.items())
    folder = _folder() / hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
    for name, data in files.items():
        path = folder / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return folder


def _forget_elsewhere(folder: Path, files: Sequence[str] | Mapping[str, bytes]) -> None:
    """Take modules of these names out of what is imported, if they come from elsewhere."""
    names = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in files}
    for name in {*names, *(name.partition(".")[0] for name in names)}:
        file = getattr(sys.modules.get(name), "__file__", None)
        if name in sys.modules and (file is None or not Path(file).is_relative_to(folder)):
            del sys.modules[name]


def _renamed(spec: Spec, places: Mapping[str, str]) -> str:
    """A canonical spec in which texts that name parts name other places."""
    told = []
    for part in spec.parts:
        items = []
        for key, value in part.items:
            if isinstance(value, Spec):
                text = _renamed(value, places)
            elif isinstance(value, Text) and key in ("class", "weights", "rules"):
                text = value_text(Text(places.get(value, value)))
            else:
                text = value_text(value)
            items.append(text if key is None else f"{key}={text}")
        told.append(f"{part.name}({', '.join(items)})" if items else part.name)
    return "+".join(told)
