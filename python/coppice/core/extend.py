"""Games and policies written in Python: a small class, named in a spec by its import path.

`python("module:Class")` names a game wherever a game can be named: in a match, a search, the terminal. A
class derives from `Game` and writes five methods. States are values: `play` returns a new one and leaves the
old one as it is. Plain values (tuples, strings, numbers) need nothing more.

Inside `mcts(...)`, `playout=python("module:Class")` names a class that derives from `Playout` and
`selection=python("module:Class")` one that derives from `Selection`; they serve every game.
`coppice check module:Class` tries a class of either kind and says what is wrong with it.

A class is read anew when its source has changed since; objects of the old class go on as they are, and so
does a match that is being played.

Every call takes the interpreter's lock, so threads do not help (processes do), and a search costs about a
hundred to some hundred times what it does in a built-in game, a random game more than a thousand times; the
pages on extending tell what was measured. A game whose functions are compiled (`compiled`, with Numba)
has neither cost.
"""

from __future__ import annotations

import ast
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar

from coppice import _core
from coppice._core import Chance, Child, Node, Simulation, Turn
from coppice.core import distribution
from coppice.core.captured import fingerprint_of_class
from coppice.core.sources import FORM, digest_of_class, load_module, named_in, told
from coppice.core.spec_like import SpecLike, class_path, python_spec, spec_text

__all__ = [
    "Chance",
    "Child",
    "Compiled",
    "Game",
    "Node",
    "Playout",
    "Selection",
    "Simulation",
    "Turn",
    "check",
    "compile_game",
    "fingerprint",
    "load",
    "load_playout",
    "load_selection",
]

State = TypeVar("State")
Side = Literal["first", "second"]


class Game(ABC, Generic[State]):
    """A game for two with perfect information; the first five methods must be written.

    A class that is named with `options` is built with that text as its only argument, else without any.
    """

    spec_family: ClassVar[str] = "game"
    """What a spec of the class names."""
    slots: int = 0
    """All moves are below this number, the size of tables over moves (RAVE, MAST); 0: there are none."""
    shape: Literal["square", "point", "hex_pointy", "hex_flat"] = "square"
    """What a cell looks like."""
    compiled: Compiled | None = None
    """The five methods as compiled functions, which are then called instead."""

    @abstractmethod
    def initial_state(self, seed: int) -> State:
        """How a game begins; chance, if there is any, comes from the seed."""

    @abstractmethod
    def side_to_move(self, state: State) -> Side:
        """`first` or `second`."""

    @abstractmethod
    def legal_moves(self, state: State) -> list[int]:
        """The moves as numbers from 0, always in the same order; asked only while the game goes on."""

    @abstractmethod
    def play(self, state: State, move: int) -> State:
        """The state after a legal move: a new value."""

    @abstractmethod
    def outcome(self, state: State) -> Literal["first", "second", "draw"] | None:
        """Who has won, or None while the game goes on."""

    # What follows has an answer that serves states of plain values.

    def move_name(self, state: State, move: int) -> str:
        """What people call a move, without commas; different moves of a state have different names."""
        return str(move)

    def state_text(self, state: State) -> str:
        """The position as text, which `parse_state` reads back; equal positions have equal texts."""
        return repr(state)

    def parse_state(self, text: str) -> State:
        """The state of a text; a ValueError says what is wrong with it."""
        try:
            state: State = ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
            raise ValueError(f"'{text[:60]}' is not a state: a state's text is what Python writes") from error
        self.side_to_move(state)
        return state

    def key(self, state: State) -> int:
        """A number below 2^64, equal for equal positions and, in all likelihood, for no others."""
        digest = hashlib.blake2b(self.state_text(state).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "little")

    def diagram(self, state: State) -> str:
        """The position in characters."""
        return self.state_text(state)

    def cells(self) -> Sequence[tuple[str, float, float] | tuple[str, float, float, str]]:
        """The board: name and place of each cell, in cell widths, y growing downward.

        A fourth entry says what the cell is, such as `dark`; a kind that nobody draws looks like `plain`.
        """
        return []

    def pieces(self, state: State) -> Sequence[tuple[int, Side | None] | tuple[int, Side | None, str]]:
        """What stands on the board: the number of a cell and a side.

        A third entry says what the piece is, such as `man` or `knight`; without it, it is a `stone`. A kind
        that nobody draws is a disc with its first two letters.
        """
        return []

    def move_cells(self, state: State, move: int) -> Sequence[int]:
        """The numbers of the cells that a move touches."""
        return []


