"""OpenSpiel both ways: its games played here, and our players as its bots.

`python("coppice.openspiel:OpenSpielGame", options="connect_four")` is any OpenSpiel game for two that take
turns, without chance and secrets. `CoppiceBot` is a player as OpenSpiel's programs take it.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from coppice.core import distribution, extend
from coppice.core.session import Game, Limit, Player, State
from coppice.core.spec_like import SpecLike, python_spec

if TYPE_CHECKING:
    Bot = object
else:
    Bot = distribution.optional("pyspiel", "openspiel", "OpenSpiel is not installed").Bot

__all__ = ["CoppiceBot", "OpenSpielGame", "game_spec"]


def _spiel() -> Any:
    return importlib.import_module("pyspiel")


def _load(text: str) -> Any:
    """The OpenSpiel game of a text, if it is one that can be played here."""
    spiel = _spiel()
    try:
        game = spiel.load_game(text)
    except spiel.SpielError as error:
        raise ValueError(f"OpenSpiel has no game '{text}': {' '.join(str(error).split())}") from error
    kind = game.get_type()
    wanted = (
        (game.num_players() == 2, "two players"),
        (kind.dynamics == spiel.GameType.Dynamics.SEQUENTIAL, "players that take turns"),
        (kind.chance_mode == spiel.GameType.ChanceMode.DETERMINISTIC, "no chance"),
        (kind.information == spiel.GameType.Information.PERFECT_INFORMATION, "perfect information"),
    )
    lacking = [what for holds, what in wanted if not holds]
    if lacking:
        raise ValueError(f"'{text}' cannot be played here: a game needs {', '.join(lacking)}")
    return game


class OpenSpielGame(extend.Game[Any]):
    """An OpenSpiel game by the text with which OpenSpiel loads it, e.g. ``connect_four``.

    A state's text is its history, so positions that are reached in two ways count as two. A move is called
    what OpenSpiel calls it, in one word: commas and blanks become `_`, and where two actions share a name
    their numbers follow it, as in `e4#23`.
    """

    def __init__(self, text: str = "") -> None:
        if not text:
            raise ValueError('name an OpenSpiel game: options="connect_four"')
        self._game = _load(text)
        self.slots = self._game.num_distinct_actions()
        # The names of the state that was asked about last: they belong together.
        self._names: tuple[Any, dict[int, str]] = None, {}

    def initial_state(self, seed: int) -> Any:
        """How a game begins."""
        return self._game.new_initial_state()

    def side_to_move(self, state: Any) -> Literal["first", "second"]:
        """OpenSpiel's player 0 is the first side."""
        return "first" if state.current_player() == 0 else "second"

    def legal_moves(self, state: Any) -> list[int]:
        """OpenSpiel's actions."""
        actions: list[int] = state.legal_actions()
        return actions

    def play(self, state: Any, move: int) -> Any:
        """A new state."""
        return state.child(move)

    def outcome(self, state: Any) -> Literal["first", "second", "draw"] | None:
        """Who has the higher return."""
        if not state.is_terminal():
            return None
        first, second = state.returns()
        return "draw" if first == second else "first" if first > second else "second"

    def move_name(self, state: Any, move: int) -> str:
        """As OpenSpiel writes it, in one word that no other move has."""
        known, names = self._names
        if known is not state:
            names = _names_of(state)
            self._names = state, names
        return names[move]

    def state_text(self, state: Any) -> str:
        """The actions so far."""
        return "history: " + " ".join(map(str, state.history()))

    def parse_state(self, text: str) -> Any:
        """Plays the actions again."""
        head, colon, actions = text.partition(":")
        words = actions.split()
        if head.strip() != "history" or not colon or not all(word.isdigit() for word in words):
            raise ValueError(f"'{text[:60]}' is not a state: write 'history: 3 5 8'")
        state = self._game.new_initial_state()
        for word in words:
            if state.is_terminal() or int(word) not in state.legal_actions():
                raise ValueError(f"'{text[:60]}' is not a state: action {word} is not legal")
            state.apply_action(int(word))
        return state

    def diagram(self, state: Any) -> str:
        """As OpenSpiel draws it."""
        return str(state)


def _names_of(state: Any) -> dict[int, str]:
    """What the legal actions of a state are called."""
    player = state.current_player()
    words = {action: _word(state.action_to_string(player, action)) for action in state.legal_actions()}
    count = Counter(words.values())
    return {action: f"{word}#{action}" if count[word] > 1 else word for action, word in words.items()}


def _word(text: str) -> str:
    return re.sub(r"[\s,]+", "_", text.strip())


def game_spec(text: str) -> str:
    """The spec of an OpenSpiel game."""
    return python_spec("coppice.openspiel:OpenSpielGame", text)


class CoppiceBot(Bot):
    """A Coppice player as an OpenSpiel bot.

    Without `game` the player searches in OpenSpiel's own game, whatever it is. With the spec of a built-in
    game it searches there, hundreds of times faster; `name` then tells what that game calls an action of a
    state (OpenSpiel's own name, in one word, unless given).
    """

    def __init__(
        self,
        openspiel_game: Any,
        player: SpecLike,
        *,
        game: SpecLike | None = None,
        name: Callable[[Any, int], str] | None = None,
        limit: Limit | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self._game = Game(game_spec(str(openspiel_game)) if game is None else game)
        self._player = Player(player)
        self._player.check(self._game)
        self._name = name
        self._theirs = openspiel_game
        self._limit = limit
        self._seed = seed

    def _state(self, state: Any) -> State:
        """The same position on our side."""
        ours, theirs = self._game.start(seed=self._seed), self._theirs.new_initial_state()
        for action in state.history():
            ours.play(self._names(theirs)[action])
            theirs.apply_action(action)
        return ours

    def _names(self, state: Any) -> dict[int, str]:
        """What our game calls the legal actions."""
        if self._name is None:
            return _names_of(state)
        return {action: self._name(state, action) for action in state.legal_actions()}

    def step(self, state: Any) -> int:
        """The action for the player to move."""
        best = self._player.search(self._state(state), self._limit, seed=self._seed).best
        names = self._names(state)
        # Of chess, bxc4 and Bxc4 are two moves: the very name goes before one that differs in its case.
        alike = [action for action, name in names.items() if name.lower() == best.lower()]
        for action in sorted(alike, key=lambda action: names[action] != best):
            return int(action)
        raise ValueError(f"OpenSpiel has no action for the move '{best}': check the naming of moves")

    def restart(self) -> None:
        """A new game, with chance of its own."""
        self._seed += 1

    def restart_at(self, state: Any) -> None:
        """The bot keeps nothing of a game: any state will do."""

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Every step reads the whole history."""
