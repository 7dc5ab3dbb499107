"""Modules that a person wrote, found by name or by file, and read again when their source has changed.

A module is run from the very bytes whose digest is kept, never from bytecode that lies beside it, so that the
digest says what runs. It counts as changed when its file or that of a module which it imports from its own
folder has changed. What is read again becomes a new module: classes of the old one go on as they are.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import importlib.util
import json
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from weakref import WeakKeyDictionary

from coppice.core.captured import is_installed
from coppice.core.spec_like import GUEST_MODULE

__all__ = [
    "FORM",
    "Source",
    "digest_of_class",
    "files_of_class",
    "held",
    "load_module",
    "named_in",
    "source_of",
    "told",
]

FORM = 'python("module:Class") or python("./file.py:Class")'
_MAIN = ""
"""The module that a spec names, among those that it imports."""
_BEGUN = time.time_ns()
"""A file that is older than this is what a module that somebody else has imported was read from."""

_lock = threading.RLock()
_digests: WeakKeyDictionary[ModuleType, str] = WeakKeyDictionary()
"""What each module was made from, where that is known."""


@dataclass
class _Known:
    """A module that a spec has named, and what it was read from."""

    module: ModuleType
    files: dict[str, Path]
    """The module and those that it imports from its folder, by name."""
    digests: dict[str, str] = field(default_factory=dict)
    holders: int = 0
    pinned: dict[str, object] = field(default_factory=dict)
    """What it was asked for while it is held: a cell of a notebook may define it anew."""

    def is_current(self) -> bool:
        """Whether all files are as they were read."""
        return all(_digest(path) == self.digests[name] for name, path in self.files.items())


_known: dict[str, _Known] = {}


def told(error: BaseException) -> str:
    """An error in words."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def load_module(where: str) -> ModuleType:
    """The module of this name or file as its source is now; while it is held, as it was then.

    A ValueError says what is wrong with it.
    """
    with _lock:
        return _load(where).module


@contextlib.contextmanager
def held(wheres: Iterable[str]) -> Iterator[None]:
    """These modules, and the classes in them, stay as they are now, whatever becomes of their files."""
    with _lock:
        known = [_load(where) for where in wheres]
        for one in known:
            one.holders += 1
    try:
        yield
    finally:
        with _lock:
            for one in known:
                one.holders -= 1
                if not one.holders:
                    one.pinned.clear()


def named_in(where: str, name: str) -> object:
    """What a module calls by a name, None if nothing; while it is held, what it called so first."""
    with _lock:
        known = _load(where)
        found = getattr(known.module, name, None)
        return known.pinned.setdefault(name, found) if known.holders else found


@dataclass(frozen=True)
class Source:
    """The files of a module and of those that it imports from its folder, as they were loaded."""

    main: str
    """The module's own file, in the folder."""
    files: Mapping[str, bytes]
    """What is in each file, by its place in the folder."""


def source_of(where: str) -> Source | None:
    """The source of a module that a person wrote; None if it is installed, or is the program itself.

    A ValueError if a file has changed since it was loaded.
    """
    with _lock:
        known = _load(where)
        main = known.files.get(_MAIN)
        name = known.module.__name__
        if main is None or name == "__main__" or not _is_changing(name, main):
            return None
        root = _root(name, main)
        files = {}
        for other, path in known.files.items():
            files[str(path.relative_to(root))] = content = path.read_bytes()
            if _hash(content) != known.digests[other]:
                raise ValueError(f"'{path.name}' has changed since it was loaded: begin again")
        return Source(str(main.relative_to(root)), files)


def files_of_class(where: str) -> dict[str, str]:
    """The digests of a module and of those that it imports from its folder, by the names of their files."""
    with _lock:
        known = _load(where)
        return {known.files[name].name: digest for name, digest in known.digests.items()}


