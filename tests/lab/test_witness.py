"""Workers that hand back what their tasks do not make: by the rules, and by playing a share of it again."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from coppice.lab import witness as witness_module
from coppice.lab.match import Match
from coppice.lab.store import Store
from coppice.lab.witness import Witness, WrongRecordError, agreed
from coppice.lab.workers import Cluster, Games, Processes, Threads, _MappedGames
from coppice.papers.experiment import Experiment, SearchRow
from coppice.papers.jobs import jobs_of
from coppice.papers.runner import run

GAMES = 40
Lie = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


class Liar:
    """Works in this thread and hands back what `lie` makes of each chunk."""

    width = 1

    def __init__(self, lie: Callable[[Any], Any], checked: float = 0.0) -> None:
        self.lie = lie
        self.checked = checked

    def map(
        self, function: Callable[..., Any], chunks: Iterable[tuple[Any, ...]]
    ) -> Generator[Any | None, None, None]:
        for chunk in chunks:
            yield None
            yield self.lie(function(*chunk))

    def games(self, match: Match, indices: Sequence[int]) -> Games:
        return _MappedGames(self, match, indices)


def a_match(game: str = "tic_tac_toe", **options: Any) -> Match:
    return Match(game, "uct(simulations=10)", "random", **options)


def changed(number: int, **values: Any) -> Lie:
    """One game has other values."""
    return lambda records: [
        {**record, **values} if record["index"] == number else record for record in records
    ]


def test_honest_workers_are_believed_and_what_they_played_is_kept(tmp_path: Path) -> None:
    for name, match in {
        "plain": a_match(),
        "openings": a_match(openings="random(plies=2)"),
        "hidden": Match("mr_jack", "random", "random"),
        "misere": a_match("misere(tic_tac_toe)"),
        "blanks": Match("breakthrough", "random", "random"),
    }.items():
        for checked in (0.0, 1.0):
            path = tmp_path / f"{name}{checked}.db"
            assert match.play(GAMES, workers=Liar(list, checked), store=path).finished == GAMES
            records = match.play(GAMES, workers=Threads(1), store=None).records
            with Store(path) as store:
                assert [record.moves for record in store.records(match.identity)] == [
                    r.moves for r in records
                ]


@pytest.mark.parametrize(
    ("lie", "told"),
    [
        (changed(3, moves="a1 a1", length=2), "a game 3 that cannot be: illegal move 'a1'"),
        (
            changed(3, moves="a1 b1", length=2),
            r"a game 3 that cannot be: by its moves it ends as None \(\), not as",
        ),
        (changed(3, moves=7), "it has .* moves and tells others"),
        (changed(3, length=100), "it has 100 moves and tells others"),
        (changed(3, first="a"), "player a has the first side"),
        (changed(3, winner="nobody"), "nobody has won"),
        (changed(3, score=0.25), "the score 0.25 is not that of its winner"),
        (changed(3, kind="forfeit"), "it is over, and forfeited"),
        (changed(3, kind="ring"), r"not as \w+ \(ring\)"),
        (changed(5, index=3), "game 3, which nobody asked it for or which was there before"),
        (changed(3, index=GAMES), f"game {GAMES}, which nobody asked it for"),
        (changed(3, index="3"), "game 3, which nobody asked it for"),
        (lambda records: records[:-1], r"the workers have left out \d+ of the games"),
        (
            lambda records: [*records, records[0]],
            "game 0, which nobody asked it for or which was there before",
        ),
        (lambda records: [{"index": record["index"]} for record in records], "a game without 'first'"),
    ],
)
def test_a_game_that_cannot_be_is_recognised_without_playing_it(lie: Lie, told: str, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with pytest.raises(WrongRecordError, match=told):
        a_match().play(GAMES, workers=Liar(lie), store=path)
    with Store(path) as store:
        kept = list(store.records(a_match().identity))
    honest = {
        record.index: record for record in a_match().play(GAMES, workers=Threads(1), store=None).records
    }
    assert len(kept) < GAMES
    assert [record.moves for record in kept] == [honest[record.index].moves for record in kept]


def forged(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every game is another game by the rules: the same for all."""
    found = []
    for record in records:
        first = record["first"]
        # Nothing but playing it again can tell.
        games = {"moves": "a1 b1 a2 b2 a3", "length": 5, "winner": "first", "kind": "line"}
        found.append({**record, **games, "score": 1.0 if first == "a" else 0.0})
    return found


