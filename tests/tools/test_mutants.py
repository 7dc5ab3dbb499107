"""Mutation testing: which faults there are, which are drawn, what becomes of each in a tiny project."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import mutants
import pytest
from mutation import judge as judging
from mutation.faults import Fault, in_order
from mutation.judge import Verdict, judge
from mutation.ledger import HISTORY, Line, read_lines, read_reasons, report, write_lines
from mutation.python_faults import makes_a_program, python_faults
from mutation.reach import FailsWithoutFault, Project, Reach
from mutation.runs import Copy, RunResult, verdict

ROOT = Path(__file__).parent.parent.parent
BARS = {"shop": 0.85}

TILL = '''"""A till."""

from threading import Event


def change(paid, price):
    return paid - price


def rounded(paid):
    return paid + 5


def forgotten(paid):
    return paid * 3


def serve(bell):
    bell.set()
    bell.wait()
    return True


RATES = {"low": 7}
'''
TESTS = '''"""Tests of the till."""

from threading import Event

import pytest
from tiny.shop.till import RATES, change, rounded, serve


def test_change():
    assert change(5, 2) == 3


def test_rounded():
    assert rounded(4) is not None


def test_serve():
    assert serve(Event())


def test_a_rate():
    assert sorted(RATES) == ["low"]
'''


def changes(source: str) -> set[str]:
    """What can be put into a piece of code, as `operator: before → after`."""
    found = python_faults("some.py", source.encode())
    for fault in found:
        assert makes_a_program(fault, source.encode()), fault
    return {f"{fault.operator}: {fault.change}" for fault in found}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(a, b):\n    a(a < b)", {"statement deleted: a(a < b) → pass", "comparison: < → <="}),
        ("def f(a, b):\n    x = a  not   in (b)", {"comparison: not in → in"}),
        ("def f(a, b):\n    x = (a) is (b)", {"comparison: is → is not"}),
        ("def f(a, b):\n    x = a + -b", {"arithmetic: + → -", "arithmetic: -b → (b)"}),
        (
            "def f(a):\n    a //= 2",
            {"statement deleted: a //= 2 → pass", "arithmetic: //= → *=", "constant: 2 → 3"},
        ),
        ("def f(a, b, c):\n    x = a and b and not c", {"logic: and → or", "logic: not c → (c)"}),
        (
            "def f(a):\n    x = True, 0.5, 0.0",
            {"constant: True → False", "constant: 0.5 → 1.0", "constant: 0.0 → 1.0"},
        ),
        ("def f(a):\n    x = a or 'first'", {"logic: or → and", "constant: 'first' → \"second\""}),
        ("def f(a):\n    return a", {"returned value: a → None"}),
        ("def f(a, b=3, *, c=False):\n    x = a", {"default: 3 → 4", "default: False → True"}),
        ("def f(a):\n    if a:\n        x = a", {"condition: a → True", "condition: a → False"}),
        (
            "def f(a):\n    while a:\n        continue",
            {"condition: a → False", "statement deleted: continue → pass"},
        ),
        ("def f(a):\n    x = [b for b in a if b]", {"condition: b → True"}),
        ("def f(a):\n    x = min(a)", {"function: min → max"}),
        (
            "def f(a):\n    x = a(b=a, c=a)",
            {"argument dropped: b=a, → (nothing)", "argument dropped: c=a → (nothing)"},
        ),
        ("def f(a):\n    raise a", {"statement deleted: raise a → pass"}),
        ("class A:\n    x: int = 3", {"constant: 3 → 4"}),
        ("def f(a):\n    é = 'é' * a", set()),
        ("def f(a):\n    é = 'é', 3", {"constant: 3 → 4"}),
    ],
)
def test_what_can_be_put_into_a_piece_of_code(source: str, expected: set[str]) -> None:
    assert changes(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""Text 3."""\n\n\ndef f():\n    """Text."""',
        "__all__ = ['first']",
        "def f(a: int | None = None) -> int | str:\n    x: list[int | str]",
        "import typing\nif typing.TYPE_CHECKING:\n    X = 3",
        "if __name__ == '__main__':\n    f(3)",
        "def f(a):\n    _log.info('a', 3)\n    logging.warning('b', 3)",
        "def f(a):\n    assert a > 3",
        "def f(a):\n    x = f'{a + 3}'",
        "@dataclass(slots=True)\nclass A:\n    x: int",
        "Side = Literal['first', 'second']\nMove = int | str",
        "def f(a):\n    x = open(a, encoding='utf-8'), zip(a, a, strict=True)",
        "def f(a):\n    x = isinstance(a, int | str)",
    ],
)
def test_what_nobody_can_notice_is_not_put_in(source: str) -> None:
    ast.parse(source)
    assert changes(source) == set()


