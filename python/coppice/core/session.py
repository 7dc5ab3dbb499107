"""Games in play, players and their searches: the typed front of the core."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from coppice import _core
from coppice.board.cells import Board, Cell, Piece, Rim, Side
from coppice.board.scales import PAINTINGS, Paint, Scale
from coppice.core.spec import COUNTS, Spec
from coppice.core.spec_like import SpecLike, spec_text

__all__ = [
    "CellTable",
    "Child",
    "Ending",
    "Game",
    "Limit",
    "MoveStat",
    "PerftCount",
    "Player",
    "Proof",
    "Report",
    "Solution",
    "SolverProgress",
    "State",
    "Thinking",
]

Proof = Literal["win", "draw", "loss"]
"""What is certain about a position, for the side to move; about a move, for the side that plays it."""
_CERTAIN: dict[Proof, float] = {"win": 1.0, "draw": 0.5, "loss": 0.0}


@dataclass(frozen=True)
class Limit:
    """When a search stops: at the first bound it reaches."""

    simulations: int | None = None
    """Simulations made."""
    states: int | None = None
    """States visited, in the tree and in playouts."""
    seconds: float | None = None
    """Wall-clock seconds."""
    cpu_seconds: float | None = None
    """CPU seconds of the searching thread."""

    def arguments(self) -> dict[str, Any]:
        """The bounds as the core takes them."""
        return {
            "simulations": self.simulations,
            "states": self.states,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }


class Ending(NamedTuple):
    """What a side did, or what befell it, when the game was won; in misère it has lost by it."""

    side: Side
    did: str
    """`White wins: Black did.`"""
    doing: str
    """`White wins by doing.`"""


@dataclass(frozen=True)
class MoveStat:
    """What a search knows about one move of the root, for the side to move."""

    name: str
    visits: int
    value: float | None
    """Mean result in 0..1; None if the move was never visited."""
    proof: Proof | None = None
    """What is known for certain, for the side to move; None unless the search proves results."""
    amaf_visits: float | None = None
    """How often the move was played anywhere later, where the search counts that."""
    amaf_value: float | None = None
    """The mean result of those simulations."""

    @property
    def expected(self) -> float | None:
        """What the move is worth, in 0..1: what is certain, else the mean result."""
        return _CERTAIN[self.proof] if self.proof else self.value


@dataclass(frozen=True)
class Child:
    """A child of a node of the search tree, for the side that makes the move."""

    name: str
    visits: int
    value: float | None
    """Mean result in 0..1; None if the move was never visited."""
    proof: Proof | None
    """What is known for certain, for the side that makes the move."""
    line: tuple[str, ...]
    """The move and those that the search expects after it."""


@dataclass(frozen=True)
class CellTable:
    """A table of a search or of one of its policies, laid out on the board."""

    name: str
    """`amaf`, `history`, `reply`, ..."""
    side: Side | None
    """Whose moves it is about; None: those of both sides, or of the side to move."""
    scale: Scale
    """What the values are: where they begin, end and have their middle."""
    doc: str
    """What a value says, in words."""
    values: tuple[float | None, ...]
    """By cell; None: nothing is known."""

    @property
    def known(self) -> dict[int, float]:
        """The values by cell, where something is known."""
        return {cell: value for cell, value in enumerate(self.values) if value is not None}

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest value that there may be; of counts, that there is."""
        return PAINTINGS[self.scale].range(self._largest)

    @property
    def legend(self) -> str:
        """What a value says and where it lies, in words."""
        return f"{self.doc} ({PAINTINGS[self.scale].legend(self._largest)})"

    def paint(self, names: Sequence[str]) -> dict[int, Paint]:
        """How the known values are painted on a board of cells with these names."""
        painting, largest = PAINTINGS[self.scale], self._largest
        return {cell: painting.paint(value, largest, names) for cell, value in self.known.items()}

    @property
    def _largest(self) -> float:
        return max(self.known.values(), default=0.0)


