"""Whole numbers that no double holds: what is answered is exact, as in plain DuckDB, and the rest is refused."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from deniable.core.errors import Refused
from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.policy import Policy
from tests.support.curators import curator, silence
from tests.support.limits import LOOSE

TIP = 2**53
"""The first whole number whose successor is no double."""
ROWS = {
    "any": [TIP, TIP + 1, TIP + 2, -TIP - 1, None, 2**63 - 1, -(2**63), 0, 1, TIP + 1, TIP + 3, 2**62 + 1],
    "long": [TIP, TIP + 1, TIP + 2, TIP + 3, None, TIP + 5, TIP + 6, TIP + 7, TIP + 8, TIP + 1, TIP + 3, TIP + 2],
    "small": [3, 1, -2, 0, None, 7, 3, -7, 5, 10, None, -10],
}
CONDITIONS = [
    f'"any" = {TIP + 1}',
    f'"any" = {TIP}.5',
    f'"any" <> {TIP}.5',
    f'"any" > {TIP}.5',
    f'"any" >= {TIP}.5',
    f'"any" < {TIP + 1}.5',
    f'"any" <= {TIP}.5',
    f'{TIP}.5 < "any"',
    f'"any" BETWEEN {TIP}.5 AND {TIP + 1}.5',
    f'"any" IN ({TIP + 1}, 1.5)',
    f'"any" NOT IN ({TIP}, {2**80})',
    '"any" IN (1.5, 2.5)',
    f'"any" NOT IN ({TIP + 1}, 1.5, NULL)',
    f'"any" IS DISTINCT FROM {TIP}.5',
    f'"any" IS NOT DISTINCT FROM {-(2**63)}',
    f'NULLIF("any", {TIP}.5) = {TIP}',
    f'NULLIF("any", {-(2**63)}) IS NULL',
    f'"any" < {2**63}',
    f'"any" = {2**63}',
    f'"any" >= {2**63}',
    f'"any" > {-(2**63)}',
    f'"any" >= {-(2**63)}',
    f'"any" = {-(2**63)}',
    f'"any" <= {-(2**63)}',
    f'"any" < {-(2**63)}',
    f'"any" IN ({-(2**63)}, 1)',
    f'"any" > {-(2**63)}.5',
    '"any" * 1.0 > 5',
    '"any" + 0.5 > 5',
    '"any" - 0.5 <> 0.5',
    '"any" + 0.5 IN (1.5, 2.5)',
    '"any" + 0.5 IS DISTINCT FROM 1.5',
    f'"any" + 0.5 = {TIP + 1}.5',
    f'ROUND("any") = {TIP + 1}',
    f'ROUND("any", 1) = {TIP + 1}',
    f'TRUNC("any") = {TIP + 1}',
    f"ROUND(long, -1) IN ({TIP - 2}, {TIP + 8})",
    f'GREATEST("any", small) = {TIP + 1}',
    f'COALESCE("any", 0) = {TIP + 1}',
    f"COALESCE(long, 0.5) = {TIP + 1}",
    f"CASE WHEN small > 0 THEN long ELSE 0.25 END IN ({TIP + 1}, 0.25)",
    'COALESCE("any", 0.5) > 5',
    f'{TIP}.5 BETWEEN 10 AND "any"',
    f'CASE {TIP}.5 WHEN "any" THEN TRUE ELSE FALSE END',
    f"{TIP}.5 >= {TIP + 1} OR {TIP + 1} IN ({TIP}.5, {TIP})",
    "small < 3.00000000000000000001",
    "small = 3.00000000000000000001",
]
ANSWERS = [
    f"SELECT {TIP + 1} AS x, COUNT(*) AS n FROM visits",
    f"SELECT COUNT(*) + {TIP + 1} AS x, {TIP + 1} + 2 AS y, {TIP + 1} * 1 AS z FROM visits",
    f"SELECT long AS k, COUNT(*) AS n FROM visits GROUP BY long HAVING k = {TIP + 1}",
    f"SELECT long AS k, COUNT(*) AS n FROM visits GROUP BY long HAVING k IN ({TIP + 1}, {TIP + 7}) OR k > {TIP + 7}",
    f"SELECT long AS k, COUNT(*) AS n FROM visits GROUP BY long HAVING COUNT(*) > 1 AND long < {TIP}.5",
    "SELECT long AS k, COUNT(*) AS n FROM visits WHERE long IS NOT NULL GROUP BY long ORDER BY long DESC LIMIT 4",
    f"SELECT small AS k, 2 * CASE WHEN COUNT(*) > 5 THEN {TIP + 1} ELSE COUNT(*) END AS n FROM visits GROUP BY small",
    "SELECT long AS k, long + 1 AS x, -long AS y, COUNT(*) AS n FROM visits GROUP BY long",
    f"SELECT long AS k, COALESCE(long, 0) AS x, GREATEST(long, {TIP + 1}) AS y, COUNT(*) AS n FROM visits GROUP BY 1",
    f"SELECT long AS k, CASE WHEN long = {TIP + 1} THEN 'yes' ELSE 'no' END AS x, COUNT(*) AS n FROM visits GROUP BY 1",
    f"SELECT long AS k, CASE WHEN long = {TIP + 1} THEN long ELSE 5 END AS x, COUNT(*) AS n FROM visits GROUP BY 1",
    f"SELECT small AS k, CASE WHEN COUNT(*) > 1 THEN {TIP + 1} ELSE {TIP} END AS x, COUNT(*) FROM visits GROUP BY 1",
    f'SELECT "any" AS k, COUNT(*) AS n FROM visits WHERE "any" IN ({TIP + 1}, {TIP + 3}) GROUP BY 1 ORDER BY k DESC',
    f"SELECT MODE(long) AS x, MODE(long) - 1 AS y FROM visits WHERE long <> {TIP + 2}",
    f"SELECT MIN(long - {TIP}) AS x, MAX(long - {TIP + 1}) AS y FROM visits",
    f"SELECT MAX(k) AS x FROM (SELECT long AS k, COUNT(*) AS n FROM visits GROUP BY long) q WHERE n > 0 AND k > {TIP}",
]
REFUSED = [
    f'SELECT COUNT(*) AS n FROM visits WHERE COALESCE("any", 0.5) = {TIP + 1}',
    'SELECT COUNT(*) AS n FROM visits WHERE GREATEST("any", 0.5) = "any" * 0.5',
    f'SELECT COUNT(*) AS n FROM visits WHERE CASE WHEN small > 0 THEN "any" ELSE 0.5 END IN (1, {TIP + 1})',
    "SELECT MIN(long) AS x FROM visits",
    "SELECT MEDIAN(long + 1) AS x FROM visits",
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Twelve rows, asked of a quiet curator and of plain DuckDB."""
    folder, table = tmp_path_factory.mktemp("long"), pa.table({name: pa.array(ROWS[name], pa.int64()) for name in ROWS})
    columns = {
        "any": {"type": "integer"},
        "long": {"type": "integer", "bounds": [TIP, TIP + 8]},
        "small": {"type": "integer", "bounds": [-10, 10]},
    }
    rules = Policy.from_mapping(
        {
            "population": {"name": "long"},
            "budget": {"epsilon": 1e9},
            "limits": LOOSE,
            "tables": {"visits": {"source": "visits.parquet", "columns": columns}},
        },
        origin="long",
        folder=folder,
    )
    plain = duckdb.connect()
    plain.register("visits", table)
    with curator(folder, table, rules) as quiet:
        yield quiet, plain


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_same_rows_as_in_plain_duckdb(asked, condition, monkeypatch):
    silence(monkeypatch)
    quiet, plain = asked
    sql = f"SELECT COUNT(*) AS n FROM visits WHERE {condition}"
    assert quiet.ask(sql, epsilon=100).table["n"][0].as_py() == plain.sql(sql).fetchall()[0][0]


