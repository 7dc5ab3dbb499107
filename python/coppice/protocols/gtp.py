"""GTP 2: a server that plays any two-player game with perfect information for another program.

The standard commands of the Go Text Protocol, those that Havannah programs have besides, and the analysis
commands that front ends such as Sabaki read. A `Server` is a game in play and a player; it takes lines and
gives answers, and knows of where they come from only whether the next one is there: that ends an analysis.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from coppice._core import CoreError, __version__
from coppice.board.cells import Side
from coppice.core.guests import Guests
from coppice.core.session import Game, Limit, Player, Report, State
from coppice.core.spec import Spec
from coppice.core.spec_like import changed
from coppice.play.book import Book, shipped
from coppice.play.clocks import PLANS, GameClock, Plan, clocked, expected_moves, moves_made
from coppice.play.opponent import Opponent
from coppice.protocols.line_reader import MAX_LINE

__all__ = ["COMMANDS", "Command", "Server", "Source"]

_INTERVAL = 0.5
"""Seconds between two lines of an analysis that names no interval."""


@dataclass(frozen=True)
class Command:
    """One command of the protocol."""

    usage: str
    """Its arguments."""
    doc: str
    run: Callable[[Server, list[str]], str]
    least: int
    most: int | None
    """How many arguments there may be; None: any number."""


COMMANDS: dict[str, Command] = {}
"""Every command by its name."""

_Handler = Callable[["Server", list[str]], str]


def _command(
    names: str, usage: str, doc: str, least: int = 0, most: int | None = 0
) -> Callable[[_Handler], _Handler]:
    def register(handler: _Handler) -> _Handler:
        for name in names.split():
            COMMANDS[name] = Command(f"{name} {usage}".strip(), doc, handler, least, most)
        return handler

    return register


class Source(Protocol):
    """Where lines come from; `coppice.protocols.line_reader.Lines` is one."""

    def next(self) -> str | None:
        """The next line, waiting for it; None at the end."""

    def waiting(self, seconds: float) -> bool:
        """Whether a line or the end is there within so many seconds."""


class _NoMore:
    """The source of a single line: what follows it is always there."""

    def next(self) -> str | None:
        return None

    def waiting(self, seconds: float) -> bool:
        return True


def _shown(text: str) -> str:
    """A word of the other end in an error message."""
    return text if len(text) <= 40 else text[:40] + "..."


def _number(text: str, what: str, most: float = 1e9) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= most:
        raise ValueError(f"'{_shown(text)}' is not {what}")
    return value


def _whole(text: str, what: str, most: int = 10**12) -> int:
    if not re.fullmatch(r"[0-9]{1,15}", text) or int(text) > most:
        raise ValueError(f"'{_shown(text)}' is not {what}")
    return int(text)


class Server:
    """One game in play with a player at its service.

    Chance comes from `seed`, every new game with a stream of its own. `clock` tells the time in seconds. With
    `ponder` the player thinks while it waits for the other side; with `book` it answers from an opening book,
    this one or, if True, the one that the package brings for the board. `plan` shares out the time of a game.
    A line may name another player: of what lives outside the process only the `guests`, or what the game and
    the player name.
    """

    def __init__(
        self,
        game: str,
        player: str,
        *,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
        ponder: bool = False,
        book: Book | bool = False,
        plan: Plan = "even",
        guests: Sequence[str] = (),
    ) -> None:
        self.guests = Guests([game, player, *guests])
        self.game = Game(game)
        if self.game.hidden:
            raise ValueError(f"GTP has no words for hidden information: {self.game.spec} cannot be served")
        self.given = Player(player)
        """As it was named: `strong` is another player on another board."""
        self.player = self.given.on(self.game)
        self.player.check(self.game)
        if ponder:
            # Refuses now who cannot think step by step.
            self.player.think(self.game.start())
        if plan not in PLANS:
            raise ValueError(f"unknown plan '{plan}' for the time of a game: {', '.join(PLANS)}")
        self.ponder = ponder
        self.book = book
        self.plan = plan
        self.clock = clock
        self.seed = seed
        self.per_move: float | None = None
        """Seconds for every move."""
        self.simulations: int | None = None
        """Simulations for every move."""
        self.clocks: dict[Side, GameClock] = {}
        self._settings: tuple[float, float, int] | None = None
        self.report: Report | None = None
        """What the last search found out."""
        self.over = False
        """Whether `quit` was said."""
        self._source: Source = _NoMore()
        self._write: Callable[[str], None] = lambda text: None
        self._head = ""
        self._open = False
        self.state: State
        self.opponent: Opponent
        self._begin()

    # Lines and answers

    def respond(self, line: str) -> str:
        """The whole answer to one line; nothing for an empty line. An analysis gives what it has at once."""
        written: list[str] = []
        self._source, self._write = _NoMore(), written.append
        self._line(line)
        return "".join(written)

    def serve(self, source: Source, write: Callable[[str], None]) -> None:
        """Answers lines until `quit` or the end."""
        try:
            while not self.over:
                self._source, self._write = source, write
                line = source.next()
                if line is None:
                    return
                self._line(line)
        finally:
            self.opponent.pause()

    def _line(self, line: str) -> None:
        # Whoever says something has the whole machine until it is answered.
        self.opponent.pause()
        self._answer(line)
        if not self.over:
            self.opponent.resume(self.state)

    def _answer(self, line: str) -> None:
        if len(line) > MAX_LINE:
            self._write(f"? the line is too long: at most {MAX_LINE} characters\n\n")
            return
        # GTP: control characters count for nothing, a tab is a space, # starts a comment.
        text = "".join(" " if c == "\t" else c for c in line if c == "\t" or (c >= " " and c != "\x7f"))
        words = text.split("#", 1)[0].split()
        if not words:
            return
        identity = words.pop(0) if re.fullmatch(r"[0-9]{1,10}", words[0]) else ""
        self._head, self._open = identity, False
        try:
            answer = self._run(words)
        except (ValueError, CoreError) as error:
            message = " ".join(str(error).split())
            # An answer that has begun cannot become a refusal any more: it ends.
            self._write("\n" if self._open else f"?{identity} {message}\n\n")
            return
        if self._open:
            self._write(f"{answer}\n\n" if answer else "\n")
            return
        first, *rest = answer.split("\n")
        # An empty line would end the answer.
        more = "".join(f"\n{part if part.strip() else ' '}" for part in rest)
        self._write(f"={identity}{' ' if first else ''}{first}{more}\n\n")

    def _run(self, words: list[str]) -> str:
        if not words:
            raise ValueError("there is no command after the id")
        name, *arguments = words
        command = COMMANDS.get(name)
        if command is None:
            raise ValueError(f"unknown command '{_shown(name)}': list_commands lists them")
        few, many = len(arguments) < command.least, command.most is not None and len(arguments) > command.most
        if few or many:
            raise ValueError(f"too {'few' if few else 'many'} arguments: {command.usage}")
        return command.run(self, arguments)

    def _stream(self, text: str) -> None:
        """A line of an answer that goes on."""
        if not self._open:
            self._write(f"={self._head}\n")
            self._open = True
        self._write(f"{text}\n")

    # Sides

    @property
    def colours(self) -> dict[Side, str]:
        """What GTP calls the sides: their own colours, else white moves first."""
        if self.game.sides[0].lower() == "black":
            return {"first": "black", "second": "white"}
        return {"first": "white", "second": "black"}

    def _side(self, text: str) -> Side:
        words: dict[str, Side] = {"first": "first", "second": "second"}
        for side, colour in self.colours.items():
            words |= {colour: side, colour[0]: side}
        first, second = (name.lower() for name in self.game.sides)
        words |= {first: "first", second: "second"}
        if text.lower() not in words:
            raise ValueError(f"unknown side '{_shown(text)}': white, black, first, second")
        return words[text.lower()]

    def _turn(self, text: str) -> None:
        """Refuses a side that is not to move."""
        if self._side(text) != self.state.to_move:
            colour = self.colours[self.state.to_move]
            raise ValueError(
                f"it is not the turn of {text.lower()}: {self.state.to_move} ({colour}) is to move"
            )

    # The game

    def _begin(self) -> None:
        self.state = self.game.start(seed=self.seed)
        self.report = None
        self._seat()
        self._reset_clocks()

    def _seat(self) -> None:
        """A player that knows nothing of other games takes its seat."""
        if isinstance(self.book, Book):
            book = self.book if self.book.game.spec == self.game.spec else None
        else:
            book = shipped(self.game) if self.book else None
        self.opponent = Opponent(self.player, seed=self.seed, book=book, ponder=self.ponder)

    def _reset_clocks(self) -> None:
        self.clocks = {}
        if self._settings is not None:
            self.clocks = {"first": GameClock(*self._settings), "second": GameClock(*self._settings)}

    def _refuse_if_over(self) -> None:
        if self.state.outcome is not None:
            raise ValueError("the game is over")

    def _play(self, name: str) -> None:
        self._refuse_if_over()
        if len(name) > 200:
            raise ValueError(f"illegal move '{_shown(name)}'")
        self.state.play(name)

    # Searching

    def limit(self) -> Limit | None:
        """What the next search may use; None: the player's own limit."""
        seconds = [] if self.per_move is None else [self.per_move]
        clock = self.clocks.get(self.state.to_move)
        if clock is not None:
            made = moves_made(self.state) if self.plan == "middle" else None
            seconds.append(clock.budget(expected_moves(self.state, seed=self.seed), made))
        if not seconds and self.simulations is None:
            return None
        return Limit(simulations=self.simulations, seconds=min(seconds, default=None))

    def _search(self) -> Report:
        self._refuse_if_over()
        by_clock = self.state.to_move in self.clocks
        self.report = self.opponent.decide(self.state, self.limit(), by_clock=by_clock)
        return self.report

    def _move(self, report: Report) -> None:
        """Plays what was decided."""
        self.state.play(report.best)
        self.opponent.wait(self.state)

    def _timed(self, search: Callable[[], Report]) -> Report:
        """A search that is paid for from the clock of the side to move."""
        side, started = self.state.to_move, self.clock()
        report = search()
        if side in self.clocks:
            self.clocks[side].spend(self.clock() - started)
        return report

    def _analyse(self, arguments: list[str], limit: Limit | None, *, until_input: bool) -> Report:
        """Streams what a search finds out, until its limit or the next line."""
        self._refuse_if_over()
        side = self.state.to_move
        if arguments and not re.fullmatch(r"[0-9.]+", arguments[0]):
            side = self._side(arguments.pop(0))
        interval = _INTERVAL
        if arguments and arguments[0] == "interval":
            arguments.pop(0)
        if arguments:
            interval = max(0.01, _number(arguments.pop(0), "an interval in centiseconds", 1e6) / 100)
        if arguments:
            raise ValueError(
                f"'{_shown(arguments[0])}' is one too many: a side and an interval in centiseconds"
            )
        by_clock = not until_input and side in self.clocks
        player = clocked(self.player, self.game) if by_clock else self.player
        thinking = player.think(self.state, seed=self.seed)
        thinking.start(limit)
        try:
            while thinking.running:
                ended = self._source.waiting(interval) if until_input else not thinking.wait(interval)
                report = thinking.report()
                if ended and until_input and report.simulations == 0:
                    # Somebody who asks wants one line at least.
                    thinking.wait(0.05)
                    report = thinking.report()
                if report.simulations:
                    self._stream(_info(report, side))
                if ended:
                    break
        finally:
            self.report = thinking.stop()
        if not self._open:
            self._stream(_info(self.report, side))
        return self.report


