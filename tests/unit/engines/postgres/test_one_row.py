"""What one row could bring about on PostgreSQL, and does not: every status follows from the question and the schema."""

from __future__ import annotations

import re
from contextlib import closing
from fractions import Fraction

import pytest

from deniable.core.algebra.expression import Column, Expression, Kind, Literal, Range
from deniable.core.algebra.query import Source, Sums, Total
from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.engines.engine import GapError
from deniable.engines.postgres.engine import PostgreSQL
from deniable.engines.postgres.schema import Place
from deniable.engines.postgres.texts import pattern
from deniable.planner.expressions.functions import call, number
from tests.support.postgres import Server, run
from tests.unit.engines.people import count

DIGITS = {
    "9" * 140_000: float("inf"),
    "-" + "9" * 140_000: float("-inf"),
    "0." + "1" * 20_000: 0.1111111111111111,
    "0" * 140_000 + "7.5": 7.5,
    "1." + "0" * 20_000 + "1": 1.0,
}
"""Texts that say a number with more digits than any number of PostgreSQL's can have."""


def rows_where(condition: Expression) -> Sums:
    return Sums(Source("odd", None, 1, condition), (), (Total("n", number(1), None, 1, 0),))


@pytest.mark.parametrize("said", DIGITS)
def test_endless_digits_are_a_number_and_no_failure(database: str, said: str) -> None:
    run(database, "CREATE TABLE odd (x text)", f"INSERT INTO odd VALUES ('{said}'), ('3'), ('  4 ')")
    engine, value = PostgreSQL(database, {"odd": Place("public", "odd")}), DIGITS[said]
    read = Column("x", Kind.NUMBER, Range())
    low, high = (number(Fraction(end)) for end in ("-1e300", "1e300"))
    expected = call("more", read, high) if value > 1e300 else call("less", read, low)
    if abs(value) < 1e300:
        expected = call("equal", read, number(Fraction(value)))
    assert engine.run(rows_where(expected)).to_pylist() == [{"n": 1}]


@pytest.mark.parametrize("said", DIGITS)
def test_endless_digits_are_no_whole_number_of_64_bits_or_the_nearest(database: str, said: str) -> None:
    run(database, "CREATE TABLE odd (x text)", f"INSERT INTO odd VALUES ('{said}'), ('3'), ('  4 ')")
    engine, value = PostgreSQL(database, {"odd": Place("public", "odd")}), DIGITS[said]
    whole = call("equal", Column("x", Kind.INTEGER, Range()), number(round(value) if abs(value) < 1e300 else 3))
    assert engine.run(rows_where(whole)).to_pylist() == [{"n": 1}]


@pytest.mark.parametrize("written", ["((a?){31}){31}", "(a?b?c?d?e?){100}", "(a{0,2}){255}", "(a*){256}"])
def test_a_pattern_that_takes_long_to_read_is_a_gap_for_everybody(written: str) -> None:
    """It is read only when a row is matched: by a condition before it, one person would decide about a time-out."""
    with pytest.raises(GapError):
        pattern(written)


@pytest.mark.parametrize("written", ["(\\d+-){200}", "(a|b)*c{3}", "a?b*c+(d|e)?", "[a-z]{0,200}"])
def test_other_patterns_are_none(database: str, written: str) -> None:
    run(database, "CREATE TABLE odd (x text)", "INSERT INTO odd VALUES ('abc'), ('')")
    engine = PostgreSQL(database, {"odd": Place("public", "odd")}, seconds=5)
    word = Column("x", Kind.TEXT, Range(), length=100)
    answer = engine.run(rows_where(call("matches", word, Literal(written, Kind.TEXT))))
    assert answer["n"].to_pylist() == [sum(re.search(written, text) is not None for text in ("abc", ""))]


@pytest.mark.parametrize(
    "view",
    [
        "SELECT * FROM people WHERE random() < 0.5",
        "SELECT * FROM people TABLESAMPLE system (50)",
        "SELECT * FROM (SELECT id, age, town, clock_timestamp() AS t FROM people) AS p WHERE t > '2000-01-01'",
        "SELECT * FROM people WHERE mine(id) > 0",
        "SELECT * FROM inner_view",
    ],
)
def test_a_view_whose_rows_change_at_every_look_is_refused(database: str, view: str) -> None:
    """Between counting a unit's rows and adding them up, it could have as many more as it likes."""
    run(
        database,
        "CREATE TABLE people (id int, age int, town text)",
        "INSERT INTO people SELECT 1, 30, 'north' FROM generate_series(1, 1000)",
        "CREATE FUNCTION mine(int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN $1; END'",
        "CREATE VIEW inner_view AS SELECT * FROM people WHERE random() < 0.5",
        f"CREATE VIEW shaky AS {view}",
    )
    engine = PostgreSQL(database, {"people": Place("public", "shaky")})
    with pytest.raises(InvalidArgumentError, match="change while they are read"):
        engine.describe("people")
    with pytest.raises(Refused):
        engine.check(count())
    with pytest.raises(Failed):
        engine.run(count())


FOREIGN = (
    "CREATE FOREIGN DATA WRAPPER odd",
    "CREATE SERVER elsewhere FOREIGN DATA WRAPPER odd",
    "CREATE FOREIGN TABLE far (id int, age int, town text) SERVER elsewhere",
)


@pytest.mark.parametrize(
    "people",
    [
        "CREATE VIEW people AS SELECT * FROM far",
        "CREATE TABLE people (id int, age int, town text); ALTER FOREIGN TABLE far INHERIT people",
        "CREATE TABLE people (LIKE far) PARTITION BY LIST (id); ALTER TABLE people ATTACH PARTITION far DEFAULT",
        "ALTER FOREIGN TABLE far RENAME TO people",
    ],
)
def test_foreign_rows_that_nobody_promises_to_keep_are_refused(database: str, people: str) -> None:
    """A file that is read twice may have changed in between."""
    run(database, *FOREIGN, people)
    engine = PostgreSQL(database, {"people": Place("public", "people")})
    with pytest.raises(InvalidArgumentError, match="calls odd"):
        engine.describe("people")


def test_another_postgresql_shows_one_snapshot_and_is_a_table(database: str) -> None:
    far = (statement.replace("WRAPPER odd", "WRAPPER postgres_fdw") for statement in FOREIGN[1:])
    run(database, "CREATE EXTENSION postgres_fdw", *far)
    engine = PostgreSQL(database, {"people": Place("public", "far")})
    assert list(engine.describe("people")) == ["id", "age", "town"]


def test_a_view_that_is_steady_is_a_table(database: str) -> None:
    run(
        database,
        "CREATE TABLE people (id int, age int, town text)",
        "INSERT INTO people VALUES (1, 30, 'north'), (2, 40, 'south')",
        "CREATE VIEW steady AS SELECT id, abs(age) AS age, upper(town) AS town, now() AS t FROM people WHERE age > 3",
    )
    assert PostgreSQL(database, {"people": Place("public", "steady")}).run(count()).to_pylist() == [{"n": 2}]


def test_a_database_in_another_encoding_is_not_asked(postgres: Server) -> None:
    """There is no normal form there: a question would fail with the first row that is not ASCII, and only then."""
    with postgres.database("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0") as url:
        run(url, "CREATE TABLE people (id int, age int, town text)")
        with closing(PostgreSQL(url, {"people": Place("public", "people")})) as engine, pytest.raises(Refused):
            engine.fetch("SELECT 1 AS n")