def test_a_fault_replaces_its_own_bytes_and_refuses_another_file() -> None:
    source = "def f(a):\n    é = a\n    return 'é' or a + 1\n".encode()
    plus = next(fault for fault in python_faults("x.py", source) if fault.before == "+")
    assert plus.applied(source).decode() == "def f(a):\n    é = a\n    return 'é' or a - 1\n"
    assert (plus.line, plus.unit) == (3, "f()")
    with pytest.raises(ValueError, match=f"x.py is not the file that fault {plus.key} was found in"):
        plus.applied(source.replace(b"+", b"*"))


def test_a_fault_is_known_again_until_its_function_changes() -> None:
    def keys(source: str) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for fault in python_faults("x.py", source.encode()):
            found.setdefault(fault.unit, set()).add(fault.key)
        return found

    before = keys("def f(a):\n    return a + 1\n\n\ndef g(a):\n    return a + 1\n")
    after = keys("B = 7\n\n\ndef f(a):\n    return a + 1\n\n\ndef g(a):\n    return a + 2\n")
    assert before["f()"] == after["f()"]
    assert not before["g()"] & after["g()"]
    assert len(before["f()"] | before["g()"]) == 6


@pytest.fixture
def tiny(tmp_path: Path) -> Project:
    """A project of one room with one module and its tests."""
    files = {
        "python/tiny/__init__.py": "",
        "python/tiny/shop/__init__.py": "",
        "python/tiny/shop/till.py": TILL,
        "tests/shop/test_till.py": TESTS,
    }
    for name, text in files.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Project(tmp_path / "project", "python/tiny", {"shop": set()})


@pytest.fixture
def reach(tiny: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reach]:
    """What the tests of the tiny project reach."""
    # They need none of the plugins that this environment has, which take a second to load.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "pytest_timeout")
    with Copy(tiny.root, tiny.package) as copy:
        yield Reach(tiny, copy, tmp_path / "kept", (), print)


def fault(tiny: Project, unit: str, before: str) -> Fault:
    """The fault of the tiny project that replaces a piece of a function, or deletes it."""
    found = [one for one in mutants.faults_of(tiny, "shop") if (one.unit, one.before) == (unit, before)]
    assert found, (unit, before)
    return found[0]


def test_the_nearest_files_are_asked_before_others_are_even_watched(tiny: Project, tmp_path: Path) -> None:
    more = {
        "tests/shop/test_sign.py": "def test_sign():\n    pass\n",
        "tests/street/test_walk.py": "from tiny.shop.till import change\n",
        "tests/street/test_lamp.py": "def test_lamp():\n    pass\n",
    }
    for name, text in more.items():
        path = tiny.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    project = replace(tiny, rooms={"shop": set(), "street": {"shop"}})
    found = fault(project, "change()", "-")
    with Copy(project.root, project.package) as copy:
        reach = Reach(project, copy, tmp_path / "kept", (), print)
        stages = [["tests/shop/test_till.py"], ["tests/shop/test_sign.py"], ["tests/street/test_walk.py"]]
        assert reach.stages(found) == stages
        assert reach.far(found) == ["tests/street/test_lamp.py"]
        verdict = judge(found, reach, print)
    assert verdict is not None
    assert verdict.outcome == "failed"
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["tests.shop.test_till.py.json"]


def test_what_is_put_in_or_taken_out_is_younger_than_all_that_was_built_before(tiny: Project) -> None:
    found = fault(tiny, "change()", "-")
    with Copy(tiny.root, tiny.package) as copy:
        path, built = copy.folder / found.file, copy.folder / "built"
        steps: tuple[Callable[[], None], ...] = (functools.partial(copy.put_in, found), copy.take_out)
        for step in steps:
            built.touch()
            before = path.stat()
            step()
            assert path.stat().st_mtime > built.stat().st_mtime
            # Python's compiled modules know whole seconds.
            assert int(path.stat().st_mtime) > int(before.st_mtime)