def _info(report: Report, side: Side) -> str:
    """A line of an analysis: every move that was visited or proven, with its value for `side`."""
    parts = []
    known = [stat for stat in report.moves if stat.visits or stat.proof]
    # Front ends take the first for the best, which need not be the most visited.
    known.sort(key=lambda stat: stat.name != report.best)
    for order, stat in enumerate(known):
        value = 0.5 if stat.expected is None else stat.expected
        value = value if side == report.side else 1 - value
        line = report.line if stat.name == report.best else (stat.name,)
        parts.append(
            f"info move {stat.name} visits {stat.visits} winrate {round(10000 * value)} order {order}"
            f" pv {' '.join(line)}"
        )
    return " ".join(parts)


# The commands that every program has


@_command("protocol_version", "", "the version of GTP")
def _protocol_version(server: Server, _: list[str]) -> str:
    return "2"


@_command("name", "", "the name of this program")
def _name(server: Server, _: list[str]) -> str:
    return "Coppice"


@_command("version", "", "its version")
def _version(server: Server, _: list[str]) -> str:
    return __version__


@_command("known_command", "NAME", "whether there is such a command", 1, 1)
def _known_command(server: Server, arguments: list[str]) -> str:
    return "true" if arguments[0] in COMMANDS else "false"


@_command("list_commands", "", "the commands, one per line")
def _list_commands(server: Server, _: list[str]) -> str:
    return "\n".join(COMMANDS)


