"""What the spellings rest on in DuckDB itself: one of these fails before a new version changes an answer.

The rest is pinned where it is used: each function against its meaning (test_functions.py), each statement against a
slow reference (test_statements.py), each lock against those who try it (test_lockdown.py).
"""

import duckdb
import pytest

from deniable.engines.duckdb.lockdown import MISTRUSTED

FACTS = {
    "typeof(SUM(x::BIGINT)) FROM (VALUES (1)) t(x)": "HUGEINT",
    "typeof(COUNT(*)) FROM (VALUES (1)) t(x)": "BIGINT",
    "SUM(x) IS NULL FROM (SELECT 1 AS x WHERE FALSE)": True,
    "SUM(9223372036854775807::BIGINT) FROM range(3)": 3 * (2**63 - 1),
    "TRY_CAST('x' AS BIGINT) IS NULL": True,
    "TRY_CAST(1e300 AS BIGINT) IS NULL": True,
    "(-7) // 2": -3,
    "(-7) % 2": -1,
    "LEAST(NULL, 1)": 1,
    "GREATEST(NULL, 1)": 1,
    "'NaN'::DOUBLE > 'Infinity'::DOUBLE": True,
    "'NaN'::DOUBLE = 'NaN'::DOUBLE": True,
    "hash(1::BIGINT) = hash(1::BIGINT)": True,
    "[TRY_CAST(x AS ENUM('a', 'é')) IS NULL FOR x IN ['a', 'é', 'A', ' a', 'a ', '', 'e\u0301']]": [
        *(False, False),
        *(True, True, True, True, True),
    ],
    "RANGE(-2, 3)[1]": -2,
    "RANGE(-2, 3)[NULL::BIGINT] IS NULL": True,
    "nfc_normalize(chr(8490))": "K",
    "COUNT(DISTINCT hash(x)) FROM range(100000) t(x)": 100_000,
    "COUNT(*) FROM (SELECT 1 AS x) a LEFT JOIN (SELECT 1 AS x WHERE FALSE) b USING (x)": 1,
}


@pytest.mark.parametrize(("sql", "value"), FACTS.items(), ids=FACTS)
def test_a_fact_that_an_answer_rests_on(sql, value):
    assert duckdb.connect().execute(f"SELECT {sql}").fetchall() == [(value,)]


@pytest.mark.parametrize(
    "sql", ["9223372036854775807::BIGINT + 1", "CAST(SUM(1e18::HUGEINT) AS BIGINT) FROM range(20)"]
)
def test_whole_numbers_raise_and_never_wrap(sql):
    with pytest.raises(duckdb.OutOfRangeException if "+" in sql else duckdb.ConversionException):
        duckdb.connect().execute(f"SELECT {sql}").fetchall()


def test_the_mistrusted_rules_still_exist():
    """One that is gone need not be switched off; one that is renamed would stay on."""
    connection = duckdb.connect()
    connection.execute(f"SET disabled_optimizers = '{MISTRUSTED}'")
    with pytest.raises(duckdb.Error):
        connection.execute("SET disabled_optimizers = 'no_such_rule'")


def test_a_statement_says_its_kind_before_it_runs():
    kinds = {
        "SELECT 1": "SELECT",
        "COPY (SELECT 1) TO 'x'": "COPY",
        "SET threads = 1": "SET",
        "FROM range(3)": "SELECT",
    }
    for sql, kind in kinds.items():
        (statement,) = duckdb.connect().extract_statements(sql)
        assert statement.type == getattr(duckdb.StatementType, kind)
