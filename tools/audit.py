"""Audit the locked versions: the project asks for them, each has a hash, and nothing is known against it.

`requirements.lock` holds what the app needs, `Cargo.lock` what the core is made of. Known weaknesses are
asked of the database of OSV, which gathers those of Python packages and of crates. What cannot be asked is
said, and is no success: the exit code is 1 for something found, 3 for a database that cannot be reached.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

__all__ = ["Locked", "audit", "crates", "python_packages", "weaknesses", "wrong"]

ROOT = Path(__file__).parent.parent
LOCK, CARGO_LOCK = "requirements.lock", "Cargo.lock"
EXTRAS = ("lab", "app")
"""What `make run` installs besides what the package always needs."""
DATABASE = "https://api.osv.dev/v1/querybatch"
_SECONDS = 30
_AT_ONCE = 500
"""Versions in one question."""
FOUND, UNREACHABLE = 1, 3


@dataclass(frozen=True)
class Locked:
    """A version that is locked."""

    ecosystem: str
    name: str
    version: str
    hashes: Sequence[str] = field(default=(), compare=False)
    marker: str = field(default="", compare=False)
    """Where it is needed; empty: everywhere."""

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


_PACKAGE = re.compile(r"([A-Za-z0-9._-]+)==([^ ;\\]+)(?: *; *(.*?))?(?: *\\)?")
_HASH = re.compile(r" *--hash=(sha256:[0-9a-f]{64})(?: \\)?")


def python_packages(text: str) -> list[Locked]:
    """The packages of a lock file with hashes; a ValueError names a line of another kind."""
    found: list[tuple[str, str, str, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if package := _PACKAGE.fullmatch(line):
            found.append((package[1], package[2], package[3] or "", []))
        elif found and (told := _HASH.fullmatch(line)):
            found[-1][3].append(told[1])
        else:
            raise ValueError(f"{LOCK} line {number}: neither a version nor a hash: {line.strip()[:60]}")
    return [Locked("PyPI", name, version, hashes, marker) for name, version, marker, hashes in found]


def crates(text: str) -> list[Locked]:
    """The crates of a Cargo.lock that come from a registry."""
    entries = tomllib.loads(text)["package"]
    return [
        Locked(
            "crates.io", entry["name"], entry["version"], [entry["checksum"]] if "checksum" in entry else []
        )
        for entry in entries
        if "source" in entry
    ]


def wrong(project: str, lock: str, cargo_lock: str) -> list[str]:
    """What is wrong with the lock files, without asking anybody."""
    told = [
        f"{locked} has no hash"
        for locked in (*python_packages(lock), *crates(cargo_lock))
        if not locked.hashes
    ]
    if "://" in lock:
        told.append(f"{LOCK} names an address: a hash says what a file is, wherever it comes from")
    tables = tomllib.loads(project)["project"]
    asked = [
        *tables["dependencies"],
        *(one for extra in EXTRAS for one in tables["optional-dependencies"][extra]),
    ]
    locked: dict[str, list[Locked]] = {}
    for one in python_packages(lock):
        locked.setdefault(canonicalize_name(one.name), []).append(one)
    for text in asked:
        requirement = Requirement(text)
        found = locked.get(canonicalize_name(requirement.name), [])
        if not found:
            told.append(f"{requirement.name} is asked for and not locked: make lock")
        told += [
            f"{one} is locked, and {text} is asked for: make lock"
            for one in found
            if not requirement.specifier.contains(Version(one.version), prereleases=True)
        ]
    for one in python_packages(lock):
        if one.marker:
            # Raises for what is no marker.
            Marker(one.marker)
    return told


Ask = Callable[[bytes], bytes]
"""A question to the database, and its answer; an OSError says why there is none."""


def ask_osv(question: bytes) -> bytes:
    """Asks over the network."""
    request = urllib.request.Request(DATABASE, question, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
        return bytes(answer.read())


def weaknesses(locked: Sequence[Locked], ask: Ask) -> dict[Locked, list[str]]:
    """The known weaknesses of these versions by their numbers; an OSError if the database does not answer."""
    found: dict[Locked, list[str]] = {}
    for at in range(0, len(locked), _AT_ONCE):
        some = locked[at : at + _AT_ONCE]
        queries = [
            {"package": {"name": one.name, "ecosystem": one.ecosystem}, "version": one.version}
            for one in some
        ]
        try:
            results = json.loads(ask(json.dumps({"queries": queries}).encode()))["results"]
            for one, result in zip(some, results, strict=True):
                if numbers := [str(each["id"]) for each in (result or {}).get("vulns", ())]:
                    found[one] = numbers
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise OSError("its answer is not understood") from error
    return found


def audit(folder: Path, ask: Ask) -> tuple[int, list[str]]:
    """The exit code, and what there is to say."""
    lock, cargo_lock = ((folder / name).read_text(encoding="utf-8") for name in (LOCK, CARGO_LOCK))
    told = wrong((folder / "pyproject.toml").read_text(encoding="utf-8"), lock, cargo_lock)
    locked = [*python_packages(lock), *crates(cargo_lock)]
    what = f"{len(python_packages(lock))} Python packages and {len(crates(cargo_lock))} crates"
    try:
        known = weaknesses(locked, ask)
    except OSError as error:
        reason = getattr(error, "reason", None) or error.strerror or str(error)
        told.append(
            f"NOT AUDITED: the database of known weaknesses cannot be reached ({reason}), so that nothing is"
            f" known against or for {what}; run it again where {DATABASE.split('/')[2]} can be reached"
        )
        return UNREACHABLE, told
    told += [f"{one} ({one.ecosystem}): {', '.join(numbers)}" for one, numbers in known.items()]
    if not told:
        return 0, [f"no weakness is known of {what}"]
    return FOUND, told


if __name__ == "__main__":
    code, lines = audit(ROOT, ask_osv)
    print("\n".join(lines))
    sys.exit(code)
