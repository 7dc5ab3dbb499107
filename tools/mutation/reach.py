"""Which tests can notice a fault: those that reach its function, as one run without a fault has shown.

Each file of tests is run once, watched, when it is first needed; what it took and reached is kept in a folder
until the file, what tests share, or the package changes. A test that fails then is an error: it could notice
nothing.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from .faults import Fault
from .runs import Copy

SHARED = "*"
SLOW = 2.0
"""Seconds of a test that is asked after all quick ones: it has a browser, or plays games."""


class FailsWithoutFault(Exception):
    """A test that does not pass on the unchanged source."""


@dataclass(frozen=True)
class Record:
    """What a file of tests did without a fault."""

    made_of: str
    seconds: dict[str, float]
    """Of each test that passed, in the order of the file."""
    reached: dict[str, list[str]]
    """By `file::function`, the tests; `*` for what all of them share."""


@dataclass(frozen=True)
class Project:
    """A project as mutation testing sees it."""

    root: Path
    package: str
    """The folder of the package, relative to the root."""
    rooms: Mapping[str, Collection[str]]
    """The rooms of the package, lowest first, and which others each uses; `tests/` has the same rooms."""

    def room_of(self, fault: Fault) -> str:
        """The room that a fault of the package is in."""
        return Path(fault.file).relative_to(self.package).parts[0]

    def module_of(self, file: str) -> str:
        """The name that a file of the package is imported by."""
        path = Path(file).relative_to(Path(self.package).parent).with_suffix("")
        return ".".join(path.parts[:-1] if path.stem == "__init__" else path.parts)


class Reach:
    """The files of tests of a project and what they reach."""

    def __init__(
        self, project: Project, copy: Copy, kept: Path, without: Collection[str], tell: Callable[[str], None]
    ) -> None:
        self.project = project
        self.copy = copy
        self.kept = kept
        self.without = without
        self.tell = tell
        root = project.root
        tests = sorted((root / "tests").rglob("*.py"))
        self.files = [path.relative_to(root).as_posix() for path in tests if path.name.startswith("test_")]
        shared = [path for path in tests if not path.name.startswith("test_")]
        built = sorted((root / project.package).rglob("*.so"))
        sources = sorted((root / project.package).rglob("*.py"))
        self._shared = _hash(*(path.read_bytes() for path in (*shared, *sources, *built)))
        self._imported = {file: _imports((root / file).read_bytes()) for file in self.files}
        self._records: dict[str, Record] = {}

    def stages(self, fault: Fault) -> list[list[str]]:
        """The near tests in three groups, each asked when the one before has noticed nothing.

        First those of the room that have the name of the module or import it, then its other ones, then those
        of other rooms: what a file does without a fault is found out only when it is asked.
        """
        stages: list[list[str]] = [[], [], []]
        for file in self.near(fault):
            own = file.startswith(f"tests/{self.project.room_of(fault)}/")
            stages[2 if not own else 0 if self.closeness(fault, file) < 2 else 1].append(file)
        return stages

    def near(self, fault: Fault) -> list[str]:
        """The tests of the fault's room, and others that import its module by name."""
        room, module = self.project.room_of(fault), self.project.module_of(fault.file)
        rooms = [f"tests/{one}/" for one in self.project.rooms]
        return [
            file
            for file in self.files
            if file.startswith(f"tests/{room}/")
            or (module in self._imported[file] and file.startswith(tuple(rooms)))
        ]

    def far(self, fault: Fault) -> list[str]:
        """The other tests of rooms that use the fault's room."""
        room, near = self.project.room_of(fault), set(self.near(fault))
        above = [f"tests/{one}/" for one, used in self.project.rooms.items() if room in used]
        return [file for file in self.files if file.startswith(tuple(above)) and file not in near]

    def closeness(self, fault: Fault, file: str) -> int:
        """0 for the tests that have the module's name, 1 for those that import it, 2 in its room, 3."""
        stem = Path(fault.file).stem
        room = file.startswith(f"tests/{self.project.room_of(fault)}/")
        if room and Path(file).stem == f"test_{stem}":
            return 0
        if self.project.module_of(fault.file) in self._imported[file]:
            return 1
        return 2 if room else 3

    def asked(self, fault: Fault, files: Collection[str]) -> dict[str, float]:
        """The tests of these files that reach the fault's function, in their order, with their seconds."""
        found: list[tuple[tuple[bool, int, str, int], str, float]] = []
        for file in files:
            record = self.record(file)
            names = self._reaching(fault, file, record)
            for place, (test, seconds) in enumerate(record.seconds.items()):
                if SHARED in names or test in names:
                    found.append(((seconds > SLOW, self.closeness(fault, file), file, place), test, seconds))
        return {test: seconds for _, test, seconds in sorted(found)}

    def _reaching(self, fault: Fault, file: str, record: Record) -> set[str]:
        if not fault.at_import:
            return set(record.reached.get(f"{fault.file}::{fault.unit.removesuffix('()')}", ()))
        # What runs at import matters to whoever uses the module at all.
        if self.project.module_of(fault.file) in self._imported[file]:
            return {SHARED}
        functions = {key for key in record.reached if key.startswith(f"{fault.file}::")}
        module = f"{fault.file}::<module>"
        found = {test for key in functions - {module} for test in record.reached[key]}
        # A module of values alone: the test that had it imported is all that is known.
        return found or set(record.reached.get(module, ()))

    def record(self, file: str) -> Record:
        """What a file of tests did without a fault; it is run if nobody knows."""
        if file not in self._records:
            made_of = _hash((self.project.root / file).read_bytes(), self._shared.encode())
            path = self.kept / f"{file.replace('/', '.')}.json"
            record = Record(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None
            if record is None or record.made_of != made_of:
                record = self._watch(file, made_of)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps(asdict(record), indent=0), encoding="utf-8")
            self._records[file] = record
        return self._records[file]

    def _watch(self, file: str, made_of: str) -> Record:
        self.copy.take_out()
        results, notes, run = self.copy.watch([file])
        self.tell(f"{file}: {len(results)} tests without a fault in {run.seconds:.0f} s")
        if run.how == "import":
            raise FailsWithoutFault(f"{file} cannot be read without a fault:\n{run.output[-3000:]}")
        left_out = {name for name in results if any(one in name for one in self.without)}
        for name, result in results.items():
            if result.outcome == "failed" and name not in left_out:
                # A busy machine is no failure: once more, alone.
                again = self.copy.tests({name: 300.0})
                if again.how != "passed":
                    raise FailsWithoutFault(f"{name} fails without a fault:\n{again.output[-3000:]}")
        seconds = {
            name: result.seconds
            for name, result in results.items()
            if result.outcome != "skipped" and name not in left_out
        }
        reached: dict[str, set[str]] = {}
        for test, path, function in notes:
            reached.setdefault(f"{path}::{function}", set()).add(test if test in results else SHARED)
        return Record(made_of, seconds, {key: sorted(tests) for key, tests in sorted(reached.items())})


def _hash(*parts: bytes) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(hashlib.sha256(part).digest())
    return found.hexdigest()


def _imports(source: bytes) -> set[str]:
    """All that a file imports, by full names: of `from a.b import c` both `a.b` and `a.b.c`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found
