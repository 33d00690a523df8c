"""PostgreSQL as an engine: one snapshot, one SELECT, a time limit, and no word of an error."""

from __future__ import annotations

import logging
import time
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from threading import Thread

import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.algebra.expression import Column, Kind, Range
from deniable.core.algebra.query import WEIGHT, ExactQuery, Kept, Key, MarginalSums, Source, Sums, Total
from deniable.core.deadline import within
from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.engines import DuckDB
from deniable.engines.engine import Broken
from deniable.engines.postgres.engine import PostgreSQL
from deniable.engines.postgres.schema import Place
from deniable.planner.expressions.functions import call, number
from tests.support.moved import filled
from tests.support.postgres import Started, run
from tests.unit.engines.people import AGE, ONE, PEOPLE, TOWN, ages, by_town, count

SLOW = "SELECT count(*) AS n FROM generate_series(1, 100000000) AS a, generate_series(1, 1000) AS b"


@pytest.fixture
def engine(database: str) -> PostgreSQL:
    return PostgreSQL(database, {"people": filled(database, "people", pa.table(PEOPLE))}, seconds=20)


def test_exact_answers(engine: PostgreSQL) -> None:
    assert engine.run(count()).to_pylist() == [{"n": 5}]
    assert by_town(engine.run(ages()), "age") == {"north": 81, "south": 47, None: 110}


def test_an_index_changes_the_statement_and_not_the_answer(engine: PostgreSQL, database: str) -> None:
    query = ages(unit="id")
    windowed, answer = engine.emit(query), by_town(engine.run(query), "age")
    run(database, "CREATE INDEX ON people (id)")
    fresh = PostgreSQL(database, {"people": Place("public", "people")})
    assert "OVER (PARTITION BY" in windowed
    assert "OVER (PARTITION BY" not in fresh.emit(query)
    assert by_town(fresh.run(query), "age") == answer


def test_a_value_that_several_sums_share_is_put_on_its_grid_once(engine: PostgreSQL, database: str) -> None:
    """PostgreSQL would do so for each of them: half of the time of a sum and a count that have one price."""
    age = Total("age", call("grid", AGE, number(0), number(1), number(110)), None, 110, 0)
    query = replace(ages(unit="id"), totals=(age,))
    twice = replace(query, totals=(age, replace(age, name="again")))
    one = engine.emit(query).count(" BETWEEN 0 AND 110 ")
    assert engine.emit(twice).count(" BETWEEN 0 AND 110 ") == one == 1
    answer = engine.run(twice)
    assert by_town(answer, "again") == by_town(answer, "age")
    run(database, "CREATE INDEX ON people (id)")
    fresh = PostgreSQL(database, {"people": Place("public", "people")})
    corrected = (fresh.emit(asked).partition("UNION ALL")[0] for asked in (query, twice))
    assert {text.count(" BETWEEN 0 AND 110 ") for text in corrected} == {1}
    assert by_town(fresh.run(twice), "again") == by_town(answer, "age")


def test_one_session_reads_one_state(engine: PostgreSQL, database: str) -> None:
    with engine.session() as inside:
        before = inside.run(count()), inside.version("people")
        run(database, "DELETE FROM people WHERE age = 31", "INSERT INTO people VALUES (9, 9, 'west'), (9, 9, 'west')")
        assert (inside.run(count()), inside.version("people")) == before
    assert engine.run(count()).to_pylist() == [{"n": 6}]


def test_the_version_changes_with_the_data_and_only_then(engine: PostgreSQL, database: str) -> None:
    versions = [engine.version("people")]
    for change in (
        "UPDATE people SET age = 32 WHERE age = 31",
        "DELETE FROM people WHERE age = 50",
        "INSERT INTO people VALUES (7, 20, 'north')",
    ):
        run(database, change)
        versions.append(engine.version("people"))
    assert len(set(versions)) == len(versions)
    run(database, "CREATE TABLE others (a int)", "INSERT INTO others VALUES (1)", "VACUUM people")
    assert engine.version("people") == versions[-1]
    assert PostgreSQL(database, {"people": Place("public", "people")}).version("people") != versions[-1]  # another key


def test_a_transaction_that_ends_late_is_noticed(engine: PostgreSQL, database: str) -> None:
    """The last number of a transaction, and how many rows there are, would be the same."""
    with psycopg.connect(database) as early:
        early.execute("DELETE FROM people WHERE age = 31")
        early.execute("INSERT INTO people VALUES (1, 60, 'north')")
        run(database, "UPDATE people SET town = 'west' WHERE age = 47")
        before = engine.version("people")
        early.commit()
    assert engine.version("people") != before


def test_the_custodians_query_says_when_data_are_others(database: str) -> None:
    filled(database, "people", pa.table(PEOPLE))
    run(database, "CREATE TABLE loads (day date)", "INSERT INTO loads VALUES ('2025-01-01')")
    place = Place("public", "people", "SELECT max(day) FROM public.loads")
    engine = PostgreSQL(database, {"people": place})
    before = engine.version("people")
    run(database, "DELETE FROM people")
    assert engine.version("people") == before
    run(database, "INSERT INTO loads VALUES ('2025-01-02')")
    assert engine.version("people") != before