@_command("help", "[NAME]", "what a command does", 0, 1)
def _help(server: Server, arguments: list[str]) -> str:
    if arguments and arguments[0] not in COMMANDS:
        raise ValueError(f"unknown command '{_shown(arguments[0])}': list_commands lists them")
    shown = [COMMANDS[name] for name in arguments] or list(COMMANDS.values())
    return "\n".join(f"{command.usage}: {command.doc}" for command in shown)


@_command("quit", "", "end")
def _quit(server: Server, _: list[str]) -> str:
    server.over = True
    return ""


# The board


@_command("boardsize", "SIZE | ROWS COLUMNS", "another size, and a new game", 1, 2)
def _boardsize(server: Server, arguments: list[str]) -> str:
    sizes = [_whole(text, "a size: a whole number from 1 to 10000", 10000) for text in arguments]
    spec, rows, columns = server.game.spec, sizes[0], sizes[-1]
    whole = Spec.of("game", spec)
    # The misère form of a game has the sizes of the game inside it.
    inner = whole["game"] if whole.name == "misere" else whole
    assert isinstance(inner, Spec), "what is misère is a game"
    if "size" in inner and rows == columns:
        sized: dict[str, int] | None = {"size": rows}
    elif "rows" in inner and "columns" in inner:
        sized = {"rows": rows, "columns": columns}
    else:
        sized = None
    if sized is not None:
        text = changed(str(inner), {key: str(value) for key, value in sized.items()})
        spec = f"misere({text})" if inner is not whole else text
    elif server.game.board().size != rows or rows != columns:
        raise ValueError(f"unacceptable size: {spec} has one size only")
    try:
        game = Game(spec)
        player = server.given.on(game)
        player.check(game)
    except ValueError as error:
        raise ValueError(f"unacceptable size: {error}") from error
    server.game, server.player = game, player
    server._begin()
    return ""


