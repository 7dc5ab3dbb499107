"""Analysis as a service for scripts: requests as JSON lines in, one JSON line out for each, over threads."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

from coppice._core import CoreError
from coppice.core.defaults import default_player
from coppice.core.guests import NOBODY, Guests
from coppice.core.session import Game, Limit, Player
from coppice.protocols.line_reader import MAX_LINE

__all__ = ["KEYS", "SIMULATIONS", "analyse", "answer", "serve"]

KEYS = ("id", "game", "position", "moves", "player", "limit", "seed")
"""What a request may say; `game` it must."""
_LIMITS = ("simulations", "states", "seconds", "cpu_seconds")
SIMULATIONS = 10_000
"""Those of the default player."""


def analyse(request: dict[str, Any], guests: Guests = NOBODY) -> dict[str, Any]:
    """What a player finds out about a position; a ValueError says what is wrong with the request.

    A game or player outside the process is refused unless it is one of the `guests`.
    """
    unknown = [key for key in request if key not in KEYS]
    if unknown:
        raise ValueError(f"unknown key '{unknown[0]}': {', '.join(KEYS)}")
    if "game" not in request:
        raise ValueError('there is no game: {"game": "havannah(size=6)", ...}')
    game = Game(guests.admit(_text(request, "game", ""), "game"))
    named = _text(request, "player", f"{default_player(game)}(simulations={SIMULATIONS})")
    player = Player(guests.admit(named)).on(game)
    seed = request.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**63:
        raise ValueError(f"seed {json.dumps(seed)} is not a whole number from 0 to 2^63 - 1")
    position = request.get("position")
    state = game.start(seed=seed) if position is None else game.state(_text(request, "position", ""))
    state.play(*_moves(request.get("moves", [])))
    report = player.search(state, _limit(request.get("limit")), seed=seed)
    found = {"value": report.value, "proof": report.proof, **asdict(report)}
    return {"game": game.spec, "player": player.spec, **found}


def _text(request: dict[str, Any], key: str, default: str) -> str:
    value = request.get(key, default)
    if not isinstance(value, str):
        raise ValueError(f"{key} {_shown(value)} is not a text")
    return value


def _moves(value: Any) -> list[str]:
    """A list of names, or a text of them: between commas where there are any, else between spaces."""
    if isinstance(value, str):
        names = value.split(",") if "," in value else value.split()
        return [name.strip() for name in names if name.strip()]
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return value
    raise ValueError(f"moves {_shown(value)} is neither a list of names nor a text of them")


def _limit(value: Any) -> Limit | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValueError(f'limit {_shown(value)} is not of the form {{"simulations": 1000}}')
    for key, bound in value.items():
        if key not in _LIMITS:
            raise ValueError(f"unknown limit '{key}': {', '.join(_LIMITS)}")
        whole = key in ("simulations", "states")
        number = isinstance(bound, int) or (isinstance(bound, float) and not whole)
        if bound is not None and (isinstance(bound, bool) or not number or not 0 < bound < 2**63):
            raise ValueError(
                f"limit {key} {_shown(bound)} is not a {'whole ' if whole else ''}number above 0"
            )
    return Limit(**value)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:60] + "..."


def answer(number: int, line: str, guests: Guests = NOBODY) -> dict[str, Any]:
    """The answer to one line of the input: a report, or an error with the line's number; the id in both."""
    head: dict[str, Any] = {"id": None}
    try:
        if len(line) > MAX_LINE:
            raise ValueError(f"the line is too long: at most {MAX_LINE} characters")
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"not JSON: {error}") from error
        if not isinstance(request, dict):
            raise ValueError(f'{_shown(request)} is not a request: {{"id": 1, "game": "havannah(size=6)"}}')
        head["id"] = request.get("id")
        return {**head, **analyse(request, guests)}
    except (ValueError, CoreError) as error:
        return {**head, "line": number, "error": " ".join(str(error).split())}


def serve(
    lines: Iterable[str],
    write: Callable[[str], None],
    threads: int | None = None,
    *,
    guests: Guests = NOBODY,
) -> None:
    """Answers every line that is not empty, in order of completion, so many at a time.

    Lines may name what lives outside the process only where it is one of the `guests`.
    """
    threads = threads or os.cpu_count() or 1
    source, turn, done = enumerate(lines, 1), threading.Lock(), threading.Lock()
    failure: list[BaseException] = []

    def work() -> None:
        # Every thread takes the next line when it is free: nothing piles up, however long the input is.
        try:
            while not failure:
                with turn:
                    number, line = next(source, (0, ""))
                if not number:
                    return
                if line.strip():
                    text = json.dumps(answer(number, line, guests), ensure_ascii=False)
                    with done:
                        write(text + "\n")
        except BaseException as error:
            failure.append(error)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failure:
        raise failure[0]