def digest_of_class(where: str, found: type) -> str | None:
    """What a class of this module is made from; None if no file says it, as in a notebook."""
    with _lock:
        known = _load(where)
        digests = dict(known.digests)
        for one in found.__mro__:
            top = one.__module__.partition(".")[0]
            if top == "coppice" or (top != "__main__" and top in sys.stdlib_module_names):
                continue
            module = sys.modules.get(one.__module__)
            if module is None or not _is_written(one):
                return None
            if module is not known.module and one.__module__ not in digests:
                digest = _digest_of_module(module)
                if digest is None:
                    return None
                digests[one.__module__] = digest
        return None if _MAIN not in digests else _hash(json.dumps(sorted(digests.items())).encode())


def _load(where: str) -> _Known:
    key = str(Path(where).resolve()) if where.endswith(".py") else where
    known = _known.get(key)
    if known is not None and (known.holders or _serves(where, known)):
        return known
    if where.endswith(".py"):
        if not Path(where).is_file():
            raise ValueError(f"there is no file '{Path(where)}'")
        name = f"{GUEST_MODULE}{hashlib.blake2b(key.encode(), digest_size=6).hexdigest()}"
        module = _read_file(name, Path(key), where)
    else:
        name, module = where, _import(where)
    files = _files(name, module)
    known = _known[key] = _Known(module, files)
    for other, path in files.items():
        there = module if other == _MAIN else sys.modules.get(other)
        digest = None if there is None or _place(there) != path else _digest_of_module(there)
        if digest is None and (other == _MAIN or (where == "__main__" and there is not None)):
            # Something else than its file was imported, and nobody can tell what.
            known.files, known.digests = {}, {}
            return known
        known.digests[other] = digest or _digest(path)
    return known


def _serves(where: str, known: _Known) -> bool:
    return known.is_current() and (where.endswith(".py") or sys.modules.get(where) is known.module)


# Files


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _digest(path: Path) -> str:
    try:
        return _hash(path.read_bytes())
    except OSError:
        return "missing"


def _place(module: ModuleType) -> Path | None:
    """The file of a module, if there is one."""
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if isinstance(file, str) and os.path.isfile(file) else None


def _is_changing(name: str, path: Path) -> bool:
    """Whether a module is one that a person edits and that can be read again."""
    return path.suffix == ".py" and name.partition(".")[0] != "coppice" and not is_installed(path)


def _digest_of_module(module: ModuleType) -> str | None:
    """What a module was made from; None if its file is missing or has changed before anybody looked."""
    if module not in _digests:
        path = _place(module)
        if path is None or path.stat().st_mtime_ns > _BEGUN:
            return None
        _digests[module] = _digest(path)
    return _digests[module]


def _is_written(found: type) -> bool:
    """Whether the code of a class is in files, as that of a notebook or a terminal is not."""
    functions = (getattr(value, "__func__", value) for value in vars(found).values())
    places = {value.__code__.co_filename for value in functions if isinstance(value, FunctionType)}
    # What dataclasses and their like add is in no file, but follows from what is.
    written = places - {"<string>"}
    return all(map(os.path.isfile, written)) and (bool(written) or not places)


def _files(name: str, module: ModuleType) -> dict[str, Path]:
    """The files of a module and of those that it imports from its own folder, by name."""
    path = _place(module)
    if path is None:
        return {}
    found = {_MAIN: path}
    if not _is_changing(name, path):
        return found
    package = _package(name, path)
    root = _root(name, path)
    todo = [(package, path)]
    for end in range(1, len(package) + 1):
        # Who imports a module runs the packages that it lies in first.
        place = root.joinpath(*package[:end], "__init__.py")
        if (part := ".".join(package[:end])) != name and place.is_file():
            found[part] = place
            todo.append((package[:end], place))
    while todo:
        package, path = todo.pop()
        for other in _imported(package, path):
            for end in range(1, len(other) + 1):
                stem = root.joinpath(*other[:end])
                for place in (stem.with_name(f"{stem.name}.py"), stem / "__init__.py"):
                    part = ".".join(other[:end])
                    if part not in (name, *found) and place.is_file() and _is_changing(part, place):
                        found[part] = place
                        inner = other[:end] if place.name == "__init__.py" else other[: end - 1]
                        todo.append((list(inner), place))
    return found