def test_a_module_of_values_alone_is_asked_of_the_test_that_had_it_imported(
    tiny: Project, reach: Reach, tmp_path: Path
) -> None:
    test = "tests/shop/test_price.py"
    files = {
        "python/tiny/shop/price.py": "BREAD = 7\n",
        test: (
            "import importlib\n\n\ndef test_bread():\n"
            "    assert importlib.import_module('tiny.shop.' + 'price').BREAD == 7\n\n\n"
            "def test_nothing():\n    pass\n"
        ),
    }
    for name, text in files.items():
        (tiny.root / name).write_text(text, encoding="utf-8")
        reach.copy.refresh(name)
    source = files["python/tiny/shop/price.py"].encode()
    [found] = [one for one in python_faults("python/tiny/shop/price.py", source) if one.before == "7"]
    again = Reach(tiny, reach.copy, tmp_path / "kept", (), print)
    assert list(again.asked(found, [test])) == [f"{test}::test_bread"]


def test_what_becomes_of_faults(tiny: Project, reach: Reach) -> None:
    # One watched run serves all of these.
    def outcome(unit: str, before: str) -> tuple[str, str]:
        found = judge(fault(tiny, unit, before), reach, print)
        assert found is not None
        return found.outcome, found.by

    test = "tests/shop/test_till.py"
    assert outcome("change()", "-") == ("failed", f"{test}::test_change")
    assert outcome("rounded()", "+") == ("survived", "1 tests")
    assert outcome("rounded()", "paid + 5") == ("failed", f"{test}::test_rounded")
    assert outcome("forgotten()", "*") == ("unreached", "")
    assert judge(fault(tiny, "rounded()", "+"), reach, print, near_only=True) is None
    # What runs at import is asked of all tests that import the module.
    assert outcome("<module>", "7") == ("survived", "4 tests")
    # The working tree has seen none of it, and the copy is clean.
    assert (tiny.root / "python/tiny/shop/till.py").read_text() == TILL
    assert (reach.copy.folder / "python/tiny/shop/till.py").read_text() == TILL


def test_a_fault_that_waits_for_ever_is_noticed(
    tiny: Project, reach: Reach, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The bell never rings. Three seconds are the test's own, for a busy machine.
    monkeypatch.setattr(judging, "limit", lambda seconds: 3.0)
    found = judge(fault(tiny, "serve()", "bell.set()"), reach, print)
    assert found is not None
    assert (found.outcome, found.by) == ("timeout", "tests/shop/test_till.py::test_serve")


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        # Too slow, quick without the fault, and too slow once more.
        ([("timeout", "a"), ("passed", ""), ("timeout", "a")], ("timeout", "a")),
        # Not too slow any more: the machine was. The other test is still asked.
        (
            [("timeout", "a"), ("passed", ""), ("passed", ""), ("failed", "b"), ("passed", "")],
            ("failed", "b"),
        ),
        ([("timeout", "a"), ("passed", ""), ("passed", ""), ("passed", "")], ("survived", "2 tests")),
        # Fails without the fault, too.
        ([("failed", "a"), ("failed", "a"), ("passed", "")], ("survived", "1 tests")),
    ],
)
def test_a_failure_counts_when_it_is_the_fault_s(
    tiny: Project,
    reach: Reach,
    monkeypatch: pytest.MonkeyPatch,
    runs: list[tuple[str, str]],
    expected: tuple[str, str],
) -> None:
    monkeypatch.setattr(reach, "asked", lambda fault, files: dict.fromkeys("ab" if files else "", 1.0))
    left = iter(runs)
    monkeypatch.setattr(reach.copy, "tests", lambda asked: RunResult(*next(left), 1.0, ""))
    found = judge(fault(tiny, "change()", "-"), reach, print)
    assert found is not None
    assert (found.outcome, found.by) == expected
    assert list(left) == []


def test_tests_that_fail_without_a_fault_are_an_error(
    tiny: Project, reach: Reach, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "asked", lambda fault, files: dict.fromkeys("abcd", 1.0))
    monkeypatch.setattr(reach.copy, "tests", lambda asked: RunResult("failed", next(iter(asked)), 1.0, ""))
    with pytest.raises(FailsWithoutFault, match=r"fail without a fault: a, b, c$"):
        judge(fault(tiny, "change()", "-"), reach, print)


