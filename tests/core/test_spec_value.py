"""Specs as values: the tree that the core reads, what is replaced in it, and what it says of itself."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coppice
from coppice import _core
from coppice.core.catalogue import catalogue
from coppice.core.spec import LIMITS, Spec, Text, value_text


def player(text: str) -> Spec:
    return Spec.of("player", text)


def test_a_resolved_spec_is_a_tree_of_parts() -> None:
    spec = player("rave(playout=mast(eps=0.25)+ppr, simulations=70, fpu=0.5)")
    assert spec.name == "mcts"
    assert spec["simulations"] == 70
    assert spec["fpu"] == 0.5
    assert spec["ties"] == "random"
    assert spec["prior"] is None
    assert spec["reuse"] is False
    playout = spec["playout"]
    assert isinstance(playout, Spec)
    assert (playout.family, playout.name, len(playout.parts)) == ("playout", "mast+ppr", 2)
    assert playout.parts[0]["eps"] == 0.25
    assert isinstance(spec["selection"], Spec)
    assert "simulations" in spec
    assert "simulatons" not in spec
    assert spec.get("simulatons") is None
    names = [(part.family, part.name) for part in spec.walk()]
    assert names[0] == ("player", "mcts")
    assert names[1:].count(("playout", "mast")) == 1
    assert ("selection", "rave") in names


def test_a_misspelt_option_and_a_chain_that_is_asked_as_one_part_say_what_is_there() -> None:
    with pytest.raises(KeyError, match="uct has no option 'kk' here: k, c"):
        Spec.of("selection", "uct")["kk"]
    chain = Spec.of("playout", "mast+ppr")
    with pytest.raises(ValueError, match="is a chain: ask one of its parts"):
        chain["eps"]
    assert chain.get("eps") is None
    with pytest.raises(ValueError, match="was parsed only: options are replaced in a spec that is resolved"):
        Spec.parsed("uct(k=1)").replace(k=2.0)
    with pytest.raises(ValueError, match="did you mean 'rave'"):
        player("rawe")


def every_part() -> list[Spec]:
    return [Spec.of(part.family, part.name) for part in catalogue() if part.name != "misere"]


def test_the_text_of_every_part_is_what_the_core_writes() -> None:
    for spec in every_part():
        assert spec.family is not None
        assert str(spec) == _core.canonical(spec.family, str(spec))
        inside = ", ".join(f"{key}={text}" for key, text in spec.only.written.items())
        assert str(spec) == (f"{spec.name}({inside})" if inside else spec.name)
        assert pickle.loads(pickle.dumps(spec)) == spec
        assert hash(Spec.of(spec.family, str(spec))) == hash(spec)
    assert len(every_part()) > 60


@given(st.floats(min_value=0.0, max_value=100.0))
def test_numbers_are_written_as_the_core_writes_them(number: float) -> None:
    text = _core.canonical("selection", f"uct(k={number!r})")
    assert text.startswith(f"uct(k={value_text(number)}, ")
    assert Spec.of("selection", text)["k"] == number


@given(
    st.text(
        alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.sampled_from('\n\t\r"\\')
    )
)
def test_texts_are_written_as_the_core_writes_them(text: str) -> None:
    spec = player(f"gtp({value_text(Text(text))})")
    assert spec["command"] == text
    assert str(spec).startswith(f"gtp(command={value_text(Text(text))}, ")


def test_options_are_replaced_and_a_new_budget_takes_the_place_of_the_old() -> None:
    spec = player("rave(simulations=70)")
    timed = spec.replace(seconds=2.5)
    assert [timed[name] for name in LIMITS] == [None, None, 2.5, None]
    assert spec["simulations"] == 70
    assert timed.replace(states=9) == player("rave(states=9)")
    other = spec.replace(selection=Spec.of("selection", "uct(k=2)"))
    assert (str(other["selection"]), other["simulations"]) == ("uct(k=2.0, c=4.0)", 70)
    uct = Spec.of("selection", "uct(k=0.5)")
    assert str(uct.replace(c=3.0)) == "uct(k=1.5, c=3.0)"
    assert str(uct.replace(k=3.0)) == "uct(k=3.0, c=6.0)"
    with pytest.raises(ValueError, match="no option 'kk'"):
        uct.replace(kk=1)


@pytest.mark.parametrize(
    ("text", "reproducible", "leaves"),
    [
        ("rave", True, False),
        ("rave(seconds=1)", False, False),
        ("rave(cpu_seconds=1)", False, False),
        ("rave(threads=2)", True, False),
        ("rave(threads=2, parallel=tree)", False, False),
        ("rave(parallel=tree)", True, False),
        ('mcts(playout=patterns("w.json"))', True, True),
        ('gtp("engine")', False, True),
    ],
)
def test_a_spec_says_whether_it_can_be_repeated_and_whether_it_leaves_the_process(
    text: str, reproducible: bool, leaves: bool
) -> None:
    for spec in (player(text), Spec.parsed(str(player(text)))):
        assert (spec.is_reproducible, spec.leaves_the_process) == (reproducible, leaves)


def test_what_is_parsed_only_is_not_resolved() -> None:
    spec = Spec.parsed('misere(python("no/such/file.py:X"))')
    assert [part.name for part in spec.walk()] == ["misere", "python"]
    assert spec.leaves_the_process
    assert spec.family is None
    assert Spec.parsed("nothing(of=this, exists)").only.items[0][0] == "of"
    with pytest.raises(ValueError, match="uct"):
        Spec.parsed("uct(")


def test_a_spec_may_be_given_where_its_text_may() -> None:
    assert coppice.player(player("rave(simulations=70)")).spec == str(player("rave(simulations=70)"))
    assert coppice.game(Spec.of("game", "havannah(size=4)")) == coppice.game("havannah(size=4)")