@pytest.mark.parametrize("sql", ANSWERS)
def test_the_same_numbers_as_in_plain_duckdb(asked, sql, monkeypatch):
    """To the last digit; groups that nobody is in are answered, too."""
    silence(monkeypatch)
    quiet, plain = asked
    wanted = [tuple(int(one) if isinstance(one, int) else one for one in row) for row in plain.sql(sql).fetchall()]
    found = [tuple(row.values()) for row in quiet.ask(sql, epsilon=100).table.to_pylist()]
    if "ORDER BY" not in sql:
        wanted, found = sorted(wanted, key=str), sorted((row for row in found if row[-1] != 0), key=str)
    assert found == wanted


@pytest.mark.parametrize("sql", REFUSED)
def test_what_would_become_another_number_is_refused(asked, sql):
    quiet, _ = asked
    with pytest.raises(Refused) as refused:
        quiet.explain(sql, epsilon=100)
    assert refused.value.code == "type-mismatch"
    assert refused.value.hint


STORED = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL(38, 0)", "VARCHAR")


def test_a_long_number_is_read_as_it_is_stored_in_whatever_type(tmp_path, monkeypatch):
    """And one of more than 64 bits is large, not missing."""
    silence(monkeypatch)
    with duckdb.connect(str(tmp_path / "wide.duckdb")) as file:
        columns = ", ".join(f"x::{kind} AS c{place}" for place, kind in enumerate(STORED))
        file.execute(f"CREATE TABLE wide AS SELECT {columns} FROM (SELECT UNNEST([{TIP + 1}, {TIP + 3}]) AS x)")
        file.execute(f"INSERT INTO wide SELECT NULL, 2::UBIGINT ** 63, {2**126}, {2**127}, {10**37}, NULL")
    columns = {f"c{place}": {"type": "integer", "bounds": [0, TIP + 9]} for place in range(len(STORED))}
    rules = Policy.from_mapping(
        {
            "population": {"name": "wide"},
            "budget": {"epsilon": 1e9},
            "limits": LOOSE,
            "tables": {"wide": {"source": "wide.duckdb::wide", "columns": columns}},
        },
        origin="wide",
        folder=tmp_path,
    )
    with Curator(rules, engine_of(rules), Ledger.memory("wide")) as quiet:
        for place, kind in enumerate(STORED):
            counts = [f"COUNT(*) FILTER (WHERE c{place} = {TIP + aside}) AS n{aside}" for aside in (1, 3, 9)]
            (found,) = quiet.ask(f"SELECT {', '.join(counts)} FROM wide", epsilon=100).table.to_pylist()
            assert list(found.values()) == [1, 1, int(kind not in ("BIGINT", "VARCHAR"))], kind