@dataclass(frozen=True)
class Report:
    """What a player has found out about a state."""

    best: str
    side: Side
    moves: tuple[MoveStat, ...]
    """Most visited first; empty for players that do not count."""
    line: tuple[str, ...]
    """The best move and the replies that the search expects."""
    simulations: int
    states: int
    seconds: float
    nodes: int
    bytes: int
    full_at: int | None
    """The simulation at which the memory was used up; the tree has not grown since."""
    notes: tuple[str, ...] = ()
    """What a reader of the result should know."""

    @property
    def proof(self) -> Proof | None:
        """What is certain about the state, for the side to move; None unless the search has proven it."""
        proofs = [stat.proof for stat in self.moves]
        if "win" in proofs:
            return "win"
        if not proofs or None in proofs:
            return None
        return "draw" if "draw" in proofs else "loss"

    @property
    def value(self) -> float | None:
        """What the best move is worth to the side to move, in 0..1: what is certain, else its mean result."""
        return next((stat.expected for stat in self.moves if stat.name == self.best), None)

    @classmethod
    def of(cls, entry: dict[str, Any]) -> Report:
        """A report from what the core returns."""
        return cls(
            **{
                **entry,
                "moves": tuple(MoveStat(**move) for move in entry["moves"]),
                "line": tuple(entry["line"]),
                "notes": tuple(entry["notes"]),
            }
        )

    def text(self, most: int = 10) -> str:
        """The report in a few lines: the best moves with visits and value, and the expected line."""
        from coppice.core.search_report import report_text

        return report_text(self, most)

    def _repr_html_(self) -> str:
        from coppice.core.search_report import report_html

        return report_html(self)


class PerftCount(NamedTuple):
    """How many sequences of exactly ``depth`` moves there are, and how those that end the game end it."""

    depth: int
    sequences: int
    terminal: int
    wins_first: int
    wins_second: int
    draws: int


class SolverProgress(NamedTuple):
    """How far the solver has come."""

    nodes: int
    seconds: float
    bytes: int
    known_moves: int
    all_moves: int


@dataclass(frozen=True)
class Solution:
    """What the solver has found out."""

    value: Proof | None
    """The value for the side to move; None if a limit came first."""
    side: Side
    moves: dict[str, Proof | None]
    """The value of every move, in the game's order; a move may stay unknown when the value is settled."""
    nodes: int
    states: int
    seconds: float
    bytes: int

    @property
    def best(self) -> list[str]:
        """The moves that keep the value."""
        return [move for move, value in self.moves.items() if value is not None and value == self.value]


class Game:
    """A game by its spec and options, e.g. ``Game("havannah(size=6)")`` or ``Game("havannah", size=6)``.

    In the place of the spec there may be a class that derives from ``coppice.extend.Game``, or a game.
    """

    spec_family: ClassVar[str] = "game"
    """What its spec names."""

    def __init__(self, game: SpecLike, /, **options: object) -> None:
        self.spec: str = _core.canonical("game", spec_text(game, options, what="game"))
        """The canonical form: every option written out."""
        self._start = _core.Session(self.spec)

    @classmethod
    def _of(cls, session: _core.Session) -> Game:
        """The game of a session, which is built already."""
        game = cls.__new__(cls)
        game.spec, game._start = session.game, session.another()
        return game

    @property
    def sides(self) -> tuple[str, str]:
        """What the first and the second side are called, e.g. White and Black."""
        return self._start.side_names

    @property
    def hidden(self) -> bool:
        """Whether a side may not see all of a state."""
        return self._start.hidden

    @property
    def notations(self) -> tuple[str, ...]:
        """The ways of writing a move; the first is the usual one."""
        return tuple(self._start.notations)

    def start(self, *, seed: int = 0) -> State:
        """The initial state; what the game deals is drawn from ``seed``."""
        return State(self._start.another(seed=seed))

    def state(self, position: str) -> State:
        """The state that a text (see :meth:`State.text`) describes."""
        return State(self._start.another(position))

    @property
    def symmetries(self) -> list[list[int]]:
        """The ways of turning and mirroring the board that change nothing: of each, where a cell goes.

        The first leaves all as it is; many games tell no other.
        """
        return self._start.symmetries()

    def board(self) -> Board:
        """The empty board."""
        entry = self._start.board()
        rims = tuple(Rim(side, tuple(line)) for side, line in entry["rims"])
        return Board(entry["shape"], tuple(Cell(*cell) for cell in entry["cells"]), rims)

    def __eq__(self, other: object) -> bool:
        return self.spec == other.spec if isinstance(other, Game) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.spec)

    def __reduce__(self) -> tuple[type[Game], tuple[str]]:
        return Game, (self.spec,)

    def __repr__(self) -> str:
        return f"Game({self.spec!r})"