@_command("clear_board", "", "a new game")
def _clear_board(server: Server, _: list[str]) -> str:
    server.seed += 1
    server._begin()
    return ""


@_command("komi", "NUMBER", "accepted for the sake of Go front ends; these games have none", 1, 1)
def _komi(server: Server, arguments: list[str]) -> str:
    _number(arguments[0].removeprefix("-"), "a komi: a number")
    return ""


@_command("showboard", "", "the position in characters")
def _showboard(server: Server, _: list[str]) -> str:
    return "\n" + server.state.diagram().strip("\n")


@_command("all_legal", "", "the legal moves")
def _all_legal(server: Server, _: list[str]) -> str:
    return " ".join(server.state.legal_moves)


@_command("history", "", "the moves played")
def _history(server: Server, _: list[str]) -> str:
    return " ".join(server.state.moves)


@_command("winner havannah_winner", "", "white, black, draw, or none while the game goes on")
def _winner(server: Server, _: list[str]) -> str:
    outcome = server.state.outcome
    return "none" if outcome is None else "draw" if outcome == "draw" else server.colours[outcome]


@_command("final_score", "", "W+1, B+1 or 0 once the game is over")
def _final_score(server: Server, _: list[str]) -> str:
    outcome = server.state.outcome
    if outcome is None:
        raise ValueError("cannot score: the game is not over")
    return "0" if outcome == "draw" else f"{server.colours[outcome][0].upper()}+1"


