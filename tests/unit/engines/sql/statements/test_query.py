"""Sums, Units and Kept on random small tables, against their definitions in Python."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv
from pyarrow import parquet as pq

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal, Range
from deniable.core.algebra.query import WEIGHT, ExactQuery, Kept, Key, Source, Sums, Total, Units
from deniable.engines.duckdb.dialect import DuckDBDialect
from deniable.engines.duckdb.lockdown import MISTRUSTED, tables
from deniable.engines.sql.relations import Tables
from deniable.engines.sql.statements import query as forms
from deniable.engines.sql.statements import statement
from deniable.engines.sql.statements.rows import rows_of
from deniable.files.scan import columns, take
from deniable.files.source import DataFile
from tests.unit.engines.reference import as_kind, evaluate, number

SCHEMA = pa.schema([("unit", pa.int64()), ("weight", pa.string()), ("x", pa.float64()), ("v", pa.int64())])
"""Columns with the names that statements use themselves."""
TYPES = {"unit": "BIGINT", "weight": "VARCHAR", "x": "DOUBLE", "v": "BIGINT"}

UNIT = Column("unit", Kind.INTEGER)
TOWN = Column("weight", Kind.TEXT)
REAL = Column("x", Kind.NUMBER)
X = Column("x", Kind.NUMBER, Range(Fraction(-3), Fraction(4)))
V = Column("v", Kind.INTEGER, Range(Fraction(-100), Fraction(1000)))
UP = Column("v", Kind.INTEGER, Range(Fraction(0), Fraction(1000)))

Rows = list[dict[str, Any]]


def placed(value: Expression, centre: Fraction, step: Fraction, reach: int) -> Expression:
    arguments = (value, number(centre), number(step), number(reach))
    return Call("grid", arguments, Kind.INTEGER, Range(Fraction(-reach), Fraction(reach)))


def compared(name: str, one: Expression, other: Expression) -> Expression:
    return Call(name, (one, other), Kind.BOOLEAN)


CONDITIONS = [
    None,
    compared("more", V, number(0)),
    compared("less", REAL, number("1.5")),
    compared("equal", TOWN, Literal("é", Kind.TEXT)),
    compared("less", UNIT, number(0)),
]
ADDED: list[tuple[Expression, int]] = [
    (number(1), 1),
    (number(-3), 3),
    (Literal(Fraction(2), Kind.NUMBER), 2),
    (Literal(None, Kind.INTEGER), 1),
    (placed(X, Fraction(1, 2), Fraction(1, 100), 350), 350),
    (V, 1000),
    (UP, 1000),
    (Call("multiply", (V, number(2**45)), Kind.INTEGER, Range(Fraction(-(2**60)), Fraction(2**60))), 2**60),
]
KEYS = [TOWN, REAL, V, compared("more", V, number(3)), Literal("all", Kind.TEXT)]


VALUES: dict[str, list[Any]] = {
    "unit": [None, 1, 1, 1, 1, 2, 2, 3, 4, -5],
    "weight": [None, "", "a", "é", "e\u0301", "nan"],
    "x": [None, math.nan, math.inf, -math.inf, 0.0, -0.0, 0.005, 1.5, -2.25, 3.999],
    "v": [None, 0, 1, -1, 5, 999, -(2**63), 2**63 - 1],
}


def drawn(seed: int, size: int) -> Rows:
    """Hypothesis itself would draw mostly short tables, in which nobody is heavy."""
    places = np.random.default_rng(seed).integers(0, 2**30, (size, len(VALUES)))
    return [
        {name: options[place % len(options)] for (name, options), place in zip(VALUES.items(), row, strict=True)}
        for row in places
    ]


rows = st.builds(drawn, st.integers(0, 2**32), st.sampled_from([0, 1, 3, 10, 20, 40]))
sources = st.builds(
    Source, st.just("weights"), st.just("unit"), st.sampled_from([1, 2, 3, 7, 2**50]), st.sampled_from(CONDITIONS)
)
loose = st.builds(Source, st.just("weights"), st.none(), st.just(1), st.sampled_from(CONDITIONS))
keys = st.lists(st.sampled_from(KEYS), max_size=2).map(
    lambda values: tuple(Key(f'the "{place}"', value) for place, value in enumerate(values))
)
totals = st.lists(
    st.tuples(st.sampled_from(ADDED), st.sampled_from(CONDITIONS), st.sampled_from([0, 1, 7, 20, 25])),
    min_size=1,
    max_size=3,
).map(
    lambda found: tuple(
        Total(f"t {place}", row, where, reach, shift) for place, ((row, reach), where, shift) in enumerate(found)
    )
)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute(f"SET disabled_optimizers = '{MISTRUSTED}'")
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows")


def weights(types: Mapping[str, str]) -> Tables:
    """The only table, in DuckDB's words."""
    return Tables({"weights": types}.__getitem__, lambda table: f"main.{table}", DuckDBDialect())