class State:
    """A game in play: legal moves, ``play`` and ``undo``. Moves are their names.

    Two states are equal if their games, the positions in which they began and their moves are; positions that
    were reached in another order have the same :attr:`key`. A state that is played on is another one: keep a
    ``copy`` in a set or a dict. A pickled state is the whole state: its history, and its secrets where the
    game has some.
    """

    def __init__(self, session: _core.Session) -> None:
        self._session = session

    @property
    def game(self) -> Game:
        """The game that is played."""
        return Game._of(self._session)

    @property
    def to_move(self) -> Side:
        """``first`` or ``second``."""
        return self._session.to_move

    @property
    def outcome(self) -> Literal["first", "second", "draw"] | None:
        """Who has won, ``draw``, or None while the game goes on."""
        return self._session.outcome

    @property
    def end_kind(self) -> str:
        """In what way the game ended (``ring``, ``no_moves``, ...); empty while it goes on."""
        return self._session.end_kind

    @property
    def ending(self) -> Ending | None:
        """The game's words for how it was won; None while it goes on, and where the game has none."""
        words = self._session.ending
        return words and Ending(*words)

    @property
    def legal_moves(self) -> list[str]:
        """The moves of the side to move; none if the game is over."""
        return self._session.legal_moves()

    def legal_moves_for(self, side: Side) -> list[str]:
        """What a side is told: its moves when it is to move, and none otherwise.

        Where something is hidden, the moves of one side (an escape) would betray its secret to the other.
        """
        return self.legal_moves if side == self.to_move else []

    @property
    def moves(self) -> list[str]:
        """The moves played so far."""
        return self._session.moves()

    @property
    def key(self) -> int:
        """Equal for equal positions."""
        return self._session.key

    @property
    def winning_cells(self) -> list[int]:
        """The cells that show why the game was won."""
        return self._session.winning_cells

    def legal_moves_in(self, notation: str) -> list[str]:
        """The legal moves in one of the game's notations."""
        return self._session.legal_moves(notation)

    def moves_in(self, notation: str) -> list[str]:
        """The moves played so far in one of the game's notations."""
        return self._session.moves(notation)

    def play(self, *moves: str, notation: str = "standard") -> State:
        """Plays the moves and returns this state. An illegal move is a ValueError; those before it stay."""
        for move in moves:
            self._session.play(move, notation)
        return self

    def undo(self) -> State:
        """Takes the last move back and returns this state."""
        self._session.undo()
        return self

    def copy(self) -> State:
        """A state of its own with the same history."""
        return State(self._session.copy())

    def _history(self) -> tuple[str, str, tuple[str, ...]]:
        """All that makes this state: its game, the position in which it began, and its moves since."""
        start, moves = self._session.copy(), tuple(self._session.moves())
        for _ in moves:
            start.undo()
        return self._session.game, start.text(reveal=True), moves

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self is other or self._history() == other._history()

    def __hash__(self) -> int:
        return hash((self._session.game, tuple(self._session.moves())))

    def __copy__(self) -> State:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.copy()

    def __reduce__(self) -> tuple[Callable[..., State], tuple[str, str, tuple[str, ...]]]:
        return _replayed, self._history()

    def text(self, *, reveal: bool = False) -> str:
        """The position as text, which :meth:`Game.state` reads back.

        A game with secrets shows them only when it is over, or with ``reveal=True``.
        """
        return self._session.text(reveal=reveal)

    def view(self, side: Side) -> dict[str, str]:
        """All that a side may know."""
        return dict(self._session.view(side))

    def diagram(self) -> str:
        """The board in characters."""
        return self._session.diagram()

    def pieces(self) -> list[Piece]:
        """What stands on the board."""
        return [Piece(*piece) for piece in self._session.pieces()]

    def move_cells(self, move: str) -> list[int]:
        """The cells that a legal move touches."""
        return self._session.move_cells(move)

    def legal_move_cells(self) -> list[tuple[str, list[int]]]:
        """Every legal move with the cells it touches: what a board needs to be clicked on."""
        return self._session.legal_move_cells()

    def completing(self, side: Side) -> list[str]:
        """The moves with which a side, if it were to move, would win by a figure at once.

        Empty for games without such knowledge.
        """
        return self._session.completing(side)

    def forced_win(self, *, tries: int = 10_000) -> list[str] | None:
        """A line with which the side to move wins by threats alone, the forced answers between them.

        Every move of it but the last threatens to win at once; the last one wins, or leaves two ways to. None
        if trying so many moves finds none, or the game knows no completing moves.
        """
        if tries < 1:
            raise ValueError(f"tries is {tries}: at least 1 is needed")
        return self._session.forced_win(tries)

    def estimate(self, *, reveal: bool = False) -> float | None:
        """The game's estimate of the first side's result in 0..1, without playing on; None if it has none.

        It knows the secrets of a game that has some: say ``reveal=True``.
        """
        return self._session.estimate(reveal=reveal)

    def scripted(
        self, move: str, *, rules: str | None = None, reveal: bool = False
    ) -> tuple[list[str], float]:
        """What rule scripts make of the moves that differ from a legal one in the use of the power alone.

        The one that they choose, and what it is worth to the side to move, in 0..1. Where such a move ends
        the game no script is asked: all are left.

        Args:
            move: one of them.
            rules: folder of the scripts; those of the package if None.
            reveal: must be true where there are secrets: Jack's scripts know who he is.
        """
        return self._session.scripted(move, rules, reveal=reveal)

    def random_games(self, games: int, *, seed: int = 0, reveal: bool = False) -> dict[str, float]:
        """Plays uniformly random games from here: wins of the first side, draws, lengths, CPU seconds.

        Where there are secrets, the results betray them: say ``reveal=True``.
        """
        return self._session.random_games(games, seed=seed, reveal=reveal)

    def solve(
        self,
        limit: Limit | None = None,
        *,
        memory: int = 1 << 30,
        tell: Callable[[SolverProgress], None] | None = None,
    ) -> Solution:
        """The exact value of the position and of each move, for small boards.

        Args:
            limit: when to give up; simulations do not apply.
            memory: bytes that the solver's table may take.
            tell: called with the progress twice a second.
        """
        bounds = (limit or Limit()).arguments()
        if bounds.pop("simulations") is not None:
            raise ValueError("a solver makes no simulations: limit states, seconds or cpu_seconds")
        told = None if tell is None else lambda *numbers: tell(SolverProgress(*numbers))
        found = self._session.solve(memory=memory, tell=told, **bounds)
        return Solution(**{**found, "moves": dict(found["moves"])})

    def perft(self, depth: int, *, reveal: bool = False) -> list[PerftCount]:
        """Sequences of 1 to ``depth`` legal moves from here, and how many of them end the game."""
        return [PerftCount(*count) for count in self._session.perft(depth, reveal=reveal)]

    def __str__(self) -> str:
        return self.diagram()

    def __repr__(self) -> str:
        ended = f", outcome={self.outcome!r}" if self.outcome else ""
        return f"<State of {self._session.game} after {len(self.moves)} moves{ended}>"

    def svg(
        self,
        *,
        values: Mapping[int, float] | None = None,
        table: CellTable | None = None,
        marks: Sequence[int] = (),
        coordinates: bool = True,
        labels: Mapping[int, str] | None = None,
    ) -> str:
        """The position as a picture, a table painted by its scale; see ``board_svg``."""
        from coppice.board.svg import board_svg

        board = self.game.board()
        paints = None if table is None else table.paint([cell.name for cell in board.cells])
        return board_svg(
            board,
            self.pieces(),
            values=values,
            paints=paints,
            legend="" if table is None else table.legend,
            marks=marks,
            winning=self.winning_cells,
            coordinates=coordinates,
            labels=labels,
            # Where the first side is called Black, it has the dark stones.
            dark="first" if self.game.sides[0] == "Black" else "second",
        )

    def _repr_svg_(self) -> str:
        return self.svg()


