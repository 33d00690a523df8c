"""Private keys of many people are counted part by part: an extreme person weighs what is claimed, in all of them."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.algebra.query import WEIGHT, Kept, Key, Source, Total, Units
from deniable.engines import DuckDB
from deniable.engines.duckdb import engine as of_engine
from tests.unit.engines.people import ONE, TOWN

ROWS, CONTRIBUTION, MOST = 4_000, 7, 3
SOURCE, KEYS = Source("people", "id", CONTRIBUTION, None), (Key("town", TOWN),)
KEPT = Kept(SOURCE, KEYS, (Total("n", ONE, None, 1, 0),), MOST, "units")
UNITS = Units(SOURCE, KEYS, "units", None)


def _found(file: Path, query: Kept | Units, name: str) -> Counter[str]:
    with closing(DuckDB({"people": file})) as engine:
        return Counter({row["town"]: row[name] for row in engine.run(query).to_pylist()})


def _apart(one: Counter[str], other: Counter[str]) -> int:
    return sum(abs(one[town] - other[town]) for town in {*one, *other})


@pytest.mark.parametrize(
    ("query", "name", "most"),
    [
        (KEPT, "n", CONTRIBUTION * WEIGHT),
        (KEPT, "units", MOST),
        (UNITS, "units", CONTRIBUTION * WEIGHT),
    ],
)
def test_an_extreme_person_weighs_what_is_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: Kept | Units, name: str, most: int
) -> None:
    """Three thousand rows in three hundred towns; and the claim is reached, but for what floors take."""
    random = np.random.default_rng(8)
    towns = random.integers(0, 300, ROWS + 3_000)
    ids = np.concatenate([random.integers(0, 500, ROWS), np.full(3_000, 777)])
    table = pa.table({"id": ids, "town": [f"town {town}" for town in towns]})
    pq.write_table(table, tmp_path / "with.parquet")
    pq.write_table(table.slice(0, ROWS), tmp_path / "without.parquet")
    monkeypatch.setattr(of_engine, "AT_ONCE", ROWS // 5)
    found = _apart(*(_found(tmp_path / f"{file}.parquet", query, name) for file in ("with", "without")))
    assert 0.99 * most <= found <= most
