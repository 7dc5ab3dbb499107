"""The GTP server: lines in, answers out; its clocks under a simulated time; nonsense by the thousand."""

from __future__ import annotations

import gc
import io
import random
import re
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import wait_for

import coppice
from coppice import Limit
from coppice.play.clocks import LEAST, MORE, GameClock, expected_moves, move_seconds
from coppice.protocols.gtp import COMMANDS, Server
from coppice.protocols.line_reader import MAX_LINE, Lines

COPPICE = Path(sys.executable).parent / "coppice"
PLAYER = "uct(simulations=30)"


def server(game: str = "havannah(size=4)", player: str = PLAYER, **more: object) -> Server:
    return Server(game, player, **more)  # type: ignore[arg-type]


def said(served: Server, *lines: str) -> str:
    """The text of the last answer, which must be a good one."""
    answers = [served.respond(line) for line in lines]
    match = re.fullmatch(r"=\d* ?((?:.|\n)*?)\n\n", answers[-1])
    assert match, answers[-1]
    return match[1]


def refused(served: Server, *lines: str) -> str:
    """The text of the last answer, which must be a refusal."""
    answers = [served.respond(line) for line in lines]
    match = re.fullmatch(r"\?\d* (.*)\n\n", answers[-1])
    assert match, answers[-1]
    return match[1]


def test_strong_is_another_player_on_another_board() -> None:
    served = server("havannah(size=6)", "strong(simulations=20)")
    assert "playout=rings" in said(served, "params")
    assert "playout=threats" in said(served, "boardsize 8", "params")
    assert said(served, "boardsize 6", "params strong(simulations=5)").count("playout=rings") == 1
    assert "playout=threats" in said(served, "boardsize 8", "params")
    assert said(served, "params simulations=7", "boardsize 6", "params").count("playout=threats") == 1


def test_chance_comes_from_the_seed_and_each_game_has_its_own() -> None:
    def moves(served: Server, *lines: str) -> str:
        return said(served, *lines, *["genmove"] * 6, "history")

    def of(seed: int) -> Server:
        return server(player="random", seed=seed)

    assert moves(server(player="random")) == moves(of(0))
    games = [moves(of(0)), moves(of(1)), moves(of(0), "clear_board", "clear_board")]
    assert len(set(games)) == 3
    assert moves(of(0), "clear_board") == games[1]


# The form of lines and answers


def test_ids_comments_control_characters_and_empty_lines() -> None:
    served = server()
    assert served.respond("name") == "= Coppice\n\n"
    assert served.respond("17 name # who are you?") == "=17 Coppice\n\n"
    assert served.respond("0000000017 name\r") == "=0000000017 Coppice\n\n"
    assert served.respond("\t 3\tname\x07\x7f\r\n") == "=3 Coppice\n\n"
    for line in ("", "   ", "# only a comment", "\r\n", "\x00\x01"):
        assert served.respond(line) == ""
    assert served.respond("5") == "?5 there is no command after the id\n\n"
    assert (
        served.respond("5 frobnicate now") == "?5 unknown command 'frobnicate': list_commands lists them\n\n"
    )
    assert refused(served, "12345678901 name") == "unknown command '12345678901': list_commands lists them"
    assert served.respond("7 quit") == "=7\n\n"
    assert served.over


def test_huge_lines_are_refused() -> None:
    served = server()
    assert refused(served, "x" * (MAX_LINE + 1)) == f"the line is too long: at most {MAX_LINE} characters"
    answer = refused(served, "x" * MAX_LINE)
    assert answer == f"unknown command '{'x' * 40}...': list_commands lists them"
    assert refused(served, "play white " + "a" * 60000).startswith("illegal move 'aaaa")


