"""The laboratory in the browser: matches with live scores, sweeps, their games, and downloads."""

from __future__ import annotations

import asyncio
import csv
import functools
import io
from dataclasses import dataclass
from html import escape
from typing import Any

from nicegui import ui

from coppice import _core
from coppice.core.catalogue import Family, catalogue
from coppice.core.guests import check_length
from coppice.core.session import Player
from coppice.core.short import short as by_differences
from coppice.core.spec import COUNTS, LIMITS, Spec
from coppice.lab.exports import export
from coppice.lab.match import Match, Progress
from coppice.lab.score_row import ScoreRow, percent
from coppice.lab.store import GameRecord, Store, StoredMatch, StoreError
from coppice.papers.runner import RowProgress
from coppice.records.sgf import split_moves
from coppice.web.allowed import allowed
from coppice.web.boards import plain_game
from coppice.web.bounds import check_games, check_match_player, check_values, threads_for
from coppice.web.door import visitor_at
from coppice.web.experiments import list_experiments, progress_words
from coppice.web.fields import MISERE
from coppice.web.frame import complain, framed, not_found
from coppice.web.interval import interval_svg
from coppice.web.levels import boards, games, misere_of
from coppice.web.limits import limits
from coppice.web.lobby import Lobby
from coppice.web.open_position import position_room

__all__ = ["ScoredMatch", "add_pages", "sweep"]

SHOWN_GAMES = 200
PLACE = "{x}"
"""Where the values of a sweep go."""


@dataclass(frozen=True)
class ScoredMatch:
    """A match of the store and its score."""

    match: StoredMatch
    score: ScoreRow


def add_pages(lobby: Lobby) -> None:
    """Adds the pages of this file to the app."""

    @ui.page("/laboratory")
    async def laboratory() -> None:
        with framed("Laboratory"):
            await _Laboratory(lobby).build()

    @ui.page("/laboratory/match/{identity}")
    async def match(identity: str) -> None:
        found = await asyncio.to_thread(_read_match, lobby, identity)
        if found is None:
            with framed("No such match"):
                not_found("The store has no such match.")
            return
        with framed("Match"):
            _MatchPage(lobby, *found).build()


def _read_all(lobby: Lobby) -> list[ScoredMatch]:
    """All matches with their scores; a store belongs to one thread, so each look opens it."""
    if not lobby.settings.store.exists():
        return []
    with Store(lobby.settings.store) as store:
        return [ScoredMatch(match, store.score(match.identity).row()) for match in store.matches()][::-1]


def _read_match(lobby: Lobby, identity: str) -> tuple[ScoredMatch, list[GameRecord]] | None:
    if not lobby.settings.store.exists():
        return None
    with Store(lobby.settings.store) as store:
        match = store.find(identity)
        if match is None:
            return None
        records = list(store.records(identity))
        return ScoredMatch(match, store.score(identity).row()), records


def sweep(game: str, a: str, b: str, values: str, seed: int) -> list[Match]:
    """The matches of a form: one, or one per value where player a has `{x}`."""
    parts = [value.strip() for value in values.split(",") if value.strip()]
    if PLACE in a and not parts:
        raise ValueError(f"player a has {PLACE}: give the values, with commas")
    if parts and PLACE not in a:
        raise ValueError(f"there are values but no {PLACE} in player a")
    check_values(len(parts))
    for text in (a, values):
        check_length(text)
    # The door is for whole specs: a value may complete what neither it nor the player names alone.
    players = [allowed(a.replace(PLACE, value)) for value in parts or [""]]
    matches = [Match(allowed(game, "game"), player, allowed(b), seed=seed) for player in players]
    for match in matches:
        for player in (match.a, match.b):
            _core.check_player(match.game, player)
            check_match_player(player)
    return matches


