"""Runs of tests in a copy of the project: no fault is in the working tree, and several runs do not meet."""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from .faults import Fault

STARTUP = Path(__file__).parent / "startup"
MARKS = "not evidence and not bench"
OURS = ("PYTEST_CURRENT", "PYTEST_ADDOPTS", "PYTEST_XDIST", "PYTEST_VERSION", "MUTATION_")
"""Variables that say something about the run that we are in, if we are in one."""


@dataclass(frozen=True)
class RunResult:
    """What became of chosen tests."""

    how: str
    """`passed`, `failed`, `timeout`, `import` where a file of tests could not be read, `crash`."""
    by: str
    """The test that did not pass, or the file that could not be read."""
    seconds: float
    output: str


class Copy:
    """A copy of a project's files, where one fault at a time is put in and taken out again."""

    def __init__(self, root: Path, package: str) -> None:
        self.root = root
        self.folder = Path(tempfile.mkdtemp(prefix="mutation-")).resolve()
        self.package = self.folder / package
        self._notes = Path(tempfile.mkdtemp(prefix="mutation-notes-"))
        self._stamp = 0
        for name in files_of(root):
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target)
        self._in: Fault | None = None

    def __enter__(self) -> Copy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self._notes, ignore_errors=True)

    def refresh(self, name: str) -> None:
        """Takes over a file of the project as it is now."""
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(self.root / name, self.folder / name)

    def put_in(self, fault: Fault) -> None:
        """Puts a fault in; the one before it is taken out."""
        self.take_out()
        path = self.folder / fault.file
        self._write(path, fault.applied(path.read_bytes()))
        self._in = fault

    def take_out(self) -> None:
        """Makes the copy what the project is."""
        if self._in is not None:
            name, self._in = self._in.file, None
            self._write(self.folder / name, (self.root / name).read_bytes())

    def _write(self, path: Path, text: bytes) -> None:
        path.write_bytes(text)
        # A compiled module is known by time and size of its source, and a fault may keep both; cargo builds
        # anew what is younger than what it has built.
        self._stamp = max(self._stamp + 1, math.ceil(time.time()))
        os.utime(path, (self._stamp, self._stamp))

    def watch(self, files: Sequence[str]) -> tuple[dict[str, Result], list[tuple[str, str, str]], RunResult]:
        """Runs whole files of tests; the results, and which test reached which function of which file."""
        notes, events = self._note("notes"), self._note("events")
        run = self._pytest(files, events, 3600, {"MUTATION_NOTES": str(notes)}, "--timeout=300")
        reached: list[tuple[str, str, str]] = []
        for line in _lines(notes):
            _, test, path, function = line.split("\t")
            reached.append((test, Path(path).relative_to(self.folder).as_posix(), function))
        return results_of(_lines(events)), reached, run

    def tests(self, asked: Mapping[str, float]) -> RunResult:
        """Runs these tests in this order up to the first that fails; each may take its number of seconds."""
        order, events = self._note("order"), self._note("events")
        order.write_text(json.dumps(dict(asked)), encoding="utf-8")
        files = list(dict.fromkeys(name.split("::")[0] for name in asked))
        return self._pytest(files, events, 120 + sum(asked.values()), {"MUTATION_ORDER": str(order)}, "-x")

    def _note(self, name: str) -> Path:
        path = self._notes / name
        path.unlink(missing_ok=True)
        return path

    def _pytest(
        self, files: Sequence[str], events: Path, seconds: float, more: Mapping[str, str], *options: str
    ) -> RunResult:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(OURS)},
            "PYTHONPATH": os.pathsep.join(map(str, (self.package.parent, STARTUP))),
            "MUTATION_PACKAGE": f"{self.package}{os.sep}",
            "MUTATION_EVENTS": str(events),
            **more,
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "mutation_watch", "-p", "no:cacheprovider"]
        command += ["-o", "addopts=", "-m", MARKS, *options, *files]
        started = time.monotonic()
        output = self._notes / "output"
        with output.open("wb") as file:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code: int | None = process.wait(seconds)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                # Whatever the tests have started and left behind.
                end_group(process)
        said = output.read_text(encoding="utf-8", errors="replace")
        how, by = verdict(code, _lines(events), said)
        return RunResult(how, by, time.monotonic() - started, said)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and all of its group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@dataclass(frozen=True)
class Result:
    """How a test ended and what it took, set-up included."""

    outcome: str
    seconds: float


def results_of(events: Sequence[str]) -> dict[str, Result]:
    """The results of tests from the lines that were noted."""
    found: dict[str, Result] = {}
    for line in events:
        word, *rest = line.split("\t")
        if word in ("setup", "call", "teardown"):
            test, outcome, seconds = rest
            before = found.get(test, Result("passed", 0.0))
            worst = outcome if before.outcome == "passed" else before.outcome
            found[test] = Result(worst, round(before.seconds + float(seconds), 3))
    return found


def verdict(code: int | None, events: Sequence[str], output: str) -> tuple[str, str]:
    """How a run ended, and by which test; `None` is a run that was ended because its time was out."""
    last = ""
    failed: str | None = None
    for line in events:
        word, *rest = line.split("\t")
        if word == "start":
            last = rest[0]
        elif word == "unread":
            failed = failed or rest[0]
        elif word in ("setup", "call", "teardown") and rest[1] == "failed":
            return "failed", rest[0]
    if failed is not None:
        return "import", failed
    if code == 0:
        return "passed", ""
    if code is None or "+++ Timeout +++" in output or "+ Timeout +" in output:
        return "timeout", last
    if code == 5 and "kept\t0" in events:
        return "import", "no test is named as before"
    if code < 0 or last:
        return "crash", last
    if code == 4:
        # A conftest.py could not be imported.
        return "import", "conftest.py"
    raise RuntimeError(f"pytest ended with exit code {code}:\n{output[-3000:]}")


def files_of(root: Path) -> list[str]:
    """What git knows or would add, and what was built; without git, all files."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode != 0:
        return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    named = {name for name in listing.stdout.split("\0") if name and (root / name).is_file()}
    return sorted(named | {path.relative_to(root).as_posix() for path in root.glob("python/**/*.so")})


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