def ask(
    connection: duckdb.DuckDBPyConnection, query: ExactQuery, table: Rows, path: Path | None = None
) -> dict[tuple[Any, ...], tuple[int, ...]]:
    """What the statement gives, by key; from a file, or from memory."""
    arrow = pa.Table.from_pylist(table, schema=SCHEMA)
    types = TYPES
    connection.execute("DROP VIEW IF EXISTS main.weights")
    if path is None:
        connection.register("given", arrow)
        connection.execute("CREATE OR REPLACE TEMP TABLE kept_here AS FROM given")
        connection.execute("CREATE VIEW main.weights AS FROM kept_here")
    else:
        pq.write_table(arrow, path) if path.suffix == ".parquet" else csv.write_csv(arrow, path)
        for step in tables({"weights": DataFile.named(path)}, str(path.parent)):
            take(connection, step)
        types = columns(DataFile.named(path))
    answer = connection.sql(statement(query, weights(types))).to_arrow_table()
    width = len(query.keys)
    assert answer.column_names[:width] == [key.name for key in query.keys]
    assert all(kind == pa.int64() for kind in answer.schema.types[width:])
    groups = {row[:width]: row[width:] for row in zip(*(column.to_pylist() for column in answer.columns), strict=True)}
    assert len(groups) == answer.num_rows
    return groups


def chosen(source: Source, table: Rows, *conditions: Expression | None) -> Rows:
    met = [one for one in (source.where, *conditions) if one is not None]
    return [
        row
        for row in table
        if (source.unit is None or row[source.unit] is not None) and all(evaluate(one, row) is True for one in met)
    ]


def key_of(query: ExactQuery, row: dict[str, Any]) -> tuple[Any, ...]:
    values = (evaluate(key.value, row) for key in query.keys)
    return tuple(
        unicodedata.normalize("NFC", value)
        if isinstance(value, str)
        else value + 0.0
        if isinstance(value, float)
        else value
        for value in values
    )


def added(total: Total, row: dict[str, Any], weight: int | None) -> int:
    value = as_kind(evaluate(total.row, row), Kind.INTEGER)
    if value is None or (total.where is not None and evaluate(total.where, row) is not True):
        return 0
    if weight is None:
        return int(value)
    return (abs(value) * weight >> total.shift) * (1 if value >= 0 else -1)


def weight_of(contribution: int, size: int) -> int:
    return min(WEIGHT, contribution * WEIGHT // size)


def cut(value: int) -> int:
    return max(-(2**61), min(2**61, value))


def sums(query: Sums | Kept, table: Rows) -> dict[tuple[Any, ...], list[int]]:
    """The definition of Sums, over rows that are chosen already."""
    unit = query.source.unit
    sizes = Counter(row[unit] for row in table) if unit else {}
    groups: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0] * len(query.totals))
    for row in table:
        weight = weight_of(query.source.contribution, sizes[row[unit]]) if unit else None
        group = groups[key_of(query, row)]
        for place, total in enumerate(query.totals):
            group[place] += added(total, row, weight)
    if not query.keys:
        groups[()]  # there is always one group
    return {key: [cut(value) for value in values] for key, values in groups.items()}


@settings(max_examples=120, deadline=None)
@given(table=rows, source=st.one_of(sources, loose), keys=keys, totals=totals)
def test_sums(
    connection: duckdb.DuckDBPyConnection, table: Rows, source: Source, keys: tuple[Key, ...], totals: tuple[Total, ...]
) -> None:
    query = Sums(source, keys, totals)
    expected = {key: tuple(values) for key, values in sums(query, chosen(source, table)).items()}
    assert ask(connection, query, table) == expected


many = st.lists(st.sampled_from(ADDED), min_size=3, max_size=6).map(
    lambda found: tuple(Total(f"t {place}", row, None, reach, 0) for place, (row, reach) in enumerate(found))
)