class Playout(ABC):
    """A playout policy; `choose` must be written.

    Each search builds an object of its own: without arguments, or with the text that `options` gives.
    """

    spec_family: ClassVar[str] = "playout"
    """What a spec of the class names."""

    @abstractmethod
    def choose(self, turn: Turn, rng: Chance) -> int | Literal["first", "second", "draw"] | float | None:
        """The answer to a turn: a legal move; None to pass it on to the next policy of the chain.

        Or an end before the end: `first`, `second` or `draw` where the game is decided, or an estimate of the
        first side's result, a `float` from 0.0 to 1.0. All chance must come from `rng`, the search's own
        stream, or the same search gives another result each time.
        """

    def observe(self, simulation: Simulation) -> None:  # noqa: B027
        """Learns from a finished simulation; its `moves` are pairs of a move and the side that made it."""

    def new_root(self) -> None:  # noqa: B027
        """The search goes on from another root (`reuse=true`)."""


class Selection(ABC):  # noqa: B024
    """A selection formula: `value` must be written, or `values` for all children of a node at once.

    Each search builds an object of its own: without arguments, or with the text that `options` gives.
    """

    spec_family: ClassVar[str] = "selection"
    """What a spec of the class names."""
    amaf: bool = False
    """Whether the formula reads `amaf_visits` and `amaf_mean`, which a search keeps only if asked."""

    def value(self, child: Child) -> float:
        """A number for a child; simulations go to the largest, and the search breaks ties."""
        raise NotImplementedError

    def values(self, node: Node) -> list[float]:
        """A number for each of `node.children`, in their order."""
        return [self.value(child) for child in node.children]

    def observe(self, simulation: Simulation) -> None:  # noqa: B027
        """Learns from a finished simulation; its `moves` are pairs of a move and the side that made it."""

    def new_root(self) -> None:  # noqa: B027
        """The search goes on from another root (`reuse=true`)."""


@dataclass(frozen=True)
class Compiled:
    """Rules as compiled functions on states of so many 64-bit words; `compile_game` makes one.

    The functions are called without any check: one that writes beyond its state ends the process or worse.
    """

    words: int
    """Words of a state."""
    most_moves: int
    """No state has more legal moves."""
    functions: dict[str, Any]

    def address(self, name: str) -> int:
        """Where a function is."""
        return int(self.functions[name].address)


def compile_game(
    *,
    words: int,
    most_moves: int,
    initial_state: Callable[..., None],
    side_to_move: Callable[..., int],
    legal_moves: Callable[..., int],
    play: Callable[..., None],
    outcome: Callable[..., int],
) -> Compiled:
    """Compiles five functions with Numba; states are arrays of `words` 64-bit numbers that change in place.

    `initial_state(state, seed)` fills an array of zeros, `side_to_move(state)` is 0 or 1, `legal_moves(state,
    moves)` writes into `moves` and returns how many there are, `play(state, move)` changes the state, and
    `outcome(state)` is 0 while the game goes on, 1 or 2 when the first or second side has won, 3 for a draw.
    The other methods of a class with compiled functions see a state as a tuple of its words.
    """
    numba = distribution.optional("numba", "numba", "compiled games need Numba")
    carray, types = numba.carray, numba.types
    for what, number, most in (("words", words, 1 << 20), ("most_moves", most_moves, 1 << 20)):
        if not 1 <= number <= most:
            raise ValueError(f"{what}={number} is not allowed: a whole number from 1 to {most}")
    pointer = types.CPointer(types.int64)
    begin, side, legal, step, end = map(numba.njit, (initial_state, side_to_move, legal_moves, play, outcome))

    def call_initial_state(state: Any, seed: int) -> None:
        begin(carray(state, (words,)), seed)

    def call_side_to_move(state: Any) -> int:
        return side(carray(state, (words,)))  # type: ignore[no-any-return]

    def call_legal_moves(state: Any, moves: Any) -> int:
        return legal(carray(state, (words,)), carray(moves, (most_moves,)))  # type: ignore[no-any-return]

    def call_play(state: Any, move: int) -> None:
        step(carray(state, (words,)), move)

    def call_outcome(state: Any) -> int:
        return end(carray(state, (words,)))  # type: ignore[no-any-return]

    makers = (
        ("initial_state", types.void(pointer, types.int64), call_initial_state),
        ("side_to_move", types.int64(pointer), call_side_to_move),
        ("legal_moves", types.int64(pointer, pointer), call_legal_moves),
        ("play", types.void(pointer, types.int64), call_play),
        ("outcome", types.int64(pointer), call_outcome),
    )
    functions = {}
    for name, signature, function in makers:
        try:
            functions[name] = numba.cfunc(signature)(function)
        except numba.core.errors.NumbaError as error:
            reason = " ".join(str(error).split())
            raise ValueError(f"{name} cannot be compiled: {reason}") from error
    return Compiled(words, most_moves, functions)


