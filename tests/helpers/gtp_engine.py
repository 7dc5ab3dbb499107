"""A GTP program for tests: plays tic-tac-toe as well as `random` does, and misbehaves on demand.

`gtp_engine.py [--seed N] [--fault NAME[@N]]...`: the fault happens at the Nth genmove, the first if N is not
given. Nothing of Coppice is imported, so that it starts in no time and shares no bug.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time

CELLS = [column + row for row in "123" for column in "abc"]
LINES = ["a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3", "a1 b2 c3", "a3 b2 c1"]


def say(text: str, end: str = "\n\n") -> None:
    sys.stdout.write(text + end)
    sys.stdout.flush()


class Engine:
    def __init__(self, seed: int | None, faults: list[str]) -> None:
        self.rng = random.Random(seed)
        pairs = ((fault + "@1").split("@")[:2] for fault in faults)
        self.faults = {number: name for name, number in pairs}
        self.always = set(self.faults.values())
        self.moves: dict[str, str] = {}
        self.asked = 0

    def answer(self, line: str) -> None:
        name, *words = line.split()
        if name == "quit":
            if "stubborn" not in self.always:
                say("=")
                raise SystemExit
            say("? I stay")
        elif name == "boardsize":
            if "nosize" in self.always:
                say("? unknown command")
            elif "badsize" in self.always or words != ["3"]:
                say("? unacceptable size")
            else:
                say("=")
        elif name == "clear_board":
            if "deadborn" in self.always:
                sys.exit(5)
            self.moves = {}
            say("=")
        elif name in ("time_settings", "time_left", "setup"):
            print(line, file=sys.stderr, flush=True)
            say("=")
        elif name == "play":
            if words[1] in self.moves or "forgetful" in self.always:
                say("? illegal move")
            else:
                self.moves[words[1]] = words[0]
                say("=")
        elif name == "genmove":
            self.asked += 1
            fault = self.faults.get(str(self.asked))
            if fault is None or not self.misbehave(fault):
                self.genmove(words[0])
        else:
            say("? unknown command")

    def genmove(self, colour: str) -> None:
        cell = self.rng.choice([cell for cell in CELLS if cell not in self.moves])
        self.moves[cell] = colour
        say(f"= {cell.upper()}")

    def misbehave(self, fault: str) -> bool:
        """Whether the answer is given, or will never be."""
        if fault == "crash":
            print("I fell over", file=sys.stderr, flush=True)
            os._exit(3)
        elif fault == "abort":
            os.kill(os.getpid(), signal.SIGABRT)
        elif fault == "leave":
            os._exit(0)
        elif fault == "hang":
            time.sleep(1000)
        elif fault == "slow":
            time.sleep(0.3)
            return False
        elif fault == "illegal":
            say("= z9")
        elif fault == "occupied":
            say(f"= {next(iter(self.moves), 'z9')}")
        elif fault == "empty":
            say("=")
        elif fault == "refuse":
            say("? I would rather not")
        elif fault == "resign":
            say("= resign")
        elif fault == "garbage":
            say("\x00\x1b[31m hello \xff world")
        elif fault == "binary":
            sys.stdout.buffer.write(b"= \xff\xfe\x80\n\n")
            sys.stdout.flush()
        elif fault == "unended":
            say("= a1", end="\n")
        elif fault == "flood":
            while True:
                say("= and another thing", end="\n")
        elif fault == "line":
            while True:
                say("and another thing", end="")
        elif fault == "banner":
            say("warning: this is a test\n", end="")
            return False
        elif fault == "close":
            os.close(1)
            time.sleep(1000)
        elif fault == "family":
            child = subprocess.Popen(["sleep", "1000"])
            print("family", child.pid, file=sys.stderr, flush=True)
            os._exit(4)
        else:
            return False
        return True


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int)
    parser.add_argument("--fault", action="append", default=[])
    options = parser.parse_args()
    engine = Engine(options.seed, options.fault)
    print("process", os.getpid(), file=sys.stderr, flush=True)
    if "stubborn" in engine.always:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        if line.strip():
            engine.answer(line)
    while "stubborn" in engine.always:
        time.sleep(1)


if __name__ == "__main__":
    main()
