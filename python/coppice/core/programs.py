"""What another program says of itself: the name and the version that a GTP engine answers."""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator

__all__ = ["name_and_version"]

_QUESTIONS = b"name\nversion\n"
_MOST_BYTES = 1 << 16
"""A program that says more has not understood the questions."""


def name_and_version(command: str, seconds: float) -> str:
    """What a program answers to `name` and `version`, in one line; empty if it answers neither in time."""
    try:
        process = subprocess.Popen(
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError):
        # Whoever plays with it is told what is wrong.
        return ""
    try:
        return " ".join(_answers(process, time.monotonic() + seconds))
    finally:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        process.wait()


def _answers(process: subprocess.Popen[bytes], until: float) -> Iterator[str]:
    """What the first two answers say; those that refuse say nothing."""
    assert process.stdin is not None, "it is a pipe"
    assert process.stdout is not None, "it is a pipe"
    try:
        process.stdin.write(_QUESTIONS)
        process.stdin.flush()
    except OSError:
        return
    heard, told = b"", 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while told < 2 and len(heard) < _MOST_BYTES and selector.select(max(0.0, until - time.monotonic())):
            more = os.read(process.stdout.fileno(), 4096)
            if not more:
                return
            heard = (heard + more).replace(b"\r", b"")
            while told < 2 and (end := heard.find(b"\n\n")) >= 0:
                answer, heard = heard[:end].decode(errors="replace").strip(), heard[end + 2 :]
                # A banner may come before the first answer.
                lines = answer.splitlines()
                begins = [line for line in lines if line.startswith(("=", "?"))]
                if begins:
                    told += 1
                    if begins[0].startswith("="):
                        yield begins[0][1:].strip()