def test_an_answer_holds_no_empty_line() -> None:
    names = [part.name for part in coppice.catalogue("game") if part.name not in ("misere", "python")]
    played = [name for name in names if not coppice.game(name).hidden]
    assert len(played) >= 8
    for name in played:
        answer = server(name, "random").respond("9 showboard")
        assert answer.startswith("=9\n")
        assert answer.index("\n\n") == len(answer) - 2


def test_the_commands_that_every_program_has() -> None:
    served = server()
    assert said(served, "protocol_version") == "2"
    assert said(served, "version") == coppice.__version__
    assert said(served, "known_command genmove") == "true"
    assert said(served, "known_command frobnicate") == "false"
    names = said(served, "list_commands").split("\n")
    assert names == list(COMMANDS)
    wanted = (
        "boardsize clear_board play white black swap undo genmove showboard all_legal history playgame winner"
        " havannah_winner pv move_stats time params analyze genmove_analyze komi time_settings time_left quit"
    )
    assert set(wanted.split()) <= set(names)
    assert len(said(served, "help").split("\n")) == len(names)
    assert said(served, "help undo") == "undo: the last move is taken back"
    assert said(served, "komi 6.5") == said(served, "komi -7") == ""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("name you", "too many arguments: name"),
        ("play white", "too few arguments: play SIDE MOVE"),
        ("known_command", "too few arguments: known_command NAME"),
        ("help frobnicate", "unknown command 'frobnicate': list_commands lists them"),
        ("play green a1", "unknown side 'green': white, black, first, second"),
        ("play black a1", "it is not the turn of black: first (white) is to move"),
        ("genmove second", "it is not the turn of second: first (white) is to move"),
        ("reg_genmove b", "it is not the turn of b: first (white) is to move"),
        ("genmove_analyze b", "it is not the turn of b: first (white) is to move"),
        ("play white z9", "illegal move 'z9': legal are a1, b1, c1, d1, a2, b2, c2, d2, ... (37 in all)"),
        ("white z9", "illegal move 'z9': legal are a1, b1, c1, d1, a2, b2, c2, d2, ... (37 in all)"),
        ("playgame a1 a1", "illegal move 'a1': legal are b1, c1, d1, a2, b2, c2, d2, e2, ... (36 in all)"),
        ("undo", "cannot undo: there is no move to take back"),
        ("swap", "there is nothing to swap: the rules or the position do not allow it"),
        ("boardsize", "too few arguments: boardsize SIZE | ROWS COLUMNS"),
        ("boardsize x", "'x' is not a size: a whole number from 1 to 10000"),
        ("boardsize -4", "'-4' is not a size: a whole number from 1 to 10000"),
        ("boardsize 1000000", "'1000000' is not a size: a whole number from 1 to 10000"),
        ("boardsize 99", "unacceptable size: havannah: size=99 is not allowed: a whole number from 2 to 13"),
        ("boardsize 4 5", "unacceptable size: havannah(size=4, swap=false) has one size only"),
        ("komi nan", "'nan' is not a komi: a number"),
        ("komi much", "'much' is not a komi: a number"),
        ("pv", "nothing has been searched yet: genmove or analyze first"),
        ("move_stats", "nothing has been searched yet: genmove or analyze first"),
        ("final_score", "cannot score: the game is not over"),
        ("time -x 3", "unknown option '-x': -m SECONDS, -g SECONDS, -i SIMULATIONS"),
        ("time -m", "-m needs a number"),
        ("time -m -1", "'-1' is not a number of seconds"),
        ("time -m inf", "'inf' is not a number of seconds"),
        ("time -i 2.5", "'2.5' is not a number of simulations"),
        ("time_settings 10 0", "too few arguments: time_settings MAIN PERIOD STONES"),
        ("time_settings ten 0 0", "'ten' is not a number of seconds"),
        ("time_settings 10 5 -1", "'-1' is not a number of stones"),
        ("time_left white soon 0", "'soon' is not a number of seconds"),
        ("time_left 10 10 0", "unknown side '10': white, black, first, second"),
        ("analyze white ten", "'ten' is not an interval in centiseconds"),
        ("analyze w 10 20", "'20' is one too many: a side and an interval in centiseconds"),
        ("params frobnicate", "unknown player 'frobnicate': "),
        (
            "params simulations=0",
            "mcts: simulations=0 is not allowed: a whole number from 1 to 1000000000000, or none",
        ),
        ("params simulations= 3", "'simulations=' is not KEY=VALUE"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(line: str, message: str) -> None:
    served = server()
    before = served.state.text(), served.player.spec, served.game.spec
    assert refused(served, line).startswith(message)
    assert (served.state.text(), served.player.spec, served.game.spec) == before
    assert said(served, "genmove white")


# Playing


def test_a_game_of_moves_back_and_forth() -> None:
    served = server()
    for line in ("play white a1", "play BLACK B2", "white c3", "black d4", "play first d5", "play second d6"):
        assert said(served, line) == ""
    assert said(served, "history") == "a1 b2 c3 d4 d5 d6"
    assert "a1" not in said(served, "all_legal").split()
    assert said(served, "undo", "undo", "history") == "a1 b2 c3 d4"
    assert said(served, "clear_board", "history") == ""
    assert said(served, "playgame a1 b2 c3", "history") == "a1 b2 c3"
    assert refused(served, "playgame d4 d4").startswith("illegal move 'd4'")
    assert said(served, "history") == "a1 b2 c3"
    assert said(served, "boardsize 3", "all_legal").count(" ") == 18


def test_the_end_of_a_game() -> None:
    served = server("tic_tac_toe")
    assert said(served, "winner") == said(served, "havannah_winner") == "none"
    assert said(served, "playgame a1 a2 b1 b2 c1", "winner") == "white"
    assert said(served, "final_score") == "W+1"
    for line in ("genmove", "reg_genmove", "analyze", "genmove_analyze", "play black c3", "black c3"):
        assert refused(served, line) == "the game is over"
    assert refused(served, "undo", "playgame c1 c2") == "the game is over before 'c2'"
    assert said(served, "clear_board", "playgame a1 b1 c1 b2 a2 c2 b3 a3 c3", "winner") == "draw"
    assert said(served, "final_score") == "0"


def test_swap() -> None:
    served = server("havannah(size=4, swap=true)")
    assert refused(served, "swap").startswith("there is nothing to swap")
    assert said(served, "white a1", "swap", "history") == "a1 swap"


@pytest.mark.parametrize("part", coppice.catalogue("game"), ids=lambda part: part.name)
def test_every_game_is_served_to_its_end(part: coppice.PartInfo) -> None:
    if part.name in ("misere", "python"):
        pytest.skip("names another game")
    if coppice.game(part.name).hidden:
        with pytest.raises(ValueError, match="GTP has no words for hidden information"):
            server(part.name)
        return
    served = server(part.name, "random")
    size = served.game.board().size
    assert size is None or said(served, f"boardsize {size}") == ""
    while said(served, "winner") == "none":
        side = served.state.to_move
        legal = said(served, "all_legal").split(" ")
        assert said(served, f"genmove {served.colours[side]}") in legal
        if served.state.outcome is None:
            assert (
                said(served, f"play {served.state.to_move} {random.choice(served.state.legal_moves)}") == ""
            )
    assert said(served, "winner") in ("white", "black", "draw")


def test_colours_are_those_of_the_game() -> None:
    assert server("atari_go").colours == {"first": "black", "second": "white"}
    assert (
        server("havannah").colours == server("tic_tac_toe").colours == {"first": "white", "second": "black"}
    )
    assert said(server("domineering"), "play Vertical a1a2") == ""


def test_board_sizes() -> None:
    sizes = {
        "havannah(size=5)": 5,
        "hex(size=4)": 4,
        "tic_tac_toe": 3,
        "nogo(rows=4, columns=4)": 4,
        "nogo(rows=4, columns=5)": None,
    }
    assert {game: coppice.game(game).board().size for game in sizes} == sizes
    served = server("nogo")
    assert said(served, "boardsize 4 6", "showboard")
    assert served.game.spec.startswith("nogo(rows=4, columns=6")
    assert refused(server("tic_tac_toe"), "boardsize 4").startswith("unacceptable size: tic_tac_toe")


def test_play_repeats_with_a_seed_and_games_differ() -> None:
    def games(seed: int) -> list[str]:
        served = server("havannah(size=3)", "random", seed=seed)
        return [said(served, "clear_board", *["genmove"] * 6, "history") for _ in range(3)]

    assert games(1) == games(1)
    assert len({*games(1), *games(2)}) > 3


# Searching


def test_what_a_search_found_out() -> None:
    served = server()
    best = said(served, "reg_genmove white")
    assert said(served, "history") == ""
    assert said(served, "pv").split()[0] == best
    rows = [line.split() for line in said(served, "move_stats").split("\n")]
    assert best in [row[0] for row in rows]
    assert sum(int(row[2]) for row in rows) <= 30
    assert all(re.fullmatch(r"\S+ visits \d+ value (-|[01]\.\d{4})", " ".join(row)) for row in rows)
    assert said(served, f"move_stats {rows[0][0].upper()}") == " ".join(rows[0])
    assert refused(served, "move_stats z9") == "the last search knows no move 'z9'"


INFO = r"info move \S+ visits \d+ winrate \d+ order \d+ pv \S+( \S+)*?"


def test_analysis_ends_with_the_next_line() -> None:
    served = server()
    written: list[str] = []

    class Slow:
        lines = iter(["4 analyze white 2", "name", None])

        def next(self) -> str | None:
            return next(self.lines)

        def waiting(self, seconds: float) -> bool:
            assert seconds == 0.02
            # All threads of this process are counted: the analysis is searching.
            begun = time.process_time()
            wait_for(lambda: time.process_time() - begun > seconds)
            return len(written) > 4

    served.serve(Slow(), written.append)
    text = "".join(written)
    answer, name = text.split("\n\n", 1)
    head, *lines = answer.split("\n")
    assert head == "=4"
    assert len(lines) >= 3
    assert name == "= Coppice\n\n"
    assert all(re.fullmatch(rf"{INFO}( {INFO})*", line) for line in lines)
    visits = [int(re.search(r"visits (\d+)", line)[1]) for line in lines]  # type: ignore[index]
    assert visits == sorted(visits)
    assert visits[-1] > visits[0]
    assert all(0 <= int(rate) <= 10000 for rate in re.findall(r"winrate (\d+)", text))
    assert said(served, "history") == ""


def test_analysis_for_either_side() -> None:
    served = server("tic_tac_toe", "uct(simulations=10)")
    said(served, "playgame a1 a2 b1 b2")
    mine, theirs = said(served, "analyze white"), said(served, "analyze black 10")
    rate = [int(re.search(r"move c1 visits \d+ winrate (\d+)", text)[1]) for text in (mine, theirs)]  # type: ignore[index]
    assert rate == [10000, 0]


def test_genmove_analyze_ends_with_its_move() -> None:
    served = server()
    *lines, last = said(served, "genmove_analyze white 1").strip("\n").split("\n")
    assert lines
    assert all(line.startswith("info move ") for line in lines)
    best = re.match(r"info move (\S+)", lines[-1])
    assert best
    assert last == f"play {best[1]}"
    assert said(served, "history") == best[1]
    assert served.report
    assert served.report.simulations == 30


def test_players_that_do_not_think_step_by_step_say_so() -> None:
    served = server(player="random")
    assert refused(served, "analyze") == refused(served, "genmove_analyze w")
    assert "does not think step by step" in refused(served, "lz-analyze")


def test_params() -> None:
    served = server()
    assert said(served, "params") == served.player.spec
    assert "simulations=7, states=none" in said(served, "params simulations=7 reuse=true")
    assert "reuse=true" in served.player.spec
    assert "selection=uct(" in served.player.spec
    assert "simulations=none" in said(served, "params seconds=0.01")
    assert "seconds=0.01" in served.player.spec
    assert said(served, "params random") == "random"
    told = said(served, "params fossel_uct( simulations = 9 )")
    assert told.startswith("mcts(root=plain, selection=uct(k=0.9, ")
    assert "simulations=9, states=none" in told


# Time


def test_limits_per_move() -> None:
    served = server(player="uct(simulations=1000000000)")
    assert said(served, "time -m 0.02 -i 5") == "-m 0.02 -g 0 -i 5"
    said(served, "genmove")
    assert served.report
    assert served.report.simulations == 5
    # Only the time is left: without it this search would not end.
    said(served, "time -i 0", "genmove")
    assert served.limit() == Limit(seconds=0.02)
    assert served.report.seconds >= 0.02
    assert said(served, "time -m 0") == "-m 0 -g 0 -i 0"
    assert served.limit() is None


def test_time_settings() -> None:
    served = server()
    said(served, "time_settings 60 0 0")
    limit = served.limit()
    left = expected_moves(served.state)
    assert limit
    assert limit.seconds == pytest.approx(59.95 / (left + MORE))
    said(served, "time_left white 6 0")
    limit = served.limit()
    assert limit
    assert limit.seconds == pytest.approx(5.95 / (left + MORE))
    said(served, "time_left white 6 3")
    limit = served.limit()
    assert limit
    assert limit.seconds == pytest.approx(5.95 / 3)
    for unlimited in ("time_settings 0 0 0", "time_settings 60 1 0"):
        said(served, unlimited)
        assert served.limit() is None
    said(served, "time_left white 6 0")
    assert served.limit()
    assert said(served, "time -g 30", "clear_board") == ""
    assert served.clocks["first"].remaining == 30


@given(st.floats(0.0001, 1e6), st.integers(0, 500))
def test_a_move_takes_its_share_and_never_the_whole_rest(remaining: float, left: int) -> None:
    seconds = move_seconds(remaining, left)
    assert 0 < seconds < remaining
    assert seconds <= max(remaining / (left + MORE), LEAST)
    if remaining >= LEAST * (left + 1) + 0.05:
        assert seconds >= LEAST


@given(
    st.floats(0.05, 1000),
    st.integers(1, 200),
    st.floats(0.3, 3),
    st.randoms(use_true_random=False),
)
def test_the_flag_does_not_fall(main: float, moves: int, wrong: float, rng: random.Random) -> None:
    """The estimate of the moves left may be wrong by a factor of three either way."""
    clock = GameClock(main)
    for made in range(moves):
        budget = clock.budget(max(1, round((moves - made) * wrong)))
        # A search may be over early; it is over late by what the machine needs, a part of what it was given.
        clock.spend(budget * rng.uniform(0.2, 1.0))
        assert not clock.fallen


@given(st.floats(0, 20), st.floats(0.2, 30), st.integers(1, 25), st.integers(1, 150))
def test_the_flag_does_not_fall_in_periods(main: float, period: float, stones: int, moves: int) -> None:
    clock = GameClock(main, period, stones)
    for made in range(moves):
        clock.spend(clock.budget(moves - made))
        assert not clock.fallen
        assert clock.due <= stones


@pytest.mark.parametrize("seconds", [0.3, 2, 30])
def test_a_whole_game_in_simulated_time(seconds: float) -> None:
    """The server's own clock is simulated: each search takes its whole budget and 4 ms more."""
    now = 0.0
    served = server("havannah(size=5)", "random", clock=lambda: now)
    said(served, f"time_settings {seconds} 0 0")
    search = served._search
    budgets = []

    def slow() -> coppice.Report:
        nonlocal now
        limit = served.limit()
        assert limit
        assert limit.seconds
        budgets.append(limit.seconds)
        now += limit.seconds + 0.004
        return search()

    served._search = slow  # type: ignore[method-assign]
    while served.state.outcome is None:
        said(served, "genmove")
        assert not any(clock.fallen for clock in served.clocks.values())
    assert seconds < 1 or min(budgets) >= LEAST
    spent = seconds - served.clocks["first"].remaining
    assert spent > 0.4 * seconds, "time that is never used is no use"


def test_a_real_game_keeps_its_time() -> None:
    """Each search ends by its limit: its simulations would take days. How late, depends on the machine."""
    now = 0.0
    served = server("havannah(size=4)", "uct(simulations=1000000000)", clock=lambda: now)
    said(served, "time_settings 1.5 0 0")
    search = served._search

    def timed() -> object:
        nonlocal now
        limit = served.limit()
        assert limit
        assert limit.seconds
        report = search()
        now += limit.seconds
        return report

    served._search = timed  # type: ignore[assignment, method-assign]
    while served.state.outcome is None:
        said(served, "genmove")
    assert now > 0.75
    assert not any(clock.fallen for clock in served.clocks.values())


# Streams


def test_lines_of_a_stream() -> None:
    data = b"one\ntwo\r\n" + b"x" * (3 * MAX_LINE) + b"\n\xff\nlast"
    lines = Lines(io.BytesIO(data))
    read = []
    while (line := lines.next()) is not None:
        read.append(line)
    assert read[:2] == ["one", "two\r"]
    assert read[3:] == ["\ufffd", "last"]
    assert len(read[2]) == MAX_LINE + 1
    assert lines.waiting(0) is False


def test_waiting_for_a_line() -> None:
    ready = threading.Event()

    class Slow(io.RawIOBase):
        pieces = iter([b"na", b"me\n", b""])

        def read(self, size: int = -1, /) -> bytes:
            ready.wait()
            return next(self.pieces)

    lines = Lines(Slow())
    assert not lines.waiting(0.01)
    ready.set()
    assert lines.waiting(20)
    assert lines.waiting(0)
    assert lines.next() == "name"
    assert lines.waiting(20)
    assert lines.next() is None


def run(text: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([COPPICE, "gtp", *arguments], input=text, capture_output=True, timeout=120)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (b"", b""),
        (b"name", b"= Coppice\n\n"),
        (b"1 name\r\n2 quit\r\nname\r\n", b"=1 Coppice\n\n=2\n\n"),
        (
            b"\xff\xfe\n\x00\n1 nam",
            b"? unknown command '\xef\xbf\xbd\xef\xbf\xbd': list_commands lists them\n\n?1 unk",
        ),
    ],
)
def test_the_command_and_the_end_of_its_input(text: bytes, answers: bytes) -> None:
    done = run(text, "--game", "tic_tac_toe", "--player", "random")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(answers)
    assert answers or not done.stdout


