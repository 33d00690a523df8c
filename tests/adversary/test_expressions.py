"""Expressions that raise for some rows elsewhere: here they are total, answered and charged, or refused beforehand."""

import datetime as dt
import os
import signal
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.errors import Failed
from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.engines import DuckDB
from deniable.engines.duckdb.killable import Killable
from deniable.engines.engine import Broken
from deniable.ledger import Ledger
from deniable.policy import Policy
from tests.support.neighbours import PRICE, SOMEONE, house, outcome, pair, people, row

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
    code = "unknown-function" if "SIMILAR" in call else "type-mismatch"
    neighbours.refused(f"SELECT COUNT(*) FROM visits WHERE {call}", code)


@pytest.mark.parametrize("pattern", ["a*+", "a{2}+", "a?*", "^*a", "a|*b", "(*a)", "(?:+a)", r"\b+a"])
def test_08_patterns_that_some_engines_cannot_read(neighbours, pattern):
    """Some say so only when a row is matched: behind a condition that one person meets, that would be a failure."""
    sql = f"SELECT COUNT(*) FROM visits WHERE person = 17 AND regexp_matches(town, '{pattern}')"
    neighbours.refused(sql, "type-mismatch")


def test_09_catastrophic_patterns(neighbours):
    neighbours.total("SELECT COUNT(*) AS n FROM visits WHERE regexp_matches(town, '(a+)+b')")  # linear all the same
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


def test_12_parts_of_values(neighbours):
    for value in ("word[1]", "[age][5]", "word -> '$.a'", "word ->> 'a'", "json_extract(word, '$')", "{'a': age}.a"):
        neighbours.refused(f"SELECT COUNT(*) FROM visits WHERE {value} IS NULL")
    for start in ("age - 5", "serial", "-1"):
        neighbours.total(f"SELECT COUNT(*) AS n FROM visits WHERE SUBSTRING(town, {start}, 2) = 'aa'")


def test_12_bytes_that_are_no_text(tmp_path):
    """A column of raw bytes, declared as text."""
    table = {"source": "x.parquet", "columns": {"t": {"type": "text"}}}
    data = {"population": {"name": "x"}, "budget": {"epsilon": 10}, "tables": {"x": table}}
    found = []
    for name, extra in (("without", []), ("having", [b"\xff\xfe", b"\xc3"])):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table({"t": pa.array([b"abc", b"", None, *extra])}), tmp_path / name / "x.parquet")
        policy = Policy.from_mapping(data, origin="x", folder=tmp_path / name)
        with Curator(policy, engine_of(policy), Ledger.memory("x")) as curator:
            found.append(outcome(curator, "SELECT COUNT(*) AS n FROM x WHERE LENGTH(UPPER(t)) > 1", epsilon="0.1"))
            found.append(outcome(curator, "SELECT COUNT(DISTINCT t || 'x') AS n FROM x", epsilon="0.1"))
    assert found[:2] == found[2:]
    assert all(one.status == "answered" for one in found)


@pytest.mark.parametrize("cause", [MemoryError("4711"), Broken("4711"), OSError("4711"), RecursionError("4711")])
def test_14_an_engine_that_fails_is_paid_and_says_nothing(tmp_path, monkeypatch, cause):
    """Out of memory (14), out of time (15), or dead (16): one outcome, whatever the cause."""

    def broken(*_):
        raise cause

    with house(tmp_path, people()) as curator:
        monkeypatch.setattr(type(curator.engine), "fetch", broken)
        found = outcome(curator, "SELECT COUNT(*) AS n FROM visits", epsilon="0.5")
    assert (found.status, found.charged) == ("failed", Fraction(1, 2))
    assert "4711" not in str(found.text)
    assert found.text == (str(Failed()), None, None)


def test_15_a_question_that_takes_too_long_is_paid(tmp_path):
    with house(tmp_path, people()) as curator:
        hurried = DuckDB({"visits": tmp_path / "visits.parquet"}, seconds=0.001)
        found = outcome(Curator(curator.policy, hurried, curator.ledger), "SELECT COUNT(*) AS n FROM visits")
        hurried.close()
    assert (found.status, found.charged, found.text) == ("failed", PRICE, (str(Failed()), None, None))


def test_16_a_worker_that_is_killed_is_replaced(tmp_path, monkeypatch):
    """In the middle of a question: paid and not answered. Before the next: nothing is noticed."""
    with house(tmp_path, people()) as curator:
        sql = "SELECT SUM(age) AS n FROM visits WHERE age > {}"
        assert outcome(curator, sql.format(1)).status == "answered"
        ask = Killable.ask

        def dies(worker, text):
            os.kill(worker.process, signal.SIGKILL)
            return ask(worker, text)

        with monkeypatch.context() as deadly:
            deadly.setattr(Killable, "ask", dies)
            found = outcome(curator, sql.format(2))
        assert (found.status, found.charged, found.text[0]) == ("failed", PRICE, str(Failed()))
        assert outcome(curator, sql.format(3)).status == "answered"


def test_13_moments_in_the_far_future(neighbours):
    neighbours.total("SELECT COUNT(moment) AS n FROM visits")
    neighbours.total("SELECT COUNT(*) AS n FROM visits WHERE YEAR(moment) > 3000 OR moment - day > 1000000")
    neighbours.total("SELECT MONTH(moment) AS k, COUNT(*) AS n FROM visits GROUP BY 1")
    neighbours.total(within("moment - DATE '2025-01-01'"))