def test_a_view_is_a_table(database: str) -> None:
    filled(database, "people", pa.table(PEOPLE))
    run(database, "CREATE VIEW elders AS SELECT * FROM people WHERE age > 40")
    elders = PostgreSQL(database, {"people": Place("public", "elders")})
    before = elders.version("people")
    assert elders.run(count()).to_pylist() == [{"n": 3}]
    run(database, "UPDATE people SET age = 48 WHERE age = 47")
    assert elders.version("people") != before


def test_types_are_named_by_what_they_are_made_of(database: str) -> None:
    run(
        database,
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE DOMAIN year AS smallint CHECK (value > 1900)",
        "CREATE TABLE odd (a numeric(10, 2), b varchar(5), c char(3), d mood, e year, f timestamptz, g time, h int[])",
    )
    described = PostgreSQL(database, {"odd": Place("public", "odd")}).describe("odd")
    assert described == {
        "a": "numeric",
        "b": "character varying",
        "c": "character",
        "d": "enum",
        "e": "smallint",
        "f": "timestamp with time zone",
        "g": "time",
        "h": "integer[]",
    }


def test_decimal_units_that_are_equal_are_one(database: str) -> None:
    """1.0 and 1.00 are equal, and are other texts; NaN names nobody."""
    run(database, "CREATE TABLE t (id numeric, town text)")
    run(database, "INSERT INTO t VALUES (1.0, 'a'), (1.00, 'b'), (1.000, 'c'), (2, 'a'), ('NaN', 'a')")
    query = Sums(Source("t", "id", 1, None), (Key("town", TOWN),), (Total("n", ONE, None, 1, 0),))
    answer = by_town(PostgreSQL(database, {"t": Place("public", "t")}).run(query), "n")
    third = (1 << 20) // 3
    assert answer == {"a": third + (1 << 20), "b": third, "c": third}


def test_collations_and_letters_do_not_matter(database: str) -> None:
    run(database, "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)")
    run(database, "CREATE TABLE t (id int, town text COLLATE loose)")
    run(database, "INSERT INTO t VALUES (1, 'north'), (1, 'NORTH'), (2, 'nórth'), (3, 'no\u0301rth')")
    query = Sums(Source("t", None, 1, None), (Key("town", TOWN),), (Total("n", ONE, None, 1, 0),))
    assert by_town(PostgreSQL(database, {"t": Place("public", "t")}).run(query), "n") == {
        "north": 1,
        "NORTH": 1,
        "nórth": 2,  # two ways in which Unicode writes the same
    }


def test_units_are_told_apart_by_their_bytes(database: str) -> None:
    run(database, "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)")
    run(database, "CREATE TABLE t (who text COLLATE loose)", "INSERT INTO t VALUES ('ann'), ('ANN')")
    query = Sums(Source("t", "who", 1, None), (), (Total("n", ONE, None, 1, 0),))
    assert PostgreSQL(database, {"t": Place("public", "t")}).run(query).to_pylist() == [{"n": 2 * WEIGHT}]


def test_long_names_are_told_apart(database: str) -> None:
    filled(database, "people", pa.table(PEOPLE))
    names = ["x" * 80 + end for end in "ab"]
    query = Sums(Source("people", None, 1, None), (), tuple(Total(name, ONE, None, 1, 0) for name in names))
    assert PostgreSQL(database, {"people": Place("public", "people")}).run(query).to_pylist() == [
        dict.fromkeys(names, 5)
    ]


@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM public.people", "SELECT 1; SELECT 2", "CREATE TEMP TABLE x (a int)", "COPY public.people TO STDOUT"],
)
def test_nothing_but_one_select_is_run(engine: PostgreSQL, sql: str) -> None:
    with pytest.raises(Broken):
        engine.fetch(sql)
    assert engine.run(count()).to_pylist() == [{"n": 5}]


def test_nothing_is_written_even_by_a_select(engine: PostgreSQL, database: str) -> None:
    run(database, "CREATE FUNCTION public.leak() RETURNS int LANGUAGE sql AS 'DELETE FROM public.people RETURNING 1'")
    with pytest.raises(Broken):
        engine.fetch("SELECT public.leak() AS n")
    assert engine.run(count()).to_pylist() == [{"n": 5}]


def test_a_slow_query_is_stopped_in_time(engine: PostgreSQL) -> None:
    start = time.monotonic()
    with within(0.3), pytest.raises(Broken, match="QueryCanceled"):
        engine.fetch(SLOW)
    assert time.monotonic() - start < 15


