"""The command `coppice`: as a person starts it, or from a process that is ready; what it keeps."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import BinaryIO

from patience import wait_for

from coppice.lab.store import Store, StoreError

COPPICE = [str(Path(sys.executable).parent / "coppice")]
PATIENCE = 120.0
"""Seconds that a command may take."""


class Answers:
    """The process that answers commands."""

    def __init__(self) -> None:
        self.started_with = _for_python()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        server = str(Path(__file__).with_name("command_server.py"))
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, server, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.socket = ours
        atexit.register(self.close)

    def close(self) -> None:
        """Lets it go."""
        self.socket.close()
        self.process.wait()

    def run(self, command: list[str], cwd: Path | None, text: str) -> subprocess.CompletedProcess[str]:
        """What a command answers."""
        asked = {"arguments": command, "cwd": str(cwd or Path.cwd()), "environment": dict(os.environ)}
        with contextlib.ExitStack() as stack:
            read, out, wrong = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            read.write(text.encode())
            read.seek(0)
            files = [read.fileno(), out.fileno(), wrong.fileno()]
            socket.send_fds(self.socket, [json.dumps(asked).encode()], files)
            child = int(self.socket.recv(32))
            self.socket.settimeout(PATIENCE)
            try:
                code = int(self.socket.recv(32))
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                self.socket.settimeout(None)
                self.socket.recv(32)
                raise subprocess.TimeoutExpired(command, PATIENCE) from None
            self.socket.settimeout(None)
            return subprocess.CompletedProcess(command, code, _text(out), _text(wrong))


def _text(file: BinaryIO) -> str:
    """All that was written to a file."""
    file.seek(0)
    return file.read().decode()


def _for_python() -> dict[str, str]:
    """The part of the environment that a Python reads when it starts."""
    return {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}


@cache
def _answers() -> Answers:
    return Answers()


def run(*arguments: str, cwd: Path | None = None, text: str = "") -> subprocess.CompletedProcess[str]:
    """What a command answers; `text` is what it reads."""
    if _for_python() != _answers().started_with:
        return run_alone(*arguments, cwd=cwd, text=text)
    return _answers().run([*COPPICE, *arguments], cwd, text)


def run_alone(*arguments: str, cwd: Path | None = None, text: str = "") -> subprocess.CompletedProcess[str]:
    """What a command answers that is started as a person starts it."""
    return subprocess.run(
        [*COPPICE, *arguments], capture_output=True, text=True, cwd=cwd, input=text, timeout=PATIENCE
    )


def games_in(store: Path) -> int:
    """How many games a store keeps just now; none while a command is only about to make it."""
    with contextlib.suppress(StoreError), Store(store, read_only=True) as kept:
        return sum(match.games for match in kept.matches())
    return 0


def wait_for_games(store: Path, most: int = 0) -> int:
    """Waits until a store keeps more games than these, and says how many."""
    wait_for(lambda: games_in(store) > most)
    return games_in(store)
