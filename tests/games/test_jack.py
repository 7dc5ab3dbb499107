"""Mr Jack from Python: who is told what, rule scripts, terminal play."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coppice
from coppice.board.cells import Side
from coppice.cli.play_jack import coloured_map, known_facts
from coppice.papers.cost import decide
from coppice.protocols.analysis_lines import analyse

COPPICE = str(Path(sys.executable).parent / "coppice")
QUICK = coppice.Limit(simulations=40)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COPPICE, *arguments], capture_output=True, text=True, timeout=120)


def played(seed: int, moves: int) -> coppice.State:
    """A game after some moves of a quick player; it may be over."""
    state = coppice.game("mr_jack").start(seed=seed)
    player = coppice.player("jack_v2(simulations=5)")
    while state.outcome is None and len(state.moves) < moves:
        state.play(player.search(state, seed=seed).best)
    return state


def disguised(state: coppice.State, side: Side, seed: int) -> coppice.State:
    """A state that the side to move cannot tell from this one: a world that its own search has sampled."""
    thinking = coppice.player("mcts(playout=decisive)").think(state, seed=seed)
    thinking.keep_log()
    thinking.run(coppice.Limit(simulations=40))
    worlds = [world[0] for world in thinking.worlds() if world]
    kept = [world for world in worlds if state.game.state(world).view(side) == state.view(side)]
    return state.game.state(kept[-1])


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 50), moves=st.integers(0, 20), other=st.integers(0, 1000))
def test_a_side_is_told_nothing_that_it_cannot_see(seed: int, moves: int, other: int) -> None:
    state = played(seed, moves)
    if state.outcome is not None:
        return
    side = state.to_move
    # Both without their past, which names the stream of chance.
    state = state.game.state(state.text(reveal=True))
    twin = disguised(state, side, other)
    assert twin.view(side) == state.view(side)
    assert twin.legal_moves_for(side) == state.legal_moves_for(side)
    for spec in ("jack_v3", "random"):
        player = coppice.player(spec)
        one, two = (player.search(s, QUICK, seed=9) for s in (state, twin))
        assert (one.best, one.moves, one.line, one.states) == (two.best, two.moves, two.line, two.states)
    logs = []
    for position in (state, twin):
        thinking = coppice.player("jack_v3").think(position, seed=4)
        thinking.keep_log()
        thinking.run(QUICK)
        logs.append((thinking.log(), thinking.worlds()))
    assert logs[0] == logs[1]


def test_who_is_not_to_move_is_told_no_moves() -> None:
    state = coppice.game("mr_jack").start(seed=3)
    assert state.to_move == "first"
    assert state.legal_moves_for("first") == state.legal_moves
    assert state.legal_moves_for("second") == []


def test_secrets_stay_inside_until_the_end() -> None:
    state = coppice.game("mr_jack").start(seed=3)
    with pytest.raises(ValueError, match=r"ask for view\(side\), or say reveal=True"):
        state.text()
    jack = state.view("second")["jack"]
    assert "jack" not in state.view("first")
    assert f"jack={jack}" in state.text(reveal=True)
    assert "jack=" not in repr(state)
    over = played(3, 32)
    assert over.outcome is not None
    assert "jack=" in over.text()


def test_what_the_game_makes_of_a_position_is_asked_for_by_name() -> None:
    state = coppice.game("mr_jack").start(seed=1)
    move = next(move for move in state.legal_moves if move.startswith("bert"))
    for ask in (state.estimate, lambda: state.scripted(move)):
        with pytest.raises(ValueError, match="this game has secrets until it is over"):
            ask()
    assert state.estimate(reveal=True) == pytest.approx(0.72)
    [chosen], worth = state.scripted(move, reveal=True)
    assert chosen in state.legal_moves
    assert chosen.split()[0] == "bert"
    assert 0 <= worth <= 1
    # An accusation ends the game: one of eight suspects is Jack.
    accusation = next(move for move in state.legal_moves if "accuse" in move)
    left, worth = state.scripted(accusation, reveal=True)
    assert (accusation in left, worth) == (True, 0.125)
    with pytest.raises(ValueError, match=r"rules: cannot read /nowhere/holmes\.lua"):
        state.scripted(move, rules="/nowhere", reveal=True)


def test_a_game_with_an_evaluation_estimates_and_at_the_end_it_is_the_result() -> None:
    state = coppice.game("breakthrough(rows=5, columns=5)").state("bbbb./bbbbb/w..../wwwww/wwww. first")
    assert state.estimate() == pytest.approx(0.6027, abs=5e-5)
    won = coppice.game("breakthrough(rows=5, columns=5)").state("bbb.w/bbbbb/...../wwwww/wwww. second")
    assert (won.outcome, won.estimate()) == ("first", 1.0)
    misere = coppice.game("misere(breakthrough(rows=5, columns=5))").start()
    assert misere.estimate() is None


def test_other_games_have_no_rule_scripts_and_no_estimate() -> None:
    state = coppice.game("havannah(size=4)").start()
    assert state.estimate() is None
    with pytest.raises(ValueError, match="havannah has no rule scripts: its moves are not made in stages"):
        state.scripted("a1")


def test_the_log_of_the_detective_has_worlds_with_every_suspect() -> None:
    state = coppice.game("mr_jack").start(seed=3)
    thinking = coppice.player("jack_v2").think(state, seed=1)
    thinking.keep_log()
    thinking.run(coppice.Limit(simulations=400))
    counts: dict[str, int] = {}
    for world in thinking.worlds():
        assert world is not None
        text, shared = world
        assert shared
        jack = re.search(r" jack=(\w+)", text)
        assert jack is not None
        counts[jack[1]] = counts.get(jack[1], 0) + 1
    assert len(counts) == 8
    assert all(20 <= count <= 85 for count in counts.values()), counts


def test_half_of_jacks_worlds_are_true() -> None:
    state = coppice.game("mr_jack").start(seed=3)
    state.play(state.legal_moves[0])
    assert state.to_move == "second"
    jack = state.view("second")["jack"]
    thinking = coppice.player("jack_v2").think(state, seed=1)
    thinking.keep_log()
    thinking.run(coppice.Limit(simulations=1000))
    worlds = [world for world in thinking.worlds() if world]
    true = [shared for text, shared in worlds if f" jack={jack} " in text]
    assert 440 <= len(true) <= 560
    # A world with the truth counts for the detective only as often as one with any single decoy.
    assert 40 <= sum(true) <= 105
    assert all(shared for text, shared in worlds if f" jack={jack} " not in text)


def test_rules_are_copied_and_checked(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    made = run("rules", "init", str(folder))
    assert made.returncode == 0, made.stderr
    assert len(list(folder.glob("*.lua"))) == 9
    again = run("rules", "init", str(folder))
    assert again.returncode == 2
    assert "is there already: choose another folder, or say --force" in again.stderr
    assert run("rules", "init", "--force", str(folder)).returncode == 0
    checked = run("rules", "check", "--positions", "100", str(folder))
    assert checked.returncode == 0, checked.stderr
    assert re.search(r"the scripts answered \d+ questions on 100 positions", checked.stdout)

    smith = folder / "smith.lua"
    smith.write_text("return function(turn)\n  return turn.options.best, 1\nend\n", encoding="utf-8")
    broken = run("rules", "check", str(folder))
    assert broken.returncode == 2
    assert "smith.lua:1: answered nil and 1: expected an option from 1 to" in broken.stderr
    match = run(
        "match", "mr_jack", f'jack_v3(candidates=scripted_power(rules="{folder}"))', "random", "--games", "2"
    )
    assert match.returncode == 2
    assert "smith.lua:1: " in match.stderr
    assert "Traceback" not in match.stderr


def test_rules_of_a_folder_change_play(tmp_path: Path) -> None:
    run("rules", "init", str(tmp_path / "mine"))
    for script in (tmp_path / "mine").glob("*.lua"):
        script.write_text("return function(turn) return #turn.options, 0.5 end\n", encoding="utf-8")
    state = coppice.game("mr_jack").start(seed=3)
    mine = coppice.player(f'jack_v3(candidates=scripted_power("{tmp_path / "mine"}"))')
    limit = coppice.Limit(simulations=200)
    one, two = (player.search(state, limit, seed=1) for player in (coppice.player("jack_v3"), mine))
    assert {stat.name for stat in one.moves} != {stat.name for stat in two.moves}


def test_the_package_brings_the_scripts() -> None:
    folder = Path(coppice.__file__).parent / "rules" / "mr_jack"
    assert len(list(folder.glob("*.lua"))) == 9


def test_the_map_is_coloured_and_the_facts_are_the_sides_own() -> None:
    state = played(5, 9)
    text = coloured_map(state)
    assert text.plain == state.diagram()
    styles = {str(span.style) for span in text.spans}
    assert any("red" in style for style in styles)
    assert "bold yellow" in styles
    detective = known_facts(state, "first", ["turn 1, Jack was visible"])
    jack = known_facts(state, "second", [])
    assert "suspects left: " in detective
    assert "witnesses: turn 1, Jack was visible" in detective
    assert f"you are {state.view('second')['jack']}" in jack
    assert "you are" not in detective


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        leader, follower = pty.openpty()
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
        self.process = subprocess.Popen(
            [COPPICE, *arguments], stdin=follower, stdout=follower, stderr=follower, env=environment
        )
        os.close(follower)
        self.leader = leader
        self.seen = ""
        self.read = 0
        """How much of it has been waited for."""

    def until(self, text: str, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while text not in self.seen[self.read :]:
            assert time.monotonic() < deadline, self.seen[-2000:]
            try:
                self.seen += os.read(self.leader, 65536).decode(errors="replace")
            except OSError:
                break
        assert text in self.seen[self.read :], self.seen[-2000:]
        self.read = self.seen.index(text, self.read) + len(text)

    def say(self, line: str) -> None:
        os.write(self.leader, f"{line}\n".encode())


def test_a_game_against_the_computer_in_a_terminal() -> None:
    terminal = Terminal("play", "mr_jack", "--player", "jack_v2(simulations=50)", "--seed", "3")
    terminal.until("Detective> ")
    assert "suspects left: 8" in terminal.seen
    assert "\x1b[" in terminal.seen
    terminal.say("hint")
    terminal.until("Detective> ")
    terminal.say("holmes z9")
    terminal.until("Detective> ")
    move = coppice.game("mr_jack").start(seed=3).legal_moves[0]
    terminal.say(move)
    terminal.until("(the computer) played ")
    terminal.until("Detective> ")
    terminal.say("quit")
    assert terminal.process.wait(30) == 0
    assert "you are" not in terminal.seen


def test_two_people_at_one_screen() -> None:
    terminal = Terminal("play", "mr_jack", "--hot-seat", "--seed", "3")
    terminal.until("Detective to move. The other side looks away; press Enter.")
    terminal.say("")
    terminal.until("Detective> ")
    terminal.say(coppice.game("mr_jack").start(seed=3).legal_moves[0])
    terminal.until("Jack to move. The other side looks away; press Enter.")
    # The screen is cleared before the other side may look.
    assert "\x1b[2J" in terminal.seen
    terminal.say("")
    terminal.until("you are ")
    terminal.until("Jack> ")
    terminal.say("quit")
    assert terminal.process.wait(30) == 0


def test_a_demonstration_without_a_terminal() -> None:
    shown = run("play", "mr_jack", "--player", "jack_v2(simulations=20)", "--seed", "1")
    assert shown.returncode == 0, shown.stderr
    assert re.search(r"(The detective|Jack) wins[: ].*\. It took \d+ moves\.", shown.stdout)


def test_a_hot_seat_is_for_hidden_games_only() -> None:
    refused = run("play", "havannah", "--hot-seat")
    assert refused.returncode == 2
    assert "--hot-seat is for games with hidden information" in refused.stderr


TOLD = "jack_v2(detective=informed, simulations=150)"
ONLY = "jack with detective=informed is told who Jack is, so it plays in matches only"


def test_who_is_told_who_jack_is_may_be_looked_at_nowhere() -> None:
    rules, player = coppice.game("mr_jack"), coppice.player(TOLD)
    with pytest.raises(ValueError, match=ONLY):
        player.check(rules)
    with pytest.raises(ValueError, match=ONLY):
        player.search(rules.start())
    with pytest.raises(ValueError, match=ONLY):
        player.think(rules.start())
    with pytest.raises(ValueError, match=ONLY):
        analyse({"game": "mr_jack", "player": TOLD})


@pytest.mark.parametrize(
    "command",
    [
        ["play", "mr_jack", "--player", TOLD],
        ["explain", "mr_jack", TOLD],
        ["analyse", "mr_jack", "--player", TOLD],
    ],
    ids=lambda command: command[0],
)
def test_no_command_shows_who_is_told_who_jack_is(command: list[str]) -> None:
    done = run(*command)
    assert done.returncode == 2
    assert ONLY in done.stderr
    assert done.stdout == ""


def test_a_player_that_is_told_who_jack_is_is_left_out_of_a_benchmark(tmp_path: Path) -> None:
    done = run("bench", "--game", "mr_jack", "--player", TOLD, "--out", str(tmp_path / "bench.jsonl"))
    assert done.returncode == 0
    assert f"left out on mr_jack: {ONLY}" in " ".join(done.stderr.split())


def test_gtp_serves_no_player_that_is_told_who_jack_is() -> None:
    done = run("gtp", "--game", "mr_jack", "--player", TOLD)
    assert done.returncode == 2
    assert "GTP has no words for hidden information" in done.stderr


def test_who_is_told_who_jack_is_plays_matches() -> None:
    match = coppice.Match("mr_jack", TOLD, "jack_v2(simulations=150)", seed=2)
    played = match.play(16, store=None)
    # As the detective it arrests Jack nearly always; who is not told lets some go.
    told, fair = ([record for record in played.records if record.first == first] for first in ("a", "b"))
    arrests = [sum(record.kind == "arrest" for record in records) for records in (told, fair)]
    assert arrests[0] == len(told) > arrests[1]
    # What it costs is measured without telling it.
    start = coppice.game("mr_jack").start()
    assert decide(start, match.a, QUICK, 1) in start.legal_moves
