"""Files of strangers are read or refused in words, whatever is in them, in bounded time and memory.

A process of its own reads each input (`tests/helpers/hostile_reader.py`). What once came out otherwise lies
in `tests/data/corpus`, a folder for each surface, and is read again by every `make test`. `make evidence`
reads a million inputs, shared out among the surfaces, or as many as `HOSTILE_INPUTS` says.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random

import pytest
from hostile import CORPUS, SURFACES, Reader, corpus, hostile, numbered
from hypothesis import given, settings
from hypothesis import strategies as st

AT_ONCE = 500
"""Inputs of the long run that the process makes by itself before it answers."""
GROWTH = 64 << 20
"""Bytes by which the process may grow while it reads whatever number of inputs."""


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with Reader() as opened:
        yield opened


def answered(reader: Reader, surface: str, data: bytes) -> str:
    """Whether an input was read or refused; anything else is a failure, shown with the input."""
    told = reader.read(surface, data)
    assert told.kind != "failed", f"{surface}: {data[:2000]!r}\n{told.words}"
    return told.kind


@pytest.mark.parametrize("surface", SURFACES)
def test_a_file_that_nobody_has_meddled_with_is_read(surface: str, reader: Reader) -> None:
    for seed in SURFACES[surface].seeds():
        told = reader.read(surface, seed)
        assert told.kind == "read" or surface in ("record", "spec"), (seed, told)


@pytest.mark.parametrize("surface", SURFACES)
@settings(max_examples=150)
@given(rng=st.randoms(use_true_random=False))
def test_whatever_is_in_a_file_it_is_read_or_refused(surface: str, reader: Reader, rng: Random) -> None:
    answered(reader, surface, hostile(surface, rng))


@pytest.mark.parametrize("surface", ["record", "spec", "export", "openings", "gtp", "json_lines"])
@settings(max_examples=100)
@given(data=st.text() | st.binary())
def test_any_text_and_any_bytes_are_read_or_refused(surface: str, reader: Reader, data: str | bytes) -> None:
    raw = data if isinstance(data, bytes) else data.encode("utf-8", errors="surrogatepass")
    answered(reader, surface, raw)


@pytest.mark.parametrize("surface", SURFACES)
def test_what_once_failed_is_answered(surface: str, reader: Reader) -> None:
    for path in corpus(surface):
        answered(reader, surface, path.read_bytes())


def test_every_surface_has_a_corpus_and_every_corpus_a_surface() -> None:
    assert {path.name for path in CORPUS.iterdir()} <= SURFACES.keys()
    assert sum(len(corpus(surface)) for surface in SURFACES) > 0


def test_the_bounds_hold_and_what_is_no_answer_is_told() -> None:
    with Reader(seconds=0.2, megabytes=64) as bounded:
        assert "ended with -27" in bounded.read("burn", b"now").words, "SIGPROF, after so much CPU time"
        assert bounded.read("hoard", b"16").kind == "read"
        told = bounded.read("hoard", b"128")
        assert told.kind == "failed"
        assert "MemoryError" in told.words
        told = bounded.read("trip", b"data")
        assert told.kind == "failed"
        assert "KeyError: b'data'" in told.words
        assert bounded.read("spec", b"tic_tac_toe").kind == "read"
        one_by_one = [bounded.read("spec", numbered("spec", "1", number)).kind for number in range(20)]
        assert bounded.read_many("spec", "1", range(20)).words == str(one_by_one.count("read"))
        traps = (("burn", b"now", "the process ended with -27"), ("hoard", b"128", "MemoryError"))
        for surface, bad, words in traps:
            number = next(number for number in range(100) if numbered(surface, "1", number) == bad)
            told = bounded.read_many(surface, "1", range(100))
            assert told.kind == "failed"
            assert told.words.startswith(f"number {number}: ")
            assert words in told.words


@pytest.mark.evidence
@pytest.mark.parametrize("surface", SURFACES)
def test_a_million_files_are_answered(surface: str) -> None:
    inputs, seed = int(os.environ.get("HOSTILE_INPUTS", "1000000")), os.environ.get("HOSTILE_SEED", "1")
    share = SURFACES[surface].share
    own = -(-inputs * share // sum(other.share for other in SURFACES.values()))
    early = last = read = 0
    with Reader() as reader:
        for start in range(0, own, AT_ONCE):
            told = reader.read_many(surface, seed, range(start, min(own, start + AT_ONCE)))
            assert told.kind == "read", f"{surface}, seed {seed}, {told.words}"
            read += int(told.words)
            last = told.memory
            if start <= own // 4:
                early = last
    grown = max(0, last - early)
    print(
        f"\n{surface}: seed {seed}, {own} inputs, {read} read, {own - read} refused, {grown >> 20} MB grown"
    )
    assert read
    assert grown < GROWTH