# Moves


@_command("play", "SIDE MOVE", "a move of white, black, first or second", 2, None)
def _play(server: Server, arguments: list[str]) -> str:
    server._turn(arguments[0])
    server._play(" ".join(arguments[1:]))
    return ""


@_command("white", "MOVE", "a move of white", 1, None)
def _white(server: Server, arguments: list[str]) -> str:
    return _play(server, ["white", *arguments])


@_command("black", "MOVE", "a move of black", 1, None)
def _black(server: Server, arguments: list[str]) -> str:
    return _play(server, ["black", *arguments])


@_command("swap", "", "the second side takes over the first stone, where the rules have it")
def _swap(server: Server, _: list[str]) -> str:
    if "swap" not in server.state.legal_moves:
        raise ValueError("there is nothing to swap: the rules or the position do not allow it")
    server.state.play("swap")
    return ""


@_command("playgame", "MOVES", "several moves in turn: all of them or, if one is illegal, none", 1, None)
def _playgame(server: Server, arguments: list[str]) -> str:
    state = server.state.copy()
    for name in arguments:
        if state.outcome is not None:
            raise ValueError(f"the game is over before '{_shown(name)}'")
        state.play(_shown(name))
    server.state = state
    return ""


@_command("undo", "", "the last move is taken back")
def _undo(server: Server, _: list[str]) -> str:
    try:
        server.state.undo()
    except ValueError as error:
        raise ValueError(f"cannot undo: {error}") from error
    return ""


# Deciding


@_command("genmove", "[SIDE]", "decide, and play the move", 0, 1)
def _genmove(server: Server, arguments: list[str]) -> str:
    server._refuse_if_over()
    for side in arguments:
        server._turn(side)
    report = server._timed(server._search)
    server._move(report)
    return report.best


@_command("reg_genmove", "[SIDE]", "decide, but leave the board and the clock as they are", 0, 1)
def _reg_genmove(server: Server, arguments: list[str]) -> str:
    server._refuse_if_over()
    for side in arguments:
        server._turn(side)
    return server._search().best


@_command(
    "analyze lz-analyze",
    "[SIDE] [CENTISECONDS]",
    "info lines about this position until the next command",
    0,
    3,
)
def _analyze(server: Server, arguments: list[str]) -> str:
    server._analyse(list(arguments), None, until_input=True)
    return ""


@_command(
    "genmove_analyze lz-genmove_analyze", "[SIDE] [CENTISECONDS]", "genmove with info lines on the way", 0, 3
)
def _genmove_analyze(server: Server, arguments: list[str]) -> str:
    server._refuse_if_over()
    if arguments and not re.fullmatch(r"[0-9.]+", arguments[0]):
        server._turn(arguments[0])
    limit = server.limit() or server.player.limit
    report = server._timed(lambda: server._analyse(list(arguments), limit, until_input=False))
    server._move(report)
    return f"play {report.best}"


def _known(server: Server) -> Report:
    if server.report is None:
        raise ValueError("nothing has been searched yet: genmove or analyze first")
    return server.report


