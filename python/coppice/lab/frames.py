"""Data frames and files of columns: tidy rows for pandas, polars, a spreadsheet or Parquet.

Columns are those of a dataclass whose fields are documented (`tidy`, `StudyRecord`): one place says what each
is. Rows come in blocks of columns, and texts that repeat are kept once, so that a million games need no
million objects.
"""

from __future__ import annotations

import csv
import functools
import importlib
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np

from coppice.core import distribution

__all__ = [
    "LIBRARIES",
    "Block",
    "Repeated",
    "Words",
    "columns_of",
    "frame_of",
    "kinds_of",
    "whole",
    "write_csv",
    "write_parquet",
]

Block = Mapping[str, Any]
"""Some rows: the values of each column, all of the same length."""


class Repeated(Sequence[Any]):
    """One value in every row of a block."""

    def __init__(self, value: Any, length: int) -> None:
        self.value = value
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        return itertools.repeat(self.value, self._length)

    def __getitem__(self, at: Any) -> Any:
        return [self.value] * len(range(self._length)[at]) if isinstance(at, slice) else self.value


@dataclass(frozen=True)
class Words(Sequence[Any]):
    """A column of texts of which there are few: the number of each, and the texts by number."""

    codes: Any
    """An array; -1 where there is no text."""
    words: Sequence[str]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[one] for one in range(len(self))[at]]
        code = self.codes[at]
        return None if code < 0 else self.words[code]


LIBRARIES = ("pandas", "polars", "columns")
"""What a frame may be; `columns` is a plain dictionary of lists, which needs nothing."""
_EXTRA = "frames"


@functools.cache
def kinds_of(record: type) -> dict[str, type]:
    """The columns of a record with the types of their values, those that may be empty included."""
    hints = get_type_hints(record)
    found = {}
    for field in fields(record):
        kinds = [
            kind for kind in get_args(hints[field.name]) or (hints[field.name],) if kind is not type(None)
        ]
        # A word to choose from is a text.
        found[field.name] = kinds[0] if isinstance(kinds[0], type) else str
    return found


def columns_of(record: type, records: Iterable[Any]) -> dict[str, list[Any]]:
    """Records as one block."""
    found: dict[str, list[Any]] = {name: [] for name in kinds_of(record)}
    for one in records:
        for name, values in found.items():
            values.append(getattr(one, name))
    return found


def frame_of(block: Block, library: str | None = None) -> Any:
    """A block as a data frame of pandas or polars, whichever is installed; or of the one that is named."""
    if library is None:
        library = next((name for name in LIBRARIES[:2] if _there(name)), "pandas")
    if library not in LIBRARIES:
        raise ValueError(f"unknown library '{library}': allowed are {', '.join(LIBRARIES)}")
    if library == "columns":
        return {name: list(values) for name, values in block.items()}
    made = distribution.optional(library, _EXTRA, f"a data frame needs {library}")
    if library == "polars":
        return made.DataFrame([_polars_column(made, name, values) for name, values in block.items()])
    columns = {
        name: made.Categorical.from_codes(values.codes, values.words) if isinstance(values, Words) else values
        for name, values in block.items()
    }
    return made.DataFrame(columns, copy=False)


def _polars_column(polars: Any, name: str, values: Sequence[Any]) -> Any:
    if not isinstance(values, Words):
        return polars.Series(name, values, strict=False)
    words = polars.Series(name, list(values.words), dtype=polars.Enum(list(values.words)))
    codes = polars.Series(values.codes).cast(polars.Int64)
    return words.gather(codes.set(codes < 0, None)).alias(name)


def whole(blocks: Iterable[Block], record: type) -> Block:
    """All blocks as one: numbers in arrays, texts that repeat as `Words`."""
    kinds = kinds_of(record)
    parts: dict[str, list[Any]] = {name: [] for name in kinds}
    codes: dict[str, dict[Any, int]] = {name: {} for name, kind in kinds.items() if kind is str}
    for block in blocks:
        for name, values in block.items():
            if name in codes:
                parts[name].append(_coded(values, codes[name]))
            elif isinstance(values, Repeated):
                parts[name].append(np.full(len(values), np.nan if values.value is None else values.value))
            else:
                # A column in which numbers are missing is one of real numbers.
                lacking = not isinstance(values, np.ndarray) and None in values
                parts[name].append(np.asarray(values, dtype=float if lacking else kinds[name]))
    joined = {
        name: np.concatenate(some) if some else np.empty(0, dtype=np.int32 if name in codes else kinds[name])
        for name, some in parts.items()
    }
    return {
        name: Words(column, [word for word in codes[name] if word is not None]) if name in codes else column
        for name, column in joined.items()
    }


def _coded(values: Any, codes: dict[Any, int]) -> Any:
    """The numbers of texts, which get the next ones where they are new."""
    if isinstance(values, Repeated):
        return np.full(len(values), _code(values.value, codes), dtype=np.int32)
    for value in dict.fromkeys(values):
        _code(value, codes)
    return np.fromiter(map(codes.__getitem__, values), dtype=np.int32, count=len(values))


def _code(value: str | None, codes: dict[Any, int]) -> int:
    if value not in codes:
        codes[value] = -1 if value is None else sum(code >= 0 for code in codes.values())
    return codes[value]


def _there(library: str) -> bool:
    try:
        importlib.import_module(library)
    except ImportError:
        return False
    return True


def write_csv(path: str | os.PathLike[str], record: type, blocks: Iterable[Block]) -> int:
    """Write blocks as CSV with a header; returns the number of rows. What is not known is empty."""
    names, rows = list(kinds_of(record)), 0
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for block in blocks:
            writer.writerows(zip(*(block[name] for name in names), strict=True))
            rows += len(block[names[0]])
    return rows


def write_parquet(path: str | os.PathLike[str], record: type, blocks: Iterable[Block]) -> int:
    """Write blocks as Parquet with typed columns; returns the number of rows."""
    arrow = distribution.optional("pyarrow", _EXTRA, "a Parquet file needs pyarrow")
    parquet = importlib.import_module("pyarrow.parquet")
    types = {bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
    schema = arrow.schema([(name, types[kind]) for name, kind in kinds_of(record).items()])
    rows = 0
    with parquet.ParquetWriter(os.fspath(path), schema) as writer:
        for block in blocks:
            table = arrow.Table.from_pydict({name: list(block[name]) for name in schema.names}, schema=schema)
            writer.write_table(table)
            rows += table.num_rows
    return rows
