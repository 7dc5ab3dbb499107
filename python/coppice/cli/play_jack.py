"""Mr Jack in the terminal: each side sees what it may know, against the computer or at one screen in turn."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from coppice.board.cells import Side
from coppice.cli.output import stdout
from coppice.core.endings import ending
from coppice.core.session import Player, Report, State

__all__ = ["JackTerminalGame", "coloured_map", "known_facts"]

HELP = """A move is a character, where he goes and how he uses his power, in the order of events:
  holmes c5                       watson b4 facing NE            smith c3 lamp e2>g7
  lestrade d4 cordon NE>SW        bert c3 cover a5>f7            gull swap bert
  goodley b6 whistle smith>c5 watson>d4:NE
  smith d4 accuse gull            stealthy exit NW               (these end the game)
Type a move, or:
  moves CHARACTER HEX   legal moves that name both        hint    what the computer would play for you
  board   the map and what you know again                 quit    leave the game"""

SHOWN = 60
"""Moves listed at once."""

MARKS = re.compile(r"\[[A-Z]{2}\]|\[[a-z]{2}\]|\*.\*|\(o\)|\(x\)|[>x](?:NW|NE|SW|SE)|###|&&&")


def _style(mark: str, visible: set[str]) -> str:
    """How a mark of the map is shown: who is seen stands on yellow, suspects are bold."""
    if mark.startswith("["):
        light = " on yellow" if mark[1:3].lower() in visible else " on grey19"
        return ("bold red" if mark.isupper() else "green") + light
    if mark.startswith("*"):
        return "dim" if mark == "*-*" else "bold yellow"
    plain = {"(o)": "cyan", "(x)": "dim cyan", "###": "grey42", "&&&": "green4"}
    return plain.get(mark, "bold magenta" if mark.startswith(">") else "dim magenta")


def coloured_map(state: State) -> Text:
    """The public map with its marks in colour."""
    visible = {name[:2] for name in state.view("first")["visible"].split(",")}
    text = Text(state.diagram())
    rows = state.diagram().splitlines()
    end = sum(len(row) + 1 for row in rows[:18])
    for match in MARKS.finditer(state.diagram()):
        if match.start() < end:
            text.stylize(_style(match[0], visible), match.start(), match.end())
    return text


def _list(names: str) -> str:
    return "nobody" if names in ("", "-") else names.replace(",", ", ")


def known_facts(state: State, side: Side, witnesses: list[str]) -> str:
    """What a side knows beyond the map, in a few lines."""
    view = state.view(side)
    lines = [
        f"seen now: {_list(view['visible'])}",
        f"innocent: {_list(view['innocent'])}",
        f"alibi cards: {view['alibis_of_detective']} with the detective, {view['alibis_of_jack']} with Jack, "
        f"{view['alibis_left']} in the pile; yours: {_list(view['own_alibis'])}",
    ]
    if side == "first":
        suspects = view["suspects"].split(",")
        lines.append(f"suspects left: {len(suspects)} ({_list(view['suspects'])})")
    else:
        may = "may" if view["witness"] == "invisible" else "may not"
        lines.append(f"you are {view['jack']}; you {may} leave the map in this turn")
    lines += [f"witnesses: {said}" for said in witnesses] or ["witnesses: not called yet"]
    return "\n".join(lines)


@dataclass
class JackTerminalGame:
    """One game at one screen: a person and the computer, or two people in turn."""

    state: State
    player: Player
    side: Side | None
    """The person's side; None: two people share the screen."""
    seed: int
    console: Console = field(default_factory=stdout)
    witnesses: list[str] = field(default_factory=list)
    """What the witnesses have said so far, turn by turn."""

    def play(self) -> None:
        """Plays the game to its end, or until somebody leaves."""
        shown: Side | None = None
        while self.state.outcome is None:
            mover = self.state.to_move
            if self.side not in (None, mover):
                self._answer()
                continue
            if self.side is None and mover != shown and not self._hand_over(mover):
                return
            if mover != shown or self.side is not None:
                self._show(mover)
            shown = mover
            if not self._turn(mover):
                return
        self.console.print(coloured_map(self.state))
        self._tell_the_end()

    def _name(self, side: Side) -> str:
        return self.state.game.sides[0 if side == "first" else 1]

    def _show(self, side: Side) -> None:
        self.console.print(coloured_map(self.state))
        self.console.print(known_facts(self.state, side, self.witnesses))

    def _hand_over(self, side: Side) -> bool:
        """Clears the screen before the other side may look; False to leave."""
        self.console.clear()
        try:
            self.console.input(f"{self._name(side)} to move. The other side looks away; press Enter. ")
        except EOFError:
            return False
        return True

    def _moved(self, move: str) -> None:
        """Plays a move and notes what the witnesses say to it."""
        before = self.state.view("first")
        self.state.play(move)
        after = self.state.view("first")
        if after["turn"] != before["turn"] and self._called(int(before["turn"])):
            flipped = sorted(set(after["innocent"].split(",")) - set(before["innocent"].split(",")) - {"-"})
            cleared = f", innocent: {', '.join(flipped)}" if flipped else ""
            self.witnesses.append(f"turn {before['turn']}, Jack was {after['witness']}{cleared}")

    def _called(self, turn: int) -> bool:
        return "every_turn" in self.state.game.spec or turn % 2 == 0

    def _search(self) -> Report:
        with self.console.status("thinking"):
            return self.player.search(self.state, seed=self.seed)

    def _answer(self) -> None:
        name = self._name(self.state.to_move)
        report = self._search()
        self._moved(report.best)
        self.console.print(f"{name} (the computer) played {report.best}.")

    def _turn(self, side: Side) -> bool:
        """Lines of the person until a move is made; False to leave."""
        while True:
            try:
                line = self.console.input(f"{self._name(side)}> ").strip()
            except EOFError:
                return False
            words = line.lower().split()
            match words:
                case []:
                    pass
                case ["quit" | "exit" | "q"]:
                    return False
                case ["help" | "?"]:
                    self.console.print(HELP)
                case ["board"]:
                    self._show(side)
                case ["hint"]:
                    self.console.print(self._search().text(5))
                case ["moves", *which]:
                    self._list_moves(side, which)
                case _:
                    try:
                        self._moved(line)
                    except ValueError as error:
                        self.console.print(f"{error}")
                        continue
                    return True

    def _list_moves(self, side: Side, which: list[str]) -> None:
        """The legal moves that begin with a character and, if asked for, name a hex."""
        moves = self.state.legal_moves_for(side)
        found = [move for move in moves if all(word in move.lower().split() for word in which)]
        for move in found[:SHOWN]:
            self.console.print(f"  {move}")
        if len(found) > SHOWN:
            self.console.print(f"  ... ({len(found):,} in all; 'moves goodley c5' shows fewer)")
        if not found:
            self.console.print("no legal move has all these words; cards in hand are shown below the map")

    def _tell_the_end(self) -> None:
        view = self.state.view("second")
        self.console.print(f"{ending(self.state)} Jack was {view['jack']}.", style="bold")