def test_a_server_that_dies_midway_is_a_failure_without_words(
    own_postgres: Started, caplog: pytest.LogCaptureFixture
) -> None:
    with own_postgres.database() as url:
        engine = PostgreSQL(url, {"people": filled(url, "people", pa.table(PEOPLE))}, seconds=30)
        killer = Thread(target=lambda: (time.sleep(0.5), own_postgres.crash()))
        with engine.session() as inside:
            inside.run(count())
            inside.emit = lambda _query: SLOW  # type: ignore[method-assign]
            killer.start()
            with caplog.at_level(logging.ERROR, "deniable.curator"), pytest.raises(Failed):
                inside.run(count())
            killer.join()
        with pytest.raises(Refused, match="cannot be asked"), engine.session():
            pass
        own_postgres.start()
        assert engine.run(count()).to_pylist() == [{"n": 5}]
    assert "127.0.0.1" not in caplog.text
    assert "generate_series" not in caplog.text


def test_a_connection_that_is_cut_is_a_failure(engine: PostgreSQL, database: str) -> None:
    with engine.session() as inside:
        inside.run(count())
        run(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'deniable'")
        with pytest.raises(Failed):
            inside.run(count())
    assert engine.run(count()).to_pylist() == [{"n": 5}]


@pytest.mark.parametrize("url", ["postgresql://nobody@127.0.0.1:1/none", "postgresql://x@no.such.host.invalid/none"])
def test_a_server_that_is_not_there_refuses_before_anything_is_charged(url: str) -> None:
    engine = PostgreSQL(url, {"people": Place("public", "people")})
    with pytest.raises(Refused) as refused, engine.session():
        pass
    assert refused.value.code == "data-unavailable"
    assert refused.value.__cause__ is None
    with pytest.raises(InvalidArgumentError, match="no connection"):
        engine.describe("people")


def test_a_statement_that_cannot_run_is_refused_before_the_charge(engine: PostgreSQL) -> None:
    nobody = Column("nobody", Kind.INTEGER, Range(Fraction(0), Fraction(1)))
    with pytest.raises(Refused) as refused:
        engine.check(Sums(Source("people", None, 1, None), (), (Total("n", nobody, None, 1, 0),)))
    assert refused.value.code == "data-unavailable"


def test_closing_lets_it_be_asked_again(engine: PostgreSQL) -> None:
    with closing(engine):
        engine.run(count())
    assert engine.run(count()).to_pylist() == [{"n": 5}]


_RANDOM = np.random.default_rng(5)
_MANY = pa.table(
    {
        "id": _RANDOM.integers(0, 40, 600),
        "age": _RANDOM.integers(0, 110, 600),
        "town": [f"town {number}" for number in _RANDOM.integers(0, 9, 600)],
    }
)
_SOURCE = Source("people", "id", 4, None)
_AGE = Column("age", Kind.INTEGER, Range(Fraction(0), Fraction(110)))
_COUNT, _SUM = Total("n", ONE, None, 1, 0), Total("s", _AGE, None, 110, 0)
_SHIFTED = Total("u", _AGE, None, 110, 9)


@pytest.mark.parametrize(
    "query",
    [
        Sums(_SOURCE, (Key("town", TOWN), Key("cell", _AGE)), (_COUNT,)),
        MarginalSums(_SOURCE, (Key("town", TOWN), Key("cell", _AGE)), (_COUNT,), ((0,), (1,), (0, 1)), "left"),
        MarginalSums(_SOURCE, (Key("town", TOWN), Key("cell", _AGE)), (_COUNT, _SUM), ((0,), (1,)), "left"),
    ],
)
@pytest.mark.parametrize("indexed", [False, True])
def test_what_is_counted_is_what_duckdb_counts(
    database: str, tmp_path: Path, query: ExactQuery, *, indexed: bool
) -> None:
    place = filled(database, "people", _MANY)
    if indexed:
        run(database, "CREATE INDEX ON people (id)")
    pq.write_table(_MANY, tmp_path / "people.parquet")
    with closing(DuckDB({"people": tmp_path / "people.parquet"})) as duck:
        one, other = PostgreSQL(database, {"people": place}).run(query), duck.run(query)
    assert sorted(map(repr, one.to_pylist())) == sorted(map(repr, other.to_pylist()))


@pytest.mark.parametrize("totals", [(_COUNT,), (_COUNT, _SUM), (_COUNT, _SHIFTED)])
def test_private_keys_are_cut_to_what_a_person_may_have(database: str, totals: tuple[Total, ...]) -> None:
    """Which of a person's groups are kept follows from the engine's own hash; how many, and their weight, does not."""
    engine = PostgreSQL(database, {"people": filled(database, "people", _MANY)})
    few = engine.run(Kept(_SOURCE, (Key("town", TOWN),), totals, 2, "units"))
    assert sum(few["units"].to_pylist()) == 2 * len(set(_MANY["id"].to_pylist()))
    assert sum(few["n"].to_pylist()) <= 4 * WEIGHT * len(set(_MANY["id"].to_pylist()))
    every = engine.run(Kept(_SOURCE, (Key("town", TOWN),), totals, 99, "units"))
    wanted = {row["town"]: row for row in engine.run(Sums(_SOURCE, (Key("town", TOWN),), totals)).to_pylist()}
    assert {row["town"]: row for row in every.drop_columns(["units"]).to_pylist()} == wanted