def _replayed(game: str, start: str, moves: tuple[str, ...]) -> State:
    """The state that a pickle tells of."""
    return Game(game).state(start).play(*moves)


class Player:
    """A player by its spec and options, e.g. ``Player("uct(simulations=5000)")``.

    In the place of the spec there may be a player, or a class that derives from ``coppice.extend.Playout`` or
    ``coppice.extend.Selection``, which is ``mcts`` with that policy. Options are numbers, True, False, None,
    texts, such classes, or lists of parts, which are chains: ``Player("mcts", playout=[MyPlayout, "mast"])``.
    A new budget replaces the old one.
    """

    spec_family: ClassVar[str] = "player"
    """What its spec names."""

    def __init__(self, player: SpecLike, /, **options: object) -> None:
        self._player = _core.Player(spec_text(player, options, what="player"))
        self.spec: str = self._player.spec
        """The canonical form: every option written out, or, of a name such as ``strong`` that stands for
        another player in each game, those on which all games agree."""

    def on(self, game: Game) -> Player:
        """The same player in this game, in full: what ``strong`` stands for there."""
        return Player(_core.canonical("player", self.spec, game.spec))

    @property
    def limit(self) -> Limit:
        """The player's own limit; without any bound for players that need none."""
        spec = Spec.parsed(self.spec)
        counts = {name: int(found) for name in COUNTS if (found := spec.number(name)) is not None}
        return Limit(seconds=spec.number("seconds"), cpu_seconds=spec.number("cpu_seconds"), **counts)

    def check(self, game: Game) -> None:
        """Raises ValueError if the game cannot serve this player, or if it may play in matches only."""
        game._start.check(self._player)

    def search(self, state: State, limit: Limit | None = None, *, seed: int = 0) -> Report:
        """Decides for the side to move. ``limit`` replaces the player's own."""
        limit = limit or Limit()
        return Report.of(state._session.search(self._player, seed=seed, **limit.arguments()))

    def think(self, state: State, *, seed: int = 0) -> Thinking:
        """A search of the state that can be run on, read and stopped."""
        return Thinking(state._session.think(self._player, seed=seed))

    def __eq__(self, other: object) -> bool:
        return self.spec == other.spec if isinstance(other, Player) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.spec)

    def __reduce__(self) -> tuple[type[Player], tuple[str]]:
        return Player, (self.spec,)

    def __repr__(self) -> str:
        return f"Player({self.spec!r})"


