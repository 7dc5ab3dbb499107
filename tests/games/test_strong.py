"""`strong`: another player in each game, written out wherever a game is known."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from command import run

import coppice
import coppice.cli.play
from coppice import Limit, Match
from coppice.cli.play import play
from coppice.core.guests import Guests
from coppice.protocols.analysis_lines import analyse
from coppice.web.levels import strongest

GAMES = [part.name for part in coppice.catalogue("game") if part.name not in ("misere", "python")]
STRONG = next(part for part in coppice.catalogue("player") if part.name == "strong")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_own(game: str) -> None:
    assert game in STRONG.by_game, (
        f"{game} has no strong player: give it a STRONG in its file under src/games"
    )


def test_it_is_no_one_player_under_many_names() -> None:
    assert {title.partition(" up to ")[0] for title in STRONG.by_game} <= set(GAMES)
    assert STRONG.is_named
    assert STRONG.stands_for is None
    assert len(set(STRONG.by_game.values())) > 3


@pytest.mark.parametrize("game", GAMES)
def test_the_name_and_what_it_stands_for_play_alike(game: str) -> None:
    rules, strong = coppice.game(game), coppice.player("strong(simulations=60)")
    full = strong.on(rules)
    assert full.spec.startswith(STRONG.by_game[game].partition("(")[0])
    assert "simulations=60" in full.spec
    assert full.on(rules).spec == full.spec
    state = rules.start(seed=1)
    by_name, in_full = (player.search(state, seed=3) for player in (strong, full))
    assert [(stat.name, stat.visits) for stat in by_name.moves] == [
        (stat.name, stat.visits) for stat in in_full.moves
    ]
    assert by_name.simulations == in_full.simulations


def test_a_match_is_told_in_full() -> None:
    match = Match("breakthrough", "strong(simulations=20)", "uct(simulations=20)")
    assert match.a == coppice.player("strong(simulations=20)").on(coppice.game("breakthrough")).spec
    assert "strong" not in match.a
    assert match == Match("breakthrough", match.a, match.b)
    assert match.identity != Match("knightthrough", "strong(simulations=20)", match.b).identity


def test_havannah_has_one_for_small_boards_one_for_size_6_and_one_for_large_ones() -> None:
    titles = {4: " up to size 5", 5: " up to size 5", 6: " up to size 6", 7: "", 10: ""}
    playouts = {5: "playout=uniform", 6: "playout=rings(stones=3)", 7: "playout=threats("}
    for swap in ("false", "true"):
        for size, title in titles.items():
            spec = coppice.player("strong").on(coppice.game(f"havannah(size={size}, swap={swap})")).spec
            assert spec == coppice.player(STRONG.by_game[f"havannah{title}"]).spec
            assert playouts.get(size, "") in spec


ROOT = Path(__file__).parent.parent.parent
GUEST = f'python("{ROOT / "examples" / "domineering.py"}:Domineering", options="5x5")'


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        *((game, "strong") for game in GAMES),
        ("havannah(size=8, swap=true)", "strong"),
        ("misere(breakthrough)", "uct"),
        (GUEST, "uct"),
    ],
)
def test_who_names_no_player_meets_strong_or_uct_where_there_is_none(
    game: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = coppice.game(game)
    seen: list[coppice.Player] = []
    monkeypatch.setattr(coppice.cli.play, "_demonstrate", lambda _, player, seed: seen.append(player))
    play(game)
    wanted = coppice.player(expected, simulations=5000 if rules.hidden else 20000)
    assert seen == [wanted]
    if not rules.hidden:
        found = run("gtp", "--game", game, text="params\nquit\n").stdout
        assert found.startswith(f"= {coppice.player(expected, simulations=10000).on(rules).spec}\n")
    answer = analyse({"game": game, "limit": {"simulations": 20}}, Guests([game]))
    assert answer["player"] == coppice.player(expected, simulations=10000).on(rules).spec
    if game != GUEST:
        assert strongest(game) == expected


def test_analyse_on_the_command_line_thinks_as_strong_does() -> None:
    game = ["havannah(size=4)", "--simulations", "200"]
    by_name = run("analyse", *game, "--player", "strong").stdout
    assert run("analyse", *game).stdout == by_name != run("analyse", *game, "--player", "uct").stdout


def test_without_a_game_its_limits_are_known() -> None:
    player = coppice.player("strong(seconds=2)")
    assert player.limit == Limit(seconds=2.0)
    assert coppice.player("strong").limit == Limit(simulations=1000)
    assert coppice.player(player.spec).spec == player.spec


def test_it_is_refused_where_there_is_none() -> None:
    message = "there is no strong for misere breakthrough, only for havannah, breakthrough, "
    misere = coppice.game("misere(breakthrough)")
    for attempt in (
        lambda: coppice.player("strong").check(misere),
        lambda: coppice.player("strong").search(misere.start()),
        lambda: Match("misere(breakthrough)", "strong", "uct"),
    ):
        with pytest.raises(ValueError, match=message):
            attempt()
    with pytest.raises(ValueError, match="strong: jack has no option 'prior'"):
        coppice.player("strong(prior=knowledge(weight=1))").on(coppice.game("mr_jack"))


def test_the_command_line_shows_what_it_stands_for() -> None:
    shown = run("players", "strong").stdout
    for game, spec in STRONG.by_game.items():
        assert f"in {game}\n" in shown
        assert " ".join(spec.split()) in " ".join(shown.split())
    assert json.loads(run("players", "strong", "--json").stdout)[0]["by_game"] == STRONG.by_game
    explained = run("explain", "breakthrough", "strong(simulations=30)").stdout
    full = coppice.player("strong(simulations=30)").on(coppice.game("breakthrough")).spec
    assert f"player {full}\n" in explained


@pytest.mark.parametrize("game", GAMES)
def test_every_ladder_ends_with_it(game: str) -> None:
    text = resources.files("coppice").joinpath("data", "ladder.json").read_text(encoding="utf-8")
    ladders = json.loads(text)["games"]
    assert game in ladders, f"{game} has no levels: give it a list in python/coppice/data/ladder.json"
    ladder = ladders[game]
    for levels in ladder.values() if isinstance(ladder, dict) else [ladder]:
        assert levels[-1]["player"] == "strong"