def _package(name: str, path: Path) -> list[str]:
    return name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]


def _root(name: str, path: Path) -> Path:
    """The folder that a module is imported from."""
    return path.parents[len(_package(name, path))]


def _imported(package: Sequence[str], path: Path) -> set[tuple[str, ...]]:
    """The modules that a file imports, anywhere in it; names of what is in them come along."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return set()
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            base += (node.module or "").split(".") if node.module else []
            found |= {(*base, alias.name) for alias in node.names}
    return found


# Reading


class _Exact(SourceFileLoader):
    """Runs a module from its source, and keeps what that was."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        source = self.get_data(path)
        self.digest = _hash(source)
        return self.source_to_code(source, path)

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        _digests[module] = self.digest


class _Finder:
    """Lets modules that a person edits be read by `_Exact`."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or spec.origin is None:
            return None
        if not _is_changing(fullname, Path(spec.origin).resolve()):
            return None
        spec.loader = _Exact(fullname, spec.origin)
        return spec


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    """While modules are imported here."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        importlib.invalidate_caches()
        yield
    finally:
        sys.meta_path.remove(finder)


def _read_file(name: str, path: Path, where: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path, loader=_Exact(name, str(path)))
    assert spec is not None, "there is a loader"
    module = importlib.util.module_from_spec(spec)
    dropped = _drop_changed(name, module)
    dropped.setdefault(name, sys.modules.get(name))
    sys.modules[name] = module
    try:
        with _reading():
            _Exact(name, str(path)).exec_module(module)
    except Exception as error:
        _put_back(dropped)
        raise ValueError(f"importing {Path(where)} failed: {told(error)}") from error
    return module


def _import(name: str) -> ModuleType:
    there = sys.modules.get(name)
    if name == "__main__" and there is not None:
        return there
    dropped = {} if there is None else _drop_changed(name, there)
    try:
        with _reading():
            module = _imported_module(name)
            if there is None and (older := _drop_changed(name, module)):
                # It is new, but what it imports had been imported by others, and has changed since.
                dropped = older
                module = _imported_module(name)
            return module
    except ValueError:
        _put_back(dropped)
        raise


def _imported_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise ValueError(f"importing {name} failed: {told(error)}") from error
    except Exception as error:
        raise ValueError(f"importing {name} failed: {told(error)}") from error
    # A command's path does not hold the folder that it was called in.
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ValueError(f"there is no module '{error.name}': {FORM}") from error
    except Exception as error:
        raise ValueError(f"importing {name} failed: {told(error)}") from error
    finally:
        sys.path.remove(here)


def _drop_changed(name: str, module: ModuleType) -> dict[str, ModuleType | None]:
    """Take a module and those of its folder out of what is imported, if one of them has changed."""
    loaded: dict[str, ModuleType | None] = {}
    changed = False
    for other, path in _files(name, module).items():
        there = sys.modules.get(name if other == _MAIN else other)
        if there is None or not _is_changing(other, path):
            continue
        if _place(there) == path:
            loaded[name if other == _MAIN else other] = there
            changed = changed or _digest_of_module(there) != _digest(path)
        elif other != _MAIN and _found_at(other) == path:
            # Another folder has one of the same name, and it came first.
            loaded[other] = there
            changed = True
    if not changed:
        return {}
    for other in loaded:
        del sys.modules[other]
    return loaded


def _found_at(name: str) -> Path | None:
    """The file that an import of this name would read now."""
    importlib.invalidate_caches()
    spec = None if "." in name else PathFinder.find_spec(name)
    return None if spec is None or spec.origin is None else Path(spec.origin).resolve()


def _put_back(modules: dict[str, ModuleType | None]) -> None:
    for name, module in modules.items():
        if module is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = module