def test_a_fault_that_breaks_the_import_is_noticed_and_told_apart(tiny: Project, reach: Reach) -> None:
    path = tiny.root / "python/tiny/shop/till.py"
    path.write_text(TILL + "\nTAX = RATES['low'] / 7\nassert TAX == 1\n")
    reach.copy.refresh("python/tiny/shop/till.py")
    found = judge(fault(tiny, "<module>", "/"), reach, print)
    assert found is not None
    assert found.outcome == "import"


def test_a_test_that_fails_without_a_fault_is_an_error(tiny: Project, reach: Reach, tmp_path: Path) -> None:
    path = tiny.root / "tests/shop/test_till.py"
    path.write_text(TESTS + "\n\ndef test_wrong():\n    assert change(1, 1) == 7\n")
    reach.copy.refresh("tests/shop/test_till.py")
    wrong = "tests/shop/test_till.py::test_wrong"
    with pytest.raises(FailsWithoutFault, match=f"{wrong} fails without a fault"):
        judge(fault(tiny, "change()", "-"), reach, print)
    # It can be left out.
    others = Reach(tiny, reach.copy, tmp_path / "kept", ("test_wrong",), print)
    found = judge(fault(tiny, "change()", "-"), others, print)
    assert found is not None
    assert found.outcome == "failed"
    assert wrong not in others.record("tests/shop/test_till.py").seconds


@pytest.mark.parametrize(
    ("code", "events", "output", "expected"),
    [
        (0, ["start\ta", "call\ta\tpassed\t1"], "", ("passed", "")),
        (1, ["start\ta", "call\ta\tpassed\t1", "start\tb", "call\tb\tfailed\t1"], "", ("failed", "b")),
        (1, ["start\ta"], "+++ Timeout +++", ("timeout", "a")),
        (None, ["start\ta", "call\ta\tpassed\t1", "start\tb"], "", ("timeout", "b")),
        (2, ["unread\ttest_a.py"], "", ("import", "test_a.py")),
        (4, [], "ImportError while loading conftest", ("import", "conftest.py")),
        (5, ["kept\t0"], "", ("import", "no test is named as before")),
        (-11, ["start\ta"], "", ("crash", "a")),
    ],
)
def test_how_a_run_ended(code: int | None, events: list[str], output: str, expected: tuple[str, str]) -> None:
    assert verdict(code, events, output) == expected


def test_a_run_that_says_nothing_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="pytest ended with exit code 3:\nINTERNALERROR"):
        verdict(3, [], "INTERNALERROR")


