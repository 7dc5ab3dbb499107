"""Specs by what differs from the defaults: they mean the same, survive new options, and old ones are read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from coppice import _core
from coppice.core import spelling
from coppice.core.catalogue import catalogue
from coppice.core.spelling import CHANGES, SPELLING, Changed, told, upgrade

ROOT = Path(__file__).parent.parent.parent
DEFAULTS = ROOT / "tests" / "data" / "defaults.json"
"""The default of every option, those that are gone, and the spelling of the package when it was written."""
GAMES = ("havannah(size=5)", "misere(breakthrough)", "mr_jack", "nogo")


@pytest.fixture
def anew() -> Any:
    """Forgets what the catalogue was, before and after."""
    caches = (spelling.told, spelling.told_canonical, spelling._parts, spelling._defaults)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def test_what_is_told_means_the_same() -> None:
    checked = 0
    for part in catalogue("player"):
        for game in GAMES:
            try:
                whole = _core.canonical("player", part.name, game)
            except ValueError:
                continue
            text = told("player", part.name, game)
            assert _core.canonical("player", text, game) == whole
            assert len(text) < len(whole) or text == whole
            checked += 1
    assert checked > 100
    assert told("game", "havannah(size=8)") == "havannah(size=8)"
    assert told("player", "rave(simulations=500)") == "mcts(selection=rave, simulations=500)"
    # A limit takes the place of the default one, so that both must be said where both are meant.
    assert told("player", "mcts(states=5)") == "mcts(simulations=none, states=5)"
    both = told("player", "mcts(states=5, simulations=1000)")
    assert _core.canonical("player", both) == _core.canonical("player", "mcts(states=5, simulations=1000)")


def test_a_new_option_changes_nothing_that_is_told(monkeypatch: pytest.MonkeyPatch, anew: None) -> None:
    specs = ["strong(simulations=7)", "uct(states=9)", "ppr", "mast_published(seconds=1)"]
    before = [told("player", spec, GAMES[0]) for spec in specs]
    novel: dict[str, Any] = {"name": "novel", "kind": "int", "default": "3", "allowed": "a number"}
    novel |= {"doc": "", "of": None, "or_none": False, "min": 0.0, "max": 9.0, "choices": []}
    real_catalogue, real_canonical = _core.catalogue, _core.canonical

    def with_novel() -> list[dict[str, Any]]:
        entries = real_catalogue()
        for entry in entries:
            if entry["name"] in ("mcts", "rave", "ppr"):
                entry["options"] = [novel, *entry["options"]]
        return entries

    def canonical(family: str, spec: str, game: str | None = None) -> str:
        text = real_canonical(family, spec.replace("novel=3, ", ""), game)
        return re.sub(r"\b(mcts|rave|ppr)\(", r"\1(novel=3, ", text)

    for name, replacement in (("catalogue", with_novel), ("canonical", canonical)):
        monkeypatch.setattr(_core, name, replacement)
    for cache in (spelling.told, spelling.told_canonical, spelling._parts, spelling._defaults):
        cache.cache_clear()
    assert "novel=3" in _core.canonical("player", specs[0], GAMES[0])
    assert [told("player", spec, GAMES[0]) for spec in specs] == before


def test_an_old_text_keeps_its_old_default() -> None:
    def least(text: str) -> str:
        return text.partition("min=")[2][:1]

    assert least(upgrade("player", "mcts(playout=mate(c=1.0))")) == "1"
    assert least(upgrade("player", "mcts(playout=bridge+mate(c=1.0))", 0)) == "1"
    assert least(upgrade("player", "mcts(playout=mate(c=1.0, min=2))", 0)) == "2"
    assert least(upgrade("player", "mcts(playout=mate(c=1.0))", SPELLING)) == "2"
    # Of several changes the one counts that came first after the text.
    changes = [Changed(1, "playout", "mate", "min", "1"), Changed(3, "playout", "mate", "min", "2")]
    texts = [upgrade("playout", "mate", number, changes=changes) for number in range(5)]
    assert list(map(least, texts)) == ["1", "1", "2", "2", "2"]
    with pytest.raises(ValueError, match="mcts has no option 'bogus'"):
        upgrade("player", "mcts(bogus=1)")


OLD_AND_NEW = {
    "mcts(expansion=all, expand_at=8)": "mcts(expansion=all(at=8))",
    "mcts(expand_at=0, order=last)": "mcts(expansion=one(order=last, at=0))",
    "mcts(expansion=all, widen=4, widen_at=10.0, widen_by=2.0, expand_at=2, prior=0.5)": (
        "mcts(expansion=progressive(first=4, at=10, by=2, leaf_at=2), prior=knowledge(weight=0.5))"
    ),
    "mcts(prior=0.0, prior_patterns=0.25)": "mcts(prior=patterns(weight=0.25))",
    "mcts(prior=0.3, prior_patterns=1.0)": "mcts(prior=knowledge(weight=0.3)+patterns(weight=1))",
    "mcts(t=50, solve=true)": "mcts(playout_until=50, tactics=solver)",
    "mcts(solve=true, stubborn=true, threats=true, doubles=true, forcing=9, tries=7)": (
        "mcts(tactics=solver(play_on_when_lost=true)+threats(doubles=true)+forcing(at=9, tries=7))"
    ),
    "mcts(solve=true, threats=true, forcing=0, tries=7)": "mcts(tactics=solver+threats)",
    "jack(opponent=informed)": "jack(worlds=sampled(opponent=informed))",
    "jack(draw=free_choice, opponent=fair)": "jack(worlds=sampled(draw=free_choice))",
}


@pytest.mark.parametrize("old", OLD_AND_NEW)
def test_options_that_have_moved_are_read_where_they_are_stored(old: str) -> None:
    new = _core.canonical("player", OLD_AND_NEW[old])
    assert upgrade("player", old, 1) == new
    assert upgrade("player", old, 0) == new
    # A store does not say in which spelling a text is: what is new already stays what it is.
    for number in range(SPELLING + 1):
        assert upgrade("player", new, number) == new
        assert upgrade("player", told("player", new), number) == new
    with pytest.raises(ValueError, match=r"(mcts|jack): \w+ has moved: write for instance \w+="):
        _core.canonical("player", old)


def test_an_option_that_is_gone_says_where_it_is() -> None:
    kept = json.loads(DEFAULTS.read_text(encoding="utf-8"))
    gone = set(kept["gone"]) | (kept["defaults"].keys() - defaults().keys())
    assert len(gone) > 12
    for family, part, option in map(str.split, gone):
        with pytest.raises(ValueError, match=f"^{part}: {option} has moved: write for instance"):
            _core.canonical(family, f"{part}({option}=1)")
    with pytest.raises(
        ValueError, match=re.escape("mcts: prior has moved: write for instance prior=knowledge(")
    ):
        _core.canonical("player", "mcts(prior=0.5)")
    with pytest.raises(ValueError, match="uct: mcts: solve has moved: write for instance tactics=solver"):
        _core.canonical("player", "uct(solve=true)")


def test_the_order_of_priors_and_tactics_means_nothing() -> None:
    assert _core.canonical("tactics", "threats+solver") == _core.canonical("tactics", "solver+threats")
    for chain in ("solver+threats+solver", "threats(doubles=true)+solver+threats"):
        with pytest.raises(ValueError, match=r"(solver|threats) is named twice"):
            _core.canonical("tactics", chain)
    with pytest.raises(ValueError, match="only playout policies, priors and tactics form chains"):
        _core.canonical("backup", "mean+implicit_minimax")


def test_every_text_of_the_results_is_read() -> None:
    read = 0
    for path in sorted((ROOT / "results").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            facts, number = entry["facts"], entry.get("spelling", 0)
            game = upgrade("game", facts["game"], number)
            for name in ("a", "b", "player", "reference"):
                if facts.get(name):
                    assert upgrade("player", facts[name], number, game)
                    read += 1
    assert read > 250


def defaults() -> dict[str, str]:
    return {
        f"{part.family} {part.name} {option.name}": option.default
        for part in catalogue()
        for option in part.options
        if not part.is_named
    }


def test_a_default_that_changes_is_entered_with_a_new_spelling() -> None:
    kept = json.loads(DEFAULTS.read_text(encoding="utf-8"))
    now = defaults()
    entered = {(f"{one.family} {one.part} {one.option}", one.default) for one in CHANGES if one.last >= 1}
    for name, default in kept["defaults"].items():
        assert name not in now or now[name] == default or (name, default) in entered, (
            f"the default of {name} was {default}: raise SPELLING, enter the old one in spelling.CHANGES, and"
            " write tests/data/defaults.json anew"
        )
    assert all(one.last < SPELLING for one in CHANGES)
    if kept["spelling"] == SPELLING:
        assert {name: now[name] for name in kept["defaults"] if name in now} == {
            name: default for name, default in kept["defaults"].items() if name in now
        }, "a default has changed, but the spelling has not"