@settings(max_examples=60, deadline=None)
@given(table=rows, source=sources, totals=many)
def test_many_sums_without_keys(
    connection: duckdb.DuckDBPyConnection, table: Rows, source: Source, totals: tuple[Total, ...]
) -> None:
    """Two that look at rows are added up for each unit first; of more, the heavy are corrected."""
    query = Sums(source, (), totals)
    expected = {key: tuple(values) for key, values in sums(query, chosen(source, table)).items()}
    assert ask(connection, query, table) == expected
    reading = sum(not isinstance(total.row, Literal) for total in totals)
    assert source.unit is None or ("heavy" in statement(query, weights(TYPES))) == (reading > forms._FEW)


counts = st.lists(st.tuples(st.sampled_from(ADDED[:4]), st.sampled_from([0, 1, 20, 25])), min_size=1, max_size=2).map(
    lambda found: tuple(
        Total(f"t {place}", row, None, reach, shift) for place, ((row, reach), shift) in enumerate(found)
    )
)
"""Totals that look at no row, whose statements are their own."""


@settings(max_examples=80, deadline=None)
@given(table=rows, source=sources, keys=keys, totals=counts)
def test_rows_that_are_only_counted(
    connection: duckdb.DuckDBPyConnection, table: Rows, source: Source, keys: tuple[Key, ...], totals: tuple[Total, ...]
) -> None:
    query = Sums(source, keys, totals)
    expected = {key: tuple(values) for key, values in sums(query, chosen(source, table)).items()}
    assert ask(connection, query, table) == expected


@settings(max_examples=40, deadline=None)
@given(table=rows, source=sources, keys=keys.filter(bool), totals=counts)
def test_to_look_up_every_row_is_to_correct_the_heavy(
    connection: duckdb.DuckDBPyConnection, table: Rows, source: Source, keys: tuple[Key, ...], totals: tuple[Total, ...]
) -> None:
    """Both forms of the statement give the same whole numbers."""
    query = Sums(source, keys, totals)
    ask(connection, query, table)  # fills the table
    found = rows_of(query, weights(TYPES))
    adding = found.totals(totals)
    both = [forms._joined(found, adding), forms._corrected(found, query, adding)]
    one, other = (connection.sql(text).to_arrow_table().to_pylist() for text in both)
    assert both[0] != both[1]
    assert sorted(map(repr, one)) == sorted(map(repr, other))


@settings(max_examples=80, deadline=None)
@given(table=rows, source=sources, keys=keys, condition=st.sampled_from(CONDITIONS))
def test_units(
    connection: duckdb.DuckDBPyConnection,
    table: Rows,
    source: Source,
    keys: tuple[Key, ...],
    condition: Expression | None,
) -> None:
    query = Units(source, keys, "how many", condition)
    pairs = {(row["unit"], key_of(query, row)) for row in chosen(source, table, condition)}
    groups = Counter(unit for unit, _ in pairs)
    expected: Counter[tuple[Any, ...]] = Counter() if keys else Counter({(): 0})
    for unit, key in pairs:
        expected[key] += weight_of(source.contribution, groups[unit])
    assert ask(connection, query, table) == {key: (value,) for key, value in expected.items()}


@settings(max_examples=80, deadline=None)
@given(table=rows, source=st.one_of(sources, loose), keys=keys, totals=totals, most=st.integers(1, 4))
def test_kept(
    connection: duckdb.DuckDBPyConnection,
    *,
    table: Rows,
    source: Source,
    keys: tuple[Key, ...],
    totals: tuple[Total, ...],
    most: int,
) -> None:
    query = Kept(source, keys, totals, most, "units")
    left = chosen(source, table)
    if source.unit is not None:
        kept = first_groups(connection, query, left)
        left = [row for row in left if key_of(query, row) in kept[row["unit"]]]
    counted = Counter(
        key
        for key, _ in {(key_of(query, row), row["unit"] if source.unit else place) for place, row in enumerate(left)}
    )
    expected = {key: (*values, counted[key]) for key, values in sums(query, left).items()}
    assert ask(connection, query, table) == expected


@settings(max_examples=20, deadline=None)
@given(table=rows, source=st.one_of(sources, loose), keys=keys, totals=totals, most=st.integers(1, 4))
@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv"])
def test_files_answer_like_memory(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    *,
    name: str,
    table: Rows,
    source: Source,
    keys: tuple[Key, ...],
    totals: tuple[Total, ...],
    most: int,
) -> None:
    if name == "rows.csv":
        table = [row | {"weight": row["weight"] or "empty"} for row in table]
    queries: list[ExactQuery] = [Sums(source, keys, totals), Kept(source, keys, totals, most, "units")]
    for query in queries:
        assert ask(connection, query, table, folder / name) == ask(connection, query, table)