def csv_of(standings: list[ScoredMatch]) -> str:
    """The table of matches as CSV."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["game", "a", "b", "seed", "games", "wins", "draws", "losses", "rate", "low", "high"])
    for standing in standings:
        match, row = standing.match, standing.score
        rates = ("" if number is None else f"{number:.6f}" for number in (row.rate, row.low, row.high))
        counts = (row.games, row.wins, row.draws, row.losses)
        writer.writerow([match.game, match.a, match.b, match.seed, *counts, *rates])
    return file.getvalue()


def latex_of(standings: list[ScoredMatch]) -> str:
    """The table of matches as LaTeX."""
    lines = [r"\begin{tabular}{lllrr}", r"game & a & b & games & rate of a (95 \%) \\ \hline"]
    for standing in standings:
        match, row = standing.match, standing.score
        names = " & ".join(_tex(text) for text in (match.game, short(match.a), short(match.b)))
        rate = "-" if row.rate is None else f"{percent(row.rate)} ({percent(row.low)}--{percent(row.high)})"
        lines.append(rf"{names} & {row.games} & {rate} \\")
    return "\n".join([*lines, r"\end{tabular}", ""])


def _tex(text: str) -> str:
    return "".join(f"\\{character}" if character in "_%&#{}$" else character for character in text)


def short(spec: str) -> str:
    """A player as people call it: its named combination and its limit, or as much of the spec as fits."""
    name = _names().get(_without_limit(spec))
    if name:
        bounds = ((unit, Spec.parsed(spec).number(unit)) for unit in COUNTS)
        limit = next((f", {int(bound):,} {unit}" for unit, bound in bounds if bound is not None), "")
        return name + limit
    return spec if len(spec) <= 60 else f"{spec[:57]}…"


def brief(family: Family, spec: str, game: str | None = None) -> str:
    """A spec by what differs from the defaults; one that names something outside is left as it is, unread."""
    return spec if _core.outside(spec) else by_differences(family, spec, game)


def _without_limit(spec: str) -> tuple[tuple[str, str], ...]:
    """What a player is besides its limit: options by name, and its own name under none."""
    links = Spec.parsed(spec).parts
    options = {key: text for key, text in links[0].written.items() if key not in LIMITS}
    return ("", "+".join(part.name for part in links)), *sorted(options.items())


@functools.cache
def _names() -> dict[tuple[tuple[str, str], ...], str]:
    """Named players by their canonical spec, in every game where it is another one."""
    named = [part for part in catalogue("player") if part.is_named]
    specs = {part.name: [_core.canonical("player", spec) for spec in part.by_game.values()] for part in named}
    return {
        _without_limit(spec): name for name, found in specs.items() for spec in found or [Player(name).spec]
    }


class _Laboratory:
    """The page with all matches."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self.game = boards(games()[0].name)[0]
        self.misere = False
        self.a, self.b, self.values = "rave(simulations=200)", "uct(simulations=200)", ""
        self.games: float = 100
        self.seed: float = 0
        self.standings: list[ScoredMatch] = []
        self._drawn = ""

    async def build(self) -> None:
        """Makes the page."""
        ui.label("Laboratory").classes("headline")
        ui.label(
            "Which player is better, and how sure is that? Every game is kept; a stopped match goes on."
        ).classes("soft lead")
        with ui.element("section").classes("panel form"):
            ui.label("A new match or sweep").classes("panel-title")
            with ui.element("div").classes("fields"):
                offered = [spec for part in games() for spec in boards(part.name)]
                ui.select(
                    offered, label="Game", value=self.game, with_input=True, new_value_mode="add-unique"
                ).bind_value(self, "game").props("outlined dense").mark("lab-game")
                ui.input("Player a").bind_value(self, "a").props("outlined dense").mark("lab-a")
                ui.input("Player b").bind_value(self, "b").props("outlined dense").mark("lab-b")
                ui.number("Games", min=1, max=limits().games, precision=0).bind_value(self, "games").props(
                    "outlined dense"
                ).mark("lab-games")
                ui.number("Seed", min=0, precision=0).bind_value(self, "seed").props("outlined dense")
                ui.input("Values for {x} in player a", placeholder="0.1, 0.2, 0.4").bind_value(
                    self, "values"
                ).props("outlined dense").mark("lab-values")
            ui.switch(MISERE).bind_value(self, "misere").props("dense").mark("lab-misere")
            ui.button("Start", icon="play_arrow", on_click=self._start).props("unelevated no-caps").mark(
                "lab-start"
            )
        self.going = ui.element("div").classes("going")
        with ui.element("section").classes("panel"):
            with ui.element("div").classes("panel-head"):
                ui.label("Matches").classes("panel-title")
                with ui.row():
                    ui.button("CSV", on_click=lambda: self._download("csv")).props("flat dense no-caps")
                    ui.button("LaTeX", on_click=lambda: self._download("tex")).props("flat dense no-caps")
            self.list = ui.element("div").classes("matches")
        await list_experiments(self.lobby)
        await self._refresh()
        ui.timer(1.0, self._refresh)

    def _start(self) -> None:
        try:
            # A browser may send anything as the value of a field.
            game, a, b = str(self.game), str(self.a), str(self.b)
            game = misere_of(game) if self.misere else game
            matches = sweep(game, a, b, str(self.values or ""), int(self.seed or 0))
            number = int(self.games or 0)
            check_games(number)
            for match in matches:
                begin(self.lobby, match, number)
        except ValueError as error:
            complain(error)

    def _download(self, form: str) -> None:
        text = csv_of(self.standings) if form == "csv" else latex_of(self.standings)
        ui.download(text.encode(), f"matches.{form}")

    async def _refresh(self) -> None:
        try:
            self.standings = await asyncio.to_thread(_read_all, self.lobby)
        except StoreError as error:
            complain(error)
            return
        self._show_runs()
        drawn = "".join(map(_match_row, self.standings)) or (
            '<p class="soft">No match yet. Two players, a game and a number are all it takes.</p>'
        )
        if drawn != self._drawn:
            self._drawn = drawn
            self.list.clear()
            with self.list:
                ui.html(drawn, sanitize=False)

    def _show_runs(self) -> None:
        self.going.clear()
        with self.going:
            for run in self.lobby.runs.all():
                if run.state == "done":
                    continue
                with ui.element("div").classes("panel run").mark(f"run-{run.state}"):
                    _show_run(self.lobby, run.key)


