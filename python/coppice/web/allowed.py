"""What a browser may name: Coppice's own parts, and the guests that the operator has welcomed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import ClassVar

from coppice import _core
from coppice.core.catalogue import Family
from coppice.core.guests import NOBODY, Guests
from coppice.core.session import Game, Player
from coppice.web.limits import limits

__all__ = ["allowed", "game_of", "guest_games", "guests", "welcome"]


class _Welcome:
    """What whoever started the server lets browsers name although it is written elsewhere."""

    games: ClassVar[tuple[str, ...]] = ()
    guests: ClassVar[Guests] = NOBODY


def welcome(specs: Sequence[str]) -> None:
    """From now on browsers may name these games, players and policies, spelt like this or in full."""
    families = [_family(spec) for spec in specs]
    full = [_core.canonical(family, spec) for family, spec in zip(families, specs, strict=True)]
    for spec, family in zip(specs, families, strict=True):
        if family == "game" and not Game(spec).board().cells:
            raise ValueError(f"the guest {spec} has no board that could be shown: its class needs cells")
    _Welcome.games = tuple(spec for spec, family in zip(full, families, strict=True) if family == "game")
    _Welcome.guests = Guests(specs)


def _family(spec: str) -> str:
    """What a guest is: a game, a player, a playout or a selection policy."""
    tries: dict[str, Callable[[], object]] = {
        "game": lambda: Game(spec),
        "player": lambda: Player(spec),
        "playout": lambda: Player(f"mcts(playout={spec})").check(Game("tic_tac_toe")),
        "selection": lambda: Player(f"mcts(selection={spec})").check(Game("tic_tac_toe")),
    }
    refusals = []
    for family, attempt in tries.items():
        try:
            attempt()
        except ValueError as error:
            refusals.append(str(error))
        else:
            return family
    # That a class is of another kind, or a name of another family, says nothing about what is wrong with it.
    telling = [text for text in refusals if " is not a " not in text and "unknown " not in text]
    raise ValueError(f"the guest {spec}: {(telling or refusals)[0]}")


def guest_games() -> tuple[str, ...]:
    """The games among the guests, in full."""
    return _Welcome.games


def guests() -> Guests:
    """What browsers may name although it lives outside the process."""
    return _Welcome.guests


def allowed(spec: str, family: Family = "player") -> str:
    """A spec that a browser may name; a ValueError says what in it is neither Coppice's own nor a guest."""
    return guests().admit(spec, family)


def game_of(spec: str) -> Game:
    """The game of a spec that a browser may name; games do not change, so rooms share them."""
    return _game(allowed(spec, "game"))


@functools.lru_cache(maxsize=64)
def _game(spec: str) -> Game:
    game = Game(spec)
    if (cells := len(game.board().cells)) > limits().cells:
        raise ValueError(f"a board has at most {limits().cells:,} cells here, not {cells:,}")
    return game
