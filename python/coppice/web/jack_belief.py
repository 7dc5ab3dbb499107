"""After a game of Mr Jack: how likely each suspect was, turn by turn, and what a search believed."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

from coppice.board.jack_light import places
from coppice.board.jack_map import CHARACTERS
from coppice.core.session import Player, State, Thinking
from coppice.web.game_room import GameRoom
from coppice.web.jack_facts import called_after, names_of
from coppice.web.jack_track import face
from coppice.web.levels import strongest
from coppice.web.searches import Searches, capped, think_on

__all__ = ["SIMULATIONS", "Moment", "SearchBelief", "belief_html", "moments", "search_belief"]

SIMULATIONS = 400
"""Of a search that is asked again, where its player has no number of its own."""


@dataclass(frozen=True)
class Moment:
    """The detective's first decision of a turn, and what he could know then."""

    node: int
    turn: int
    exact: dict[str, float]
    """How likely each character is Jack by the calls and the alibi cards alone."""
    place: str
    """Where Jack stood when the turn was over."""
    call: str
    """What the witness said then: `visible`, `invisible`, or nothing."""


@dataclass(frozen=True)
class SearchBelief:
    """Who was Jack in the simulations of one search, and how those went for the detective."""

    share: dict[str, float]
    wins: dict[str, float]
    simulations: int


def moments(room: GameRoom) -> list[Moment]:
    """The turns of a game that is over."""
    if not room.over:
        raise ValueError("what Jack's identity was is told when the game is over")
    found: list[Moment] = []
    path = room.tree.path(room.live)
    views = {node: room.state(node).view("first") for node in path}
    jack = room.state(room.live).view("second")["jack"]
    cells = room.game.board().cells
    for turn, nodes in itertools.groupby(path, key=lambda node: int(views[node]["turn"])):
        group = list(nodes)
        mine = next((node for node in group if room.positions.to_move(node) == "first"), None)
        if mine is None or room.positions[mine].outcome:
            continue
        after = next((node for node in path if int(views[node]["turn"]) > turn), group[-1])
        ended = after not in group
        suspects = names_of(views[mine]["suspects"])
        found.append(
            Moment(
                mine,
                turn,
                {name: (1 / len(suspects) if name in suspects else 0.0) for name in CHARACTERS},
                cells[places(room.state(after).pieces())[jack]].name,
                views[after]["witness"] if ended and called_after(room, turn) else "",
            )
        )
    return found


async def search_belief(searches: Searches, owner: str, room: GameRoom, node: int) -> SearchBelief:
    """What the detective's search believes at a node: that of the computer who was him, or a strong one."""
    seat = (room.seats or {}).get("first")
    spec = (seat.player if seat else "") or strongest(room.game.spec)
    player = Player(capped(spec)).on(room.game)
    most = (seat.simulations if seat else None) or player.limit.simulations or SIMULATIONS
    most = min(most, SIMULATIONS)
    state = room.state(node).copy()
    try:
        thinking = await searches.turn(owner, partial(_begin, player, state, room.search_seed))
    except ValueError:
        # Who decides without a search believes nothing.
        player = Player(capped(strongest(room.game.spec))).on(room.game)
        thinking = await searches.turn(owner, partial(_begin, player, state, room.search_seed))
    done = -1
    while done < most:
        report = await searches.turn(owner, partial(think_on, thinking, most - max(done, 0)))
        if report.simulations == done:
            break
        done = report.simulations
    return await searches.turn(owner, partial(_counted, thinking))


def _begin(player: Player, state: State, seed: int) -> Thinking:
    thinking = player.think(state, seed=seed)
    thinking.keep_log()
    return thinking


def _counted(thinking: Thinking) -> SearchBelief:
    counts: Counter[str] = Counter()
    wins: dict[str, float] = dict.fromkeys(CHARACTERS, 0.0)
    for world, (_, _, result) in zip(thinking.worlds(), thinking.log(), strict=True):
        found = re.search(r"\bjack=(\w+)", world[0]) if world else None
        if found:
            counts[found[1]] += 1
            wins[found[1]] += result
    total = max(counts.total(), 1)
    return SearchBelief(
        {name: counts[name] / total for name in CHARACTERS},
        {name: wins[name] / count for name, count in counts.items()},
        counts.total(),
    )


def belief_html(room: GameRoom, known: Sequence[Moment], searched: dict[int, SearchBelief]) -> str:
    """The two beliefs side by side: a column for each turn, a row for each character."""
    jack = room.state(room.live).view("second")["jack"]
    head = "".join(f'<th scope="col" data-node="{moment.node}">{moment.turn}</th>' for moment in known)
    rows = []
    for name, who in CHARACTERS.items():
        cells = "".join(_cell(name, moment, searched.get(moment.node)) for moment in known)
        is_jack = name == jack
        rows.append(
            f'<tr class="{"jack" if is_jack else ""}"><th scope="row">'
            f"{face(name, *(['jack'] if is_jack else ['cleared']))}"
            f'<span class="small">{escape(who.short)}</span></th>{cells}</tr>'
        )
    words = {"visible": "seen", "invisible": "unseen", "": "–"}
    calls = "".join(
        f'<td class="small call {words[moment.call]}">{words[moment.call]}<br>{escape(moment.place)}</td>'
        for moment in known
    )
    return (
        '<div class="scroll"><table class="belief"><thead><tr><th scope="col" class="small">Turn</th>'
        f"{head}</tr></thead><tbody>{''.join(rows)}"
        f'<tr><th scope="row" class="small">Jack was</th>{calls}</tr></tbody></table></div>'
    )


def _cell(name: str, moment: Moment, found: SearchBelief | None) -> str:
    exact = moment.exact[name]
    bars = _bar("exact", exact, "by the calls and alibi cards")
    if found is not None:
        share = found.share[name]
        won = f", and the detective won {found.wins[name]:.0%} of these" if name in found.wins else ""
        bars += _bar("search", share, f"of {found.simulations} simulations{won}")
    return f'<td class="{"out" if exact == 0 else ""}">{bars}</td>'


def _bar(kind: str, share: float, what: str) -> str:
    number = f"{round(100 * share, 1):g}" if kind == "exact" else f"{100 * share:.0f}"
    title = f"{number} % {what}"
    return (
        f'<span class="share {kind}" role="img" title="{escape(title)}" aria-label="{escape(title)}">'
        f'<i style="width:{100 * share:.0f}%"></i><b>{number if share else ""}</b></span>'
    )