@dataclass(frozen=True)
class _Kind:
    """What can be written in Python, as errors speak of it."""

    base: type
    name: str
    plural: str
    required: tuple[str, ...]

    def holds(self, value: Any) -> bool:
        """Whether a value is a class of this kind."""
        return isinstance(value, type) and issubclass(value, self.base) and value is not self.base

    def lacks(self, found: type) -> list[str]:
        """What a class of this kind must still write."""
        if self.base is Selection:
            written = any(
                getattr(found, name) is not getattr(Selection, name) for name in ("value", "values")
            )
            return [] if written else ["value"]
        return sorted(getattr(found, "__abstractmethods__", ()))


_GAME = _Kind(Game, "game", "games", ("initial_state", "side_to_move", "legal_moves", "play", "outcome"))
_PLAYOUT = _Kind(Playout, "playout policy", "playout policies", ("choose",))
_SELECTION = _Kind(Selection, "selection formula", "selection formulas", ("value",))
_KINDS = (_GAME, _PLAYOUT, _SELECTION)


def load(path: str, options: str | None = None) -> Game[Any]:
    """The game that an import path names; a ValueError says what is wrong with it."""
    game: Game[Any] = _built(path, options, _GAME)
    if not isinstance(game.slots, int) or not 0 <= game.slots <= 1 << 24:
        raise ValueError(f"{path}: slots={game.slots!r} is not allowed: a whole number from 0 to {1 << 24}")
    return game


def load_playout(path: str, options: str | None = None) -> Playout:
    """A new object of the playout policy that an import path names; a ValueError says what is wrong."""
    playout: Playout = _built(path, options, _PLAYOUT)
    return playout


def load_selection(path: str, options: str | None = None) -> Selection:
    """A new object of the selection formula that an import path names; a ValueError says what is wrong."""
    selection: Selection = _built(path, options, _SELECTION)
    if not isinstance(selection.amaf, bool):
        raise ValueError(f"{path}: amaf={selection.amaf!r} is not allowed: True or False")
    return selection


def fingerprint(path: str) -> str:
    """A text that changes with the content of the class that an import path names.

    The content is the source in its file and in those of the modules that it imports from its own folder.
    Of a class that no file holds as it is, since it was made in a notebook or a terminal, it is the compiled
    code with the values that it captures; an `UntoldError` names one that nobody can tell.
    """
    found, _ = _found(path, _KINDS)
    return digest_of_class(path.rpartition(":")[0], found) or fingerprint_of_class(found)


def is_in_file(path: str) -> bool:
    """Whether the source of the class that an import path names is in files, as it was loaded."""
    found, _ = _found(path, _KINDS)
    return digest_of_class(path.rpartition(":")[0], found) is not None


def class_at(path: str) -> type:
    """The game or policy that an import path names; a ValueError says why there is none."""
    return _found(path, _KINDS)[0]


