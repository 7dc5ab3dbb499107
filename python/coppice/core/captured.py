"""What a class that is in no file is made of: its compiled code and the values that it captures, as one hash.

A class of a notebook has no file that could be hashed, and what `cloudpickle` writes of it is not the same
twice. So its parts are walked: methods as compiled, their defaults and closures, the global values that they
name, and the same of every class and function of one's own among them. What is installed counts by its name.
The hash changes with the version of Python, which compiles otherwise.
"""

from __future__ import annotations

import builtins
import dis
import functools
import hashlib
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    ModuleType,
)
from typing import Any

__all__ = ["UntoldError", "fingerprint_of_class", "is_installed"]

_INSTALLED = tuple(
    Path(path).resolve()
    for name, path in sysconfig.get_paths().items()
    if name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented))
_NO_CONTENT = {
    *("__dict__", "__weakref__", "__module__", "__qualname__", "__abstractmethods__", "_abc_impl"),
    *("__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__", "__orig_bases__"),
    *("__parameters__", "__firstlineno__", "__static_attributes__"),
}
"""What a class has besides what was written in it."""


class UntoldError(ValueError):
    """A class holds something whose value nobody can tell."""


def is_installed(path: Path) -> bool:
    """Whether a file belongs to Python or to an installed package."""
    return any(path.is_relative_to(folder) for folder in _INSTALLED)


def fingerprint_of_class(found: type) -> str:
    """A text that changes with the code of a class and the values that it captures.

    An `UntoldError` names a value that cannot be told, such as an open file.
    """
    walk = _Walk()
    try:
        walk.add(found, found.__qualname__)
    except RecursionError as error:
        raise UntoldError(f"{found.__qualname__} holds values that lie too deep in one another") from error
    return f"{sys.implementation.cache_tag}-{walk.digest()}"


@functools.cache
def _is_foreign(module: str) -> bool:
    """Whether a module is part of Python, of an installed package or of this one."""
    top = module.partition(".")[0]
    if top == "__main__":
        return False
    if top == "coppice" or top in sys.stdlib_module_names or top in sys.builtin_module_names:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(file, str) and is_installed(Path(file).resolve())


class _Walk:
    """Adds values to a hash, each object of its own once."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[int, int] = {}
        self._kept: list[object] = []
        """What was made on the way lives on, so that no two objects have the same number."""

    def digest(self) -> str:
        return self._hash.hexdigest()

    def _say(self, *words: object) -> None:
        for word in words:
            data = str(word).encode("utf-8", "surrogatepass")
            self._hash.update(len(data).to_bytes(8, "little") + data)

    def add(self, value: Any, place: str) -> None:
        """Add a value; `place` tells a person where it is."""
        if isinstance(value, _PLAIN) and type(value) in _PLAIN:
            self._say(type(value).__name__, repr(value))
        elif type(value) is tuple or type(value) is list:
            self._say(type(value).__name__, len(value))
            self._each(value, place)
        elif type(value) is dict or isinstance(value, MappingProxyType):
            self._say("dict", len(value))
            self._each(value.keys(), place)
            self._each(value.values(), place)
        elif type(value) is set or type(value) is frozenset:
            self._say(type(value).__name__, *sorted(self._alone(one, place) for one in value))
        elif isinstance(value, CodeType):
            self._code(value, place)
        elif id(value) in self._seen:
            self._say("again", self._seen[id(value)])
        else:
            self._seen[id(value)] = len(self._seen)
            self._kept.append(value)
            self._object(value, place)

    def _each(self, values: Iterable[Any], place: str) -> None:
        for value in values:
            self.add(value, place)

    def _alone(self, value: Any, place: str) -> str:
        """The hash of a value by itself: members of a set have no order."""
        walk = _Walk()
        walk.add(value, place)
        return walk.digest()

    def _object(self, value: Any, place: str) -> None:
        if isinstance(value, ModuleType):
            self._module(value, place)
        elif isinstance(value, type):
            self._class(value, place)
        elif isinstance(value, FunctionType):
            self._function(value, place)
        elif isinstance(value, staticmethod | classmethod):
            self._say(type(value).__name__)
            self.add(value.__func__, place)
        elif isinstance(value, property):
            self._say("property")
            self._each((value.fget, value.fset, value.fdel), place)
        elif isinstance(value, BuiltinFunctionType | MemberDescriptorType | GetSetDescriptorType):
            self._say("built in", value.__qualname__)
        elif type(value) is not functools.partial and isinstance(written := _written(value), FunctionType):
            self._say(type(value).__qualname__)
            self.add(written, place)
        else:
            self._reduced(value, place)

    def _module(self, module: ModuleType, place: str) -> None:
        self._say("module", module.__name__)
        if not _is_foreign(module.__name__):
            for name, value in sorted(vars(module).items()):
                if not name.startswith("__"):
                    self._say(name)
                    self.add(value, f"{module.__name__}.{name}")

    def _class(self, found: type, place: str) -> None:
        self._say("class", found.__qualname__)
        if _is_foreign(found.__module__):
            self._say(found.__module__)
            return
        self._each((type(found), *found.__bases__), place)
        for name, value in sorted(vars(found).items()):
            if name not in _NO_CONTENT:
                self._say(name)
                self.add(value, f"{found.__qualname__}.{name}")

    def _function(self, function: FunctionType, place: str) -> None:
        module = function.__module__
        if isinstance(module, str) and module != "__main__" and _is_foreign(module):
            self._say("function", module, function.__qualname__)
            if "<locals>" not in function.__qualname__:
                return
        self._say("function")
        self.add(function.__code__, place)
        self.add(function.__defaults__, place)
        self.add(function.__kwdefaults__, place)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._say(name)
            try:
                content = cell.cell_contents
            except ValueError:
                self._say("empty")
                continue
            self.add(content, name)
        self.add(vars(function), place)
        for name in sorted(set(_globals_in(function.__code__))):
            if name in function.__globals__:
                self._say("global", name)
                self.add(function.__globals__[name], name)
            elif not hasattr(builtins, name):
                self._say("unknown", name)

    def _code(self, code: CodeType, place: str) -> None:
        """Compiled code but for where it was written."""
        self._say("code", code.co_name, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        self._say(code.co_flags, code.co_code.hex(), code.co_exceptiontable.hex())
        for names in (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars):
            self._say(*names, len(names))
        self._each(code.co_consts, place)

    def _reduced(self, value: Any, place: str) -> None:
        """An object by what would be pickled of it."""
        try:
            reduced = value.__reduce_ex__(4)
        except Exception as error:
            kind = type(value).__name__
            raise UntoldError(f"nobody can tell what '{place}' holds: {kind}") from error
        self._kept.append(reduced)
        self._say("object", type(value).__qualname__)
        if isinstance(reduced, str):
            self._say(reduced)
            return
        make, arguments, *rest = reduced
        state, items, pairs = (*rest[:3], None, None, None)[:3]
        self._each((make, arguments, state), place)
        for more in (items, pairs):
            self.add(None if more is None else list(more), place)


def _written(value: object) -> object:
    """The function that a wrapper was made of: what Numba has compiled, or `functools` has wrapped."""
    if type(value).__module__.partition(".")[0] == "numba":
        return getattr(value, "py_func", None) or getattr(value, "_pyfunc", None)
    if type(value).__module__ == "functools":
        return getattr(value, "__wrapped__", None) or getattr(value, "func", None)
    return None


def _globals_in(code: CodeType) -> Iterator[str]:
    """The names of global values that code, and the code inside it, reads."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield str(step.argval)
    for inside in code.co_consts:
        if isinstance(inside, CodeType):
            yield from _globals_in(inside)
