"""A disk that can be looked at after every write, lose its power, or be full: see `disk.c`."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

__all__ = ["Op", "after_power_loss", "built", "moments", "needs_a_disk", "operations"]

needs_a_disk = pytest.mark.skipif(
    sys.platform != "linux", reason="the disk is put in front of libc by LD_PRELOAD"
)

_HEAD = struct.Struct("<QQQQ")
_WRITE, _TRUNCATE, _SYNC, _UNLINK = 1, 2, 3, 4
_SECTOR = 512


def built(folder: Path) -> Path:
    """The library that is put in front of libc."""
    library = folder / "disk.so"
    source = Path(__file__).with_name("disk.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


@dataclass(frozen=True)
class Op:
    """What was done to a file."""

    what: int
    name: str
    """The file, without its folder."""
    at: int = 0
    data: bytes = b""

    @property
    def writes(self) -> bool:
        """Whether the file has another content afterwards."""
        return self.what != _SYNC


def operations(log: Path) -> list[Op]:
    """All that was done, in order."""
    raw, at, found = log.read_bytes(), 0, []
    while at < len(raw):
        what, name_size, place, size = _HEAD.unpack_from(raw, at)
        at += _HEAD.size
        name = Path(raw[at : at + name_size].decode()).name
        at += name_size
        found.append(Op(what, name, place, raw[at : at + size]))
        at += size
    return found


def _apply(files: dict[str, bytearray], op: Op, data: bytes) -> None:
    if op.what == _UNLINK:
        files.pop(op.name, None)
        return
    file = files.setdefault(op.name, bytearray())
    if op.what == _TRUNCATE:
        del file[op.at :]
        file.extend(bytes(op.at - len(file)))
    elif op.what == _WRITE:
        file.extend(bytes(max(0, op.at - len(file))))
        file[op.at : op.at + len(data)] = data


def after_power_loss(ops: Sequence[Op], rng: Random | None) -> dict[str, bytes]:
    """The files when the power goes after these operations.

    Without `rng` all of them have reached the disk, as after the death of the process. With it, of what no
    sync has followed each write has reached the disk, or a part of it in whole sectors, or has not; a file
    that was removed stays removed.
    """
    synced: dict[str, int] = {}
    for number, op in enumerate(ops):
        if op.what in (_SYNC, _UNLINK):
            synced[op.name] = number
    files: dict[str, bytearray] = {}
    for number, op in enumerate(ops):
        data = op.data
        if rng is not None and op.what in (_WRITE, _TRUNCATE) and number > synced.get(op.name, -1):
            luck = rng.randrange(3)
            if luck == 0:
                continue
            if luck == 1:
                data = (
                    data[: rng.randrange(len(data) // _SECTOR + 1) * _SECTOR] if op.what == _WRITE else data
                )
        _apply(files, op, data)
    return {name: bytes(content) for name, content in files.items()}


def moments(ops: Sequence[Op]) -> Iterator[int]:
    """How many operations were done at each moment after which the disk has changed."""
    return (number + 1 for number, op in enumerate(ops) if op.writes)