def _found(path: str, kinds: Sequence[_Kind]) -> tuple[type, _Kind]:
    """The class that a path names, which must be of one of these kinds."""
    where, colon, name = path.rpartition(":")
    if not colon or not where or not name.isidentifier():
        raise ValueError(f"'{path}' is not the path of a class: {FORM}")
    module = load_module(where)
    found = named_in(where, name)
    if found is None:
        classes = [key for key, value in vars(module).items() if any(kind.holds(value) for kind in kinds)]
        plural = " and ".join(kind.plural for kind in kinds)
        raise ValueError(f"{where} has no class '{name}': its {plural} are {', '.join(classes) or 'none'}")
    for kind in kinds:
        if isinstance(found, type) and kind.holds(found):
            return found, kind
    names = " or ".join(f"a {kind.name}" for kind in kinds)
    bases = " or ".join(f"coppice.extend.{kind.base.__name__}" for kind in kinds)
    raise ValueError(f"{path} is not {names}: it must be a class that derives from {bases}")


def _built(path: str, options: str | None, wanted: _Kind) -> Any:
    found, kind = _found(path, [wanted])
    missing = kind.lacks(found)
    if missing:
        raise ValueError(
            f"{path} lacks {', '.join(missing)}: a {kind.name} must have {', '.join(kind.required)}"
        )
    try:
        return found() if options is None else found(options)
    except Exception as error:
        given = "" if options is None else f" with options={options!r}"
        raise ValueError(f"{path} cannot be built{given}: {told(error)}") from error


def check(what: SpecLike, *, games: int = 10, seed: int = 0, game: SpecLike | None = None) -> None:
    """Tries a game or a policy; a ValueError tells what does not hold, and where.

    `what` is a class or its path, or a game. A game is played at random and every position is
    checked. A policy searches in the games that it plays on some small built-in games, or on `game`.
    """
    what = class_path(what) if isinstance(what, type) else spec_text(what, what="game")
    game = None if game is None else spec_text(game, what="game")
    if ":" in what and "(" not in what:
        _, kind = _found(what, _KINDS)
        if kind is not _GAME:
            _check_policy(what, kind, [game] if game is not None else _TRIALS, games, seed)
            return
        what = python_spec(what)
    if game is not None:
        raise ValueError(f"game={game} is for policies, and {what} is a game")
    _core.check_game(what, games=games, seed=seed)


class _Pass(Playout):
    """Leaves every turn to the next policy: what a policy that does nothing looks like."""

    def choose(self, turn: Turn, rng: Chance) -> None:
        return None


class _Constant(Selection):
    """Tells no child from another: what a formula that does nothing looks like."""

    def value(self, child: Child) -> float:
        return 0.0


_TRIALS = ("tic_tac_toe", "domineering(rows=4, columns=4)", "havannah(size=4)")
_SIMULATIONS = 60
_SEARCHES = 4
"""Searches at the beginning of each game that a policy is tried in."""


def _check_policy(path: str, kind: _Kind, trials: Sequence[str], games: int, seed: int) -> None:
    family, idle, told = (
        ("playout", _Pass, "choose passes at every turn")
        if kind is _PLAYOUT
        else ("selection", _Constant, "all children of a node always have the same value")
    )
    limit = f"simulations={_SIMULATIONS}"
    player = _core.Player(f"mcts({family}={python_spec(path)}, {limit})")
    without = _core.Player(f"mcts({family}={python_spec(f'{__name__}:{idle.__name__}')}, {limit})")
    alive = False
    for number in range(games):
        game = trials[number % len(trials)]
        session = _core.Game(game).start(seed=seed + number)
        for _ in range(_SEARCHES):
            if session.outcome is not None:
                break
            report = session.search(player, seed=seed)
            if session.search(player, seed=seed)["moves"] != report["moves"]:
                raise ValueError(
                    f"in {game}: the same search gave two results: all chance must come from the search's "
                    "random numbers, and nothing may be kept outside the object"
                )
            alive = alive or session.search(without, seed=seed)["moves"] != report["moves"]
            session.play(report["best"])
    if not alive:
        raise ValueError(f"it changes no search: {told}")
