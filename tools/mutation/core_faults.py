"""The faults of the core, as cargo-mutants lists them, and what `cargo test` says to each.

cargo-mutants reads Rust properly and knows which faults are worth a build; it draws no sample by a seed and
keeps no results that add up, so that it only makes the list here. `src/python` is left out: pytest tests it,
and `cargo test` does not build it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from .faults import Fault, key_of
from .judge import UNVIABLE, Verdict
from .reach import FailsWithoutFault
from .runs import Copy, end_group

LEFT_OUT = ("src/python/**",)
TESTS = ("test", "--locked", "--lib", "--no-default-features", "--features", "checked")
FAILED = re.compile(r"^test (\S+) \.\.\. FAILED", re.MULTILINE)


def cargo_mutants(root: Path) -> str:
    """The program, from the project's own folder or the machine."""
    own = root / ".build" / "cargo" / "bin" / "cargo-mutants"
    found = str(own) if own.exists() else shutil.which("cargo-mutants")
    if found is None:
        raise FileNotFoundError(
            "no cargo-mutants: `cargo install cargo-mutants --locked --root .build/cargo` gets it"
        )
    return found


def core_faults(root: Path) -> list[Fault]:
    """All faults of the core."""
    command = [cargo_mutants(root), "mutants", "--list", "--json", "--dir", str(root)]
    for pattern in LEFT_OUT:
        command += ["--exclude", pattern]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"cargo mutants --list: {done.stderr.strip()}")
    return read_list(done.stdout, root)


def read_list(text: str, root: Path) -> list[Fault]:
    """The faults of a list of cargo-mutants."""
    files: dict[str, _File] = {}
    found = []
    for one in json.loads(text):
        name = one["file"]
        if name not in files:
            files[name] = _File((root / name).read_text(encoding="utf-8"))
        file, function = files[name], one["function"]
        start, end = file.span(one["span"])
        outer = file.span(function["span"]) if function else (start, end)
        unit = f"{function['function_name']}()" if function else "<module>"
        operator = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", one["genre"]).lower()
        before, after = file.text(start, end), one["replacement"]
        key = key_of(name, unit, file.text(*outer), start - outer[0], operator, after)
        line = one["span"]["start"]["line"]
        found.append(Fault(name, line, unit, operator, start, end, before, after, key))
    return found


class _File:
    """A file of Rust, where places are lines and columns of letters."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines(keepends=True)
        self.bytes = text.encode()
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line.encode()))

    def place(self, place: dict[str, int]) -> int:
        """A line and a column, both from 1, as a number of bytes."""
        line = place["line"] - 1
        return self.starts[line] + len(self.lines[line][: place["column"] - 1].encode())

    def span(self, span: dict[str, dict[str, int]]) -> tuple[int, int]:
        return self.place(span["start"]), self.place(span["end"])

    def text(self, start: int, end: int) -> str:
        return self.bytes[start:end].decode()


class Core:
    """The tests of the core in a copy of the project: first those beside the fault, then all."""

    def __init__(self, copy: Copy, tell: Callable[[str], None]) -> None:
        self.copy = copy
        self.tell = tell
        self.environment = {
            **os.environ,
            "CARGO_TARGET_DIR": str(copy.root / "target" / "mutation"),
            # A fault is one function: little is compiled again, and less time goes into making it fast.
            "CARGO_INCREMENTAL": "1",
            "CARGO_PROFILE_TEST_OPT_LEVEL": "1",
            "CARGO_TERM_COLOR": "never",
        }
        started = time.monotonic()
        if self._cargo(None, "--no-run")[0] != 0:
            raise FailsWithoutFault("the core does not compile")
        built = time.monotonic()
        code, said = self._cargo(None)
        if code != 0:
            raise FailsWithoutFault(f"cargo test fails without a fault:\n{said[-3000:]}")
        self.seconds = time.monotonic() - built
        tell(f"core: built in {built - started:.0f} s, tests without a fault in {self.seconds:.0f} s")

    def judge(self, fault: Fault) -> Verdict:
        """What the tests say."""
        started = time.monotonic()

        def verdict(outcome: str, by: str) -> Verdict:
            return Verdict(outcome, by, time.monotonic() - started)

        self.copy.put_in(fault)
        try:
            code, said = self._cargo(None, "--no-run")
            if code != 0:
                return verdict(UNVIABLE, "the compiler")
            limit = 120 + 5 * self.seconds
            for asked in ((module_of(fault.file),), ()):
                code, said = self._cargo(limit, "--", *asked)
                if code != 0:
                    return verdict(*outcome(code, said))
            passed = re.search(r"(\d+) passed", said)
            return verdict("survived", f"{passed[1] if passed else 'no'} tests")
        finally:
            self.copy.take_out()

    def _cargo(self, seconds: float | None, *words: str) -> tuple[int | None, str]:
        """Runs the tests, or only builds them; no exit code if the time is out."""
        output = self.copy.folder.parent / f"{self.copy.folder.name}.cargo"
        try:
            with output.open("wb") as file:
                process = subprocess.Popen(
                    ["cargo", *TESTS, *words],
                    cwd=self.copy.folder,
                    env=self.environment,
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
                    end_group(process)
            return code, output.read_text(encoding="utf-8", errors="replace")
        finally:
            output.unlink(missing_ok=True)


def module_of(file: str) -> str:
    """The module that a file of the core holds, as the names of its tests begin."""
    parts = Path(file).relative_to("src").with_suffix("").parts
    return "::".join(parts[:-1] if parts[-1] == "mod" else parts)


def outcome(code: int | None, said: str) -> tuple[str, str]:
    """How tests noticed a fault, and the first that did."""
    failed = FAILED.search(said)
    if failed:
        return "failed", failed[1]
    if code is None:
        slow = re.findall(r"^test (\S+) has been running", said, re.MULTILINE)
        return "timeout", slow[-1] if slow else ""
    return "crash", (re.findall(r"signal: .*", said) or [f"exit code {code}"])[0]
