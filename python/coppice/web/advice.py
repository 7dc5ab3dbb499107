"""What a strong search tells the players of a game: a hint, and a review of all its positions."""

from __future__ import annotations

from collections.abc import AsyncIterator

from coppice.core.search_report import percent
from coppice.core.session import Report
from coppice.web.game_room import GameRoom
from coppice.web.levels import strongest
from coppice.web.searches import Searches, decide

__all__ = ["hint", "hint_text", "review"]

HINT_SIMULATIONS = 8000
REVIEW_SIMULATIONS = 2000


async def hint(searches: Searches, owner: str, room: GameRoom, node: int) -> Report:
    """What a strong player would do at a node."""
    return await _search(searches, owner, room, node, HINT_SIMULATIONS)


async def review(searches: Searches, owner: str, room: GameRoom, node: int) -> AsyncIterator[int]:
    """Searches every position of the line through a node a little; gives each as soon as it is known."""
    for at in room.tree.line_through(node):
        if room.positions[at].outcome is not None:
            room.findings.note_end(at)
        elif not room.findings[at].proven:
            # Also where another player has searched: it may not see what this one proves.
            report = await _search(searches, owner, room, at, REVIEW_SIMULATIONS)
            room.findings.note_report(at, report)
        yield at


async def _search(searches: Searches, owner: str, room: GameRoom, node: int, simulations: int) -> Report:
    player = strongest(room.game.spec)
    return await decide(searches, owner, room.state(node).copy(), player, simulations, seed=1)


def hint_text(report: Report) -> str:
    """The move of a report and what it is worth, for the person who is to move."""
    if report.proof == "win":
        return f"{report.best} wins by force"
    if report.proof == "loss":
        return f"{report.best}, but you lose whatever you play if the other side finds the way"
    if report.proof == "draw":
        return f"{report.best} draws, and there is nothing better"
    return f"{report.best}, about {percent(report.value)} for you"
