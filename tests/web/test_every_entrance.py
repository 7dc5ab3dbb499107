"""Every entrance with every part that reaches out of the process, nested, misspelt and in every encoding."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from canary import Canary

from coppice.core.catalogue import catalogue
from coppice.core.guests import NOBODY, Guests
from coppice.core.spec import Text, value_text
from coppice.play.book import Book
from coppice.protocols.analysis_lines import answer
from coppice.protocols.gtp import Server
from coppice.records.files import read_records
from coppice.records.sgf_syntax import decode
from coppice.web.allowed import game_of
from coppice.web.game_room import GameRoom, Seat
from coppice.web.laboratory import sweep
from coppice.web.new_game import new_room
from coppice.web.open_position import position_room
from coppice.web.records import parse_record
from coppice.web.searches import capped

GAME, PLAYER = "tic_tac_toe", "uct(simulations=2)"
"""What every entrance lets in: an entrance that is shut for all would prove nothing."""

OPTIONS = {
    ("python", "class"),
    ("python", "options"),
    ("gtp", "command"),
    ("gtp", "setup"),
    ("gtp", "notation"),
    ("gtp", "log"),
    ("scripted_power", "rules"),
    ("plausible", "rules"),
    ("patterns", "weights"),
    ("scripted", "rules"),
}
"""Every option of the catalogue that names something outside; a new one must be thought of here."""


def test_these_are_all_the_options_that_reach_out() -> None:
    found = {
        (part.name, option.name) for part in catalogue() for option in part.options if option.kind == "text"
    }
    assert found == OPTIONS


# The attempts: what is named, how it is spelt, and what it hides in


def reaching(path: str) -> Iterator[str]:
    """Every part with each of its options that reaches out, with and without its key."""
    text = value_text(Text(path))
    for name, option in sorted(OPTIONS):
        yield f"{name}({option}={text})"
        if option in ("class", "command", "weights", "rules"):
            yield f"{name}({text})"
        yield f"{name}({option}=canary)"
    yield from ("python", "gtp", "python()", "gtp()")


SPELLINGS: tuple[Callable[[str], str], ...] = (
    lambda spec: spec,
    lambda spec: f" \t{spec}\n",
    lambda spec: spec.replace("(", " \u2003( \n"),
    lambda spec: spec.replace("=", "\u00a0=\r\n "),
    # A backslash before a letter that is no code means the letter.
    lambda spec: spec.replace("/", "\\/").replace(".", "\\."),
    str.upper,
    str.capitalize,
    lambda spec: f"\ufeff{spec}",
    lambda spec: f"\u200b{spec}",
    lambda spec: f"{spec[0]}\0{spec[1:]}",
    # Letters of full width, which other readers take for plain ones.
    lambda spec: "".join(chr(ord(c) + 0xFEE0) if c.isascii() and c.isalpha() else c for c in spec),
    lambda spec: spec.replace('"', "'"),
    lambda spec: spec.replace('"', "\u201c"),
    lambda spec: spec[:-1],
    lambda spec: f"{spec})",
    lambda spec: f"{spec}{spec}",
    lambda spec: spec.replace("python", "pyth%6fn").replace("gtp", "g%74p"),
)

NESTS = (
    "{}",
    "misere({})",
    "misere(game={})",
    "misere(misere(misere({})))",
    "mcts(playout={})",
    "mcts(playout=mast+{}+ppr)",
    "mcts(selection={}, simulations=3)",
    "mcts(playout=nested(level=1, playout={}))",
    "strong(playout={})",
    "uct(candidates={})",
    "jack(candidates={})",
    "jack(candidates=plausible(n=3)+{})",
    "nested(level=1, playout={})",
    "nobody_knows({})",
    "nobody_knows(of=this({}))",
    "tic_tac_toe+{}",
    "uct(simulations=2)+{}",
)

Door = Callable[[str], object]


def records(spec: str) -> Iterator[bytes]:
    """A record of every format that names this as its game, as the bytes of a file."""
    value = spec.replace("\\", "\\\\").replace("]", "\\]").replace(":", "\\:")
    # The pieces of a property are lines of one text: a spec may be broken before a bracket.
    name, bracket, rest = value.partition("(")
    pieces = [name, bracket + rest] if bracket else [value]
    escaped = spec.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    bodies = (
        f"(;FF[4]XG[{value}])",
        f"(;FF[4]\r\nXG\n [{value}])",
        f"(;FF[3]XgameG[{value}];B[aa])",
        f"(;FF[4]XG{''.join(f'[{piece}]' for piece in pieces)})",
        f"words before (;FF[4]C[XG\\]]XG[{value}](;B[aa])(;B[bb]))",
        f"(;FF[4]SZ[4]RU[LG]XG[{value}])",
        f"coppice record, version 1\ngame: {escaped}\nfirst: \nsecond: \nwinner: unknown\n",
        f"coppice record, version 1\r\ngame: {escaped}\r\nfirst: \r\nsecond: \r\nwinner: unknown\r\n1 a1\r\n",
    )
    for body in bodies:
        for encoding in ("utf-8", "utf-8-sig", "utf-16"):
            yield body.encode(encoding, "replace")
    yield bodies[0].encode("latin-1", "replace")


def saved(**changes: object) -> object:
    """A saved table as somebody might have written it, read back."""
    room = GameRoom(GAME, {"first": Seat("person", "x"), "second": Seat("computer", "y", PLAYER)})
    return GameRoom.of_json(json.loads(json.dumps(room.to_json() | changes)))


def in_seat(spec: str) -> object:
    seat = {"kind": "computer", "name": "y", "player": spec}
    return saved(seats={"first": {"kind": "person", "name": "x"}, "second": seat})


def one_game(data: bytes) -> object:
    return [record.game for record in read_records(decode(data))]


def asked(**request: str) -> object:
    found = answer(1, json.dumps({"limit": {"simulations": 2}, "game": GAME, "player": PLAYER} | request))
    if "error" in found:
        raise ValueError(found["error"])
    return found


def told_by_gtp(line: str) -> object:
    found = Server(GAME, PLAYER).respond(line)
    if not found.startswith("="):
        raise ValueError(found)
    return found


def book_of(folder: Path, **head: str) -> object:
    known = {"book": 1, "game": GAME, "player": PLAYER, "simulations": 1, "seed": 0, "play_version": ""}
    path = folder / "x.jsonl"
    path.write_text(json.dumps(known | head) + "\n", encoding="utf-8")
    return Book.read(path)


def entrances_for_games(folder: Path) -> dict[str, Door]:
    """Wherever a text from elsewhere becomes a game."""
    seat = Seat("computer", "x", PLAYER)
    return {
        "the door itself": lambda spec: NOBODY.admit(spec, "game"),
        "another guest's door": lambda spec: Guests(['python("other.py:X")', 'gtp("other")']).admit(spec),
        "form": game_of,
        "room": GameRoom,
        "saved table": lambda spec: saved(game=spec),
        "link": position_room,
        "new game": lambda spec: new_room(spec, "computer", "first", seat),
        "laboratory": lambda spec: sweep(spec, PLAYER, PLAYER, "", 0),
        "JSON line": lambda spec: asked(game=spec),
        "book": lambda spec: book_of(folder, game=spec),
    }


def entrances_for_players(folder: Path) -> dict[str, Door]:
    """Wherever a text from elsewhere becomes a player."""
    return {
        "the door itself": NOBODY.admit,
        "search": capped,
        "seat": lambda spec: GameRoom(
            GAME, {"first": Seat("person", "x"), "second": Seat("computer", "y", spec)}
        ),
        "saved table": in_seat,
        "laboratory, player a": lambda spec: sweep(GAME, spec, PLAYER, "", 0),
        "laboratory, player b": lambda spec: sweep(GAME, PLAYER, spec, "", 0),
        "laboratory, a value": lambda spec: sweep(GAME, "{x}", PLAYER, spec.replace(",", ";"), 0),
        "JSON line": lambda spec: asked(player=spec),
        "book": lambda spec: book_of(folder, player=spec),
        "GTP, a player": lambda spec: told_by_gtp(f"params {spec}"),
        "GTP, an option": lambda spec: told_by_gtp(f"params playout={spec.strip()} simulations=2"),
    }


RECORD_DOORS: dict[str, Callable[[bytes], object]] = {
    "command line": one_game,
    "pasted or dropped": lambda data: parse_record(decode(data)),
}


def refusal(door: Callable[[Any], object], given: str | bytes) -> str:
    """What a door says to whom it does not let in; empty if it does."""
    try:
        door(given)
    except ValueError as error:
        return str(error)
    return ""


def test_every_entrance_is_open_for_what_is_our_own(tmp_path: Path) -> None:
    for name, door in entrances_for_games(tmp_path).items():
        assert not refusal(door, GAME), name
    for name, door in entrances_for_players(tmp_path).items():
        assert not refusal(door, "uniform" if name == "GTP, an option" else PLAYER), name
    read = 0
    for (name, read_file), data in itertools.product(RECORD_DOORS.items(), records(GAME)):
        told = refusal(read_file, data)
        # UTF-16 is no record, HGF is of Havannah alone.
        assert not told or b"\0" in data or "RU[LG]" in decode(data), (name, data, told)
        read += not told
    assert read >= 20


@pytest.fixture
def canary(tmp_path: Path) -> Canary:
    return Canary.in_folder(tmp_path)


def attempts(canary: Canary) -> list[str]:
    """Every part, spelt in every way, in every nest."""
    paths = (f"{canary.file}:Bird", canary.program.removeprefix('gtp("').removesuffix('")'))
    specs = [
        nest.format(spell(spec))
        for path in paths
        for spec in reaching(path)
        for spell in SPELLINGS
        for nest in NESTS
    ]
    return list(dict.fromkeys(specs))


def test_no_entrance_lets_any_of_them_in(canary: Canary) -> None:
    tried = 0
    everything = attempts(canary)
    assert len(everything) > 10_000
    # The same door is behind all entrances: it is tried with everything, each of them with a part of it.
    admit: dict[str, Door] = {"game": lambda spec: NOBODY.admit(spec, "game"), "player": NOBODY.admit}
    # Steps that have no factor in common with the numbers of spellings and nests: all of them come up.
    games, players = entrances_for_games(canary.file.parent), entrances_for_players(canary.file.parent)
    for step, doors in ((1, admit), (211, games), (223, players)):
        for (name, door), spec in itertools.product(doors.items(), everything[::step]):
            assert refusal(door, spec), f"{name} let in {spec!r}"
            tried += 1
    for (name, read_file), spec in itertools.product(RECORD_DOORS.items(), everything[::307]):
        for data in records(spec):
            assert refusal(read_file, data), f"{name} let in {data!r}"
            tried += 1
    assert canary.lives
    steps = len(everything[::211]) * len(games) + len(everything[::223]) * len(players)
    files = len(everything[::307]) * len(RECORD_DOORS) * len(list(records("x")))
    assert tried == 2 * len(everything) + steps + files > 25_000
