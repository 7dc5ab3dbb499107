"""Puts single faults into the code, one at a time, and asks whether a test notices.

    .venv/bin/python tools/mutants.py run --room web --seed 1 --number 30
    .venv/bin/python tools/mutants.py run --room web --seed 1 --number 30 --again
    .venv/bin/python tools/mutants.py list --room web --seed 1 --number 30
    .venv/bin/python tools/mutants.py report

`run` takes the first faults of a room in the order of the seed, puts each into a copy of the project and
asks the tests that reach it, nearest first. What is known is kept in `results/mutants.txt` and not asked
again; with `--again` the survivors of the sample are. `report` writes `results/mutants.md`. Reasons for
survivors stand in `results/mutants_reasons.txt`, a line each: the key, a space, the reason.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from pathlib import Path

from layers import ROOMS
from mutation.core_faults import Core, core_faults
from mutation.faults import Fault, in_order
from mutation.judge import UNNOTICED, UNVIABLE, Verdict, judge
from mutation.ledger import Line, changing, marked, read_lines, read_reasons, report
from mutation.python_faults import makes_a_program, python_faults
from mutation.reach import FailsWithoutFault, Project, Reach
from mutation.runs import Copy

ROOT = Path(__file__).resolve().parent.parent
CORE = "core"
BARS = {"play": 0.85, "protocols": 0.85, "papers": 0.85, "lab": 0.85, "web": 0.85, CORE: 0.9}
"""The rooms that are measured, and the share of faults that is to be noticed in each."""


def tell(text: str) -> None:
    """Says what is going on."""
    print(text, file=sys.stderr, flush=True)


def faults_of(project: Project, room: str) -> list[Fault]:
    """All faults of a room."""
    if room == CORE:
        return core_faults(project.root)
    folder = project.root / project.package / room
    return [
        fault
        for path in sorted(folder.rglob("*.py"))
        for fault in python_faults(path.relative_to(project.root).as_posix(), path.read_bytes())
    ]


def drawn(project: Project, faults: Iterable[Fault], seed: int) -> Iterator[Fault]:
    """Faults in the order of a seed, without those that are no program, or the same one."""
    for fault in in_order(faults, seed):
        path = project.root / fault.file
        if path.suffix != ".py" or makes_a_program(fault, path.read_bytes()):
            yield fault


def sample(project: Project, room: str, seed: int, number: int) -> list[Fault]:
    """The faults of a room that a seed draws; in the core, some of them may turn out not to compile."""
    return list(islice(drawn(project, faults_of(project, room), seed), number))


def commit_of(root: Path) -> str:
    """The commit that is looked at, with a plus if files have changed since; `none` outside a repository."""

    def git(*words: str) -> str | None:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else None

    commit = git("rev-parse", "--short", "HEAD")
    if commit is None:
        return "none"
    return f"{commit}+" if git("status", "--porcelain", "--", "python", "src", "tests") else commit


def line_of(fault: Fault, room: str, seed: int, verdict: Verdict, commit: str, before: Line | None) -> Line:
    """The line of a fault that was tried just now."""
    return Line(
        key=fault.key,
        room=room,
        seeds=before.seeds if before else str(seed),
        place=f"{fault.file}:{fault.line}",
        unit=fault.unit,
        operator=fault.operator,
        change=fault.change,
        first=before.first if before else verdict.outcome,
        now=verdict.outcome,
        by=verdict.by,
        seconds=f"{verdict.seconds:.0f}",
        commit=commit,
    )


def run(
    project: Project,
    room: str,
    seed: int,
    number: int,
    *,
    results: Path,
    kept: Path,
    again: bool = False,
    near_only: bool = False,
    without: tuple[str, ...] = (),
    keys: tuple[str, ...] = (),
) -> None:
    """Tries the faults of a sample that nobody has tried, and writes a line after each."""
    faults = faults_of(project, room)
    with changing(results) as lines:
        lines.update(marked(lines, room, {fault.key for fault in faults}))
    commit = commit_of(project.root)
    with ExitStack() as stack:
        ask: Callable[[Fault], Verdict | None] | None = None
        counted = 0
        for fault in drawn(project, faults, seed):
            if counted == number:
                break
            with changing(results) as lines:
                line = lines.get(fault.key)
                if line is not None and not line.drawn_by(seed):
                    line = lines[fault.key] = replace(line, seeds=f"{line.seeds},{seed}")
            if keys and fault.key not in keys:
                counted += 1
                continue
            if line is None or (again and line.now in UNNOTICED):
                if ask is None:
                    copy = stack.enter_context(Copy(project.root, project.package))
                    ask = asker(project, room, copy, kept, near_only, without)
                verdict = ask(fault)
                told = f"{fault.file}:{fault.line} {fault.unit} {fault.operator}: {fault.change}"
                if verdict is None:
                    tell(f"not noticed near: {fault.key} {told}")
                    counted += 1
                    continue
                with changing(results) as lines:
                    line = line_of(fault, room, seed, verdict, commit, lines.get(fault.key))
                    lines[fault.key] = line
                tell(f"{line.now}: {fault.key} {told} [{line.by}] {line.seconds} s")
            # What does not compile is replaced by the next one.
            counted += line.now != UNVIABLE
    tell(f"{room}: {counted} faults of seed {seed}")


def asker(
    project: Project, room: str, copy: Copy, kept: Path, near_only: bool, without: tuple[str, ...]
) -> Callable[[Fault], Verdict | None]:
    """What finds out about a fault of a room."""
    if room == CORE:
        return Core(copy, tell).judge
    reach = Reach(project, copy, kept, without, tell)
    return lambda fault: judge(fault, reach, tell, near_only=near_only)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("what", choices=("run", "list", "report"))
    parser.add_argument("--room", choices=("all", *BARS), default="all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=30, help="how many faults of each room")
    parser.add_argument("--near", action="store_true", help="leave what near tests do not notice untried")
    parser.add_argument("--again", action="store_true", help="try the survivors of the sample again")
    parser.add_argument(
        "--without", action="append", default=[], help="leave out tests whose name holds this"
    )
    parser.add_argument("--key", action="append", default=[], help="try this fault of the sample only")
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    options = parser.parse_args()
    # Whoever ends the command leaves no copy behind; a shell lets what is in the background ignore Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    project = Project(ROOT, "python/coppice", ROOMS)
    results: Path = options.results / "mutants.txt"
    rooms = list(BARS) if options.room == "all" else [options.room]
    if options.what == "list":
        for room in rooms:
            for fault in sample(project, room, options.seed, options.number):
                print(f"{fault.key} {fault.file}:{fault.line} {fault.unit} {fault.operator}: {fault.change}")
        return
    if options.what == "run":
        for room in rooms:
            try:
                run(
                    project,
                    room,
                    options.seed,
                    options.number,
                    results=results,
                    kept=ROOT / ".build" / "mutation",
                    again=options.again,
                    near_only=options.near,
                    without=tuple(options.without),
                    keys=tuple(options.key),
                )
            except FailsWithoutFault as error:
                sys.exit(f"{error}\nmend the test, or leave it out with --without")
    text = report(read_lines(results), read_reasons(options.results / "mutants_reasons.txt"), BARS)
    (options.results / "mutants.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
