"""Whether a test notices a fault: those that reach it are asked, nearest first; a failure is tried again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .faults import Fault
from .reach import FailsWithoutFault, Reach
from .runs import Copy

NOTICED = ("failed", "timeout", "import", "crash")
"""A test fails or takes too long, a module cannot be imported, the process dies."""
UNNOTICED = ("survived", "unreached")
"""All tests that reach the fault pass; no test reaches it."""
UNVIABLE = "unviable"
"""The compiler refuses the fault, and nothing is learnt."""
ATTEMPTS = 3


@dataclass(frozen=True)
class Verdict:
    """What became of a fault."""

    outcome: str
    by: str
    """The test that noticed it, or how many did not."""
    seconds: float


def limit(seconds: float) -> float:
    """How long a test may take, by what it took without a fault: a busy machine must not look like one."""
    return 30 + 10 * seconds


def _in_time(fault: Fault, copy: Copy, test: str, seconds: float) -> bool:
    """Whether a test that was too slow is not, now that it is known how slow the machine is."""
    copy.put_in(fault)
    run = copy.tests({test: seconds})
    copy.take_out()
    return run.how == "passed"


def judge(
    fault: Fault, reach: Reach, tell: Callable[[str], None], *, near_only: bool = False
) -> Verdict | None:
    """Asks the tests about a fault, those near it first; the first that notices it ends the matter.

    Nothing is known of a fault that only near tests have been asked about and that none of them notices.
    """
    copy = reach.copy
    spent, passed = 0.0, 0
    unsteady: set[str] = set()
    for files in (*reach.stages(fault), [] if near_only else reach.far(fault)):
        asked = {test: limit(seconds) for test, seconds in reach.asked(fault, files).items()}
        while asked:
            copy.put_in(fault)
            run = copy.tests(asked)
            spent += run.seconds
            if run.how == "passed":
                passed += len(asked)
                break
            copy.take_out()
            if run.how == "import":
                return Verdict(run.how, run.by, spent)
            if run.by not in asked:
                raise RuntimeError(f"{run.how} by {run.by or 'no test'}:\n{run.output[-3000:]}")
            # What fails without the fault, too, has noticed nothing.
            alone = copy.tests({run.by: asked[run.by]})
            spent += alone.seconds
            if alone.how == "passed":
                if run.how != "timeout" or not _in_time(fault, copy, run.by, limit(alone.seconds)):
                    return Verdict(run.how, run.by, spent)
                del asked[run.by]
                passed += 1
                continue
            unsteady.add(run.by)
            tell(f"{run.by}: {alone.how} without the fault, too")
            if len(unsteady) == ATTEMPTS:
                raise FailsWithoutFault(f"fail without a fault: {', '.join(sorted(unsteady))}")
            asked = {test: seconds for test, seconds in asked.items() if test not in unsteady}
    copy.take_out()
    if near_only:
        return None
    return Verdict("survived" if passed else "unreached", f"{passed} tests" if passed else "", spent)
