"""Little boards as SVG in the colours of the page, for cards and for the pages that tell how to play."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from coppice.board.scene import SceneOptions
from coppice.board.svg import scene_svg
from coppice.core.session import Player, State
from coppice.web.allowed import game_of

__all__ = ["picture", "sample_picture"]


def picture(state: State, *, marks: Sequence[int] = (), label: str = "") -> str:
    """A state as an SVG that takes its colours from the page, with cells to point at."""
    drawn = state.scene(SceneOptions(coordinates=False, targets=marks))
    return scene_svg(drawn, coloured=False, label=label or "a board")


@functools.lru_cache(maxsize=64)
def sample_picture(spec: str, label: str) -> str:
    """A board of this game some moves into a game, the same every time."""
    game = game_of(spec)
    if game.hidden:
        return picture(game.start(), label=label)
    player = Player("uct(simulations=60)")
    state = game.start()
    for _ in range(max(4, len(game.board().cells) // 4)):
        tried = state.copy().play(player.search(state, seed=8).best)
        if tried.outcome is not None:
            break
        state = tried
    return picture(state, label=label)
