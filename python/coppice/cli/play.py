"""`coppice play`: a game against the computer in the terminal."""

from __future__ import annotations

import secrets
import sys
from typing import Annotated

import typer
from rich.console import Console

from coppice.board.cells import Side
from coppice.cli import play_jack
from coppice.cli.output import note, stdout
from coppice.core.defaults import DEFAULT_PLAYER, default_player
from coppice.core.endings import ending
from coppice.core.search_report import percent
from coppice.core.session import Game, Limit, Player, Report, State, table_seed
from coppice.play.book import shipped
from coppice.play.opponent import Opponent

__all__ = ["register"]

HELP = """Type a move (its name), or:
  moves   the legal moves          undo    take back your last move
  hint    what the computer would play here
  board   show the board again     quit    leave the game"""


# Of the default player. With hidden information a simulation is far longer.
SIMULATIONS, HIDDEN_SIMULATIONS = 20_000, 5_000


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(play)


def play(
    game: Annotated[str, typer.Argument(help="The game, e.g. 'havannah(size=6)'.")] = "havannah(size=6)",
    player: Annotated[str | None, typer.Option(help=f"Your opponent [default: {DEFAULT_PLAYER}].")] = None,
    side: Annotated[str, typer.Option(help="Your side: first, second, or random.")] = "first",
    seed: Annotated[int | None, typer.Option(help="Makes the computer's play repeatable.")] = None,
    book: Annotated[bool, typer.Option(help="Open from the package's book, where it has one.")] = True,
    ponder: Annotated[bool, typer.Option("--ponder", help="Think on your time, too.")] = False,
    hot_seat: Annotated[
        bool, typer.Option(help="Two people at one screen, cleared between the sides (mr_jack).")
    ] = False,
) -> None:
    """Play against the computer. Without a terminal it plays one demonstration game against itself."""
    rules = Game(game)
    simulations = HIDDEN_SIMULATIONS if rules.hidden else SIMULATIONS
    opponent = Player(player) if player else Player(default_player(rules), simulations=simulations)
    opponent.check(rules)
    if side not in ("first", "second", "random"):
        raise ValueError(f"--side {side} is not allowed: first, second, random")
    if hot_seat and not rules.hidden:
        raise ValueError(f"--hot-seat is for games with hidden information, which {rules.spec} is not")
    if ponder and rules.hidden:
        raise ValueError(f"--ponder is for games without hidden information, which {rules.spec} is not")
    # What is dealt and what the computer draws are two things, unless play is to be repeated.
    state = rules.start(seed=table_seed() if seed is None else seed)
    seed = secrets.randbits(63) if seed is None else seed
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        _demonstrate(state, opponent, seed)
        return
    if side == "random":
        side = secrets.choice(["first", "second"])
    if rules.hidden:
        whose: Side | None = None if hot_seat else "first" if side == "first" else "second"
        play_jack.JackTerminalGame(state, opponent, whose, seed).play()
        return
    if ponder:
        # Refuses now who cannot think step by step.
        opponent.think(state)
    known = shipped(rules) if book else None
    _TerminalGame(state, Opponent(opponent, seed=seed, book=known, ponder=ponder), side).play()


def _name(state: State, side: str) -> str:
    return state.game.sides[0 if side == "first" else 1]


def _result(state: State) -> str:
    return f"{ending(state)} It took {len(state.moves)} moves."


def _demonstrate(state: State, player: Player, seed: int) -> None:
    """One game of the computer against itself, quick enough for a pipe."""
    note(f"no terminal: the computer plays one game of {state.game.spec} against itself")
    while state.outcome is None:
        report = player.search(state, Limit(simulations=2000), seed=seed)
        print(f"{len(state.moves) + 1:>3}. {_name(state, state.to_move):<10} {report.best}")
        state.play(report.best)
    print(state.diagram())
    print(_result(state))


def _hope(report: Report) -> str:
    """What the computer expects of its own move."""
    if report.proof == "win":
        return "it wins by force"
    if report.proof == "loss":
        return "it has lost if you find the way"
    if report.proof == "draw":
        return "a draw with best play"
    return f"it expects {percent(report.value)} for itself"


class _TerminalGame:
    """A person and the computer at one board."""

    def __init__(self, state: State, opponent: Opponent, side: str) -> None:
        self.state = state
        self.opponent = opponent
        self.side = side
        self.console: Console = stdout()

    def play(self) -> None:
        """The whole game."""
        try:
            self._play()
        finally:
            self.opponent.pause()

    def _play(self) -> None:
        state = self.state
        self.console.print(
            f"You are {_name(state, self.side)}; {_name(state, 'first')} moves first. 'help' tells more."
        )
        self.console.print(state.diagram())
        while state.outcome is None:
            if state.to_move == self.side:
                if not self._turn():
                    return
            else:
                self._answer()
        self.console.print(_result(state), style="bold")

    def _answer(self) -> None:
        with self.console.status("thinking"):
            report = self.opponent.decide(self.state)
        self.state.play(report.best)
        value = f" ({_hope(report)})" if report.value is not None else ""
        value += "".join(f", {text}" for text in report.notes)
        self.console.print(self.state.diagram())
        self.console.print(
            f"{_name(self.state, self.state.to_move)} to move. The computer played {report.best}{value}."
        )
        self.opponent.wait(self.state)

    def _turn(self) -> bool:
        """One line of the person; False to leave."""
        try:
            line = self.console.input(f"{_name(self.state, self.side)}> ").strip()
        except EOFError:
            return False
        self.opponent.pause()
        goes_on = self._obey(line)
        if goes_on:
            self.opponent.resume(self.state)
        return goes_on

    def _obey(self, line: str) -> bool:
        match line.lower():
            case "":
                pass
            case "quit" | "exit" | "q":
                return False
            case "help" | "?":
                self.console.print(HELP)
            case "moves":
                self.console.print(" ".join(self.state.legal_moves))
            case "board":
                self.console.print(self.state.diagram())
            case "hint":
                with self.console.status("thinking"):
                    report = self.opponent.player.search(self.state, seed=self.opponent.seed)
                self.console.print(report.text(5))
            case "undo":
                self._undo()
            case _:
                try:
                    self.state.play(line)
                except ValueError as error:
                    self.console.print(f"{error}")
        return True

    def _undo(self) -> None:
        """Back to the person's last decision."""
        mine = 0 if self.side == "first" else 1
        if len(self.state.moves) <= mine:
            self.console.print("there is no move of yours to take back")
            return
        self.state.undo()
        while self.state.to_move != self.side:
            self.state.undo()
        self.console.print(self.state.diagram())