def test_a_game_by_the_rules_that_was_never_played_is_found_by_playing_it(tmp_path: Path) -> None:
    import coppice

    kind = coppice.game("tic_tac_toe").start().play("a1", "b1", "a2", "b2", "a3").end_kind

    def lie(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**record, "kind": kind} for record in forged(records)]

    assert a_match().play(GAMES, workers=Liar(lie), store=None).finished == GAMES, "nobody looks"
    path = tmp_path / "s.db"
    with pytest.raises(WrongRecordError, match="with the moves 'a1 b1 a2 b2 a3', and here it has '"):
        # However small the share is: one game of each run is drawn at least.
        a_match().play(GAMES, workers=Liar(lie, 1e-9), store=path)
    with Store(path) as store:
        assert list(store.records(a_match().identity)) == []


def test_so_large_a_share_is_drawn_as_was_said(monkeypatch: pytest.MonkeyPatch) -> None:
    games, drawn = 20_000, 0
    witness = Witness(a_match(), range(games), 0.01)
    [record] = a_match().replay([0])
    told = {name: getattr(record, name) for name in witness_module._KEYS}
    for index in range(0, games, 2):
        drawn += len(witness.heard([{**told, "index": index}]))
    # 10,000 games at 1 in 100: five standard deviations to each side.
    assert 50 < drawn < 150
    assert witness.missing == games // 2
    assert witness_module.SHARE == Processes(1).checked == 0.01
    assert Threads(1).checked == 0


def test_what_a_clock_has_decided_is_not_played_again() -> None:
    timed = Match("tic_tac_toe", "uct(seconds=0.001)", "random")
    result = timed.play(4, workers=Liar(list, 1.0), store=None)
    assert result.finished == 4
    with pytest.raises(WrongRecordError, match="the score"):
        timed.play(4, workers=Liar(changed(1, score=0.25), 1.0), store=None)


def test_only_what_comes_out_the_same_each_time_is_played_again() -> None:
    plain = "uct(simulations=10)"
    assert witness_module.comes_out_again("tic_tac_toe", plain, "random")
    for other in (
        "uct(seconds=0.1)",
        "mcts(simulations=10, threads=2, parallel=tree)",
        'gtp("some program")',
        'mcts(simulations=10, playout=python(class="somewhere:Playout"))',
    ):
        assert not witness_module.comes_out_again("tic_tac_toe", plain, other)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_lies_between_nothing_and_all(share: float) -> None:
    with pytest.raises(ValueError, match="cannot be checked: 0 to 1"):
        Processes(1, checked=share)
    with pytest.raises(ValueError, match="cannot be checked: 0 to 1"):
        Cluster("tcp://127.0.0.1:1", checked=share)


def test_stopping_while_a_game_is_played_again_keeps_what_was_confirmed(tmp_path: Path) -> None:
    match, path = a_match(), tmp_path / "s.db"
    for step in match.run(GAMES, workers=Liar(list, 1.0), store=path):
        if step.finished:
            break
    with Store(path) as store:
        kept = [record.index for record in store.records(match.identity)]
    assert len(kept) > 0
    assert match.play(GAMES, workers=Liar(list, 1.0), store=path).finished == GAMES


# Series


def series(results: list[tuple[int, Any]], share: float, again: Callable[[int], Any]) -> list[Any]:
    def made() -> Generator[tuple[int, Any] | None, None, None]:
        for result in results:
            yield None
            yield result

    return [found for found in agreed(made(), range(5), share, again) if found is not None]


def test_results_are_made_again() -> None:
    results = [(index, {"value": index}) for index in range(5)]
    assert series(results, 1.0, lambda index: {"value": index}) == results
    again: list[int] = []
    assert series(results, 0.0, again.append) == results
    assert again == []
    with pytest.raises(
        WrongRecordError, match=r'back \{"value": 0\} as result 0, and here it is \{"value": 1\}'
    ):
        series(results, 1e-9, lambda index: {"value": 1})
    with pytest.raises(
        WrongRecordError, match="result 1, which nobody asked it for or which was there before"
    ):
        series([results[1], results[1]], 0.0, again.append)


def test_a_row_of_an_experiment_recognises_a_worker_that_lies(tmp_path: Path) -> None:
    row = SearchRow(name="r", game="tic_tac_toe", player="uct(simulations=50)", count=8, moves=("b2",))
    [job] = jobs_of(Experiment(question="?", source="", rows=(row,)))

    def lie(result: tuple[int, Mapping[str, Any]]) -> tuple[int, Mapping[str, Any]]:
        return result[0], {**result[1], "more": 1}

    with Store(tmp_path / "s.db") as store:
        with pytest.raises(WrongRecordError, match="as result 0, and here it is"):
            list(run([job], store, Liar(lie, 0.01)))
        assert store.results(job.work.identity) == {}
        list(run([job], store, Liar(tuple, 0.01)))
        assert len(store.results(job.work.identity)) == 8