def test_the_order_depends_on_the_seed_and_each_fault_alone(tiny: Project) -> None:
    faults = mutants.faults_of(tiny, "shop")
    orders = [[one.key for one in in_order(faults, seed)] for seed in range(4)]
    assert len({tuple(order) for order in orders}) == 4
    assert orders[1] == [one.key for one in in_order(reversed(faults), 1)]
    # A sample is the beginning of a longer one, and what is added elsewhere moves nothing.
    assert mutants.sample(tiny, "shop", 1, 3) == mutants.sample(tiny, "shop", 1, 6)[:3]
    (tiny.root / "python/tiny/shop/a.py").write_text("def more(a):\n    return a - 1\n")
    known = set(orders[1])
    longer = [one.key for one in in_order(mutants.faults_of(tiny, "shop"), 1)]
    assert len(longer) == len(known) + 3
    assert [key for key in longer if key in known] == orders[1]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The faults that were tried; the first time all survive, later none."""
    tried: list[str] = []

    def judged(fault: Fault, reach: Reach, tell: object, near_only: bool) -> Verdict | None:
        if near_only:
            return None
        tried.append(fault.key)
        outcome = "failed" if tried.count(fault.key) > 1 else "survived"
        return Verdict(outcome, "tests/a.py::b", 1.0)

    monkeypatch.setattr(mutants, "judge", judged)
    return tried


def test_what_is_known_is_not_tried_again(tiny: Project, tmp_path: Path, told: list[str]) -> None:
    results = tmp_path / "results" / "mutants.txt"

    def run(seed: int, number: int, again: bool = False) -> None:
        mutants.run(tiny, "shop", seed, number, results=results, kept=tmp_path / "kept", again=again)

    first = [one.key for one in mutants.sample(tiny, "shop", 1, 4)]
    # What near tests alone do not notice is left.
    mutants.run(tiny, "shop", 1, 2, results=results, kept=tmp_path / "kept", near_only=True)
    assert read_lines(results) == {}
    run(1, 2)
    assert told == first[:2]
    # The same and two more; then nothing; then those that were not noticed.
    run(1, 4)
    assert told == first
    run(1, 4)
    assert told == first
    run(1, 2, again=True)
    assert told == first + first[:2]
    lines = read_lines(results)
    assert [lines[key].first for key in first] == ["survived"] * 4
    assert [lines[key].now for key in first] == ["failed", "failed", "survived", "survived"]
    # Another seed counts what is known, too.
    everything = {one.key for one in mutants.sample(tiny, "shop", 2, 100)}
    run(2, 100)
    assert sorted(told) == sorted([*everything, *first[:2]])
    assert {line.seeds for line in read_lines(results).values()} == {"1,2", "2"}
    # A function that is written anew makes its line history.
    path = tiny.root / "python/tiny/shop/till.py"
    path.write_text(TILL.replace("paid - price", "paid - price - 0"))
    run(1, 0)
    assert {line.unit for line in read_lines(results).values() if line.now == HISTORY} == {"change()"}


def some_line(key: str, **more: str) -> Line:
    line = Line(
        *(key, "shop", "1", "till.py:3", "change()", "arithmetic", "- → +"),
        *("failed", "failed", "tests/a.py::b", "2", "abc1234"),
    )
    return replace(line, **more)


def test_lines_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "mutants.txt"
    lines = {"b": some_line("b", change='"a" → b'), "a": some_line("a", place="till.py:20")}
    write_lines(path, lines.values())
    assert read_lines(path) == lines
    assert [row.split("\t")[0] for row in path.read_text().splitlines()] == ["key", "b", "a"]
    path.write_text(path.read_text() + "a b\n")
    with pytest.raises(ValueError, match=r"mutants.txt line 4: not key, room, seeds, .* divided by tabs"):
        read_lines(path)


def test_reasons_are_read(tmp_path: Path) -> None:
    path = tmp_path / "reasons.txt"
    assert read_reasons(path) == {}
    path.write_text("# Why\n\nabc the same picture\n")
    assert read_reasons(path) == {"abc": "the same picture"}
    for wrong in ("def\n", "abc another\n"):
        path.write_text("abc the same picture\n" + wrong)
        with pytest.raises(ValueError, match=r"reasons.txt line 2: not a key of its own and a reason"):
            read_reasons(path)


def test_the_report_counts_what_was_drawn_and_what_is_noticed_now() -> None:
    lines = {f"n{k}": some_line(f"n{k}") for k in range(17)}
    lines["late"] = some_line("late", first="survived", now="timeout")
    lines["alive"] = some_line("alive", first="survived", now="survived")
    lines["alone"] = some_line("alone", first="unreached", now="unreached", seeds="2")
    lines["old"] = some_line("old", now=HISTORY)
    text = report(lines, {"alive": "a matter of taste"}, {"shop": 0.9, "attic": 0.85})
    rows = [line for line in text.splitlines() if line.startswith("| ")][2:]
    # Wilson's interval of 17 of 19 and of 18 of 19.
    assert rows == [
        "| shop | 1 | 19 | 17: 89 % [69, 97] | 18: 95 % [75, 99] | 90 % | now, not when drawn |",
        "| shop | 2 | 1 | 0: 0 % [0, 79] | 0: 0 % [0, 79] | 90 % | too few faults |",
        "| shop | all | 20 | 17: 85 % [64, 95] | 18: 90 % [70, 97] | 90 % | now, not when drawn |",
        "| attic | | 0 | not measured | not measured | 85 % | not known |",
    ]
    assert "Not counted: 1 in functions written anew since, 0 that do not compile." in text
    assert "17 by a test that fails, 1 because the time\nis out" in text
    survivors = [line for line in text.splitlines() if line.startswith("- ")]
    assert survivors == [
        "- `alive` till.py:3, `change()`, arithmetic: `- → +`: a matter of taste",
        "- `alone` till.py:3, `change()`, arithmetic: `- → +`: no test reaches it; no reason yet",
    ]


def test_the_report_of_the_repository_is_that_of_its_lines() -> None:
    folder = ROOT / "results"
    lines = read_lines(folder / "mutants.txt")
    text = report(lines, read_reasons(folder / "mutants_reasons.txt"), mutants.BARS)
    assert (folder / "mutants.md").read_text(encoding="utf-8") == text, "run tools/mutants.py report"
    assert lines