def begin(lobby: Lobby, match: Match, number: int) -> None:
    """Plays the games that the store lacks, on a thread of its own."""
    threads = threads_for((match.a, match.b), lobby.settings.threads - 1)
    title = f"{brief('game', match.game)}: {short(match.a)} – {short(match.b)}"
    lobby.runs.start(
        match.identity, title, lambda: match.run(number, threads=threads, store=lobby.settings.store)
    )


def _show_run(lobby: Lobby, key: str) -> None:
    """One run: its title, progress, and what can be done with it."""
    run = lobby.runs.find(key)
    if run is None:
        return
    ui.label(run.title).classes("strong clip")
    progress = run.progress
    if isinstance(progress, RowProgress):
        ui.linear_progress(progress.done / max(progress.wanted, 1), show_value=False).classes("progress")
        ui.label(progress_words(progress)).classes("small")
    elif isinstance(progress, Progress):
        ui.linear_progress(progress.finished / progress.games, show_value=False).classes("progress")
        left = progress.seconds_left
        rest = f" · about {_time(left)} left" if left is not None and run.active else ""
        row = progress.score.row()
        ui.label(f"{progress.finished:,} of {progress.games:,} games · {row.words}{rest}").classes(
            "small"
        ).mark("run-words")
        ui.html(interval_svg(row.rate, row.low, row.high), sanitize=False)
    with ui.row().classes("run-buttons"):
        words = {
            "waiting": "waits for its turn",
            "running": "running",
            "stopped": "stopped",
            "failed": run.error,
        }
        ui.label(words.get(run.state, "done")).classes("soft small").mark("run-state")
        if run.active:
            ui.button("Stop", icon="stop", on_click=functools.partial(lobby.runs.stop, key)).props(
                "flat dense no-caps"
            ).mark("run-stop")
        else:
            ui.button(
                "Go on", icon="play_arrow", on_click=lambda: lobby.runs.start(key, run.title, run.work)
            ).props("flat dense no-caps").mark("run-resume")


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _match_row(standing: ScoredMatch) -> str:
    match, score = standing.match, standing.score
    aside = " · set aside" if match.set_aside else ""
    return (
        f'<a class="match" href="/laboratory/match/{escape(match.identity)}"><span class="match-game">'
        f'{escape(brief("game", match.game))}</span><span class="clip">{escape(short(match.a))}</span>'
        f'<span class="clip">{escape(short(match.b))}</span>{interval_svg(score.rate, score.low, score.high)}'
        f"<span>{escape(score.words)}{aside}</span></a>"
    )