@_command("pv", "", "the moves that the last search expects")
def _pv(server: Server, _: list[str]) -> str:
    return " ".join(_known(server).line)


@_command("move_stats", "[MOVES]", "visits and value of the moves of the last search", 0, None)
def _move_stats(server: Server, arguments: list[str]) -> str:
    report = _known(server)
    wanted = {name.lower() for name in arguments}
    unknown = sorted(wanted - {stat.name.lower() for stat in report.moves})
    if unknown:
        raise ValueError(f"the last search knows no move '{_shown(unknown[0])}'")
    shown = [stat for stat in report.moves if not wanted or stat.name.lower() in wanted]
    values = ["-" if stat.expected is None else f"{stat.expected:.4f}" for stat in shown]
    return "\n".join(
        f"{stat.name} visits {stat.visits} value {value}" for stat, value in zip(shown, values, strict=True)
    )


# Time and options


@_command("time_settings", "MAIN PERIOD STONES", "seconds for the game, then seconds for so many moves", 3, 3)
def _time_settings(server: Server, arguments: list[str]) -> str:
    main, period = (_number(text, "a number of seconds") for text in arguments[:2])
    stones = _whole(arguments[2], "a number of stones", 10**6)
    # GTP: a period without stones means no limit at all; nobody can mean a game of no time.
    unlimited = (period > 0 and stones == 0) or (main == 0 and period == 0)
    server._settings = None if unlimited else (main, period, stones if period > 0 else 0)
    server._reset_clocks()
    return ""


@_command("time_left", "SIDE SECONDS STONES", "what a clock shows", 3, 3)
def _time_left(server: Server, arguments: list[str]) -> str:
    side = server._side(arguments[0])
    seconds = _number(arguments[1], "a number of seconds")
    stones = _whole(arguments[2], "a number of stones", 10**6)
    clock = server.clocks.setdefault(side, GameClock(seconds))
    clock.told(seconds, stones)
    return ""


@_command(
    "time", "[-m SECONDS] [-g SECONDS] [-i SIMULATIONS]", "per move, per game, per move; 0: no limit", 0, 6
)
def _time(server: Server, arguments: list[str]) -> str:
    given: dict[str, float] = {}
    words = iter(arguments)
    for flag in words:
        if flag not in ("-m", "-g", "-i"):
            raise ValueError(f"unknown option '{_shown(flag)}': -m SECONDS, -g SECONDS, -i SIMULATIONS")
        value = next(words, None)
        if value is None:
            raise ValueError(f"{flag} needs a number")
        whole = flag == "-i"
        given[flag] = (
            _whole(value, "a number of simulations") if whole else _number(value, "a number of seconds")
        )
    if "-m" in given:
        server.per_move = given["-m"] or None
    if "-i" in given:
        server.simulations = int(given["-i"]) or None
    if "-g" in given:
        server._settings = (given["-g"], 0.0, 0) if given["-g"] else None
        server._reset_clocks()
    game = server._settings[0] if server._settings else 0
    return f"-m {server.per_move or 0:g} -g {game:g} -i {server.simulations or 0}"


@_command(
    "params", "[PLAYER | KEY=VALUE ...]", "the player; another one; or this one with options changed", 0, None
)
def _params(server: Server, arguments: list[str]) -> str:
    text = " ".join(arguments)
    if text:
        changes = re.match(r"\s*\w+\s*=", text)
        named = _with_options(server.player.spec, arguments) if changes else text
        given = Player(server.guests.admit(named))
        player = given.on(server.game)
        player.check(server.game)
        if server.ponder:
            player.think(server.game.start())
        server.given, server.player = given, player
        server._seat()
    return server.player.spec


def _with_options(spec: str, changes: list[str]) -> str:
    """A canonical spec with options changed by words of the form KEY=VALUE."""
    new: dict[str, str] = {}
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals or not value:
            raise ValueError(f"'{_shown(change)}' is not KEY=VALUE")
        new[key] = value
    return changed(spec, new)
