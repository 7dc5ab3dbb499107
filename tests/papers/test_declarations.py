"""The experiments of the package are declared as `tests/data/declarations.json` says.

A row is a question to a paper: another number, player or game there is another question, and what was played
for the row before no longer counts. So nothing in a declaration changes unnoticed. Whoever changes one writes
the file anew, and its difference names the rows:

    .venv/bin/python tests/papers/test_declarations.py
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from coppice.papers.experiment import MatchRow, Published, experiment_names, find_experiment

FILE = Path(__file__).parent.parent / "data" / "declarations.json"


def default(field: dataclasses.Field[Any]) -> object:
    """What a field holds that nobody gives."""
    made = field.default_factory
    return field.default if made is dataclasses.MISSING else made()


def said(value: Any) -> object:
    """A declaration as plain values, without what is left at its default."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        given = {
            field.name: said(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if getattr(value, field.name) != default(field)
        }
        return {"kind": type(value).__name__, **given}
    if isinstance(value, tuple):
        return [said(one) for one in value]
    return dict(value) if hasattr(value, "keys") else value


def digest(value: Any) -> str:
    text = json.dumps(said(value), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def declared(name: str) -> dict[str, Any]:
    """What an experiment declares: its own words, and a digest of each row, in their order."""
    experiment = find_experiment(name)
    rows = {row.name: digest(row) for row in experiment.rows}
    beside = said(experiment)
    assert isinstance(beside, dict)
    return {"experiment": digest({**beside, "rows": len(rows)}), "rows": rows}


def test_all_experiments_are_entered() -> None:
    assert list(json.loads(FILE.read_text(encoding="utf-8"))) == list(experiment_names())


@pytest.mark.parametrize("name", experiment_names())
def test_an_experiment_is_declared_as_before(name: str) -> None:
    kept, now = json.loads(FILE.read_text(encoding="utf-8"))[name], declared(name)
    changed = [row for row, found in now["rows"].items() if kept["rows"].get(row) != found]
    anew = "where that is meant, write tests/data/declarations.json anew"
    assert changed == [], f"rows of {name} are declared otherwise than before: {anew}"
    assert list(kept["rows"]) == list(now["rows"]), f"rows of {name} are gone, or in another order: {anew}"
    assert kept["experiment"] == now["experiment"], f"what {name} says beside its rows has changed: {anew}"


def test_a_digest_depends_on_all_that_is_said() -> None:
    row = MatchRow(name="one", game="havannah", a="uct", b="random", count=10)
    others = [
        dataclasses.replace(row, **{name: value})  # type: ignore[arg-type]
        for name, value in (
            ("game", "nogo"),
            ("b", "rave"),
            ("count", 11),
            ("labels", {"C": "1"}),
            ("published", Published(0.5)),
            ("published", Published(0.5, flags=("shown otherwise",))),
        )
    ]
    assert len({digest(one) for one in (row, *others)}) == len(others) + 1
    assert digest(row) == digest(dataclasses.replace(row))


if __name__ == "__main__":
    entries = {name: declared(name) for name in experiment_names()}
    FILE.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
