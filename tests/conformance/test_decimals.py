"""Whole numbers and constants with a point are decimals, as in plain DuckDB: no digit is lost where it decides."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from deniable.core.errors import Refused
from tests.support.curators import curator, silence
from tests.support.tables import policy, visits

CONDITIONS = [
    "age * 0.1 = 0.3",
    "age * 0.1 <> 0.3",
    "age * 0.1 <= 0.3",
    "age * 0.1 > 0.3",
    "0.7 >= 0.1 * age",
    "age * 0.1 BETWEEN 0.3 AND 0.7",
    "age * 0.1 IN (0.3, 0.7, 2.9, 5)",
    "age * 0.1 NOT IN (0.3, 0.7)",
    "age * 0.1 + 0.2 = 0.5",
    "age * 0.1 - 0.25 < 0.05",
    "-age * 0.01 = -0.07",
    "ABS(0.1 * (age - 50)) = 0.7",
    "age * 0.1 * 1.1 = 0.33",
    "age * 0.1 = age * 0.2 - 0.3",
    "CASE age * 0.1 WHEN 0.3 THEN TRUE WHEN 0.6 THEN TRUE ELSE FALSE END",
    "age * 1.0 = 3",
    "CAST(age * 0.5 AS INTEGER) = 2",
    "CASE WHEN age > 50 THEN 0.1 ELSE age * 0.1 END = 0.3",
    "CASE WHEN urgent THEN 0.1 ELSE 0.29 END * 100 = 29",
    "CASE WHEN urgent THEN age * 0.1 END = 0.3",
    "CASE WHEN urgent THEN age ELSE 0.5 END + age * 0.1 IN (3.3, 0.8)",
    "IF(urgent, age * 0.1, age * 0.01) = 0.07",
    "COALESCE(NULLIF(age, 7) * 0.1, 0.3) = 0.3",
    "COALESCE(age * 0.1, 1) IN (0.3, NULL)",
    "GREATEST(age * 0.1, 0.3) = 0.3",
    "LEAST(age * 0.1, age * 0.29, 5) = 0.7",
    "NULLIF(age * 0.1, 0.3) IS NULL",
    "NULLIF(age * 0.1, 0.7) = 0.3",
    "NULLIF(age, age * 0.5 + 1.5) IS NULL",
    "age * 0.1 IS DISTINCT FROM 0.3",
    "age * 0.1 IS NOT DISTINCT FROM 0.7",
    "SIGN(age * 0.1 - 0.3) = 0",
    "ROUND(age * 0.15, 1) + 0.1 = 0.3",
    "ROUND(age, 1) * 0.1 = 0.3",
    "GREATEST(ROUND(age * 0.15, 1), 0.3) IN (0.3, 0.5)",
]
NUMBERS = [
    "CAST(age * 0.5 AS INTEGER)",
    "CAST((age - 50) * 0.5 AS INTEGER)",
    "CAST((age - 50) * 0.25 AS BIGINT)",
    "FLOOR(age * 0.29)",
    "FLOOR((age - 50) * 0.29)",
    "CEIL(age * 0.07)",
    "CEIL((50 - age) * 0.07)",
    "ROUND(age * 0.15, 1)",
    "ROUND((age - 50) * 0.15, 1)",
    "ROUND((age - 50) * 0.5)",
    "ROUND(age * 0.1, 6)",
    "TRUNC(age * 0.29 * 100)",
    "TRUNC((50 - age) * 0.07)",
    "FLOOR(COALESCE(NULLIF(age, 7), 1) * 0.29 * 100)",
    "ROUND(CASE WHEN age > 50 THEN age * 0.15 ELSE 0.05 END, 1)",
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Every age once, asked of a quiet curator and of plain DuckDB."""
    folder, table = tmp_path_factory.mktemp("decimals"), visits(111, seed=5)
    table = table.set_column(table.schema.get_field_index("age"), "age", pa.array(np.arange(111)))
    plain = duckdb.connect()
    plain.register("visits", table)
    with curator(folder, table, policy(folder, contribution=None)) as quiet:
        yield quiet, plain


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_same_rows_as_in_plain_duckdb(asked, condition, monkeypatch):
    silence(monkeypatch)
    quiet, plain = asked
    sql = f"SELECT COUNT(*) AS n, SUM(age) AS s FROM visits WHERE {condition}"
    (found,) = quiet.ask(sql, epsilon=1).table.to_pylist()
    count, total = plain.sql(sql).fetchall()[0]
    assert (round(found["n"]), round(found["s"])) == (count, total or 0)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_same_numbers_as_in_plain_duckdb(asked, number, monkeypatch):
    """Row by row: a sum could hide two that are off."""
    silence(monkeypatch)
    quiet, plain = asked
    for low in range(0, 111, 10):
        sql = f"SELECT SUM({number}) AS s FROM visits WHERE age BETWEEN {low} AND {low + 9}"
        found = quiet.ask(sql, epsilon=1).table["s"][0].as_py()
        assert found == pytest.approx(float(plain.sql(sql).fetchall()[0][0]), abs=1e-3)


@pytest.mark.parametrize("condition", ["cost * 0.1 > 3", "age / 10 = 0.3", "SQRT(age) * 0.5 > 2", "age * 1e-30 > 0"])
def test_what_is_a_double_in_plain_duckdb_is_one_here(asked, condition, monkeypatch):
    silence(monkeypatch)
    quiet, plain = asked
    sql = f"SELECT COUNT(*) AS n FROM visits WHERE {condition}"
    assert round(quiet.ask(sql, epsilon=1).table["n"][0].as_py()) == plain.sql(sql).fetchall()[0][0]


def test_a_whole_number_that_does_not_fit_is_not_made_of_a_decimal(asked):
    """Then it is a double, or NULL, and never wraps."""
    quiet, _ = asked
    with pytest.raises(Refused, match="real-key"):
        quiet.explain("SELECT age * 0.1 AS k, COUNT(*) AS n FROM visits GROUP BY 1", epsilon=1)
    huge = "SELECT COUNT(*) AS n FROM visits WHERE patient_id * 100000000000000.5 * 100000.5 > 0.5"
    assert quiet.explain(huge, epsilon=1).loss.epsilon == 1
