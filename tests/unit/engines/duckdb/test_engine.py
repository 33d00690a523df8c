"""Files in, whole numbers out, whatever the order of the rows."""

from __future__ import annotations

from contextlib import closing
from datetime import date
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.algebra.expression import Call, Column, Kind, Literal, Range
from deniable.core.algebra.query import WEIGHT, ExactQuery, Kept, Key, Source, Sums, Total, Units
from deniable.engines import DuckDB
from tests.unit.engines.people import AGE, ONE, PEOPLE, TOWN, ages, by_town, count


def test_rows_as_units(engine: DuckDB) -> None:
    assert engine.run(count()).to_pylist() == [{"n": 5}]
    answer = engine.run(ages())
    assert answer.schema == pa.schema([("town", pa.string()), ("age", pa.int64())])
    assert by_town(answer, "age") == {"north": 81, "south": 47, None: 110}


def test_people_as_units(engine: DuckDB) -> None:
    assert engine.run(count(unit="id")).to_pylist() == [{"n": 3 * WEIGHT}]
    half = WEIGHT // 2
    assert by_town(engine.run(ages("id")), "age") == {"north": 31 * half, "south": 47 * half, None: 110 * WEIGHT}
    units = Units(Source("people", "id", 1, None), (Key("town", TOWN),), "many", None)
    assert by_town(engine.run(units), "many") == {"north": half, "south": half + WEIGHT, None: WEIGHT}
    kept = engine.run(
        Kept(Source("people", "id", 9, None), (Key("town", TOWN),), (Total("n", ONE, None, 1, 0),), 1, "u")
    )
    assert kept.column_names == ["town", "n", "u"]
    assert sum(kept["u"].to_pylist()) == 3


def test_keys_of_every_kind(tmp_path: Path) -> None:
    table = pa.table(
        {"x": [-0.0, 0.0], "t": ["e\u0301", "é"], "b": [True, True], "d": [date(2025, 1, 1)] * 2, "i": [7, 7]}
    )
    pq.write_table(table, tmp_path / "keys.parquet")
    kinds = {"x": Kind.NUMBER, "t": Kind.TEXT, "b": Kind.BOOLEAN, "d": Kind.DATE, "i": Kind.INTEGER}
    keys = tuple(Key(name, Column(name, kind)) for name, kind in kinds.items())
    engine = DuckDB({"keys": tmp_path / "keys.parquet"})
    found = engine.run(Sums(Source("keys", None, 1, None), keys, (Total("n", ONE, None, 1, 0),)))
    engine.close()
    assert found.to_pylist() == [{"x": 0.0, "t": "é", "b": True, "d": date(2025, 1, 1), "i": 7, "n": 2}]


def test_an_empty_table_adds_up_to_zero(tmp_path: Path) -> None:
    pq.write_table(pa.table(PEOPLE).slice(0, 0), tmp_path / "people.parquet")
    engine = DuckDB({"people": tmp_path / "people.parquet"})
    for unit in (None, "id"):
        assert engine.run(count(unit=unit)).to_pylist() == [{"n": 0}]
        assert engine.run(ages(unit)).num_rows == 0
    engine.close()


def test_order_and_threads_change_nothing(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    size = 300_000
    table = pa.table(
        {
            "id": generator.integers(0, 20_000, size),
            "age": generator.integers(-10, 130, size),
            "town": generator.choice(["north", "south", "east"], size),
            "x": generator.normal(size=size) * 10.0 ** generator.integers(-5, 20, size),
        }
    )
    steps = (Literal(Fraction(value), Kind.NUMBER) for value in ("0.3", "0.01"))
    reach = Literal(Fraction(1000), Kind.INTEGER)
    row = Call("grid", (Column("x", Kind.NUMBER), *steps, reach), Kind.INTEGER, Range(Fraction(-1000), Fraction(1000)))
    totals = (Total("x", row, None, 1000, 7), Total("age", AGE, None, 110, 0), Total("n", ONE, None, 1, 0))
    source, keys = Source("people", "id", 10, None), (Key("town", TOWN),)
    queries: list[ExactQuery] = [
        Sums(source, keys, totals),
        Kept(source, keys, totals, 1, "u"),
        Sums(source, (), totals),
    ]
    seen = []
    for threads, order in ((1, np.arange(size)), (4, generator.permutation(size))):
        path = tmp_path / f"{threads}.parquet"
        pq.write_table(table.take(order), path, row_group_size=10_000 * threads)
        engine = DuckDB({"people": path}, threads=threads)
        seen.append([sorted(map(repr, engine.run(query).to_pylist())) for query in queries])
        engine.close()
    assert seen[0] == seen[1]


@pytest.mark.parametrize("groups", [2, 3, 4])
def test_one_group_too_many_is_cut(tmp_path: Path, groups: int) -> None:
    """A person keeps two private groups, also one who has just one more."""
    towns = [f"town {number}" for number in range(groups)]
    pq.write_table(pa.table({"id": [7] * groups, "town": towns}), tmp_path / "people.parquet")
    query = Kept(Source("people", "id", 9, None), (Key("town", TOWN),), (Total("n", ONE, None, 1, 0),), 2, "units")
    with closing(DuckDB({"people": tmp_path / "people.parquet"})) as engine:
        assert engine.run(query)["units"].to_pylist() == [1, 1]
