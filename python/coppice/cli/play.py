"""`coppice play`: a game against the computer in the terminal."""

from __future__ import annotations

import random
import sys
from typing import Annotated

import typer
from rich.console import Console

from coppice.board import Side
from coppice.cli import play_jack
from coppice.cli.output import note, stdout
from coppice.session import Game, Limit, Player, Report, State

__all__ = ["register"]

HELP = """Type a move (its name), or:
  moves   the legal moves          undo    take back your last move
  hint    what the computer would play here
  board   show the board again     quit    leave the game"""


OPPONENT = "uct(simulations=20000)"
HIDDEN_OPPONENT = "jack_v3(simulations=5000)"


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(play)


def play(
    game: Annotated[str, typer.Argument(help="The game, e.g. 'havannah(size=6)'.")] = "havannah(size=6)",
    player: Annotated[str | None, typer.Option(help="Your opponent.")] = None,
    side: Annotated[str, typer.Option(help="Your side: first, second, or random.")] = "first",
    seed: Annotated[int | None, typer.Option(help="Makes the computer's play repeatable.")] = None,
    hot_seat: Annotated[
        bool, typer.Option(help="Two people at one screen, cleared between the sides (mr_jack).")
    ] = False,
) -> None:
    """Play against the computer. Without a terminal it plays one demonstration game against itself."""
    rules = Game(game)
    opponent = Player(player or (HIDDEN_OPPONENT if rules.hidden else OPPONENT))
    opponent.check(rules)
    if side not in ("first", "second", "random"):
        raise ValueError(f"--side {side} is not allowed: first, second, random")
    if hot_seat and not rules.hidden:
        raise ValueError(f"--hot-seat is for games with hidden information, which {rules.spec} is not")
    seed = random.randrange(2**31) if seed is None else seed
    state = rules.start(seed=seed)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        _demonstrate(state, opponent, seed)
        return
    if side == "random":
        side = random.choice(["first", "second"])
    if rules.hidden:
        whose: Side | None = None if hot_seat else "first" if side == "first" else "second"
        play_jack.Table(state, opponent, whose, seed).play()
        return
    _Table(state, opponent, side, seed).play()


def _name(state: State, side: str) -> str:
    return state.game.sides[0 if side == "first" else 1]


def _result(state: State) -> str:
    if state.outcome == "draw":
        return "The game is drawn."
    winner, kind = _name(state, state.outcome or ""), state.end_kind.replace("_", " ")
    return f"{winner} wins ({kind}) after {len(state.moves)} moves."


def _demonstrate(state: State, player: Player, seed: int) -> None:
    """One game of the computer against itself, quick enough for a pipe."""
    note(f"no terminal: the computer plays one game of {state.game.spec} against itself")
    while state.outcome is None:
        report = player.search(state, Limit(simulations=2000), seed=seed)
        print(f"{len(state.moves) + 1:>3}. {_name(state, state.to_move):<10} {report.best}")
        state.play(report.best)
    print(state.diagram())
    print(_result(state))


class _Table:
    """A person and the computer at one board."""

    def __init__(self, state: State, player: Player, side: str, seed: int) -> None:
        self.state = state
        self.player = player
        self.side = side
        self.seed = seed
        self.console: Console = stdout()

    def play(self) -> None:
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

    def _search(self) -> Report:
        with self.console.status("thinking"):
            return self.player.search(self.state, seed=self.seed)

    def _answer(self) -> None:
        report = self._search()
        self.state.play(report.best)
        value = "" if report.value is None else f" (it expects {100 * report.value:.0f} % for itself)"
        self.console.print(self.state.diagram())
        self.console.print(
            f"{_name(self.state, self.state.to_move)} to move. The computer played {report.best}{value}."
        )

    def _turn(self) -> bool:
        """One line of the person; False to leave."""
        try:
            line = self.console.input(f"{_name(self.state, self.side)}> ").strip()
        except EOFError:
            return False
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
                self.console.print(self._search().text(5))
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