class Thinking:
    """A search under way: ``run`` it on, or ``start`` it in the background, and read its ``report``."""

    def __init__(self, search: _core.Search) -> None:
        self._search = search
        self._thread: threading.Thread | None = None

    def run(self, limit: Limit | None = None) -> Report:
        """Adds simulations until the limit, counted from now; without one, until ``stop``."""
        self._refuse_if_running()
        self._search.run(**(limit or Limit()).arguments())
        return self.report()

    def start(self, limit: Limit | None = None) -> None:
        """The same in the background."""
        self._refuse_if_running()
        arguments = (limit or Limit()).arguments()
        self._thread = threading.Thread(target=self._search.run, kwargs=arguments, daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether a background run is under way."""
        return self._thread is not None and self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Waits for a background run, at most so many seconds; whether it is still under way."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self.running

    def stop(self) -> Report:
        """Ends a background run and returns its report."""
        thread = self._thread
        while thread is not None and thread.is_alive():
            # A run that has only just begun may still lower the flag: raise it until the thread has ended.
            self._search.stop()
            thread.join(0.02)
        self._thread = None
        return self.report()

    def advance(self, *moves: str) -> bool:
        """Goes on to the position after these moves, and keeps what the tree knows of it.

        False if it knows nothing, in which case nothing changes. Simulations count from the new position.
        """
        self._refuse_if_running()
        return self._search.advance(list(moves))

    def interrupt(self) -> None:
        """Ends a run that another thread is making, without waiting for its end."""
        self._search.stop()

    def report(self) -> Report:
        """What is known so far; may be read while a background run goes on."""
        return Report.of(self._search.report())

    def reports(self, every: float = 0.1) -> Iterator[Report]:
        """Reports of a background run, one every so many seconds, and a last one when it has ended."""
        while self.running:
            thread = self._thread
            if thread is not None:
                thread.join(every)
            yield self.report()
        yield self.report()

    def explore(self, *moves: str, most: int = 8) -> list[Child]:
        """The children of the node after a line of moves, most visited first; none where the tree ends.

        The first ``most`` come with the whole line that the search expects, the others with their move alone.
        """
        return [
            Child(name, visits, value, proof, tuple(line))
            for name, visits, value, proof, line in self._search.explore(list(moves), most=most)
        ]

    def tables(self) -> list[CellTable]:
        """Every statistic that the search and its policies keep, by cell; none if the game has no cells."""
        return [
            CellTable(name, side, scale, doc, tuple(values))
            for name, side, scale, doc, values in self._search.tables()
        ]

    def keep_log(self) -> None:
        """Keeps every simulation from now on, for ``log``."""
        self._search.keep_log()

    def log(self) -> list[tuple[list[str], int, float]]:
        """Of each kept simulation: its moves, how many were made in the tree, the first side's result."""
        return self._search.log()

    def worlds(self) -> list[tuple[str, bool] | None]:
        """Of each kept simulation of a game with hidden information, the world that it was played in.

        A world is the text of a state that the side to move cannot tell from the true one, and whether
        the nodes of the other side have learnt from it. None for games without secrets.
        """
        return self._search.worlds()

    def _refuse_if_running(self) -> None:
        if self.running:
            raise ValueError("this search is already running: stop() it first")