def first_groups(connection: duckdb.DuckDBPyConnection, query: Kept, table: Rows) -> dict[int, set[tuple[Any, ...]]]:
    """The groups of each unit with the lowest hashes."""
    groups: dict[int, set[tuple[Any, ...]]] = defaultdict(set)
    for row in table:
        groups[row["unit"]].add(key_of(query, row))
    hashes = {(unit, key): hash_of(connection, query, unit, key) for unit in groups for key in groups[unit]}
    return {unit: set(sorted(found, key=lambda key: hashes[unit, key])[: query.most]) for unit, found in groups.items()}


def hash_of(connection: duckdb.DuckDBPyConnection, query: Kept, unit: int, key: tuple[Any, ...]) -> int:
    types = {Kind.TEXT: "VARCHAR", Kind.NUMBER: "DOUBLE", Kind.INTEGER: "BIGINT", Kind.BOOLEAN: "BOOLEAN"}
    places = ", ".join(["CAST(? AS VARCHAR)", *(f"CAST(? AS {types[part.value.kind]})" for part in query.keys)])
    return int(connection.execute(f"SELECT HASH({places})", [str(unit), *key]).fetchall()[0][0])


def test_sums_are_cut_not_wrapped(connection: duckdb.DuckDBPyConnection) -> None:
    huge = Call("multiply", (V, number(2**50)), Kind.INTEGER, Range(Fraction(-(2**60)), Fraction(2**60)))
    query = Sums(Source("weights", None, 1, None), (), (Total("t", huge, None, 2**60, 0),))
    table = [{"unit": 1, "weight": "a", "x": 0.0, "v": 1000}] * 100
    assert ask(connection, query, table) == {(): (2**61,)}


def test_a_person_never_weighs_more_than_the_contribution(connection: duckdb.DuckDBPyConnection) -> None:
    query = Sums(Source("weights", "unit", 3, None), (Key("town", TOWN),), (Total("n", number(1), None, 1, 0),))
    one = [{"unit": 1, "weight": town, "x": 0.0, "v": 1} for town in "abcdefg" for _ in range(11)]
    groups = ask(connection, query, one)
    assert sum(value for (value,) in groups.values()) <= 3 * WEIGHT


def test_any_number_of_groups_may_be_kept(connection: duckdb.DuckDBPyConnection) -> None:
    source, key = Source("weights", "unit", 3, None), Key("town", TOWN)
    table = drawn(1, 40)
    few, many = (
        ask(connection, Kept(source, (key,), (Total("n", number(1), None, 1, 0),), most, "u"), table)
        for most in (1000, 2**40)
    )
    assert few == many


def test_nobody_keeps_one_private_group_more_than_they_may(connection: duckdb.DuckDBPyConnection) -> None:
    source, key = Source("weights", "unit", 9, None), Key("town", TOWN)
    for groups in (2, 3, 4, 9):
        table = [
            {"unit": unit, "weight": f"town {town}", "x": 0.0, "v": 1} for unit in (1, 2) for town in range(groups)
        ]
        for total in (Total("n", number(1), None, 1, 0), Total("s", V, None, 1000, 7)):
            kept = ask(connection, Kept(source, (key,), (total,), 2, "units"), table)
            assert sum(units for _, units in kept.values()) == 4


@pytest.mark.parametrize("different", [1, 2, 3, 5])
def test_hashes_that_tie_let_nobody_keep_or_weigh_more(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch, different: int
) -> None:
    """Whichever of equal hashes is taken for the first one too many."""
    hashed = DuckDBDialect.hashed
    monkeypatch.setattr(DuckDBDialect, "hashed", lambda self, parts: f"({hashed(self, parts)} % {different})")
    source, key = Source("weights", "unit", 5, None), Key("town", TOWN)
    for person in range(20):
        table = [{"unit": person, "weight": f"town {row % 9}", "x": 0.0, "v": 1} for row in range(9 + person)]
        for total in (Total("n", number(1), None, 1, 0), Total("s", UP, None, 1000, 7)):
            kept = ask(connection, Kept(source, (key,), (total,), 3, "units"), table)
            assert sum(units for _, units in kept.values()) <= 3
            assert sum(value << total.shift for value, _ in kept.values()) <= 5 * WEIGHT


def test_rows_add_whole_numbers(connection: duckdb.DuckDBPyConnection) -> None:
    query = Sums(Source("weights", None, 1, None), (), (Total("t", number("0.5"), None, 1, 0),))
    with pytest.raises(ValueError, match="whole"):
        ask(connection, query, [])
