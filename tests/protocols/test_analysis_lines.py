"""Analysis as a service: one answer for every line, with its id, whatever the line is."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import coppice
from coppice.protocols.analysis_lines import KEYS, analyse, answer, serve

COPPICE = Path(sys.executable).parent / "coppice"


def request(**more: Any) -> dict[str, Any]:
    return {"id": 7, "game": "tic_tac_toe", "player": "uct(simulations=200)", **more}


def test_an_answer_is_the_report() -> None:
    given = request(moves=["a1", "a2", "b1", "b2"], seed=3)
    found = answer(1, json.dumps(given))
    state = coppice.game("tic_tac_toe").start().play("a1", "a2", "b1", "b2")
    report = coppice.player("uct(simulations=200)").search(state, seed=3)
    assert (found["id"], found["best"], found["side"]) == (7, "c1", "first")
    assert found["game"] == coppice.game("tic_tac_toe").spec
    assert found["simulations"] == 200
    assert [(move["name"], move["visits"]) for move in found["moves"]] == [
        (m.name, m.visits) for m in report.moves
    ]
    json.dumps(found)


def test_the_ways_to_name_a_position() -> None:
    names = [["b2", "a1"], "b2 a1", "b2,a1", " b2 , a1 "]
    assert len({analyse(request(moves=moves))["best"] for moves in names}) == 1
    state = coppice.game("tic_tac_toe").start().play("b2", "a1")
    by_text = analyse(request(position=state.text()))
    assert by_text["side"] == "first"
    assert by_text["simulations"] == 200
    assert analyse(request(limit={"simulations": 5}))["simulations"] == 5


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "not JSON: Expecting value"),
        ('{"id": 1', "not JSON: "),
        ("[" * 5000, "not JSON: "),
        ("17", '17 is not a request: {"id": 1, "game": "havannah(size=6)"}'),
        ('{"gmae": "havannah"}', f"unknown key 'gmae': {', '.join(KEYS)}"),
        ("{}", "there is no game: "),
        ('{"game": 3}', "game 3 is not a text"),
        ('{"game": "havanah"}', "unknown game 'havanah' (did you mean 'havannah'?)"),
        ('{"game": "tic_tac_toe", "player": "uctt"}', "unknown player 'uctt' (did you mean 'uct'?)"),
        ('{"game": "tic_tac_toe", "moves": "a1 a1"}', "illegal move 'a1': legal are"),
        ('{"game": "tic_tac_toe", "moves": [1]}', "moves [1] is neither a list of names nor a text of them"),
        (
            '{"game": "tic_tac_toe", "moves": "a1 a2 b1 b2 c1"}',
            "there is nothing to search: the game is over",
        ),
        ('{"game": "tic_tac_toe", "limit": 5}', 'limit 5 is not of the form {"simulations": 1000}'),
        (
            '{"game": "tic_tac_toe", "limit": {"moves": 5}}',
            "unknown limit 'moves': simulations, states, seconds",
        ),
        (
            '{"game": "tic_tac_toe", "limit": {"simulations": 1.5}}',
            "limit simulations 1.5 is not a whole number above 0",
        ),
        ('{"game": "tic_tac_toe", "limit": {"seconds": -1}}', "limit seconds -1 is not a number above 0"),
        ('{"game": "tic_tac_toe", "limit": {"seconds": true}}', "limit seconds true is not a number above 0"),
        ('{"game": "tic_tac_toe", "seed": -1}', "seed -1 is not a whole number from 0 to 2^63 - 1"),
        ('{"game": "tic_tac_toe", "position": "here"}', ""),
        ('"' + "x" * 70000 + '"', "the line is too long: at most 65536 characters"),
    ],
)
def test_what_is_wrong_is_told_with_the_line(line: str, message: str) -> None:
    found = answer(12, line)
    assert found["line"] == 12
    assert found["error"].startswith(message)
    assert "\n" not in found["error"]
    assert set(found) == {"id", "line", "error"}


def test_an_error_has_the_id() -> None:
    assert answer(1, '{"id": "mine", "game": "x"}')["id"] == "mine"


def test_answers_come_in_order_of_completion() -> None:
    slow = json.dumps(request(id="slow", player="uct", limit={"seconds": 1}))
    quick = [json.dumps(request(id=number)) for number in range(20)]
    written: list[str] = []
    serve([slow, "", *quick, "  "], written.append, threads=2)
    answers = [json.loads(line) for line in written]
    assert sorted(a["id"] for a in answers if a["id"] != "slow") == list(range(20))
    assert answers[-1]["id"] == "slow"
    assert all(line.endswith("}\n") and line.count("\n") == 1 for line in written)


def test_nothing_is_read_before_somebody_is_free() -> None:
    taken = 0

    def lines() -> Any:
        nonlocal taken
        for _ in range(50):
            taken += 1
            yield json.dumps(request())

    ahead = []
    serve(lines(), lambda text: ahead.append(taken), threads=2)
    assert len(ahead) == 50
    assert all(taken - number <= 4 for number, taken in enumerate(ahead))


def test_an_error_while_writing_ends_the_service() -> None:
    def write(text: str) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        serve((json.dumps(request()) for _ in range(100)), write, threads=3)
    assert threading.active_count() < 20


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COPPICE, "analyse", *arguments], input=text, capture_output=True, text=True, timeout=120
    )


def test_the_command() -> None:
    text = "\n".join([json.dumps(request(id=1)), "{", json.dumps(request(id=2, moves="b2"))])
    done = run("--json", "--threads", "2", text=text)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert {a["id"] for a in answers} == {1, 2, None}
    assert len(answers) == 3
    assert run("--json").stdout == ""
    shown = run("tic_tac_toe", "a1", "a2", "b1", "b2", "--simulations", "100")
    assert shown.returncode == 0
    assert "c1" in shown.stdout


def test_answers_are_written_as_people_write() -> None:
    written: list[str] = []
    serve([json.dumps(request(id="Zug für Zug", limit={"simulations": 1}))], written.append, 1)
    assert '"Zug für Zug"' in written[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a game, e.g. coppice analyse"),
        (["tic_tac_toe", "--json"], "--json reads its requests from stdin: give no game"),
        (["tic_tac_toe", "z9"], "illegal move 'z9'"),
    ],
)
def test_the_command_refuses_in_one_line(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_service_can_be_interrupted() -> None:
    with subprocess.Popen(
        [COPPICE, "analyse", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as service:
        assert service.stdin
        assert service.stdout
        assert service.stderr
        service.stdin.write(
            json.dumps(request(id=1)) + "\n" + json.dumps(request(limit={"seconds": 1000})) + "\n"
        )
        service.stdin.flush()
        assert json.loads(service.stdout.readline())["id"] == 1
        service.send_signal(signal.SIGINT)
        assert service.wait(30) == 130
        assert service.stderr.read() == "coppice: interrupted\n"
