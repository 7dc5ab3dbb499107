"""Stores and exports from before the laboratory had rooms are read, gone on with and written alike."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from coppice import _core
from coppice.core.spelling import upgrade
from coppice.lab.exports import export, parse_exports
from coppice.lab.match import Match, _meant
from coppice.lab.stats import Score
from coppice.lab.store import Store
from coppice.lab.tournament import Tournament
from coppice.lab.workers import Games, Threads

FILES = Path(__file__).parent.parent / "data" / "before_rooms"
MATCH = Match("tic_tac_toe", "uct(simulations=20)", "random", seed=3, openings="random(plies=2)")
CUP = Tournament("havannah(size=3)", ("random", "uct(simulations=5)", "rave(simulations=5)"), seed=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(FILES / "store.db", tmp_path))


class Watched(Threads):
    """One thread that tells which games it was asked for."""

    def __init__(self) -> None:
        super().__init__(1)
        object.__setattr__(self, "asked", [])

    asked: list[int]

    def games(self, match: Match, indices: Sequence[int]) -> Games:
        self.asked.extend(indices)
        return super().games(match, indices)


def text(store: Store, match: Match) -> str:
    return "".join(export(store, [match.row]))


def test_scores_of_an_old_store_are_read(path: Path) -> None:
    with Store(path, read_only=True) as store:
        assert MATCH.score_in(store, 12) == store.score(MATCH.identity) != Score()
        score = store.score(MATCH.identity)
        assert (score.wins, score.draws, score.losses, score.pairs.count) == (8, 2, 2, 6)
        assert {pair: score.points for pair, score in CUP.scores(4, store).items()} == {
            ("random", "uct(simulations=5)"): 1.0,
            ("random", "rave(simulations=5)"): 1.0,
            ("uct(simulations=5)", "rave(simulations=5)"): 1.0,
        }
        assert [bool(one.set_aside) for one in store.matches()].count(True) == 1
        assert len(store.matches()) == 8


def test_players_of_a_match_that_an_earlier_version_entered_have_the_defaults_of_that_time() -> None:
    old = "mcts(playout=mast, simulations=5)"
    meant = _core.canonical("player", "mcts(playout=mast(select=gibbs, eps=0.1), simulations=5)")
    assert meant != _core.canonical("player", old)
    assert _meant("tic_tac_toe", old, "random") == ("tic_tac_toe", meant, "random")
    assert _meant("tic_tac_toe", "random", old) == ("tic_tac_toe", "random", meant)
    assert _meant("tic_tac_toe", "random", "mcts(playout=forgotten)") is None


def test_an_old_store_is_gone_on_with_and_nothing_is_played_twice(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Another build than the one that made the files, whatever the one of today is.
    monkeypatch.setattr(_core, "__file__", __file__)
    for games, asked in ((12, [0, 1, 2, 3]), (12, []), (14, [12, 13])):
        # Four games are replayed once, and are those that are there.
        watched = Watched()
        result = MATCH.play(games, workers=watched, store=path)
        assert (watched.asked, result.resumed) == (asked, 12)
        assert [record.index for record in result.records] == list(range(games))
    watched = Watched()
    with Store(path) as store:
        for _ in CUP.run(4, store, workers=watched):
            pass
        assert watched.asked == 3 * [0, 1, 2, 3]
        assert len(store.matches()) == 8, "nothing was set aside"


@pytest.mark.parametrize("name", ["export.txt", "export.csv", "export.jsonl"])
def test_an_old_store_is_exported_byte_for_byte_as_it_was(name: str, path: Path) -> None:
    with Store(path, read_only=True) as store:
        matches = [row for row in store.matches() if name == "export.txt" or row.identity == MATCH.identity]
        format = {"export.txt": "text", "export.csv": "csv", "export.jsonl": "jsonl"}[name]
        made = "".join(export(store, matches, format=format))  # type: ignore[arg-type]
    assert made == (FILES / name).read_text(encoding="utf-8")


def test_a_match_played_today_is_exported_as_it_was(path: Path, tmp_path: Path) -> None:
    MATCH.play(12, workers=Threads(1), store=tmp_path / "today.db")
    with Store(path, read_only=True) as old, Store(tmp_path / "today.db", read_only=True) as today:
        lines = [text(store, MATCH).splitlines() for store in (old, today)]
    # An option that was added since is written out in the header, as is the version of a player.
    assert [line for line in lines[0] if line[:1] != "#"] == [line for line in lines[1] if line[:1] != "#"]
    old_header, header = (dict(line[2:].split(": ", 1) for line in one if ": " in line) for one in lines)
    assert list(old_header) == list(header)
    for name, family in (("game", "game"), ("a", "player"), ("b", "player")):
        assert upgrade(family, old_header[name], 0, "tic_tac_toe") == header[name]  # type: ignore[arg-type]
    assert [old_header[name] for name in ("identity", "seed", "openings")] == [
        *(header[name] for name in ("identity", "seed", "openings"))
    ]


def test_an_old_export_is_read_back(path: Path) -> None:
    with (FILES / "export.txt").open(encoding="utf-8") as file:
        found = parse_exports(file)
    with Store(path, read_only=True) as store:
        assert [match.identity for match, _ in found] == [row.identity for row in store.matches()]
        for match, records in found:
            kept = [record.moves for record in store.records(match.identity)]
            assert [record.moves for record in records] == kept
            assert kept
            _core.check_player(match.game, match.a)