def test_an_analysis_ends_with_the_input() -> None:
    done = run(b"3 analyze", "--game", "tic_tac_toe")
    assert done.returncode == 0
    assert done.stdout.startswith(b"=3\ninfo move ")


def test_quit_ends_while_the_input_stays_open() -> None:
    with subprocess.Popen(
        [COPPICE, "gtp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as p:
        assert p.stdin
        assert p.stdout
        assert p.stderr
        p.stdin.write(b"analyze 1\n")
        p.stdin.flush()
        assert p.stdout.readline() == b"=\n"
        p.stdin.write(b"quit\n")
        p.stdin.flush()
        assert p.wait(60) == 0
        assert p.stderr.read() == b""


def test_the_command_refuses_in_one_line() -> None:
    done = run(b"", "--game", "havanah")
    assert done.returncode == 2
    assert done.stderr.startswith(b"coppice: unknown game 'havanah'")
    done = run(b"", "--player", "uct(k=-1)")
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


# Nonsense

WORDS = (
    *COMMANDS,
    *(
        "white",
        "black",
        "first",
        "second",
        "w",
        "b",
        "a1",
        "b2",
        "c3",
        "swap",
        "resign",
        "pass",
        "-m",
        "-g",
        "-i",
    ),
    *(
        "0",
        "1",
        "3",
        "0.001",
        "-1",
        "1e999",
        "nan",
        "99999999999999999999",
        "=",
        "?",
        "#",
        "\t",
        "\r",
        "\x00",
    ),
    *(
        "simulations=3",
        "seconds=0.001",
        "uct",
        "uct(simulations=2)",
        "random",
        "memory=1",
        "k=1",
        "((((",
        '"',
        "'",
        "\\",
    ),
    *("\ufffd", "\u202e", "\u00e9", "\U0001f600", "%s", "{}", "../..", "x" * 300, "interval", "none"),
)
SPEC = (
    "uct",
    "mcts",
    "random",
    "havannah",
    "misere",
    "gtp",
    "(",
    ")",
    ",",
    "=",
    "+",
    '"',
    "\\",
    " ",
    "k",
    "c",
    "1",
    "-",
    ".",
)
SPEC_MORE = (
    *SPEC,
    "e9",
    "_",
    "%",
    "MiB",
    "none",
    "true",
    "selection",
    "size",
    "simulations",
    "\n",
    "\u00e9",
    "\x00",
    "x" * 99,
)


def nonsense(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.8:
        return " ".join(rng.choices(WORDS, k=rng.randint(0, 5)))
    if kind < 0.9:
        return "".join(map(chr, rng.choices(range(1, 400), k=rng.randint(0, 60))))
    return rng.choice(["play ", "playgame ", "12 ", "params "]) + "".join(
        rng.choices("abc123 =(),", k=rng.randint(0, 40))
    )


def memory() -> int:
    """Kilobytes at the highest so far."""
    gc.collect()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def feed_the_server(lines: int) -> None:
    rng = random.Random(1)
    served = server("havannah(size=3)", "uct(simulations=2, memory=1MiB)")
    highest = 0
    for number in range(lines):
        if number == lines // 4:
            highest = memory()
        line = nonsense(rng)
        if "time" in line or "genmove" in line or "params" in line:
            # Bounded budgets: this is about the protocol, not about patience.
            served.per_move, served.simulations, served._settings, served.clocks = 0.002, 2, None, {}
            if len(served.player.spec) > 5000 or "memory=1048576" not in served.player.spec:
                served.respond("params uct(simulations=2, memory=1MiB)")
        if "analyze" in line and number % 20:
            continue
        answer = served.respond(line)
        assert answer == "" or re.fullmatch(r"(=|\?)[^\n]*\n([^\n]+\n)*\n", answer), (line, answer)
        served.over = False
        if rng.random() < 0.01:
            served.respond("boardsize 3")
    assert memory() - highest < 64 * 1024


def feed_the_parser(lines: int) -> None:
    rng = random.Random(2)
    highest = 0
    for number in range(lines):
        if number == lines // 4:
            highest = memory()
        text = "".join(rng.choices(SPEC_MORE, k=rng.randint(0, 25)))
        for family in ("game", "player"):
            try:
                spec = coppice._core.canonical(family, text)
            except ValueError:
                continue
            assert coppice._core.canonical(family, spec) == spec
    assert memory() - highest < 64 * 1024


def test_nonsense_does_no_harm() -> None:
    feed_the_server(10_000)


def test_nonsense_specs_do_no_harm() -> None:
    feed_the_parser(10_000)


@pytest.mark.evidence
def test_much_nonsense_does_no_harm() -> None:
    feed_the_server(200_000)


@pytest.mark.evidence
def test_many_nonsense_specs_do_no_harm() -> None:
    feed_the_parser(200_000)
