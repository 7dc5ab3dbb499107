"""Specs by what differs from the defaults: they mean the same, survive new options, and old ones are read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from coppice import _core, spelling
from coppice.catalogue import catalogue
from coppice.spelling import CHANGES, SPELLING, Changed, told, upgrade

ROOT = Path(__file__).parent.parent
DEFAULTS = ROOT / "tests" / "data" / "defaults.json"
"""The default of every option, and the spelling of the package when it was written."""
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
    novel = {"name": "novel", "kind": "int", "default": "3", "allowed": "a number", "doc": "", "of": None}
    novel |= {"or_none": False, "min": 0.0, "max": 9.0, "choices": []}
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
