"""A game, and a game in play: each makes the other, so they live together."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from coppice import _core
from coppice.board.cells import Board, Cell, Piece, Rim, Side
from coppice.core.report import CellTable, Ending, Limit, PerftCount, Solution, SolverProgress
from coppice.core.spec_like import SpecLike, spec_text

if TYPE_CHECKING:
    from coppice.board.scene import SceneOptions
    from coppice.board.shapes import Scene

__all__ = ["Game", "State", "split_moves", "table_seed"]

TABLE_BITS = 192
"""Of a seed where people play."""
_WORD = 2**64 - 1


def table_seed() -> int:
    """A seed for a game between people or with one: drawn by the operating system, and never to be guessed.

    Nothing that a side sees comes from the word of what is hidden from it.
    """
    return secrets.randbits(TABLE_BITS)


def split_moves(text: str) -> list[str]:
    """The moves of a stored game: separated by `, ` where names contain blanks, else by one blank."""
    return [move for move in text.split(", " if ", " in text else " ") if move]


class Game:
    """A game by its spec and options, e.g. ``Game("havannah(size=6)")`` or ``Game("havannah", size=6)``.

    In the place of the spec there may be a class that derives from ``coppice.extend.Game``, or a game.
    """

    spec_family: ClassVar[str] = "game"
    """What its spec names."""

    def __init__(self, game: SpecLike, /, **options: object) -> None:
        self._game = _core.Game(spec_text(game, options, what="game"))
        self.spec: str = self._game.spec
        """The canonical form: every option written out."""

    @classmethod
    def _of(cls, handle: _core.Game) -> Game:
        """The game of a handle, which is built already."""
        game = cls.__new__(cls)
        game._game, game.spec = handle, handle.spec
        return game

    @property
    def sides(self) -> tuple[str, str]:
        """What the first and the second side are called, e.g. White and Black."""
        return self._game.side_names

    @property
    def hidden(self) -> bool:
        """Whether a side may not see all of a state."""
        return self._game.hidden

    @property
    def notations(self) -> tuple[str, ...]:
        """The ways of writing a move; the first is the usual one."""
        return tuple(self._game.notations)

    def start(self, *, seed: int = 0) -> State:
        """The initial state; what the game deals is drawn from ``seed``, a number below 2^192.

        Below 2^64 it is one word, for all that is dealt: enough for play, and little for secrets, since who
        sees a part can look for the words that deal it. A larger one, as `table_seed` gives, has a word for
        all, and two more, from which what the first and what the second side may not know is drawn anew.
        """
        if not 0 <= seed < 1 << TABLE_BITS:
            raise ValueError(f"seed {seed} is not allowed: a whole number from 0 to 2^{TABLE_BITS} - 1")
        dealt, first, second = (seed >> at & _WORD for at in range(0, TABLE_BITS, 64))
        return State(self._game.start(seed=dealt, hidden=(first, second) if first or second else None))

    def state(self, position: str) -> State:
        """The state that a text (see :meth:`State.text`) describes."""
        return State(self._game.start(position))

    @property
    def symmetries(self) -> list[list[int]]:
        """The ways of turning and mirroring the board that change nothing: of each, where a cell goes.

        The first leaves all as it is; many games tell no other.
        """
        return self._game.symmetries()

    def board(self) -> Board:
        """The empty board."""
        entry = self._game.board()
        rims = tuple(Rim(side, tuple(line)) for side, line in entry["rims"])
        cells = tuple(Cell(*cell) for cell in entry["cells"])
        return Board(entry["shape"], cells, rims, entry["size"], entry["black"])

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
        return Game._of(self._session.game)

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
        return self._session.game.spec, start.text(reveal=True), moves

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self is other or self._history() == other._history()

    def __hash__(self) -> int:
        return hash((self._session.game.spec, tuple(self._session.moves())))

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
        return [
            Piece(kind, side, tuple(cells), name, number, (state,) if state else ())
            for kind, side, cells, name, number, state in self._session.pieces()
        ]

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
        return f"<State of {self._session.game.spec} after {len(self.moves)} moves{ended}>"

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
        )

    def scene(self, options: SceneOptions | None = None) -> Scene:
        """The position as plain drawing elements, with the cells that won it: what every picture paints."""
        from coppice.board.scene import SceneOptions, scene

        shown = replace(options or SceneOptions(), winning=tuple(self.winning_cells))
        return scene(self.game.board(), self.pieces(), shown)

    def _repr_svg_(self) -> str:
        return self.svg()


def _replayed(game: str, start: str, moves: tuple[str, ...]) -> State:
    """The state that a pickle tells of."""
    return Game(game).state(start).play(*moves)
