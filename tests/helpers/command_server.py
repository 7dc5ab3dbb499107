"""A process that has read the modules of the command line and answers each command in a fork of itself.

To read them takes ten times as long as most commands. `command.run` starts it with a socket as its first
argument and sends what a command needs: arguments, folder, environment, and the three files.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import sys
import threading
import traceback
from typing import Any, NoReturn

import coppice.cli


def answer(asked: dict[str, Any], files: list[int]) -> NoReturn:
    """Is the command, from its arguments to its exit code."""
    code = 1
    try:
        for at, file in enumerate(files):
            os.dup2(file, at)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(asked["cwd"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        sys.argv = asked["arguments"]
        coppice.cli.main()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        # As an interpreter ends: threads first, then what waits for the end, then the files.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def main() -> None:
    """Answers until nobody is there to ask."""
    with socket.socket(fileno=int(sys.argv[1])) as client:
        while True:
            text, files, _, _ = socket.recv_fds(client, 1 << 20, 3)
            if not text:
                return
            child = os.fork()
            if child == 0:
                client.close()
                answer(json.loads(text), list(files))
            for file in files:
                os.close(file)
            client.send(b"%d" % child)
            _, status = os.waitpid(child, 0)
            client.send(b"%d" % os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