class _MatchPage:
    """One match: its score and its games."""

    def __init__(self, lobby: Lobby, standing: ScoredMatch, records: list[GameRecord]) -> None:
        self.lobby = lobby
        self.standing = standing
        self.records = records

    def build(self) -> None:
        """Makes the page."""
        match, score = self.standing.match, self.standing.score
        ui.label(plain_game(match.game)).classes("headline")
        with ui.element("section").classes("panel form"):
            named = (
                ("Game", brief("game", match.game)),
                ("Player a", brief("player", match.a, match.game)),
                ("Player b", brief("player", match.b, match.game)),
            )
            for label, value in named:
                ui.label(label).classes("field-name")
                ui.label(value).classes("spec")
            with ui.expansion("With every option").props("dense").classes("more"):
                for value in (match.game, match.a, match.b):
                    ui.label(value).classes("spec small")
            ui.label("Score of a").classes("field-name")
            ui.label(score.words).classes("strong")
            ui.html(interval_svg(score.rate, score.low, score.high), sanitize=False)
            begun = match.created[:16].replace("T", " ")
            ui.label(f"seed {match.seed} · {match.machine} · begun {begun} (UTC)").classes("soft small")
            ui.button("Export all games", on_click=self._export).props("flat dense no-caps")
        with ui.element("section").classes("panel"):
            ui.label("Games").classes("panel-title")
            rows = "".join(map(_record_row, self.records[:SHOWN_GAMES]))
            table = ui.html(
                f'<div class="records">{rows or "No game is finished yet."}</div>', sanitize=False
            )
            table.on(
                "click",
                lambda event: self._replay(event.args),
                js_handler="(e) => { const row = e.target.closest('[data-game]');"
                " if (row) emit(Number(row.dataset.game)); }",
            ).mark("records")
            if len(self.records) > SHOWN_GAMES:
                ui.label(f"The first {SHOWN_GAMES} of {len(self.records):,} games.").classes("soft small")

    def _replay(self, index: Any) -> None:
        record = next((record for record in self.records if record.index == index), None)
        if record is None:
            return
        try:
            room = position_room(self.standing.match.game)
            for move in split_moves(record.moves):
                room.live = room.add(room.live, move)
            self.lobby.open(room, visitor_at(ui.context.client))
        except ValueError as error:
            complain(error)
            return
        ui.navigate.to(f"/game/{room.identity}")

    async def _export(self) -> None:
        match = self.standing.match

        def text() -> str:
            with Store(self.lobby.settings.store) as store:
                return "".join(export(store, [match]))

        ui.download((await asyncio.to_thread(text)).encode(), f"match-{match.identity[:8]}.txt")


def _record_row(record: GameRecord) -> str:
    result = {1.0: "a wins", 0.0: "b wins", 0.5: "draw"}[record.score]
    kind = escape(record.kind.replace("_", " "))
    return (
        f'<button class="record" data-game="{record.index}"><span>{record.index}</span>'
        f"<span>{record.first} begins</span><span>{result}</span><span>{kind}</span>"
        f"<span>{record.length} moves</span></button>"
    )
