"""Expressions that raise for some rows elsewhere: here they are total, answered and charged, or refused beforehand."""

import datetime as dt

import pytest

from tests.support.neighbours import SOMEONE, pair, row

FAR_FUTURE = (287_000 - 1970) * 31_556_952 * 10**6
"""Microseconds until the year 287000."""


@pytest.fixture(scope="module", params=[None, 3], ids=["rows", "people"])
def neighbours(request, tmp_path_factory):
    """One table has a row on which ordinary SQL raises."""
    nasty = row(
        SOMEONE,
        age=5,
        serial=2**63 - 1,
        cost=0.0,
        word="abc",
        town="a" * 5_000,
        moment=FAR_FUTURE,
        day=dt.date(1969, 7, 20),
    )
    least = row(SOMEONE, age=5, serial=-(2**63), word="2025-02-30")
    extra = [nasty] if request.param is None else [nasty, least]
    found = pair(tmp_path_factory.mktemp("expressions"), *extra, contribution=request.param)
    yield found
    found.close()


def within(expression, low=-9, high=9):
    """What a sum needs."""
    return f"SELECT SUM(LEAST(GREATEST({expression}, {low}), {high})) AS a FROM visits"


@pytest.mark.parametrize("expression", ["1 / (age - 5)", "1 // (age - 5)", "1 % (age - 5)", "cost / cost"])
def test_01_division_by_a_rows_value(neighbours, expression):
    neighbours.total(within(expression))
    neighbours.total(f"SELECT COUNT(*) AS n FROM visits WHERE {expression} > 0")
    neighbours.total(f"SELECT COUNT(*) FILTER (WHERE {expression} > 0) AS n FROM visits")


@pytest.mark.parametrize("expression", ["age // 0", "age % 0", "age / 0", "serial // 0", "serial % (age - 5)"])
def test_02_division_by_zero(neighbours, expression):
    neighbours.total(within(expression))


@pytest.mark.parametrize("kind", ["INTEGER", "BIGINT", "DOUBLE", "BOOLEAN", "DATE"])
def test_03_casts_of_what_cannot_be_cast(neighbours, kind):
    neighbours.total(f"SELECT COUNT(CAST(word AS {kind})) AS n FROM visits")
    neighbours.total(f"SELECT COUNT(*) AS n FROM visits WHERE TRY_CAST(word AS {kind}) IS NULL")


def test_03_a_cast_inside_a_sum(neighbours):
    neighbours.total(within("CAST(word AS INTEGER)"))
    neighbours.total(within("CAST(word AS DOUBLE)"))


def test_04_days_that_do_not_exist(neighbours):
    neighbours.total("SELECT COUNT(*) AS n FROM visits WHERE CAST(word AS DATE) > '2025-01-01'")
    neighbours.total("SELECT MONTH(CAST(word AS DATE)) AS k, COUNT(*) AS n FROM visits GROUP BY 1")
    neighbours.refused("SELECT COUNT(*) FROM visits WHERE day > '2025-02-30'", "type-mismatch")
    neighbours.refused("SELECT COUNT(*) FROM visits WHERE strptime(word, '%Y') IS NULL", "unknown-function")


@pytest.mark.parametrize("expression", ["SQRT(age - 6)", "LN(age - 5)", "LN(cost)", "POW(age - 5, -1)", "POW(-1, 0.5)"])
def test_05_roots_and_logarithms_of_nothing(neighbours, expression):
    neighbours.total(within(expression))


@pytest.mark.parametrize(
    "expression",
    [
        "serial * serial",
        "serial + 1",
        "serial - 1",
        "-serial",
        "ABS(serial)",
        "serial // -1",
        "serial % -1",
        "serial * 9007199254740992",
        "POW(serial, 40)",
        "EXP(serial)",
        "ROUND(serial, -15)",
        "CAST(cost * 1e300 AS INTEGER)",
    ],
)
def test_06_overflow_in_an_expression(neighbours, expression):
    neighbours.total(within(expression))
    neighbours.total(f"SELECT COUNT(*) AS n FROM visits WHERE {expression} > 0")


def test_07_overflow_of_a_sum(neighbours):
    neighbours.total(within("serial", -(2**62), 2**62))
    neighbours.total("SELECT SUM(wide) AS a, SUM(wide * wide) AS b FROM visits")
    neighbours.total(within("serial", "-1e250", "1e250"))


@pytest.mark.parametrize("call", ["regexp_matches(word, town)", "word SIMILAR TO town", "word ~ town"])
def test_08_patterns_from_rows(neighbours, call):
    neighbours.refused(f"SELECT COUNT(*) FROM visits WHERE {call}", "unknown-function")


def test_09_catastrophic_patterns(neighbours):
    neighbours.refused("SELECT COUNT(*) FROM visits WHERE regexp_matches(town, '(a+)+b')", "unknown-function")
    for pattern in ("%a" * 500 + "b", "%_a" * 500 + "b", "%a_" * 300 + "%b_"):
        neighbours.total(f"SELECT COUNT(*) AS n FROM visits WHERE town LIKE '{pattern}'")


@pytest.mark.parametrize(
    "call", ["error('x')", "raise_error('x')", "assert_true(age = 5)", "CHECK(age)", "TRY(1 // age)"]
)
def test_10_functions_that_raise_on_purpose(neighbours, call):
    neighbours.refused(f"SELECT COUNT(*) FROM visits WHERE {call}")


def test_11_scalar_subqueries(neighbours):
    neighbours.refused("SELECT COUNT(*) FROM visits WHERE age > (SELECT age FROM visits)", "subquery")
    neighbours.refused("SELECT COUNT(*), (SELECT word FROM visits) FROM visits", "subquery")


def test_13_moments_in_the_far_future(neighbours):
    neighbours.total("SELECT COUNT(moment) AS n FROM visits")
    neighbours.total("SELECT COUNT(*) AS n FROM visits WHERE YEAR(moment) > 3000 OR moment - day > 1000000")
    neighbours.total("SELECT MONTH(moment) AS k, COUNT(*) AS n FROM visits GROUP BY 1")
    neighbours.total(within("moment - DATE '2025-01-01'"))
