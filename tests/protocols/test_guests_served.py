"""Tests of what the other end of GTP and of JSON lines may name: Coppice's own parts, and guests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from canary import REFUSED, Canary
from command import run

from coppice.core.guests import Guests
from coppice.protocols.analysis_lines import answer
from coppice.protocols.gtp import Server


@pytest.fixture
def canary(tmp_path: Path) -> Canary:
    return Canary.in_folder(tmp_path)


def request(**what: object) -> str:
    return json.dumps({"game": "tic_tac_toe", "limit": {"simulations": 2}} | what)


def test_a_line_of_gtp_names_no_program(canary: Canary) -> None:
    server = Server("tic_tac_toe", "uct(simulations=2)")
    assert REFUSED in server.respond(f"params {canary.program}")
    assert REFUSED in server.respond(f"params playout={canary.game}")
    assert server.respond("params simulations=3").startswith("= mcts(")
    assert "unknown player 'uctt' (did you mean 'uct'?)" in server.respond("params uctt")
    assert canary.lives


def test_a_line_of_gtp_may_change_what_the_operator_named(canary: Canary) -> None:
    weights = canary.file.with_name("w.json")
    weights.write_text('{"classes": []}', encoding="utf-8")
    spec = f'mcts(playout=patterns("{weights}"), simulations=2)'
    guests = Guests([spec])
    assert guests.admit(spec) == spec
    server = Server("tic_tac_toe", "uct(simulations=2)", guests=[canary.program])
    # A guest is let in; that it is no player of GTP is found out when it is started.
    assert REFUSED not in server.respond(f"params {canary.program}")


def test_a_json_line_names_no_game_and_no_program(canary: Canary) -> None:
    for line in (request(game=canary.game), request(player=canary.program)):
        found = answer(7, line)
        assert REFUSED in found["error"]
        assert found["line"] == 7
    assert canary.lives
    found = answer(1, request(game=canary.game, player="random"), Guests([canary.game]))
    assert found["game"].startswith("python(")
    assert not canary.lives


def test_the_command_line_says_which_guests_requests_may_name(canary: Canary) -> None:
    line = request(game=canary.game, player="random") + "\n"
    command = [sys.executable, "-m", "coppice", "analyse", "--json"]
    for guests, marked in (([], False), (["--guest", canary.game], True)):
        done = subprocess.run([*command, *guests], input=line, capture_output=True, text=True, check=True)
        assert (REFUSED in done.stdout) is not marked
        assert canary.lives is not marked
    done = run("analyse", "tic_tac_toe", "--guest", canary.game)
    assert done.returncode == 2
    assert "--guest is for requests with --json: what the command line itself names may be run" in done.stderr
